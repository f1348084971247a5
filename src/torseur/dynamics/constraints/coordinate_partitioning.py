"""Coordinate partitioning: choice of independent speeds, conditioning of the dependent ones.

Pivots of the constraint Jacobian, each speed measured by its inertia (Wehage and Haug 1982).  Large
mechanisms are split into parts that share no row, and long parts go by a basis of their null space.
Numbers only.  Equations MO.4, MO.6.
"""

from __future__ import annotations

import numpy as np

from ...kinematics import assembly

MIN_SPEEDS_FOR_PARTS = 60  # above, parts that share no row are treated one by one
MAX_PIVOTED_COLUMNS = 300  # of a part whose columns are pivoted directly
FIRST_MOTIONS = 8  # of a random basis of the null space, doubled until it is complete
NULL_SPACE_RTOL = 1e-5  # singular values of allowed motions, relative to the size of the rows
MIN_INERTIA_RATIO = 1e-9  # inertia of a speed without one, relative to the largest
MIN_SIZE = 1e-300  # keeps a relative tolerance away from zero


def scaled(J) -> np.ndarray:
    """Jacobian with rows of unit length; rows that vanish stay."""
    J = np.asarray(J, dtype=float)
    n = np.linalg.norm(J, axis=1, keepdims=True)
    return J / np.where(n > 1e-12, n, 1.0)


def inertias(M) -> np.ndarray:
    """(nv,): diagonal of the mass matrix; speeds without inertia count as very light."""
    d = np.diag(np.asarray(M, dtype=float))
    return np.maximum(d, MIN_INERTIA_RATIO * (d.max(initial=0.0) or 1.0))


def pivots(A, tolerance: float = 1e-9) -> tuple[list[int], list[int]]:
    """Columns that span those of A, by QR factorization with column pivoting, then the others."""
    from scipy.linalg import qr

    if not A.size:
        return [], list(range(A.shape[1]))
    _, R, order = qr(A, mode="economic", pivoting=True)
    d = abs(np.diag(R))
    rank = int((d > tolerance * max(d.max(initial=0.0), MIN_SIZE)).sum())
    return [int(i) for i in order[:rank]], [int(i) for i in order[rank:]]


def independent_speeds(J, M, tolerance: float = 1e-9) -> tuple[list[int], list[int]]:
    """Indices of independent and of dependent speeds, by weighted pivots.

    A dependent speed has a large pivot in J, each speed measured by its own inertia.  So the
    independent speeds move the dependent ones little.
    """
    A = scaled(J) / np.sqrt(inertias(M))
    if A.shape[1] > MIN_SPEEDS_FOR_PARTS:
        dependent, independent = pivots_by_parts(A, tolerance)  # MO.6
    else:
        dependent, independent = pivots(A, tolerance)  # MO.4
    return sorted(independent), sorted(dependent)


def least(J, M, dependent) -> float:
    """Smallest singular value of the dependent columns; rows scaled, speeds measured by inertia."""
    if not len(dependent):
        return 1.0
    A = (scaled(J) / np.sqrt(inertias(M)))[:, list(dependent)]
    if A.shape[1] > MIN_SPEEDS_FOR_PARTS:
        return smallest_singular_value_by_parts(A)
    return float(np.linalg.svd(A, compute_uv=False)[-1])


# --------------------------------------------------------------------------------------------
# Large mechanisms, MO.6


def parts(A) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows and columns of the connected parts of a matrix."""
    from scipy.sparse import bmat, csr_matrix
    from scipy.sparse.csgraph import connected_components

    n = A.shape[0]
    S = csr_matrix(A != 0)
    _, label = connected_components(bmat([[None, S], [S.T, None]]), directed=False)
    order = np.argsort(label, kind="stable")
    cuts = np.flatnonzero(np.diff(label[order])) + 1
    return [(part[part < n], part[part >= n] - n) for part in np.split(order, cuts)]


def pivots_by_parts(A, tolerance: float) -> tuple[list[int], list[int]]:
    """As `pivots`, part by part."""
    from scipy.linalg import qr

    sizes: list[np.ndarray] = [np.zeros(0)]
    columns: list[np.ndarray] = [np.zeros(0, dtype=int)]
    others: list[int] = []
    for rows, part in parts(A):
        block = A[np.ix_(rows, part)]
        if not block.size:
            others += part.tolist()
        elif len(part) <= MAX_PIVOTED_COLUMNS:
            _, R, order = qr(block, mode="economic", pivoting=True)
            n = min(block.shape)
            sizes.append(abs(np.diag(R)))
            columns.append(part[order[:n]])
            others += part[order[n:]].tolist()
        else:
            independent = _null_space_pivots(block)
            others += part[independent].tolist()
            columns.append(np.delete(part, independent))
            sizes.append(np.ones(len(columns[-1])))  # of rows that have unit length
    size, column = np.concatenate(sizes), np.concatenate(columns)
    is_pivot = size > tolerance * max(size.max(initial=0.0), MIN_SIZE)
    return column[is_pivot].tolist(), [*others, *column[~is_pivot].tolist()]


def _null_space_pivots(A) -> np.ndarray:
    """Independent columns of a long part: pivots of an orthonormal basis of its null space."""
    from scipy.linalg import qr

    rng, size = np.random.default_rng(5), float(np.linalg.norm(A, axis=1).max())
    N: list[np.ndarray] = []
    n, step = A.shape[1], assembly.sparse_solver(A)
    while True:
        for _ in range(min(n - len(N), len(N) or FIRST_MOTIONS)):
            x = rng.normal(size=n)
            N.append(x - step(A @ x))
        U, s, _ = np.linalg.svd(np.array(N).T, full_matrices=False)
        U = U[:, s > 1e-6 * s[0]]
        _, s, Vt = np.linalg.svd(A @ U, full_matrices=False)
        allowed = U @ Vt[s <= NULL_SPACE_RTOL * size].T
        if allowed.shape[1] < len(N) - 2 or len(N) == n:
            _, _, order = qr(allowed.T, mode="economic", pivoting=True)
            return order[: allowed.shape[1]]


def smallest_singular_value_by_parts(A) -> float:
    """Smallest singular value, part by part."""
    values = []
    for rows, part in parts(A):
        block = A[np.ix_(rows, part)]
        if len(rows) < len(part):
            return 0.0
        if len(part) <= MAX_PIVOTED_COLUMNS:
            values.append(np.linalg.svd(block, compute_uv=False)[-1])
        else:
            values.append(_least_of_sparse(block))
    return float(min(values, default=1.0))


def _least_of_sparse(A) -> float:
    """Smallest singular value of a long part, by Lanczos iterations on `[[1, A], [A', 0]]`."""
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
    largest = eigsh(inverse, k=1, tol=1e-3, v0=np.ones(m), return_eigenvectors=False)[0]
    return float(1 / np.sqrt(largest)) if np.isfinite(largest) and largest > 0 else 0.0
