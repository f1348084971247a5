"""Which motor and gearbox each joint needs: every pair tried over a duty cycle.

Theory: DS.1 to DS.8.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import ArgumentError, TorseurError, shown, unknown_name
from ..model import Model
from ..solve import coordinate_limits, inverse
from ..system import System
from .drives import Catalogue, Gearbox, Motor, catalogue_of

COPPER = 0.00393  # growth of a copper winding's resistance [1/K]


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """What a joint's drive must give, at the joint: `time` [s], `effort` of the link without any
    drive [N m], `speed` [rad/s], `acceleration`; weights of time; the link's largest inertia."""

    joint: str
    time: np.ndarray
    effort: np.ndarray
    speed: np.ndarray
    acceleration: np.ndarray
    weights: np.ndarray  # [s], they add up to the period
    inertia: float


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """One motor with one gearbox on one joint, over the cycle; all at the motor's shaft.

    `rms_torque`, `peak_torque` [N m]; `top_speed` [rad/s]; `inertia_ratio`: the link's largest
    inertia over that of rotor and gear, both at the joint; `use`: share of each limit that is used
    (1: all of it); `binding`: the limit used most; `temperature`: the winding's largest [K above
    ambient] in the steady cycle; `gear_life` [s]; `consumed`, `regenerated` energy a cycle [J].
    """

    joint: str
    motor: Motor
    gearbox: Gearbox
    rms_torque: float
    peak_torque: float
    top_speed: float
    inertia_ratio: float
    use: dict[str, float]
    binding: str
    excess: str
    cubic_torque: float
    gear_life: float
    consumed: float
    regenerated: float
    mean_power: float
    temperature: float | None
    temperatures: np.ndarray | None = field(repr=False, default=None)
    torque: np.ndarray = field(repr=False, default_factory=lambda: np.zeros(0))
    speed: np.ndarray = field(repr=False, default_factory=lambda: np.zeros(0))

    @property
    def feasible(self) -> bool:
        return max(self.use.values()) <= 1 + 1e-12

    @property
    def top_rpm(self) -> float:
        """Largest speed of the motor [rpm]."""
        return self.top_speed * 30 / np.pi

    @property
    def mass(self) -> float:
        return self.motor.mass + self.gearbox.mass

    def __str__(self):
        hot = "" if self.temperature is None else f", winding {self.temperature:.3g} K warmer"
        return (
            f"{self.motor.name} with {self.gearbox.name}: rms {self.rms_torque:.4g} N m, peak "
            f"{self.peak_torque:.4g} N m, {self.top_rpm:.4g} rpm, inertia ratio "
            f"{self.inertia_ratio:.4g}{hot}; binding: {self.binding} "
            f"({100 * self.use[self.binding]:.3g} %)"
        )


class Sizing(Mapping):
    """Feasible pairs of each joint, best first: `sizing["joint1"][0]`.

    `rejected["joint1"]`: the others, nearest to fitting first; `loads["joint1"]`: what was asked.
    """

    def __init__(self, chosen, rejected, loads, name):
        self._chosen, self.rejected, self.loads, self.name = chosen, rejected, loads, name

    def __getitem__(self, joint: str) -> list[Candidate]:
        if joint not in self._chosen:
            raise TorseurError(unknown_name("joint", joint, self._chosen, "sizing"))
        return self._chosen[joint]

    def __iter__(self) -> Iterator[str]:
        return iter(self._chosen)

    def __len__(self):
        return len(self._chosen)

    def table(self, count: int = 3) -> str:
        """The best pairs of every joint, as text."""
        lines = []
        for joint, found in self._chosen.items():
            lines += [f"{joint}:"] + [f"  {i + 1}. {c}" for i, c in enumerate(found[:count])]
        return "\n".join(lines)

    __str__ = table

    def report(self, path) -> None:
        """Write an HTML page: the table, and each joint's torque and speed in the envelopes."""
        from .pages import sizing_page

        sizing_page(self, path)


def size(
    model: Model | System,
    cycle: Any,
    catalogue: Any,
    *,
    joints: Iterable[str] | None = None,
    pause: float = 0.0,
    largest_inertia_ratio: float = np.inf,
    life: float = 0.0,
    points: int = 4001,
    order: str = "mass",
) -> Sizing:
    """Rank pairs of motor and gearbox that can drive each joint through a duty cycle.

    Parameters
    ----------
    model : rigid; drives and armatures it has are taken off, since they are what is sought
    cycle : the motion: laws of coordinates, a run, arrays with "time"
    catalogue : `Catalogue`, its file, (motors, gearboxes), or a mapping of the two lists
    pause : rest after each cycle [s]
    largest_inertia_ratio : of link over rotor and gear
    life : wanted of the gears [s]
    order : "mass" (lightest first) or "margin" (least used first)

    Every pair must hold: continuous torque (rms), peak torque within the envelope at its speed,
    speed, temperature where the motor says its thermal numbers, and the gear's ratings.

    >>> import torseur as ts
    >>> arm = ts.Model(bodies=(ts.Body("arm", 4.0, (0.3, 0, 0)),),
    ...     joints=(ts.Joint("shoulder", "world", "arm", ts.Revolute((0, -1, 0))),))
    >>> found = size(arm, {"shoulder.angle": ts.Quintic(0.0, 1.5, 1.0)},
    ...              ts.robots.example_catalogue())
    >>> found["shoulder"][0].motor.name, found["shoulder"][0].gearbox.name
    ('M100', 'H14-100')
    """
    catalogue = catalogue_of(catalogue)
    if order not in ("mass", "margin"):
        raise ArgumentError(f"size: order={shown(order)}: expected 'mass' or 'margin'")
    loads = cycle_loads(model, cycle, joints, pause, points)
    chosen, rejected, faults = {}, {}, []
    for joint, load in loads.items():
        tried = [
            judged(load, m, g, largest_inertia_ratio, life)
            for m in catalogue.motors
            for g in catalogue.gearboxes
        ]
        rank = (
            (lambda c: (c.mass, max(c.use.values())))
            if order == "mass"
            else (lambda c: max(c.use.values()))
        )
        chosen[joint] = sorted((c for c in tried if c.feasible), key=rank)
        rejected[joint] = sorted(
            (c for c in tried if not c.feasible), key=lambda c: max(c.use.values())
        )
        if not chosen[joint]:
            near = rejected[joint][0]
            faults.append(
                f"size: no pair of the catalogue drives {joint!r}; the nearest, {near.motor.name} "
                f"with {near.gearbox.name}, fails by its {near.binding}: {near.excess}"
            )
    if faults:
        raise TorseurError("\n".join(faults))
    return Sizing(chosen, rejected, loads, model.name)


def cycle_loads(
    model, cycle, joints=None, pause: float = 0.0, points: int = 4001
) -> dict[str, Load]:
    """What each joint's drive must give over a cycle."""
    bare = replace(model, joints=tuple(replace(j, drive=None, armature=0) for j in model.joints))
    if not pause >= 0:
        raise ArgumentError(f"size: pause = {shown(pause)}; expected zero or more [s]")
    t, w = _instants(cycle, points)
    run = inverse(bare, cycle, t, points=points)
    s = bare.check()
    own = {k.name: k for k in s.links if k.joint.nv == 1}
    names = list(own) if joints is None else list(joints)
    if bad := [unknown_name("joint", n, own, "size") for n in names if n not in own]:
        raise TorseurError("\n".join(bad))
    t = np.asarray(run.time)
    if not t[-1] > t[0]:
        raise ArgumentError("size: the cycle lasts no time; give a motion [s]")
    if w is None:
        w = np.zeros(len(t))
        w[:-1] += np.diff(t) / 2
        w[1:] += np.diff(t) / 2
    heaviest = largest_inertias(bare)
    out = {}
    for n in names:
        k = own[n]
        i = k.v.start
        tau = np.array(run[f"{n}.effort"])
        v, a = np.array(run[s.speeds[i]]), np.array(run[f"{n}.acceleration"])
        time, weights = t - t[0], w
        if pause:
            hold = float(tau[-1])  # the pose is held
            time, weights = np.append(time, time[-1] + pause), np.append(weights, pause)
            tau, v, a = np.append(tau, hold), np.append(v, 0.0), np.append(a, 0.0)
        out[n] = Load(n, time, tau, v, a, weights, heaviest[n])
    return out


def _instants(cycle, points):
    """Times within the smooth pieces of a motion, with the weights of Gauss; both sides of every
    kink have none.  None where the motion does not say its kinks."""
    laws = cycle.values() if isinstance(cycle, Mapping) and "time" not in cycle else ()
    kinks = sorted({float(x) for law in laws for x in getattr(law, "breakpoints", ())})
    if len(kinks) < 2 or not kinks[-1] > kinks[0]:
        return None, None
    whole = kinks[-1] - kinks[0]
    x, g = np.polynomial.legendre.leggauss(4)
    times, weights = [], []
    for a, b in pairwise(kinks):
        if b - a < 1e-12 * whole:
            continue
        n = max(4, int(points / 4 * (b - a) / whole))
        edges = np.linspace(a, b, n + 1)
        half = (b - a) / (2 * n)
        inner = (edges[:-1, None] + half * (1 + x)).ravel()
        e = 1e-9 * (b - a)
        times += [a + e, *inner, b - e]
        weights += [0.0, *np.tile(half * g, n), 0.0]
    return np.array(times), np.array(weights)


def largest_inertias(model) -> dict[str, float]:
    """The largest inertia that each joint can feel, over all poses within limits.  # DS.4

    Along one coordinate a diagonal entry of the mass matrix is a wave of two harmonics (or a
    parabola), known from five poses; coordinates are taken in turn, from several poses.
    """
    from ..quantities import compile
    from .statics import Where

    dyn, s = compile(model), model.check()
    spread = Where(model, "workspace").q[:200]
    q0 = np.vstack([s.neutral(), spread])
    M = np.einsum("nii->ni", dyn.mass_matrix(q0))
    low, high = coordinate_limits(s)
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
                    bounds = (low[j], high[j]) if np.isfinite([low[j], high[j]]).all() else None
                    q[j] = _climb(lambda x, q=q, j=j, i=i: _entry(dyn, q, j, x, i), q[j], bounds)
                new = _entry(dyn, q, 0, np.array([q[0]]), i)[0]
                if new <= value * (1 + 1e-14):
                    break
                value = new
            best = max(best, float(value))
        out[k.name] = best
    return out


def _entry(dyn, q, j, x, i):
    rows = np.tile(q, (len(x), 1))
    rows[:, j] = x
    return dyn.mass_matrix(rows)[:, i, i]


def _climb(f, x, bounds):
    """Where along one coordinate f is largest."""
    grid = np.linspace(*bounds, 17) if bounds else x + np.pi * np.arange(16) / 8
    y = f(grid)
    k = int(np.argmax(y))
    if np.ptp(y) < 1e-13 * abs(y).max():
        return x
    from scipy.optimize import minimize_scalar

    h = grid[1] - grid[0]
    a, b = grid[k] - h, grid[k] + h
    if bounds:
        a, b = max(a, bounds[0]), min(b, bounds[1])
    found = minimize_scalar(
        lambda t: -float(f(np.array([t]))[0]),
        bounds=(a, b),
        method="bounded",
        options={"xatol": 1e-9},
    )
    return max((found.x, grid[k], a, b), key=lambda t: float(f(np.array([t]))[0]))


def motor_side(load: Load, motor: Motor, gear: Gearbox):
    """Torque and speed of the motor over the cycle.  # DS.1"""
    N = gear.ratio
    w = N * load.speed
    back = gear.back_efficiency if gear.back_efficiency is not None else gear.efficiency
    drives = load.effort * load.speed >= 0
    through = load.effort / N * np.where(drives, 1 / gear.efficiency, back)
    dry = (motor.dry + gear.dry) * np.sign(w)
    tau = (motor.inertia + gear.inertia) * N * load.acceleration + motor.viscous * w + dry + through
    return tau, w


def judged(load: Load, motor: Motor, gear: Gearbox, most_ratio=np.inf, life=0.0) -> Candidate:
    """One pair over the cycle: what it needs of every limit."""
    tau, w = motor_side(load, motor, gear)
    dt, period = load.weights, load.weights.sum()
    rms = float(np.sqrt((dt * tau**2).sum() / period))  # DS.5
    peak, top = float(abs(tau).max()), float(abs(w).max())
    inertia = gear.ratio**2 * (motor.inertia + gear.inertia)
    ratio = load.inertia / inertia
    limit = motor.envelope(w)
    with np.errstate(divide="ignore", invalid="ignore"):
        short = np.where(abs(tau) > 1e-12, abs(tau) / limit, 0.0)
    k = int(np.nanargmax(short))
    out = abs(load.effort)
    turned = (dt * abs(w)).sum()
    cubic = float(((dt * abs(w) * out**3).sum() / turned) ** (1 / 3)) if turned else 0.0  # DS.6
    mean_speed = float(turned / period)
    lasts = np.inf
    if np.isfinite(gear.rated_torque) and cubic > 0:
        lasts = (
            gear.life * (gear.rated_torque / cubic) ** 3 * gear.rated_speed / max(mean_speed, 1e-9)
        )
    parts = {
        "continuous torque": (rms, motor.torque, "N m"),
        "peak torque": (float(abs(tau[k])), float(limit[k]), f"N m at {abs(w[k]):.4g} rad/s"),
        "speed": (top, motor.speed, "rad/s"),
        "gear peak torque": (float(out.max()), gear.repeated_torque, "N m"),
        "gear average torque": (cubic, gear.average_torque, "N m"),
        "gear speed": (top, gear.speed, "rad/s"),
        "gear average speed": (mean_speed, gear.average_speed, "rad/s"),
        "inertia ratio": (ratio, most_ratio, ""),
        "gear life": (life, lasts, "s"),
    }
    temperatures = (
        _warmth(motor, tau, load)
        if motor.heat_winding is not None and (motor.kt and motor.resistance)
        else None
    )
    hottest = None if temperatures is None else float(temperatures.max())
    if hottest is not None:
        parts["winding temperature"] = (hottest, motor.hottest, "K above ambient")
    use = {n: (x / m if m > 0 else (np.inf if x > 0 else 0.0)) for n, (x, m, _) in parts.items()}
    binding = max(use, key=lambda n: use[n])
    x, m, u = parts[binding]
    excess = f"{x:.4g} against {m:.4g} {u}, {abs(x - m):.3g} too much" if use[binding] > 1 else ""
    if binding == "gear life" and excess:
        excess = f"{m / 3600:.4g} h against {x / 3600:.4g} h wanted, {(x - m) / 3600:.3g} h too few"
    losses = 0.0
    if motor.kt and motor.resistance:
        losses = motor.resistance * (tau / motor.kt) ** 2
    power = tau * w + losses
    energy = (dt * np.maximum(power, 0)).sum(), -(dt * np.minimum(power, 0)).sum()  # DS.8
    return Candidate(
        load.joint,
        motor,
        gear,
        rms,
        peak,
        top,
        float(ratio),
        use,
        binding,
        excess,
        cubic,
        float(lasts),
        float(energy[0]),
        float(energy[1]),
        float((dt * power).sum() / period),
        hottest,
        temperatures,
        tau,
        w,
    )


def _warmth(motor, tau, load):
    """The winding's temperature above ambient over the steady cycle [K].  # DS.7

    Winding and housing are two heat stores; the winding's resistance grows with its temperature.
    """
    n = 200
    period = load.weights.sum()
    grid = (np.arange(n) + 0.5) * period / n
    square = np.interp(grid, load.time, (tau / motor.kt) ** 2)
    square *= (load.weights * (tau / motor.kt) ** 2).sum() / max(square.mean() * period, 1e-300)
    R1, R2 = motor.heat_winding, motor.heat_housing or 0.0
    t1, t2 = motor.time_winding or 1e3, motor.time_housing or 1e4
    C1, C2 = t1 / R1, t2 / R2 if R2 else np.inf
    A = np.array(
        [
            [-1 / (R1 * C1), 1 / (R1 * C1)],
            [1 / (R1 * C2), -1 / (R1 * C2) - (1 / (R2 * C2) if R2 else 0)],
        ]
    )
    if not R2:
        A[1] = 0
    from scipy.linalg import expm

    h = period / n
    whole = expm(np.block([[A, np.array([[1 / C1], [0.0]])], [np.zeros((1, 3))]]) * h)
    Ad, Bd = whole[:2, :2], whole[:2, 2]
    x, gain = np.zeros(2), np.eye(2)
    loss = motor.resistance * square
    for p in loss:
        x, gain = Ad @ x + Bd * p, Ad @ gain
    now = (
        np.linalg.solve(np.eye(2) - gain, x)
        if R2
        else np.array([x[0] / max(1 - gain[0, 0], 1e-12), 0.0])
    )
    rows = []
    for p in loss:
        now = Ad @ now + Bd * p
        rows.append(now[0])
    cold = np.array(rows)
    share = COPPER * cold.max()
    if share >= 1:  # resistance and loss feed each other without end
        return np.full(n, np.inf)
    return cold / (1 - share)


__all__ = [
    "Candidate",
    "Catalogue",
    "Load",
    "Sizing",
    "cycle_loads",
    "judged",
    "largest_inertias",
    "motor_side",
    "size",
]
