"""Object code joined into one image: sections of ELF objects and plain data, placed and relocated.

LLVM writes ELF objects for Linux and, told so, for Windows too: one reader for both.  An image has
three parts: what is read, what is run, what is written.  The file formats around it are in
`shared_object` and `dll`.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ...errors import KernelError

READ, RUN, WRITE = "read", "run", "write"
PARTS = (READ, RUN, WRITE)
ALLOCATED, WRITABLE, EXECUTED = 2, 1, 4  # flags of sections
TABLE, RELOCATIONS, NOTHING = 2, 4, 8  # types of sections: symbols, relocations, zeros
UNWINDING = ".eh_frame"  # nobody throws through this code


class Fix(NamedTuple):
    """A place in a section that holds where a symbol is."""

    offset: int
    kind: int
    target: CodePlace | str
    addend: int


@dataclass(eq=False)
class CodeSection:
    """Bytes of one part of the image, and the places in them that are still open."""

    part: str
    data: bytearray
    align: int = 16
    fixes: list[Fix] = field(default_factory=list)
    address: int = 0


class CodePlace(NamedTuple):
    section: CodeSection
    offset: int

    @property
    def address(self) -> int:
        return self.section.address + self.offset


@dataclass
class Joined:
    """Sections, and names that are defined in them."""

    sections: list[CodeSection] = field(default_factory=list)
    names: dict[str, CodePlace] = field(default_factory=dict)

    def define(self, name: str, place: CodePlace) -> None:
        if name in self.names:
            raise KernelError(f"{name!r} is defined twice")
        self.names[name] = place

    def add_data(
        self,
        name: str,
        data: bytes,
        pointers: Mapping[int, tuple[str, int]] | None = None,
        part: str = WRITE,
    ) -> None:
        """Data with 64-bit pointers in it, {offset: (name, addend)}."""
        fixes = [Fix(at, POINTER, to, more) for at, (to, more) in (pointers or {}).items()]
        section = CodeSection(WRITE if pointers else part, bytearray(data), 64, fixes)
        self.sections.append(section)
        self.define(name, CodePlace(section, 0))

    def add_object(self, data: bytes, names: Mapping[str, str]) -> None:
        """An ELF object; `names` says what its symbols are called here, those it needs too."""
        (table,) = struct.unpack_from("<Q", data, 0x28)
        count, naming = struct.unpack_from("<HH", data, 0x3C)
        heads = [struct.unpack_from("<IIQQQQIIQQ", data, table + 64 * i) for i in range(count)]

        def body(i):
            return data[heads[i][4] : heads[i][4] + heads[i][5]]

        titles = body(naming)
        made: dict[int, CodeSection] = {}
        for i, (title, kind, flags, _, _, size, *_, align, _) in enumerate(heads):
            if flags & ALLOCATED and _text(titles, title) != UNWINDING:
                part = RUN if flags & EXECUTED else WRITE if flags & WRITABLE else READ
                bytes_ = bytearray(size) if kind == NOTHING else bytearray(body(i))
                made[i] = CodeSection(part, bytes_, max(align, 1))
        symbols = [i for i, head in enumerate(heads) if head[1] == TABLE]
        found = self._symbols(body(symbols[0]), body(heads[symbols[0]][6]), made, names)
        for i, head in enumerate(heads):
            if head[1] == RELOCATIONS and head[7] in made:
                for offset, info, addend in struct.iter_unpack("<QQq", body(i)):
                    fix = Fix(offset, info & 0xFFFFFFFF, found[info >> 32], addend)
                    made[head[7]].fixes.append(fix)
        self.sections += made.values()

    def _symbols(self, table, texts, made, names) -> list[CodePlace | str]:
        """Where each symbol of an object is, or its name where it is elsewhere."""
        found: list[CodePlace | str] = []
        for title, info, _, where, value, _ in struct.iter_unpack("<IBBHQQ", table):
            own = _text(texts, title)
            name = names.get(own, own)
            if where in made:
                place = CodePlace(made[where], value)
                found.append(place)
                if info >> 4 and own in names:  # not local, and wanted
                    self.define(name, place)
            else:
                found.append(name)
        return found


def _text(texts: bytes, at: int) -> str:
    return bytes(texts[at : texts.index(0, at)]).decode()


POINTER, NEAR, CALLED, SLOT, SLOT_LOAD, SLOT_LOAD_WIDE, NEAR_64 = 1, 2, 4, 9, 41, 42, 24
"""Kinds of open places, as ELF for x86-64 numbers them: 64 bits; 32 bits from here to the symbol,
to a function, to the slot that holds its address; 64 bits from here."""
STUB = b"\xff\x25"  # jump to the address in a slot, 32 bits from here


class Image:
    """Sections with addresses: three parts, and a slot for every address that others know.

    `needed` are names outside, in the order of their slots at `slots`; `pointers` are places that
    hold addresses of the image itself.
    """

    def __init__(self, joined: Joined):
        self.names = joined.names
        wanted = [f for s in joined.sections for f in s.fixes]
        outside = [f.target for f in wanted if isinstance(f.target, str)]
        self.needed = [*dict.fromkeys(n for n in outside if n not in self.names)]
        inside = [f.target for f in wanted if f.kind in (SLOT, SLOT_LOAD, SLOT_LOAD_WIDE)]
        self.slotted = [*self.needed, *dict.fromkeys(t for t in inside if t not in self.needed)]
        self.stubs = CodeSection(RUN, bytearray(8 * len(self.needed)))
        self.slots = CodeSection(WRITE, bytearray(8 * len(self.slotted)))
        self.sections = [*joined.sections, self.stubs, self.slots]
        self.pointers: list[tuple[int, int]] = []  # where an address is, and which

    def sizes(self) -> dict[str, int]:
        """Bytes of every part."""
        return {part: self._place(part, 0) for part in PARTS}

    def moving(self) -> int:
        """How many places hold addresses of the library itself, which a loader changes."""
        self.place({READ: 0, RUN: 1 << 26, WRITE: 1 << 27})  # anywhere
        return len(self.pointers)

    def place(self, starts: Mapping[str, int]) -> dict[str, bytes]:
        """Bytes of every part, at these addresses."""
        self.pointers.clear()
        for part in PARTS:
            self._place(part, starts[part])
        for i, target in enumerate(self.slotted):
            if i < len(self.needed):
                jump = self.slots.address + 8 * i - (self.stubs.address + 8 * i + 6)
                self.stubs.data[8 * i : 8 * i + 8] = STUB + struct.pack("<i", jump) + b"\xcc\xcc"
            else:
                self._point(self.slots, 8 * i, self._address(target))
        for section in self.sections:
            for fix in section.fixes:
                self._fix(section, fix)
        return {part: self._bytes(part, starts[part]) for part in PARTS}

    def _place(self, part: str, start: int) -> int:
        at = start
        for s in self.sections:
            if s.part == part:
                s.address = at = -(-at // s.align) * s.align
                at += len(s.data)
        return at - start

    def _bytes(self, part: str, start: int) -> bytes:
        out = bytearray()
        for s in self.sections:
            if s.part == part:
                out += bytes(s.address - start - len(out)) + s.data
        return bytes(out)

    def _address(self, target: CodePlace | str) -> int:
        """Of a symbol; of a function outside, its stub."""
        if isinstance(target, CodePlace):
            return target.address
        if target in self.names:
            return self.names[target].address
        return self.stubs.address + 8 * self.needed.index(target)

    def _point(self, section: CodeSection, offset: int, address: int) -> None:
        struct.pack_into("<Q", section.data, offset, address)
        self.pointers.append((section.address + offset, address))

    def _fix(self, section: CodeSection, fix: Fix) -> None:
        here = section.address + fix.offset
        if fix.kind == POINTER:
            self._point(section, fix.offset, self._address(fix.target) + fix.addend)
            return
        if fix.kind in (SLOT, SLOT_LOAD, SLOT_LOAD_WIDE):
            to = self.slots.address + 8 * self.slotted.index(fix.target)
        elif fix.kind in (NEAR, CALLED, NEAR_64):
            to = self._address(fix.target)
        else:
            raise KernelError(f"a relocation of kind {fix.kind}, which is not known here")
        form = "<q" if fix.kind == NEAR_64 else "<i"
        struct.pack_into(form, section.data, fix.offset, to + fix.addend - here)


# --------------------------------------------------------------------------------------------
# An ELF shared object for Linux: what the loader reads of a library, and nothing else.


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
