"""Efforts of a motion and their time derivatives, by interpreted graphs of all rows at once.

Theory: LI.5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...forces import Seen
from ...kernels import GraphInterpreter
from ...quantities import Quantity, find
from ...scalars import vector

if TYPE_CHECKING:
    from ...system import System


class Along:
    """Efforts of one system with one set of parameters.  Arrays have one row for each time.

    `skipped` are indices of elements without effect: shafts, and elements with inputs.
    """

    def __init__(self, system: System, bound: Mapping[str, float], skipped: Sequence[int] = ()):
        self.system = system
        self.skipped = frozenset(skipped)
        self.graphs = GraphInterpreter(system, bound, skipped)
        self._quantities: dict[int, Quantity] = {}

    @cached_property
    def frictions(self) -> tuple[str, ...]:
        """Names of dry frictions, whose forces are known while they slide."""
        return tuple(e.name for e in self.system.switched)

    def friction_forces(self, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Generalized forces of sliding dry frictions, (rows, frictions, nv)."""
        shape = (len(t), len(self.frictions), self.system.nv)
        if not self.frictions:
            return np.zeros(shape)
        (forces,) = self.graphs.rows("sliding_forces", t, q, v)
        return forces.T.reshape(shape)

    def friction_multipliers(
        self, t: np.ndarray, q: np.ndarray, v: np.ndarray
    ) -> dict[int, np.ndarray]:
        """Multipliers of sliding dry frictions by index of their constraint rows, (rows,) each."""
        if not self.frictions:
            return {}
        (multipliers,) = self.graphs.rows("sliding_multipliers", t, q, v)
        first, owners = len(self.system.held), list(self.graphs.scene.rows.owners)
        return {owners.index(first + i): x for i, x in enumerate(multipliers)}

    def _differentiated_efforts(self, n: int) -> Quantity:
        """Quantity with the efforts and n time derivatives along the motion."""
        jets = ("q", "v", "a", *(f"jet{i}" for i in range(3, n + 3)))

        def formula(s, t, *given):
            K, lib = s.K, s.K.lib
            first = vector([0] * s.system.nq)
            for k in s.system.links:
                if k.joint.holonomic:  # the others stand still
                    first[k.q] = s["v"][k.v]
            rates = [vector([1]), first, *given[2 : len(jets)]]
            steps = [self._effort_graph]
            for i in range(n):  # LI.5
                state = [K.sx(x) for x in (t, *given[: 3 + i])]
                along = lib.vertcat(*map(K.sx, rates[: len(state)]))
                steps.append(lib.jtimes(steps[-1], lib.vertcat(*state), along))
            return tuple(steps)

        outputs = tuple(f"order{i}" for i in range(n + 1))
        return Quantity(f"needed{n}", formula, ("t", *jets, "z", "m", "u"), outputs)

    @cached_property
    def _effort_graph(self):
        """Efforts beyond the elements that act, as a column of the graph."""
        s, quantity = self.graphs.scene, find("needed_efforts")
        return s.K.sx(quantity.formula(s, *(s[x] for x in quantity.inputs)))

    def differentiate_efforts(
        self, t: np.ndarray, jets: Sequence[np.ndarray], z: np.ndarray, m: np.ndarray, u: np.ndarray
    ) -> list[np.ndarray]:
        """Efforts beyond the elements that act, and their time derivatives, each (rows, nv).

        `jets` are coordinates, speeds, accelerations, and one more array for each derivative.
        """
        n = len(jets) - 3
        if n not in self._quantities:
            self._quantities[n] = self._differentiated_efforts(n)
        return [x.T for x in self.graphs.rows(self._quantities[n], t, *jets, z, m, u)]

    def depends_on_speeds(self, row: int, speeds: Sequence[int]) -> bool:
        """Whether an effort depends on position, speed or acceleration along some speeds."""
        slots = {
            k.v.start + i: k.q.start + i
            for k in self.system.links
            if k.joint.holonomic
            for i in range(k.joint.nv)
        }
        s = self.graphs.scene
        symbols = [x for i in speeds for x in (s["q"][slots[i]], s["v"][i], s["a"][i])]
        return bool(symbols) and s.K.lib.depends_on(
            self._effort_graph[row], s.K.sx(vector(symbols))
        )

    def compile_shaft_law(self, element: Any):
        """Tension of an element by its law and derivatives: (x, rate, memory) -> T, Tx, Tr, Txx."""
        lib = self.graphs.scene.K.lib

        def tension(s, x, r, m):
            T = s.K.sx(element.law.force(s.K, Seen(x[0], r[0], 0, (), tuple(m), ())))
            Tx, Tr = (lib.jacobian(T, s.K.sx(y)) for y in (x, r))
            return T, Tx, Tr, lib.jacobian(Tx, s.K.sx(x))

        scene, size = self.graphs.scene, len(element.memory)
        for port, n in (("x", 1), ("r", 1), (f"{element.name}.m", size)):
            scene.ports.setdefault(port, scene.K.symbols(f"{port}{i}" for i in range(n)))
        ports = ("x", "r", f"{element.name}.m")
        quantity = Quantity("shaft", tension, ports, ("T", "Tx", "Tr", "Txx"))
        _, Tx, Tr, _ = tension(scene, *(scene[x] for x in ports))

        def law(x, r, m):
            memory = np.reshape(m, (np.size(x), size))
            return [y.ravel() for y in self.graphs.rows(quantity, np.ravel(x), np.ravel(r), memory)]

        return law, not Tr.is_zero(), bool(Tx.is_constant() and Tr.is_constant())
