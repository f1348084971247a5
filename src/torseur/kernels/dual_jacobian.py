"""Derivatives of large trees at one state by dual numbers (forward automatic differentiation).

The graph of all derivatives of a flow grows with the square of its speeds and more.  Dual numbers
evaluate the formulas once, with a vector of derivatives beside every number.  Nothing is compiled.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..compiler import Port
from ..errors import ArgumentError
from ..joints import TIME
from ..kinematics import rates
from ..quantities import SymbolicSystem, find, moment
from ..scalars import Duals, vector
from .tracing import evaluate_formula

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ..system import System
    from .kernel_table import KernelTable


def differentiate_flow(system: System, t: float, q, v, z, m, u, p) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of the rates by the state, (n, n), and by the inputs, (n, inputs)."""
    sizes = [len(x) for x in (q, v, z, u)]
    K = Duals(sum(sizes), dict(zip(system.parameters, map(float, p), strict=True)))
    seeded = vector(K.seeded(x, i) for i, x in enumerate(np.concatenate([q, v, z, u])))
    q1, v1, z1, u1 = np.split(seeded, np.cumsum(sizes)[:-1])
    history = vector(np.asarray(m, dtype=float).tolist())
    state = moment((float(t),), q1, v1, z1, history, u1)
    f = SymbolicSystem(system, K).motion.flow(state)
    J = K.slopes([*f.qdot, *f.vdot, *f.zdot]).T
    return J[:, : len(J)], J[:, len(J) :]


def differentiate_dynamics(
    name: str, system: System, q, v, x, t: float, values: Mapping[str, float]
) -> tuple[np.ndarray, ...]:
    """Derivatives of efforts or accelerations, the quantity `name` of (q, v, x), three (nv, nv).

    They are those along small motions, by the speeds and by x.
    """
    n = system.nv
    K = Duals(3 * n, values)
    if system.rheonomic:
        K.parameters[TIME] = float(t)
    q, scene = vector(np.asarray(q, dtype=float).tolist()), SymbolicSystem(system, K)
    units = vector(K.seeded(0.0, i) for i in range(n))
    N = K.slopes(rates(scene.tree, q, units)).T  # small motions: qdot = N v
    moving = vector(K.given(a, row) for a, row in zip(q, N, strict=True))
    columns = [vector(K.seeded(a, k * n + i) for i, a in enumerate(y)) for k, y in ((1, v), (2, x))]
    time = [vector((float(t),))] * system.rheonomic
    (outputs,) = evaluate_formula(find(name), scene, [moving, *columns, *time])
    J = K.slopes(outputs).T
    return J[:, :n], J[:, n : 2 * n], J[:, 2 * n :]


def evaluate_states(
    dyn: KernelTable,
    name: str,
    inputs: Sequence[ArrayLike],
    p: ArrayLike | None,
    t: ArrayLike | None,
) -> tuple[np.ndarray, ...]:
    """The same at many states, leading axes broadcast, with the parameters and time of a call."""
    s, where = dyn.system, f"{name}_derivatives"
    ports = [Port(x, (n,)) for x, n in zip(find(name).inputs, (s.nq, s.nv, s.nv), strict=True)]
    faults = [x for x in map(dyn._argument_fault, ports, inputs) if x]
    if faults:
        raise ArgumentError(f"{where}: {'; '.join(faults)}")
    parameters = (dyn.nominal() if p is None else p) if dyn.parameters else ()
    arrays = [np.asarray(x, dtype=float) for x in (*inputs, parameters)]
    if len(s.quaternions):
        arrays[0] = np.asarray(s.unit(arrays[0], f"{where}: q"))
    arrays.append(np.asarray(dyn._require_time(where, t), dtype=float)[..., None])
    try:
        lead = np.broadcast_shapes(*(x.shape[:-1] for x in arrays))
    except ValueError as e:
        raise ArgumentError(f"{where}: the arguments have different numbers of rows") from e
    states = math.prod(lead)
    sized = ((x, x.shape[-1]) for x in arrays)
    rows = (np.broadcast_to(x, (*lead, n)).reshape(states, n) for x, n in sized)
    derivatives = [
        differentiate_dynamics(
            name, s, q, v, x, time[0], dict(zip(dyn.parameters, numbers.tolist(), strict=True))
        )
        for q, v, x, numbers, time in zip(*rows, strict=True)
    ]
    shape = (*lead, s.nv, s.nv)
    return tuple(np.array([y[k] for y in derivatives]).reshape(shape) for k in range(3))
