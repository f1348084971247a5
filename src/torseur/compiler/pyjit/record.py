"""Records: numbers and arrays by name, shared by Python and native code.

    class Pair(Record):
        n = Int64("how many")
        t = Float64("time [s]")
        x = Float64Array("n", text="one number each")
        K = Float64Array("rows", "n")

Python writes `pair.t = 0.5` and `pair.x = array` (which it keeps alive).  Native text (see
`translate`) reads and writes `pair.t`, `pair.x[j]`, `pair.K[i]` (a row), `pair.K[i, j]`.  Names of
sizes are integers of the same record.  Every field is one 64-bit word: a number or an address.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ...errors import KernelError


class Field:
    """One word of a record with a kind of `translate`.  `shape` are sizes of an array by name."""

    __slots__ = ("kind", "name", "place", "shape", "sizes", "text")

    def __init__(self, kind: str, shape: tuple = (), text: str = ""):
        self.kind, self.shape, self.text = kind, shape, text
        self.name, self.place = "", -1
        self.sizes: tuple[str, ...] = ()  # arrays whose size it is

    def __set_name__(self, owner: type, name: str):
        self.name = name

    def __get__(self, record: Any, owner: type | None = None) -> Any:
        """Value of the field in a record.  Of the class, the field."""
        if record is None:
            return self
        if self.kind == "i":
            return int(record.words[self.place])
        if self.kind == "f":
            return float(record.numbers[self.place])
        return record.arrays[self.name]

    def __set__(self, record: Any, x: Any):
        """Set the field of a record."""
        if self.kind == "i":
            record.words[self.place] = x
            if self.sizes:
                record.unchecked.update(self.sizes)
        elif self.kind == "f":
            record.numbers[self.place] = x
        else:
            record.set_array(self, x)


def Int64(text: str = "") -> Any:
    """An integer, a truth value or the address of a kernel."""
    return Field("i", (), text)


def Float64(text: str = "") -> Any:
    """A double."""
    return Field("f", (), text)


def Float64Array(*shape, text: str = "") -> Any:
    """An array of doubles, of one axis or two."""
    return Field("F" * len(shape), shape, text)


def Int64Array(size: str | int, text: str = "") -> Any:
    """An array of integers."""
    return Field("I", (size,), text)


def PointerArray(size: str | int, text: str = "") -> Any:
    """A table of addresses of arrays of doubles, as kernels read it."""
    return Field("P", (size,), text)


FIELD_DTYPES = {"F": np.float64, "FF": np.float64, "I": np.int64, "P": np.int64}


class Record:
    """Fields by name.  Native functions take `address`.

    >>> class Pair(Record):
    ...     n = Int64()
    ...     x = Float64Array("n")
    >>> pair = Pair(n=2, x=np.zeros(2))
    >>> pair.n, pair.address == pair.words.ctypes.data
    (2, True)
    """

    fields: ClassVar[dict[str, Field]] = {}
    _array_names: ClassVar[tuple[str, ...]] = ()
    shared: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls):
        """Number the fields, behind those of the base class."""
        fields = {n: x for n, x in vars(cls).items() if isinstance(x, Field)}
        for offset, field in enumerate(fields.values(), len(cls.fields)):
            field.place = offset
        cls.fields = cls.fields | fields
        cls._array_names = tuple(n for n, x in cls.fields.items() if x.shape)
        for name, field in fields.items():
            for n in field.shape:
                if not isinstance(n, int):
                    cls.fields[n].sizes += (name,)

    def __init__(self, **given):
        """Record with some fields set.  Arrays may be set later."""
        self.words = np.zeros(len(self.fields), dtype=np.int64)
        self.numbers = self.words.view(np.float64)
        self.arrays: dict[str, np.ndarray] = {}
        self.unchecked = set(self._array_names)  # arrays to check before the next call
        for name, x in given.items():
            if name not in self.fields:
                raise KernelError(f"{type(self).__name__} has no field {name!r}")
            setattr(self, name, x)

    def set_array(self, field: Field, array: np.ndarray):
        """Set the address of an array, after a check of its type and layout."""
        fits = isinstance(array, np.ndarray) and array.flags.c_contiguous
        if not fits or array.dtype != FIELD_DTYPES[field.kind] or array.ndim != len(field.shape):
            raise KernelError(
                f"{field.name}: expected an array of {len(field.shape)} axes, C order, "
                f"{np.dtype(FIELD_DTYPES[field.kind])}"
            )
        self.arrays[field.name] = array
        self.unchecked.add(field.name)
        self.words[field.place] = array.ctypes.data

    @property
    def address(self) -> int:
        """Address of the words, after all arrays were checked."""
        if self.unchecked:
            self.check()
        return self.words.ctypes.data

    def read_size(self, name: str) -> int:
        """Value of a size by its name.  -1 when every lane has its own."""
        field = self.fields[name]
        return -1 if field.shape else int(self.words[field.place])

    def check(self):
        """Raise `KernelError` if an array is missing, too short, or has rows of another length."""
        for name in [n for n in self._array_names if n in self.unchecked]:
            if name not in self.arrays:
                raise KernelError(f"{type(self).__name__}: no array for {name!r}")
            field, shape = self.fields[name], self.arrays[name].shape
            sizes = [n if isinstance(n, int) else self.read_size(n) for n in field.shape]
            if sizes[0] < 0:
                continue
            if shape[0] < sizes[0] or shape[1:] != tuple(sizes[1:]):
                raise KernelError(f"{name}: its shape is {shape}, not {tuple(map(int, sizes))}")
        self.unchecked.clear()


class Pattern:
    """Template of records: a copy has arrays of its own in one block, but for those `shared`.

    >>> class Pair(Record):
    ...     n = Int64()
    ...     x = Float64Array("n")
    >>> pattern = Pattern(Pair(n=2, x=np.array([1.0, 2.0])))
    >>> one, other = pattern.copy(), pattern.copy()
    >>> one.x[0] = 7.0
    >>> one.x, other.x
    (array([7., 2.]), array([1., 2.]))
    """

    def __init__(self, record: Record, shared: tuple[str, ...] = ()):
        """Collect the arrays of a record, but for those named in `shared`."""
        record.check()
        self.record = record
        fields = [record.fields[n] for n in record._array_names if n not in shared]
        arrays = [record.arrays[x.name] for x in fields]
        ends = np.cumsum([0, *(x.size for x in arrays)])
        self.block = np.concatenate(
            [np.zeros(0, np.int64), *(x.ravel().view(np.int64) for x in arrays)]
        )
        self.field_offsets = np.array([x.place for x in fields], dtype=np.int64)
        self.array_offsets = 8 * ends[:-1].astype(np.int64)
        self.shared = {n: record.arrays[n] for n in shared}
        self.parts = {
            f.name: (slice(int(a), int(b)), x.dtype, x.shape)
            for f, x, a, b in zip(fields, arrays, ends, ends[1:], strict=False)
        }

    def copy(self) -> Any:
        """A record with the same numbers."""
        copy = object.__new__(type(self.record))
        copy.words, block = self.record.words.copy(), self.block.copy()
        copy.words[self.field_offsets] = block.ctypes.data + self.array_offsets
        copy.numbers = copy.words.view(np.float64)
        copy.arrays, copy.unchecked = _LazyViews(self.shared), set()
        copy.arrays.block, copy.arrays.parts = block, self.parts
        return copy


class _LazyViews(dict[str, np.ndarray]):
    """Arrays of a record by name.  Views of its block are created at their first use."""

    block: np.ndarray
    parts: dict[str, tuple]

    def __missing__(self, name: str) -> np.ndarray:
        words, dtype, shape = self.parts[name]
        view = self[name] = self.block[words].view(dtype).reshape(shape)
        return view

    def __contains__(self, name: object) -> bool:
        return name in self.parts or super().__contains__(name)


def side_by_side(record_type: type[Record], lanes: int) -> type[Record]:
    """Record type for SIMD lanes: fields that are not `shared` have one number for each lane.

    The lanes are the last axis of arrays that are not shared.

    >>> class Pair(Record):
    ...     n = Int64()
    ...     x = Float64Array("n")
    ...     shared = frozenset({"n"})
    >>> four = side_by_side(Pair, 4)(n=2, x=np.zeros((2, 4)))
    >>> four.address == four.words.ctypes.data
    True
    """
    fields = {
        name: field
        if name in record_type.shared
        else Field("I" if field.kind in ("i", "I") else "F", (*field.shape, lanes), field.text)
        for name, field in record_type.fields.items()
    }
    return type(f"{record_type.__name__}SideBySide", (Record,), fields)
