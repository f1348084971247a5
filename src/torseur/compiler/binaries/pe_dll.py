"""DLL for Windows on x86-64 (PE/COFF): the tables that the loader reads, and nothing else."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from ..program.program import LIBM_ARITY
from .elf import CODE_SEGMENT, DATA_SEGMENT, READ_SEGMENT, Image

IMAGE_BASE = 0x180000000  # where the library would like to be
SECTION_ALIGNMENT, FILE_ALIGNMENT = 0x1000, 0x200
PE_HEADER_OFFSET = 0x40  # where the heads begin, behind that of DOS
PE_HEADER_SIZE, SECTION_HEADER_SIZE = 24 + 240, 40
MACHINE_AMD64, DLL_CHARACTERISTICS = 0x8664, 0x0160  # may be anywhere, data are not run
IMAGE_REL_BASED_DIR64 = 10 << 12  # of a page of relocations
SECTION_FLAGS = {READ_SEGMENT: 0x40000040, CODE_SEGMENT: 0x60000020, DATA_SEGMENT: 0xC0000040}
MSVCRT_FUNCTIONS = ("memcpy", "memset", "memmove", "strcmp", "strncpy", "malloc", "free")
RENAMED_FUNCTIONS = {"snprintf": ("msvcrt.dll", "_snprintf"), "__chkstk": ("ntdll.dll", "__chkstk")}


def library_for_windows(image: Image, exports: Sequence[str], name: str) -> bytes:
    """Bytes of a DLL that exports symbols and imports functions that every Windows has."""
    segment_sizes = image.segment_sizes()
    first = _align_up(
        PE_HEADER_OFFSET + PE_HEADER_SIZE + 5 * SECTION_HEADER_SIZE, SECTION_ALIGNMENT
    )
    tables = _ExportImportTables(image, exports, name)
    starts = {READ_SEGMENT: _align_up(first + tables.size, 64)}
    starts[CODE_SEGMENT] = _align_up(
        starts[READ_SEGMENT] + segment_sizes[READ_SEGMENT], SECTION_ALIGNMENT
    )
    starts[DATA_SEGMENT] = _align_up(
        starts[CODE_SEGMENT] + segment_sizes[CODE_SEGMENT], SECTION_ALIGNMENT
    )
    relocations_start = _align_up(
        starts[DATA_SEGMENT] + segment_sizes[DATA_SEGMENT], SECTION_ALIGNMENT
    )
    segments = image.place_segments({part: IMAGE_BASE + at for part, at in starts.items()})
    data_segment = bytearray(segments[DATA_SEGMENT])
    table_bytes, slots = (
        tables.write_tables(first),
        image.slots.address - IMAGE_BASE - starts[DATA_SEGMENT],
    )
    for i, address in enumerate(tables.hints):
        struct.pack_into("<Q", data_segment, slots + 8 * i, first + address)
    relocations = _write_relocations([at - IMAGE_BASE for at, _ in image.relative_relocations])
    read_segment = (
        table_bytes
        + bytes(starts[READ_SEGMENT] - first - len(table_bytes))
        + segments[READ_SEGMENT]
    )
    sections = [
        (b".rdata", SECTION_FLAGS[READ_SEGMENT], first, read_segment),
        (b".text", SECTION_FLAGS[CODE_SEGMENT], starts[CODE_SEGMENT], segments[CODE_SEGMENT]),
        (b".data", SECTION_FLAGS[DATA_SEGMENT], starts[DATA_SEGMENT], bytes(data_segment)),
        (b".reloc", 0x42000040, relocations_start, relocations),
    ]
    directories = {
        0: (first + tables.export_offset, tables.export_size),
        1: (first + tables.import_offset, tables.import_size),
        5: (relocations_start, len(relocations)),
        12: (image.slots.address - IMAGE_BASE, 8 * len(image.imports)),
    }
    return _write_file(sections, directories)


class _ExportImportTables:
    """Export and import tables as one block of data.  Offsets are from its start."""

    def __init__(self, image: Image, exports: Sequence[str], name: str):
        self.image, self.exports, self.name = image, sorted(exports), name
        self.hints: list[int] = []
        self.size = len(self.write_tables(0, addressed=False))

    def write_tables(self, base: int, addressed: bool = True) -> bytes:
        """Bytes of the tables at an address.

        Every imported function has a library entry of its own with one slot, in the order of the
        image.
        """
        imports = [_find_library(n) for n in self.image.imports]
        strings = bytearray()
        n, k = len(self.exports), len(imports)
        self.export_offset, self.export_size = 0, 40 + 10 * n
        self.import_offset = _align_up(self.export_size, 8)
        self.import_size = 20 * (k + 1)
        lookups = _align_up(self.import_offset + self.import_size, 8)
        first = lookups + 16 * k

        def add_string(text: bytes) -> int:
            offset = first + len(strings)
            strings.extend(text + b"\0" + b"\0" * ((len(text) + 1) % 2))
            return offset

        title = add_string(self.name.encode())
        names = [add_string(x.encode()) for x in self.exports]
        libraries: dict[str, int] = {}
        for dll, _ in imports:
            if dll not in libraries:
                libraries[dll] = add_string(dll.encode())
        self.hints = [add_string(b"\0\0" + function.encode()) for _, function in imports]
        out = bytearray(first)
        directory = (
            0,
            0,
            0,
            0,
            base + title,
            1,
            n,
            n,
            base + 40,
            base + 40 + 4 * n,
            base + 40 + 8 * n,
        )
        struct.pack_into("<IIHHIIIIIII", out, 0, *directory)
        addresses = [
            self.image.symbols[x].address - IMAGE_BASE if addressed else 0 for x in self.exports
        ]
        struct.pack_into(f"<{n}I", out, 40, *addresses)
        struct.pack_into(f"<{n}I", out, 40 + 4 * n, *(base + x for x in names))
        struct.pack_into(f"<{n}H", out, 40 + 8 * n, *range(n))
        slots = self.image.slots.address - IMAGE_BASE if addressed else 0
        for i, (dll, _) in enumerate(imports):
            row = (base + lookups + 16 * i, 0, 0, base + libraries[dll], slots + 8 * i)
            struct.pack_into("<IIIII", out, self.import_offset + 20 * i, *row)
            struct.pack_into("<Q", out, lookups + 16 * i, base + self.hints[i])
        return bytes(out + strings)


def _find_library(name: str) -> tuple[str, str]:
    """Library of Windows that has a function of C, and its name there."""
    if name in RENAMED_FUNCTIONS:
        return RENAMED_FUNCTIONS[name]
    if name in MSVCRT_FUNCTIONS:
        return "msvcrt.dll", name
    assert name in LIBM_ARITY or name in ("sin", "cos", "fma")
    return "ucrtbase.dll", name


def _write_relocations(addresses: list[int]) -> bytes:
    """Base relocation table: 64-bit addresses, page by page."""
    pages: dict[int, list[int]] = {}
    for address in sorted(addresses):
        pages.setdefault(address - address % SECTION_ALIGNMENT, []).append(
            IMAGE_REL_BASED_DIR64 | address % SECTION_ALIGNMENT
        )
    out = b""
    for page, entries in pages.items():
        entries += [0] * (len(entries) % 2)
        out += struct.pack(f"<II{len(entries)}H", page, 8 + 2 * len(entries), *entries)
    return out or struct.pack("<II", 0, 8)


def _write_file(contents, directories) -> bytes:
    """DOS, PE and section headers, then the sections."""
    headers_size = _align_up(
        PE_HEADER_OFFSET + PE_HEADER_SIZE + SECTION_HEADER_SIZE * len(contents), FILE_ALIGNMENT
    )
    section_headers, data, offset = b"", b"", headers_size
    for name, flags, address, body in contents:
        size = _align_up(len(body), FILE_ALIGNMENT)
        header = (name, len(body), address, size, offset, 0, 0, 0, 0, flags)
        section_headers += struct.pack("<8sIIIIIIHHI", *header)
        data += body + bytes(size - len(body))
        offset += size
    end = _align_up(contents[-1][2] + len(contents[-1][3]), SECTION_ALIGNMENT)
    directory_entries = [directories.get(i, (0, 0)) for i in range(16)]
    sizes = {name: _align_up(len(body), FILE_ALIGNMENT) for name, _, _, body in contents}
    data_size = sum(sizes.values()) - sizes[b".text"]
    code_start = contents[1][2]
    optional = struct.pack("<HBBIIIII", 0x20B, 14, 0, sizes[b".text"], data_size, 0, 0, code_start)
    windows = [IMAGE_BASE, SECTION_ALIGNMENT, FILE_ALIGNMENT, 6, 0, 0, 0, 6, 0, 0, end]
    windows += [headers_size, 0, 2, DLL_CHARACTERISTICS]
    optional += struct.pack("<QIIHHHHHHIIIIHH", *windows)
    optional += struct.pack(
        "<QQQQII", 1 << 20, SECTION_ALIGNMENT, 1 << 20, SECTION_ALIGNMENT, 0, 16
    )
    optional += b"".join(struct.pack("<II", *x) for x in directory_entries)
    coff = struct.pack("<HHIIIHH", MACHINE_AMD64, len(contents), 0, 0, 0, len(optional), 0x2022)
    dos = b"MZ" + bytes(0x3A) + struct.pack("<I", PE_HEADER_OFFSET)
    out = dos + b"PE\0\0" + coff + optional + section_headers
    return out + bytes(headers_size - len(out)) + data


def _align_up(offset: int, align: int) -> int:
    """Next multiple of an alignment."""
    return -(-offset // align) * align
