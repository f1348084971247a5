"""Numeric values of a model description, and poses of bodies and frames along a run."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..joints import TIME, unit_axis
from ..scalars import Floats
from ..scalars.values import value
from ..spatial import rotation_matrices
from .primitives import rpy_matrix


class ModelNumbers:
    """Evaluates numbers, expressions and parameters of a model description as floats."""

    def __init__(self, parameters):
        values = {n: float(x) for n, x in parameters.items() if x is not None}
        self.values = {TIME: 0.0} | values  # what time moves is drawn where it starts
        self.K = Floats(self.values)

    def __call__(self, x) -> float:
        return float(self.K.number(value.exact(x)))

    def array(self, x: Any) -> np.ndarray:
        return np.array([self.array(e) if np.ndim(e) else self(e) for e in x])

    def axis(self, x: Any) -> np.ndarray:
        """Unit vector of a direction: "x", "-x" or three numbers."""
        sign = -1.0 if isinstance(x, str) and x.startswith("-") else 1.0
        d = self.array(unit_axis(x.lstrip("-") if isinstance(x, str) else tuple(x)))
        return sign * d / np.linalg.norm(d)

    def evaluate_formula(self, text: Any, **variables) -> float:
        """Evaluate an expression with additional variables."""
        return float(Floats(self.values | variables).number(value.exact(text)))

    def pose(self, element: Any, prefix: str = "") -> tuple[np.ndarray, np.ndarray]:
        """Rotation matrix and origin of a joint, loop or frame."""
        matrix = getattr(element, f"{prefix}pose", None)
        if matrix is not None:
            X = self.array(np.asarray(matrix, dtype=object).tolist())
            return X[:3, :3], X[:3, 3]
        return (
            rpy_matrix(self.array(getattr(element, f"{prefix}rpy"))),
            self.array(getattr(element, f"{prefix}at")),
        )

    def locate_end(self, end: Any) -> dict[str, Any]:
        """Describe an end of a force: a body or frame, optionally with a point."""
        name, point = (end, (0, 0, 0)) if isinstance(end, str) else end
        return {"on": name, "at": self.array(point).tolist()}


def mass_properties(b: Any, n: ModelNumbers) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, center of mass, and inertia matrix about the center of mass of a body."""
    m = n(b.mass)
    if b.first_moment is not None:
        com = n.array(b.first_moment) / m if m else np.zeros(3)
    else:
        com = n.array(b.com)
    I = n.array(np.asarray(b.inertia, dtype=object).tolist())
    if I.shape != (3, 3):
        xx, yy, zz, xy, xz, yz = I
        I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if b.about == "origin":
        I = I - m * (com @ com * np.eye(3) - np.outer(com, com))
    return m, com, I


class FramePoses:
    """Poses of bodies and frames along a run: rotations (rows, 3, 3) and origins (rows, 3)."""

    def __init__(self, run, model, n: ModelNumbers):
        self.run, self.n = run, n
        self.frames = {f.name: (f.body, *n.pose(f)) for f in model.frames}
        self.bodies = {b.name for b in model.bodies}

    def pose_on_body(self, end: Any) -> tuple[str, np.ndarray, np.ndarray]:
        """Return the body that carries an end, and the pose of the end in that body."""
        name, point = (end, (0, 0, 0)) if isinstance(end, str) else end
        body, R, p = self.frames.get(name, (name, np.eye(3), np.zeros(3)))
        return body, R, p + R @ self.n.array(point)

    def has_pose(self, body: str) -> bool:
        return f"{body}.position.x" in self.run.units and f"{body}.orientation.w" in self.run.units

    def body_poses(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Poses of a body at every time point. The world and unknown bodies are fixed at the
        origin.
        """
        rows = len(self.run.time)
        if not self.has_pose(name):
            return np.broadcast_to(np.eye(3), (rows, 3, 3)), np.zeros((rows, 3))
        p = np.stack([self.run[f"{name}.position.{c}"] for c in "xyz"], axis=1)
        quaternions = np.stack([self.run[f"{name}.orientation.{c}"] for c in "wxyz"], axis=1)
        return rotation_matrices(quaternions), p

    def point_path(self, end: Any, observer: Any = "world") -> np.ndarray:
        """Path (rows, 3) of an end, in the coordinates of another end."""
        body, _, at = self.pose_on_body(end)
        R, p = self.body_poses(body)
        world = p + R @ at
        other, S, origin = self.pose_on_body(observer)
        Q, o = self.body_poses(other)
        return np.einsum("rji,rj->ri", Q, world - o) @ S - S.T @ origin
