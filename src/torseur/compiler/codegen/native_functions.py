"""Register of native routines that kernels call: restricted Python, compiled once per machine.

A package that has such routines registers them with `native_routine`.  Registration imports no
text: the modules are loaded when a library is compiled.  A cached kernel names the cache entries of
its libraries, so that a new process links it without the register.
"""

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import ClassVar, NamedTuple

from ...errors import KernelError
from ..program.ports import Port
from ..runtime import cache, machine

OPTIMIZATION_LEVEL = 3  # of LLVM
_LIBRARIES: dict[str, "NativeLibrary"] = {}  # of each registered routine
_LINKED: dict[str, machine.Code] = {}  # libraries of this process, by entry of the cache


class NativeSignature(NamedTuple):
    """Arguments and cost of a native routine: `f(table, index, array, ..., result)`."""

    arrays: int  # that it reads, without its integer table
    max_products: Callable[[int, int, int], int]  # of the first three integers of its table

    @property
    def kinds(self) -> str:
        """Kinds of its arguments and result for `pyjit`: addresses and integers."""
        return "i" * (3 + self.arrays) + "->"


@dataclass(eq=False)
class NativeLibrary:
    """Modules of restricted Python whose routines are compiled together.

    Parameters
    ----------
    sources : sequence of Path
        Files of the modules.  The digest of their text is the key in the cache.
    load : callable
        Imports the modules, in the order of `sources`.
    """

    sources: Sequence[Path]
    load: Callable[[], Sequence[ModuleType]]
    routines: dict[str, NativeSignature] = field(default_factory=dict)

    @property
    def entry(self) -> str:
        """Name of its code in the cache."""
        text = "\n".join(path.read_text(encoding="utf-8") for path in self.sources)
        return cache.entry_name(hashlib.sha256(text.encode()).digest(), "native")

    def module(self) -> str:
        """LLVM IR of all routines."""
        from ..pyjit.translate import write_native_llvm

        kinds = {name: signature.kinds for name, signature in self.routines.items()}
        return write_native_llvm([vars(x) for x in self.load()], kinds)

    @property
    def code(self) -> machine.Code:
        """Addresses of the routines, by name; compiled at the first use."""
        return _link(
            self.entry,
            tuple(self.routines),
            lambda: machine.compile_module(self.module(), OPTIMIZATION_LEVEL, inline=True),
        )


def native_routine(
    name: str, library: NativeLibrary, arrays: int, max_products: Callable[[int, int, int], int]
) -> None:
    """Register a function of a library's modules as a routine that kernels can call by name."""
    if _LIBRARIES.setdefault(name, library) is not library:
        raise KernelError(f"two libraries have a native routine {name!r}")
    library.routines[name] = NativeSignature(arrays, max_products)


def library_of(name: str) -> NativeLibrary | None:
    """Library of a registered routine; None for another name."""
    return _LIBRARIES.get(name)


def library_entries(names: Collection[str]) -> dict[str, list[str]]:
    """Cache entries of the libraries that some registered routines need, and their routines."""
    libraries = {id(x): x for name in names if (x := _LIBRARIES.get(name)) is not None}
    return {x.entry: [*x.routines] for x in libraries.values()}


def routine_addresses(
    names: Collection[str], entries: Mapping[str, Collection[str]]
) -> dict[str, int]:
    """Addresses of the native routines among some names: from cache entries, else registered.

    Raises `KernelError` if the cache has lost an entry whose library is not registered.
    """
    addresses: dict[str, int] = {}
    for entry, routines in entries.items():
        code = _link(entry, tuple(routines), _fail_to_build)
        addresses |= {name: code[name] for name in routines if name in names}
    for name in names:
        library = _LIBRARIES.get(name)
        if name not in addresses and library is not None:
            addresses[name] = library.code[name]
    return addresses


def _link(entry: str, routines: tuple[str, ...], build: Callable[[], bytes]) -> machine.Code:
    """Code of a library in this process."""
    if entry not in _LINKED:
        _LINKED[entry] = cache.load_or_build_entry(entry, routines, ("pow",), build)
    return _LINKED[entry]


def _fail_to_build() -> bytes:
    raise KernelError("the native routines of a cached kernel are no longer in the cache")


@dataclass(frozen=True)
class NativeRoutine:
    """A call of a native routine with its integer table, as part of a program.

    The program reads the first `n_read_elements` numbers of the result.  Other routines read the
    whole result by its address.
    """

    name: str
    integers: tuple[int, ...]
    index: int
    n_read_elements: int
    size: int
    routines: ClassVar[tuple] = ()
    is_call_free: ClassVar[bool] = False
    nodes: ClassVar[tuple] = ()

    @property
    def signature(self) -> NativeSignature:
        """Arguments and cost."""
        return _LIBRARIES[self.name].routines[self.name]

    @property
    def outputs(self) -> tuple[Port, ...]:
        return (Port("o", (self.size,)),)

    @property
    def operations(self) -> dict[str, int]:
        """Upper bound of the number of operations; inactive rows take none."""
        count = self.signature.max_products(*self.integers[:3])
        return {"mul": count, "add": count, "div": self.integers[0] + self.integers[1]}

    @cached_property
    def stamp(self) -> str:
        fields = repr((self.name, self.integers, self.index, self.n_read_elements, self.size))
        return hashlib.sha256(fields.encode()).hexdigest()

    @property
    def table(self) -> str:
        """Name of the integer table in a module."""
        return f"@words{hashlib.sha256(repr(self.integers).encode()).hexdigest()[:16]}"

    def write_declarations(self) -> list[str]:
        """Lines of LLVM IR that declare the routine and define its integer table."""
        integers = ", ".join(f"i64 {x}" for x in self.integers)
        types = ", ".join(["ptr", "i64", *["ptr"] * (self.signature.arrays + 1)])
        return [
            f"declare void @torseur.{self.name}({types})",
            f"{self.table} = internal constant [{len(self.integers)} x i64] [{integers}]",
        ]

    def write_call(self, pointers: list[str]) -> str:
        """Line of LLVM IR that calls it with addresses of arrays; the last is the result."""
        arrays = (f"ptr {x}" for x in pointers)
        return (
            f"call void @torseur.{self.name}"
            f"({', '.join([f'ptr {self.table}', f'i64 {self.index}', *arrays])})"
        )
