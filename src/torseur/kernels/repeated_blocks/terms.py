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
    """Quantities at some states, each output (states, *shape).

    A method has the name of the quantity that it evaluates, and its ports as arguments.
    """

    def __init__(self, structure: BlockStructure):
        self.structure, self.system = structure, structure.system
        self._functions: dict = {}
        self._named = np.zeros((1, 0))  # expressions of parameters, one row or one for each state
        self._lock = threading.RLock()

    def __call__(self, name: str, *arrays: np.ndarray, p: Any = None) -> list[np.ndarray]:
        """Outputs of a quantity, of arrays of one state a row in the order of its ports.

        `p` holds the parameters, one row or one for each state, those of the model by default.
        """
        parameters = [*self.system.parameters.values()] if p is None else p
        with self._lock:
            if self.structure.named:
                columns = np.atleast_2d(np.array(parameters, dtype=float)).T
                self._named = np.array(self.structure.from_parameters([], columns)).T
            floats = (np.asarray(x, dtype=float) for x in arrays)
            return getattr(self, name)(*(x[:, None] if x.ndim == 1 else x for x in floats))

    def constrained_terms(self, t, q, v) -> list[np.ndarray]:
        rows = self._evaluate_rows(t, q, v)
        M, h = self._evaluate_masses(q, v)
        return [M, h, *(rows[x] for x in ("phi", "psi", "J", "gamma"))]

    def constraint_positions(self, t, q) -> list[np.ndarray]:
        rows = self._evaluate_rows(t, q, np.zeros((len(q), self.system.nv)))
        return [rows["phi"], rows["J"][:, : rows["phi"].shape[1]]]

    def constraint_jacobian(self, q, t) -> list[np.ndarray]:
        return [self._evaluate_rows(t, q, np.zeros((len(q), self.system.nv)))["J"]]

    def openness(self, t, q, v) -> list[np.ndarray]:
        rows = self._evaluate_rows(t, q, v, ("phi", "psi"))
        return [rows["phi"], rows["psi"]]

    def turned(self, t, q) -> list[np.ndarray]:
        out = [np.zeros((len(q), 0))] * len(self.system.held)
        for c in self.structure.constraints:
            y = c.element.turned(c.tree, c.columns)
            values = self._evaluate_class(("turned", c), c, [*c.symbols["q"]], y, [(q, c.q)])
            for k, member in enumerate(c.members):
                out[member] = values[:, k]
        return out

    def _evaluate_class(
        self, key, block_class: ConstraintClass | SubtreeClass, x, y, parts
    ) -> np.ndarray:
        """Numbers y of every member at every state, (states, members, numbers).

        `x` are the symbols that y is a function of, and `parts` the arrays and columns of their
        values.
        """
        states, members = len(parts[0][0]), len(block_class.q)
        if not len(y):
            return np.zeros((states, members, 0))
        f = self._functions.get(key)
        if f is None:
            f = self._functions[key] = block_class.template.function(x, y)
        named = self._named[:, self.structure.named_indices(block_class)]
        named = np.broadcast_to(named, (states, *named.shape[1:]))
        values = [a[:, np.array(columns, dtype=int)] for a, columns in parts]
        arguments = np.concatenate([*values, named], axis=2)
        constants = np.tile(block_class.template.constants, (states, 1))
        n = states * members
        results = f.map(n)(constants.T, arguments.reshape(n, -1).T)
        return np.array(results).T.reshape(states, members, -1)

    def _evaluate_masses(self, q, v) -> tuple[np.ndarray, np.ndarray]:
        """Mass matrix and bias, (states, nv, nv) and (states, nv)."""
        nv = self.system.nv
        M, h = np.zeros((len(q), nv, nv)), np.zeros((len(q), nv))
        for tree in self.structure.trees:
            entries, bias = tree.terms
            n = len(tree.pattern)
            x = [*tree.symbols["q"], *tree.symbols["v"]]
            y = [*(entries[e] for e in tree.pattern), *bias]
            parts = [(q, tree.q), (v, tree.v)]
            values = self._evaluate_class(("masses", tree), tree, x, y, parts)
            speeds = np.array(tree.v, dtype=int)
            for k, (i, j) in enumerate(tree.pattern):
                M[:, speeds[:, i], speeds[:, j]] = values[:, :, k]
                M[:, speeds[:, j], speeds[:, i]] = values[:, :, k]
            h[:, speeds] = values[:, :, n:]
        return M, h

    def _evaluate_rows(self, t, q, v, names=("phi", "psi", "J", "gamma")) -> dict[str, np.ndarray]:
        """Residuals, Jacobian and right-hand side of constraint rows, by name."""
        s, n = self.structure, len(q)
        sizes = {"phi": (len(s.places),), "J": (s.rows, self.system.nv)}
        out = {x: np.zeros((n, *sizes.get(x, (s.rows,)))) for x in names}
        position_of = {row: k for k, row in enumerate(s.places)}
        for c in s.constraints:
            nonzeros = [
                (i, j) for i, row in enumerate(c.J) for j, x in enumerate(row) if is_nonzero(x)
            ]
            y = {"phi": c.phi, "psi": c.psi, "gamma": c.gamma}
            y["J"] = [c.J[i][j] for i, j in nonzeros]
            x = [c.t, *c.history, *c.symbols["q"], *c.symbols["v"]]
            history = np.zeros((n, len(c.history)))  # the time alone says the segment of a table
            parts = [
                (t, [[0]] * len(c.q)),
                (history, [[*range(len(c.history))]] * len(c.q)),
                (q, c.q),
                (v, c.v),
            ]
            values = self._evaluate_class(
                (*names, c), c, x, [e for name in names for e in y[name]], parts
            )
            cuts = np.cumsum([len(y[name]) for name in names])[:-1]
            by_name = dict(zip(names, np.split(values, cuts, axis=2), strict=True))
            first = s.first[c.members]
            for name in names:
                rows = first[:, None] + np.arange(len(y[name]))
                if name == "J":
                    speeds = np.array(c.v, dtype=int)
                    for k, (i, j) in enumerate(nonzeros):
                        out["J"][:, first + i, speeds[:, j]] = by_name["J"][:, :, k]
                elif name == "phi":
                    at = np.array([[position_of[r] for r in member] for member in rows], dtype=int)
                    out["phi"][:, at.reshape(rows.shape)] = by_name["phi"]
                else:
                    out[name][:, rows] = by_name[name]
        return out
