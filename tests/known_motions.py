"""Runs whose motion is prescribed: poses of bodies are given, no dynamics is solved."""

import numpy as np
from scipy.spatial.transform import Rotation

from torseur.results import Trajectory


def prescribe_run(time, poses, signals=(), **options) -> Trajectory:
    """A run with the poses of some bodies.

    Parameters
    ----------
    time : array (n,) [s]
    poses : mapping of a body to its positions (n, 3) [m] and its rotation vectors (n, 3) [rad]
    signals : mapping of a further signal to its unit and values
    options : further arguments of `Trajectory`
    """
    time = np.asarray(time, dtype=float)
    values, units, still = {}, {}, np.zeros((time.size, 3))
    for body, (position, rotation) in poses.items():
        p, r = position + still, rotation + still
        x, y, z, w = Rotation.from_rotvec(r).as_quat().T
        columns = {f"position.{c}": (p[:, i], "m") for i, c in enumerate("xyz")}
        columns |= {f"orientation.{c}": (e, "1") for c, e in zip("wxyz", (w, x, y, z), strict=True)}
        for name, (column, unit) in columns.items():
            values[f"{body}.{name}"], units[f"{body}.{name}"] = column, unit
    for name, (unit, column) in dict(signals).items():
        values[name], units[name] = np.broadcast_to(column, time.shape), unit
    return Trajectory(time, values, units, **options)
