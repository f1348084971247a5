"""Kernels of long mechanisms: each step compiled once for a joint kind, and looped over links.

Compile time and code size do not grow with the number of links; only tables do.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from ...compiler import Port as Shape, Program, Text, entry_points, packed, read
from ...scalars import Node, vector
from ..graph_trigonometry import turn
from . import implicit_solve, passes as steps
from .force_loops import ElementLoops
from .parameters import LinkNumbers, Makers, flattened, made


@dataclass(frozen=True)
class LoopPlan:
    """The loops of one kernel, its ports, and what its buffers are."""

    passes: tuple[steps.Pass, ...]
    widths: steps.Widths
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    upwards: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    """Where a pass reads the world's acceleration, minus gravity: buffer and first entry."""
    aliases: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Columns of steps that are part of a port: the port, and what comes before them there."""
    rooms: tuple[str, ...] = ()  # columns of steps with one number a speed, in the kernel's memory
    cleared: tuple[str, ...] = ()  # buffers, rooms and ports that start at zero
    kept: tuple[str, ...] = ()  # buffers of links that live in the port W
    turns: bool = True  # whether steps read sines and cosines


_PLANS: dict[str, LoopPlan] = {
    "inverse_dynamics": LoopPlan(
        steps.INVERSE, steps.INVERSE_WIDTHS, ("q", "v", "a"), ("tau",), {"out": ("state", 6)}
    ),
    "forward_dynamics": LoopPlan(
        steps.FORWARD, steps.FORWARD_WIDTHS, ("q", "v", "tau"), ("a",), {"forward": ("V", 3)}
    ),
    "mass_matrix": LoopPlan(steps.COMPOSITE, steps.COMPOSITE_WIDTHS, ("q",), ("M",)),
    "fold": LoopPlan(
        implicit_solve.FOLD,
        implicit_solve.WIDTHS,
        ("t", "q", "v", "z", "m", "u", "p", "a", "s"),
        ("W",),
        {"out": ("state", 6)},
        rooms=("gq", "gv"),
        cleared=("gq", "gv"),
        kept=("R",),
    ),
    "unfold": LoopPlan(
        implicit_solve.SOLVE,
        implicit_solve.WIDTHS,
        ("W", "r", "s"),
        ("x",),
        aliases={
            "rq": ("r", ""),
            "rv": ("r", "nq"),
            "rz": ("r", "nq + nv"),
            "kq": ("x", ""),
            "kv": ("x", "nq"),
            "kz": ("x", "nq + nv"),
        },
        rooms=("Q", "reduced"),
        cleared=("Q", "phi", "x"),
        kept=("R",),
        turns=False,
    ),
    "flow": LoopPlan(
        (*steps.FORWARD, steps.RATES),
        steps.FORWARD_WIDTHS,
        ("t", "q", "v", "z", "m", "u", "p"),
        ("qdot", "vdot", "zdot"),
        {"forward": ("V", 3)},
        aliases={"a": ("vdot", "")},
        rooms=("tau",),
        cleared=("tau", "zdot"),
    ),
}
_FLOW = _PLANS["flow"]
_PLANS["carried flow"] = replace(
    _FLOW,
    passes=(*steps.FORWARD, steps.CARRY, steps.RATES),
    widths={**_FLOW.widths, "supply": 1},
    aliases={**_FLOW.aliases, "supply": ("zdot", "given")},
)


class Lean(NamedTuple):
    """The tree of straight-line kernels, offsets of its angles, the world's acceleration, and what
    numbers of its links are made of, where those are not known."""

    tree: Any
    offsets: Any
    start: list
    given: Makers | None = None

    @property
    def rises(self) -> list[int]:
        """Along which axes the world accelerates."""
        return [i for i, g in enumerate(self.start) if isinstance(g, Node) or g]


class Rolled:
    """What a `Kernel` needs of a program, for one that is a loop over links."""

    def __init__(
        self,
        plan: LoopPlan,
        over: Lean,
        sizes: Mapping[str, tuple[int, ...]],
        elements: ElementLoops | None = None,
        live: steps.Live | None = None,
        books: int = 0,
    ):
        tree = over.tree
        self.plan, self.tree, self.elements = plan, tree, elements
        self.offsets, self.passes = over.offsets, plan.passes
        self.kinds = steps.kinds(tree)
        most = max(k.joint.nv for k in tree.links)
        whole = {b: w(most) if callable(w) else w for b, w in plan.widths.items()}
        self.start = over.start
        self.sizes = {"": 0, "nq": tree.nq, "nv": tree.nv, "nq + nv": tree.nq + tree.nv}
        self.sizes["given"] = books + 1  # in zdot
        world = {b: [at + i for i in over.rises] for b, at in plan.upwards.values()}
        self.live = live or steps.alive(self.kinds, self.passes, whole, world)
        self.live.pop("H", None)  # read as a whole, column by column
        self.widths = {b: len(self.live[b]) if b in self.live else w for b, w in whole.items()}
        self.count = len(tree.links)
        own = {
            "q": (tree.nq,),
            "qdot": (tree.nq,),
            "M": (tree.nv, tree.nv),
            "W": (self.kept_size,),
            **dict.fromkeys(("v", "a", "tau", "vdot"), (tree.nv,)),
        } | dict(sizes)
        self.inputs = tuple(Shape(b, own[b]) for b in plan.inputs)
        self.outputs = tuple(Shape(b, own[b]) for b in plan.outputs)
        self.looped = "M" in plan.outputs
        extra = (steps.ENTRY, steps.UP) if self.looped else ()
        self.programs: dict[tuple[str, int], Program] = {
            (p.name, j): read(steps.function(kind, p, whole, self.live))
            for p in (*self.passes, *extra)
            for j, kind in enumerate(self.kinds)
        }
        self.apart = dict(self.elements.programs) if self.elements else {}
        self._constants(over.given)
        every = (*self.programs.values(), *self.apart.values())
        self.nodes = [node for p in every for node in p.nodes]
        self.nodes += [("sin", 0)] * plan.turns

    @property
    def kept_size(self) -> int:
        """Numbers of the port W."""
        links = sum(self.widths[b] for b in self.plan.kept) * (self.count + 1)
        return links + (self.elements.own if self.elements else 0)

    @property
    def operations(self) -> dict[str, int]:
        total = Counter({"trig": self.tree.nq} if self.plan.turns else {})
        for p in self.passes:
            for j, kind in enumerate(self.kinds):
                for op, n in self.programs[p.name, j].operations.items():
                    total[op] += n * len(kind.members)
        if self.elements:
            total += self.elements.operations
        if self.made:
            total += Counter(self.apart[LinkNumbers.name].operations)
        return dict(total)

    @property
    def stamp(self) -> str:
        words: list = [p.stamp for p in self.programs.values()]
        words += [self.plan.outputs, self._tables(), self.elements and self.elements.stamp]
        words += [repr(self.start), self.made and self.apart[LinkNumbers.name].stamp]
        return hashlib.sha256(repr(words).encode()).hexdigest()

    # tables ------------------------------------------------------------------------------
    def _constants(self, given: Makers | None) -> None:
        """Numbers of all links; and those among them that the kernel makes when it is called."""
        links, K = self.tree.links, self.tree.K
        self.index = {i: j for j, k in enumerate(self.kinds) for i in k.members}
        kept = [set(k.slots) for k in self.kinds]
        self.stride = max(map(len, kept), default=0)
        rows = (
            [x for i, x in enumerate(steps.numbers(k, K)) if i in kept[self.index[k.index]]]
            for k in links
        )
        own = LinkNumbers(K, given or Makers((), ()))
        self.constants, self.fill = own.split(flattened(rows, self.stride))
        self.rising = [own.place(x) for x in self.start]  # the world's acceleration
        self.made = len(own) if "p" in self.plan.inputs else 0
        if self.made:
            self.apart[own.name] = own.program

    def _tables(self) -> dict[str, list]:
        links, index = self.tree.links, self.index
        return {
            "parent": [k.parent for k in links],
            "qs": [k.q.start for k in links],
            "vs": [k.v.start for k in links],
            "kind": [index[k.index] for k in links],
            "const": self.constants or [0.0],
            **({"fill": self.fill} if self.made and self.fill else {}),
            "turn": [float(x) for d in self.offsets for x in turn(d)] or [0.0],
            "nv": [k.joint.nv for k in links],
            "armature": [
                0.0 if isinstance(x, Node) else float(x) for k in links for x in k.armature
            ],
        }

    def module(self, lanes: int, fused: bool) -> str:
        """IR with `@thunk`, `@kernel` and `@gufunc`."""
        parts = Text(
            self, lanes, fused, entry=steps.ENTRY, up=steps.UP, column=LinkNumbers.name
        ).parts("thunk")
        return "\n".join([*parts, entry_points(self), packed(self)])


def lean(system, late: bool = False) -> Lean:
    """What loops go over, of a system.

    Where numbers of links are made `late`, of parameters or the time, they stay as they are:
    regrouped, each would depend on those of all links after it.
    """
    from ...dynamics import base_inertias, frame_selection
    from ...quantities import Scene
    from ..graph_trigonometry import Trigonometry

    if late:
        scene = Scene(system, Trigonometry(), tuple(system.parameters))
        start = [-g for g in scene.tree.gravity]
        given = Makers(scene["t"], scene["p"] if system.parameters else vector(()))
        return Lean(scene.tree, (0,) * system.nq, start, given)
    frames = frame_selection.reframed(system.over(Trigonometry()))
    start = [-float(g) for g in np.array(frames.tree.gravity, dtype=float)]
    return Lean(base_inertias.regrouped(frames.tree), frames.offsets, start)


def build_quantity_loop(system, name: str) -> Rolled:
    """The loop of a quantity, from the same lean tree as straight-line kernels."""
    return Rolled(_PLANS[name], lean(system), {})


def build_implicit_loops(system, classes) -> dict[str, Rolled]:
    """The two kernels of the linear equation of an implicit step, which share a layout of W."""
    from .implicit_solve import FoldedElements

    over, every = lean(system, made(system)), [_PLANS[n].passes for n in ("fold", "unfold")]
    tree = over.tree
    most = max(k.joint.nv for k in tree.links)
    whole = {b: w(most) if callable(w) else w for b, w in implicit_solve.WIDTHS.items()}
    world = {"state": [6 + i for i in over.rises]}
    live = steps.alive(steps.kinds(tree), (*every[0], *every[1]), whole, world)
    n = system.nq + system.nv + len(system.layout.z)
    sizes = _sizes(system) | {"s": (3,), "r": (n,), "x": (n,)}
    return {
        name: Rolled(
            _PLANS[name], over, sizes, FoldedElements(system, classes, name == "unfold"), dict(live)
        )
        for name in ("fold", "unfold")
    }


def _sizes(system) -> dict[str, tuple[int, ...]]:
    at = system.layout
    sizes: dict[str, tuple[int, ...]] = {x: (len(getattr(at, x)),) for x in ("z", "m", "u", "p")}
    return sizes | {"t": (), "zdot": sizes["z"]}


def build_flow_loop(system) -> Rolled:
    """The flow of a long tree: loops over its elements and over its links."""
    at = system.layout
    name = "carried flow" if system.rheonomic and at.keeps_books else "flow"
    over, elements = lean(system, made(system)), ElementLoops(system)
    return Rolled(_PLANS[name], over, _sizes(system), elements, books=at.books.start)
