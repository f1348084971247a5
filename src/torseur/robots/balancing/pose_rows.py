"""Models with their devices, and the rows of poses that their efforts are taken over."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...errors import TorseurError
from .gravity_efforts import Efforts, laden, leading


@dataclass(frozen=True, slots=True, eq=False)
class States:
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    loads: np.ndarray
    payloads: dict

    @property
    def rows(self):
        return self.q, self.v, self.a, self.loads

    @classmethod
    def still(cls, q, nv) -> States:
        """Poses at rest, without payloads."""
        zero = np.zeros((len(q), nv))
        return cls(q, zero, zero, np.zeros((len(q), 0)), {})


def applied(model, devices, values, memory=True):
    """The model with its devices; what its design says of balancing is done then."""
    base = model
    for d in devices:
        model = d.apply(model, values, memory, base)
    left = {n: x for n, x in base.design.items() if n not in ("devices", "balancing")}
    return replace(model, design=left)


def memoryless(model):
    """The model with its tables written as sums of hinges, for gradients."""
    from ...forces import Expression, Table
    from .devices.spring import hinges

    def plain(f):
        law = getattr(f, "law", None)
        if not isinstance(law, Table):
            return f
        if law.steps():
            raise TorseurError(
                f"force {f.name!r}: its table has a vertical step, whose force at rest is not "
                "known; give the rise a width"
            )
        return replace(
            f, law=Expression(hinges(law.points, f"(x - ({law.free_length}))", law.beyond))
        )

    return replace(model, forces=tuple(map(plain, model.forces)))


def symbolic(model, devices, fixed, names, joints, frames=()):
    """Efforts as functions of the variables, and of payloads on frames."""
    slots = {n: f"design{i}" for i, n in enumerate(names)}
    lead = list(model.check().speeds)
    made = applied(memoryless(model), devices, {**fixed, **slots}, memory=False)
    middle = dict.fromkeys(slots.values(), 0.1)
    made = replace(made, parameters={**dict(made.parameters), **middle})
    coupled = bool(made.constraints)
    made, loads = laden(made, frames)
    return Efforts(made, tuple(slots.values()), joints, lead if coupled else (), loads)


def fitted(model, original, q):
    """Coordinates of the original model, with those that devices added, by their couplings."""
    s, old = model.check(), original.check()
    if s.coordinates == old.coordinates:
        return q
    out = np.tile(s.neutral(), (len(q), 1))
    for i, n in enumerate(old.coordinates):
        out[:, s.coordinates.index(n)] = q[:, i]
    for c in leading(model, old.coordinates):
        new = next(n for n in c.ratios if n not in old.coordinates)
        rest = sum(
            float(r) * out[:, s.coordinates.index(n)] for n, r in c.ratios.items() if n != new
        )
        out[:, s.coordinates.index(new)] = (float(c.offset) - rest) / float(c.ratios[new])
    return out


def along(efforts, original, where):
    """Rows of the model with devices: q, v, a of coordinates that follow are filled in."""
    s, old = efforts.system, original.check()
    q, v, a, w = where.rows
    if s.coordinates == old.coordinates:
        return q, v, a, w
    lead = [s.speeds.index(n) for n in old.speeds]
    T = efforts.T if efforts.T.shape[1] == len(lead) else np.eye(s.nv)[:, lead]
    return fitted(s.model, original, q), v @ T.T, a @ T.T, w


def efforts_of(done, model, where):
    made, loads = laden(memoryless(model), where.payloads)
    lead = list(done.original.check().speeds) if model.constraints else ()
    f = Efforts(made, (), done.joints, lead, loads)
    return f(along(f, done.original, where), ())[0]


__all__ = ["States", "along", "applied", "efforts_of", "fitted", "memoryless", "symbolic"]
