"""Several laws one behind the other, without a mass between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...register import derived
from ...scalars import Dual, Floats, plain
from ..base import Law, law
from ._composite import named_extras, shift_tables

STEP_MESSAGE = "cannot be in a Series: it has a vertical step; give the rise a width"
NOT_AFFINE_MESSAGE = (
    "cannot be in a Series: its tension must be a straight line of the deflection alone in every "
    "mode, without rate, damping, rupture, input or a fall at once"
)


@law
@dataclass(frozen=True, slots=True)
class Series(Law):
    """Laws one behind the other: one tension in all, their deflections add up to x.

    For laws whose tension is a straight line of the deflection in every mode (springs, tables,
    crushing links without rate, damping and rupture, play without damping, hardening loops).  In
    a common plateau the first law moves.  Theory: FO.36.

    >>> from torseur.forces import Crush, Seen, Spring
    >>> from torseur.scalars import Floats
    >>> K, link = Floats(), Series(Spring(100.0), Spring(300.0))
    >>> s = Seen(0.4, 0.0)
    >>> link.force(K, s._replace(m=link.start(K, s)[1]))
    30.0
    """

    laws: tuple[Any, ...]

    @derived
    def pictures(self):
        return tuple(dict.fromkeys(symbol for one in self.laws for symbol in one.pictures))

    loses = derived(lambda self: any(law.loses for law in self.laws))

    def __init__(self, *laws: Any):
        object.__setattr__(self, "laws", tuple(laws))

    affine = True
    timed = derived(lambda self: any(law.timed for law in self.laws))
    history = derived(lambda self: any(one.history for one in self.laws))

    @derived
    def memory(self):
        laws = enumerate(self._first_and_rest, 1)
        return (("held", "m"), *((f"{i}.{n}", unit) for i, one in laws for n, unit in one.memory))

    @derived
    def extras(self):
        deflections = tuple((f"{i}.deflection", "m") for i in range(1, len(self.laws) + 1))
        return (*deflections, *named_extras(self.laws))

    @derived
    def modes(self):
        return next((one.modes for one in self.laws if len(one.modes) > 1), Law.modes)

    @derived
    def _first_and_rest(self) -> tuple[Law, Law]:
        """The first law, and all others as one."""
        first, *rest = self.laws
        return first, rest[0] if len(rest) == 1 else Series(*rest)

    def lists(self):
        return shift_tables(self._first_and_rest, 1)

    def edges(self):
        first, rest = self._first_and_rest
        offsets = ((1, first), (1 + len(first.memory), rest))
        return tuple((at + slot, last, of) for at, one in offsets for slot, last, of in one.edges())

    def _histories(self, s):
        """What the two remember."""
        first, rest = self._first_and_rest
        n = 1 + len(first.memory)
        return (first, tuple(s.m[1:n])), (rest, tuple(s.m[n:]))

    def _tangent_lines(self, K, s):
        """Tension at no deflection, and tangent, of the two."""
        for one, m in self._histories(s):
            blank = s._replace(x=0, rate=0, m=m, z=(), u=())
            yield one.force(K, blank), one.tangent(K, blank)

    def _split_deflection(self, K, s):
        """What the two see."""
        (a1, s1), (a2, s2) = self._tangent_lines(K, s)
        both = s1 + s2
        flat = K.less(both, 1e-300)
        stiffness = K.select(flat, 1.0, both)
        x1 = K.select(flat, s.x - s.m[0], K.divide(a2 - a1 + s2 * s.x, stiffness))  # FO.36
        rate1 = K.select(flat, s.rate, K.divide(s2 * s.rate, stiffness))
        ((_, m1), (_, m2)), n = self._histories(s), len(self._first_and_rest[0].lists())
        return (
            s._replace(x=x1, rate=rate1, m=m1, z=(), u=(), rows=s.rows[:n]),
            s._replace(x=s.x - x1, rate=s.rate - rate1, m=m2, z=(), u=(), rows=s.rows[n:]),
        )

    def _laws_with_states(self, K, s):
        return zip(self._first_and_rest, self._split_deflection(K, s), strict=True)

    def _sum_over_laws(self, what, K, s):
        return sum(
            (getattr(one, what)(K, part) for one, part in self._laws_with_states(K, s)), start=0
        )

    def force(self, K, s):
        first, part = next(iter(self._laws_with_states(K, s)))
        return first.force(K, part)

    def potential(self, K, s):
        return self._sum_over_laws("potential", K, s)

    def dissipation(self, K, s):
        return self._sum_over_laws("dissipation", K, s)

    def tangent(self, K, s):
        (_, s1), (_, s2) = self._tangent_lines(K, s)
        flat = K.less(s1 + s2, 1e-300)
        return K.select(flat, 0.0, K.divide(s1 * s2, K.select(flat, 1.0, s1 + s2)))

    def softest(self, K):
        """Least tangents forth and back; that of a chain is no more than those of its laws."""
        forth, back = zip(*(one.softest(K) for one in self._first_and_rest), strict=True)
        return _series_stiffness(*forth), _series_stiffness(*back)

    def deflection(self, K, s):
        return s.x

    def extra(self, K, s):
        (first, p), (rest, r) = self._laws_with_states(K, s)
        further = rest.extra(K, r)
        inner = len(self.laws) - 1 if isinstance(rest, Series) else 0
        deflections = (p.x, *(further[:inner] or (r.x,)))
        return (*deflections, *first.extra(K, p), *further[inner:])

    def start(self, K, s):
        """Split so that both have one tension."""

        def try_split(x1):
            halves = (s._replace(x=x1, z=(), u=()), s._replace(x=s.x - x1, z=(), u=()))
            parts = [
                part._replace(m=tuple(one.start(K, part)[1]))
                for one, part in zip(self._first_and_rest, halves, strict=True)
            ]
            T1, T2 = (one.force(K, p) for one, p in zip(self._first_and_rest, parts, strict=True))
            return T1 - T2, parts

        def tension_difference(x1):
            return plain(try_split(x1)[0])

        x = plain(s.x)
        off, parts = try_split(x)
        if off != 0:
            x = _find_root(tension_difference, x)
            off, parts = try_split(x)
        if isinstance(off, Dual):  # where the split moves to, so that both tensions stay one
            h = 1e-6 * max(1.0, abs(x))
            stiffness = (tension_difference(x + h) - tension_difference(x - h)) / (2 * h)
            _, parts = try_split(Dual(x, -off.d / stiffness if stiffness else 0 * off.d))
        parts = self._start_with_rates(K, s, parts)
        return (), (parts[1].x, *parts[0].m, *parts[1].m)

    def _start_with_rates(self, K, s, parts):
        """The two at a start, each by its own rate: where one softens, the other is let go."""
        for signs in ((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0)):
            started = [
                p._replace(
                    rate=s.rate * sign, m=tuple(one.start(K, p._replace(rate=s.rate * sign))[1])
                )
                for one, p, sign in zip(self._first_and_rest, parts, signs, strict=True)
            ]
            combined = s._replace(m=(started[1].x, *started[0].m, *started[1].m))
            rates = [p.rate for p in self._split_deflection(K, combined)]
            if all(plain(r) * plain(p.rate) >= 0 for r, p in zip(rates, started, strict=True)):
                return started
        return parts

    def guards(self, K, s):
        return tuple(
            g._replace(name=f"{i} {g.name}" if i > 1 else g.name, part=(i, *g.part))
            for i, (one, part) in enumerate(self._laws_with_states(K, s), 1)
            for g in one.guards(K, part)
        )

    def jump(self, K, k, s):
        m: list[Any] = []
        parts = list(self._laws_with_states(K, s))
        for one, part in parts:
            n = len(one.guards(K, part))
            m += one.jump(K, k, part)[1] if 0 <= k < n else part.m
            k -= n
        return (), (parts[1][1].x, *m)

    def mode(self, K, s):
        for one, part in self._laws_with_states(K, s):
            if len(one.modes) > 1:
                return one.mode(K, part)
        return 0

    def numbers(self):
        for one in self.laws:
            yield from one.numbers()

    def faults(self):
        if len(self.laws) < 2:
            return ("needs at least two laws",)
        problems = tuple(
            f"holds {one!r}: expected a law such as ts.Spring(200)"
            for one in self.laws
            if not isinstance(one, Law)
        )
        return problems or tuple(
            f"{i} ({type(one).__name__}) {text}"
            for i, one in enumerate(self.laws, 1)
            for text in (*one.faults(), *(() if one.affine else (NOT_AFFINE_MESSAGE,)))
        )

    def problems(self):
        problems = tuple(
            f"{i} ({type(one).__name__}) {text}"
            for i, one in enumerate(self.laws, 1)
            for text in (*one.problems(), *((STEP_MESSAGE,) if one.steps() else ()))
        )
        if problems or any(True for _ in self.texts()):
            return problems
        K, out = Floats(), []
        for i, a in enumerate(self.laws, 1):
            for j, b in enumerate(self.laws, 1):
                if i != j and a.softest(K)[0] < 0 and a.softest(K)[0] + b.softest(K)[1] <= 0:
                    out.append(
                        f"snaps: its law {i} falls by {-a.softest(K)[0]:g} N/m, faster than {j} "
                        f"unloads ({b.softest(K)[1]:g} N/m); put a mass between them"
                    )
        return tuple(out)

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        from .crush import Crush
        from .spring import Spring
        from .table import Table

        metal = Crush(((0.02, 0.0), (0.1, 2e3), (0.2, 1e3), (0.3, 5e3)), 2e5, 6e4)
        return (
            cls(Spring(4e4), metal),
            cls(metal, Crush(((0.0, 0.0), (0.1, 3e3)), 2e5), Table(((0.0, 0.0), (0.1, 5e3)))),
        )


def _find_root(f: Callable[[float], float], x: float) -> float:
    """Where a rising function, straight by pieces, leaves zero.

    The line through the last two points is exact on the piece of the root; every fourth time, and
    where it fails, halves.

    >>> round(_find_root(lambda x: 2 * x - 1 if x < 1 else x, 5.0), 12)
    0.5
    """
    reach = 1.0 + abs(x)
    while f(x - reach) > 0 or f(x + reach) < 0:
        reach *= 2
        if reach > 1e12:
            break
    low, high = x - reach, x + reach
    before, value_before = high, f(high)
    value, iteration = f(x), 0
    low, high = (low, x) if value > 0 else (x, high)
    while high - low > (tolerance := 4e-16 * max(1.0, abs(low), abs(high))):
        slope = (value - value_before) / (x - before)
        if slope > 0 and abs(value) <= tolerance / 2 * slope:
            return x
        before, value_before, iteration = x, value, iteration + 1
        if slope > 0 and iteration % 4:
            x = min(max(x - value / slope, low + tolerance / 2), high - tolerance / 2)
        else:
            x = (low + high) / 2
        if x in (low, high, before):
            break
        value = f(x)
        low, high = (low, x) if value > 0 else (x, high)
    return high


def _series_stiffness(a, b):
    return a * b / (a + b) if a + b > 0 and a * b > 0 else min(a, b)
