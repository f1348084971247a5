"""Derivatives of large trees at one state: numbers that carry derivatives, nothing compiled.

The graph of all derivatives of a flow grows with the square of its speeds and more; here the
formulas run once over numbers that carry theirs, some microseconds for each of them.
"""

from __future__ import annotations

import math

import numpy as np

from ..compiler import Port
from ..errors import ArgumentError
from ..joints import TIME
from ..kinematics import rates
from ..quantities import Scene, find, moment
from ..scalars import Duals, vector
from .evaluation import results

FEWEST = 20  # speeds from which the graph takes longer
LARGE = 60  # speeds from which a mass matrix without loops takes long to compile


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


def dynamics_slopes(name: str, system, q, v, x, t: float, values) -> tuple[np.ndarray, ...]:
    """Derivatives of efforts or accelerations, which the quantity `name` gives of (q, v, x), along
    small motions, speeds and x: three (nv, nv)."""
    n = system.nv
    K = Duals(3 * n, values)
    if system.rheonomic:
        K.parameters[TIME] = float(t)
    q, scene = vector(np.asarray(q, dtype=float).tolist()), Scene(system, K)
    units = vector(K.seeded(0.0, i) for i in range(n))
    N = K.slopes(rates(scene.tree, q, units)).T  # small motions: qdot = N v
    moved = vector(K.given(a, row) for a, row in zip(q, N, strict=True))
    own = [vector(K.seeded(a, k * n + i) for i, a in enumerate(y)) for k, y in ((1, v), (2, x))]
    (found,) = results(find(name), scene, [moved, *own, *[vector((float(t),))] * system.rheonomic])
    slopes = K.slopes(found).T
    return slopes[:, :n], slopes[:, n : 2 * n], slopes[:, 2 * n :]


def states_slopes(dyn, name: str, given, p, t) -> tuple[np.ndarray, ...]:
    """The same at many states, leading axes broadcast, with the parameters and time of a call."""
    s, where = dyn.system, f"{name}_derivatives"
    ports = [Port(x, (n,)) for x, n in zip(find(name).inputs, (s.nq, s.nv, s.nv), strict=True)]
    bad = [x for x in map(dyn._misfit, ports, given) if x]
    if bad:
        raise ArgumentError(f"{where}: {'; '.join(bad)}")
    known = (dyn.nominal() if p is None else p) if dyn.parameters else ()
    arrays = [np.asarray(x, dtype=float) for x in (*given, known)]
    if len(s.quaternions):
        arrays[0] = np.asarray(s.unit(arrays[0], f"{where}: q"))
    arrays.append(np.asarray(dyn._time(where, t), dtype=float)[..., None])
    try:
        lead = np.broadcast_shapes(*(x.shape[:-1] for x in arrays))
    except ValueError as e:
        raise ArgumentError(f"{where}: the arguments have different numbers of rows") from e
    states = math.prod(lead)
    own = ((x, x.shape[-1]) for x in arrays)
    rows = (np.broadcast_to(x, (*lead, n)).reshape(states, n) for x, n in own)
    found = [
        dynamics_slopes(
            name, s, q, v, x, time[0], dict(zip(dyn.parameters, own.tolist(), strict=True))
        )
        for q, v, x, own, time in zip(*rows, strict=True)
    ]
    shape = (*lead, s.nv, s.nv)
    return tuple(np.array([y[k] for y in found]).reshape(shape) for k in range(3))
