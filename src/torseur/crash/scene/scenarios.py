"""Scenarios with the regulations' numbers: each makes a model of a vehicle in one line.

Speeds and overlaps are those of the tests' protocols; what a lumped model cannot have (dummies,
tires on a moving floor) is left out.  Honeycomb and trolleys are as `walls` has them.

Checked against public texts: US NCAP, 35 mph = 56.3 km/h, rigid, full width (NHTSA); FMVSS 208,
49 CFR 571.208 S5.1, up to 48 km/h, fixed rigid barrier; UN R137, 50 km/h, full width rigid
(ECE/TRANS/WP.29/2015/105); Euro NCAP MPDB, 50 km/h both, trolley of 1400 kg, 50 % (Euro NCAP 2020);
IIHS moderate overlap, 40 mph = 64.4 km/h, 40 %, deformable, and small overlap, 40 mph, 25 %, rigid.
UN R94, 56 km/h and 40 %: by the report classes of pyisomme only.  Not checked: the plateau of the
honeycomb (UN R94, annex 9), the 30 degrees of FMVSS 208 beside their speed, 254 mm and 29 km/h of
the pole (side tests drive at 29 or 32 km/h; no regulation has it in front), masses, speeds and
faces of the side and rear tests, the friction of 1 with which a pole digs in, whatever says
placeholder.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...model import Model
from ...register import Register
from ..criteria.metric_value import read_fraction
from .assembly import against, collide
from .members import Wheel
from .obstacles import DeformableFace, MovingBarrier, Pole, Wall
from .vehicle import Vehicle

scenario = Register("scenario")
"""Every scenario by its name: `ts.crash.scenario["us_ncap"](car)`."""

REAR = DeformableFace(width=1.68, height=0.56, wall=Wall(overlap=0.7))


def _without_options(
    name: str,
    what: str,
    wall: Callable,
    speed: str,
    dimensions: int,
    struck: str = "front",
    crab: str = "0 deg",
) -> None:
    def make(
        vehicle: Vehicle, speed=speed, dimensions=dimensions, t_end=None, struck=struck
    ) -> Model:
        return against(vehicle, wall(), speed, dimensions, t_end, struck, crab)

    make.__name__, make.__doc__ = name, f"{what}, {speed}."
    make.__qualname__ = name
    scenario(make)


_without_options("us_ncap", "US NCAP: full width, rigid", Wall, "56.3 km/h", 1)
_without_options("fmvss_208", "FMVSS 208: full width, rigid", Wall, "48 km/h", 1)
_without_options(
    "fmvss_208_oblique",
    "FMVSS 208: rigid wall at 30 degrees, friction 0.3 (a placeholder)",
    lambda: Wall("30 deg", friction=0.3),
    "48 km/h",
    2,
)
_without_options("un_r137", "UN R137 and Euro NCAP full width: rigid", Wall, "50 km/h", 1)
_without_options("un_r94", "UN R94: 40 % overlap, deformable face", DeformableFace, "56 km/h", 2)
_without_options(
    "iihs_moderate_overlap",
    "IIHS moderate overlap: 40 %, deformable face",
    DeformableFace,
    "64.4 km/h",
    2,
)
_without_options(
    "iihs_small_overlap",
    "IIHS small overlap: 25 %, rigid",
    lambda: Wall(overlap=0.25),
    "64.4 km/h",
    2,
)
_without_options("euro_ncap_mpdb", "Euro NCAP: 50 % overlap with a trolley of 1400 kg at 50 km/h",
       MovingBarrier, "50 km/h", 2)  # fmt: skip
_without_options("pole", "A rigid pole of 254 mm in the middle", Pole, "29 km/h", 2)
_without_options(
    "side_pole",
    "UN R135 and Euro NCAP: sideways against a pole of 254 mm at 75 degrees",
    lambda: Pole(friction=1.0),
    "32 km/h",
    2,
    "left",
    "15 deg",
)
_without_options("side_barrier", "UN R95: a trolley of 950 kg at 50 km/h into the side of a car at",
       lambda: MovingBarrier(950.0, face=DeformableFace(width=1.5, height=0.5, wall=Wall())),
       "0 km/h", 2, "left")  # fmt: skip
_without_options(
    "rear_barrier",
    "FMVSS 301: a trolley of 1368 kg at 80 km/h into 70 % of the rear at",
    lambda: MovingBarrier(1368.0, face=REAR, speed="80 km/h"),
    "0 km/h",
    2,
    "rear",
)


@scenario
def car_to_car(
    vehicle: Vehicle,
    other=None,
    speeds=("50 km/h",) * 2,
    overlap=1.0,
    angle=0.0,
    friction=0.0,
    dimensions=None,
    t_end=None,
    struck=None,
) -> Model:
    """Two cars head-on, 50 km/h each; the same twice unless another is given.  In one dimension
    where they meet straight and over the whole width, else in the plane, unless it is said."""
    straight = read_fraction("car_to_car", "overlap", overlap) == 1 and not angle and not friction
    n = dimensions or (1 if straight else 2)
    return collide(vehicle, other or vehicle, speeds, overlap, angle, n, friction, t_end=t_end,
                   struck=struck)  # fmt: skip


@scenario
def car_to_truck(
    vehicle: Vehicle, mass=10_000.0, speeds=("50 km/h",) * 2, dimensions=1, t_end=None
) -> Model:
    """A car head-on against a rigid truck of 10 t (a placeholder), 50 km/h each.  In space it
    stands on wheels where the car does, its center of mass as high as the car's ends are."""
    from ...model import Body

    heights = [m.tip[2] for m in vehicle.members if m.free and m.face == "front"]
    z = float(np.mean(heights)) if dimensions == 3 and heights else 0.0
    wheel_positions = (
        [(x, y, z - 0.5) for x in (-1.5, -6.5) for y in (1.1, -1.1)] if vehicle.wheels else ()
    )
    wheels = [Wheel(f"truck_wheel{i}", at, 1e6) for i, at in enumerate(wheel_positions, 1)]
    body = Body("truck", mass, (-4.0, 0, z))
    truck = Vehicle("truck", (body,), size=(8.0, 2.5, 3.0), wheels=wheels)
    return collide(vehicle, truck, speeds, dimensions=dimensions, t_end=t_end)
