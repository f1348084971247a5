"""Contact law on a plane: normal law, Coulomb friction with presliding, and edges."""

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

STICTION_SLIP = 0.1  # [m/s], slip at which the damping of the grip reaches the friction limit
GRIP_STATES = (("grip1", "1"), ("grip2", "1"))
RUPTURE_ENERGY = ("energy.torn", "J")
SLID_OFF_HISTORY = (("gone", "1"), ("energy gone", "J"))


@dataclass(frozen=True, slots=True, init=False)
class PlaneLaw(Parallel):
    """A law on a plane.  After its inputs it sees the slip along the plane, two numbers [m/s], and
    the lateral position [m].

    With `presliding` [m] it has a grip: the friction without slip over the friction limit, along
    both directions of the plane. With `within` (lowest and highest lateral position [m]) an end
    behind the plane that leaves it sideways is released for good, and its stored energy is counted
    as lost. CV.2, CV.8.
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
    states = derived(lambda self: self.law.states + GRIP_STATES * (self.presliding is not None))
    memory = derived(lambda self: self.law.memory + SLID_OFF_HISTORY * (self.within is not None))
    history = derived(lambda self: self.law.history or self.within is not None)

    @derived
    def modes(self):
        return (*self.law.modes, *(("slid off",) if self.within else ()))

    def mode(self, K, s):
        return self._while_on_plane(K, s, Parallel.mode(self, K, s), float(len(self.law.modes)))

    def _while_on_plane(self, K, s, x, otherwise=0.0):
        """`x` while the end is on the plane, `otherwise` after it slid off."""
        return K.select(K.less(0.5, s.m[-2]), otherwise, x) if self.within else x

    def _sum_over_laws(self, what, K, s):
        return self._while_on_plane(K, s, Parallel._sum_over_laws(self, what, K, s))

    def torn(self, K, s):
        return Parallel._sum_over_laws(self, "torn", K, s) + (s.m[-1] if self.within else 0)

    @derived
    def extras(self):
        names = self.law.extras
        return names if not self.within or RUPTURE_ENERGY in names else (*names, RUPTURE_ENERGY)

    def extra(self, K, s):
        values = dict(zip(self.law.extras, Parallel.extra(self, K, s), strict=True))
        return tuple(self.torn(K, s) if n == RUPTURE_ENERGY else values[n] for n in self.extras)

    def grip(self, s) -> tuple:
        """Friction without slip over the friction limit, along both directions."""
        return s.z[-2:]

    def zdot(self, K, s):
        rates = tuple(self._while_on_plane(K, s, x) for x in Parallel.zdot(self, K, s))
        if self.presliding is None:
            return rates
        grip, slip = vector(self.grip(s)), vector(s.u[-3:-1])
        per = K.divide(1, K.number(value.exact(self.presliding)))
        u = saturate(K, slip * (1 / STICTION_SLIP)) * (STICTION_SLIP * per)
        flow = K.call("max", 0.0, 2 * (grip @ grip) - 1) * K.call("max", 0.0, grip @ u)
        return (*rates, *(u - grip * flow))  # CV.2

    def friction_share(self, K, s):
        """Friction over its limit, along both directions."""
        slip = vector(s.u[-3:-1])
        return saturate(K, vector(self.grip(s)) + slip * (1 / STICTION_SLIP))  # CV.2

    def start(self, K, s):
        z, m = Parallel.start(self, K, s)
        return z + (0.0, 0.0) * (self.presliding is not None), m + (0.0, 0.0) * bool(self.within)

    def guards(self, K, s):
        law_guards = Parallel.guards(self, K, s)
        if self.within is None:
            return law_guards
        low, high = (K.number(value.exact(x)) for x in self.within)
        left = K.call("max", K.call("min", s.u[-1] - low, high - s.u[-1]), -s.x)
        law_guards = tuple(
            g._replace(value=self._while_on_plane(K, s, g.value, 1.0)) for g in law_guards
        )
        # CV.8
        return (*law_guards, Guard("slid off", self._while_on_plane(K, s, left, 1.0), waits=2))

    def jump(self, K, k, s):
        law, part = next(self._laws_with_states(s))
        z, m = len(law.states), len(law.memory)
        if k < len(law.guards(K, part)):
            zs, ms = law.jump(K, k, part)
            return (*zs, *s.z[z:]), (*ms, *s.m[m:])
        return s.z, (*s.m[:m], 1.0, law.potential(K, part))

    def impulse(self, K, k, s):
        law, part = next(self._laws_with_states(s))
        return law.impulse(K, k, part) if k < len(law.guards(K, part)) else None


def saturate(K, x):
    """A vector, shortened to length one where it is longer."""
    size = K.sqrt(K.call("max", 1.0, x @ x))
    return vector(K.divide(e, size) for e in x)


def pressed(law: Law, presliding=None, within=None) -> Law:
    """A law with what a plane adds to it, if that is anything."""
    return law if presliding is None and within is None else PlaneLaw(law, presliding, within)


# --------------------------------------------------------------------------------------------
# Coulomb's friction of lines that push on a plane, with a grip that holds.


def friction_problems(model, line, where):
    """What is wrong with the `friction`, `presliding` and `root` of a line."""
    values_of_names = value.nominals(model.parameters)
    for name, rule in (("friction", "of zero or more"), ("presliding", "above zero")):
        number = value.filled(getattr(line, name), values_of_names)
        if problems := list(number_problems(model, number, (), f"{where}, {name}")):
            yield from problems
        elif not isinstance(x := value.exact(number), value.Value) and (
            x < 0 or (name == "presliding" and x == 0)
        ):
            yield f"{where}: {name}: expected a number {rule}, got {shown(number)}"
    if line.root is not None:
        yield from number_problems(model, line.root, (3,), f"{where}, root [m]")


def has_friction(line) -> bool:
    """Whether a line has friction."""
    return value.exact(line.friction) != 0


def plane_law(line, edges=None):
    """The law of a line with its friction's grip, and its edges."""
    return pressed(line.law, line.presliding if has_friction(line) else None, edges)


def plane_friction(K, line, law, s, T, axes, slip):
    """Friction on an end that is pressed with T (none when it is pulled), and the power it takes.

    `axes` are two unit vectors along the plane, `slip` is in their components.
    """
    N = K.select(K.less(T, 0), 0.0, T)
    limit, (p, q) = K.number(value.exact(line.friction)) * N, law.friction_share(K, s)
    return (axes[0] * p + axes[1] * q) * (-limit), limit * (p * slip[0] + q * slip[1])  # CV.2


def tangent_axes(K, n, axis) -> tuple:
    """Two unit vectors at right angles to the unit vector n and each other: `axis` without its part
    along n, and n times it."""
    t = axis - n * (n @ axis)
    size = K.sqrt(t @ t)
    t = vector(K.divide(x, size) for x in t)
    return t, cross(n, t)
