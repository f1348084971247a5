"""Motors behind elastic shafts: their motion and effort from the motion of what they drive.

Theory: LI.5, LI.9, LI.10.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import values
from ..dynamics.elements import Seen
from ..errors import TorseurError
from ..scalar import Floats
from ..system.elements import elements
from .relaxation import Twist, relaxed


@dataclass(frozen=True, slots=True)
class Shaft:
    """An elastic element between a rotor and the coordinate it drives; indices into q and v."""

    element: Any
    index: int                  # of the element
    name: str                   # of the rotor
    rotor: tuple[int, int]      # its coordinate and speed
    link: tuple[int, int]
    weights: tuple[float, float]


def shafts(system, given, bound) -> list[Shaft]:
    """Shafts of every rotor whose motion is not given but follows."""
    rotors = {k.v.start: k for k in system.links if k.auxiliary
              and system.coordinates[k.q.start] not in given}
    found = []
    for speed, k in rotors.items():
        joined = [(i, e) for i, e in enumerate(elements(system)) if e.kind == "coordinates"
                  and len(e.weights) > 1 and any(j == speed for _, j, _ in e.weights)]
        if not joined:
            continue
        i, e = joined[0]
        ends = {j: (q, values.nominal(values.exact(w), bound)) for q, j, w in e.weights}
        if len(joined) > 1 or len(ends) != 2:
            raise TorseurError(
                f"inverse: rotor {k.name!r} hangs on {len(joined)} elastic elements ("
                f"{', '.join(repr(x.name) for _, x in joined)}) and more than one neighbour; one "
                f"shaft to one joint can be followed back; give also {k.name}.angle, or stiffen "
                "the drive by flexible=False")
        other = next(j for j in ends if j != speed)
        if other in rotors:
            raise TorseurError(
                f"inverse: rotor {k.name!r} drives rotor {rotors[other].name!r} through {e.name!r},"
                " one elastic shaft behind another; make one of them rigid, or give "
                f"{rotors[other].name}.angle")
        if e.law.states or e.law.inputs or e.law.signals:
            raise TorseurError(f"inverse: shaft {e.name!r} has a {type(e.law).__name__} law with "
                               "states or inputs of its own; a law of twist and rate is needed")
        found.append(Shaft(e, i, k.name, (k.q.start, speed), (ends[other][0], other),
                           (ends[speed][1], ends[other][1])))
    ends = [x.link[1] for x in found]
    for x in found:
        if ends.count(x.link[1]) > 1:
            names = [y.name for y in found if y.link == x.link]
            raise TorseurError(f"inverse: {' and '.join(map(repr, names))} drive one coordinate, "
                               f"{system.speeds[x.link[1]]!r}: how they share its effort is open")
    return found


class Motors:
    """Everything behind shafts, along one course."""

    def __init__(self, bench, along, course, found: list[Shaft]):
        self.bench, self.along, self.course, self.shafts = bench, along, course, found
        self._known: dict = {}
        speeds = [x.rotor[1] for x in found]
        for x in found:
            if along.depends(x.link[1], speeds):
                raise TorseurError(
                    f"inverse: the effort at {bench.system.speeds[x.link[1]]!r} depends on a rotor "
                    f"otherwise than through {x.element.name!r}, so it cannot be followed back")

    def tensions(self, times, rates: bool = True) -> list[np.ndarray]:
        """Tension of every shaft, and its first two derivatives if asked, each (rows, shafts)."""
        key = (rates, times.tobytes())
        if key not in self._known:                  # shafts ask for the same instants in turn
            q, v, a, *more = self.course.sample(self.bench.system, times, 4 if rates else 2)
            z, m, u = elements_along(self.bench, times, q, v)
            rows = self.along.rates(times, q, v, a, z, m, u, *more) if rates else [
                self.along.effort(times, q, v, a, z, m, u)]
            link = [x.link[1] for x in self.shafts]
            self._known[key] = [y[:, link] / [-x.weights[1] for x in self.shafts] for y in rows]
        return self._known[key]

    def solve(self, q, v, a) -> list[tuple[Shaft, np.ndarray, Twist]]:
        """Fills the rotors' columns of q, v, a; gives tension and twist of every shaft."""
        times = self.course.times
        T = self.tensions(times)
        out = []
        for i, x in enumerate(self.shafts):
            law, damped, linear = self.along.shaft(x.element)
            here = Law(x, law, linear, self.bench.bound)
            if damped:
                twist = relaxed(here, lambda *t, i=i: [y[:, i] for y in self.tensions(*t)],
                                times, self.course.kinks)                             # LI.10
            else:
                twist = here.bent(*(y[:, i] for y in T))
            (rq, rv), (lq, lv), (wr, wl) = x.rotor, x.link, x.weights
            q[:, rq] = (twist.x - wl * q[:, lq]) / wr
            v[:, rv] = (twist.rate - wl * v[:, lv]) / wr
            a[:, rv] = (twist.acceleration - wl * a[:, lv]) / wr
            out.append((x, T[0][:, i], twist))
        return out

    def smooth(self) -> str:
        """What the motors cannot follow, as a sentence; empty when they can."""
        damped = all(self.along.shaft(x.element)[1] for x in self.shafts)
        leaps = self.course.leaps(2 if damped else 3)
        if not leaps:
            return ""
        name, t, what = leaps[0]
        return (f"; the {what} of {name!r} jumps at t = {t:.6g} s"
                f"{f' (and {len(leaps) - 1} more)' if len(leaps) > 1 else ''}, where the motor "
                "would have to leap: a smoother law (ts.Septic) avoids it")


class Law:
    """The law of one shaft: tension from twist and rate, and back."""

    def __init__(self, shaft: Shaft, law, linear: bool, bound):
        self.shaft, self.law, self.linear, self.K = shaft, law, linear, Floats(bound)

    def __call__(self, x, r):
        """Tension, its slopes by twist and by rate, its curvature by twist."""
        x = np.atleast_1d(np.asarray(x, dtype=float))
        r = np.broadcast_to(np.asarray(r, dtype=float), x.shape)
        e = self.shaft.element
        m = [e.law.start(self.K, Seen(float(a), float(b)))[1] for a, b in zip(x, r, strict=True)] \
            if e.memory else np.zeros((len(x), 0))
        return self.law(x, r, m)

    def twist(self, T, r=0.0) -> np.ndarray:
        """Where the tension at the rates `r` is T."""
        T = np.atleast_1d(np.asarray(T, dtype=float))
        r = np.broadcast_to(np.asarray(r, dtype=float), T.shape)
        T0, k, *_ = self(np.zeros(len(T)), r)
        if self.linear:
            if not (k > 0).all():
                self._flat(0.0)
            return (T - T0) / k
        x = self._root(T, r)                                                          # LI.9
        ends = np.linspace(x.min(), x.max(), 257)
        slope = self(ends, 0.0)[1]
        if not (slope > 0).all():
            self._flat(ends[int(np.argmin(slope))])
        return x

    def _root(self, T, r) -> np.ndarray:
        """Newton's steps within brackets that halve where he leaves them."""
        low, high = np.zeros(len(T)), np.zeros(len(T))
        step = 1e-3
        while True:
            under, over = self(low, r)[0] > T, self(high, r)[0] < T
            if not (under | over).any():
                break
            if step > 1e6:
                raise TorseurError(f"inverse: shaft {self.shaft.element.name!r} cannot carry "
                                   f"{T[under | over][0]:.4g} N m: its law never reaches it")
            low, high, step = low - step * under, high + step * over, 2 * step
        x = (low + high) / 2
        for _ in range(100):
            found, k, *_ = self(x, r)
            low, high = np.where(found <= T, x, low), np.where(found >= T, x, high)
            with np.errstate(divide="ignore", invalid="ignore"):
                new = x + (T - found) / k
            new = np.where((new >= low) & (new <= high), new, (low + high) / 2)
            moved, x = abs(new - x), new
            if moved.max() <= 4e-16 * abs(x).max():
                break
        return x

    def _flat(self, x):
        raise TorseurError(f"inverse: the law of shaft {self.shaft.element.name!r} does not grow "
                           f"at a twist of {x:.4g} rad, so the motor's angle is open there (play "
                           "must be crossed by a leap); use a law that grows everywhere")

    def bent(self, T, dT, ddT) -> Twist:
        """Twist of a shaft without damping under a tension and its derivatives."""
        x = self.twist(T)
        _, k, _, kk = self(x, 0.0)
        rate = dT / k
        return Twist(x, rate, (ddT - kk * rate**2) / k)                               # LI.5


def elements_along(bench, times, q, v):
    """States, memory and inputs of the elements at every row, as of motions that start there."""
    n = len(times)
    z, m = bench.starting(times[0], q[0], v[0])
    M = [bench.starting(*row)[1] for row in zip(times, q, v, strict=True)] if len(m) else [m] * n
    return np.tile(z, (n, 1)), np.array(M), np.tile(bench.u, (n, 1))
