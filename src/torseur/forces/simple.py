"""Laws without memory: springs, dampers, constant and commanded forces, expressions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..numbers import Scalars, values
from ..spatial import HALF
from .base import Law, Seen, frozen  # noqa: F401 (examples)


@dataclass(frozen=True, slots=True)
class Spring(Law):
    """Linear spring: tension `stiffness (x - free_length) + preload`.

    `stiffness` [N/m or N m/rad], `free_length` [m or rad], `preload` [N or N m].

    >>> from torseur.numbers import Floats
    >>> Spring(200.0, 0.3).force(Floats(), Seen(0.4, 0.0))
    20.000000000000007
    """

    stiffness: Any
    free_length: Any = 0
    preload: Any = 0
    units: ClassVar = {"stiffness": "N/m", "free_length": "m", "preload": "N"}

    def deflection(self, K, s):
        return s.x - self.get(K, "free_length")

    def force(self, K, s):
        return self.get(K, "stiffness") * self.deflection(K, s) + self.get(K, "preload")  # FO.4

    def potential(self, K, s):
        d = self.deflection(K, s)
        return self.get(K, "stiffness") * d * d * HALF + self.get(K, "preload") * d


@dataclass(frozen=True, slots=True)
class Viscous(Law):
    """Linear damper: tension `damping * rate` [N s/m or N m s/rad]."""

    damping: Any
    units: ClassVar = {"damping": "N s/m"}

    def force(self, K, s):
        return self.get(K, "damping") * s.rate  # FO.5

    def dissipation(self, K, s):
        return self.force(K, s) * s.rate


@dataclass(frozen=True, slots=True)
class Polynomial(Law):
    """Elastic: `sum k_i d^i`, i = 1, 2, ..., with `d = x - free_length`; also of the rate.

    `stiffness` holds k_1, k_2, ... [N/m, N/m2, ...]; `damping` likewise c_1, c_2, ... of the rate.
    """

    stiffness: tuple = ()
    damping: tuple = ()
    free_length: Any = 0
    units: ClassVar = {"stiffness": "N/m^i", "damping": "N (s/m)^i", "free_length": "m"}

    def __post_init__(self):
        for name in ("stiffness", "damping"):
            given = frozen(getattr(self, name))
            object.__setattr__(self, name, given if isinstance(given, tuple) else (given,))

    def deflection(self, K, s):
        return s.x - self.get(K, "free_length")

    def _sum(self, K, coefficients, x, energy=False):
        total = 0
        for i, c in reversed(list(enumerate(coefficients, 1))):
            c = K.number(values.exact(c))
            total = (total + (K.divide(c, i + 1) if energy else c)) * x  # FO.6
        return total * x if energy else total

    def force(self, K, s):
        return self._sum(K, self.stiffness, self.deflection(K, s)) + self._sum(
            K, self.damping, s.rate
        )

    def potential(self, K, s):
        return self._sum(K, self.stiffness, self.deflection(K, s), energy=True)

    def dissipation(self, K, s):
        return self._sum(K, self.damping, s.rate) * s.rate


class _Source(Law):
    """A law whose work comes from outside."""

    __slots__ = ()

    def supply(self, K, s):
        return -(self.force(K, s) * s.rate)


@dataclass(frozen=True, slots=True)
class Effort(_Source):
    """A push along x of a given size [N or N m]: a number or expression, or an input by name.

    >>> from torseur.numbers import Floats
    >>> Effort(input="motor").force(Floats(), Seen(0.0, 0.0, u=(3.0,)))
    -3.0
    """

    value: Any = 0
    input: str | None = None
    gain: Any = 1
    units: ClassVar = {"value": "N", "gain": "1"}

    @property
    def inputs(self):
        return () if self.input is None else (self.input,)

    def force(self, K, s):
        push = self.get(K, "value")
        if self.input is not None:
            push = push + self.get(K, "gain") * s.u[0]
        return -push


@dataclass(frozen=True, slots=True)
class Expression(Law):
    """Tension as an arithmetic expression of x, rate, t, parameters and named signals.

    `signals` maps names used in the text to coordinates, speeds or inputs of the model.  With
    `work="supplied"` its power is booked as brought from outside, else as dissipated.

    >>> from torseur.numbers import Floats
    >>> Expression("50*x + 3*rate**3").force(Floats(), Seen(0.1, 2.0))
    29.0
    """

    text: str
    named: tuple = field(default=())
    work: str = "dissipated"

    def __init__(self, text, signals=None, work="dissipated"):
        object.__setattr__(self, "text", text)
        named = signals.items() if hasattr(signals, "items") else signals or ()
        object.__setattr__(self, "named", tuple((a, b) for a, b in named))
        object.__setattr__(self, "work", work)

    @property
    def signals(self):
        return tuple(b for _, b in self.named)

    def problems(self):
        try:
            values.exact(self.text)
        except (TypeError, ValueError) as e:
            return (str(e),)
        if self.work not in ("dissipated", "supplied"):
            return (f"work={self.work!r}: expected 'dissipated' or 'supplied'",)
        return ()

    def numbers(self):
        own = {"x", "rate", "t", *(a for a, _ in self.named)}
        tree = values.exact(self.text)
        yield from (
            leaf for leaf in values.leaves(tree) if leaf.op != "symbol" or leaf.args[0] not in own
        )

    def force(self, K, s):
        bound = {"x": s.x, "rate": s.rate, "t": s.t}
        bound |= {a: value for (a, _), value in zip(self.named, s.u, strict=True)}
        return _Bound(K, bound).number(values.exact(self.text))

    def dissipation(self, K, s):
        return self.force(K, s) * s.rate if self.work == "dissipated" else 0

    def supply(self, K, s):
        return -(self.force(K, s) * s.rate) if self.work == "supplied" else 0


class _Bound(Scalars):
    """The scalars `K` with a few more names bound."""

    def __init__(self, K, bound):
        self.K, self.bound = K, bound

    def parameter(self, name):
        return self.bound[name] if name in self.bound else self.K.parameter(name)

    def number(self, value):
        return value.over(self) if hasattr(value, "over") else self.K.exact(value)

    def __getattribute__(self, name):
        if name in ("K", "bound", "parameter", "number"):
            return object.__getattribute__(self, name)
        return getattr(object.__getattribute__(self, "K"), name)


@dataclass(frozen=True, slots=True)
class Parallel(Law):
    """Several laws on one line of action: tensions and books add.

    >>> Parallel(Spring(100.0), Viscous(2.0)).laws[1]
    Viscous(damping=2.0)
    """

    laws: tuple

    def __init__(self, *laws):
        object.__setattr__(self, "laws", tuple(laws))

    states = property(lambda self: self._named("states"))
    memory = property(lambda self: self._named("memory"))
    inputs = property(lambda self: tuple(n for law in self.laws for n in law.inputs))
    signals = property(lambda self: tuple(n for law in self.laws for n in law.signals))
    history = property(lambda self: any(law.history for law in self.laws))
    modes = property(lambda self: self.laws[self._modal()].modes)

    def _named(self, what):
        return tuple(
            (f"{i}.{n}", unit)
            for i, law in enumerate(self.laws, 1)
            for n, unit in getattr(law, what)
        )

    def _modal(self):
        return next((i for i, law in enumerate(self.laws) if len(law.modes) > 1), 0)

    def _parts(self, s):
        z = m = u = 0
        g = sum(len(law.inputs) for law in self.laws)
        for law in self.laws:
            nz, nm, nu, ng = (len(x) for x in (law.states, law.memory, law.inputs, law.signals))
            yield (
                law,
                s._replace(
                    z=tuple(s.z[z : z + nz]),
                    m=tuple(s.m[m : m + nm]),
                    u=(*s.u[u : u + nu], *s.u[g : g + ng]),
                ),
            )
            z, m, u, g = z + nz, m + nm, u + nu, g + ng

    def _total(self, what, K, s):
        return sum((getattr(law, what)(K, part) for law, part in self._parts(s)), start=0)

    def force(self, K, s):
        return self._total("force", K, s)

    def deflection(self, K, s):
        law, part = next(self._parts(s))
        return law.deflection(K, part)

    def potential(self, K, s):
        return self._total("potential", K, s)

    def dissipation(self, K, s):
        return self._total("dissipation", K, s)

    def supply(self, K, s):
        return self._total("supply", K, s)

    def zdot(self, K, s):
        return tuple(e for law, part in self._parts(s) for e in law.zdot(K, part))

    def start(self, K, s):
        empty = s._replace(z=(0.0,) * len(self.states), m=(0.0,) * len(self.memory))
        started = [law.start(K, part) for law, part in self._parts(empty)]
        return tuple(e for z, _ in started for e in z), tuple(e for _, m in started for e in m)

    def guards(self, K, s):
        return tuple(g for law, part in self._parts(s) for g in law.guards(K, part))

    def _owner(self, K, k, s):
        """Which law owns guard `k`, and the guard's number there."""
        for i, (law, part) in enumerate(self._parts(s)):
            n = len(law.guards(K, part))
            if k < n:
                return i, k
            k -= n
        raise IndexError(k)

    def jump(self, K, k, s):
        owner, own = self._owner(K, k, s)
        z, m = [], []
        for i, (law, part) in enumerate(self._parts(s)):
            after = law.jump(K, own, part) if i == owner else (part.z, part.m)
            z, m = [*z, *after[0]], [*m, *after[1]]
        return tuple(z), tuple(m)

    def impulse(self, K, k, s):
        owner, own = self._owner(K, k, s)
        law, part = list(self._parts(s))[owner]
        return law.impulse(K, own, part)

    def mode(self, K, s):
        law, part = list(self._parts(s))[self._modal()]
        return law.mode(K, part)

    def faults(self):
        if not self.laws:
            return ("needs at least one law",)
        return tuple(
            f"holds {law!r}: expected a law such as ts.Spring(200)"
            for law in self.laws
            if not isinstance(law, Law)
        ) or self._told("faults")

    def problems(self):
        return self._told("problems")

    def _told(self, what):
        return tuple(
            f"{i} ({type(law).__name__}) {text}"
            for i, law in enumerate(self.laws, 1)
            for text in getattr(law, what)()
        )
