"""Records as bytes: a run and an instance as every new instance begins, with open addresses."""

from __future__ import annotations

import struct
from collections.abc import Mapping

import numpy as np

from ..compiler import Record
from ..errors import KernelError

ALIGN = 8  # words: a cache line


class Frozen:
    """Records and their arrays in one block.

    `inside` are words that hold a place in the block, from its start; `outside` words that hold
    the address of something else, by its name and how far behind it.
    """

    def __init__(self):
        self.parts: list[np.ndarray] = []
        self.size = 0  # words
        self.inside: list[int] = []
        self.outside: dict[int, tuple[str, int]] = {}
        self._known: list[tuple[int, int, int]] = []  # address, its end, place in the block
        self._empty: set[int] = set()
        self._links: dict[int, int] = {}
        self._tables: list[tuple[int, np.ndarray]] = []

    def put(self, words: np.ndarray) -> int:
        """Take an array in; gives its first word."""
        at = self.size
        flat = np.ascontiguousarray(words).ravel().view(np.int64)
        room = -(-max(len(flat), 1) // ALIGN) * ALIGN
        self.parts.append(np.concatenate([flat, np.zeros(room - len(flat), np.int64)]))
        self.size += room
        start = words.ctypes.data
        (self._known.append((start, start + words.nbytes, at)) if words.nbytes
         else self._empty.add(start))  # fmt: skip
        return at

    def where(self, array: np.ndarray) -> int:
        """First word of an array that is in the block."""
        return next((at for first, _, at in self._known if first == array.ctypes.data), 0)

    def link(self, word: int, place: int) -> None:
        """Let a word hold where another place of the block is."""
        self._links[word] = place
        self.inside.append(word)

    def record(self, record: Record, functions: Mapping[str, str]) -> int:
        """Take a record in with its arrays; `functions` are names of kernels by their fields."""
        record.check()
        at = self.put(record.words)
        own = self.parts[-1]
        for name, field in record.fields.items():
            if field.shape:
                array = record.arrays[name]
                place = self.put(array)
                own[field.place] = 8 * place
                self.inside.append(at + field.place)
                if field.kind == "P":
                    self._tables.append((place, array))
            elif name in functions:
                own[field.place] = 0
                self.outside[at + field.place] = functions[name], 0
        return at

    def point(self, word: int, name: str, more: int = 0) -> None:
        """A word that holds an address outside."""
        self.outside[word] = name, more

    def finish(self) -> bytes:
        """The block, once everything is in it."""
        out = np.concatenate(self.parts)
        for place, table in self._tables:
            for k, address in enumerate(table.ravel().tolist()):
                out[place + k] = self._place(address)
                self.inside.append(place + k)
        for word, place in self._links.items():
            out[word] = 8 * place
        return out.tobytes()

    def _place(self, address: int) -> int:
        """Where in the block something is that was at an address; of nothing, the start."""
        for first, end, at in self._known:
            if first <= address < end:
                return 8 * at + address - first
        if address and address not in self._empty:
            raise KernelError("a record points at something that is no part of it")
        return 0


def listed(places: list[int]) -> bytes:
    """Places as native text reads them."""
    return struct.pack(f"<{len(places)}q", *places)
