"""Register of quantities: each is a name, its ports and its formula, declared by a decorator.

    @quantity("q v", "h")
    def momentum(s, q, v):
        from ...dynamics import momentum

        return momentum(s.tree, q, v)

A formula takes a `SymbolicSystem` (a system over one scalar) and the columns of its inputs.  It
returns its outputs in order.  A formula imports what it uses itself, so that a cached kernel
imports no mechanics.  How a quantity is evaluated is decided by `kernels.strategy`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import KernelError, unknown_name_message
from ..register import Register

if TYPE_CHECKING:
    from ..system import System

Formula = TypeVar("Formula", bound=Callable[..., Any])
MOTION = ("t", "q", "v", "z", "m", "u")
"""The state of a motion: time, coordinates, speeds, states and history of laws, inputs."""
PORTS = (*MOTION, "p")
"""Inputs of every kernel of a simulation, in this order."""

SIZES: dict[str, Callable[[System], int]] = {
    "nv": lambda s: s.nv,
    "links": lambda s: len(s.links),
    "n": lambda s: s.nq + s.nv + len(s.layout.z),
}
"""Sizes by the names that shapes use.  n is the size of the whole state."""


QUANTITIES: Register = Register("quantity", f"{__package__}.formulas")


@dataclass(frozen=True, eq=False)
class Quantity:
    """A quantity of a system: name, ports and formula."""

    name: str
    formula: Callable
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    frame: bool = False  # whether it is a quantity of one body or frame, the first argument
    timed: bool = True  # whether time is an input where time moves a placement
    loaded: bool = False  # whether external wrenches act
    shapes: Mapping[str, tuple] = field(default_factory=dict)  # of ports that are not columns

    def given(self, system: System) -> tuple[str, ...]:
        """Its inputs, and the time where time moves a placement."""
        timed = self.timed and system.rheonomic and "t" not in self.inputs
        return (*self.inputs, "t") if timed else self.inputs

    def reads(
        self, system: System, parameters: Collection[str] = (), wrenches: Collection[str] = ()
    ) -> list[str]:
        """Input ports of its kernel: its inputs, then declared parameters and wrenches."""
        ports = self.given(system)
        return [*ports, *["p"] * bool(parameters), *["w"] * bool(wrenches and self.loaded)]

    def shape(self, system: System, wrenches: Collection[str] = ()) -> dict[str, tuple[int, ...]]:
        """Shapes of ports that are not plain columns or matrices."""
        declared = {
            port: tuple(SIZES[x](system) if isinstance(x, str) else x for x in shape)
            for port, shape in self.shapes.items()
        }
        return {"t": (), "k": ()} | ({"w": (len(wrenches), 6)} if wrenches else {}) | declared


def quantity(inputs: str, outputs: str, **options: Any) -> Callable[[Formula], Formula]:
    """Decorate a formula: it is a quantity under its own name."""

    def register_formula(formula):
        new = Quantity(
            formula.__name__, formula, tuple(inputs.split()), tuple(outputs.split()), **options
        )
        QUANTITIES.named(formula.__name__)(new)
        return formula

    return register_formula


def find(name: str, framed: bool | None = None) -> Quantity:
    """The quantity of a name.

    `framed` asks for one of a body or frame (True) or of the whole system (False).
    """
    match = QUANTITIES.get(name)
    if match is None or framed not in (None, match.frame):
        names = [n for n, x in QUANTITIES.items() if framed is None or x.frame is framed]
        raise KernelError(unknown_name_message("quantity", name, names, "dynamics"))
    return match
