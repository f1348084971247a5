"""Diagnostics of an identification: likely mistakes in the data where the model does not fit.

Other readings of the data (units, signs, offsets, swapped columns) are fitted by ordinary least
squares.  A reading with far smaller residuals is reported.  Equation ID.31.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from .data import Samples
from .friction import FRICTION

MAX_ERROR = 0.5  # of a joint's effort: friction that is not modeled explains less
MIN_ERROR = 0.15  # of a joint's effort: from here on other readings are tried
MAX_RESIDUAL_RATIO = 0.5  # of the residuals of another reading over those of the data
MIN_SIGNIFICANCE = 5.0  # standard deviations by which friction is below zero
MAX_ROWS = 200  # of the data, to compare readings
GENERAL_ADVICE = "look at units, signs, zeros, the order of columns, and other forces (friction=)"


def diagnose_data(result: Any) -> tuple[str, ...]:
    """Messages on likely mistakes in the data of an identification; none if the model fits."""
    messages, errors = [], result.errors()
    if result.strained:
        ratios = ", ".join(f"{x:.2g} times at {n}" for n, x in result.strained.items())
        messages.append(
            "the efforts ask for inertias that no distribution of mass has: consistent parameters "
            f"leave larger residuals ({ratios}); look for other forces, or at the geometry"
        )
    names = {i: n for i, n, _ in result.lin.speeds}
    bad = [names[i] for i in np.flatnonzero(errors > MAX_ERROR) if i in names]
    if bad or errors.max() > MIN_ERROR:
        fault = f"more than half of the effort of {', '.join(bad)} is not explained" if bad else ""
        cause = find_better_reading(result, swaps=bool(bad))
        if bad or cause:
            messages.append("; ".join(x for x in (fault, cause or GENERAL_ADVICE) if x))
    driving = []
    for n, x in result.base.items():
        friction = FRICTION.get(n.split(".")[-1])
        if friction and not friction.signed and x < -MIN_SIGNIFICANCE * result.sigma[n]:
            driving.append(n)
    if driving:
        messages.append(
            f"{', '.join(driving)} below zero: friction that drives; is it the other sign?"
        )
    return tuple(messages)


def find_better_reading(result: Any, swaps: bool) -> str:
    """Another reading of the data with far smaller residuals, as a message; or ""."""
    lin, data = replace(result.lin, nonlinear={}), result.data
    if lin.load_dependent or lin.shafts:
        return ""
    every = max(1, len(data) // MAX_ROWS)
    data = Samples(*(x[::every] for x in (data.q, data.v, data.a, data.tau)))
    columns = list(result.groups.independent)
    residual, power = _fit_reading(lin, columns, data)
    readings = list_readings(lin, data, swaps)
    fits = [(_fit_reading(lin, columns, x)[0], name) for name, x in readings]
    best, name = min(fits, default=(np.inf, ""))
    if best < MAX_RESIDUAL_RATIO * residual:
        return f"with {name} {100 * best / residual:.2g} % of the errors would be left: look there"
    if power < 0 and residual < MAX_ERROR:
        return "friction of all joints together would drive: do efforts have the other sign?"
    return ""


def _fit_reading(lin: Any, columns: list[int], data: Samples) -> tuple[float, float]:
    """Relative residual of ordinary least squares, geometric mean of the joints; and the mean power
    [W] that friction takes."""
    size = data.tau.std(axis=0) + 1e-9 * np.abs(data.tau).max() + 1e-300
    Y = lin.regressor(data.q, data.v, data.a)
    b = (data.tau - lin.known_efforts(data.q, data.v, data.a)) / size
    A = (Y[:, :, columns] / size[:, None]).reshape(-1, len(columns))
    scale = np.sqrt((A**2).sum(axis=0)) + 1e-300
    beta = np.linalg.lstsq(A / scale, b.ravel(), rcond=1e-8)[0] / scale
    r = (b.ravel() - A @ beta).reshape(b.shape)
    friction = [n for n, c in enumerate(columns) if _is_friction(lin.columns[c][2])]
    efforts = Y[:, :, [columns[n] for n in friction]] @ beta[friction]
    power = (efforts * data.v).sum(axis=1).mean()
    return float(np.exp(np.log(np.sqrt((r**2).mean(axis=0)) + 1e-9).mean())), float(power)


def _is_friction(kind: str) -> bool:
    return kind in FRICTION and bool(FRICTION[kind].kind)


def list_readings(lin: Any, data: Samples, swaps: bool) -> Iterator[tuple[str, Samples]]:
    """Data with one common mistake undone, each with its name."""
    joints = [k for k in lin.system.links if k.joint.nv == 1 and k.joint.nq == 1]
    revolute = [k for k in joints if k.joint.coordinates[0][1] == "rad"]
    indices = [(k.name, k.q.start, k.v.start) for k in joints]

    def with_motion(change: Callable[..., None]) -> Samples:
        q, v, a = data.q.copy(), data.v.copy(), data.a.copy()
        change(q, v, a)
        return Samples(q, v, a, data.tau)

    if revolute:
        iq, iv = [k.q.start for k in revolute], [k.v.start for k in revolute]

        def convert_degrees(q, v, a):
            for x, columns in ((q, iq), (v, iv), (a, iv)):
                x[:, columns] *= np.pi / 180

        yield "angles read in degrees", with_motion(convert_degrees)
    for name, i, j in indices:

        def negate(q, v, a, i=i, j=j):
            for x, column in ((q, i), (v, j), (a, j)):
                x[:, column] *= -1

        yield f"the other sign of the coordinate of {name!r}", with_motion(negate)
        tau = data.tau.copy()
        tau[:, j] *= -1
        yield f"the other sign of the effort of {name!r}", Samples(data.q, data.v, data.a, tau)
    for k in revolute:
        for angle in (90, -90, 180):

            def shift_zero(q, v, a, i=k.q.start, angle=angle):
                q[:, i] += np.radians(angle)

            yield f"{angle} deg added to the angle of {k.name!r}", with_motion(shift_zero)
    for (one, i, j), (two, m, n) in combinations(indices if swaps else (), 2):

        def swap_columns(q, v, a, i=i, j=j, m=m, n=n):
            for x, columns in ((q, [i, m]), (v, [j, n]), (a, [j, n])):
                x[:, columns] = x[:, columns[::-1]]

        yield f"coordinates of {one!r} and {two!r} swapped", with_motion(swap_columns)
        tau = data.tau.copy()
        tau[:, [j, n]] = tau[:, [n, j]]
        yield f"efforts of {one!r} and {two!r} swapped", Samples(data.q, data.v, data.a, tau)
