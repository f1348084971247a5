"""Path following: continuation of a solution along poses on one branch, and inverse rates.

Theory: IK.14, IK.15, IK.21.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...errors import ArgumentError, TorseurError
from ...scalars import arguments
from ...views import PrintedAnswer
from .damped_least_squares import PoseTask, solve_damped
from .inverse_kinematics import inverse_kinematics
from .problem import POSE_TOLERANCE, PoseProblem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from ...kernels import Dynamics
    from ...model import Model
    from ...system import System


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PathKinematics(PrintedAnswer):
    """Coordinates along a path of poses: `q` (n, nq).  With times, `v` and `a` (n, nv) by splines.

    `condition` (n,) is that of the Jacobian (lengths over the arm's size).  It is large close to a
    singular pose.  `motion` has the coordinates as a motion for `ts.inverse` (with times), without
    the rotors behind elastic shafts (`rotors`).
    """

    q: np.ndarray
    coordinates: tuple[str, ...]
    condition: np.ndarray
    times: np.ndarray | None = None
    v: np.ndarray | None = None
    a: np.ndarray | None = None
    rotors: tuple[str, ...] = ()

    def __str__(self):
        """Range of every coordinate and its largest change between two poses."""
        changes = abs(np.diff(self.q, axis=0)).max(axis=0) if len(self.q) > 1 else 0 * self.q[0]
        k = int(np.argmax(self.condition))
        rows = [
            f"  {n}: {a:.6g} to {b:.6g}, {c:.3g} at most between two poses"
            for n, a, b, c in zip(
                self.coordinates, self.q.min(axis=0), self.q.max(axis=0), changes, strict=True
            )
        ]
        worst = f"condition up to {self.condition[k]:.4g}, at pose {k + 1}"
        return "\n".join([f"{len(self.q)} poses on one branch, {worst}", *rows])

    @property
    def motion(self) -> dict[str, np.ndarray]:
        if self.times is None:
            raise TorseurError("a path without times is no motion; give times= [s], one a pose")
        values = dict(zip(self.coordinates, self.q.T, strict=True))
        return {"time": self.times, **{n: x for n, x in values.items() if n not in self.rotors}}


def inverse_kinematics_path(
    model: Model | System,
    frame: str,
    poses: ArrayLike,
    *,
    times: ArrayLike | None = None,
    task: str = "auto",
    near: Mapping[str, float] | None = None,
    hold: Mapping[str, float] | None = None,
) -> PathKinematics:
    """Follow poses with a frame without jumps: one branch from the first pose to the last.

    Every solution of the first pose is followed.  Of those that reach the end within the limits,
    the one with the shortest motion is returned.  `poses`: (n, 4, 4), or points (n, 3) [m].
    `times`
    (n,)
    [s].

    >>> import numpy as np
    >>> import torseur as ts
    >>> arm = ts.Model(bodies=(ts.Body("a", 1, (0.2, 0, 0)), ts.Body("b", 1, (0.2, 0, 0))),
    ...     joints=(ts.Joint("j1", "world", "a", ts.Revolute("z")),
    ...             ts.Joint("j2", "a", "b", ts.Revolute("z"), at=(0.5, 0, 0))),
    ...     frames=(ts.Frame("tool", "b", at=(0.5, 0, 0)),))
    >>> line = np.linspace((0.5, 0.5, 0), (0.5, -0.3, 0), 50)
    >>> path = inverse_kinematics_path(arm, "tool", line, near={"j2.angle": 1.0})
    >>> path.q[-1].round(4)
    array([-1.4887,  1.8965])
    """
    poses = arguments.numbers("inverse_kinematics_path", "poses", poses, "m")
    if poses.ndim < 2 or poses.shape[1:] not in ((4, 4), (3,)) or len(poses) < 2:
        raise ArgumentError(
            "inverse_kinematics_path: expected two poses or more, (n, 4, 4) or "
            f"(n, 3), got the shape {poses.shape}"
        )
    first = inverse_kinematics(model, frame, poses[0], task=task, near=near, hold=hold)
    p = PoseProblem(model, frame, poses, task, near, hold)
    pose_task = p.create_task()
    q = first.q[first.within_limits] if first.within_limits.any() else first.q
    if near is not None:
        q = q[:1]
    low, high = p.low - 1e-9, p.high + 1e-9
    rows, is_followed = [q], np.ones(len(q), bool)
    for i in range(1, len(p.target)):
        guess = rows[-1] + (rows[-1] - rows[-2] if i > 1 else 0.0)  # go on as before
        guess = np.clip(guess, low, high)
        target = np.broadcast_to(p.target[i], (len(q), 4, 4))
        new, residual = solve_damped(pose_task, guess, target, low, high, 1e-12, 40)
        jump = abs(new - rows[-1]).max(axis=1)
        is_followed &= (residual < POSE_TOLERANCE) & (jump < 0.6 * max(1.0, p.scale))
        if not is_followed.any():
            k = int(np.argmin(residual))
            raise TorseurError(_describe_lost_path(p, i, new[k], residual[k], jump[k], pose_task))
        rows.append(new)
    positions = np.array(rows)
    length = abs(np.diff(positions, axis=0)).sum(axis=(0, 2)) + np.where(is_followed, 0, np.inf)
    q = p.reset_other_coordinates(positions[:, int(np.argmin(length))])
    rotors = tuple(p.names[r] for r, _ in p.rotors)
    J = pose_task.jacobian(q)
    s = np.linalg.svd(J, compute_uv=False)
    condition = s[:, 0] / np.maximum(s[:, -1], 1e-300)
    if times is None:
        return PathKinematics(q, p.names, condition, rotors=rotors)
    from scipy.interpolate import make_interp_spline

    times = arguments.numbers("inverse_kinematics_path", "times", times, "s")
    if times.shape != (len(q),) or (np.diff(times) <= 0).any():
        raise ArgumentError("inverse_kinematics_path: times= must grow, one a pose [s]")
    degree = min(5, len(q) - 1)
    curve = make_interp_spline(times, q, degree)
    if p.is_chain:
        v, a = curve(times, 1), curve(times, 2)
        return PathKinematics(q, p.names, condition, times, v, a, rotors)
    v = p.dyn.speeds_from(q, curve(times, 1))
    a = make_interp_spline(times, v, degree)(times, 1)
    return PathKinematics(q, p.names, condition, times, v, a, rotors)


def _describe_lost_path(
    p: PoseProblem, i: int, q: np.ndarray, left: float, jump: float, job: PoseTask
):
    """The sentence about a path that no solution follows: pose, residual, jump."""
    at = ", ".join(f"{x:.4g}" for x in p.target[i, :3, 3])
    head = (
        f"inverse_kinematics_path: {p.frame!r} loses the path at pose {i + 1} of "
        f"{len(p.target)}, ({at}) m"
    )
    held = [
        f"{p.names[j]} is at its limit {q[j]:.4g}"
        for j in p.free
        if min(abs(q[j] - p.low[j]), abs(q[j] - p.high[j])) < 1e-8
    ]
    if left > POSE_TOLERANCE:
        why = f"; {', '.join(held)}" if held else ""
        e = (
            job.compute_error(q[None], p.target[i : i + 1])[0][-3:]
            if not p.has_loops
            else np.array([left])
        )
        gap = np.linalg.norm(e) * p.scale
        turn = np.degrees(np.sqrt(max(left**2 - e @ e, 0.0)))
        also = f" and {turn:.4g} deg" if turn > 1e-6 else ""
        return f"{head}: it is out of reach by {gap:.4g} m{also} there{why}"
    return (
        f"{head}: a joint would have to jump by {jump:.3g} (a singular pose lies on the way); "
        "give poses closer together, or start on another branch by near="
    )


def inverse_rates(
    model: Model | System,
    frame: str,
    q: ArrayLike,
    twist: ArrayLike,
    acceleration: ArrayLike | None = None,
    *,
    v: ArrayLike | None = None,
) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
    """Speeds of joints that give a frame a twist.  With `acceleration`, accelerations too.

    Parameters
    ----------
    q : coordinates, (..., nq)
    twist : (..., 6) angular [rad/s], linear [m/s], or (..., 3) linear alone.  World axes, at the
        frame's origin.  A redundant arm has the speeds of least norm.  A twist that is not possible
        is approximated by least squares.  All joints of a mechanism with loops move
    acceleration : of the same shape [rad/s2, m/s2]

    Returns
    -------
    v (..., nv), or (v, a)

    >>> import torseur as ts
    >>> arm = ts.Model(bodies=(ts.Body("a", 1, (1.0, 0, 0)),),
    ...                frames=(ts.Frame("tip", "a", at=(2.0, 0, 0)),),
    ...                joints=(ts.Joint("j", "world", "a", ts.Revolute("z")),))
    >>> inverse_rates(arm, "tip", [0.0], (0, 1.0, 0))
    array([0.5])
    """
    from ...errors import as_system
    from ...kernels import compile

    dyn = compile(as_system(model, "inverse_rates"))
    q, twist = (arguments.numbers("inverse_rates", n, x) for n, x in (("q", q), ("twist", twist)))
    if twist.shape[-1:] not in ((3,), (6,)):
        raise ArgumentError(
            f"inverse_rates: twist has the shape {twist.shape}; expected (..., 6) angular and "
            "linear, or (..., 3) linear"
        )
    rows = slice(3, 6) if twist.shape[-1] == 3 else slice(0, 6)
    J = dyn.jacobian(frame, q)[..., rows, :]
    G = _constraint_rows(dyn, q)
    if G is None:
        P, constraint_inverse = np.linalg.pinv(J), None
    else:  # only what the loops let move
        constraint_inverse = np.linalg.pinv(G, rcond=PINV_RTOL)
        P = np.linalg.pinv(J - J @ constraint_inverse @ G, rcond=PINV_RTOL)  # IK.21
    speeds = (P @ twist[..., None])[..., 0]  # IK.14
    if acceleration is None:
        return speeds
    wanted_acceleration = arguments.numbers("inverse_rates", "acceleration", acceleration)
    if wanted_acceleration.shape[-1:] != twist.shape[-1:]:
        raise ArgumentError(
            f"inverse_rates: acceleration has the shape {wanted_acceleration.shape}, twist "
            f"{twist.shape}; they say the same axes"
        )
    speed = speeds if v is None else arguments.numbers("inverse_rates", "v", v)
    drift = dyn.jacobian_rate(frame, q, speed)[..., rows, :] @ speed[..., None]
    right_side = wanted_acceleration[..., None] - drift
    if constraint_inverse is None:
        a = P @ right_side  # IK.15
    else:
        constraint_acceleration = constraint_inverse @ dyn.constraint_gamma(q, speed)[..., None]
        a = constraint_acceleration + P @ (right_side - J @ constraint_acceleration)  # IK.21
    return speeds, a[..., 0]


PINV_RTOL = 1e-10  # share of the largest singular value below which a motion is none


def _constraint_rows(dyn: Dynamics, q: np.ndarray):
    """Jacobian of loops and constraints by the speeds, or None where there are none."""
    s = dyn.system
    if not (s.closures or s.constraints):
        return None
    h = 1e-4
    change = dyn.constraint_residual(q, h) - dyn.constraint_residual(q, -h)
    if abs(change).max(initial=0.0) > 1e-9 * h:
        raise TorseurError(
            f"inverse_rates: a constraint of {s.name!r} moves by itself with time, so that a twist "
            "alone does not say the speeds; leave the driven constraints out"
        )
    return dyn.constraint_jacobian(q)


__all__ = ["PathKinematics", "inverse_kinematics_path", "inverse_rates"]
