"""Integrators of others as references: SciPy's, and CVODE of SUNDIALS, stepping in Python."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...errors import TorseurError, needs, unknown_name

SCIPY = ("RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA")
REFERENCES = (*(f"scipy:{name}" for name in SCIPY), "cvode")


def solve(run, name: str, rtol: float, atol: float):
    """Fill the rows of a prepared run by a foreign integrator, and finish it."""
    if name not in REFERENCES:
        raise TorseurError(unknown_name("method", name, REFERENCES, "simulate"))
    if run.guards or run.record.project_kernel:
        raise TorseurError(
            f"method {name!r} is a reference for smooth open chains; this model has "
            "events or constraints"
        )
    now = run.record
    y, m = now.y.copy(), now.m.copy()
    grid = run.grid if len(run.grid) else np.array([run.t_start, run.t_end])
    calls = [0]

    def rates(t, y):
        calls[0] += 1
        return run.rates(t, y, m)

    inside = np.unique(np.concatenate([[run.t_start], grid, [run.t_end]]))
    rows = (_cvode if name == "cvode" else _scipy)(rates, inside, y, name, rtol, atol)
    rows[:, : run.system.nq] = run.system.unit(rows[:, : run.system.nq])
    keep = np.isin(inside, grid)
    count = int(keep.sum())
    now.row_t[:count], now.row_y[:count] = inside[keep], rows[keep]
    now.history[0], now.row_history[:count] = [*m, *run.u], 0
    now.y[:] = rows[-1]
    now.n_rows, now.next_output, now.rhs_count, now.t = count, len(run.grid), calls[0], run.t_end
    run.method = replace(
        run.method, name=name, description=f"{name}, a reference, stepping in Python"
    )
    run.outcome = f"reached t = {run.t_end:g} s by {name}, {calls[0]} evaluations"
    return run


def _scipy(rates, times, y, name, rtol, atol):
    from scipy.integrate import solve_ivp

    got = solve_ivp(
        rates, (times[0], times[-1]), y, name.partition(":")[2], t_eval=times, rtol=rtol, atol=atol
    )
    if not got.success:
        raise TorseurError(f"{name}: {got.message}")
    return got.y.T.copy()


def _cvode(rates, times, y, name, rtol, atol):
    with needs("cvode", "method 'cvode'"):
        from sksundae.cvode import CVODE

    def fill(t, y, out):
        out[:] = rates(t, y)

    solver = CVODE(fill, rtol=rtol, atol=atol, method="BDF", max_num_steps=10**6)
    got = solver.solve(times, y)
    if not got.success:
        raise TorseurError(f"{name}: {got.message}")
    return np.array(got.y)
