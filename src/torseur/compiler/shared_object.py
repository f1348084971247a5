"""An ELF shared object for Linux: what the loader reads of a library, and nothing else."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from .sections import READ, RUN, WRITE, Image

PAGE = 0x1000
MACHINE = 62  # x86-64
HEAD, SEGMENT, SYMBOL, RELOCATION, ENTRY, TITLE = 64, 56, 24, 24, 16, 64  # sizes
SEGMENTS = 5
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
    at = _planned(image, len(names) + 1, len(table.data) + len(name) + 1)
    said = [*((NEEDED, x) for x in needed), (SONAME, table.put(name)), *_said(at)]
    parts = image.place({part: at[part][0] for part in (READ, RUN, WRITE)})
    sections = _sections(at)
    end = sum(at[WRITE])
    pieces = {
        "heads": _heads(at, end, len(sections)),
        "symbols": _symbols(image, exports, titles),
        "strings": table.data,
        "hash": _hashed(len(names) + 1),
        "rela": _rela(image),
        "dynamic": b"".join(struct.pack("<QQ", *x) for x in said),
        **parts,
    }
    out = bytearray(end)
    for what, data in pieces.items():
        start, size = at[what]
        assert len(data) <= size
        out[start : start + len(data)] = data
    return bytes(out) + b"".join(sections) + SECTION_NAMES


def _planned(image: Image, symbols: int, strings: int) -> dict[str, tuple[int, int]]:
    """Where every piece of the file begins, which is where it is in memory, and its size."""
    sizes = image.sizes()
    relocations = image.moving() + len(image.needed)
    pieces = (
        ("heads", HEAD + SEGMENTS * SEGMENT, 8),
        ("symbols", SYMBOL * symbols, 8),
        ("strings", strings, 8),
        ("hash", 4 * (3 + symbols), 8),
        ("rela", RELOCATION * relocations, 8),
        (READ, sizes[READ], 64),
        (RUN, sizes[RUN], PAGE),
        ("dynamic", ENTRY * (12 + len(LIBRARIES)), PAGE),
        (WRITE, sizes[WRITE], 64),
    )
    out, at = {}, 0
    for what, size, align in pieces:
        at = -(-at // align) * align
        out[what] = at, size
        at += size
    return out


def _said(at) -> list[tuple[int, int]]:
    """What the loader is told of the tables."""
    told = ((HASH, "hash"), (STRINGS, "strings"), (SYMBOLS, "symbols"), (RELA, "rela"))
    sizes = [(STRSZ, at["strings"][1]), (SYMENT, SYMBOL), (RELASZ, at["rela"][1])]
    return [*((tag, at[n][0]) for tag, n in told), *sizes, (RELAENT, RELOCATION), (FLAGS, NOW)]


def _heads(at, end: int, sections: int) -> bytes:
    """The head of the file, and its segments: read, run, written, for the loader, the stack."""
    (dynamic, size), run = at["dynamic"], at[RUN]
    segments = (
        (1, 4, 0, sum(at[READ]), PAGE),
        (1, 5, *run, PAGE),
        (1, 6, dynamic, end - dynamic, PAGE),
        (2, 6, dynamic, size, 8),
        (0x6474E551, 6, 0, 0, 16),  # the stack is not run
    )
    mark = b"\x7fELF" + bytes([2, 1, 1, 0]) + bytes(8)
    rest = (3, MACHINE, 1, 0, HEAD, end, 0, HEAD, SEGMENT, SEGMENTS, TITLE, sections, sections - 1)
    return (
        mark
        + struct.pack("<HHIQQQIHHHHHH", *rest)
        + b"".join(
            struct.pack("<IIQQQQQQ", kind, flags, start, start, start, size, size, align)
            for kind, flags, start, size, align in segments
        )
    )


def _rela(image: Image) -> bytes:
    """Slots that hold addresses of others, then our own addresses."""
    slots = (
        struct.pack("<QQq", image.slots.address + 8 * i, (i + 1) << 32 | OUTSIDE, 0)
        for i in range(len(image.needed))
    )
    own = (struct.pack("<QQq", at, RELATIVE, to) for at, to in image.pointers)
    return b"".join((*slots, *own))


SECTION_NAMES = (
    b"\0.dynsym\0.dynstr\0.hash\0.rela.dyn\0.rodata\0.text\0.dynamic\0.data\0.shstrtab\0"
)


def _sections(at) -> list[bytes]:
    """Heads of sections, for tools that look into the file; the loader needs none."""
    made = (
        (".dynsym", 11, 2, "symbols", 2, 1, 8, SYMBOL),
        (".dynstr", 3, 2, "strings", 0, 0, 1, 0),
        (".hash", 5, 2, "hash", 1, 0, 8, 4),
        (".rela.dyn", 4, 2, "rela", 1, 0, 8, RELOCATION),
        (".rodata", 1, 2, READ, 0, 0, 64, 0),
        (".text", 1, 6, RUN, 0, 0, 64, 0),
        (".dynamic", 6, 3, "dynamic", 2, 0, 8, ENTRY),
        (".data", 1, 3, WRITE, 0, 0, 64, 0),
    )
    out = [bytes(TITLE)]
    for name, kind, flags, what, link, info, align, each in made:
        title, (start, size) = SECTION_NAMES.index(name.encode() + b"\0"), at[what]
        row = (title, kind, flags, start, start, size, link, info, align, each)
        out.append(struct.pack("<IIQQQQIIQQ", *row))
    names = sum(at[WRITE]) + TITLE * (len(made) + 2)
    title = SECTION_NAMES.index(b".shstrtab")
    row = (title, 3, 0, 0, names, len(SECTION_NAMES), 0, 0, 1, 0)
    return [*out, struct.pack("<IIQQQQIIQQ", *row)]


def _symbols(image: Image, exports, titles) -> bytes:
    """Names that are needed, then those that are offered."""
    out = bytes(SYMBOL)
    for title in titles[: len(image.needed)]:
        out += struct.pack("<IBBHQQ", title, 0x12, 0, 0, 0, 0)
    for title, name in zip(titles[len(image.needed) :], exports, strict=True):
        out += struct.pack("<IBBHQQ", title, 0x12, 0, 6, image.names[name].address, 0)
    return out


def _hashed(count: int) -> bytes:
    """One chain of all names, the first of which is none: there are few."""
    chain = [*range(2, count), 0] if count > 1 else []
    return struct.pack(f"<{3 + count}I", 1, count, min(1, count - 1), 0, *chain)


class _Strings:
    def __init__(self):
        self.data = b"\0"

    def put(self, text: str) -> int:
        at = len(self.data)
        self.data += text.encode() + b"\0"
        return at
