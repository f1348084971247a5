"""Numbers of links that depend on parameters or the time: computed once a call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ...compiler import Program, read
from ...joints import TIME
from ...scalars import Node, symbols, vector
from ...system import System


def joint_symbols(joint: Any) -> tuple[str, ...]:
    """Names that formulas of a joint read: parameters, and the time that moves its frame."""
    constants = joint.constants()
    names = symbols(vector(constants)) if len(constants) else ()
    return (*names, *[TIME] * joint.rheonomic)


def has_link_expressions(system: System) -> bool:
    """Whether some number of a link depends on parameters or the time."""
    numbers = (
        x
        for k in system.links
        for x in (
            *k.X_PF.R.ravel(),
            *k.X_PF.p,
            *k.inertia.parameters(),
            *k.armature,
            *k.joint.constants(),
        )
    )
    return system.rheonomic or bool(symbols(vector([*system.gravity, *numbers])))


class LinkSymbols(NamedTuple):
    """The symbols that numbers of links depend on: the time, and all parameters."""

    t: Any
    p: Any


class LinkNumbers:
    """A table of numbers, some of which a small program computes from the time and parameters.

    Equal expressions are computed once: a chain whose links all have the length `L` has one, and
    each link has a slot in the table that takes its value.
    """

    name = "numbers"

    def __init__(self, K: Any, inputs: LinkSymbols):
        self.K, self.inputs = K, inputs
        self._indices: dict[int, int] = {}
        self._expressions: list = []

    def index(self, x: Any) -> int | None:
        """Index of an expression among the results of the program, None for a constant."""
        if not isinstance(x, Node) or x.x.is_constant():
            return None
        key = x.x.element_hash()  # SX keeps one node of equal ones that are alive
        if key not in self._indices:
            self._indices[key] = len(self._expressions)
            self._expressions.append(x)
        return self._indices[key]

    def split(self, values: Iterable) -> tuple[list[float], list[int]]:
        """Constants, zero where the program fills them in, and pairs of slot and result."""
        table, fill = [], []
        for slot, x in enumerate(values):
            result = self.index(x)
            is_constant = result is None
            table.append(float(x.x if isinstance(x, Node) else x) if is_constant else 0.0)
            fill += [] if result is None else [slot, result]
        return table, fill

    def __len__(self) -> int:
        return len(self._expressions)

    @property
    def program(self) -> Program:
        """The program from the time and the parameters to the expressions."""
        K = self.K
        results = K.lib.densify(K.sx(vector(self._expressions)))
        return read(K.lib.Function(self.name, [K.sx(vector(x)) for x in self.inputs], [results]))


def pad_rows(rows: Iterable[list], stride: int) -> Iterator:
    """Numbers of rows of several lengths, each padded with zeros to the stride."""
    for row in rows:
        yield from row
        yield from [0.0] * (stride - len(row))
