"""Rest on the vertical steps of tables: each is on a side, or holds; problems of one state then
see a model without steps.  Theory: LI.20.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...constraints import Holonomic
from ...errors import IntegrationError, TorseurError
from ...scalars import Floats
from ...scalars.values import value
from ..arguments import parameter_values
from ..constraint_system import initial_state

ON = 1e-9  # deflection [m, rad] of what is on a step
SLACK = 1e-9  # of its half: what a step may hold beyond it, for rounding


def has_steps(system) -> bool:
    """Whether some table has a vertical step."""
    return any(e.stores for e in system.switched)


def tie(row: str) -> str:
    """What the constraint is called that holds a step.

    >>> tie("f.step2")
    'f step2'
    """
    return row.replace(".", " ")


class Sides:
    """Where a model is on each of its steps: above (1), below (-1), or held by it (0)."""

    def __init__(self, system, parameters=None):
        p = parameter_values(system, parameters or {})
        self.system, self.bound = system, dict(zip(system.parameters, p.tolist(), strict=True))
        self.tree = system.over(Floats(self.bound))
        self.rows = {e.name: e for e in system.switched if e.stores}
        own = {f.name for f in system.model.forces}
        if stray := [n for n in self.rows if n.rpartition(".step")[0] not in own]:
            raise TorseurError(
                f"{system.name!r} has a table with a vertical step in a drive or stop "
                f"({', '.join(stray)}), which at rest has any force between; take it out for this "
                "problem"
            )

    def half(self, name: str) -> float:
        """Half of the rise of a step [N or N m]."""
        return float(self.tree.K.number(value.exact(self.rows[name].friction.static)))

    def offsets(self, q) -> dict[str, float]:
        """How far a position is above each step."""
        at = np.asarray(q, dtype=float)
        return {n: float(e.offset(self.tree, at)) for n, e in self.rows.items()}

    def at(self, q) -> dict[str, int]:
        return {n: 0 if abs(x) <= ON else int(np.sign(x)) for n, x in self.offsets(q).items()}

    def model(self, sides: Mapping[str, int]):
        """The model without its steps: a constant tension for each side, a tie where it holds."""
        s, forces = self.system, []
        for f in s.model.forces:
            law: Any = getattr(f, "law", None)
            steps: tuple = getattr(law, "steps", tuple)()
            if steps and law is not None:
                several = len(steps) > 1
                names = [f"{f.name}.step{i + 1 if several else ''}" for i in range(len(steps))]
                lifts = [sides[n] * h for n, (_, h) in zip(names, steps, strict=True)]
                f = replace(f, law=law.flattened(lifts))
            forces.append(f)
        ties = [self._tie(n) for n, side in sides.items() if side == 0]
        known = {**s.model.parameters, **self.bound}
        return replace(
            s.model,
            forces=tuple(forces),
            constraints=(*s.model.constraints, *ties),
            parameters=known,
        )

    def _tie(self, name: str) -> Holonomic:
        K, row = self.tree.K, self.rows[name]
        parts = [
            f"({float(K.number(w))!r})*{self.system.coordinates[i]}" for i, _, w in row.weights
        ]
        return Holonomic(tie(name), f"{' + '.join(parts)} - ({float(K.number(row.at))!r})")


def held_by(here, sides: Mapping[str, int], names: Sides) -> dict[str, int]:
    """The sides again, of those that hold after what they would have to push."""
    out = dict(sides)
    q, v, z, m, u, p = here.q, here.v, here.z, here.m, here.u, here.p
    lam = (
        np.atleast_1d(here.kernels["flow"](here.t, q, v, z, m, u, p)[3])
        if 0 in out.values()
        else ()
    )
    ports = [x.name for x in here.system.layout.lam]
    for name, side in sides.items():
        if side == 0:
            push = float(lam[ports.index(f"{tie(name)}.multiplier")])
            if abs(push) > names.half(name) * (1 + SLACK):
                out[name] = -int(np.sign(push))  # LI.20
    return out


def settled(system, near, parameters, solve: Callable[[Any], Any], look: Callable[[Any, Any], Any]):
    """A problem solved where every step is on its side or can hold; its answer.

    `solve` answers a model without steps, `look` gives that model at the answer (`Here`).
    """
    names = Sides(system, parameters)
    q, _ = initial_state(system, near or {}, (), 0.0, names.bound)
    sides, offsets = names.at(q), names.offsets(q)
    far = sorted((n for n in sides if sides[n]), key=lambda n: abs(offsets[n]))  # not tried yet
    for _ in range(3 + 3 * len(sides)):
        made = names.model(sides)
        try:
            found = solve(made)
        except IntegrationError:
            if not far:
                raise
            sides = {**sides, far.pop(0): 0}  # nothing holds it on this side: perhaps the step does
            continue
        here = look(made, found)
        off, new = names.offsets(here.q), held_by(here, sides, names)
        new = {n: 0 if x and x * off[n] < -ON else new[n] for n, x in sides.items()}
        if new == sides:
            return found
        sides = new
    raise IntegrationError(
        f"no equilibrium of {system.name!r} was found: its steps ({', '.join(sides)}) neither hold "
        "nor let go; start nearer, or give the rises a width"
    )


class StepsHere:
    """The model without steps whose motion is that of the given one about a state.

    On a step it must be at rest and held: a motion that crosses one has no linear model.
    """

    def __init__(self, system, at, parameters, t, keep):
        self.names = names = Sides(system, parameters)
        q, v = initial_state(system, at or {}, keep, t, names.bound)
        self.sides = names.at(q)
        for n, side in self.sides.items():
            rate = float(names.rows[n].rate(names.tree, t, q, v)[0])
            if side == 0 and abs(rate) > ON:
                raise TorseurError(
                    f"{system.name!r} crosses the step {n!r} here at {rate:g}: its force leaps, "
                    "and nothing is linear there; look off the step, or at rest on it"
                )
        self.model = names.model(self.sides)

    def judge(self, here) -> None:
        """Refuse a step that cannot hold."""
        after = held_by(here, self.sides, self.names)
        if loose := [n for n, x in after.items() if x != self.sides[n]]:
            raise TorseurError(
                f"{self.names.system.name!r} is on a vertical step that cannot hold it here "
                f"({', '.join(loose)}): its force leaps as it leaves, and nothing is linear there"
            )
