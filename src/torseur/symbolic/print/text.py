"""Sums as plain text."""

from __future__ import annotations

import re

from .names import Names, number
from .normal_form import Product, Sum


def text(terms: Sum, names: Names, times: str = " ", power: str = "^") -> str:
    """A sum such as `Izz1 + Ixx2 s2^2 - 2 d3 my3 c2 s23`."""
    if not terms:
        return "0"
    out: list[str] = []
    for p in terms:
        body = product(p, names, times, power)
        sign = "-" if p.number < 0 else "+"
        out.append(f" {sign} {body}" if out else ("-" if p.number < 0 else "") + body)
    return "".join(out)


def product(p: Product, names: Names, times: str, power: str) -> str:
    """A product without its sign: number, parameters, angles, brackets, rates."""

    def powers(factors):
        return [names(a) + (f"{power}{n}" if n > 1 else "") for a, n in factors]

    rates = [f for f in p.factors if f[0].kind in ("v", "a")]
    up = [f for f in p.factors if f[1] > 0 and f not in rates]
    down = [(a, -n) for a, n in p.factors if n < 0]
    factors = powers(up) + [f"({text(s, names, times, power)})" for s in p.sums] + powers(rates)
    k = abs(p.number)
    if k != 1 or not factors:
        factors.insert(0, number(k))
    return "".join([times.join(factors), *("/" + x for x in powers(down))])


def wrapped(head: str, terms: Sum, names: Names, width: int = 100) -> str:
    """`head = sum`, broken before signs if longer than `width`."""
    line = f"{head} = {text(terms, names)}"
    if len(line) <= width:
        return line
    lines, current = [], f"{head} ="
    for i, p in enumerate(terms):
        sign = "-" if p.number < 0 else "+"
        body = product(p, names, " ", "^")
        piece = body if i == 0 and sign == "+" else f"-{body}" if i == 0 else f"{sign} {body}"
        if i and (len(current) + len(piece) + 1 > width):
            lines.append(current)
            current = "    " + piece
        else:
            current += " " + piece
    return "\n".join(wrap(x, width, "        ") for x in [*lines, current])


def wrap(line: str, width: int = 100, indent: str = "    ") -> str:
    """A line broken before its signs."""
    if len(line) <= width:
        return line
    start = len(line) - len(line.lstrip())
    pieces = re.split(r" (?=[+-] )", line[start:])
    lines, current = [], " " * start + pieces[0]
    for piece in pieces[1:]:
        if len(current) + len(piece) + 1 > width:
            lines.append(current)
            current = indent + piece
        else:
            current += " " + piece
    return "\n".join([*lines, current])
