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
from .base_inertial_parameters import draw_point
from .expression import ExactExpression, ExpressionTable
from .print.names import Names
from .print.text import text
from .rational_functions import gauss

if TYPE_CHECKING:
    from .equations import Equations

INERTIAL_NAMES = ("m", "mx", "my", "mz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
PRIME = 2**61 - 1  # 3 modulo 4
# who is regrouped: last
BASE_ORDER = ("Ixx", "Ixy", "Ixz", "Iyz", "Izz", "mx", "my", "Iyy", "mz", "m")


@dataclass(frozen=True, eq=False)
class Regressor:
    """`tau = Y(q, v, a) p`, p the ten parameters of every link in its own frame, link by link.

    `parameters` are named "body.m", "body.mx", ..., "body.Iyz"; rotors on axes are not among them
    and stay in `rest`.
    """

    equations: Equations  # in those parameters as symbols
    values: np.ndarray  # what they are in the system, exact
    unknowns: tuple = ()  # (name, kind, speed) of rotors and friction, which regroup with them

    @property
    def parameters(self) -> tuple[str, ...]:
        return tuple(f"{k.body}.{n}" for k in self.equations.system.links for n in INERTIAL_NAMES)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all parameters: inertial ones, then rotors and friction if requested."""
        return (*self.parameters, *(n for n, _, _ in self.unknowns))

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
        values = dict.fromkeys(self.parameters, 0.0) | dict(parameters or {})
        return evaluate(eq, entries.reshape(self.Y.shape), q, v, a, values)

    @cached_property
    def _base(self):
        return find_base(self)

    @property
    def rank(self) -> int:
        """Number of identifiable parameters or combinations."""
        return len(self._base[0])

    @property
    def zero(self) -> tuple[str, ...]:
        """Parameters without any effect on the efforts."""
        base_columns, relations = self._base
        names = self.names
        return tuple(
            names[k]
            for k in range(len(names))
            if k not in base_columns and not any(k in row for row in relations.values())
        )

    @property
    def base_parameters(self) -> dict[str, str]:
        """{kept parameter: the combination that acts}, such as "link2.Ixx - link2.Iyy"."""
        return format_combinations(self._base[1], self.names, self.equations.reading)

    @property
    def kept(self) -> tuple[int, ...]:
        """Columns of `Y` that are independent and span all."""
        return tuple(self._base[0])


def format_combinations(relations, names, reading) -> dict[str, str]:
    """{base parameter: identifiable combination}, from the relations of `find_base`."""
    show, out = Names(reading.system), {}
    for k, weights in relations.items():
        sum_text = names[k]
        for other, weight in sorted(weights.items()):
            top, bottom = (text(reading.sum(reading.K.wrap(x)), show) for x in weight)
            if bottom != "1":
                term = f"({top})/({bottom}) {names[other]}"
            elif len(weight[0]) > 1:
                term = f"({top}) {names[other]}"
            else:
                term = {"1": "", "-1": "-"}.get(top, f"{top} ") + names[other]
            sum_text += f" - {term[1:]}" if term.startswith("-") else f" + {term}"
        out[names[k]] = sum_text
    return out


def regressor(eq, unknowns=()) -> Regressor:
    """The regressor of a set of equations.

    `unknowns`: (name, kind, speed index; several for a shaft) of further unknowns: "rotor", an
    inertia on the speed; "offset", a constant effort; "viscous", in proportion to the speed; any
    other kind, a function of the speed that nothing else makes.
    """
    system, rotors = eq.system, {i: n for n, kind, i in unknowns if kind == "rotor"}
    links = tuple(
        replace(
            k,
            inertia=Inertia.of_parameters(symbol(f"{k.body}.{n}") for n in INERTIAL_NAMES),
            armature=vector(
                symbol(rotors[k.v.start + i]) if k.v.start + i in rotors else x
                for i, x in enumerate(k.armature)
            ),
        )
        for k in system.links
    )
    values = vector(x for k in system.links for x in k.inertia.parameters())
    return Regressor(
        eq._derive(replace(system, links=links), forces=False),
        values,
        tuple(unknowns),
    )


def find_base(r: Regressor):
    """Base columns, and for each the columns regrouped into it: {base: {other: weight}}."""
    K, names = r.equations.reading.K, r.names
    index = {n: i for i, n in enumerate(K.names)}
    column = {index[n]: c for c, n in enumerate(names) if n in index}
    time_generators = time_dependent_generators(r.equations.reading.symbols)
    is_constant = [
        p == "given" and n not in time_generators
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
            constants = tuple(f for f in present if is_constant[f[0]] and f[0] not in column)
            shape = (i, *(f for f in present if not is_constant[f[0]]))
            entry = rows.setdefault(shape, {}).setdefault(c[0], {})
            entry[constants] = entry.get(constants, 0) + k
    for unknown_column, (name, kind, i) in enumerate(r.unknowns, len(r.parameters)):
        if isinstance(i, tuple):  # between speeds: a coordinate itself is no polynomial of others
            for j in i:
                one = r.equations.reading.K.ctx.constant(1).leading_coefficient()
                rows.setdefault((j, (name,)), {}).setdefault(unknown_column, {})[()] = one
            continue
        for shape, k in _friction(r, kind, i):
            rows.setdefault((i, *shape), {}).setdefault(unknown_column, {})[()] = k
    return _eliminate_columns(
        K,
        sorted(rows.values(), key=len),
        elimination_order(len(r.equations.system.links), len(r.names)),
    )  # EQ.8


def time_dependent_generators(S) -> set[str]:
    """Generators that time moves: no constant of a relation."""
    angles = [n for n, (_, powers) in S.sines.items() if "t" in dict(powers)]
    return {"t"} | {f"{f}({n})" for n in angles for f in ("cos", "sin")}


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


def elimination_order(links: int, columns: int) -> list[int]:
    """Columns in the order of preference as base columns."""
    inertial = [10 * k + INERTIAL_NAMES.index(n) for k in range(links) for n in BASE_ORDER]
    return inertial + list(range(10 * links, columns))


def _eliminate_columns(K, rows, order):
    position = {c: n for n, c in enumerate(order)}
    prime, drawn = draw_point(K, np.random.default_rng(11), PRIME)
    at = [drawn[n] for n in K.names]
    distinct: dict[tuple, dict] = {}
    for row in rows:  # rows modulo a prime, up to a factor
        numbers = [
            (position[c], x) for c, entry in row.items() if (x := _reduce_entry(entry, at, prime))
        ]
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
    independent_rows: list[Any] = []
    for key, row in distinct.items():
        if len(independent_rows) == rank:
            break
        if _reduce_row(dict(key), pivots, prime):
            independent_rows.append(
                {position[c]: _as_polynomial(K, entry) for c, entry in row.items()}
            )
    solved = gauss(K, independent_rows, sorted(pivots))
    base_columns = [order[p] for p in sorted(pivots)]
    return base_columns, {
        order[p]: {order[c]: w for c, w in solved[p].items() if c != p} for p in sorted(pivots)
    }


def _reduce_entry(entry, at, prime) -> int:
    total = 0
    for powers, k in entry.items():
        x = int(k.p) if k.q == 1 else int(k.p) * pow(int(k.q), -1, prime)
        for g, n in powers:
            x = x * pow(at[g], n, prime) % prime
        total += x
    return total % prime


def _reduce_row(row, pivots, prime) -> bool:
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


def _as_polynomial(K, entry):
    total, gens = K.ctx.constant(0), K.ctx.gens()
    for powers, k in entry.items():
        term = K.ctx.constant(k)
        for g, n in powers:
            term = term * gens[g] ** n
        total = total + term
    return K.reduce(total), K.ctx.constant(1)
