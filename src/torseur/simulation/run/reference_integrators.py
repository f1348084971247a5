"""Reference integrators that step in Python: those of SciPy, and CVODE of SUNDIALS."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...errors import TorseurError, needs, unknown_name_message

SCIPY_METHODS = ("RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA")
REFERENCE_METHODS = (*(f"scipy:{name}" for name in SCIPY_METHODS), "cvode")


class ReferenceRows(NamedTuple):
    """States at the output times of a reference integrator, and at the end."""

    time: np.ndarray
    states: np.ndarray
    final_state: np.ndarray
    rhs_count: int


def integrate_reference(
    name: str,
    rates: Callable[[float, np.ndarray], np.ndarray],
    y: np.ndarray,
    span: tuple[float, float],
    grid: np.ndarray,
    tolerances: tuple[float, float],
) -> ReferenceRows:
    """Solution of y' = rates(t, y) at the times of a grid, over a span [s]."""
    if name not in REFERENCE_METHODS:
        raise TorseurError(unknown_name_message("method", name, REFERENCE_METHODS, "simulate"))
    grid = grid if len(grid) else np.array(span)
    count = 0

    def counted_rates(t, y):
        nonlocal count
        count += 1
        return rates(t, y)

    times = np.unique(np.concatenate([[span[0]], grid, [span[1]]]))
    solve = _solve_cvode if name == "cvode" else _solve_scipy
    states = solve(counted_rates, times, y, name, *tolerances)
    is_output = np.isin(times, grid)
    return ReferenceRows(times[is_output], states[is_output], states[-1], count)


def _solve_scipy(
    rates: Callable[..., np.ndarray],
    times: np.ndarray,
    y: np.ndarray,
    name: str,
    rtol: float,
    atol: float,
) -> np.ndarray:
    """States at some times by `scipy.integrate.solve_ivp`."""
    from scipy.integrate import solve_ivp

    solution = solve_ivp(
        rates, (times[0], times[-1]), y, name.partition(":")[2], t_eval=times, rtol=rtol, atol=atol
    )
    if not solution.success:
        raise TorseurError(f"{name}: {solution.message}")
    return solution.y.T.copy()


def _solve_cvode(
    rates: Callable[..., np.ndarray],
    times: np.ndarray,
    y: np.ndarray,
    name: str,
    rtol: float,
    atol: float,
) -> np.ndarray:
    """States at some times by CVODE (BDF)."""
    with needs("cvode", "method 'cvode'"):
        from sksundae.cvode import CVODE

    def fill_rates(t, y, out):
        out[:] = rates(t, y)

    solver = CVODE(fill_rates, rtol=rtol, atol=atol, method="BDF", max_num_steps=10**6)
    solution = solver.solve(times, y)
    if not solution.success:
        raise TorseurError(f"{name}: {solution.message}")
    return np.array(solution.y)
