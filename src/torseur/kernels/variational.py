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
from typing import TYPE_CHECKING, Any

from ..compiler import (
    Kernel,
    MultiRhsProgram,
    Port,
    PortPart,
    read_program_with_calls,
    split_columns,
)
from ..quantities import MOTION, PORTS, Quantity, find, moment
from ..scalars import Followed
from . import strategy, thresholds
from .motion import MotionKernels

if TYPE_CHECKING:
    from ..system import System

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

    def __init__(self, system: System, parameters, inputs, starts: int, constraints=None):
        super().__init__(system, constraints)
        self.parameters, self.inputs, self.starts = tuple(parameters), tuple(inputs), starts
        self.directions = len(self.parameters) + len(self.inputs) + starts
        sizes = self.sizes_of_motion = dict(self.sizes)
        self.state_size = sizes["q"] + sizes["v"] + sizes["z"]
        self.sizes["z"] = sizes["z"] + self.directions * self.state_size
        self.sizes["m"] = sizes["m"] + self.directions * (sizes["m"] + 1) + 1

    def __reduce__(self):
        """Pickled without kernels."""
        arguments = (self.system, self.parameters, self.inputs, self.starts, self.constraints)
        return Variations, arguments

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
        """The kernel of a quantity and its derivatives."""
        if name not in self._kernels:
            identity = (self.system.digest, "variations", name, repr(self.constraints))
            text = repr((*identity, self.parameters, self.inputs, self.starts))
            kernel = Kernel(
                name,
                lambda: self._graph(find(name)),
                shapes=SHAPES,
                key=hashlib.sha256(text.encode()).digest(),
                lanes=False,  # of many rows too directions are side by side
                shared=True,
                rare=name in strategy.RARE_QUANTITIES
                and bool(self.system.switched),  # others are short
                staged=(lambda _: self._build_columns(find(name))) if name in COLUMNED else None,
            )
            self._kernels.setdefault(name, kernel)
        return self._kernels[name]

    def _scene(self):
        from ..quantities import SymbolicSystem

        K = Followed()
        scene = SymbolicSystem(self.system, K, self.system.parameters, constraints=self.constraints)
        for x in "zm":
            scene.ports[x] = K.symbols(f"{x}{i}" for i in range(self.sizes[x]))
        return scene

    def _formula(self, quantity: Quantity, is_single: bool) -> Quantity:
        """A quantity with its derivatives in all directions, or in a single symbolic direction.

        Outputs are lists of parts.  Each says whether it has a column for each direction.
        """
        formula_with_derivatives = getattr(self, f"_{quantity.name}")

        def formula(s, t, q, v, z, m, u, *rest):
            self._unpack_derivatives(s, z, m, u, is_single)
            return formula_with_derivatives(
                s, t, q, v, z[: self.sizes_of_motion["z"]], m[: self.sizes_of_motion["m"]], u, *rest
            )

        outputs = (*quantity.outputs, "z1") if quantity.name == "project" else quantity.outputs
        return replace(quantity, formula=formula, outputs=outputs)

    def _graph(self, quantity: Quantity):
        """The straight-line program of all directions."""
        from .tracing import trace_function

        scene = self._scene()
        if quantity.name in WITH_DERIVATIVES:
            with_derivatives = self._formula(quantity, False)

            def flat_formula(*columns):
                return tuple(flatten_parts(scene.K, x) for x in with_derivatives.formula(*columns))

            quantity = replace(with_derivatives, formula=flat_formula)
        elif quantity.inputs[: len(MOTION)] == MOTION:
            quantity = replace(quantity, formula=self._ignore_derivatives(quantity.formula))
        return trace_function(quantity, scene, input_ports(quantity))

    def _ignore_derivatives(self, formula):
        """A formula of the state and the history variables alone."""
        nz, nm = self.sizes_of_motion["z"], self.sizes_of_motion["m"]
        return lambda s, t, q, v, z, m, *rest: formula(s, t, q, v, z[:nz], m[:nm], *rest)

    def _build_columns(self, quantity: Quantity) -> MultiRhsProgram:
        """The program of one direction, for all: SE.12."""
        from .tracing import evaluate_formula

        scene, reads, M = self._scene(), input_ports(quantity), self.directions
        K, lib, formula = scene.K, scene.K.lib, self._formula(quantity, True)
        outputs = evaluate_formula(formula, scene, [scene[x] for x in formula.given(self.system)])
        common: list[tuple] = []
        columns: list[tuple] = []
        ports: list[Port] = []
        for port, (name, parts) in enumerate(zip(formula.outputs, outputs, strict=False)):
            size = 0
            for x, is_column in parts:
                (columns if is_column else common).append((PortPart(port, size), lib.densify(x)))
                size += x.shape[0] * (M if is_column else 1)
            ports.append(Port(name, (size,)))
        rows, c = (
            lib.vertcat(lib.SX(0, n), *x) for n, x in zip((M, 1), self.direction_rows, strict=True)
        )
        values = [*(x for _, x in common), lib.densify(rows), *(x for _, x in columns)]
        names = [f"y{k}" for k in range(len(values))]
        derivatives = [self.S, self.Sm, self.last_event[0], c]
        derivative_names = ["S", "Sm", "shift", "own"]
        inputs = [*(K.sx(scene[x]) for x in reads), *derivatives]
        function = K.functions(quantity.name, inputs, values, [*reads, *derivative_names], names)
        program = read_program_with_calls(function, SHAPES)
        first, column = split_columns(program, len(reads), len(common) + 1)
        z, m, size = PORTS.index("z"), PORTS.index("m"), self.sizes_of_motion["m"]
        derivative_parts = (
            PortPart(z, self.sizes_of_motion["z"]),
            PortPart(m, size),
            PortPart(m, size + M * size),
        )
        parts, column_parts = (tuple(x for x, _ in side) for side in (common, columns))
        return MultiRhsProgram(
            first.inputs, tuple(ports), first, column, M, parts, derivative_parts, column_parts
        )

    def _unpack_derivatives(self, s, z, m, u, is_single: bool):
        """Set the derivatives that follow z and m, or one column of each."""
        K, lib, sizes, M = s.K, s.K.lib, self.sizes_of_motion, self.directions
        first = sizes["m"] + M * sizes["m"]
        blocks = (
            (z[sizes["z"] :], self.state_size),
            (m[sizes["m"] : first], sizes["m"]),
            (m[first:][:M], 1),
        )
        self.is_single, self.width = is_single, 1 if is_single else M
        self.direction_rows: tuple[list, list] = ([], [])
        self.S, self.Sm, shift = (
            lib.SX.sym("x", n) if is_single else lib.reshape(K.sx(x), M, n).T for x, n in blocks
        )
        self.last_event = shift, K.sx(m[first + M :])
        directions = [*(s["p"][i] for i in self.parameters), *(u[i] for i in self.inputs)]
        self.slot_symbols = (
            lib.vertcat(*(K.sx(x) for x in directions)) if directions else lib.SX(0, 1)
        )

    def _differentiate(self, K: Any, y, x, m, t=None):
        """Derivative of `y` in every direction, its arguments moving by `x` and `m` (and t)."""
        lib = K.lib
        if self.is_single and self._pays_forward(lib, y):
            return self._forward(lib, y, x, m, t)
        D = lib.jacobian(y, self.state_symbols) @ x + lib.jacobian(y, self.history_symbols) @ m
        partial = lib.jacobian(y, self.slot_symbols)
        partial = lib.horzcat(partial, lib.SX(y.shape[0], self.directions - partial.shape[1]))
        D = D + (self._column_rows(lib, partial) if self.is_single else partial)
        return D if t is None else D + lib.jacobian(y, self.time_symbol) @ t

    def _pays_forward(self, lib: Any, y) -> bool:
        """Whether forward differentiation takes fewer operations than the Jacobian."""
        state = lib.vertcat(self.state_symbols, self.history_symbols)
        ops = lib.Function("y", [lib.vertcat(*lib.symvar(y))], [y]).n_instructions()
        if ops * state.shape[0] <= thresholds.MAX_JACOBIAN_OPERATIONS:
            return False
        colors = lib.jacobian_sparsity(y, state).uni_coloring().shape[1]
        return ops * colors > thresholds.MAX_JACOBIAN_OPERATIONS and self.directions < colors

    def _forward(self, lib: Any, y, x, m, t):
        """Forward derivative in one direction."""
        c = lib.SX.sym("c", self.slot_symbols.shape[0])
        self.direction_rows[0].append(lib.SX.eye(self.directions)[: c.shape[0], :])
        self.direction_rows[1].append(c)
        variables, directions = (
            [self.state_symbols, self.history_symbols, self.slot_symbols],
            [x, m, c],
        )
        if t is not None:
            variables, directions = [*variables, self.time_symbol], [*directions, t]
        return lib.jtimes(y, lib.vertcat(*variables), lib.vertcat(*directions))

    def _column_rows(self, lib: Any, partial):
        """One column of a matrix, in its nonzero rows."""
        nonzero_rows = sorted(set(partial.sparsity().get_triplet()[0]))
        c, out = lib.SX.sym("c", len(nonzero_rows)), lib.SX(partial.shape[0], 1)
        if nonzero_rows:
            out[nonzero_rows] = c
            self.direction_rows[0].append(partial[nonzero_rows, :])
            self.direction_rows[1].append(c)
        return out

    def _set_state(self, K: Any, state):
        lib = K.lib
        self.state_symbols = lib.vertcat(*map(K.sx, (state.q, state.v, state.z)))
        self.history_symbols, self.time_symbol = K.sx(state.m), K.sx(state.t)

    def _rates(self, K: Any, motion, state):
        f = motion.flow(state)
        return f, K.lib.vertcat(*map(K.sx, (f.qdot, f.vdot, f.zdot)))

    def _flow(self, s, *columns):
        """Rates, multipliers, and their derivatives: SE.1."""
        K, motion, state = s.K, s.motion, moment(*columns)
        self._set_state(K, state)
        f, rates = self._rates(K, motion, state)
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

    def _flow_jacobian(self, s, *columns):
        """Derivatives of all rates by the state and its derivatives, and by time."""
        K, lib = s.K, s.K.lib
        rates = lib.vertcat(*(flatten_parts(K, x) for x in self._flow(s, *columns)[:3]))
        state = lib.vertcat(self.state_symbols, flatten_parts(K, [(self.S, True)]))
        return [(lib.jacobian(rates, state), False)], [
            (lib.jacobian(rates, self.time_symbol), False)
        ]

    def _project(self, s, *columns):
        """The projected state, and derivatives projected onto the linearized constraints."""
        K, lib, motion, state = s.K, s.K.lib, s.motion, moment(*columns)
        self._set_state(K, state)
        q1, v1 = motion.projected(state)
        after = lib.vertcat(*map(K.sx, (q1, v1, state.z)))
        S1 = self._differentiate(K, after, self.S, self.Sm)  # SE.7
        return [(K.sx(q1), False)], [(K.sx(v1), False)], [(K.sx(state.z), False), (S1, True)]

    def _jump(self, s, *columns):
        """Reset of the state, history variables and derivatives: SE.2 to SE.4."""
        *state, (k,), d = columns
        K, lib, motion = s.K, s.K.lib, s.motion
        u, p = K.sx(state[-1]), K.sx(s["p"])
        state_before = moment(*state)._replace(d=d)
        self._set_state(K, state_before)
        _, rates = self._rates(K, motion, state_before)
        v1, z1, m1 = motion.jump(state_before, k)
        event_functions = K.sx(motion.guards(state_before))
        number = K.sx(k)
        g = lib.SX(0)
        for i in range(event_functions.shape[0]):
            g = g + lib.if_else((number - i) ** 2 < 0.25, event_functions[i], 0)
        slope = lib.jacobian(g, self.state_symbols) @ rates + lib.jacobian(g, self.time_symbol)
        is_at_rest = slope == 0  # it leaves a knot from rest: both pieces give one motion there
        # SE.2
        shift = -self._differentiate(K, g, self.S, self.Sm) / lib.if_else(is_at_rest, 1, slope)
        shift = lib.if_else(is_at_rest, lib.SX.zeros(1, self.width), shift)
        is_pushed = lib.logic_and(g < -GUARD_PUSH_TOLERANCE, self.last_event[1] == self.time_symbol)
        shift = lib.if_else(is_pushed, self.last_event[0], shift)
        shift = lib.if_else(number < -0.5, lib.SX.zeros(1, self.width), shift)
        moved_S = self.S + rates @ shift
        after = lib.vertcat(*map(K.sx, (state_before.q, v1, z1)))
        flow = lib.Function(
            "flow",
            [self.time_symbol, self.state_symbols, self.history_symbols, u, p],
            [rates],
        )
        later = flow(self.time_symbol, after, K.sx(m1), u, p)
        # what the shift changes, first: nothing where both pieces agree, however long it is
        early = lib.jacobian(after, self.state_symbols) @ rates + lib.jacobian(
            after, self.time_symbol
        )
        drift = early - later
        drift = lib.if_else(
            lib.fabs(drift) < RATE_RTOL * (lib.fabs(early) + lib.fabs(later)), 0, drift
        )
        has_drift = lib.if_else(lib.sumsqr(drift) > 0, 1, 0)
        is_lost = lib.fabs(self.last_event[0]) >= LOST  # for good
        is_lost = lib.fmax(is_lost, has_drift * (lib.fabs(shift) > MAX_EVENT_SHIFT))
        S1 = self._differentiate(K, after, self.S, self.Sm) + drift @ shift  # SE.3
        Sm1 = self._differentiate(K, K.sx(m1), moved_S, self.Sm, shift)  # SE.4
        magnitude = sum(lib.sum1(lib.fabs(x)) for x in (S1, Sm1) if x.shape[0])
        # an event that has no derivative ends those it lacks
        is_finite = lib.fmax(is_lost, magnitude < MAX_DERIVATIVE)
        exists = is_finite - is_lost
        S1 = lib.if_else(lib.repmat(exists, self.state_size, 1), S1, 0)
        Sm1 = lib.if_else(lib.repmat(exists, m1.shape[0], 1), Sm1, 0)
        last_shift = lib.fabs(self.last_event[0])
        last_shift = lib.if_else(last_shift < LOST, LOST, last_shift)
        shift = lib.if_else(exists, shift, lib.if_else(is_finite, last_shift, BROKEN))
        history = [(K.sx(m1), False), (Sm1, True), (shift, True), (self.time_symbol, False)]
        return [(K.sx(v1), False)], [(K.sx(z1), False), (S1, True)], history


def input_ports(quantity: Quantity) -> list[str]:
    return [*PORTS, *(x for x in quantity.inputs if x not in PORTS)]


def flatten_parts(K: Any, parts):
    """Parts one after the other.  Number k in direction j of a column part is `k M + j`."""
    lib = K.lib
    return lib.vertcat(
        *(lib.reshape(lib.densify(x).T, -1, 1) if is_column else x for x, is_column in parts)
    )
