"""What laws keep from one run to the next: bent bristles, crushed metal, the side that sticks."""

from __future__ import annotations

from ..errors import TorseurError


def kept(system, z, m) -> dict[str, list]:
    """States and memory of elements with a history, by name, from a row of a run."""
    return {
        e.name: [z[e.z].tolist(), m[e.m].tolist()]
        for e in system.elements
        if e.law is not None and (e.states or e.law.history)
    }


def restore(system, z, m, given) -> None:
    """Put what was kept into states and memory at a start."""
    own = {e.name: e for e in system.elements}
    for name, (states, memory) in given.items():
        e = own.get(name)
        if e is None or (len(states), len(memory)) != (len(e.states), len(e.memory)):
            raise TorseurError(
                f"initial: the run before had a force {name!r} with a history, which this model "
                "has not; dict(run.final) starts from its coordinates and speeds alone"
            )
        z[e.z], m[e.m] = states, memory
