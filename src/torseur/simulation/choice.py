"""Which integrator suits a run, and why."""

from __future__ import annotations

import numpy as np

STIFF = 2e4  # decays of the fastest damped mode within the run, above which it is stiff
LOOPED = 1e3  # times as many before the Jacobian of a long tree is worth compiling
LOOSE = 1e-5  # relative tolerance above which the method of order five costs less


def choose(run, y, m, rtol, step) -> tuple[str, str]:
    """Name of a method and the reason, from the spectrum at the start, tolerance and events."""
    if step is not None and run.t_end is not None and rtol is None:
        return "rk4", "a fixed step was asked for"
    span = 1.0 if run.t_end is None else run.t_end - run.t_start
    n = len(y)
    if 0 < n <= 200:
        most = STIFF * (LOOPED if run.kernels.looped else 1)
        decay = damping_rate(run, y, m, most / span if span > 0 else np.inf)
        if decay * span > most:
            return "rodas5p", (
                f"stiff: the fastest mode decays at {decay:.3g} 1/s, "
                f"{decay * span:.2g} times within the run"
            )
    if rtol > LOOSE:
        return "dopri5", f"rtol = {rtol:g}: order five is enough"
    if run.guards:
        return "dopri5", f"{len(run.guards)} guards: an interpolant without extra stages"
    return "dop853", f"rtol = {rtol:g}, smooth: order eight"


def damping_rate(run, y, m, enough: float = 0.0) -> float:
    """Largest decay rate of the linearised flow [1/s], by differences; 0 if less than `enough`."""
    d = 1e-7 * np.maximum(1.0, abs(y))
    f = run.rates(np.full(len(y) + 1, run.t_start), np.vstack([y, y + np.diag(d)]), m)
    J = (f[1:] - f[0]).T / d
    run.f0 = f[0]
    if not np.isfinite(J).all():
        return 0.0
    squared = J @ J
    if np.linalg.norm(squared @ squared) ** 0.25 < enough:  # no mode is faster
        return 0.0
    return float(max(0.0, -np.linalg.eigvals(J).real.min(initial=0.0)))
