"""The ring of a system: every generator its equations can need, collected before it opens."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..scalar import Ring, vector
from ..values import Value


class Symbols(NamedTuple):
    """A system over a ring, with its coordinates, speeds and accelerations."""

    K: Ring
    tree: object
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray


def rate_name(name: str) -> str:
    return f"d{name}"


def symbols(system, eliminate: str = "sin", names: dict[str, str] | None = None) -> Symbols:
    """Open the ring of a system.

    `names` may rename coordinates (`{"pivot.angle": "q1"}`); speeds are then `dq1`, accelerations
    `d2q1`.  By default the names of the system are used.
    """
    short = {n: (names or {}).get(n, n) for n in system.coordinates}
    angles, plain, quaternions, v, a = [], [], [], [], []
    for k in system.links:
        own = [short[n] for n in system.coordinates[k.q]]
        turning = {own[i] for i in k.joint.angles()}
        if (i := k.joint.quaternion) is not None:
            quaternions.append(own[i:i + 4])
        angles += [n for n in own if n in turning]
        plain += [n for n in own if n not in turning and n not in sum(quaternions, [])]
        if k.joint.holonomic:
            v += [f"d{n}" for n in own]
            a += [f"d2{n}" for n in own]
        else:
            speeds = [n if not names else n.replace(".", "_") for n in system.speeds[k.v]]
            v += speeds
            a += [f"d{n}" for n in speeds]
    constants, parameters, turning_parameters = [], [], []
    for leaf in system.leaves:
        if leaf.op == "symbol":
            parameters.append(leaf.args[0])
        elif leaf.op == "pi":
            plain.append("pi")
        else:
            text = str(leaf.args[0])
            name = f"sqrt({text})" if leaf.op == "sqrt" else text
            constants += [name] * (name not in constants)
    for x in system.numbers():
        turning_parameters += [n for n in _angle_symbols(x) if n not in turning_parameters]
    parameters = [p for p in parameters if p not in turning_parameters]
    K = Ring(angles=(*angles, *turning_parameters), plain=(*plain, *parameters, *v, *a),
             quaternions=quaternions, constants=constants, eliminate=eliminate,
             parameters={})
    K.parameters.update({p: K[p] for p in (*parameters, *turning_parameters)})
    q = vector(K[short[n]] for n in system.coordinates)
    return Symbols(K, system.over(K), q, vector(K[n] for n in v), vector(K[n] for n in a))


def _angle_symbols(x):
    if isinstance(x, Value):
        if x.op in ("sin", "cos") and isinstance(x.args[0], Value) and x.args[0].op == "symbol":
            yield x.args[0].args[0]
        for a in x.args:
            yield from _angle_symbols(a)
