"""Irrational constants and symbols of a system as generators of its ring.

Cosines of integer multiples of one angle become polynomials of one pair. Square roots are split
into coprime ones. Independence that cannot be proved is recorded as a doubt.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Any

from ..errors import NotInRing
from ..scalars import MULTIPLES, Number, Powers, Value, exact_root, leaves, vector

MAX_NAMED_ANGLES = 6  # more angles than this, given as numbers, are not named


@dataclass
class Constants:
    """Names of generators that the numbers of a system need."""

    symbols: list[str] = field(default_factory=list)  # parameters that are also angles
    parameters: list[str] = field(default_factory=list)
    inverses: list[str] = field(default_factory=list)
    angles: list = field(default_factory=list)  # angle arguments of Ring
    generators: list[str] = field(default_factory=list)  # constants argument of Ring
    doubts: list[str] = field(default_factory=list)
    units: dict = field(default_factory=dict)  # base -> unit
    arguments: list = field(default_factory=list)
    radicands: list = field(default_factory=list)
    rational: bool = False  # angles given as numbers: see `_rational_rotation`
    forms: list = field(default_factory=list)  # angles that formulas asked for, see `Ring.form`
    products: dict = field(default_factory=dict)  # base -> powers of generators, when it varies
    sines: dict = field(default_factory=dict)  # angle -> (unit, powers)

    @classmethod
    def from_system(
        cls, system, expressions=(), how: str = "auto", needs=(), coordinate_angles=()
    ) -> Constants:
        """Generators for the numbers of a system and the expressions `expressions`.

        `needs` are the needs of formulas (`NotInRing.asks`), `coordinate_angles` angles that have
        generators already.
        """
        if how not in ("auto", "named", "rational"):
            raise ValueError(f"constants={how!r}: expected 'auto', 'named' or 'rational'")
        out, expressions = cls(), tuple(expressions)
        constants: dict = {}
        divisors: dict[str, None] = {}
        for x in (*system.numbers(), *expressions):
            _collect_constants(x, constants, divisors)
        every = dict.fromkeys((*system.leaves, *leaves(vector(expressions))))
        names = [leaf.args[0] for leaf in every if leaf.op == "symbol"]
        for kind, x in constants:
            if kind == "sqrt":
                out.radicands.append(Fraction(x))
            else:
                out.arguments.append((x, _linear(x)))
        for kind, *what in needs:
            if kind == "angle":
                out.forms.append(what[0])
            elif kind == "root":
                out.radicands.append(Fraction(what[0]))
        numeric_angles = {x for x, form in out.arguments if form and 1 in form}
        out.rational = bool(numeric_angles) and (
            how == "rational" or (how == "auto" and len(numeric_angles) > MAX_NAMED_ANGLES)
        )
        if out.rational:
            out.doubts.append(
                f"{len(numeric_angles)} angles given as numbers stand for rotations by "
                "rational cosines and sines within 1e-15 of theirs"
            )
        out._angles(names, coordinate_angles)
        out._roots()
        if ("pi",) in needs or any(leaf.op == "pi" for leaf in every):
            out.parameters.append("pi")
            if _has_pi_outside_angles(system) and any(
                not g.startswith("sqrt") for g in out.generators
            ):
                out.doubts.append(
                    "pi and the cosine of a number both occur, which are not known "
                    "to be independent"
                )
        out.parameters += [n for n in names if n not in out.symbols]
        divisors |= dict.fromkeys(what[0] for kind, *what in needs if kind == "inverse")
        out.inverses += list(divisors)
        return out

    def _roots(self):
        """Generators for square roots: coprime square-free radicands."""
        free = {r: _squarefree(r) for r in self.radicands}
        pi_radicals = [int(g[5:-1]) for g in self.generators if g.startswith("sqrt")]  # by pi
        self.generators = [g for g in self.generators if not g.startswith("sqrt")]
        radicals = list(dict.fromkeys([*pi_radicals, *(n for _, n in free.values())]))
        if any(math.gcd(a, b) > 1 for a, b in combinations(radicals, 2)):
            radicals = sorted({p for n in radicals for p in _primes(n)})
        self.generators += [f"sqrt({n})" for n in radicals if n != 1]

    def _angles(self, parameters, coordinate_angles):
        """One pair of generators for each base of the angles.

        A symbol, pi, one radian, or a product in which a coordinate or the time may be.
        """
        for base, ks in self._multiples(parameters, coordinate_angles).items():
            unit = _gcd(ks)
            if base == 1 and self.rational:
                self.units[base] = None
                continue
            if base == "pi":
                roots = _pi_roots(unit)
                if roots is not None:
                    self.units[base] = unit
                    self.generators += [r for r in roots if r not in self.generators]
                    continue
            if max(abs(k / unit) for k in ks) > MULTIPLES:
                unit = Fraction(0)  # none: each has a pair of its own
                self.doubts.append(
                    f"the cosines of {', '.join(_text(base, k) for k in ks)} are related, by "
                    "polynomials too long to use"
                )
            self.units[base] = unit or None
            for k in [unit] if unit else dict.fromkeys(map(abs, ks)):
                self._generate(base, k)
        odd = [b for b in self.units if b not in (1, "pi") and b not in self.products]
        if not all(str(base).isidentifier() for base in odd):
            self.doubts.append("an angle of the model is not a sum of parameters")

    def _multiples(self, parameters, coordinate_angles) -> dict:
        """By base of the angles, its coefficients; products are noted on the way."""
        multiples: dict = {}
        for x, form in self.arguments:
            for base, k in (form or {repr(x): Fraction(1)}).items():
                multiples.setdefault(base, []).append(k)
                if base == "t":  # the time of a force law
                    self.products[base] = (("t", 1),)
        for powers, k in (term for form in self.forms for term in form):
            base = _base(powers)
            if base in coordinate_angles:
                continue
            multiples.setdefault(base, []).append(k)
            if powers and base != "pi" and (base == "t" or base not in parameters):
                self.products[base] = powers
        return multiples

    def _generate(self, base, k) -> None:
        """Sine and cosine of `k` times a base, as generators."""
        name = _text(base, k)
        if base in self.products:
            self.sines[name] = (k, self.products[base])
            self.angles.append((name, {}))
        elif base in ("pi", 1):
            self.generators.append(name)
            if base == "pi":
                self.doubts.append(f"cos({name}) is an algebraic number whose equation is not used")
        else:
            self.angles.append((name, {base: 1}) if k == 1 else (name, {name: 1}))
            if k == 1 and base.isidentifier():
                self.symbols.append(base)

    def define(self, K) -> None:
        """Declare cosine and sine of every angle of the model and every root in the ring."""
        for r in self.radicands:
            factor, n = _squarefree(r)
            root = factor
            for p in [n] if f"sqrt({n})" in K else _primes(n):
                root = root * K[f"sqrt({p})"]
            K.define_root(r, root)
        for x, form in self.arguments:
            K.define_angle(K.number(x), *self._pair(K, form or {repr(x): Fraction(1)}))
        for angle, (unit, powers) in self.sines.items():
            K.define_sines(angle, powers, unit)
        for form in self.forms:
            x = sum((math.prod((K[n] ** m for n, m in p), start=k) for p, k in form), start=0)
            K.define_angle(x, *self._pair(K, {_base(p): k for p, k in form}))

    def _pair(self, K, form):
        """Cosine and sine of a sum of multiples of bases."""
        c, s = 1, 0
        for base, k in form.items():
            u, w = self._multiple(K, base, k)
            c, s = c * u - s * w, s * u + c * w
        return c, s

    def _multiple(self, K, base, k):
        """Cosine and sine of `k` times a base."""
        if base == 1 and self.rational:
            return _rational_rotation(k)
        unit = self.units.get(base, Fraction(1)) or abs(k)  # a turning coordinate: its own
        if base == "pi" and _pi_roots(unit) is not None:
            c, s = _pi_pair(K, unit)
        else:
            name = _text(base, unit)
            c, s = (
                (K[f"cos({name})"], K[f"sin({name})"])
                if base in self.units
                else (K.cos(K[base]), K.sin(K[base]))
            )
        n = k / unit
        if n.denominator != 1:
            raise NotInRing(f"the sine of {k} times the angle {base} is no polynomial of its own")
        s = s if n > 0 else -s
        u, w = 1, 0
        for _ in range(abs(int(n))):
            u, w = u * c - w * s, u * s + w * c
        return u, w


def _rational_rotation(angle: Fraction) -> tuple[Fraction, Fraction]:
    """Rational cosine and sine, on the unit circle exactly, within 1e-15 of those of an angle."""
    half_turns, rest = divmod(float(angle) + math.pi / 2, math.pi)
    t = Fraction(math.tan((rest - math.pi / 2) / 2)).limit_denominator(10**10)
    sign = -1 if half_turns % 2 else 1
    return sign * (1 - t * t) / (1 + t * t), sign * 2 * t / (1 + t * t)


def _collect_constants(x, constants, divisors) -> None:
    if not isinstance(x, Value):
        return
    if x.op in ("sin", "cos"):
        constants[("angle", x.args[0])] = None
    elif x.op == "sqrt" and isinstance(x.args[0], Number):
        constants[("sqrt", x.args[0])] = None
    elif x.op == "/" and isinstance(x.args[1], Value):
        divisors |= dict.fromkeys(_monomial(x.args[1]))
    elif x.op == "**" and x.args[1] < 0:
        divisors |= dict.fromkeys(_monomial(x.args[0]))
    for a in x.args:
        _collect_constants(a, constants, divisors)


def _monomial(x) -> list[str]:
    """Names in a product of powers of parameters, empty for anything else."""
    if isinstance(x, Number):
        return []
    match x.op:
        case "symbol":
            return [x.args[0]]
        case "*" | "/":
            return _monomial(x.args[0]) + _monomial(x.args[1])
        case "neg" | "**":
            return _monomial(x.args[0])
    return []


def _linear(x) -> dict | None:
    """{symbol, "pi" or 1: coefficient} of a linear expression, or None."""
    if isinstance(x, Number):
        return {1: Fraction(x)} if x else {}
    match x.op:
        case "symbol":
            return {x.args[0]: Fraction(1)}
        case "pi":
            return {"pi": Fraction(1)}
        case "neg":
            inner = _linear(x.args[0])
            return None if inner is None else {b: -k for b, k in inner.items()}
        case "+" | "-":
            left, right = map(_linear, x.args)
            if left is None or right is None:
                return None
            sign = 1 if x.op == "+" else -1
            out = {b: left.get(b, 0) + sign * right.get(b, 0) for b in left | right}
            return {b: k for b, k in out.items() if k}
        case "*" | "/":
            left, right = map(_linear, x.args)
            if left is None or right is None:
                return None
            if x.op == "*" and set(left) <= {1}:
                left, right = right, left
            if not set(right) <= {1}:
                return None
            k = right.get(1, Fraction(0))
            return {b: n * k if x.op == "*" else n / k for b, n in left.items()}
    return None


def _has_pi_outside_angles(system) -> bool:
    """Whether pi occurs outside sines and cosines."""

    def in_angle(x):
        if not isinstance(x, Value) or x.op in ("sin", "cos"):
            return False
        return x.op == "pi" or any(map(in_angle, x.args))

    return any(map(in_angle, system.numbers()))


def _base(powers: Powers) -> str | int:
    """The name of a product of generators' powers, 1 of none."""
    if not powers:
        return 1
    top = [n + f"**{m}" * (m > 1) for n, m in powers if not n.startswith("1/")]
    low = [n[2:] + f"**{m}" * (m > 1) for n, m in powers if n.startswith("1/")]
    return "/".join(["*".join(top) or "1", *low])


def _gcd(ks) -> Fraction:
    out = Fraction(0)
    for k in ks:
        out = Fraction(
            math.gcd(out.numerator * k.denominator, k.numerator * out.denominator),
            out.denominator * k.denominator,
        )
    return out


def _text(base, k: Fraction) -> str:
    if base == 1:
        return str(k)
    top = str(base) if abs(k.numerator) == 1 else f"{abs(k.numerator)}*{base}"
    return ("-" if k < 0 else "") + (top if k.denominator == 1 else f"{top}/{k.denominator}")


def _pi_roots(unit: Fraction) -> list[str] | None:
    """Roots that express the cosine of unit * pi, for twelfths of a revolution."""
    return {
        1: [],
        2: [],
        4: ["sqrt(2)"],
        3: ["sqrt(3)"],
        6: ["sqrt(3)"],
        12: ["sqrt(2)", "sqrt(3)"],
    }.get(unit.denominator)


def _pi_pair(K, unit: Fraction):
    q = Fraction(1, 4)

    def root(n):
        return K[f"sqrt({n})"]

    c: Any
    s: Any
    match unit.denominator:
        case 1:
            c, s = -1, 0
        case 2:
            c, s = 0, 1
        case 3:
            c, s = 2 * q, root(3) * (2 * q)
        case 4:
            c, s = root(2) * (2 * q), root(2) * (2 * q)
        case 6:
            c, s = root(3) * (2 * q), 2 * q
        case 12:
            c, s = root(2) * (root(3) + 1) * q, root(2) * (root(3) - 1) * q
    u, w = 1, 0
    for _ in range(abs(unit.numerator)):
        u, w = u * c - w * s, u * s + w * c
    return u, (w if unit > 0 else -w)


def _primes(n: int) -> list[int]:
    """Distinct prime factors.  A large remainder of trial division stays."""
    out, p = [], 2
    while p * p <= n and p < 100_000:
        if n % p == 0:
            out.append(p)
            while n % p == 0:
                n //= p
        p += 1
    return [*out, n] if n > 1 else out


def _squarefree(r: Fraction) -> tuple[Fraction, int]:
    """(f, n) with sqrt(r) = f sqrt(n), n without squares of primes below 100 000.

    Raises `NotInRing` for a negative r.
    """
    if r < 0:
        raise NotInRing(f"sqrt({r}) is not real")
    n, f = r.numerator * r.denominator, Fraction(1, r.denominator)
    if (root := exact_root(n)) is not None:
        return f * root, 1
    p = 2
    while p * p <= n and p < 100_000:
        while n % (p * p) == 0:
            n //= p * p
            f *= p
        p += 1
    return f, n
