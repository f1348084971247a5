"""Elastic drives (flexible joints): motion and effort of rotors from the motion of the links.

The tension of a shaft follows from the efforts of its link, and the rotor's angle from the twist.
Both are differentiated in time (Spong 1987).  Theory: LI.5, LI.10, LI.18.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dynamics import Moment
from ...errors import TorseurError
from ...scalars import vector
from ...scalars.values import value
from .shaft_laws import ShaftLaw, ShaftTwist, integrate_twist

if TYPE_CHECKING:
    from ...system import System
    from ..operating_point import EvaluatedModel
    from .interpreted_efforts import Along
    from .trajectory import PrescribedMotion

# --------------------------------------------------------------------------------------------
# Elastic shafts of a model: which rotor drives which coordinate, one behind the other.


@dataclass(frozen=True, slots=True)
class Shaft:
    """An elastic element between a rotor and the coordinate it drives.  Indices into q and v."""

    element: Any
    index: int  # of the element
    name: str  # of the rotor
    rotor: tuple[int, int]  # its coordinate and speed
    link: tuple[int, int]
    weights: tuple[float, float]
    level: int  # 1 at a joint, 2 behind another rotor, ...


def find_shafts(system: System, given: Any, parameters: Any) -> list[Shaft]:
    """Shafts of every rotor whose motion is not given, from the joints outwards."""
    rotors = {
        k.v.start: k
        for k in system.links
        if k.auxiliary and system.coordinates[k.q.start] not in given
    }
    couplings = []
    for i, e in enumerate(system.elements):
        ends = {j: (q, value.nominal(value.exact(w), parameters)) for q, j, w in e.weights}
        if len(ends) > 1 and any(j in rotors for j in ends):
            couplings.append((i, e, ends))
    unresolved = {j for *_, ends in couplings for j in ends if j in rotors}
    result: list[Shaft] = []
    while unresolved:
        level = max((x.level for x in result), default=0) + 1
        new = []
        for i, e, ends in couplings:
            outer = [j for j in ends if j in unresolved]
            if len(ends) == 2 and len(outer) == 1:
                inner = next(j for j in ends if j != outer[0])
                new.append(
                    Shaft(
                        e,
                        i,
                        rotors[outer[0]].name,
                        (rotors[outer[0]].q.start, outer[0]),
                        (ends[inner][0], inner),
                        (ends[outer[0]][1], ends[inner][1]),
                        level,
                    )
                )
        if not new:
            names = ", ".join(repr(rotors[j].name) for j in sorted(unresolved))
            raise TorseurError(
                f"inverse: {names}: no elastic shaft between two coordinates leads "
                "there, so nothing says how they turn; give their angles"
            )
        result += new
        unresolved -= {x.rotor[1] for x in new}
    _check_shafts(system, result)
    return result


def _check_shafts(system: System, shafts: list[Shaft]):
    """Raise an error for shafts whose rotors do not follow from the motion."""
    drivers = _driven_rotors(system)
    for x in shafts:
        law = x.element.law
        if law.states or law.inputs or law.signals:
            raise TorseurError(
                f"inverse: shaft {x.element.name!r} has a {type(law).__name__} law "
                "with states or inputs of its own; a law of twist and rate is "
                "needed"
            )
        for end, role in ((x.link, "drive"), (x.rotor, "hold")):
            same = [y for y in shafts if (y.link, y.rotor)[role == "hold"] == end]
            if len(same) > 1:
                names = " and ".join(repr(y.element.name) for y in same)
                raise TorseurError(
                    f"inverse: {names} {role} one coordinate, "
                    f"{system.coordinates[end[0]]!r}: how they share its effort is "
                    "open"
                )
        outer = [y.name for y in shafts if y.link == x.rotor]
        if x.name in drivers and outer:
            raise TorseurError(
                f"inverse: {outer[0]!r} turns beyond the motor {x.name!r}, and no "
                "motion of the joint says how; add its inertia to the motor's"
            )


def _driven_rotors(system: System) -> set[str]:
    """Names of rotors that a drive or an input moves."""
    names = {f"{j.name}.{j.drive.motor}" for j in system.model.joints if j.drive is not None}
    rotors = {k.v.start: k.name for k in system.links if k.auxiliary}
    return names | {
        rotors[e.weights[0][1]]
        for e in system.elements
        if len(e.weights) == 1 and e.law.inputs and e.weights[0][1] in rotors
    }


class ElasticDrives:
    """All elastic shafts of a model along a motion."""

    def __init__(
        self,
        model: EvaluatedModel,
        efforts: Along,
        trajectory: PrescribedMotion,
        shafts: list[Shaft],
    ):
        """Check that every shaft can be followed back."""
        self.model, self.efforts, self.trajectory, self.shafts = model, efforts, trajectory, shafts
        self.laws = {x.name: ShaftLaw(efforts, x, model.parameters_by_name) for x in shafts}
        self._cache: dict = {}
        for x in shafts:
            if efforts.depends_on_speeds(
                x.link[1], [y.rotor[1] for y in shafts if y.level >= x.level]
            ):
                raise TorseurError(
                    f"inverse: the effort at {model.system.speeds[x.link[1]]!r} depends on a rotor "
                    f"otherwise than through {x.element.name!r}, so it cannot be followed back"
                )
            law = self.laws[x.name]
            if (law.is_damped or not law.is_linear) and any(y.link == x.rotor for y in shafts):
                raise TorseurError(
                    f"inverse: shaft {x.element.name!r} has another behind it, and "
                    "must be a linear spring without damping to be followed back"
                )

    def differentiate_coordinates(
        self, times: np.ndarray, level: int, orders: int
    ) -> list[np.ndarray]:
        """Coordinates and `orders` time derivatives, with the rotors of lower levels."""
        jets = self.trajectory.sample(self.model.system, times, orders)
        for x in self.shafts:
            if x.level < level:
                T = self.compute_tensions(x, times, orders)
                T0, k, *_ = self.laws[x.name](0.0, 0.0)
                for n, jet in enumerate(jets):
                    self._set_rotor(x, n, jet, (T[n] - T0 * (n == 0)) / k)
        return jets

    def _set_rotor(self, x: Shaft, order: int, jet: np.ndarray, twist: np.ndarray):
        """Write a time derivative of a rotor's angle from that of the twist."""
        (rotor, link), (w_rotor, w_link) = ((x.rotor[order > 0], x.link[order > 0]), x.weights)
        jet[:, rotor] = (twist - w_link * jet[:, link]) / w_rotor

    def compute_tensions(self, x: Shaft, times: np.ndarray, orders: int) -> list[np.ndarray]:
        """Tension of a shaft and `orders` of its time derivatives, each (rows,) (LI.5)."""
        key = (x.level, orders, times.tobytes())
        if key not in self._cache:  # shafts of one level ask for the same
            jets = self.differentiate_coordinates(times, x.level, orders + 2)
            elements = integrate_elements(self.model, times, jets[0], jets[1])
            self._cache[key] = self.efforts.differentiate_efforts(times, jets, *elements)
        needed = [y[:, x.link[1]] for y in self._cache[key]]
        for inner in self.shafts:
            if inner.rotor == x.link:
                needed = [
                    a + inner.weights[0] * b
                    for a, b in zip(
                        needed, self.compute_tensions(inner, times, orders), strict=True
                    )
                ]
        return [-y / x.weights[1] for y in needed]  # LI.5

    def solve(
        self, q: np.ndarray, v: np.ndarray, a: np.ndarray
    ) -> list[tuple[Shaft, np.ndarray, ShaftTwist]]:
        """Write the rotors' columns of q, v, a.  Return tension and twist of every shaft."""
        times, out = self.trajectory.times, []
        for x in self.shafts:
            T, law = self.compute_tensions(x, times, 2), self.laws[x.name]
            twist = (
                integrate_twist(
                    law,
                    lambda t, n, x=x: self.compute_tensions(x, t, n),
                    times,
                    self.trajectory.kinks,
                )
                if law.is_damped
                else law.differentiate_twist(*T)
            )  # LI.10
            for n, (jet, y) in enumerate(zip((q, v, a), twist, strict=True)):
                self._set_rotor(x, n, jet, y)
            out.append((x, T[0], twist))
        return out

    def note_jumps(self) -> str:
        """A sentence on derivatives of the motion that jump, which a motor cannot follow, or ""."""
        order = max(2 * x.level + (not self.laws[x.name].is_damped) for x in self.shafts)
        jumps = self.trajectory.find_jumps(order)
        if not jumps:
            return ""
        name, t, what = jumps[0]
        return (
            f"; the {what} of {name!r} jumps at t = {t:.6g} s"
            f"{f' (and {len(jumps) - 1} more)' if len(jumps) > 1 else ''}, where the motor "
            "would have to leap: a smoother law (ts.robots.Septic) avoids it"
        )


def integrate_elements(model: EvaluatedModel, times: np.ndarray, q: np.ndarray, v: np.ndarray):
    """States, memory and inputs of the elements at every row.

    Memory is that of motions that start there.  States (bristles) follow the motion from its first
    row.
    """
    n = len(times)
    z, m = model.initialize_laws(times[0], q[0], v[0])
    M = (
        [model.initialize_laws(*row)[1] for row in zip(times, q, v, strict=True)]
        if len(m)
        else [m] * n
    )
    return _integrate_states(model, times, q, v, z, m), np.array(M), np.tile(model.u, (n, 1))


def list_following_elements(system: System) -> list[str]:
    """Elements whose states follow a given motion: those without inputs."""
    return [e.name for e in system.elements if e.states and not e.law.inputs]


def _integrate_states(
    model: EvaluatedModel,
    times: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    z: np.ndarray,
    m: np.ndarray,
) -> np.ndarray:
    """States of the elements at every row, integrated along the motion (LI.18)."""
    count, s = model.system.layout.states.stop, model.system
    out = np.tile(z, (len(times), 1))
    if not list_following_elements(s) or len(times) < 2:
        return out
    from scipy.integrate import solve_ivp
    from scipy.interpolate import CubicHermiteSpline

    path = CubicHermiteSpline(times, q, np.reshape(model.quantity("rates", q, v), q.shape))
    rate, motion = path.derivative(), model.motion
    names, u = set(list_following_elements(s)), vector(model.u.tolist())

    def rates(t, states):
        q_now = path(t)
        speeds = np.atleast_1d(model.quantity("speeds_from", q_now, rate(t)))
        full = vector([*states.tolist(), *z[count:].tolist()])
        q, v = (vector(x.tolist()) for x in (q_now, speeds))
        state = Moment(float(t), q, v, full, vector(m), u)
        elements = zip(motion.elements, motion.loads(state).acting, strict=True)
        return [x if e.name in names else 0.0 for e, a in elements for x in a.zdot]

    span = (times[0], times[-1])
    solution = solve_ivp(rates, span, z[:count], "LSODA", times, rtol=1e-8, atol=1e-13)
    if not solution.success:
        raise TorseurError(
            f"inverse: the states of {', '.join(sorted(names))} cannot be followed along this "
            f"motion ({solution.message}); give it by a smooth function, or take them out"
        )
    out[:, :count] = solution.y.T
    return out
