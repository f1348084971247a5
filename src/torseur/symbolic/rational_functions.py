"""Quotients of polynomials in the model's constants, and elimination with them.  Theory: EQ.8."""

from __future__ import annotations

from typing import Any


def gauss(K, rows, pivots):
    """Reduced rows over the fractions of polynomials in the model's constants."""
    out: dict[Any, Any] = {}
    rows = [dict(row) for row in rows]
    for p in pivots:
        row = min(
            (r for r in rows if p in r and not _lower(r, p)),
            key=lambda r: (len(r[p][0]) + len(r[p][1]), len(r)),
            default=None,
        )
        if row is None:
            row = next(r for r in rows if p in r)
        rows.remove(row)
        inverse = (row[p][1], row[p][0])
        row = {c: times(K, x, inverse) for c, x in row.items()}
        for other in [*rows, *out.values()]:
            if p in other:
                factor = other.pop(p)
                for c, x in row.items():
                    if c != p:
                        left = minus(K, other.get(c), times(K, factor, x))
                        if left is None:
                            other.pop(c, None)
                        else:
                            other[c] = left
        out[p] = row
    return out


def _lower(row, p) -> bool:
    return any(c < p for c in row)


def _cancel(K, top, bottom):
    """A fraction in lowest terms with rational denominator, None for zero."""
    top, bottom = K.reduce(top), K.reduce(bottom)
    if not top:
        return None
    for i in K.squares:  # sines, where cosines are kept, and roots
        if bottom.degrees()[i]:
            gens = list(K.ctx.gens())
            gens[i] = -gens[i]
            other = bottom.compose(*gens, ctx=K.ctx)
            top, bottom = K.reduce(top * other), K.reduce(bottom * other)
    g = top.gcd(bottom)
    if not g.is_constant():
        top, bottom = top / g, bottom / g
    k = bottom.leading_coefficient()
    return top / k, bottom / k


def times(K, x, y):
    if x is None or y is None:
        return None
    return _cancel(K, x[0] * y[0], x[1] * y[1])


def minus(K, x, y):
    if y is None:
        return x
    if x is None:
        return (-y[0], y[1])
    if x[1] == y[1]:
        return _cancel(K, x[0] - y[0], x[1])
    return _cancel(K, x[0] * y[1] - y[0] * x[1], x[1] * y[1])
