"""Kernels of a motion together with its derivatives: the variational equations beside the state.

Directions are columns: parameters of the model, inputs, and values at the start.  Their derivatives
S of (q, v, z) stand behind z, those of the memory behind m; a jump carries both over (saltation).
An integrator sees a motion with more numbers and nothing else.  Theory: SE.1 to SE.4.
"""

from __future__ import annotations

import hashlib

from ..compiler import Kernel
from ..dynamics import Moment, Motion
from ..numbers import Graph
from .motion import PORTS, MotionKernels

SAME = 1e-7  # a guard further below zero did not fall by itself: another event pushed it


class Variations(MotionKernels):
    """Kernels of a system and of its derivatives in some directions.

    `parameters` and `inputs` are the slots in p and u of directions; `starts` the number of further
    ones, which only the state at the start tells.  z holds (z, S), with S of (q, v, z) direction by
    direction; m holds (m, S of m, shifts of the last event's time, that time).
    """

    def __init__(self, system, parameters, inputs, starts: int, constraints=None):
        super().__init__(system, constraints)
        self.parameters, self.inputs, self.starts = tuple(parameters), tuple(inputs), starts
        self.directions = len(self.parameters) + len(self.inputs) + starts
        at = self.plain = dict(self.sizes)
        self.state = at["q"] + at["v"] + at["z"]
        self.sizes["z"] = at["z"] + self.directions * self.state
        self.sizes["m"] = at["m"] + self.directions * (at["m"] + 1) + 1

    looped = False

    def __getitem__(self, name: str) -> Kernel:
        if name not in self._kernels:
            words = (self.system.digest, "variations", name, repr(self.constraints))
            words = repr((*words, self.parameters, self.inputs, self.starts))
            made = Kernel(
                name,
                lambda: self._build(name),
                shapes={"t": (), "k": ()},
                key=hashlib.sha256(words.encode()).digest(),
            )
            self._kernels.setdefault(name, made)
        return self._kernels[name]

    def _build(self, name):
        K = Graph()
        lib, at, M = K.lib, self.plain, self.directions
        p = K.symbols(self.system.parameters)
        K.parameters.update(zip(self.system.parameters, p, strict=True))
        columns = {x: K.symbols(f"{x}{i}" for i in range(self.sizes[x])) for x in (*PORTS, "k")}
        columns["p"] = p
        now = Moment(
            columns["t"][0],
            columns["q"],
            columns["v"],
            columns["z"][: at["z"]],
            columns["m"][: at["m"]],
            columns["u"],
        )
        self.S = lib.reshape(K.sx(columns["z"][at["z"] :]), self.state, M)
        first = at["m"] + M * at["m"]
        self.Sm = lib.reshape(K.sx(columns["m"][at["m"] : first]), at["m"], M)
        self.before = K.sx(columns["m"][first : first + M]).T, K.sx(columns["m"][first + M :])
        u = columns["u"]
        own = [*(p[i] for i in self.parameters), *(u[i] for i in self.inputs)]
        self.own = lib.vertcat(*(K.sx(x) for x in own)) if own else lib.SX(0, 1)
        motion = Motion(self.system, K, self.constraints)
        extra, results = getattr(self, f"_{name}")(K, motion, now, columns)
        values = {n: x if isinstance(x, lib.SX) else K.sx(x) for n, x in results.items()}
        names = [*PORTS, *extra]
        return lib.Function(
            name,
            [K.sx(columns[x]) for x in names],
            [lib.densify(x) for x in values.values()],
            names,
            list(values),
        )

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

    def _flow(self, K, motion, now, columns):
        lib = K.lib
        self._seen(K, now)
        f, rates = self._rates(K, motion, now)
        Sdot = self._along(K, rates, self.S, self.Sm)  # SE.1
        held = {} if motion.constraints is None else {"lam": f.lam}
        zdot = lib.vertcat(K.sx(f.zdot), lib.reshape(lib.densify(Sdot), -1, 1))
        return (), {"qdot": f.qdot, "vdot": f.vdot, "zdot": zdot} | held

    def _jump(self, K, motion, now, columns):
        lib, k = K.lib, columns["k"][0]
        self._seen(K, now)
        _, rates = self._rates(K, motion, now)
        v1, z1, m1 = motion.jump(now, k)
        guards = K.sx(motion.guards(now))
        number = K.sx(k)
        g = lib.SX(0)
        for i in range(guards.shape[0]):
            g = g + lib.if_else((number - i) ** 2 < 0.25, guards[i], 0)
        slope = lib.jacobian(g, self.symbols) @ rates + lib.jacobian(g, self.time)
        shift = -self._along(K, g, self.S, self.Sm) / slope  # SE.2
        pushed = lib.logic_and(g < -SAME, self.before[1] == self.time)
        shift = lib.if_else(pushed, self.before[0], shift)
        shift = lib.if_else(number < -0.5, lib.SX.zeros(1, self.directions), shift)
        moved = self.S + rates @ shift
        after = lib.vertcat(*map(K.sx, (now.q, v1, z1)))
        carried = self._along(K, after, moved, self.Sm, shift)
        flow = lib.Function(
            "flow",
            [self.time, self.symbols, self.memory, K.sx(columns["u"]), K.sx(columns["p"])],
            [rates],
        )
        later = flow(self.time, after, K.sx(m1), K.sx(columns["u"]), K.sx(columns["p"]))
        S1 = carried - later @ shift  # SE.3
        Sm1 = self._along(K, K.sx(m1), moved, self.Sm, shift)  # SE.4
        z = lib.vertcat(K.sx(z1), lib.reshape(lib.densify(S1), -1, 1))
        tail = lib.vertcat(shift.T, self.time)
        m = lib.vertcat(K.sx(m1), lib.reshape(lib.densify(Sm1), -1, 1), tail)
        return ("k",), {"v1": v1, "z1": z, "m1": m}
