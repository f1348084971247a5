"""SIMD stages of derivatives of the dynamics: links and pairs of joints fill the lanes.

Theory: DE.10 to DE.18.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...compiler import (
    AllLanes,
    BlockCopy,
    BorderStage,
    ContiguousNumbers,
    LaneRows,
    LaneStage,
    PackStage,
    Pairs,
    Stage,
    Straight,
    TreeFactorization,
)
from ...formalisms import composite_derivatives_common_axes as axes
from ...scalars import matrix, vector
from ...spatial import ZERO3, Inertia, Pose, Twist, Wrench
from .. import thresholds
from .kinematics import TreeSteps
from .program import StepWriter, array_program, symbol_array


class DerivativeSteps(TreeSteps):
    """Stages of composite loads, columns of joints, pairs of joints, accelerations."""

    # what links carry --------------------------------------------------------------------
    def loads(self, keeps_inertia: bool = False) -> Iterator[LaneStage | PackStage]:
        """Inertia, Coriolis matrix and wrench of each link, then external wrenches."""
        empty = Inertia(0, ZERO3, vector((0,) * 6))
        rows = ((empty if j else k.inertia).parameters() for k, j in self.lanes)
        ten, ports = self.table("bodies", zip(*rows, strict=True))
        load = axes.own(ten, self.R, self.V, self.r[:3], self.r[3:], self.coriolis)
        if self.outside:
            load = load._replace(
                outside=axes.ExternalWrenches.of(vector((0,) * axes.EXTERNAL_SIZE))
            )
        outs = {"loads": load.numbers()}
        if keeps_inertia:
            outs["inertia"] = vector([*load.I.h, *load.I.J])
        ins = {**ports, "moving": self.m, "rates": self.r}
        yield LaneStage(array_program(self.K, "own", ins, outs))
        if self.s.wrenches:
            yield self.external_loads()

    def external_loads(self) -> PackStage:
        """External wrenches, added to the loads of their links."""
        K, W, s = self.K, StepWriter(self.K), self.s
        count = axes.EXTERNAL_SIZE if self.outside else 6
        for link, wrenches in self.external_wrenches().items():
            o, R, attitude = (
                symbol_array(K, "o", count),
                symbol_array(K, "m", 9),
                symbol_array(K, "t", 9),
            )
            total = vector((0,) * axes.EXTERNAL_SIZE)
            for i, x in wrenches:
                six = s["w"][6 * i : 6 * i + 6]
                if self.base:
                    inverse_attitude = attitude.reshape(3, 3).T
                    six = vector([*(inverse_attitude @ six[:3]), *(inverse_attitude @ six[3:])])
                load = axes.ExternalWrenches.at(six, R.reshape(3, 3) @ x)
                total = total + load.numbers()
            ins: dict[str, Any] = {
                "own": (o, LaneRows("loads")),
                "moving": (R, LaneRows("moving")),
                "w": (s["w"], AllLanes("w")),
                "turn": (attitude if self.base else [], AllLanes("attitude")),
                "p": (s["p"], AllLanes("p")),
            }
            value = o + total if self.outside else o - total[:6]
            k = self.links[link - 1]
            W.append_links("pushed", [k], ins, {"total": (value, "loads")}, within=True)
        return PackStage(tuple(W.packs))

    def inward(self, array: str, size: int, transform) -> PackStage:
        """Sums over all links outboard of each link.  `transform` takes them to the parent."""
        K, W = self.K, StepWriter(self.K)
        for links in reversed(self.groups):
            o, d = symbol_array(K, "o", size), symbol_array(K, "d", 3)
            rows = [[self.masses[k.index] for k in links]]
            (mass,), ins = self.constants("mass", rows, links)
            ins["own"] = (o, LaneRows(array))
            total = self.add_children(W, links, vector(o), ins)
            is_stored = links[0].joint.nv > 1 or any(k.index in self.children for k in links)
            outs = {"total": (total, array)} if is_stored else {}
            if links[0].parent:
                ins["d"] = (d, LaneRows("steps"))
                outs["up"] = (transform(total, mass, d), "")
            if outs:
                W.append_links("carried", links, ins, outs, within=True)
        return PackStage(tuple(W.packs))

    def composite_loads(self) -> PackStage:
        return self.inward(
            "loads",
            self.size,
            lambda x, mass, d: axes.LinkLoad.of(mass, x).moved(d).numbers(),
        )

    # columns and pairs -------------------------------------------------------------------
    def joints(self) -> tuple[axes.LinkLoad, Twist, Any, dict[str, np.ndarray]]:
        """Composite load, screw and armature of each lane, and the ports of constants."""
        screws = [s for k in self.links for s in self.screws(k)]
        rows = [[self.masses[k.index] for k, _ in self.lanes], *zip(*screws, strict=True)]
        values, ports = self.table("joints", [*rows, [k.armature[j] for k, j in self.lanes]])
        S = Twist(self.R @ values[1:4], self.R @ values[4:7])
        return axes.LinkLoad.of(values[0], self.load), S, values[7], ports

    def columns(self, count: int, added: Twist | None = None) -> LaneStage:
        """Columns of all joints, with `count` of their own derivatives; `added` accelerations."""
        load, S, armature, ports = self.joints()
        rate = Twist(self.r[:3], self.r[3:])
        ins = {**ports, "moving": self.m, "rates": self.r, "places": self.p, "loads": self.load}
        if added is not None:
            F = symbol_array(self.K, "w", 6)
            rate, load = rate + added, load._replace(F=load.F + Wrench.of(F))
            ins |= {"added": added.array, "wrenches": F}
        A = axes.spatial(self.V, rate.angular, rate.linear)
        V_P, A_P = self.V, A
        if self.has_compound_joints:
            b = ins["behind"] = symbol_array(self.K, "b", 12)
            V_P, A_P = Twist.of(b[:6]), Twist.of(b[6:])
            if added is not None:
                more = ins["added_behind"] = symbol_array(self.K, "y", 6)
                A_P = A_P + Twist.of(more)
        c = axes.column(load, S, self.V, A, V_P, A_P, self.p)
        diagonal = vector([*c.alone[:2], c.alone[2] + armature])[:count]
        outs = {"there": c.outboard(), "here": c.inboard(), "alone": diagonal}
        return LaneStage(array_program(self.K, "column", ins, outs))

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

    def pair_derivatives(self, names: tuple[str, ...]) -> Iterator[Pairs | BlockCopy | BorderStage]:
        """Stages that fill the effort derivatives `names` (dq, dv, da) by pairs of speeds.

        Of two speeds of one joint both are inner: what goes to columns is right (DE.14).
        """
        within = [
            (j, i)
            for k in self.links
            for i in range(k.v.start, k.v.stop)
            for j in range(i + 1, k.v.stop)
        ]
        pairs_of_speeds = tuple(x for x in (*self.ancestry, *within) if min(x) >= self.base_lanes)
        inner = axes.COLUMN_SIZE + axes.MOMENT_SIZE * self.outside
        t, h = symbol_array(self.K, "t", axes.COLUMN_SIZE), symbol_array(self.K, "h", inner)
        if pairs_of_speeds:
            by_q, by_v, M, *low = axes.pair(axes.outboard_part_of(t), axes.inboard_part_of(h))
            rows = [by_q, by_v, M][: len(names)]
            outs = {"rows": vector(rows), "low": vector([*low, M][: len(names)])}
            pair_program = array_program(self.K, "pair", {"there": t, "here": h}, outs)
            yield (pairs := Pairs(pair_program, pairs_of_speeds, names))
            yield BlockCopy("low", names, pairs)
        if self.base:
            ins = {"here": h, "places": self.p, "moving": self.m, "down": self.r[:3]}
            sides = axes.rim(axes.inboard_part_of(h), self.p, self.V, self.r[:3])
            outs = {
                n: vector(y for x in side[: len(names)] for y in x)
                for n, side in zip(("rows", "low"), sides, strict=True)
            }
            first = ("places", "moving", "down")
            yield BorderStage(array_program(self.K, "rim", ins, outs), names, first)
        yield BlockCopy("alone", names, first=self.base_lanes)

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
        yield LaneStage(array_program(K, "momentum", ins, outs))
        M, upper = matrix(((0,) * n,) * n), symbol_array(K, "M", n, n)
        pairs_of_speeds = self.ancestry
        t, h6 = symbol_array(K, "t", 6), symbol_array(K, "h", 6)
        parents, reads = forward_dynamics.speed_parents(tree), ("M", "known", "tau")
        rows = TreeFactorization(tuple(parents), reads, "a", "shared" * shared)
        vectors_pay = rows.operations["add"] > (
            thresholds.MIN_SCALAR_PER_VECTOR_SUMS * rows.vectors(self.width)
        )
        if self.base or (
            vectors_pay and len(pairs_of_speeds) >= thresholds.MIN_PAIRS_VECTOR_FACTORS
        ):
            pair_program = array_program(
                K, "mass", {"momenta": h6, "screws": t}, {"rows": vector([t @ h6])}
            )
            yield Pairs(
                pair_program, tuple((i, j) for j, i in pairs_of_speeds), ("M",), self.padded
            )
            yield rows
            return
        if pairs_of_speeds:
            ins = {"screws": t, "momenta": h6}
            yield Pairs(
                array_program(K, "mass", ins, {"rows": vector([t @ h6])}), pairs_of_speeds, ("M",)
            )
            for j, i in pairs_of_speeds:
                M[i, j] = M[j, i] = upper[j, i]
        known, tau = symbol_array(K, "k", 2, self.padded), self.s["tau"]
        for i in range(n):
            M[i, i] = known[0, i]
        rhs = tau - known[1, :n]
        ins = {"M": upper[: n if pairs_of_speeds else 0], "known": known, "tau": tau}
        factors = forward_dynamics.factorized(K, M, parents)
        a = factors.solve(rhs)
        outs = {"shared": factors.numbers(), "a": a} if shared else {"a": a}
        yield Straight(array_program(K, "factors", ins, outs))

    def accelerated_loads(self) -> Iterator[PackStage | LaneStage]:
        """What the accelerations add to motion and wrenches."""
        K, W = self.K, StepWriter(self.K)
        for links in self.groups:
            k = links[0]
            m, a, d = (
                symbol_array(K, "m", 9),
                symbol_array(K, "a", k.joint.nv),
                symbol_array(K, "d", 3),
            )
            R, parent_twist = m.reshape(3, 3), Twist()
            ins = {"moving": (m, LaneRows("moving")), "a": (a, ContiguousNumbers("a", k.v.start))}
            ins["p"] = (self.s["p"], AllLanes("p"))
            if k.parent:
                u = symbol_array(K, "u", 6)
                ins["up"] = (u, W.pick("added", "added", [x.parent for x in links]))
                ins["d"] = (d, LaneRows("steps"))
                parent_twist = axes.shift_twist(Twist.of(u), d)
            twist = parent_twist
            for s, x in zip(self.screws(k), a, strict=True):
                twist = twist + Twist(R @ s[:3], R @ s[3:]) * x
            outs = {"added": (twist.array, "added")}
            if self.has_compound_joints:
                stored_twist = twist if k.joint.nv == 1 else parent_twist
                outs["before"] = (stored_twist.array, "added_behind")
            W.append_links("added", links, ins, outs, follows=True)
        yield PackStage(tuple(W.packs))
        mass, ports = self.table("masses", [[0 if j else k.inertia.mass for k, j in self.lanes]])
        i, x = symbol_array(K, "i", 9), symbol_array(K, "x", 6)
        F = Inertia(mass[0], i[:3], i[3:]) @ Twist.of(x)
        yield LaneStage(
            array_program(K, "added", {**ports, "inertia": i, "added": x}, {"wrenches": F.array})
        )
        yield self.inward(
            "wrenches", 6, lambda x, mass, d: Pose(p=d).push_wrench(Wrench.of(x)).array
        )
