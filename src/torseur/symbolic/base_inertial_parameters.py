"""Base inertial parameters from link energies (Gautier 1990; Mayeda 1990).  EQ.18.

A parameter is dependent if the joint does not change its energy except by a combination of others.
No equation is expanded, so oblique axes cost no more time.  `identify.robots.base_parameters` finds
the base parameters of measured data by numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ..scalars import Node, vector
from ..spatial import Inertia, cross
from .rational_functions import gauss, minus, times

PRIME = 2**521 - 1  # 3 modulo 4, as those below that are tried: roots are powers
MAX_FRACTION_TERM = 2**240  # numerators and denominators of weights that are plain numbers, at most
DRAWS = 2  # of the model's constants: plain numbers are the same for all
MAX_DRAWN_INTEGER = 30  # states of exact rows have whole numbers below
Weights = dict[int, Any]  # {column: weight, a quotient of polynomials in the model's constants}


def regroup_parameters(S, is_constant, unknowns, order) -> dict[int, Weights] | None:
    """Base columns, and for each the columns regrouped into it: {base: {other: weight}}.

    `is_constant` tells which generators are constants. `unknowns` are rotors and friction as in
    `regressor`. `order` is the order of preference of the columns. None where joints are moved by
    time or by functions that the ring lacks.
    """
    if S.functions or any(k.joint.rheonomic or k.joint.functional for k in S.tree.links):
        return None
    ten = 10 * len(S.tree.links)
    other_columns = [
        c for c, (_, kind, _) in enumerate(unknowns, ten) if kind not in ("rotor", "offset")
    ]
    links, one, rank = (
        LinkEnergies.from_symbols(S, is_constant, unknowns),
        S.K.ctx.constant(1),
        np.argsort(order),
    )
    draws = [links.rows_modulo_prime(seed) for seed in range(DRAWS)]
    link_weights: list[Any] = [[{}] * 10]  # of each link its ten columns by those that are kept
    base_columns, out = {*other_columns}, dict[int, Weights]()
    for n, columns in enumerate(links.columns):
        columns = sorted(columns, key=lambda c: rank[c])
        relations: list[Any] = [
            _rational_relations(p, [[row[c] for c in columns] for row in rows[n]])
            for p, rows in draws
        ]
        weights: dict[int, Weights] = {c: {c: (one, one)} for c in columns}
        up = [links.parent_parameters[n].get(c, ()) for c in columns]
        for j, c in enumerate(columns):
            if j not in relations[0]:
                base_columns.add(c)
                continue
            if any(w[j] is None or w != relations[0] for w in relations):
                relations = [links.exact_relations(n, columns, relations[0])]
            link_relations = {i: _as_quotient(S.K, w) for i, w in relations[0][j].items()}
            relation: Weights = {columns[i]: w for i, w in link_relations.items()}
            for i, w in [(j, (one, one)), *((i, (-a, b)) for i, (a, b) in link_relations.items())]:
                for x, above in zip(up[i], link_weights[links.parents[n]], strict=False):
                    _add_weights(S.K, relation, above, times(S.K, w, _as_quotient(S.K, x)))
            weights[c] = relation
        out |= weights
        link_weights.append([weights[10 * n + j] for j in range(10)])
    rows: dict[int, Weights] = {c: {} for c in sorted(base_columns, key=lambda c: rank[c])}
    for c, link_relations in out.items():
        for base, w in link_relations.items():
            if c != base and w is not None:
                rows[base][c] = w
    return rows


def _as_quotient(K, x) -> Any:
    """A number or an element as a quotient, None for zero."""
    if isinstance(x, tuple) or x is None:
        return x
    return (K.poly(x), K.ctx.constant(1)) if isinstance(x, Node) or x else None


def _add_weights(K, weights, terms, factor) -> None:
    """Add a multiple of other weights."""
    for c, w in terms.items():
        if (product := times(K, factor, w)) is not None:
            weights[c] = minus(K, weights.get(c), (-product[0], product[1]))


class Scalar(NamedTuple):
    """How elements of the ring become numbers at a state."""

    at: Callable
    rest: Callable  # what is left of a sum of products
    half: Any


@dataclass(frozen=True, eq=False)
class LinkEnergies:
    """Energies of the unit parameters of every link, of rotors and of offsets."""

    S: Any
    is_constant: list[bool]
    parents: list[int]
    columns: list[list[int]]  # of each link
    extras: dict[int, list[tuple[int, str]]]  # {speed: columns of rotors and offsets, kinds}
    # of each column what it is of the parent, at rest
    parent_parameters: list[dict[int, np.ndarray]]

    @classmethod
    def from_symbols(cls, S, is_constant, unknowns) -> LinkEnergies:
        extras: dict[int, list[tuple[int, str]]] = {}
        for c, (_, kind, i) in enumerate(unknowns, 10 * len(S.tree.links)):
            if kind in ("rotor", "offset"):
                extras.setdefault(i, []).append((c, kind))
        columns, parent_parameters = [], []
        for n, k in enumerate(S.tree.links):
            zero = vector(0 for _ in range(k.joint.nq))
            if (i := k.joint.quaternion) is not None:
                zero[i] = 1
            X = k.X_PF @ k.joint.pose(S.K, zero)
            units = np.eye(10, dtype=int).astype(object)
            transformed = [Inertia.of_parameters(e).moved(X).parameters() for e in units]
            parent_parameters.append({10 * n + j: x for j, x in enumerate(transformed)})
            extra_columns = (c for i in range(k.v.start, k.v.stop) for c, _ in extras.get(i, ()))
            columns.append([*parent_parameters[n], *extra_columns])
        return cls(
            S, is_constant, [k.parent for k in S.tree.links], columns, extras, parent_parameters
        )

    def rows(self, scalar: Scalar, back, last: int) -> list[dict[int, Any]]:
        """Changes of the energy of each column by the joint of a link, at a state."""
        S, K, (at, rest, half) = self.S, self.S.K, scalar
        states: list[Any] = [(vector((0,) * 6), at(S.tree.gravity), 0)]
        energies: list[Any] = [_parameter_energies(states[0], scalar)]
        out = []
        for n, k in enumerate(S.tree.links[: last + 1]):
            V, g, height = states[k.parent]
            X = k.X_PF @ k.joint.pose(K, S.q[k.q])
            R, p = at(X.R), at(X.p)
            V = np.concatenate([R.T @ V[:3], R.T @ (V[3:] + cross(V[:3], p))])
            if k.joint.nv:
                V = V + at(k.joint.subspace(K, S.q[k.q])) @ at(S.v[k.v])
            states.append((rest(V), rest(R.T @ g), rest(height + g @ p)))
            energies.append(_parameter_energies(states[-1], scalar))
            changed = rest(energies[-1] - back[n] @ energies[k.parent])  # EQ.18
            row = dict(zip(self.parent_parameters[n], changed, strict=True))
            for i in range(k.v.start, k.v.stop):
                for c, kind in self.extras.get(i, ()):
                    if kind == "rotor":
                        row[c] = rest(at(S.v[i : i + 1]) ** 2 * half)[0]
                    else:
                        j = k.q.start + i - k.v.start
                        row[c] = at(S.q[j : j + 1])[0]
            out.append(row)
        return out

    def rows_modulo_prime(self, seed: int) -> tuple[int, list[list[dict[int, int]]]]:
        """A prime, and rows modulo it of every link at states drawn at random."""
        K, rng = self.S.K, np.random.default_rng(seed)
        fixed = [n for n, is_constant in zip(K.names, self.is_constant, strict=True) if is_constant]
        prime, first = draw_point(K, rng, PRIME)

        def scalar(at) -> Scalar:
            residues = np.vectorize(lambda e: reduce_modulo(e, at, prime), otypes=[object])
            return Scalar(residues, lambda x: x % prime, pow(2, -1, prime))

        back = [
            scalar(first).at(np.array([*m.values()], dtype=object)) for m in self.parent_parameters
        ]
        every = [
            self.rows(
                scalar(draw_point(K, rng, prime, {n: first[n] for n in fixed})[1]),
                back,
                len(self.columns),
            )
            for _ in range(2 * max(map(len, self.columns), default=0))
        ]
        return prime, [*map(list, zip(*every, strict=True))]

    def exact_relations(self, n: int, columns, dependent) -> dict[int, dict[int, Any]]:
        """Relations of a link's columns, weights in the model's constants."""
        K, rng = self.S.K, np.random.default_rng(n)
        back = [np.array([*m.values()], dtype=object) for m in self.parent_parameters]
        pivots = [j for j in range(len(columns)) if j not in dependent]
        rows = []
        for _ in pivots:
            at = _draw_rational_point(K, rng, self.is_constant)

            def substituted(e, at=at):
                e = K.wrap(K.reduce(e.x.compose(*at, ctx=K.ctx))) if isinstance(e, Node) else e
                return e

            substitute_entries = np.vectorize(substituted, otypes=[object])
            row = self.rows(Scalar(substitute_entries, lambda x: x, Fraction(1, 2)), back, n)[n]
            quotients = ((j, _as_quotient(K, row[c])) for j, c in enumerate(columns))
            rows.append({j: x for j, x in quotients if x is not None})
        solved = gauss(K, rows, pivots)
        return {j: {p: row[j] for p, row in solved.items() if j in row} for j in dependent}


def _parameter_energies(state, scalar: Scalar) -> np.ndarray:
    """Energies of the ten unit parameters of a link: kinetic energy minus work of gravity."""
    V, g, height = state
    w, u, half = V[:3], V[3:], scalar.half
    squares = [x * x * half for x in w]
    mixed = [w[0] * w[1], w[0] * w[2], w[1] * w[2]]
    mass = (u @ u) * half - height
    return scalar.rest(vector((mass, *(cross(u, w) - g), *squares, *mixed)))


def _rational_relations(prime, rows) -> dict[int, dict[int, Fraction] | None]:
    """{dependent column: {independent column: weight}}, or None where a weight is not a number."""
    pivots: dict[int, list[int]] = {}
    for row in rows:
        for c, pivot_row in pivots.items():
            if row[c]:
                row = [(x - row[c] * y) % prime for x, y in zip(row, pivot_row, strict=True)]
        if not any(row):
            continue
        c = next(c for c, x in enumerate(row) if x)
        inverse = pow(row[c], -1, prime)
        row = [x * inverse % prime for x in row]
        for at, pivot_row in pivots.items():
            pivots[at] = [
                (x - pivot_row[c] * y) % prime for x, y in zip(pivot_row, row, strict=True)
            ]
        pivots[c] = row
    out: dict[int, dict[int, Fraction] | None] = {}
    for c in range(len(rows[0])):
        if c not in pivots:
            weights = {
                p: _reconstruct_fraction(row[c], prime) for p, row in pivots.items() if row[c]
            }
            rational = {p: w for p, w in weights.items() if w is not None}
            out[c] = rational if len(rational) == len(weights) else None
    return out


def _reconstruct_fraction(x: int, prime: int) -> Fraction | None:
    """The number with small numerator and denominator that x is modulo a prime, if any."""
    a, b, s, t = prime, x, 0, 1
    while b > MAX_FRACTION_TERM:
        a, b, s, t = b, a % b, t, s - a // b * t
    return Fraction(b, t) if 0 < abs(t) <= MAX_FRACTION_TERM else None


def draw_point(K, rng, p: int, fixed: dict[str, int] | None = None) -> tuple[int, dict[str, int]]:
    """A prime, and the generators of the ring modulo it at a random point that satisfies their
    relations.

    The prime is the largest up to p that has the roots. `fixed` generators are not random.
    """
    at = {n: int(x) for n, x in zip(K.names, rng.integers(2, 2**61, len(K.names)), strict=True)}
    roots = {n: Fraction(n[5:-1]) for n in K.constants if n.startswith("sqrt")}
    while True:
        squares = {n: x.numerator * pow(x.denominator, -1, p) % p for n, x in roots.items()}
        root_values = {n: pow(x, (p + 1) // 4, p) for n, x in squares.items()}
        if all(root_values[n] ** 2 % p == x for n, x in squares.items()):
            break
        p -= 4
        while not K.flint.fmpz(p).is_probable_prime():
            p -= 4
    at |= root_values
    for s, c in K.pairs:
        at[s], at[c] = (x * pow(b, -1, p) % p for x, b in _rational_circle_point(at[s]))
    for w, *xyz in K.quaternions:
        square = sum(at[x] ** 2 for x in xyz)
        under = pow(1 + square, -1, p)
        at[w] = (1 - square) * under % p
        at |= {x: 2 * at[x] * under % p for x in xyz}
    at |= fixed or {}
    return p, at | {n: pow(at[n[2:]], -1, p) for n in K.names if n.startswith("1/")}


def _rational_circle_point(t: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """A sine and a cosine, tops and bottoms."""
    return (2 * t, 1 + t * t), (1 - t * t, 1 + t * t)


def _draw_rational_point(K, rng, is_constant) -> list:
    """Generators of the ring at a rational state."""
    drawn = [Fraction(int(x)) for x in rng.integers(2, MAX_DRAWN_INTEGER, len(K.names))]
    at = dict(zip(K.names, drawn, strict=True))
    for s, c in K.pairs:
        at[s], at[c] = (Fraction(*x) for x in _rational_circle_point(int(at[s])))
    for w, *xyz in K.quaternions:
        square: Fraction = sum((at[x] * at[x] for x in xyz), Fraction(0))
        at[w] = (1 - square) / (1 + square)
        at |= {x: 2 * at[x] / (1 + square) for x in xyz}
    at |= {n: 1 / at[n[2:]] for n in K.names if n.startswith("1/")}
    return [
        gen if keep else K.ctx.constant(K.constant(at[n]))
        for n, gen, keep in zip(K.names, K.ctx.gens(), is_constant, strict=True)
    ]


def reduce_modulo(x, at: dict[str, int], prime: int) -> int:
    """An element of a ring, or an exact number, modulo a prime."""
    if not isinstance(x, Node):
        x = Fraction(x)
        return x.numerator * pow(x.denominator, -1, prime) % prime
    ring: Any = x.kind
    names, total = ring.names, 0
    for powers, k in x.x.terms():
        term = int(k.p) * pow(int(k.q), -1, prime)
        for g, n in enumerate(powers):
            if n:
                term = term * pow(at[names[g]], int(n), prime) % prime
        total += term
    return total % prime
