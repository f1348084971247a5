"""Drive sizing: motors and gearboxes that can drive each joint through a duty cycle.

Equations DS.1, DS.5 to DS.8.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...errors import ArgumentError, TorseurError, shown, unknown_name_message
from ...model import Model
from ...scalars import arguments
from ...system import System
from .catalog import Gearbox, Motor, catalog_of
from .duty_cycle import Load, compute_cycle_loads
from .thermal_model import COPPER_RESISTANCE_GROWTH, MotorTemperatures, compute_temperatures


@dataclass(frozen=True, slots=True, eq=False)
class DriveCandidate:
    """One motor with one gearbox on one joint over the cycle, all at the shaft of the motor.

    `rms_torque` and `peak_torque` are in N m, `top_speed` in rad/s.  `inertia_ratio` is the largest
    inertia of the link over that of rotor and gear.  `use` is the used fraction of each limit.
    `binding` is the limit with the largest fraction.  `temperature` is the largest of the winding
    in the steady cycle [K above ambient], `heat` the whole thermal result.  `gear_life` is in s.
    `consumed` and `regenerated` are the energy of a cycle [J].
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
    heat: MotorTemperatures | None = field(repr=False, default=None)
    torque: np.ndarray = field(repr=False, default_factory=lambda: np.zeros(0))
    speed: np.ndarray = field(repr=False, default_factory=lambda: np.zeros(0))

    @property
    def feasible(self) -> bool:
        return max(self.use.values()) <= 1 + 1e-12

    @property
    def temperature(self) -> float | None:
        return None if self.heat is None else self.heat.hottest

    @property
    def temperatures(self) -> np.ndarray | None:
        """Winding temperature over the steady cycle [K above ambient]."""
        return None if self.heat is None else self.heat.winding

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


def motor_torque_speed(load: Load, motor: Motor, gear: Gearbox):
    """Torque [N m] and speed [rad/s] of the motor over the cycle.  # DS.1"""
    N = gear.speed_ratio
    w = N * load.speed
    back = gear.back_efficiency if gear.back_efficiency is not None else gear.efficiency
    drives = load.effort * load.speed >= 0
    through = load.effort / N * np.where(drives, 1 / gear.efficiency, back)
    dry = (motor.dry + gear.dry) * np.sign(w)
    tau = (motor.inertia + gear.inertia) * N * load.acceleration + motor.viscous * w + dry + through
    return tau, w


def evaluate_candidate(
    load: Load, motor: Motor, gear: Gearbox, max_inertia_ratio: float = np.inf, life: float = 0.0
) -> DriveCandidate:
    """Use of every limit of one motor with one gearbox over the duty cycle."""
    tau, w = motor_torque_speed(load, motor, gear)
    dt, period = load.weights, load.weights.sum()
    rms = float(np.sqrt((dt * tau**2).sum() / period))  # DS.5
    peak, top = float(abs(tau).max()), float(abs(w).max())
    ratio = load.inertia / (gear.speed_ratio**2 * (motor.inertia + gear.inertia))
    cubic, mean_speed, gear_life = _gear_load(load, gear, w)
    output_peak = float((abs(load.effort) * gear.arm).max())
    limits = {
        "continuous torque": (rms, motor.torque, "N m"),
        "peak torque": _peak_torque_use(motor, tau, w),
        "speed": (top, motor.max_speed, "rad/s"),
        "gear peak torque": (output_peak, gear.repeated_torque, "N m"),
        "gear momentary torque": (output_peak, gear.momentary_torque, "N m"),
        "gear average torque": (cubic, gear.average_torque, "N m"),
        "gear speed": (top, gear.speed, "rad/s"),
        "gear average speed": (mean_speed, gear.average_speed, "rad/s"),
        "inertia ratio": (ratio, max_inertia_ratio, ""),
        "gear life": (life, gear_life, "s"),
    }
    if (volts := motor.supply_voltage(tau, w)) is not None:
        i = int(np.argmax(volts))
        at = f"V at {abs(tau[i]):.4g} N m and {abs(w[i]):.4g} rad/s"
        limits["supply voltage"] = (float(volts[i]), float(motor.voltage or 0.0), at)
    heat = compute_temperatures(motor, tau, load)
    if heat is not None:
        limits["winding temperature"] = (heat.hottest, motor.hottest, "K above ambient")
    use = {n: (x / m if m > 0 else (np.inf if x > 0 else 0.0)) for n, (x, m, _) in limits.items()}
    if heat is not None and not np.isfinite(heat.hottest):
        use["winding temperature"] = max(
            heat.cold / motor.hottest, heat.cold * COPPER_RESISTANCE_GROWTH, 1 + 1e-6
        )
    binding = max(use, key=lambda n: use[n])
    losses = 0.0
    if motor.kt and motor.resistance:
        losses = motor.resistance * (tau / motor.kt) ** 2
    power = tau * w + losses
    return DriveCandidate(
        joint=load.joint,
        motor=motor,
        gearbox=gear,
        rms_torque=rms,
        peak_torque=peak,
        top_speed=top,
        inertia_ratio=float(ratio),
        use=use,
        binding=binding,
        excess=_excess(binding, *limits[binding], heat) if use[binding] > 1 else "",
        cubic_torque=cubic,
        gear_life=float(gear_life),
        consumed=float((dt * np.maximum(power, 0)).sum()),  # DS.8
        regenerated=float((dt * np.maximum(-power, 0)).sum()),
        mean_power=float((dt * power).sum() / period),
        heat=heat,
        torque=tau,
        speed=w,
    )


def _gear_load(load: Load, gear: Gearbox, w: np.ndarray) -> tuple[float, float, float]:
    """Cubic mean torque at the output [N m], mean input speed [rad/s], life [s].  # DS.6"""
    dt = load.weights
    out = abs(load.effort) * gear.arm
    travel = (dt * abs(w)).sum()
    cubic = float(((dt * abs(w) * out**3).sum() / travel) ** (1 / 3)) if travel else 0.0
    mean_speed = float(travel / dt.sum())
    if not (np.isfinite(gear.rated_torque) and cubic > 0):
        return cubic, mean_speed, np.inf
    life = gear.life * (gear.rated_torque / cubic) ** 3 * gear.rated_speed / max(mean_speed, 1e-9)
    return cubic, mean_speed, life


def _peak_torque_use(motor: Motor, tau: np.ndarray, w: np.ndarray) -> tuple[float, float, str]:
    """Torque and peak torque [N m] where their ratio is largest, and the unit with the speed."""
    limit = motor.peak_torque_at(w)
    reachable = abs(w) < motor.max_speed * (1 - 1e-12)  # above it the speed is the limit
    with np.errstate(divide="ignore", invalid="ignore"):
        use = np.where(reachable & (abs(tau) > 1e-12), abs(tau) / limit, 0.0)
    k = int(np.argmax(use))
    return float(abs(tau[k])), float(limit[k]), f"N m at {abs(w[k]):.4g} rad/s"


def _excess(binding: str, x: float, m: float, unit: str, heat: Any) -> str:
    """Text about the excess over a limit."""
    if binding == "gear life":
        return f"{m / 3600:.4g} h against {x / 3600:.4g} h wanted, {(x - m) / 3600:.3g} h too few"
    if not np.isfinite(x):
        return (
            f"it warms without end against {m:.4g} {unit}: {heat.cold:.4g} K at the resistance of "
            f"a cold winding, {heat.cold - m:.3g} too much, and the resistance grows on"
        )
    return f"{x:.4g} against {m:.4g} {unit}, {x - m:.3g} too much"


class Sizing(Mapping[Any, Any]):
    """Feasible candidates of each joint, the best first: `sizing["joint1"][0]`.

    `rejected["joint1"]` are the others, the nearest to feasible first.  `loads["joint1"]` is the
    load.
    """

    def __init__(self, feasible: Any, rejected: Any, loads: Any, name: str):
        self._feasible, self.rejected, self.loads, self.name = feasible, rejected, loads, name

    def __getitem__(self, joint: str) -> list[DriveCandidate]:
        if joint not in self._feasible:
            raise TorseurError(unknown_name_message("joint", joint, self._feasible, "sizing"))
        return self._feasible[joint]

    def __iter__(self) -> Iterator[str]:
        return iter(self._feasible)

    def __len__(self):
        return len(self._feasible)

    def table(self, count: int = 3) -> str:
        """The best candidates of every joint, as text."""
        lines = []
        for joint, candidates in self._feasible.items():
            lines += [f"{joint}:"] + [f"  {i + 1}. {c}" for i, c in enumerate(candidates[:count])]
        return "\n".join(lines)

    __str__ = table

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write an HTML page: the table, and torque and speed of each joint in the envelopes."""
        from ..report import write_sizing_page

        write_sizing_page(self, path)


def size(
    model: Model | System,
    cycle: Any,
    catalog: Any,
    *,
    joints: Iterable[str] | None = None,
    pause: float = 0.0,
    largest_inertia_ratio: float = np.inf,
    life: float = 0.0,
    points: int = 4001,
    order: str = "mass",
) -> Sizing:
    """Rank the motors and gearboxes that can drive each joint through a duty cycle.

    Parameters
    ----------
    model : rigid model.  Its drives and armatures are removed.
    cycle : the motion: laws of coordinates, a run, arrays with "time"
    catalog : `Catalog`, its file, (motors, gearboxes), or a mapping of the two lists
    pause : rest after each cycle [s]
    largest_inertia_ratio : largest allowed inertia of the link over rotor and gear
    life : required life of the gears [s]
    order : "mass" (lightest first) or "margin" (least used first)

    Gearboxes with a `pinion` drive prismatic joints, the others revolute joints.  Joints of loops
    are sized if the cycle drives them.  Every candidate must satisfy the limits of continuous
    torque (RMS), peak torque at its speed, speed, temperature if the motor has thermal data, and
    the gear ratings.

    >>> import torseur as ts
    >>> arm = ts.Model(bodies=(ts.Body("arm", 4.0, (0.3, 0, 0)),),
    ...     joints=(ts.Joint("shoulder", "world", "arm", ts.Revolute((0, -1, 0))),))
    >>> found = size(arm, {"shoulder.angle": ts.robots.Quintic(0.0, 1.5, 1.0)},
    ...              ts.robots.example_catalog())
    >>> found["shoulder"][0].motor.name, found["shoulder"][0].gearbox.name
    ('M100', 'H14-100')
    """
    catalog = catalog_of(catalog)
    if order not in ("mass", "margin"):
        raise ArgumentError(f"size: order={shown(order)}: expected 'mass' or 'margin'")
    max_ratio = largest_inertia_ratio
    if not (isinstance(max_ratio, float) and max_ratio == np.inf):
        max_ratio = arguments.number("size", "largest_inertia_ratio", max_ratio, above=0.0)
    life = arguments.number("size", "life", life, "s")
    loads = compute_cycle_loads(model, cycle, joints, pause, points)
    feasible: dict[str, list[DriveCandidate]] = {}
    rejected: dict[str, list[DriveCandidate]] = {}
    faults = []
    for joint, load in loads.items():
        candidates = [
            evaluate_candidate(load, m, g, max_ratio, life)
            for m in catalog.motors
            for g in catalog.gearboxes
            if (g.pinion is not None) == load.slides
        ]
        if not candidates:
            kind = "slides: give one a pinion= [m]" if load.slides else "turns: all have a pinion"
            faults.append(f"size: no gearbox of the catalog is for {joint!r}, which {kind}")
            feasible[joint], rejected[joint] = [], []
            continue
        rank = (
            (lambda c: (c.mass, max(c.use.values())))
            if order == "mass"
            else (lambda c: max(c.use.values()))
        )
        feasible[joint] = sorted((c for c in candidates if c.feasible), key=rank)
        rejected[joint] = sorted(
            (c for c in candidates if not c.feasible), key=lambda c: max(c.use.values())
        )
        if not feasible[joint]:
            nearest = rejected[joint][0]
            faults.append(
                f"size: no pair of the catalog drives {joint!r}; the nearest, {nearest.motor.name} "
                f"with {nearest.gearbox.name}, fails by its {nearest.binding}: {nearest.excess}"
            )
    if faults:
        raise TorseurError("\n".join(faults))
    return Sizing(feasible, rejected, loads, model.name)
