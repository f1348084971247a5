"""Kinematic calibration: Denavit-Hartenberg parameters of a robot from measured poses.

Regularized nonlinear least squares on corrections of the table; the noise of the poses is estimated
too (Hollerbach and Wampler 1996).  Combinations that no pose shows stay zero.  Equation ID.16.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ArgumentError, ModelWarning, shown, unknown_name_message
from ..model import DHTable, Joint, Model, dh_table, with_dh
from ..scalars import arguments
from ..scalars.values import value
from ..views import PrintedAnswer
from .robots.data import si_factor
from .row_table import RowTable

ANGLES, PARAMETERS = ("alpha", "theta"), ("alpha", "d", "theta", "r")
MIN_SINGULAR_VALUE = 1e-6  # of the largest: a combination that no pose shows
CORRECTION_SIZE = 0.02  # [rad or m] standard deviation of corrections before the measurement
MIN_NOISE = 1e-13  # [m] rounding
ORTHOGONALITY_TOLERANCE = 0.01  # of a measured rotation
MIN_PARTICIPATION = 0.1  # of a parameter in a hidden combination
NOISE_PASSES = 12
DIFFERENCE_STEP = 1e-6  # [rad or m]

Residual = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False, repr=False)
class Calibrated(PrintedAnswer):
    """Result of `calibrate`.

    `table`: a `DHTable` with corrected numbers; `corrections`: {name: number that is added};
    `sigma`: their standard deviations; `hidden`: groups of parameters whose combination the poses
    do not determine to the usual size of corrections (0.02 m or rad), corrected as little as
    possible; `residual`: root mean square before and after, positions [m] and, times `length`,
    angles.
    """

    table: DHTable
    corrections: dict[str, float]
    sigma: dict[str, float]
    hidden: tuple[tuple[str, ...], ...]
    residual: tuple[float, float]
    singular: np.ndarray = field(repr=False)
    model: Model | None = field(
        default=None, repr=False
    )  # with the corrected table, if one was given

    def __str__(self):
        before, after = self.residual
        ambiguous = sorted({n for g in self.hidden for n in g})
        tail = f"; the poses do not separate {', '.join(ambiguous)}" if ambiguous else ""
        return f"residual {1e3 * before:.4g} mm -> {1e3 * after:.4g} mm{tail}\n{self.rows()}"

    @property
    def observability(self) -> float:
        """Smallest over largest singular value of the combinations that the poses show."""
        singular = self.singular[self.singular > 0]
        return float(singular[-1] / singular[0])

    def rows(self) -> RowTable:
        """Corrections with their intervals."""
        ambiguous = {n for g in self.hidden for n in g}
        return RowTable(
            {
                "number": n,
                "correction": x,
                "unit": "rad" if n.startswith(ANGLES) else "m",
                "half width 95 %": 1.96 * self.sigma[n],
                "note": "acts with others only" if n in ambiguous else "",
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
    table : nominal `ts.DHTable`, numbers only; or a model made of one, then `result.model` is the
        model with the corrected table
    q : joint coordinates, (n, joints) [rad or m]; or a CSV file with units in its headings,
        `q1 [deg]`, ... (or names of coordinates), `x [mm]`, `y [mm]`, `z [mm]`
    measured : poses (n, 4, 4), or positions (n, 3) [m], of the tool in the world
    tool : 4 x 4 pose of the tool in the last frame, its origin there, or the name of a frame of the
        model; by default the last frame itself
    free : names such as "alpha2", "r1" (rows count from 1); by default all four of every row
    length : weight of orientations: meters for one radian

    >>> import torseur as ts
    >>> nominal = ts.DHTable([(0, 0, 0, 0.5), ("pi/2", 0.1, 0, 0), (0, 0.4, 0, 0)], "modified")
    >>> rows = [(0, 0, 0, 0.5), ("pi/2", 0.103, 0, 0), (0, 0.398, 0, 0)]
    >>> links = [ts.Body(f"link{i}", 1.0, inertia=(1, 1, 1, 0, 0, 0)) for i in (1, 2, 3)]
    >>> q = np.random.default_rng(0).uniform(-2, 2, (20, 3))
    >>> T = ts.compile(ts.from_dh(rows, links, convention="modified")).pose("link3", q)
    >>> result = calibrate(nominal, q, T, free=("d2", "d3"))
    >>> {n: round(x, 9) for n, x in result.corrections.items()}
    {'d2': 0.003, 'd3': -0.002}
    """
    nominal, table = table, read_table_of(table)
    chain = _Chain(table, tool_pose(tool, nominal))
    if isinstance(q, str | Path):
        joints = nominal.joints if isinstance(nominal, Model) else table.rows
        coordinates = [_coordinate_name(j) for j in joints if not isinstance(j, Joint) or j.row]
        q, measured = read_poses(q, coordinates, chain.is_prismatic)
    length = arguments.number("calibrate", "length", length, "m", above=0.0)
    names = chain.names if free is None else (free,) if isinstance(free, str) else tuple(free)
    if unknown := [n for n in names if n not in chain.names]:
        raise ArgumentError(
            f"calibrate: free has {', '.join(map(repr, unknown))}; known: {', '.join(chain.names)}"
        )
    q, measured = _check_poses(q, measured, len(table.rows))
    indices = [chain.names.index(n) for n in names]

    def residual(x: np.ndarray) -> np.ndarray:
        p = np.zeros(len(chain.names))
        p[indices] = x
        return _pose_errors(chain.poses(q, p), measured, length)

    before = residual(np.zeros(len(indices)))
    x, noise = _solve_regularized(residual, len(indices))
    _, s, V = np.linalg.svd(np.linalg.qr(_jacobian(residual, x), mode="r"), full_matrices=True)
    s = np.append(s, np.zeros(len(V) - len(s)))
    variance = (V.T**2) @ (1 / ((s / noise) ** 2 + CORRECTION_SIZE**-2))  # ID.16
    is_observable = s > max(MIN_SINGULAR_VALUE * s[0], noise / CORRECTION_SIZE)
    hidden = tuple(
        tuple(names[i] for i in np.flatnonzero(abs(row) > MIN_PARTICIPATION))
        for row in V[~is_observable]
    )
    corrected, after = chain.corrected(dict(zip(names, x, strict=True))), _rms(residual(x))
    if after > CORRECTION_SIZE:
        warnings.warn(
            f"calibrate: residual {1e3 * after:.4g} mm, which is no noise; coordinates are in "
            "rad or m, positions in m, of the tool (tool=) in the world (the table's base)",
            ModelWarning,
            stacklevel=2,
        )
    return Calibrated(
        corrected,
        dict(zip(names, x.tolist(), strict=True)),
        dict(zip(names, np.sqrt(variance).tolist(), strict=True)),
        hidden,
        (_rms(before), after),
        np.where(is_observable, s, 0.0),
        with_dh(nominal, corrected) if isinstance(nominal, Model) else None,
    )


# ---- arguments ---------------------------------------------------------------------------------


def read_table_of(source: Any) -> DHTable:
    """The Denavit-Hartenberg table of a model that was made of one, or the table itself."""
    if isinstance(source, DHTable):
        return source
    if not isinstance(source, Model):
        raise ArgumentError(
            f"calibrate: expected a ts.DHTable, or a model made of one, got {shown(source)}"
        )
    table = dh_table(source)
    if table is None:
        raise ArgumentError(
            f"calibrate: {source.name!r} has no Denavit-Hartenberg rows (dh: of a file, or "
            "ts.from_dh); give the ts.DHTable of its chain"
        )
    return table


def tool_pose(tool: Any, model: Any) -> np.ndarray:
    """4 x 4 pose of the tool in the last frame, from a pose, an origin, or the name of a frame."""
    if tool is None:
        return np.eye(4)
    if isinstance(tool, str):
        if not isinstance(model, Model):
            raise ArgumentError(
                f"calibrate: tool={shown(tool)}: a table has no frames; give a model, or 4 x 4"
            )
        return _frame_pose(model, tool)
    pose = arguments.numbers("calibrate", "tool", tool, "m")
    if pose.shape not in ((3,), (4, 4)):
        raise ArgumentError(
            f"calibrate: tool={shown(tool)}: expected a 4 x 4 pose, (x, y, z) [m], or the name "
            "of a frame"
        )
    if pose.ndim == 2:
        return pose
    T = np.eye(4)
    T[:3, 3] = pose
    return T


def _frame_pose(model: Model, name: str) -> np.ndarray:
    """Pose of a frame in the body of the last row; it must be constant."""
    from ..kernels import compile

    last = [j.child for j in model.joints if j.row is not None][-1]
    names = sorted({f.name for f in model.frames} | {b.name for b in model.bodies})
    if name not in names:
        raise ArgumentError(unknown_name_message("frame or body", name, names, "calibrate, tool"))
    dyn = compile(model)
    q = np.random.default_rng(0).uniform(-0.5, 0.5, (2, dyn.system.nq))
    first, second = np.linalg.inv(dyn.pose(last, q)) @ dyn.pose(name, q)
    if abs(first - second).max() > 1e-9:
        raise ArgumentError(
            f"calibrate: tool={shown(name)} moves against {last!r}, the body of the last row"
        )
    return first


def _coordinate_name(joint: Any) -> str:
    """Name of a joint's coordinate; a row of a table has none."""
    return f"{joint.name}.{joint.kind.coordinates[0][0]}" if isinstance(joint, Joint) else ""


def read_poses(
    path: str | Path, coordinates: list[str], is_prismatic: Sequence[bool] | np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates (n, joints) and positions (n, 3) of a table with units in its headings.

    Its columns are q1, q2, ..., or the names of coordinates, and x, y, z.
    """
    from ..model.formats import read_table, split

    accepted = [{f"q{i + 1}", n} for i, n in enumerate(coordinates)]
    columns = list(zip(accepted, ("m" if s else "rad" for s in is_prismatic), strict=True))
    columns += [({n, f"position.{n}"}, "m") for n in "xyz"]

    def names_of(heading: str) -> set[str]:
        """Names of a column: "tool.position.x" is a position too."""
        name = split(heading)[0]
        return {name, ".".join(name.split(".")[-2:])}

    every = set().union(*(names for names, _ in columns))
    headings, table = read_table(Path(path), lambda h: bool(names_of(h) & every))
    numbers, missing = [], []
    for names, unit in columns:
        i = next((i for i, h in enumerate(headings) if names_of(h) & names), None)
        if i is None:
            missing.append(" or ".join(map(repr, sorted(names, reverse=True))))
        else:
            numbers.append(table[:, i] * si_factor(headings[i], unit, str(path)))
    if missing:
        raise ArgumentError(
            f"{path}: no column {'; no column '.join(missing)}; headings there: "
            f"{', '.join(headings)}"
        )
    stacked = np.column_stack(numbers)
    return stacked[:, : len(coordinates)], stacked[:, len(coordinates) :]


def _check_poses(q: Any, measured: Any, joints: int) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and poses or positions as arrays of matching shapes, finite, with rotations."""
    if measured is None:
        raise ArgumentError("calibrate: give measured, poses (n, 4, 4) or positions (n, 3) [m]")
    arrays = []
    for name, array in (("q", q), ("measured", measured)):
        try:
            arrays.append(np.asarray(array, float))
        except (TypeError, ValueError):
            raise ArgumentError(
                f"calibrate: {name}: expected numbers, got {shown(array)}"
            ) from None
    q, measured = arrays
    if q.ndim != 2 or q.shape[1] != joints or len(q) != len(measured):
        raise ArgumentError(
            f"calibrate: q has shape {q.shape} and measured {measured.shape}; "
            f"expected (n, {joints}) and (n, 4, 4) or (n, 3)"
        )
    if measured.shape[1:] not in ((4, 4), (3,)):
        raise ArgumentError(
            f"calibrate: measured has shape {measured.shape}; expected (n, 4, 4) "
            "poses or (n, 3) positions"
        )
    for name, x in (("q", q), ("measured", measured)):
        if not np.isfinite(x).all():
            row = int(np.argwhere(~np.isfinite(x))[0][0])
            raise ArgumentError(f"calibrate: {name}: row {row + 1} is not finite")
    if not len(q):
        raise ArgumentError("calibrate: no poses were measured: q has no rows")
    if measured.ndim == 3:
        R = measured[:, :3, :3]
        error = abs(R @ np.swapaxes(R, 1, 2) - np.eye(3)).max(axis=(1, 2))
        bad = (error > ORTHOGONALITY_TOLERANCE) | (np.linalg.det(R) < 0)
        if bad.any():
            raise ArgumentError(
                f"calibrate: measured is no pose in row {int(np.argmax(bad)) + 1} ({bad.sum()} "
                "such rows): its 3 x 3 is no rotation; give [[R, p], [0, 1]], right-handed"
            )
    return q, measured


# ---- least squares -----------------------------------------------------------------------------


def _solve_regularized(residual: Residual, n: int) -> tuple[np.ndarray, float]:
    """Corrections and the noise of the measured numbers: ID.16.

    Corrections have a prior of their usual size, weighted by the noise.  The noise is that of the
    residual of the last pass.
    """
    from scipy.optimize import least_squares

    x, noise = np.zeros(n), np.inf
    for _ in range(NOISE_PASSES):
        r = residual(x)
        rms = max(float(np.sqrt((r @ r) / max(1, len(r) - n))), MIN_NOISE)
        if rms > 0.999 * noise:
            break
        noise = rms
        weight = noise / CORRECTION_SIZE

        def regularized(y: np.ndarray, weight: float = weight) -> np.ndarray:
            return np.concatenate([residual(y), weight * y])

        x = least_squares(
            regularized,
            x,
            jac=lambda y, f=regularized: _jacobian(f, y),
            method="trf",
            xtol=1e-15,
            ftol=1e-15,
            gtol=None,
            max_nfev=100,
        ).x
    return x, noise


def _rms(r: np.ndarray) -> float:
    return float(np.sqrt((r**2).mean()))


def _jacobian(f: Residual, x: np.ndarray, h: float = DIFFERENCE_STEP) -> np.ndarray:
    """Jacobian by central differences."""
    return np.stack([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(len(x))], axis=1)


def _pose_errors(T: np.ndarray, measured: np.ndarray, length: float) -> np.ndarray:
    """Errors of positions [m] and, times `length`, rotation vectors, in one row."""
    if measured.ndim == 2:
        return (T[:, :3, 3] - measured).ravel()
    from scipy.spatial.transform import Rotation

    R = np.swapaxes(measured[:, :3, :3], 1, 2) @ T[:, :3, :3]
    rotation = Rotation.from_matrix(R).as_rotvec()
    position = T[:, :3, 3] - measured[:, :3, 3]
    return np.concatenate([position.ravel(), length * rotation.ravel()])


class _Chain:
    """Poses of the last frame for many coordinates at once, with corrections of the table."""

    def __init__(self, table: DHTable, tool: np.ndarray):
        if any(table.parent(i) != i - 1 for i in range(len(table.rows))):
            raise ArgumentError("calibrate: the table branches; calibrate one chain at a time")
        self.table, self.is_classic = table, table.convention == "classic"
        self.rows = np.array(
            [
                [float(value.nominal(value.exact(getattr(r, n)), {})) for n in PARAMETERS]
                for r in table.rows
            ]
        )
        self.is_prismatic = np.array([r.joint == "P" for r in table.rows])
        self.base = np.eye(4) if table.base is None else np.asarray(table.base, float)
        self.tool = tool
        self.names = tuple(f"{n}{i + 1}" for i in range(len(table.rows)) for n in PARAMETERS)

    def poses(self, q: np.ndarray, p: np.ndarray) -> np.ndarray:
        """(n, 4, 4) poses of the tool for coordinates q and corrections p."""
        rows = self.rows + p.reshape(self.rows.shape)
        T = np.broadcast_to(self.base, (len(q), 4, 4))
        for (alpha, d, theta, r), prismatic, x in zip(rows, self.is_prismatic, q.T, strict=True):
            X = _screw_poses(0, np.full(len(q), alpha), np.full(len(q), d))
            Z = _screw_poses(2, theta + (0 if prismatic else x), r + (x if prismatic else 0))
            T = T @ (Z @ X if self.is_classic else X @ Z)
        return T @ self.tool

    def corrected(self, corrections: dict[str, float]) -> DHTable:
        """The table with corrections added to its numbers."""
        rows = []
        for i, (row, numbers) in enumerate(zip(self.table.rows, self.rows, strict=True), 1):
            changed = {
                n: float(x + corrections[f"{n}{i}"])
                for n, x in zip(PARAMETERS, numbers, strict=True)
                if f"{n}{i}" in corrections
            }
            rows.append(replace(row, **changed))
        return DHTable(tuple(rows), self.table.convention, self.table.base)


def _screw_poses(axis: int, angle: ArrayLike, distance: ArrayLike) -> np.ndarray:
    """Rotation about and translation along x (0) or z (2), (n, 4, 4)."""
    angle, distance = np.broadcast_arrays(np.asarray(angle, float), np.asarray(distance, float))
    c, s, T = np.cos(angle), np.sin(angle), np.zeros((len(angle), 4, 4))
    j, k = (1, 2) if axis == 0 else (0, 1)
    T[:, axis, axis] = T[:, 3, 3] = 1
    T[:, j, j] = T[:, k, k] = c
    T[:, j, k], T[:, k, j] = -s, s
    T[:, axis, 3] = distance
    return T
