"""Motion of links in common axes, neighbors of the tree side by side in vectors: the first of the
stages.  Theory: DE.10, DE.13."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from ...compiler import AllLanes, InOrder, LaneConstants, LaneRows, Program, Straight, Woven
from ...formalisms import composite_derivatives_common_axes as axes
from ...scalars import vector
from ...spatial import ONE3, ZERO3, General, Pose, Twist, none
from .. import thresholds
from .program import Given, Weaver, group_links, program, symbols, varying


class StageMotion:
    """Stages of one system, over its lean tree: a lane for each speed, the first of a joint for its
    link."""

    def __init__(self, scene, lanes: int, coriolis: bool = True):
        self.s, self.K, self.tree = scene, scene.K, scene.lean
        self.links, self.n = self.tree.links, scene.system.nv
        self.packed, self.wide = lanes, -(-self.n // lanes) * lanes
        self.groups = group_links(self.links, min(thresholds.MAX_LINKS_PER_REGISTER, lanes))
        self.lanes = [(k, j) for k in self.links for j in range(k.joint.nv)]
        self.base = self.afloat()
        self.rooted = 6 if self.base else 0  # lanes of the root that need no pairs
        self.several = any(k.joint.nv > 1 for k in self.links if k is not self.base)
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

    def afloat(self) -> Any:
        """The root, where it is a free body with speeds in its own axes and all others are on
        it."""
        k = self.links[0]
        if k.joint.nv != 6 or any(x.parent == 0 for x in self.links[1:]):
            return None
        numbers = [x for s in self.screws(k) for x in s]
        plain = all(isinstance(x, int | float) for x in numbers)
        same = plain and numbers == np.eye(6).ravel().tolist()
        return k if same and none(k.armature) else None

    def acting(self) -> dict[int, list[tuple[int, np.ndarray]]]:
        """Wrenches from outside by link: which, and at what point; the world holds its own."""
        found: dict[int, list[tuple[int, np.ndarray]]] = {}
        for i, name in enumerate(self.s.wrenches):
            place = self.s.single.tree.place(name)
            if place.link:
                x = (self.s.frames.frames[place.link].inverse() @ place.X_LB).p
                found.setdefault(place.link, []).append((i, x))
        return found

    def below(self, W: Weaver, links, own: np.ndarray, ins: dict) -> np.ndarray:
        """What links have of their own and what comes from all their children."""
        children = [self.children.get(k.index, []) for k in links]
        for r in range(max(map(len, children))):
            c = symbols(self.K, f"c{r}_", len(own))
            from_ = [x[r] if r < len(x) else None for x in children]
            ins[f"child{r}"] = (c, W.of("carried", "up", from_))
            own = own + c
        return own

    @staticmethod
    def turning(made: Program, links) -> set[int]:
        """Coordinates whose sines a text reads."""
        return {
            k.q.start + node[2]
            for node in made.nodes
            if node[0] == "input" and made.inputs[node[1]].name in ("cos", "sin")
            for k in links
        }

    # outward -----------------------------------------------------------------------------
    def angles(self, used: set[int]) -> Straight:
        """Cosines and sines of coordinates that turn."""
        K, q = self.K, self.s["q"]
        x = self.s.coordinates(q)
        cosines, sines = (
            [f(y) if i in used else 0 for i, y in enumerate(x)] for f in (K.cos, K.sin)
        )
        outs = {"cosines": cosines, "sines": sines}
        ins = {"q": q}
        if self.base and self.s.wrenches:
            k = self.base
            outs["attitude"] = (k.X_PF @ k.joint.pose(K, q[k.q])).R
            ins["p"] = self.s["p"]
        return Straight(program(K, "angles", ins, outs))

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
                if self.base and k.parent == self.base.index:
                    up = up._replace(R=ONE3)
            given = (x, v, a if moved else vector((0,) * k.joint.nv))
            if k is self.base:
                found, down = axes.afloat(K, link, self.tree.gravity, *given)
            else:
                found = axes.out(K, link, up, *given)
            outs = {
                "state": (vector([*found.R.ravel(), *found.V.array]), "moving"),
                "rates": (vector([*found.dw, *found.a]), "rates"),
                "step": (found.d, "steps"),
            }
            if k is self.base and self.coriolis:
                outs["down"] = (down, "down")
            if self.several and self.coriolis:
                before = (found.V, found.A) if k.joint.nv == 1 else (found.V_P, found.A_P)
                outs["behind"] = (vector([y for x in before for y in x.array]), "behind")
            W.pack("motion", links, ins, outs, follows=True)
            used |= self.turning(W.packs[-1].program, links)
        self.places(W)
        yield self.angles(used)
        yield Woven(tuple(W.packs))

    def fixed(self, links) -> tuple[Any, np.ndarray, dict]:
        """A link that stands for all of a pack: what differs are symbols."""
        K, k, n = self.K, links[0], links[0].joint.nq
        q, cos, sin = (symbols(K, x, n) for x in ("q", "cos", "sin"))
        link, x, ins = self.standing("fixed", links, q, cos, sin)
        ins |= {
            "q": (q, InOrder("q", k.q.start)),
            "cos": (cos, InOrder("cosines", k.q.start)),
            "sin": (sin, InOrder("sines", k.q.start)),
        }
        return link, x, ins

    def standing(self, name: str, links, q, cos, sin) -> tuple[Any, np.ndarray, dict]:
        """A link that stands for others, and its coordinates with their cosines and sines."""
        rows = [*zip(*(x.X_PF.R.ravel() for x in links), strict=True)]
        rows += [*zip(*(x.X_PF.p for x in links), strict=True)]
        rows += [*zip(*(self.s.frames.offsets[x.q] for x in links), strict=True)]
        numbers, ins = self.constants(name, rows, links)
        alike = all(isinstance(x, int | float) for x in numbers[:9])
        turn = links[0].X_PF.turns if alike else General(numbers[:9].reshape(3, 3))
        x = vector(a + b for a, b in zip(q, numbers[12:], strict=True))
        for known in zip(x, cos, sin, strict=True):
            self.K.known[id(known[0])] = known
        return replace(links[0], X_PF=Pose(turn, numbers[9:12])), x, ins

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
