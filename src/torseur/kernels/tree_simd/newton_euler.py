"""SIMD Newton-Euler recursion for the inverse dynamics: consecutive links fill the lanes.

Theory: NE.9.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ...compiler import (
    AllLanes,
    ContiguousNumbers,
    PackStage,
    PickedLanes,
    Port,
    Straight,
    TreeSimdProgram,
)
from ...formalisms import newton_euler
from ...scalars import matrix, vector
from ...spatial import ONE3, Inertia, Wrench, cross
from .entry_points import build_kernel
from .kinematics import TreeSteps
from .program import StepWriter, symbol_array
from .register import simd_variant

if TYPE_CHECKING:
    from ...quantities import SymbolicSystem


class RecursionSteps(TreeSteps):
    """Steps outward and inward along the tree, in one function."""

    def stages(self) -> Iterator[Straight | PackStage]:
        """Trigonometry, then all steps outward and inward."""
        W, trigonometric, acting = StepWriter(self.K), set(), self.external_wrenches()
        needs_axes = {k.index for i in acting for k in self.tree.ancestors(i)}
        links = {g[0].index: self.write_outward(W, g, needs_axes) for g in self.groups}
        for i, found in acting.items():
            self.write_wrenches(W, i, found)
        for g in reversed(self.groups):
            self.write_inward(W, g, acting, *links[g[0].index])
        for p, g in zip(W.packs, W.links, strict=True):
            trigonometric |= self.trigonometric_coordinates(p.program, g)
        yield self.trigonometry(trigonometric)
        yield PackStage(tuple(W.packs))

    def write_outward(self, W: StepWriter, links, needs_axes: set[int]) -> tuple:
        """Motion of links and their wrenches, and world axes of those in `needs_axes`."""
        K, k, with_axes = self.K, links[0], {y.index for y in links} & needs_axes
        link, x, ins = self.fixed(links)
        ten, bodies = self.constants("body", _rows(y.inertia.parameters() for y in links), links)
        rotors, more = self.constants("rotor", _rows(y.armature for y in links), links)
        link = replace(link, inertia=Inertia.of_parameters(ten), armature=rotors)
        v, a = symbol_array(K, "v", k.joint.nv), symbol_array(K, "a", k.joint.nv)
        ins["a"] = (a, ContiguousNumbers("a", k.v.start))
        inputs = link, x, a, ins | more
        ins = ins | bodies | {"v": (v, ContiguousNumbers("v", k.v.start))}
        up, R = newton_euler.at_rest(self.tree.gravity), ONE3
        if k.parent:
            u, r = symbol_array(K, "u", 18), symbol_array(K, "r", 9)
            parents = [y.parent for y in links]
            ins["up"] = (u, W.pick("motion", "state", parents))
            up = up._replace(w=u[:3], dw=u[3:6], a=u[6:9], U=u[9:].reshape(3, 3))
            if with_axes:
                axes_of = [i if i in needs_axes else None for i in parents]
                ins["up_axes"] = (r, W.pick("motion", "axes", axes_of))
            R = r.reshape(3, 3)
        m = newton_euler.out(K, link, up, x, v, a)
        outs = {"state": vector([*m.w, *m.dw, *m.a, *m.U.ravel()]), "F": m.F.array}
        if with_axes:
            outs["axes"] = matrix([m.X_P.unrotate(row) for row in R]).ravel()
        W.append_links("motion", links, ins, {n: (y, "") for n, y in outs.items()})
        return inputs

    def write_wrenches(self, W: StepWriter, i: int, wrenches) -> None:
        """The wrench that a link needs, less those from outside."""
        F, r, w = symbol_array(self.K, "F", 6), symbol_array(self.K, "r", 9), self.s["w"]
        R, total = r.reshape(3, 3).T, vector(F)
        for n, x in wrenches:
            moment, force = R @ w[6 * n : 6 * n + 3], R @ w[6 * n + 3 : 6 * n + 6]
            total = total - vector([*(moment + cross(x, force)), *force])
        ins: dict[str, tuple] = {n: (self.s[n], AllLanes(n)) for n in ("w", "p")}
        ins |= {f"own_{n}": (y, W.pick("motion", n, [i])) for n, y in (("F", F), ("axes", r))}
        W.append_links("pushed", [self.links[i - 1]], ins, {"F": (total, "")})

    def write_inward(self, W: StepWriter, links, acting, link, x, a, ins) -> None:
        """Efforts of links, and wrenches on their parents."""
        K, o = self.K, symbol_array(self.K, "o", 6)
        wrench_of = [("pushed" if k.index in acting else "motion", k.index) for k in links]
        ins = ins | {"own": (o, PickedLanes("F", tuple(W.lane[x] for x in wrench_of)))}
        total = self.add_children(W, links, vector(o), ins)
        moving = newton_euler.at_rest(vector((0, 0, 0)))._replace(
            X_P=link.X_PF @ link.joint.pose(K, x), S=link.joint.subspace(K, x)
        )
        tau, up = newton_euler.back(K, link, moving, Wrench.of(total), a)
        outs = {"tau": (tau, "tau")}
        if links[0].parent:
            outs["up"] = (up.array, "")
        W.append_links("carried", links, ins, outs, in_order=True)


def _rows(columns) -> list[tuple]:
    return [*zip(*columns, strict=True)]


@simd_variant("inverse_dynamics")
def inverse_dynamics(scene: SymbolicSystem, lanes: int) -> TreeSimdProgram:
    """Efforts of a motion."""
    plan = RecursionSteps(scene, lanes)
    return build_kernel(plan, "q v a", (Port("tau", (plan.n,)),), [*plan.stages()])
