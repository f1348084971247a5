"""The mass matrix with columns side by side: momenta of all that a joint carries go through it
together, in vectors, and leave a row there.  Theory: CB.4."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ...compiler import AllLanes, OneLane, Picked, Port, Sidewise, Straight, Woven
from ...scalars import vector
from ...spatial import Inertia, Momentum, Twist
from .entry_points import made
from .kinematics import StageMotion
from .program import Weaver, symbols
from .register import simd_variant


class ColumnPlace(NamedTuple):
    """Where the momentum of a column is: in which pack, lane and port."""

    column: int
    pack: int
    lane: int
    port: str


class Momenta(StageMotion):
    """From tips to root: inertias, neighbors together; momenta, all that a joint carries."""

    def __init__(self, scene, lanes: int):
        super().__init__(scene, lanes)
        self.most = lanes
        self.held: dict[int, list[list[ColumnPlace]]] = {k.index: [] for k in self.links}
        nq = scene.system.nq
        self.all = {x: symbols(self.K, x, nq) for x in ("q", "cosines", "sines")}

    def stages(self) -> Iterator[Straight | Woven]:
        W, used = Weaver(self.K), set()
        by_index = {k.index: k for k in self.links}
        for group in reversed(self.groups):
            self.carried(W, group)
            used |= self.turning(W.packs[-1].program, group)
            for k in group:
                for columns in self.together(k) if k.parent else ():
                    used |= self.through(W, k, by_index[k.parent], columns)
        yield self.angles(used)
        yield Woven(tuple(W.packs))

    def carried(self, W: Weaver, links) -> None:
        """Of neighbors with all they carry: inertia in their parents, momenta of their joints."""
        K, k, n, S = self.K, links[0], self.n, self.screws(links[0])
        link, x, ins = self.fixed(links)
        known: dict[str, Any] = {}
        for name, columns in (
            ("body", [y.inertia.parameters()[1:] for y in links]),
            ("rotor", [y.armature for y in links]),
            ("mass", [[self.masses[y.index]] for y in links]),
        ):
            known[name], more = self.constants(name, [*zip(*columns, strict=True)], links)
            ins |= more
        nine = self.below(W, links, known["body"], ins)
        I = Inertia(known["mass"][0], nine[:3], nine[3:])
        h = [(I @ Twist.of(s)).array for s in S]  # CB.2
        outs: dict[str, tuple] = {f"h{i}": (y, "") for i, y in enumerate(h)}
        pairs = [(i, j) for i in range(len(S)) for j in range(i + 1)]
        own = [S[j] @ h[i] + (known["rotor"][i] if i == j else 0) for i, j in pairs]
        outs["own"] = (vector(own), "M")
        if k.parent:
            up = I.moved(link.X_PF @ link.joint.pose(K, x))  # CB.1
            outs["up"] = (up.parameters()[1:], "")
        starts, number = [y.v.start for y in links], len(W.packs)
        places = tuple(tuple(_both(s + i, s + j, n) for s in starts) for i, j in pairs)
        W.pack("carried", links, ins, outs, places={"own": places})
        for lane, y in enumerate(links):
            new = [ColumnPlace(y.v.start + i, number, lane, f"h{i}") for i in range(len(S))]
            self.held[y.index].append(new)

    def together(self, k) -> list[list[ColumnPlace]]:
        """Columns that a joint carries, as few vectors as that takes."""
        packs: list[list[ColumnPlace]] = []
        for part in sorted(self.held[k.index], key=len, reverse=True):
            room = next((p for p in packs if len(p) + len(part) <= self.most), None)
            if room is None:
                packs.append([*part])
            else:
                room += part
        return packs

    def through(self, W: Weaver, k, parent, columns: list[ColumnPlace]) -> set[int]:
        """Momenta of columns through a joint, and the rows that they leave at the next: CB.4; which
        sines that takes."""
        K, h, number = self.K, symbols(self.K, "h", 6), len(W.packs)
        link, x, ins = self.standing("step", [k], *(y[k.q] for y in self.all.values()))
        X = link.X_PF @ link.joint.pose(K, x)
        moved = X.push_momentum(Momentum.of(h)).array
        rows = vector([s @ moved for s in self.screws(parent)])  # CB.3
        lanes, ports = tuple((c.pack, c.lane) for c in columns), tuple(c.port for c in columns)
        ins |= {n: (y, AllLanes(n)) for n, y in self.all.items()}
        ins |= {"step_p": (ins["step_p"][0], OneLane("step_p", k.v.start))}
        ins["h"] = (h, Picked("", lanes, ports))
        places = tuple(
            tuple(_both(r, c.column, self.n) for c in columns)
            for r in range(parent.v.start, parent.v.stop)
        )
        outs = {"h0": (moved, ""), "rows": (rows, "M")}
        W.add("through", [parent], 0, len(columns), ins, outs, places={"rows": places})
        new = [ColumnPlace(c.column, number, lane, "h0") for lane, c in enumerate(columns)]
        self.held[parent.index].append(new)
        made = W.packs[-1].program
        turning = {n for n, p in enumerate(made.inputs) if p.name in ("cosines", "sines")}
        return {n[2] for n in made.nodes if n[0] == "input" and n[1] in turning}


def _both(i: int, j: int, n: int) -> tuple[int, ...]:
    """Places of an entry and its mirror."""
    return (i * n + i,) if i == j else (i * n + j, j * n + i)


@simd_variant("mass_matrix")
def mass_matrix(scene, lanes: int) -> Sidewise:
    """The mass matrix."""
    plan = Momenta(scene, lanes)
    return made(plan, "q", (Port("M", (plan.n,) * 2),), [*plan.stages()])
