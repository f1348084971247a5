"""One-sided derivatives: starts exactly on a switching surface, and corners of friction.

A start on a switching surface, changed by a number to one side and to the other, can give two
different motions.  Then a derivative by that number holds to one side only.  Theory: SE.10.
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...dynamics import LANDING_DEPTH, TOUCH
from ...errors import TorseurError
from ...kernels import begun
from ...scalars import Floats
from ...solve import arguments
from ...system import System, unfit_rows
from ..run.constraint_method import kernels_for
from ..run.contact_modes import AT_START
from ..run.run import Simulation
from .parameters import VariationalRun

if TYPE_CHECKING:
    from ..run.result import RunSignals
    from .signals import SignalDerivatives

OFFSET = 1e-7  # of a number, and of 0.1: how far a start is moved to either side
SMALL_OFFSET_FACTOR = 0.1  # a jump of the rates is as large with this part of the offset
ROUNDING = 1e-11  # relative: changes of memories and rates that are rounding
REST_TOLERANCE = 1e-12  # of an event function, and of its rate, at rest on a switching surface
RATE_INTERVAL = 1e-3  # [s] of the difference quotient of an event function
NEAR_FACTOR = 1e-2  # of the offset, at which both sides are compared again
SHORT_SPAN = 1e-2  # of the run, over which both sides are compared
FULL_SPAN = 1.0  # of the run: where memories differ, the sides may part at any time
REST_OFFSET_FACTOR = 1e5  # on the offset of a start at rest, which leaves slowly
REST_SPAN = 0.3  # of the run, for a start at rest
MIN_DIFFERENCE_RATIO = 0.3  # to the offset, of two differences that are linear in it
MIN_MEMORY_BEND = 1e-3  # relative difference of the steps of a memory to either side
MIN_MOTION_BEND = 0.02  # relative difference of two motions
RUN_NOISE = 1e-13  # of short runs
LIFT_OFFSET = 1e-5  # of a number, by which contacts are lifted
MIN_LIFT_RATIO = 1e-7  # to that offset, of a gap that changes
SHORT_RUN_OPTIONS: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-15, "output": 2}


class ShiftedStart(NamedTuple):
    """The initial state for shifted numbers: memory, impact of the speeds, accelerations, z."""

    m: np.ndarray
    v: np.ndarray
    a: np.ndarray
    z: np.ndarray


class RunEnd(NamedTuple):
    """Coordinates, speeds and memory at the end of a short run."""

    q: np.ndarray
    v: np.ndarray
    m: np.ndarray


class OneSidedStart:
    """Search for names by which the derivatives at the start hold to one side only.

    `run` has the derivatives of its state before the initial impact, or None if it continues
    another run.
    """

    def __init__(self, run: VariationalRun, signals: RunSignals):
        """The start of a run, and the sizes of the numbers that change it."""
        self.system, self.directions, self.signals = run.system, run.directions, signals
        self.y = run.untouched.copy()
        self.S: Any = None if run.initial is None else run.initial.state
        self.t, self.u, self.p = run.t_start, run.u.copy(), run.p.copy()
        values = self.directions.values(self.p, self.u, self.y)
        self.sizes = np.maximum(np.abs(np.array(values, float)), 0.1)
        self.span = 1.0 if run.t_end is None else run.t_end - run.t_start
        self.reference_ends: dict[float, RunEnd] = {}  # of short runs from the start itself

    def find_one_sided(self) -> dict[int, str]:
        """Element at whose switching surface the start is, by index of the one-sided names."""
        if self.S is None or not len(self.system.layout.m):
            return {}
        offsets, owners = OFFSET * np.eye(len(self.sizes)), self._find_lifted_contacts()
        mixed = OFFSET * (0.5 + np.random.default_rng(0).random(len(self.sizes)))
        starts, bends = self._shift_three(mixed[None]), [""] * len(offsets)
        resting = self._find_resting_element(starts[1])
        if any(self._find_bent_memories(starts)):
            bends = self._find_bent_memories(self._shift_three(offsets))
        candidates = np.array([bool(resting or bend) for bend in bends])
        candidates[[*owners]] = False
        group = candidates & self._leave_start_unchanged(bends)
        if group.sum() > 1:
            offset = REST_OFFSET_FACTOR * mixed * group
            parts = self._motions_part(offset, REST_SPAN, MIN_MOTION_BEND / group.sum())
            candidates &= ~group | parts
        for i in np.flatnonzero(candidates).tolist():
            if bends[i] and self._motions_part(offsets[i]):
                owners[i] = bends[i]
            elif resting and self._motions_part(REST_OFFSET_FACTOR * offsets[i], REST_SPAN):
                owners[i] = resting
        return owners

    @property
    def _kernels(self):
        """Kernels of the motion at the start."""
        return kernels_for(self.system, self.signals.solutions[0][1])

    def _find_lifted_contacts(self) -> dict[int, str]:
        """Contacts that start closed and do not open, by index of a name that moves them.

        To one side, they would start inside their ground.
        """
        s, n, owners = self.system, self.system.nq + self.system.nv, dict[int, str]()
        switched = zip(s.switched, s.layout.switches, strict=True)
        contacts = [(e.name, slots.start) for e, slots in switched if e.contact]
        if not contacts:
            return {}
        h = LIFT_OFFSET * np.diag(self.sizes)
        y, u, p = self._shift(np.vstack([h, 0 * h[:1], -h]))
        start, modes = self._initialize(0 * h[:1])[0], [slot for _, slot in contacts]
        z, m = (np.tile(x, (len(y), 1)) for x in (start.z, start.m))
        m[:, modes] = -1  # an opening contact: its event functions are gap and rate
        q, v = np.split(y[:, :n], [s.nq], axis=1)
        t = np.full(len(y), self.t)
        with np.errstate(all="ignore"):
            g = np.asarray(self._kernels["guards"](t, q, v, z, m, u, p))
        first = g.shape[1] - sum(len(e.watched) for e in s.switched)
        for k, (name, slot) in enumerate(contacts):
            gap, rate = g[:, first + 3 * k + 1] - LANDING_DEPTH, g[:, first + 3 * k + 2]
            ahead, middle, back = np.split(gap, [len(h), len(h) + 1])
            if middle[0] > TOUCH or (start.m[slot] < 0.5 and rate[len(h)] > 0):
                continue
            is_lifted = abs(ahead - back) > MIN_LIFT_RATIO * h.max(axis=1)
            owners |= {int(i): name for i in np.flatnonzero(is_lifted)}
        return owners

    @cached_property
    def _sticking_slots(self) -> list[int]:
        """Memory of frictions that stick at the start with a margin, to either side."""
        s, n = self.system, self.system.nq + self.system.nv
        if not s.switched:
            return []
        (start,), (q, v) = self._initialize(0 * self.sizes[None]), np.split(self.y[:n], [s.nq])
        with np.errstate(all="ignore"):
            state = (self.t, q, v + start.v, start.z, start.m, self.u, self.p)
            g = np.asarray(self._kernels["guards"](*state))
        first, slots = len(g) - sum(len(e.watched) for e in s.switched), list[int]()
        for e, block in zip(s.switched, s.layout.switches, strict=True):
            if e.friction and start.m[block][0] == 0 and g[first + 1] > REST_TOLERANCE:
                slots += range(block.start, block.stop)
            first += len(e.watched)
        return slots

    def _leave_start_unchanged(self, bends: list[str]) -> np.ndarray:
        """Names that change neither the initial state nor initial memories.

        They are tried together first: one that lets motions part does so in any mixture.
        """
        return ~self.S.any(axis=1) & np.array([not bend for bend in bends])

    def _find_resting_element(self, start: ShiftedStart) -> str:
        """Name of an element that rests on its switching surface, or ""."""
        s, kernels = self.system, self._kernels
        q, v = np.split(self.y[: s.nq + s.nv], [s.nq])
        with np.errstate(all="ignore"):
            flow = kernels["flow"](self.t, q, v, start.z, start.m, self.u, self.p)
            rates = (np.asarray(flow[0]), start.a, 0 * start.z)
            now, later = (
                np.asarray(kernels["guards"](
                    self.t, *(x + h * d for x, d in zip((q, v, start.z), rates, strict=True)),
                    start.m, self.u, self.p))
                for h in (0.0, RATE_INTERVAL)
            )  # fmt: skip
        rests = (abs(now) <= REST_TOLERANCE) & (abs(later - now) <= REST_TOLERANCE * RATE_INTERVAL)
        owners = [g.owner for g, x in zip(s.layout.guards, rests, strict=True) if x]
        return owners[0] if owners else ""

    def _shift_three(self, offsets: np.ndarray) -> list[ShiftedStart]:
        """Starts to one side by each offset, the start itself, and those to the other side."""
        h = offsets * self.sizes
        return self._initialize(np.vstack([h, 0 * h[:1], -h]))

    def _find_bent_memories(self, starts: list[ShiftedStart]) -> list[str]:
        """Element whose initial memory differs to either side of each offset, or ""."""
        n = len(starts) // 2
        one, middle, other = np.split(np.array([x.m for x in starts]), [n, n + 1])
        ahead, back = one - middle, middle - other
        bound = MIN_MEMORY_BEND * (abs(ahead) + abs(back)) + ROUNDING * abs(middle)
        is_bent = abs(ahead - back) > bound
        is_bent[:, self._sticking_slots] = False
        names = [port.name.rpartition(".")[0] for port in self.system.layout.m]
        return [names[int(np.argmax(row))] if row.any() else "" for row in is_bent]

    def _motions_part(
        self, offset: np.ndarray, span: float = SHORT_SPAN, min_bend: float = MIN_MOTION_BEND
    ) -> bool:
        """Whether the motions of the two sides part within a part `span` of the run.

        They part if discrete memories differ, or if the sides are not equally far from the middle.
        A difference like the root of the offset is none: from rest it takes time to cross.
        """
        factors = (1, -1, SMALL_OFFSET_FACTOR, -SMALL_OFFSET_FACTOR)
        one, other, *near = self._initialize(np.outer(factors, offset * self.sizes))
        if _rates_jump((one, other), near):
            return True
        try:
            ends = self._integrate_three(NEAR_FACTOR * offset, span)
        except TorseurError:  # a side on which no run can start
            return False
        discrete = [i for i, port in enumerate(self.system.layout.m) if port.unit == "1"]
        if (ends[0].m[discrete] != ends[2].m[discrete]).any():
            return True
        if self._ends_differ(ends, offset, span, min_bend):
            return True
        if not self._find_bent_memories(ends)[0]:  # type: ignore[arg-type]
            return False
        try:  # different memories may part the motions later
            ends = self._integrate_three(offset, FULL_SPAN)
            return self._ends_differ(ends, offset / NEAR_FACTOR, FULL_SPAN, min_bend)
        except TorseurError:
            return False

    def _ends_differ(
        self, ends: list[RunEnd], offset: np.ndarray, span: float, min_bend: float
    ) -> bool:
        """Whether two sides are not equally far from the middle, and not like a root of the offset.

        `offset` is 1 / NEAR_FACTOR times that of the ends.
        """
        bends = {x: _measure_bend(ends, x, min_bend) for x in ("q", "v")}
        if not any(bends.values()):
            return False
        try:
            far = self._integrate_three(offset, span)
        except TorseurError:
            return True
        factor = MIN_DIFFERENCE_RATIO * NEAR_FACTOR
        return any(
            bend > factor * _measure_bend(far, x, min_bend) for x, bend in bends.items() if bend
        )

    def _integrate_three(self, offset: np.ndarray, span: float) -> list[RunEnd]:
        """Ends of short runs from one side, the start itself and the other side."""
        h = offset * self.sizes
        parameters = self._shift(np.array([h, -h]))[2]
        if unfit_rows(self.system, list(self.system.parameters), parameters):
            raise TorseurError("a side that no model may have")
        if span not in self.reference_ends:
            self.reference_ends[span] = self._integrate(0 * h, span)
        return [self._integrate(h, span), self.reference_ends[span], self._integrate(-h, span)]

    def _integrate(self, h: np.ndarray, span: float) -> RunEnd:
        """End of a short run over a part of the span, with every number shifted by h."""
        s, n = self.system, self.system.nq + self.system.nv
        y, u, p = self._shift(h)
        initial = dict(zip((*s.coordinates, *s.speeds), y[:n].tolist(), strict=True))
        inputs = {k: u[block] if block.stop - block.start > 1 else float(u[block.start])
                  for k, block in s.layout.inputs.items()}  # fmt: skip
        parameters: Any = arguments.CheckedParameters(zip(s.parameters, p.tolist(), strict=True))
        run = Simulation(
            s,
            self.t + span * self.span,
            initial,
            t_start=self.t,
            parameters=parameters,
            inputs=inputs,
            **SHORT_RUN_OPTIONS,
        )
        run.go()
        return RunEnd(run.q, run.v, run.record.m.copy())

    def _shift(self, h: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """State, inputs and parameters with every number shifted by h, or by the rows of h."""
        n, count = self.system.nq + self.system.nv, len(self.directions.p)
        y, u, p = (np.tile(x, (*h.shape[:-1], 1)[: h.ndim]) for x in (self.y, self.u, self.p))
        y[..., :n] += h @ self.S[:, :n]
        p[..., self.directions.p] += h[..., :count]
        u[..., self.directions.u] += h[..., count : count + len(self.directions.u)]
        return y, u, p

    def _initialize(self, h: np.ndarray) -> list[ShiftedStart]:
        """The start with every number shifted by rows of h.  Contacts have no start faults."""
        s, n = self.system, self.system.nq + self.system.nv
        y, u, p = self._shift(h)
        q, v = y[:, : s.nq], y[:, s.nq : n]
        kernels, t = self._kernels, np.full(len(h), self.t)
        z, m = begun(s, self.t, q, v, u, p)
        before = v
        with np.errstate(all="ignore"):  # branches that are not taken
            if s.switched:
                event, neighbors = np.full(len(h), AT_START), np.zeros((len(h), s.layout.gathered))
                v, z, m = (np.asarray(x, float) for x in
                           kernels["jump"](t, q, v, z, m, u, p, event, neighbors))  # fmt: skip
            _, a, *_ = kernels["flow"](t, q, v, z, m, u, p)
        rows = zip(m, v - before, a, z, strict=True)
        return [ShiftedStart(*(np.asarray(x, float) for x in row)) for row in rows]


def _rates_jump(far: tuple[ShiftedStart, ShiftedStart], near: list[ShiftedStart]) -> bool:
    """Whether speeds or accelerations jump from one side to the other."""
    for x in ("v", "a"):
        jump, near_jump = (
            abs(getattr(a, x) - getattr(b, x)).max(initial=0) for a, b in (far, near)
        )
        size = max(abs(getattr(a, x)).max(initial=0) for a in far)
        if near_jump > max(0.5 * jump, ROUNDING * max(size, 1.0)):
            return True
    return False


def _measure_bend(ends: list[RunEnd], x: str, min_bend: float) -> float:
    """Difference of the distances of two ends from the middle one.  0 below the bound."""
    one, middle, other = (getattr(end, x) for end in ends)
    ahead, back = one - middle, middle - other
    size = max(abs(ahead).max(initial=0), abs(back).max(initial=0))
    bend = float(abs(ahead - back).max(initial=0))
    bound = min_bend * size + RUN_NOISE * (0.03 + abs(middle).max(initial=0))
    return bend if bend > bound else 0.0


# ---- friction whose load is zero by a parameter ----------------------------------------------

MIN_LOAD_RATIO = 1e-9  # to the change of a load by the size of a number: a load that is zero


def describe_friction_corner(derivatives: SignalDerivatives, i: int) -> str:
    """A sentence on a friction whose load is zero all along because number i is, or "".

    The friction force goes with the magnitude of the load, which has no derivative at zero.
    """
    corners = chain(_find_plane_corners(derivatives, i), _find_friction_corners(derivatives, i))
    for name, load in corners:
        return (
            f"the {load} of {name!r} is zero because this number is, and friction comes with it to "
            "both sides, or with a push and with no pull: its derivatives to one side and to the "
            "other differ; give it a little more than zero"
        )
    return ""


def _find_plane_corners(derivatives: SignalDerivatives, i: int):
    """Forces on a plane whose friction a number of zero switches on."""
    directions = derivatives.directions
    if i >= len(directions.p) or derivatives.p[directions.p[i]] != 0:
        return
    for f in derivatives.system.model.forces:
        if f.linear:
            continue
        name = f"{f.name}.force"
        force, change = derivatives.signals(name)[name], derivatives.differentiate(name, i)
        if _holds_over_interval(derivatives, (force == 0) & (change != 0)):
            yield f.name, "push"


def _find_friction_corners(derivatives: SignalDerivatives, i: int):
    """Dry frictions that slide under a normal force that is zero and changes with number i."""
    s = derivatives.system
    for e in s.switched:
        f = e.friction
        if f is None or f.normal is None or _is_contact(s, f.normal):
            continue
        try:
            N, dN = _normal_force(derivatives, f, i)
        except TorseurError:  # reactions that are not determined
            continue
        change = abs(dN).max(axis=0)
        size = derivatives.one_sided_start.sizes[i]
        is_zero = (abs(N).max(axis=0) <= MIN_LOAD_RATIO * change * size) & (change > 0)
        mode = f"{e.name}.mode"
        if _holds_over_interval(derivatives, is_zero & (derivatives.signals(mode)[mode] != 0)):
            yield e.name, "normal force"


def _is_contact(system: System, normal: str) -> bool:
    return any(e.contact and normal in (e.name, f"{e.name}.normal") for e in system.switched)


def _normal_force(
    derivatives: SignalDerivatives, friction: Any, i: int
) -> tuple[np.ndarray, np.ndarray]:
    """Components of a normal force and their derivatives, (components, rows) each."""
    s, signals = derivatives.system, derivatives.signals
    if friction.normal != "joint":
        names = [port.name for port in s.layout.lam]
        ending = ".multiplier"
        name = next(
            n
            for n in names
            if friction.normal in (n[: -len(ending)], n[: -len(ending)].rpartition(".")[0])
        )
        return signals(name)[name][None], derivatives.differentiate(name, i)[None]
    link = s.links[friction.link - 1]
    names = [f"{link.name}.reaction.force.{c}" for c in "xyz"]
    force = np.array([signals(n)[n] for n in names])
    change = np.array([derivatives.differentiate(n, i) for n in names])
    if link.joint.nv != 1:
        return force, change
    S = np.asarray(link.joint.subspace(Floats(), np.zeros(link.joint.nq))[:, 0], float)
    u = S[3:] if not S[:3].any() else S[:3]  # DF.5
    return force - np.outer(u, u @ force), change - np.outer(u, u @ change)


def _holds_over_interval(derivatives: SignalDerivatives, condition: np.ndarray) -> bool:
    """Whether a condition of rows holds at both ends of some time interval."""
    both = condition[1:] & condition[:-1]
    return bool((both & (np.diff(derivatives.time) > 0)).any())
