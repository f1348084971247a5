"""An impact: how hard, how far, how much energy went."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...scalars.values import value
from ..panel_base import Card, CardMaker, Told, card

G0 = 9.80665  # m/s2
LONGEST = 1.0  # s: what takes longer is no impact
HARD = 5 * G0
LOST = 0.3  # of the kinetic energy at the start


def struck(told: Told) -> str | None:
    """The heaviest body of a run that is an impact: short, hard, and energy is lost."""
    run = told.run
    span = float(run.time[-1] - run.time[0]) if len(run.time) > 1 else 0.0
    if told.model is None or not 0 < span <= LONGEST or "energy.kinetic" not in run.units:
        return None
    kinetic = run["energy.kinetic"]
    if not kinetic[0] > 0 or run["energy.dissipated"][-1] < LOST * kinetic[0]:
        return None
    bound = {**value.nominals(dict(told.model.parameters)), **run.provenance.get("parameters", {})}
    masses = {
        b.name: float(mass)
        for b in told.model.bodies
        if f"{b.name}.acceleration.x" in run.units
        and not isinstance(mass := value.filled(b.mass, bound), str)
    }
    name = max(masses, key=lambda n: masses[n], default=None)
    return name if name and size(run, f"{name}.acceleration").max() > HARD else None


def size(run, name: str) -> np.ndarray:
    """Length of a vector signal at every row."""
    return np.sqrt(sum(run[f"{name}.{c}"] ** 2 for c in "xyz"))


@card.named("impact")
class Impact(CardMaker):
    """Peak deceleration, change of speed, energy absorbed."""

    place = 10

    def cards(self, told: Told) -> Iterator[Card]:
        run, name = told.run, struck(told)
        if name is None:
            return
        a = size(run, f"{name}.acceleration")
        i = int(a.argmax())
        yield Card("Peak deceleration", float(a[i]) / G0, "g", name, float(run.time[i]))
        v = np.array([run[f"{name}.velocity.{c}"] for c in "xyz"])
        change = np.linalg.norm(v - v[:, :1], axis=0)
        yield Card("Change of speed", float(change.max()), "m/s", name)
        yield Card("Energy absorbed", float(run["energy.dissipated"][-1]), "J")
