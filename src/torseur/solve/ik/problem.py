"""What inverse kinematics is asked, checked: poses, coordinates that may move, limits, size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import ArgumentError, TorseurError, shown, system_of, unknown_name
from ...scalars import arguments as asked
from ...scalars.values import value
from .. import arguments
from .closed_form import Family, closed_form
from .damped_least_squares import Task
from .general_six_axis import general
from .product_of_exponentials import JointScrew

if TYPE_CHECKING:
    from ...system import System


FOUND = 1e-9  # what may be left of a pose: rad, and share of the chain's size


SAME = 1e-6  # solutions nearer than this are one [rad, or share of the size]


class PoseProblem:
    """What is asked, checked: poses, coordinates that may move, limits, size of the chain."""

    def __init__(self, model, frame, pose, task, near, hold):
        from ...kernels import compile

        s = self.system = system_of(model, "inverse_kinematics")
        if not isinstance(frame, str) or frame not in s.places:
            raise TorseurError(unknown_name("body or frame", frame, s.places, "inverse_kinematics"))
        self.frame, self.dyn = frame, compile(s)
        self.target, self.single, told = _poses(pose)
        hold = asked.mapping("inverse_kinematics", "hold", hold or {}, "{'joint3.angle': 0.2}")
        s.alone("inverse_kinematics")
        if near is not None:
            near = asked.mapping("inverse_kinematics", "near", near, "{'joint1.angle': 0.2}")
        self.rest = s.state({**dict(near or {}), **hold})[0]
        self.near = self.rest if near is not None else None
        self.low, self.high = coordinate_limits(s)
        self.closed = tied(s, frame)
        if s.held and not self.closed:  # loops beside the chain: their joints fit each other
            self.rest = self._fitting({**dict(near or {}), **hold})
            self.near = self.rest if near is not None else None
        if fast := [n for n in hold if n in s.speeds and n not in s.coordinates]:
            raise ArgumentError(
                f"inverse_kinematics: hold: {fast[0]!r} is a speed; hold coordinates: "
                f"{', '.join(s.coordinates)}"
            )
        self.free = self._free(hold)
        self.plain = s.nq == s.nv and all(k.joint.holonomic for k in s.links)
        self.scale = self._size()
        self.kind, self.oriented = self._task(task, told), told == "pose"
        self.spare = len(self.free) - self._rank()
        self.names = tuple(s.coordinates)
        self.rotors = self._rotors({*(near or {}), *hold})
        if self.kind == "pose" and told == "position":
            raise ArgumentError("inverse_kinematics: task='pose' needs a 4 x 4 matrix, got a point")

    def _free(self, hold):
        """Speeds that move the frame (all, in a mechanism with loops) and are not held."""
        s = self.system
        held = {
            i
            for k in s.links
            for i, (n, _) in zip(range(k.v.start, k.v.stop), k.joint.coordinates, strict=False)
            if f"{k.name}.{n}" in hold
        }
        if self.closed:
            moves = np.ones(s.nv, bool)
        else:
            q = s.neutral()
            some = self.dyn.integrate(q, np.random.default_rng(1).uniform(-1, 1, (3, s.nv)))
            moves = abs(self.dyn.jacobian(self.frame, some)).max(axis=(0, 1)) > 1e-12
        free = np.array([i for i in range(s.nv) if moves[i] and i not in held], int)
        if not len(free):
            why = "all joints that move it are held" if moves.any() else "no joint moves it"
            raise TorseurError(f"inverse_kinematics: {self.frame!r} cannot move: {why}")
        return free

    def _rotors(self, given) -> list[tuple[int, int]]:
        """Coordinates of rotors behind elastic shafts and of the joints that they drive."""
        own = {k.name: k.q.start for k in self.system.links if not k.auxiliary}
        return [
            (k.q.start, own[joint])
            for k in self.system.links
            if k.auxiliary
            and (joint := k.name.rpartition(".")[0]) in own
            and self.system.coordinates[k.q.start] not in given
        ]

    def _fitting(self, given):
        """Coordinates that fit the loops beside the chain, within limits where they can."""
        from ..constraint_system import assemble

        s = self.system
        q = assemble(s, given).q
        if (q >= self.low - 1e-9).all() and (q <= self.high + 1e-9).all():
            return q
        slots = [i for e in s.held for k in e.links for i in range(*s.links[k - 1].q.indices(s.nq))]
        middle = {
            s.coordinates[i]: float(self.low[i] + self.high[i]) / 2
            for i in slots
            if np.isfinite(self.low[i] + self.high[i]) and s.coordinates[i] not in given
        }
        return assemble(s, {**middle, **given}, keep=tuple(given)).q

    def unwound(self, q):
        """Coordinates with those beside the chain as at rest, and no shaft twisted."""
        if self.plain and not self.closed:
            beside = np.setdiff1d(np.arange(self.system.nq), self.free)
            q[..., beside] = np.where(np.isnan(q[..., beside]), np.nan, self.rest[beside])
        for rotor, joint in self.rotors:
            q[..., rotor] = q[..., joint]
        return q

    def _size(self):
        """A length of the chain [m]: from each axis to the next."""
        J = self.dyn.jacobian(self.frame, self.rest)
        points = [self.dyn.pose(self.frame, self.rest)[:3, 3]]
        o = points[0]
        for i in self.free:
            w, v = J[:3, i], J[3:, i]
            if w @ w > 1e-12:
                points.append(o + np.cross(w, v) / (w @ w))
        P = np.array(points)
        span = np.linalg.norm(P.max(axis=0) - P.min(axis=0))
        return float(span) if span > 1e-9 else 1.0

    def _task(self, task, given):
        if task not in ("auto", "pose", "position"):
            raise ArgumentError(
                f"inverse_kinematics: task={task!r}: expected 'pose', 'position' or 'auto'"
            )
        if task != "auto" or given == "position":
            return "position" if given == "position" and task == "auto" else task
        if self.closed or len(self.free) > 3:
            return "pose"
        some = self.rest + np.random.default_rng(2).uniform(-1, 1, (5, self.system.nq)) * (
            self.plain
        )
        J = self.dyn.jacobian(self.frame, some)[..., 3:, self.free]
        J = J / self.scale
        rank = int((np.linalg.svd(J, compute_uv=False) > 1e-6).sum(axis=-1).max())
        return "position" if rank == len(self.free) else "pose"

    def _rank(self) -> int:
        """How many freedoms of the frame the task takes: three of a plane, six in space."""
        if self.closed or not self.plain:
            return min(len(self.free), 6 if self.kind == "pose" else 3)
        q = np.tile(self.rest, (5, 1))
        q[:, self.free] += np.random.default_rng(4).uniform(-1, 1, (5, len(self.free)))
        s = np.linalg.svd(self.task().jacobian(q), compute_uv=False)
        return int((s > 1e-6).sum(axis=-1).max())

    def wish(self, prefer):
        """What the free motion of a redundant arm is for: coordinates and their values."""
        self.prefer = None
        if prefer:
            prefer = asked.mapping("inverse_kinematics", "prefer", prefer, "{'joint3.angle': 0.2}")
            wanted = self.system.state(prefer)[0]  # tells wrong names and values
            if self.spare <= 0 or not self.plain or self.closed:
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
            self.prefer = at, wanted[at]

    def chain(self):
        """The joints as screws at zero, the frame's place there; None if they are not screws."""
        if not self.plain or self.closed:
            return None
        zero = self.rest.copy()
        zero[self.free] = 0
        J, home = self.dyn.jacobian(self.frame, zero), self.dyn.pose(self.frame, zero)
        o, screws = home[:3, 3], []
        for i in self.free:
            w, v = J[:3, i], J[3:, i]
            turns = float(w @ w) > 1e-18
            if turns and abs(w @ v) > 1e-12 * self.scale:  # a helical joint
                return None
            axis = (w if turns else v) / np.linalg.norm(w if turns else v)
            screws.append(JointScrew(axis, o + np.cross(w, v) if turns else o, turns))
        some = np.random.default_rng(3).uniform(-1, 1, len(screws))
        T = np.eye(4)
        for s, x in zip(screws, some, strict=True):
            T = T @ s.motion(x)
        q = zero.copy()
        q[self.free] = some
        if abs(T @ home - self.dyn.pose(self.frame, q)).max() > 1e-9 * max(1, self.scale):
            return None  # not a product of screws
        return screws, home

    def family(self) -> Family | None:
        chain = self.chain()
        if chain is None:
            return None
        screws, home = chain
        family = closed_form(screws, home[:3, 3], self.kind, self.scale)
        if family is None and self.kind == "pose":
            family = general(screws, self.scale)
        if family is not None:
            self.home = home
        return family

    def task(self) -> Task:
        return Task(self.dyn, self.frame, self.kind, self.scale, self.free, self.closed)

    def names_of(self, which):
        return ", ".join(self.names[i] for i in which)


def no_motion(T: np.ndarray) -> str:
    """What is wrong with 4 x 4 matrices as poses, "" where nothing is."""
    if not np.isfinite(T).all():
        return "not all of its numbers are finite"
    R, last = T[:, :3, :3], abs(T[:, 3] - [0, 0, 0, 1]).max(initial=0.0)
    if last > 1e-9:
        column = int(abs(T[:, :, 3] - [0, 0, 0, 1]).max(initial=0.0) <= 1e-9)
        return "its last row is not 0, 0, 0, 1" + " (its last column is: transpose it)" * column
    if (off := abs(R @ np.swapaxes(R, 1, 2) - np.eye(3)).max(initial=0.0)) > 1e-6:
        return f"its upper left 3 x 3 is off a rotation by {off:.3g}"
    return "it is a reflection, of left-handed axes" if (np.linalg.det(R) < 0).any() else ""


def _poses(pose):
    try:
        x = np.asarray(arguments.spoken(pose, "m", "inverse_kinematics: pose"), dtype=float)
    except (TypeError, ValueError, OverflowError):
        x = np.zeros(())
    if x.shape[-2:] == (4, 4):
        T, given = x.reshape(-1, 4, 4), "pose"
        if told := no_motion(T):
            raise ArgumentError(
                f"inverse_kinematics: the pose is not a rigid motion: {told}; give a homogeneous "
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
    """Whether loops or constraints hold any joint that moves a frame."""
    chain, link = set(), system.places[frame].link
    while link:
        chain.add(link)
        link = system.links[link - 1].parent
    return any(chain & {*e.links} for e in system.held)


def coordinate_limits(system: System) -> tuple[np.ndarray, np.ndarray]:
    """Limits of every coordinate [rad, m], infinite where there are none; two of (nq,).

    >>> import torseur as ts
    >>> rod = ts.Body("rod", 1, (1, 0, 0))
    >>> arm = ts.Model(bodies=(rod,), joints=(
    ...     ts.Joint("j", "world", "rod", ts.Revolute("z"), limits=("-pi/2", 1.0)),))
    >>> coordinate_limits(arm.check())[0].round(4)
    array([-1.5708])
    """
    low, high = np.full(system.nq, -np.inf), np.full(system.nq, np.inf)
    own = {j.name: j.bounds for j in system.model.joints if j.bounds is not None}
    known = {n: x for n, x in system.parameters.items() if x is not None}
    for k in system.links:
        given = own.get(k.name)
        if given is None:
            continue
        flat = np.asarray(given, dtype=object).ravel()
        ends = [np.nan if x is None else value.nominal(value.exact(x), known) for x in flat]
        pairs = np.array(ends, float).reshape(-1, 2)
        if len(pairs) == k.q.stop - k.q.start:
            low[k.q] = np.where(np.isnan(pairs[:, 0]), -np.inf, pairs[:, 0])
            high[k.q] = np.where(np.isnan(pairs[:, 1]), np.inf, pairs[:, 1])
    return low, high


def turning_angles(p):
    units = {x.name: x.unit for x in p.system.ports if x.place == "q"}
    return (
        np.array([i for i in p.free if units[p.names[i]] == "rad"], int)
        if p.plain
        else (np.zeros(0, int))
    )


def into_limits(p, q, turning):
    """Angles shifted by whole turns into their limits, then towards `near` as limits allow."""
    for i in turning:
        lo, hi = p.low[i], p.high[i]
        if np.isfinite(lo) or np.isfinite(hi):
            x = q[..., i]
            up = lo + (x - lo) % (2 * np.pi) if np.isfinite(lo) else hi - (hi - x) % (2 * np.pi)
            q[..., i] = np.where((x < lo) | (x > hi), np.where(up <= hi, up, x), x)
        if p.near is not None:
            turns = np.round((p.near[i] - q[..., i]) / (2 * np.pi))
            with np.errstate(invalid="ignore"):
                least = np.ceil((lo - 1e-9 - q[..., i]) / (2 * np.pi))
                most = np.floor((hi + 1e-9 - q[..., i]) / (2 * np.pi))
            there = q[..., i] + 2 * np.pi * np.clip(turns, least, np.maximum(least, most))
            q[..., i] = np.where((there >= lo - 1e-9) & (there <= hi + 1e-9), there, q[..., i])
    return q


def one_turn(p, q):
    """Angles from above -pi to pi, then by whole turns into their limits and towards `near`."""
    turning = turning_angles(p)
    q[..., turning] = (q[..., turning] + np.pi) % (2 * np.pi) - np.pi
    q[..., turning] = np.where(abs(q[..., turning] + np.pi) < 1e-12, np.pi, q[..., turning])
    return into_limits(p, q, turning)


def apart(p, a, b) -> np.ndarray:
    """How far coordinates are apart, whole turns aside [rad, or share of the size]."""
    gap = abs(a - b)[..., p.free]
    around = np.isin(p.free, turning_angles(p))
    gap = np.where(around, np.minimum(gap % (2 * np.pi), -gap % (2 * np.pi)), gap / p.scale)
    return np.asarray(gap.max(axis=-1))


def inside(p, q) -> np.ndarray:
    slack = 1e-9
    return np.asarray(((q >= p.low - slack) & (q <= p.high + slack)).all(axis=-1))


__all__ = [
    "FOUND",
    "SAME",
    "PoseProblem",
    "apart",
    "coordinate_limits",
    "inside",
    "into_limits",
    "no_motion",
    "one_turn",
    "tied",
    "turning_angles",
]
