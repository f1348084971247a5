"""Kernels of a motion together with its derivatives: the variational equations beside the state.

Directions are columns: parameters of the model, inputs, and values at the start.  Their derivatives
S of (q, v, z) stand behind z, those of the memory behind m; a jump carries both over (saltation).
An integrator sees a motion with more numbers and nothing else.  Theory: SE.1 to SE.4.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import cached_property

from ..compiler import Columned, Kernel, Port, PortPart, read_calling, split_columns
from ..quantities import MOTION, PORTS, Quantity, find, moment
from ..scalars import Followed
from . import strategy, thresholds
from .motion import MotionKernels

LOST = 1e300  # the shift that says so from then on
BROKEN = 2e300  # where an event has no derivative at all
SOUND = 1e200  # derivatives are below that
NEVER = 1e15  # [s] over a number: an event that moves so far is reached without speed
ALIKE = 1e-14  # of a rate: those before and after an event do not differ
SAME = 1e-7  # a guard further below zero did not fall by itself: another event pushed it


COLUMNED = ("flow", "jump", "project")  # one text for all directions
CARRYING = (*COLUMNED, "flow_jacobian")
SHAPES: dict[str, tuple[int, ...]] = {"t": (), "k": ()}


class Variations(MotionKernels):
    """Kernels of a system and of its derivatives in some directions.

    `parameters` and `inputs` are the slots in p and u of directions; `starts` the number of further
    ones, which only the state at the start tells.  z holds (z, S), all directions of one number of
    (q, v, z) after the other; m holds (m, S of m, shifts of the last event's time, that time).  A
    shift of `LOST`: from there on derivatives in that direction do not exist, and are zero here.
    Behind the multipliers that the flow gives stand their own derivatives.
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

    @cached_property
    def by_links(self) -> bool:
        return False

    def __getitem__(self, name: str) -> Kernel:
        if name not in self._kernels:
            own = (self.system.digest, "variations", name, repr(self.constraints))
            words = repr((*own, self.parameters, self.inputs, self.starts))
            made = Kernel(
                name,
                lambda: self._graph(find(name)),
                shapes=SHAPES,
                key=hashlib.sha256(words.encode()).digest(),
                lanes=False,  # of many rows too directions are side by side
                shared=True,
                rare=name in strategy.RARE_QUANTITIES
                and bool(self.system.switched),  # others are short
                staged=(lambda _: self._columned(find(name))) if name in COLUMNED else None,
            )
            self._kernels.setdefault(name, made)
        return self._kernels[name]

    def _scene(self):
        from ..quantities import Scene

        K = Followed()
        scene = Scene(self.system, K, self.system.parameters, constraints=self.constraints)
        for x in "zm":
            scene.ports[x] = K.symbols(f"{x}{i}" for i in range(self.sizes[x]))
        return scene

    def _formula(self, own: Quantity, one: bool) -> Quantity:
        """A quantity with its derivatives in all directions, or in `one` that stands for all.

        Outputs are lists of parts, each with whether it has a column a direction.
        """
        mine = getattr(self, f"_{own.name}")

        def formula(s, t, q, v, z, m, u, *rest):
            self._stand(s, z, m, u, one)
            return mine(s, t, q, v, z[: self.plain["z"]], m[: self.plain["m"]], u, *rest)

        outputs = (*own.outputs, "z1") if own.name == "project" else own.outputs
        return replace(own, formula=formula, outputs=outputs)

    def _graph(self, own: Quantity):
        """All directions, straight on."""
        from .tracing import trace_function

        scene = self._scene()
        if own.name in CARRYING:
            made = self._formula(own, False)
            whole = lambda *given: tuple(_flat(scene.K, x) for x in made.formula(*given))  # noqa: E731
            own = replace(made, formula=whole)
        elif own.inputs[: len(MOTION)] == MOTION:
            own = replace(own, formula=self._narrow(own.formula))
        return trace_function(own, scene, _reads(own))

    def _narrow(self, formula):
        """A formula of the state and the memory alone."""
        nz, nm = self.plain["z"], self.plain["m"]
        return lambda s, t, q, v, z, m, *rest: formula(s, t, q, v, z[:nz], m[:nm], *rest)

    def _columned(self, own: Quantity) -> Columned:
        """One direction that stands for all: SE.12."""
        from .tracing import evaluate_formula

        scene, reads, M = self._scene(), _reads(own), self.directions
        K, lib, made = scene.K, scene.K.lib, self._formula(own, True)
        found = evaluate_formula(made, scene, [scene[x] for x in made.given(self.system)])
        wholes: list[tuple] = []
        columns: list[tuple] = []
        ports: list[Port] = []
        for port, (name, parts) in enumerate(zip(made.outputs, found, strict=False)):
            at = 0
            for x, moves in parts:
                (columns if moves else wholes).append((PortPart(port, at), lib.densify(x)))
                at += x.shape[0] * (M if moves else 1)
            ports.append(Port(name, (at,)))
        rows, c = (lib.vertcat(lib.SX(0, n), *x) for n, x in zip((M, 1), self.rows, strict=True))
        values = [*(x for _, x in wholes), lib.densify(rows), *(x for _, x in columns)]
        names = [f"y{k}" for k in range(len(values))]
        behind = [self.S, self.Sm, self.before[0], c]
        more = ["S", "Sm", "shift", "own"]
        given = [*(K.sx(scene[x]) for x in reads), *behind]
        whole = K.functions(own.name, given, values, [*reads, *more], names)
        program = read_calling(whole, SHAPES)
        first, column = split_columns(program, len(reads), len(wholes) + 1)
        z, m, at = PORTS.index("z"), PORTS.index("m"), self.plain["m"]
        taken = (PortPart(z, self.plain["z"]), PortPart(m, at), PortPart(m, at + M * at))
        parts, answers = (tuple(x for x, _ in side) for side in (wholes, columns))
        return Columned(first.inputs, tuple(ports), first, column, M, parts, taken, answers)

    def _stand(self, s, z, m, u, one: bool):
        """The derivatives that stand behind z and m, or a column of each."""
        K, lib, at, M = s.K, s.K.lib, self.plain, self.directions
        first = at["m"] + M * at["m"]
        behind = (z[at["z"] :], self.state), (m[at["m"] : first], at["m"]), (m[first:][:M], 1)
        self.one, self.width = one, 1 if one else M
        self.rows: tuple[list, list] = ([], [])
        self.S, self.Sm, shift = (
            lib.SX.sym("x", n) if one else lib.reshape(K.sx(x), M, n).T for x, n in behind
        )
        self.before = shift, K.sx(m[first + M :])
        own = [*(s["p"][i] for i in self.parameters), *(u[i] for i in self.inputs)]
        self.own = lib.vertcat(*(K.sx(x) for x in own)) if own else lib.SX(0, 1)

    def _along(self, K, y, x, m, t=None):
        """Derivative of `y` in every direction, its arguments moving by `x` and `m` (and t)."""
        lib = K.lib
        if self.one and self._worth(lib, y):
            return self._forward(lib, y, x, m, t)
        D = lib.jacobian(y, self.symbols) @ x + lib.jacobian(y, self.memory) @ m
        own = lib.jacobian(y, self.own)
        own = lib.horzcat(own, lib.SX(y.shape[0], self.directions - own.shape[1]))
        D = D + (self._row(lib, own) if self.one else own)
        return D if t is None else D + lib.jacobian(y, self.time) @ t

    def _worth(self, lib, y) -> bool:
        """Whether a matrix of derivatives takes more than going along with every direction."""
        state = lib.vertcat(self.symbols, self.memory)
        ops = lib.Function("y", [lib.vertcat(*lib.symvar(y))], [y]).n_instructions()
        if ops * state.shape[0] <= thresholds.MAX_JACOBIAN_OPERATIONS:
            return False
        colors = lib.jacobian_sparsity(y, state).uni_coloring().shape[1]
        return ops * colors > thresholds.MAX_JACOBIAN_OPERATIONS and self.directions < colors

    def _forward(self, lib, y, x, m, t):
        """The same, going along with one direction from operation to operation."""
        c = lib.SX.sym("c", self.own.shape[0])
        self.rows[0].append(lib.SX.eye(self.directions)[: c.shape[0], :])
        self.rows[1].append(c)
        by, ways = [self.symbols, self.memory, self.own], [x, m, c]
        if t is not None:
            by, ways = [*by, self.time], [*ways, t]
        return lib.jtimes(y, lib.vertcat(*by), lib.vertcat(*ways))

    def _row(self, lib, own):
        """Numbers of one column of a matrix, in those rows that have any."""
        filled = sorted(set(own.sparsity().get_triplet()[0]))
        c, out = lib.SX.sym("c", len(filled)), lib.SX(own.shape[0], 1)
        if filled:
            out[filled] = c
            self.rows[0].append(own[filled, :])
            self.rows[1].append(c)
        return out

    def _seen(self, K, now):
        lib = K.lib
        self.symbols = lib.vertcat(*map(K.sx, (now.q, now.v, now.z)))
        self.memory, self.time = K.sx(now.m), K.sx(now.t)

    def _rates(self, K, motion, now):
        f = motion.flow(now)
        return f, K.lib.vertcat(*map(K.sx, (f.qdot, f.vdot, f.zdot)))

    def _flow(self, s, *given):
        K, motion, now = s.K, s.motion, moment(*given)
        self._seen(K, now)
        f, rates = self._rates(K, motion, now)
        lam = K.sx(f.lam) if motion.constraints is not None else K.lib.SX(0, 1)
        moved = self._along(K, K.lib.vertcat(rates, lam), self.S, self.Sm)  # SE.1
        Sdot, behind = K.lib.vertsplit(moved, [0, rates.shape[0], moved.shape[0]])
        qdot, vdot, zdot = (K.sx(x) for x in (f.qdot, f.vdot, f.zdot))
        found = [(qdot, False)], [(vdot, False)], [(zdot, False), (Sdot, True)]
        return found if motion.constraints is None else (*found, [(lam, False), (behind, True)])

    def _flow_jacobian(self, s, *given):
        """Of all rates by the state and what stands behind it, and by time."""
        K, lib = s.K, s.K.lib
        rates = lib.vertcat(*(_flat(K, x) for x in self._flow(s, *given)[:3]))
        state = lib.vertcat(self.symbols, _flat(K, [(self.S, True)]))
        return [(lib.jacobian(rates, state), False)], [(lib.jacobian(rates, self.time), False)]

    def _project(self, s, *given):
        """The state brought back to its constraints, its derivatives to the linearized ones."""
        K, lib, motion, now = s.K, s.K.lib, s.motion, moment(*given)
        self._seen(K, now)
        q1, v1 = motion.projected(now)
        after = lib.vertcat(*map(K.sx, (q1, v1, now.z)))
        S1 = self._along(K, after, self.S, self.Sm)  # SE.7
        return [(K.sx(q1), False)], [(K.sx(v1), False)], [(K.sx(now.z), False), (S1, True)]

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
        shift = lib.if_else(rests, lib.SX.zeros(1, self.width), shift)
        pushed = lib.logic_and(g < -SAME, self.before[1] == self.time)
        shift = lib.if_else(pushed, self.before[0], shift)
        shift = lib.if_else(number < -0.5, lib.SX.zeros(1, self.width), shift)
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
        S1 = self._along(K, after, self.S, self.Sm) + drift @ shift  # SE.3
        Sm1 = self._along(K, K.sx(m1), moved, self.Sm, shift)  # SE.4
        size = sum(lib.sum1(lib.fabs(x)) for x in (S1, Sm1) if x.shape[0])
        sound = lib.fmax(lost, size < SOUND)  # an event that has no derivative ends those it lacks
        there = sound - lost
        S1 = lib.if_else(lib.repmat(there, self.state, 1), S1, 0)
        Sm1 = lib.if_else(lib.repmat(there, m1.shape[0], 1), Sm1, 0)
        own = lib.fabs(self.before[0])
        own = lib.if_else(own < LOST, LOST, own)
        shift = lib.if_else(there, shift, lib.if_else(sound, own, BROKEN))
        memory = [(K.sx(m1), False), (Sm1, True), (shift, True), (self.time, False)]
        return [(K.sx(v1), False)], [(K.sx(z1), False), (S1, True)], memory


def _reads(own: Quantity) -> list[str]:
    return [*PORTS, *(x for x in own.inputs if x not in PORTS)]


def _flat(K, parts):
    """Parts one after the other; number k in direction j of those that move is `k M + j`."""
    lib = K.lib
    return lib.vertcat(
        *(lib.reshape(lib.densify(x).T, -1, 1) if moves else x for x, moves in parts)
    )
