"""The quickest motion along a path under limits of effort and speed.  Theory: TO.1 to TO.6."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import ArgumentError, TorseurError, shown, system_of, unknown_name
from ..model import Model
from ..numbers import asked, values
from ..solve import coordinate_limits
from ..system import System
from ..views import PrintedAnswer
from .path_law import Column, PathProfile
from .quickest_profile import profile
from .quickest_rows import Terms
from .statics import units_of, unswitched


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TimeOptimal(PrintedAnswer):
    """The quickest motion along a path: `duration` [s]; `motion`: {coordinate: law} that
    `ts.inverse` takes; `times`, `s`, `rate` (n,): share of the path and its rate; `efforts`
    (n, joints); `active`: what bounds the motion at each row, such as "joint2.max_effort"."""

    duration: float
    motion: dict[str, PathProfile]
    times: np.ndarray
    s: np.ndarray
    rate: np.ndarray
    efforts: np.ndarray
    joints: tuple[str, ...]
    active: tuple[str, ...] = field(repr=False)

    def __str__(self):
        words, counts = np.unique([a for a in self.active if a], return_counts=True)
        share = ", ".join(
            f"{w} for {100 * c / len(self.active):.0f} %"
            for w, c in sorted(zip(words, counts, strict=True), key=lambda x: -x[1])
        )
        return f"{self.duration:.9g} s along the path, bounded by {share or 'nothing'}"


def time_optimal(
    model: Model | System,
    path: Any,
    *,
    points: int = 501,
    max_effort: Mapping[str, float] | None = None,
    max_speed: Mapping[str, float] | None = None,
    engine: str = "own",
) -> TimeOptimal:
    """The quickest motion from rest to rest along a path of coordinates.

    Parameters
    ----------
    path : two or more poses [q0, q1, ...], each (nq,) or {coordinate: value}; a straight line in
        coordinates between two, a smooth curve through more
    max_effort, max_speed : of joints by name [N m or N, rad/s or m/s], over the model's own
    points : of the path; more are slower and closer (501: about 1e-4)
    engine : "own", or "toppra" (extra `robots`) with the model's dynamics; it says no `active`

    The model's own force elements act too (springs, friction of joints).

    >>> import torseur as ts
    >>> cart = ts.Model(bodies=(ts.Body("cart", 2.0),), joints=(
    ...     ts.Joint("x", "world", "cart", ts.Prismatic("x"), max_effort=4.0),))
    >>> round(time_optimal(cart, [[0.0], [1.0]]).duration, 6)      # 2 sqrt(2 kg 1 m / 4 N)
    1.414214
    """
    s: System = system_of(model, "time_optimal")
    if engine not in ("own", "toppra"):
        raise ArgumentError(f"time_optimal: engine={shown(engine)}: expected 'own' or 'toppra'")
    q = _poses(s, path)
    limits = _limits(s.model, s, max_effort or {}, max_speed or {})
    curve = _curve(q)
    grid = np.linspace(0, 1, asked.count("time_optimal", "points", points, 2))
    _within_travel(s, curve(grid), grid)
    terms = Terms(s, curve, grid)
    rate = None
    x = np.empty(0)
    for _ in range(40 if terms.rubs else 1):  # friction needs the speed, which is what is sought
        A, B, C, names = terms.rows(limits, rate)
        fastest, by = terms.fastest(limits)
        x, active = profile(grid, A, B, C, fastest, by, names, limits)
        if engine == "toppra":
            from .quickest_toppra import toppra_profile

            x, active = toppra_profile(grid, curve, terms, limits), ("",) * len(grid)
            break
        new = np.sqrt(np.maximum(x, 0))
        if rate is not None and abs(new - rate).max() < 1e-6 * new.max():
            break
        rate = new
    rate = np.sqrt(np.maximum(x, 0))
    both = rate[1:] + rate[:-1]
    if not (both > 0).all():
        raise TorseurError("time_optimal: the motion stops on the way; give more points=")
    t = np.concatenate([[0.0], np.cumsum(2 * np.diff(grid) / both)])  # TO.2
    laws = {n: PathProfile(Column(curve, i), t, grid, rate) for i, n in enumerate(s.coordinates)}
    u = np.append(np.diff(x) / (2 * np.diff(grid)), 0.0)
    u[-1] = u[-2]
    efforts = terms.efforts(x, u)
    active = _bounding(active, efforts, limits)
    joints = tuple(k.name for k in s.links for _ in range(k.v.stop - k.v.start))
    return TimeOptimal(float(t[-1]), laws, t, grid, rate, efforts, joints, active)


def _bounding(active, efforts, limits):
    """What bounds each step: where it brakes, the joint whose effort is used up."""
    use = np.stack([abs(efforts[:, i]) / e if e else 0 * efforts[:, i] for _, i, e, _ in limits], 1)
    most = np.argmax(use, axis=1)
    return tuple(
        f"{limits[k][0]}.max_effort" if a == "braking" and use[i, k] > 0.98 else a
        for i, (a, k) in enumerate(zip(active, most, strict=True))
    )


def _row(s, pose, which):
    """A pose as numbers, each by the unit of its coordinate where it is a text."""
    try:
        row = np.asarray(pose, float)
    except (TypeError, ValueError):
        told = np.ravel(np.asarray(pose, dtype=object))
        if len(told) != s.nq:
            raise ArgumentError(
                f"time_optimal: {which} is {shown(pose)}; expected {s.nq} numbers: "
                f"{', '.join(s.coordinates)}"
            ) from None
        row = s.state(dict(zip(s.coordinates, told.tolist(), strict=True)))[0]
    bad = [n for n, x in zip(s.coordinates, np.ravel(row), strict=False) if not np.isfinite(x)]
    if row.shape == (s.nq,) and not bad:
        unit = units_of(s)
        for n, x in zip(s.coordinates, row.tolist(), strict=True):
            asked.tell_degrees(f"time_optimal: {which}: {n}", unit[n], x)
    if bad:
        raise ArgumentError(
            f"time_optimal: {bad[0]} of {which} is {row[~np.isfinite(row)][0]:g}; expected a "
            "finite number"
        )
    return row


def _poses(s, path):
    rows = []
    try:
        given = list(path)
    except TypeError:
        given = []
    for i, p in enumerate(given):
        if isinstance(p, Mapping):
            rows.append(s.state(p)[0])
        else:
            row = _row(s, p, f"pose {i + 1} of the path")
            if row.shape != (s.nq,):
                raise ArgumentError(
                    f"time_optimal: a pose of the path has the shape {row.shape}; expected "
                    f"({s.nq},): {', '.join(s.coordinates)}"
                )
            rows.append(row)
    if len(rows) < 2 or any(np.array_equal(a, b) for a, b in pairwise(rows)):
        raise ArgumentError("time_optimal: give two poses or more, each other than the one before")
    s.alone("time_optimal")
    unswitched(s, "time_optimal")
    if s.nq != s.nv or not all(k.joint.holonomic for k in s.links):
        raise TorseurError("time_optimal: every speed must be the rate of a coordinate")
    q = np.array(rows)
    held = [i for e in s.held for k in e.links for i in range(*s.links[k - 1].q.indices(s.nq))]
    if moved := [s.coordinates[i] for i in dict.fromkeys(held) if np.ptp(q[:, i]) > 0]:
        raise TorseurError(
            f"time_optimal: the path moves {', '.join(moved)}, which loops or constraints hold; "
            "it is for open chains"
        )
    return q


def _within_travel(s, q, grid):
    """Refuse a path that takes a joint out of its limits."""
    low, high = coordinate_limits(s)
    for which, limit, over in (("lower", low, low - q), ("upper", high, q - high)):
        k, i = np.unravel_index(int(np.argmax(over)), over.shape)
        if over[k, i] > 1e-9:
            raise TorseurError(
                f"time_optimal: at {grid[k]:.3g} of the path {s.coordinates[i]} is {q[k, i]:.6g}, "
                f"{over[k, i]:.4g} beyond its {which} limit {limit[i]:.6g}; move the poses, or "
                "give more of them to hold the curve"
            )


def _curve(q):
    from scipy.interpolate import CubicSpline, PPoly

    if len(q) == 2:
        return PPoly(np.stack([(q[1] - q[0])[None], q[0][None]]), [0.0, 1.0])
    way = np.linalg.norm(np.diff(q, axis=0), axis=1) ** 0.5  # centripetal
    at = np.concatenate([[0], np.cumsum(way)])
    return CubicSpline(at / at[-1], q, bc_type="natural")


def _limits(model, s, efforts, speeds):
    own = {j.name: j for j in model.joints}
    for what, given in (("max_effort", efforts), ("max_speed", speeds)):
        if bad := [
            unknown_name("joint", n, own, f"time_optimal, {what}") for n in given if n not in own
        ]:
            raise TorseurError("\n".join(bad))
    rows = []
    for k in s.links:
        j = own.get(k.name)
        e = efforts.get(k.name, j.max_effort if j else None)
        v = speeds.get(k.name, j.max_speed if j else None)
        for i in range(k.v.start, k.v.stop):
            rows.append((k.name, i, _number(e, s), _number(v, s)))
    if all(e is None and v is None for *_, e, v in rows):
        raise TorseurError(
            "time_optimal: no joint has max_effort or max_speed, so nothing bounds the motion; "
            "give them in the model, or max_effort={...}, max_speed={...}"
        )
    for name, _, e, v in rows:
        if (e is not None and not e > 0) or (v is not None and not v > 0):
            raise ArgumentError(f"time_optimal: the limits of joint {name!r} must be above zero")
    return rows


def _number(x, s):
    known = {n: v for n, v in s.parameters.items() if v is not None}
    return None if x is None else values.nominal(values.exact(x), known)


__all__ = ["TimeOptimal", "time_optimal"]
