"""What a page that is there draws while a slider moves: little, so that it comes at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .bent import bent
from .columns import table
from .events import said
from .page import model_of, poses_of
from .scene import scene


def glimpse(run, model, names: Iterable[str], shapes: bool) -> dict[str, Any]:
    """Poses of bodies, the signals `names`, events and outcome; with `shapes` the scene too.

    Cards, tables and other signals follow when the slider rests: `contents`.

    >>> from torseur.results import Trajectory
    >>> run = Trajectory([0.0, 1.0], {"x": [1.0, 2.0], "y": [0.0, 0.0]}, {"x": "m", "y": "m"})
    >>> [s["name"] for s in glimpse(run, None, ["x", "gone"], False)["signals"]]
    ['x']
    """
    described, _ = model_of(run, model)
    parameters = run.provenance.get("parameters") or {}
    seen, drawn = bent(run, described, parameters)
    wanted = dict.fromkeys([*names, *poses_of(seen, drawn)])
    data = table(seen, [n for n in wanted if n in seen.units], needed=wanted, level=0)
    del data["kept"]
    data |= {
        "partial": True,
        "outcome": run.outcome,
        "completed": bool(run.completed),
        "events": [{"t": e.time} | said(e.name) for e in run.events[:200]],
    }
    if shapes and described is not None:
        data["scene"] = scene(seen, drawn, parameters)
    return data
