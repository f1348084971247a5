"""Motors behind elastic shafts: their motion and effort from the motion of what they drive.

Theory: LI.5, LI.10, LI.18.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...dynamics import Moment
from ...errors import TorseurError
from ...scalars import vector
from ...scalars.values import value
from .shaft_laws import ShaftLaw, ShaftTwist, relaxed

# --------------------------------------------------------------------------------------------
# Elastic shafts of a model: which rotor drives which coordinate, one behind the other.


@dataclass(frozen=True, slots=True)
class Shaft:
    """An elastic element between a rotor and the coordinate it drives; indices into q and v."""

    element: Any
    index: int  # of the element
    name: str  # of the rotor
    rotor: tuple[int, int]  # its coordinate and speed
    link: tuple[int, int]
    weights: tuple[float, float]
    level: int  # 1 at a joint, 2 behind another rotor, ...


def shafts(system, given, bound) -> list[Shaft]:
    """Shafts of every rotor whose motion is not given but follows, from the joints outwards."""
    rotors = {
        k.v.start: k
        for k in system.links
        if k.auxiliary and system.coordinates[k.q.start] not in given
    }
    joined = []
    for i, e in enumerate(system.elements):
        ends = {j: (q, value.nominal(value.exact(w), bound)) for q, j, w in e.weights}
        if len(ends) > 1 and any(j in rotors for j in ends):
            joined.append((i, e, ends))
    waiting = {j for *_, ends in joined for j in ends if j in rotors}
    found: list[Shaft] = []
    while waiting:
        level = max((x.level for x in found), default=0) + 1
        new = []
        for i, e, ends in joined:
            far = [j for j in ends if j in waiting]
            if len(ends) == 2 and len(far) == 1:
                near = next(j for j in ends if j != far[0])
                new.append(
                    Shaft(
                        e,
                        i,
                        rotors[far[0]].name,
                        (rotors[far[0]].q.start, far[0]),
                        (ends[near][0], near),
                        (ends[far[0]][1], ends[near][1]),
                        level,
                    )
                )
        if not new:
            names = ", ".join(repr(rotors[j].name) for j in sorted(waiting))
            raise TorseurError(
                f"inverse: {names}: no elastic shaft between two coordinates leads "
                "there, so nothing says how they turn; give their angles"
            )
        found += new
        waiting -= {x.rotor[1] for x in new}
    _check(system, found)
    return found


def _check(system, found):
    """Tells which shafts cannot be followed back, and why."""
    drivers = _drivers(system)
    for x in found:
        law = x.element.law
        if law.states or law.inputs or law.signals:
            raise TorseurError(
                f"inverse: shaft {x.element.name!r} has a {type(law).__name__} law "
                "with states or inputs of its own; a law of twist and rate is "
                "needed"
            )
        for end, what in ((x.link, "drive"), (x.rotor, "hold")):
            same = [y for y in found if (y.link, y.rotor)[what == "hold"] == end]
            if len(same) > 1:
                names = " and ".join(repr(y.element.name) for y in same)
                raise TorseurError(
                    f"inverse: {names} {what} one coordinate, "
                    f"{system.coordinates[end[0]]!r}: how they share its effort is "
                    "open"
                )
        beyond = [y.name for y in found if y.link == x.rotor]
        if x.name in drivers and beyond:
            raise TorseurError(
                f"inverse: {beyond[0]!r} turns beyond the motor {x.name!r}, and no "
                "motion of the joint says how; add its inertia to the motor's"
            )


def _drivers(system) -> set[str]:
    """Rotors that a drive or an input turns."""
    told = {f"{j.name}.{j.drive.motor}" for j in system.model.joints if j.drive is not None}
    owner = {k.v.start: k.name for k in system.links if k.auxiliary}
    return told | {
        owner[e.weights[0][1]]
        for e in system.elements
        if len(e.weights) == 1 and e.law.inputs and e.weights[0][1] in owner
    }


class Motors:
    """Everything behind shafts, along one course."""

    def __init__(self, bench, along, course, found: list[Shaft]):
        self.bench, self.along, self.course, self.shafts = bench, along, course, found
        self.laws = {x.name: ShaftLaw(along, x, bench.bound) for x in found}
        self._known: dict = {}
        for x in found:
            if along.depends(x.link[1], [y.rotor[1] for y in found if y.level >= x.level]):
                raise TorseurError(
                    f"inverse: the effort at {bench.system.speeds[x.link[1]]!r} depends on a rotor "
                    f"otherwise than through {x.element.name!r}, so it cannot be followed back"
                )
            law = self.laws[x.name]
            if (law.damped or not law.linear) and any(y.link == x.rotor for y in found):
                raise TorseurError(
                    f"inverse: shaft {x.element.name!r} has another behind it, and "
                    "must be a linear spring without damping to be followed back"
                )

    def jets(self, times, level: int, orders: int) -> list[np.ndarray]:
        """Coordinates and `orders` derivatives, rotors filled in that are nearer than `level`."""
        jets = self.course.sample(self.bench.system, times, orders)
        for x in self.shafts:
            if x.level < level:
                T = self.tensions(x, times, orders)
                T0, k, *_ = self.laws[x.name](0.0, 0.0)
                for n, jet in enumerate(jets):
                    self._place(x, n, jet, (T[n] - T0 * (n == 0)) / k)
        return jets

    def _place(self, x, order, jet, twist):
        """Writes a derivative of a rotor's angle where the twist is known."""
        (rotor, link), (wr, wl) = ((x.rotor[order > 0], x.link[order > 0]), x.weights)
        jet[:, rotor] = (twist - wl * jet[:, link]) / wr

    def tensions(self, x: Shaft, times, orders: int) -> list[np.ndarray]:
        """Tension of a shaft and `orders` of its derivatives, each (rows,)."""
        key = (x.level, orders, times.tobytes())
        if key not in self._known:  # shafts of one level ask for the same
            jets = self.jets(times, x.level, orders + 2)
            rest = elements_along(self.bench, times, jets[0], jets[1])
            self._known[key] = self.along.rates(times, jets, *rest)
        needed = [y[:, x.link[1]] for y in self._known[key]]
        for inner in self.shafts:
            if inner.rotor == x.link:
                needed = [
                    a + inner.weights[0] * b
                    for a, b in zip(needed, self.tensions(inner, times, orders), strict=True)
                ]
        return [-y / x.weights[1] for y in needed]  # LI.5

    def solve(self, q, v, a) -> list[tuple[Shaft, np.ndarray, ShaftTwist]]:
        """Fills the rotors' columns of q, v, a; gives tension and twist of every shaft."""
        times, out = self.course.times, []
        for x in self.shafts:
            T, law = self.tensions(x, times, 2), self.laws[x.name]
            twist = (
                relaxed(law, lambda t, n, x=x: self.tensions(x, t, n), times, self.course.kinks)
                if law.damped
                else law.bent(*T)
            )  # LI.10
            for n, (jet, y) in enumerate(zip((q, v, a), twist, strict=True)):
                self._place(x, n, jet, y)
            out.append((x, T[0], twist))
        return out

    def smooth(self) -> str:
        """What the motors cannot follow, as a sentence; empty when they can."""
        most = max(2 * x.level + (not self.laws[x.name].damped) for x in self.shafts)
        leaps = self.course.leaps(most)
        if not leaps:
            return ""
        name, t, what = leaps[0]
        return (
            f"; the {what} of {name!r} jumps at t = {t:.6g} s"
            f"{f' (and {len(leaps) - 1} more)' if len(leaps) > 1 else ''}, where the motor "
            "would have to leap: a smoother law (ts.robots.Septic) avoids it"
        )


def elements_along(bench, times, q, v):
    """States, memory and inputs of the elements at every row.

    Memory as of motions that start there; states (bristles) follow the motion from its first row.
    """
    n = len(times)
    z, m = bench.starting(times[0], q[0], v[0])
    M = [bench.starting(*row)[1] for row in zip(times, q, v, strict=True)] if len(m) else [m] * n
    return _states_along(bench, times, q, v, z, m), np.array(M), np.tile(bench.u, (n, 1))


def following(system) -> list[str]:
    """Elements whose states follow a given motion: those that no input drives."""
    return [e.name for e in system.elements if e.states and not e.law.inputs]


def _states_along(bench, times, q, v, z, m) -> np.ndarray:
    """States of the elements at every row, integrated along the motion.  # LI.18"""
    own, s = bench.system.layout.states.stop, bench.system
    out = np.tile(z, (len(times), 1))
    if not following(s) or len(times) < 2:
        return out
    from scipy.integrate import solve_ivp
    from scipy.interpolate import CubicHermiteSpline

    path = CubicHermiteSpline(times, q, np.reshape(bench.quantity("rates", q, v), q.shape))
    slope, motion = path.derivative(), bench.floats
    names, u = set(following(s)), vector(bench.u.tolist())

    def rates(t, states):
        here = path(t)
        speeds = np.atleast_1d(bench.quantity("speeds_from", here, slope(t)))
        full = vector([*states.tolist(), *z[own:].tolist()])
        q, v = (vector(x.tolist()) for x in (here, speeds))
        now = Moment(float(t), q, v, full, vector(m), u)
        each = zip(motion.elements, motion.loads(now).acting, strict=True)
        return [x if e.name in names else 0.0 for e, a in each for x in a.zdot]

    span = (times[0], times[-1])
    found = solve_ivp(rates, span, z[:own], "LSODA", times, rtol=1e-8, atol=1e-13)
    if not found.success:
        raise TorseurError(
            f"inverse: the states of {', '.join(sorted(names))} cannot be followed along this "
            f"motion ({found.message}); give it by a smooth function, or take them out"
        )
    out[:, :own] = found.y.T
    return out
