"""Motions that show the parameters of a robot: Fourier series or splines, within its limits.

Coordinates are linear in the coefficients looked for: `q = q0 + B c`.  Theory: ID.15.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import ArgumentError, ModelWarning, TorseurError, shown, unknown_name
from ...model import Model
from ...scalars import arguments
from ...scalars.values import value
from ...solve import coordinate_limits
from ...system import System
from ...views import PrintedAnswer
from .base_parameters import base_of
from .regressor import linear

# --------------------------------------------------------------------------------------------
# Limits of a motion that is looked for: positions, speeds, efforts, places; and its sizes.


def checked_sizes(lin, duration, terms, samples) -> tuple[float, int, int]:
    """Duration, terms and samples of a motion, if they can be."""
    duration = arguments.number("exciting", "duration", duration, "s", above=0.0)
    for name, n, least in (("terms", terms, 1), ("samples", samples, 8)):
        if not isinstance(n, int | np.integer) or n < least:
            raise ArgumentError(f"exciting: {name}={shown(n)}: expected a whole number >= {least}")
    return duration, int(terms), int(samples)


def motion_limits(lin, limits, max_speed, max_effort, around):
    """Low, high, speed and effort of every coordinate, and the middle."""
    n = lin.system.nv
    joints = {j.name: j for j in lin.system.model.joints}
    room, speed, effort = np.zeros((n, 2)), np.full(n, 1.5), np.full(n, np.inf)
    known = {n: x for n, x in lin.system.parameters.items() if x is not None}
    low, high = coordinate_limits(lin.system)
    for k in lin.system.links:
        joint: Any = joints.get(k.name)
        half = [np.pi / 2 if unit.startswith("rad") else 0.5 for _, unit in k.joint.speeds]
        room[k.v] = np.outer(half, (-1, 1))
        if joint is None:
            continue
        if joint.bounds is not None and k.joint.nq == k.joint.nv:
            room[k.v] = _room(low[k.q], high[k.q], np.array(half))
        if joint.max_speed is not None:
            speed[k.v] = value.nominal(value.exact(joint.max_speed), known)
        if joint.max_effort is not None:
            effort[k.v] = value.nominal(value.exact(joint.max_effort), known)
    _given(lin, room, limits, "limits")
    _given(lin, speed, max_speed, "max_speed")
    _given(lin, effort, max_effort, "max_effort")
    low, high = room.T
    middle = (low + high) / 2
    _given(lin, middle, around, "around")
    for i, name, _ in lin.speeds:
        if not low[i] < middle[i] < high[i] or not speed[i] > 0 or not effort[i] > 0:
            raise ArgumentError(
                f"exciting: limits leave no room around the middle of the motion of {name!r}: from "
                f"{low[i]:.4g} to {high[i]:.4g}, middle {middle[i]:.4g}, speed {speed[i]:.4g}, "
                f"effort {effort[i]:.4g}"
            )
    return low, high, speed, effort, middle


def _room(low, high, half) -> np.ndarray:
    """Low and high of coordinates, (n, 2): an open end leaves as much room as no limit does."""
    below = np.where(np.isfinite(high), np.minimum(-half, high - 2 * half), -half)
    low = np.where(np.isfinite(low), low, below)
    return np.stack([low, np.where(np.isfinite(high), high, np.maximum(half, low + 2 * half))], 1)


UNITS = {
    "limits": ("rad", "m"),
    "around": ("rad", "m"),
    "max_speed": ("rad/s", "m/s"),
    "max_effort": ("N m", "N"),
}
"""Of turning and of sliding."""


def _given(lin, numbers: np.ndarray, told: Any, what: str) -> None:
    """Put given numbers, one for all, one a coordinate or {joint: number}, in place."""
    if told is None:
        return
    places = {k.name: k.v for k in lin.system.links}
    for name in told if isinstance(told, Mapping) else ():
        if name not in places:
            raise ArgumentError(unknown_name("joint", name, sorted(places), f"exciting, {what}"))
    pairs = told.items() if isinstance(told, Mapping) else [(None, told)]
    units = [UNITS[what][not turns] for _, _, turns in lin.speeds]
    for name, x in pairs:
        part = slice(None) if name is None else places[name]
        try:
            numbers[part] = _in_si(f"{what} of {name!r}" if name else what, x, units[part])
        except (TypeError, ValueError) as e:
            if isinstance(e, ArgumentError):
                raise
            shape = " by ".join(map(str, numbers[part].shape))
            raise ArgumentError(
                f"exciting: {what}={shown(told)}: expected numbers ({shape}), one for all, or "
                "{joint: number}"
            ) from None


def _in_si(what: str, x: Any, units: list[str]) -> np.ndarray:
    """Numbers of some coordinates: one a coordinate, or what fits all of them; texts by units."""
    try:
        return np.asarray(x, float)  # some may be infinite: no limit
    except (TypeError, ValueError):
        pass
    if isinstance(x, list | tuple) and len(x) == len(units) and len(set(units)) > 1:
        each = [arguments.numbers("exciting", what, e, u) for e, u in zip(x, units, strict=True)]
        return np.array(each, float)
    found = [arguments.numbers("exciting", what, x, u) for u in dict.fromkeys(units)]
    return found[0]


def boxes(lin, workspace) -> dict[str, np.ndarray]:
    """Boxes that bodies and frames stay in."""
    known = {"world", *(b.name for b in lin.system.model.bodies)}
    known |= {f.name for f in lin.system.model.frames}
    out = {}
    for name, given in workspace.items():
        if name not in known:
            raise ArgumentError(
                unknown_name("body or frame", name, sorted(known), "exciting, workspace")
            )
        box = arguments.numbers("exciting", f"workspace of {name!r}", given, "m")
        if box.shape != (3, 2) or not (box[:, 0] < box[:, 1]).all():
            raise ArgumentError(
                f"exciting: workspace of {name!r} is {shown(given)}: expected ((x low, x high), "
                "(y low, y high), (z low, z high)) [m]"
            )
        out[name] = box
    return out


STIFF = 1e3  # weight of a limit that is passed against the criterion
INSIDE = 0.01  # of an effort's limit or a box: where the search begins to feel it
ROUNDS = ((STIFF, INSIDE), (1e5, INSIDE), (1e5, 4 * INSIDE))  # the last where limits are passed
BETWEEN = 16  # rows between two samples, at which limits are looked at too
SMALLER = 0.4  # of its room: a motion around a middle that was looked for, to begin with
SIZES = np.linspace(1, 0.8, 11)  # of a motion that passes its limits by a little
CRITERIA = ("condition", "determinant")


@dataclass(frozen=True, eq=False, repr=False)
class Excitation(PrintedAnswer):
    """A motion for identification: `time` [s], `q`, `v`, `a` (n, nv), and how good it is.

    `condition`: of the base regressor, columns scaled to what is usual; `motion` is what
    `ts.inverse` takes, and `at(times)` says the same at other times, such as those of a controller.
    Positions and speeds are within their limits at all times; `over` is the largest share by which
    an effort passes its limit, or a place its box (over the box's size), 0 if none does.
    """

    names: tuple[str, ...]
    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    condition: float
    started: float  # the condition of the motion that the search began with
    effort: np.ndarray = field(repr=False)
    over: float = 0.0
    series: Any = field(default=None, repr=False)  # of time: q, v, a

    def __str__(self):
        told = f"; {100 * self.over:.2g} % outside of its limits" if self.over else ""
        head = f"{self.time[-1]:g} s, condition {self.started:.4g} -> {self.condition:.4g}{told}"
        wide = max(map(len, self.names))
        rows = [
            f"  {n:<{wide}}  {low:8.4g} to {high:8.4g}, speed up to {v:.4g}, effort up to {f:.4g}"
            for n, low, high, v, f in zip(
                self.names,
                self.q.min(axis=0),
                self.q.max(axis=0),
                abs(self.v).max(axis=0),
                abs(self.effort).max(axis=0),
                strict=True,
            )
        ]
        return "\n".join([head, *rows])

    @property
    def motion(self) -> dict[str, np.ndarray]:
        """Coordinates by name, beside "time"."""
        return {"time": self.time} | dict(zip(self.names, self.q.T, strict=True))

    def at(self, time) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """`q`, `v`, `a` at times from 0 to the duration [s], exactly."""
        return self.series(np.atleast_1d(np.asarray(time, float)))


def exciting(
    model: Model | System,
    duration: float,
    *,
    kind: str = "fourier",
    terms: int = 5,
    samples: int = 150,
    criterion: str = "condition",
    friction: Sequence[str] = ("coulomb", "viscous", "offset"),
    rotors: bool | None = None,
    free: Sequence[str] = (),
    limits: Any = None,
    max_speed: Any = None,
    max_effort: Any = None,
    around: Any = None,
    workspace: Mapping[str, Any] | None = None,
    iterations: int = 50,
    seed: int = 0,
) -> Excitation:
    """A motion that tells base parameters apart.

    Parameters
    ----------
    duration : [s]; Fourier series repeat after it, splines start and end at rest
    kind : "fourier" or "spline"
    terms : harmonics, or free points of a spline, of each joint
    criterion : "condition" (of the base regressor) or "determinant" (of its information)
    friction, rotors, free : what is looked for, as in `robot`
    limits, max_speed, max_effort : of every coordinate, [rad or m], [rad/s or m/s], [N m or N],
        one for all, one each, or {joint: limit}; by default what the model's joints say, else
        +-pi/2 rad or +-0.5 m, and 1.5 a second.  They hold between the samples too.
        Efforts are those of the model's own masses.  Texts may say their units
    around : middle of the motion (nq,); by default that of the limits; where there are limits of
        effort or workspace, it is looked for too
    workspace : {body or frame: ((x low, x high), (y low, y high), (z low, z high))}, where its
        origin may be in the world [m]
    iterations : of the search (L-BFGS with exact gradients), from the best of 20 random motions;
        with limits of effort or workspace once more, these a hundred times as firm

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=2.0, com=(0, 0, -0.5))
    >>> arm = ts.Model(bodies=(rod,), joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
    >>> found = exciting(arm, 4.0, iterations=5)
    >>> found.q.shape, bool(abs(found.v).max() <= 1.5 * 1.01)
    ((150, 1), True)
    """
    if criterion not in CRITERIA:
        raise ArgumentError(f"exciting: criterion={shown(criterion)}: expected one of {CRITERIA}")
    lin = linear(model, friction, rotors, free=free)
    if any(not k.joint.holonomic for k in lin.system.links):
        raise TorseurError(
            "exciting: ball and free joints have no coordinates that add; give the "
            "robot a fixed base and hinges or sliders"
        )
    rotors_alone = [k.name for k in lin.system.links if k.auxiliary]
    if rotors_alone:
        raise TorseurError(
            f"exciting: the rotor {rotors_alone[0]!r} moves with its joint through a shaft, not by "
            "itself; ask for the robot with stiff gears, Drive(flexible=False)"
        )
    duration, terms, samples = checked_sizes(lin, duration, terms, samples)
    room = motion_limits(lin, limits, max_speed, max_effort, around)
    firm = bool(np.isfinite(room[3]).any() or workspace)
    search = _Search(
        lin,
        _basis(kind, terms, duration),
        np.linspace(0, duration, samples),
        room,
        criterion,
        boxes(lin, workspace or {}),
        firm and around is None,
    )
    firsts = [min(some, key=search.cost) for some in search.tries(np.random.default_rng(seed))]
    from scipy.optimize import minimize

    found, how = firsts, {"maxiter": iterations}
    for search.stiff, search.margin in ROUNDS if firm else ROUNDS[:1]:
        found = [
            minimize(search.both, c, jac=True, method="L-BFGS-B", options=how).x for c in found
        ]
        first = min(firsts, key=search.cost)
        ends = [search.within(c) for c in (*(search.fitted(c, least=1.0) for c in found), first)]
        best, over = min(ends, key=lambda end: (end[1] > 0, search.cost(end[0])))
        if search.stiff > STIFF and not over:
            break
    q, v, a = search.states(best)
    if over > 0:
        warnings.warn(
            f"exciting: an effort or a place is outside of its limits by {100 * over:.2g} %; "
            "another middle of the motion (around=), lower speeds or wider limits help",
            ModelWarning,
            stacklevel=2,
        )
    return Excitation(
        lin.system.coordinates,
        search.time,
        q,
        v,
        a,
        search.condition(q, v, a),
        search.condition(*search.states(first)),
        search.effort(q, v, a),
        over,
        lambda time: search.states(best, search.basis(time)),
    )


def _basis(kind, terms, duration):
    """Values, slopes and curvatures of the basis, (times, coefficients) each, of times."""
    if kind == "fourier":
        w = 2 * np.pi / duration * np.arange(1, terms + 1)

        def fourier(t):
            s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
            return np.hstack([s / w, c / w]), np.hstack([c, -s]), np.hstack([-s * w, -c * w])

        return fourier
    if kind == "spline":
        from scipy.interpolate import BSpline

        order, n = 5, terms + 6  # three coefficients at each end are held: at rest there
        knots = np.r_[[0] * order, np.linspace(0, duration, n - order + 1), [duration] * order]
        spline = BSpline(knots, np.eye(n), order)
        return lambda t: tuple(spline(t, nu)[:, 3:-3] for nu in range(3))
    raise ArgumentError(f"exciting: kind={shown(kind)}: expected 'fourier' or 'spline'")


def _moved(basis):
    """The same, with one more coefficient that moves the middle."""
    return lambda t: tuple(
        np.column_stack([x, np.full(len(x), float(k == 0))]) for k, x in enumerate(basis(t))
    )


class _Search:
    """The criterion as a function of the coefficients, with its gradient."""

    def __init__(self, lin, basis, time, limits, criterion, workspace, moved):
        self.lin, self.base, self.criterion = lin, base_of(lin), criterion
        self.moved, basis = moved, _moved(basis) if moved else basis
        self.time, self.basis, self.rows = time, basis, basis(time)
        self.dense = basis(np.linspace(time[0], time[-1], BETWEEN * (len(time) - 1) + 1))
        self.low, self.high, self.speed, self.most, self.middle = limits
        self.workspace, (self.stiff, self.margin) = workspace, ROUNDS[0]
        self.size = self.rows[0].shape[1] * len(self.middle)
        self.kept = list(self.base.kept)
        usual = np.random.default_rng(3).normal(
            size=(len(self.middle), self.rows[0].shape[1] - moved)
        )
        q, v, a = self.states(self.fitted(np.pad(usual, ((0, 0), (0, int(moved)))).ravel()))
        Y = lin.regressor(q, v, a, np.ones(v.shape))[:, :, self.kept].reshape(-1, len(self.kept))
        self.usual = np.sqrt((Y**2).mean(axis=0)) + 1e-12

    def states(self, c, rows=None):
        """Coordinates, speeds and accelerations at the samples, or at other rows of the basis."""
        C = c.reshape(len(self.middle), -1).T
        B, B1, B2 = self.rows if rows is None else rows
        return self.middle + B @ C, B1 @ C, B2 @ C

    def fitted(self, c, least: float = 1e-12):
        """The same shape, as large as positions and speeds allow (with `least` 1, not larger)."""
        C = c.reshape(len(self.middle), -1).copy()
        shape = C[:, :-1] if self.moved else C
        middle, span = self.middle.copy(), self.high - self.low
        if self.moved:
            edge = INSIDE * span
            middle = np.clip(middle + C[:, -1], self.low + edge, self.high - edge)
            C[:, -1] = middle - self.middle
        off, v, a = (B[:, : shape.shape[1]] @ shape.T for B in self.dense)
        step = (self.time[1] - self.time[0]) / BETWEEN
        more = abs(a).max(axis=0) * step**2 / 8  # at most, between two rows
        faster = abs(v).max(axis=0) + abs(np.diff(a, axis=0)).max(axis=0) * step / 8
        up, down = off.max(axis=0) + more, more - off.min(axis=0)
        used = np.max(
            [up / (self.high - middle), down / (middle - self.low), faster / self.speed], axis=0
        )
        used *= 1 + 1e-12
        shape /= np.maximum(used, least)[:, None]
        return C.ravel()

    def tries(self, rng) -> list[list[np.ndarray]]:
        """Random motions to begin with; as many around middles within the limits, if it is free."""
        shapes = rng.normal(size=(20, self.size))
        if not self.moved:
            return [[self.fitted(c) for c in shapes]]
        middles = rng.uniform(self.low, self.high, (256, len(self.middle)))
        still = np.zeros(middles.shape)
        worst = self.outside(middles, self.effort(middles, still, still))
        best = middles[np.argsort(worst, kind="stable")[:5]] - self.middle
        shapes = shapes.reshape(len(shapes), len(self.middle), -1)
        sides: list[list[np.ndarray]] = [[], []]
        for k, C in enumerate(shapes):
            for side, middle, size in zip(
                sides, (0 * best[0], best[k % 5]), (1, SMALLER), strict=True
            ):
                C[:, -1] = middle
                C = self.fitted(C.ravel()).reshape(C.shape)
                C[:, :-1] *= size
                side.append(C.ravel())
        return sides

    @cached_property
    def model(self):
        """Kernels of the robot with its own masses: efforts, poses."""
        from ...kernels import compile

        return compile(self.lin.system)

    def effort(self, q, v, a):
        return np.asarray(self.model.inverse_dynamics(q, v, a))

    def _scaled(self, q, v, a):
        Y = self.lin.regressor(q, v, a, np.ones(v.shape))[:, :, self.kept]
        return Y.reshape(-1, len(self.kept)) / self.usual

    def condition(self, q, v, a) -> float:
        s = np.linalg.svd(self._scaled(q, v, a), compute_uv=False)
        return float(s[0] / max(s[-1], 1e-300))

    def cost(self, c) -> float:
        return self.both(c)[0]

    def both(self, c) -> tuple[float, np.ndarray]:
        """Criterion and limits, and their gradient by the coefficients: ID.15."""
        states = self.states(c)
        q, v = states[:2]
        parts = [self._criterion(states), self._bounds(q, v)]
        if np.isfinite(self.most).any():
            parts.append(self._efforts(states))
        parts += [self._inside(q, name, box) for name, box in self.workspace.items()]
        cost = sum(x for x, _ in parts)
        by_q, by_v, by_a = (sum(g[k] for _, g in parts) for k in range(3))
        B, B1, B2 = self.rows
        return float(cost), (B.T @ by_q + B1.T @ by_v + B2.T @ by_a).T.ravel()

    def _criterion(self, states):
        """Logarithm of the condition number, or of the determinant, through the regressor."""
        U, s, V = np.linalg.svd(self._scaled(*states), full_matrices=False)
        s = s + 1e-12
        if self.criterion == "condition":
            good = np.log(s[0] / s[-1])
            G = np.outer(U[:, 0], V[0]) / s[0] - np.outer(U[:, -1], V[-1]) / s[-1]
        else:
            good, G = -2 * np.log(s).mean(), -2 / len(s) * (U / s) @ V
        whole = np.zeros((*states[1].shape, len(self.lin.columns)))
        whole[:, :, self.kept] = (G / self.usual).reshape(*states[1].shape, -1)
        return good, self.lin.pulled(*states, whole)

    def _bounds(self, q, v):
        span = self.high - self.low
        over = (np.maximum(0, q - self.high) - np.maximum(0, self.low - q)) / span
        fast = np.sign(v) * np.maximum(0, abs(v) / self.speed - 1)
        cost, k = self.stiff * ((over**2).mean() + (fast**2).mean()), 2 * self.stiff / q.size
        return cost, (k * over / span, k * fast / self.speed, 0.0 * v)

    def _efforts(self, states):
        tau = self.effort(*states)
        hard = np.sign(tau) * np.maximum(0, abs(tau) / self.most - (1 - self.margin))
        cost, k = self.stiff * float((hard**2).mean()), 2 * self.stiff / tau.size
        slopes = self.model.inverse_dynamics_derivatives(*states)
        return cost, tuple(np.einsum("ni,nij->nj", k * hard / self.most, D) for D in slopes)

    def outside(self, q, effort) -> np.ndarray:
        """The largest share by which an effort or a place is outside, of every row."""
        out = [(abs(effort) / self.most).max(axis=1) - 1]
        for name, box in self.workspace.items():
            x, (low, high) = self.model.pose(name, q)[:, :3, 3], box.T
            out.append((np.maximum(x - high, low - x) / (high - low)).max(axis=1))
        return np.max(out, axis=0)

    def within(self, c) -> tuple[np.ndarray, float]:
        """The motion, a little smaller if it is then within its limits, and what it passes them."""
        tried = []
        for size in SIZES:
            C = c.reshape(len(self.middle), -1).copy()
            C[:, : C.shape[1] - self.moved] *= size
            q, v, a = self.states(C.ravel(), self.dense)
            over = max(0.0, float(self.outside(q, self.effort(q, v, a)).max()))
            tried.append((C.ravel(), over))
            if not over:
                return tried[-1]
        return tried[0]

    def _inside(self, q, name, box):
        """A body or frame that leaves its box, over the size of the box."""
        low, high = box.T
        low, high = low + self.margin * (high - low), high - self.margin * (high - low)
        x, J = self.model.pose(name, q)[:, :3, 3], self.model.jacobian(name, q)[:, 3:]
        out = (np.maximum(0, x - high) - np.maximum(0, low - x)) / (high - low)
        cost, k = self.stiff * float((out**2).mean()), 2 * self.stiff / out.size
        by_q = np.einsum("ni,nij->nj", k * out / (high - low), J)
        return cost, (by_q, 0.0 * by_q, 0.0 * by_q)
