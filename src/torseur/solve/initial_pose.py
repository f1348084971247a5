"""Initial pose of a model as a trajectory of one row, for pictures."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import TorseurError
from ..kinematics import pose
from ..results import Trajectory
from ..spatial import matrix_to_quaternion
from ..system import start_of
from .constraint_system import initial_state


def posture(model: Any) -> Trajectory:
    """Poses of every body at the start, with closed loops where they can be closed.

    Signals `name.position.x` [m] and `name.orientation.w` in the world.  Nothing is compiled.
    """
    system = model.check() if hasattr(model, "check") else model
    initial, options = start_of(system)
    try:
        q = initial_state(system, initial, options.get("keep"), 0.0)[0]
    except TorseurError:  # loops that do not close from there: as it is written
        q = system.state({n: x for n, x in initial.items() if n in system.coordinates})[0]
    tree = system.floats()
    signals, units = {}, {}
    for body in system.bodies:
        X = pose(tree, body, q)
        R, p = np.asarray(X.R, dtype=float), np.asarray(X.p, dtype=float)
        for c, x in zip("xyz", p, strict=True):
            signals[f"{body}.position.{c}"], units[f"{body}.position.{c}"] = [x], "m"
        for c, x in zip("wxyz", matrix_to_quaternion(R), strict=True):
            signals[f"{body}.orientation.{c}"], units[f"{body}.orientation.{c}"] = [x], "1"
    facts = {"model": system.name, "parameters": dict(system.parameters)}
    return Trajectory([0.0], signals, units, "where it starts", provenance=facts)
