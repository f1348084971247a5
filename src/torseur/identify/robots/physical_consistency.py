"""Parameters that some distribution of mass can have, nearest to the measurements.

Each body's 4 x 4 pseudo-inertia is positive definite, friction and rotors are not negative: a
semidefinite program, solved by Clarabel.  Theory: ID.8.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import TorseurError, needs
from ...spatial import Inertia
from .friction import FRICTION

MARGIN = 1e-4  # of the size of a pseudo-inertia: the smallest that a body may have


def solve(lin, H, g, size, start=None, along=None) -> np.ndarray:
    """Minimize `p'Hp/2 - g'p` over consistent parameters; `size` says what is usual.

    With `start` and `along`, over `p = start + along z` only.
    """
    clarabel, sparse = _solver()
    k, n = len(lin.columns), len(lin.links)
    start = np.zeros(k) if start is None else start
    along = np.diag(size.scale) if along is None else along
    margin = MARGIN if not start.any() else MARGIN / 2  # the start is inside by its own margin
    A, b, cones = [], [], []
    free = _one_sided(lin)
    if free:
        A.append(-along[free])
        b.append(start[free] + (1e-7 * size.scale[free] if start.any() else 0))
        cones.append(clarabel.NonnegativeConeT(len(free)))
    unit = np.diag([1 / (size.length * size.mass**0.5)] * 3 + [1 / size.mass**0.5])
    basis = [unit @ Inertia.of_parameters(e).pseudo().astype(float) @ unit for e in np.eye(10)]
    M = np.stack([_packed(P) for P in basis], axis=1)
    for i in range(n):
        part = slice(10 * i, 10 * i + 10)
        A.append(-M @ along[part])  # ID.8
        b.append(M @ start[part] - margin * _packed(np.eye(4)))
        cones.append(clarabel.PSDTriangleConeT(4))
    P, c = along.T @ H @ along, along.T @ (H @ start - g)
    big = max(abs(P).max(), 1e-300)
    problem = (
        sparse.csc_matrix(np.triu(P / big)),
        c / big,
        sparse.csc_matrix(np.vstack(A)),
        np.concatenate(b),
        cones,
    )
    for tolerance in (1e-10, 1e-8, 1e-6):
        settings = clarabel.DefaultSettings()
        settings.verbose, settings.max_iter = False, 300
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
        status, x = _answer(clarabel.DefaultSolver(*problem, settings))
        if "Solved" in status:
            return start + along @ np.array(x)
        if "Infeasible" in status:
            break
    raise TorseurError(
        f"identify: no consistent parameters found (Clarabel: {status}); "
        "more samples, or consistent=False, may help"
    )


def _answer(solver) -> tuple[str, Any]:
    """Status and solution; numerical trouble that its Rust ends with a panic is a status too."""
    try:
        answer = solver.solve()
    except BaseException as e:  # PanicException of pyo3 is no Exception
        if type(e).__name__ != "PanicException":
            raise
        return "ended by a panic of its own", None
    return str(answer.status), answer.x


def smallest(lin, p, B, kept, size, middle) -> np.ndarray | None:
    """Of all consistent parameters with the efforts of p, those nearest to `middle`, if any."""
    others = [c for c in range(B.shape[1]) if c not in {*kept}]
    if not others:  # p alone has them
        low = (p < -1e-7 * size.scale)[_one_sided(lin)].any()
        return None if low or faults(lin, p) else p
    hidden = np.zeros((B.shape[1], len(others)))  # B hidden = 0: kept columns of B are units
    hidden[others, range(len(others))] = size.scale[others]
    hidden[list(kept)] = -B[:, others] * size.scale[others]
    W = np.diag(size.scale**-2.0)
    try:
        near = solve(lin, W, W @ middle, size, start=p, along=hidden)
    except TorseurError:
        return None
    return near if not faults(lin, near) else None


def faults(lin, p) -> list[str]:
    """Which bodies of these parameters no distribution of mass can have."""
    out = []
    for i, k in enumerate(lin.links):
        P = Inertia.of_parameters(p[10 * i : 10 * i + 10]).pseudo().astype(float)
        least = np.linalg.eigvalsh(P)[0]
        if least <= 0:
            out.append(
                f"body {k.body!r} (mass {p[10 * i]:.4g} kg, least eigenvalue of its "
                f"pseudo-inertia {least:.3g})"
            )
    return out


def _one_sided(lin) -> list[int]:
    """Columns whose numbers are not negative."""
    return [
        c
        for c, (_, _, kind, _) in enumerate(lin.columns)
        if kind in ("rotor", "shaft") or (kind in FRICTION and not FRICTION[kind].signed)
    ]


def _packed(P) -> np.ndarray:
    """Upper triangle by columns, off-diagonal entries times sqrt(2), as the solver has it."""
    return np.array(
        [P[i, j] * (1 if i == j else 2**0.5) for j in range(len(P)) for i in range(j + 1)]
    )


def _solver():
    with needs("identify", "identify: consistent=True", "take consistent=False"):
        import clarabel
    from scipy import sparse

    return clarabel, sparse
