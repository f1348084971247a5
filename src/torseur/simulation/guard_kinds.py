"""What events do in a run: act, or end it."""

from __future__ import annotations

import numpy as np

from ..errors import TorseurError, unknown_name
from ..integrate import record as codes
from ..solve import arguments

MOST_EVENTS = 10_000  # events per unit of time (a second, at least) before a run gives up


def kinds(guards, stop_when) -> np.ndarray:
    """What each guard does: those that were named end the run."""
    out = np.array([codes.ACTING if g.acts else codes.WATCHING for g in guards], np.int64)
    out[[g.ends for g in guards]] = codes.ENDING
    for wanted in arguments.names(stop_when, "stop_when"):
        found = [i for i, g in enumerate(guards) if g.told and wanted in (g.name, g.owner)]
        if not found:
            told = [g.name for g in guards if g.told]
            raise TorseurError(unknown_name("event", wanted, told, "stop_when"))
        out[found] = codes.STOPPING
    return out
