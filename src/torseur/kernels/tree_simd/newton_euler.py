"""Efforts with limbs side by side: Newton and Euler's steps in link frames, for neighbors of the
tree together in vectors.  Theory: NE.9."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...compiler import AllLanes, InOrder, Picked, Port, Sidewise, Straight, Woven
from ...formalisms import newton_euler
from ...scalars import matrix, vector
from ...spatial import ONE3, Inertia, Wrench, cross
from .entry_points import made
from .kinematics import StageMotion
from .program import Weaver, symbols
from .register import simd_variant


class Limbs(StageMotion):
    """Out and back along the tree, in one function."""

    def stages(self) -> Iterator[Straight | Woven]:
        W, used, acting = Weaver(self.K), set(), self.acting()
        seen = {k.index for i in acting for k in self.tree.ancestors(i)}
        links = {g[0].index: self.out(W, g, seen) for g in self.groups}
        for i, found in acting.items():
            self.pushed(W, i, found)
        for g in reversed(self.groups):
            self.back(W, g, acting, *links[g[0].index])
        for p, g in zip(W.packs, W.links, strict=True):
            used |= self.turning(p.program, g)
        yield self.angles(used)
        yield Woven(tuple(W.packs))

    def out(self, W: Weaver, links, seen: set[int]) -> tuple:
        """Motion of neighbors and the wrenches they need; axes of those in `seen` in the world."""
        K, k, looked = self.K, links[0], {y.index for y in links} & seen
        link, x, ins = self.fixed(links)
        ten, bodies = self.constants("body", _rows(y.inertia.parameters() for y in links), links)
        rotors, more = self.constants("rotor", _rows(y.armature for y in links), links)
        link = replace(link, inertia=Inertia.of_parameters(ten), armature=rotors)
        v, a = symbols(K, "v", k.joint.nv), symbols(K, "a", k.joint.nv)
        ins["a"] = (a, InOrder("a", k.v.start))
        kept = link, x, a, ins | more
        ins = ins | bodies | {"v": (v, InOrder("v", k.v.start))}
        up, R = newton_euler.at_rest(self.tree.gravity), ONE3
        if k.parent:
            u, r = symbols(K, "u", 18), symbols(K, "r", 9)
            parents = [y.parent for y in links]
            ins["up"] = (u, W.of("motion", "state", parents))
            up = up._replace(w=u[:3], dw=u[3:6], a=u[6:9], U=u[9:].reshape(3, 3))
            if looked:
                wanted = [i if i in seen else None for i in parents]
                ins["up_axes"] = (r, W.of("motion", "axes", wanted))
            R = r.reshape(3, 3)
        m = newton_euler.out(K, link, up, x, v, a)
        outs = {"state": vector([*m.w, *m.dw, *m.a, *m.U.ravel()]), "F": m.F.array}
        if looked:
            outs["axes"] = matrix([m.X_P.unrotate(row) for row in R]).ravel()
        W.pack("motion", links, ins, {n: (y, "") for n, y in outs.items()})
        return kept

    def pushed(self, W: Weaver, i: int, found) -> None:
        """The wrench that a link needs, less those from outside."""
        F, r, w = symbols(self.K, "F", 6), symbols(self.K, "r", 9), self.s["w"]
        R, total = r.reshape(3, 3).T, vector(F)
        for n, x in found:
            moment, force = R @ w[6 * n : 6 * n + 3], R @ w[6 * n + 3 : 6 * n + 6]
            total = total - vector([*(moment + cross(x, force)), *force])
        ins: dict[str, tuple] = {n: (self.s[n], AllLanes(n)) for n in ("w", "p")}
        ins |= {f"own_{n}": (y, W.of("motion", n, [i])) for n, y in (("F", F), ("axes", r))}
        W.pack("pushed", [self.links[i - 1]], ins, {"F": (total, "")})

    def back(self, W: Weaver, links, acting, link, x, a, ins) -> None:
        """Efforts of neighbors, and what their parents carry."""
        K, o = self.K, symbols(self.K, "o", 6)
        kinds = [("pushed" if k.index in acting else "motion", k.index) for k in links]
        ins = ins | {"own": (o, Picked("F", tuple(W.lane[x] for x in kinds)))}
        total = self.below(W, links, vector(o), ins)
        here = newton_euler.at_rest(vector((0, 0, 0)))._replace(
            X_P=link.X_PF @ link.joint.pose(K, x), S=link.joint.subspace(K, x)
        )
        tau, up = newton_euler.back(K, link, here, Wrench.of(total), a)
        outs = {"tau": (tau, "tau")}
        if links[0].parent:
            outs["up"] = (up.array, "")
        W.pack("carried", links, ins, outs, in_order=True)


def _rows(columns) -> list[tuple]:
    return [*zip(*columns, strict=True)]


@simd_variant("inverse_dynamics")
def inverse_dynamics(scene, lanes: int) -> Sidewise:
    """Efforts of a motion."""
    plan = Limbs(scene, lanes)
    return made(plan, "q v a", (Port("tau", (plan.n,)),), [*plan.stages()])
