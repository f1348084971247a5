"""Linker for ELF: sections, symbols and relocations of object files, and shared objects for Linux.

LLVM writes ELF objects for Linux and, by its triple, for Windows too: one reader for both.  An
image has three segments: read-only data, code, writable data.  Constants have the names of the ELF
specification (System V ABI, AMD64 supplement).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ...errors import KernelError

READ_SEGMENT, CODE_SEGMENT, DATA_SEGMENT = "read", "run", "write"
SEGMENT_ORDER = (READ_SEGMENT, CODE_SEGMENT, DATA_SEGMENT)
SHF_ALLOC, SHF_WRITE, SHF_EXECINSTR = 2, 1, 4  # flags of sections
SHT_SYMTAB, SHT_RELA, SHT_NOBITS = 2, 4, 8  # types of sections: symbols, relocations, zeros
UNWIND_SECTION = ".eh_frame"  # the code throws no exceptions


class Relocation(NamedTuple):
    """Bytes of a section that receive the address of a symbol."""

    offset: int
    type: int
    target: SymbolAddress | str
    addend: int


@dataclass(eq=False)
class ObjectSection:
    """Bytes of one segment of the image, with their relocations."""

    segment: str
    data: bytearray
    align: int = 16
    relocations: list[Relocation] = field(default_factory=list)
    address: int = 0


class SymbolAddress(NamedTuple):
    """Definition of a symbol: section and offset."""

    section: ObjectSection
    offset: int

    @property
    def address(self) -> int:
        return self.section.address + self.offset


@dataclass
class LinkedObjects:
    """Sections of several objects, and the symbols that they define."""

    sections: list[ObjectSection] = field(default_factory=list)
    symbols: dict[str, SymbolAddress] = field(default_factory=dict)

    def define_symbol(self, name: str, location: SymbolAddress) -> None:
        """Add a symbol.  Raises `KernelError` if it exists."""
        if name in self.symbols:
            raise KernelError(f"symbol {name!r} is defined twice")
        self.symbols[name] = location

    def add_data(
        self,
        name: str,
        data: bytes,
        pointers: Mapping[int, tuple[str, int]] | None = None,
        segment: str = DATA_SEGMENT,
    ) -> None:
        """Add data with 64-bit pointers in it, {offset: (name, addend)}."""
        relocations = [
            Relocation(offset, R_X86_64_64, to, addend)
            for offset, (to, addend) in (pointers or {}).items()
        ]
        segment = DATA_SEGMENT if pointers else segment
        section = ObjectSection(segment, bytearray(data), 64, relocations)
        self.sections.append(section)
        self.define_symbol(name, SymbolAddress(section, 0))

    def add_object(self, data: bytes, names: Mapping[str, str]) -> None:
        """Add the sections, symbols and relocations of an ELF object.

        `names` are new names of its symbols, imported ones included.
        """
        (section_table,) = struct.unpack_from("<Q", data, 0x28)
        count, names_index = struct.unpack_from("<HH", data, 0x3C)
        headers = [
            struct.unpack_from("<IIQQQQIIQQ", data, section_table + 64 * i) for i in range(count)
        ]

        def section_bytes(i: int):
            return data[headers[i][4] : headers[i][4] + headers[i][5]]

        section_names = section_bytes(names_index)
        sections: dict[int, ObjectSection] = {}
        for i, (name_offset, kind, flags, _, _, size, *_, align, _) in enumerate(headers):
            if flags & SHF_ALLOC and _read_string(section_names, name_offset) != UNWIND_SECTION:
                segment = (
                    CODE_SEGMENT
                    if flags & SHF_EXECINSTR
                    else DATA_SEGMENT
                    if flags & SHF_WRITE
                    else READ_SEGMENT
                )
                bytes_ = bytearray(size) if kind == SHT_NOBITS else bytearray(section_bytes(i))
                sections[i] = ObjectSection(segment, bytes_, max(align, 1))
        symbol_tables = [i for i, head in enumerate(headers) if head[1] == SHT_SYMTAB]
        symbols = self._read_symbols(
            section_bytes(symbol_tables[0]),
            section_bytes(headers[symbol_tables[0]][6]),
            sections,
            names,
        )
        for i, head in enumerate(headers):
            if head[1] == SHT_RELA and head[7] in sections:
                for offset, info, addend in struct.iter_unpack("<QQq", section_bytes(i)):
                    relocation = Relocation(offset, info & 0xFFFFFFFF, symbols[info >> 32], addend)
                    sections[head[7]].relocations.append(relocation)
        self.sections += sections.values()

    def _read_symbols(self, table, strings, sections, names) -> list[SymbolAddress | str]:
        """Address of each symbol of an object, or its name if it is undefined."""
        symbols: list[SymbolAddress | str] = []
        for name_offset, info, _, section_index, value, _ in struct.iter_unpack("<IBBHQQ", table):
            object_name = _read_string(strings, name_offset)
            name = names.get(object_name, object_name)
            if section_index in sections:
                location = SymbolAddress(sections[section_index], value)
                symbols.append(location)
                if info >> 4 and object_name in names:  # global, and renamed
                    self.define_symbol(name, location)
            else:
                symbols.append(name)
        return symbols


def _read_string(strings: bytes, start: int) -> str:
    """String of a string table."""
    return bytes(strings[start : strings.index(0, start)]).decode()


R_X86_64_64 = 1  # 64-bit address
R_X86_64_PC32, R_X86_64_PC64 = 2, 24  # distance from the relocated word
R_X86_64_PLT32 = 4  # distance to a function
R_X86_64_GOTPCREL = 9  # distance to the slot with the address, as the next two
R_X86_64_GOTPCRELX, R_X86_64_REX_GOTPCRELX = 41, 42
JUMP_OPCODE = b"\xff\x25"  # jump to the address in a slot, at a 32-bit distance


class Image:
    """Sections with addresses: three segments, and a table of slots for addresses (GOT).

    `imports` are undefined symbols, in the order of their slots at `slots`.  `relative_relocations`
    are words that hold addresses of the image itself.
    """

    def __init__(self, linked: LinkedObjects):
        """Collect the imported symbols, and the slots that relocations need."""
        self.symbols = linked.symbols
        relocations = [f for s in linked.sections for f in s.relocations]
        names = [f.target for f in relocations if isinstance(f.target, str)]
        self.imports = [*dict.fromkeys(n for n in names if n not in self.symbols)]
        slot_symbols = [
            f.target
            for f in relocations
            if f.type in (R_X86_64_GOTPCREL, R_X86_64_GOTPCRELX, R_X86_64_REX_GOTPCRELX)
        ]
        self.slot_targets = [
            *self.imports,
            *dict.fromkeys(t for t in slot_symbols if t not in self.imports),
        ]
        self.stubs = ObjectSection(CODE_SEGMENT, bytearray(8 * len(self.imports)))
        self.slots = ObjectSection(DATA_SEGMENT, bytearray(8 * len(self.slot_targets)))
        self.sections = [*linked.sections, self.stubs, self.slots]
        self.relative_relocations: list[tuple[int, int]] = []  # where an address is, and which

    def segment_sizes(self) -> dict[str, int]:
        """Bytes of every segment."""
        return {part: self._assign_addresses(part, 0) for part in SEGMENT_ORDER}

    def count_relative_relocations(self) -> int:
        """Number of words with addresses of the image, which a loader relocates."""
        # anywhere
        self.place_segments({READ_SEGMENT: 0, CODE_SEGMENT: 1 << 26, DATA_SEGMENT: 1 << 27})
        return len(self.relative_relocations)

    def place_segments(self, starts: Mapping[str, int]) -> dict[str, bytes]:
        """Bytes of every segment at given addresses, relocations applied."""
        self.relative_relocations.clear()
        for part in SEGMENT_ORDER:
            self._assign_addresses(part, starts[part])
        for i, target in enumerate(self.slot_targets):
            if i < len(self.imports):
                jump = self.slots.address + 8 * i - (self.stubs.address + 8 * i + 6)
                self.stubs.data[8 * i : 8 * i + 8] = (
                    JUMP_OPCODE + struct.pack("<i", jump) + b"\xcc\xcc"
                )
            else:
                self._write_pointer(self.slots, 8 * i, self._symbol_address(target))
        for section in self.sections:
            for relocation in section.relocations:
                self._apply_relocation(section, relocation)
        return {part: self._segment_bytes(part, starts[part]) for part in SEGMENT_ORDER}

    def _assign_addresses(self, part: str, start: int) -> int:
        """Assign addresses to the sections of a segment.  Returns its size."""
        address = start
        for s in self.sections:
            if s.segment == part:
                s.address = address = -(-address // s.align) * s.align
                address += len(s.data)
        return address - start

    def _segment_bytes(self, part: str, start: int) -> bytes:
        """Bytes of a segment, with padding between sections."""
        out = bytearray()
        for s in self.sections:
            if s.segment == part:
                out += bytes(s.address - start - len(out)) + s.data
        return bytes(out)

    def _symbol_address(self, target: SymbolAddress | str) -> int:
        """Address of a symbol, or of the thunk of an imported function."""
        if isinstance(target, SymbolAddress):
            return target.address
        if target in self.symbols:
            return self.symbols[target].address
        return self.stubs.address + 8 * self.imports.index(target)

    def _write_pointer(self, section: ObjectSection, offset: int, address: int) -> None:
        """Write a 64-bit address, and note it as a relative relocation."""
        struct.pack_into("<Q", section.data, offset, address)
        self.relative_relocations.append((section.address + offset, address))

    def _apply_relocation(self, section: ObjectSection, relocation: Relocation) -> None:
        """Patch the bytes of a section by a relocation."""
        address = section.address + relocation.offset
        if relocation.type == R_X86_64_64:
            self._write_pointer(
                section,
                relocation.offset,
                self._symbol_address(relocation.target) + relocation.addend,
            )
            return
        if relocation.type in (R_X86_64_GOTPCREL, R_X86_64_GOTPCRELX, R_X86_64_REX_GOTPCRELX):
            target = self.slots.address + 8 * self.slot_targets.index(relocation.target)
        elif relocation.type in (R_X86_64_PC32, R_X86_64_PLT32, R_X86_64_PC64):
            target = self._symbol_address(relocation.target)
        else:
            raise KernelError(f"relocation type {relocation.type} of x86-64 is not supported")
        form = "<q" if relocation.type == R_X86_64_PC64 else "<i"
        struct.pack_into(
            form, section.data, relocation.offset, target + relocation.addend - address
        )


# ---- shared objects for Linux ----------------------------------------------------------------

PAGE_SIZE = 0x1000
EM_X86_64 = 62  # machine in the ELF header
ELF_HEADER_SIZE = 64  # [bytes]
PROGRAM_HEADER_SIZE = 56  # [bytes]
SYMBOL_SIZE = 24  # [bytes]
RELA_SIZE = 24  # [bytes]
DYNAMIC_ENTRY_SIZE = 16  # [bytes]
SECTION_HEADER_SIZE = 64  # [bytes]
N_PROGRAM_HEADERS = 5
DT_NEEDED, DT_HASH, DT_STRTAB, DT_SYMTAB = 1, 4, 5, 6  # tags of the dynamic section
DT_RELA, DT_RELASZ, DT_RELAENT, DT_STRSZ, DT_SYMENT = 7, 8, 9, 10, 11
DT_SONAME, DT_FLAGS, DF_BIND_NOW = 14, 30, 8
R_X86_64_GLOB_DAT, R_X86_64_RELATIVE = 6, 8  # relocations that the loader applies
NEEDED_LIBRARIES = ("libm.so.6", "libc.so.6")


def library_for_linux(image: Image, exports: Sequence[str], name: str) -> bytes:
    """Bytes of a shared object that exports symbols and needs the C library alone."""
    strings = _StringTable()
    names = [*image.imports, *exports]
    name_offsets = [strings.add_string(n) for n in names]
    library_offsets = [strings.add_string(n) for n in NEEDED_LIBRARIES]
    layout = _plan_layout(image, len(names) + 1, len(strings.data) + len(name) + 1)
    dynamic = [
        *((DT_NEEDED, x) for x in library_offsets),
        (DT_SONAME, strings.add_string(name)),
        *_list_dynamic_entries(layout),
    ]
    segments = image.place_segments(
        {part: layout[part][0] for part in (READ_SEGMENT, CODE_SEGMENT, DATA_SEGMENT)}
    )
    sections = _write_section_headers(layout)
    end = sum(layout[DATA_SEGMENT])
    contents = {
        "heads": _write_headers(layout, end, len(sections)),
        "symbols": _write_symbol_table(image, exports, name_offsets),
        "strings": strings.data,
        "hash": _write_hash_table(len(names) + 1),
        "rela": _write_relocations(image),
        "dynamic": b"".join(struct.pack("<QQ", *x) for x in dynamic),
        **segments,
    }
    out = bytearray(end)
    for what, data in contents.items():
        start, size = layout[what]
        assert len(data) <= size
        out[start : start + len(data)] = data
    return bytes(out) + b"".join(sections) + SECTION_NAMES


def _plan_layout(image: Image, symbols: int, strings: int) -> dict[str, tuple[int, int]]:
    """Offset, which is also the address, and size of every region of the file."""
    sizes = image.segment_sizes()
    relocations = image.count_relative_relocations() + len(image.imports)
    regions = (
        ("heads", ELF_HEADER_SIZE + N_PROGRAM_HEADERS * PROGRAM_HEADER_SIZE, 8),
        ("symbols", SYMBOL_SIZE * symbols, 8),
        ("strings", strings, 8),
        ("hash", 4 * (3 + symbols), 8),
        ("rela", RELA_SIZE * relocations, 8),
        (READ_SEGMENT, sizes[READ_SEGMENT], 64),
        (CODE_SEGMENT, sizes[CODE_SEGMENT], PAGE_SIZE),
        ("dynamic", DYNAMIC_ENTRY_SIZE * (12 + len(NEEDED_LIBRARIES)), PAGE_SIZE),
        (DATA_SEGMENT, sizes[DATA_SEGMENT], 64),
    )
    layout, offset = {}, 0
    for name, size, align in regions:
        offset = -(-offset // align) * align
        layout[name] = offset, size
        offset += size
    return layout


def _list_dynamic_entries(layout) -> list[tuple[int, int]]:
    """Entries of the dynamic section that describe the tables."""
    tables = ((DT_HASH, "hash"), (DT_STRTAB, "strings"), (DT_SYMTAB, "symbols"), (DT_RELA, "rela"))
    sizes = [
        (DT_STRSZ, layout["strings"][1]),
        (DT_SYMENT, SYMBOL_SIZE),
        (DT_RELASZ, layout["rela"][1]),
    ]
    return [
        *((tag, layout[n][0]) for tag, n in tables),
        *sizes,
        (DT_RELAENT, RELA_SIZE),
        (DT_FLAGS, DF_BIND_NOW),
    ]


def _write_headers(layout, end: int, sections: int) -> bytes:
    """ELF header and program headers: segments for reading, code, data, dynamic, stack."""
    (dynamic, size), run = layout["dynamic"], layout[CODE_SEGMENT]
    segments = (
        (1, 4, 0, sum(layout[READ_SEGMENT]), PAGE_SIZE),
        (1, 5, *run, PAGE_SIZE),
        (1, 6, dynamic, end - dynamic, PAGE_SIZE),
        (2, 6, dynamic, size, 8),
        (0x6474E551, 6, 0, 0, 16),  # the stack is not run
    )
    identification = b"\x7fELF" + bytes([2, 1, 1, 0]) + bytes(8)
    rest = (
        3,
        EM_X86_64,
        1,
        0,
        ELF_HEADER_SIZE,
        end,
        0,
        ELF_HEADER_SIZE,
        PROGRAM_HEADER_SIZE,
        N_PROGRAM_HEADERS,
        SECTION_HEADER_SIZE,
        sections,
        sections - 1,
    )
    return (
        identification
        + struct.pack("<HHIQQQIHHHHHH", *rest)
        + b"".join(
            struct.pack("<IIQQQQQQ", kind, flags, start, start, start, size, size, align)
            for kind, flags, start, size, align in segments
        )
    )


def _write_relocations(image: Image) -> bytes:
    """Relocation table: slots of imported symbols, then relative relocations."""
    slots = (
        struct.pack("<QQq", image.slots.address + 8 * i, (i + 1) << 32 | R_X86_64_GLOB_DAT, 0)
        for i in range(len(image.imports))
    )
    relative = (
        struct.pack("<QQq", offset, R_X86_64_RELATIVE, to)
        for offset, to in image.relative_relocations
    )
    return b"".join((*slots, *relative))


SECTION_NAMES = (
    b"\0.dynsym\0.dynstr\0.hash\0.rela.dyn\0.rodata\0.text\0.dynamic\0.data\0.shstrtab\0"
)


def _write_section_headers(layout) -> list[bytes]:
    """Section headers, for tools such as `objdump`.  The loader does not need them."""
    sections = (
        (".dynsym", 11, 2, "symbols", 2, 1, 8, SYMBOL_SIZE),
        (".dynstr", 3, 2, "strings", 0, 0, 1, 0),
        (".hash", 5, 2, "hash", 1, 0, 8, 4),
        (".rela.dyn", 4, 2, "rela", 1, 0, 8, RELA_SIZE),
        (".rodata", 1, 2, READ_SEGMENT, 0, 0, 64, 0),
        (".text", 1, 6, CODE_SEGMENT, 0, 0, 64, 0),
        (".dynamic", 6, 3, "dynamic", 2, 0, 8, DYNAMIC_ENTRY_SIZE),
        (".data", 1, 3, DATA_SEGMENT, 0, 0, 64, 0),
    )
    out = [bytes(SECTION_HEADER_SIZE)]
    for name, kind, flags, region, link, info, align, entry_size in sections:
        name_offset, (start, size) = SECTION_NAMES.index(name.encode() + b"\0"), layout[region]
        row = (name_offset, kind, flags, start, start, size, link, info, align, entry_size)
        out.append(struct.pack("<IIQQQQIIQQ", *row))
    names = sum(layout[DATA_SEGMENT]) + SECTION_HEADER_SIZE * (len(sections) + 2)
    name_offset = SECTION_NAMES.index(b".shstrtab")
    row = (name_offset, 3, 0, 0, names, len(SECTION_NAMES), 0, 0, 1, 0)
    return [*out, struct.pack("<IIQQQQIIQQ", *row)]


def _write_symbol_table(image: Image, exports, name_offsets) -> bytes:
    """Symbol table: imports, then exports."""
    out = bytes(SYMBOL_SIZE)
    for name_offset in name_offsets[: len(image.imports)]:
        out += struct.pack("<IBBHQQ", name_offset, 0x12, 0, 0, 0, 0)
    for name_offset, name in zip(name_offsets[len(image.imports) :], exports, strict=True):
        out += struct.pack("<IBBHQQ", name_offset, 0x12, 0, 6, image.symbols[name].address, 0)
    return out


def _write_hash_table(count: int) -> bytes:
    """Hash table with one chain of all symbols, because they are few."""
    chain = [*range(2, count), 0] if count > 1 else []
    return struct.pack(f"<{3 + count}I", 1, count, min(1, count - 1), 0, *chain)


class _StringTable:
    """String table of an ELF file."""

    def __init__(self):
        self.data = b"\0"

    def add_string(self, text: str) -> int:
        """Offset of a new string."""
        offset = len(self.data)
        self.data += text.encode() + b"\0"
        return offset
