"""Kernels of one system by name: compiled when first used, called with arrays of their ports."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compiler import Kernel
from ..compiler.runtime import fastcall
from ..errors import ArgumentError, KernelError, shown, unknown_name_message
from ..files import place, write
from ..quantities import QUANTITIES, find
from ..scalars import is_ours
from . import strategy, thresholds

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from ..quantities import Quantity, SymbolicSystem
    from ..system import System


class KernelTable:
    """Kernels of a system for some declared parameters and wrenches, the base of `Dynamics`."""

    def __init__(
        self,
        system: System,
        parameters: Iterable[str] | str = (),
        wrenches: Iterable[str] | str = (),
    ):
        parameters, wrenches = _as_names(parameters), _as_names(wrenches)
        names = {*system.parameters, *system.symbols}
        faults = [
            unknown_name_message("parameter", n, names, "compile")
            for n in parameters
            if n not in names
        ]
        faults += [
            unknown_name_message("body or frame", n, system.places, "compile")
            for n in wrenches
            if n not in system.places
        ]
        if faults:
            raise KernelError("\n".join(faults))
        self.system, self.parameters, self.wrenches = system, parameters, wrenches
        self.nq, self.nv = system.nq, system.nv
        self._kernels: dict[tuple, Kernel] = {}

    def kernel(self, name: str, frame: str | None = None) -> Kernel:
        """The kernel of a quantity (of a body or frame, where it is of one)."""
        key = (name, frame)
        try:
            exists = key in self._kernels
        except TypeError:  # a list, ...
            raise KernelError(
                f"expected names, of a quantity or a frame, got {shown(key)}"
            ) from None
        if not exists:  # one for all threads: code lives with it
            self._kernels.setdefault(key, self._make(name, frame))
        return self._kernels[key]

    def _make(self, name: str, frame: str | None) -> Kernel:
        """The kernel of a quantity, not yet compiled."""
        quantity = find(name, frame is not None)
        if frame is not None and frame not in self.system.places:
            raise KernelError(
                unknown_name_message("body or frame", frame, self.system.places, name)
            )
        loops = self._loops_over_links(quantity)
        words = repr((self.system.digest, name, frame, self.parameters, self.wrenches, loops))

        def build() -> Any:
            if loops:
                from .link_loops.build_loops import build_quantity_loop

                return build_quantity_loop(self.system, name)
            return self._trace(quantity, frame)

        return Kernel(
            name if frame is None else f"{name}({frame})",
            build,
            loop=loops,
            key=hashlib.sha256(words.encode()).digest() if is_ours(quantity.formula) else None,
            shapes=quantity.shape(self.system, self.wrenches),
            rebuild=(_rebuild_kernel, (self, name, frame)),
            lanes=name not in strategy.MOTION_QUANTITIES,
            rare=name in strategy.RARE_QUANTITIES,
            shared=True,
            staged=None if loops else lambda part: self._build_variant(quantity, part),
        )

    def _loops_over_links(self, quantity: Quantity) -> bool:
        conditions = strategy.link_loop_conditions(
            self.system, quantity, self.parameters, self.wrenches
        )
        return strategy.judge(conditions).met

    def _scene(self, wrenches: Iterable[str]) -> SymbolicSystem:
        from ..quantities import SymbolicSystem
        from .graph_trigonometry import TrigonometricGraph

        return SymbolicSystem(self.system, TrigonometricGraph(), self.parameters, tuple(wrenches))

    def _build_variant(self, quantity: Quantity, part: str) -> Any:
        """The SIMD or two-stage program of a quantity, None where it is a straight-line program.

        `part` is the code for one state ("scalar") or for SIMD lanes ("lanes").
        """
        choice = strategy.choose_generator(
            self.system, quantity, self.parameters, self.wrenches, batch=part == "lanes"
        )
        simd = None
        if choice.generator is strategy.Generator.TREE_SIMD:
            from ..compiler import lanes
            from .tree_simd.register import SIMD_VARIANTS

            wrenches = self.wrenches if quantity.loaded else ()  # ports of the variant
            simd = SIMD_VARIANTS[quantity.name](self._scene(wrenches), lanes())
        if not strategy.judge(strategy.two_stage_conditions(self.system, quantity)).met:
            return simd
        from ..compiler import TwoStageProgram, read
        from .two_stage import trace_column, trace_first_stage

        ports = quantity.reads(self.system, self.parameters, self.wrenches)
        shapes = quantity.shape(self.system, self.wrenches)
        scene = self._scene(self.wrenches)
        first = simd or read(trace_first_stage(quantity, scene, ports), shapes)
        return TwoStageProgram.of(
            first, read(trace_column(quantity, scene), shapes), quantity.outputs
        )

    def _trace(self, quantity: Quantity, frame: str | None) -> Any:
        from .tracing import trace_function

        ports = quantity.reads(self.system, self.parameters, self.wrenches)
        return trace_function(quantity, self._scene(self.wrenches), ports, frame)

    def _require_time(self, name: str, t):
        """The time of a call, which moving placements need."""
        if t is None and self.system.rheonomic:
            moved = ", ".join(k.name for k in self.system.links if k.joint.rheonomic)
            raise KernelError(
                f"{name}: time moves placements of {self.system.name!r} ({moved}); give t= [s]"
            )
        return 0.0 if t is None else t

    def _call(self, name: str, frame, arguments, p=None, w=None, t=None, **options):
        """Evaluate a quantity: normalize quaternions, complete the arguments, name their faults."""
        try:
            kernel = self._kernels.get((name, frame)) or self.kernel(name, frame)
        except TypeError:
            kernel = self.kernel(name, frame)  # tells what is wrong with the name
        if len(self.system.quaternions):
            coordinates = self._coordinate_arguments(name)
            arguments = tuple(
                self.system.unit(x, f"{name}: {port.name}") if i in coordinates else x
                for i, (x, port) in enumerate(zip(arguments, kernel.inputs, strict=False))
            )
        if len(QUANTITIES[name].given(self.system)) > len(QUANTITIES[name].inputs):
            arguments = (*arguments, self._require_time(name, t))
        if self.parameters:
            arguments = (*arguments, self.nominal() if p is None else p)
        elif p is not None:
            raise KernelError(
                f"{name}: p= was given, but no parameter was kept as an argument; "
                "use compile(system, parameters=(...))"
            )
        if self.wrenches and QUANTITIES[name].loaded:
            arguments = (*arguments, np.zeros((len(self.wrenches), 6)) if w is None else w)
        elif w is not None:
            raise KernelError(
                f"{name}: w= was given, but no frame was declared to carry a wrench; "
                "use compile(system, wrenches=(...))"
            )
        is_plain = not (frame or self.parameters or self.wrenches or self.system.rheonomic)
        if is_plain and name not in self.__dict__:
            self._bind_fast_call(name, kernel)
        try:
            return kernel(*arguments, **options)
        except (ValueError, TypeError) as e:
            faults = [x for x in map(self._argument_fault, kernel.inputs, arguments) if x]
            if faults := faults or _row_count_faults(kernel.inputs, arguments):
                raise ArgumentError(f"{name}: {'; '.join(faults)}") from e
            raise

    @staticmethod
    def _coordinate_arguments(name: str) -> tuple[int, ...]:
        """Which arguments of a quantity are coordinates."""
        return tuple(i for i, x in enumerate(QUANTITIES[name].inputs) if x in ("q", "q0", "q1"))

    def _argument_fault(self, port, argument) -> str | None:
        """The fault of one argument, None where its shape fits the port."""
        try:
            x = np.asarray(argument)
        except ValueError:
            return f"{port.name} has rows of different lengths: {shown(argument)}"
        if x.dtype.kind not in "bifu":
            return f"{port.name} must hold numbers, got {shown(argument)}"
        n = len(port.shape)
        if x.ndim >= n and x.shape[x.ndim - n :] == port.shape:
            return None
        expected = ", ".join(("...", *map(str, port.shape)))
        names = self.system.coordinates if port.name == "q" else self.system.speeds
        names_of_slots = (
            f" ({', '.join(names)})" if port.shape == (len(names),) and len(names) < 9 else ""
        )
        return f"{port.name} has the shape {x.shape}, expected ({expected}){names_of_slots}"

    def _bind_fast_call(self, name: str, kernel) -> None:
        """Bind the fast call of a quantity to its name on this object."""
        general = getattr(type(self), name, None)
        if general is None:
            return
        general = general.__get__(self)
        code = kernel._compiled()
        self.__dict__[name] = (
            fastcall.make(
                name,
                kernel.inputs,
                kernel.outputs,
                code["gufunc"],
                general,
                code,
                general.__doc__ or "",
                [
                    (i, n)
                    for i in self._coordinate_arguments(name)
                    for n in self.system.quaternions.tolist()
                ],
            )
            or general
        )

    def nominal(self) -> np.ndarray:
        """Nominal values of the declared parameters."""
        values: Mapping = self.system.parameters
        missing = [n for n in self.parameters if values.get(n) is None]
        if missing:
            raise KernelError(
                f"no nominal value is known for {', '.join(map(repr, missing))}; give p="
            )
        return np.array([values[n] for n in self.parameters], dtype=float)

    def address(self, name: str, frame: str | None = None) -> int:
        """Native address of `void f(const double *q, ..., double *out)`."""
        return self.kernel(name, frame).address

    def operations(self, name: str, frame: str | None = None) -> dict[str, int]:
        """Counts of operations of one evaluation: mul, add, div, trig, ..."""
        counts = self.kernel(name, frame).operations
        return {"mul": 0, "add": 0, "div": 0, "trig": 0} | counts

    def stamp(self, name: str, frame: str | None = None) -> str:
        """Digest of the mathematics of a kernel."""
        return self.kernel(name, frame).stamp

    def casadi(self, name: str, frame: str | None = None) -> Any:
        """The `casadi.Function` of a quantity, for people who optimize."""
        self.kernel(name, frame)
        return self._trace(find(name, frame is not None), frame)

    def export(
        self,
        path: str | os.PathLike[str],
        names: Iterable[str] | str = ("inverse_dynamics", "forward_dynamics", "mass_matrix"),
    ) -> Path:
        """Write kernels as self-contained source: C99 (`.c`, `.h`) or Python with NumPy (`.py`).

        A `.c` has external functions and its header is written beside it: compile and link it. A
        `.h` alone has the functions themselves, `static inline`, to be included.
        """
        from ..compiler.codegen import c_printer as export

        path, names = place(path), _as_names(names)
        loops = [n for n in names if self._loops_over_links(find(n))]
        if loops:
            raise KernelError(
                f"{', '.join(loops)} of {self.system.name!r}: {self.nv} speeds make a "
                "loop, which has no source text; up to "
                f"{thresholds.MAX_STRAIGHT_LINE_SPEEDS} can be exported"
            )
        writers = {".c": export.c, ".h": export.c, ".py": export.python}
        if path.suffix not in writers:
            raise KernelError(
                f"cannot export to {path.name!r}: expected a name that ends in .c or .py"
            )
        programs = [self.kernel(n).program for n in names]
        if path.suffix != ".c":
            return write(path, writers[path.suffix](programs, self.system.name))
        header = path.with_suffix(".h")
        write(header, export.print_c_header(programs, self.system.name, header.name))
        return write(path, export.c(programs, self.system.name, header=header.name))


def _row_count_faults(ports, arguments) -> list[str]:
    """The fault of arguments whose numbers of states do not broadcast."""
    rows = {
        p.name: np.shape(x)[: np.ndim(x) - len(p.shape)]
        for p, x in zip(ports, arguments, strict=False)
    }
    try:
        np.broadcast_shapes(*rows.values())
    except ValueError:
        told = ", ".join(f"{n} {' x '.join(map(str, x)) or 'one'}" for n, x in rows.items())
        return [f"the arguments have different numbers of rows: {told}"]
    return []


def _as_names(names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _rebuild_kernel(kernels: KernelTable, name: str, frame: str | None) -> Kernel:
    return kernels.kernel(name, frame)
