"""Tool paths in space: lines, arcs, and polylines with parabolic blends.  Equations TR.1, TR.2.

A path has a length and poses.  A motion profile of that length makes it a motion:
`path.poses(law(t)[0])`, which `ts.solve.inverse_kinematics_path` follows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ...errors import ArgumentError, shown
from ...scalars import arguments
from ...solve import no_motion


def _pose_matrix(x: Any) -> np.ndarray:
    """Homogeneous transformation (4, 4) of a pose or point."""
    x = arguments.numbers("path", "pose or point", x, "m")
    if x.shape == (3,):
        T = np.eye(4)
        T[:3, 3] = x
        return T
    if x.shape != (4, 4):
        raise ArgumentError(f"a path needs poses (4, 4) or points (3,), got the shape {x.shape}")
    if fault := no_motion(x[None]):
        raise ArgumentError(f"path: a pose is not a rigid motion: {fault}")
    return x


def _has_orientation(x: Any) -> bool:
    """Whether a pose has an orientation, and is not only a point."""
    return np.ndim(np.asarray(x, dtype=object)) == 2


class ToolPath(ABC):
    """A path: `length` [m], and `poses(s)` (n, 4, 4) at arc lengths s from 0 to `length`."""

    length: float

    @abstractmethod
    def points(self, s: np.ndarray) -> np.ndarray:
        """Positions (n, 3) along the path."""

    @abstractmethod
    def end_poses(self) -> tuple[np.ndarray, np.ndarray]:
        """Poses at both ends."""

    def inner_poses(self) -> list[tuple[float, np.ndarray]]:
        """Arc lengths and poses between the ends that have an orientation."""
        return []

    def poses(self, s: Any) -> np.ndarray:
        """Poses at arc lengths `s` [m].  # TR.1

        Orientations are interpolated by slerp between the ends, or by a rotation spline through the
        orientations in between.
        """
        from scipy.spatial.transform import Rotation, RotationSpline, Slerp

        s = np.clip(np.atleast_1d(np.asarray(s, float)), 0, self.length)
        a, b = self.end_poses()
        T = np.tile(np.eye(4), (len(s), 1, 1))
        T[:, :3, 3] = self.points(s)
        inner = self.inner_poses() if self.length else []
        at = [0.0, *(x for x, _ in inner), self.length or 1.0]
        R = Rotation.from_matrix([x[:3, :3] for x in (a, *(X for _, X in inner), b)])
        rotation = RotationSpline(at, R) if inner else Slerp(at, R)
        T[:, :3, :3] = rotation(s).as_matrix()
        return T


@dataclass(frozen=True, eq=False)
class Line(ToolPath):
    """A straight line between two poses (4 x 4) or points.

    >>> Line((0, 0, 0), (0.3, 0.4, 0)).length
    0.5
    """

    start: object
    end: object
    length: float = field(init=False)

    def __post_init__(self):
        a, b = map(_pose_matrix, (self.start, self.end))
        object.__setattr__(self, "length", float(np.linalg.norm(b[:3, 3] - a[:3, 3])))
        if self.length < 1e-12 and abs(a - b).max() > 1e-9:
            raise ArgumentError(
                "a line from a point to the same point has no length to turn along; turn about a "
                "point by the joints' own laws, or let the point move"
            )

    def end_poses(self):
        return _pose_matrix(self.start), _pose_matrix(self.end)

    def points(self, s: np.ndarray):
        a, b = self.end_poses()
        fraction = s / self.length if self.length else 0 * s
        return a[:3, 3] + fraction[:, None] * (b[:3, 3] - a[:3, 3])


@dataclass(frozen=True, eq=False)
class Arc(ToolPath):
    """The arc of a circle from one pose through a point to another pose.

    >>> round(Arc((1, 0, 0), (0, 1, 0), (-1, 0, 0)).length, 9)
    3.141592654
    """

    start: object
    through: object
    end: object
    length: float = field(init=False)
    _circle: ClassVar[tuple[Any, ...]]  # center, axes and angle, of each

    def __post_init__(self):
        """Center, axes and angle of the circle through three points."""
        a, m, b = (_pose_matrix(x)[:3, 3] for x in (self.start, self.through, self.end))
        u, v = m - a, b - a
        n = np.cross(u, v)
        if np.linalg.norm(n) < 1e-9 * max(float(np.linalg.norm(u) * np.linalg.norm(v)), 1e-300):
            raise ArgumentError("an arc needs three points that are not on one line")
        center = a + (np.cross(n, u) * (v @ v) + np.cross(v, n) * (u @ u)) / (2 * n @ n)
        x = a - center
        z = n / np.linalg.norm(n)
        r = np.linalg.norm(x)
        y = np.cross(z, x)
        angle = float(np.arctan2((b - center) @ y, (b - center) @ x) % (2 * np.pi))
        object.__setattr__(self, "_circle", (center, x, y, angle))
        object.__setattr__(self, "length", float(r * angle))

    def end_poses(self):
        return _pose_matrix(self.start), _pose_matrix(self.end)

    def inner_poses(self):
        if not _has_orientation(self.through):
            return []
        m, (center, x, y, angle) = _pose_matrix(self.through), self._circle
        d = m[:3, 3] - center
        return [(float(np.arctan2(d @ y, d @ x) % (2 * np.pi)) / angle * self.length, m)]

    def points(self, s: np.ndarray):
        center, x, y, angle = self._circle
        t = (s / self.length * angle)[:, None]
        return center + np.cos(t) * x + np.sin(t) * y


@dataclass(frozen=True, eq=False)
class Polyline(ToolPath):
    """Lines through points or poses, with parabolic blends at the corners.  # TR.2

    A blend extends from `blend` [m] before each corner to the same distance after it, so the
    tangent is continuous.  The orientation of a corner pose is reached in the middle of its blend.

    >>> way = Polyline([(0, 0, 0), (1, 0, 0), (1, 1, 0)], blend=0.2)
    >>> abs(way.points([0.0, way.length])[-1] - (1, 1, 0)).max() < 1e-12
    np.True_
    """

    corners: tuple[Any, ...]
    blend: float = 0.05
    length: float = field(init=False)
    _polygon: ClassVar[tuple[Any, ...]]  # lengths and points, of each
    _middle: ClassVar[np.ndarray]  # lengths of the middles of the corners' roundings

    def __post_init__(self):
        """Check the corners, and sample the blends."""
        corners = arguments.listed("polyline", "corners", self.corners, "[(0, 0, 0), (1, 0, 0)]")
        P = np.array([_pose_matrix(c)[:3, 3] for c in corners])
        if len(P) < 2:
            raise ArgumentError("a polyline needs two points or more")
        object.__setattr__(self, "blend", arguments.number("polyline", "blend", self.blend, "m"))
        if self.blend < 0:
            raise ArgumentError(f"polyline: blend: expected zero or more, got {shown(self.blend)}")
        edge_lengths = np.linalg.norm(np.diff(P, axis=0), axis=1)
        if edge_lengths.min() == 0:
            k = int(np.argmin(edge_lengths))
            raise ArgumentError(f"a polyline's corners {k + 1} and {k + 2} are one point; drop one")
        if self.blend * 2 > edge_lengths.min() and len(P) > 2:
            raise ArgumentError(
                f"a polyline with a side of {edge_lengths.min():g} m has no room for corners of "
                f"{self.blend:g} m; use {edge_lengths.min() / 2:g} m or less"
            )
        u = np.linspace(0, 1, 201)[:, None]
        rows = [P[:1]]
        for a, c, b in zip(P[:-2], P[1:-1], P[2:], strict=True):
            p = c + self.blend * (a - c) / np.linalg.norm(a - c)
            r = c + self.blend * (b - c) / np.linalg.norm(b - c)
            rows.append((1 - u) ** 2 * p + 2 * u * (1 - u) * c + u**2 * r)
        rows.append(P[-1:])
        points = np.concatenate(rows)
        at = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
        keep = np.concatenate([[True], np.diff(at) > 1e-15])
        object.__setattr__(self, "_polygon", (at[keep], points[keep]))
        object.__setattr__(self, "_middle", at[101:-1:201])
        object.__setattr__(self, "length", float(at[-1]))

    def end_poses(self):
        return _pose_matrix(self.corners[0]), _pose_matrix(self.corners[-1])

    def inner_poses(self):
        inner = zip(self._middle, self.corners[1:-1], strict=True)
        return [(float(x), _pose_matrix(c)) for x, c in inner if _has_orientation(c)]

    def points(self, s: np.ndarray):
        at, points = self._polygon
        s = np.asarray(s, float)
        return np.stack([np.interp(s, at, points[:, i]) for i in range(3)], -1)


__all__ = ["Arc", "Line", "Polyline", "ToolPath"]
