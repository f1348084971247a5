from .backbone import ForceCrush as ForceCrush
from .filters import cfc as cfc, zeroed as zeroed
from .injury import clip_3ms as clip_3ms, hic as hic
from .isomme import write_test as write_test
from .measure import G0 as G0, Measure as Measure
from .pulse import (
    asi as asi,
    crush as crush,
    delta_v as delta_v,
    kw400 as kw400,
    olc as olc,
    peak as peak,
    pulse_duration as pulse_duration,
    restitution as restitution,
    thiv as thiv,
    vpi as vpi,
)
from .reading import read_test as read_test
from .records import Channel as Channel, Test as Test
from .scene import against as against, collide as collide
from .summary import pulse_metrics as pulse_metrics, table as table
from .vehicle import Member as Member, Vehicle as Vehicle, Wheel as Wheel
from .walls import (
    DeformableFace as DeformableFace,
    MovingBarrier as MovingBarrier,
    Pole as Pole,
    Wall as Wall,
)
