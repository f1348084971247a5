"""Which motor and gearbox each joint needs: every pair tried over a duty cycle.

Theory: DS.1 to DS.8.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from ..errors import ArgumentError, TorseurError, shown, unknown_name
from ..model import Model
from ..numbers import asked
from ..system import System
from .candidates import DriveCandidate, judged
from .drives import catalog_of
from .duty import cycle_loads


class Sizing(Mapping[Any, Any]):
    """Feasible pairs of each joint, best first: `sizing["joint1"][0]`.

    `rejected["joint1"]`: the others, nearest to fitting first; `loads["joint1"]`: what was asked.
    """

    def __init__(self, chosen: Any, rejected: Any, loads: Any, name: str):
        self._chosen, self.rejected, self.loads, self.name = chosen, rejected, loads, name

    def __getitem__(self, joint: str) -> list[DriveCandidate]:
        if joint not in self._chosen:
            raise TorseurError(unknown_name("joint", joint, self._chosen, "sizing"))
        return self._chosen[joint]

    def __iter__(self) -> Iterator[str]:
        return iter(self._chosen)

    def __len__(self):
        return len(self._chosen)

    def table(self, count: int = 3) -> str:
        """The best pairs of every joint, as text."""
        lines = []
        for joint, found in self._chosen.items():
            lines += [f"{joint}:"] + [f"  {i + 1}. {c}" for i, c in enumerate(found[:count])]
        return "\n".join(lines)

    __str__ = table

    def report(self, path) -> None:
        """Write an HTML page: the table, and each joint's torque and speed in the envelopes."""
        from .pages import sizing_page

        sizing_page(self, path)


def size(
    model: Model | System,
    cycle: Any,
    catalog: Any,
    *,
    joints: Iterable[str] | None = None,
    pause: float = 0.0,
    largest_inertia_ratio: float = np.inf,
    life: float = 0.0,
    points: int = 4001,
    order: str = "mass",
) -> Sizing:
    """Rank pairs of motor and gearbox that can drive each joint through a duty cycle.

    Parameters
    ----------
    model : rigid; drives and armatures it has are taken off, since they are what is sought
    cycle : the motion: laws of coordinates, a run, arrays with "time"
    catalog : `Catalog`, its file, (motors, gearboxes), or a mapping of the two lists
    pause : rest after each cycle [s]
    largest_inertia_ratio : of link over rotor and gear
    life : wanted of the gears [s]
    order : "mass" (lightest first) or "margin" (least used first)

    Slides are driven by gearboxes with a `pinion`, joints that turn by the others.  Joints of loops
    count where the cycle drives them.  Every pair must hold: continuous torque (rms), peak torque
    within the envelope at its speed, speed, temperature where the motor says its thermal numbers,
    and the gear's ratings.

    >>> import torseur as ts
    >>> arm = ts.Model(bodies=(ts.Body("arm", 4.0, (0.3, 0, 0)),),
    ...     joints=(ts.Joint("shoulder", "world", "arm", ts.Revolute((0, -1, 0))),))
    >>> found = size(arm, {"shoulder.angle": ts.robots.Quintic(0.0, 1.5, 1.0)},
    ...              ts.robots.example_catalog())
    >>> found["shoulder"][0].motor.name, found["shoulder"][0].gearbox.name
    ('M100', 'H14-100')
    """
    catalog = catalog_of(catalog)
    if order not in ("mass", "margin"):
        raise ArgumentError(f"size: order={shown(order)}: expected 'mass' or 'margin'")
    most = largest_inertia_ratio
    if not (isinstance(most, float) and most == np.inf):
        most = asked.number("size", "largest_inertia_ratio", most, above=0.0)
    life = asked.number("size", "life", life, "s")
    loads = cycle_loads(model, cycle, joints, pause, points)
    chosen: dict[str, list[DriveCandidate]] = {}
    rejected: dict[str, list[DriveCandidate]] = {}
    faults = []
    for joint, load in loads.items():
        tried = [
            judged(load, m, g, most, life)
            for m in catalog.motors
            for g in catalog.gearboxes
            if (g.pinion is not None) == load.slides
        ]
        if not tried:
            kind = "slides: give one a pinion= [m]" if load.slides else "turns: all have a pinion"
            faults.append(f"size: no gearbox of the catalog is for {joint!r}, which {kind}")
            chosen[joint], rejected[joint] = [], []
            continue
        rank = (
            (lambda c: (c.mass, max(c.use.values())))
            if order == "mass"
            else (lambda c: max(c.use.values()))
        )
        chosen[joint] = sorted((c for c in tried if c.feasible), key=rank)
        rejected[joint] = sorted(
            (c for c in tried if not c.feasible), key=lambda c: max(c.use.values())
        )
        if not chosen[joint]:
            near = rejected[joint][0]
            faults.append(
                f"size: no pair of the catalog drives {joint!r}; the nearest, {near.motor.name} "
                f"with {near.gearbox.name}, fails by its {near.binding}: {near.excess}"
            )
    if faults:
        raise TorseurError("\n".join(faults))
    return Sizing(chosen, rejected, loads, model.name)


__all__ = ["Sizing", "size"]
