"""The law of an end on a plane, with what the plane adds to it: grip of friction, and edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import shown
from ...register import derived
from ...scalars import vector
from ...scalars.values import value
from ...spatial import cross
from ..base import Guard, Law
from ..laws.parallel import Parallel
from ._validation import number_problems

REST = 0.1  # slip [m/s] at which the damping of the grip reaches the limit of friction
GRIP = (("grip1", "1"), ("grip2", "1"))
TORN = ("energy.torn", "J")
GONE = (("gone", "1"), ("energy gone", "J"))


@dataclass(frozen=True, slots=True, init=False)
class Pressed(Parallel):
    """A law on a plane.  After its own inputs it sees the slip along the plane, two numbers [m/s],
    and the place across [m].

    With `presliding` [m] it has a grip: the share of the limit of friction that is held without
    slip, along both directions of the plane.  With `within` (lowest and highest place across [m])
    an end behind the plane that is beside it is gone: no force any more, and what was stored is
    booked; before the plane it may pass its edges.  Theory: CV.2, CV.8.
    """

    presliding: Any
    within: tuple | None

    def __init__(self, law, presliding=None, within=None):
        object.__setattr__(self, "laws", (law,))
        object.__setattr__(self, "presliding", presliding)
        object.__setattr__(self, "within", within)

    beside = 3
    affine = False
    law = derived(lambda self: self.laws[0])
    states = derived(lambda self: self.law.states + GRIP * (self.presliding is not None))
    memory = derived(lambda self: self.law.memory + GONE * (self.within is not None))
    history = derived(lambda self: self.law.history or self.within is not None)

    @derived
    def modes(self):
        return (*self.law.modes, *(("slid off",) if self.within else ()))

    def mode(self, K, s):
        return self._on(K, s, Parallel.mode(self, K, s), float(len(self.law.modes)))

    def _on(self, K, s, x, otherwise=0.0):
        """A number while the end is on the plane, and another one when it is gone."""
        return K.select(K.less(0.5, s.m[-2]), otherwise, x) if self.within else x

    def _total(self, what, K, s):
        return self._on(K, s, Parallel._total(self, what, K, s))

    def torn(self, K, s):
        return Parallel._total(self, "torn", K, s) + (s.m[-1] if self.within else 0)

    @derived
    def extras(self):
        own = self.law.extras
        return own if not self.within or TORN in own else (*own, TORN)

    def extra(self, K, s):
        own = dict(zip(self.law.extras, Parallel.extra(self, K, s), strict=True))
        return tuple(self.torn(K, s) if n == TORN else own[n] for n in self.extras)

    def grip(self, s) -> tuple:
        """Share of the limit that is held without slip, along both directions."""
        return s.z[-2:]

    def zdot(self, K, s):
        own = tuple(self._on(K, s, x) for x in Parallel.zdot(self, K, s))
        if self.presliding is None:
            return own
        grip, slip = vector(self.grip(s)), vector(s.u[-3:-1])
        per = K.divide(1, K.number(value.exact(self.presliding)))
        u = capped(K, slip * (1 / REST)) * (REST * per)
        flow = K.call("max", 0.0, 2 * (grip @ grip) - 1) * K.call("max", 0.0, grip @ u)
        return (*own, *(u - grip * flow))  # CV.2

    def share(self, K, s):
        """Friction over its limit, along both directions."""
        slip = vector(s.u[-3:-1])
        return capped(K, vector(self.grip(s)) + slip * (1 / REST))  # CV.2

    def start(self, K, s):
        z, m = Parallel.start(self, K, s)
        return z + (0.0, 0.0) * (self.presliding is not None), m + (0.0, 0.0) * bool(self.within)

    def guards(self, K, s):
        own = Parallel.guards(self, K, s)
        if self.within is None:
            return own
        low, high = (K.number(value.exact(x)) for x in self.within)
        left = K.call("max", K.call("min", s.u[-1] - low, high - s.u[-1]), -s.x)
        own = tuple(g._replace(value=self._on(K, s, g.value, 1.0)) for g in own)
        return (*own, Guard("slid off", self._on(K, s, left, 1.0), waits=2))  # CV.8

    def jump(self, K, k, s):
        law, part = next(self._parts(s))
        z, m = len(law.states), len(law.memory)
        if k < len(law.guards(K, part)):
            zs, ms = law.jump(K, k, part)
            return (*zs, *s.z[z:]), (*ms, *s.m[m:])
        return s.z, (*s.m[:m], 1.0, law.potential(K, part))

    def impulse(self, K, k, s):
        law, part = next(self._parts(s))
        return law.impulse(K, k, part) if k < len(law.guards(K, part)) else None


def capped(K, x):
    """A vector, shortened to length one where it is longer."""
    size = K.sqrt(K.call("max", 1.0, x @ x))
    return vector(K.divide(e, size) for e in x)


def pressed(law: Law, presliding=None, within=None) -> Law:
    """A law with what a plane adds to it, if that is anything."""
    return law if presliding is None and within is None else Pressed(law, presliding, within)


# --------------------------------------------------------------------------------------------
# Coulomb's friction of lines that push on a plane, with a grip that holds.


def rubbing_problems(model, line, where):
    """What is wrong with the `friction`, `presliding` and `root` of a line."""
    known = value.nominals(model.parameters)
    for name, rule in (("friction", "of zero or more"), ("presliding", "above zero")):
        given = value.filled(getattr(line, name), known)
        if found := list(number_problems(model, given, (), f"{where}, {name}")):
            yield from found
        elif not isinstance(x := value.exact(given), value.Value) and (
            x < 0 or (name == "presliding" and x == 0)
        ):
            yield f"{where}: {name}: expected a number {rule}, got {shown(given)}"
    if line.root is not None:
        yield from number_problems(model, line.root, (3,), f"{where}, root [m]")


def rubs(line) -> bool:
    """Whether a line has friction."""
    return value.exact(line.friction) != 0


def whole_law(line, edges=None):
    """The law of a line with its friction's grip, and its edges."""
    return pressed(line.law, line.presliding if rubs(line) else None, edges)


def rubbed(K, line, law, s, T, sides, slip):
    """Friction on an end that is pressed with T (none when it is pulled), and the power it takes.

    `sides` are two unit vectors along the plane, `slip` is in their components.
    """
    N = K.select(K.less(T, 0), 0.0, T)
    most, (p, q) = K.number(value.exact(line.friction)) * N, law.share(K, s)
    return (sides[0] * p + sides[1] * q) * (-most), most * (p * slip[0] + q * slip[1])  # CV.2


def sides_of(K, n, near) -> tuple:
    """Two unit vectors at right angles to the unit vector n and each other: `near` without its part
    along n, and n times it."""
    t = near - n * (n @ near)
    size = K.sqrt(t @ t)
    t = vector(K.divide(x, size) for x in t)
    return t, cross(n, t)
