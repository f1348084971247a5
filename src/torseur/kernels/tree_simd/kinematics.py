"""SIMD kinematics over the tree in common axes: the first stage.  Theory: DE.10, DE.13."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ...compiler import (
    AllLanes,
    ContiguousNumbers,
    LaneConstants,
    LaneRows,
    PackStage,
    Program,
    Straight,
)
from ...formalisms import composite_derivatives_common_axes as axes
from ...scalars import vector
from ...spatial import ONE3, ZERO3, GeneralRotation, Pose, Twist, none
from .. import thresholds
from .program import (
    ParameterLanes,
    StepWriter,
    array_program,
    group_links,
    lane_table,
    symbol_array,
)

if TYPE_CHECKING:
    from ...quantities import SymbolicSystem


class TreeSteps:
    """Stages of one system over its reduced tree.

    Each speed has a lane.  The first lane of a joint is also that of its link.
    """

    def __init__(self, scene: SymbolicSystem, lanes: int, coriolis: bool = True):
        self.s, self.K, self.tree = scene, scene.K, scene.reduced
        self.links, self.n = self.tree.links, scene.system.nv
        self.width, self.padded = lanes, -(-self.n // lanes) * lanes
        self.groups = group_links(self.links, min(thresholds.MAX_LINKS_PER_REGISTER, lanes))
        self.lanes = [(k, j) for k in self.links for j in range(k.joint.nv)]
        self.base = self.find_floating_base()
        self.base_lanes = 6 if self.base else 0  # lanes of the root that need no pairs
        self.has_compound_joints = any(k.joint.nv > 1 for k in self.links if k is not self.base)
        self.tables: dict[str, tuple] = {}
        self.parameter_lanes = ParameterLanes(self.K, scene["p"], self.padded)
        self.children: dict[int, list[int]] = {}
        for k in self.links:
            self.children.setdefault(k.parent, []).append(k.index)
        K = self.K
        self.m, self.r, self.p = (
            symbol_array(K, "m", 15),
            symbol_array(K, "r", 6),
            symbol_array(K, "p", 3),
        )
        self.R, self.V = self.m[:9].reshape(3, 3), Twist(self.m[9:12], self.m[12:15])
        self.coriolis, self.outside = coriolis, coriolis and bool(scene.wrenches)
        self.size = axes.LOAD_SIZES[coriolis] + axes.EXTERNAL_SIZE * self.outside
        self.load = symbol_array(K, "o", self.size)
        self.masses = {k.index: k.inertia.mass for k in self.links}
        for k in reversed(self.links):
            if k.parent:
                self.masses[k.parent] = self.masses[k.parent] + self.masses[k.index]

    # numbers of links --------------------------------------------------------------------
    def table(self, name: str, rows) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Rows of constants of all lanes: numbers or symbols, and the ports of those."""
        rows_of_lanes = lane_table(self.K, name, rows)
        if rows_of_lanes.constant_rows:
            self.tables[name] = rows_of_lanes.constant_rows
        self.parameter_lanes.store_rows(f"{name}_p", rows_of_lanes.expression_rows)
        return rows_of_lanes.values, {
            name: rows_of_lanes.constants,
            f"{name}_p": rows_of_lanes.expressions,
        }

    def constants(self, name: str, rows, links) -> tuple[np.ndarray, dict[str, tuple]]:
        """The same of a pack, and what goes in there."""
        rows_of_lanes = lane_table(self.K, name, rows)
        self.parameter_lanes.store_rows(
            f"{name}_p", rows_of_lanes.expression_rows, links[0].v.start
        )
        ins: dict[str, tuple] = {
            name: (rows_of_lanes.constants, LaneConstants(rows_of_lanes.constant_rows))
        }
        ins[f"{name}_p"] = (rows_of_lanes.expressions, LaneRows(f"{name}_p"))
        return rows_of_lanes.values, ins | {"p": (self.s["p"], AllLanes("p"))}

    def screws(self, k) -> list[np.ndarray]:
        """Columns of a joint's subspace, which are constant in its link."""
        return [*k.joint.subspace(self.K, self.s["q"][k.q]).T]

    def find_floating_base(self) -> Any:
        """The root link, if it is a free body that carries all others, with speeds in its axes."""
        k = self.links[0]
        if k.joint.nv != 6 or any(x.parent == 0 for x in self.links[1:]):
            return None
        numbers = [x for s in self.screws(k) for x in s]
        is_constant = all(isinstance(x, int | float) for x in numbers)
        is_unit = is_constant and numbers == np.eye(6).ravel().tolist()
        return k if is_unit and none(k.armature) else None

    def external_wrenches(self) -> dict[int, list[tuple[int, np.ndarray]]]:
        """External wrenches by link: index and point.  Those on the world are left out."""
        wrenches: dict[int, list[tuple[int, np.ndarray]]] = {}
        for i, name in enumerate(self.s.wrenches):
            frame = self.s.elementary.tree.place(name)
            if frame.link:
                x = (self.s.frames.frames[frame.link].inverse() @ frame.X_LB).p
                wrenches.setdefault(frame.link, []).append((i, x))
        return wrenches

    def add_children(self, W: StepWriter, links, total: np.ndarray, ins: dict) -> np.ndarray:
        """Sum of the numbers of links and those of all their children."""
        children = [self.children.get(k.index, []) for k in links]
        for r in range(max(map(len, children))):
            c = symbol_array(self.K, f"c{r}_", len(total))
            sources = [x[r] if r < len(x) else None for x in children]
            ins[f"child{r}"] = (c, W.pick("carried", "up", sources))
            total = total + c
        return total

    @staticmethod
    def trigonometric_coordinates(program: Program, links) -> set[int]:
        """Coordinates whose sines a program reads."""
        return {
            k.q.start + node[2]
            for node in program.nodes
            if node[0] == "input" and program.inputs[node[1]].name in ("cos", "sin")
            for k in links
        }

    # outward -----------------------------------------------------------------------------
    def trigonometry(self, coordinates: set[int]) -> Straight:
        """Cosines and sines of angles."""
        K, q = self.K, self.s["q"]
        x = self.s.reduced_coordinates(q)
        cosines, sines = (
            [f(y) if i in coordinates else 0 for i, y in enumerate(x)] for f in (K.cos, K.sin)
        )
        outs = {"cosines": cosines, "sines": sines}
        ins = {"q": q}
        if self.base and self.s.wrenches:
            k = self.base
            outs["attitude"] = (k.X_PF @ k.joint.pose(K, q[k.q])).R
            ins["p"] = self.s["p"]
        return Straight(array_program(K, "angles", ins, outs))

    def outward(self, has_accelerations: bool) -> Iterator[Straight | PackStage]:
        """Motion of links, with or without accelerations, then positions."""
        K, W, trigonometric = self.K, StepWriter(self.K), set()
        for links in self.groups:
            k = links[0]
            link, x, ins = self.fixed(links)
            v, a = symbol_array(K, "v", k.joint.nv), symbol_array(K, "a", k.joint.nv)
            ins["v"] = (v, ContiguousNumbers("v", k.v.start))
            ins["a"] = (a if has_accelerations else [], ContiguousNumbers("a", k.v.start))
            up = axes.at_rest(self.tree.gravity)
            if k.parent:
                m, r = symbol_array(K, "um", 15), symbol_array(K, "ur", 6)
                parents = [x.parent for x in links]
                ins["up"] = (m, W.pick("motion", "state", parents))
                ins["rate"] = (r, W.pick("motion", "rates", parents))
                up = up._replace(R=m[:9].reshape(3, 3), V=Twist(m[9:12], m[12:]), dw=r[:3], a=r[3:])
                if self.base and k.parent == self.base.index:
                    up = up._replace(R=ONE3)
            joint_motion = (x, v, a if has_accelerations else vector((0,) * k.joint.nv))
            if k is self.base:
                moving, down = axes.move_free_root(K, link, self.tree.gravity, *joint_motion)
            else:
                moving = axes.out(K, link, up, *joint_motion)
            outs = {
                "state": (vector([*moving.R.ravel(), *moving.V.array]), "moving"),
                "rates": (vector([*moving.dw, *moving.a]), "rates"),
                "step": (moving.d, "steps"),
            }
            if k is self.base and self.coriolis:
                outs["down"] = (down, "down")
            if self.has_compound_joints and self.coriolis:
                parent_motion = (
                    (moving.V, moving.A) if k.joint.nv == 1 else (moving.V_P, moving.A_P)
                )
                outs["behind"] = (vector([y for x in parent_motion for y in x.array]), "behind")
            W.append_links("motion", links, ins, outs, follows=True)
            trigonometric |= self.trigonometric_coordinates(W.packs[-1].program, links)
        self.places(W)
        yield self.trigonometry(trigonometric)
        yield PackStage(tuple(W.packs))

    def fixed(self, links) -> tuple[Any, np.ndarray, dict]:
        """A link that stands for all of a pack: what differs are symbols."""
        K, k, n = self.K, links[0], links[0].joint.nq
        q, cos, sin = (symbol_array(K, x, n) for x in ("q", "cos", "sin"))
        link, x, ins = self.standing("fixed", links, q, cos, sin)
        ins |= {
            "q": (q, ContiguousNumbers("q", k.q.start)),
            "cos": (cos, ContiguousNumbers("cosines", k.q.start)),
            "sin": (sin, ContiguousNumbers("sines", k.q.start)),
        }
        return link, x, ins

    def standing(self, name: str, links, q, cos, sin) -> tuple[Any, np.ndarray, dict]:
        """A link that stands for others, and its coordinates with their cosines and sines."""
        rows = [*zip(*(x.X_PF.R.ravel() for x in links), strict=True)]
        rows += [*zip(*(x.X_PF.p for x in links), strict=True)]
        rows += [*zip(*(self.s.frames.offsets[x.q] for x in links), strict=True)]
        numbers, ins = self.constants(name, rows, links)
        alike = all(isinstance(x, int | float) for x in numbers[:9])
        turn = links[0].X_PF.turns if alike else GeneralRotation(numbers[:9].reshape(3, 3))
        x = vector(a + b for a, b in zip(q, numbers[12:], strict=True))
        for known in zip(x, cos, sin, strict=True):
            self.K.known[id(known[0])] = known
        return replace(links[0], X_PF=Pose(turn, numbers[9:12])), x, ins

    def places(self, W: StepWriter) -> None:
        """Origins of links from that in the middle of the tree."""
        K, by_index = self.K, {k.index: k for k in self.links}
        here, stem = axes.middle(self.links), []
        while here:
            stem.append(by_index[here])
            here = by_index[here].parent
        d, p = symbol_array(K, "d", 3), symbol_array(K, "p", 3)
        if stem:
            W.append_links("place", stem[:1], {}, {"p": (ZERO3, "places")})
        for k, up in pairwise(stem):
            ins = {
                "up": (p, W.pick("place", "p", [k.index])),
                "d": (d, W.pick("motion", "step", [k.index])),
            }
            W.append_links("place", [up], ins, {"p": (p - d, "places")})
        for links in self.groups:
            rest = [k for k in links if k not in stem]
            for part in ([k] for k in rest) if len(rest) < len(links) else [rest]:
                ins = {}
                if part[0].parent:
                    ins["up"] = (p, W.pick("place", "p", [k.parent for k in part]))
                    ins["d"] = (d, W.pick("motion", "step", [k.index for k in part]))
                W.append_links("place", part, ins, {"p": (p + d if ins else ZERO3, "places")})
