"""Several laws on one line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...register import derived
from .. import base
from ..base import Law
from ._composite import named_extras, shift_tables


@base.law
@dataclass(frozen=True, slots=True)
class Parallel(Law):
    """Several laws on one line of action: tensions and books add.

    >>> from torseur.forces import Spring, Viscous
    >>> Parallel(Spring(100.0), Viscous(2.0)).laws[1]
    Viscous(damping=2.0)
    """

    laws: tuple[Any, ...]

    @derived
    def pictures(self):
        return tuple(dict.fromkeys(symbol for one in self.laws for symbol in one.pictures))

    def __init__(self, *laws: Any):
        object.__setattr__(self, "laws", tuple(laws))

    states = derived(lambda self: self._named("states"))
    memory = derived(lambda self: self._named("memory"))
    inputs = derived(lambda self: tuple(n for law in self.laws for n in law.inputs))
    signals = derived(lambda self: tuple(n for law in self.laws for n in law.signals))
    deflects = derived(lambda self: tuple(dict.fromkeys(n for x in self.laws for n in x.deflects)))
    motor = derived(lambda self: all(law.motor for law in self.laws))
    timed = derived(lambda self: any(law.timed for law in self.laws))
    history = derived(lambda self: any(law.history for law in self.laws))
    modes = derived(lambda self: self.laws[self._law_with_modes()].modes)

    def _named(self, what):
        return tuple(
            (f"{i}.{n}", unit)
            for i, law in enumerate(self.laws, 1)
            for n, unit in getattr(law, what)
        )

    def _law_with_modes(self):
        return next((i for i, law in enumerate(self.laws) if len(law.modes) > 1), 0)

    def _laws_with_states(self, s):
        z = m = u = r = 0
        g = first = sum(len(law.inputs) for law in self.laws)
        for law in self.laws:
            nz, nm, nu, ng = (len(x) for x in (law.states, law.memory, law.inputs, law.signals))
            yield (
                law,
                s._replace(
                    z=tuple(s.z[z : z + nz]),
                    m=tuple(s.m[m : m + nm]),
                    u=(*s.u[u : u + nu], *s.u[g : g + ng]),
                    rows=s.rows[r : r + len(law.lists())],
                    places=s.places[g - first : g - first + ng],
                ),
            )
            z, m, u, g, r = z + nz, m + nm, u + nu, g + ng, r + len(law.lists())

    def shares(self, K, s):
        """Those of its parts, where no two have a number of one name."""
        factors = [
            x for law, factor in self._laws_with_states(s) for x in law.shares(K, factor).items()
        ]
        names = [n for n, _ in factors]
        return {n: x for n, x in factors if names.count(n) == 1}

    def _sum_over_laws(self, what, K, s):
        """Sum of what laws answer: the name of a method, or a function of a law that gives it."""
        name: Any = what if callable(what) else lambda law: what
        return sum(
            (getattr(law, name(law))(K, part) for law, part in self._laws_with_states(s)), start=0
        )

    def force(self, K, s):
        return self._sum_over_laws("force", K, s)

    def deflection(self, K, s):
        law, part = next(self._laws_with_states(s))
        return law.deflection(K, part)

    def at_rest(self, K, s):
        return self._sum_over_laws("at_rest", K, s)

    positional = derived(lambda self: all(law.positional for law in self.laws))

    def potential(self, K, s):
        return self._sum_over_laws("potential", K, s)

    def dissipation(self, K, s):
        return self._sum_over_laws("dissipation", K, s)

    def supply(self, K, s):
        return self._sum_over_laws("supply", K, s)

    @derived
    def conserves(self):
        return bool(self._dissipating_laws) and all(law.conserves for law in self._dissipating_laws)

    @derived
    def _dissipating_laws(self):
        """Laws that say they dissipate."""
        simple = (law for law in self.laws if not hasattr(law, "laws") or law.conserves)
        return [x for x in simple if x.loses]

    loses = derived(lambda self: any(law.loses for law in self.laws))

    @derived
    def friction(self):
        kinds = [law.friction for law in self.laws]
        return tuple(dict.fromkeys(sum(kinds, ()))) if all(kinds) else ()

    starts_by_sign = derived(lambda self: all(law.starts_by_sign for law in self.laws))

    @derived
    def rated(self):
        beside = self.history and any(law.loses and not law.history for law in self.laws)
        return beside or any(law.rated for law in self.laws)

    affine = derived(lambda self: all(law.affine for law in self.laws))

    @derived
    def extras(self):
        return named_extras(self.laws)

    def extra(self, K, s):
        return tuple(x for law, part in self._laws_with_states(s) for x in law.extra(K, part))

    def tangent(self, K, s):
        return self._sum_over_laws("tangent", K, s)

    def softest(self, K):
        return tuple(map(sum, zip(*(law.softest(K) for law in self.laws), strict=True)))

    def lists(self):
        return shift_tables(self.laws)

    def edges(self):
        at, out = 0, []
        for law in self.laws:
            out += [(at + slot, last, of) for slot, last, of in law.edges()]
            at += len(law.memory)
        return tuple(out)

    def dynamic(self, K, s):
        """Beside a law with a history all that another one dissipates is due to the rate."""
        return self._sum_over_laws(lambda law: ("dissipation", "dynamic")[law.history], K, s)

    def torn(self, K, s):
        return self._sum_over_laws("torn", K, s)

    def zdot(self, K, s):
        return tuple(e for law, part in self._laws_with_states(s) for e in law.zdot(K, part))

    def start(self, K, s):
        empty = s._replace(z=(0.0,) * len(self.states), m=(0.0,) * len(self.memory))
        started = [law.start(K, part) for law, part in self._laws_with_states(empty)]
        return tuple(e for z, _ in started for e in z), tuple(e for _, m in started for e in m)

    def guards(self, K, s):
        return tuple(
            g._replace(part=(i, *g.part))
            for i, (law, part) in enumerate(self._laws_with_states(s))
            for g in law.guards(K, part)
        )

    def _owner_of_guard(self, K, k, s):
        """Which law owns guard `k`, and the guard's number there."""
        for i, (law, part) in enumerate(self._laws_with_states(s)):
            n = len(law.guards(K, part))
            if k < n:
                return i, k
            k -= n
        raise IndexError(k)

    def jump(self, K, k, s):
        owner, index = self._owner_of_guard(K, k, s)
        z: list[Any] = []
        m: list[Any] = []
        for i, (law, part) in enumerate(self._laws_with_states(s)):
            after = law.jump(K, index, part) if i == owner else (part.z, part.m)
            z, m = [*z, *after[0]], [*m, *after[1]]
        return tuple(z), tuple(m)

    def impulse(self, K, k, s):
        owner, index = self._owner_of_guard(K, k, s)
        law, part = list(self._laws_with_states(s))[owner]
        return law.impulse(K, index, part)

    def knots(self, K):
        return tuple(x for law in self.laws for x in law.knots(K))

    def steps(self):
        return tuple(x for law in self.laws for x in law.steps())

    def flattened(self, lifts):
        left, laws = list(lifts), []
        for law in self.laws:
            lifts_of_law, left = left[: len(law.steps())], left[len(law.steps()) :]
            laws.append(law.flattened(lifts_of_law))
        return type(self)(*laws) if lifts else self

    def times(self, K):
        return tuple(x for law in self.laws for x in law.times(K))

    def mode(self, K, s):
        law, part = list(self._laws_with_states(s))[self._law_with_modes()]
        return law.mode(K, part)

    def faults(self):
        if not self.laws:
            return ("needs at least one law",)
        return tuple(
            f"holds {law!r}: expected a law such as ts.Spring(200)"
            for law in self.laws
            if not isinstance(law, Law)
        ) or self._messages_of_laws("faults")

    def problems(self):
        mixed = [x for x in self._dissipating_laws if x.conserves] if not self.conserves else []
        return self._messages_of_laws("problems") + tuple(
            f"holds {law!r}, whose stored energy has no formula and cannot be told from what the "
            "laws beside it dissipate; make it a force of its own"
            for law in mixed
        )

    def _messages_of_laws(self, what):
        return tuple(
            f"{i} ({type(law).__name__}) {text}"
            for i, law in enumerate(self.laws, 1)
            for text in getattr(law, what)()
        )

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        from .effort import Effort
        from .lu_gre import LuGre
        from .spring import Spring
        from .table import Table
        from .viscous import Viscous

        broken = Table(((-0.1, -30.0), (0.0, 0.0), (0.2, 10.0)))
        return cls(Spring(100.0), Viscous(2.0)), cls(broken, LuGre(3.0), Effort(input="push"))
