"""Two-node thermal network of a motor, winding and housing, in a periodic cycle.  Equation DS.7."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .catalog import Motor
from .duty_cycle import Load

COPPER_RESISTANCE_GROWTH = 0.00393  # growth of a copper winding's resistance [1/K]
CYCLE_STEPS = 200  # of a cycle


@dataclass(frozen=True, slots=True, eq=False)
class MotorTemperatures:
    """Temperatures [K above ambient] of a motor in a periodic cycle.

    `time` (n,) is within a cycle [s].  `winding` and `housing` (n,) are in the steady cycle.  They
    are infinite if losses grow faster with the resistance of the winding than heat leaves.  `cold`
    is the mean winding temperature at constant resistance.
    """

    time: np.ndarray
    winding: np.ndarray
    housing: np.ndarray
    cold: float
    period: float
    _steps: np.ndarray = field(repr=False)  # (n, 3, 3): winding, housing, one

    @property
    def hottest(self) -> float:
        """Largest winding temperature in the steady cycle [K above ambient]."""
        return float(self.winding.max())

    def warming(self, duration: float | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Warm-up from ambient: times [s] of cycle ends, and temperatures (m, 2) [K].

        The columns are winding and housing.  By default the `duration` [s] ends when the housing is
        within 1 % of its final value.
        """
        transition = np.eye(3)
        for step in self._steps:
            transition = step @ transition
        rate = max(abs(np.linalg.eigvals(transition[:2, :2])))
        if duration is None:
            n = int(np.ceil(np.log(0.01) / np.log(rate))) if 0 < rate < 1 else 200
        else:
            n = int(np.ceil(duration / self.period * (1 - 1e-12)))  # a period is a sum
        n = max(n, 1)
        stride = max(1, n // 2000)
        jump = np.linalg.matrix_power(transition, stride)
        rows, state = [np.zeros(2)], np.array([0.0, 0.0, 1.0])
        for _ in range(-(-n // stride)):
            state = jump @ state
            rows.append(state[:2])
        return np.arange(len(rows)) * stride * self.period, np.array(rows)


def compute_temperatures(motor: Motor, tau: np.ndarray, load: Load) -> MotorTemperatures | None:
    """Temperatures for the torques `tau` over a cycle, or None without thermal data."""
    if motor.heat_winding is None or not (motor.kt and motor.resistance):
        return None
    period = float(load.weights.sum())
    h = period / CYCLE_STEPS
    grid = (np.arange(CYCLE_STEPS) + 0.5) * h
    mean = float((load.weights * (tau / motor.kt) ** 2).sum() / period)
    square = np.interp(grid, load.time, (tau / motor.kt) ** 2)
    square *= mean / max(float(square.mean()), 1e-300)
    loss = motor.resistance * square
    R1, R2 = float(motor.heat_winding), float(motor.heat_housing or 0.0)
    C1 = (motor.time_winding or 1e3) / R1
    A = np.zeros((CYCLE_STEPS, 3, 3))
    A[:, 0, 0] = -1 / (R1 * C1) + loss * COPPER_RESISTANCE_GROWTH / C1  # DS.7
    A[:, 0, 1] = 1 / (R1 * C1)
    A[:, 0, 2] = loss / C1
    if R2:
        C2 = (motor.time_housing or 1e4) / R2
        A[:, 1, 0], A[:, 1, 1] = 1 / (R1 * C2), -1 / (R1 * C2) - 1 / (R2 * C2)
    else:
        A[:, 1, 1] = -1.0  # a housing that stays at ambient
    from scipy.linalg import expm

    steps = expm(A * h)
    transition = np.eye(3)
    for step in steps:
        transition = step @ transition
    cold = motor.resistance * mean * (R1 + R2)
    if max(abs(np.linalg.eigvals(transition[:2, :2]))) >= 1 - 1e-12:
        endless = np.full(CYCLE_STEPS, np.inf)
        return MotorTemperatures(grid + h / 2, endless, endless, cold, period, steps)
    state = np.append(np.linalg.solve(np.eye(2) - transition[:2, :2], transition[:2, 2]), 1.0)
    rows = []
    for step in steps:
        state = step @ state
        rows.append(state[:2])
    winding, housing = np.array(rows).T
    return MotorTemperatures(grid + h / 2, winding, housing, cold, period, steps)


__all__ = ["COPPER_RESISTANCE_GROWTH", "MotorTemperatures", "compute_temperatures"]
