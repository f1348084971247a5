"""Records: numbers and arrays by name, declared once, for Python and for native text alike.

    class Pair(Record):
        n = whole("how many")
        t = real("time [s]")
        x = reals("n", text="one number each")
        K = reals("rows", "n")

Python writes `pair.t = 0.5` and `pair.x = array` (which it keeps alive); native text (see `plain`)
reads and writes `pair.t`, `pair.x[j]`, `pair.K[i]` (a row), `pair.K[i, j]`.  Names of sizes are
whole numbers of the same record.  Every field is one 64-bit word: a number or an address.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..errors import KernelError


class Field:
    """One word of a record; `kind` is that of `plain`, `shape` the sizes of an array by name."""

    __slots__ = ("kind", "name", "place", "shape", "text")

    def __init__(self, kind: str, shape: tuple = (), text: str = ""):
        self.kind, self.shape, self.text = kind, shape, text
        self.name, self.place = "", -1

    def __set_name__(self, owner, name: str):
        self.name = name

    def __get__(self, record, owner=None) -> Any:
        if record is None:
            return self
        if self.kind == "i":
            return int(record.words[self.place])
        if self.kind == "f":
            return float(record.numbers[self.place])
        return record.arrays[self.name]

    def __set__(self, record, x):
        if self.kind == "i":
            record.words[self.place] = x
        elif self.kind == "f":
            record.numbers[self.place] = x
        else:
            record.point(self, x)


def whole(text: str = "") -> Any:
    """A whole number, a truth or the address of a kernel."""
    return Field("i", (), text)


def real(text: str = "") -> Any:
    """A real number."""
    return Field("f", (), text)


def reals(*shape, text: str = "") -> Any:
    """An array of reals, of one axis or two."""
    return Field("F" * len(shape), shape, text)


def wholes(size, text: str = "") -> Any:
    """An array of whole numbers."""
    return Field("I", (size,), text)


def pointers(size, text: str = "") -> Any:
    """A table of addresses of reals, as kernels take it."""
    return Field("P", (size,), text)


DTYPE = {"F": np.float64, "FF": np.float64, "I": np.int64, "P": np.int64}


class Record:
    """Words by name; `address` is what native functions take.

    >>> class Pair(Record):
    ...     n = whole()
    ...     x = reals("n")
    >>> pair = Pair(n=2, x=np.zeros(2))
    >>> pair.n, pair.address == pair.words.ctypes.data
    (2, True)
    """

    fields: ClassVar[dict[str, Field]] = {}

    def __init_subclass__(cls):
        own = {n: x for n, x in vars(cls).items() if isinstance(x, Field)}
        for place, field in enumerate(own.values(), len(cls.fields)):
            field.place = place
        cls.fields = cls.fields | own

    def __init__(self, **given):
        self.words = np.zeros(len(self.fields), dtype=np.int64)
        self.numbers = self.words.view(np.float64)
        self.arrays: dict[str, np.ndarray] = {}
        self.checked = False
        for name, x in given.items():
            if name not in self.fields:
                raise KernelError(f"{type(self).__name__} has no field {name!r}")
            setattr(self, name, x)

    def point(self, field: Field, array: np.ndarray):
        """Let a word point at an array."""
        fits = isinstance(array, np.ndarray) and array.flags.c_contiguous
        if not fits or array.dtype != DTYPE[field.kind] or array.ndim != len(field.shape):
            raise KernelError(
                f"{field.name}: expected an array of {len(field.shape)} axes, C order, "
                f"{np.dtype(DTYPE[field.kind])}"
            )
        self.arrays[field.name], self.checked = array, False
        self.words[field.place] = array.ctypes.data

    @property
    def address(self) -> int:
        """Where the words are, once every array is there and has its size."""
        if not self.checked:
            self.check()
        return self.words.ctypes.data

    def check(self):
        """Every array is there, no shorter than its size, its rows exactly as long as said."""
        for name, field in self.fields.items():
            if not field.shape:
                continue
            if name not in self.arrays:
                raise KernelError(f"{type(self).__name__}: no array for {name!r}")
            found = self.arrays[name].shape
            sizes = [
                n if isinstance(n, int) else self.words[self.fields[n].place] for n in field.shape
            ]
            if found[0] < sizes[0] or found[1:] != tuple(sizes[1:]):
                raise KernelError(f"{name}: its shape is {found}, not {tuple(map(int, sizes))}")
        self.checked = True
