"""Independent speeds of large mechanisms: parts that share no row one by one, long ones by what
they allow.  Numbers only.  Theory: MO.6.
"""

from __future__ import annotations

import numpy as np

from ...kinematics import assembly

WHOLE = 300  # columns of a part that is pivoted whole
FIRST = 8  # motions that are looked for at first
SINGULAR = 1e-5  # of the size of a part: what its rows do not see


def parts(A) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows and columns that belong together."""
    from scipy.sparse import bmat, csr_matrix
    from scipy.sparse.csgraph import connected_components

    n = A.shape[0]
    S = csr_matrix(A != 0)
    _, label = connected_components(bmat([[None, S], [S.T, None]]), directed=False)
    order = np.argsort(label, kind="stable")
    cuts = np.flatnonzero(np.diff(label[order])) + 1
    return [(own[own < n], own[own >= n] - n) for own in np.split(order, cuts)]


def pivots_by_parts(A, tolerance: float) -> tuple[list[int], list[int]]:
    """Columns that span those of A, then the others: as `mobility.pivots`, part by part."""
    from scipy.linalg import qr

    sizes: list[np.ndarray] = [np.zeros(0)]
    columns: list[np.ndarray] = [np.zeros(0, dtype=int)]
    others: list[int] = []
    for rows, own in parts(A):
        block = A[np.ix_(rows, own)]
        if not block.size:
            others += own.tolist()
        elif len(own) <= WHOLE:
            _, R, order = qr(block, mode="economic", pivoting=True)
            n = min(block.shape)
            sizes.append(abs(np.diag(R)))
            columns.append(own[order[:n]])
            others += own[order[n:]].tolist()
        else:
            chosen = _led(block)
            others += own[chosen].tolist()
            columns.append(np.delete(own, chosen))
            sizes.append(np.ones(len(columns[-1])))  # of rows that have unit length
    size, column = np.concatenate(sizes), np.concatenate(columns)
    found = size > tolerance * max(size.max(initial=0.0), 1e-300)
    return column[found].tolist(), [*others, *column[~found].tolist()]


def _led(A) -> np.ndarray:
    """Columns whose motions move the whole: pivots of an orthonormal basis of what A allows."""
    from scipy.linalg import qr

    rng, size = np.random.default_rng(5), float(np.linalg.norm(A, axis=1).max())
    N: list[np.ndarray] = []
    n, step = A.shape[1], assembly.sparse_steps(A)
    while True:
        for _ in range(min(n - len(N), len(N) or FIRST)):
            x = rng.normal(size=n)
            N.append(x - step(A @ x))
        U, s, _ = np.linalg.svd(np.array(N).T, full_matrices=False)
        U = U[:, s > 1e-6 * s[0]]
        _, s, Vt = np.linalg.svd(A @ U, full_matrices=False)
        allowed = U @ Vt[s <= SINGULAR * size].T
        if allowed.shape[1] < len(N) - 2 or len(N) == n:
            _, _, order = qr(allowed.T, mode="economic", pivoting=True)
            return order[: allowed.shape[1]]


def least_by_parts(A) -> float:
    """Least singular value."""
    found = []
    for rows, own in parts(A):
        block = A[np.ix_(rows, own)]
        if len(rows) < len(own):
            return 0.0
        if len(own) <= WHOLE:
            found.append(np.linalg.svd(block, compute_uv=False)[-1])
        else:
            found.append(_least_sparse(block))
    return float(min(found, default=1.0))


def _least_sparse(A) -> float:
    """Of a long part, by inverse iterations: from the factors of `[[1, A], [A', 0]]`."""
    from scipy.sparse import bmat, csc_matrix, eye
    from scipy.sparse.linalg import LinearOperator, eigsh, splu

    n, m = A.shape
    S = csc_matrix(A)
    try:
        solve = splu(csc_matrix(bmat([[eye(n), S], [S.T, None]]))).solve
    except RuntimeError:  # exactly singular
        return 0.0
    inverse = LinearOperator(
        (m, m), lambda y: -solve(np.concatenate([np.zeros(n), np.ravel(y)]))[n:]
    )
    most = eigsh(inverse, k=1, tol=1e-3, v0=np.ones(m), return_eigenvectors=False)[0]
    return float(1 / np.sqrt(most)) if np.isfinite(most) and most > 0 else 0.0
