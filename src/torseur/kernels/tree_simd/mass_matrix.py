"""SIMD composite-body algorithm for the mass matrix: columns fill the lanes.  Theory: CB.4.

The momenta of all columns outboard of a joint are transformed through it together.  Their products
with the axis of the next joint are a row of the matrix.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ...compiler import AllLanes, OneLane, PackStage, PickedLanes, Port, Straight, TreeSimdProgram
from ...scalars import vector
from ...spatial import Inertia, Momentum, Twist
from .entry_points import build_kernel
from .kinematics import TreeSteps
from .program import StepWriter, symbol_array
from .register import simd_variant

if TYPE_CHECKING:
    from ...quantities import SymbolicSystem


class ColumnAddress(NamedTuple):
    """Step, lane and port that hold the momentum of a column."""

    column: int
    pack: int
    lane: int
    port: str


class MassMatrixSteps(TreeSteps):
    """Steps from tips to root: composite inertias, then momenta of columns."""

    def __init__(self, scene: SymbolicSystem, lanes: int):
        super().__init__(scene, lanes)
        self.max_lanes = lanes
        self.columns_of: dict[int, list[list[ColumnAddress]]] = {k.index: [] for k in self.links}
        nq = scene.system.nq
        self.coordinates = {x: symbol_array(self.K, x, nq) for x in ("q", "cosines", "sines")}

    def stages(self) -> Iterator[Straight | PackStage]:
        """Trigonometry, then all steps from tips to root."""
        W, trigonometric = StepWriter(self.K), set()
        by_index = {k.index: k for k in self.links}
        for group in reversed(self.groups):
            self.write_composite(W, group)
            trigonometric |= self.trigonometric_coordinates(W.packs[-1].program, group)
            for k in group:
                for columns in self.pack_columns(k) if k.parent else ():
                    trigonometric |= self.write_columns(W, k, by_index[k.parent], columns)
        yield self.trigonometry(trigonometric)
        yield PackStage(tuple(W.packs))

    def write_composite(self, W: StepWriter, links) -> None:
        """Composite inertia of links in frames of their parents, and momenta of their joints."""
        K, k, n, S = self.K, links[0], self.n, self.screws(links[0])
        link, x, ins = self.fixed(links)
        tables: dict[str, Any] = {}
        for name, columns in (
            ("body", [y.inertia.parameters()[1:] for y in links]),
            ("rotor", [y.armature for y in links]),
            ("mass", [[self.masses[y.index]] for y in links]),
        ):
            tables[name], more = self.constants(name, [*zip(*columns, strict=True)], links)
            ins |= more
        nine = self.add_children(W, links, tables["body"], ins)
        I = Inertia(tables["mass"][0], nine[:3], nine[3:])
        h = [(I @ Twist.of(s)).array for s in S]  # CB.2
        outs: dict[str, tuple] = {f"h{i}": (y, "") for i, y in enumerate(h)}
        pairs = [(i, j) for i in range(len(S)) for j in range(i + 1)]
        entries = [S[j] @ h[i] + (tables["rotor"][i] if i == j else 0) for i, j in pairs]
        outs["own"] = (vector(entries), "M")
        if k.parent:
            up = I.moved(link.X_PF @ link.joint.pose(K, x))  # CB.1
            outs["up"] = (up.parameters()[1:], "")
        starts, number = [y.v.start for y in links], len(W.packs)
        places = tuple(tuple(_mirrored_indices(s + i, s + j, n) for s in starts) for i, j in pairs)
        W.append_links("carried", links, ins, outs, places={"own": places})
        for lane, y in enumerate(links):
            new = [ColumnAddress(y.v.start + i, number, lane, f"h{i}") for i in range(len(S))]
            self.columns_of[y.index].append(new)

    def pack_columns(self, k) -> list[list[ColumnAddress]]:
        """Columns outboard of a joint, packed into as few registers as possible."""
        packs: list[list[ColumnAddress]] = []
        for part in sorted(self.columns_of[k.index], key=len, reverse=True):
            pack = next((p for p in packs if len(p) + len(part) <= self.max_lanes), None)
            if pack is None:
                packs.append([*part])
            else:
                pack += part
        return packs

    def write_columns(self, W: StepWriter, k, parent, columns: list[ColumnAddress]) -> set[int]:
        """Transform momenta of columns through a joint, and store their row of the matrix: CB.4.

        Returns the coordinates whose sines are read.
        """
        K, h, number = self.K, symbol_array(self.K, "h", 6), len(W.packs)
        link, x, ins = self.standing("step", [k], *(y[k.q] for y in self.coordinates.values()))
        X = link.X_PF @ link.joint.pose(K, x)
        transformed = X.push_momentum(Momentum.of(h)).array
        rows = vector([s @ transformed for s in self.screws(parent)])  # CB.3
        lanes, ports = tuple((c.pack, c.lane) for c in columns), tuple(c.port for c in columns)
        ins |= {n: (y, AllLanes(n)) for n, y in self.coordinates.items()}
        ins |= {"step_p": (ins["step_p"][0], OneLane("step_p", k.v.start))}
        ins["h"] = (h, PickedLanes("", lanes, ports))
        places = tuple(
            tuple(_mirrored_indices(r, c.column, self.n) for c in columns)
            for r in range(parent.v.start, parent.v.stop)
        )
        outs = {"h0": (transformed, ""), "rows": (rows, "M")}
        W.append_lanes("through", [parent], 0, len(columns), ins, outs, places={"rows": places})
        new = [ColumnAddress(c.column, number, lane, "h0") for lane, c in enumerate(columns)]
        self.columns_of[parent.index].append(new)
        compiled = W.packs[-1].program
        trigonometric_ports = {
            n for n, p in enumerate(compiled.inputs) if p.name in ("cosines", "sines")
        }
        return {n[2] for n in compiled.nodes if n[0] == "input" and n[1] in trigonometric_ports}


def _mirrored_indices(i: int, j: int, n: int) -> tuple[int, ...]:
    """Indices of an entry and its mirror."""
    return (i * n + i,) if i == j else (i * n + j, j * n + i)


@simd_variant("mass_matrix")
def mass_matrix(scene: SymbolicSystem, lanes: int) -> TreeSimdProgram:
    """The mass matrix."""
    plan = MassMatrixSteps(scene, lanes)
    return build_kernel(plan, "q", (Port("M", (plan.n,) * 2),), [*plan.stages()])
