"""Result of a static balancing: variables, efforts, reactions, stability."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...errors import TorseurError
from ...forces import Seen
from ...model import Model
from ...views import PrintedAnswer
from .bounded_minimization import CRITERION_UNITS
from .device_models import StateSamples, complete_coordinates, evaluate_efforts
from .devices.base import Device
from .devices.cam_spring import CamSpring
from .devices.parallelogram import Parallelogram, remove_couplings
from .devices.spring import BalancingSpring
from .gravity_efforts import PoseSet, independent_speed_map


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Balance(PrintedAnswer):
    """A balanced design.

    `values` are the optimal variables by name ("spring.radius").  `value` is the minimum of the
    criterion [N m, or J for the energy].  `active` are names of variables at a bound.  `model` is
    the model with its devices.  `before` and `after` are efforts of the joints over the poses (n,
    joints).
    """

    values: dict[str, float]
    value: float
    active: tuple[str, ...]
    model: Any
    criterion: str
    joints: tuple[str, ...]
    before: np.ndarray
    after: np.ndarray
    bounds: dict[str, tuple[float, float]]
    original: Any = field(repr=False)
    poses: Any = field(repr=False)
    devices: tuple[Device, ...] = field(repr=False, default=())

    def table(self) -> str:
        """Peak and RMS of each effort before and after, the variables, the added mass."""
        width = max(12, *(len(n) + 2 for n in self.joints))
        rows = [
            f"{n:<{width}}" + "".join(f"{x:>14}" for x in entries) for n, *entries in self.cells()
        ]
        return "\n".join([*rows, *self.lines()])

    def cells(self) -> list[tuple[str, ...]]:
        """Cells of the table: peak and RMS of each effort, with a header."""
        rows: list[tuple[str, ...]] = [("joint", "peak before", "after", "rms before", "after")]
        w = self.poses.weights
        for i, name in enumerate(self.joints):
            b, a = self.before[:, i], self.after[:, i]
            rms = [float(np.sqrt((w * x**2).sum())) for x in (b, a)]
            numbers = (abs(b).max(), abs(a).max(), *rms)
            rows.append((name, *(f"{x:.6g}" for x in numbers)))
        return rows

    def lines(self) -> list[str]:
        """Sentences below the table."""
        lines = []
        w = self.poses.weights[:, None]
        for name, x in self.values.items():
            lo, hi = self.bounds[name]
            stop = f", at its bound of {lo:g} to {hi:g}" if name in self.active else ""
            lines.append(f"{name} = {x:.10g}{stop}")
        criterion = (
            "energy of a cycle" if self.criterion == "energy" else f"{self.criterion} effort left"
        )
        lines.append(f"{criterion}: {self.value:.10g} {CRITERION_UNITS[self.criterion]}")
        for frame, masses in self.poses.payloads.items():
            load = self.poses.loads[:, list(self.poses.payloads).index(frame)]
            for m in masses:
                peak = abs(self.after[load == m]).max(axis=0)
                each = ", ".join(f"{j} {x:.6g}" for j, x in zip(self.joints, peak, strict=True))
                lines.append(f"with {m:g} kg at {frame}: peak {each}")
        lines.append(f"added mass: {self.added_mass:.6g} kg")
        rms_before, rms_after = (np.sqrt((w * x**2).sum(axis=0)) for x in (self.before, self.after))
        worse = [
            n
            for n, b, a in zip(self.joints, rms_before, rms_after, strict=True)
            if a > b * (1 + 1e-9)
        ]
        if worse:
            lines.append(f"{', '.join(worse)} needs more than before")
        idle = [
            n for n, b in zip(self.joints, rms_before, strict=True) if b < 1e-9 and n not in worse
        ]
        if idle:
            lines.append(f"{', '.join(idle)} carries no weight there, so nothing is to be balanced")
        return lines

    __str__ = table

    @property
    def added_mass(self) -> float:
        """Mass of the devices [kg]."""
        mass = [sum(float(b.mass) for b in m.bodies) for m in (self.model, self.original)]
        return mass[0] - mass[1]

    def efforts(
        self, over: Any = None, at: Mapping[str, float] | None = None
    ) -> dict[str, np.ndarray]:
        """Static or dynamic efforts of every joint of the balanced model over other poses."""
        poses = PoseSet(self.original, over, at) if over is not None else self.poses
        return dict(zip(self.joints, evaluate_efforts(self, self.model, poses).T, strict=True))

    def apparent_inertia(self) -> dict[str, tuple[float, float]]:
        """Largest diagonal entry of the mass matrix over the poses, before and after [kg m2]."""
        from ...kernels import compile

        independent = list(self.original.check().speeds)
        T = independent_speed_map(self.model.check(), independent)
        before = compile(self.original).mass_matrix(self.poses.q)
        after = compile(self.model).mass_matrix(
            complete_coordinates(self.model, self.original, self.poses.q)
        )
        after = T.T @ after @ T
        speed_index = {n: self.original.check().link(n).v.start for n in self.joints}
        return {
            n: (float(before[:, i, i].max()), float(after[:, i, i].max()))
            for n, i in speed_index.items()
        }

    @property
    def _states(self) -> StateSamples:
        q, v, a, loads = self.poses.samples
        return StateSamples(q, v, a, loads, self.poses.payloads)

    def reactions(self) -> dict[str, tuple[float, float]]:
        """Largest force in the bearings of each joint over the poses, before and after [N].

        The joints are followed by the pivots of parallelograms (before: 0) and their bars.  The
        result is empty for a model with loops, because a pose does not determine their reactions.
        """
        before = self.original.check()
        if before.held:
            return {}
        q, v, a, _ = self.poses.samples
        old = _bearing_forces(self.original, q, v, a)
        T = independent_speed_map(self.model.check(), list(before.speeds))
        q, v, a = complete_coordinates(self.model, self.original, q), v @ T.T, a @ T.T
        new = _bearing_forces(self.model, q, v, a)
        names: dict[str, None] = dict.fromkeys(self.joints)
        bars: dict[str, tuple[float, float]] = {}
        for d in self.devices:
            if isinstance(d, Parallelogram):
                inner, outer, _ = d.joint_pair(self.original)
                f, u = d.bar_forces(self.original, self.model, q, v, a)
                push = f.sum(axis=1)[:, None] * u  # on the crank; back on the outer link
                for n, sign in ((f"{d.name}_pivot", -1), (outer.name, 1), (inner.name, 1)):
                    new[n] = new[n] + sign * push
                    names[n] = None
                bars |= {f"{d.name}_bar{i + 1}": (0.0, float(abs(f[:, i]).max())) for i in (0, 1)}
        return {n: (_largest_force(old, n), _largest_force(new, n)) for n in names} | bars

    def springs(self) -> dict[str, dict[str, float]]:
        """`least length`, `greatest length` and `stroke` [m], and greatest `force` [N] of each
        spring.
        """
        from ...kernels import compile
        from ...scalars import Floats

        dyn = compile(self.model)
        q = complete_coordinates(self.model, self.original, self.poses.q)
        names = {d.name for d in self.devices if isinstance(d, BalancingSpring)}
        out = {}
        for f in self.model.forces:
            if f.name not in names:
                continue
            a, b = (_endpoint_positions(dyn, end, q) for end in (f.a, f.b))
            length = np.linalg.norm(b - a, axis=1)
            K = Floats()
            force = []
            for x in length:
                line_state = Seen(float(x), 0.0)
                _, m = f.law.start(K, line_state)
                force.append(float(f.law.force(K, line_state._replace(m=m))))
            out[f.name] = {
                "least length": float(length.min()),
                "greatest length": float(length.max()),
                "stroke": float(np.ptp(length)),
                "force": float(np.abs(force).max()),
            }
        return out

    def stability(self) -> dict[str, float]:
        """Least stiffness of each joint over the poses [N m/rad]: derivative of its effort.

        A negative value means that the joint is unstable without its motor.
        """
        h = 1e-5
        out = {}
        for i, name in enumerate(self.joints):
            k = self.original.check().link(name).q.start
            both = []
            for s in (h, -h):
                q = self.poses.q.copy()
                q[:, k] += s
                shifted = replace(self._states, q=q)
                both.append(evaluate_efforts(self, self.model, shifted)[:, i])
            out[name] = float(((both[0] - both[1]) / (2 * h)).min())
        return out

    def least_stiffness(self) -> float:
        """Least eigenvalue of the joint stiffness matrix over the poses [N m/rad].

        A negative value means that some combined motion is unstable without motors.
        """
        h = 1e-5
        s = self.original.check()
        columns = []
        for name in self.joints:
            k = s.link(name).q.start
            both = []
            for sign in (h, -h):
                q = self.poses.q.copy()
                q[:, k] += sign
                both.append(evaluate_efforts(self, self.model, replace(self._states, q=q)))
            columns.append((both[0] - both[1]) / (2 * h))
        K = np.stack(columns, axis=2)
        return float(np.linalg.eigvalsh((K + np.swapaxes(K, 1, 2)) / 2).min())

    def cam(self, name: str | None = None, count: int = 361, **options: Any):
        """The cam of a `CamSpring` over the poses, with the options of `ts.robots.design_cam`.

        Its angle is the angle of the device minus its phase.

        >>> import torseur as ts
        >>> arm = ts.Model(bodies=(ts.Body("arm", 8.0, (0.4, 0, 0)),),
        ...     joints=(ts.Joint("pin", "world", "arm", ts.Revolute((0, -1, 0))),))
        >>> done = ts.robots.balance(arm, [ts.robots.CamSpring("cam", "pin")],
        ...     over={"pin.angle": [0.0, 0.7, 1.4]}, bounds={"cam.amplitude": (0, 100)})
        >>> float(done.cam().moment[0].round(6))
        31.392
        """
        from .cam_profile import design_cam

        cam_springs = {d.name: d for d in self.devices if isinstance(d, CamSpring)}
        if name is None and len(cam_springs) == 1:
            name = next(iter(cam_springs))
        if name not in cam_springs:
            raise TorseurError(
                "balance: none of the devices is a cam; use ts.robots.CamSpring"
                if not cam_springs
                else f"balance: which cam? There are {', '.join(cam_springs)}"
            )
        d, s = cam_springs[name], self.original.check()
        link = s.link(d.joint)
        weights = dict(d.angles or {s.coordinates[link.q.start]: 1})
        angle: Any = sum(
            float(w) * self.poses.q[:, s.coordinates.index(n)] for n, w in weights.items()
        )
        angle = angle - d.phase_angle(self.original)
        if not np.ptp(angle) > 0:
            raise TorseurError(f"balance: the poses do not turn the cam {name!r}; give over= more")
        W = float(d.variable_value(self.values, "amplitude"))
        grid = np.linspace(angle.min(), angle.max(), count)
        return design_cam(W, grid, stiffness=d.stiffness, deflection=d.deflection, **options)

    def report(self, path: str | os.PathLike[str], front: np.ndarray | None = None) -> None:
        """Write an HTML page: table, efforts, reactions, apparent inertia, springs, stability.

        `front` are the points of `ts.robots.pareto`, if they shall be drawn.
        """
        from ..report import write_balance_page

        write_balance_page(self, path, front)


def _largest_force(forces: Mapping[str, np.ndarray], name: str) -> float:
    return float(np.linalg.norm(forces[name], axis=1).max()) if name in forces else 0.0


def _bearing_forces(
    model: Model, q: np.ndarray, v: np.ndarray, a: np.ndarray
) -> dict[str, np.ndarray]:
    """Force (n, 3) [N] of every joint on its child, in the world, by name.

    Couplings are efforts about axes and add no force.
    """
    from ...kernels import compile

    s = remove_couplings(model).check()
    dyn = compile(s)
    F = dyn.reactions(q, v, a)[..., 3:]
    frames = s.floats({}).places
    out = {}
    for k in s.links:
        R = np.array(frames[k.body].X_LB.inverse().R, float)  # of the joint's frame in the body's
        out[k.name] = np.einsum("nij,nj->ni", dyn.pose(k.body, q)[:, :3, :3] @ R, F[:, k.index - 1])
    return out


def _endpoint_positions(dyn: Any, end: Any, q: np.ndarray):
    """Positions (n, 3) [m] of an end of a spring in the world."""
    body, point = end if isinstance(end, tuple) else (end, (0.0, 0.0, 0.0))
    p = np.array([float(x) for x in point])
    if body == "world":
        return np.tile(p, (len(q), 1))
    T = dyn.pose(body, q)
    return T[:, :3, :3] @ p + T[:, :3, 3]


__all__ = ["Balance"]
