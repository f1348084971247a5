"""Beams as pieces that a view can draw: where each is follows from the beam's coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np

from ..model import Beam, Body
from ..spatial import quaternion_products
from ..system import BeamData, NumberReader
from .model_numbers import Numbers

PIECES = 12  # of a beam


@dataclass(frozen=True, slots=True, eq=False)
class BeamPiece(Body):
    """A piece of a beam, drawn as a bar; `of` is the number of the beam among the bodies."""

    half: float = 0.0
    of: int = 0


class _Shown:
    """A run with signals of pieces beside its own."""

    def __init__(self, run, more: Mapping[str, np.ndarray], units: Mapping[str, str]):
        self._run, self._more = run, more
        self.units = {**run.units, **units}

    def __getitem__(self, name):
        return self._more[name] if name in self._more else self._run[name]

    def __getattr__(self, name):
        return getattr(self._run, name)


def bent(run, model, parameters) -> tuple[Any, Any]:
    """The run and the model with every beam as pieces; both as they are where there is none."""
    if model is None or not any(isinstance(b, Beam) for b in model.bodies):
        return run, model
    beams = [b for b in model.bodies if isinstance(b, Beam)]
    n = Numbers(parameters)
    given = {x: n.known.get(x) for x in model.parameters}
    reader = NumberReader(replace(model, parameters=given))
    signals: dict[str, np.ndarray] = {}
    pieces: dict[str, list[BeamPiece]] = {}
    lengths: dict[str, float] = {}
    for b in beams:
        L = lengths[b.name] = n(b.length)
        mass = n(b.mass) / PIECES
        J = mass * (L / PIECES) ** 2 / 12
        number = model.bodies.index(b)
        shares = [(i + 0.5) / PIECES for i in range(PIECES)]
        names = [f"{b.name} at {x:.2g} L" for x in shares]
        more = {"mass": mass, "inertia": (0, J, J), "half": L / PIECES / 2, "of": number}
        pieces[b.name] = [BeamPiece(x, **more) for x in names]
        for name, at in zip(names, shares, strict=True):
            for what, values in _motion(run, BeamData(reader, b), n, _origin(model, b, n), at):
                signals[f"{name}.{what}"] = values
    bodies = [p for b in model.bodies for p in pieces.get(b.name, [b])]

    def on(name, p):
        """The piece that holds a point of a beam, and the point in it."""
        xi = float(p[0]) / lengths[name]
        i = min(max(int(xi * PIECES), 0), PIECES - 1)
        mid = (i + 0.5) / PIECES * lengths[name]
        return pieces[name][i].name, (float(p[0]) - mid, float(p[1]), float(p[2]))

    def moved(x, end, prefix=""):
        """A joint, loop or frame with one of its ends on the piece that is there."""
        if (name := getattr(x, end)) not in pieces:
            return x
        R, p = n.pose(x, prefix)
        piece, at = on(name, p)
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = R, at
        none = {f"{prefix}at": (0, 0, 0), f"{prefix}rpy": (0, 0, 0)}
        return replace(x, **{end: piece, f"{prefix}pose": T} | none)

    def joined(x):
        return moved(moved(x, "parent"), "child", "child_")

    def on_pieces(x):
        """An element with its points on pieces."""
        if isinstance(x, tuple) and len(x) == 2 and x[0] in pieces and np.ndim(x[1]) == 1:
            return on(x[0], n.array(x[1]))
        if isinstance(x, tuple | list):
            new = [on_pieces(e) for e in x]
            return x if all(a is b for a, b in zip(x, new, strict=True)) else tuple(new)
        if is_dataclass(x) and not isinstance(x, type):
            own = {f.name: getattr(x, f.name) for f in fields(x) if f.init and f.name != "law"}
            changed = {k: v for k, e in own.items() if (v := on_pieces(e)) is not e}
            return replace(x, **changed) if changed else x
        return on(x, (0, 0, 0))[0] if isinstance(x, str) and x in pieces else x

    drawn = replace(
        model,
        bodies=bodies,
        joints=[joined(j) for j in model.joints],
        loops=[joined(j) for j in model.loops],
        frames=[moved(f, "body") for f in model.frames],
        forces=[on_pieces(f) for f in model.forces],
        constraints=[on_pieces(c) for c in model.constraints],
        source={},
    )
    units = {s: "m" if ".position." in s else "1" for s in signals}
    return _Shown(run, signals, units), drawn


def _origin(model, b, n: Numbers) -> float:
    """The share of the length at which a joint holds a beam."""
    joint = next((j for j in model.joints if j.child == b.name), None)
    return 0.0 if joint is None else float(n.pose(joint, "child_")[1][0]) / n(b.length)


def _product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Hamilton products of quaternions of shape (4, rows)."""
    return quaternion_products(p.T, q.T).T


def _motion(run, numbers: BeamData, n: Numbers, origin: float, at: float):
    """Position and orientation of a section at every row, where the run has them."""
    name = numbers.beam.name
    wanted = [f"{name}.position.x", f"{name}.orientation.w", f"{name}.{numbers.names[0][0]}"]
    if any(s not in run.units for s in wanted):
        return
    q = np.stack([run[f"{name}.{mode}"] for mode, _ in numbers.names])
    L = n(numbers.beam.length)

    def seen(xi):
        """Position and quaternion of a section, seen from the one that is held."""
        s = numbers.section(xi, origin)
        shift, turn, bow = (n.array(rows) for rows in (s.shift, s.rotation, s.shortening))
        p = shift @ q
        p[0] += L * (xi - origin) - 0.5 * np.einsum("ir,ij,jr->r", q, bow, q)
        e = np.array([np.ones_like(p[0]), *np.zeros_like(p)])
        for axis, angle in ((2, turn[2] @ q), (1, turn[1] @ q), (0, turn[0] @ q)):
            one = np.zeros_like(e)
            one[0], one[1 + axis] = np.cos(angle / 2), np.sin(angle / 2)
            e = _product(e, one)
        return p, e

    def turned(e, p):
        """A vector turned by a quaternion."""
        t = 2 * np.cross(e[1:], p, axis=0)
        return p + e[0] * t + np.cross(e[1:], t, axis=0)

    (p0, e0), (p, e) = seen(0.0), seen(at)
    back = e0 * np.array([[1], [-1], [-1], [-1]])
    root = np.stack([run[f"{name}.orientation.{c}"] for c in "wxyz"])
    position = np.stack([run[f"{name}.position.{c}"] for c in "xyz"])
    position = position + turned(root, turned(back, p - p0))
    yield from ((f"position.{c}", x) for c, x in zip("xyz", position, strict=True))
    e = _product(root, _product(back, e))
    yield from ((f"orientation.{c}", x) for c, x in zip("wxyz", e, strict=True))
