"""Dense LDL' factorization, and Gaussian elimination with partial pivoting, in place.

Restricted Python for native code (`compiler/pyjit`).  Equations CK.1 and CK.2 (Golub and Van Loan,
Matrix Computations, chapters 3 and 4).  Matrices are stored row by row.
"""

from __future__ import annotations


def factor_ldl(A, inverse_pivots, n):
    """LDL' factorization of a symmetric matrix in place, from its upper triangle.

    The upper triangle becomes D L', the lower one a copy of it.  Rows with a zero factor are
    skipped, so that a sparse matrix costs less.
    """
    for k in range(n):
        inverse_pivots[k] = 1.0 / A[k * n + k]
        pivot_row = A[k * n :]
        for i in range(k + 1, n):
            l = pivot_row[i] * inverse_pivots[k]
            if l != 0.0:
                row = A[i * n :]
                for j in range(i, n):
                    row[j] = row[j] - l * pivot_row[j]  # CK.1
            A[i * n + k] = pivot_row[i]


def solve_upper_ldl(A, inverse_pivots, n, x):
    """Replace x, a forward-eliminated right-hand side, by the solution: scaling and back sweep."""
    for h in range(n):
        k = n - 1 - h
        t = x[k] * inverse_pivots[k]
        x[k] = t
        if t != 0.0:
            pivot_row = A[k * n :]
            for i in range(k):
                x[i] = x[i] - pivot_row[i] * t


def solve_ldl(A, inverse_pivots, n, x):
    """Replace the right-hand side x by the solution of the factored equations."""
    for k in range(n):
        t = x[k] * inverse_pivots[k]
        if t != 0.0:
            pivot_row = A[k * n :]
            for i in range(k + 1, n):
                x[i] = x[i] - pivot_row[i] * t  # CK.2
    solve_upper_ldl(A, inverse_pivots, n, x)


def solve_without_pivoting(C, x, n):
    """Replace x by the solution of C y = x; C is diagonally dominant and is overwritten."""
    for k in range(n):
        eliminate_column(C, x, n, k)
    solve_upper_triangle(C, x, n)


def solve_by_pivoting(C, x, n):
    """Replace x by the solution of C y = x by partial pivoting; C is overwritten."""
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(C[i * n + k]) > abs(C[p * n + k]):
                p = i
        if p != k:
            for j in range(k, n):
                C[k * n + j], C[p * n + j] = C[p * n + j], C[k * n + j]
            x[k], x[p] = x[p], x[k]
        eliminate_column(C, x, n, k)
    solve_upper_triangle(C, x, n)


def eliminate_column(C, x, n, k):
    """Eliminate column k from the equations below row k."""
    for i in range(k + 1, n):
        if C[i * n + k] != 0.0:
            l = C[i * n + k] / C[k * n + k]
            for j in range(k + 1, n):
                C[i * n + j] = C[i * n + j] - l * C[k * n + j]
            x[i] = x[i] - l * x[k]


def solve_upper_triangle(C, x, n):
    """Replace x by the solution of upper triangular equations."""
    for h in range(n):
        k = n - 1 - h
        t = x[k]
        for j in range(k + 1, n):
            t = t - C[k * n + j] * x[j]
        x[k] = t / C[k * n + k]


def dot_product(x, y, n):
    """Dot product of n numbers."""
    total = 0.0
    for i in range(n):
        total = total + x[i] * y[i]
    return total
