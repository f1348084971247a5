"""KKT system of the constrained equation of motion, factorized `L D L'` in a fixed order.

`M a + h = tau + J' lam`, `J a = gamma` is the saddle point system `[[M, J'], [J, -mu]]`.  A small
`mu` and proximal iterations (method of multipliers) give finite results at redundant rows and
singular positions: exact accelerations where the motion is determined, and multipliers of least
weighted norm.  Equations CK.1 to CK.7 (Benzi, Golub and Liesen 2005, Numerical solution of saddle
point problems).
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...formalisms import composite_body, newton_euler
from ...kinematics import integrate
from ...scalars import vector
from ..sparse_factorization import Factor, elimination_order, factor, filled, is_zero
from .rows import Rows, constraint_rows, substitute

if TYPE_CHECKING:
    from ...spatial import Wrench
    from ...system import System, Tree

PROXIMAL = 1e-10  # mu, relative to the compliance J M^-1 J' of a row
PROXIMAL_ITERATIONS = 3  # proximal iterations with one factorization
MIN_ROUTINE_ENTRIES = 120  # of a factor below its diagonal, from which a correction is a routine
MAX_PARTS = 2  # connected parts of the system for which solutions are one routine
MIN_COMPLIANCE = 1e-30  # keeps the pivot of a row without entries away from zero


class KKTSystem(NamedTuple):
    """A factorized KKT system at one position."""

    M: np.ndarray
    J: np.ndarray
    mu: np.ndarray  # (rows,) compliances
    factor: Factor
    iterations: int
    K: Any

    def solve(self, force: np.ndarray, gamma: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations and multipliers of `M a = force + J' lam`, `J a = gamma`."""
        nv, y = len(self.M), vector([0] * len(self.mu))
        for _ in range(self.iterations if len(y) else 1):
            x = self.factor.solve(np.concatenate([force, gamma - self.mu * y]))  # CK.4
            y = x[nv:]
        return x[:nv], -y

    def solve_each(self, forces, gammas) -> list[tuple[np.ndarray, np.ndarray]]:
        """As `solve` of several right-hand sides, by one routine in SIMD lanes.

        If the system has several small parts, most of each solution is zero, and they are written
        one by one.
        """
        if MAX_PARTS * self.factor.joined < len(self.factor.order):
            return list(map(self.solve, forces, gammas))
        nv, columns = len(self.M), list(map(np.concatenate, zip(forces, gammas, strict=True)))

        def solve_column(fixed, inputs):
            return np.concatenate(self._from_numbers(fixed).solve(inputs[0][:nv], inputs[0][nv:]))

        solutions = self.K.abreast(self._key("solve"), solve_column, self._numbers, columns)
        return [(x[:nv], x[nv:]) for x in solutions]

    def correct(self, gamma: np.ndarray) -> np.ndarray:
        """The dv of least kinetic energy with `J dv = gamma`."""
        null = vector([0] * len(self.M))

        def correct_speeds(fixed, inputs):
            return self._from_numbers(fixed).solve(null, inputs[0])[0]

        if sum(map(len, self.factor.columns)) < MIN_ROUTINE_ENTRIES:
            return self.solve(null, gamma)[0]
        return self.K.routine(self._key("correct"), correct_speeds, self._numbers, [gamma])

    def _key(self, name: str) -> tuple:
        return name, self.factor.pattern, self.iterations

    @property
    def _numbers(self) -> list[np.ndarray]:
        """Arrays that a solution depends on besides its key."""
        return [*self.factor.flat(), self.mu]

    def _from_numbers(self, numbers) -> KKTSystem:
        below, inverse, mu = numbers
        return self._replace(mu=mu, factor=self.factor.of(below, inverse))


def compliances(K: Any, M: np.ndarray, J: np.ndarray, owners=None, times: float = 1) -> np.ndarray:
    """(rows,): `times` the mean of `sum_j J_ij^2 / M_jj` over the rows of one owner, CK.3."""
    values = vector(
        sum(
            (K.divide(row[j] * row[j], M[j, j]) for j in filled(row) if not is_zero(M[j, j])),
            start=MIN_COMPLIANCE,
        )
        for row in J
    )
    owners = range(len(values)) if owners is None else owners
    groups = {o: [values[i] for i in range(len(values)) if owners[i] == o] for o in owners}
    return vector(sum(groups[o], start=0) * (times / len(groups[o])) for o in owners)


# ---- speeds without inertia ----------------------------------------------------------------


class StiffenedSolver(NamedTuple):
    """A solver of `M + J' w J`: speeds without inertia get that of the rows that fix them, CK.7."""

    solver: KKTSystem | StiffenedSolver
    rows: list[int]
    push: np.ndarray  # (nv, rows): J' w

    def solve(self, force: np.ndarray, gamma: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations and multipliers."""
        return self.solver.solve(force + self.push @ gamma[self.rows], gamma)  # CK.7

    def solve_each(self, forces, gammas) -> list[tuple[np.ndarray, np.ndarray]]:
        """As `solve` of several right-hand sides."""
        pushed = [f + self.push @ g[self.rows] for f, g in zip(forces, gammas, strict=True)]
        return self.solver.solve_each(pushed, gammas)

    def correct(self, gamma: np.ndarray) -> np.ndarray:
        """The dv of least kinetic energy with `J dv = gamma`."""
        return self.solve(vector([0] * len(self.push)), gamma)[0]


def accepts_massless(make):
    """Decorator: a maker of solvers also takes mass matrices with zeros on the diagonal."""

    @wraps(make)
    def make_stiffened(
        K: Any, M: np.ndarray, J: np.ndarray, owners=None, *more, on=None, **options
    ):
        """The solver, of `M + J' w J` where rows fix speeds without inertia."""
        light = [j for j in range(len(M)) if is_zero(M[j, j])]
        heavy = [j for j in range(len(M)) if j not in light]
        bilateral = [i for i in range(len(J)) if on is None or not is_switch(on[i])]
        rows = [i for i in bilateral if any(not is_zero(J[i, j]) for j in light)]
        coupled = [k for k, i in enumerate(rows) if any(not is_zero(J[i, j]) for j in heavy)]
        if not coupled:
            return make(K, M, J, owners, *more, on=on, **options)
        values = compliances(K, M[np.ix_(heavy, heavy)], J[np.ix_(rows, heavy)])
        mean = sum((values[k] for k in coupled), start=0) * (1 / len(coupled))
        push = J[rows].T.copy()
        for k, x in enumerate(values):
            x = x if k in coupled else mean  # of rows between speeds without inertia
            push[:, k] = vector(K.divide(e, x) if not is_zero(e) else 0 for e in push[:, k])
        solver = make(K, M + push @ J[rows], J, owners, *more, on=on, **options)
        return StiffenedSolver(solver, rows, push)

    return make_stiffened


def is_switch(x) -> bool:
    """Whether a row can be inactive; one that cannot has the integer 1 for its switch."""
    return not (isinstance(x, int) and x == 1)


# ---- factorization and solution ------------------------------------------------------------


@accepts_massless
def saddle(
    K: Any,
    M: np.ndarray,
    J: np.ndarray,
    owners=None,
    *,
    on=None,
    proximal=PROXIMAL,
    iterations=PROXIMAL_ITERATIONS,
) -> KKTSystem:
    """Factorize the KKT matrix `[[M, J'], [J, -mu]]`.

    Rows of one owner (a loop) share their `mu`, so that a row of rounding errors has no weight.
    `on`, one for each active row, switches rows: an inactive row has the multiplier zero, and the
    pattern of the matrix stays the same.
    """
    nv, nc = len(M), len(J)
    if on is not None:
        J = np.stack([J[i] * on[i] for i in range(nc)]) if nc else J
    mu = compliances(K, M, J, owners, proximal)  # CK.3
    if on is not None:
        mu = mu + vector(1 - s for s in on)
    A: list[dict[int, Any]] = [{j: row[j] for j in filled(row)} for row in M]
    for i, row in enumerate(J):
        entries = {j: row[j] for j in filled(row)}
        for j, x in entries.items():
            A[j][nv + i] = x
        A.append(entries | {nv + i: -mu[i]})
    order = elimination_order([set(row) for row in A], set(range(nv, nv + nc)))
    return KKTSystem(M, J, mu, factor(K, A, order), iterations, K)


def terms(
    tree: Tree, q: np.ndarray, v: np.ndarray, wrenches: dict[int, Wrench] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Mass matrix (nv, nv), and bias h (nv): the efforts at zero accelerations."""
    return (
        composite_body.mass_matrix(tree, q),
        newton_euler.inverse_dynamics(tree, q, v, vector([0] * tree.nv), wrenches),
    )


class KKTSolution(NamedTuple):
    """Accelerations and multipliers, with the rows and the KKT system that they belong to."""

    a: np.ndarray
    lam: np.ndarray
    rows: Rows
    saddle: KKTSystem


def forward_dynamics(
    tree: Tree,
    system: System,
    t: Any,
    q: np.ndarray,
    v: np.ndarray,
    tau: np.ndarray,
    wrenches: dict[int, Wrench] | None = None,
    on=None,
    **options,
) -> KKTSolution:
    """Accelerations under the efforts tau, and the multipliers of every bilateral row."""
    K = tree.K
    r = constraint_rows(tree, system, t, q, v)
    M, h = terms(tree, q, v, wrenches)
    s = saddle(K, M, r.J, r.owners, on=on, **options)
    gamma = r.gamma if on is None else r.gamma * on
    a, lam = s.solve(tau - h, gamma)
    return KKTSolution(a, lam, r, s)


# ---- projection ----------------------------------------------------------------------------


class Projection(NamedTuple):
    """A state closer to the constraints, and the largest residuals before."""

    q: np.ndarray
    v: np.ndarray
    position: object  # largest |phi|
    speed: object  # largest |psi|


def project(
    tree: Tree,
    system: System,
    t: Any,
    q: np.ndarray,
    v: np.ndarray,
    *,
    on=None,
    solver=saddle,
    again: int = 1,
    rows: Rows | None = None,
) -> Projection:
    """Mass-orthogonal projection of positions and speeds onto the constraints; graphs only.

    One factorization serves two corrections of the positions, then one (or `again`) of the speeds,
    whose residuals are evaluated after the correction before: positions off by e come within e^3.
    `on` are the switches of rows.  Then rows of contacts and dry frictions are included.  `rows`
    may be known, `solver` makes the solver.
    """
    K = tree.K
    r = rows or constraint_rows(tree, system, t, q, v, switched=on is not None)
    s = solver(K, composite_body.mass_matrix(tree, q), r.J, r.owners, on=on)
    q_new, wanted = q, vector([0] * len(r))
    for _ in range(2 if len(r.phi) else 0):
        gap = r.phi if q_new is q else substitute(K, r.phi, q, q_new)
        wanted[list(r.places)] = -gap
        correction = s.correct(wanted if on is None else wanted * on)
        q_new = integrate(tree, q_new, correction)  # CK.5
    v_new, old = v, np.concatenate([q, v])
    for _ in range(again):
        changed = q_new is not q or v_new is not v
        psi = substitute(K, r.psi, old, np.concatenate([q_new, v_new])) if changed else r.psi
        v_new = v_new + s.correct(-psi if on is None else -psi * on)  # CK.6
    return Projection(q_new, v_new, _largest_magnitude(K, r.phi), _largest_magnitude(K, r.psi))


def _largest_magnitude(K: Any, x):
    """Largest magnitude of a vector, zero if it is empty."""
    out = 0
    for e in x:
        out = K.call("max", out, K.call("abs", e))
    return out
