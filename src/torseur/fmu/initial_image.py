"""Initial image of an FMU instance: its records and arrays as bytes, with relocatable pointers."""

from __future__ import annotations

import struct
from collections.abc import Mapping

import numpy as np

from ..compiler import Record
from ..errors import KernelError

ALIGN = 8  # words: a cache line


class InitialImage:
    """Records and their arrays in one block of memory.

    `internal_pointers` are words that hold an offset in the block.  `external_pointers` are words
    that hold the address of a symbol outside, with an addend.
    """

    def __init__(self):
        self.parts: list[np.ndarray] = []
        self.size = 0  # words
        self.internal_pointers: list[int] = []
        self.external_pointers: dict[int, tuple[str, int]] = {}
        self._arrays: list[tuple[int, int, int]] = []  # address, its end, first word in the block
        self._empty_addresses: set[int] = set()
        self._links: dict[int, int] = {}
        self._tables: list[tuple[int, np.ndarray]] = []

    def add_array(self, words: np.ndarray) -> int:
        """Add an array, aligned to a cache line.  Returns its first word."""
        position = self.size
        flat = np.ascontiguousarray(words).ravel().view(np.int64)
        padded = -(-max(len(flat), 1) // ALIGN) * ALIGN
        self.parts.append(np.concatenate([flat, np.zeros(padded - len(flat), np.int64)]))
        self.size += padded
        start = words.ctypes.data
        (self._arrays.append((start, start + words.nbytes, position)) if words.nbytes
         else self._empty_addresses.add(start))  # fmt: skip
        return position

    def find_array(self, array: np.ndarray) -> int:
        """First word of an array of the block.  0 if it is not there."""
        return next(
            (position for first, _, position in self._arrays if first == array.ctypes.data), 0
        )

    def add_pointer(self, position: int, target: int) -> None:
        """Let a word point at another word of the block."""
        self._links[position] = target
        self.internal_pointers.append(position)

    def add_record(self, record: Record, functions: Mapping[str, str]) -> int:
        """Add a record with its arrays.  `functions` are symbols of kernels by field."""
        record.check()
        position = self.add_array(record.words)
        words = self.parts[-1]
        for name, field in record.fields.items():
            if field.shape:
                array = record.arrays[name]
                array_position = self.add_array(array)
                words[field.place] = 8 * array_position
                self.internal_pointers.append(position + field.place)
                if field.kind == "P":
                    self._tables.append((array_position, array))
            elif name in functions:
                words[field.place] = 0
                self.external_pointers[position + field.place] = functions[name], 0
        return position

    def point_outside(self, position: int, name: str, addend: int = 0) -> None:
        """Let a word point at a symbol outside."""
        self.external_pointers[position] = name, addend

    def to_bytes(self) -> bytes:
        """Bytes of the block, after everything was added."""
        out = np.concatenate(self.parts)
        for position, table in self._tables:
            for k, address in enumerate(table.ravel().tolist()):
                out[position + k] = self._find_offset(address)
                self.internal_pointers.append(position + k)
        for position, target in self._links.items():
            out[position] = 8 * target
        return out.tobytes()

    def _find_offset(self, address: int) -> int:
        """Offset in the block of the data at an address [bytes].  0 for a null pointer."""
        for first, end, position in self._arrays:
            if first <= address < end:
                return 8 * position + address - first
        if address and address not in self._empty_addresses:
            raise KernelError("a record points outside of its arrays")
        return 0


def pack_offsets(words: list[int]) -> bytes:
    """Words as native code reads them."""
    return struct.pack(f"<{len(words)}q", *words)
