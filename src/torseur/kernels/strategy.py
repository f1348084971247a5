"""How large the mechanisms are that contacts and dry frictions are part of."""

from __future__ import annotations

from ..system import once

LOOPED = 20  # speeds and rows of contacts and dry frictions from which native loops solve for them


@once()
def most_joined(system) -> int:
    """Speeds and rows of the largest mechanism that joints, contacts and dry frictions join."""
    if not system.switched:
        return 0
    part = {k.index: k.index for k in system.links}

    def root(i: int) -> int:
        while part[i] != i:
            part[i] = i = part[part[i]]
        return i

    ways = [tuple(i for i in e.links if i) for e in system.switched]
    of_links = ((k.index, k.parent or k.reads) for k in system.links if k.parent or k.reads)
    for way in (*of_links, *ways):
        for i in way[1:]:
            part[root(i)] = root(way[0])
    sizes = dict.fromkeys(part, 0)
    for k in system.owners:
        sizes[root(k.index)] += k.joint.nv
    alone = 0  # rows of no link
    for e, way in zip(system.switched, ways, strict=True):
        if way:
            sizes[root(way[0])] += e.size
        else:
            alone += e.size
    return max(sizes.values(), default=0) + alone
