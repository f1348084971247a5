"""Normal form of ring elements as readable sums.  EQ.4 to EQ.6.

A `Sum` is a tuple of `Product`s. A product is a number, powers of named `Atom`s, and bracketed
sums. Printers only traverse these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from itertools import product as cartesian, starmap
from math import prod
from typing import Any, NamedTuple, TypeAlias

from ...scalars import Node, symbols, vector
from .trig_simplify import Shortener

CHAIN = 4  # a longer chain of parallel axes is written in summed rates
SHARED = 4  # so many parameters with one product of angles are put in brackets


Form: TypeAlias = tuple[tuple[Any, int], ...]  # (index or name, sign) of what is summed


class Atom(NamedTuple):
    """A named quantity.

    `kind` is "cos", "sin", "q", "v", "a", "p" (parameter) or "c" (constant); `key` is a tuple of
    (index, name or `Argument`, sign) for angles and rates, an index for a coordinate, else a name.
    """

    kind: str
    key: Form | int | str


class Argument(NamedTuple):
    """Argument of a sine: a number times powers of coordinates (by index) and names."""

    number: Fraction
    powers: tuple[tuple[int | str, int], ...]

    @property
    def varies(self) -> bool:
        """Whether a coordinate is in it."""
        return any(isinstance(n, int) for n, _ in self.powers)


def argument_factors(x: Argument) -> tuple[tuple[Atom, int], ...]:
    """The powers of an argument as atoms."""

    def atom(n):
        return Atom("q", n) if isinstance(n, int) else Atom("c" if n == "pi" else "p", n)

    return tuple((atom(n), m) for n, m in x.powers)


def arguments(symbols) -> dict[str, Argument]:
    """The angles of a ring that are products, by name."""
    q = {n: i for i, n in enumerate(symbols.coordinates)}

    def power(n: str, m: int) -> tuple[int | str, int]:
        return (n[2:], -m) if n.startswith("1/") else (q.get(n, n), m)

    return {
        n: Argument(
            unit, tuple(sorted(starmap(power, powers), key=lambda p: isinstance(p[0], int)))
        )
        for n, (unit, powers) in symbols.sines.items()
    }


class Product(NamedTuple):
    """A number times powers of atoms times bracketed sums."""

    number: Fraction
    factors: tuple[tuple[Atom, int], ...] = ()
    sums: tuple[tuple[Product, ...], ...] = ()


Sum = tuple[Product, ...]


class Reading:
    """How the generators of one system's ring read, and how to write its elements shortly."""

    def __init__(self, system, symbols):
        self.system, self.symbols, self.K = system, symbols, symbols.K
        self.shorten = Shortener(symbols)
        self._cache: dict = {}

    @cached_property
    def atoms(self) -> list[tuple[Atom, int]]:
        """Atom of each generator, with power 1 or -1."""
        S, out = self.symbols, []
        angles = {n: tuple(form.items()) for n, form in S.angles.items()}
        angles |= {n: ((x, 1),) for n, x in arguments(S).items()}
        q = {n: i for i, n in enumerate(S.coordinates)}
        v = {n: tuple(form.items()) for n, form in S.sums.items()}
        a = {n: tuple(form.items()) for n, form in S.rates.items()}
        for n in self.K.names:
            if n in q:
                out.append((Atom("q", q[n]), 1))
            elif n in v or n in a:
                out.append((Atom("v", v[n]) if n in v else Atom("a", a[n]), 1))
            elif n[:4] in ("sin(", "cos("):
                form = angles.get(n[4:-1], ((n[4:-1], 1),))
                out.append((Atom(n[:3], form), 1))
            elif n.startswith("1/"):
                below = angles.get(n[6:-1])
                plain = Atom("q", q[n[2:]]) if n[2:] in q else Atom("p", n[2:])
                out.append((Atom(n[2:5], below) if below else plain, -1))
            else:
                out.append((Atom("c" if n.startswith("sqrt(") or n == "pi" else "p", n), 1))
        return out

    @cached_property
    def parts(self) -> list[str]:
        """Class of each generator: "rate", "given" (parameters, constants) or "shape"."""

        def part(atom):
            if atom.kind in ("v", "a"):
                return "rate"
            if atom.kind in ("p", "c"):
                return "given"
            if atom.kind == "q" or isinstance(atom.key[0][0], int):
                return "shape"
            return "shape" if getattr(atom.key[0][0], "varies", False) else "given"

        return [
            "given" if n.startswith("1/") else part(atom)
            for n, (atom, _) in zip(self.K.names, self.atoms, strict=True)
        ]

    @cached_property
    def relative(self) -> bool:
        """Whether the rates of parallel axes are written separately rather than summed."""
        return max((len(f) for f in self.symbols.sums.values()), default=1) <= CHAIN

    @cached_property
    def ranks(self) -> dict[str, int]:
        """Order in which people list parameters: body by body, inertias, first moments, masses."""
        links = self.system.links
        order: dict[str, None] = {}
        shape = vector(
            e for k in links for e in (*k.X_PF.R.ravel(), *k.X_PF.p, *k.joint.constants())
        )
        lengths = set(symbols(shape)) | set(symbols(self.system.gravity))
        for k in links:
            I = k.inertia
            for x in (*I.J, *I.h, I.mass, *k.armature):
                order |= dict.fromkeys(n for n in symbols(x) if n not in lengths)
        return {n: i for i, n in enumerate(order)}

    def collect(self, x) -> dict[tuple, dict]:
        """Terms of an element: {monomial in rates: {(parameters, shape): fmpq}}."""
        if not isinstance(x, Node):
            from flint import fmpq

            return {(): {((), ()): fmpq(*Fraction(x).as_integer_ratio())}} if x else {}
        parts = self.parts
        out: dict[tuple, dict] = {}
        for powers, k in x.x.terms():
            split: dict[str, list] = {"rate": [], "given": [], "shape": []}
            for i, n in enumerate(powers):
                if n:
                    split[parts[i]].append((i, n))
            rate, given, shape = map(tuple, split.values())
            out.setdefault(rate, {})[given, shape] = k
        rated: dict[tuple, dict] = {}
        for rate, terms in out.items():
            for key, n in self._expanded(rate):
                total = rated.setdefault(key, {})
                for m, k in terms.items():
                    total[m] = total.get(m, 0) + n * k
        rated = {key: {m: k for m, k in terms.items() if k} for key, terms in rated.items()}
        return {key: terms for key, terms in rated.items() if terms}

    def _expanded(self, rate) -> list[tuple[tuple, int]]:
        """A monomial of summed rates as monomials of atoms."""
        atoms = [self.atoms[i][0] for i, n in rate for _ in range(n)]
        if not self.relative or all(len(a.key) == 1 for a in atoms):
            choices = [[(a, 1)] for a in atoms]
        else:
            choices = [[(Atom(a.kind, ((j, 1),)), s) for j, s in a.key] for a in atoms]
        out: dict[tuple, int] = {}
        for chosen in cartesian(*choices):
            powers: dict[Atom, int] = {}
            for a, _ in sorted(chosen, key=lambda c: (c[0].kind, c[0].key)):
                powers[a] = powers.get(a, 0) + 1
            key = tuple(powers.items())
            out[key] = out.get(key, 0) + prod(s for _, s in chosen)
        return list(out.items())

    def sum(self, x) -> Sum:
        """An element as a person would write it."""
        return tuple(self.products(x))

    def products(self, x) -> Iterator[Product]:
        """The same, one product after the other."""
        for factors, terms in sorted(self.collect(x).items(), key=lambda kv: _rate_order(kv[0])):
            yield from attach(self._coefficient(terms), factors)

    def read(self, text: str):
        """The element of a text in the printed names."""
        from ..reader import read

        return read(text, self)

    def _coefficient(self, terms: dict) -> Sum:
        """A coefficient, one product a parameter monomial, long ones shared between parameters."""
        groups: dict[tuple, dict] = {}
        for (given, shape), k in terms.items():
            groups.setdefault(given, {})[shape] = k
        products: list[Product | tuple[tuple, Sum, int]] = []
        shared: dict[tuple[tuple, Sum], list] = {}
        for key in sorted(groups, key=self._group_order):
            short = self.shorten(groups[key])
            factors = order((self.atoms[i][0], self.atoms[i][1] * n) for i, n in key)
            if not factors or short[0][1] == () == short[-1][1]:
                products += [Product(k, factors + shape) for k, shape in short]
                continue
            k, common, rest = content(short) if len(short) > 1 else (*short[0], ())
            if (common, rest) not in shared:
                shared[common, rest] = []
            products.append((common, rest, len(shared[common, rest])))
            shared[common, rest].append((k, factors))
        out = []
        for p in products:
            if isinstance(p, Product):
                out.append(p)
                continue
            common, rest, n = p
            weights = shared[common, rest]
            if not rest and len(weights) < SHARED:
                k, factors = weights[n]
                out.append(Product(k, factors + common))
            elif n == 0:
                out.append(_bracket(common, rest, weights))
        return tuple(out)

    def _group_order(self, key):
        names = [self.atoms[i][0].key for i, _ in key]
        ranked = [self.ranks[n] for n in names if n in self.ranks]
        return (bool(key), ranked or [len(self.ranks)], len(key), str(names))


def _rate_order(key):
    """Order of terms: accelerations, products of speeds, squares, terms without rates."""
    kinds = [a.kind for a, _ in key]
    return (
        not key,
        "a" not in kinds,
        len(key) == 1 and kinds == ["v"],
        [(a.kind, [j for j, _ in a.key], n) for a, n in key],
    )


def _bracket(common, rest: Sum, weights) -> Product:
    """A long sum once, times all the parameters it goes with."""
    if len(weights) == 1:
        ((k, factors),) = weights
        return Product(k, factors + common, (rest,))
    k, share, weights = content(weights)
    return Product(k, share + common, (weights, rest) if rest else (weights,))  # EQ.6


def size(p: Product) -> int:
    """How many formulas a product is written in, those of its brackets included."""
    return 1 + sum(size(inner) for terms in p.sums for inner in terms)


def attach(inner: Sum, factors) -> list[Product]:
    """A sum times atoms: into its only product, or as a bracket."""
    if not factors or not inner:
        return list(inner)
    if len(inner) == 1:
        p = inner[0]
        return [Product(p.number, p.factors + factors, p.sums)]
    return [Product(Fraction(1), factors, (inner,))]


def order(factors: Iterable) -> tuple:
    """Parameters in a product: low powers first, then by name; sines of time last."""

    def place(f):
        atom, n = f
        timed = atom.kind in ("cos", "sin") and isinstance(atom.key[0][0], Argument)
        return timed, abs(n), atom.kind == "p", str(atom.key)

    return tuple(sorted(factors, key=place))


def content(terms) -> tuple[Fraction, tuple, Sum]:
    """Common number and atoms of all (number, factors), and the remaining sum.

    The remaining sum starts with a positive number, so that equal sums compare equal.
    """
    from math import gcd, lcm

    numbers = [k for k, _ in terms]
    top, bottom = gcd(*(abs(k.numerator) for k in numbers)), lcm(*(k.denominator for k in numbers))
    even = len({abs(x) for x in numbers}) == 1
    k = Fraction(top, bottom) if bottom == 1 or even else Fraction(1)
    k = k if numbers[0] > 0 else -k
    common = dict(terms[0][1])
    for _, factors in terms[1:]:
        powers = dict(factors)
        common = {
            a: min(n, powers[a])
            for a, n in common.items()
            if a in powers and n > 0 and powers[a] > 0
        }
    rest = []
    for n, factors in terms:
        left = tuple((a, p - common.get(a, 0)) for a, p in factors if p != common.get(a, 0))
        rest.append(Product(n / k, left))
    return k, tuple(common.items()), tuple(rest)
