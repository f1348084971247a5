"""Antiderivatives of expressions of one name, where a short rule has one: polynomials, functions
of a linear argument, sums and multiples of these."""

from __future__ import annotations

from fractions import Fraction

from .values import Number, Value, symbol, symbols

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

    >>> from .parsing import parse
    >>> antiderivative(parse("100*x"), "x")
    100*x**2/2
    >>> antiderivative(parse("sqrt(x)"), "x") is None
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
    return _of_a_line(x, name)


def _of_a_line(x, name):
    """Of a function whose argument is linear in the name."""
    if x.op not in _SAFE:
        return None
    line = _polynomial(x.args[0], name)
    if line is None or not set(line) <= {0, 1} or 1 not in line:
        return None
    u, slope, start = x.args[0], line[1], line.get(0, 0)

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
