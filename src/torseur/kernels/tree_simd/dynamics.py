"""Stages of one system that have links and pairs of joints side by side: the texts of the stages,
and what goes from one to the next.  Theory: DE.10 to DE.18."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...compiler import (
    AllLanes,
    EachLane,
    InOrder,
    LaneRows,
    Pairs,
    Put,
    Rim,
    Stage,
    Straight,
    TreeFactors,
    Woven,
)
from ...formalisms import composite_derivatives_common_axes as axes
from ...scalars import matrix, vector
from ...spatial import ZERO3, Inertia, Pose, Twist, Wrench
from .. import thresholds
from .kinematics import StageMotion
from .program import Weaver, program, symbols


class StagePlan(StageMotion):
    """What links carry, columns of joints, pairs of them, accelerations."""

    # what links carry --------------------------------------------------------------------
    def loads(self, kept: bool = False) -> Iterator[EachLane | Woven]:
        """Inertia, Coriolis matrix and wrench of each link; then wrenches from outside."""
        none = Inertia(0, ZERO3, vector((0,) * 6))
        rows = ((none if j else k.inertia).parameters() for k, j in self.lanes)
        ten, ports = self.table("bodies", zip(*rows, strict=True))
        load = axes.own(ten, self.R, self.V, self.r[:3], self.r[3:], self.coriolis)
        if self.outside:
            load = load._replace(outside=axes.Outside.of(vector((0,) * axes.OUTSIDE)))
        outs = {"loads": load.numbers()}
        if kept:
            outs["inertia"] = vector([*load.I.h, *load.I.J])
        ins = {**ports, "moving": self.m, "rates": self.r}
        yield EachLane(program(self.K, "own", ins, outs))
        if self.s.wrenches:
            yield self.pushed()

    def pushed(self) -> Woven:
        """Wrenches from outside, on the links that they act on."""
        K, W, s = self.K, Weaver(self.K), self.s
        count = axes.OUTSIDE if self.outside else 6
        for link, found in self.acting().items():
            o, R, turn = symbols(K, "o", count), symbols(K, "m", 9), symbols(K, "t", 9)
            total = vector((0,) * axes.OUTSIDE)
            for i, x in found:
                six = s["w"][6 * i : 6 * i + 6]
                if self.base:
                    back = turn.reshape(3, 3).T
                    six = vector([*(back @ six[:3]), *(back @ six[3:])])
                at = axes.Outside.at(six, R.reshape(3, 3) @ x)
                total = total + at.numbers()
            ins = {
                "own": (o, LaneRows("loads")),
                "moving": (R, LaneRows("moving")),
                "w": (s["w"], AllLanes("w")),
                "turn": (turn if self.base else [], AllLanes("attitude")),
                "p": (s["p"], AllLanes("p")),
            }
            made = o + total if self.outside else o - total[:6]
            k = self.links[link - 1]
            W.pack("pushed", [k], ins, {"total": (made, "loads")}, within=True)
        return Woven(tuple(W.packs))

    def inward(self, what: str, size: int, moved) -> Woven:
        """Sums over all that a link carries, in place; `moved(numbers, mass, d)` to the parent."""
        K, W = self.K, Weaver(self.K)
        for links in reversed(self.groups):
            o, d = symbols(K, "o", size), symbols(K, "d", 3)
            rows = [[self.masses[k.index] for k in links]]
            (mass,), ins = self.constants("mass", rows, links)
            ins["own"] = (o, LaneRows(what))
            total = self.below(W, links, vector(o), ins)
            kept = links[0].joint.nv > 1 or any(k.index in self.children for k in links)
            outs = {"total": (total, what)} if kept else {}
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
    def joints(self) -> tuple[axes.LinkLoad, Twist, Any, dict[str, np.ndarray]]:
        """Of each lane: what its link carries, its screw, its armature; the ports of constants."""
        screws = [s for k in self.links for s in self.screws(k)]
        rows = [[self.masses[k.index] for k, _ in self.lanes], *zip(*screws, strict=True)]
        values, ports = self.table("joints", [*rows, [k.armature[j] for k, j in self.lanes]])
        S = Twist(self.R @ values[1:4], self.R @ values[4:7])
        return axes.LinkLoad.of(values[0], self.load), S, values[7], ports

    def columns(self, count: int, added: Twist | None = None) -> EachLane:
        """Columns of all joints, with `count` of their own derivatives; `added` accelerations."""
        load, S, armature, ports = self.joints()
        rate = Twist(self.r[:3], self.r[3:])
        ins = {**ports, "moving": self.m, "rates": self.r, "places": self.p, "loads": self.load}
        if added is not None:
            F = symbols(self.K, "w", 6)
            rate, load = rate + added, load._replace(F=load.F + Wrench.of(F))
            ins |= {"added": added.array, "wrenches": F}
        A = axes.spatial(self.V, rate.angular, rate.linear)
        V_P, A_P = self.V, A
        if self.several:
            b = ins["behind"] = symbols(self.K, "b", 12)
            V_P, A_P = Twist.of(b[:6]), Twist.of(b[6:])
            if added is not None:
                more = ins["added_behind"] = symbols(self.K, "y", 6)
                A_P = A_P + Twist.of(more)
        c = axes.column(load, S, self.V, A, V_P, A_P, self.p)
        alone = vector([*c.alone[:2], c.alone[2] + armature])[:count]
        outs = {"there": c.outboard(), "here": c.inboard(), "alone": alone}
        return EachLane(program(self.K, "column", ins, outs))

    @property
    def ancestry(self) -> tuple[tuple[int, int], ...]:
        """Speeds (inner, outer) of two joints, or of one."""
        return tuple(
            (j, i)
            for k in self.links
            for i in range(k.v.start, k.v.stop)
            for j in (
                *(j for x in self.tree.ancestors(k.parent) for j in range(x.v.start, x.v.stop)),
                *range(k.v.start, i),
            )
        )

    def paired(self, names: tuple[str, ...]) -> Iterator[Pairs | Put | Rim]:
        """Derivatives by q and v, and by a where that is wanted, of all pairs; their own.

        Of two speeds of one joint both are inner: what goes to columns is right (DE.14).
        """
        within = [
            (j, i)
            for k in self.links
            for i in range(k.v.start, k.v.stop)
            for j in range(i + 1, k.v.stop)
        ]
        every = tuple(x for x in (*self.ancestry, *within) if min(x) >= self.rooted)
        inner = axes.COLUMN + axes.COUPLE * self.outside
        t, h = symbols(self.K, "t", axes.COLUMN), symbols(self.K, "h", inner)
        if every:
            by_q, by_v, M, *low = axes.pair(axes.there_of(t), axes.here_of(h))
            rows = [by_q, by_v, M][: len(names)]
            outs = {"rows": vector(rows), "low": vector([*low, M][: len(names)])}
            made = program(self.K, "pair", {"there": t, "here": h}, outs)
            yield (pairs := Pairs(made, every, names))
            yield Put("low", names, pairs)
        if self.base:
            ins = {"here": h, "places": self.p, "moving": self.m, "down": self.r[:3]}
            both = axes.rim(axes.here_of(h), self.p, self.V, self.r[:3])
            outs = {
                n: vector(y for x in side[: len(names)] for y in x)
                for n, side in zip(("rows", "low"), both, strict=True)
            }
            first = ("places", "moving", "down")
            yield Rim(program(self.K, "rim", ins, outs), names, first)
        yield Put("alone", names, first=self.rooted)

    # accelerations -----------------------------------------------------------------------
    def accelerations(self, shared: bool = True) -> Iterator[Stage]:
        """From the wrenches at none of them: mass matrix, its factors, solution."""
        from ...dynamics import forward_dynamics

        K, n, tree = self.K, self.n, self.tree
        forward_dynamics.cheapest(tree, self.s.system.speeds)  # refuses what has no inertia
        load, S, armature, ports = self.joints()
        h = load.I @ S
        X = Pose(p=self.p)
        outs = {
            "screws": X.push_twist(S).array,
            "momenta": X.push_momentum(h).array,
            "known": vector([S @ h + armature, S @ load.pull]),
        }
        ins = {**ports, "moving": self.m, "places": self.p, "loads": self.load}
        yield EachLane(program(K, "momentum", ins, outs))
        M, upper = matrix(((0,) * n,) * n), symbols(K, "M", n, n)
        every = self.ancestry
        t, h6 = symbols(K, "t", 6), symbols(K, "h", 6)
        parents, reads = forward_dynamics.dof_parents(tree), ("M", "known", "tau")
        rows = TreeFactors(tuple(parents), reads, "a", "shared" * shared)
        fewer = rows.operations["add"] > (
            thresholds.MIN_SCALAR_PER_VECTOR_SUMS * rows.vectors(self.packed)
        )
        if self.base or (fewer and len(every) >= thresholds.MIN_PAIRS_VECTOR_FACTORS):
            made = program(K, "mass", {"momenta": h6, "screws": t}, {"rows": vector([t @ h6])})
            yield Pairs(made, tuple((i, j) for j, i in every), ("M",), self.wide)
            yield rows
            return
        if every:
            ins = {"screws": t, "momenta": h6}
            yield Pairs(program(K, "mass", ins, {"rows": vector([t @ h6])}), every, ("M",))
            for j, i in every:
                M[i, j] = M[j, i] = upper[j, i]
        known, tau = symbols(K, "k", 2, self.wide), self.s["tau"]
        for i in range(n):
            M[i, i] = known[0, i]
        rhs = tau - known[1, :n]
        ins = {"M": upper[: n if every else 0], "known": known, "tau": tau}
        factors = forward_dynamics.factorized(K, M, parents)
        a = factors.solve(rhs)
        outs = {"shared": factors.numbers(), "a": a} if shared else {"a": a}
        yield Straight(program(K, "factors", ins, outs))

    def moved(self) -> Iterator[Woven | EachLane]:
        """What the accelerations add to motion and wrenches."""
        K, W = self.K, Weaver(self.K)
        for links in self.groups:
            k = links[0]
            m, a, d = symbols(K, "m", 9), symbols(K, "a", k.joint.nv), symbols(K, "d", 3)
            R, before = m.reshape(3, 3), Twist()
            ins = {"moving": (m, LaneRows("moving")), "a": (a, InOrder("a", k.v.start))}
            ins["p"] = (self.s["p"], AllLanes("p"))
            if k.parent:
                u = symbols(K, "u", 6)
                ins["up"] = (u, W.of("added", "added", [x.parent for x in links]))
                ins["d"] = (d, LaneRows("steps"))
                before = axes.at_step(Twist.of(u), d)
            found = before
            for s, x in zip(self.screws(k), a, strict=True):
                found = found + Twist(R @ s[:3], R @ s[3:]) * x
            outs = {"added": (found.array, "added")}
            if self.several:
                behind = found if k.joint.nv == 1 else before
                outs["before"] = (behind.array, "added_behind")
            W.pack("added", links, ins, outs, follows=True)
        yield Woven(tuple(W.packs))
        mass, ports = self.table("masses", [[0 if j else k.inertia.mass for k, j in self.lanes]])
        i, x = symbols(K, "i", 9), symbols(K, "x", 6)
        F = Inertia(mass[0], i[:3], i[3:]) @ Twist.of(x)
        yield EachLane(
            program(K, "added", {**ports, "inertia": i, "added": x}, {"wrenches": F.array})
        )
        yield self.inward(
            "wrenches", 6, lambda x, mass, d: Pose(p=d).push_wrench(Wrench.of(x)).array
        )
