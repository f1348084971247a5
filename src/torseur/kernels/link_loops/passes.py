"""Recursion passes over a tree: the step of each link class as a small program.

A mechanism of many links has few classes of links.  Each class has one template whose numbers are
symbols (exact zeros and ones stay constants).  The formalism's `out` and `back` are traced on it
once, and `kernel` loops over the links.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ...formalisms import articulated_body, newton_euler
from ...scalars import Node, vector
from ...spatial import (
    NO_SCREWS,
    GeneralRotation,
    Inertia,
    Momentum,
    PlanarRotation,
    Pose,
    RightAngleRotation,
    Twist,
    Wrench,
    six,
    symmetric,
)
from ...system import Link
from .. import thresholds
from ..graph_trigonometry import TrigonometricGraph, normalize_quaternion
from .parameters import joint_symbols


@dataclass(frozen=True)
class LinkClass:
    """Links that differ in numbers alone: a template, and the slots of each link's numbers."""

    K: TrigonometricGraph
    link: Link
    members: tuple[int, ...]  # indices of links
    slots: tuple[int, ...]  # which of a link's numbers are symbols
    symbols: np.ndarray  # those symbols


def rotation_numbers(t) -> tuple:
    if isinstance(t, PlanarRotation):
        return t.c, t.s
    return () if isinstance(t, RightAngleRotation) else tuple(t.matrix.ravel())


def link_numbers(link, K: Any) -> list:
    """Numbers of a link in a fixed order: rotation, position, inertia, armature, joint symbols."""
    out = [x for t in link.X_PF.turns for x in rotation_numbers(t)]
    joint_values = [K.parameter(n) for n in joint_symbols(link.joint)]
    return [*out, *link.X_PF.p, *link.inertia.parameters(), *link.armature, *joint_values]


def link_structure(link) -> tuple:
    def shape(t):
        if isinstance(t, PlanarRotation):
            return ("planar", t.axis)
        return (
            ("quarter", tuple(t.matrix.ravel()))
            if isinstance(t, RightAngleRotation)
            else ("general",)
        )

    return (repr(link.joint), tuple(map(shape, link.X_PF.turns)))


def exact_unit(x) -> int | None:
    return int(x) if not isinstance(x, Node) and x in (-1, 0, 1) else None


def link_classes(tree) -> list[LinkClass]:
    """Classes of the links of a tree, told apart by exact zeros and ones while they are few."""
    fine: dict[tuple, list] = {}
    coarse: dict[tuple, list] = {}
    for k in tree.links:
        shape = link_structure(k)
        fine.setdefault((shape, tuple(map(exact_unit, link_numbers(k, tree.K)))), []).append(k)
        coarse.setdefault(shape, []).append(k)
    groups = fine if len(fine) <= thresholds.MAX_LINK_CLASSES else coarse
    return [_build_class(members, tree.K) for members in groups.values()]


def _build_class(members, K_of_tree) -> LinkClass:
    """The class of some links: numbers that differ become symbols."""
    K, first = TrigonometricGraph(), members[0]
    columns = list(zip(*(link_numbers(k, K_of_tree) for k in members), strict=True))
    is_equal = (len({*map(exact_unit, c)}) == 1 for c in columns)
    equal = [exact_unit(c[0]) if x else None for c, x in zip(columns, is_equal, strict=True)]
    slots = tuple(i for i, x in enumerate(equal) if x is None)
    symbols = K.symbols(f"c{i}" for i in slots)
    entries = list(equal)
    for i, node in zip(slots, symbols, strict=True):
        entries[i] = node
    supply = iter(entries)
    turns = tuple(
        PlanarRotation(t.axis, next(supply), next(supply))
        if isinstance(t, PlanarRotation)
        else t
        if isinstance(t, RightAngleRotation)
        else GeneralRotation(vector(next(supply) for _ in range(9)).reshape(3, 3))
        for t in first.X_PF.turns
    )
    p = vector(next(supply) for _ in range(3))
    inertia = Inertia.of_parameters([next(supply) for _ in range(10)])
    armature = vector(next(supply) for _ in first.armature)
    K.parameters.update(zip(joint_symbols(first.joint), supply, strict=True))
    link = replace(first, X_PF=Pose(turns, p), inertia=inertia, armature=armature, parent=1)
    return LinkClass(K, link, tuple(k.index for k in members), slots, symbols)


class Slot(NamedTuple):
    """An argument of a step: a buffer, and by what it is indexed (link, parent, q, v, whole)."""

    buffer: str
    by: str
    add: bool = False  # results only: add to what is there


@dataclass(frozen=True)
class Pass:
    """One loop over the links: its step for each kind, and the buffers it reads and writes."""

    outward: bool
    inputs: tuple[Slot, ...]
    outputs: tuple[Slot, ...]
    formula: Callable  # (kind, arrays of the inputs) -> arrays of the outputs
    name: str


Widths = dict[str, int | Callable[[int], int]]  # of buffers; some grow with a joint's speeds
Live = dict[str, list[int]]  # what buffers hold of the numbers of a link, in order


def trace_pass(kind: LinkClass, step: Pass, widths: dict[str, int], live: Live):
    """Arguments and results of a step for one class, in a graph; entries not live are 0."""
    K, joint = kind.K, kind.link.joint
    symbols, arrays = {}, []
    for port in step.inputs:
        n = joint.nq if port.by == "q" else joint.nv if port.by == "v" else widths[port.buffer]
        entries = live.get(port.buffer, range(n))
        symbols[port] = K.symbols(f"{port.buffer}_{port.by}_{i}" for i in entries)
        supply = dict(zip(entries, symbols[port], strict=True))
        arrays.append(vector(supply.get(i, 0) for i in range(n)))
    q, c, s = (symbols.get(Slot(name, "q"), ()) for name in ("q", "cos", "sin"))
    K.known = {id(x): (x, c[i], s[i]) for i, x in enumerate(q)} if len(c) else {}
    results = step.formula(kind, *arrays)
    columns = [K.sx(kind.symbols), *(K.sx(x) for x in symbols.values())]
    return columns, [K.lib.densify(K.sx(vector(x))) for x in results]


def pass_function(kind: LinkClass, step: Pass, widths: dict[str, int], live: Live):
    """The `casadi.Function` of a step for one class."""
    columns, results = trace_pass(kind, step, widths, live)
    for k, port in enumerate(step.outputs):
        if port.buffer in live:
            results[k] = results[k][[i for i in live[port.buffer] if i < results[k].numel()]]
    return kind.K.lib.Function(step.name, columns, results)


def find_live_entries(
    kinds: list[LinkClass], passes: tuple[Pass, ...], widths: dict[str, int], base_entries: Live
) -> Live:
    """Live entries of the links' buffers: nonzero somewhere, and used by some result.

    Steps are propagated forwards until no more entries become nonzero, then backwards until no more
    are used.  A mechanism in a plane keeps three entries of every twist, whatever its length.
    """
    live = {
        p.buffer: sorted(base_entries.get(p.buffer, ()))
        for step in passes
        for p in step.outputs
        if p.by in ("link", "parent")
    }
    size = -1
    while size < (size := sum(map(len, live.values()))):
        for step, kind in product(passes, kinds):
            for port, x in zip(step.outputs, trace_pass(kind, step, widths, live)[1], strict=True):
                if port.buffer in live:
                    nonzero = {i for i in range(x.numel()) if not x[i].is_zero()}
                    live[port.buffer] = sorted(nonzero.union(live[port.buffer]))
    needed: dict[str, set[int]] = {buffer: set() for buffer in live}
    traces = [
        (kind, step, *trace_pass(kind, step, widths, live)) for step, kind in product(passes, kinds)
    ]
    final = {p.buffer for step in passes for p in step.outputs} - {
        p.buffer for step in passes for p in step.inputs
    }
    for buffer in final & needed.keys():
        needed[buffer] = set(live[buffer])
    size = -1
    while size < (size := sum(map(len, needed.values()))):
        for kind, step, columns, results in traces:
            results_needed = kind.K.lib.vertcat(
                *(
                    x[[i for i in range(x.numel()) if i in needed.get(p.buffer, range(x.numel()))]]
                    for p, x in zip(step.outputs, results, strict=True)
                )
            )
            for port, x in zip(step.inputs, columns[1:], strict=True):
                if port.buffer in needed:
                    rows = kind.K.lib.jacobian_sparsity(results_needed, x).get_col()
                    needed[port.buffer].update(live[port.buffer][i] for i in set(rows))
    return {buffer: sorted(x) for buffer, x in needed.items()}


ANGLES = (Slot("q", "q"), Slot("cos", "q"), Slot("sin", "q"))


def _pose(kind, q) -> Pose:
    return kind.link.X_PF @ kind.link.joint.pose(kind.K, q)


# inverse dynamics ------------------------------------------------------------------------------
def newton_euler_motion(x) -> newton_euler.LinkMotion:
    return newton_euler.LinkMotion(
        Pose(), NO_SCREWS, x[:3], vector(x[9:18]).reshape(3, 3), x[3:6], x[6:9], Wrench()
    )


def _ne_out(kind, up, q, _c, _s, v, a):
    m = newton_euler.out(kind.K, kind.link, newton_euler_motion(up), q, v, a)
    return (*m.w, *m.dw, *m.a, *m.U.ravel()), m.F.array


def _ne_back(kind, q, _c, _s, F, a):
    none: Any = None  # nothing of the motion is asked for on the way back
    S = kind.link.joint.subspace(kind.K, q)
    moving = newton_euler.LinkMotion(_pose(kind, q), S, none, none, none, none, none)
    tau, carried = newton_euler.back(kind.K, kind.link, moving, Wrench.of(F), a)
    return tau, carried.array


INVERSE = (
    Pass(
        True,
        (Slot("state", "parent"), *ANGLES, Slot("v", "v"), Slot("a", "v")),
        (Slot("state", "link"), Slot("F", "link")),
        _ne_out,
        "out",
    ),
    Pass(
        False,
        (*ANGLES, Slot("F", "link"), Slot("a", "v")),
        (Slot("tau", "v"), Slot("F", "parent", True)),
        _ne_back,
        "back",
    ),
)
INVERSE_WIDTHS: Widths = {"state": 18, "F": 6}


# forward dynamics ------------------------------------------------------------------------------
def _ab_out(kind, up, q, _c, _s, v):
    none: Any = None  # of the parent, its twist alone
    parent = articulated_body.LinkVelocity(Pose(), none, Twist.of(up), none, none)
    m = articulated_body.out(kind.K, kind.link, parent, normalize_quaternion(kind, q), v)
    I = articulated_body.body_inertia(kind.link.inertia, m.p)
    return m.V.array, m.c.array, _pack(I)


def _pack(I) -> np.ndarray:
    return np.concatenate([six(I.A), I.B.ravel(), six(I.C), I.p.array])


def _unpack(x):
    return articulated_body.ArticulatedInertia(
        symmetric(x[:6]), vector(x[6:15]).reshape(3, 3), symmetric(x[15:21]), Wrench.of(x[21:27])
    )


def _ab_back(kind, q, _c, _s, c, I, tau):
    """Articulated inertia of a link on its parent."""
    nv, q = kind.link.joint.nv, normalize_quaternion(kind, q)
    none: Any = None
    moving = articulated_body.LinkVelocity(
        _pose(kind, q), kind.link.joint.subspace(kind.K, q), none, Twist.of(c), none
    )
    r, carried = articulated_body.back(kind.K, kind.link, moving, _unpack(I), tau)
    assert carried is not None and r.U.shape == (6, nv)
    return (*r.U.ravel(), *r.Dinv.ravel(), *r.u), _pack(carried)


def _ab_forward(kind, up, q, _c, _s, c, reduced):
    nv, q = kind.link.joint.nv, normalize_quaternion(kind, q)
    U, Dinv = reduced[: 6 * nv].reshape(6, nv), reduced[6 * nv : 6 * nv + nv * nv].reshape(nv, nv)
    u = reduced[6 * nv + nv * nv : 6 * nv + nv * nv + nv]
    A = _pose(kind, q).pull_twist(Twist.of(up)) + Twist.of(c)
    a = Dinv @ (u - U.T @ A.array)
    return (A + Twist.of(kind.link.joint.subspace(kind.K, q) @ a)).array, a


FORWARD = (
    Pass(
        True,
        (Slot("V", "parent"), *ANGLES, Slot("v", "v")),
        (Slot("V", "link"), Slot("c", "link"), Slot("I", "link")),
        _ab_out,
        "out",
    ),
    Pass(
        False,
        (*ANGLES, Slot("c", "link"), Slot("I", "link"), Slot("tau", "v")),
        (Slot("R", "link"), Slot("I", "parent", True)),
        _ab_back,
        "back",
    ),
    Pass(
        True,
        (Slot("V", "parent"), *ANGLES, Slot("c", "link"), Slot("R", "link")),
        (Slot("V", "link"), Slot("a", "v")),
        _ab_forward,
        "forward",
    ),
)
FORWARD_WIDTHS: Widths = {
    "V": 6,
    "c": 6,
    "I": 27,
    "R": lambda nv: nv * (7 + nv),
}


def _ab_carry(kind, q, _c, _s, A, I):
    joint = kind.link.joint
    if not joint.rheonomic:
        return ((0,),)
    I = _unpack(I)
    F = I.times(A) + I.p.array
    return ((F @ joint.drift(kind.K, normalize_quaternion(kind, q)),),)  # RP.5


CARRY = Pass(
    True,
    (*ANGLES, Slot("V", "link"), Slot("I", "link")),
    (Slot("supply", "whole", True),),
    _ab_carry,
    "carry",
)
"""Power that placements supply which time moves, after the accelerations."""


# rates of coordinates --------------------------------------------------------------------------
def _rates(kind, q, _c, _s, v):
    return (kind.link.joint.rates(kind.K, q, v),)


RATES = Pass(True, (*ANGLES, Slot("v", "v")), (Slot("qdot", "q"),), _rates, "rates")


# mass matrix -----------------------------------------------------------------------------------
def _cb_start(kind):
    return (kind.link.inertia.parameters(),)


def _cb_back(kind, q, _c, _s, I):
    return (Inertia.of_parameters(I).moved(_pose(kind, q)).parameters(),)


def _cb_column(kind, q, _c, _s, I):
    S = kind.link.joint.subspace(kind.K, q)
    inertia = Inertia.of_parameters(I)
    return ([x for s in S.T for x in (inertia @ Twist.of(s)).array],)


def _cb_up(kind, q, _c, _s, h):
    return (_pose(kind, q).push_momentum(Momentum.of(h)).array,)


def _cb_entry(kind, q, _c, _s, h):
    return (kind.link.joint.subspace(kind.K, q).T @ h,)


COMPOSITE = (
    Pass(True, (), (Slot("I", "link"),), _cb_start, "start"),
    Pass(False, (*ANGLES, Slot("I", "link")), (Slot("I", "parent", True),), _cb_back, "back"),
    Pass(True, (*ANGLES, Slot("I", "link")), (Slot("H", "link"),), _cb_column, "column"),
)
ENTRY = Pass(True, (*ANGLES, Slot("h", "here")), (Slot("e", "here"),), _cb_entry, "entry")
UP = Pass(True, (*ANGLES, Slot("h", "here")), (Slot("h2", "here"),), _cb_up, "up")
COMPOSITE_WIDTHS: Widths = {
    "I": 10,
    "H": lambda nv: 6 * nv,
    "h": 6,
    "h2": 6,
    "e": 6,
}
