"""Sums as MathML, for web pages."""

from __future__ import annotations

import re
from html import escape

from ...system import once
from .names import Names, number, numbered
from .normal_form import Argument, Atom, Product, Sum, argument_factors

LETTERS = {"tau": "&#x3C4;", "J": "J", "gamma": "&#x3B3;", "nu": "&#x3BD;"}


def _identifier(base: str, low: str = "", dots: int = 0) -> str:
    head = f"<mi>{escape(base)}</mi>"
    if dots:
        head = f"<mover>{head}<mo>{'&#x2D9;' if dots == 1 else '&#xA8;'}</mo></mover>"
    return f"<msub>{head}{_low(low)}</msub>" if low else head


def _low(label: str) -> str:
    """A subscript: numbers upright, and 1p3, 2m1, 1to5 as the sums that they are."""
    if not re.fullmatch(r"\d+((p|m|to)\d+)*", label):
        return f"<mi>{escape(label)}</mi>"
    signs = {"p": "<mo>+</mo>", "m": "<mo>&#x2212;</mo>", "to": "<mo>&#x2026;</mo>"}
    parts = re.split(r"(p|m|to)", label)
    return f"<mrow>{''.join(signs.get(x) or f'<mn>{x}</mn>' for x in parts)}</mrow>"


class MathMLNames(Names):
    """The short names as MathML."""

    def name(self, atom: Atom) -> str:
        kind, key = atom
        if isinstance(key, int):
            return _identifier("q", str(key + 1))
        if isinstance(key, str):
            return _parameter(key)
        if kind in ("cos", "sin"):
            if isinstance(key[0][0], Argument):
                inner = _sum((Product(key[0][0].number, argument_factors(key[0][0])),), self)
                return f"<mrow><mi>{kind}</mi><mo>(</mo>{inner}<mo>)</mo></mrow>"
            if isinstance(key[0][0], str):
                return (
                    f"<mrow><mi>{kind}</mi><mo>(</mo><mi>{escape(key[0][0])}</mi><mo>)</mo></mrow>"
                )
            return _identifier(kind[0], self.label(key))
        own = all(i in self.own for i, _ in key)
        dots = "?va".index(kind) if own else "va".index(kind)
        return _identifier(
            "q" if own else "u", self.label([(self.own.get(i, i), s) for i, s in key]), dots
        )


def _parameter(name: str) -> str:
    """A parameter or a constant."""
    if name.startswith("sqrt("):
        return f"<msqrt><mn>{name[5:-1]}</mn></msqrt>"
    base, low = numbered(name)
    if base == "lambda":
        return f"<msub><mi>&#x3BB;</mi><mi>{escape(low)}</mi></msub>" if low else "<mi>&#x3BB;</mi>"
    return "<mi>&#x3C0;</mi>" if base == "pi" else _identifier(base, low)


def mathml(terms: Sum, system) -> str:
    """A sum as one `<math>` element."""
    return (
        f'<math xmlns="http://www.w3.org/1998/Math/MathML">{_sum(terms, names_of(system))}</math>'
    )


@once()
def names_of(system) -> MathMLNames:
    """Names of a system, cached."""
    return MathMLNames(system)


def document(eq) -> str:
    """All equations as a MathML table."""
    from .columns import all_rows

    names = names_of(eq.system)
    lines = []
    for head, terms in all_rows(eq):
        if terms is None:  # the constraints begin here
            also = "<mo>,</mo>".join(
                f"<mi>J</mi><mi>{x}</mi><mo>=</mo><mi>{LETTERS[right]}</mi>"
                for x, right in (("v", "nu"), ("a", "gamma"))
                if right in head
            )
            if "gamma" in head:
                also += "".join(
                    f"<mo>,</mo>{_sum(x.sum, names)}<mo>&gt;</mo><mn>0</mn>"
                    for x in eq.constraints.positive
                )
            less = "<msup><mi>J</mi><mi>T</mi></msup><mi>&#x3BB;</mi>"
            lines.append(
                f"<mtr><mtd><mtext>{'with' if also else 'less'}</mtext></mtd><mtd></mtd>"
                f"<mtd><mrow>{also or less}</mrow></mtd></mtr>"
            )
            continue
        left = (
            "<mn>0</mn>"
            if head == "0"
            else re.sub(
                r"(tau|J|gamma|nu)([\d,]+)",
                lambda m: f"<msub><mi>{LETTERS[m[1]]}</mi><mi>{m[2]}</mi></msub>",
                head.replace(" - ", "<mo>&#x2212;</mo>").replace(" + ", "<mo>+</mo>"),
            )
        )
        lines.append(
            f"<mtr><mtd><mrow>{left}</mrow></mtd><mtd><mo>=</mo></mtd>"
            f"<mtd>{_sum(terms, names)}</mtd></mtr>"
        )
    return (
        '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">'
        f"<mtable>{''.join(lines)}</mtable></math>"
    )


def _sum(terms: Sum, names) -> str:
    out: list[str] = []
    for p in terms:
        if out or p.number < 0:
            out.append(f"<mo>{'&#x2212;' if p.number < 0 else '+'}</mo>")
        out.append(_product(p, names))
    return f"<mrow>{''.join(out) or '<mn>0</mn>'}</mrow>"


def _power(base: str, n) -> str:
    """A power; above the subscript where there is one."""
    if base.startswith("<msub>") and base.endswith("</msub>"):
        return f"<msubsup>{base[6:-7]}<mn>{n}</mn></msubsup>"
    return f"<msup>{base}<mn>{n}</mn></msup>"


def _product(p: Product, names) -> str:
    def powers(factors):
        return [_power(names(a), n) if n > 1 else names(a) for a, n in factors]

    rates = [f for f in p.factors if f[0].kind in ("v", "a")]
    up = powers(f for f in p.factors if f[1] > 0 and f not in rates)
    down = powers((a, -n) for a, n in p.factors if n < 0)
    factors = up + [f"<mrow><mo>(</mo>{_sum(s, names)}<mo>)</mo></mrow>" for s in p.sums]
    factors += powers(rates)
    k = abs(p.number)
    if k != 1 or not factors:
        text = number(k)
        top, _, bottom = text.partition("/")
        factors.insert(
            0, f"<mfrac><mn>{top}</mn><mn>{bottom}</mn></mfrac>" if bottom else f"<mn>{text}</mn>"
        )
    body = "<mo>&#x2062;</mo>".join(factors)
    if down:
        return f"<mfrac><mrow>{body}</mrow><mrow>{''.join(down)}</mrow></mfrac>"
    return f"<mrow>{body}</mrow>"
