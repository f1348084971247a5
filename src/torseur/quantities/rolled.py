"""Kernels of long mechanisms: each step compiled once for a joint kind, and looped over links.

Compile time and code size do not grow with the number of links; only tables do.
"""

from __future__ import annotations

import hashlib

import numpy as np

from ..compiler import Port as Shape, Program, entry_points, packed, read
from . import steps
from .angles import turn
from .rolled_text import Text


class Rolled:
    """What a `Kernel` needs of a program, for one that is a loop over links."""

    def __init__(self, name: str, tree, offsets, gravity_start):
        self.name, self.tree = name, tree
        self.offsets = offsets
        self.kinds = steps.kinds(tree)
        self.passes, widths = _PLANS[name]
        most = max(k.joint.nv for k in tree.links)
        whole = {b: w(most) if callable(w) else w for b, w in widths.items()}
        self.start = gravity_start
        n, nq, nv = len(tree.links), tree.nq, tree.nv
        ports: dict[str, tuple[tuple[tuple[str, int], ...], str]] = {
            "inverse_dynamics": ((("q", nq), ("v", nv), ("a", nv)), "tau"),
            "forward_dynamics": ((("q", nq), ("v", nv), ("tau", nv)), "a"),
            "mass_matrix": ((("q", nq),), "M"),
        }
        given, answer = ports[name]
        self.inputs = tuple(Shape(b, (m,)) for b, m in given)
        shape = (nv, nv) if name == "mass_matrix" else (nv,)
        self.outputs = (Shape(answer, shape),)
        self.upwards = {p: place for (which, p), place in _UPWARDS.items() if which == name}
        world = {
            b: [at + i for i, g in enumerate(self.start) if g] for b, at in self.upwards.values()
        }
        self.live = steps.alive(self.kinds, self.passes, whole, world)
        self.live.pop("H", None)  # read as a whole, column by column
        self.widths = {b: len(self.live[b]) if b in self.live else w for b, w in whole.items()}
        extra = (steps.ENTRY, steps.UP) if name == "mass_matrix" else ()
        self.programs: dict[tuple[str, int], Program] = {
            (p.name, j): read(steps.function(kind, p, whole, self.live))
            for p in (*self.passes, *extra)
            for j, kind in enumerate(self.kinds)
        }
        self.count = n
        self.nodes = [node for p in self.programs.values() for node in p.nodes] + [("sin", 0)]

    @property
    def operations(self) -> dict[str, int]:
        total: dict[str, int] = {"trig": self.tree.nq}
        for p in self.passes:
            for j, kind in enumerate(self.kinds):
                for op, n in self.programs[p.name, j].operations.items():
                    total[op] = total.get(op, 0) + n * len(kind.members)
        return total

    @property
    def stamp(self) -> str:
        words = [p.stamp for p in self.programs.values()]
        return hashlib.sha256(repr((self.name, words, self._tables())).encode()).hexdigest()

    # tables ------------------------------------------------------------------------------
    def _tables(self) -> dict[str, list]:
        links, index = self.tree.links, {i: j for j, k in enumerate(self.kinds) for i in k.members}
        stride = max((len(k.slots) for k in self.kinds), default=0)
        constants = []
        for link in links:
            kind = self.kinds[index[link.index]]
            values = [float(x) for i, x in enumerate(steps.numbers(link)) if i in set(kind.slots)]
            constants += values + [0.0] * (stride - len(values))
        return {
            "parent": [k.parent for k in links],
            "qs": [k.q.start for k in links],
            "vs": [k.v.start for k in links],
            "kind": [index[k.index] for k in links],
            "const": constants or [0.0],
            "turn": [float(x) for d in self.offsets for x in turn(d)] or [0.0],
            "start": [float(x) for x in self.start],
            "nv": [k.joint.nv for k in links],
            "armature": [float(x) for k in links for x in k.armature],
        }

    def module(self, lanes: int, fused: bool) -> str:
        """IR with `@thunk`, `@kernel` and `@gufunc`."""
        parts = Text(self, lanes, fused).parts("thunk")
        return "\n".join([*parts, entry_points(self), packed(self)])


# where a pass reads the world's acceleration, minus gravity: buffer and first entry
_UPWARDS = {("inverse_dynamics", "out"): ("state", 6), ("forward_dynamics", "forward"): ("V", 3)}
_PLANS: dict[str, tuple[tuple[steps.Pass, ...], steps.Widths]] = {
    "inverse_dynamics": (steps.INVERSE, steps.INVERSE_WIDTHS),
    "forward_dynamics": (steps.FORWARD, steps.FORWARD_WIDTHS),
    "mass_matrix": (steps.COMPOSITE, steps.COMPOSITE_WIDTHS),
}


def make(system, name: str) -> Rolled:
    """The loop of a quantity, from the same lean tree as straight-line kernels."""
    from .angles import Trigonometry
    from .scene import Scene

    scene = Scene(system, Trigonometry())
    start = [-float(g) for g in np.array(scene.tree.gravity, dtype=float)]
    return Rolled(name, scene.lean, scene.frames.offsets, start)
