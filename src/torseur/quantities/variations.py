"""Kernels of a motion together with its derivatives: the variational equations beside the state.

Directions are columns: parameters of the model, inputs, and values at the start.  Their derivatives
S of (q, v, z) stand behind z, those of the memory behind m; a jump carries both over (saltation).
An integrator sees a motion with more numbers and nothing else.  Theory: SE.1 to SE.4.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import cached_property

from ..compiler import Kernel
from ..numbers import Graph
from .formulas.motion import moment
from .motion import MotionKernels
from .register import MOTION, PORTS, Quantity, find

LOST = 1e300  # the shift that says so from then on
NEVER = 1e15  # [s] over a number: an event that moves so far is reached without speed
ALIKE = 1e-14  # of a rate: those before and after an event do not differ
SAME = 1e-7  # a guard further below zero did not fall by itself: another event pushed it


class Variations(MotionKernels):
    """Kernels of a system and of its derivatives in some directions.

    `parameters` and `inputs` are the slots in p and u of directions; `starts` the number of further
    ones, which only the state at the start tells.  z holds (z, S), with S of (q, v, z) direction by
    direction; m holds (m, S of m, shifts of the last event's time, that time).  A shift of `LOST`:
    from there on derivatives in that direction do not exist, and are zero here.  Behind the
    multipliers that the flow gives stand their own derivatives.
    """

    def __init__(self, system, parameters, inputs, starts: int, constraints=None):
        super().__init__(system, constraints)
        self.parameters, self.inputs, self.starts = tuple(parameters), tuple(inputs), starts
        self.directions = len(self.parameters) + len(self.inputs) + starts
        at = self.plain = dict(self.sizes)
        self.state = at["q"] + at["v"] + at["z"]
        self.sizes["z"] = at["z"] + self.directions * self.state
        self.sizes["m"] = at["m"] + self.directions * (at["m"] + 1) + 1

    def __reduce__(self):
        """Its kernels are made anew where they are asked for."""
        own = (self.system, self.parameters, self.inputs, self.starts, self.constraints)
        return Variations, own

    @cached_property
    def looped(self) -> bool:
        return False

    @cached_property
    def folds(self) -> bool:
        return False

    def __getitem__(self, name: str) -> Kernel:
        if name not in self._kernels:
            own = (self.system.digest, "variations", name, repr(self.constraints))
            words = repr((*own, self.parameters, self.inputs, self.starts))
            made = Kernel(
                name,
                lambda: self._graph(find(name)),
                shapes={"t": (), "k": ()},
                key=hashlib.sha256(words.encode()).digest(),
                shared=True,
                rare=find(name).rare and bool(self.system.switched),  # others are short
            )
            self._kernels.setdefault(name, made)
        return self._kernels[name]

    def _graph(self, own: Quantity):
        from .scene import Scene
        from .ways import graph

        K = Graph()
        scene = Scene(self.system, K, self.system.parameters, constraints=self.constraints)
        for x in "zm":
            scene.ports[x] = K.symbols(f"{x}{i}" for i in range(self.sizes[x]))
        mine = {
            "flow": self._flow,
            "flow_jacobian": self._jacobian,
            "jump": self._jump,
            "project": self._project,
        }.get(own.name, own.formula)

        def formula(s, t, q, v, z, m, u, *rest):
            self._stand(s, z, m, u)
            return mine(s, t, q, v, z[: self.plain["z"]], m[: self.plain["m"]], u, *rest)

        if own.inputs[: len(MOTION)] == MOTION:
            outputs = (*own.outputs, "z1") if own.name == "project" else own.outputs
            own = replace(own, formula=formula, outputs=outputs)
        return graph(own, scene, [*PORTS, *(x for x in own.inputs if x not in PORTS)])

    def _stand(self, s, z, m, u):
        """The derivatives that stand behind z and m."""
        K, lib, at, M = s.K, s.K.lib, self.plain, self.directions
        self.S = lib.reshape(K.sx(z[at["z"] :]), self.state, M)
        first = at["m"] + M * at["m"]
        self.Sm = lib.reshape(K.sx(m[at["m"] : first]), at["m"], M)
        self.before = K.sx(m[first : first + M]).T, K.sx(m[first + M :])
        own = [*(s["p"][i] for i in self.parameters), *(u[i] for i in self.inputs)]
        self.own = lib.vertcat(*(K.sx(x) for x in own)) if own else lib.SX(0, 1)

    def _along(self, K, y, x, m, t=None):
        """Derivative of `y` in every direction, its arguments moving by `x` and `m` (and t)."""
        lib = K.lib
        D = lib.jacobian(y, self.symbols) @ x + lib.jacobian(y, self.memory) @ m
        own = lib.jacobian(y, self.own)
        rest = lib.SX(y.shape[0], self.directions - own.shape[1])
        D = D + lib.horzcat(own, rest)
        return D if t is None else D + lib.jacobian(y, self.time) @ t

    def _seen(self, K, now):
        lib = K.lib
        self.symbols = lib.vertcat(*map(K.sx, (now.q, now.v, now.z)))
        self.memory, self.time = K.sx(now.m), K.sx(now.t)

    def _rates(self, K, motion, now):
        f = motion.flow(now)
        return f, K.lib.vertcat(*map(K.sx, (f.qdot, f.vdot, f.zdot)))

    def _flow(self, s, *given):
        K, lib, motion, now = s.K, s.K.lib, s.motion, moment(*given)
        self._seen(K, now)
        f, rates = self._rates(K, motion, now)
        Sdot = self._along(K, rates, self.S, self.Sm)  # SE.1
        zdot = lib.vertcat(K.sx(f.zdot), lib.reshape(lib.densify(Sdot), -1, 1))
        found = (f.qdot, f.vdot, zdot)
        if motion.constraints is None:
            return found
        lam = K.sx(f.lam)
        moved = lib.reshape(lib.densify(self._along(K, lam, self.S, self.Sm)), -1, 1)
        return *found, lib.vertcat(lam, moved)

    def _jacobian(self, s, *given):
        """Of all rates by the state and what stands behind it, and by time."""
        K, lib = s.K, s.K.lib
        qdot, vdot, zdot, *_ = self._flow(s, *given)
        rates = lib.vertcat(K.sx(qdot), K.sx(vdot), zdot)
        behind = lib.reshape(self.S, -1, 1)
        return lib.jacobian(rates, lib.vertcat(self.symbols, behind)), lib.jacobian(
            rates, self.time
        )

    def _project(self, s, *given):
        """The state brought back to its constraints, its derivatives to the linearised ones."""
        K, lib, motion, now = s.K, s.K.lib, s.motion, moment(*given)
        self._seen(K, now)
        q1, v1 = motion.projected(now)
        after = lib.vertcat(*map(K.sx, (q1, v1, now.z)))
        S1 = lib.densify(self._along(K, after, self.S, self.Sm))  # SE.7
        return q1, v1, lib.vertcat(K.sx(now.z), lib.reshape(S1, -1, 1))

    def _jump(self, s, *given):
        *state, (k,), d = given
        K, lib, motion = s.K, s.K.lib, s.motion
        u, p = K.sx(state[-1]), K.sx(s["p"])
        now = moment(*state)._replace(d=d)
        self._seen(K, now)
        _, rates = self._rates(K, motion, now)
        v1, z1, m1 = motion.jump(now, k)
        guards = K.sx(motion.guards(now))
        number = K.sx(k)
        g = lib.SX(0)
        for i in range(guards.shape[0]):
            g = g + lib.if_else((number - i) ** 2 < 0.25, guards[i], 0)
        slope = lib.jacobian(g, self.symbols) @ rates + lib.jacobian(g, self.time)
        rests = slope == 0  # it leaves a knot from rest: both pieces give one motion there
        shift = -self._along(K, g, self.S, self.Sm) / lib.if_else(rests, 1, slope)  # SE.2
        shift = lib.if_else(rests, lib.SX.zeros(1, self.directions), shift)
        pushed = lib.logic_and(g < -SAME, self.before[1] == self.time)
        shift = lib.if_else(pushed, self.before[0], shift)
        shift = lib.if_else(number < -0.5, lib.SX.zeros(1, self.directions), shift)
        moved = self.S + rates @ shift
        after = lib.vertcat(*map(K.sx, (now.q, v1, z1)))
        flow = lib.Function(
            "flow",
            [self.time, self.symbols, self.memory, u, p],
            [rates],
        )
        later = flow(self.time, after, K.sx(m1), u, p)
        # what the shift changes, first: nothing where both pieces agree, however long it is
        early = lib.jacobian(after, self.symbols) @ rates + lib.jacobian(after, self.time)
        drift = early - later
        drift = lib.if_else(lib.fabs(drift) < ALIKE * (lib.fabs(early) + lib.fabs(later)), 0, drift)
        acts = lib.if_else(lib.sumsqr(drift) > 0, 1, 0)
        lost = lib.fabs(self.before[0]) >= LOST  # for good
        lost = lib.fmax(lost, acts * (lib.fabs(shift) > NEVER))
        gone = lib.repmat(lost, self.state, 1)
        S1 = self._along(K, after, self.S, self.Sm) + drift @ shift  # SE.3
        S1 = lib.if_else(gone, 0, S1)
        Sm1 = self._along(K, K.sx(m1), moved, self.Sm, shift)  # SE.4
        Sm1 = lib.if_else(lib.repmat(lost, m1.shape[0], 1), 0, Sm1)
        shift = lib.if_else(lost, LOST, shift)
        z = lib.vertcat(K.sx(z1), lib.reshape(lib.densify(S1), -1, 1))
        tail = lib.vertcat(shift.T, self.time)
        m = lib.vertcat(K.sx(m1), lib.reshape(lib.densify(Sm1), -1, 1), tail)
        return v1, z, m
