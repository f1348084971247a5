"""Classes of equal parts of a mechanism: subtrees of the world, constraints with their links.

Members of a class differ in their numbers alone.  A class is a template whose differing numbers are
symbols.  The formulas of the mechanism are traced once on each template.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...constraints import inside, interval_slots
from ...dynamics import base_inertias, element_rows, terms
from ...kinematics import integrate, rates
from ...scalars import Graph, Node, Value, vector
from ...scalars.values import value
from ...spatial import Inertia, Pose
from ...system import (
    Link,
    Links,
    MaskedElement,
    NotEquivalent,
    Tree,
    alike,
    equivalent_constraints,
    grouped,
    quarter,
    slots,
)

if TYPE_CHECKING:
    from ...system import System

CONSTANT_RESIDUAL = 1e-12  # [m, rad] largest residual that no coordinate changes


def fill_template(links: Links, K: Any, index: int, entries) -> Link:
    """A link with other numbers, scalars of kind `K`."""
    k = links.system.links[index - 1]
    R = k.X_PF.turns if quarter(k.X_PF) else vector(entries[:9]).reshape(3, 3)
    return replace(
        k,
        X_PF=Pose(R, vector(entries[9:12])),
        inertia=Inertia.of_parameters(vector(entries[12:22])),
        armature=vector(entries[22:]),
    )


@dataclass(frozen=True, eq=False)
class Template:
    """Numbers of the members of a kind: the same for all, symbols `c`, or symbols `p` for those
    that are made of parameters."""

    K: Graph
    entries: list[Any]
    c: np.ndarray
    constants: np.ndarray  # (members, len(c))
    p: np.ndarray
    named: list[list[Value]]  # (members, len(p)), expressions of parameters

    @classmethod
    def from_rows(cls, rows: list[list], names: tuple[str, ...] = ()) -> Template:
        """Of rows of numbers; `names` are parameters that formulas ask for themselves."""
        K, rows = Graph(), [[*row, *map(value.symbol, names)] for row in rows]
        expressions = [j for j, x in enumerate(rows[0]) if isinstance(x, Value)]
        table = np.array([[0 if isinstance(x, Value) else x for x in row] for row in rows], float)
        differing = np.flatnonzero((table != table[0]).any(axis=0))
        entries: list[Any] = [int(x) if x == int(x) else x for x in table[0].tolist()]
        c, p = (
            K.symbols(f"{x}{j}" for j in at) for x, at in (("c", differing), ("p", expressions))
        )
        for j, symbol in zip((*differing, *expressions), (*c, *p), strict=True):
            entries[j] = symbol
        K.parameters.update(zip(names, entries[len(entries) - len(names) :], strict=True))
        entries = entries[: len(entries) - len(names)]
        return cls(
            K, entries, c, table[:, differing], p, [[row[j] for j in expressions] for row in rows]
        )

    def largest_value(self, y) -> float:
        """The largest of numbers made of constants alone, whatever the member; of parameters,
        nobody knows."""
        if not y:
            return 0.0
        if len(self.p) and self.K.lib.depends_on(self.K.sx(vector(y)), self.K.sx(self.p)):
            return np.inf
        made, none = self.function([], y), np.zeros(len(self.p))
        return max(abs(float(x)) for c in self.constants for x in made(c, none).elements())

    def function(self, x, y):
        """The `casadi.Function` of constants and numbers, after which come those of parameters."""
        K = self.K
        return K.lib.Function("piece", [K.sx(self.c), K.sx(vector([*x, *self.p]))],
                              [K.lib.densify(K.sx(vector(y)))], ["c", "x"], ["y"])  # fmt: skip


def _parameter_names(links: Links, links_read, expressions=()) -> tuple[str, ...]:
    """Parameters that joints, and other numbers, name themselves."""
    joints = (x for k in links_read for x in k.joint.constants())
    names = value.symbols(vector([*joints, *expressions]))
    return tuple(n for n in names if n in links.system.parameters)


class SubtreeClass:
    """Subtrees of the world that are alike: members are lists of links."""

    def __init__(self, links: Links, members: list[list[int]]):
        member_links = [links.system.links[i - 1] for i in members[0]]
        self.q = [slots((links.system.links[i - 1] for i in m), "q") for m in members]
        self.v = [slots((links.system.links[i - 1] for i in m), "v") for m in members]
        rows = [[x for i in m for x in links.numbers[i - 1]] for m in members]
        template = Template.from_rows(
            [[*row, *links.gravity] for row in rows], _parameter_names(links, member_links)
        )
        self.template, K, supply = template, template.K, iter(template.entries)
        index_of, tree_links, nq, nv = {0: 0}, [], 0, 0
        for n, k in enumerate(member_links, 1):
            entries = [next(supply) for _ in range(22 + k.joint.nv)]
            index_of[k.index] = n
            spans = slice(nq, nq + k.joint.nq), slice(nv, nv + k.joint.nv)
            nq, nv = spans[0].stop, spans[1].stop
            link = fill_template(links, K, k.index, entries)
            tree_links.append(
                replace(link, index=n, parent=index_of[k.parent], q=spans[0], v=spans[1])
            )
        self.tree = Tree(K, tuple(tree_links), vector(supply), nq, nv, {})
        self.symbols = {x: K.symbols(f"{x}{i}" for i in range(n)) for x, n in
                        (("q", nq), ("v", nv), ("dv", nv))}  # fmt: skip

    @cached_property
    def terms(self) -> tuple[np.ndarray, np.ndarray]:
        """Mass matrix and bias."""
        return terms(
            base_inertias.regroup_inertias(self.tree), self.symbols["q"], self.symbols["v"]
        )

    @cached_property
    def pattern(self) -> list[tuple[int, int]]:
        """Entries (i, j), i >= j, of the mass matrix that are there."""
        M = self.terms[0]
        return [(i, j) for i in range(len(M)) for j in range(i + 1) if is_nonzero(M[i, j])]

    @cached_property
    def rates(self) -> np.ndarray:
        return rates(self.tree, self.symbols["q"], self.symbols["v"])

    @cached_property
    def stepped(self) -> np.ndarray:
        """Coordinates after a small motion."""
        return integrate(self.tree, self.symbols["q"], self.symbols["dv"])


def is_nonzero(x) -> bool:
    """Whether a scalar is not exactly zero by structure."""
    return isinstance(x, Node) or x != 0


def subtrees(links: Links) -> list[SubtreeClass]:
    """Every link once."""
    root: dict[int, int] = {}
    for k in links.system.links:
        root[k.index] = root[k.parent] if k.parent else k.index
    members = [*grouped([root[k.index] for k in links.system.links]).values()]
    members = [[i + 1 for i in m] for m in members]
    keys = []
    for m in members:
        index_of = {0: 0} | {i: n for n, i in enumerate(m, 1)}
        parts = ((index_of[links.system.links[i - 1].parent], links.shapes[i - 1]) for i in m)
        keys.append(tuple(parts))
    return [
        SubtreeClass(links, [members[i] for i in members_of])
        for members_of in grouped(keys).values()
    ]


class ConstraintClass:
    """Constraints that are alike, with the links that they read."""

    def __init__(self, links: Links, members: list[int], masked: list[MaskedElement]):
        system, self.members = links.system, members
        rows = [
            [x for i in m.element.links for x in links.numbers[i - 1]] + m.numbers for m in masked
        ]
        first = masked[0].element
        read = [system.links[i - 1] for i in first.links]
        template = Template.from_rows(rows, _parameter_names(links, read, first.numbers()))
        self.template, K, supply = template, template.K, iter(template.entries)
        tree_links = list(system.links)
        for i in first.links:
            entries = [next(supply) for _ in range(22 + system.links[i - 1].joint.nv)]
            tree_links[i - 1] = fill_template(links, K, i, entries)
        K.parameters.update({f"_r{n}_": x for n, x in enumerate(supply)})
        self.q = [slots((system.links[i - 1] for i in m.element.links), "q") for m in masked]
        self.v = [slots((system.links[i - 1] for i in m.element.links), "v") for m in masked]
        self.tree = Tree(K, tuple(tree_links), vector((0, 0, 0)), system.nq, system.nv, {})
        q, v = vector([0] * system.nq), vector([0] * system.nv)
        q[self.q[0]], v[self.v[0]] = (
            K.symbols(f"{x}{i}" for i in range(len(columns)))
            for x, columns in (("q", self.q[0]), ("v", self.v[0]))
        )
        self.t = K.symbol("t")
        self.history, self.m = self._table_segments(system, K)
        self.symbols = {"q": q[self.q[0]], "v": v[self.v[0]]}
        self.element, self.columns = masked[0].element, q
        part = element_rows(self.tree, self.element, 0, self.t, q, v)
        self.phi, self.psi, self.gamma = part[0], part[1], part[3]
        self.J = [[row[j] for j in self.v[0]] for row in part[2]]
        self.names = [n[len(self.element.name) + 1 :] for n in part[4]]
        if not self.element.speeds:
            residual = self.element.residual(self.tree, self.t, q)
            residual_nodes: list[Any] = [x for x in residual if isinstance(x, Node)]
            moving = K.sx(vector([self.t, *self.symbols["q"]]))
            fixed = [x for x in residual_nodes if not K.lib.depends_on(K.sx(x), moving)]
            if (
                len(self.phi) != len(residual_nodes) - len(fixed)
                or template.largest_value(fixed) > CONSTANT_RESIDUAL
            ):
                raise NotEquivalent("a residual that no coordinate changes")

    def _table_segments(self, system: System, K: Any) -> tuple[np.ndarray, list[tuple[int, ...]]]:
        """What is remembered of the piece of a table that drives are in: symbols, and slots."""
        slots_of = interval_slots(system)
        names = [system.held[i].keeper or "" for i in self.members]
        if names[0] not in slots_of:
            return K.symbols(()), [()] * len(names)
        bounds = K.symbols(("low", "high"))
        K.parameters[names[0]] = inside(K, bounds[0], bounds[1], self.t)  # CO.18
        return bounds, [slots_of[x] for x in names]

    @property
    def each(self) -> Iterator[tuple[int, list[int], list[int]]]:
        """Members, with slots of the coordinates and speeds that they read."""
        return zip(self.members, self.q, self.v, strict=True)

    @property
    def size(self) -> int:
        """Rows of each."""
        return len(self.gamma)


def constraint_classes(links: Links) -> list[ConstraintClass]:
    """Every constraint that always holds, once."""
    s = links.system
    return [
        ConstraintClass(links, *x)
        for x in (alike(links, s.held) if s.switched else equivalent_constraints(s))
    ]
