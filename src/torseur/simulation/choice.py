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
        decay = damping_rate(run, y, m)
        if decay * span > STIFF * (LOOPED if run.kernels.looped else 1):
            return "rodas5p", (
                f"stiff: the fastest mode decays at {decay:.3g} 1/s, "
                f"{decay * span:.2g} times within the run"
            )
    if rtol > LOOSE:
        return "dopri5", f"rtol = {rtol:g}: order five is enough"
    if run.guards:
        return "dopri5", f"{len(run.guards)} guards: an interpolant without extra stages"
    return "dop853", f"rtol = {rtol:g}, smooth: order eight"


def damping_rate(run, y, m) -> float:
    """Largest decay rate of the linearised flow [1/s], by differences."""
    f0 = run.rates(run.t_start, y, m)
    J = np.empty((len(y), len(y)))
    for i in range(len(y)):
        d = 1e-7 * max(1.0, abs(y[i]))
        x = y.copy()
        x[i] += d
        J[:, i] = (run.rates(run.t_start, x, m) - f0) / d
    if not np.isfinite(J).all():
        return 0.0
    return float(max(0.0, -np.linalg.eigvals(J).real.min(initial=0.0)))
