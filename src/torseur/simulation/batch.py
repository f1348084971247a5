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
from ..integrate import EXPLICIT, METHODS, lanes
from ..numbers import Floats
from ..quantities import motion_kernels
from ..solve import arguments
from .reference import REFERENCES
from .run import Run
from .scales import floors

FIXED = {"rk4": 0, "euler": 1, "semi_implicit": 2}
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
        self.quats = np.array(
            [
                k.q.start + k.joint.quaternion
                for k in system.links
                if k.joint.quaternion is not None
            ],
            dtype=np.int64,
        )
        for i in self.quats:
            Y[:, i : i + 4] /= np.linalg.norm(Y[:, i : i + 4], axis=1, keepdims=True)
        if system.layout.states.stop:
            for i in range(count):
                K = Floats(dict(zip(system.parameters, self.P[i].tolist(), strict=True)))
                Y[i, nq + nv :] = start(system, K, 0.0, Y[i, :nq], Y[i, nq : nq + nv], self.u).z
        self.native = lanes.ready()
        self.address, self._held = kernels["flow"]._prepare()

    def _words(self, inp, y, k, acc) -> list[int]:
        s = self.system
        return [
            self.width,
            self.n,
            s.nq,
            s.nv,
            len(self.quats),
            self.address,
            inp.ctypes.data,
            y.ctypes.data,
            k.ctypes.data,
            acc.ctypes.data,
            self.quats.ctypes.data,
        ]

    def _work(self, stages=1):
        """Inputs of the kernel, with the model's inputs in place; state, rates, sums."""
        n, width, nu = self.n, self.width, len(self.u)
        inp = _aligned(1 + n + nu + self.P.shape[1], width)
        inp[1 + n : 1 + n + nu] = self.u[:, None]
        y, acc = _aligned(n, width), _aligned(n, width)
        k = _aligned(stages * n, width)
        k[:] = 0.0
        return inp, y, k, acc

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

        def block(first):
            own = slice(first, min(first + width, count))
            index = np.minimum(np.arange(first, first + width), count - 1)  # pad: a valid state
            inp, y, *_ = work = self._work()
            inp[1 + self.n + len(self.u) :] = self.P[index].T
            y[:] = self.Y[index].T
            table = np.array(self._words(*work), dtype=np.int64)
            for r, t in enumerate(rows):
                out[own, r] = y[:nv, : own.stop - own.start].T
                if r + 1 < len(rows):
                    self.native[0](table.ctypes.data, t, h, steps, method)

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(block, range(0, count, width)))
        if not np.isfinite(out).all():
            bad = int(np.argmax(~np.isfinite(out).all(axis=(1, 2))))
            raise TorseurError(f"run {bad} of the batch grew without bound; try a smaller step")
        return out

    def adaptive(self, method, rtol, atol, threads) -> np.ndarray:
        """States at every row, by steps of each run's own."""
        n, width, count, rows = self.n, self.width, self.count, self.rows
        atol = np.array(np.broadcast_to(np.asarray(atol, dtype=float), (n,)))
        floor = floors(self.system)
        rtol = max(rtol, 4 * np.finfo(float).eps)
        first = self._first_steps(method, rtol, atol, floor)
        nout = self.system.nq + self.system.nv
        out, status = np.full((count, len(rows), nout), np.nan), np.full(count, -1)
        tables = [
            np.ascontiguousarray(x, dtype=float) for x in (method.A, method.C, method.E, method.P)
        ]
        numbers = np.array([rtol, method.exponent, method.smoothing, np.inf])

        def queue(begin):
            inp, y, *_ = work = self._work(method.rows)
            inp[1 + n + len(self.u) :] = self.P[begin][:, None]
            y[:] = self.Y[begin][:, None]
            hb, yn, yt = (_aligned(n, width) for _ in range(3))
            yt[:] = 0.0
            t, h, err, run, grid = (_aligned(1, width) for _ in range(5))
            for x in (t, h, err, run, grid):
                x[:] = 0.0
            table = np.array(
                [
                    *self._words(*work),
                    *(x.ctypes.data for x in tables),
                    method.stages,
                    method.rows,
                    method.P.shape[1],
                    bool(method.E[1].any()),
                    self.system.nq + self.system.nv + self.system.layout.books.start,
                    atol.ctypes.data,
                    floor.ctypes.data,
                    *(x.ctypes.data for x in (t, h, err, run, grid, hb, yn, yt)),
                    begin,
                    min(begin + QUEUE, count),
                    self.Y.ctypes.data,
                    self.P.shape[1],
                    self.P.ctypes.data,
                    1 + n + len(self.u),
                    first.ctypes.data,
                    status.ctypes.data,
                    out.ctypes.data,
                    nout,
                    rows.ctypes.data,
                    len(rows),
                    numbers.ctypes.data,
                    0,
                ],
                dtype=np.int64,
            )
            self.native[1](table.ctypes.data)

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(queue, range(0, count, QUEUE)))
        if status.any():
            bad = int(np.argmax(status != lanes.DONE))
            rows_in = int(np.isfinite(out[bad]).all(axis=1).sum())
            raise TorseurError(
                f"run {bad} of the batch did not reach t = {rows[-1]:g} s: its step "
                f"fell to nothing after t = {rows[max(rows_in - 1, 0)]:g} s; look "
                "for a singular pose or a law that grows without bound, or simulate "
                "that run alone"
            )
        return out

    def _first_steps(self, method, rtol, atol, floor) -> np.ndarray:
        """Hairer's rule for every run, as in `Run`."""
        s, Y = self.system, self.Y
        nq, nv = s.nq, s.nv
        empty, u = np.zeros((self.count, 0)), np.broadcast_to(self.u, (self.count, len(self.u)))

        def flow(t, x):
            parts = self.kernels["flow"](
                t, x[:, :nq], x[:, nq : nq + nv], x[:, nq + nv :], empty, u, self.P
            )
            return np.concatenate([np.reshape(a, (self.count, -1)) for a in parts[:3]], axis=1)

        scale = atol + rtol * np.maximum(abs(Y), floor)

        def size(x):
            return np.sqrt(np.mean((x / scale) ** 2, axis=1)) if self.n else np.zeros(len(x))

        with np.errstate(all="ignore"):
            f0 = flow(np.zeros(self.count), Y)
            d0, d1 = size(Y), size(f0)
            h = np.where(np.minimum(d0, d1) < 1e-5, 1e-6, 0.01 * d0 / d1)
            d2 = size(flow(h, Y + h[:, None] * f0) - f0) / h
            big = np.maximum(d1, d2)
            h1 = np.where(
                big <= 1e-15, np.maximum(1e-6, 1e-3 * h), (0.01 / big) ** (1 / (method.order + 1))
            )
            best = np.where(np.isfinite(d2), np.minimum(100 * h, h1), 1e-3 * h)
        return np.minimum(best, self.rows[-1] - self.rows[0])


def _aligned(count, width) -> np.ndarray:
    raw = np.empty(count * width + 16)
    off = (-raw.ctypes.data % 64) // 8
    return raw[off : off + count * width].reshape(count, width)
