"""Derivatives of efforts and accelerations by stages that have links and pairs of joints side by
side: the texts of the stages, and what goes from one to the next.  Theory: DE.10 to DE.15."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from ..compiler import (
    EachLane,
    InOrder,
    LaneConstants,
    LaneRows,
    Pairs,
    Port,
    Put,
    Sidewise,
    Straight,
    Woven,
)
from ..formalisms import common_axes as axes, composite_derivatives
from ..numbers import matrix, vector
from ..spatial import ZERO3, General, Inertia, Pose, Twist, Wrench
from .weaving import Weaver, program, runs, symbols, varying

MOST = 4
"""Links of one step along the tree in a vector; trees are seldom wider for long."""


MANY = 3  # pairs of joints a joint, above which they are worth a text of their own
SPEEDS = range(8, 129)  # with which it is shorter, and its numbers fit
NARROW = 4  # lanes below which it is no faster
MANY_ALONE, PAIRS_ALONE = 4, 95  # the same for accelerations alone, and pairs in all


def pays(scene, lanes: int) -> bool:
    """Whether joints are single and of constant screws, numbers known, and pairs many."""
    links = scene.system.links
    if lanes < NARROW or scene.system.nv not in SPEEDS or scene.wrenches or scene.parameters:
        return False
    if scene.system.rheonomic or not all(k.joint.nv == k.joint.nq == 1 for k in links):
        return False
    if sum(depths(links)) < (MANY + 1) * len(links):
        return False
    return composite_derivatives.applies(scene.lean, scene.coordinates(scene["q"]))


def pays_alone(scene, lanes: int) -> bool:
    """The same for accelerations, where branches are too short for articulated bodies."""
    from ..dynamics import forward

    links, deep = scene.system.links, depths(scene.system.links)
    pairs = sum(deep) - len(links)
    most = max(deep, default=0)
    if most > forward.DEEP or pairs < PAIRS_ALONE or pairs < MANY_ALONE * len(links):
        return False
    return pays(scene, lanes)


def depths(links) -> list[int]:
    """Joints between each link and the world, its own with them."""
    found = {0: 0}
    for k in links:
        found[k.index] = found[k.parent] + 1
    return [found[k.index] for k in links]


class StagePlan:
    """Stages of one system, over its lean tree."""

    def __init__(self, scene, lanes: int, coriolis: bool = True):
        self.s, self.K, self.tree = scene, scene.K, scene.lean
        self.links, self.n = self.tree.links, scene.system.nv
        self.wide = -(-self.n // lanes) * lanes
        self.groups = runs(self.links, min(MOST, lanes))
        self.tables: dict[str, tuple] = {}
        self.children: dict[int, list[int]] = {}
        for k in self.links:
            self.children.setdefault(k.parent, []).append(k.index)
        K = self.K
        self.m, self.r, self.p = symbols(K, "m", 15), symbols(K, "r", 6), symbols(K, "p", 3)
        self.R, self.V = self.m[:9].reshape(3, 3), Twist(self.m[9:12], self.m[12:15])
        self.coriolis, self.size = coriolis, axes.LOAD[coriolis]
        self.load = symbols(K, "o", self.size)
        self.masses = {k.index: float(k.inertia.mass) for k in self.links}
        for k in reversed(self.links):
            if k.parent:
                self.masses[k.parent] += self.masses[k.index]

    def table(self, name: str, rows) -> tuple[np.ndarray, np.ndarray]:
        """Rows of constants of all lanes: numbers or symbols, and the port of those."""
        made, port, vary = varying(self.K, name, rows)
        if vary:
            self.tables[name] = vary
        return made, port

    # outward -----------------------------------------------------------------------------
    def angles(self, used: set[int]) -> Straight:
        """Cosines and sines of coordinates that turn."""
        K, q = self.K, self.s["q"]
        x = self.s.coordinates(q)
        cosines, sines = (
            [f(y) if i in used else 0 for i, y in enumerate(x)] for f in (K.cos, K.sin)
        )
        return Straight(program(K, "angles", {"q": q}, {"cosines": cosines, "sines": sines}))

    def outward(self, moved: bool) -> Iterator[Straight | Woven]:
        """Motion of links, `moved` by accelerations that are given or at none; then places."""
        K, W, used = self.K, Weaver(self.K), set()
        for links in self.groups:
            k = links[0]
            link, x, ins = self.fixed(links)
            v, a = symbols(K, "v", 1), symbols(K, "a", 1)
            ins["v"] = (v, InOrder("v", k.v.start))
            ins["a"] = (a if moved else [], InOrder("a", k.v.start))
            up = axes.at_rest(self.tree.gravity)
            if k.parent:
                m, r = symbols(K, "um", 15), symbols(K, "ur", 6)
                behind = [x.parent for x in links]
                ins["up"] = (m, W.of("motion", "state", behind))
                ins["rate"] = (r, W.of("motion", "rates", behind))
                up = up._replace(R=m[:9].reshape(3, 3), V=Twist(m[9:12], m[12:]), dw=r[:3], a=r[3:])
            found = axes.out(K, link, up, x, v, a if moved else vector((0,)))
            outs = {
                "state": (vector([*found.R.ravel(), *found.V.array]), "moving"),
                "rates": (vector([*found.dw, *found.a]), "rates"),
                "step": (found.d, "steps"),
            }
            W.pack("motion", links, ins, outs, follows=True)
            made = W.packs[-1].program
            if {made.inputs[x[1]].name for x in made.nodes if x[0] == "input"} & {"cos", "sin"}:
                used |= {x.q.start for x in links}
        self.places(W)
        yield self.angles(used)
        yield Woven(tuple(W.packs))

    def fixed(self, links) -> tuple[Any, np.ndarray, dict]:
        """A link that stands for all of a pack: what differs are symbols."""
        K, k = self.K, links[0]
        rows = [*zip(*(x.X_PF.R.ravel() for x in links), strict=True)]
        rows += [*zip(*(x.X_PF.p for x in links), strict=True)]
        offsets = [self.s.frames.offsets[x.q.start] for x in links]
        numbers, port, vary = varying(K, "f", [*rows, offsets])
        alike = all(isinstance(x, int | float) for x in numbers[:9])
        turn = k.X_PF.turns if alike else General(numbers[:9].reshape(3, 3))
        q, t = symbols(K, "q", 1), symbols(K, "t", 2)
        x = vector([q[0] + numbers[12]])
        K.known[id(x[0])] = (x[0], *t)
        ins = {
            "q": (q, InOrder("q", k.q.start)),
            "cos": (t[:1], InOrder("cosines", k.q.start)),
            "sin": (t[1:], InOrder("sines", k.q.start)),
            "fixed": (port, LaneConstants(vary)),
        }
        return replace(k, X_PF=Pose(turn, numbers[9:12])), x, ins

    def places(self, W: Weaver) -> None:
        """Origins of links from that in the middle of the tree."""
        K, by_index = self.K, {k.index: k for k in self.links}
        here, stem = axes.middle(self.links), []
        while here:
            stem.append(by_index[here])
            here = by_index[here].parent
        d, p = symbols(K, "d", 3), symbols(K, "p", 3)
        if stem:
            W.pack("place", stem[:1], {}, {"p": (ZERO3, "places")})
        for k, up in pairwise(stem):
            ins = {
                "up": (p, W.of("place", "p", [k.index])),
                "d": (d, W.of("motion", "step", [k.index])),
            }
            W.pack("place", [up], ins, {"p": (p - d, "places")})
        for links in self.groups:
            rest = [k for k in links if k not in stem]
            for part in ([k] for k in rest) if len(rest) < len(links) else [rest]:
                ins = {}
                if part[0].parent:
                    ins["up"] = (p, W.of("place", "p", [k.parent for k in part]))
                    ins["d"] = (d, W.of("motion", "step", [k.index for k in part]))
                W.pack("place", part, ins, {"p": (p + d if ins else ZERO3, "places")})

    # what links carry --------------------------------------------------------------------
    def own(self, kept: bool = False) -> EachLane:
        """Inertia, Coriolis matrix and wrench of each link."""
        rows = zip(*(k.inertia.parameters() for k in self.links), strict=True)
        ten, port = self.table("bodies", rows)
        load = axes.own(ten, self.R, self.V, self.r[:3], self.r[3:], self.coriolis)
        outs = {"loads": load.numbers()}
        if kept:
            outs["inertia"] = vector([*load.I.h, *load.I.J])
        ins = {"bodies": port, "moving": self.m, "rates": self.r}
        return EachLane(program(self.K, "own", ins, outs))

    def inward(self, what: str, size: int, moved) -> Woven:
        """Sums over all that a link carries, in place; `moved(numbers, mass, d)` to the parent."""
        K, W = self.K, Weaver(self.K)
        for links in reversed(self.groups):
            o, d = symbols(K, "o", size), symbols(K, "d", 3)
            (mass,), port, vary = varying(K, "m", [[self.masses[k.index] for k in links]])
            ins = {"own": (o, LaneRows(what)), "masses": (port, LaneConstants(vary))}
            below = [self.children.get(k.index, []) for k in links]
            total = vector(o)
            for r in range(max(map(len, below))):
                c = symbols(K, f"c{r}_", size)
                from_ = [x[r] if r < len(x) else None for x in below]
                ins[f"child{r}"] = (c, W.of("carried", "up", from_))
                total = total + c
            outs = {"total": (total, what)} if any(below) else {}
            if links[0].parent:
                ins["d"] = (d, LaneRows("steps"))
                outs["up"] = (moved(total, mass, d), "")
            if outs:
                W.pack("carried", links, ins, outs, within=True)
        return Woven(tuple(W.packs))

    def carried(self) -> Woven:
        return self.inward(
            "loads",
            self.size,
            lambda x, mass, d: axes.LinkLoad.of(mass, x).moved(d).numbers(),
        )

    # columns and pairs -------------------------------------------------------------------
    def joints(self) -> tuple[axes.LinkLoad, Twist, Any, np.ndarray]:
        """Of each lane: what its link carries, its screw, its armature; the port of constants."""
        screws = [k.joint.subspace(self.K, self.s["q"][k.q])[:, 0] for k in self.links]
        rows = [[self.masses[k.index] for k in self.links], *zip(*screws, strict=True)]
        values, port = self.table("joints", [*rows, [k.armature[0] for k in self.links]])
        S = Twist(self.R @ values[1:4], self.R @ values[4:7])
        return axes.LinkLoad.of(values[0], self.load), S, values[7], port

    def columns(self, count: int, added: Twist | None = None) -> EachLane:
        """Columns of all joints, with `count` of their own derivatives; `added` accelerations."""
        load, S, armature, port = self.joints()
        rate = Twist(self.r[:3], self.r[3:])
        ins = {"joints": port, "moving": self.m, "rates": self.r, "places": self.p}
        ins["loads"] = self.load
        if added is not None:
            F = symbols(self.K, "w", 6)
            rate, load = rate + added, load._replace(F=load.F + Wrench.of(F))
            ins |= {"added": added.array, "wrenches": F}
        A = axes.spatial(self.V, rate.angular, rate.linear)
        c = axes.column(load, S, self.V, A, self.V, A, self.p)
        alone = vector([*c.alone[:2], c.alone[2] + armature])[:count]
        outs = {"there": c.outboard(), "here": c.inboard(), "alone": alone}
        return EachLane(program(self.K, "column", ins, outs))

    @property
    def ancestry(self) -> tuple[tuple[int, int], ...]:
        return tuple(
            (j.v.start, k.v.start) for k in self.links for j in self.tree.ancestors(k.parent)
        )

    def paired(self, names: tuple[str, ...]) -> Iterator[Pairs | Put]:
        """Derivatives by q and v, and by a where that is wanted, of all pairs; their own."""
        if self.ancestry:
            t, h = symbols(self.K, "t", axes.COLUMN), symbols(self.K, "h", axes.COLUMN)
            by_q, by_v, M, *low = axes.pair(axes.there_of(t), axes.here_of(h))
            rows = [by_q, by_v, M][: len(names)]
            outs = {"rows": vector(rows), "low": vector([*low, M][: len(names)])}
            made = program(self.K, "pair", {"there": t, "here": h}, outs)
            yield (pairs := Pairs(made, self.ancestry, names))
            yield Put("low", names, pairs)
        yield Put("alone", names)

    # accelerations -----------------------------------------------------------------------
    def accelerations(self, shared: bool = True) -> Iterator[EachLane | Pairs | Straight]:
        """From the wrenches at none of them: mass matrix, its factors, solution."""
        from ..dynamics import forward

        K, n, tree = self.K, self.n, self.tree
        forward.cheapest(tree)  # refuses what has no inertia
        load, S, armature, port = self.joints()
        h = load.I @ S
        X = Pose(p=self.p)
        outs = {
            "screws": X.push_twist(S).array,
            "momenta": X.push_momentum(h).array,
            "known": vector([S @ h + armature, S @ load.F]),
        }
        ins = {"joints": port, "moving": self.m, "places": self.p, "loads": self.load}
        yield EachLane(program(K, "momentum", ins, outs))
        M, upper = matrix(((0,) * n,) * n), symbols(K, "M", n, n)
        if self.ancestry:
            t, h6 = symbols(K, "t", 6), symbols(K, "h", 6)
            ins = {"screws": t, "momenta": h6}
            yield Pairs(program(K, "mass", ins, {"rows": vector([t @ h6])}), self.ancestry, ("M",))
            for j, i in self.ancestry:
                M[i, j] = M[j, i] = upper[j, i]
        known, tau = symbols(K, "k", 2, self.wide), self.s["tau"]
        for i in range(n):
            M[i, i] = known[0, i]
        factors = forward.factorised(K, M, forward.dof_parents(tree))
        a = factors.solve(tau - known[1, :n])
        ins = {"M": upper[: n if self.ancestry else 0], "known": known, "tau": tau}
        outs = {"shared": factors.numbers(), "a": a} if shared else {"a": a}
        yield Straight(program(K, "factors", ins, outs))

    def moved(self) -> Iterator[Woven | EachLane]:
        """What the accelerations add to motion and wrenches."""
        K, W = self.K, Weaver(self.K)
        for links in self.groups:
            k = links[0]
            m, a, d = symbols(K, "m", 9), symbols(K, "a", 1), symbols(K, "d", 3)
            s = k.joint.subspace(K, self.s["q"][k.q])[:, 0]
            R = m.reshape(3, 3)
            S = Twist(R @ s[:3], R @ s[3:])
            ins = {"moving": (m, LaneRows("moving")), "a": (a, InOrder("a", k.v.start))}
            found = S * a[0]
            if k.parent:
                u = symbols(K, "u", 6)
                ins["up"] = (u, W.of("added", "added", [x.parent for x in links]))
                ins["d"] = (d, LaneRows("steps"))
                found = found + axes.at_step(Twist.of(u), d)
            W.pack("added", links, ins, {"added": (found.array, "added")}, follows=True)
        yield Woven(tuple(W.packs))
        mass, port = self.table("masses", [[k.inertia.mass for k in self.links]])
        i, x = symbols(K, "i", 9), symbols(K, "x", 6)
        F = Inertia(mass[0], i[:3], i[3:]) @ Twist.of(x)
        given = {"masses": port, "inertia": i, "added": x}
        yield EachLane(program(K, "added", given, {"wrenches": F.array}))
        yield self.inward(
            "wrenches", 6, lambda x, mass, d: Pose(p=d).push_wrench(Wrench.of(x)).array
        )


def inverse_dynamics(scene, lanes: int) -> Sidewise:
    """Derivatives of the efforts by q, v and a."""
    plan, names = StagePlan(scene, lanes), ("dq", "dv", "da")
    stages = [*plan.outward(True), plan.own(), plan.carried(), plan.columns(3), *plan.paired(names)]
    n = plan.n
    ins, outs = (tuple(Port(x, s) for x in xs) for xs, s in (("qva", (n,)), (names, (n, n))))
    return Sidewise(ins, outs, n, tuple(stages), plan.tables)


def forward_dynamics(scene, lanes: int) -> Sidewise:
    """Derivatives of the efforts by q and v at the accelerations reached, and the factors of M."""
    plan, names = StagePlan(scene, lanes), ("dq", "dv")
    stages = [
        *plan.outward(False),
        plan.own(kept=True),
        plan.carried(),
        *(found := [*plan.accelerations()]),
        *plan.moved(),
        plan.columns(2, Twist.of(symbols(plan.K, "x", 6))),
        *plan.paired(names),
    ]
    n, shared = plan.n, found[-1].program.outputs[0]
    ins = tuple(Port(x, (n,)) for x in ("q", "v", "tau"))
    outs = (*(Port(x, (n, n)) for x in names), shared)
    return Sidewise(ins, outs, n, tuple(stages), plan.tables)


def accelerations(scene, lanes: int) -> Sidewise:
    """Accelerations under efforts."""
    plan = StagePlan(scene, lanes, coriolis=False)
    stages = [*plan.outward(False), plan.own(), plan.carried(), *plan.accelerations(False)]
    ins, n = ("q", "v", "tau"), plan.n
    ports = tuple(Port(x, (n,)) for x in ins)
    return Sidewise(ports, (Port("a", (n,)),), n, tuple(stages), plan.tables)
