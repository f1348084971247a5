"""Small dense equations, solved in place: plain text (see `plain`) for loops over rows.

Theory: CK.1, CK.2.
"""

from __future__ import annotations


def factored(A, inverse, n):
    """Factor a symmetric matrix in place, from its upper triangle; zeros cost nothing."""
    for k in range(n):
        inverse[k] = 1.0 / A[k * n + k]
        of = A[k * n :]
        for i in range(k + 1, n):
            l = of[i] * inverse[k]
            if l != 0.0:
                to = A[i * n :]
                for j in range(i, n):
                    to[j] = to[j] - l * of[j]  # CK.1
            A[i * n + k] = of[i]


def backward(A, inverse, n, x):
    """Replace x by the solution, from what elimination has left of a right-hand side."""
    for h in range(n):
        k = n - 1 - h
        t = x[k] * inverse[k]
        x[k] = t
        if t != 0.0:
            of = A[k * n :]
            for i in range(k):
                x[i] = x[i] - of[i] * t


def solved(A, inverse, n, x):
    """Replace x by the solution of the factored equation."""
    for k in range(n):
        t = x[k] * inverse[k]
        if t != 0.0:
            of = A[k * n :]
            for i in range(k + 1, n):
                x[i] = x[i] - of[i] * t  # CK.2
    backward(A, inverse, n, x)


def eliminated(C, x, n):
    """Replace x by the solution of a small equation whose diagonal leads."""
    for k in range(n):
        cleared(C, x, n, k)
    upward(C, x, n)


def pivoted(C, x, n):
    """Replace x by the solution of a small equation, by the largest pivot of each column."""
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(C[i * n + k]) > abs(C[p * n + k]):
                p = i
        if p != k:
            for j in range(k, n):
                C[k * n + j], C[p * n + j] = C[p * n + j], C[k * n + j]
            x[k], x[p] = x[p], x[k]
        cleared(C, x, n, k)
    upward(C, x, n)


def cleared(C, x, n, k):
    """Take column k out of the equations below it."""
    for i in range(k + 1, n):
        if C[i * n + k] != 0.0:
            l = C[i * n + k] / C[k * n + k]
            for j in range(k + 1, n):
                C[i * n + j] = C[i * n + j] - l * C[k * n + j]
            x[i] = x[i] - l * x[k]


def upward(C, x, n):
    """Replace x by the solution of an equation that has nothing below its diagonal."""
    for h in range(n):
        k = n - 1 - h
        t = x[k]
        for j in range(k + 1, n):
            t = t - C[k * n + j] * x[j]
        x[k] = t / C[k * n + k]


def product(x, y, n):
    """Sum of products."""
    out = 0.0
    for i in range(n):
        out = out + x[i] * y[i]
    return out
