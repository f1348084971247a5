"""Base parameters that the measurements need."""

from __future__ import annotations

import numpy as np

from .least_squares import SampleProblem

GROWS = 1.01


def essential(found) -> dict[str, float]:
    """{name: value} of the base parameters left when the others are zero.  Theory: ID.10."""
    problem = SampleProblem(found.lin, found.groups, found.data, None)
    if found.lin.loaded:
        problem.set_own(found.lin.own, found.estimate.p)
    kept, k = list(found.groups.kept), problem.Y.shape[2]
    w = found.estimate.weights
    R = np.concatenate([wi * f[:, kept] for wi, f in zip(w, problem.factors, strict=True)])
    b = np.concatenate([wi * f[:, k] for wi, f in zip(w, problem.factors, strict=True)])
    parts = np.cumsum([len(f) for f in problem.factors])[:-1]
    full = np.asarray(np.linalg.qr(np.column_stack([R, b]), mode="r"))

    def residuals(beta, columns):
        r = b - R[:, columns] @ beta
        return np.array([np.linalg.norm(x) for x in np.split(r, parts)])

    def solved(columns):
        A = full[:, columns]
        scale = np.sqrt((A**2).sum(axis=0)) + 1e-300
        beta = np.linalg.lstsq(A / scale, full[:, -1], rcond=1e-13)[0] / scale
        return beta, scale

    left = list(range(len(kept)))
    beta, _ = solved(left)
    limit = GROWS * residuals(beta, left) + 1e-9 * np.linalg.norm(b)
    locked: set[int] = set()
    while len(locked) < len(left):
        A = full[:, left]
        scale = np.sqrt((A**2).sum(axis=0)) + 1e-300
        inverse = np.linalg.pinv((A / scale).T @ (A / scale), hermitian=True)
        certain = abs(beta) * scale / np.sqrt(np.maximum(np.diag(inverse), 1e-300))
        order = [i for i in np.argsort(certain) if left[i] not in locked]
        without = [c for j, c in enumerate(left) if j != order[0]]
        fewer, _ = solved(without)
        if without and np.all(residuals(fewer, without) <= limit):
            left, beta = without, fewer
        else:
            locked.add(left[order[0]])
    names = found.groups.names
    return {names[c]: float(x) for c, x in zip(left, beta, strict=True)}
