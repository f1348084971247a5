from .backbone import ForceCrush as ForceCrush, front_of as front_of
from .belts import Belt as Belt
from .cases import (
    Case as Case,
    axis_of as axis_of,
    is_case as is_case,
    load_case as load_case,
    occupied as occupied,
    sled_of as sled_of,
    with_numbers as with_numbers,
)
from .channels import measured as measured, recorded as recorded, vectors as vectors
from .filters import cfc as cfc, zeroed as zeroed
from .garage import car as car, cars as cars
from .injury import clip_3ms as clip_3ms, hic as hic
from .isomme import write_test as write_test
from .measure import G0 as G0, Measure as Measure
from .members import Member as Member, Wheel as Wheel
from .occupants import (
    Dummy as Dummy,
    OneMass as OneMass,
    ThreeBody as ThreeBody,
    seated as seated,
)
from .outcome import (
    member_energies as member_energies,
    metrics as metrics,
    pulse_of as pulse_of,
    speed_before as speed_before,
    torn as torn,
    wall_force as wall_force,
    wall_peak as wall_peak,
)
from .pages import compared as compared, crash_report as crash_report, crash_tab as crash_tab
from .pulse import (
    crush as crush,
    delta_v as delta_v,
    kw400 as kw400,
    olc as olc,
    peak as peak,
    pulse_duration as pulse_duration,
    restitution as restitution,
    vpi as vpi,
)
from .rating import score as score
from .reading import read_test as read_test
from .records import Channel as Channel, Test as Test
from .ride import occupant_metrics as occupant_metrics, sled as sled
from .scenarios import scenario as scenario
from .scene import against as against, collide as collide
from .severity import asi as asi, thiv as thiv
from .slides import vehicle_of as vehicle_of
from .summary import missing as missing, pulse_metrics as pulse_metrics, table as table
from .vehicle import Vehicle as Vehicle
from .vehicle_files import (
    is_vehicle as is_vehicle,
    load_vehicle as load_vehicle,
    save_vehicle as save_vehicle,
)
from .walls import (
    DeformableFace as DeformableFace,
    MovingBarrier as MovingBarrier,
    Pole as Pole,
    Wall as Wall,
)

__all__ = [
    "G0",
    "Belt",
    "Channel",
    "DeformableFace",
    "Dummy",
    "Member",
    "MovingBarrier",
    "OneMass",
    "Pole",
    "Test",
    "ThreeBody",
    "Vehicle",
    "Wall",
    "Wheel",
    "against",
    "asi",
    "car",
    "cars",
    "cfc",
    "clip_3ms",
    "collide",
    "crash_report",
    "crush",
    "delta_v",
    "front_of",
    "hic",
    "kw400",
    "load_case",
    "load_vehicle",
    "member_energies",
    "metrics",
    "occupant_metrics",
    "olc",
    "peak",
    "pulse_duration",
    "pulse_of",
    "read_test",
    "restitution",
    "save_vehicle",
    "scenario",
    "score",
    "seated",
    "sled",
    "table",
    "thiv",
    "torn",
    "vpi",
    "wall_force",
    "wall_peak",
    "write_test",
    "zeroed",
]
