"""Elements of a polynomial ring as scalars: exact, and in normal form at every product."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from ...errors import NotInRing
from ..values.expression import exact_root, whole
from .base import Node, Scalars, _is, vector

Powers = tuple[tuple[str, int], ...]  # of generators: a product
MULTIPLES = 6  # beyond, cos(n x) is long, and loses digits in numbers


class Ring(Scalars):
    """Exact polynomials over the rationals, reduced by the relations of their generators.

    Parameters
    ----------
    angles : names of angles that enter through their sine and cosine; generators `cos(x)` and
        `sin(x)` with `sin^2 -> 1 - cos^2`.  A pair `(name, {coordinate: whole number})` is a sum
        of coordinates, which then have no sine and cosine of their own
    plain : names that enter as themselves
    quaternions : groups of four names, scalar first, with `w^2 -> 1 - x^2 - y^2 - z^2`
    constants : irrational constants of the model: "3/10" brings `cos(3/10)` and `sin(3/10)`,
        "sqrt(2)" itself with its square
    inverses : generators that may divide, plain names or sines and cosines; further generators
        `1/x` with `x (1/x) = 1`
    doubts : why two equal functions might have two normal forms here, one sentence each

    >>> K = Ring(angles=("a",), plain=("m",))
    >>> a = K["a"]
    >>> K.sin(a) ** 2 + K.cos(a) ** 2
    1
    """

    can = frozenset({"derive"})
    name = "ring elements"

    def __init__(
        self,
        angles=(),
        plain=(),
        quaternions=(),
        constants=(),
        parameters=None,
        eliminate="sin",
        inverses=(),
        doubts=(),
    ):
        import flint

        self.flint, self._fmpq = flint, flint.fmpq
        sums = [(x, {x: 1}) if isinstance(x, str) else x for x in angles]
        self.forms = {x: dict(form) for x, form in sums}
        self.angles, self.plain = tuple(self.forms), tuple(plain)
        self.quaternions, self.constants = tuple(map(tuple, quaternions)), tuple(constants)
        self.doubts = tuple(doubts)
        pairs = [(f"sin({x})", f"cos({x})") for x in self.angles]
        pairs += [(f"sin({c})", f"cos({c})") for c in self.constants if not c.startswith("sqrt")]
        if eliminate == "cos":
            pairs = [(c, s) for s, c in pairs]
        self.pairs = pairs
        self.assumed: dict[str, Node] = {}  # elements taken as positive, under roots
        roots = [c for c in self.constants if c.startswith("sqrt")]
        names: list[str] = [x for pair in pairs for x in pair]
        names += [x for quad in self.quaternions for x in quad]
        own = [x for form in self.forms.values() for x in form]
        names += [f"1/{x}" for x in inverses]
        names += dict.fromkeys(x for x in (*own, *self.plain, *roots) if x not in names)
        self.names = tuple(names)
        spelt = [n.encode("ascii", "backslashreplace").decode() for n in names]
        self.ctx = flint.fmpq_mpoly_ctx.get(spelt, "deglex")  # flint takes and gives ASCII
        self._index = {n: i for known in (spelt, names) for i, n in enumerate(known)}
        gens = dict(zip(names, self.ctx.gens(), strict=True))
        self._gens = gens
        self._relations = [(self._index[s], gens[s] ** 2 + gens[c] ** 2 - 1) for s, c in pairs]
        self._relations += [
            (self._index[w], gens[w] ** 2 + gens[x] ** 2 + gens[y] ** 2 + gens[z] ** 2 - 1)
            for w, x, y, z in self.quaternions
        ]
        self._relations += [
            (self._index[r], gens[r] ** 2 - self.constant(Fraction(r[5:-1]))) for r in roots
        ]
        self.squares = [i for i, _ in self._relations]
        closed = [((f"1/{x}", 1), (x, 1), gens[f"1/{x}"] * gens[x] - 1) for x in inverses]
        closed += [
            ((f"1/{x}", 1), (y, 2), gens[f"1/{x}"] * (gens[y] ** 2 - 1) + gens[x])
            for x, y in pairs
            if x in inverses
        ]  # completes the basis
        self._inverses = [
            (self._index[x], m, self._index[y], n, relation) for (x, m), (y, n), relation in closed
        ]
        if any("(" in x for x in inverses):
            self.can = Ring.can | {"divide"}
        self._trig: dict[str, tuple] = {}
        self._units: dict[Powers, tuple] = {}
        self._roots = {Fraction(r[5:-1]): self[r] for r in roots}
        self._partials: dict[str, tuple] = {}
        self._texts: dict[int, tuple[Node, str]] = {}  # of variables, which stay alive here
        for x, form in self.forms.items():
            if form == {x: 1}:
                self.define_angle(self[x], self[f"cos({x})"], self[f"sin({x})"])
        for x in self.constants:
            if x not in roots:
                self._trig[x] = (self[f"cos({x})"], self[f"sin({x})"])
        super().__init__({p: self[p] for p in self.plain} if parameters is None else parameters)

    def __getitem__(self, name: str) -> Node:
        return Node(self, self._gens[name])

    def __contains__(self, name: str) -> bool:
        return name in self._gens

    @property
    def canonical(self) -> bool:
        """Whether equal functions always have equal normal forms."""
        return not self.doubts

    def define_angle(self, x, c, s) -> None:
        """State that the cosine and sine of `x`, an element or a number, are `c` and `s`."""
        self._trig[str(x.x if isinstance(x, Node) else x)] = (c, s)

    def define_sines(self, angle: str, powers: Powers, unit: Fraction) -> None:
        """Declare that the generators `cos(angle)` and `sin(angle)` belong to a product of
        generators.

        The angle is `unit` times the product of generators' powers, `(("b", 1), ("z", 2))`. It
        varies with each of them, and integer multiples of it use the same pair.
        """
        self._units[powers] = (unit, self[f"cos({angle})"], self[f"sin({angle})"])
        for name, n in powers:
            others: Any = math.prod((self[x] ** m for x, m in powers if x != name), start=unit * n)
            slope: Any = others * self[name] ** (n - 1)
            if name.startswith("1/"):
                name, slope = name[2:], -slope * self[name] ** 2
            self.forms[angle][name] = slope  # EQ.10

    def define_root(self, square: Fraction, root) -> None:
        """State that the square root of the number `square` is `root`."""
        self._roots[Fraction(square)] = root

    def define_variable(self, x: Node, partials: Mapping[str, Any], more: bool = False) -> None:
        """State how generators change with the variable `x`: `{generator: derivative}`.

        `more`: besides those that change with it as they are.
        """
        key = str(x.x)
        self._partials[key] = (self._variable(key) if more else ()) + tuple(
            (self._index[n], k.x if isinstance(k, Node) else k) for n, k in partials.items()
        )

    def constant(self, x):
        if isinstance(x, Fraction):
            return self._fmpq(x.numerator, x.denominator)
        if isinstance(x, int):
            return x
        raise TypeError(f"the inexact number {x!r} may not enter a ring; use an int or a Fraction")

    def exact(self, x):
        if isinstance(x, float):
            raise TypeError(f"the inexact number {x!r} may not enter a ring; see values.exact")
        return x

    def wrap(self, x):
        if x.is_constant():  # keep exact numbers out of the ring
            if not x:
                return 0
            c = x.leading_coefficient()
            return whole(Fraction(int(c.p), int(c.q)))
        return Node(self, x)

    def product(self, x, y):
        return self.wrap(self.reduce(x * y))

    def reduce(self, x):
        """Remainder by every relation, on the leading monomial: the normal form."""
        degrees = x.degrees()
        for i, relation in self._relations:
            if degrees[i] > 1:
                x = x % relation
        if not self._inverses:
            return x
        degrees, before = x.degrees(), x
        if not any(degrees[i] >= m and degrees[j] >= n for i, m, j, n, _ in self._inverses):
            return x
        for *_, relation in self._inverses:
            x = x % relation
        return x if x == before else self.reduce(x)

    def poly(self, x):
        """The bare polynomial of an element or an exact number."""
        return x.x if isinstance(x, Node) else self.ctx.constant(self.constant(x))

    def read(self, x: Node, other: Ring):
        """An element of another ring whose generators all exist here, or None."""
        if self.ctx is other.ctx or not isinstance(x, Node):
            return self.wrap(x.x) if isinstance(x, Node) else x
        used = [n for n, d in zip(other.names, x.x.degrees(), strict=True) if d]
        if any(n not in self._gens for n in used):
            return None
        here = self.ctx.constant(0)
        images = [self._gens.get(n, here) for n in other.names]
        return self.wrap(self.reduce(x.x.compose(*images, ctx=self.ctx)))

    def compatible(self, other) -> bool:
        """Whether elements of two rings can be compared as they are."""
        return self is other or (
            isinstance(other, Ring) and self.ctx is other.ctx and self.squares == other.squares
        )

    def same(self, x, y):
        return x.x == y.x

    def time(self):
        return self["t"]

    @property
    def pi(self):
        if "pi" not in self:
            raise NotInRing("pi is not a generator of this ring", asks=("pi",))
        return self["pi"]

    def _angle(self, x, which: int):
        if _is(x, 0):
            return 1 - which
        key, minus = (str(x.x), str(-x.x)) if isinstance(x, Node) else (str(x), str(-x))
        if key in self._trig:
            return self._trig[key][which]
        if minus in self._trig:
            return self._trig[minus][which] * (1 - 2 * which)
        form = self.form(x)
        turn: tuple | None = (1, 0)
        for powers, k in form:
            turn = turn and self._turned(turn, powers, k)
        if turn is None:
            what = f"{('cos', 'sin')[which]}({key}) is not a generator of this ring"
            raise NotInRing(what, asks=("angle", form))
        self._trig[key] = turn
        return turn[which]

    def form(self, x) -> tuple[tuple[Powers, Fraction], ...]:
        """An element as products of generators' powers with their numbers."""
        if not isinstance(x, Node):
            return (((), Fraction(x)),)
        return tuple(
            (
                tuple((self.names[i], int(n)) for i, n in enumerate(powers) if n),
                Fraction(int(k.p), int(k.q)),
            )
            for powers, k in x.x.terms()
        )

    def _turned(self, turn, powers: Powers, k: Fraction):
        """Cosine and sine after adding `k` times a product to the angle, or None if unknown."""
        unit, c, s = self._units.get(powers, (Fraction(1), None, None))
        if c is None and len(powers) == 1 and powers[0][1] == 1:
            c, s = self._trig.get(str(self._gens[powers[0][0]]), (None, None))
        n = k / unit
        if c is None or n.denominator != 1 or abs(n) > MULTIPLES:
            return None
        s = s if n > 0 else -s
        u, w = turn
        for _ in range(abs(int(n))):
            u, w = u * c - w * s, u * s + w * c
        return u, w

    def cos(self, x):
        return self._angle(x, 0)

    def sin(self, x):
        return self._angle(x, 1)

    def sqrt(self, x):
        if not isinstance(x, Node):
            if (own := exact_root(x)) is not None:
                return own
            if Fraction(x) in self._roots:
                return self._roots[Fraction(x)]
            raise NotInRing(f"sqrt({x}) is not a generator of this ring", asks=("root", x))
        elif (root := self._square_root(x)) is not None:
            return root
        self.need("root", f"sqrt({x.x if isinstance(x, Node) else x})")

    def _square_root(self, x: Node) -> Node | None:
        """The root of a square of sines and cosines alone; `assumed` to be positive (EQ.11)."""
        turns = {self._index[n] for pair in self.pairs for n in pair}
        if any(n and i not in turns for i, n in enumerate(x.x.degrees())):
            return None
        for f in (self.poly(x), *self._rewritten_squares(x.x)):
            k, factors = f.factor()
            size = exact_root(Fraction(int(k.p), int(k.q)))
            if size is not None and all(n % 2 == 0 for _, n in factors):
                root: Any = math.prod(
                    (Node(self, g) ** (int(n) // 2) for g, n in factors), start=size
                )
                if isinstance(root, Node):
                    leads = [c for _, c in root.x.terms()]
                    root = -root if leads[0] < 0 else root
                    self.assumed[str(root.x)] = root
                return root
        return None

    def _rewritten_squares(self, x):
        """A polynomial with the squares of one pair's second generator eliminated instead."""
        for pair in self.pairs:
            s, c = (self._index[n] for n in pair)
            if x.degrees()[c] > 1:
                yield self._exchanged(x, s, c)

    def _exchanged(self, x, s: int, c: int):
        """`x` with even powers of generator c as powers of `1 - s^2`."""
        gens, out = self.ctx.gens(), self.ctx.constant(0)
        for powers, k in x.terms():
            half, odd = divmod(int(powers[c]), 2)
            rest = [0 if i == c else int(n) for i, n in enumerate(powers)]
            term = self.ctx.from_dict({tuple(rest): k}) * gens[c] ** odd
            out = out + term * (1 - gens[s] ** 2) ** half
        return out

    def divide(self, x, y):
        """x / y for a number y or a monomial whose factors have inverses in the ring."""
        if not isinstance(y, Node):
            return x * (Fraction(1) / y)
        if len(y.x) != 1:
            raise _quotient_error(y)
        ((powers, k),) = y.x.terms()
        inverse = Fraction(int(k.q), int(k.p))
        for name, n in zip(self.names, map(int, powers), strict=True):
            if n and name.startswith("sqrt("):
                inverse = inverse * self[name] ** n * (1 / Fraction(name[5:-1]) ** n)
            elif n and f"1/{name}" in self._gens:
                inverse = inverse * self[f"1/{name}"] ** n
            elif n:
                plain = "/" not in name and ("(" not in name or name[:4] in ("sin(", "cos("))
                raise _quotient_error(y, asks=("inverse", name) if plain else None)
        return x * inverse

    def _variable(self, key: str) -> tuple:
        """(generator, factor) of each generator that changes with a variable."""
        if key not in self._partials:
            name = self.names[self._index[key]]
            moved: list[tuple[int, Any]] = [(self._index[name], 1)]
            if (k := f"1/{name}") in self._gens:
                moved.append((self._index[k], -(self._gens[k] ** 2)))
            for x, form in self.forms.items():
                if (n := form.get(name)) is not None:  # a whole number, or an element
                    n = n.x if isinstance(n, Node) else self.constant(n)
                    c, s = self._gens[f"cos({x})"], self._gens[f"sin({x})"]
                    moved += [(self._index[f"cos({x})"], -n * s), (self._index[f"sin({x})"], n * c)]
                    for f, slope in (("cos", n * s), ("sin", -n * c)):
                        if (k := f"1/{f}({x})") in self._gens:
                            moved.append((self._index[k], slope * self._gens[k] ** 2))
            self._partials[key] = tuple(moved)
        return self._partials[key]

    def derive(self, x, wrt):
        """Partial derivative with respect to a variable, through sines and cosines of sums."""
        if isinstance(wrt, np.ndarray):
            return self._slopes(x, [self._variable(self._spelt(w)) for w in wrt])
        return self._slopes(x, [self._variable(self._spelt(wrt))])[0]

    def _spelt(self, w: Node) -> str:
        """The text of a variable."""
        return (self._texts.get(id(w)) or self._texts.setdefault(id(w), (w, str(w.x))))[1]

    def _slopes(self, x, variables) -> np.ndarray:
        """Derivatives by variables, each a tuple of generators with their factors.

        Speeds that are parts of sums share generators. The part of one variable beyond another one
        is added to the derivative by the other one.
        """
        if not isinstance(x, Node):
            return vector([0] * len(variables))
        known: dict[frozenset, Any] = {frozenset(): self.ctx.constant(0)}
        out: list[Any] = [0] * len(variables)
        for k in sorted(range(len(variables)), key=lambda k: len(variables[k])):
            moved = variables[k]
            plain = all(isinstance(factor, int) for _, factor in moved)  # what is reduced stays so
            own = frozenset(moved) if plain else frozenset()
            near = max((done for done in known if done <= own), key=len)
            total = known[near]
            for i, factor in own - near if plain else moved:
                change = x.x.derivative(i)
                total = total + (change if plain and factor == 1 else change * factor)
            if plain:
                known[own] = total
            out[k] = self.wrap(total if plain else self.reduce(total))
        return vector(out)


def _quotient_error(y: Node, asks: tuple | None = None) -> NotInRing:
    return NotInRing(
        f"the quotient by {y.x} needs the operation 'divide', which ring elements do not have",
        asks=asks,
    )
