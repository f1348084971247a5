"""Rest on vertical steps of force tables: above a step, below it, or held by it.

The problem is solved for a model without steps: a constant force on each side, a constraint where
the step holds.  Theory: LI.20.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..constraints import Holonomic
from ..errors import IntegrationError, TorseurError
from ..scalars import Floats
from ..scalars.values import value
from .arguments import parameter_values
from .constraint_system import initial_state

if TYPE_CHECKING:
    from ..system import System
    from .operating_point import OperatingPoint

STEP_TOLERANCE = 1e-9  # deflection [m, rad] of what is on a step
HOLDING_RTOL = 1e-9  # of its half: what a step may hold beyond it, for rounding


def has_steps(system: System) -> bool:
    """Whether some table has a vertical step."""
    return any(e.stores for e in system.switched)


def holding_constraint_name(row: str) -> str:
    """Name of the constraint that replaces a step that holds.

    >>> holding_constraint_name("f.step2")
    'f step2'
    """
    return row.replace(".", " ")


class TableSteps:
    """The vertical steps of a model.  A side is above (1), below (-1), or held (0)."""

    def __init__(self, system: System, parameters: Any = None):
        """Find the steps of the tables of a system."""
        p = parameter_values(system, parameters or {})
        self.system, self.parameters = system, dict(zip(system.parameters, p.tolist(), strict=True))
        self.tree = system.over(Floats(self.parameters))
        self.rows: dict[str, Any] = {e.name: e for e in system.switched if e.stores}
        force_names = {f.name for f in system.model.forces}
        if stray := [n for n in self.rows if n.rpartition(".step")[0] not in force_names]:
            raise TorseurError(
                f"{system.name!r} has a table with a vertical step in a drive or stop "
                f"({', '.join(stray)}), which at rest has any force between; take it out for this "
                "problem"
            )

    def half_rise(self, name: str) -> float:
        """Half of the rise of a step [N or N m]."""
        return float(self.tree.K.number(value.exact(self.rows[name].friction.static)))

    def offsets(self, q: Any) -> dict[str, float]:
        """Distance of a position above each step [m or rad]."""
        at = np.asarray(q, dtype=float)
        return {n: float(e.offset(self.tree, at)) for n, e in self.rows.items()}

    def sides_at(self, q: Any) -> dict[str, int]:
        """Side of a position at each step."""
        return {
            n: 0 if abs(x) <= STEP_TOLERANCE else int(np.sign(x))
            for n, x in self.offsets(q).items()
        }

    def model_on_sides(self, sides: Mapping[str, int]):
        """The model without its steps: a constant force on each side, a constraint where a step
        holds.
        """
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
        ties = [self._holding_constraint(n) for n, side in sides.items() if side == 0]
        parameters = {**dict(s.model.parameters), **self.parameters}
        return replace(
            s.model,
            forces=tuple(forces),
            constraints=(*s.model.constraints, *ties),
            parameters=parameters,
        )

    def _holding_constraint(self, name: str) -> Holonomic:
        K, row = self.tree.K, self.rows[name]
        parts = [
            f"({float(K.number(w))!r})*{self.system.coordinates[i]}" for i, _, w in row.weights
        ]
        return Holonomic(
            holding_constraint_name(name), f"{' + '.join(parts)} - ({float(K.number(row.at))!r})"
        )


def update_sides(
    point: OperatingPoint, sides: Mapping[str, int], steps: TableSteps
) -> dict[str, int]:
    """The sides, with steps that cannot hold released in the direction of the load (LI.20)."""
    updated = dict(sides)
    q, v, z, m, u, p = point.q, point.v, point.z, point.m, point.u, point.p
    lam = (
        np.atleast_1d(point.kernels["flow"](point.t, q, v, z, m, u, p)[3])
        if 0 in updated.values()
        else ()
    )
    ports = [x.name for x in point.system.layout.lam]
    for name, side in sides.items():
        if side == 0:
            multiplier = float(lam[ports.index(f"{holding_constraint_name(name)}.multiplier")])
            if abs(multiplier) > steps.half_rise(name) * (1 + HOLDING_RTOL):
                updated[name] = -int(np.sign(multiplier))  # LI.20
    return updated


def solve_on_sides(
    system: System,
    near: Any,
    parameters: Any,
    solve: Callable[[Any], Any],
    locate: Callable[[Any, Any], Any],
):
    """Solution of a problem with every step on a side, or held, consistently with the solution.

    `solve` solves a model without steps.  `locate` gives that model at the solution.
    """
    steps = TableSteps(system, parameters)
    q, _ = initial_state(system, near or {}, (), 0.0, steps.parameters)
    sides, offsets = steps.sides_at(q), steps.offsets(q)
    untried = sorted((n for n in sides if sides[n]), key=lambda n: abs(offsets[n]))  # not tried yet
    for _ in range(3 + 3 * len(sides)):
        model = steps.model_on_sides(sides)
        try:
            result = solve(model)
        except IntegrationError:
            if not untried:
                raise
            # nothing holds it on this side: perhaps the step does
            sides = {**sides, untried.pop(0): 0}
            continue
        point = locate(model, result)
        offset, updated = steps.offsets(point.q), update_sides(point, sides, steps)
        updated = {
            n: 0 if x and x * offset[n] < -STEP_TOLERANCE else updated[n] for n, x in sides.items()
        }
        if updated == sides:
            return result
        sides = updated
    raise IntegrationError(
        f"no equilibrium of {system.name!r} was found: its steps ({', '.join(sides)}) neither hold "
        "nor let go; start nearer, or give the rises a width"
    )


class StepsAtState:
    """The model without steps that has the motion of the model close to a state.

    At a step it must be at rest and held: a motion that crosses one has no linear model.
    """

    def __init__(self, system: System, at: Any, parameters: Any, t: float, keep: Any):
        """The model without steps at a state.  An error if it crosses a step."""
        self.steps = names = TableSteps(system, parameters)
        q, v = initial_state(system, at or {}, keep, t, names.parameters)
        self.sides = names.sides_at(q)
        for n, side in self.sides.items():
            rate = float(names.rows[n].rate(names.tree, t, q, v)[0])
            if side == 0 and abs(rate) > STEP_TOLERANCE:
                raise TorseurError(
                    f"{system.name!r} crosses the step {n!r} here at {rate:g}: its force leaps, "
                    "and nothing is linear there; look off the step, or at rest on it"
                )
        self.model = names.model_on_sides(self.sides)

    def check_holding(self, point: OperatingPoint) -> None:
        """Raise an error for a step that cannot hold."""
        updated = update_sides(point, self.sides, self.steps)
        if released := [n for n, x in updated.items() if x != self.sides[n]]:
            raise TorseurError(
                f"{self.steps.system.name!r} is on a vertical step that cannot hold it here "
                f"({', '.join(released)}): its force jumps as it leaves, and nothing is linear "
                "there"
            )
