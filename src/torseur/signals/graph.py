"""Signals as one graph of the state, for compiled models."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compiler import Kernel
from ..dynamics import Moment
from ..errors import NotInRing
from ..kernels import Outputs, StateRows, evaluate_formula, flatten_numbers, interpreted
from ..quantities import PORTS, SymbolicSystem, find
from ..scalars import Deciding, Graph, ManyWays, vector
from .names import declared_signals
from .signals import Signals

if TYPE_CHECKING:
    from ..system import System

DEFAULT_GROUPS = (
    "state",
    "accelerations",
    "efforts",
    "elements",
    "books",
    "energy",
    "positions",
    "memory",
)
"""Groups of signals that a compiled model has by default."""
INSTANT_GROUPS = (*DEFAULT_GROUPS, "velocities", "moving")
"""Groups that have a formula of one instant."""
RUN_SIGNAL = "energy.residual"  # a difference from the start of a run
RANK_RTOL = 1e-9  # of the largest singular value: rows are dependent


def instant_signals(system: System, t: float, q, v, p, usual: bool = False) -> tuple[str, ...]:
    """Signals that have a formula of one instant, those of inputs apart; `usual`: some of them.

    Multipliers are among them that the equation of motion determines, at such a state.
    """
    open_chain = not (system.held or system.switched)
    groups = DEFAULT_GROUPS if usual else (*INSTANT_GROUPS, *["reactions"] * open_chain)
    is_determined = {RUN_SIGNAL: False} | find_determined_multipliers(system, t, q, v, p)
    return tuple(
        n
        for n, (group, _) in declared_signals(system).items()
        if is_determined.get(n, group in groups)
    )


def find_determined_multipliers(system: System, t, q, v, p) -> dict[str, bool]:
    """Whether each multiplier is the only one of its motion, whatever is closed and stuck.

    It is when no state of self-stress of all rows together moves it.
    """
    if not (system.held or system.switched):
        return {}
    graphs = interpreted(system)
    ports = {"t": t, "q": q, "v": v}
    arrays = [np.atleast_2d(ports[x]) for x in find("every_row").given(system)]
    (J,) = graphs.rows("every_row", *arrays, p=p)
    J = J.reshape(-1, system.nv)
    size = np.linalg.norm(J, axis=1)
    U, s, _ = np.linalg.svd(J / np.where(size > 0, size, 1.0)[:, None])
    null_vectors = U[:, (s > RANK_RTOL).sum() :]
    largest = abs(null_vectors).max(axis=1, initial=0.0)
    influence = dict(zip(graphs.labels("every_row").names, largest.tolist(), strict=True))
    rows = zip(system.layout.lam, graphs.labels().names, strict=True)
    return {port.name: influence[row] < RANK_RTOL for port, row in rows}


def signals_kernel(system: System, names: Sequence[str]) -> Kernel:
    """A kernel of signals: of what the flow reads, then accelerations and multipliers."""
    words = repr((system.digest, "signals", tuple(names)))
    return Kernel(
        "signals",
        lambda: GraphSignals(system).function(names),
        key=hashlib.sha256(words.encode()).digest(),
        shapes={"t": ()},
        lanes=False,
        rare=True,
    )


class GraphSignals(Signals):
    """Signals of one row, whose numbers are nodes of a graph."""

    def __init__(self, system: System):
        self.scene = scene = SymbolicSystem(system, Graph(), tuple(system.parameters))
        rows = StateRows(scene["t"], *(as_row(scene[x]) for x in PORTS[1:-1]))
        super().__init__(system, rows, scene["p"] if system.parameters else vector(()))
        self.system = system

    @cached_property
    def outputs(self):
        return GraphOutputs(self.scene)

    @cached_property
    def whole(self):
        if self.unmerged is self.system:
            return self.outputs
        scene = SymbolicSystem(self.unmerged, self.scene.K, self.scene.parameters)
        scene.ports |= self.scene.ports
        return GraphOutputs(scene)

    @cached_property
    def solved(self):
        constrained = self.system.held or self.system.switched
        return as_row(self.scene["a"]), as_row(self.scene["lam"] if constrained else vector(()))

    def _multipliers(self):
        return self._named("multipliers", self.solved[1].T)

    def function(self, names: Sequence[str]):
        """The `casadi.Function` of these signals."""
        K, scene = self.scene.K, self.scene
        values: dict = {}
        for name in names:
            if name not in values:
                values |= self(name)
        column = K.sx(vector(values[n][0] for n in names))
        inputs = [K.sx(scene[x]) if x != "p" else K.sx(self.p) for x in PORTS]
        inputs += [K.sx(x[0]) for x in self.solved]
        return K.lib.Function(
            "signals", inputs, [K.lib.densify(column)], [*PORTS, "a", "lam"], ["y"]
        )


class GraphOutputs(Outputs):
    """Quantities of one row of nodes."""

    def __init__(self, scene: SymbolicSystem):
        self.scene, self.system = scene, scene.system

    def __call__(self, name: str, rows, **more):
        ports = rows._asdict() | more
        own = [ports[x] for x in find(name).given(self.system)]
        columns = [x if x.ndim == 1 else x[0] for x in own]
        return vector(flatten_numbers(list(evaluate_formula(find(name), self.scene, columns))))[
            :, None
        ]


def as_row(x) -> np.ndarray:
    return x[None]


# --------------------------------------------------------------------------------------------
# Initial history variables as a graph, for compiled models that start at other states.


NO_HISTORY = ""


def initial_history_kernel(system: System) -> Kernel | str | None:
    """A kernel of initial states, history variables and gaps of contacts.

    None where a law searches for its initial state, or chooses among very many.  Empty text where
    no law has a history.
    """
    try:
        function = trace_initial_history(system)
    except (ManyWays, TypeError, NotInRing):
        return None
    if not any(function.numel_out(i) for i in range(3)):
        return NO_HISTORY
    words = repr((system.digest, "starts"))
    return Kernel(
        "starts",
        lambda: function,
        key=hashlib.sha256(words.encode()).digest(),
        shapes={"t": ()},
        lanes=False,
        rare=True,
    )


def initial_values(K: Any, e, a) -> list:
    return [x for part in e.begin(K, a.seen) for x in part]


def trace_initial_history(system: System):
    """The `casadi.Function` of all starts."""
    K = Deciding()
    scene = SymbolicSystem(system, K, tuple(system.parameters))
    inputs = [scene[x] if x != "p" or system.parameters else vector(()) for x in PORTS]
    motion, layout = scene.motion, system.layout
    z, m = vector([0] * len(layout.z)), vector([0] * len(layout.m))
    state = Moment(inputs[0][0], inputs[1], inputs[2], z.copy(), m.copy(), inputs[5])
    acting = motion.loads(motion.with_reactions(state)).acting
    for e, a in zip(motion.elements, acting, strict=True):
        if e.law is not None and (e.states or e.memory):
            values = K.chosen(partial(initial_values, K, e, a))
            z[e.z], m[e.m] = values[: len(e.states)], values[len(e.states) :]
    gaps = [
        e.residual(motion.tree, inputs[0][0], inputs[1])[0] for e in system.switched if e.contact
    ]
    columns = [K.lib.densify(K.sx(vector(x))) for x in (z, m, gaps)]
    return K.lib.Function(
        "starts", [K.sx(x) for x in inputs], columns, list(PORTS), ["z1", "m1", "gaps"]
    )
