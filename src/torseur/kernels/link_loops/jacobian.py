"""Derivatives of the flow of a tree by its whole state: passes over links, once for each direction.

The graph of all of them grows faster than the square of the speeds; here the steps of `rolled`
carry a derivative beside every number, and their text does not grow with the links.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from ...compiler import Mixed, Piece, PiecedDerivatives, Port
from ...scalars import Node, vector
from ..repeated_blocks.frontal_factorization import slot_table
from ..repeated_blocks.writer import BlockWriter
from . import passes
from .kernel import lean

OWN = ("link", "parent")  # what numbers of links are indexed by


def build_jacobian_loop(system) -> PiecedDerivatives:
    """Derivatives of the rates by the state and by time."""
    return _Links(system).written()


class _Links:
    """Memory and steps of one kernel."""

    def __init__(self, system):
        self.system, over = system, lean(system, late=True)
        self.tree, self.K = over.tree, over.tree.K
        assert over.given is not None
        self.given, self.start, self.rises = over.given, over.start, over.rises
        self.kinds = passes.kinds(self.tree)
        carries = system.rheonomic and system.layout.keeps_books
        self.passes = (*passes.FORWARD, *[passes.CARRY] * carries, passes.RATES)
        most = max(k.joint.nv for k in self.tree.links)
        widths: passes.Widths = {**passes.FORWARD_WIDTHS, "supply": 1}
        self.whole: dict[str, int] = {b: w(most) if callable(w) else w for b, w in widths.items()}
        world = {"V": [3 + i for i in self.rises]}
        self.live = passes.alive(self.kinds, self.passes, self.whole, world)
        bare: Any = SimpleNamespace(system=system, named={})
        self.w = BlockWriter(bare, derives=True)

    def written(self) -> PiecedDerivatives:
        w, s, n = self.w, self.system, len(self.tree.links) + 1
        at = dict(w.inputs)
        sizes = {"tau": s.nv, "vdot": s.nv, "qdot": s.nq, "zdot": w.sizes["z"]}
        self.at = at | {x: w.reserve(size, clear=True) for x, size in sizes.items()}
        self.at |= {"a": self.at["vdot"], "supply": self.at["zdot"] + s.layout.books.start + 1}
        self.rows = {
            (b, late): w.reserve(len(self.live[b]) * n, clear=True)
            for b in self.live
            for late in (False, True)
        }  # an outward pass that comes late has twists of its own: accelerations
        self._numbers()
        w.write_trigonometry(at["q"])
        for x, turn in (("cos", lambda q: q.kind.cos(q)), ("sin", lambda q: q.kind.sin(q))):
            self.at[x] = w.gather(x, turn, list(range(at["q"], at["q"] + s.nq)))
        tau = self.at["tau"]
        w.write_elements(lambda i: tau + i, self.at["zdot"], at)
        for step in self.passes:
            self._pass(step)
        state = [at[x] + i for x in "qvz" for i in range(w.sizes[x])]
        found = [self.at[x] + i for x in ("qdot", "vdot", "zdot") for i in range(sizes[x])]
        size = len(state)
        shown = Port("J", (size, size)), Port("ft", (size,))
        return w.derivatives([*state, at["t"]], found, shown)

    def _numbers(self) -> None:
        """Numbers that parameters and the time make, and those that share a place with them."""
        K, links = self.K, self.tree.links
        known: dict[float, int] = {}
        made: list[Any] = []
        every = {k.index: passes.numbers(k, K) for k in links}

        def place(x) -> int:
            key = x.x.element_hash() if isinstance(x, Node) else float(x)
            if key not in known:
                known[key] = len(made)
                made.append(x)
            return known[key]

        self.constants: list[np.ndarray] = []
        self.read: list[list[list[int]]] = []
        self.late: list[list[int]] = []
        for kind in self.kinds:
            own = [[every[i][j] for j in kind.slots] for i in kind.members]
            late = [j for j, c in enumerate(zip(*own, strict=True)) if any(map(_named, c))]
            fixed = [j for j in range(len(kind.slots)) if j not in late]
            self.late.append(late)
            rows = [[_float(row[j]) for j in fixed] for row in own]
            self.constants.append(np.array(rows, dtype=float).reshape(len(own), len(fixed)))
            self.read.append([[place(row[j]) for j in late] for row in own])
        rises = [place(self.start[i]) for i in self.rises]
        self.first = self.w.reserve(len(made))
        if made:
            x = K.sx(np.concatenate([self.given.t, self.given.p]))
            y = K.lib.densify(K.sx(vector(made)))
            f = K.lib.Function("numbers", [K.lib.SX(0, 1), x], [y])
            at = [self.w.inputs["t"], *(self.w.inputs["p"] + i for i in range(len(self.given.p)))]
            to = [self.first + i for i in range(len(made))]
            self._put("numbers", f, np.zeros((1, 0)), [at], [to])
        world = self.rows["V", True]
        held = [self.live["V"].index(3 + i) for i in self.rises if 3 + i in self.live["V"]]
        kept = [k for i, k in zip(self.rises, rises, strict=True) if 3 + i in self.live["V"]]
        if held:
            writes = [world + i for i in held]
            self.w.steps.append(
                self.w.map_formula("world", lambda x: x, [[self.first + k for k in kept]], writes)
            )

    def _put(self, name, f, constants, reads, writes, adds=()) -> None:
        own = slot_table(reads), slot_table(writes)
        self.w.steps.append(Piece(name, self.w.compile_function(f), constants, *own, adds))

    def _slots(self, port, k, late: bool, count: int) -> list[int]:
        """Where a port of a step on link k begins, and what follows."""
        if port.by in OWN:
            row = k.index if port.by == "link" else k.parent
            own = late and port.buffer == "V"
            first = self.rows[port.buffer, own] + row * len(self.live[port.buffer])
        else:
            own = {"q": k.q.start, "v": k.v.start, "whole": 0}[port.by]
            first = self.at[port.buffer] + own
        return list(range(first, first + count))

    def _pass(self, step) -> None:
        """One loop over the links: a piece of each kind, in the order of the tree."""
        late, pieces = step.name in ("forward", "carry"), list[Piece]()
        for n, kind in enumerate(self.kinds):
            f, lib = passes.function(kind, step, self.whole, self.live), kind.K.lib
            count = len(kind.slots)
            c, x = lib.SX.sym("c", count - len(self.late[n])), lib.SX.sym("x", len(self.late[n]))
            fixed = [j for j in range(count) if j not in self.late[n]]
            symbols = lib.SX(count, 1)
            for i, j in enumerate(fixed):
                symbols[j] = c[i]
            for i, j in enumerate(self.late[n]):
                symbols[j] = x[i]
            sizes = [f.size1_in(i + 1) for i in range(len(step.inputs))]
            ports = [lib.SX.sym(f"y{i}", size) for i, size in enumerate(sizes)]
            made = f.call([symbols, *ports])
            made = [lib.densify(y) for y in made]
            told = [y.numel() for y in made]
            g = lib.Function(step.name, [c, lib.vertcat(x, *ports)], [lib.vertcat(*made)])
            reads, writes = [], []
            for i, row in zip(kind.members, self.read[n], strict=True):
                k = self.tree.links[i - 1]
                own = [self.first + j for j in row]
                for port, size in zip(step.inputs, sizes, strict=True):
                    own += self._slots(port, k, late, size)
                reads.append(own)
                to = zip(step.outputs, told, strict=True)
                writes.append([j for port, size in to for j in self._slots(port, k, late, size)])
            adds: list[int] = []
            first = 0
            for port, size in zip(step.outputs, told, strict=True):
                adds += range(first, first + size) if port.add else ()
                first += size
            slots = self.constants[n], slot_table(reads), slot_table(writes), tuple(adds)
            pieces.append(Piece(f"{step.name}{n}", self.w.compile_function(g), *slots))
        places = {i: (n, r) for n, k in enumerate(self.kinds) for r, i in enumerate(k.members)}
        links = self.tree.links if step.outward else reversed(self.tree.links)
        order = np.array([places[k.index] for k in links], dtype=np.int64)
        self.w.steps.append(Mixed(tuple(pieces), order))


def _float(x) -> float:
    return float(x.x if isinstance(x, Node) else x)


def _named(x) -> bool:
    return isinstance(x, Node) and not x.x.is_constant()
