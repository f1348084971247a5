"""Motors, gearboxes and their catalogs.  Equations DS.1 to DS.4, DS.9.

A catalog is a YAML file with the lists `motors` and `gearboxes`.  Their fields are those of the
classes here.  Numbers are in SI units, or texts with a unit ("3000 rpm", "0.35 N m").
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import ArgumentError, TorseurError, shown
from ...files import place
from ...forces import Backlash, BoucWen, Drive, Parallel, Spring, Table
from ...model.formats import FileNode
from ..section_reader import SectionReader, make_nodes, parse_file

UNLIMITED = float("inf")


def quantity_field(u: str, default: Any = MISSING, *shapes: tuple[int, ...]):
    """A dataclass field of a number in the unit `u`, or of numbers with these shapes."""
    metadata = {"unit": u, "shapes": shapes or ((),)}
    return field(metadata=metadata, **({} if default is MISSING else {"default": default}))


@dataclass(frozen=True, slots=True)
class Motor:
    """A motor, with all numbers at its shaft.

    `torque` is continuous [N m].  `peak_torque` [N m] and `speed` [rad/s] are maxima.  `inertia` is
    that of the rotor [kg m2].  `viscous` [N m s/rad] and `dry` [N m] are friction.  `kt` is the
    torque constant [N m/A].  The winding has `resistance` [ohm] and `inductance` [H].  `voltage` is
    that of the supply [V].  `mass` is in kg.  `heat_winding` and `heat_housing` are the thermal
    resistances from winding to housing and from housing to ambient [K/W], `time_winding` and
    `time_housing` their time constants [s].  `hottest` is the largest winding temperature [K above
    ambient].  `curve` are points (speed [rad/s], torque [N m]) of the peak envelope, if it is not
    constant.
    """

    name: str
    torque: float = quantity_field("N m")
    peak_torque: float = quantity_field("N m")
    speed: float = quantity_field("rad/s")
    inertia: float = quantity_field("kg m^2")
    viscous: float = quantity_field("N m s/rad", 0.0)
    dry: float = quantity_field("N m", 0.0)
    kt: float | None = quantity_field("N m/A", None)
    resistance: float | None = quantity_field("V/A", None)
    inductance: float | None = quantity_field("V s/A", None)
    voltage: float | None = quantity_field("V", None)
    mass: float = quantity_field("kg", 0.0)
    heat_winding: float | None = quantity_field("K/W", None)
    heat_housing: float | None = quantity_field("K/W", None)
    time_winding: float | None = quantity_field("s", None)
    time_housing: float | None = quantity_field("s", None)
    hottest: float = quantity_field("K", 100.0)
    curve: tuple[Any, ...] = quantity_field("rad/s, N m", (), (-1, 2))

    def envelope(self, speed: ArrayLike):
        """Largest torque [N m] at a speed, limited by peak, curve and supply voltage.  # DS.2"""
        w = abs(np.asarray(speed, float))
        limit = np.where(w <= self.speed * (1 + 1e-12), self.peak_torque_at(w), 0.0)
        if self.kt is not None and self.voltage is not None and self.resistance is not None:
            limit = np.minimum(limit, self.kt * (self.voltage - self.kt * w) / self.resistance)
        return np.maximum(limit, 0.0)

    def peak_torque_at(self, speed: ArrayLike) -> np.ndarray:
        """Largest torque [N m] at a speed, limited by peak and curve only."""
        limit = np.full(np.shape(speed), float(self.peak_torque))
        if self.curve:
            x, y = np.array(self.curve, float).T
            limit = np.minimum(limit, np.interp(np.abs(speed), x, y))
        return limit

    def supply_voltage(self, torque: np.ndarray, speed: np.ndarray) -> np.ndarray | None:
        """Voltage [V] at a torque and a speed, or None without electrical data."""
        if self.kt is None or self.resistance is None or self.voltage is None:
            return None
        return self.resistance * abs(torque) / self.kt + self.kt * abs(speed)  # DS.2

    @property
    def max_speed(self) -> float:
        """Largest speed, or the speed where the curve reaches zero torque [rad/s]."""
        return float(min([self.speed, *(float(w) for w, torque in self.curve if torque <= 0)]))

    def current(self, torque: ArrayLike):
        """Current [A] for a torque, or None without a torque constant."""
        return None if self.kt is None else np.asarray(torque, float) / self.kt


@dataclass(frozen=True, slots=True)
class Gearbox:
    """A gearbox.  Torques are at its output, inertia and speeds at its input.

    `efficiency` holds while the motor drives, `back_efficiency` while the load does.  `inertia` is
    in kg m2.  Ratings are `rated_torque` (at `rated_speed` for `life` [s]), `repeated_torque` (peak
    of every cycle), `momentary_torque` and `average_torque` [N m], `speed` and `average_speed`
    [rad/s]. `stiffness` is K1, K2, K3 [N m/rad], with changes at `knees` T1, T2 [N m].  `backlash`
    is in rad. `hysteresis` is the width of the twist loop at zero torque, as in catalogs [rad].
    `dry` is friction at the input [N m].

    `pinion` is the radius [m] of a pinion on a rack or of a belt pulley.  For a screw it is the
    lead over 2 pi.  Gearboxes with a pinion drive prismatic joints, the others revolute joints.

    >>> import numpy as np
    >>> screw = Gearbox("5 mm screw", 1.0, pinion=5e-3 / (2 * np.pi))
    >>> round(screw.speed_ratio)  # of the motor [rad] for each meter of the slide
    1257
    """

    name: str
    ratio: float = quantity_field("")
    efficiency: float = quantity_field("", 1.0)
    back_efficiency: float | None = quantity_field("", None)
    inertia: float = quantity_field("kg m^2", 0.0)
    rated_torque: float = quantity_field("N m", UNLIMITED)
    rated_speed: float = quantity_field("rad/s", 2000 * np.pi / 30)
    life: float = quantity_field("s", 7000 * 3600.0)
    repeated_torque: float = quantity_field("N m", UNLIMITED)
    momentary_torque: float = quantity_field("N m", UNLIMITED)
    average_torque: float = quantity_field("N m", UNLIMITED)
    speed: float = quantity_field("rad/s", UNLIMITED)
    average_speed: float = quantity_field("rad/s", UNLIMITED)
    stiffness: tuple[Any, ...] = quantity_field("N m/rad", (), (-1,), ())
    knees: tuple[Any, ...] = quantity_field("N m", (), (-1,))
    backlash: float = quantity_field("rad", 0.0)
    hysteresis: float = quantity_field("rad", 0.0)
    dry: float = quantity_field("N m", 0.0)
    mass: float = quantity_field("kg", 0.0)
    pinion: float | None = quantity_field("m", None)

    @property
    def speed_ratio(self) -> float:
        """Motor speed over joint speed [1, or rad/m for a prismatic joint]."""
        return float(self.ratio) / self.arm

    @property
    def arm(self) -> float:
        """Output torque over joint effort: 1, or the radius of the pinion [m]."""
        return 1.0 if self.pinion is None else float(self.pinion)

    def law(self):
        """Law of its twist at the joint, or None for a rigid gear.  # DS.3, DS.9

        It has three linear segments, or backlash before a spring, and a Bouc-Wen loop for
        `hysteresis`.

        >>> Gearbox("g", 100, stiffness=(1e4, 2e4, 3e4), knees=(10, 40)).law().points[3:]
        ((0.0, 0.0), (0.001, 10.0), (0.0025, 40.0), (0.0035, 70.0))
        """
        spring = self._twist_spring()
        if not self.hysteresis or spring is None:
            return spring
        if self.backlash:
            raise ArgumentError(
                f"gearbox {self.name!r}: give backlash= or hysteresis=, not both; a gear with play "
                "has no twist at no torque to measure a loop of"
            )
        width = self.hysteresis * self.arm / 2
        loop = BoucWen(10 * float(self.stiffness[0]) / self.arm**2, width / 10, share=0)  # DS.9
        return Parallel(Spring(spring) if isinstance(spring, float) else spring, loop)

    def _twist_spring(self):
        """Elastic part of the law: stiffness, `Backlash`, `Table` of three segments, or None."""
        if fault := self.stiffness_fault():
            raise ArgumentError(f"gearbox {self.name!r}: {fault}")
        K = tuple(float(k) / self.arm**2 for k in self.stiffness)
        if not K:
            return None
        if self.backlash:
            return Backlash(self.backlash * self.arm / 2, K[-1])
        knees = [float(x) / self.arm for x in self.knees]
        T = (*knees, 2 * knees[-1] - knees[-2]) if len(K) == 3 else ()
        if len(K) == 1:
            return K[0]
        x = [0.0]
        for k, (a, b) in zip(K, zip((0.0, *T[:-1]), T, strict=True), strict=True):
            x.append(x[-1] + (b - a) / k)
        rows = list(zip((round(v, 15) for v in x[1:]), T, strict=True))
        return Table(tuple([(-a, -b) for a, b in reversed(rows)] + [(0.0, 0.0)] + rows))

    def stiffness_fault(self) -> str:
        """Message about inconsistent stiffness data, or an empty text."""
        try:
            K, T = (np.ravel(np.asarray(x, float)) for x in (self.stiffness, self.knees))
        except (TypeError, ValueError):
            return "stiffness= and knees=: expected plain numbers"
        if len(K) not in (0, 1, 3) or (len(K) == 3) != (len(T) == 2):
            return "stiffness= needs one number, or three with two knees="
        if not all(k > 0 for k in K):
            return f"stiffness = {shown(self.stiffness)} N m/rad: expected more than zero"
        if len(T) == 2 and not 0 < T[0] < T[1]:
            return f"knees = {T[0]:g}, {T[1]:g} N m: expected growing torques above zero"
        return ""

    def drive(self, motor: Motor, input: str | None = None, damping: float = 0.0) -> Drive:
        """The `Drive` of a joint with this gearbox and a motor."""
        return Drive(
            ratio=self.ratio if self.pinion is None else self.speed_ratio,
            rotor_inertia=motor.inertia + self.inertia,
            stiffness=self.law(),
            damping=damping,
            friction=motor.viscous,
            input=input,
        )


@dataclass(frozen=True, slots=True)
class Catalog:
    """Motors and gearboxes to choose from.

    >>> len(example_catalog().motors) > 3
    True
    """

    motors: tuple[Motor, ...]
    gearboxes: tuple[Gearbox, ...]

    def __post_init__(self):
        """Check all motors and gearboxes, with all errors in one message."""
        faults = []
        for kind, items, cls in (
            ("motors", self.motors, Motor),
            ("gearboxes", self.gearboxes, Gearbox),
        ):
            listed: tuple[Any, ...] = tuple(items)
            object.__setattr__(self, kind, listed)
            if not listed:
                faults.append(f"the catalog has no {kind}; list at least one")
            for x in listed:
                if not isinstance(x, cls):
                    faults.append(f"{kind}: expected ts.robots.{cls.__name__}(...), got {shown(x)}")
                    continue
                faults += _find_faults(x)
        if faults:
            raise TorseurError("\n".join(faults))


def _find_faults(x: Motor | Gearbox):
    """Messages about invalid numbers of a motor or gearbox."""
    kind = type(x).__name__.lower()
    if isinstance(x, Gearbox) and (fault := x.stiffness_fault()):
        yield f"gearbox {x.name!r}: {fault}"
    above = {
        "motor": ("torque", "peak_torque", "speed", "inertia"),
        "gearbox": ("ratio", "pinion"),
    }[kind]
    for f in fields(x):
        value = getattr(x, f.name)
        if "unit" not in f.metadata or value is None:
            continue
        if isinstance(value, tuple | list):
            try:
                each = np.asarray(value, float)
                good = bool((np.isfinite(each) & (each >= 0)).all()) and f.metadata["shapes"] != (
                    (),
                )
            except (TypeError, ValueError):
                good = False
            if not good:
                yield f"{kind} {x.name!r}: {f.name} = {shown(value)}: expected numbers from zero up"
        elif isinstance(value, bool) or not isinstance(value, int | float | np.number):
            yield f"{kind} {x.name!r}: {f.name}: expected a number, got {shown(value)}"
        elif not value >= 0 or (f.name in above and not 0 < value < UNLIMITED):
            yield (
                f"{kind} {x.name!r}: {f.name} = {value:g} {f.metadata['unit']}: expected "
                f"{'more than zero' if f.name in above else 'zero or more'}"
            )
        elif "efficiency" in f.name and not 0 < value <= 1:
            yield f"{kind} {x.name!r}: {f.name} = {value:g}: expected more than 0, up to 1"


def catalog_of(source: Any) -> Catalog:
    """A catalog from a catalog, a file, a mapping, or the two lists."""
    if isinstance(source, Catalog):
        return source
    if isinstance(source, str | Path):
        return load_catalog(source)
    if isinstance(source, Mapping):
        return _read_tree(SectionReader(Path("catalog"), {}), make_nodes(source))
    if isinstance(source, Iterable):
        parts = list(source)
        if len(parts) == 2 and all(isinstance(p, Iterable) for p in parts):
            return Catalog(tuple(parts[0]), tuple(parts[1]))
        motors = tuple(p for p in parts if isinstance(p, Motor))
        gears = tuple(p for p in parts if isinstance(p, Gearbox))
        if len(motors) + len(gears) == len(parts):
            return Catalog(motors, gears)
    raise ArgumentError(
        "catalog: expected a ts.robots.Catalog, a file, or (motors, gearboxes), got "
        f"{shown(source)}"
    )


def load_catalog(path: str | os.PathLike[str]) -> Catalog:
    """Read a catalog file (YAML or JSON).  One error lists all faults with their lines."""
    path = place(path)
    if not path.is_file():
        raise TorseurError(f"catalog {str(path)!r}: no such file; check the path")
    reader = SectionReader(path)
    return _read_tree(reader, parse_file(reader))


def _read_tree(reader: SectionReader, tree: FileNode) -> Catalog:
    catalog = read_catalog(reader, tree, "")
    if catalog is None:
        raise TorseurError("\n".join(reader.problems))
    return catalog


def read_catalog(reader: SectionReader, node: FileNode, path: str) -> Catalog | None:
    """Catalog of the lists `motors` and `gearboxes`, or None if the reader has problems."""
    head, label = (f"{path}.", path) if path else ("", "the catalog")
    fields = reader.mapping(node, label)
    for key, x in fields.items():
        reader.check_name(x, f"{head}{key}", key, ("motors", "gearboxes", "note"))
    drives: dict[str, list[Any]] = {}
    for kind, cls in (("motors", Motor), ("gearboxes", Gearbox)):
        items = fields.get(kind, FileNode([], node.line))
        if not isinstance(items.value, list):
            reader.wrong(items, f"{head}{kind}", "a list")
            items = FileNode([], node.line)
        drives[kind] = [
            _read_drive(reader, x, f"{head}{kind}[{i}]", cls) for i, x in enumerate(items.value)
        ]
    if reader.problems:
        return None
    try:
        return Catalog(tuple(drives["motors"]), tuple(drives["gearboxes"]))
    except TorseurError as e:
        for line in str(e).splitlines():
            reader.complain(node, label, line)
    return None


def _read_drive(reader: SectionReader, node: FileNode, path: str, cls: type) -> Any:
    """Motor or gearbox of a mapping of fields.  An object of the class is returned as it is."""
    if isinstance(node.value, cls):
        return node.value
    if not isinstance(node.value, dict):
        return reader.wrong(node, path, "a mapping of fields")
    return reader.build(node, path, cls)


def example_catalog() -> Catalog:
    """A small catalog of fictitious motors and gears of realistic size, for examples and tests."""
    return load_catalog(Path(__file__).with_name("example_catalog.yaml"))


__all__ = [
    "Catalog",
    "Gearbox",
    "Motor",
    "catalog_of",
    "example_catalog",
    "load_catalog",
    "read_catalog",
]
