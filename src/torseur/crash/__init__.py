"""Crash: vehicles of bodies and members, walls, scenarios, occupants, channels, metrics.

Everything here makes ordinary models or reads results; nothing in the engine knows of a crash.
"""

from .._lazy import lazily

HOMES = {
    "reading": "read_test",
    "records": "Channel Test",
    "isomme": "write_test",
    "filters": "cfc zeroed",
    "injury": "clip_3ms hic",
    "pulse": "asi crush delta_v kw400 olc peak pulse_duration restitution thiv vpi",
    "summary": "pulse_metrics table",
    "backbone": "ForceCrush",
    "measure": "G0 Measure",
}
__all__ = sorted(name for names in HOMES.values() for name in names.split())
__getattr__ = lazily(__name__, HOMES)


def __dir__():
    return __all__
