"""The warmth of a motor over its cycles: winding and housing as two stores.  Theory: DS.7."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .catalog import Motor
from .duty_cycle import Load

COPPER_RESISTANCE_GROWTH = 0.00393  # growth of a copper winding's resistance [1/K]
CYCLE_STEPS = 200  # of a cycle


@dataclass(frozen=True, slots=True, eq=False)
class MotorTemperatures:
    """Temperatures above ambient [K] of a motor that repeats a cycle.

    `time` (n,) within a cycle [s]; `winding`, `housing` (n,) there in the steady cycle, infinite
    where losses grow faster with the winding's resistance than heat leaves; `cold`: what the
    winding would reach on average if its resistance did not grow.
    """

    time: np.ndarray
    winding: np.ndarray
    housing: np.ndarray
    cold: float
    period: float
    _steps: np.ndarray = field(repr=False)  # (n, 3, 3): winding, housing, one

    @property
    def hottest(self) -> float:
        """Of the winding in the steady cycle [K above ambient]."""
        return float(self.winding.max())

    def warming(self, duration: float | None = None) -> tuple[np.ndarray, np.ndarray]:
        """From ambient: times [s] at the ends of cycles, and winding and housing there, (m, 2) [K].

        `duration` [s]; by default until the housing is within a hundredth of its last value.
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


def compute_temperatures(motor: Motor, tau, load: Load) -> MotorTemperatures | None:
    """The warmth of a motor that gives torques `tau` over a cycle; None where the motor does not
    say its thermal resistance, torque constant and resistance."""
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
