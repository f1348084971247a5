"""Comparison of motion profiles of one coordinate: effort, work, residual vibration.

Equation ML.9.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ...errors import ArgumentError, TorseurError, as_system, shown, unknown_name_message
from ...model import Model
from ...scalars import arguments
from ...solve import inverse
from ...system import System
from ..balancing.gravity_efforts import trapezoidal_weights
from .motion_profiles import MotionProfile


@dataclass(frozen=True, slots=True, eq=False)
class ProfileComparison:
    """Results of motion profiles, one mapping per profile.

    Entries are `duration` [s], `top speed`, `top acceleration`, `peak` and `rms` of the effort [N m
    or N], `work` without recuperation [J], `peak power` [W], and `residual` (frequencies,).  The
    last one is the amplitude of the residual vibration of an undamped mode at each of `frequencies`
    [Hz], in the unit of the coordinate.
    """

    coordinate: str
    rows: dict[str, dict[str, Any]]
    frequencies: tuple[float, ...]
    runs: dict[str, Any]
    profiles: dict[str, Any]

    def table(self) -> str:
        """The results, as text."""
        rows = self.cells()
        return "\n".join(f"{n:<16}" + "".join(f"{x:>17}" for x in entries) for n, *entries in rows)

    def cells(self) -> list[tuple[str, ...]]:
        """Cells of the table with a header."""
        head = ("duration", "top speed", "top acceleration", "peak", "rms", "work", "peak power")
        left = (f"left at {f:.4g} Hz" for f in self.frequencies)
        rows: list[tuple[str, ...]] = [("law", *head, *left)]
        for name, row in self.rows.items():
            numbers = [row[n] for n in head] + list(row["residual"])
            rows.append((name, *(f"{x:.6g}" for x in numbers)))
        return rows

    __str__ = table

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write an HTML page: the table, effort, power and residual vibration."""
        from ..report import write_profile_page

        write_profile_page(self, residual_vibration, path)


def compare_profiles(
    model: Model,
    coordinate: str,
    profiles: Mapping[str, Any] | Sequence[Any],
    *,
    frequencies: Sequence[float] = (),
    at: Mapping[str, float] | None = None,
    points: int = 401,
) -> ProfileComparison:
    """Compare motion profiles of a coordinate: effort, work, and residual vibration.

    `profiles` are by name, or a list named by types.  `frequencies` [Hz] are those of elastic
    modes, such as `ts.modes` of a model with elastic drives.  Other coordinates stay as in `at`.

    >>> import torseur as ts
    >>> arm = ts.Model(bodies=(ts.Body("arm", 4.0, (0.3, 0, 0)),), gravity=(0, 0, 0),
    ...     joints=(ts.Joint("j", "world", "arm", ts.Revolute("y")),))
    >>> profiles = ts.robots.Cubic(0, 1, 1.0), ts.robots.Quintic(0, 1, 1.0)
    >>> found = compare_profiles(arm, "j.angle", profiles, frequencies=(5.0,))
    >>> found.rows["Quintic"]["residual"][0] < found.rows["Cubic"]["residual"][0]
    True
    """
    s = as_system(model, "compare_profiles")
    if not isinstance(coordinate, str) or coordinate not in s.coordinates:
        raise TorseurError(
            unknown_name_message("coordinate", coordinate, s.coordinates, "compare_profiles")
        )
    if not isinstance(profiles, Mapping):
        profiles = arguments.listed(
            "compare_profiles", "profiles", profiles, "[ts.robots.Quintic(0, 1, 2.0)]"
        )
        kinds = [type(x).__name__ for x in profiles]
        profiles = {
            k if kinds.count(k) == 1 else f"{k} {i + 1}": x
            for i, (k, x) in enumerate(zip(kinds, profiles, strict=True))
        }
    if not profiles or not all(hasattr(x, "derivative") for x in profiles.values()):
        raise ArgumentError(
            "compare_profiles: give motion profiles such as ts.robots.Quintic(0, 1, 2.0)"
        )
    numbers = arguments.numbers("compare_profiles", "frequencies", frequencies, "Hz")
    frequencies = tuple(numbers.ravel().tolist())
    if bad := [f for f in frequencies if not f > 0]:
        raise ArgumentError(f"compare_profiles: a frequency is {bad[0]:g} Hz; use more than zero")
    rest = {n: f"{x!r} + 0*t" for n, x in coordinate_values(s, at or {}).items() if n != coordinate}
    joint = next(k.name for k in s.links if coordinate.startswith(f"{k.name}."))
    rows, runs = {}, {}
    for name, law in profiles.items():
        run = inverse(model, {coordinate: law, **rest}, points=points)
        tau, power, w = run[f"{joint}.effort"], run[f"{joint}.power"], trapezoidal_weights(run.time)
        rows[name] = {
            "duration": float(law.duration),
            "top speed": float(abs(law.derivative(run.time, 1)).max()),
            "top acceleration": float(abs(run[f"{joint}.acceleration"]).max()),
            "peak": float(abs(tau).max()),
            "rms": float(np.sqrt((w * tau**2).sum())),
            "work": float((w * abs(power)).sum() * (run.time[-1] - run.time[0])),
            "peak power": float(abs(power).max()),
            "residual": tuple(residual_vibration(law, f) for f in frequencies),
        }
        runs[name] = run
    return ProfileComparison(coordinate, rows, tuple(map(float, frequencies)), runs, dict(profiles))


def coordinate_values(system: System, at: Mapping[str, float]) -> dict[str, float]:
    """Values of all coordinates by name, neutral if not in `at`."""
    return dict(zip(system.coordinates, map(float, system.state(at)[0]), strict=True))


def residual_vibration(law: Any, frequency: float) -> float:
    """Amplitude of the residual vibration of an undamped mode after a motion.  # ML.9

    It is `|int a(t) exp(-i w t) dt| / w` for `frequency` [Hz], in the unit of the position.

    >>> import torseur as ts
    >>> law = ts.robots.Trapezoidal(0, 1, speed=1.0, acceleration=4.0)
    >>> residual_vibration(law, 4.0) < 1e-12          # a ramp of one period leaves nothing
    True
    """
    if not isinstance(law, MotionProfile):
        raise ArgumentError(f"residual_vibration: expected a motion law, got {shown(law)}")
    frequency = arguments.number("residual_vibration", "frequency", frequency, "Hz", above=0)
    w = 2 * np.pi * frequency
    x, g = np.polynomial.legendre.leggauss(12)
    total = 0j
    for a, b in pairwise(law.breakpoints):
        if b <= a:
            continue
        n = max(1, int(np.ceil((b - a) * frequency * 2)))
        edges = np.linspace(a, b, n + 1)
        half = (b - a) / (2 * n)
        t = (edges[:-1, None] + half * (1 + x)).ravel()
        total += np.sum(np.tile(half * g, n) * law.derivative(t, 2) * np.exp(-1j * w * t))
    return float(abs(total)) / w


__all__ = ["ProfileComparison", "compare_profiles", "residual_vibration"]
