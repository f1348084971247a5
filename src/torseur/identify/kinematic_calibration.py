"""Geometry of a robot from measured poses: Denavit-Hartenberg parameters, and what shows them.

Theory: ID.16.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ArgumentError, ModelWarning, shown, unknown_name
from ..model import DHTable, Joint, Model, dh_table, with_dh
from ..scalars import arguments
from ..views import PrintedAnswer
from .robots.data import si_factor
from .row_table import RowTable

# --------------------------------------------------------------------------------------------
# What `calibrate` is given: a chain as a table or a model, and poses as arrays or a file.


ALONG = ("x", "y", "z")


def chain_of(given: Any) -> DHTable:
    """The table of a model that was made of one, or the table itself; parameters as numbers."""
    if isinstance(given, DHTable):
        return given
    if not isinstance(given, Model):
        raise ArgumentError(
            f"calibrate: expected a ts.DHTable, or a model made of one, got {shown(given)}"
        )
    table = dh_table(given)
    if table is None:
        raise ArgumentError(
            f"calibrate: {given.name!r} has no Denavit-Hartenberg rows (dh: of a file, or "
            "ts.from_dh); give the ts.DHTable of its chain"
        )
    return table


def tool_pose(given: Any, model: Any) -> np.ndarray:
    """Pose of the tool in the last frame: 4 x 4, a place, or the name of a frame of the model."""
    if given is None:
        return np.eye(4)
    if isinstance(given, str):
        if not isinstance(model, Model):
            raise ArgumentError(
                f"calibrate: tool={shown(given)}: a table has no frames; give a model, or 4 x 4"
            )
        return _frame(model, given)
    told = arguments.numbers("calibrate", "tool", given, "m")
    if told.shape not in ((3,), (4, 4)):
        raise ArgumentError(
            f"calibrate: tool={shown(given)}: expected a 4 x 4 pose, (x, y, z) [m], or the name "
            "of a frame"
        )
    out = np.eye(4)
    out[:3, 3] = told[-3:] if told.ndim == 1 else told[:3, 3]
    return out if told.ndim == 1 else told


def _frame(model: Model, name: str) -> np.ndarray:
    from ..kernels import compile as compiled

    last = [j.child for j in model.joints if j.row is not None][-1]
    known = sorted({f.name for f in model.frames} | {b.name for b in model.bodies})
    if name not in known:
        raise ArgumentError(unknown_name("frame or body", name, known, "calibrate, tool"))
    dyn = compiled(model)
    q = np.random.default_rng(0).uniform(-0.5, 0.5, (2, dyn.system.nq))
    one, other = np.linalg.inv(dyn.pose(last, q)) @ dyn.pose(name, q)
    if abs(one - other).max() > 1e-9:
        raise ArgumentError(
            f"calibrate: tool={shown(name)} moves against {last!r}, the body of the last row"
        )
    return one


def measured_poses(path: str | Path, joints: list[str], slides) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates (n, joints) and places (n, 3) of a table with units in its headings:
    q1, q2, ..., or the names of coordinates, and x, y, z."""
    from ..model.formats import read_table, split

    of_joints = [{f"q{i + 1}", n} for i, n in enumerate(joints)]
    wanted = list(zip(of_joints, ("m" if s else "rad" for s in slides), strict=True))
    wanted += [({n, f"position.{n}"}, "m") for n in ALONG]

    def known(head: str) -> set[str]:
        """Names of a column; "tool.position.x" is a place too."""
        name = split(head)[0]
        return {name, ".".join(name.split(".")[-2:])}

    every = set().union(*(names for names, _ in wanted))
    heads, table = read_table(Path(path), lambda h: bool(known(h) & every))
    columns, lacking = [], []
    for names, unit in wanted:
        i = next((i for i, h in enumerate(heads) if known(h) & names), None)
        if i is None:
            lacking.append(" or ".join(map(repr, sorted(names, reverse=True))))
        else:
            columns.append(table[:, i] * si_factor(heads[i], unit, str(path)))
    if lacking:
        raise ArgumentError(
            f"{path}: no column {'; no column '.join(lacking)}; headings there: {', '.join(heads)}"
        )
    found = np.column_stack(columns)
    return found[:, : len(joints)], found[:, len(joints) :]


ANGLE, LENGTH = ("alpha", "theta"), ("d", "r")
HIDDEN = 1e-6  # singular value over the largest: a combination that no pose shows
USUAL = 0.02  # size of corrections [rad or m]: what poses tell less of is not corrected
ROUNDING = 1e-13  # m
SKEW = 0.01  # of a measured rotation: more is none
PASSES = 12


@dataclass(frozen=True, eq=False, repr=False)
class Calibrated(PrintedAnswer):
    """What `calibrate` found.

    `table`: a `DHTable` with corrected numbers; `corrections`: {name: what is added}; `sigma`:
    their standard deviations; `hidden`: groups of which the poses tell less than corrections
    usually are (0.02 m or rad), for their noise or at all, moved as little as possible;
    `residual`: root mean square before and after, positions [m] and, times `length`, angles.
    """

    table: DHTable
    corrections: dict[str, float]
    sigma: dict[str, float]
    hidden: tuple[tuple[str, ...], ...]
    residual: tuple[float, float]
    singular: np.ndarray = field(repr=False)
    model: Model | None = field(default=None, repr=False)  # with the table, where one was given

    def __str__(self):
        before, after = self.residual
        lost = sorted({n for g in self.hidden for n in g})
        tail = f"; the poses do not tell {', '.join(lost)} apart" if lost else ""
        return f"left over {1e3 * before:.4g} mm -> {1e3 * after:.4g} mm{tail}\n{self.rows()}"

    @property
    def observability(self) -> float:
        """Least over largest singular value of what can be seen: near 1 is good."""
        seen = self.singular[self.singular > 0]
        return float(seen[-1] / seen[0])

    def rows(self) -> RowTable:
        """Corrections with their intervals."""
        lost = {n for g in self.hidden for n in g}
        return RowTable(
            {
                "number": n,
                "correction": x,
                "unit": "rad" if n.startswith(ANGLE) else "m",
                "half width 95 %": 1.96 * self.sigma[n],
                "note": "acts with others only" if n in lost else "",
            }
            for n, x in self.corrections.items()
        )


def calibrate(
    table: DHTable | Model,
    q: ArrayLike | str | Path,
    measured: ArrayLike | None = None,
    *,
    tool: Any = None,
    free: Any = None,
    length: float = 1.0,
) -> Calibrated:
    """Denavit-Hartenberg parameters of a chain from measured poses of its last frame.

    Parameters
    ----------
    table : nominal `ts.DHTable`, numbers only; or a model made of one, then `found.model` is the
        model with the corrected table
    q : joint coordinates, (n, joints) [rad or m]; or a CSV file with units in its headings,
        `q1 [deg]`, ... (or names of coordinates), `x [mm]`, `y [mm]`, `z [mm]`
    measured : poses (n, 4, 4), or positions (n, 3) [m], of the tool in the world
    tool : 4 x 4 pose of the tool in the last frame, its origin there, or the name of a frame of the
        model; by default the last frame itself
    free : names such as "alpha2", "r1" (rows count from 1); by default all four of every row
    length : how many meters a radian of a measured orientation counts

    >>> import torseur as ts
    >>> nominal = ts.DHTable([(0, 0, 0, 0.5), ("pi/2", 0.1, 0, 0), (0, 0.4, 0, 0)], "modified")
    >>> rows = [(0, 0, 0, 0.5), ("pi/2", 0.103, 0, 0), (0, 0.398, 0, 0)]
    >>> links = [ts.Body(f"link{i}", 1.0, inertia=(1, 1, 1, 0, 0, 0)) for i in (1, 2, 3)]
    >>> q = np.random.default_rng(0).uniform(-2, 2, (20, 3))
    >>> T = ts.compile(ts.from_dh(rows, links, convention="modified")).pose("link3", q)
    >>> found = calibrate(nominal, q, T, free=("d2", "d3"))
    >>> {n: round(x, 9) for n, x in found.corrections.items()}
    {'d2': 0.003, 'd3': -0.002}
    """
    given, table = table, chain_of(table)
    chain = _Chain(table, tool_pose(tool, given))
    if isinstance(q, str | Path):
        joints = given.joints if isinstance(given, Model) else table.rows
        called = [_coordinate(j) for j in joints if not isinstance(j, Joint) or j.row]
        q, measured = measured_poses(q, called, chain.slides)
    if measured is None:
        raise ArgumentError("calibrate: give measured, poses (n, 4, 4) or positions (n, 3) [m]")
    length = arguments.number("calibrate", "length", length, "m", above=0.0)
    names = chain.names if free is None else (free,) if isinstance(free, str) else tuple(free)
    bad = [n for n in names if n not in chain.names]
    if bad:
        raise ArgumentError(
            f"calibrate: free has {', '.join(map(repr, bad))}; known: {', '.join(chain.names)}"
        )
    q, measured = (_array(n, x) for n, x in (("q", q), ("measured", measured)))
    if q.ndim != 2 or q.shape[1] != len(table.rows) or len(q) != len(measured):
        raise ArgumentError(
            f"calibrate: q has shape {q.shape} and measured {measured.shape}; "
            f"expected (n, {len(table.rows)}) and (n, 4, 4) or (n, 3)"
        )
    if measured.shape[1:] not in ((4, 4), (3,)):
        raise ArgumentError(
            f"calibrate: measured has shape {measured.shape}; expected (n, 4, 4) "
            "poses or (n, 3) positions"
        )
    for what, x in (("q", q), ("measured", measured)):
        if not np.isfinite(x).all():
            row = int(np.argwhere(~np.isfinite(x))[0][0])
            raise ArgumentError(f"calibrate: {what} holds what is no number in row {row + 1}")
    if not len(q):
        raise ArgumentError("calibrate: no poses were measured: q has no rows")
    if measured.ndim == 3:
        R = measured[:, :3, :3]
        off = abs(R @ np.swapaxes(R, 1, 2) - np.eye(3)).max(axis=(1, 2))
        if (wrong := (off > SKEW) | (np.linalg.det(R) < 0)).any():
            raise ArgumentError(
                f"calibrate: measured is no pose in row {int(np.argmax(wrong)) + 1} ({wrong.sum()} "
                "such rows): its 3 x 3 is no rotation; give [[R, p], [0, 1]], right-handed"
            )
    at = [chain.names.index(n) for n in names]

    def residual(x):
        p = np.zeros(len(chain.names))
        p[at] = x
        return _off(chain.poses(q, p), measured, length)

    before = residual(np.zeros(len(at)))
    x, noise = _found(residual, len(at))
    J = _slopes(residual, x)
    _, own, V = np.linalg.svd(np.linalg.qr(J, mode="r"), full_matrices=True)
    s = np.append(own, np.zeros(len(V) - len(own)))
    spread = (V.T**2) @ (1 / ((s / noise) ** 2 + USUAL**-2))  # ID.16
    seen = s > max(HIDDEN * s[0], noise / USUAL)
    hidden = tuple(tuple(names[i] for i in np.flatnonzero(abs(row) > 0.1)) for row in V[~seen])
    corrected, after = chain.corrected(dict(zip(names, x, strict=True))), _rms(residual(x))
    if after > USUAL:
        warnings.warn(
            f"calibrate: {1e3 * after:.4g} mm are left over, which is no noise; coordinates are in "
            "rad or m, positions in m, of the tool (tool=) in the world (the table's base)",
            ModelWarning,
            stacklevel=2,
        )
    return Calibrated(
        corrected,
        dict(zip(names, x.tolist(), strict=True)),
        dict(zip(names, np.sqrt(spread).tolist(), strict=True)),
        hidden,
        (_rms(before), after),
        np.where(seen, s, 0.0),
        with_dh(given, corrected) if isinstance(given, Model) else None,
    )


def _coordinate(j: Any) -> str:
    """The coordinate of a joint; a row alone has none."""
    return f"{j.name}.{j.kind.coordinates[0][0]}" if isinstance(j, Joint) else ""


def _array(name: str, x: Any) -> np.ndarray:
    try:
        return np.asarray(x, float)
    except (TypeError, ValueError):
        raise ArgumentError(f"calibrate: {name}: expected numbers, got {shown(x)}") from None


def _found(residual, n: int) -> tuple[np.ndarray, float]:
    """Corrections, and the noise of the measured numbers: ID.16.

    What the poses hardly show stays as small as corrections usually are; the noise decides what
    that is, and comes from what the last corrections leave over.
    """
    from scipy.optimize import least_squares

    x, noise = np.zeros(n), np.inf
    for _ in range(PASSES):
        r = residual(x)
        now = max(float(np.sqrt((r @ r) / max(1, len(r) - n))), ROUNDING)
        if now > 0.999 * noise:
            break
        noise = now
        pull = noise / USUAL

        def both(y, pull=pull):
            return np.concatenate([residual(y), pull * y])

        x = least_squares(
            both,
            x,
            jac=lambda y, both=both: _slopes(both, y),
            method="trf",
            xtol=1e-15,
            ftol=1e-15,
            gtol=None,
            max_nfev=100,
        ).x
    return x, noise


def _rms(r) -> float:
    return float(np.sqrt((r**2).mean()))


def _slopes(f, x, h=1e-6) -> np.ndarray:
    """Central differences, all poses at once."""
    return np.stack([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(len(x))], axis=1)


def _off(T, measured, length) -> np.ndarray:
    if measured.ndim == 2:
        return (T[:, :3, 3] - measured).ravel()
    from scipy.spatial.transform import Rotation

    turn = Rotation.from_matrix(np.swapaxes(measured[:, :3, :3], 1, 2) @ T[:, :3, :3]).as_rotvec()
    return np.concatenate([(T[:, :3, 3] - measured[:, :3, 3]).ravel(), length * turn.ravel()])


class _Chain:
    """Poses of the last frame for many coordinates at once, with corrections of the table."""

    def __init__(self, table, tool):
        if any(table.parent(i) != i - 1 for i in range(len(table.rows))):
            raise ArgumentError("calibrate: the table branches; calibrate one chain at a time")
        from ..scalars.values import value

        self.given, self.classic = table, table.convention == "classic"
        self.rows = np.array(
            [
                [
                    float(value.nominal(value.exact(getattr(r, n)), {}))
                    for n in ("alpha", "d", "theta", "r")
                ]
                for r in table.rows
            ]
        )
        self.slides = np.array([r.joint == "P" for r in table.rows])
        self.base = np.eye(4) if table.base is None else np.asarray(table.base, float)
        self.tool = tool
        self.names = tuple(
            f"{n}{i + 1}" for i in range(len(table.rows)) for n in ("alpha", "d", "theta", "r")
        )

    def poses(self, q, p) -> np.ndarray:
        rows = self.rows + p.reshape(self.rows.shape)
        T = np.broadcast_to(self.base, (len(q), 4, 4))
        for (alpha, d, theta, r), slides, x in zip(rows, self.slides, q.T, strict=True):
            X = _screw(0, np.full(len(q), alpha), np.full(len(q), d))
            Z = _screw(2, theta + (0 if slides else x), r + (x if slides else 0))
            T = T @ (Z @ X if self.classic else X @ Z)
        return T @ self.tool

    def corrected(self, found) -> DHTable:
        """The table with its numbers changed."""
        rows = []
        for i, (row, own) in enumerate(zip(self.given.rows, self.rows, strict=True), 1):
            now = dict(zip(("alpha", "d", "theta", "r"), own, strict=True))
            changed = {n: float(now[n] + found[f"{n}{i}"]) for n in now if f"{n}{i}" in found}
            rows.append(replace(row, **changed))
        return DHTable(tuple(rows), self.given.convention, self.given.base)


def _screw(axis, angle, way) -> np.ndarray:
    """Turn about and slide along x (0) or z (2), many at once."""
    angle, way = np.broadcast_arrays(np.asarray(angle, float), np.asarray(way, float))
    c, s, T = np.cos(angle), np.sin(angle), np.zeros((len(angle), 4, 4))
    j, k = (1, 2) if axis == 0 else (0, 1)
    T[:, axis, axis] = T[:, 3, 3] = 1
    T[:, j, j] = T[:, k, k] = c
    T[:, j, k], T[:, k, j] = -s, s
    T[:, axis, 3] = way
    return T
