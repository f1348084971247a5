"""Where the joints must be for a frame to be at a wanted pose: every way, or one way a pose.

Theory: IK.1 to IK.12.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ArgumentError, TorseurError, shown, system_of, unknown_name
from ..numbers import values
from .ik_closed import Family, closed_form
from .ik_numeric import Task, descend, drift, moving, polish, search, starts
from .ik_screws import Screw, inverted

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ..model import Model
    from ..system import System

FOUND = 1e-9  # what may be left of a pose: rad, and share of the chain's size
SAME = 1e-6  # solutions nearer than this are one [rad, or share of the size]


@dataclass(frozen=True, slots=True, eq=False)
class InverseKinematics:
    """Solutions of one pose.

    `q` (k, nq) coordinates; `labels`: which branch each is; `within_limits` (k,); `singular` (k,);
    `method`: how they were found; `complete`: whether these are all; `notes`: sentences.
    """

    q: np.ndarray
    labels: tuple[str, ...]
    within_limits: np.ndarray
    singular: np.ndarray
    residual: np.ndarray
    method: str
    complete: bool
    coordinates: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def __len__(self):
        return len(self.q)

    def __iter__(self):
        return iter(self.q)

    @property
    def best(self) -> np.ndarray:
        """The first solution within the limits, else the first."""
        return self.q[int(np.argmax(self.within_limits))]

    def __str__(self):
        head = f"{len(self)} solution{'s' * (len(self) != 1)}, {self.method}"
        rows = [
            f"  {label or 'solution'}: "
            + ", ".join(f"{n} = {x:.6g}" for n, x in zip(self.coordinates, q, strict=True))
            + ("" if ok else "  (beyond limits)")
            for q, label, ok in zip(self.q, self.labels, self.within_limits, strict=True)
        ]
        return "\n".join([head, *rows, *self.notes])


@dataclass(frozen=True, slots=True, eq=False)
class ManyPoses:
    """Solutions of many poses: `q` (n, k, nq), NaN where a pose has fewer than k; `found` (n,);
    `within_limits` (n, k); `best` (n, nq): the first within limits, else the first, else NaN."""

    q: np.ndarray
    within_limits: np.ndarray
    residual: np.ndarray
    method: str
    complete: bool
    coordinates: tuple[str, ...]

    @property
    def found(self) -> np.ndarray:
        return np.isfinite(self.q[..., 0]).any(axis=1)

    @property
    def best(self) -> np.ndarray:
        if not self.q.shape[1]:
            return np.full((len(self.q), self.q.shape[2]), np.nan)
        rank = 2 * self.within_limits + np.isfinite(self.q[..., 0])
        return self.q[np.arange(len(self.q)), np.argmax(rank, axis=1)]

    def __len__(self):
        return len(self.q)


def inverse_kinematics(
    model: Model | System,
    frame: str,
    pose: ArrayLike,
    *,
    task: str = "auto",
    near: Mapping[str, float] | None = None,
    hold: Mapping[str, float] | None = None,
    prefer: Mapping[str, float] | None = None,
    method: str = "auto",
    starts: int = 64,
) -> InverseKinematics | ManyPoses:
    """Coordinates that bring a frame to a pose: all of them where geometry gives a closed form.

    Parameters
    ----------
    frame : name of the frame or body to bring
    pose : (4, 4) homogeneous matrix in the world, or (3,) position [m]; with more leading axes,
        many poses at once, answered together
    task : "pose", "position", or "auto": the position where a point is given or where the arm
        has three joints that move a point in space (its orientation follows), else the pose
    near : coordinates roughly wanted [rad, m]: solutions are sorted from there, coordinates that
        do not move the frame stay there, and a search starts there
    hold : coordinates that stay at a value, such as the elbow of an arm of seven joints
    prefer : where coordinates of a redundant arm should rather be: its free motion goes there as
        far as the pose lets it
    method : "auto", "closed" or "numerical" (damped least squares within the limits)
    starts : starting points of a search

    Returns
    -------
    InverseKinematics
        `.q` (k, nq), `.labels`, `.within_limits`, `.singular`; for many poses `ManyPoses`, where
        a pose out of reach is NaN.  One pose out of reach is an error that says by how much.

    >>> import torseur as ts
    >>> arm = ts.Model(bodies=(ts.Body("a", 1, (0.2, 0, 0)), ts.Body("b", 1, (0.2, 0, 0))),
    ...     joints=(ts.Joint("j1", "world", "a", ts.Revolute("z")),
    ...             ts.Joint("j2", "a", "b", ts.Revolute("z"), at=(0.5, 0, 0))),
    ...     frames=(ts.Frame("tool", "b", at=(0.5, 0, 0)),))
    >>> print(inverse_kinematics(arm, "tool", (0.5, 0.5, 0)))
    2 solutions, closed form (two joints of a plane)
      elbow up: j1.angle = 0, j2.angle = 1.5708
      elbow down: j1.angle = 1.5708, j2.angle = -1.5708
    """
    problem = _Problem(model, frame, pose, task, near, hold)
    problem.wish(prefer)
    if method not in ("auto", "closed", "numerical"):
        raise ArgumentError(
            f"inverse_kinematics: method={method!r}: expected 'auto', 'closed' or 'numerical'"
        )
    family = None if method == "numerical" else problem.family()
    if family is None and method == "closed":
        raise TorseurError(
            f"inverse_kinematics: no closed form is known for the "
            f"{len(problem.free)} joints that move {frame!r}; use method="
            "'numerical', or hold= a joint of a redundant arm"
        )
    if problem.single:
        return _one(problem, family, int(starts))
    return _many(problem, family, int(starts))


class _Problem:
    """What is asked, checked: poses, coordinates that may move, limits, size of the chain."""

    def __init__(self, model, frame, pose, task, near, hold):
        from ..quantities import compile

        s = self.system = system_of(model, "inverse_kinematics")
        if frame not in s.places:
            raise TorseurError(unknown_name("body or frame", frame, s.places, "inverse_kinematics"))
        self.frame, self.dyn = frame, compile(s)
        self.target, self.single, given = _poses(pose)
        hold = dict(hold or {})
        self.rest = s.state({**dict(near or {}), **hold})[0]
        self.near = self.rest if near is not None else None
        self.low, self.high = coordinate_limits(s)
        self.closed = bool(s.closures or s.constraints)
        self.free = self._free(hold)
        self.plain = s.nq == s.nv and all(k.joint.holonomic for k in s.links)
        self.scale = self._size()
        self.kind = self._task(task, given)
        self.names = tuple(s.coordinates)
        if self.kind == "pose" and given == "position":
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
            raise TorseurError(f"inverse_kinematics: no joint moves {self.frame!r}")
        return free

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

    def wish(self, prefer):
        """What the free motion of a redundant arm is for: coordinates and their values."""
        self.prefer = None
        if prefer:
            self.system.state(prefer)  # tells wrong names and values
            spare = len(self.free) - (6 if self.kind == "pose" else 3)
            if spare <= 0 or not self.plain or self.closed:
                raise TorseurError(
                    f"inverse_kinematics: prefer= is for redundant arms, but the "
                    f"{len(self.free)} joints that move {self.frame!r} have no free "
                    "motion left; use near= to choose among the solutions"
                )
            at = np.array([self.names.index(n) for n in prefer], int)
            self.prefer = at, np.array(list(prefer.values()), float)

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
            screws.append(Screw(axis, o + np.cross(w, v) if turns else o, turns))
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
        if family is not None:
            self.home = home
        return family

    def task(self) -> Task:
        return Task(self.dyn, self.frame, self.kind, self.scale, self.free, self.closed)

    def names_of(self, which):
        return ", ".join(self.names[i] for i in which)


def _poses(pose):
    try:
        x = np.asarray(pose, dtype=float)
    except (TypeError, ValueError):
        x = np.zeros(())
    if x.shape[-2:] == (4, 4):
        T, given = x.reshape(-1, 4, 4), "pose"
        off = abs(T[:, :3, :3] @ np.swapaxes(T[:, :3, :3], 1, 2) - np.eye(3)).max(initial=0.0)
        bad = (
            not np.isfinite(x).all()
            or off > 1e-6
            or (abs(T[:, 3] - [0, 0, 0, 1]).max(initial=0.0) > 1e-9)
            or (np.linalg.det(T[:, :3, :3]) < 0).any()
        )
        if bad:
            raise ArgumentError(
                "inverse_kinematics: the pose is not a rigid motion: its upper left "
                f"3 x 3 is off a rotation by {off:.3g}, or its last row is not "
                "0, 0, 0, 1; give a homogeneous matrix of the frame in the world"
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
    own = {j.name: j.limits for j in system.model.joints if j.limits is not None}
    known = {n: x for n, x in system.parameters.items() if x is not None}
    for k in system.links:
        given = own.get(k.name)
        if given is None:
            continue
        given = (given.low, given.high) if hasattr(given, "low") else given
        flat = np.asarray(given, dtype=object).ravel()
        pairs = np.array([values.nominal(values.exact(x), known) for x in flat]).reshape(-1, 2)
        if len(pairs) == k.q.stop - k.q.start:
            low[k.q], high[k.q] = pairs.T
    return low, high


def _candidates(p: _Problem, family: Family):
    """Solutions of every pose by the closed form, polished and proved: q (n, k, nq), residual."""
    n = len(p.target)
    G = p.target @ inverted(p.home)
    if p.kind == "position":  # any motion that brings the tip there
        G = np.tile(np.eye(4), (n, 1, 1))
        G[:, :3, 3] = p.target[:, :3, 3] - p.home[:3, 3]
    with np.errstate(all="ignore"):
        x = family.solve(G)
    k = x.shape[1]
    q = np.broadcast_to(p.rest, (n, k, p.system.nq)).copy()
    q[..., p.free] = x
    there = np.isfinite(x).all(axis=-1)
    left = np.full((n, k), np.inf)
    rows, _ = np.nonzero(there)
    if len(rows):
        got, e = polish(p.task(), q[there], p.target[rows], 8)
        q[there], left[there] = got, e
    good = left < FOUND
    turning = _turning(p)
    q[..., turning] = (q[..., turning] + np.pi) % (2 * np.pi) - np.pi
    q[..., turning] = np.where(abs(q[..., turning] + np.pi) < 1e-12, np.pi, q[..., turning])
    q = _into_limits(p, q, turning)
    gap = abs(q[:, :, None, p.free] - q[:, None, :, p.free])
    around = np.isin(p.free, turning)
    gap[..., around] = np.minimum(
        gap[..., around] % (2 * np.pi), 2 * np.pi - gap[..., around] % (2 * np.pi)
    )
    size = np.where(around, 1.0, p.scale)
    same = (gap / size).max(axis=-1) < SAME
    before = np.tril(np.ones((k, k), bool), -1)
    good &= ~(same & before & good[:, None, :]).any(axis=-1)
    q[~good] = np.nan
    left[~good] = np.nan
    return q, left


def _turning(p):
    units = {x.name: x.unit for x in p.system.ports if x.place == "q"}
    return (
        np.array([i for i in p.free if units[p.names[i]] == "rad"], int)
        if p.plain
        else (np.zeros(0, int))
    )


def _into_limits(p, q, turning):
    """Angles shifted by whole turns into their limits where they can be, else towards `near`."""
    for i in turning:
        lo, hi = p.low[i], p.high[i]
        if np.isfinite(lo) and np.isfinite(hi):
            up = lo + (q[..., i] - lo) % (2 * np.pi)
            q[..., i] = np.where(
                (q[..., i] >= lo) & (q[..., i] <= hi), q[..., i], np.where(up <= hi, up, q[..., i])
            )
    return q


def _inside(p, q):
    slack = 1e-9
    return ((q >= p.low - slack) & (q <= p.high + slack)).all(axis=-1)


def _one(p: _Problem, family, count):
    if family is not None:
        q, left = (x[0] for x in _candidates(p, family))
        keep = np.isfinite(left)
        q, left = q[keep], left[keep]
        how = f"closed form ({family.name})"
    else:
        q, left = _distinct(p, count)
        how = "numerical, by damped least squares from several starts"
    if not len(q) and family is not None:  # geometry so special that it is missed
        q, left = _distinct(p, count)
        q, left = q[_inside(p, q)], left[_inside(p, q)]
    if not len(q):
        raise TorseurError(_out_of_reach(p, family))
    order = (
        np.argsort(np.linalg.norm(q - p.near, axis=1))
        if p.near is not None
        else (np.argsort(~_inside(p, q), kind="stable"))
    )
    q, left = q[order], left[order]
    labels = _labels(family, q[:, p.free])
    singular, notes = _singular(p, q)
    notes += _beyond(p, q)
    return InverseKinematics(
        q, labels, _inside(p, q), singular, left, how, family is not None, p.names, tuple(notes)
    )


def _labels(family, q):
    words = [np.full(len(q), "", dtype=object)]
    if family is not None:
        for word, x in family.turns(q):
            plus, minus = word.split("|")
            words.append(np.where(x >= 0, plus, minus))
    labels = [", ".join(w for w in row if w) for row in zip(*words, strict=True)]
    seen: dict[str, int] = {}
    out = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        again = labels.count(label) > 1
        out.append(f"{label} {seen[label]}".strip() if again else label)
    return tuple(out)


def _singular(p, q):
    """Which solutions are singular, and what moves freely there, in words."""
    J = p.task().jacobian(q)
    square = J.shape[1] >= J.shape[2]
    _, s, Vt = np.linalg.svd(J)
    if not square or p.closed:
        return np.zeros(len(q), bool), []
    bad = s[:, -1] < 1e-6
    notes = []
    for i in np.flatnonzero(bad):
        free = p.free[abs(Vt[i, -1]) > 0.05]
        notes.append(
            f"solution {i + 1} is singular: {p.names_of(free)} can move there without "
            f"moving {p.frame!r}"
        )
    return bad, notes


def _beyond(p, q):
    out = []
    for i in np.flatnonzero(~_inside(p, q)):
        for j in np.flatnonzero((q[i] < p.low - 1e-9) | (q[i] > p.high + 1e-9)):
            limit = p.low[j] if q[i, j] < p.low[j] else p.high[j]
            out.append(
                f"solution {i + 1}: {p.names[j]} = {q[i, j]:.6g} is {abs(q[i, j] - limit):.3g}"
                f" beyond its limit {limit:.6g}"
            )
    return out


def _distinct(p, count):
    """Solutions of one pose that a search from many starts finds, each once."""
    low, high = (
        (p.low, p.high) if p.plain else (np.full_like(p.low, -np.inf), np.full_like(p.high, np.inf))
    )
    task = p.task()
    first = np.clip(p.rest, low, high)
    q0 = np.tile(first, (count, 1))
    spread = starts(low, high, p.system.neutral(), count)
    q0[1:, moving(task)] = spread[1:, moving(task)]
    target = np.broadcast_to(p.target[0], (count, 4, 4))
    q, left = descend(task, q0, target, low, high, 1e-13)
    if p.prefer is not None:
        q, left = drift(task, q, target, low, high, *p.prefer)
    good = left < FOUND
    q, left = q[good], left[good]
    if p.plain and len(q):
        turning = np.array(list(_turning(p)), int)
        q[:, turning] = (q[:, turning] + np.pi) % (2 * np.pi) - np.pi
        q = _into_limits(p, q, turning)
    if p.prefer is not None:
        far = np.linalg.norm(q[:, p.prefer[0]] - p.prefer[1], axis=1)
        q, left = q[np.argsort(far)], left[np.argsort(far)]
    redundant = not p.closed and len(p.free) > (6 if p.kind == "pose" else 3)
    keep: list[int] = []
    for i in range(len(q)):
        if redundant and len(keep) >= 8:
            break
        if all(abs(q[i] - q[j]).max() > 1e-5 for j in keep):
            keep.append(i)
    return q[keep], left[keep]


def _many(p: _Problem, family, rounds):
    n, nq = len(p.target), p.system.nq
    if family is not None:
        parts = []
        for i in range(0, n, 2000):
            part = _copy(p, p.target[i : i + 2000])
            parts.append(_candidates(part, family))
        k = max((x.shape[1] for x, _ in parts), default=0)
        q = np.concatenate([x for x, _ in parts]) if parts else np.zeros((0, k, nq))
        left = np.concatenate([x for _, x in parts]) if parts else np.zeros((0, k))
        order = np.argsort(
            ~(np.isfinite(left) & _inside(p, q)) + 1.0 * ~np.isfinite(left), axis=1, kind="stable"
        )
        q, left = (
            np.take_along_axis(x, o, axis=1) for x, o in ((q, order[..., None]), (left, order))
        )
        none = np.flatnonzero(~np.isfinite(left).any(axis=1))
        if len(none):
            x, e = search(p.task(), p.target[none], p.low, p.high, None, FOUND, 2)
            q[none[e < FOUND], 0], left[none[e < FOUND], 0] = x[e < FOUND], e[e < FOUND]
        most = int(np.isfinite(left).sum(axis=1).max(initial=0))
        q, left = q[:, :most], left[:, :most]
        how, complete = f"closed form ({family.name})", True
    else:
        first = None if p.near is None else np.tile(np.clip(p.near, p.low, p.high), (n, 1))
        q, left = search(p.task(), p.target, p.low, p.high, first, FOUND, max(rounds // 4, 2))
        if p.prefer is not None:
            q, left = drift(p.task(), q, p.target, p.low, p.high, *p.prefer)
        q, left = q[:, None], left[:, None]
        q[left > FOUND] = np.nan
        how, complete = "numerical, by damped least squares", False
    with np.errstate(invalid="ignore"):
        inside = _inside(p, q)
    return ManyPoses(q, inside, left, how, complete, p.names)


def _copy(p, target):
    from copy import copy

    other = copy(p)
    other.target = target
    return other


def _out_of_reach(p, family):
    """The sentence for a pose that no solution reaches: by how much, and what is nearest."""
    wide = np.full(p.system.nq, np.inf)
    bounds = (-wide, wide) if family is not None else (p.low, p.high)
    count = 32
    q0 = np.tile(np.clip(p.rest, *bounds), (count, 1))
    spread = starts(p.low, p.high, p.system.neutral(), count)
    if p.plain:
        q0[1:, p.free] = spread[1:, p.free]
    target = np.broadcast_to(p.target[0], (count, 4, 4))
    at = ", ".join(f"{x:.4g}" for x in p.target[0, :3, 3])
    head = f"inverse_kinematics: {p.frame!r} cannot be brought to ({at}) m"
    where = Task(p.dyn, p.frame, "position", p.scale, p.free, p.closed)
    q, left = descend(where, q0, target, *bounds, 1e-10, 200)
    i = int(np.argmin(left))
    within = "" if family is not None else " within the limits of its joints"
    if left[i] > 1e-7:
        gap = left[i] * p.scale
        tip = ", ".join(f"{x:.4g}" for x in p.dyn.pose(p.frame, q[i])[:3, 3])
        told = f"{head}: it is out of reach by {gap:.4g} m{within}; the nearest point is ({tip}) m"
        held = [
            f"{p.names[j]} at its limit {q[i, j]:.4g}"
            for j in p.free
            if p.plain and min(abs(q[i, j] - p.low[j]), abs(q[i, j] - p.high[j])) < 1e-9
        ]
        return told + (f", with {', '.join(held)}" if held and family is None else "")
    if p.kind == "position":
        return f"{head}: no solution was found{within}; try more starts="
    q, left = descend(p.task(), q0, target, *bounds, 1e-10, 200)
    i = int(np.argmin(left))
    e = p.task().error(q[i : i + 1], target[:1])[0]
    turn, gap = np.degrees(np.linalg.norm(e[:3])), np.linalg.norm(e[3:6]) * p.scale
    return (
        f"{head} in this orientation{within}: the point is within reach, the nearest pose found"
        f" is off by {turn:.4g} deg and {gap:.4g} m; ask for task='position', or turn the pose"
    )


__all__ = ["InverseKinematics", "ManyPoses", "coordinate_limits", "inverse_kinematics"]
