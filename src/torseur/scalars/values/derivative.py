"""Derivatives of expressions by one name, as expressions."""

from __future__ import annotations

from fractions import Fraction

from .value import Value, cos, sin, symbols


def derivative(x, name: str):
    """The partial derivative of an expression.

    >>> from .parser import parse
    >>> derivative(parse("3*a*x**2 + sin(2*x)"), "x")
    3*a*2*x + cos(2*x)*2
    >>> derivative(parse("a"), "x")
    0
    """
    if not isinstance(x, Value) or name not in symbols(x):
        return 0
    if x.op == "symbol":
        return 1
    found: dict[Value, object] = {}
    for part in x.walk():
        found[part] = _slope(part, name, lambda e: found.get(e, 0) if isinstance(e, Value) else 0)
    return found[x]


def _slope(x: Value, name: str, of):
    """The derivative of an expression from those of its parts."""
    if x.op in ("symbol", "pi"):
        return int(x.args == (name,))
    a = x.args[0]
    da = of(a)
    match x.op:
        case "+":
            return da + of(x.args[1])
        case "-":
            return da - of(x.args[1])
        case "neg":
            return -da
        case "*":
            return da * x.args[1] + a * of(x.args[1])
        case "/":
            b = x.args[1]
            return da / b - a * of(b) / b**2 if isinstance(b, Value) else da / b
        case "**":
            n = x.args[1]
            return n * a ** (n - 1) * da
        case "min" | "max" | "atan2":
            return _of_two(x, da, of(x.args[1]))
    return _outer(x.op, a, x) * da if _is(da) else 0


def _is(x) -> bool:
    return isinstance(x, Value) or x != 0


def _of_two(x: Value, da, db):
    a, b = x.args
    if x.op == "atan2":
        return (da * b - a * db) / (a * a + b * b)
    side = Value("sign", (a - b,)) if x.op == "max" else Value("sign", (b - a,))
    return (da + db) / 2 + side * (da - db) / 2


def _outer(op: str, a, x: Value):
    """Derivative of a function of one argument."""
    one = Fraction(1)
    match op:
        case "sin":
            return cos(a)
        case "cos":
            return -sin(a)
        case "sqrt":
            return one / (2 * x)
        case "exp":
            return x
        case "log":
            return one / a
        case "tan":
            return 1 + x * x
        case "tanh":
            return 1 - x * x
        case "abs":
            return Value("sign", (a,))
        case "sign":
            return 0
        case "asin":
            return one / Value("sqrt", (1 - a * a,))
        case "acos":
            return -one / Value("sqrt", (1 - a * a,))
        case "atan":
            return one / (1 + a * a)
    raise ValueError(f"{op}() has no derivative here")
