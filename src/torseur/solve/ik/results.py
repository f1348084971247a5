"""Results of inverse kinematics: solutions, names of branches, singularities, unreachable poses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...views import PrintedAnswer
from .damped_least_squares import PoseTask, rotation_vector, sample_starts, solve_damped
from .problem import is_within_limits
from .self_motion import find_self_motion, has_self_motion

if TYPE_CHECKING:
    from .closed_form import ClosedForm
    from .problem import PoseProblem

# --------------------------------------------------------------------------------------------
# Answers of inverse kinematics: solutions of one pose, and of many.


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class InverseKinematics(PrintedAnswer):
    """Solutions of one pose.

    `q` (k, nq) coordinates.  `labels`: name of each branch; `within_limits` (k,); `singular` (k,);
    `method`: how they were computed.  `complete`: whether these are all; `notes`: sentences.
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
        """Every solution with its branch, then the notes."""
        head = f"{len(self)} solution{'s' * (len(self) != 1)}, {self.method}"
        rows = [
            f"  {label or 'solution'}: "
            + ", ".join(f"{n} = {x:.6g}" for n, x in zip(self.coordinates, q, strict=True))
            + ("" if ok else "  (beyond limits)")
            for q, label, ok in zip(self.q, self.labels, self.within_limits, strict=True)
        ]
        return "\n".join([head, *rows, *self.notes])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ManyPoses(PrintedAnswer):
    """Solutions of many poses: `q` (n, k, nq), NaN where a pose has fewer than k.  `found` (n,);
    `within_limits` (n, k).  `best` (n, nq): the first within limits, else the first, else NaN.
    """

    q: np.ndarray
    within_limits: np.ndarray
    residual: np.ndarray
    method: str
    complete: bool
    coordinates: tuple[str, ...]

    @property
    def found(self) -> np.ndarray:
        return np.asarray(np.isfinite(self.q[..., 0]).any(axis=1))

    @property
    def best(self) -> np.ndarray:
        if not self.q.shape[1]:
            return np.full((len(self.q), self.q.shape[2]), np.nan)
        rank = 2 * self.within_limits + np.isfinite(self.q[..., 0])
        return self.q[np.arange(len(self.q)), np.argmax(rank, axis=1)]

    def __len__(self):
        return len(self.q)


def label_branches(family: ClosedForm | None, q: np.ndarray):
    """Name of the branch of each solution, numbered where several have one name."""
    columns = [np.full(len(q), "", dtype=object)]
    if family is not None:
        for names, x in family.branch_signs(q):
            plus, minus = names.split("|")
            columns.append(np.where(x >= 0, plus, minus))
    labels = [", ".join(w for w in row if w) for row in zip(*columns, strict=True)]
    counts: dict[str, int] = {}
    out = []
    for label in labels:
        counts[label] = counts.get(label, 0) + 1
        is_repeated = labels.count(label) > 1
        out.append(f"{label} {counts[label]}".strip() if is_repeated else label)
    return tuple(out)


def find_singular_solutions(p: PoseProblem, q: np.ndarray):
    """Which solutions are singular, and sentences about their self-motions."""
    if p.has_loops or p.redundancy > 0:  # arms to spare move freely anyway
        return np.zeros(len(q), bool), []
    is_singular, direction = find_self_motion(p.create_task(), q)
    notes = []
    for i in np.flatnonzero(is_singular):
        names = p.join_names(p.free[abs(direction[i]) > 0.05])
        notes.append(
            f"solution {i + 1} is singular: {names} can move there without moving {p.frame!r}"
            if has_self_motion(p, q[i], direction[i])
            else f"solution {i + 1} is singular, a fold: two branches meet there, and {p.frame!r} "
            f"has a direction along which {names} cannot move it"
        )
    return is_singular, notes


def note_orientations(p: PoseProblem, q: np.ndarray):
    """Sentences on solutions whose orientation differs from that of the pose.

    An arm of three joints brings the point only.
    """
    if p.kind != "position" or not p.has_orientation:
        return []
    R = p.target[0, :3, :3] @ np.swapaxes(p.dyn.pose(p.frame, q)[:, :3, :3], -1, -2)
    angles = np.degrees(np.linalg.norm(rotation_vector(R), axis=-1))
    return [
        f"solution {i + 1} is turned {angles[i]:.4g} deg from the pose asked for: the joints that "
        f"move {p.frame!r} bring its point there, and its orientation follows"
        for i in np.flatnonzero(angles > 1e-6)
    ]


def note_limits(p: PoseProblem, q: np.ndarray):
    """Sentences on coordinates of solutions beyond their limits."""
    out = []
    for i in np.flatnonzero(~is_within_limits(p, q)):
        for j in np.flatnonzero((q[i] < p.low - 1e-9) | (q[i] > p.high + 1e-9)):
            limit = p.low[j] if q[i, j] < p.low[j] else p.high[j]
            out.append(
                f"solution {i + 1}: {p.names[j]} = {q[i, j]:.6g} is {abs(q[i, j] - limit):.3g}"
                f" beyond its limit {limit:.6g}"
            )
    return out


def describe_unreachable(p: PoseProblem, family: ClosedForm | None):
    """The sentence about a pose without solution: the gap, and the nearest pose."""
    infinite = np.full(p.system.nq, np.inf)
    low, high = (-infinite, infinite) if family is not None else (p.low, p.high)
    count = 32
    q0 = np.tile(np.clip(p.initial_q, low, high), (count, 1))
    samples = sample_starts(p.low, p.high, p.system.neutral(), count)
    if p.is_chain:
        q0[1:, p.free] = samples[1:, p.free]
    target = np.broadcast_to(p.target[0], (count, 4, 4))
    at = ", ".join(f"{x:.4g}" for x in p.target[0, :3, 3])
    head = f"inverse_kinematics: {p.frame!r} cannot be brought to ({at}) m"
    position_task = PoseTask(p.dyn, p.frame, "position", p.scale, p.free, p.has_loops)
    q, residual = solve_damped(position_task, q0, target, low, high, 1e-10, 200)
    i = int(np.argmin(residual))
    condition = "" if family is not None else " within the limits of its joints"
    if residual[i] > 1e-7:
        gap = residual[i] * p.scale
        tip = ", ".join(f"{x:.4g}" for x in p.dyn.pose(p.frame, q[i])[:3, 3])
        text = (
            f"{head}: it is out of reach by {gap:.4g} m{condition}; the nearest point is ({tip}) m"
        )
        limits = [
            f"{p.names[j]} at its limit {q[i, j]:.4g}"
            for j in p.free
            if p.is_chain and min(abs(q[i, j] - p.low[j]), abs(q[i, j] - p.high[j])) < 1e-9
        ]
        return text + (f", with {', '.join(limits)}" if limits and family is None else "")
    if p.kind == "position":
        gap = residual[i] * p.scale
        return (
            f"{head}: no solution was found{condition}; the nearest point found is {gap:.3g} m "
            "away; try more starts="
        )
    q, residual = solve_damped(p.create_task(), q0, target, low, high, 1e-10, 200)
    i = int(np.argmin(residual))
    e = p.create_task().compute_error(q[i : i + 1], target[:1])[0]
    angle, gap = np.degrees(np.linalg.norm(e[:3])), np.linalg.norm(e[3:6]) * p.scale
    return (
        f"{head} in this orientation{condition}: the point is within reach, the nearest pose found"
        f" is off by {angle:.4g} deg and {gap:.4g} m; ask for task='position', or turn the pose"
    )
