"""Signals of a system by name: the group each belongs to, and its unit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..dynamics.constraints import rows
from ..errors import as_system
from ..system import System, once, unmerged

if TYPE_CHECKING:
    from ..model import Model

XYZ = "xyz"
ELEMENT_SIGNALS = (
    "force",
    "deflection",
    "rate",
    "energy.stored",
    "power.dissipated",
    "power.supplied",
    "state",
)
FRAME_SIGNALS = (
    ("positions", "position", "m"),
    ("velocities", "velocity", "m/s"),
    ("moving", "acceleration", "m/s2"),
    ("velocities", "angular_velocity", "rad/s"),
    ("moving", "angular_acceleration", "rad/s2"),
    ("moving", "body_acceleration", "m/s2"),
)


def signal_units(model: Model | System) -> dict[str, str]:
    """Return the name and the unit of every signal that a run of the model has.

    >>> import torseur as ts
    >>> block = ts.Model(bodies=(ts.Body("b", 1.0),),
    ...                  joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),))
    >>> signal_units(block)["x.displacement"]
    'm'
    """
    system = as_system(model, "signal_units")
    return {name: unit for name, (_, unit) in declared_signals(system).items()}


@once()
def units_with_time(system: System) -> Mapping[str, str]:
    """The same and that of the time, once for all runs."""
    return MappingProxyType({"time": "s"} | signal_units(system))


@once()
def declared_signals(system: System) -> dict[str, tuple[str, str]]:
    """Group and unit of every signal of a system, by name."""
    parts = (
        joint_signals,
        element_signals,
        energy_signals,
        reaction_signals,
        constraint_signals,
        frame_signals,
    )
    return {name: (group, unit) for part in parts for group, name, unit in part(system)}


def joint_signals(s) -> Iterator[tuple[str, str, str]]:
    """Signals of coordinates, speeds, accelerations and efforts."""
    for k in s.owners:
        for name, unit in (*k.joint.coordinates, *k.joint.speeds):
            yield "state", f"{k.name}.{name}", unit
        for name, unit in k.joint.readings:
            yield "readings", f"{k.name}.{name}", unit
        for name, unit in k.joint.speeds:
            suffix = "" if k.joint.nv == 1 else f".{name}"
            acceleration, effort = ("rad/s2", "N m") if unit.startswith("rad") else ("m/s2", "N")
            yield "accelerations", f"{k.name}.acceleration{suffix}", acceleration
            yield "efforts", f"{k.name}.effort{suffix}", effort


def element_signals(s) -> Iterator[tuple[str, str, str]]:
    """Signals of force elements and their energies."""
    for e in s.elements:
        x, f = ("rad", "N m") if e.angular else ("m", "N")
        for name, unit in zip(ELEMENT_SIGNALS, (f, x, f"{x}/s", "J", "W", "W", "1"), strict=True):
            yield "elements", f"{e.name}.{name}", unit
        for name, unit in e.law.extras if e.law is not None else ():
            yield "elements", f"{e.name}.{name}", unit
        yield "books", f"{e.name}.energy.dissipated", "J"
        if e.law is not None and e.law.history:
            yield "books", f"{e.name}.energy.dynamic", "J"
            yield "books", f"{e.name}.energy.plastic", "J"
            if e.line.loses:
                yield "books", f"{e.name}.energy.friction", "J"
        for name, unit in e.states:
            yield "books", f"{e.name}.{name}", unit


def energy_signals(s) -> Iterator[tuple[str, str, str]]:
    for port in s.layout.u:
        yield "inputs", port.name, port.unit
    for name in ("kinetic", "potential", "dissipated", "supplied", "residual"):
        yield "energy", f"energy.{name}", "J"


def reaction_signals(s) -> Iterator[tuple[str, str, str]]:
    """Signals of reactions in joints and loops, and their powers."""
    whole = unmerged(s)
    joints = [("reactions", k.name) for k in whole.links if whole.has_reaction(k)]
    for group, name in (*joints, *(("loops", n) for n in rows.names(s))):
        for kind, unit in (("moment", "N m"), ("force", "N")):
            for c in XYZ:
                yield group, f"{name}.reaction.{kind}.{c}", unit
    for name in (n for _, n in joints):
        yield "powers", f"{name}.reaction.power", "W"
    for name in rows.acting(s):
        yield "held_powers", f"{name}.reaction.power", "W"


def constraint_signals(s) -> Iterator[tuple[str, str, str]]:
    for port in s.layout.lam:
        yield "multipliers", port.name, port.unit
    for e in s.switched:
        yield "memory", f"{e.name}.{e.memory[0]}", "1"
    if s.held:
        yield "closure", "constraints.residual", "1"
        yield "closure", "constraints.margin", "1"


def frame_signals(s) -> Iterator[tuple[str, str, str]]:
    """Signals of bodies and frames."""
    for name in s.places:
        if name == "world":
            continue
        for group, what, unit in FRAME_SIGNALS:
            for c in XYZ:
                yield group, f"{name}.{what}.{c}", unit
        for c in "wxyz":
            yield "orientations", f"{name}.orientation.{c}", "1"
