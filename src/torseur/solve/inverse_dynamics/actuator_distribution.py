"""Actuator distribution: efforts of joints, chosen actuators or inputs along a motion.

More actuators than degrees of freedom have the efforts of least norm (pseudo-inverse).  Theory:
LI.12.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import TorseurError, unknown_name_message
from ...kernels import Outputs, StateRows
from .elastic_drives import integrate_elements
from .trajectory import map_speeds

if TYPE_CHECKING:
    from ...system import System
    from ..operating_point import EvaluatedModel
    from .closed_loops import MechanismPath
    from .trajectory import PrescribedMotion


def distribute_efforts(
    table: Any,
    model: EvaluatedModel,
    path: MechanismPath,
    parts: dict[str, np.ndarray],
    total: np.ndarray,
    actuators: Any,
    trajectory: PrescribedMotion,
):
    """Efforts at every speed (rows, nv), multipliers (rows, nc), and a note."""
    s = model.system
    lam = np.zeros((len(total), len(s.layout.lam)))
    if path.T is None and actuators is None:  # a tree, each joint its own effort
        for j in range(s.nv):
            table.add_efforts(j, total[:, j], {part: x[:, j] for part, x in parts.items()})
        return total, lam, ""
    names, S = _select_actuators(model, path, actuators, trajectory)
    T = np.broadcast_to(np.eye(s.nv), (len(total), s.nv, s.nv)) if path.T is None else path.T
    inverses = _pseudo_inverses(s, path, trajectory, names, np.einsum("nvf,nva->nfa", T, S))

    def distribute(x):
        return np.einsum("naf,nvf,nv->na", inverses, T, x)

    efforts = distribute(total)
    parts_of_actuators = {part: distribute(x) for part, x in parts.items()}
    for k, n in enumerate(names):
        if isinstance(n, int):
            table.add_efforts(
                n, efforts[:, k], {part: x[:, k] for part, x in parts_of_actuators.items()}
            )
        else:
            table.add(n, next((e.unit for e in s.inputs if e.name == n), ""), efforts[:, k])
    loads, note = np.einsum("nva,na->nv", S, efforts), ""
    if model.constraints is not None:
        _distribute_to_constraints(model, path, trajectory, total - loads, lam)
        for (name, unit), x in zip(model.constraints.multipliers, lam.T, strict=False):
            table.add(name, unit, x)
        note = f"; {_name_independent(s, path)} lead{'s' * (len(path.independent) < 2)}{path.note}"
    if len(names) > len(path.independent):
        note += (
            f"; {len(names)} actuators for {_count_freedoms(len(path.independent))}: "
            "the efforts of least sum of squares"
        )
    return loads, lam, note


def _pseudo_inverses(
    s: System, path: MechanismPath, trajectory: PrescribedMotion, names: Any, G: np.ndarray
):
    """Pseudo-inverses of G (rows, independent speeds, actuators).  An error if singular."""
    count = len(path.independent)
    if count:
        sizes = np.linalg.svd(G, compute_uv=False)
        is_singular = (
            sizes[:, count - 1] <= 1e-9 * sizes.max()
            if len(names) >= count
            else np.ones(len(G), dtype=bool)
        )
        if is_singular.any():
            subject = (
                ", ".join(repr(_actuator_name(s, n)) for n in names) + " cannot"
                if names
                else "nobody can"
            )
            t = trajectory.times[int(np.argmax(is_singular))]
            raise TorseurError(
                f"inverse: at t = {t:.6g} s {subject} make the efforts "
                f"of {_count_freedoms(count)} ({_name_independent(s, path)}); name more in "
                "actuators="
            )
    return np.linalg.pinv(G)  # LI.12


def _count_freedoms(n: int) -> str:
    return f"{n} degree{'s' * (n != 1)} of freedom"


def _actuator_name(s: System, n: Any):
    return s.speeds[n] if isinstance(n, int) else n


def _name_independent(s: System, path: MechanismPath) -> str:
    return ", ".join(s.speeds[i] for i in path.independent) or "time alone"


def _select_actuators(
    model: EvaluatedModel, path: MechanismPath, actuators: Any, trajectory: PrescribedMotion
):
    """Speeds or inputs of the actuators, and their generalized forces per unit (rows, nv,
    actuators).
    """
    s, n = model.system, len(trajectory.times)
    if actuators is None:
        chosen: list = list(path.independent)
    else:
        chosen = []
        joints = {k.name: list(range(k.v.start, k.v.stop)) for k in s.links}
        speeds = {c: [i] for c, i in map_speeds(s).items()} | {
            x: [i] for i, x in enumerate(s.speeds)
        }
        driven = {
            e.name: e.law.inputs[0]
            for e in s.elements
            if e.law is not None and len(e.law.inputs) == 1
        }
        choices = (
            joints
            | speeds
            | {e: [u] for e, u in driven.items()}
            | {u: [u] for u in driven.values()}
        )
        for a in (actuators,) if isinstance(actuators, str) else actuators:
            if a not in choices:
                raise TorseurError(
                    unknown_name_message(
                        "joint, coordinate or driven force", a, choices, "inverse, actuators"
                    )
                )
            chosen += [x for x in choices[a] if x not in chosen]
    S = np.zeros((n, s.nv, len(chosen)))
    for k, x in enumerate(chosen):
        if isinstance(x, int):
            S[:, x, k] = 1.0
        else:
            S[:, :, k] = _force_per_input(model, path, trajectory, s.layout.inputs[x].start)
    return chosen, S


def _force_per_input(
    model: EvaluatedModel, path: MechanismPath, trajectory: PrescribedMotion, slot: int
):
    """Generalized force of one unit of an input, (rows, nv)."""
    z, m, u = integrate_elements(model, trajectory.times, path.q, path.v)
    forces = []
    for u[:, slot] in (0.0, 1.0):
        forces.append(
            compute_element_forces(model, trajectory.times, path.q, path.v, z, m, u).sum(axis=1)
        )
    return forces[1] - forces[0]


def _distribute_to_constraints(
    model: EvaluatedModel,
    path: MechanismPath,
    trajectory: PrescribedMotion,
    rest: np.ndarray,
    lam: np.ndarray,
):
    """Write the multipliers of least norm for efforts that the actuators do not make."""
    assert model.constraints is not None
    for row, (t, q, x) in enumerate(zip(trajectory.times, path.q, rest, strict=True)):
        J = model.constraints.terms(q, np.zeros(model.system.nv), t).J
        multipliers = np.linalg.lstsq(J.T, x, rcond=1e-10)[0]  # LI.12
        lam[row, : len(multipliers)] = multipliers  # frictions come after, and are given


def compute_element_forces(model: EvaluatedModel, *rows: Any) -> np.ndarray:
    """Generalized force of every element, (rows, elements, nv)."""
    n, nv = len(model.system.elements), model.system.nv
    if not n:
        return np.zeros((len(rows[0]), 0, nv))
    return Outputs(model.system, model.p)("applied_each", StateRows(*rows)).T.reshape(-1, n, nv)
