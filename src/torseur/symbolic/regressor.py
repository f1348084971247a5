"""Regressor: efforts as a linear function of inertial parameters, and base parameters.

EQ.7, EQ.8.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..scalars import Node, symbol, vector
from ..spatial import Inertia
from .base_inertial_parameters import point, regrouped
from .expression import ExactExpression, ExpressionTable
from .print.names import Names
from .print.normal_form import Reading
from .print.text import text
from .rational_functions import gauss

if TYPE_CHECKING:
    from .equations import Equations

TEN = ("m", "mx", "my", "mz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
PRIME = 2**61 - 1  # 3 modulo 4
KEPT = ("Ixx", "Ixy", "Ixz", "Iyz", "Izz", "mx", "my", "Iyy", "mz", "m")  # who is regrouped: last


@dataclass(frozen=True, eq=False)
class Regressor:
    """`tau = Y(q, v, a) p`, p the ten parameters of every link in its own frame, link by link.

    `parameters` are named "body.m", "body.mx", ..., "body.Iyz"; rotors on axes are not among them
    and stay in `rest`.
    """

    equations: Equations  # in those parameters as symbols
    values: np.ndarray  # what they are in the system, exact
    more: tuple = ()  # (name, kind, speed) of rotors and friction, which regroup with them

    @property
    def parameters(self) -> tuple[str, ...]:
        return tuple(f"{k.body}.{n}" for k in self.equations.system.links for n in TEN)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all parameters: inertial ones, then rotors and friction if requested."""
        return (*self.parameters, *(n for n, _, _ in self.more))

    @cached_property
    def Y(self) -> ExpressionTable:
        """The regressor, shape (nv, 10 links)."""
        eq, K = self.equations, self.equations.reading.K
        gens = [K[n] for n in self.parameters]
        return ExpressionTable(
            (eq.system.nv, len(gens)),
            lambda i, k: ExactExpression(eq.reading, K.derive(eq.efforts[i], gens[k])),
        )  # EQ.7

    def evaluate(self, q, v, a, parameters=None) -> np.ndarray:
        """The regressor at numbers, shape (..., nv, 10 links)."""
        from .evaluate import evaluate

        eq = self.equations
        n, m = self.Y.shape
        rows: list[list[Any]] = [[self.Y[i, k].x for k in range(m)] for i in range(n)]
        entries = np.array(rows or [[]], dtype=object)
        given = dict.fromkeys(self.parameters, 0.0) | dict(parameters or {})
        return evaluate(eq, entries.reshape(self.Y.shape), q, v, a, given)

    @cached_property
    def _base(self):
        return base(self)

    @property
    def rank(self) -> int:
        """Number of identifiable parameters or combinations."""
        return len(self._base[0])

    @property
    def zero(self) -> tuple[str, ...]:
        """Parameters without any effect on the efforts."""
        kept, relations = self._base
        names = self.names
        return tuple(
            names[k]
            for k in range(len(names))
            if k not in kept and not any(k in row for row in relations.values())
        )

    @property
    def base_parameters(self) -> dict[str, str]:
        """{kept parameter: the combination that acts}, such as "link2.Ixx - link2.Iyy"."""
        return combinations(self._base[1], self.names, self.equations.reading)

    @property
    def kept(self) -> tuple[int, ...]:
        """Columns of `Y` that are independent and span all."""
        return tuple(self._base[0])


def combinations(relations, names, reading) -> dict[str, str]:
    """{base parameter: identifiable combination}, from the relations of `base`."""
    show, out = Names(reading.system), {}
    for k, own in relations.items():
        words = names[k]
        for other, weight in sorted(own.items()):
            top, bottom = (text(reading.sum(reading.K.wrap(x)), show) for x in weight)
            if bottom != "1":
                piece = f"({top})/({bottom}) {names[other]}"
            elif len(weight[0]) > 1:
                piece = f"({top}) {names[other]}"
            else:
                piece = {"1": "", "-1": "-"}.get(top, f"{top} ") + names[other]
            words += f" - {piece[1:]}" if piece.startswith("-") else f" + {piece}"
        out[names[k]] = words
    return out


def base_parameters(system, more=()) -> dict[str, str]:
    """{base parameter: identifiable combination}, such as "link2.Ixx - link2.Iyy"."""
    from .generate import equations
    from .ring import open_ring

    S = open_ring(system)
    reading, K = Reading(system, S), S.K
    names = (*(f"{k.body}.{n}" for k in system.links for n in TEN), *(n for n, _, _ in more))
    timed = _timed(S)
    given = [p == "given" and n not in timed for n, p in zip(K.names, reading.parts, strict=True)]
    found = regrouped(S, given, more, order(len(system.links), len(names)))
    if found is None:
        return regressor(equations(system), more).base_parameters
    return combinations(found, names, reading)


def regressor(eq, more=()) -> Regressor:
    """The regressor of a set of equations.

    `more`: (name, kind, speed index; several for a shaft) of further unknowns: "rotor", an inertia
    on the speed; "offset", a constant effort; "viscous", in proportion to the speed; any other
    kind, a function of the speed that nothing else makes.
    """
    from .generate import equations

    system, rotors = eq.system, {i: n for n, kind, i in more if kind == "rotor"}
    links = tuple(
        replace(
            k,
            inertia=Inertia.of_parameters(symbol(f"{k.body}.{n}") for n in TEN),
            armature=vector(
                symbol(rotors[k.v.start + i]) if k.v.start + i in rotors else x
                for i, x in enumerate(k.armature)
            ),
        )
        for k in system.links
    )
    values = vector(x for k in system.links for x in k.inertia.parameters())
    return Regressor(
        equations(replace(system, links=links), **eq.made[1] | {"forces": False}),
        values,
        tuple(more),
    )


def base(r: Regressor):
    """Base columns, and for each the columns regrouped into it: {base: {other: weight}}."""
    K, names = r.equations.reading.K, r.names
    index = {n: i for i, n in enumerate(K.names)}
    column = {index[n]: c for c, n in enumerate(names) if n in index}
    timed = _timed(r.equations.reading.symbols)
    own = [
        p == "given" and n not in timed
        for n, p in zip(K.names, r.equations.reading.parts, strict=True)
    ]
    rows: dict[tuple, dict[int, dict]] = {}
    for i, x in enumerate(r.equations.efforts):
        if not isinstance(x, Node):
            continue
        for powers, k in x.x.terms():
            present = [(g, n) for g, n in enumerate(powers) if n]
            c = [column[g] for g, _ in present if g in column]
            if not c:
                continue
            given = tuple(f for f in present if own[f[0]] and f[0] not in column)
            shape = (i, *(f for f in present if not own[f[0]]))
            entry = rows.setdefault(shape, {}).setdefault(c[0], {})
            entry[given] = entry.get(given, 0) + k
    for place, (name, kind, i) in enumerate(r.more, len(r.parameters)):
        if isinstance(i, tuple):  # between speeds: a coordinate itself is no polynomial of others
            for j in i:
                one = r.equations.reading.K.ctx.constant(1).leading_coefficient()
                rows.setdefault((j, (name,)), {}).setdefault(place, {})[()] = one
            continue
        for shape, k in _friction(r, kind, i):
            rows.setdefault((i, *shape), {}).setdefault(place, {})[()] = k
    return _eliminate(
        K, sorted(rows.values(), key=len), order(len(r.equations.system.links), len(r.names))
    )  # EQ.8


def _timed(S) -> set[str]:
    """Generators that time moves: no constant of a relation."""
    turning = [n for n, (_, powers) in S.sines.items() if "t" in dict(powers)]
    return {"t"} | {f"{f}({n})" for n in turning for f in ("cos", "sin")}


def _friction(r: Regressor, kind: str, i: int):
    """(monomial, coefficient) of a friction's column in the effort of its own speed."""
    one = r.equations.reading.K.ctx.constant(1).leading_coefficient()
    if kind == "rotor":
        return []  # a symbol of the equations
    if kind == "offset":
        return [((), one)]
    if kind == "viscous":
        speed = r.equations.reading.symbols.v[i].x
        return [(tuple((g, n) for g, n in enumerate(p) if n), k) for p, k in speed.terms()]
    return [((kind,), one)]  # like no polynomial of the state


def order(links: int, columns: int) -> list[int]:
    """Columns in the order of preference as base columns."""
    inertial = [10 * k + TEN.index(n) for k in range(links) for n in KEPT]
    return inertial + list(range(10 * links, columns))


def _eliminate(K, rows, order):
    place = {c: n for n, c in enumerate(order)}
    prime, drawn = point(K, np.random.default_rng(11), PRIME)
    at = [drawn[n] for n in K.names]
    distinct: dict[tuple, dict] = {}
    for row in rows:  # rows modulo a prime, up to a factor
        numbers = [(place[c], x) for c, entry in row.items() if (x := _mod(entry, at, prime))]
        if numbers:
            numbers.sort()
            scale = pow(numbers[0][1], -1, prime)
            distinct.setdefault(tuple((c, x * scale % prime) for c, x in numbers), row)
    full = K.flint.nmod_mat(
        max(1, len(distinct)),
        max(1, len(order)),
        [0] * max(1, len(order)) * max(1, len(distinct)),
        prime,
    )
    for r, row_of in enumerate(distinct):
        for c, x in row_of:
            full[r, c] = x
    rank = full.rank()
    pivots: dict[int, dict[int, int]] = {}
    chosen: list[Any] = []
    for key, row in distinct.items():
        if len(chosen) == rank:
            break
        if _reduce_mod(dict(key), pivots, prime):
            chosen.append({place[c]: _poly(K, entry) for c, entry in row.items()})
    solved = gauss(K, chosen, sorted(pivots))
    kept = [order[p] for p in sorted(pivots)]
    return kept, {
        order[p]: {order[c]: w for c, w in solved[p].items() if c != p} for p in sorted(pivots)
    }


def _mod(entry, at, prime) -> int:
    total = 0
    for powers, k in entry.items():
        x = int(k.p) if k.q == 1 else int(k.p) * pow(int(k.q), -1, prime)
        for g, n in powers:
            x = x * pow(at[g], n, prime) % prime
        total += x
    return total % prime


def _reduce_mod(row, pivots, prime) -> bool:
    """Reduce a row by the pivots, and add a nonzero remainder as a pivot row."""
    row = {c: x for c, x in row.items() if x}
    while row:
        c = min(row)
        if c not in pivots:
            inverse = pow(row[c], -1, prime)
            pivots[c] = {k: x * inverse % prime for k, x in row.items()}
            return True
        factor = row[c]
        for k, x in pivots[c].items():
            left = (row.get(k, 0) - factor * x) % prime
            if left:
                row[k] = left
            else:
                row.pop(k, None)
    return False


def _poly(K, entry):
    total, gens = K.ctx.constant(0), K.ctx.gens()
    for powers, k in entry.items():
        term = K.ctx.constant(k)
        for g, n in powers:
            term = term * gens[g] ** n
        total = total + term
    return K.reduce(total), K.ctx.constant(1)
