"""Terms of the equation of motion of mechanisms with many loops, evaluated class by class.

CasADi interprets one small function a class for all members at all states.  Nothing is compiled.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from ...system import System, once
from .block_classes import ConstraintClass, SubtreeClass, is_nonzero
from .structure import BlockStructure, analyze_structure


@once()
def block_terms(system: System) -> BlockTerms:
    """The evaluator of a system, made once."""
    return BlockTerms(analyze_structure(system))


class BlockTerms:
    """Quantities at some states, each output (states, *shape): the same as their formulas."""

    def __init__(self, structure: BlockStructure):
        self.structure, self.system = structure, structure.system
        self._functions: dict = {}
        self._named = np.zeros((1, 0))  # numbers that are made of parameters, a row or one a state
        self._lock = threading.RLock()

    def __call__(self, name: str, *given, p: Any = None) -> list[np.ndarray]:
        """Of arrays of one state a row, in the order of the ports of the quantity; `p` are the
        parameters, of all or one row each, their values in the model when left out."""
        own = [*self.system.parameters.values()] if p is None else p
        with self._lock:
            if self.structure.named:
                found = self.structure.from_parameters(
                    [], np.atleast_2d(np.array(own, dtype=float)).T
                )
                self._named = np.array(found).T
            return self._made(name, given)

    def _made(self, name: str, given) -> list[np.ndarray]:
        arrays = (np.asarray(x, dtype=float) for x in given)
        return getattr(self, name)(*(x[:, None] if x.ndim == 1 else x for x in arrays))

    def constrained_terms(self, t, q, v) -> list[np.ndarray]:
        rows = self._rows(t, q, v)
        M, h = self._masses(q, v)
        return [M, h, *(rows[x] for x in ("phi", "psi", "J", "gamma"))]

    def constraint_positions(self, t, q) -> list[np.ndarray]:
        rows = self._rows(t, q, np.zeros((len(q), self.system.nv)))
        return [rows["phi"], rows["J"][:, : rows["phi"].shape[1]]]

    def constraint_jacobian(self, q, t) -> list[np.ndarray]:
        return [self._rows(t, q, np.zeros((len(q), self.system.nv)))["J"]]

    def openness(self, t, q, v) -> list[np.ndarray]:
        rows = self._rows(t, q, v, ("phi", "psi"))
        return [rows["phi"], rows["psi"]]

    def turned(self, t, q) -> list[np.ndarray]:
        out = [np.zeros((len(q), 0))] * len(self.system.held)
        for kind in self.structure.constraints:
            y = kind.element.turned(kind.tree, kind.columns)
            found = self._by_kind(("turned", kind), kind, [*kind.symbols["q"]], y, [(q, kind.q)])
            for k, member in enumerate(kind.members):
                out[member] = found[:, k]
        return out

    def _by_kind(self, key, kind: ConstraintClass | SubtreeClass, x, y, parts) -> np.ndarray:
        """Numbers of every member at every state, (states, members, numbers)."""
        states, members = len(parts[0][0]), len(kind.q)
        if not len(y):
            return np.zeros((states, members, 0))
        f = self._functions.get(key)
        if f is None:
            f = self._functions[key] = kind.template.function(x, y)
        own = self._named[:, self.structure.named_indices(kind)]
        own = np.broadcast_to(own, (states, *own.shape[1:]))
        read = [a[:, np.array(at, dtype=int)] for a, at in parts]
        columns = np.concatenate([*read, own], axis=2)
        constants = np.tile(kind.template.constants, (states, 1))
        n = states * members
        found = f.map(n)(constants.T, columns.reshape(n, -1).T)
        return np.array(found).T.reshape(states, members, -1)

    def _masses(self, q, v) -> tuple[np.ndarray, np.ndarray]:
        nv = self.system.nv
        M, h = np.zeros((len(q), nv, nv)), np.zeros((len(q), nv))
        for kind in self.structure.trees:
            entries, bias = kind.terms
            at, n = kind.symbols, len(kind.pattern)
            y = [*(entries[e] for e in kind.pattern), *bias]
            parts = [(q, kind.q), (v, kind.v)]
            found = self._by_kind(("masses", kind), kind, [*at["q"], *at["v"]], y, parts)
            own = np.array(kind.v, dtype=int)
            for k, (i, j) in enumerate(kind.pattern):
                M[:, own[:, i], own[:, j]] = M[:, own[:, j], own[:, i]] = found[:, :, k]
            h[:, own] = found[:, :, n:]
        return M, h

    def _rows(self, t, q, v, some=("phi", "psi", "J", "gamma")) -> dict[str, np.ndarray]:
        s, n = self.structure, len(q)
        sizes = {"phi": (len(s.places),), "J": (s.rows, self.system.nv)}
        out = {x: np.zeros((n, *sizes.get(x, (s.rows,)))) for x in some}
        place = {row: k for k, row in enumerate(s.places)}
        for kind in s.constraints:
            filled = [
                (i, j) for i, row in enumerate(kind.J) for j, x in enumerate(row) if is_nonzero(x)
            ]
            y = {"phi": kind.phi, "psi": kind.psi, "gamma": kind.gamma}
            y["J"] = [kind.J[i][j] for i, j in filled]
            x = [kind.t, *kind.kept, *kind.symbols["q"], *kind.symbols["v"]]
            none = np.zeros((n, len(kind.kept)))  # nothing is remembered: the time says it
            kept = [[*range(len(kind.kept))]] * len(kind.q)
            parts = [(t, [[0]] * len(kind.q)), (none, kept), (q, kind.q), (v, kind.v)]
            every = [e for name in some for e in y[name]]
            found = self._by_kind((*some, kind), kind, x, every, parts)
            cuts = np.cumsum([len(y[name]) for name in some])[:-1]
            own = dict(zip(some, np.split(found, cuts, axis=2), strict=True))
            first = s.first[kind.members]
            for name in some:
                rows = first[:, None] + np.arange(len(y[name]))
                if name == "J":
                    v_at = np.array(kind.v, dtype=int)
                    for k, (i, j) in enumerate(filled):
                        out["J"][:, first + i, v_at[:, j]] = own["J"][:, :, k]
                elif name == "phi":
                    at = np.array([[place[r] for r in own_rows] for own_rows in rows], dtype=int)
                    out["phi"][:, at.reshape(rows.shape)] = own["phi"]
                else:
                    out[name][:, rows] = own[name]
        return out
