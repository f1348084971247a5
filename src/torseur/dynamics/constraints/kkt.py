"""The constrained equation `M a + h = tau + J' lam`, `J a = gamma`, in fixed order.

The matrix is `[[M, J'], [J, -mu]]` with a small `mu` and proximal iterations, so that redundant
rows and singular positions have finite answers: accelerations that are exact where the motion is
defined, multipliers of least weight among those possible.  Theory: CK.1 to CK.6.
"""

from __future__ import annotations

from functools import wraps
from typing import Any, NamedTuple

import numpy as np

from ...formalisms import composite_body, newton_euler
from ...kinematics import integrate
from ...scalars import vector
from ..sparse_factorization import Factor, elimination_order, factor, filled, is_zero
from .rows import Rows, constraint_rows, substitute

PROXIMAL = 1e-10  # mu, relative to J M^-1 J' of a row
ITERATIONS = 3  # solves a factorization serves
ONCE = 120  # numbers of a factor below its diagonal, from which corrections are a routine
PARTS = 2  # of which no part has more than a share: solutions are written each for itself
FLOOR = 1e-30  # keeps the pivot of a row that has vanished away from zero


class Saddle(NamedTuple):
    """A factorized constrained equation at one position."""

    M: np.ndarray
    J: np.ndarray
    mu: np.ndarray
    factor: Factor
    iterations: int
    K: Any

    def solve(self, force, gamma) -> tuple[np.ndarray, np.ndarray]:
        """`a, lam` with `M a = force + J' lam` and `J a = gamma`."""
        nv, y = len(self.M), vector([0] * len(self.mu))
        for _ in range(self.iterations if len(y) else 1):
            x = self.factor.solve(np.concatenate([force, gamma - self.mu * y]))  # CK.4
            y = x[nv:]
        return x[:nv], -y

    def solve_each(self, forces, gammas) -> list[tuple[np.ndarray, np.ndarray]]:
        """The same of several forces and `gamma`, written once and computed side by side; where
        they are of many small parts, each for itself, since most of each is zero."""
        if PARTS * self.factor.joined < len(self.factor.order):
            return list(map(self.solve, forces, gammas))
        nv, columns = len(self.M), list(map(np.concatenate, zip(forces, gammas, strict=True)))

        def solved(fixed, given):
            return np.concatenate(self._of(fixed).solve(given[0][:nv], given[0][nv:]))

        found = self.K.abreast(self._key("solved"), solved, self._numbers, columns)
        return [(x[:nv], x[nv:]) for x in found]

    def correct(self, gamma) -> np.ndarray:
        """The least motion, by mass, with `J dv = gamma`; of many rows it is written once."""
        none = vector([0] * len(self.M))

        def corrected(fixed, given):
            return self._of(fixed).solve(none, given[0])[0]

        if sum(map(len, self.factor.columns)) < ONCE:
            return self.solve(none, gamma)[0]
        return self.K.routine(self._key("corrected"), corrected, self._numbers, [gamma])

    def _key(self, what: str) -> tuple:
        return what, self.factor.pattern, self.iterations

    @property
    def _numbers(self) -> list[np.ndarray]:
        """What a solution depends on besides its key."""
        return [*self.factor.flat(), self.mu]

    def _of(self, numbers) -> Saddle:
        below, inverse, mu = numbers
        return self._replace(mu=mu, factor=self.factor.of(below, inverse))


def compliances(K, M, J, owners=None, times: float = 1) -> np.ndarray:
    """`times` the mean of `sum_j J_ij^2 / M_jj` over the rows of one owner."""
    own = vector(
        sum(
            (K.divide(row[j] * row[j], M[j, j]) for j in filled(row) if not is_zero(M[j, j])),
            start=FLOOR,
        )
        for row in J
    )
    owners = range(len(own)) if owners is None else owners
    shared = {o: [own[i] for i in range(len(own)) if owners[i] == o] for o in owners}
    return vector(sum(shared[o], start=0) * (times / len(shared[o])) for o in owners)


class Firm(NamedTuple):
    """A solver whose speeds without inertia have that of the rows which hold them."""

    solver: Saddle | Firm
    rows: list[int]
    push: np.ndarray  # (nv, rows): J' w

    def solve(self, force, gamma) -> tuple[np.ndarray, np.ndarray]:
        return self.solver.solve(force + self.push @ gamma[self.rows], gamma)  # CK.7

    def solve_each(self, forces, gammas) -> list[tuple[np.ndarray, np.ndarray]]:
        pushed = [f + self.push @ g[self.rows] for f, g in zip(forces, gammas, strict=True)]
        return self.solver.solve_each(pushed, gammas)

    def correct(self, gamma) -> np.ndarray:
        return self.solve(vector([0] * len(self.push)), gamma)[0]


def firmly(make):
    """A maker of solvers that takes masses with zeros on the diagonal as well."""

    @wraps(make)
    def made(K, M, J, owners=None, *more, on=None, **options):
        light = [j for j in range(len(M)) if is_zero(M[j, j])]
        heavy = [j for j in range(len(M)) if j not in light]
        steady = [i for i in range(len(J)) if on is None or not is_switch(on[i])]
        rows = [i for i in steady if any(not is_zero(J[i, j]) for j in light)]
        tied = [k for k, i in enumerate(rows) if any(not is_zero(J[i, j]) for j in heavy)]
        if not tied:
            return make(K, M, J, owners, *more, on=on, **options)
        own = compliances(K, M[np.ix_(heavy, heavy)], J[np.ix_(rows, heavy)])
        mean = sum((own[k] for k in tied), start=0) * (1 / len(tied))
        push = J[rows].T.copy()
        for k, x in enumerate(own):
            x = x if k in tied else mean  # between speeds without inertia alone
            push[:, k] = vector(K.divide(e, x) if not is_zero(e) else 0 for e in push[:, k])
        return Firm(make(K, M + push @ J[rows], J, owners, *more, on=on, **options), rows, push)

    return made


def is_switch(x) -> bool:
    """Whether a switch can be off; one that cannot is the whole number 1."""
    return not (isinstance(x, int) and x == 1)


@firmly
def saddle(K, M, J, owners=None, *, on=None, proximal=PROXIMAL, iterations=ITERATIONS) -> Saddle:
    """Factorize `[[M, J'], [J, -mu]]`.

    Rows of one owner (a loop) share their `mu`, so that a row which only rounding has filled weighs
    nothing beside the others.
    `on`, one a row, switches rows: where it is 0 the row asks nothing and its multiplier is zero;
    the pattern of the matrix stays the same.
    """
    nv, nc = len(M), len(J)
    if on is not None:
        J = np.stack([J[i] * on[i] for i in range(nc)]) if nc else J
    mu = compliances(K, M, J, owners, proximal)  # CK.3
    if on is not None:
        mu = mu + vector(1 - s for s in on)
    A: list[dict[int, Any]] = [{j: row[j] for j in filled(row)} for row in M]
    for i, row in enumerate(J):
        own = {j: row[j] for j in filled(row)}
        for j, x in own.items():
            A[j][nv + i] = x
        A.append(own | {nv + i: -mu[i]})
    order = elimination_order([set(row) for row in A], set(range(nv, nv + nc)))
    return Saddle(M, J, mu, factor(K, A, order), iterations, K)


def terms(tree, q, v, wrenches=None) -> tuple[np.ndarray, np.ndarray]:
    """Mass matrix and bias `h`, the efforts that keep the speeds constant."""
    return (
        composite_body.mass_matrix(tree, q),
        newton_euler.inverse_dynamics(tree, q, v, vector([0] * tree.nv), wrenches),
    )


class SaddleSolution(NamedTuple):
    """Accelerations and multipliers, and the rows they belong to."""

    a: np.ndarray
    lam: np.ndarray
    rows: Rows
    saddle: Saddle


def forward_dynamics(
    tree, system, t, q, v, tau, wrenches=None, on=None, **options
) -> SaddleSolution:
    """Accelerations under efforts, and the multipliers of every constraint row."""
    K = tree.K
    r = constraint_rows(tree, system, t, q, v)
    M, h = terms(tree, q, v, wrenches)
    s = saddle(K, M, r.J, r.owners, on=on, **options)
    gamma = r.gamma if on is None else r.gamma * on
    a, lam = s.solve(tau - h, gamma)
    return SaddleSolution(a, lam, r, s)


class Projection(NamedTuple):
    """A state closer to the constraints, and how far it was."""

    q: np.ndarray
    v: np.ndarray
    position: object  # largest |phi| before
    speed: object  # largest |psi| before


def project(tree, system, t, q, v, on=None, solver=saddle, again=1, rows=None) -> Projection:
    """A mass-orthogonal step of positions and speeds towards the constraints; graphs only.

    One factorization serves two corrections of the positions and then one (or `again`) of the
    speeds, whose residuals are taken where the correction before has led: positions off by e come
    within e^3.  `on` are the switches of rows: those of contacts and dry frictions are then rows as
    well.  `rows` may be known.
    """
    K = tree.K
    r = rows or constraint_rows(tree, system, t, q, v, switched=on is not None)
    s = solver(K, composite_body.mass_matrix(tree, q), r.J, r.owners, on=on)
    at, wanted = q, vector([0] * len(r))
    for _ in range(2 if len(r.phi) else 0):
        gap = r.phi if at is q else substitute(K, r.phi, q, at)
        wanted[list(r.places)] = -gap
        at = integrate(tree, at, s.correct(wanted if on is None else wanted * on))  # CK.5
    u, old = v, np.concatenate([q, v])
    for _ in range(again):
        moved = at is not q or u is not v
        psi = substitute(K, r.psi, old, np.concatenate([at, u])) if moved else r.psi
        u = u + s.correct(-psi if on is None else -psi * on)  # CK.6
    return Projection(at, u, largest(K, r.phi), largest(K, r.psi))


def largest(K, x):
    """The largest magnitude of a vector, zero when it is empty."""
    out = 0
    for e in x:
        out = K.call("max", out, K.call("abs", e))
    return out
