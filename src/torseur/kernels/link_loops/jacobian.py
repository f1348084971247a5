"""Jacobian of the flow of a tree by forward differentiation of the passes over links.

A graph of all derivatives grows faster than the square of the speeds.  Here each pass propagates a
directional derivative beside every number, once for each direction.  The code does not grow with
the links.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...compiler import OrderedBlocks, Piece, Port, RepeatedBlockDerivatives
from ...scalars import Node, vector
from ..repeated_blocks.frontal_factorization import slot_table
from ..repeated_blocks.writer import BlockWriter
from . import passes
from .build_loops import reduce_tree

if TYPE_CHECKING:
    from ...system import System

LINK_INDICES = ("link", "parent")  # what numbers of links are indexed by


def build_jacobian_loop(system: System) -> RepeatedBlockDerivatives:
    """Derivatives of the rates by the state and by time."""
    return JacobianLoops(system).build()


class JacobianLoops:
    """Work memory and steps of one kernel."""

    def __init__(self, system: System):
        self.system, reduced = system, reduce_tree(system, keeps_expressions=True)
        self.tree, self.K = reduced.tree, reduced.tree.K
        assert reduced.inputs is not None
        self.inputs, self.start, self.gravity_axes = (
            reduced.inputs,
            reduced.start,
            reduced.gravity_axes,
        )
        self.kinds = passes.link_classes(self.tree)
        carries = system.rheonomic and system.layout.has_energies
        self.passes = (*passes.FORWARD, *[passes.CARRY] * carries, passes.RATES)
        max_speeds = max(k.joint.nv for k in self.tree.links)
        widths: passes.Widths = {**passes.FORWARD_WIDTHS, "supply": 1}
        self.max_widths: dict[str, int] = {
            b: w(max_speeds) if callable(w) else w for b, w in widths.items()
        }
        base_entries = {"V": [3 + i for i in self.gravity_axes]}
        self.live = passes.find_live_entries(self.kinds, self.passes, self.max_widths, base_entries)
        structure: Any = SimpleNamespace(system=system, named={})
        self.w = BlockWriter(structure, derives=True)

    def build(self) -> RepeatedBlockDerivatives:
        """The kernel of the Jacobian by the state and by time."""
        w, s, n = self.w, self.system, len(self.tree.links) + 1
        inputs = dict(w.inputs)
        sizes = {"tau": s.nv, "vdot": s.nv, "qdot": s.nq, "zdot": w.sizes["z"]}
        self.ports = inputs | {x: w.reserve(size, clear=True) for x, size in sizes.items()}
        self.ports |= {
            "a": self.ports["vdot"],
            "supply": self.ports["zdot"] + s.layout.books.start + 1,
        }
        self.rows = {
            (b, is_second_outward): w.reserve(len(self.live[b]) * n, clear=True)
            for b in self.live
            for is_second_outward in (False, True)
        }  # an outward pass that comes late has twists of its own: accelerations
        self._write_link_numbers()
        w.write_trigonometry(inputs["q"])
        for x, function in (("cos", lambda q: q.kind.cos(q)), ("sin", lambda q: q.kind.sin(q))):
            self.ports[x] = w.gather(x, function, list(range(inputs["q"], inputs["q"] + s.nq)))
        tau = self.ports["tau"]
        w.write_elements(lambda i: tau + i, self.ports["zdot"], inputs)
        for step in self.passes:
            self._write_pass(step)
        state = [inputs[x] + i for x in "qvz" for i in range(w.sizes[x])]
        rates = [self.ports[x] + i for x in ("qdot", "vdot", "zdot") for i in range(sizes[x])]
        size = len(state)
        outputs = Port("J", (size, size)), Port("ft", (size,))
        return w.derivatives([*state, inputs["t"]], rates, outputs)

    def _write_link_numbers(self) -> None:
        """Write the expressions of parameters and the time, each once."""
        K, links = self.K, self.tree.links
        indices: dict[float, int] = {}
        expressions: list[Any] = []
        numbers_of = {k.index: passes.link_numbers(k, K) for k in links}

        def index_of(x) -> int:
            key = x.x.element_hash() if isinstance(x, Node) else float(x)
            if key not in indices:
                indices[key] = len(expressions)
                expressions.append(x)
            return indices[key]

        self.constants: list[np.ndarray] = []
        self.expression_indices: list[list[list[int]]] = []
        self.expression_slots: list[list[int]] = []
        for kind in self.kinds:
            rows_of_numbers = [[numbers_of[i][j] for j in kind.slots] for i in kind.members]
            variable = [
                j
                for j, c in enumerate(zip(*rows_of_numbers, strict=True))
                if any(map(is_expression, c))
            ]
            fixed = [j for j in range(len(kind.slots)) if j not in variable]
            self.expression_slots.append(variable)
            rows = [[to_float(row[j]) for j in fixed] for row in rows_of_numbers]
            self.constants.append(
                np.array(rows, dtype=float).reshape(len(rows_of_numbers), len(fixed))
            )
            self.expression_indices.append(
                [[index_of(row[j]) for j in variable] for row in rows_of_numbers]
            )
        gravity = [index_of(self.start[i]) for i in self.gravity_axes]
        self.first = self.w.reserve(len(expressions))
        if expressions:
            x = K.sx(np.concatenate([self.inputs.t, self.inputs.p]))
            y = K.lib.densify(K.sx(vector(expressions)))
            f = K.lib.Function("numbers", [K.lib.SX(0, 1), x], [y])
            reads = [
                self.w.inputs["t"],
                *(self.w.inputs["p"] + i for i in range(len(self.inputs.p))),
            ]
            writes_numbers = [self.first + i for i in range(len(expressions))]
            self._append_step("numbers", f, np.zeros((1, 0)), [reads], [writes_numbers])
        base_slot = self.rows["V", True]
        base_indices = [
            self.live["V"].index(3 + i) for i in self.gravity_axes if 3 + i in self.live["V"]
        ]
        gravity_slots = [
            k for i, k in zip(self.gravity_axes, gravity, strict=True) if 3 + i in self.live["V"]
        ]
        if base_indices:
            writes = [base_slot + i for i in base_indices]
            self.w.steps.append(
                self.w.map_formula(
                    "world", lambda x: x, [[self.first + k for k in gravity_slots]], writes
                )
            )

    def _append_step(self, name: str, f, constants, reads, writes, adds=()) -> None:
        tables = slot_table(reads), slot_table(writes)
        self.w.steps.append(Piece(name, self.w.compile_function(f), constants, *tables, adds))

    def _slots(self, port, k, is_second_outward: bool, count: int) -> list[int]:
        """Slots of a port of a step on link k."""
        if port.by in LINK_INDICES:
            row = k.index if port.by == "link" else k.parent
            offset = is_second_outward and port.buffer == "V"
            first = self.rows[port.buffer, offset] + row * len(self.live[port.buffer])
        else:
            offset = {"q": k.q.start, "v": k.v.start, "whole": 0}[port.by]
            first = self.ports[port.buffer] + offset
        return list(range(first, first + count))

    def _write_pass(self, step) -> None:
        """One loop over the links: a program for each class, in the order of the tree."""
        is_second_outward, pieces = step.name in ("forward", "carry"), list[Piece]()
        for n, kind in enumerate(self.kinds):
            f, lib = passes.pass_function(kind, step, self.max_widths, self.live), kind.K.lib
            count = len(kind.slots)
            c, x = (
                lib.SX.sym("c", count - len(self.expression_slots[n])),
                lib.SX.sym("x", len(self.expression_slots[n])),
            )
            fixed = [j for j in range(count) if j not in self.expression_slots[n]]
            symbols = lib.SX(count, 1)
            for i, j in enumerate(fixed):
                symbols[j] = c[i]
            for i, j in enumerate(self.expression_slots[n]):
                symbols[j] = x[i]
            sizes = [f.size1_in(i + 1) for i in range(len(step.inputs))]
            ports = [lib.SX.sym(f"y{i}", size) for i, size in enumerate(sizes)]
            results = f.call([symbols, *ports])
            results = [lib.densify(y) for y in results]
            result_sizes = [y.numel() for y in results]
            g = lib.Function(step.name, [c, lib.vertcat(x, *ports)], [lib.vertcat(*results)])
            reads, writes = [], []
            for i, row in zip(kind.members, self.expression_indices[n], strict=True):
                k = self.tree.links[i - 1]
                slots_read = [self.first + j for j in row]
                for port, size in zip(step.inputs, sizes, strict=True):
                    slots_read += self._slots(port, k, is_second_outward, size)
                reads.append(slots_read)
                to = zip(step.outputs, result_sizes, strict=True)
                writes.append(
                    [j for port, size in to for j in self._slots(port, k, is_second_outward, size)]
                )
            adds: list[int] = []
            first = 0
            for port, size in zip(step.outputs, result_sizes, strict=True):
                adds += range(first, first + size) if port.add else ()
                first += size
            slots = self.constants[n], slot_table(reads), slot_table(writes), tuple(adds)
            pieces.append(Piece(f"{step.name}{n}", self.w.compile_function(g), *slots))
        members = {i: (n, r) for n, k in enumerate(self.kinds) for r, i in enumerate(k.members)}
        links = self.tree.links if step.outward else reversed(self.tree.links)
        order = np.array([members[k.index] for k in links], dtype=np.int64)
        self.w.steps.append(OrderedBlocks(tuple(pieces), order))


def to_float(x) -> float:
    return float(x.x if isinstance(x, Node) else x)


def is_expression(x) -> bool:
    return isinstance(x, Node) and not x.x.is_constant()
