"""Conversion of sums to SymPy expressions."""

from __future__ import annotations

from ..errors import needs
from .print.names import Names
from .print.normal_form import Argument, Atom, Product, Sum, argument_factors


def to_sympy(terms: Sum, system, full: bool = False):
    """A sum as a SymPy expression in the symbols q1, dq1, d2q1 and the parameters."""
    with needs("sympy", "to_sympy"):
        import sympy

    names = Names(system, full)

    def symbol(name):
        return sympy.Symbol(name)

    def atom(a: Atom):
        kind, key = a
        if kind in ("cos", "sin") and isinstance(key, tuple):
            if isinstance(key[0][0], Argument):
                inner = Product(key[0][0].number, argument_factors(key[0][0]))
                return getattr(sympy, kind)(value((inner,)))
            argument = sum(
                (
                    s
                    * (
                        sympy.sympify(
                            i.replace("^", "**"), locals={n: symbol(n) for n in system.symbols}
                        )
                        if isinstance(i, str)
                        else symbol(names.coordinate(i))
                    )
                    for i, s in key
                ),
                start=sympy.S.Zero,
            )
            return getattr(sympy, kind)(argument)
        if kind in ("v", "a") and isinstance(key, tuple):
            order = "?va".index(kind)
            return sum((s * symbol(names.rate(i, order)) for i, s in key), start=sympy.S.Zero)
        if kind == "c":
            return sympy.sympify(key)
        return symbol(names(a))

    def value(terms):
        total = []
        for p in terms:
            factors = [sympy.Rational(p.number.numerator, p.number.denominator)]
            factors += [atom(a) ** n for a, n in p.factors] + [value(s) for s in p.sums]
            total.append(sympy.Mul(*factors))
        return sympy.Add(*total)

    return value(terms)
