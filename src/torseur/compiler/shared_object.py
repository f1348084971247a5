"""An ELF shared object for Linux: what the loader reads of a library, and nothing else."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from .sections import READ, RUN, WRITE, Image

PAGE = 0x1000
MACHINE = 62  # x86-64
HEAD, SEGMENT, SYMBOL, RELOCATION, ENTRY, TITLE = 64, 56, 24, 24, 16, 64  # sizes
NEEDED, HASH, STRINGS, SYMBOLS, RELA, RELASZ, RELAENT = 1, 4, 5, 6, 7, 8, 9
STRSZ, SYMENT, SONAME, FLAGS, NOW = 10, 11, 14, 30, 8
OUTSIDE, RELATIVE = 6, 8  # relocations: the address of a symbol, an address of our own
LIBRARIES = ("libm.so.6", "libc.so.6")


def library_for_linux(image: Image, exports: Sequence[str], name: str) -> bytes:
    """The file of a library that offers `exports` and needs the C library alone."""
    table = _Strings()
    names = [*image.needed, *exports]
    titles = [table.put(n) for n in names]
    needed = [table.put(n) for n in LIBRARIES]
    soname = table.put(name)
    count = len(names) + 1
    places: dict[str, int] = {}
    at = HEAD + 5 * SEGMENT
    sizes = image.sizes()
    # the pointers are counted by a first placing, anywhere
    image.place({READ: 0, RUN: 1 << 24, WRITE: 1 << 25})
    relocations = len(image.pointers) + len(image.needed)
    image.pointers.clear()
    for what, size in (
        ("symbols", SYMBOL * count),
        ("strings", len(table.data)),
        ("hash", 4 * (2 + 1 + count)),
        ("rela", RELOCATION * relocations),
    ):
        at = -(-at // 8) * 8
        places[what] = at
        at += size
    starts = {READ: _up(at, 64)}
    starts[RUN] = _up(starts[READ] + sizes[READ], PAGE)
    dynamic = _up(starts[RUN] + sizes[RUN], PAGE)
    entries = 12 + len(LIBRARIES)
    starts[WRITE] = _up(dynamic + ENTRY * entries, 64)
    parts = image.place(starts)
    out = bytearray(starts[WRITE] + sizes[WRITE])
    for part, data in parts.items():
        out[starts[part] : starts[part] + len(data)] = data
    _put(out, places["symbols"], _symbols(image, exports, titles))
    _put(out, places["strings"], table.data)
    _put(out, places["hash"], _hashed(names))
    rela = b"".join(
        struct.pack("<QQq", image.slots.address + 8 * i, (i + 1) << 32 | OUTSIDE, 0)
        for i in range(len(image.needed))
    )
    rela += b"".join(struct.pack("<QQq", at, RELATIVE, to) for at, to in image.pointers)
    _put(out, places["rela"], rela)
    said = [(NEEDED, x) for x in needed]
    said += [(SONAME, soname), (HASH, places["hash"]), (STRINGS, places["strings"])]
    said += [(SYMBOLS, places["symbols"]), (STRSZ, len(table.data)), (SYMENT, SYMBOL)]
    said += [(RELA, places["rela"]), (RELASZ, len(rela)), (RELAENT, RELOCATION), (FLAGS, NOW)]
    said += [(0, 0)] * (entries - len(said))
    _put(out, dynamic, b"".join(struct.pack("<QQ", *x) for x in said))
    parts_of_file = (
        (1, 4, 0, starts[READ] + sizes[READ], PAGE),
        (1, 5, starts[RUN], sizes[RUN], PAGE),
        (1, 6, dynamic, len(out) - dynamic, PAGE),
        (2, 6, dynamic, ENTRY * entries, 8),
        (0x6474E551, 6, 0, 0, 16),  # the stack is not run
    )
    sections = _sections(places, table, starts, sizes, dynamic, entries, len(rela), count)
    _put(out, 0, _head(len(out), len(sections)))
    for i, (kind, flags, start, size, align) in enumerate(parts_of_file):
        segment = struct.pack("<IIQQQQQQ", kind, flags, start, start, start, size, size, align)
        _put(out, HEAD + SEGMENT * i, segment)
    return bytes(out) + b"".join(sections) + SECTION_NAMES


SECTION_NAMES = (
    b"\0.dynsym\0.dynstr\0.hash\0.rela.dyn\0.rodata\0.text\0.dynamic\0.data\0.shstrtab\0"
)


def _sections(places, table, starts, sizes, dynamic, entries, rela, count) -> list[bytes]:
    """Heads of sections, for tools that look into the file; the loader needs none."""
    end = starts[WRITE] + sizes[WRITE]
    made = [
        ("", 0, 0, 0, 0, 0, 0, 0, 0),
        (".dynsym", 11, 2, places["symbols"], SYMBOL * count, 2, 1, 8, SYMBOL),
        (".dynstr", 3, 2, places["strings"], len(table.data), 0, 0, 1, 0),
        (".hash", 5, 2, places["hash"], 4 * (3 + count), 1, 0, 8, 4),
        (".rela.dyn", 4, 2, places["rela"], rela, 1, 0, 8, RELOCATION),
        (".rodata", 1, 2, starts[READ], sizes[READ], 0, 0, 64, 0),
        (".text", 1, 6, starts[RUN], sizes[RUN], 0, 0, 64, 0),
        (".dynamic", 6, 3, dynamic, ENTRY * entries, 2, 0, 8, ENTRY),
        (".data", 1, 3, starts[WRITE], sizes[WRITE], 0, 0, 64, 0),
    ]
    out = []
    for name, kind, flags, at, size, link, info, align, each in made:
        title = SECTION_NAMES.index(b"\0" + name.encode() + b"\0") + 1 if name else 0
        out.append(
            struct.pack("<IIQQQQIIQQ", title, kind, flags, at, at, size, link, info, align, each)
        )
    at = end + TITLE * (len(made) + 1)
    title = SECTION_NAMES.index(b".shstrtab")
    out.append(struct.pack("<IIQQQQIIQQ", title, 3, 0, 0, at, len(SECTION_NAMES), 0, 0, 1, 0))
    return out


def _head(sections_at: int, sections: int) -> bytes:
    mark = b"\x7fELF" + bytes([2, 1, 1, 0]) + bytes(8)
    rest = (3, MACHINE, 1, 0, HEAD, sections_at, 0, HEAD, SEGMENT, 5, TITLE, sections, sections - 1)
    return mark + struct.pack("<HHIQQQIHHHHHH", *rest)


def _symbols(image: Image, exports, titles) -> bytes:
    """Names that are needed, then those that are offered."""
    out = bytes(SYMBOL)
    for title in titles[: len(image.needed)]:
        out += struct.pack("<IBBHQQ", title, 0x12, 0, 0, 0, 0)
    for title, name in zip(titles[len(image.needed) :], exports, strict=True):
        out += struct.pack("<IBBHQQ", title, 0x12, 0, 6, image.names[name].address, 0)
    return out


def _hashed(names: Sequence[str]) -> bytes:
    """One chain of all names: there are few."""
    count = len(names) + 1
    chain = [*range(2, count), 0] if names else []
    return struct.pack(f"<{3 + count}I", 1, count, min(1, count - 1), 0, *chain)


class _Strings:
    def __init__(self):
        self.data = b"\0"

    def put(self, text: str) -> int:
        at = len(self.data)
        self.data += text.encode() + b"\0"
        return at


def _up(at: int, align: int) -> int:
    return -(-at // align) * align


def _put(out: bytearray, at: int, data: bytes) -> None:
    out[at : at + len(data)] = data
