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


class AppliedForce(NamedTuple):
    """Generalized forces of one element, {speed: force}.  `named`: they are only names."""

    name: str
    says: str  # the element and its law, in words
    forces: dict
    named: bool


def iter_law_expressions(system) -> Iterator[Value]:
    """Expressions of parameters in the laws of a system."""
    for e in system.elements:
        for part in (e.line, *(w for *_, w in e.weights), *(p.X_LB for p in e.ends)):
            yield from _iter_expressions(part)
        yield from e.line.constants()


def _iter_expressions(x) -> Iterator[Value]:
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
            yield from _iter_expressions(e)
    elif isinstance(x, list | tuple):
        for e in x:
            yield from _iter_expressions(e)
    elif is_dataclass(x):
        for f in fields(x):
            if f.name not in _TEXT_FIELDS:
                yield from _iter_expressions(getattr(x, f.name))


_TEXT_FIELDS = (
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


def law_parameters(system) -> tuple[str, ...]:
    """Parameters that occur in laws and nowhere else."""
    expressions = leaves(vector(iter_law_expressions(system)))
    return tuple(
        x.args[0]
        for x in expressions
        if x.op == "symbol" and x.args[0] not in system.symbols and x.args[0] in system.parameters
    )


def input_names(system) -> tuple[str, ...]:
    """The time, and one name a number of the model's inputs."""
    return ("t", *system.layout.u.names)


def affected_speeds(system, element) -> tuple[int, ...]:
    """Speeds on which an element may act."""
    slots = {j for _, j, _ in element.weights}
    if not element.ends:
        return tuple(sorted(slots))
    paths = []
    for end in element.ends:
        path, i = set(), end.link
        while i:
            path |= set(range(system.links[i - 1].v.start, system.links[i - 1].v.stop))
            i = system.links[i - 1].parent
        paths.append(path)
    if len(paths) == 2:  # what moves both alike feels nothing
        return tuple(sorted(slots | set.symmetric_difference(*paths)))
    return tuple(sorted(slots.union(*paths)))


def apply_elements(system, tree, q, v, inputs, failed=None) -> list[AppliedForce]:
    """Generalized forces of every element over any scalar.  `inputs` are time and inputs.

    `failed` collects the reasons why elements are only named.
    """
    out = []
    velocities_of_links, rest = velocities(tree, q, v), vector([0] * tree.nv)
    weightless = replace(tree, gravity=vector((0, 0, 0)))
    for e in system.elements:
        says = f"{type(e.line).__name__}, {e.law}"
        state = Moment(inputs[0], q, v, vector(()), vector(()), vector(inputs[1:]))
        try:
            if e.states or e.memory:
                raise NotInRing(f"{e.name} has states of its own")
            action = e.act(tree.K, velocities_of_links, state)
            forces = dict.fromkeys(affected_speeds(system, e), 0)
            for j, f in action.efforts:
                forces[j] = forces[j] + f
            if action.wrenches:
                loads: dict = {}
                for link, F in action.wrenches:
                    loads[link] = loads[link] + F if link in loads else F
                efforts = newton_euler.inverse_dynamics(weightless, q, rest, rest, loads)
                forces = {j: forces[j] - efforts[j] for j in forces}
            out.append(AppliedForce(e.name, says, forces, False))
        except (NotInRing, TypeError, AttributeError) as error:
            if failed is not None:
                failed.append(error)
            out.append(
                AppliedForce(
                    e.name,
                    says,
                    {j: f"Q{j + 1}.{e.name}" for j in affected_speeds(system, e)},
                    True,
                )
            )
    return out
