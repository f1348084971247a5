"""Compiler of restricted Python to native code: integrators and contact routines.

Functions of integers, doubles and addresses are translated to LLVM IR, once per machine, and
compiled like kernels.  The subset has arithmetic, comparisons, `and`, `or`, `not`, `if`, `while`,
`for` over `range`, assignments (of several names too), `return`, `abs`, `min`, `max`, `int`,
constants of the module, calls of other functions of the subset, and

- a record (see `record`), by which an argument of an exported function is annotated:
  `run.t`, `run.y[j]`, `run.stage[i]`, `run.stage[i, j]`, `run.y[k:]` (the array from k on).
- `doubles(address)`, `longs(address)`: arrays of doubles, of 64-bit integers;
- `call(address, inputs, outputs)`: a kernel `int32 k(inputs, outputs, work)`;
- `call_lanes(address, inputs, outputs)`: a kernel for SIMD lanes, `void k(inputs, outputs)`.

A name has one type in a function.  Kinds of values: `i` integer or address, `f` double, `b` bool,
`F` and `I` arrays, `FF` an array of two axes (with the length of a row), `P` a table of arrays,
and the classes of records.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from ...errors import KernelError
from ..runtime import cache, machine
from .expressions import CTYPES
from .function import translate_module
from .simd_translate import translate_simd


def intrinsic(*_):
    """Placeholder for operations that only native code has."""
    raise KernelError("this function runs as native code only")


def optsize(function: Callable) -> Callable:
    """Mark a native function to be compiled for size (attribute `optsize` of LLVM)."""
    return function


def native(
    spaces: Sequence[Mapping],
    outer: Mapping[str, str],
    lanes: int = 0,
    bodies: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Callable, ...]:
    """Compile functions of some modules.  `outer` maps exported names to their kinds, as "if->f".

    Parameters
    ----------
    spaces : sequence of mappings
        Namespaces of the modules (`globals()`).
    lanes : int
        Number of runs in SIMD lanes (SPMD, see `simd_translate`).  0 for scalar code.
    bodies : mapping
        Statements that replace those of some functions, such as "return 1".  Functions that only
        the replaced statements call are left out.

    Returns
    -------
    tuple of functions
        They release the global interpreter lock.
    """
    text, namespace = _join_sources(spaces)
    part = f"plain{lanes}" if lanes else "plain"

    def compile_source() -> bytes:
        if lanes:
            ir = translate_simd(text, namespace, outer, lanes, bodies)
        else:
            ir = write_native_llvm(spaces, outer, bodies)
        return machine.compile_module(ir, 3, inline=True)

    key = hashlib.sha256("\n".join([text, repr(sorted(bodies.items()))]).encode()).digest()
    code = cache.load_or_build_shared(key, part, tuple(outer), ("pow",), compile_source)
    functions = []
    for name, kinds in outer.items():
        argument_kinds, _, return_kind = kinds.partition("->")
        prototype = ctypes.CFUNCTYPE(CTYPES.get(return_kind), *(CTYPES[k] for k in argument_kinds))
        function = prototype(code[name])
        setattr(function, "code", code)  # noqa: B010  (lives as long as its function)
        functions.append(function)
    return tuple(functions)


def _join_sources(spaces: Sequence[Mapping]) -> tuple[str, Mapping]:
    """Joined text of some modules, and their joined namespace."""
    text = "\n".join(Path(x["__file__"]).read_text(encoding="utf-8") for x in spaces)
    check_constants(spaces)
    return text, ChainMap(*map(dict, spaces))


def write_native_llvm(
    spaces: Sequence[Mapping],
    outer: Mapping[str, str],
    bodies: Mapping[str, str] = MappingProxyType({}),
    outside: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """LLVM IR of functions of some modules, see `native`.

    `outside` are functions of another text, with the kinds of their results.
    """
    return translate_module(*_join_sources(spaces), outer, bodies, outside)


def check_constants(spaces: Sequence[Mapping]) -> None:
    """Raise `KernelError` if a number has different values in two of the modules."""
    values: dict[str, float] = {}
    for space in spaces:
        for name, x in space.items():
            if isinstance(x, int | float) and values.setdefault(name, x) != x:
                raise KernelError(f"{name} is {values[name]} in one module and {x} in another")
