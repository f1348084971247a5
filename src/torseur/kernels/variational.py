"""Variational equations: kernels of a motion together with its sensitivities.

Directions are columns: parameters of the model, inputs, and initial values.  The derivatives S of
(q, v, z) follow z, those of the history variables follow m.  The kernel `jump` applies the
saltation matrix (Leine and Nijmeijer 2004).  An integrator sees a longer state and nothing else.
Theory: SE.1 to SE.4.
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
MAX_DERIVATIVE = 1e200  # derivatives are below that
MAX_EVENT_SHIFT = 1e15  # [s] over a number: an event that moves so far is reached without speed
RATE_RTOL = 1e-14  # of a rate: those before and after an event do not differ
# a guard further below zero did not fall by itself: another event pushed it
GUARD_PUSH_TOLERANCE = 1e-7


COLUMNED = ("flow", "jump", "project")  # one text for all directions
WITH_DERIVATIVES = (*COLUMNED, "flow_jacobian")
SHAPES: dict[str, tuple[int, ...]] = {"t": (), "k": ()}


class Variations(MotionKernels):
    """Kernels of a system and of its derivatives in some directions.

    `parameters` and `inputs` are the slots in p and u of directions, `starts` is the number of
    directions of initial values.  z holds (z, S), all directions of one number of (q, v, z) in
    turn.  m holds (m, S of m, shifts of the last event's time, that time).  After a shift of `LOST`
    derivatives in that direction do not exist, and are zero.  Derivatives of the multipliers follow
    the multipliers.
    """

    def __init__(self, system, parameters, inputs, starts: int, constraints=None):
        super().__init__(system, constraints)
        self.parameters, self.inputs, self.starts = tuple(parameters), tuple(inputs), starts
        self.directions = len(self.parameters) + len(self.inputs) + starts
        at = self.sizes_of_motion = dict(self.sizes)
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
                staged=(lambda _: self._build_columns(find(name))) if name in COLUMNED else None,
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
        formula_with_derivatives = getattr(self, f"_{own.name}")

        def formula(s, t, q, v, z, m, u, *rest):
            self._unpack_derivatives(s, z, m, u, one)
            return formula_with_derivatives(
                s, t, q, v, z[: self.sizes_of_motion["z"]], m[: self.sizes_of_motion["m"]], u, *rest
            )

        outputs = (*own.outputs, "z1") if own.name == "project" else own.outputs
        return replace(own, formula=formula, outputs=outputs)

    def _graph(self, own: Quantity):
        """All directions, straight on."""
        from .tracing import trace_function

        scene = self._scene()
        if own.name in WITH_DERIVATIVES:
            with_derivatives = self._formula(own, False)

            def flat_formula(*columns):
                return tuple(flatten_parts(scene.K, x) for x in with_derivatives.formula(*columns))

            own = replace(with_derivatives, formula=flat_formula)
        elif own.inputs[: len(MOTION)] == MOTION:
            own = replace(own, formula=self._ignore_derivatives(own.formula))
        return trace_function(own, scene, input_ports(own))

    def _ignore_derivatives(self, formula):
        """A formula of the state and the memory alone."""
        nz, nm = self.sizes_of_motion["z"], self.sizes_of_motion["m"]
        return lambda s, t, q, v, z, m, *rest: formula(s, t, q, v, z[:nz], m[:nm], *rest)

    def _build_columns(self, own: Quantity) -> Columned:
        """One direction that stands for all: SE.12."""
        from .tracing import evaluate_formula

        scene, reads, M = self._scene(), input_ports(own), self.directions
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
        z, m, at = PORTS.index("z"), PORTS.index("m"), self.sizes_of_motion["m"]
        taken = (PortPart(z, self.sizes_of_motion["z"]), PortPart(m, at), PortPart(m, at + M * at))
        parts, answers = (tuple(x for x, _ in side) for side in (wholes, columns))
        return Columned(first.inputs, tuple(ports), first, column, M, parts, taken, answers)

    def _unpack_derivatives(self, s, z, m, u, one: bool):
        """The derivatives that stand behind z and m, or a column of each."""
        K, lib, sizes, M = s.K, s.K.lib, self.sizes_of_motion, self.directions
        first = sizes["m"] + M * sizes["m"]
        blocks = (
            (z[sizes["z"] :], self.state),
            (m[sizes["m"] : first], sizes["m"]),
            (m[first:][:M], 1),
        )
        self.one, self.width = one, 1 if one else M
        self.rows: tuple[list, list] = ([], [])
        self.S, self.Sm, shift = (
            lib.SX.sym("x", n) if one else lib.reshape(K.sx(x), M, n).T for x, n in blocks
        )
        self.before = shift, K.sx(m[first + M :])
        directions = [*(s["p"][i] for i in self.parameters), *(u[i] for i in self.inputs)]
        self.own = lib.vertcat(*(K.sx(x) for x in directions)) if directions else lib.SX(0, 1)

    def _differentiate(self, K, y, x, m, t=None):
        """Derivative of `y` in every direction, its arguments moving by `x` and `m` (and t)."""
        lib = K.lib
        if self.one and self._pays_forward(lib, y):
            return self._forward(lib, y, x, m, t)
        D = lib.jacobian(y, self.symbols) @ x + lib.jacobian(y, self.memory) @ m
        partial = lib.jacobian(y, self.own)
        partial = lib.horzcat(partial, lib.SX(y.shape[0], self.directions - partial.shape[1]))
        D = D + (self._column_rows(lib, partial) if self.one else partial)
        return D if t is None else D + lib.jacobian(y, self.time) @ t

    def _pays_forward(self, lib, y) -> bool:
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
        variables, directions = [self.symbols, self.memory, self.own], [x, m, c]
        if t is not None:
            variables, directions = [*variables, self.time], [*directions, t]
        return lib.jtimes(y, lib.vertcat(*variables), lib.vertcat(*directions))

    def _column_rows(self, lib, own):
        """Numbers of one column of a matrix, in those rows that have any."""
        filled = sorted(set(own.sparsity().get_triplet()[0]))
        c, out = lib.SX.sym("c", len(filled)), lib.SX(own.shape[0], 1)
        if filled:
            out[filled] = c
            self.rows[0].append(own[filled, :])
            self.rows[1].append(c)
        return out

    def _set_state(self, K, now):
        lib = K.lib
        self.symbols = lib.vertcat(*map(K.sx, (now.q, now.v, now.z)))
        self.memory, self.time = K.sx(now.m), K.sx(now.t)

    def _rates(self, K, motion, now):
        f = motion.flow(now)
        return f, K.lib.vertcat(*map(K.sx, (f.qdot, f.vdot, f.zdot)))

    def _flow(self, s, *given):
        K, motion, now = s.K, s.motion, moment(*given)
        self._set_state(K, now)
        f, rates = self._rates(K, motion, now)
        lam = K.sx(f.lam) if motion.constraints is not None else K.lib.SX(0, 1)
        derivatives = self._differentiate(K, K.lib.vertcat(rates, lam), self.S, self.Sm)  # SE.1
        Sdot, multiplier_derivatives = K.lib.vertsplit(
            derivatives, [0, rates.shape[0], derivatives.shape[0]]
        )
        qdot, vdot, zdot = (K.sx(x) for x in (f.qdot, f.vdot, f.zdot))
        rates_ = [(qdot, False)], [(vdot, False)], [(zdot, False), (Sdot, True)]
        return (
            rates_
            if motion.constraints is None
            else (*rates_, [(lam, False), (multiplier_derivatives, True)])
        )

    def _flow_jacobian(self, s, *given):
        """Of all rates by the state and what stands behind it, and by time."""
        K, lib = s.K, s.K.lib
        rates = lib.vertcat(*(flatten_parts(K, x) for x in self._flow(s, *given)[:3]))
        state = lib.vertcat(self.symbols, flatten_parts(K, [(self.S, True)]))
        return [(lib.jacobian(rates, state), False)], [(lib.jacobian(rates, self.time), False)]

    def _project(self, s, *given):
        """The state brought back to its constraints, its derivatives to the linearized ones."""
        K, lib, motion, now = s.K, s.K.lib, s.motion, moment(*given)
        self._set_state(K, now)
        q1, v1 = motion.projected(now)
        after = lib.vertcat(*map(K.sx, (q1, v1, now.z)))
        S1 = self._differentiate(K, after, self.S, self.Sm)  # SE.7
        return [(K.sx(q1), False)], [(K.sx(v1), False)], [(K.sx(now.z), False), (S1, True)]

    def _jump(self, s, *given):
        *state, (k,), d = given
        K, lib, motion = s.K, s.K.lib, s.motion
        u, p = K.sx(state[-1]), K.sx(s["p"])
        state_before = moment(*state)._replace(d=d)
        self._set_state(K, state_before)
        _, rates = self._rates(K, motion, state_before)
        v1, z1, m1 = motion.jump(state_before, k)
        guards = K.sx(motion.guards(state_before))
        number = K.sx(k)
        g = lib.SX(0)
        for i in range(guards.shape[0]):
            g = g + lib.if_else((number - i) ** 2 < 0.25, guards[i], 0)
        slope = lib.jacobian(g, self.symbols) @ rates + lib.jacobian(g, self.time)
        is_at_rest = slope == 0  # it leaves a knot from rest: both pieces give one motion there
        # SE.2
        shift = -self._differentiate(K, g, self.S, self.Sm) / lib.if_else(is_at_rest, 1, slope)
        shift = lib.if_else(is_at_rest, lib.SX.zeros(1, self.width), shift)
        is_pushed = lib.logic_and(g < -GUARD_PUSH_TOLERANCE, self.before[1] == self.time)
        shift = lib.if_else(is_pushed, self.before[0], shift)
        shift = lib.if_else(number < -0.5, lib.SX.zeros(1, self.width), shift)
        moved_S = self.S + rates @ shift
        after = lib.vertcat(*map(K.sx, (state_before.q, v1, z1)))
        flow = lib.Function(
            "flow",
            [self.time, self.symbols, self.memory, u, p],
            [rates],
        )
        later = flow(self.time, after, K.sx(m1), u, p)
        # what the shift changes, first: nothing where both pieces agree, however long it is
        early = lib.jacobian(after, self.symbols) @ rates + lib.jacobian(after, self.time)
        drift = early - later
        drift = lib.if_else(
            lib.fabs(drift) < RATE_RTOL * (lib.fabs(early) + lib.fabs(later)), 0, drift
        )
        has_drift = lib.if_else(lib.sumsqr(drift) > 0, 1, 0)
        is_lost = lib.fabs(self.before[0]) >= LOST  # for good
        is_lost = lib.fmax(is_lost, has_drift * (lib.fabs(shift) > MAX_EVENT_SHIFT))
        S1 = self._differentiate(K, after, self.S, self.Sm) + drift @ shift  # SE.3
        Sm1 = self._differentiate(K, K.sx(m1), moved_S, self.Sm, shift)  # SE.4
        size = sum(lib.sum1(lib.fabs(x)) for x in (S1, Sm1) if x.shape[0])
        # an event that has no derivative ends those it lacks
        is_finite = lib.fmax(is_lost, size < MAX_DERIVATIVE)
        exists = is_finite - is_lost
        S1 = lib.if_else(lib.repmat(exists, self.state, 1), S1, 0)
        Sm1 = lib.if_else(lib.repmat(exists, m1.shape[0], 1), Sm1, 0)
        last_shift = lib.fabs(self.before[0])
        last_shift = lib.if_else(last_shift < LOST, LOST, last_shift)
        shift = lib.if_else(exists, shift, lib.if_else(is_finite, last_shift, BROKEN))
        memory = [(K.sx(m1), False), (Sm1, True), (shift, True), (self.time, False)]
        return [(K.sx(v1), False)], [(K.sx(z1), False), (S1, True)], memory


def input_ports(own: Quantity) -> list[str]:
    return [*PORTS, *(x for x in own.inputs if x not in PORTS)]


def flatten_parts(K, parts):
    """Parts one after the other; number k in direction j of those that move is `k M + j`."""
    lib = K.lib
    return lib.vertcat(
        *(lib.reshape(lib.densify(x).T, -1, 1) if moves else x for x, moves in parts)
    )
