"""Stages of one system that have links and pairs of joints side by side: the texts of the stages,
and what goes from one to the next.  Theory: DE.10 to DE.17."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from ..compiler import (
    AllLanes,
    EachLane,
    InOrder,
    LaneConstants,
    LaneRows,
    Pairs,
    Put,
    Straight,
    Woven,
)
from ..formalisms import common_axes as axes
from ..numbers import matrix, vector
from ..spatial import ZERO3, General, Inertia, Pose, Twist, Wrench
from .weaving import Given, Weaver, program, runs, symbols, varying

MOST = 4
"""Links of one step along the tree in a vector; trees are seldom wider for long."""


class StagePlan:
    """Stages of one system, over its lean tree: a lane for each speed, the first of a joint for its
    link."""

    def __init__(self, scene, lanes: int, coriolis: bool = True):
        self.s, self.K, self.tree = scene, scene.K, scene.lean
        self.links, self.n = self.tree.links, scene.system.nv
        self.wide = -(-self.n // lanes) * lanes
        self.groups = runs(self.links, min(MOST, lanes))
        self.lanes = [(k, j) for k in self.links for j in range(k.joint.nv)]
        self.several = len(self.lanes) > len(self.links)
        self.tables: dict[str, tuple] = {}
        self.given = Given(self.K, scene["p"], self.wide)
        self.children: dict[int, list[int]] = {}
        for k in self.links:
            self.children.setdefault(k.parent, []).append(k.index)
        K = self.K
        self.m, self.r, self.p = symbols(K, "m", 15), symbols(K, "r", 6), symbols(K, "p", 3)
        self.R, self.V = self.m[:9].reshape(3, 3), Twist(self.m[9:12], self.m[12:15])
        self.coriolis, self.outside = coriolis, coriolis and bool(scene.wrenches)
        self.size = axes.LOAD[coriolis] + axes.OUTSIDE * self.outside
        self.load = symbols(K, "o", self.size)
        self.masses = {k.index: k.inertia.mass for k in self.links}
        for k in reversed(self.links):
            if k.parent:
                self.masses[k.parent] = self.masses[k.parent] + self.masses[k.index]

    # numbers of links --------------------------------------------------------------------
    def table(self, name: str, rows) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Rows of constants of all lanes: numbers or symbols, and the ports of those."""
        found = varying(self.K, name, rows)
        if found.rows:
            self.tables[name] = found.rows
        self.given.put(f"{name}_p", found.given_rows)
        return found.values, {name: found.own, f"{name}_p": found.given}

    def constants(self, name: str, rows, links) -> tuple[np.ndarray, dict[str, tuple]]:
        """The same of a pack, and what goes in there."""
        found = varying(self.K, name, rows)
        self.given.put(f"{name}_p", found.given_rows, links[0].v.start)
        ins: dict[str, tuple] = {name: (found.own, LaneConstants(found.rows))}
        ins[f"{name}_p"] = (found.given, LaneRows(f"{name}_p"))
        return found.values, ins | {"p": (self.s["p"], AllLanes("p"))}

    def screws(self, k) -> list[np.ndarray]:
        """Columns of a joint's subspace, which are constant in its link."""
        return [*k.joint.subspace(self.K, self.s["q"][k.q]).T]

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
            v, a = symbols(K, "v", k.joint.nv), symbols(K, "a", k.joint.nv)
            ins["v"] = (v, InOrder("v", k.v.start))
            ins["a"] = (a if moved else [], InOrder("a", k.v.start))
            up = axes.at_rest(self.tree.gravity)
            if k.parent:
                m, r = symbols(K, "um", 15), symbols(K, "ur", 6)
                behind = [x.parent for x in links]
                ins["up"] = (m, W.of("motion", "state", behind))
                ins["rate"] = (r, W.of("motion", "rates", behind))
                up = up._replace(R=m[:9].reshape(3, 3), V=Twist(m[9:12], m[12:]), dw=r[:3], a=r[3:])
            found = axes.out(K, link, up, x, v, a if moved else vector((0,) * k.joint.nv))
            outs = {
                "state": (vector([*found.R.ravel(), *found.V.array]), "moving"),
                "rates": (vector([*found.dw, *found.a]), "rates"),
                "step": (found.d, "steps"),
            }
            if self.several and self.coriolis:
                before = (found.V, found.A) if k.joint.nv == 1 else (found.V_P, found.A_P)
                outs["behind"] = (vector([y for x in before for y in x.array]), "behind")
            W.pack("motion", links, ins, outs, follows=True)
            made = W.packs[-1].program
            for op, port, *element in made.nodes:
                if op == "input" and made.inputs[port].name in ("cos", "sin"):
                    used |= {x.q.start + element[0] for x in links}
        self.places(W)
        yield self.angles(used)
        yield Woven(tuple(W.packs))

    def fixed(self, links) -> tuple[Any, np.ndarray, dict]:
        """A link that stands for all of a pack: what differs are symbols."""
        K, k, n = self.K, links[0], links[0].joint.nq
        rows = [*zip(*(x.X_PF.R.ravel() for x in links), strict=True)]
        rows += [*zip(*(x.X_PF.p for x in links), strict=True)]
        rows += [*zip(*(self.s.frames.offsets[x.q] for x in links), strict=True)]
        numbers, ins = self.constants("fixed", rows, links)
        alike = all(isinstance(x, int | float) for x in numbers[:9])
        turn = k.X_PF.turns if alike else General(numbers[:9].reshape(3, 3))
        q, cos, sin = (symbols(K, x, n) for x in ("q", "cos", "sin"))
        x = vector(a + b for a, b in zip(q, numbers[12:], strict=True))
        for known in zip(x, cos, sin, strict=True):
            K.known[id(known[0])] = known
        ins |= {
            "q": (q, InOrder("q", k.q.start)),
            "cos": (cos, InOrder("cosines", k.q.start)),
            "sin": (sin, InOrder("sines", k.q.start)),
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
        acting: dict[int, list[tuple[int, np.ndarray]]] = {}
        for i, name in enumerate(s.wrenches):
            place = s.single.tree.place(name)
            x = (s.frames.frames[place.link].inverse() @ place.X_LB).p
            acting.setdefault(place.link, []).append((i, x))
        for link, found in acting.items():
            if not link:
                continue  # the world holds it
            o, R = symbols(K, "o", count), symbols(K, "m", 9)
            total = vector((0,) * axes.OUTSIDE)
            for i, x in found:
                at = axes.Outside.at(s["w"][6 * i : 6 * i + 6], R.reshape(3, 3) @ x)
                total = total + at.numbers()
            ins = {
                "own": (o, LaneRows("loads")),
                "moving": (R, LaneRows("moving")),
                "w": (s["w"], AllLanes("w")),
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
            below = [self.children.get(k.index, []) for k in links]
            total = vector(o)
            for r in range(max(map(len, below))):
                c = symbols(K, f"c{r}_", size)
                from_ = [x[r] if r < len(x) else None for x in below]
                ins[f"child{r}"] = (c, W.of("carried", "up", from_))
                total = total + c
            outs = {"total": (total, what)} if any(below) or links[0].joint.nv > 1 else {}
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

    def paired(self, names: tuple[str, ...]) -> Iterator[Pairs | Put]:
        """Derivatives by q and v, and by a where that is wanted, of all pairs; their own.

        Of two speeds of one joint both are inner: what goes to columns is right (DE.14).
        """
        within = [
            (j, i)
            for k in self.links
            for i in range(k.v.start, k.v.stop)
            for j in range(i + 1, k.v.stop)
        ]
        if self.ancestry:
            inner = axes.COLUMN + axes.COUPLE * self.outside
            t, h = symbols(self.K, "t", axes.COLUMN), symbols(self.K, "h", inner)
            by_q, by_v, M, *low = axes.pair(axes.there_of(t), axes.here_of(h))
            rows = [by_q, by_v, M][: len(names)]
            outs = {"rows": vector(rows), "low": vector([*low, M][: len(names)])}
            made = program(self.K, "pair", {"there": t, "here": h}, outs)
            yield (pairs := Pairs(made, (*self.ancestry, *within), names))
            yield Put("low", names, pairs)
        yield Put("alone", names)

    # accelerations -----------------------------------------------------------------------
    def accelerations(self, shared: bool = True) -> Iterator[EachLane | Pairs | Straight]:
        """From the wrenches at none of them: mass matrix, its factors, solution."""
        from ..dynamics import forward

        K, n, tree = self.K, self.n, self.tree
        forward.cheapest(tree, self.s.system.speeds)  # refuses what has no inertia
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
