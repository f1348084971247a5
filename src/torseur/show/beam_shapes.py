"""Deformed shape of flexible beams, drawn as rigid segments.

The pose of each segment follows from the modal coordinates of the beam in its root frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model import Beam, Body
from ..spatial import quaternion_products
from ..system import BeamData, NumberReader
from .model_numbers import ModelNumbers

if TYPE_CHECKING:
    from ..model import Model
    from ..results import Trajectory

SEGMENTS_PER_BEAM = 12
MIDPOINTS = [(i + 0.5) / SEGMENTS_PER_BEAM for i in range(SEGMENTS_PER_BEAM)]  # relative


@dataclass(frozen=True, slots=True, eq=False)
class BeamSegment(Body):
    """A rigid segment of a beam, drawn as a bar.

    `half_length` [m] is half of its length. `beam_index` is the index of the beam among the bodies.
    """

    half_length: float = 0.0
    beam_index: int = 0


class _SegmentedRun:
    """A run with additional pose signals of beam segments."""

    def __init__(self, run, signals: Mapping[str, np.ndarray], units: Mapping[str, str]):
        self._run, self._signals = run, signals
        self.units = {**run.units, **units}

    def __getitem__(self, name):
        return self._signals[name] if name in self._signals else self._run[name]

    def __getattr__(self, name):
        return getattr(self._run, name)


def segment_beams(
    run: Trajectory, model: Model | None, parameters: Mapping[str, Any]
) -> tuple[Any, Any]:
    """Return the run and the model with every beam replaced by segments.

    Both are returned unchanged for a model without beams.
    """
    if model is None:
        return run, model
    beams: list[Any] = [b for b in model.bodies if isinstance(b, Beam)]
    if not beams:
        return run, model
    n = ModelNumbers(parameters)
    parameter_values = {x: n.values.get(x) for x in model.parameters}
    reader = NumberReader(replace(model, parameters=parameter_values))
    signals: dict[str, np.ndarray] = {}
    segments: dict[str, list[BeamSegment]] = {}
    for beam in beams:
        segments[beam.name] = _divide_beam(beam, n, model.bodies.index(beam))
        origin = _joint_position(model, beam, n)
        for segment, xi in zip(segments[beam.name], MIDPOINTS, strict=True):
            for suffix, values in _section_motion(run, BeamData(reader, beam), n, origin, xi):
                signals[f"{segment.name}.{suffix}"] = values
    attach = _SegmentAttachment(n, segments, {b.name: n(b.length) for b in beams})
    segmented = replace(
        model,
        bodies=[p for b in model.bodies for p in segments.get(b.name, [b])],
        joints=[attach.joint(j) for j in model.joints],
        loops=[attach.joint(j) for j in model.loops],
        frames=[attach.end(f, "body") for f in model.frames],
        forces=[attach.element(f) for f in model.forces],
        constraints=[attach.element(c) for c in model.constraints],
        source={},
    )
    units = {s: "m" if ".position." in s else "1" for s in signals}
    return _SegmentedRun(run, signals, units), segmented


def _divide_beam(beam: Beam, n: ModelNumbers, index: int) -> list[BeamSegment]:
    """Divide a beam into equal segments with the inertia of slender rods."""
    length, mass = n(beam.length) / SEGMENTS_PER_BEAM, n(beam.mass) / SEGMENTS_PER_BEAM
    J = mass * length**2 / 12
    return [
        BeamSegment(
            f"{beam.name} at {xi:.2g} L",
            mass=mass,
            inertia=(0, J, J),
            half_length=length / 2,
            beam_index=index,
        )
        for xi in MIDPOINTS
    ]


@dataclass(frozen=True)
class _SegmentAttachment:
    """Attaches joints, frames and elements to segments instead of beams."""

    n: ModelNumbers
    segments: Mapping[str, list[BeamSegment]]
    lengths: Mapping[str, float]

    def point(self, name: str, p) -> tuple[str, tuple[float, float, float]]:
        """Return the segment that contains a point of a beam, and the point in that segment."""
        xi = float(p[0]) / self.lengths[name]
        i = min(max(int(xi * SEGMENTS_PER_BEAM), 0), SEGMENTS_PER_BEAM - 1)
        middle = (i + 0.5) / SEGMENTS_PER_BEAM * self.lengths[name]
        return self.segments[name][i].name, (float(p[0]) - middle, float(p[1]), float(p[2]))

    def end(self, x, field: str, prefix: str = ""):
        """Return a joint, loop or frame whose end on a beam is attached to a segment instead."""
        if (name := getattr(x, field)) not in self.segments:
            return x
        R, p = self.n.pose(x, prefix)
        segment, origin = self.point(name, p)
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = R, origin
        none = {f"{prefix}at": (0, 0, 0), f"{prefix}rpy": (0, 0, 0)}
        return replace(x, **{field: segment, f"{prefix}pose": T} | none)

    def joint(self, x):
        """Return a joint or loop with both ends on segments."""
        return self.end(self.end(x, "parent"), "child", "child_")

    def element(self, x):
        """Return an element whose points on beams are points of segments."""
        if isinstance(x, tuple) and len(x) == 2 and x[0] in self.segments and np.ndim(x[1]) == 1:
            return self.point(x[0], self.n.array(x[1]))
        if isinstance(x, tuple | list):
            new = [self.element(e) for e in x]
            return x if all(a is b for a, b in zip(x, new, strict=True)) else tuple(new)
        if is_dataclass(x) and not isinstance(x, type):
            values = {f.name: getattr(x, f.name) for f in fields(x) if f.init and f.name != "law"}
            changed = {k: v for k, e in values.items() if (v := self.element(e)) is not e}
            return replace(x, **changed) if changed else x
        return self.point(x, (0, 0, 0))[0] if isinstance(x, str) and x in self.segments else x


def _joint_position(model, b, n: ModelNumbers) -> float:
    """Relative position, from 0 to 1, of the joint that carries a beam."""
    joint = next((j for j in model.joints if j.child == b.name), None)
    return 0.0 if joint is None else float(n.pose(joint, "child_")[1][0]) / n(b.length)


def _multiply_quaternions(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Hamilton products of quaternions of shape (4, rows)."""
    return quaternion_products(p.T, q.T).T


def _section_motion(run, beam_data: BeamData, n: ModelNumbers, origin: float, xi: float):
    """Yield pose signals of the section at relative position `xi`, if the run has the beam's
    signals.
    """
    name = beam_data.beam.name
    required = [f"{name}.position.x", f"{name}.orientation.w", f"{name}.{beam_data.names[0][0]}"]
    if any(s not in run.units for s in required):
        return
    q = np.stack([run[f"{name}.{mode}"] for mode, _ in beam_data.names])
    L = n(beam_data.beam.length)

    def section_pose(xi):
        """Position and quaternion of a section relative to the section at the joint."""
        s = beam_data.section(xi, origin)
        shift, rotation, shortening = (
            n.array(rows) for rows in (s.shift, s.rotation, s.shortening)
        )
        p = shift @ q
        p[0] += L * (xi - origin) - 0.5 * np.einsum("ir,ij,jr->r", q, shortening, q)
        e = np.array([np.ones_like(p[0]), *np.zeros_like(p)])
        for axis, angle in ((2, rotation[2] @ q), (1, rotation[1] @ q), (0, rotation[0] @ q)):
            one = np.zeros_like(e)
            one[0], one[1 + axis] = np.cos(angle / 2), np.sin(angle / 2)
            e = _multiply_quaternions(e, one)
        return p, e

    def rotate_vector(e, p):
        """Vectors (3, rows) rotated by quaternions (4, rows)."""
        t = 2 * np.cross(e[1:], p, axis=0)
        return p + e[0] * t + np.cross(e[1:], t, axis=0)

    (p0, e0), (p, e) = section_pose(0.0), section_pose(xi)
    back = e0 * np.array([[1], [-1], [-1], [-1]])
    root = np.stack([run[f"{name}.orientation.{c}"] for c in "wxyz"])
    position = np.stack([run[f"{name}.position.{c}"] for c in "xyz"])
    position = position + rotate_vector(root, rotate_vector(back, p - p0))
    yield from ((f"position.{c}", x) for c, x in zip("xyz", position, strict=True))
    e = _multiply_quaternions(root, _multiply_quaternions(back, e))
    yield from ((f"orientation.{c}", x) for c, x in zip("wxyz", e, strict=True))
