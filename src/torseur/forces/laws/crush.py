"""Crushing: a loading curve, a path of unloading, a permanent set, rupture."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from ...register import derived, frozen
from ...scalars.values import value
from ..base import Guard, Law, TableRows, law
from ._crush_branch import CrushBranch
from ._crush_validation import FACTORS, TENSION_WORDS, crush_problems, suspect_crush_values
from ._piecewise import UNBOUNDED
from .expression import Bound

RUPTURED = 3


@law
@dataclass(frozen=True, slots=True)
class Crush(Law):
    """Force against crush `d`, straight between `points` (d [m], force [N]), with memory.

    d = x - free_length - gap, or free_length - x - gap with `sense="compression"`; the first point
    has no force, and contact starts there.  Where the crush turns back, the force falls along
    `unloading` to zero, and the link opens with a permanent set; on the next contact it climbs the
    same path back to where it left the curve.  `unloading` is a slope [N/m], or a table of slope
    over largest crush; `unloading_curve` (retreat [m], force [N]) instead: the path is that curve,
    shifted to where the crush turned.  `second_slope` [N/m]: acts below the share `second_below` of
    the force at the turning point.  Past the last point the curve goes on with slope `beyond`
    [N/m] (by default the last force is held), or "extend".  Theory: FO.9 to FO.11, FO.32 to FO.34.

    `tension`: "none", "mirror" (the same law pulled), or points of its own; it remembers by itself.
    `rupture` [m], `rupture_force` [N], `rupture_energy` [J] (work taken up): where one is reached,
    the event "<force>: torn", there is no force any more, and what was stored is booked as torn.

    `rate_factor` multiplies the static force by f(r), r = |rate| / `reference_rate` [m/s]: "linear"
    (1 + g r), "power" ((1 + g r)^p) or "log" (1 + g log(1 + r)), with g = `rate_gain` and p =
    `rate_exponent`; `rate` names one of these instead, or is a formula, "1 + 0.016*rate", of |rate|
    [m/s].  `rate_acts`: "both" ways, where a slow crush that is let go fast can bring energy, or in
    "loading" only.  `damping` [N s/m] acts while the crush grows.  Theory: FO.26, FO.27.

    The segment in use is in memory (origin, force, slope, bounds), so the flow has no branches,
    and no adaptive step crosses a kink.

    >>> from torseur.scalars import Floats
    >>> fast = Crush(((0, 0), (0.1, 2e3)), 2e5, rate="linear")
    >>> [round(fast.factor(Floats(), rate), 6) for rate in (0.0, 1.0, -10.0, 50 / 3.6)]
    [1.0, 1.016, 1.16, 1.222222]
    """

    picture: ClassVar = "crush"
    points: tuple[Any, ...]
    unloading: Any = None
    beyond: Any = 0
    gap: Any = 0
    tension: Any = "none"
    rupture: Any = None
    rupture_force: Any = None
    rupture_energy: Any = None
    rate: str | None = None
    sense: str = "positive"
    free_length: Any = 0
    rate_factor: str = "none"
    rate_gain: Any = 0.016
    rate_exponent: Any = 1
    reference_rate: Any = 1
    rate_acts: str = "both"
    damping: Any = 0
    second_slope: Any = None
    second_below: Any = 0.5
    unloading_curve: tuple[Any, ...] = ()
    units: ClassVar = {
        "points": "m, N",
        "unloading": "N/m",
        "beyond": "N/m",
        "gap": "m",
        "tension": "m, N",
        "rupture": "m",
        "rupture_force": "N",
        "rupture_energy": "J",
        "free_length": "m",
        "rate_gain": "1",
        "rate_exponent": "1",
        "reference_rate": "m/s",
        "damping": "N s/m",
        "second_slope": "N/m",
        "second_below": "1",
        "unloading_curve": "m, N",
    }
    words: ClassVar = {"beyond": ("extend",), "tension": TENSION_WORDS}
    tables: ClassVar = {"unloading": "m, N/m", "tension": "m, N"}
    positive: ClassVar = ("rupture", "rupture_force", "rupture_energy", "second_slope")
    not_negative: ClassVar = ("damping",)
    history: ClassVar = True
    modes: ClassVar = ("open", "loading", "unloading", "torn")
    extras: ClassVar = (("largest", "m"), ("set", "m"), ("energy.torn", "J"))

    def __post_init__(self):
        for name in ("points", "unloading", "tension", "unloading_curve"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    # ---- what it is made of --------------------------------------------------------------------

    @derived
    def branches(self) -> tuple[CrushBranch, ...]:
        """What is pressed, and what is pulled when that has a force."""
        return _crush_branches(self)

    @derived
    def can_rupture(self) -> bool:
        """Whether it can tear."""
        return any(x is not None for x in (self.rupture, self.rupture_force, self.rupture_energy))

    @derived
    def rated(self) -> bool:
        return self.rate not in (None, "none") or self.rate_factor != "none" or self.damping != 0

    @derived
    def starts_by_sign(self) -> bool:
        return self.rupture_force is None or not self.rated

    @derived
    def affine(self) -> bool:
        return not self.rated and not self.can_rupture

    @derived
    def states(self):
        return (("work", "J"),) if self.rupture_energy is not None else ()

    @derived
    def memory(self):
        rupture = (("torn", "1"), ("energy torn", "J")) if self.can_rupture else ()
        return (*(pair for branch in self.branches for pair in branch.memory), *rupture)

    def problems(self):
        return tuple(crush_problems(self))

    def doubts(self, over):
        return suspect_crush_values(self, over)

    def numbers(self):
        yield from Law.numbers(self)
        if self.rate is not None and self.rate not in FACTORS:
            yield from (x for x in value.leaves(value.exact(self.rate)) if x.args[0] != "rate")

    # ---- at one instant ------------------------------------------------------------------------

    def _direction_sign(self):
        return 1 if self.sense == "positive" else -1

    def deflection(self, K, s):
        return (s.x - self.get(K, "free_length")) * self._direction_sign() - self.get(K, "gap")

    def knots(self, K):
        free, gap = self.get(K, "free_length"), self.get(K, "gap")
        at = [gap + K.number(value.exact(d)) for d, _ in self.points]
        if self.tension == "mirror":
            at += [-x for x in at]
        elif self.tension != "none":
            at += [-K.number(value.exact(d)) for d, _ in self.tension]
        return tuple(free + self._direction_sign() * x for x in at)

    def _branch_crushes(self, K, s):
        """Each side with its crush and its rate."""
        d, rate = self.deflection(K, s), s.rate * self._direction_sign()
        for i, branch in enumerate(self.branches):
            if i:
                off = 2 * self.get(K, "gap") if self.tension == "mirror" else self.get(K, "gap")
                d, rate = -d - off, -rate
            yield branch, d, rate

    def _branch_states(self, K, s):
        """Each side with what it remembers, its crush and its rate."""
        at = 0
        for branch, d, rate in self._branch_crushes(K, s):
            n = len(branch.memory)
            yield branch, branch.history_by_name(s.m[at : at + n]), d, rate
            at += n

    def lists(self):
        out, at = [], 0
        for branch in self.branches:
            out += [TableRows(at + 1, branch.listed)] if branch.listed else []
            at += len(branch.memory)
        return tuple(out)

    def factor(self, K, rate):
        """Force over static force at a rate [m/s]."""
        kind = self.rate_factor if self.rate is None else self.rate
        if kind == "none":
            return 1
        size = K.call("abs", rate)
        if kind not in FACTORS:
            return Bound(K, {"rate": size}).number(value.exact(kind))
        r, g = K.divide(size, self.get(K, "reference_rate")), self.get(K, "rate_gain")
        if kind == "log":
            return 1 + g * K.call("log", 1 + r)  # FO.26
        f = 1 + g * r
        if kind == "linear":
            return f
        return K.call("exp", self.get(K, "rate_exponent") * K.call("log", f))

    def _rate_force(self, K, branch, m, d, rate):
        """Force above the static one: of the rate factor and of damping."""
        if not self.rated:
            return 0
        F, drag = branch.force(m, d), self.get(K, "damping") * rate
        extra = F * (self.factor(K, rate) - 1)
        if self.rate_acts == "loading":
            return K.select(branch.growing(K, m), extra + drag, 0.0)
        return extra + (K.select(branch.growing(K, m), drag, 0.0) if self.damping != 0 else 0)

    def force(self, K, s):
        total, sign = 0, self._direction_sign()
        for branch, m, d, rate in self._branch_states(K, s):
            total = total + (branch.force(m, d) + self._rate_force(K, branch, m, d, rate)) * sign
            sign = -sign
        return total

    def tangent(self, K, s):
        return sum((m["slope"] for _, m, _, _ in self._branch_states(K, s)), start=0)

    def softest(self, K):
        forth = [row["slope"] for branch in self.branches for row in branch.rows(K)]
        return min(forth), min(x for branch in self.branches for x in branch.unloading_slopes(K))

    def potential(self, K, s):
        return sum(
            (branch.stored(K, m, d) for branch, m, d, _ in self._branch_states(K, s)), start=0
        )

    def dynamic(self, K, s):
        return sum(
            (
                self._rate_force(K, branch, m, d, rate) * rate
                for branch, m, d, rate in self._branch_states(K, s)
            ),
            start=0,
        )

    def dissipation(self, K, s):
        static = sum(
            (
                branch.dissipated_power(K, m, d, rate)
                for branch, m, d, rate in self._branch_states(K, s)
            ),
            start=0,
        )
        return static + (self.dynamic(K, s) if self.rated else 0)

    def zdot(self, K, s):
        return (self.force(K, s) * s.rate,) if self.states else ()

    def torn(self, K, s):
        return s.m[-1] if self.can_rupture else 0

    def extra(self, K, s):
        branch, m, d, _ = next(self._branch_states(K, s))
        return branch.largest(K, m, d), branch.permanent(K, m, d), self.torn(K, s)

    def mode(self, K, s):
        code = 0
        for _, m, _, _ in self._branch_states(K, s):
            code = code + m["mode"]
        return K.select(K.less(0.5, s.m[-2]), float(RUPTURED), code) if self.can_rupture else code

    # ---- events --------------------------------------------------------------------------------

    def _rupture_margin(self, K, s):
        """What is left before it tears: the least of its limits."""
        out = []
        if self.rupture is not None:
            limit = self.get(K, "rupture")
            out += [limit - d for _, d, _ in self._branch_crushes(K, s)]
        if self.rupture_force is not None:
            limit, T = self.get(K, "rupture_force"), self.force(K, s)
            out += [limit - T, limit + T]
        if self.rupture_energy is not None:
            out.append(self.get(K, "rupture_energy") - s.z[0])
        smallest = out[0]
        for x in out[1:]:
            smallest = K.call("min", smallest, x)
        return smallest

    def guards(self, K, s):
        branch_guards = tuple(
            g._replace(part=(i,))
            for i, (branch, m, d, rate) in enumerate(self._branch_states(K, s))
            for g in branch.guards(K, m, d, rate)
        )
        if not self.can_rupture:
            return branch_guards
        left = K.select(K.less(0.5, s.m[-2]), 1.0, self._rupture_margin(K, s))
        return (*branch_guards, Guard("torn", left, waits=2))

    def jump(self, K, k, s):
        out, rows = [], list(s.rows)
        for branch, m, d, rate in self._branch_states(K, s):
            n, rows_of_branch = (
                len(branch.guards(K, m, d, rate)),
                rows.pop(0) if branch.listed and rows else (),
            )
            out += (
                branch.jump(K, k, m, d, rows_of_branch) if 0 <= k < n else branch.history_tuple(**m)
            )
            k -= n
        if not self.can_rupture:
            return s.z, tuple(out)
        if k == 0:
            return s.z, (*self._ruptured_history(K, s), 1.0, self.potential(K, s))
        return s.z, (*out, s.m[-2], s.m[-1])

    def _ruptured_history(self, K, s):
        """Memory of what is torn: open for ever."""
        return [
            x
            for branch, m, d, _ in self._branch_states(K, s)
            for x in branch.open({**m, "largest": branch.largest(K, m, d)}, UNBOUNDED)
        ]

    def start(self, K, s):
        z, out = (0.0,) * len(self.states), []
        for branch, d, rate in self._branch_crushes(K, s):
            out += branch.start(K, d, rate)
        if not self.can_rupture:
            return z, tuple(out)
        s = s._replace(m=(*out, 0.0, 0.0), z=z)
        if self._rupture_margin(K, s) < 0:
            return z, (*self._ruptured_history(K, s), 1.0, 0.0)
        return z, (*out, 0.0, 0.0)

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        curve, short = ((0.02, 0.0), (0.1, 2e3), (0.2, 1e3), (0.3, 5e3)), ((0.0, 0.0), (0.1, 2e3))
        return (
            cls(curve, 2e5, 6e4),
            cls(short, 2e5, sense="compression", free_length=0.5),
            cls(short, 2e5, rate_factor="linear", gap=0.02),
            cls(
                ((0.02, 0.0), (0.1, 2e3)),
                2e5,
                sense="compression",
                rate_factor="power",
                rate_gain=3.0,
                rate_exponent=0.2,
                reference_rate=0.5,
            ),
            cls(short, 2e5, rate_factor="log", rate_gain=0.05),
            cls(short, 2e5, rate="1 + 0.02*rate**2", rate_acts="loading", damping=50.0),
            cls(curve, 2e5, tension="mirror", gap=0.01, rupture=0.25, rupture_force=4.5e3),
            cls(short, 2e5, tension=((0.01, 0.0), (0.1, 1e3)), rupture_energy=90.0),
            cls(curve, ((0.05, 2e5), (0.2, 4e5)), "extend"),
            cls(curve, 2e5, 6e4, second_slope=5e4, second_below=0.4),
            cls(curve, ((0.05, 2e5), (0.2, 4e5)), second_slope=5e4, second_below=0.4),
            cls(curve, beyond=6e4, unloading_curve=((0, 0), (0.01, 600), (0.02, 3e3))),
        )


@lru_cache(maxsize=4096)
def _crush_branches(law) -> tuple[CrushBranch, ...]:
    second = None if law.second_slope is None else (law.second_slope, law.second_below)
    unloading = (law.unloading, law.unloading_curve, second)
    compression = CrushBranch(law.points, law.beyond, *unloading)
    if law.tension == "none":
        return (compression,)
    points = law.points if law.tension == "mirror" else law.tension
    return compression, CrushBranch(points, law.beyond, *unloading, name="tension ")
