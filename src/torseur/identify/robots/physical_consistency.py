"""Physical consistency of inertial parameters by semidefinite programming.

A mass distribution exists if the 4 x 4 pseudo-inertia of each body is positive definite (Sousa and
Cortesao 2014, Wensing, Kim and Slotine 2018).  This is a linear matrix inequality (LMI) in the
parameters.  Friction and rotor inertias are not negative.  Clarabel solves the program.
Equation ID.8.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import TorseurError, needs
from ...spatial import Inertia
from .friction import FRICTION

MIN_EIGENVALUE = 1e-4  # of the size of a pseudo-inertia: the smallest that a body may have
SIGN_TOLERANCE = 1e-7  # of a usual size, for parameters that are not negative
SOLVER_TOLERANCES = (1e-10, 1e-8, 1e-6)


def solve_consistent(
    lin: Any,
    H: np.ndarray,
    g: np.ndarray,
    scales: Any,
    start: np.ndarray | None = None,
    directions: np.ndarray | None = None,
) -> np.ndarray:
    """Minimize `p'Hp/2 - g'p` over consistent parameters; `scales` are their usual sizes.

    With `start` and `directions`, over `p = start + directions z` only.
    """
    clarabel, sparse = _import_solver()
    k, n = len(lin.columns), len(lin.links)
    start = np.zeros(k) if start is None else start
    directions = np.diag(scales.scale) if directions is None else directions
    margin = MIN_EIGENVALUE if not start.any() else MIN_EIGENVALUE / 2  # start may be at the limit
    A, b, cones = [], [], []
    nonnegative = _nonnegative_columns(lin)
    if nonnegative:
        tolerance = SIGN_TOLERANCE * scales.scale[nonnegative] if start.any() else 0
        A.append(-directions[nonnegative])
        b.append(start[nonnegative] + tolerance)
        cones.append(clarabel.NonnegativeConeT(len(nonnegative)))
    unit = np.diag([1 / (scales.length * scales.mass**0.5)] * 3 + [1 / scales.mass**0.5])
    basis = [unit @ Inertia.of_parameters(e).pseudo().astype(float) @ unit for e in np.eye(10)]
    M = np.stack([_pack_triangle(P) for P in basis], axis=1)
    for i in range(n):
        part = slice(10 * i, 10 * i + 10)
        A.append(-M @ directions[part])  # ID.8
        b.append(M @ start[part] - margin * _pack_triangle(np.eye(4)))
        cones.append(clarabel.PSDTriangleConeT(4))
    P, c = directions.T @ H @ directions, directions.T @ (H @ start - g)
    size = max(abs(P).max(), 1e-300)
    program = (
        sparse.csc_matrix(np.triu(P / size)),
        c / size,
        sparse.csc_matrix(np.vstack(A)),
        np.concatenate(b),
        cones,
    )
    for tolerance in SOLVER_TOLERANCES:
        settings = clarabel.DefaultSettings()
        settings.verbose, settings.max_iter = False, 300
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
        status, x = _run_solver(clarabel.DefaultSolver(*program, settings))
        if "Solved" in status:
            return start + directions @ np.array(x)
        if "Infeasible" in status:
            break
    raise TorseurError(
        f"identify: no consistent parameters found (Clarabel: {status}); "
        "use more samples or consistent=False"
    )


def _run_solver(solver: Any) -> tuple[str, Any]:
    """Status and solution; a panic of the solver's Rust code is a status too."""
    try:
        result = solver.solve()
    except BaseException as e:  # PanicException of pyo3 is no Exception
        if type(e).__name__ != "PanicException":
            raise
        return "solver panic", None
    return str(result.status), result.x


def find_equivalent_consistent(
    lin: Any,
    p: np.ndarray,
    B: np.ndarray,
    independent: tuple[int, ...],
    scales: Any,
    mean: np.ndarray,
) -> np.ndarray | None:
    """Consistent parameters with the efforts of p that are nearest to `mean`, or None."""
    dependent = [c for c in range(B.shape[1]) if c not in {*independent}]
    if not dependent:  # only p has these efforts
        negative = (p < -SIGN_TOLERANCE * scales.scale)[_nonnegative_columns(lin)].any()
        return None if negative or find_inconsistent_bodies(lin, p) else p
    nullspace = np.zeros((B.shape[1], len(dependent)))  # B nullspace = 0
    nullspace[dependent, range(len(dependent))] = scales.scale[dependent]
    nullspace[list(independent)] = -B[:, dependent] * scales.scale[dependent]
    W = np.diag(scales.scale**-2.0)
    try:
        nearest = solve_consistent(lin, W, W @ mean, scales, start=p, directions=nullspace)
    except TorseurError:
        return None
    return nearest if not find_inconsistent_bodies(lin, nearest) else None


def find_inconsistent_bodies(lin: Any, p: np.ndarray) -> list[str]:
    """Bodies whose parameters no mass distribution has, with their mass and least eigenvalue."""
    bodies = []
    for i, k in enumerate(lin.links):
        P = Inertia.of_parameters(p[10 * i : 10 * i + 10]).pseudo().astype(float)
        eigenvalue = np.linalg.eigvalsh(P)[0]
        if eigenvalue <= 0:
            bodies.append(
                f"body {k.body!r} (mass {p[10 * i]:.4g} kg, smallest eigenvalue of its "
                f"pseudo-inertia {eigenvalue:.3g})"
            )
    return bodies


def _nonnegative_columns(lin: Any) -> list[int]:
    """Columns of rotors, shafts and friction that cannot drive."""
    return [
        c
        for c, (_, _, kind, _) in enumerate(lin.columns)
        if kind in ("rotor", "shaft") or (kind in FRICTION and not FRICTION[kind].signed)
    ]


def _pack_triangle(P: np.ndarray) -> np.ndarray:
    """Upper triangle by columns, off-diagonal entries times sqrt(2), as Clarabel stores it."""
    return np.array(
        [P[i, j] * (1 if i == j else 2**0.5) for j in range(len(P)) for i in range(j + 1)]
    )


def _import_solver() -> tuple[Any, Any]:
    with needs("identify", "identify: consistent=True", "take consistent=False"):
        import clarabel
    from scipy import sparse

    return clarabel, sparse
