"""Derivatives of the flow of a large tree at one state: numbers with derivatives, nothing compiled.

The graph of all derivatives of a flow grows with the square of its speeds and more; here the
formulas run once over numbers that carry theirs, some microseconds for each of them.
"""

from __future__ import annotations

import numpy as np

from ..numbers import Duals, vector
from .formulas.motion import moment
from .scene import Scene

FEWEST = 20  # speeds from which the graph takes longer


def serves(system) -> bool:
    """Whether it is a tree of some size, whose flow asks for no derivatives itself."""
    return system.nv > FEWEST and not (system.held or system.switched)


def flow_slopes(system, t, q, v, z, m, u, p) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of the rates by the state, (n, n), and by the inputs, (n, inputs)."""
    sizes = [len(x) for x in (q, v, z, u)]
    K = Duals(sum(sizes), dict(zip(system.parameters, map(float, p), strict=True)))
    seeded = vector(K.seeded(x, i) for i, x in enumerate(np.concatenate([q, v, z, u])))
    q1, v1, z1, u1 = np.split(seeded, np.cumsum(sizes)[:-1])
    kept = vector(np.asarray(m, dtype=float).tolist())
    now = moment((float(t),), q1, v1, z1, kept, u1)
    f = Scene(system, K).motion.flow(now)
    slopes = K.slopes([*f.qdot, *f.vdot, *f.zdot]).T
    return slopes[:, : len(slopes)], slopes[:, len(slopes) :]
