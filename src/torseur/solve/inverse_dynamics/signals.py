"""Signals of a prescribed motion besides its efforts: reactions, energies, powers, poses.

Theory: LI.17.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ...kernels import StateRows
from ...signals import Signals, returned

if TYPE_CHECKING:
    from ...system import System

MOTION_GROUPS = (
    "state",
    "accelerations",
    "elements",
    "energy",
    "reactions",
    "loops",
    "powers",
    "held_powers",
    "closure",
    "positions",
    "velocities",
    "moving",
    "orientations",
)
"""Groups of signals that a motion alone says: none that a history before it would change."""


class TrajectorySignals(Signals):
    """Signals along a motion whose accelerations and multipliers are known.

    `known` are signals that are computed already.  `powers` (rows,) are those of all actuators and
    of dry frictions [W].
    """

    kept = (*Signals.kept, "known", "solved", "powers")
    solved: tuple[np.ndarray, np.ndarray]

    def __init__(
        self, system: System, rows: StateRows, p: np.ndarray, solved: Any, book: Any, powers: Any
    ):
        super().__init__(system, rows, p)
        self.solved, self.known, self.powers = solved, book, powers

    @property
    def units(self) -> dict[str, str]:
        """Unit of every signal beyond the known ones."""
        driven = {e.name for e in self.system.elements if e.law is not None and e.law.inputs}
        return {
            name: unit
            for name, (group, unit) in self.declared.items()
            if group in MOTION_GROUPS and (group != "elements" or name.split(".")[0] not in driven)
        }

    def __call__(self, name: str) -> dict[str, np.ndarray]:
        return self.known if name in self.known else super().__call__(name)

    @cached_property
    def _returned(self) -> dict[str, np.ndarray]:
        """Energy since the first row that counts as dissipated in elements with a potential [J]."""
        each = self._named("elements", self.outputs("elements", self.rows))
        return {
            e: integrate_power(self.rows.t, each[f"{e}.power.dissipated"])
            for e in returned(self.system)
        }

    def _power(self, word: str) -> np.ndarray:
        """Power that elements without inputs dissipate, or supply, together [W]."""
        each, out = self._elements(), np.zeros(len(self.rows.t))
        for e in self.system.elements:
            if e.law is None or not e.law.inputs:
                out = out + each[f"{e.name}.power.{word}"]
        return out

    def _energy(self):
        """Energies [J] and the residual of their balance (LI.17)."""
        T, U = self.outputs("energies", self.rows)
        U = U + self._recovered_energies(np.arange(len(T)))["stored"]
        actuator_power, friction_power = self.powers
        D = integrate_power(self.rows.t, self._power("dissipated") + friction_power)
        S = integrate_power(self.rows.t, self._power("supplied") + actuator_power)  # LI.17
        residual = T + U + D - S
        names = ("kinetic", "potential", "dissipated", "supplied", "residual")
        return {
            f"energy.{n}": x
            for n, x in zip(names, (T, U, D, S, residual - residual[0]), strict=True)
        }


def integrate_power(t: np.ndarray, power: np.ndarray) -> np.ndarray:
    """Energy since the first row [J], by splines between jumps (rows at one time).

    >>> t = np.linspace(0, np.pi, 101)
    >>> float(integrate_power(t, np.sin(t))[-1].round(7))
    2.0
    """
    from scipy.interpolate import CubicSpline

    t, power = np.asarray(t, float), np.asarray(power, float)
    out, base = np.zeros(len(t)), 0.0
    min_gap = 1e-9 * (t[-1] - t[0]) / max(len(t), 1)
    edges = [0, *(np.flatnonzero(np.diff(t) <= min_gap) + 1), len(t)]
    for a, b in pairwise(edges):
        if b - a > 1:
            antiderivative = CubicSpline(t[a:b], power[a:b]).antiderivative()
            out[a:b] = base + antiderivative(t[a:b]) - antiderivative(t[a])
        else:
            out[a:b] = base
        base = out[b - 1]
    return out
