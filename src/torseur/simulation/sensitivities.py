"""A run with derivatives beside it: of the state natively, of signals at its rows.

Theory: SE.1 to SE.6.
"""

from __future__ import annotations

import warnings
from functools import cached_property
from types import SimpleNamespace

import numpy as np

from ..dynamics import Motion, start
from ..errors import ArgumentError, ModelWarning, TorseurError, system_of, unknown_name
from ..integrate import EXPLICIT, METHODS
from ..model import paths
from ..numbers import Floats, values
from ..quantities import Rows, Variations
from ..solve import initial_state
from ..system import once
from .buffers import steps
from .contacts import begin
from .memory import restore
from .run import Run
from .signals import RunSignals

STEP = 1e-4  # relative, of differences of a start's assembly and of signals (Richardson's rule)
SHORT = 1e-5  # relative, of differences of a law's memory at the start, which is nearly linear
NEVER = -1e300
BOTH_SIDES = (
    "sensitivities: the start changes its pieces on both sides of '{}'; its derivative there does "
    "not exist: start a little later or elsewhere"
)


class Directions:
    """Names of numbers, sorted: parameters (slots in p), inputs (slots in u), starts (by name)."""

    def __init__(self, system, names):
        state = {*system.coordinates, *system.speeds}
        inputs = system.layout.inputs
        self.names = tuple(dict.fromkeys(names))
        wrong = [n for n in self.names if not isinstance(n, str)]
        if wrong:
            raise ArgumentError(f"simulate: sensitivities = {wrong[0]!r}: expected names")
        self.starts = [n for n in self.names if n in state]
        self.inputs = [n for n in self.names if n in inputs and n not in state]
        self.paths = [n for n in self.names if n not in state and n not in inputs]
        model, problems = system.model, []
        for n in self.paths:
            if n in model.parameters:
                continue
            try:
                x = values.exact(paths.read(model, n))
            except TorseurError as e:
                problems.append(f"sensitivities: {e}")
                continue
            if isinstance(x, values.Value):
                problems.append(
                    f"sensitivities: {n!r} is the expression {x}; name the parameters in it"
                )
        large = [n for n in self.inputs if inputs[n].stop - inputs[n].start > 1]
        problems += [f"sensitivities: input {n!r} has several numbers" for n in large]
        if problems:
            raise ArgumentError("\n".join(problems))
        model, self.parameter = paths.parametrised(model, self.paths)
        if model is system.model or not self.paths:
            self.system = system
        else:
            with warnings.catch_warnings(action="ignore", category=ModelWarning):  # told before
                self.system = model.check()
        order = list(self.system.parameters)
        self.p = [order.index(self.parameter[n]) for n in self.paths]
        self.u = [self.system.layout.inputs[n].start for n in self.inputs]

    @property
    def order(self) -> list[str]:
        """Names in the order of columns."""
        return [*self.paths, *self.inputs, *self.starts]


@once(most=16)
def directions(system, names) -> Directions:
    """Those of a system; made once, so that a second run of it starts at once."""
    return Directions(system, names)


class SensitiveRun(Run):
    """A `Run` whose record also carries the derivatives of its state and memory."""

    def __init__(self, model, names, initial, *, parameters=None, **options):
        system = system_of(model, "simulate")
        self.directions = where = directions(system, tuple(names))
        wanted = options.pop("method", "auto")
        if wanted != "auto" and METHODS.get(wanted) and METHODS[wanted].family != EXPLICIT:
            raise ArgumentError(
                f"simulate: method {wanted!r} does not carry sensitivities; use 'auto' or an "
                "explicit one: euler, rk4, dopri5, dop853"
            )
        super().__init__(
            where.system, initial=initial, method=wanted, parameters=parameters, **options
        )
        if self.leading.active:
            raise ArgumentError(
                f"simulate: solution {self.leading.solution!r} switches the speeds that lead, "
                "which sensitivities do not follow; use solution='multipliers'"
            )
        if self.method.family != EXPLICIT:
            self.why = f"explicit, for its derivatives (else {self.method.name}: {self.why})"
            self.method = METHODS["dopri5"]
        self._widen(initial or {}, options)

    def _widen(self, initial, options):
        """The same record with derivatives behind z and m."""
        where, old, s = self.directions, self.record, self.system
        self.kernels = kernels = _kernels(
            s, tuple(where.p), tuple(where.u), len(where.starts), self.kernels.constraints
        )
        self.plain = old.n, old.nm
        S, Sm = Start(self, initial, options.get("keep")).slopes()
        M = len(where.order)
        y = np.concatenate([old.y, S.ravel()])
        m = np.concatenate([old.m, Sm.ravel(), np.zeros(M), [NEVER]])
        atol = old.atol.copy()
        self.record = now = steps(
            s,
            kernels,
            self.method,
            y,
            m,
            self.u,
            self.p,
            (old.rtol, atol),
            self.grid,
            t=self.t_start,
            kinds=old.kinds,
            most=old.most_events,
            every=old.every,
            more=S.size,
        )
        if now.project:
            now.outputs[3] = self.lam.ctypes.data
        now.h, now.h_max = old.h, old.h_max
        if old.row:
            from ..integrate import advance as native

            native.ready()[1](now.address)
            now.grid = old.grid

    def result(self):
        wide = self.record
        n, nm = self.plain
        narrow = SimpleNamespace(
            **{x: getattr(wide, x) for x in _READ},
            row_y=wide.row_y[:, :n],
            row_m=wide.row_m[:, :nm],
            y=wide.y[:n],
            m=wide.m[:nm],
            atol=wide.atol[:n],
            floor=wide.floor[:n],
        )
        time = wide.row_t[: wide.row].copy()
        Y, M = wide.row_y[: wide.row].copy(), wide.row_m[: wide.row].copy()
        self.record = narrow
        try:
            run = super().result()
        finally:
            self.record = wide
        if len(run.time) > len(time) or not np.isin(run.time, time).all():  # it failed: its end
            time = np.append(time, self.t)
            Y, M = np.vstack([Y, wide.y]), np.vstack([M, wide.m])
        keep = _rows_of(run.time, time)
        slopes = Slopes(self, run, Y[keep], M[keep])
        object.__setattr__(run, "_slopes", slopes)
        return run


_READ = (
    "row row_t row_u t events logged when which every kinds steps rejected calls jacobians rtol "
    "shaken where detail"
).split()


def _kernels(system, parameters, inputs, starts, constraints):
    key = (id(system), parameters, inputs, starts, repr(constraints))
    kept = _KERNELS.get(key)
    if kept is None or kept.system is not system:
        if len(_KERNELS) > 32:
            _KERNELS.clear()
        kept = _KERNELS[key] = Variations(system, parameters, inputs, starts, constraints)
    return kept


_KERNELS: dict = {}


def _rows_of(kept, time) -> np.ndarray:
    """Places of the kept rows among all rows, in order."""
    out, i = [], 0
    for t in kept:
        while time[i] != t:
            i += 1
        out.append(i)
        i += 1
    return np.array(out, int)


class Start:
    """The derivative of everything that a start computes: assembly, states and memory of laws."""

    def __init__(self, run: SensitiveRun, initial, keep):
        self.run, self.initial, self.keep = run, initial, keep
        s = run.system
        self.p, self.u = run.p, run.u
        self.discrete = np.array([port.unit == "1" for port in s.layout.m], bool)

    def at(self, p, u, initial) -> tuple[np.ndarray, np.ndarray]:
        """State and memory of a start, as `Run` makes them."""
        run, s = self.run, self.run.system
        parameters = dict(zip(s.parameters, p.tolist(), strict=True))
        q, v = initial_state(s, initial, self.keep, run.t_start, parameters)
        now = start(s, Floats(parameters), run.t_start, q, v, u)
        restore(s, now.z, now.m, getattr(initial, "kept", {}))
        y = np.concatenate([np.asarray(x, dtype=float) for x in (q, v, now.z)])
        m = np.asarray(now.m, dtype=float)
        if s.switched:
            moving = slice(s.nq, s.nq + s.nv)
            jump = run.leading.kernels["jump"]
            rest = (y[: moving.start], y[moving], y[moving.stop :], m, u, p)
            y[moving], _, m = begin(s, jump, run.t_start, *rest)
        return y, m

    def _moved(self, name, h):
        """Parameters, inputs and start with one of them changed by h."""
        where, p, u, initial = self.run.directions, self.p.copy(), self.u.copy(), self.initial
        if name is None:
            return p, u, initial
        if name in where.paths:
            p[where.p[where.paths.index(name)]] += h
        elif name in where.inputs:
            u[where.u[where.inputs.index(name)]] += h
        else:
            base = initial.get(name)
            if base is None:
                q, v = self.run.record.y[: self.run.system.nq], self.run.v
                s = self.run.system
                base = dict(zip((*s.coordinates, *s.speeds), (*q, *v), strict=True))[name]
            initial = {**initial, name: base + h}
        return p, u, initial

    def _size(self, name):
        where = self.run.directions
        if name in where.paths:
            return abs(self.p[where.p[where.paths.index(name)]])
        if name in where.inputs:
            return abs(self.u[where.u[where.inputs.index(name)]])
        return abs(float(self.initial.get(name, 0.0)))

    def slopes(self) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of state (directions, n) and memory (directions, nm) at the start."""
        y0, m0 = self.at(self.p, self.u, self.initial)
        order, still = self.run.directions.order, self._still()
        S, Sm = np.zeros((len(order), len(y0))), np.zeros((len(order), len(m0)))
        for i, name in enumerate(order):
            if name in still:
                for e, memory in self._remembered(name, still[name]):
                    Sm[i, e.m] = memory
            else:
                S[i], Sm[i] = self._difference(name, y0, m0)
        return S, np.where(self.discrete, 0.0, Sm)

    def _still(self) -> dict[str, list]:
        """Numbers that leave the state of the start alone, with the elements that remember them.

        Those of bodies' masses and of laws without states, where nothing is assembled.
        """
        s, where = self.run.system, self.run.directions
        if s.held or s.switched or getattr(self.initial, "kept", None):
            return {}
        masses = {b.name for b in s.model.bodies}
        laws = {e.name: e for e in s.elements if e.law is not None and not e.states}
        forces = {f.name: f for f in s.model.forces}
        out: dict[str, list] = {}
        for n in where.paths:
            owner, _, field = n.partition(".")
            if owner in masses and field.split("[")[0] in ("mass", "com", "inertia"):
                out[n] = []
            elif owner in laws and hasattr(forces[owner].law, field.split("[")[0].split(".")[0]):
                out[n] = [laws[owner]]
        return out

    def _remembered(self, name, elements):
        """(element, derivative of its memory) of a number of its law."""
        h = SHORT * max(self._size(name), 1e-3)
        for e in elements:
            seen = self.seen[e.name]
            m0, low, high = (
                np.array(e.law.start(self._scalars(name, k * h), seen)[1], float)
                for k in (0, -1, 1)
            )
            whole = np.array([unit == "1" for _, unit in e.memory], bool)
            same = [np.array_equal(m[whole], m0[whole]) for m in (low, high)]
            if all(same):
                yield e, (high - low) / (2 * h)
            elif any(same):
                yield e, (high - m0) / h if same[1] else (m0 - low) / h
            else:
                raise TorseurError(BOTH_SIDES.format(name))

    def _scalars(self, name, h):
        p, _, _ = self._moved(name, h)
        return Floats(dict(zip(self.run.system.parameters, p.tolist(), strict=True)))

    @cached_property
    def seen(self) -> dict:
        """What each law sees at the start."""
        run, s = self.run, self.run.system
        q, v = initial_state(s, self.initial, self.keep, run.t_start, None)
        K = self._scalars(None, 0)
        now = start(s, K, run.t_start, q, v, self.u)
        acting = Motion(s, K).loads(now).acting
        return {e.name: a.seen for e, a in zip(s.elements, acting, strict=True)}

    def _difference(self, name, y0, m0):
        """By central differences twice (Richardson); one-sided where a law changes its piece."""
        h = STEP * max(self._size(name), 1e-2)
        found = {}
        for k in (-1.0, -0.5, 0.5, 1.0):
            found[k] = self.at(*self._moved(name, k * h))
        same = {
            k: np.array_equal(m[self.discrete], m0[self.discrete]) for k, (_, m) in found.items()
        }
        if all(same.values()):
            return tuple(
                (8 * (b - a) - (d - c)) / (6 * h)
                for a, b, c, d in zip(found[-0.5], found[0.5], found[-1.0], found[1.0], strict=True)
            )
        for side in (1.0, -1.0):
            if same[side] and same[side / 2]:
                return tuple(
                    (4 * half - far - 3 * zero) / (side * h)
                    for half, far, zero in zip(found[side / 2], found[side], (y0, m0), strict=True)
                )
        raise TorseurError(BOTH_SIDES.format(name))


class Slopes:
    """Derivatives of signals at the rows of a run."""

    def __init__(self, run: SensitiveRun, result, Y, M):
        s = run.system
        self.directions, self.system, self.ways = run.directions, s, run.leading.ways
        self.signals: RunSignals = result._source
        self.p, self.units = run.p.copy(), result.units
        n, nm = run.plain
        count = len(self.directions.order)
        self.S = Y[:, n:].reshape(len(Y), count, n)
        self.Sm = M[:, nm : nm + count * nm].reshape(len(M), count, nm)
        self.shifts = M[:, nm + count * nm : nm + count * (nm + 1)]
        self.state = (*s.coordinates, *s.speeds)
        self.events = result.events
        self.time = result.time
        self.kept: dict = {}
        self.told = self._unanswered(result)

    def _unanswered(self, result) -> str:
        """What ends the answers: an event that its guard only touches."""
        bad = ~np.isfinite(self.S).all(axis=(1, 2))
        if not bad.any():
            return ""
        t = self.time[int(np.argmax(bad))]
        near = [e.name for e in result.events if abs(e.time - t) <= 1e-9 * max(1.0, abs(t))]
        return (
            f"from t = {t:.6g} s on derivatives do not exist: "
            f"{near[0] if near else 'an event'} there is reached without speed (grazing)"
        )

    def __call__(self, signal: str, name: str) -> np.ndarray:
        if name not in self.directions.names:
            raise TorseurError(
                unknown_name("sensitivity", name, self.directions.names, "sensitivity")
            )
        if self.told:
            raise TorseurError(f"sensitivity of {signal!r} by {name!r}: {self.told}")
        i = self.directions.order.index(name)
        if any(e.name == signal for e in self.events):
            at = [e.time for e in self.events if e.name == signal]
            return self.shifts[np.searchsorted(self.time, at, side="right") - 1, i]
        if signal in self.state:
            return self.S[:, i, self.state.index(signal)].copy()
        if (signal, name) not in self.kept:
            self._compute(signal, name, i)
        return self.kept[signal, name].copy()

    def _compute(self, signal, name, i):
        """All signals of a group along one direction: differences of their formulas (SE.6)."""
        rows = self.signals.rows
        state = np.hstack([rows.q, rows.v, rows.z])
        along, memory = self.S[:, i], self.Sm[:, i]
        dp = np.zeros(len(self.p))
        if name in self.directions.paths:
            dp[self.directions.p[self.directions.paths.index(name)]] = 1
        du = np.zeros(rows.u.shape)
        if name in self.directions.inputs:
            du[:, self.directions.u[self.directions.inputs.index(name)]] = 1
        size = np.concatenate([abs(state).max(axis=0), abs(rows.m).max(axis=0, initial=0)])
        moves = np.concatenate([abs(along).max(axis=0), abs(memory).max(axis=0, initial=0)])
        size = np.where(size > 1e100, 0, size)  # bounds that are never reached
        own = abs(self.p[dp > 0]).max(initial=1e-3)
        h = STEP * min(
            [*(max(a, 1e-3) / b for a, b in zip(size, moves, strict=True) if b > 0), own]
        )
        found = {
            k: self._at(
                signal,
                state + k * h * along,
                rows.m + k * h * memory,
                rows.u + k * h * du,
                self.p + k * h * dp,
            )
            for k in (-1.0, -0.5, 0.5, 1.0)
        }
        for other in found[1.0]:
            a, b, c, d = (found[k][other] for k in (-0.5, 0.5, -1.0, 1.0))
            self.kept[other, name] = (8 * (b - a) - (d - c)) / (6 * h)

    def _at(self, signal, state, m, u, p):
        s, rows = self.system, self.signals.rows
        q, v, z = np.split(state, [s.nq, s.nq + s.nv], axis=1)
        moved = RunSignals(s, self.ways, Rows(rows.t, q, v, z, m, u), p, self.signals.jumps)
        return moved(signal)
