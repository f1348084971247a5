"""Plain Python text as native code: loops over numbers at addresses, nothing else.

Integrators are written as ordinary functions of whole numbers, reals and addresses, and translated
here, once per machine, through the same LLVM as kernels.  What they may use: arithmetic,
comparisons, `and`, `or`, `not`, `if`, `while`, `for` over `range`, assignments (of several names
too), `return`, `abs`, `min`, `max`, `int`, constants of their module, each other, and

- a record (see `record`), which an argument of an outer function is annotated with:
  `run.t`, `run.y[j]`, `run.stage[i]`, `run.stage[i, j]`, `run.y[k:]` (from there on);
- `doubles(address)`, `longs(address)`: arrays of reals, of 64-bit words;
- `call(address, inputs, outputs)`: a kernel `int32 k(inputs, outputs, work)`;
- `call_lanes(address, inputs, outputs)`: a kernel for lanes, `void k(inputs, outputs)`.

A name has one type in a function.  Kinds: `i` whole number or address, `f` real, `b` truth,
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
    """Stands for what only native code can do."""
    raise KernelError("this function runs as native code only")


def optsize(function: Callable) -> Callable:
    """Mark a function of native text: LLVM makes it small rather than fast (`optsize`)."""
    return function


def native(
    spaces: Sequence[Mapping],
    outer: Mapping[str, str],
    lanes: int = 0,
    bodies: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Callable, ...]:
    """Functions of some modules as native code: `outer` names them with their kinds, as "if->f".

    `spaces` are the namespaces of the modules (`globals()`).  They let other threads run meanwhile.
    With `lanes` the text is that of so many runs side by side, see `side`.  `bodies` are the
    statements that replace those of some functions, such as "return 1": functions that only the
    replaced statements call are left out.
    """
    text, namespace = _join_sources(spaces)
    part = f"plain{lanes}" if lanes else "plain"

    def compile_source() -> bytes:
        if lanes:
            ir = translate_simd(text, namespace, outer, lanes, bodies)
        else:
            ir = written(spaces, outer, bodies)
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
    """The text of some modules, and what names mean in it."""
    text = "\n".join(Path(x["__file__"]).read_text(encoding="utf-8") for x in spaces)
    check_constants(spaces)
    return text, ChainMap(*map(dict, spaces))


def written(
    spaces: Sequence[Mapping],
    outer: Mapping[str, str],
    bodies: Mapping[str, str] = MappingProxyType({}),
    outside: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """LLVM IR of functions of some modules, see `native`.

    `outside` are functions that come with another text, and the kinds of their answers.
    """
    return translate_module(*_join_sources(spaces), outer, bodies, outside)


def check_constants(spaces: Sequence[Mapping]) -> None:
    """Names mean one thing in all of the modules; tells those of numbers that do not."""
    values: dict[str, float] = {}
    for space in spaces:
        for name, x in space.items():
            if isinstance(x, int | float) and values.setdefault(name, x) != x:
                raise KernelError(f"{name} is {values[name]} in one module and {x} in another")
