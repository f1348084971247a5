"""Many runs of one model: other initial states or parameters, in SIMD lanes and threads."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from ..compiler import machine
from ..dynamics import start
from ..errors import ArgumentError, IntegrationError, TorseurError, shown, system_of, unknown_name
from ..integrate import EXPLICIT, METHODS, Lanes, first_steps, lanes
from ..integrate.record import REACHED
from ..numbers import Floats
from ..quantities import motion_kernels
from ..solve import arguments
from .buffers import formula, quaternions
from .reference import REFERENCES
from .run import Run

FIXED = {"rk4": lanes.RK4, "euler": lanes.EULER, "semi_implicit": lanes.SEMI}
QUEUE = 64  # runs that one native call takes through its lanes


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Coordinates and speeds of many runs, shape (runs, rows); `q`, `v` with all of them."""

    time: np.ndarray  # (rows,) [s]
    q: np.ndarray  # (runs, rows, nq)
    v: np.ndarray  # (runs, rows, nv)
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    units: dict[str, str]
    method: str  # how it was computed

    def __getitem__(self, name: str) -> np.ndarray:
        if name in self.coordinates:
            return self.q[..., self.coordinates.index(name)]
        if name in self.speeds:
            return self.v[..., self.speeds.index(name)]
        raise TorseurError(
            unknown_name("signal", name, (*self.coordinates, *self.speeds), "ensemble")
        )

    def __len__(self):
        return len(self.q)

    def __repr__(self):
        return f"Ensemble({len(self)} runs of {len(self.time)} rows, {self.method})"


def batch(
    model,
    t_end: float,
    initial: Mapping | None = None,
    method: str = "auto",
    step: float | None = None,
    *,
    parameters: Mapping | None = None,
    inputs=None,
    output=2,
    rtol: float = 1e-8,
    atol: float = 1e-10,
    threads: int | None = None,
) -> Ensemble:
    """Motion of many copies of one model.

    Parameters
    ----------
    initial, parameters : names with a number, or an array of one number a run
    method : "rk4", "euler" or "semi_implicit" with a fixed `step`, "dopri5" or "dop853" with steps
        of each run's own: all in SIMD lanes; or another method of `simulate`, one run a thread, as
        models with events or loops are run.  "auto": "rk4" when a step is given, else "dop853"
    output : number of evenly spaced rows, both ends included (at least two); a fixed step must
        divide the time between rows
    threads : how many (default: all cores)

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
    >>> pendulum = ts.Model(bodies=(rod,),
    ...                     joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
    >>> many = batch(pendulum, 1.0, {"pivot.angle": [0.1, 0.2, 0.3]})
    >>> many["pivot.angle"][:, -1].round(4)
    array([-0.1   , -0.2   , -0.2999])
    """
    system = system_of(model, "batch")
    initial, parameters = _columns("initial", initial), _columns("parameters", parameters)
    widths = {np.size(x) for x in (*initial.values(), *parameters.values()) if np.ndim(x)}
    if len(widths) > 1:
        raise TorseurError(f"a batch needs arrays of one length, got lengths {sorted(widths)}")
    count = widths.pop() if widths else 1
    t_end = arguments.seconds("t_end", t_end, "batch")
    arguments.spacing(0.0, t_end, step, None)
    for name, x in (("rtol", rtol), ("atol", atol), ("threads", threads or 1)):
        if not arguments.positive(x):
            raise ArgumentError(f"batch: {name} = {x!r}; use a number greater than zero")
    if isinstance(output, str) or np.ndim(output) or not arguments.positive(output):
        raise ArgumentError(f"batch: output = {shown(output)}; expected a number of rows")
    rows = np.linspace(0.0, t_end, max(2, int(output)))
    threads = int(threads or os.cpu_count() or 1)
    if method == "auto":
        method = "dop853" if step is None else "rk4"
    if method in REFERENCES:
        raise ArgumentError(
            f"batch: method {method!r} is a reference of single runs; use a native one"
        )
    kernels = motion_kernels(system)
    units = {
        f"{k.name}.{n}": u for k in system.links for n, u in (*k.joint.coordinates, *k.joint.speeds)
    }
    plain = not (system.layout.guards or system.closures or system.constraints or kernels.looped)
    known = METHODS.get(method)
    explicit = known is not None and known.adaptive and known.family == EXPLICIT
    if plain and (method in FIXED or explicit):
        side = _Side(system, kernels, initial, parameters, inputs, count, rows)
        states = (
            side.still()
            if t_end == 0
            else side.fixed(FIXED[method], step, threads)
            if method in FIXED
            else side.adaptive(known, rtol, atol, threads)
        )
        how = f"{method} in {side.width} lanes"
    else:

        def one(i):
            def pick(given):
                return {n: float(x[i]) if np.ndim(x) else float(x) for n, x in given.items()}

            run = Run(
                system,
                t_end,
                pick(initial),
                method,
                rtol,
                atol,
                step=step,
                output=rows,
                inputs=inputs,
                parameters=pick(parameters),
                kernels=kernels,
            ).go()
            found = run.result()
            if not found.completed:
                raise IntegrationError(f"run {i} of the batch {found.outcome}")
            keep = np.searchsorted(found.time, rows, side="right") - 1
            names = (*system.coordinates, *system.speeds)
            return np.stack([found[n][keep] for n in names], axis=1)

        with ThreadPoolExecutor(threads) as pool:
            states = np.array(list(pool.map(one, range(count))))
        how = f"{method}, one run a thread"
    nq = system.nq
    return Ensemble(
        rows,
        states[..., :nq],
        states[..., nq : nq + system.nv],
        system.coordinates,
        system.speeds,
        units,
        how,
    )


def _columns(what, given) -> dict[str, np.ndarray]:
    """Numbers by name, each one or one a run."""
    if not isinstance(given or {}, Mapping):
        raise ArgumentError(
            f"batch: {what} = {shown(given)}; expected a dictionary of names with "
            "a number, or an array of one number a run"
        )
    columns = {}
    for name, x in (given or {}).items():
        try:
            columns[name] = column = np.asarray(x, dtype=float)
        except (TypeError, ValueError):
            raise ArgumentError(f"batch: {name} = {shown(x)}; expected numbers") from None
        if column.ndim > 1 or not column.size:
            raise ArgumentError(
                f"batch: {name} has the shape {column.shape}; expected a number, "
                "or an array of one number a run"
            )
        if not np.isfinite(column).all():
            bad = int(np.argmax(~np.isfinite(np.atleast_1d(column))))
            raise ArgumentError(
                f"batch: {name} is {np.atleast_1d(column)[bad]} in run {bad}; "
                "expected finite numbers"
            )
    return columns


class _Side:
    """Runs side by side: their initial states, parameters and the kernel for lanes."""

    def __init__(self, system, kernels, initial, parameters, inputs, count, rows):
        self.system, self.kernels, self.count, self.rows = system, kernels, count, rows
        nq, nv = system.nq, system.nv
        self.n = n = nq + nv + len(system.layout.z)
        self.width = machine.lanes()
        base = arguments.parameter_values(
            system, {k: np.ravel(x)[0] for k, x in parameters.items()}
        )
        _, self.u = arguments.input_values(system, inputs or {})
        self.P = np.tile(base, (count, 1))
        for name, x in parameters.items():
            self.P[:, list(system.parameters).index(name)] = x
        q, v = system.state({k: np.ravel(x)[0] for k, x in initial.items()})
        self.Y = Y = np.zeros((count, n))
        Y[:, :nq], Y[:, nq : nq + nv] = q, v
        names = (*system.coordinates, *system.speeds)
        for name, x in initial.items():
            Y[:, names.index(name)] = x
        for i in quaternions(system):
            Y[:, i : i + 4] /= np.linalg.norm(Y[:, i : i + 4], axis=1, keepdims=True)
        if system.layout.states.stop:
            for i in range(count):
                K = Floats(dict(zip(system.parameters, self.P[i].tolist(), strict=True)))
                Y[i, nq + nv :] = start(system, K, 0.0, Y[i, :nq], Y[i, nq : nq + nv], self.u).z
        self.native = lanes.ready()
        self.address, self._held = kernels["flow"]._prepare()

    def lanes(self, method, tolerances, steps, status, out) -> Lanes:
        """A record of lanes, with the model's inputs in place; every lane stands in run 0."""
        n, width, nu, own = self.n, self.width, len(self.u), self.P.shape[1]
        state = {x: aligned(n, width) for x in ("y", "new", "other", "hs")}
        record = Lanes(
            **formula(self.system, method, *tolerances, self.rows),
            **state,
            width=width,
            size=n * width,
            kernel=self.address,
            slots=1 + n + nu + own,
            inputs=aligned(1 + n + nu + own, width),
            stage=aligned(method.rows, n * width),
            **{x: np.zeros(width) for x in ("t", "h", "err")},
            **{x: np.zeros(width, np.int64) for x in ("refused", "run", "grid")},
            runs=self.count,
            starts=self.Y,
            np=own,
            parameters=self.P,
            steps=steps,
            status=status,
            shown=out.shape[-1],
            kept=out.shape[0] * out.shape[1],
            out=out.reshape(-1, out.shape[-1]),
        )
        record.inputs[1 + n : 1 + n + nu] = self.u[:, None]
        return record

    def still(self) -> np.ndarray:
        """States at every row of runs that take no time."""
        own = self.Y[:, None, : self.system.nq + self.system.nv]
        return np.repeat(own, len(self.rows), axis=1)

    def fixed(self, method, step, threads) -> np.ndarray:
        """States at every row, by steps that all runs share."""
        if step is None or not step > 0:
            raise TorseurError("a fixed-step batch needs step= [s], more than zero")
        rows, width, count = self.rows, self.width, self.count
        per_row = (rows[1] - rows[0]) / step
        steps = max(1, round(per_row))
        if abs(steps - per_row) > 1e-6 * per_row:
            raise TorseurError(
                f"step = {step:g} s does not divide the {rows[1] - rows[0]:g} s "
                "between rows; choose a step that does"
            )
        h = (rows[1] - rows[0]) / steps
        nv = self.system.nq + self.system.nv
        out = np.empty((count, len(rows), nv))
        none, status = np.zeros(count), np.zeros(count, dtype=np.int64)
        free: list[Lanes] = []  # records of threads that wait

        def block(first):
            own = slice(first, min(first + width, count))
            index = np.minimum(np.arange(first, first + width), count - 1)  # pad: a valid state
            record = (
                free.pop() if free else self.lanes(METHODS["euler"], (1.0, 1.0), none, status, out)
            )
            record.inputs[1 + self.n + len(self.u) :] = self.P[index].T
            record.y[:] = self.Y[index].T
            for r, t in enumerate(rows):
                out[own, r] = record.y[:nv, : own.stop - own.start].T
                if r + 1 < len(rows):
                    self.native[0](record.address, t, h, steps, method)
            free.append(record)

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(block, range(0, count, width)))
        if not np.isfinite(out).all():
            bad = int(np.argmax(~np.isfinite(out).all(axis=(1, 2))))
            raise TorseurError(f"run {bad} of the batch grew without bound; try a smaller step")
        return out

    def adaptive(self, method, rtol, atol, threads) -> np.ndarray:
        """States at every row, by steps of each run's own."""
        count, rows, tolerances = self.count, self.rows, (rtol, atol)
        first = self._first_steps(method, tolerances)
        out = np.full((count, len(rows), self.system.nq + self.system.nv), np.nan)
        status = np.full(count, -1)
        free: list[Lanes] = []  # records of threads that wait

        def queue(begin):
            record = free.pop() if free else self.lanes(method, tolerances, first, status, out)
            record.inputs[1 + self.n + len(self.u) :] = self.P[begin][:, None]
            record.y[:] = self.Y[begin][:, None]
            record.first, record.end = begin, min(begin + QUEUE, count)
            self.native[1](record.address)
            free.append(record)

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(queue, range(0, count, QUEUE)))
        if status.any():
            bad = int(np.argmax(status != REACHED))
            rows_in = int(np.isfinite(out[bad]).all(axis=1).sum())
            raise TorseurError(
                f"run {bad} of the batch did not reach t = {rows[-1]:g} s: its step "
                f"fell to nothing after t = {rows[max(rows_in - 1, 0)]:g} s; look "
                "for a singular pose or a law that grows without bound, or simulate "
                "that run alone"
            )
        return out

    def _first_steps(self, method, tolerances) -> np.ndarray:
        s, Y = self.system, self.Y
        nq, nv = s.nq, s.nv
        empty, u = np.zeros((self.count, 0)), np.broadcast_to(self.u, (self.count, len(self.u)))
        own = formula(s, method, *tolerances, self.rows)

        def flow(t, x):
            parts = self.kernels["flow"](
                t, x[:, :nq], x[:, nq : nq + nv], x[:, nq + nv :], empty, u, self.P
            )
            return np.concatenate([np.reshape(a, (self.count, -1)) for a in parts[:3]], axis=1)

        scale = own["atol"] + own["rtol"] * np.maximum(abs(Y), own["floor"])
        return first_steps(flow, 0.0, Y, scale, method.order, self.rows[-1] - self.rows[0])


def aligned(count, width) -> np.ndarray:
    """Zeros where SIMD registers read them whole."""
    raw = np.zeros(count * width + 16)
    off = (-raw.ctypes.data % 64) // 8
    return raw[off : off + count * width].reshape(count, width)
