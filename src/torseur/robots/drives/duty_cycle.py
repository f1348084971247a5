"""Duty cycle: effort, speed and inertia at each joint, without its drive.  Equation DS.4."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from ...errors import ArgumentError, TorseurError, as_system, shown, unknown_name_message
from ...model import Model
from ...scalars import arguments
from ...solve import coordinate_limits, inverse, whole_turns
from ...system import System
from ..balancing.gravity_efforts import coordinate_units, trapezoidal_weights


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """Load of a drive over a duty cycle, at the joint.

    `time` [s], `effort` without any drive [N m or N], `speed` [rad/s or m/s] and `acceleration`
    have one value per sample.  `weights` [s] are quadrature weights.  `inertia` is the largest of
    the link [kg m2 or kg].  `slides` is true for a prismatic joint.
    """

    joint: str
    time: np.ndarray
    effort: np.ndarray
    speed: np.ndarray
    acceleration: np.ndarray
    weights: np.ndarray  # [s], they add up to the period
    inertia: float
    slides: bool = False


def compute_cycle_loads(
    model: Model | System,
    cycle: Any,
    joints: Iterable[str] | None = None,
    pause: float = 0.0,
    points: int = 4001,
) -> dict[str, Load]:
    """Load of each joint over a duty cycle and a pause, by inverse dynamics."""
    full: Model = as_system(model, "size").model
    points = arguments.count("size", "points", points, 4)
    pause = arguments.number("size", "pause", pause, "s")
    bare = replace(full, joints=tuple(replace(j, drive=None, armature=0) for j in full.joints))
    if not pause >= 0:
        raise ArgumentError(f"size: pause = {shown(pause)}; expected zero or more [s]")
    t, w = _quadrature_times(cycle, points)
    if t is None and isinstance(cycle, Mapping) and not _has_duration(cycle):
        raise ArgumentError(
            "size: nothing says how long the cycle lasts; give laws of some duration such as "
            "ts.robots.Quintic(0, 1, 2.0), or arrays with 'time'"
        )
    bare.check().alone("size")
    run = inverse(bare, cycle, t, points=points)
    s = bare.check()
    links = {k.name: k for k in s.links if k.joint.nv == 1}
    # joints of loops that nothing drives
    pushed = [n for n in links if f"{n}.effort" in run.signals]
    names = pushed
    if joints is not None:
        names = list(arguments.texts("size", "joints", joints, "['joint1']"))
    if idle := [n for n in names if n in links and n not in pushed]:
        raise TorseurError(
            f"size: joint {idle[0]!r} follows others in a loop, which the cycle does not drive; "
            f"size {', '.join(map(repr, pushed))}"
        )
    if bad := [unknown_name_message("joint", n, links, "size") for n in names if n not in links]:
        raise TorseurError("\n".join(bad))
    if violations := _limit_violations(s, run):
        raise TorseurError("\n".join(violations))
    t = np.asarray(run.time)
    if not t[-1] > t[0]:
        raise ArgumentError("size: the cycle lasts no time; give a motion [s]")
    if w is None:
        w = trapezoidal_weights(t) * (t[-1] - t[0])
    travel = np.array([[np.min(run[n]), np.max(run[n])] for n in s.coordinates]).T
    heaviest = find_largest_inertias(bare, *travel) | _coupled_inertias(bare, cycle, run)
    holding = _holding_efforts(bare, cycle, run) if pause else {}
    out = {}
    for n in names:
        k = links[n]
        i = k.v.start
        tau = np.array(run[f"{n}.effort"])
        v, a = np.array(run[s.speeds[i]]), np.array(run[f"{n}.acceleration"])
        time, weights = t - t[0], w
        if pause:
            time, weights = np.append(time, time[-1] + pause), np.append(weights, pause)
            tau, v, a = np.append(tau, holding[n]), np.append(v, 0.0), np.append(a, 0.0)
        slides = k.joint.coordinates[0][1] == "m"
        out[n] = Load(n, time, tau, v, a, weights, heaviest[n], slides)
    return out


def _holding_efforts(model: Model, cycle: Any, run: Any) -> dict[str, float]:
    """Efforts by joint that hold the last pose of a cycle at rest."""
    last = {n: float(run[n][-1]) for n in model.check().coordinates}
    names = [n for n in last if n in cycle] if isinstance(cycle, Mapping) else []
    rest = inverse(model, {n: f"{last[n]!r} + 0*t" for n in names or last}, [0.0], near=last)
    efforts = {j.name: f"{j.name}.effort" for j in model.joints if j.kind.nv == 1}
    return {j: float(rest[n][0]) for j, n in efforts.items() if n in rest.signals}


def _limit_violations(s: System, run: Any) -> list[str]:
    """Messages about coordinates that leave their limits during the cycle."""
    low, high = coordinate_limits(s)
    out = []
    for n, a, b in zip(s.coordinates, low, high, strict=True):
        x = np.asarray(run[n])
        unit = run.units[n]
        for limit, over, which in ((a, a - x, "lower"), (b, x - b, "upper")):
            k = int(np.argmax(over))
            if over[k] > 1e-9:
                out.append(
                    f"size: the cycle takes {n} beyond its {which} limit {limit:.6g} {unit} by "
                    f"{over[k]:.4g} {unit} at t = {run.time[k]:.4g} s; change the motion or the "
                    "limit"
                )
    return out


def _quadrature_times(cycle: Any, points: int):
    """Gauss points and weights between the breakpoints of a motion, or None without breakpoints.

    Both one-sided limits at every breakpoint are included with the weight zero.
    """
    laws = cycle.values() if isinstance(cycle, Mapping) and "time" not in cycle else ()
    kinks = sorted({float(x) for law in laws for x in getattr(law, "breakpoints", ())})
    if len(kinks) < 2 or not kinks[-1] > kinks[0]:
        return None, None
    duration = kinks[-1] - kinks[0]
    x, g = np.polynomial.legendre.leggauss(4)
    times, weights = [], []
    for a, b in pairwise(kinks):
        if b - a < 1e-12 * duration:
            continue
        n = max(4, int(points / 4 * (b - a) / duration))
        edges = np.linspace(a, b, n + 1)
        half = (b - a) / (2 * n)
        inner = (edges[:-1, None] + half * (1 + x)).ravel()
        e = 1e-9 * (b - a)
        times += [a + e, *inner, b - e]
        weights += [0.0, *np.tile(half * g, n), 0.0]
    return np.array(times), np.array(weights)


def _has_duration(cycle: Any) -> bool:
    """Whether a mapping of laws contains times: arrays, runs, or (times, values)."""
    return "time" in cycle or any(
        isinstance(x, tuple | list) or np.ptp([0.0, *getattr(x, "breakpoints", ())]) > 0
        for x in cycle.values()
    )


def _coupled_inertias(model: Model, cycle: Any, run: Any) -> dict[str, float]:
    """Largest effective inertia over the cycle of joints in loops and couplings.  # DS.4

    It includes the dependent links.  The other coordinates of the cycle are at rest.
    """
    from ...kernels import compile

    s = model.check()
    tied = {k - 1 for e in s.held for k in e.links}
    if not tied:
        return {}
    dyn = compile(s)
    q = np.stack([run[n] for n in s.coordinates], 1)[:: max(1, len(run.time) // 200)]
    M, G = dyn.mass_matrix(q), dyn.constraint_jacobian(q)
    cycle_slots = [s.coordinates.index(n) for n in s.coordinates if n in cycle]
    out = {}
    for k in (s.links[i] for i in tied):
        if k.joint.nv != 1 or k.q.start not in cycle_slots:
            continue
        selection = np.eye(s.nv)[[s.links[i].v.start for i in _links_of(s, cycle_slots)]]
        A = np.concatenate([G, np.broadcast_to(selection, (len(q), *selection.shape))], 1)
        one = np.concatenate([np.zeros(G.shape[1]), selection[:, k.v.start]])
        T = np.linalg.pinv(A, rcond=1e-10) @ one
        out[k.name] = float(np.einsum("ni,nij,nj->n", T, M, T).max())
    return out


def _links_of(s: System, slots: Sequence[int]) -> list[int]:
    """Indices of the links whose coordinate is in the slots."""
    return [i for i, k in enumerate(s.links) if k.joint.nv == 1 and k.q.start in slots]


def find_largest_inertias(
    model: Model, cycle_low: np.ndarray, cycle_high: np.ndarray
) -> dict[str, float]:
    """Largest diagonal entry of the mass matrix of each joint, over poses within limits.  # DS.4

    Slides without limits vary over the range of the cycle.  Coordinate ascent from several poses:
    along one coordinate the entry is a wave of two harmonics or a parabola, which five poses
    determine.
    """
    from ...kernels import compile

    dyn, s = compile(model), model.check()
    low, high = coordinate_limits(s)
    unit = coordinate_units(s)
    slides = np.array([unit[n] == "m" for n in s.coordinates])
    low = np.where(slides & ~np.isfinite(low), np.minimum(cycle_low, high), low)
    high = np.where(slides & ~np.isfinite(high), np.maximum(cycle_high, low), high)
    q0 = np.vstack([cycle_low, cycle_high, _sample_poses(s, low, high, 200)])
    M = np.einsum("nii->ni", dyn.mass_matrix(q0))
    out = {}
    for k in s.links:
        if k.joint.nv != 1:
            continue
        i = k.v.start
        best = 0.0
        for start in q0[np.argsort(-M[:, i])[:4]]:
            q = start.copy()
            value = -np.inf
            for _ in range(30):
                for link in s.links:
                    if link.joint.nv != 1:
                        continue
                    j = link.q.start
                    limits = float(low[j]), float(high[j])
                    entries = partial(_mass_entries, dyn, q, j, i)
                    bounds = limits if np.isfinite(limits).all() else None
                    q[j] = _maximize_coordinate(entries, q[j], bounds)
                new = _mass_entries(dyn, q, 0, i, np.array([q[0]]))[0]
                if new <= value * (1 + 1e-14):
                    break
                value = new
            best = max(best, float(value))
        out[k.name] = best
    return out


def _sample_poses(s: System, low: np.ndarray, high: np.ndarray, count: int):
    """Halton sequence (count, nq) of poses within limits, a full revolution without limits."""
    from scipy.stats import qmc

    low, high = whole_turns(low, high, s.neutral())
    return low + (high - low) * qmc.Halton(s.nq, scramble=False).random(count)


def _mass_entries(dyn: Any, q: np.ndarray, j: int, i: int, x: np.ndarray):
    rows = np.tile(q, (len(x), 1))
    rows[:, j] = x
    return dyn.mass_matrix(rows)[:, i, i]


def _maximize_coordinate(
    f: Callable[[np.ndarray], np.ndarray], x: float, bounds: tuple[float, float] | None
):
    """Value of one coordinate at which f is largest, by a grid and Brent's method."""
    grid = np.linspace(bounds[0], bounds[1], 17) if bounds else x + np.pi * np.arange(16) / 8
    y = f(grid)
    k = int(np.argmax(y))
    if np.ptp(y) < 1e-13 * abs(y).max():
        return x
    from scipy.optimize import minimize_scalar

    h = grid[1] - grid[0]
    a, b = grid[k] - h, grid[k] + h
    if bounds:
        a, b = max(a, bounds[0]), min(b, bounds[1])
    optimum = minimize_scalar(
        lambda t: -float(f(np.array([t]))[0]),
        bounds=(a, b),
        method="bounded",
        options={"xatol": 1e-9},
    )
    return max((optimum.x, grid[k], a, b), key=lambda t: float(f(np.array([t]))[0]))


__all__ = ["Load", "compute_cycle_loads", "find_largest_inertias"]
