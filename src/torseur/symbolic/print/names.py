"""Names of atoms in each style of print."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise

from .normal_form import Argument, Atom

SHORT = re.compile(r"d?2?[qu]\d+|[cs](m?\d+)([mp]\d+|to\d+)*")


class Names:
    """Short names: q1, dq1, d2q1, c23 and s23 for cosine and sine of q2 + q3, u1 for quasi-
    velocities.

    `full=True` uses the names of the system. A parameter whose name equals a short name keeps its
    own.
    """

    def __init__(self, system, full: bool = False):
        self.clash = any(SHORT.fullmatch(n) for n in system.symbols)
        self.system, self.full = system, full or self.clash
        self.many = max(system.nq, system.nv) > 9
        self._said: dict[Atom, str] = {}
        self.own: dict[int, int] = {}  # speed -> its coordinate
        for k in system.links:
            if k.joint.holonomic:
                self.own |= {k.v.start + i: k.q.start + i for i in range(k.joint.nv)}

    def coordinate(self, i: int) -> str:
        return self.system.coordinates[i] if self.full else f"q{i + 1}"

    def rate(self, i: int, order: int = 1) -> str:
        d = ("", "d", "d2")[order]
        if i in self.own:
            return d + self.coordinate(self.own[i])
        if self.full:
            return ("", "d")[order - 1] + self.system.speeds[i]
        return f"{'d' * (order - 1)}u{i + 1}"

    def total(self, form, names) -> str:
        """A sum of names with signs, written out."""
        text = "".join(f" {'+' if s > 0 else '-'} {names(i)}" for i, s in form)
        return text[3:] if text.startswith(" +") else "-" + text[3:]

    def label(self, form) -> str:
        """Indices of a sum, as they follow c, s or dq: 23, 1to5, 1p12, 2m1."""
        numbers = [(i + 1, s) for i, s in form]
        if len(numbers) == 1:
            return str(numbers[0][0])
        run = all(s > 0 for _, s in numbers) and all(
            b == a + 1 for (a, _), (b, _) in pairwise(numbers)
        )
        if run and not self.many and len(numbers) < 5:
            return "".join(str(i) for i, _ in numbers)
        if run and len(numbers) > 2:
            return f"{numbers[0][0]}to{numbers[-1][0]}"
        text = "".join(("p" if s > 0 else "m") + str(i) for i, s in numbers)
        return text[1:] if text[0] == "p" else text

    def angle(self, form) -> str:
        """The argument of a sine or cosine."""
        if isinstance(form[0][0], Argument):
            return self.argument(form[0][0])
        return self.total(form, lambda i: i if isinstance(i, str) else self.coordinate(i))

    def argument(self, x: Argument) -> str:
        """A product inside a sine: 2 b q1, q1/L, 3 t."""

        def powers(sign):
            return [
                (self.coordinate(n) if isinstance(n, int) else n) + f"^{abs(m)}" * (abs(m) > 1)
                for n, m in x.powers
                if m * sign > 0
            ]

        top = [number(abs(x.number))] * (abs(x.number) != 1) + powers(1)
        return "-" * (x.number < 0) + "/".join([" ".join(top) or "1", *powers(-1)])

    def __call__(self, atom: Atom) -> str:
        if atom not in self._said:
            self._said[atom] = self.name(atom)
        return self._said[atom]

    def name(self, atom: Atom) -> str:
        """The name of an atom."""
        kind, key = atom
        if isinstance(key, int):
            return self.coordinate(key)
        if isinstance(key, str):
            return key
        if kind in ("cos", "sin"):
            if self.full or not isinstance(key[0][0], int):
                return f"{kind}({self.angle(key)})"
            return kind[0] + self.label(key)
        order = "?va".index(kind)
        if len(key) == 1:
            return self.rate(key[0][0], order)
        if self.full or not all(i in self.own for i, _ in key):
            return f"({self.total(key, lambda i: self.rate(i, order))})"
        return ("", "dq", "d2q")[order] + self.label([(self.own[i], s) for i, s in key])

    def legend(self, atoms) -> list[str]:
        """Lines that explain the short names of the given atoms."""
        if self.full:
            return []
        lines = []
        for i, (name, port) in enumerate(
            zip(self.system.coordinates, self.units("q"), strict=True)
        ):
            lines.append(f"q{i + 1} = {name}" + f" [{port}]" * bool(port))
        for i, (name, port) in enumerate(zip(self.system.speeds, self.units("v"), strict=True)):
            if i not in self.own:
                lines.append(f"u{i + 1} = {name}" + f" [{port}]" * bool(port))
        angles = {a.key for a in atoms if a.kind in ("cos", "sin") and isinstance(a.key[0][0], int)}
        for key in sorted(angles, key=lambda k: (len(k), k)):
            used = [self(Atom(f, key)) for f in ("cos", "sin") if Atom(f, key) in atoms]
            kind = "cos, sin" if len(used) == 2 else {"c": "cos", "s": "sin"}[used[0][0]]
            lines.append(f"{', '.join(used)} = {kind} of {self.run(key, self.coordinate)}")
        sums = [a for a in atoms if a.kind in ("v", "a") and len(a.key) > 1]
        for atom in sorted(sums, key=lambda a: (a.kind != "v", len(a.key), a.key)):
            n = "?va".index(atom.kind)
            lines.append(f"{self(atom)} = " + self.run(atom.key, lambda i, n=n: self.rate(i, n)))
        return lines

    def run(self, form, names) -> str:
        """A sum, with dots when it is long."""
        if len(form) < 5 or any(s < 0 for _, s in form):
            return self.total(form, names)
        return f"{names(form[0][0])} + {names(form[1][0])} + ... + {names(form[-1][0])}"

    def units(self, place: str) -> list[str]:
        named = [p for p in self.system.ports if p.place == place]
        return [p.unit for p in sorted(named, key=lambda p: p.slot)]


class Document003(Names):
    """The print of Mizzi (1992): q<0,1>, dq<0,1>, d2q<0,1>, par<0,102>.

    Angles of a joint are q, r, p in turn (p alone in a plane), displacements x, y, z; the numbers
    are those of the bodies before and after the joint.  A parameter named par_0_102 is par<0,102>.
    """

    def __init__(self, system):
        super().__init__(system, full=True)
        self.letters = []
        for k in system.links:
            turning = k.joint.angles()
            flat = len(turning) == 1 and k.joint.nq == 3
            angle, slide = iter("p" if flat else "qrp"), iter("xyz")
            for i in range(k.joint.nq):
                letter = next(angle if i in turning else slide, f"e{i}")
                self.letters.append(f"{letter}<{k.parent},{k.index}>")

    def coordinate(self, i: int) -> str:
        return self.letters[i]

    def name(self, atom: Atom) -> str:
        kind, key = atom
        if (
            kind == "p"
            and isinstance(key, str)
            and (found := re.fullmatch(r"par_(\d+)_(\d+)", key))
        ):
            return "par<{},{}>".format(*found.groups())
        return super().name(atom)


def numbered(name: str) -> tuple[str, str]:
    """A name without the digits that it ends in, and these.

    >>> numbered("alpha_4"), numbered("Ixx2"), numbered("g")
    (('alpha', '4'), ('Ixx', '2'), ('g', ''))
    """
    found = re.fullmatch(r"(.+?)_?(\d*)", name)
    assert found is not None, name
    return found[1], found[2]


def number(x: Fraction) -> str:
    """A short fraction, an exact decimal, or a long fraction.

    >>> number(Fraction(3, 4)), number(Fraction(981, 100)), number(Fraction(1, 300))
    ('3/4', '9.81', '1/300')
    """
    x = Fraction(x)
    if x.denominator == 1 or (x.denominator in (2, 4, 8) and abs(x.numerator) < 10):
        return str(x)
    text = decimal(x)
    if text is None:  # a long fraction stands for a rotation: 17 digits do
        return str(x) if x.denominator < 10**9 else repr(float(x))
    return text


def decimal(x: Fraction, digits: int = 15) -> str | None:
    """The exact decimal of a number, if it has one of at most `digits` places."""
    n, places = x.denominator, 0
    for p in (10, 2, 5):
        while n % p == 0:
            n //= p
            places += 1
    if n != 1 or places > digits:
        return None
    whole = str(abs(x.numerator) * 10**places // x.denominator).rjust(places + 1, "0")
    text = f"{whole[:-places]}.{whole[-places:]}".rstrip("0").rstrip(".") if places else whole
    return "-" + text if x < 0 else text
