"""Workspace analysis: reach, manipulability, singularities, gravity torque, payload, stiffness.

The joint space is sampled by a Halton sequence.  Equations WS.1 to WS.7.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..errors import TorseurError, as_system, unknown_name_message
from ..kernels import compile
from ..model import Model
from ..scalars import arguments
from ..scalars.values import value
from ..solve import assemble, coordinate_limits, inverse_kinematics, tied
from ..system import System
from ..views import PrintedAnswer
from .balancing.gravity_efforts import sample_joint_space


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Workspace(PrintedAnswer):
    """Poses sampled over the limits of the joints, with properties of the tool at each.

    `q` is (n, nq), `points` (n, 3) positions of the tool [m].  `manipulability` (n,) is the product
    of the singular values of its Jacobian (lengths over `size`).  `condition` (n,) is the largest
    over the smallest one, infinite at singular poses.  `gravity` (n, nv) are efforts that hold the
    pose [N m, N].  `payload` (n,) is the largest mass at the tool within `max_effort` [kg].
    `deflection` (n, 3) is that under the load [m].
    """

    frame: str
    q: np.ndarray
    points: np.ndarray
    manipulability: np.ndarray
    condition: np.ndarray
    gravity: np.ndarray
    payload: np.ndarray
    deflection: np.ndarray | None
    coordinates: tuple[str, ...]
    joints: tuple[str, ...]
    size: float
    model: Model = field(repr=False)
    load: tuple[float, ...] = (0.0, 0.0, -100.0)
    _task: Any = field(repr=False, default=None)
    _volumes: dict[Any, Any] = field(repr=False, default_factory=dict)

    @property
    def reach(self) -> tuple[float, float]:
        """Smallest and largest distance of the tool from the first body's origin [m]."""
        d = np.linalg.norm(self.points - self._base(), axis=1)
        return float(d.min()), float(d.max())

    def _base(self):
        s = self.model.check()
        first = s.links[0].body
        return compile(s).pose(first, s.neutral())[:3, 3]

    def volume(self, points: int = 1500) -> float:
        """Volume of the reachable space [m3], zero for a planar arm.

        It is the volume of the bounding box times the fraction of its points for which inverse
        kinematics has a solution within limits.
        """
        return self._volume(points)[0]

    def _volume(self, points: int = 1500) -> tuple[float, float]:
        """The volume [m3] and its standard error.  # WS.2"""
        from scipy.stats import qmc

        if points in self._volumes:
            return self._volumes[points]
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        edge = 0.02 * (high - low)
        low, high = low - edge, high + edge
        box = float((high - low).prod())
        if box < 1e-9 * self.size**3:  # an arm of a plane
            return self._volumes.setdefault(points, (0.0, 0.0))
        targets = low + (high - low) * qmc.Halton(3, scramble=False).random(points)
        solution = inverse_kinematics(self.model, self.frame, targets, task="position", starts=16)
        is_reached = (solution.within_limits & np.isfinite(solution.q[..., 0])).any(axis=1)
        fraction = float(is_reached.mean())
        error = box * float(np.sqrt(fraction * (1 - fraction) / points))
        return self._volumes.setdefault(points, (box * fraction, error))

    def worst_gravity(self) -> dict[str, tuple[float, dict[str, float]]]:
        """Largest gravity torque of each joint, and its pose."""
        out = {}
        for i, name in enumerate(self.joints):
            k = int(np.argmax(abs(self.gravity[:, i])))
            pose = dict(zip(self.coordinates, map(float, self.q[k]), strict=True))
            out[name] = float(abs(self.gravity[k, i])), pose
        return out

    def singular(self, share: float = 0.02) -> np.ndarray:
        """Indices of nearly singular poses: the smallest singular value below `share` of the
        largest.
        """
        return np.flatnonzero(1 / self.condition < share)

    def table(self) -> str:
        """The main results, as text."""
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        nearest, farthest = self.reach
        volume, error = self._volume()
        lines = [
            f"{len(self.q)} poses of {self.frame!r} within the limits of the joints",
            "box: " + ", ".join(f"{a:.4g} to {b:.4g} m" for a, b in zip(low, high, strict=True)),
            f"distance from the first joint: {nearest:.4g} to {farthest:.4g} m; "
            f"volume {volume:.4g} m3 (standard error {error:.2g})",
            f"condition: minimum {self.condition.min():.4g}, "
            f"median {np.median(self.condition):.4g}",
        ]
        worst = self.worst_gravity()
        largest = max((x for x, _ in worst.values()), default=0.0) or 1.0
        for name, (x, pose) in worst.items():
            if x < 1e-9 * largest:
                lines.append(f"{name}: gravity torque is zero")
                continue
            at = ", ".join(f"{n} = {v:.3g}" for n, v in pose.items())
            lines.append(f"{name}: gravity needs up to {x:.6g} {self._unit(name)}, at {at}")
        if np.isfinite(self.payload).any():
            k = int(np.argmin(self.payload))
            lines.append(
                f"payload: {self.payload[k]:.4g} kg in the worst pose, "
                f"{np.median(self.payload):.4g} kg in the median pose"
            )
        if self.deflection is not None:
            d = np.linalg.norm(self.deflection, axis=1)
            lines.append(f"deflection under the load: up to {d.max():.4g} m")
        return "\n".join(lines)

    __str__ = table

    def _unit(self, joint: str) -> str:
        return "N m" if self.model.check().link(joint).joint.coordinates[0][1] == "rad" else "N"

    def loci(self, count: int = 4000) -> tuple[np.ndarray, np.ndarray]:
        """Singular poses q (m, nq) within the limits, and positions (m, 3) [m] of the tool.

        Newton's method on the smallest singular value of the Jacobian, with the derivative `u' dJ
        v`, from the worst conditioned poses.  # WS.7
        """
        s = self.model.check()
        dyn = compile(s)
        q = self.q[np.argsort(-self.condition)[:count]].copy()
        low, high = coordinate_limits(s)
        x = np.full(len(q), np.inf)
        for _ in range(20):
            x, slope = _smallest_singular_value(dyn, self.frame, q, self._task, self.size)
            if (x < 1e-10).all():
                break
            step = x / np.maximum((slope**2).sum(axis=1), 1e-6)
            q = q - np.where(x > 1e-10, step, 0.0)[:, None] * slope
        good = (x < 1e-9) & ((q >= low - 1e-9) & (q <= high + 1e-9)).all(axis=1)
        return q[good], dyn.pose(self.frame, q[good])[:, :3, 3]

    def dexterity(self, points: ArrayLike, directions: int = 24) -> np.ndarray:
        """Fraction of orientations (n,) that the tool can take at each point.  # WS.3

        `directions` is the number of tested orientations, uniformly distributed.
        """
        from scipy.spatial.transform import Rotation

        R = Rotation.random(directions, random_state=0).as_matrix()
        points = np.atleast_2d(np.asarray(points, float))
        T = np.tile(np.eye(4), (len(points) * directions, 1, 1))
        T[:, :3, :3] = np.tile(R, (len(points), 1, 1))
        T[:, :3, 3] = np.repeat(points, directions, axis=0)
        solutions = inverse_kinematics(self.model, self.frame, T, task="pose")
        good = (solutions.within_limits & np.isfinite(solutions.q[..., 0])).any(axis=1)
        return good.reshape(len(points), directions).mean(axis=1)

    def maps(self) -> dict[str, np.ndarray]:
        """Properties (n,) by name with unit: manipulability, condition, gravity torques.

        Payload and deflection are included if they are available.
        """
        s = self.model.check()
        out = {"1 / condition": 1 / self.condition, "manipulability": self.manipulability}
        for i, (name, k) in enumerate(zip(self.joints, s.links, strict=True)):
            unit = "N m" if k.joint.coordinates[0][1] == "rad" else "N"
            out[f"weight on {name} [{unit}]"] = abs(self.gravity[:, i])
        if np.isfinite(self.payload).any():
            out["payload [kg]"] = np.minimum(self.payload, np.nanquantile(self.payload, 0.98))
        if self.deflection is not None:
            out["deflection [m]"] = np.linalg.norm(self.deflection, axis=1)
            F = np.asarray(self.load, float)
            compliance = self.deflection @ F / (F @ F)  # WS.5
            with np.errstate(divide="ignore"):
                out["stiffness along the load [N/m]"] = np.where(
                    compliance > 0, 1 / compliance, np.inf
                )
        return out

    def figures(self, dexterity: int = 0) -> str:
        """HTML of the space in 3D, for a tab of a report: `run.report(path, workspace=space)`."""
        from html import escape

        from .report import CLOUD_STYLE, make_workspace_parts

        parts = make_workspace_parts(self, dexterity)
        text = "".join(f"<h2>{escape(head)}</h2>{x}" for head, x in parts if x.startswith("<"))
        return f"<style>{CLOUD_STYLE}</style><pre>{escape(self.table())}</pre>{text}"

    def skeleton(self) -> np.ndarray:
        """Origins (m, 3) [m] of the bodies from the first to the tool, in the pose nearest to the
        mean.
        """
        s = self.model.check()
        dyn, q = compile(s), self.q[np.argmin(np.linalg.norm(self.q - self.q.mean(0), axis=1))]
        chain, link = [], s.places[self.frame].link
        while link:
            k = s.links[link - 1]
            chain.append(dyn.pose(k.body, q)[:3, 3])
            link = k.parent
        return np.array([*reversed(chain), dyn.pose(self.frame, q)[:3, 3]])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write coordinates, positions and maps as CSV, one row per pose."""
        from ..files import plain, write

        columns = dict(zip(self.coordinates, self.q.T, strict=True))
        columns |= {f"{c} [m]": x for c, x in zip("xyz", self.points.T, strict=True)} | self.maps()
        head = ",".join(plain(n, foreign=True) for n in columns)
        rows = np.column_stack(list(columns.values()))
        text = "\n".join(",".join(f"{x:.9g}" for x in row) for row in rows)
        write(path, f"{head}\n{text}\n")

    def report(self, path: str | os.PathLike[str], dexterity: int = 0) -> None:
        """Write an HTML page: table, 3D view with selectable color map, singular loci.

        With `dexterity` points it includes the fraction of orientations at each.
        """
        from .report import write_workspace_page

        write_workspace_page(self, path, dexterity)


def workspace(
    model: Model,
    frame: str,
    *,
    samples: int = 20000,
    stiffness: Mapping[str, float] | None = None,
    load: Sequence[float] = (0.0, 0.0, -100.0),
) -> Workspace:
    """Sample the space that a frame can reach, on compiled batches.

    Parameters
    ----------
    frame : name of the frame or body of the tool
    samples : number of poses within the limits of the joints (a full revolution without limits)
    stiffness : stiffness of joints [N m/rad or N/m], for the `deflection` of the tool
    load : force at the tool [N] for the deflection

    >>> import torseur as ts
    >>> arm = ts.Model(bodies=(ts.Body("a", 1, (0.2, 0, 0)), ts.Body("b", 1, (0.2, 0, 0))),
    ...     joints=(ts.Joint("j1", "world", "a", ts.Revolute("z")),
    ...             ts.Joint("j2", "a", "b", ts.Revolute("z"), at=(0.5, 0, 0))),
    ...     frames=(ts.Frame("tool", "b", at=(0.3, 0, 0)),))
    >>> near, far = workspace(arm, "tool", samples=4000).reach
    >>> round(near, 2), round(far, 2)
    (0.2, 0.8)
    """
    s = as_system(model, "workspace")
    s.alone("workspace")
    if not isinstance(frame, str) or frame not in s.places:
        raise TorseurError(unknown_name_message("body or frame", frame, s.places, "workspace"))
    if tied(s, frame) or s.nq != s.nv:
        raise TorseurError("workspace: for open chains whose speeds are rates of coordinates")
    samples = arguments.count("workspace", "samples", samples, 10)
    dyn = compile(s)
    q = sample_joint_space(s, assemble(s).q if s.held else s.neutral(), int(samples), "workspace")
    T, J = dyn.pose(frame, q), dyn.jacobian(frame, q)
    moves = abs(J).max(axis=(0, 1)) > 1e-12
    points = T[:, :3, 3]
    size = float(np.linalg.norm(points.max(axis=0) - points.min(axis=0)) / 2) or 1.0
    task = _Task(moves, False, 0)
    if moves.sum() <= 3 and _rank(task.scaled(J, size)[:, 3:]) == moves.sum():
        task = task._replace(point=True)  # an arm that brings a point
    task = task._replace(rank=_rank(task.scaled(J, size)))
    gains = np.linalg.svd(task.scaled(J, size), compute_uv=False)[:, : task.rank]  # WS.1
    with np.errstate(divide="ignore"):
        condition = gains[:, 0] / gains[:, -1]
    gravity = dyn.inverse_dynamics(q, 0 * q, 0 * q, forces=_has_static_forces(s))
    deflection = None
    if stiffness is not None:
        deflection = _tool_deflection(s, J, stiffness, load)
    return Workspace(
        frame,
        q,
        points,
        gains.prod(axis=1),
        condition,
        gravity,
        _largest_payload(model, s, J, gravity),
        deflection,
        tuple(s.coordinates),
        tuple(k.name for k in s.links),
        size,
        model,
        tuple(float(x) for x in load),
        task,
    )


class _Task(NamedTuple):
    """The relevant part of a Jacobian: columns that move the tool, only its point, its rank."""

    moves: np.ndarray
    point: bool
    rank: int

    def scaled(self, J: np.ndarray, size: float):
        J = J[:, :, self.moves].copy()
        J[:, 3:] /= size
        return J[:, 3:] if self.point else J


def _smallest_singular_value(dyn: Any, frame: str, q: np.ndarray, task: _Task, size: float):
    """Smallest singular value (n,) of the Jacobian, and its gradient (n, nq) `u' dJ v`.  # WS.7"""
    J = task.scaled(dyn.jacobian(frame, q), size)
    U, s, Vt = np.linalg.svd(J)
    u, v = U[:, :, task.rank - 1], Vt[:, task.rank - 1]
    slope = np.zeros_like(q)
    h = 1e-6
    for i in range(q.shape[1]):
        if task.moves[i]:
            e = np.zeros(q.shape[1])
            e[i] = h
            dJ = task.scaled(dyn.jacobian(frame, q + e) - dyn.jacobian(frame, q - e), size)
            slope[:, i] = np.einsum("ni,nij,nj->n", u, dJ, v) / (2 * h)
    return s[:, task.rank - 1], slope


def _rank(J: np.ndarray) -> int:
    """Largest rank of the Jacobian over the first poses."""
    return int((np.linalg.svd(J[:64], compute_uv=False) > 1e-8).sum(axis=1).max())


def _has_static_forces(s: System) -> bool:
    """Whether there are force elements, all without history."""
    return bool(s.elements) and not any(e.memory or e.states for e in s.elements)


def _largest_payload(model: Model, s: System, J: np.ndarray, gravity: np.ndarray):
    """Largest mass [kg] at the tool that the efforts can hold, pose by pose.  # WS.4"""
    g = np.array([float(x) for x in s.gravity])
    pull = -np.einsum("ijk,j->ik", J[:, 3:], g)  # efforts that one kilogram asks
    out = np.full(len(J), np.inf)
    limits = {j.name: j.max_effort for j in model.joints if j.max_effort is not None}
    for k in s.links:
        if k.name in limits:
            i = k.v.start
            margin = _parameter_number(limits[k.name], s) - gravity[:, i] * np.sign(pull[:, i])
            with np.errstate(divide="ignore"):
                out = np.minimum(
                    out,
                    np.where(
                        abs(pull[:, i]) > 1e-12, np.maximum(margin, 0) / abs(pull[:, i]), np.inf
                    ),
                )
    return out


def _parameter_number(x: Any, s: System) -> float:
    parameters = {n: v for n, v in s.parameters.items() if v is not None}
    return value.nominal(value.exact(x), parameters)


def _tool_deflection(
    s: System, J: np.ndarray, stiffness: Mapping[str, float], load: Sequence[float]
):
    """Deflection `J K^-1 J' F` of the tool, (n, 3) [m].  # WS.5"""
    speed_index = {k.name: k.v.start for k in s.links}
    stiffness = arguments.mapping("workspace", "stiffness", stiffness, "{'joint1': 1e4}")
    force = arguments.numbers("workspace", "load", load, "N", (3,))
    if bad := [
        unknown_name_message("joint", n, speed_index, "workspace, stiffness")
        for n in stiffness
        if n not in speed_index
    ]:
        raise TorseurError("\n".join(bad))
    soft = np.zeros(s.nv)
    for n, number in stiffness.items():
        unit = ("N m/rad", "N/m")[s.link(n).joint.coordinates[0][1] == "m"]
        x = arguments.number("workspace", f"the stiffness of {n!r}", number, unit, above=0.0)
        soft[speed_index[n]] = 1 / x
    P = J[:, 3:]
    tau = np.einsum("nij,i->nj", P, force)
    return np.einsum("nij,nj->ni", P, soft * tau)


__all__ = ["Workspace", "workspace"]
