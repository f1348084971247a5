"""The register of quantities: each a name, its ports and its formula, in one decorated function.

    @quantity("q v", "h")
    def momentum(s, q, v):
        from ...dynamics import momentum

        return momentum(s.tree, q, v)

A formula takes a `Scene` (a system over one scalar) and the columns of its inputs, and gives its
outputs in order; it imports what it needs itself, so that code from the cache opens no room.
`ways` evaluates it: compiled, as an interpreted graph, or by columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..errors import KernelError, unknown_name
from ..register import Register

Formula = TypeVar("Formula", bound=Callable[..., Any])
MOTION = ("t", "q", "v", "z", "m", "u")
"""The state of a whole motion, as formulas of it take it."""
PORTS = (*MOTION, "p")
"""What every kernel of a simulation reads, in this order."""
THRESHOLD = 60
"""Speeds beyond which a kernel is a loop over links instead of straight-line code."""
FEWEST = 140
"""Speeds and rows of constraints from which parts that are alike are looked for."""
COLUMNS = range(4, 201)
"""Speeds with which columns of a matrix are worth code of their own."""

SIZES = {
    "nv": lambda s: s.nv,
    "links": lambda s: len(s.links),
    "n": lambda s: s.nq + s.nv + len(s.layout.z),
}
"""What a size in a shape stands for; n is that of the whole state."""


def many_rows(system) -> bool:
    """Whether a system has so many constraints that parts of it which are alike are worth loops."""
    rows = sum(e.size for e in system.held)
    return bool(rows) and system.nv + rows >= FEWEST and not system.shared


QUANTITIES: Register = Register("quantity", f"{__package__}.formulas")


@dataclass(frozen=True, eq=False)
class Quantity:
    """Something that can be computed of a system."""

    name: str
    formula: Callable
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    frame: bool = False  # whether it is of one body or frame, named first
    timed: bool = True  # whether time enters where it moves a placement
    loaded: bool = False  # whether external wrenches enter
    rolled: bool = False  # whether long trees have a loop for it
    lanes: bool = True  # whether many rows at once are worth code of their own
    rare: bool = False  # whether it is evaluated at events only
    called: bool = False  # whether parts that occur several times are routines in its code
    staged: tuple[Callable, Callable, Callable] | None = None
    """Formulas of two matrices and of numbers that all their columns share; of one column; how many
    numbers they share."""
    beside: Callable | None = None
    """Gives it, or the first of two stages, with links and pairs side by side, or None."""
    shapes: Mapping[str, tuple] = field(default_factory=dict)  # of what is no plain column

    def given(self, system) -> tuple[str, ...]:
        """Its inputs, and the time where that moves a placement."""
        timed = self.timed and system.rheonomic and "t" not in self.inputs
        return (*self.inputs, "t") if timed else self.inputs

    def reads(self, system, parameters=(), wrenches=()) -> list[str]:
        """Ports that a kernel reads: what it is given, then declared parameters and wrenches."""
        own = self.given(system)
        return [*own, *["p"] * bool(parameters), *["w"] * bool(wrenches and self.loaded)]

    def shape(self, system, wrenches=()) -> dict[str, tuple[int, ...]]:
        """Shapes of ports that are not plain columns or matrices."""
        own = {
            port: tuple(SIZES[x](system) if isinstance(x, str) else x for x in shape)
            for port, shape in self.shapes.items()
        }
        return {"t": (), "k": ()} | ({"w": (len(wrenches), 6)} if wrenches else {}) | own

    def looped(self, system, parameters=(), wrenches=()) -> bool:
        """Whether it is computed by a loop over the links of a system."""
        return self.long(system) and not (parameters or wrenches or system.rheonomic)

    def long(self, system) -> bool:
        """Whether there is such a loop, and a system is long enough for it."""
        return self.rolled and system.nv > THRESHOLD and not system.shared

    @property
    def in_stages(self) -> bool:
        """Whether its code may be made of stages."""
        return self.staged is not None or self.beside is not None

    def columned(self, system) -> bool:
        """Whether it is computed in two stages, the second the same for all columns."""
        return self.staged is not None and system.nv in COLUMNS


def quantity(inputs: str, outputs: str, **options: Any) -> Callable[[Formula], Formula]:
    """Decorate a formula: it is a quantity under its own name."""

    def keep(formula):
        made = Quantity(
            formula.__name__, formula, tuple(inputs.split()), tuple(outputs.split()), **options
        )
        QUANTITIES.named(formula.__name__)(made)
        return formula

    return keep


def find(name: str, framed: bool | None = None) -> Quantity:
    """The quantity of a name, of a frame or not; told when there is none."""
    found = QUANTITIES.get(name)
    if found is None or framed not in (None, found.frame):
        known = [n for n, x in QUANTITIES.items() if framed is None or x.frame is framed]
        raise KernelError(unknown_name("quantity", name, known, "dynamics"))
    return found
