"""Text in the printed names back to a ring element."""

from __future__ import annotations

import ast
import re
from fractions import Fraction

from ..errors import unknown_name_message
from .print.names import Names

_TOKEN = re.compile(r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?)|([A-Za-z_][\w.]*)|(\*\*|.))")


FUNCTIONS = ("cos", "sin", "sqrt")


def read_expression(text: str, reading) -> object:
    """The ring element of a text such as "Izz1 + 2 d3 mx3 c2 c23 - s2^2/2".

    A blank between two factors multiplies; `^` and `**` are powers; cos(q2 + q3) may be written
    out or short.  A name that the system does not have is a ValueError.
    """
    elements = _elements_by_name(reading)
    tokens: list[str] = []
    follows_factor = False  # whether the last token ended a factor
    for number, name, sign in _TOKEN.findall(text.strip()):
        if sign == " " or not (number or name or sign):
            continue
        begins_factor = bool(number or name or sign == "(")
        if begins_factor and follows_factor and not (sign == "(" and tokens[-1] in FUNCTIONS):
            tokens.append("*")
        if name and name not in FUNCTIONS:
            if name not in elements:
                raise ValueError(unknown_name_message("quantity", name, elements, repr(text)))
            tokens.append(f"_[{name!r}]")
        else:
            tokens.append(f"N({number!r})" if number else "**" if sign == "^" else name or sign)
        follows_factor = bool(number or name or sign == ")")
    try:
        tree = ast.parse("".join(tokens), mode="eval").body
    except SyntaxError:
        raise ValueError(f"cannot read {text!r} as a sum of products") from None
    return _evaluate_node(tree, elements, reading, text)


def _elements_by_name(reading) -> dict:
    if "known" not in reading._cache:
        S, K = reading.symbols, reading.K
        out = {n: K[n] for n in K.names}
        for names in (Names(reading.system, full=True), Names(reading.system)):
            for i, x in enumerate(S.q):
                out[names.coordinate(i)] = x
            for i in range(len(S.v)):
                out[names.rate(i, 1)], out[names.rate(i, 2)] = S.v[i], S.a[i]
        short = Names(reading.system)
        n = reading.system.nq
        for angle, form_of in S.angles.items():  # sums over axes that do not follow each other
            label = short.label(tuple(form_of.items()))
            out.setdefault(f"c{label}", K[f"cos({angle})"])
            out.setdefault(f"s{label}", K[f"sin({angle})"])
        angle_indices = {i for form in S.angles.values() for i in form}
        for i in angle_indices:
            out.setdefault(f"c{i + 1}", K.cos(S.q[i]))
            out.setdefault(f"s{i + 1}", K.sin(S.q[i]))
        for i in angle_indices:  # every run of parallel axes
            c, s, form = 1, 0, []
            for j in range(i, n):
                if j not in angle_indices:
                    break
                form.append((j, 1))
                u, w = K.cos(S.q[j]), K.sin(S.q[j])
                c, s = c * u - s * w, s * u + c * w
                if 1 < len(form) < 10:
                    label = short.label(form)
                    out.setdefault(f"c{label}", c)
                    out.setdefault(f"s{label}", s)
                if len(form) > 3:
                    break
        reading._cache["known"] = out
    return reading._cache["known"]


def _evaluate_node(node, elements, reading, text):
    K = reading.K
    match node:
        case ast.Subscript(slice=ast.Constant(value=name)):
            return elements[name]
        case ast.Call(func=ast.Name(id="N"), args=[ast.Constant(value=str() as digits)]):
            x = Fraction(digits)
            return x.numerator if x.denominator == 1 else x
        case ast.Call(func=ast.Name(id=f), args=[argument]) if f in ("cos", "sin"):
            c, s = _cos_sin(argument, elements, reading, text)
            return c if f == "cos" else s
        case ast.Call(func=ast.Name(id="sqrt"), args=[argument]):
            return K.sqrt(_evaluate_node(argument, elements, reading, text))
        case ast.BinOp(left=a, op=op, right=b):
            x, y = (_evaluate_node(e, elements, reading, text) for e in (a, b))
            match op:
                case ast.Add():
                    return x + y
                case ast.Sub():
                    return x - y
                case ast.Mult():
                    return x * y
                case ast.Div():
                    return (
                        K.divide(x, y)
                        if not isinstance(y, int | Fraction)
                        else x * (Fraction(1) / y)
                    )
                case ast.Pow() if isinstance(y, int):
                    return x**y
        case ast.UnaryOp(op=ast.USub(), operand=a):
            return -_evaluate_node(a, elements, reading, text)
        case ast.UnaryOp(op=ast.UAdd(), operand=a):
            return _evaluate_node(a, elements, reading, text)
    raise ValueError(f"cannot read {text!r}: expected sums, products, whole powers, cos and sin")


def _cos_sin(node, elements, reading, text):
    """Cosine and sine of a sum of angles."""
    match node:
        case ast.BinOp(left=a, op=ast.Add() | ast.Sub() as op, right=b):
            (c, s), (u, w) = (_cos_sin(e, elements, reading, text) for e in (a, b))
            w = w if isinstance(op, ast.Add) else -w
            return c * u - s * w, s * u + c * w
        case ast.UnaryOp(op=ast.USub(), operand=a):
            c, s = _cos_sin(a, elements, reading, text)
            return c, -s
    x = _evaluate_node(node, elements, reading, text)
    return reading.K.cos(x), reading.K.sin(x)
