"""Constraint rows in motion, with dry frictions as rows that switch.  Theory: DF.1 to DF.6.

Each dry friction has one number of memory, its mode: 0 stuck, +1 or -1 the direction it slides in.
Stuck, its row holds like any constraint; sliding, the row is off and the friction is a force.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..scalar import vector
from ..spatial import Wrench
from ..system.constraints import elements, frictions
from .constrained import Saddle, project, terms
from .constraints import Rows, rows, substitute
from .reactions import carried, joint_wrenches, merged
from .solutions import MULTIPLIERS, Way
from .sparse import is_zero

SWEEPS = 12             # over frictions that depend on each other's normal forces
PASSES = 3              # of releasing stuck rows after an event


class Held(NamedTuple):
    """The constrained motion at one instant."""

    a: np.ndarray
    lam: np.ndarray             # of every row; for a sliding friction, its force
    rate: np.ndarray            # of every friction
    force: np.ndarray           # of friction while sliding, its magnitude
    limit: np.ndarray           # the most a stuck friction can hold
    dissipation: Any
    supply: Any


class Guard(NamedTuple):
    """A value that is positive until something happens."""

    name: str
    value: Any


class Constraints:
    """The rows of a system as the equation of motion wants them, solved in one of four ways."""

    def __init__(self, system, way: Way = MULTIPLIERS):
        self.system, self.way = system, way
        self.frictions = frictions(system)

    @classmethod
    def of(cls, system, way: Way = MULTIPLIERS) -> Constraints | None:
        """The constraints of a system, or None when it has none."""
        return cls(system, way) if elements(system) or frictions(system) else None

    @property
    def full(self) -> bool:
        """Whether it needs reactions, which a tree of regrouped inertias does not give."""
        return any(e.friction.normal == "joint" for e in self.frictions)

    @property
    def memory(self) -> tuple[tuple[str, str], ...]:
        """Name and unit of each number of memory: the modes."""
        return tuple((f"{e.name}.mode", "1") for e in self.frictions)

    @property
    def guard_names(self) -> tuple[str, ...]:
        return tuple(f"{e.name}: {what}" for e in self.frictions
                     for what in ("stops", "breaks loose"))

    def modes(self, now) -> np.ndarray:
        """The modes: the last entries of the memory."""
        n = len(self.frictions)
        return now.m[len(now.m) - n:] if n else vector(())

    def switches(self, r: Rows, modes) -> np.ndarray | None:
        if not len(modes):
            return None
        return vector([*(1 for _ in range(len(r) - len(modes))), *(1 - x * x for x in modes)])

    def held(self, tree, now, tau, wrenches, modes=None) -> Held:
        """Accelerations, multipliers and frictions."""
        K, t, q, v = tree.K, now.t, now.q, now.v
        modes = self.modes(now) if modes is None else modes
        n = len(modes)
        r = rows(tree, self.system, t, q, v, switched=bool(n))
        on = self.switches(r, modes)
        M, h = terms(tree, q, v, wrenches or None)
        s = self.way.solver(K, M, r.J, r.owners, on)
        gamma = r.gamma if on is None else r.gamma * on
        if not n:
            a, lam = s.solve(tau - h, gamma)
            return Held(a, lam, *(vector(()),) * 3, 0, lam @ (r.J @ v) if len(lam) else 0)
        first = len(r) - n
        slide = r.J[first:]
        f, a, lam = self._frictions(tree, now, r, s, tau - h, gamma, modes, slide, wrenches)
        limit = self._limits(tree, now, r, a, lam, wrenches)
        rate = slide @ v
        braking = vector(f[i] * modes[i] for i in range(n))
        lam = np.concatenate([lam[:first], lam[first:] - braking])                    # DF.1
        lost = sum((f[i] * modes[i] * rate[i] for i in range(n)), start=0)            # DF.2
        supply = lam[:first] @ (r.J[:first] @ v) if first else 0                      # DF.3
        return Held(a, lam, rate, f, limit, lost, supply)

    def _frictions(self, tree, now, r, s: Saddle, force, gamma, modes, slide, wrenches):
        """Sliding forces, whose normal forces may depend on them; accelerations, multipliers."""
        K, n = tree.K, len(modes)
        law = [e.friction for e in self.frictions]
        f = vector(K.number(x.sliding) * K.number(x.radius) if x.normal is None else 0 for x in law)
        push = [vector(-x * modes[i] for x in slide[i]) for i in range(n)]
        start = force + sum((push[i] * f[i] for i in range(n)), start=vector([0] * tree.nv))
        a0, lam0 = s.solve(start, gamma)
        loose = [i for i in range(n) if law[i].normal is not None]
        if not loose:
            return f, a0, lam0
        none = vector([0] * len(gamma))
        unit = {i: s.solve(push[i], none) for i in loose}
        here = self._pressing(tree, now, r, a0, lam0, wrenches)
        change = {j: {i: x - here[i] for i, x in self._pressing(
            tree, now, r, a0 + unit[j][0], lam0 + unit[j][1], wrenches).items()} for j in loose}
        for _ in range(SWEEPS if len(loose) > 1 else 1):
            for i in loose:
                N = here[i] + sum((change[j][i] * f[j] for j in loose if j != i),
                                  start=0 * here[i])
                k = K.number(law[i].sliding) * K.number(law[i].radius)
                f[i] = pressed(K, N, change[i][i], k)                                 # DF.4
        a = a0 + sum((unit[i][0] * f[i] for i in loose), start=0 * a0)
        lam = lam0 + sum((unit[i][1] * f[i] for i in loose), start=0 * lam0)
        return f, a, lam

    def _pressing(self, tree, now, r, a, lam, wrenches) -> dict[int, np.ndarray]:
        """Normal force of every friction that has one, as a vector."""
        out, joints = {}, None
        for i, e in enumerate(self.frictions):
            if e.friction.normal is None:
                continue
            if e.friction.normal != "joint":
                out[i] = vector((lam[self._row(r, e.friction.normal)],))
                continue
            if joints is None:
                held = carried(tree, self.system, r, now.q, lam)
                joints = joint_wrenches(tree, now.q, now.v, a, merged(wrenches, held.wrenches))
            k = tree.links[e.friction.link - 1]
            F = Wrench.of(joints[k.index - 1])
            S = k.joint.subspace(tree.K, now.q[k.q])[:, 0]
            u = S[3:] if all(is_zero(x) for x in S[:3]) else S[:3]
            out[i] = F.force - u * (F.force @ u)                                      # DF.5
        return out

    def _row(self, r: Rows, name: str) -> int:
        return r.names.index(name) if name in r.names else next(
            j for j, n in enumerate(r.names) if n.rpartition(".")[0] == name)

    def _limits(self, tree, now, r, a, lam, wrenches) -> np.ndarray:
        """The most each friction can hold."""
        K, out = tree.K, []
        pressing = self._pressing(tree, now, r, a, lam, wrenches)
        for i, e in enumerate(self.frictions):
            k = K.number(e.friction.static) * K.number(e.friction.radius)
            if i in pressing:
                N = pressing[i]
                k = k * (K.call("abs", N[0]) if len(N) == 1 else K.sqrt(N @ N))
            out.append(k)
        return vector(out)

    # ---- what the equation of motion asks ------------------------------------------------------

    def solve(self, tree, now, tau, wrenches) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations and multipliers at one instant."""
        h = self.held(tree, now, tau, wrenches)
        return h.a, h.lam

    def solved(self, tree, now, lam) -> tuple[Rows, np.ndarray]:
        """Rows over a tree, with the multipliers that belong to them."""
        switched = bool(self.frictions)
        return rows(tree, self.system, now.t, now.q, now.v, switched=switched), lam

    def project(self, tree, now) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and speeds brought back to the constraints."""
        modes, on = self.modes(now), None
        if len(modes):
            r = rows(tree, self.system, now.t, now.q, now.v, switched=True)
            on = self.switches(r, modes)
        p = project(tree, self.system, now.t, now.q, now.v, on=on, solver=self.way.solver)
        return p.q, p.v

    def entered(self, tree, now, parts) -> list[np.ndarray]:
        """Functions of the state, with dependent coordinates and speeds solved for first."""
        if not self.way.implicit:
            return list(parts)
        old, new = np.concatenate([now.q, now.v]), np.concatenate(self.project(tree, now))
        return [substitute(tree.K, x, old, new) if len(x) else x for x in parts]      # CS.6

    def guards(self, tree, now, tau, wrenches) -> list[Guard]:
        """Two for each friction: it stops sliding, it breaks loose."""
        if not self.frictions:
            return []
        K, modes = tree.K, self.modes(now)
        h, out = self.held(tree, now, tau, wrenches), []
        first = len(h.lam) - len(modes)
        for i, e in enumerate(self.frictions):
            stuck = K.less(modes[i] * modes[i], 0.25)
            room = h.limit[i] - K.call("abs", h.lam[first + i])
            out.append(Guard(f"{e.name}: stops", K.select(stuck, 1.0, modes[i] * h.rate[i])))
            out.append(Guard(f"{e.name}: breaks loose", K.select(stuck, room, 1.0)))
        return out

    def settle(self, tree, now, tau, wrenches, event) -> np.ndarray:
        """The modes after an event: `event` is 2 i when friction i stops, 2 i + 1 when it breaks
        loose, and -1 at the start of a run, when every friction at rest is stuck if it can be.
        """
        K, n = tree.K, len(self.frictions)
        modes, h = self.modes(now), self.held(tree, now, tau, wrenches)
        first = len(h.lam) - n
        begins = K.less(event, -0.5)
        new = []
        for i in range(n):
            rest = K.less(K.call("abs", h.rate[i]), 1e-12)
            moving = K.call("sign", K.select(rest, 0.0, h.rate[i]))
            stops, breaks = (is_event(K, event, 2 * i + b) for b in (0, 1))
            away = -K.call("sign", h.lam[first + i])
            mode = K.select(begins, moving, K.select(stops, 0.0, K.select(breaks, away, modes[i])))
            new.append(mode)
        for _ in range(min(PASSES, n)):                                               # DF.6
            h = self.held(tree, now, tau, wrenches, vector(new))
            for i in range(n):
                over = K.less(h.limit[i], K.call("abs", h.lam[first + i]))
                away = -K.call("sign", h.lam[first + i])
                still = K.less(new[i] * new[i], 0.25)
                new[i] = K.select(still, K.select(over, away, 0.0), new[i])
        return vector(new)

    def __repr__(self):
        return f"Constraints({self.way})"


def pressed(K, N, change, k):
    """The friction `f = k |N + change f|`, from the normal force without it and its change."""
    a, b, c = N @ N, N @ change, change @ change
    k2 = k * k
    left = 1 - k2 * c
    return K.divide(k2 * b + k * K.sqrt(a * left + k2 * b * b), left)


def is_event(K, event, k):
    offset = event - k
    return K.less(offset * offset, 0.25)
