"""A DLL for Windows on x86-64: what its loader reads of a library, and nothing else."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from ..program.program import CALLS
from .elf import READ, RUN, WRITE, Image

BASE = 0x180000000  # where the library would like to be
PAGE, SECTOR = 0x1000, 0x200
MARK = 0x40  # where the heads begin, behind that of DOS
HEADS, SECTION = 24 + 240, 40
X64, DYNAMIC_BASE = 0x8664, 0x0160  # may be anywhere, data are not run
ADDRESS_64 = 10 << 12  # of a page of relocations
FLAGS = {READ: 0x40000040, RUN: 0x60000020, WRITE: 0xC0000040}
MEMORY = ("memcpy", "memset", "memmove", "strcmp", "strncpy", "malloc", "free")
OTHERS = {"snprintf": ("msvcrt.dll", "_snprintf"), "__chkstk": ("ntdll.dll", "__chkstk")}


def library_for_windows(image: Image, exports: Sequence[str], name: str) -> bytes:
    """The file of a library that offers `exports` and needs what every Windows has."""
    sizes = image.sizes()
    first = _up(MARK + HEADS + 5 * SECTION, PAGE)
    tables = _Tables(image, exports, name)
    starts = {READ: _up(first + tables.size, 64)}
    starts[RUN] = _up(starts[READ] + sizes[READ], PAGE)
    starts[WRITE] = _up(starts[RUN] + sizes[RUN], PAGE)
    moved = _up(starts[WRITE] + sizes[WRITE], PAGE)
    parts = image.place({part: BASE + at for part, at in starts.items()})
    write = bytearray(parts[WRITE])
    written, slots = tables.written(first), image.slots.address - BASE - starts[WRITE]
    for i, at in enumerate(tables.hints):
        struct.pack_into("<Q", write, slots + 8 * i, first + at)
    relocations = _relocations([at - BASE for at, _ in image.pointers])
    read = written + bytes(starts[READ] - first - len(written)) + parts[READ]
    bodies = [
        (b".rdata", FLAGS[READ], first, read),
        (b".text", FLAGS[RUN], starts[RUN], parts[RUN]),
        (b".data", FLAGS[WRITE], starts[WRITE], bytes(write)),
        (b".reloc", 0x42000040, moved, relocations),
    ]
    directories = {
        0: (first + tables.exported, tables.exported_size),
        1: (first + tables.imported, tables.imported_size),
        5: (moved, len(relocations)),
        12: (image.slots.address - BASE, 8 * len(image.needed)),
    }
    return _file(bodies, directories)


class _Tables:
    """What is offered and what is needed, as one piece of data; places are from its start."""

    def __init__(self, image: Image, exports: Sequence[str], name: str):
        self.image, self.exports, self.name = image, sorted(exports), name
        self.hints: list[int] = []
        self.size = len(self.written(0, addressed=False))

    def written(self, base: int, addressed: bool = True) -> bytes:
        """The data, when they are at an address.

        Every function that is needed is a library of its own, with one slot: slots stand in the
        order of the image.
        """
        needed = [_home(n) for n in self.image.needed]
        texts = bytearray()
        n, k = len(self.exports), len(needed)
        self.exported, self.exported_size = 0, 40 + 10 * n
        self.imported = _up(self.exported_size, 8)
        self.imported_size = 20 * (k + 1)
        lookups = _up(self.imported + self.imported_size, 8)
        first = lookups + 16 * k

        def put(text: bytes) -> int:
            at = first + len(texts)
            texts.extend(text + b"\0" + b"\0" * ((len(text) + 1) % 2))
            return at

        title = put(self.name.encode())
        names = [put(x.encode()) for x in self.exports]
        libraries: dict[str, int] = {}
        for dll, _ in needed:
            if dll not in libraries:
                libraries[dll] = put(dll.encode())
        self.hints = [put(b"\0\0" + own.encode()) for _, own in needed]
        out = bytearray(first)
        head = (0, 0, 0, 0, base + title, 1, n, n, base + 40, base + 40 + 4 * n, base + 40 + 8 * n)
        struct.pack_into("<IIHHIIIIIII", out, 0, *head)
        where = [self.image.names[x].address - BASE if addressed else 0 for x in self.exports]
        struct.pack_into(f"<{n}I", out, 40, *where)
        struct.pack_into(f"<{n}I", out, 40 + 4 * n, *(base + x for x in names))
        struct.pack_into(f"<{n}H", out, 40 + 8 * n, *range(n))
        slots = self.image.slots.address - BASE if addressed else 0
        for i, (dll, _) in enumerate(needed):
            row = (base + lookups + 16 * i, 0, 0, base + libraries[dll], slots + 8 * i)
            struct.pack_into("<IIIII", out, self.imported + 20 * i, *row)
            struct.pack_into("<Q", out, lookups + 16 * i, base + self.hints[i])
        return bytes(out + texts)


def _home(name: str) -> tuple[str, str]:
    """The library of Windows that has a function of C, and its name there."""
    if name in OTHERS:
        return OTHERS[name]
    if name in MEMORY:
        return "msvcrt.dll", name
    assert name in CALLS or name in ("sin", "cos", "fma")
    return "ucrtbase.dll", name


def _relocations(places: list[int]) -> bytes:
    """Places of addresses that move with the library, page by page."""
    pages: dict[int, list[int]] = {}
    for at in sorted(places):
        pages.setdefault(at - at % PAGE, []).append(ADDRESS_64 | at % PAGE)
    out = b""
    for page, entries in pages.items():
        entries += [0] * (len(entries) % 2)
        out += struct.pack(f"<II{len(entries)}H", page, 8 + 2 * len(entries), *entries)
    return out or struct.pack("<II", 0, 8)


def _file(bodies, directories) -> bytes:
    """Heads, then the sections."""
    heads = _up(MARK + HEADS + SECTION * len(bodies), SECTOR)
    sections, data, at = b"", b"", heads
    for name, flags, address, body in bodies:
        size = _up(len(body), SECTOR)
        sections += struct.pack("<8sIIIIIIHHI", name, len(body), address, size, at, 0, 0, 0, 0,
                                flags)  # fmt: skip
        data += body + bytes(size - len(body))
        at += size
    end = _up(bodies[-1][2] + len(bodies[-1][3]), PAGE)
    listed = [directories.get(i, (0, 0)) for i in range(16)]
    sizes = {name: _up(len(body), SECTOR) for name, _, _, body in bodies}
    given = sum(sizes.values()) - sizes[b".text"]
    text = bodies[1][2]
    optional = struct.pack("<HBBIIIII", 0x20B, 14, 0, sizes[b".text"], given, 0, 0, text)
    optional += struct.pack("<QIIHHHHHHIIIIHH", BASE, PAGE, SECTOR, 6, 0, 0, 0, 6, 0, 0, end, heads,
                            0, 2, DYNAMIC_BASE)  # fmt: skip
    optional += struct.pack("<QQQQII", 1 << 20, PAGE, 1 << 20, PAGE, 0, 16)
    optional += b"".join(struct.pack("<II", *x) for x in listed)
    coff = struct.pack("<HHIIIHH", X64, len(bodies), 0, 0, 0, len(optional), 0x2022)
    dos = b"MZ" + bytes(0x3A) + struct.pack("<I", MARK)
    out = dos + b"PE\0\0" + coff + optional + sections
    return out + bytes(heads - len(out)) + data


def _up(at: int, align: int) -> int:
    return -(-at // align) * align
