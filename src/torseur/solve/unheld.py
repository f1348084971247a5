"""Bodies that nothing holds: no equilibrium is worth looking for."""

from __future__ import annotations

import numpy as np

from ..errors import IntegrationError

MOST = 4  # names that are told
FREE = 6  # speeds of a joint that holds nothing


def refuse_falling(system, parameters) -> None:
    """Say so where gravity pulls bodies from which no joint, force or constraint leads to the
    world: the forces between them cancel, and their weight is left."""
    g = np.linalg.norm(np.asarray(parameters.numbers(system.gravity), dtype=float))
    if not g:
        return
    for links in _loose(system):
        own = [k for k in system.links if k.index in links]
        mass = sum(float(parameters.number(k.inertia.mass)) for k in own)
        if mass > 0:
            names = [repr(k.body) for k in own]
            told = ", ".join(names[:MOST]) + f" and {len(names) - MOST} more" * (len(names) > MOST)
            raise IntegrationError(
                f"no equilibrium of {system.name!r}: no joint, force or constraint leads from "
                f"{told} to the world, and nothing holds their {mass * g:.4g} N of weight; hold "
                "one of them, or give gravity=(0, 0, 0)"
            )


def _loose(system) -> list[set[int]]:
    """Links that forces, constraints and joints join to each other, and not to the world."""
    root = {k.index: k.index for k in system.links} | {0: 0}
    of_speed = {i: k for k in system.links for i in range(k.v.start, k.v.stop)}

    def find(i: int) -> int:
        while root[i] != i:
            root[i] = i = root[root[i]]
        return i

    def join(some) -> None:
        first, *rest = [*some] or [0]
        for i in rest or [0]:  # what is at one link alone comes from the world
            root[find(i)] = find(first)

    for k in system.links:
        if k.parent or k.index in system.slices or k.joint.nv != FREE:
            join((k.index, k.parent))
    for e in (*system.held, *system.switched):
        join((e.F.link, e.M.link) if e.joins else (*e.links, 0))
    for e in system.elements:
        if e.ends:
            join([p.link for p in e.ends])
        for _, j, _ in e.weights:
            k = of_speed[j]
            join((k.index, k.parent))  # along coordinates of a free body it comes from the world
    groups: dict[int, set[int]] = {}
    for i in root:
        groups.setdefault(find(i), set()).add(i)
    return [links for links in groups.values() if 0 not in links]


__all__ = ["refuse_falling"]
