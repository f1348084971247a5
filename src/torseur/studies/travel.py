"""What goes to a worker: the plan, and the object code that its members run."""

from __future__ import annotations

import contextlib
import pickle
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..compiler import carry, gathered
from ..errors import TorseurError
from .plans import Plan

FEW, BRIEF, ROWS = 8, 1e-6, 17  # members, part of the time, and rows that make all code ready


@dataclass(frozen=True)
class Parcel:
    """A plan without its members, and its code; on a machine of the same kind nothing is compiled.

    Code is found by a name that stands for the model, the sources, the processor and the compiler:
    on another machine it is not found, and compiled.
    """

    plan: Plan
    code: dict[str, bytes]

    def opened(self) -> Plan:
        """The plan; its code is at hand from now on."""
        carry(self.code)
        return self.plan


def parcel(plan: Plan) -> Parcel:
    """A plan with the code of its branches, which is made here, once.

    A few members of each branch run for an instant, from models that nobody has used yet: thus all
    that they ask for is noticed.
    """
    fresh = replace(
        plan,
        branches=pickle.loads(pickle.dumps(plan.branches)),
        options=tuple(map(_brief, plan.options)),
    )
    with gathered() as code:
        for b in np.unique(plan.branch):
            own = np.flatnonzero(plan.branch == b)[:FEW]
            values = {n: x[own] for n, x in plan.values.items()}
            with contextlib.suppress(TorseurError):  # told by the members themselves
                for _, runs in fresh.benches[b].parts(len(own), values):
                    if len(runs.there):
                        runs.ask(*plan.asked)
    return Parcel(plan.shell(), code)


def _brief(options: dict[str, Any]) -> dict[str, Any]:
    start = float(options.get("t_start") or 0.0)
    end = start + BRIEF * (float(options["t_end"]) - start)
    return {**options, "t_end": end, "output": ROWS}
