"""Cards of an impact: peak deceleration, change of velocity and dissipated energy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ...scalars.values import value
from ..panel_base import Card, CardMaker, ReportContext, card

if TYPE_CHECKING:
    from ...results import Trajectory

G0 = 9.80665  # m/s2
MAX_IMPACT_DURATION = 1.0  # s: what takes longer is no impact
MIN_PEAK_ACCELERATION = 5 * G0
MIN_DISSIPATED_FRACTION = 0.3  # of the kinetic energy at the start


def find_impact_body(context: ReportContext) -> str | None:
    """Return the heaviest body if the run is an impact: short, with high acceleration and
    dissipation.
    """
    run = context.run
    span = float(run.time[-1] - run.time[0]) if len(run.time) > 1 else 0.0
    if (
        context.model is None
        or not 0 < span <= MAX_IMPACT_DURATION
        or "energy.kinetic" not in run.units
    ):
        return None
    kinetic = run["energy.kinetic"]
    if not kinetic[0] > 0 or run["energy.dissipated"][-1] < MIN_DISSIPATED_FRACTION * kinetic[0]:
        return None
    bound = {
        **value.nominals(dict(context.model.parameters)),
        **run.provenance.get("parameters", {}),
    }
    masses = {
        b.name: float(mass)
        for b in context.model.bodies
        if f"{b.name}.acceleration.x" in run.units
        and not isinstance(mass := value.filled(b.mass, bound), str)
    }
    name = max(masses, key=lambda n: masses[n], default=None)
    return (
        name
        if name and vector_norm(run, f"{name}.acceleration").max() > MIN_PEAK_ACCELERATION
        else None
    )


def vector_norm(run: Trajectory, name: str) -> np.ndarray:
    """Norm of a vector signal at every time point."""
    return np.sqrt(sum(run[f"{name}.{c}"] ** 2 for c in "xyz"))


@card.named("impact")
class Impact(CardMaker):
    """Peak deceleration, change of velocity and dissipated energy of the heaviest body."""

    order = 10

    def cards(self, context: ReportContext) -> Iterator[Card]:
        """Yield the three figures of an impact, or nothing for other runs."""
        run, name = context.run, find_impact_body(context)
        if name is None:
            return
        a = vector_norm(run, f"{name}.acceleration")
        i = int(a.argmax())
        yield Card("Peak deceleration", float(a[i]) / G0, "g", name, float(run.time[i]))
        v = np.array([run[f"{name}.velocity.{c}"] for c in "xyz"])
        change = np.linalg.norm(v - v[:, :1], axis=0)
        yield Card("Change of speed", float(change.max()), "m/s", name)
        yield Card("Energy absorbed", float(run["energy.dissipated"][-1]), "J")
