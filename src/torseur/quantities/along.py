"""Efforts that a motion asks for, and their derivatives in time, over a graph read row by row.

Nothing is compiled: CasADi interprets the graph for all rows at once.  Theory: LI.5.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..dynamics import Moment, Motion, constraint_rows
from ..forces import Seen
from ..formalisms import newton_euler
from ..numbers import Graph, vector


class Along:
    """One system at one set of parameters; arrays have one row an instant.

    `skipped` are indices of elements that do not act: shafts, whose tension is asked for, and
    those that inputs command.
    """

    def __init__(self, system, bound, skipped=()):
        self.system, self.skipped = system, frozenset(skipped)
        K = self.K = Graph(dict(bound))
        n = {x: len(getattr(system.layout, x)) for x in "tqvzmu"} | {"a": system.nv}
        self._made: dict = {}
        self.symbols = {x: K.symbols(f"{x}{i}" for i in range(size)) for x, size in n.items()}
        self.motion = Motion(system, K)

    def _call(self, f, *arrays):
        return [
            np.array(y).T
            for y in f.call([np.atleast_2d(np.asarray(x, dtype=float).T) for x in arrays])
        ]

    def _function(self, ports, outputs):
        lib = self.K.lib
        return lib.Function(
            "along", [self.K.sx(self.symbols[x]) for x in ports], [lib.densify(x) for x in outputs]
        )

    @cached_property
    def needed(self):
        """Efforts beyond the elements that act, as a column of the graph."""
        s = self.symbols
        tau = newton_euler.inverse_dynamics(self.motion.tree, s["q"], s["v"], s["a"])
        now = Moment(s["t"][0], *(s[x] for x in ("q", "v", "z", "m", "u")))
        for i, Q in enumerate(self.motion.applied_each(now)):
            if i not in self.skipped:
                tau = tau - Q
        return self.K.sx(sum((-Q for Q in self.frictions.values()), start=tau))

    @cached_property
    def frictions(self) -> dict[str, np.ndarray]:
        """Generalised force of every dry friction of given size while it slides, (nv,) each."""
        K, s, first, out = self.K, self.symbols, len(self.system.held), {}
        found = self.system.switched
        if not found:
            return out
        r = constraint_rows(self.motion.tree, self.system, s["t"][0], s["q"], s["v"], switched=True)
        for i, e in enumerate(found, first):
            j = r.owners.index(i)
            size = K.number(e.friction.sliding) * K.number(e.friction.radius)
            out[e.name] = r.J[j] * (-(size * K.call("sign", r.psi[j])))  # DF.1
        return out

    def rubbing(self, t, q, v) -> np.ndarray:
        """Those of dry frictions, shape (rows, frictions, nv)."""
        names = self.frictions
        if not names:
            return np.zeros((len(t), 0, self.system.nv))
        flat = self.K.sx(vector(x for Q in names.values() for x in Q))
        (found,) = self._call(self._function("tqv", [flat]), np.reshape(t, (-1, 1)), q, v)
        return found.reshape(len(t), len(names), self.system.nv)

    def _orders(self, n: int):
        """The graph of the efforts and of n derivatives along the motion."""
        lib, K, s = self.K.lib, self.K, self.symbols
        jets = ["q", "v", "a", *(f"jet{i}" for i in range(3, n + 3))]
        for x in jets[3:]:
            s.setdefault(x, K.symbols(f"{x}_{i}" for i in range(self.system.nv)))
        first = vector([0] * self.system.nq)
        for k in self.system.links:
            if k.joint.holonomic:  # the others stand still
                first[k.q] = s["v"][k.v]
        rates = [vector([1]), first, *(s[x] for x in jets[2:])]
        steps = [self.needed]
        for i in range(n):  # LI.5
            state = [K.sx(s[x]) for x in ("t", *jets[: 3 + i])]
            steps.append(
                lib.jtimes(
                    steps[-1], lib.vertcat(*state), lib.vertcat(*map(K.sx, rates[: len(state)]))
                )
            )
        return self._function(("t", *jets, "z", "m", "u"), steps)

    def rates(self, t, jets, z, m, u) -> list[np.ndarray]:
        """Efforts beyond the elements that act, and their derivatives in time, each (rows, nv).

        `jets` are coordinates, speeds, accelerations, and one array more for each derivative.
        """
        n = len(jets) - 3
        if n not in self._made:
            self._made[n] = self._orders(n)
        return self._call(self._made[n], np.reshape(t, (-1, 1)), *jets, z, m, u)

    def depends(self, row: int, speeds) -> bool:
        """Whether an effort changes with the position, speed or acceleration along `speeds`."""
        place = {
            k.v.start + i: k.q.start + i
            for k in self.system.links
            if k.joint.holonomic
            for i in range(k.joint.nv)
        }
        s = self.symbols
        own = [x for i in speeds for x in (s["q"][place[i]], s["v"][i], s["a"][i])]
        return bool(own) and self.K.lib.depends_on(self.needed[row], self.K.sx(vector(own)))

    def shaft(self, element):
        """Tension of an element by its law and derivatives: (x, rate, memory) -> T, Tx, Tr, Txx."""
        K, lib = self.K, self.K.lib
        x, r = K.symbol("x"), K.symbol("r")
        m = K.symbols(f"m{i}" for i in range(len(element.memory)))
        T = K.sx(element.law.force(K, Seen(x, r, 0, (), tuple(m), ())))
        Tx, Tr = (lib.jacobian(T, y.x) for y in (x, r))
        f = lib.Function(
            "shaft",
            [x.x, r.x, K.sx(m)],
            [lib.densify(y) for y in (T, Tx, Tr, lib.jacobian(Tx, x.x))],
        )

        def law(x, r, m):
            found = f.call(
                [
                    np.reshape(x, (1, -1)),
                    np.reshape(r, (1, -1)),
                    np.reshape(m, (np.size(x), len(element.memory))).T,
                ]
            )
            return [np.array(y).ravel() for y in found]

        return law, not Tr.is_zero(), bool(Tx.is_constant() and Tr.is_constant())
