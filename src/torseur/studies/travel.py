"""What goes to a worker: the plan, and the object code that its members run."""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Iterator
from dataclasses import dataclass, replace
from multiprocessing.shared_memory import SharedMemory
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


@contextlib.contextmanager
def lent(given: Parcel) -> Iterator[tuple[str, int]]:
    """Name and size of shared memory where processes of this machine find a parcel.

    A new process reads its arguments from a pipe that holds 64 kB: one that is killed before it
    reads more than that leaves its parent writing for ever.  Two words always fit.
    """
    data = pickle.dumps(given, protocol=pickle.HIGHEST_PROTOCOL)
    room = SharedMemory(create=True, size=len(data))
    try:
        assert room.buf is not None
        room.buf[: len(data)] = data
        yield room.name, len(data)
    finally:
        room.close()
        room.unlink()


def taken(name: str, size: int) -> Parcel:
    """The parcel that the parent has lent."""
    room = SharedMemory(name)
    try:
        assert room.buf is not None
        return pickle.loads(bytes(room.buf[:size]))
    finally:
        room.close()


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
