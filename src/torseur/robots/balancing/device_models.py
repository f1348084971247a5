"""Models with balancing devices, and the samples at which their efforts are evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import TorseurError
from ...model import Model
from .devices.base import Device
from .gravity_efforts import JointEfforts, PoseSet, add_payload_masses, dependent_couplings

if TYPE_CHECKING:
    from .result import Balance


@dataclass(frozen=True, slots=True, eq=False)
class StateSamples:
    """Samples of positions, speeds, accelerations and payloads."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    loads: np.ndarray
    payloads: dict

    @property
    def samples(self):
        return self.q, self.v, self.a, self.loads

    @classmethod
    def at_rest(cls, q: np.ndarray, nv: int) -> StateSamples:
        """Poses at rest, without payloads."""
        zero = np.zeros((len(q), nv))
        return cls(q, zero, zero, np.zeros((len(q), 0)), {})


def apply_devices(
    model: Model, devices: Sequence[Device], values: Mapping[str, Any], memory: bool = True
):
    """The model with its devices, without the sections `devices` and `balancing` of its design."""
    base = model
    for d in devices:
        model = d.apply(model, values, memory, base)
    left = {n: x for n, x in base.design.items() if n not in ("devices", "balancing")}
    return replace(model, design=left)


def replace_tables(model: Model):
    """The model with tables as sums of hinge functions, for gradients."""
    from ...forces import Expression, Table
    from .devices.spring import hinge_sum

    def replace_table(f: Any):
        law = getattr(f, "law", None)
        if not isinstance(law, Table):
            return f
        if law.steps():
            raise TorseurError(
                f"force {f.name!r}: its table has a vertical step, whose force at rest is not "
                "known; give the rise a width"
            )
        return replace(
            f, law=Expression(hinge_sum(law.points, f"(x - ({law.free_length}))", law.beyond))
        )

    return replace(model, forces=tuple(map(replace_table, model.forces)))


def make_symbolic_efforts(
    model: Model,
    devices: Sequence[Device],
    fixed: Mapping[str, float],
    names: Sequence[str],
    joints: Sequence[str],
    frames: Sequence[str] = (),
):
    """Efforts as functions of the design variables, and of payloads on frames."""
    slots = {n: f"design{i}" for i, n in enumerate(names)}
    independent = list(model.check().speeds)
    extended = apply_devices(replace_tables(model), devices, {**fixed, **slots}, memory=False)
    defaults = dict.fromkeys(slots.values(), 0.1)
    extended = replace(extended, parameters={**dict(extended.parameters), **defaults})
    coupled = bool(extended.constraints)
    extended, loads = add_payload_masses(extended, frames)
    return JointEfforts(
        extended, tuple(slots.values()), joints, independent if coupled else (), loads
    )


def complete_coordinates(model: Model, original: Model, q: np.ndarray):
    """Coordinates with those of the devices, which follow from couplings."""
    s, old = model.check(), original.check()
    if s.coordinates == old.coordinates:
        return q
    out = np.tile(s.neutral(), (len(q), 1))
    for i, n in enumerate(old.coordinates):
        out[:, s.coordinates.index(n)] = q[:, i]
    for c in dependent_couplings(model, old.coordinates):
        new = next(n for n in c.ratios if n not in old.coordinates)
        rest = sum(
            float(r) * out[:, s.coordinates.index(n)] for n, r in c.ratios.items() if n != new
        )
        out[:, s.coordinates.index(new)] = (float(c.offset) - rest) / float(c.ratios[new])
    return out


def complete_samples(efforts: JointEfforts, original: Model, poses: PoseSet | StateSamples):
    """Samples q, v, a, loads with the dependent coordinates of the devices."""
    s, old = efforts.system, original.check()
    q, v, a, w = poses.samples
    if s.coordinates == old.coordinates:
        return q, v, a, w
    independent = [s.speeds.index(n) for n in old.speeds]
    T = efforts.T if efforts.T.shape[1] == len(independent) else np.eye(s.nv)[:, independent]
    return complete_coordinates(s.model, original, q), v @ T.T, a @ T.T, w


def evaluate_efforts(result: Balance, model: Model, poses: PoseSet | StateSamples):
    """Efforts (n, joints) of a model at the samples of a set of poses."""
    loaded, loads = add_payload_masses(replace_tables(model), list(poses.payloads))
    independent = list(result.original.check().speeds) if model.constraints else ()
    f = JointEfforts(loaded, (), result.joints, independent, loads)
    return f(complete_samples(f, result.original, poses), ())[0]


__all__ = [
    "StateSamples",
    "apply_devices",
    "complete_coordinates",
    "complete_samples",
    "evaluate_efforts",
    "make_symbolic_efforts",
    "replace_tables",
]
