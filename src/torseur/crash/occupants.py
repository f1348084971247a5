# ruff: noqa: RUF009  (`quantity` makes a field, as `dataclasses.field` does)
"""Occupants: one mass behind a slack, three bodies in the plane, a dummy of eleven bodies in space.

They sit in a body of any model (`seated`): a vehicle of a scene, or a sled that a measured or
computed pulse drives (`sled`).  Axes are the cabin's: x forward, y left, z up, the origin at the
hip.  There is no gravity: a frontal pulse is forty times stronger.

Where numbers come from: the mass of 78.15 kg is the Hybrid III 50th percentile male's (172.3 lb,
NHTSA); shares of it and radii of gyration are Dempster's, as Winter gives them (Biomechanics and
Motor Control of Human Movement), but for those of thorax and pelvis.  Every other number of this
file and of `belts` (lengths, centers of mass along a segment, radii, stiffnesses, dampings, stops,
places, the sternum's share) is a placeholder: of a likely size, and nobody's measurement.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from ..errors import ArgumentError, ModelError, shown, unknown_name_message
from ..forces import (
    JointForce,
    Limits,
    Parallel,
    PlaneForce,
    Spring,
    Table,
    Viscous,
)
from ..joints import Prismatic, Revolute, Universal, Weld
from ..model import Body, Capsule, Frame, Joint, Model, Sphere, description
from ..scalars import arguments
from .belts import LAP, LAP_BELT_ALONE, SHOULDER, Belt, belted, merge_parts
from .scene.members import is_real

quantity = description.quantity
MASS = 78.15  # kg, Hybrid III 50th percentile male: 172.3 lb, NHTSA
SEGMENT_MASS_SHARES = {"head": 0.081, "thorax": 0.355, "pelvis": 0.142, "arm": 0.05, "thigh": 0.1,
          "shank": 0.061}  # fmt: skip
"""Of the mass: head and neck, thorax and abdomen, pelvis, arm with hand, thigh, leg with foot."""
GYRATION = {"head": 0.495, "thorax": 0.31, "pelvis": 0.31, "arm": 0.368, "thigh": 0.323,
            "shank": 0.416}  # fmt: skip
"""About the center of mass over the length; thorax and pelvis: placeholders."""
LENGTHS = {"head": 0.25, "thorax": 0.45, "pelvis": 0.20, "arm": 0.55, "thigh": 0.42,
           "shank": 0.48}  # fmt: skip
"""[m]: placeholders."""

UNBOUNDED_DISTANCE = 1e3  # how far an occupant may be from what it meets [m]


class _Occupant:
    """Base of occupants: validated numbers and a positive mass."""

    __slots__ = ()

    def __post_init__(self):
        description.convert_fields_to_si(self)
        problems = []
        for f in fields(self):  # type: ignore[arg-type]  # every one is a dataclass
            x, unit = getattr(self, f.name), f.metadata.get("unit")
            if unit and not (is_real(x) and (float(x) > 0 if f.name == "mass" else float(x) >= 0)):
                rule = "above zero" if f.name == "mass" else "of zero or more"
                problems.append(
                    f"occupant: {f.name}: expected a number [{unit}] {rule}, got {shown(x)}"
                )
        if problems:
            raise ModelError(problems)


@dataclass(frozen=True, slots=True, eq=False)
class OneMass(_Occupant):
    """A mass that slides in the cabin against one belt: the smallest occupant model."""

    mass: Any = quantity(MASS, "kg")
    belt: Belt = LAP_BELT_ALONE
    name: str = "driver"

    def parts(self, carrier: str) -> dict[Any, Any]:
        man = {
            "bodies": [Body(self.name, float(self.mass), shapes=(Sphere(radius=0.25),))],
            "joints": [Joint(self.name, carrier, self.name, Prismatic("x"))],
        }
        return merge_parts(man, self.belt.along(f"{self.name}_belt", self.name, carrier))


def _segment(name: str, kind: str, mass: float, down: bool = False, along: str = "z") -> Body:
    """A segment from its inner joint at the origin, along z (or x), with its inertia."""
    L, m = LENGTHS[kind], mass * SEGMENT_MASS_SHARES[kind]
    r = 0.25 * L if kind in ("head", "pelvis") else 0.12 if kind == "thorax" else 0.06
    half = 0.43 * L if kind != "head" else 0.5 * L  # to the center of mass, of the length
    axis = {"z": (0, 0, 1), "x": (1, 0, 0)}[along]
    com = tuple((-1 if down else 1) * half * e for e in axis)
    I = m * (GYRATION[kind] * L) ** 2
    thin = m * r**2 / 2
    inertia = tuple(thin if e else I for e in axis) + (0, 0, 0)
    rpy = (0, 0, 0) if along == "z" else (0, np.pi / 2, 0)
    shape = Capsule(radius=0.8 * r, length=max(L - 2 * r, 0.02), at=com, rpy=rpy)
    return Body(name, m, com, inertia, shapes=(shape,))


def _one_sided(stiffness: float, damping: float = 0.0):
    law = Table(
        (
            (-UNBOUNDED_DISTANCE, 0.0),
            (0.0, 0.0),
            (UNBOUNDED_DISTANCE, UNBOUNDED_DISTANCE * stiffness),
        )
    )
    return law if not damping else Parallel(law, Viscous(damping))


def _before(name, body, at, carrier, where, stiffness) -> PlaneForce:
    """Unilateral contact stiffness in front of a point of an occupant [N/m]."""
    law = _one_sided(float(stiffness))
    return PlaneForce(name, (body, tuple(at)), (carrier, where), law, "-x", root=tuple(at))


@dataclass(frozen=True, slots=True, eq=False)
class ThreeBody(_Occupant):
    """Pelvis, torso and head in the plane: lap belt, shoulder belt, knees' bolster, airbag.

    Legs are lumped with the pelvis, arms with the torso.  Stiffnesses and places are placeholders.
    """

    mass: Any = quantity(MASS, "kg")
    lap: Belt = LAP
    shoulder: Belt = SHOULDER
    bolster: Any = quantity(40e3, "N/m")  # [N/m], 0.15 m ahead
    airbag: Any = quantity(15e3, "N/m")  # [N/m], 0.30 m ahead of the head
    name: str = "driver"

    def parts(self, carrier: str) -> dict[Any, Any]:
        n, M = self.name, float(self.mass)
        L = LENGTHS["thorax"]
        legs = M * (2 * SEGMENT_MASS_SHARES["thigh"] + 2 * SEGMENT_MASS_SHARES["shank"])
        arms = M * 2 * SEGMENT_MASS_SHARES["arm"]
        pelvis = replace(_segment(f"{n}_pelvis", "pelvis", M), com=(0, 0, 0))
        pelvis = replace(pelvis, mass=SEGMENT_MASS_SHARES["pelvis"] * M + legs)
        torso = _segment(f"{n}_torso", "thorax", M)
        torso = replace(torso, mass=SEGMENT_MASS_SHARES["thorax"] * M + arms)
        head = _segment(f"{n}_head", "head", M)
        joints = [
            Joint(f"{n}_pelvis", carrier, f"{n}_pelvis", Prismatic("x")),
            Joint(f"{n}_lumbar", f"{n}_pelvis", f"{n}_torso", Revolute("y")),
            Joint(f"{n}_neck", f"{n}_torso", f"{n}_head", Revolute("y"), at=(0, 0, L)),
        ]
        forces = [
            JointForce(f"{n}_spine", f"{n}_lumbar", Parallel(Spring(200.0), Viscous(10.0))),
            JointForce(f"{n}_nape", f"{n}_neck", Parallel(Spring(60.0), Viscous(3.0))),
            JointForce(f"{n}_chin", f"{n}_neck", Limits(-1.0, 1.2, 500.0, 5.0)),
            _before(f"{n}_bolster", pelvis.name, (0, 0, 0), carrier, (0.15, 0, 0), self.bolster),
            _before(f"{n}_airbag", head.name, head.com, carrier, (0.30, 0, L + 0.1), self.airbag),
        ]  # fmt: skip
        frames = [Frame(f"{n}_head_cg", head.name, head.com),
                  Frame(f"{n}_chest", torso.name, (0, 0, 0.6 * L))]  # fmt: skip
        parts = {"bodies": [pelvis, torso, head], "joints": joints, "forces": forces,
               "frames": frames}  # fmt: skip
        at = (0.05, 0.0, 0.8 * L)
        return merge_parts(parts, belted(n, carrier, self.lap, self.shoulder, torso.name, at))


@dataclass(frozen=True, slots=True, eq=False)
class Dummy(_Occupant):
    """A tree in space: pelvis, thorax with a sternum, head, arms, thighs, shanks; with stops.

    The pelvis slides on the seat and lifts off it; thighs, arms and shanks turn about y, lumbar
    and neck bend forward and twist.  The sternum is pressed in by the shoulder belt: chest
    compression.  Feet meet the footwell, knees the bolster, head and chest the airbag.
    Stiffnesses, stops and places are placeholders.
    """

    mass: Any = quantity(MASS, "kg")
    lap: Belt = LAP
    shoulder: Belt = SHOULDER
    chest: Any = quantity(100e3, "N/m")  # [N/m] between sternum and spine
    bolster: Any = quantity(40e3, "N/m")
    footwell: Any = quantity(50e3, "N/m")
    airbag: Any = quantity(15e3, "N/m")
    seat: Any = quantity(80e3, "N/m")
    name: str = "driver"

    def parts(self, carrier: str) -> dict[Any, Any]:
        n, M, L = self.name, float(self.mass), LENGTHS
        pelvis = replace(_segment(f"{n}_pelvis", "pelvis", M), com=(0, 0, 0.05))
        thorax = _segment(f"{n}_thorax", "thorax", M)
        sternum = Body(f"{n}_sternum", 0.02 * M)  # a placeholder, taken from the thorax
        thorax = replace(thorax, mass=SEGMENT_MASS_SHARES["thorax"] * M - 0.02 * M)
        head = _segment(f"{n}_head", "head", M)
        slide = Body(f"{n}_seat_slide")  # moves up and down; the pelvis forward on it
        bodies = [slide, pelvis, thorax, sternum, head]
        joints = [
            Joint(f"{n}_heave", carrier, slide.name, Prismatic("z")),
            Joint(f"{n}_pelvis", slide.name, pelvis.name, Prismatic("x")),
            Joint(f"{n}_lumbar", pelvis.name, thorax.name, Universal("y", "z"), at=(0, 0, 0.05)),
            Joint(f"{n}_sternum", thorax.name, sternum.name, Prismatic("x"),
                  at=(0.12, 0, 0.6 * L["thorax"])),
            Joint(f"{n}_neck", thorax.name, head.name, Universal("y", "z"), at=(0, 0, L["thorax"])),
        ]  # fmt: skip
        forces = [
            *_restrained_joint(f"{n}_lumbar", 200.0, 10.0, (-0.6, 1.4)),
            *_restrained_joint(f"{n}_neck", 60.0, 3.0, (-1.0, 1.2)),
            JointForce(f"{n}_ribs", f"{n}_sternum",
                       Parallel(Spring(float(self.chest)), Viscous(300.0))),
            PlaneForce(f"{n}_seat", pelvis.name, carrier, _one_sided(float(self.seat)), "z"),
        ]  # fmt: skip
        for name, y in (("left", 0.1), ("right", -0.1)):
            arm = _segment(f"{n}_arm_{name}", "arm", M, down=True)
            thigh = _segment(f"{n}_thigh_{name}", "thigh", M, along="x")
            shank = _segment(f"{n}_shank_{name}", "shank", M, down=True)
            bodies += [arm, thigh, shank]
            joints += [
                Joint(f"{n}_shoulder_{name}", thorax.name, arm.name, Revolute("y"),
                      at=(0, 2 * y, 0.85 * L["thorax"])),
                Joint(f"{n}_hip_{name}", pelvis.name, thigh.name, Revolute("y"), at=(0, y, 0)),
                Joint(f"{n}_knee_{name}", thigh.name, shank.name, Revolute("y"),
                      at=(L["thigh"], 0, 0)),
            ]  # fmt: skip
            for joint, stops in (("shoulder", (-2.5, 1.0)), ("hip", (-0.8, 0.6)),
                                 ("knee", (-1.2, 1.2))):  # fmt: skip
                forces += _stopped(f"{n}_{joint}_{name}", 20.0, 2.0, stops)
            knee, foot = (L["thigh"], 0, 0), (0, 0, -L["shank"])
            forces += [
                _before(f"{n}_bolster_{name}", thigh.name, knee, carrier,
                        (L["thigh"] + 0.12, y, 0), self.bolster),
                _before(f"{n}_footwell_{name}", shank.name, foot, carrier,
                        (L["thigh"] + 0.05, y, -L["shank"]), self.footwell),
            ]  # fmt: skip
        for part, body, at, z in (("head", head, head.com, L["thorax"] + 0.15),
                                  ("chest", sternum, (0, 0, 0), 0.6 * L["thorax"])):  # fmt: skip
            forces.append(
                _before(f"{n}_airbag_{part}", body.name, at, carrier, (0.35, 0, z), self.airbag)
            )
        frames = [Frame(f"{n}_head_cg", head.name, head.com),
                  Frame(f"{n}_chest", thorax.name, (0, 0, 0.6 * L["thorax"]))]  # fmt: skip
        parts = {"bodies": bodies, "joints": joints, "forces": forces, "frames": frames}
        root = (0.12, 0.0, 0.05 + 0.6 * L["thorax"])
        return merge_parts(
            parts, belted(n, carrier, self.lap, self.shoulder, sternum.name, (0, 0, 0), root, 0.15)
        )


def _restrained_joint(joint, stiffness, damping, stops):
    """A joint of two angles: springs, dampers, and stops of the first."""
    for angle in ("angle1", "angle2"):
        law = Parallel(Spring(stiffness), Viscous(damping))
        yield JointForce(f"{joint}_{angle}", joint, law, angle)
    low, high = stops
    yield JointForce(f"{joint}_stop", joint, Limits(low, high, 20 * stiffness, damping), "angle1")


def _stopped(joint, stiffness, damping, stops):
    yield JointForce(f"{joint}_passive", joint, Parallel(Spring(stiffness), Viscous(damping)))
    low, high = stops
    yield JointForce(f"{joint}_stop", joint, Limits(low, high, 20 * stiffness, damping))


def seated(model: Model, carrier: str, occupant: Any, at: Any = (0.0, 0.0, 0.0)) -> Model:
    """The model with an occupant in one of its bodies, at rest relative to it.

    `at` is where the hip sits, in axes of that body [m]; elsewhere than at its origin the seat is a
    body of its own, `<name>_place`, welded to the carrier.

    >>> import numpy as np
    >>> from torseur.crash import sled
    >>> t = np.linspace(0, 0.1, 101)
    >>> cabin = sled(t, -200 * np.sin(np.pi * t / 0.1), speed=14)
    >>> [b.name for b in seated(cabin, "cabin", ThreeBody()).bodies]
    ['cabin', 'driver_pelvis', 'driver_torso', 'driver_head']
    """
    names = [b.name for b in model.bodies]
    if carrier not in names:
        raise ModelError([unknown_name_message("body", carrier, names, "seated")])
    if not hasattr(occupant, "parts"):
        raise ArgumentError(f"seated: expected an occupant such as ThreeBody(), got {occupant!r}")
    position = tuple(arguments.numbers("seated", "at", at, "m", (3,)).tolist())
    if any(position):
        seat = f"{occupant.name}_place"
        model = replace(
            model,
            bodies=(*model.bodies, Body(seat)),
            joints=(*model.joints, Joint(seat, carrier, seat, Weld(), at=position)),
        )
        carrier = seat
    parts = occupant.parts(carrier)
    if twice := sorted({b.name for b in parts["bodies"]} & {b.name for b in model.bodies}):
        raise ModelError([f"seated: the model has a body {n!r} already; give the occupant another "
                          "name" for n in twice])  # fmt: skip
    fields: dict[str, Any] = {n: (*getattr(model, n), *elements) for n, elements in parts.items()}
    return replace(model, **fields)
