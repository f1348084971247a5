"""Masses and force-deflection curves of crushing members, by momentum balances of measured motions.

Linear least squares without simulation: a start for `fit`, or a result by itself if every moving
part was measured.  Equation ID.17.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ArgumentError, unknown_name_message
from ..scalars import arguments

UNLOADING_TOLERANCE = 1e-4  # [m] below the largest deflection so far: then a member unloads
BALANCE_ERROR = 0.05  # of the largest force, standard deviation
CURVATURE_SIZE = 0.12  # of the largest force: usual second differences of a curve
INDEPENDENT_ROWS = 10  # errors of the balances are correlated: all count as so many rows
MIN_FORCE = 2e-3  # of the largest force, at a knot
MASS_ROW_WEIGHT = 1e5  # of the row that fixes the total mass
END_FACTOR = 1.03  # times the largest deflection, at the last knot


@dataclass(frozen=True, slots=True, eq=False)
class DirectCurves:
    """Result of `direct`.

    `points` {member: ((deflection [m], force [N]), ...)}; `masses` {part: kg}; `left_over` the root
    mean square of the balances, of the largest force; `sigma` {part: kg}, the standard deviations
    of the masses by these residuals; `unsure` the parts whose mass is below two standard
    deviations.
    """

    points: dict[str, tuple[tuple[float, float], ...]]
    masses: dict[str, float]
    left_over: float
    sigma: dict[str, float]

    @property
    def unsure(self) -> tuple[str, ...]:
        return tuple(n for n, m in self.masses.items() if m < 2 * self.sigma[n])

    def __repr__(self):
        masses = ", ".join(
            f"{n} {m:.4g} kg (sigma {self.sigma[n]:.2g})" for n, m in self.masses.items()
        )
        unsure = f"; not shown by the balances: {', '.join(self.unsure)}" if self.unsure else ""
        return (
            f"curves of {', '.join(self.points)}; {masses}; residual {100 * self.left_over:.2g} % "
            f"of the largest force{unsure}"
        )


def direct(
    motions: Mapping[str, tuple[Any, ...]],
    members: Mapping[str, tuple[str, str | None]],
    mass: float | str,
    barrier: Any,
    spacing: float | str = 0.025,
    gaps: Mapping[str, float] | None = None,
) -> DirectCurves:
    """Force curves of members and masses of parts from measured motions, by linear least squares.

    Parameters
    ----------
    motions : {part: (acceleration [m/s2], displacement [m])}, arrays at the same times
    members : {member: (part behind it, part before it, or None for the barrier)}
    mass : of all parts together [kg]
    barrier : the barrier's force at the same times [N]
    spacing : between knots [m]
    gaps : {member: deflection at first contact [m]}

    Each part's balance `m a = -(forces of members before it) + (of members behind it)`, and the
    barrier's force, hold at the times when the members in them load, beyond any earlier deflection.
    Forces are not negative and have small second differences.

    >>> t = np.linspace(0, 0.06, 300)
    >>> w = np.sqrt(4e5 / 1000)
    >>> x = 15 / w * np.sin(w * t)
    >>> curves = direct({"car": (-w * w * x, x)}, {"front": ("car", None)}, 1000.0, 4e5 * x, 0.1)
    >>> [round(F / d, -3) for d, F in curves.points["front"][1:4]], round(curves.masses["car"], 3)
    ([400000.0, 400000.0, 400000.0], 1000.0)
    """
    from scipy.optimize import lsq_linear

    mass = arguments.number("direct", "mass", mass, "kg", above=0.0)
    spacing = arguments.number("direct", "spacing", spacing, "m", above=0.0)
    force, gaps = np.asarray(barrier, float), gaps or {}
    arrays = _check_arguments(motions, members, gaps, force)
    curves = {
        name: _MemberCurve.of_motion(name, part_names, arrays, spacing, float(gaps.get(name, 0.0)))
        for name, part_names in members.items()
    }
    equations = _BalanceEquations(arrays, members, curves, force, mass)
    A, b = equations.assemble()
    scale, bounds = equations.scale, equations.bounds()
    x = lsq_linear(A * scale, b, bounds).x * scale
    points = {
        n: tuple(zip(curves[n].knots.round(5).tolist(), [0.0, *x[part][1:].tolist()], strict=True))
        for n, part in equations.slices.items()
    }
    residual = (A @ x - b)[: equations.balance_rows] * BALANCE_ERROR
    rms = float(np.sqrt((residual**2).mean()))
    first = equations.first_mass
    masses = dict(zip(arrays, x[first:].tolist(), strict=True))
    sigma = _unit_deviations(A * scale, first) * rms / BALANCE_ERROR
    sigma = np.minimum(sigma, 1.0) * mass
    return DirectCurves(points, masses, rms, dict(zip(arrays, sigma.tolist(), strict=True)))


@dataclass(frozen=True, slots=True, eq=False)
class _MemberCurve:
    """Knots of a member's force curve, its hat functions along the motion, and when it loads."""

    knots: np.ndarray  # [m]
    hats: np.ndarray  # (times, knots)
    loads: np.ndarray  # (times,) bool

    @classmethod
    def of_motion(
        cls,
        name: str,
        part_names: tuple[str, str | None],
        arrays: dict[str, tuple[np.ndarray, ...]],
        spacing: float,
        gap: float,
    ) -> _MemberCurve:
        """Curve of a member with a gap [m] between two parts, or a part and the barrier."""
        rear, front = part_names
        deflection = arrays[rear][1] - (arrays[front][1] if front is not None else 0.0)
        last = float(deflection.max()) * END_FACTOR
        if last <= gap:
            pair = f"{rear!r} and {front!r}" if front else f"{rear!r} and the barrier"
            raise ArgumentError(
                f"direct: member {name!r} is never touched: {pair} come {deflection.max():.4g} m "
                f"closer, and its gap is {gap:g} m; leave it out"
            )
        knots = np.linspace(gap, last, max(2, round((last - gap) / spacing)) + 1)
        hats = np.stack([np.interp(deflection, knots, e) for e in np.eye(len(knots))]).T
        loads = deflection >= np.maximum.accumulate(deflection) - UNLOADING_TOLERANCE
        return cls(knots, hats, loads)


class _BalanceEquations:
    """Weighted rows of the balances; unknowns are the forces at all knots, then the masses."""

    def __init__(
        self,
        arrays: dict[str, tuple[np.ndarray, ...]],
        members: Mapping[str, tuple[str, str | None]],
        curves: dict[str, _MemberCurve],
        force: np.ndarray,
        mass: float,
    ):
        self.arrays, self.members, self.curves = arrays, members, curves
        self.force, self.mass = force, mass
        bounds = np.cumsum([0, *(len(c.knots) for c in curves.values())])
        self.slices = {
            n: slice(a, b) for n, a, b in zip(curves, bounds[:-1], bounds[1:], strict=True)
        }
        self.first_mass, self.size = bounds[-1], bounds[-1] + len(arrays)
        self.peak = float(abs(force).max())
        farthest = max(arrays, key=lambda n: arrays[n][1].max())
        self.end = int(np.argmax(arrays[farthest][1])) + 1  # of the loading
        self.balance_rows = 0

    @property
    def scale(self) -> np.ndarray:
        return np.concatenate(
            [np.full(self.first_mass, self.peak), np.full(len(self.arrays), self.mass)]
        )

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Bounds of scaled unknowns; the force at the first knot is zero."""
        low, high = np.full(self.size, MIN_FORCE), np.full(self.size, np.inf)
        for part in self.slices.values():
            low[part.start], high[part.start] = -1e-9, 1e-9
        return low, high

    def assemble(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows and right-hand side: parts, barrier, second differences, total mass."""
        rows, rhs = [], []
        zero = np.zeros(len(self.force))
        for n in self.arrays:
            forces = [(m, 1.0) for m, (rear, _) in self.members.items() if rear == n]
            forces += [(m, -1.0) for m, (_, front) in self.members.items() if front == n]
            rows.append(self._balance_rows(forces, n, zero))  # ID.17
        on_barrier = [(m, 1.0) for m, (_, front) in self.members.items() if front is None]
        rows.append(self._balance_rows(on_barrier, None, self.force))
        rhs = [b for _, b in rows]
        matrices = [A for A, _ in rows]
        self.balance_rows = sum(map(len, rhs))
        for n, part in self.slices.items():
            bends = np.zeros((len(self.curves[n].knots) - 2, self.size))
            for k, row in enumerate(bends):
                row[part.start + k : part.start + k + 3] = 1.0, -2.0, 1.0
            matrices.append(bends / (CURVATURE_SIZE * self.peak))
            rhs.append(np.zeros(len(bends)))
        total = np.zeros((1, self.size))
        total[0, self.first_mass :] = MASS_ROW_WEIGHT / self.mass
        return np.concatenate([*matrices, total]), np.concatenate([*rhs, [MASS_ROW_WEIGHT]])

    def _balance_rows(
        self, forces: list[tuple[str, float]], part: str | None, external: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Balance of forces with signs, of a part's inertia and a known force, while all load."""
        A = np.zeros((len(external), self.size))
        valid = np.arange(len(external)) < self.end
        for n, sign in forces:
            A[:, self.slices[n]] += sign * self.curves[n].hats
            valid &= self.curves[n].loads
        if part is not None:
            A[:, self.first_mass + list(self.arrays).index(part)] = self.arrays[part][0]
        weight = BALANCE_ERROR * self.peak
        return A[valid] / weight, external[valid] / weight


def _unit_deviations(A: np.ndarray, first: int) -> np.ndarray:
    """Standard deviations of the masses for unit errors of the rows, which are correlated."""
    _, s, V = np.linalg.svd(A, full_matrices=False)
    variance = np.sum((V / np.maximum(s, 1e-12 * s[0])[:, None]) ** 2, axis=0)
    return np.sqrt(variance[first:] * len(A) / INDEPENDENT_ROWS)


def _check_arguments(
    motions: Mapping[str, Any],
    members: Mapping[str, tuple[str, str | None]],
    gaps: Mapping[str, float],
    force: np.ndarray,
) -> dict[str, tuple[np.ndarray, ...]]:
    """{part: (acceleration, displacement)} as arrays, or one message with all faults."""
    unknown = sorted(
        {p for part_names in members.values() for p in part_names if p is not None} - {*motions}
    )
    problems = [f"no motion is given of {', '.join(map(repr, unknown))}"] if unknown else []
    problems += [
        unknown_name_message("member", n, members, "gaps") for n in gaps if n not in members
    ]
    if not any(front is None for _, front in members.values()):
        problems.append("no member pushes on the barrier: write ('body', None) for one that does")
    if force.ndim != 1 or not np.isfinite(force).all() or not np.any(force):
        problems.append(
            "barrier: expected its force at every time [N], numbers, not all of them zero"
        )
    arrays: dict[str, tuple[np.ndarray, ...]] = {}
    for name, pair in motions.items() if not problems else ():
        arrays[name] = tuple(np.asarray(x, float) for x in pair)
        if len(arrays[name]) != 2 or any(x.shape != force.shape for x in arrays[name]):
            shapes = ", ".join(str(x.shape) for x in arrays[name])
            problems.append(
                f"motion of {name!r}: expected (acceleration, displacement) at the {len(force)} "
                f"times of the barrier's force, got shapes {shapes}"
            )
        elif not all(np.isfinite(x).all() for x in arrays[name]):
            problems.append(f"motion of {name!r} has entries that are no numbers")
    if problems:
        raise ArgumentError("\n".join(f"direct: {p}" for p in problems))
    return arrays
