"""Checked arguments of inverse kinematics: poses, movable coordinates, limits, chain size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ArgumentError, TorseurError, as_system, shown, unknown_name_message
from ...scalars import arguments as asked
from ...scalars.values import value
from .. import arguments
from .closed_form import ClosedForm, find_family
from .damped_least_squares import PoseTask
from .general_six_axis import find_general_family
from .product_of_exponentials import JointScrew

if TYPE_CHECKING:
    from ...system import System


POSE_TOLERANCE = 1e-9  # what may be left of a pose: rad, and share of the chain's size


SOLUTION_DISTANCE = 1e-6  # solutions nearer than this are one [rad, or share of the size]


class PoseProblem:
    """Checked arguments of inverse kinematics, and properties of the chain."""

    def __init__(self, model: Any, frame: Any, pose: Any, task: Any, near: Any, hold: Any):
        """Check the arguments, and measure the chain."""
        from ...kernels import compile

        s = self.system = as_system(model, "inverse_kinematics")
        if not isinstance(frame, str) or frame not in s.places:
            raise TorseurError(
                unknown_name_message("body or frame", frame, s.places, "inverse_kinematics")
            )
        self.frame, self.dyn = frame, compile(s)
        self.target, self.is_single, told = _read_poses(pose)
        hold = asked.mapping("inverse_kinematics", "hold", hold or {}, "{'joint3.angle': 0.2}")
        s.alone("inverse_kinematics")
        if near is not None:
            near = asked.mapping("inverse_kinematics", "near", near, "{'joint1.angle': 0.2}")
        self.initial_q = s.state({**dict(near or {}), **hold})[0]
        self.near = self.initial_q if near is not None else None
        self.low, self.high = coordinate_limits(s)
        self.has_loops = tied(s, frame)
        if s.held and not self.has_loops:  # loops beside the chain: their joints fit each other
            self.initial_q = self._assemble_neighbors({**dict(near or {}), **hold})
            self.near = self.initial_q if near is not None else None
        if fast := [n for n in hold if n in s.speeds and n not in s.coordinates]:
            raise ArgumentError(
                f"inverse_kinematics: hold: {fast[0]!r} is a speed; hold coordinates: "
                f"{', '.join(s.coordinates)}"
            )
        self.free = self._moving_speeds(hold)
        self.is_chain = s.nq == s.nv and all(k.joint.holonomic for k in s.links)
        self.scale = self._chain_size()
        self.kind, self.has_orientation = self._choose_task(task, told), told == "pose"
        self.redundancy = len(self.free) - self._task_rank()
        self.names = tuple(s.coordinates)
        self.rotors = self._rotor_coordinates({*(near or {}), *hold})
        if self.kind == "pose" and told == "position":
            raise ArgumentError("inverse_kinematics: task='pose' needs a 4 x 4 matrix, got a point")

    def _moving_speeds(self, hold: Any):
        """Speeds that move the frame (all, in a mechanism with loops) and are not on hold."""
        s = self.system
        held = {
            i
            for k in s.links
            for i, (n, _) in zip(range(k.v.start, k.v.stop), k.joint.coordinates, strict=False)
            if f"{k.name}.{n}" in hold
        }
        if self.has_loops:
            moves = np.ones(s.nv, bool)
        else:
            q = s.neutral()
            samples = self.dyn.integrate(q, np.random.default_rng(1).uniform(-1, 1, (3, s.nv)))
            moves = abs(self.dyn.jacobian(self.frame, samples)).max(axis=(0, 1)) > 1e-12
        free = np.array([i for i in range(s.nv) if moves[i] and i not in held], int)
        if not len(free):
            why = "all joints that move it are held" if moves.any() else "no joint moves it"
            raise TorseurError(f"inverse_kinematics: {self.frame!r} cannot move: {why}")
        return free

    def _rotor_coordinates(self, given: Any) -> list[tuple[int, int]]:
        """Coordinates of rotors behind elastic shafts, and of the joints that they drive."""
        joints = {k.name: k.q.start for k in self.system.links if not k.auxiliary}
        return [
            (k.q.start, joints[joint])
            for k in self.system.links
            if k.auxiliary
            and (joint := k.name.rpartition(".")[0]) in joints
            and self.system.coordinates[k.q.start] not in given
        ]

    def _assemble_neighbors(self, given: Any):
        """Coordinates with assembled loops beside the chain, within limits where possible."""
        from ..constraint_system import assemble

        s = self.system
        q = assemble(s, given).q
        if (q >= self.low - 1e-9).all() and (q <= self.high + 1e-9).all():
            return q
        slots = [i for e in s.held for k in e.links for i in range(*s.links[k - 1].q.indices(s.nq))]
        centers = {
            s.coordinates[i]: float(self.low[i] + self.high[i]) / 2
            for i in slots
            if np.isfinite(self.low[i] + self.high[i]) and s.coordinates[i] not in given
        }
        return assemble(s, {**centers, **given}, keep=tuple(given)).q

    def reset_other_coordinates(self, q: np.ndarray):
        """Other coordinates as at the start, and rotors without twist of their shafts."""
        if self.is_chain and not self.has_loops:
            others = np.setdiff1d(np.arange(self.system.nq), self.free)
            q[..., others] = np.where(np.isnan(q[..., others]), np.nan, self.initial_q[others])
        for rotor, joint in self.rotors:
            q[..., rotor] = q[..., joint]
        return q

    def _chain_size(self):
        """Size of the chain [m], from its axes and the frame."""
        J = self.dyn.jacobian(self.frame, self.initial_q)
        points = [self.dyn.pose(self.frame, self.initial_q)[:3, 3]]
        o = points[0]
        for i in self.free:
            w, v = J[:3, i], J[3:, i]
            if w @ w > 1e-12:
                points.append(o + np.cross(w, v) / (w @ w))
        P = np.array(points)
        span = np.linalg.norm(P.max(axis=0) - P.min(axis=0))
        return float(span) if span > 1e-9 else 1.0

    def _choose_task(self, task: Any, given: Any):
        """ "pose" or "position", by the argument, the target and the mobility of the frame."""
        if task not in ("auto", "pose", "position"):
            raise ArgumentError(
                f"inverse_kinematics: task={task!r}: expected 'pose', 'position' or 'auto'"
            )
        if task != "auto" or given == "position":
            return "position" if given == "position" and task == "auto" else task
        if self.has_loops or len(self.free) > 3:
            return "pose"
        samples = self.initial_q + np.random.default_rng(2).uniform(-1, 1, (5, self.system.nq)) * (
            self.is_chain
        )
        J = self.dyn.jacobian(self.frame, samples)[..., 3:, self.free]
        J = J / self.scale
        rank = int((np.linalg.svd(J, compute_uv=False) > 1e-6).sum(axis=-1).max())
        return "position" if rank == len(self.free) else "pose"

    def _task_rank(self) -> int:
        """Number of freedoms of the frame in the task: three in a plane, six in space."""
        if self.has_loops or not self.is_chain:
            return min(len(self.free), 6 if self.kind == "pose" else 3)
        q = np.tile(self.initial_q, (5, 1))
        q[:, self.free] += np.random.default_rng(4).uniform(-1, 1, (5, len(self.free)))
        s = np.linalg.svd(self.create_task().jacobian(q), compute_uv=False)
        return int((s > 1e-6).sum(axis=-1).max())

    def set_preference(self, prefer: Any):
        """Set the coordinates and values to which the self-motion of a redundant arm moves."""
        self.prefer = None
        if prefer:
            prefer = asked.mapping("inverse_kinematics", "prefer", prefer, "{'joint3.angle': 0.2}")
            q_preferred = self.system.state(prefer)[0]  # tells wrong names and values
            if self.redundancy <= 0 or not self.is_chain or self.has_loops:
                raise TorseurError(
                    f"inverse_kinematics: prefer= is for redundant arms, but the "
                    f"{len(self.free)} joints that move {self.frame!r} have no free "
                    "motion left; use near= to choose among the solutions"
                )
            if fast := [n for n in prefer if n not in self.names]:
                raise ArgumentError(
                    f"inverse_kinematics: prefer: {fast[0]!r} is a speed; prefer coordinates: "
                    f"{', '.join(self.names)}"
                )
            at = np.array([self.names.index(n) for n in prefer], int)
            self.prefer = at, q_preferred[at]

    def build_screws(self):
        """Joint screws at zero and the frame's pose there (product of exponentials), or None."""
        if not self.is_chain or self.has_loops:
            return None
        zero = self.initial_q.copy()
        zero[self.free] = 0
        J, home = self.dyn.jacobian(self.frame, zero), self.dyn.pose(self.frame, zero)
        o, screws = home[:3, 3], []
        for i in self.free:
            w, v = J[:3, i], J[3:, i]
            is_revolute = float(w @ w) > 1e-18
            if is_revolute and abs(w @ v) > 1e-12 * self.scale:  # a helical joint
                return None
            axis = (w if is_revolute else v) / np.linalg.norm(w if is_revolute else v)
            screws.append(JointScrew(axis, o + np.cross(w, v) if is_revolute else o, is_revolute))
        sample = np.random.default_rng(3).uniform(-1, 1, len(screws))
        T = np.eye(4)
        for s, x in zip(screws, sample, strict=True):
            T = T @ s.exponential(x)
        q = zero.copy()
        q[self.free] = sample
        if abs(T @ home - self.dyn.pose(self.frame, q)).max() > 1e-9 * max(1, self.scale):
            return None  # not a product of screws
        return screws, home

    def find_closed_form(self) -> ClosedForm | None:
        """The closed form of the chain, or None."""
        chain = self.build_screws()
        if chain is None:
            return None
        screws, home = chain
        family = find_family(screws, home[:3, 3], self.kind, self.scale)
        if family is None and self.kind == "pose":
            family = find_general_family(screws, self.scale)
        if family is not None:
            self.zero_pose = home
        return family

    def create_task(self) -> PoseTask:
        return PoseTask(self.dyn, self.frame, self.kind, self.scale, self.free, self.has_loops)

    def join_names(self, which: Any):
        return ", ".join(self.names[i] for i in which)


def no_motion(T: np.ndarray) -> str:
    """Why 4 x 4 matrices are no poses, or ""."""
    if not np.isfinite(T).all():
        return "not all of its numbers are finite"
    R, last = T[:, :3, :3], abs(T[:, 3] - [0, 0, 0, 1]).max(initial=0.0)
    if last > 1e-9:
        column = int(abs(T[:, :, 3] - [0, 0, 0, 1]).max(initial=0.0) <= 1e-9)
        return "its last row is not 0, 0, 0, 1" + " (its last column is: transpose it)" * column
    if (off := abs(R @ np.swapaxes(R, 1, 2) - np.eye(3)).max(initial=0.0)) > 1e-6:
        return f"its upper left 3 x 3 is off a rotation by {off:.3g}"
    return "it is a reflection, of left-handed axes" if (np.linalg.det(R) < 0).any() else ""


def _read_poses(pose: Any):
    """Target poses (n, 4, 4), whether there is one only, and "pose" or "position"."""
    try:
        x = np.asarray(arguments.spoken(pose, "m", "inverse_kinematics: pose"), dtype=float)
    except (TypeError, ValueError, OverflowError):
        x = np.zeros(())
    if x.shape[-2:] == (4, 4):
        T, given = x.reshape(-1, 4, 4), "pose"
        if fault := no_motion(T):
            raise ArgumentError(
                f"inverse_kinematics: the pose is not a rigid motion: {fault}; give a homogeneous "
                "matrix of the frame in the world"
            )
        return T, x.ndim == 2, given
    if x.shape[-1:] == (3,) and np.isfinite(x).all():
        T = np.tile(np.eye(4), (x.size // 3, 1, 1))
        T[:, :3, 3] = x.reshape(-1, 3)
        return T, x.ndim == 1, "position"
    raise ArgumentError(
        f"inverse_kinematics: pose={shown(pose)}: expected a 4 x 4 homogeneous "
        "matrix, or a point (x, y, z) [m]"
    )


def tied(system: System, frame: str) -> bool:
    """Whether loops or constraints restrict any joint that moves a frame."""
    chain, link = set(), system.places[frame].link
    while link:
        chain.add(link)
        link = system.links[link - 1].parent
    return any(chain & {*e.links} for e in system.held)


def coordinate_limits(system: System) -> tuple[np.ndarray, np.ndarray]:
    """Limits of every coordinate [rad, m], infinite where there are none.  Two arrays (nq,).

    >>> import torseur as ts
    >>> rod = ts.Body("rod", 1, (1, 0, 0))
    >>> arm = ts.Model(bodies=(rod,), joints=(
    ...     ts.Joint("j", "world", "rod", ts.Revolute("z"), limits=("-pi/2", 1.0)),))
    >>> coordinate_limits(arm.check())[0].round(4)
    array([-1.5708])
    """
    low, high = np.full(system.nq, -np.inf), np.full(system.nq, np.inf)
    limits = {j.name: j.bounds for j in system.model.joints if j.bounds is not None}
    parameters = {n: x for n, x in system.parameters.items() if x is not None}
    for k in system.links:
        joint_limits = limits.get(k.name)
        if joint_limits is None:
            continue
        numbers = np.asarray(joint_limits, dtype=object).ravel()
        values = [
            np.nan if x is None else value.nominal(value.exact(x), parameters) for x in numbers
        ]
        pairs = np.array(values, float).reshape(-1, 2)
        if len(pairs) == k.q.stop - k.q.start:
            low[k.q] = np.where(np.isnan(pairs[:, 0]), -np.inf, pairs[:, 0])
            high[k.q] = np.where(np.isnan(pairs[:, 1]), np.inf, pairs[:, 1])
    return low, high


def list_angles(p: PoseProblem):
    """Slots of the angles among the movable coordinates of a chain."""
    units = {x.name: x.unit for x in p.system.ports if x.place == "q"}
    return (
        np.array([i for i in p.free if units[p.names[i]] == "rad"], int)
        if p.is_chain
        else (np.zeros(0, int))
    )


def shift_into_limits(p: PoseProblem, q: np.ndarray, angles: np.ndarray):
    """Angles shifted by full turns into their limits, then towards `near` as limits allow."""
    for i in angles:
        lo, hi = p.low[i], p.high[i]
        if np.isfinite(lo) or np.isfinite(hi):
            x = q[..., i]
            candidate = (
                lo + (x - lo) % (2 * np.pi) if np.isfinite(lo) else hi - (hi - x) % (2 * np.pi)
            )
            q[..., i] = np.where((x < lo) | (x > hi), np.where(candidate <= hi, candidate, x), x)
        if p.near is not None:
            turns = np.round((p.near[i] - q[..., i]) / (2 * np.pi))
            with np.errstate(invalid="ignore"):
                min_turns = np.ceil((lo - 1e-9 - q[..., i]) / (2 * np.pi))
                max_turns = np.floor((hi + 1e-9 - q[..., i]) / (2 * np.pi))
            shifted = q[..., i] + 2 * np.pi * np.clip(
                turns, min_turns, np.maximum(min_turns, max_turns)
            )
            q[..., i] = np.where(
                (shifted >= lo - 1e-9) & (shifted <= hi + 1e-9), shifted, q[..., i]
            )
    return q


def normalize_angles(p: PoseProblem, q: np.ndarray):
    """Angles in (-pi, pi], then shifted by full turns into their limits and towards `near`."""
    angles = list_angles(p)
    q[..., angles] = (q[..., angles] + np.pi) % (2 * np.pi) - np.pi
    q[..., angles] = np.where(abs(q[..., angles] + np.pi) < 1e-12, np.pi, q[..., angles])
    return shift_into_limits(p, q, angles)


def coordinate_distance(p: PoseProblem, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Distance of coordinates without full turns [rad, or share of the size]."""
    gap = abs(a - b)[..., p.free]
    around = np.isin(p.free, list_angles(p))
    gap = np.where(around, np.minimum(gap % (2 * np.pi), -gap % (2 * np.pi)), gap / p.scale)
    return np.asarray(gap.max(axis=-1))


def is_within_limits(p: PoseProblem, q: np.ndarray) -> np.ndarray:
    """Whether all coordinates are within their limits."""
    slack = 1e-9
    return np.asarray(((q >= p.low - slack) & (q <= p.high + slack)).all(axis=-1))


__all__ = [
    "POSE_TOLERANCE",
    "SOLUTION_DISTANCE",
    "PoseProblem",
    "coordinate_distance",
    "coordinate_limits",
    "is_within_limits",
    "list_angles",
    "no_motion",
    "normalize_angles",
    "shift_into_limits",
    "tied",
]
