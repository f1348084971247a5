"""Sums as LaTeX."""

from __future__ import annotations

import re
from fractions import Fraction

from .atoms import Argument, Atom, Product, Sum, argument_factors
from .names import SHORT_NAME, Names, exact_decimal, split_digits

GREEK = frozenset(
    """alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho
sigma tau upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega""".split()
)


class LatexNames(Names):
    """q_{1}, \\dot{q}_{1}, c_{23}: the short names as LaTeX."""

    def name(self, atom: Atom) -> str:
        kind, key = atom
        if isinstance(key, int):
            return f"q_{{{key + 1}}}"
        if isinstance(key, str):
            return rf"\mathrm{{{key}}}" if self.clash and SHORT_NAME.fullmatch(key) else symbol(key)
        if kind in ("cos", "sin"):
            if isinstance(key[0][0], Argument):
                return f"\\{kind}\\left({self.argument(key[0][0])}\\right)"
            if isinstance(key[0][0], str):
                return f"\\{kind}\\left({angle_constant(key[0][0])}\\right)"
            return f"{kind[0]}_{{{self.label(key)}}}"
        are_rates = all(i in self.coordinate_of_speed for i, _ in key)
        dot = ("", r"\dot", r"\ddot")["va".index(kind) + are_rates]
        base = "q" if are_rates else "u"
        label = self.label([(self.coordinate_of_speed.get(i, i), s) for i, s in key])
        return f"{dot}{{{base}}}_{{{label}}}" if dot else f"{base}_{{{label}}}"

    def argument(self, x: Argument) -> str:
        return _sum((Product(x.number, argument_factors(x)),), self)

    def label(self, form) -> str:
        return super().label(form).replace("to", r"\ldots ").replace("p", "+").replace("m", "-")


def symbol(name: str) -> str:
    """A parameter's name: Ixx2 -> I_{xx2}, alpha -> \\alpha, L1 -> L_{1}.

    >>> symbol("Ixx2"), symbol("d3"), symbol("alpha_4"), symbol("sqrt(2)")
    ('I_{xx2}', 'd_{3}', '\\\\alpha_{4}', '\\\\sqrt{2}')
    """
    if name == "pi":
        return r"\pi"
    if name.startswith("sqrt("):
        return rf"\sqrt{{{name[5:-1]}}}"
    base, digits = split_digits(name)
    base, _, low = base.partition("_")
    if base in GREEK:
        head = "\\" + base
    elif re.fullmatch(r"[IJm][xyz]{1,2}", base):
        head, low = base[0], base[1:] + low
    elif len(base) == 1:
        head = base
    else:
        head = rf"\mathrm{{{base}}}"
    low = (low + digits).replace("_", r"\_")
    return f"{head}_{{{low}}}" if low else head


def angle_constant(text: str) -> str:
    text = re.sub(r"(\w+)/(\d+)", r"\\tfrac{\1}{\2}", text)
    return text.replace("*", r"\,").replace("pi", r"\pi")


def number(x: Fraction) -> str:
    text = str(x) if x.denominator == 1 else exact_decimal(x)
    if text is None and x.denominator >= 10**9:
        return repr(float(x))
    if text is None or (x.denominator in (2, 4, 8) and x.numerator < 10):
        return rf"\frac{{{x.numerator}}}{{{x.denominator}}}"
    return text


def latex(terms: Sum, system) -> str:
    """A sum such as `I_{zz1} + I_{xx2} s_{2}^{2}`."""
    return _sum(terms, LatexNames(system))


def _sum(terms: Sum, names) -> str:
    out = ""
    for p in terms:
        sign = "-" if p.number < 0 else "+"
        body = _product(p, names)
        out += f" {sign} {body}" if out else ("-" if sign == "-" else "") + body
    return out or "0"


def _product(p: Product, names) -> str:
    def powers(factors):
        return [f"{names(a)}^{{{n}}}" if n > 1 else names(a) for a, n in factors]

    rates = [f for f in p.factors if f[0].kind in ("v", "a")]
    up = powers(f for f in p.factors if f[1] > 0 and f not in rates)
    down = powers((a, -n) for a, n in p.factors if n < 0)
    factors = up + [rf"\left({_sum(s, names)}\right)" for s in p.sums] + powers(rates)
    k = abs(p.number)
    if k != 1 or not factors:
        factors.insert(0, number(k))
    if down:
        return rf"\frac{{{' '.join(factors)}}}{{{' '.join(down)}}}"
    return " ".join(factors)


def latex_document(eq) -> str:
    """All equations, aligned, each coefficient on a line when the equation is long."""
    from .columns import all_rows

    names, lines = LatexNames(eq.system), []
    for head, terms in all_rows(eq):
        if terms is None:  # the constraints begin here
            also = r"\quad J a = \gamma" if "gamma" in head else ""
            also = r"\quad J v = \nu," * ("nu" in head) + also
            if "gamma" in head:
                also += "".join(
                    rf",\quad {_sum(x.sum, names)} > 0" for x in eq.constraints.positive
                )
            less = r"\text{less } J^{\mathsf{T}} \lambda"
            lines.append(rf"& \text{{with}}{also}" if also else f"& {less}")
            continue
        left = re.sub(r"(tau|gamma|nu)(\d+)", r"\\\1_{\2}", re.sub(r"J([\d,]+)", r"J_{\1}", head))
        terms_text = [
            ("-" if p.number < 0 else "+" if i else "") + " " + _product(p, names)
            for i, p in enumerate(terms)
        ] or ["0"]
        line, parts = "", []
        for term_text in terms_text:
            if line and len(line) + len(term_text) > 160:
                parts.append(line)
                line = ""
            line += " " + term_text.strip() if term_text[0] not in "+-" else " " + term_text
        parts.append(line)
        lines.append(
            f"{left} ={parts[0]}"
            if len(parts) == 1
            else f"{left} ={parts[0]}" + "".join(f"\\\\\n&\\quad {x}" for x in parts[1:])
        )
    body = " \\\\\n".join(
        line if line[0] == "&" else line.replace(" =", " &=", 1) for line in lines
    )
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"
