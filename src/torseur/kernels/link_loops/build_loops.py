"""Kernels of long trees as loops over links: each recursion step is compiled once a link class.

Compile time and code size do not grow with the number of links.  Only tables do.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...compiler import LinkLoopWriter, Port as Shape, Program, entry_points, packed, read
from ...scalars import Node, vector
from ..graph_trigonometry import exact_cos_sin
from . import implicit_solve, passes as steps
from .force_loops import ElementLoops
from .parameters import LinkNumbers, LinkSymbols, has_link_expressions, pad_rows

if TYPE_CHECKING:
    from ...system import System


@dataclass(frozen=True)
class LoopPlan:
    """The loops of one kernel, its ports and its buffers."""

    passes: tuple[steps.Pass, ...]
    widths: steps.Widths
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    upwards: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    """Buffer and first entry where a pass reads the acceleration of the base, minus gravity."""
    aliases: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Columns of steps that are part of a port: the port, and the size of the part before them."""
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


class ReducedTree(NamedTuple):
    """The reduced tree, offsets of its angles, acceleration of the base, symbols of expressions."""

    tree: Any
    offsets: Any
    start: list
    inputs: LinkSymbols | None = None

    @property
    def gravity_axes(self) -> list[int]:
        """Axes along which the base accelerates against gravity."""
        return [i for i, g in enumerate(self.start) if isinstance(g, Node) or g]


class LinkLoopProgram:
    """The program of a kernel that is a loop over links, as `Kernel` reads it."""

    def __init__(
        self,
        plan: LoopPlan,
        reduced: ReducedTree,
        sizes: Mapping[str, tuple[int, ...]],
        elements: ElementLoops | None = None,
        live: steps.Live | None = None,
        first_energy: int = 0,
    ):
        tree = reduced.tree
        self.plan, self.tree, self.elements = plan, tree, elements
        self.offsets, self.passes = reduced.offsets, plan.passes
        self.kinds = steps.link_classes(tree)
        max_speeds = max(k.joint.nv for k in tree.links)
        max_widths = {b: w(max_speeds) if callable(w) else w for b, w in plan.widths.items()}
        self.start = reduced.start
        self.sizes = {"": 0, "nq": tree.nq, "nv": tree.nv, "nq + nv": tree.nq + tree.nv}
        self.sizes["given"] = first_energy + 1  # in zdot
        world = {b: [at + i for i in reduced.gravity_axes] for b, at in plan.upwards.values()}
        self.live = live or steps.find_live_entries(self.kinds, self.passes, max_widths, world)
        self.live.pop("H", None)  # read as a whole, column by column
        self.widths = {b: len(self.live[b]) if b in self.live else w for b, w in max_widths.items()}
        self.count = len(tree.links)
        shapes = {
            "q": (tree.nq,),
            "qdot": (tree.nq,),
            "M": (tree.nv, tree.nv),
            "W": (self.kept_size,),
            **dict.fromkeys(("v", "a", "tau", "vdot"), (tree.nv,)),
        } | dict(sizes)
        self.inputs = tuple(Shape(b, shapes[b]) for b in plan.inputs)
        self.outputs = tuple(Shape(b, shapes[b]) for b in plan.outputs)
        self.looped = "M" in plan.outputs
        mass_matrix_passes = (steps.ENTRY, steps.UP) if self.looped else ()
        self.programs: dict[tuple[str, int], Program] = {
            (p.name, j): read(steps.pass_function(kind, p, max_widths, self.live))
            for p in (*self.passes, *mass_matrix_passes)
            for j, kind in enumerate(self.kinds)
        }
        self.apart = dict(self.elements.programs) if self.elements else {}
        self._split_constants(reduced.inputs)
        all_programs = (*self.programs.values(), *self.apart.values())
        self.nodes = [node for p in all_programs for node in p.nodes]
        self.nodes += [("sin", 0)] * plan.turns

    @property
    def kept_size(self) -> int:
        """Numbers of the port W."""
        links = sum(self.widths[b] for b in self.plan.kept) * (self.count + 1)
        return links + (self.elements.own if self.elements else 0)

    @property
    def operations(self) -> dict[str, int]:
        """Counts of operations of one evaluation."""
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
        parts: list = [p.stamp for p in self.programs.values()]
        parts += [self.plan.outputs, self._tables(), self.elements and self.elements.stamp]
        parts += [repr(self.start), self.made and self.apart[LinkNumbers.name].stamp]
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    # tables ------------------------------------------------------------------------------
    def _split_constants(self, inputs: LinkSymbols | None) -> None:
        """Split the numbers of all links into constants and expressions."""
        links, K = self.tree.links, self.tree.K
        self.index = {i: j for j, k in enumerate(self.kinds) for i in k.members}
        symbol_slots = [set(k.slots) for k in self.kinds]
        self.stride = max(map(len, symbol_slots), default=0)
        rows = (
            [
                x
                for i, x in enumerate(steps.link_numbers(k, K))
                if i in symbol_slots[self.index[k.index]]
            ]
            for k in links
        )
        numbers = LinkNumbers(K, inputs or LinkSymbols((), ()))
        self.constants, self.fill = numbers.split(pad_rows(rows, self.stride))
        self.rising = [numbers.index(x) for x in self.start]  # the world's acceleration
        self.made = len(numbers) if "p" in self.plan.inputs else 0
        if self.made:
            self.apart[numbers.name] = numbers.program

    def _tables(self) -> dict[str, list]:
        """Tables of the loops: parents, slots, classes and constants of links."""
        links, index = self.tree.links, self.index
        return {
            "parent": [k.parent for k in links],
            "qs": [k.q.start for k in links],
            "vs": [k.v.start for k in links],
            "kind": [index[k.index] for k in links],
            "const": self.constants or [0.0],
            **({"fill": self.fill} if self.made and self.fill else {}),
            "turn": [float(x) for d in self.offsets for x in exact_cos_sin(d)] or [0.0],
            "nv": [k.joint.nv for k in links],
            "armature": [
                0.0 if isinstance(x, Node) else float(x) for k in links for x in k.armature
            ],
        }

    def module(self, lanes: int, fused: bool) -> str:
        """IR with `@thunk`, `@kernel` and `@gufunc`."""
        parts = LinkLoopWriter(
            self, lanes, fused, entry=steps.ENTRY, up=steps.UP, column=LinkNumbers.name
        ).parts("thunk")
        return "\n".join([*parts, entry_points(self), packed(self)])


def reduce_tree(system: System, keeps_expressions: bool = False) -> ReducedTree:
    """The tree that loops go over.

    With `keeps_expressions` numbers of links that depend on parameters or the time are not
    regrouped: each would depend on those of all links after it.
    """
    from ...dynamics import base_inertias, frame_selection
    from ...quantities import SymbolicSystem
    from ..graph_trigonometry import TrigonometricGraph

    if keeps_expressions:
        scene = SymbolicSystem(system, TrigonometricGraph(), tuple(system.parameters))
        start = [-g for g in scene.tree.gravity]
        inputs = LinkSymbols(scene["t"], scene["p"] if system.parameters else vector(()))
        return ReducedTree(scene.tree, (0,) * system.nq, start, inputs)
    frames = frame_selection.select_frames(system.over(TrigonometricGraph()))
    start = [-float(g) for g in np.array(frames.tree.gravity, dtype=float)]
    return ReducedTree(base_inertias.regroup_inertias(frames.tree), frames.offsets, start)


def build_quantity_loop(system: System, name: str) -> LinkLoopProgram:
    """The loop of a quantity, from the same lean tree as straight-line kernels."""
    return LinkLoopProgram(_PLANS[name], reduce_tree(system), {})


def build_implicit_loops(system: System, element_classes) -> dict[str, LinkLoopProgram]:
    """The two kernels of the linear equation of an implicit step.  They share the layout of W."""
    from .implicit_solve import CondensedElements

    reduced, passes = (
        reduce_tree(system, has_link_expressions(system)),
        [_PLANS[n].passes for n in ("fold", "unfold")],
    )
    tree = reduced.tree
    max_speeds = max(k.joint.nv for k in tree.links)
    max_widths = {b: w(max_speeds) if callable(w) else w for b, w in implicit_solve.WIDTHS.items()}
    world = {"state": [6 + i for i in reduced.gravity_axes]}
    live = steps.find_live_entries(
        steps.link_classes(tree), (*passes[0], *passes[1]), max_widths, world
    )
    n = system.nq + system.nv + len(system.layout.z)
    sizes = port_shapes(system) | {"s": (3,), "r": (n,), "x": (n,)}
    return {
        name: LinkLoopProgram(
            _PLANS[name],
            reduced,
            sizes,
            CondensedElements(system, element_classes, name == "unfold"),
            dict(live),
        )
        for name in ("fold", "unfold")
    }


def port_shapes(system: System) -> dict[str, tuple[int, ...]]:
    layout = system.layout
    sizes: dict[str, tuple[int, ...]] = {
        x: (len(getattr(layout, x)),) for x in ("z", "m", "u", "p")
    }
    return sizes | {"t": (), "zdot": sizes["z"]}


def build_flow_loop(system: System) -> LinkLoopProgram:
    """The flow of a long tree: loops over its elements and over its links."""
    layout = system.layout
    name = "carried flow" if system.rheonomic and layout.has_energies else "flow"
    reduced, elements = reduce_tree(system, has_link_expressions(system)), ElementLoops(system)
    return LinkLoopProgram(
        _PLANS[name], reduced, port_shapes(system), elements, first_energy=layout.books.start
    )
