"""Antiderivatives of expressions of one name, where a short rule has one: polynomials, functions
of a linear argument, of the larger or smaller of it and a number, sums and multiples of these."""

from __future__ import annotations

from fractions import Fraction

from .substitution import substituted
from .value import Number, Value, symbol, symbols

_SAFE = (
    "sin",
    "cos",
    "exp",
    "abs",
    "tanh",
    "atan",
    "sign",
)  # finite at zero, whatever the parameters


def antiderivative(x, name: str):
    """`F` with `dF/dname = x` and `F = 0` at zero (where it is finite there), or None.

    >>> from .parser import parse
    >>> antiderivative(parse("100*x"), "x")
    100*x**2/2
    >>> antiderivative(parse("tanh(x)**3"), "x") is None
    True
    """
    if name not in symbols(x):
        return x * symbol(name)
    if (terms := _polynomial(x, name)) is not None and -1 not in terms:
        out = 0
        for n, c in terms.items():
            out = c * (symbol(name) ** (n + 1) / (n + 1)) + out if n else c * symbol(name) + out
        return out
    match x.op:
        case "+" | "-":
            a, b = (antiderivative(e, name) for e in x.args)
            return None if a is None or b is None else a + b if x.op == "+" else a - b
        case "neg":
            a = antiderivative(x.args[0], name)
            return None if a is None else -a
        case "*":
            for c, e in (x.args, x.args[::-1]):
                if name not in symbols(c):
                    a = antiderivative(e, name)
                    return None if a is None else c * a
        case "/" if name not in symbols(x.args[1]):
            a = antiderivative(x.args[0], name)
            return None if a is None else a / x.args[1]
    return _of_affine_argument(x, name) or _of_a_power(x, name) or _beyond(x, name)


def _line(x, name) -> tuple | None:
    """Slope and value at zero of an expression that is linear in the name.

    A slope that depends on time may vanish, where quotients by it have no value.
    """
    line = _polynomial(x, name)
    if line is None or not set(line) <= {0, 1} or 1 not in line or "t" in symbols(line[1]):
        return None
    return line[1], line.get(0, 0)


def _of_a_power(x, name):
    """Of `c / u**n`, `sqrt(u)` of a line u, and of polynomials times `sqrt(a*name)`."""
    if x.op == "/" and name not in symbols(x.args[0]):
        c, below = x.args
        u, n = below.args if isinstance(below, Value) and below.op == "**" else (below, 1)
        if (line := _line(u, name)) is None or n < 1:
            return None
        if n == 1:
            return c * _call("log", _call("abs", u)) / line[0]
        return -(c / (line[0] * (n - 1)) / u ** (n - 1))
    if x.op == "sqrt" and (line := _line(x.args[0], name)) is not None:
        return 2 * x.args[0] * x / (3 * line[0])
    if x.op == "*":
        for root, other in (x.args, x.args[::-1]):
            if not (isinstance(root, Value) and root.op == "sqrt"):
                continue
            line, terms = _line(root.args[0], name), _polynomial(other, name)
            if line is None or terms is None or line[1] != 0:
                return None
            total = 0
            for n, c in terms.items():
                total = c * symbol(name) ** (n + 1) * Fraction(2, 2 * n + 3) + total
            return total * root
    return None


def _beyond(x, name):
    """Antiderivative of a function of `max(u, c)` or `min(u, c)`, with u linear and c constant."""
    found = {p for p in x.walk() if p.op in ("max", "min") and name in symbols(p)}
    inner = [p for p in found if not any(p is not o and o in [*p.walk()] for o in found)]
    if len(inner) != 1 or "~" in symbols(x):
        return None
    m = inner[0]
    u, c = m.args if name in symbols(m.args[0]) else m.args[::-1]
    line = _line(u, name)
    if line is None or name in symbols(c):
        return None
    f = _replace_subexpression(x, m, symbol("~"))
    if name in symbols(f):
        return None
    F = antiderivative(f, "~")
    if F is None:
        return None
    other = Value("min" if m.op == "max" else "max", (u, c))
    try:
        at_c = substituted(f, {"~": c})
        whole = substituted(F, {"~": m}) + (other - c) * at_c
        return (whole - substituted(whole, {name: 0})) / line[0]
    except ValueError:  # not finite at c
        return None


def _replace_subexpression(x, part, by):
    """An expression with one of its parts replaced."""
    if x is part:
        return by
    known: dict = {}
    for p in x.walk():
        args = tuple(known.get(a, a) if isinstance(a, Value) else a for a in p.args)
        known[p] = by if p is part else p if args == p.args else Value(p.op, args)
    return known[x]


def _of_affine_argument(x, name):
    """Of a function whose argument is linear in the name."""
    if x.op not in _SAFE:
        return None
    line = _line(x.args[0], name)
    if line is None:
        return None
    u, (slope, start) = x.args[0], line

    def at(v):
        match x.op:
            case "sin":
                return -_call("cos", v)
            case "cos":
                return _call("sin", v)
            case "exp":
                return _call("exp", v)
            case "sign":
                return _call("abs", v)
            case "atan":
                return v * _call("atan", v) - _call("log", 1 + v * v) / 2
            case "tanh":  # log cosh, which does not overflow
                far = _call("abs", v)
                return far + _call("log", (1 + _call("exp", -2 * far)) / 2)
        return v * _call("abs", v) / 2

    return (at(u) - at(start)) / slope


def _call(op, v):
    return Value(op, (v,))


def _polynomial(x, name) -> dict | None:
    """{power: coefficient} of an expression that is a polynomial in the name, else None."""
    if name not in symbols(x):
        return {0: x}
    match x.op:
        case "symbol":
            return {1: 1}
        case "+" | "-":
            a, b = (_polynomial(e, name) for e in x.args)
            if a is None or b is None:
                return None
            out = dict(a)
            for n, c in b.items():
                out[n] = out.get(n, 0) + (c if x.op == "+" else -c)
            return out
        case "neg":
            a = _polynomial(x.args[0], name)
            return None if a is None else {n: -c for n, c in a.items()}
        case "*":
            a, b = (_polynomial(e, name) for e in x.args)
            if a is None or b is None:
                return None
            out = {}
            for n, c in a.items():
                for m, d in b.items():
                    out[n + m] = out.get(n + m, 0) + c * d
            return out
        case "/" if name not in symbols(x.args[1]):
            a = _polynomial(x.args[0], name)
            return None if a is None else {n: _over(c, x.args[1]) for n, c in a.items()}
        case "**" if 0 < x.args[1] <= 16:
            a, out = _polynomial(x.args[0], name), {0: 1}
            if a is None or len(a) > 4:
                return None
            for _ in range(x.args[1]):
                out = _polynomial_product(out, a)
            return out
    return None


def _polynomial_product(a, b) -> dict:
    out: dict = {}
    for n, c in a.items():
        for m, d in b.items():
            out[n + m] = out.get(n + m, 0) + c * d
    return out


def _over(c, d):
    return Fraction(c) / d if isinstance(c, Number) and isinstance(d, Number) else c / d


__all__ = ["antiderivative"]
