from .belts import Belt as Belt
from .bundled_vehicles import car as car, cars as cars
from .case_file import (
    Case as Case,
    axis_of as axis_of,
    is_case as is_case,
    load_case as load_case,
    occupied as occupied,
    sled_of as sled_of,
    with_numbers as with_numbers,
)
from .criteria.cfc import cfc as cfc, zeroed as zeroed
from .criteria.channel_metrics import (
    channel_metric as channel_metric,
    expand_vector_signals as expand_vector_signals,
    test_of_run as test_of_run,
)
from .criteria.en1317 import asi as asi, thiv as thiv
from .criteria.injury_criteria import clip_3ms as clip_3ms, hic as hic
from .criteria.iso18571 import score as score
from .criteria.metric_value import G0 as G0, Measure as Measure
from .criteria.pulse import (
    crush as crush,
    delta_v as delta_v,
    kw400 as kw400,
    olc as olc,
    peak as peak,
    pulse_duration as pulse_duration,
    restitution as restitution,
    vpi as vpi,
)
from .criteria.summary import missing as missing, pulse_metrics as pulse_metrics, table as table
from .force_crush_curve import ForceCrush as ForceCrush, front_of as front_of
from .lumped_import import vehicle_from_model as vehicle_from_model
from .occupants import Dummy as Dummy, OneMass as OneMass, ThreeBody as ThreeBody, seated as seated
from .report import (
    compare_with_test as compare_with_test,
    crash_report as crash_report,
    crash_tab as crash_tab,
)
from .results import (
    initial_speed as initial_speed,
    member_energies as member_energies,
    metrics as metrics,
    pulse_of as pulse_of,
    ruptured_members as ruptured_members,
    wall_force as wall_force,
    wall_peak as wall_peak,
)
from .scene.assembly import against as against, collide as collide
from .scene.members import Member as Member, Wheel as Wheel
from .scene.obstacles import (
    DeformableFace as DeformableFace,
    MovingBarrier as MovingBarrier,
    Pole as Pole,
    Wall as Wall,
)
from .scene.scenarios import scenario as scenario
from .scene.vehicle import Vehicle as Vehicle
from .sled_model import occupant_metrics as occupant_metrics, sled as sled
from .test_data.iso_mme import write_test as write_test
from .test_data.reader import read_test as read_test
from .test_data.records import Channel as Channel, Test as Test
from .vehicle_file import (
    is_vehicle as is_vehicle,
    load_vehicle as load_vehicle,
    save_vehicle as save_vehicle,
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
    "ruptured_members",
    "save_vehicle",
    "scenario",
    "score",
    "seated",
    "sled",
    "table",
    "thiv",
    "vpi",
    "wall_force",
    "wall_peak",
    "write_test",
    "zeroed",
]
