"""Force elements of a model in its equations: polynomials written out, others named.

A spring along a coordinate is a term of its equation.  The length of a line between two points is a
square root, a crash law is piecewise: such an element appears as a generalized force with a name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import NamedTuple

import numpy as np

from ..dynamics import Moment
from ..errors import NotInRing
from ..formalisms import newton_euler
from ..kinematics import velocities
from ..scalars import Value, exact, leaves, vector


class Applied(NamedTuple):
    """Generalized forces of one element, {speed: force}.  `named`: they are only names."""

    name: str
    says: str  # the element and its law, in words
    forces: dict
    named: bool


def numbers(system) -> Iterator[Value]:
    """Expressions of parameters in the laws of a system."""
    for e in system.elements:
        for part in (e.line, *(w for *_, w in e.weights), *(p.X_LB for p in e.ends)):
            yield from _walk(part)
        yield from e.line.constants()


def _walk(x) -> Iterator[Value]:
    if isinstance(x, Value):
        yield x
    elif isinstance(x, str):
        try:
            x = exact(x)
        except (TypeError, ValueError):
            return
        if isinstance(x, Value):
            yield x
    elif isinstance(x, np.ndarray):
        for e in x.ravel():
            yield from _walk(e)
    elif isinstance(x, list | tuple):
        for e in x:
            yield from _walk(e)
    elif is_dataclass(x):
        for f in fields(x):
            if f.name not in _TEXTS:
                yield from _walk(getattr(x, f.name))


_TEXTS = (
    "name",
    "energy",
    "coordinates",
    "input",
    "inputs",
    "joint",
    "frame",
    "reaction",
    "axes",
    "a",
    "b",
    "coordinate",
    "signals",
    "sense",
)


def symbols(system) -> tuple[str, ...]:
    """Parameters that occur in laws and nowhere else."""
    found = leaves(vector(numbers(system)))
    return tuple(
        x.args[0]
        for x in found
        if x.op == "symbol" and x.args[0] not in system.symbols and x.args[0] in system.parameters
    )


def inputs(system) -> tuple[str, ...]:
    """The time, and one name a number of the model's inputs."""
    return ("t", *system.layout.u.names)


def reach(system, element) -> tuple[int, ...]:
    """Speeds on which an element may act."""
    slots = {j for _, j, _ in element.weights}
    if not element.ends:
        return tuple(sorted(slots))
    paths = []
    for place in element.ends:
        path, i = set(), place.link
        while i:
            path |= set(range(system.links[i - 1].v.start, system.links[i - 1].v.stop))
            i = system.links[i - 1].parent
        paths.append(path)
    if len(paths) == 2:  # what moves both alike feels nothing
        return tuple(sorted(slots | set.symmetric_difference(*paths)))
    return tuple(sorted(slots.union(*paths)))


def applied(system, tree, q, v, given, failed=None) -> list[Applied]:
    """Generalized forces of every element over any scalar.  `given` are time and inputs.

    `failed` collects the reasons why elements are only named.
    """
    out = []
    moving, rest = velocities(tree, q, v), vector([0] * tree.nv)
    still = replace(tree, gravity=vector((0, 0, 0)))
    for e in system.elements:
        says = f"{type(e.line).__name__}, {e.law}"
        now = Moment(given[0], q, v, vector(()), vector(()), vector(given[1:]))
        try:
            if e.states or e.memory:
                raise NotInRing(f"{e.name} has states of its own")
            acting = e.act(tree.K, moving, now)
            forces = dict.fromkeys(reach(system, e), 0)
            for j, f in acting.efforts:
                forces[j] = forces[j] + f
            if acting.wrenches:
                loads: dict = {}
                for link, F in acting.wrenches:
                    loads[link] = loads[link] + F if link in loads else F
                pushed = newton_euler.inverse_dynamics(still, q, rest, rest, loads)
                forces = {j: forces[j] - pushed[j] for j in forces}
            out.append(Applied(e.name, says, forces, False))
        except (NotInRing, TypeError, AttributeError) as error:
            if failed is not None:
                failed.append(error)
            out.append(
                Applied(e.name, says, {j: f"Q{j + 1}.{e.name}" for j in reach(system, e)}, True)
            )
    return out
