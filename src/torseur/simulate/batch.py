"""Many runs of one model: other initial states or parameters, in SIMD lanes and threads."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from ..dynamics.flow import guard_names, sizes, start
from ..errors import TorseurError, system_of, unknown_name
from ..kernels import machine
from ..kernels.motion import motion_kernels
from ..scalar import Floats
from . import lanes
from .run import Run

FIXED = {"rk4": 0, "euler": 1, "semi_implicit": 2}


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Coordinates and speeds of many runs, shape (runs, rows); `q`, `v` with all of them."""

    time: np.ndarray                # (rows,) [s]
    q: np.ndarray                   # (runs, rows, nq)
    v: np.ndarray                   # (runs, rows, nv)
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    units: dict[str, str]

    def __getitem__(self, name: str) -> np.ndarray:
        if name in self.coordinates:
            return self.q[..., self.coordinates.index(name)]
        if name in self.speeds:
            return self.v[..., self.speeds.index(name)]
        raise TorseurError(unknown_name("signal", name, (*self.coordinates, *self.speeds),
                                        "ensemble"))

    def __len__(self):
        return len(self.q)

    def __repr__(self):
        return f"Ensemble({len(self)} runs of {len(self.time)} rows)"


def batch(model, t_end: float, initial: Mapping | None = None, method: str = "rk4",
          step: float | None = None, *, parameters: Mapping | None = None, inputs=None,
          output=2, rtol: float = 1e-8, atol: float = 1e-10, threads: int | None = None
          ) -> Ensemble:
    """Motion of many copies of one model.

    Parameters
    ----------
    initial, parameters : names with a number, or an array of one number a run
    method : "rk4", "euler" or "semi_implicit" with a fixed `step`: in SIMD lanes; or an adaptive
        method of `simulate`, run by run.  Models with events take the latter way.
    output : number of evenly spaced rows, both ends included (at least two); a fixed step must
        divide the time between rows
    threads : how many (default: all cores)

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
    >>> pendulum = ts.Model(bodies=(rod,),
    ...                     joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
    >>> many = batch(pendulum, 1.0, {"pivot.angle": [0.1, 0.2, 0.3]}, step=0.01)
    >>> many["pivot.angle"][:, -1].round(4)
    array([-0.1   , -0.2   , -0.2999])
    """
    system = system_of(model, "batch")
    initial, parameters = dict(initial or {}), dict(parameters or {})
    widths = {np.size(x) for x in (*initial.values(), *parameters.values()) if np.ndim(x)}
    if len(widths) > 1:
        raise TorseurError(f"a batch needs arrays of one length, got lengths {sorted(widths)}")
    count = widths.pop() if widths else 1
    rows = np.linspace(0.0, float(t_end), max(2, int(output)))
    threads = threads or os.cpu_count() or 1
    kernels = motion_kernels(system)
    units = {f"{k.name}.{n}": u for k in system.links
             for n, u in (*k.joint.coordinates, *k.joint.speeds)}
    fixed = method in FIXED and not guard_names(system) and not (system.closures
                                                                 or system.constraints)
    if fixed:
        states = _in_lanes(system, kernels, initial, parameters, inputs, count, rows,
                           FIXED[method], step, threads)
    else:
        def one(i):
            def pick(given):
                return {n: float(x[i]) if np.ndim(x) else float(x) for n, x in given.items()}
            run = Run(system, t_end, pick(initial), method, rtol, atol, step=step, output=rows,
                      inputs=inputs, parameters=pick(parameters), kernels=kernels).go()
            found = run.result().check()
            keep = np.searchsorted(found.time, rows, side="right") - 1
            names = (*system.coordinates, *system.speeds)
            return np.stack([found[n][keep] for n in names], axis=1)
        with ThreadPoolExecutor(threads) as pool:
            states = np.array(list(pool.map(one, range(count))))
    nq = system.nq
    return Ensemble(rows, states[..., :nq], states[..., nq:nq + system.nv], system.coordinates,
                    system.speeds, units)


def _in_lanes(system, kernels, initial, parameters, inputs, count, rows, method, step, threads):
    if step is None or not step > 0:
        raise TorseurError("a fixed-step batch needs step= [s], more than zero")
    per_row = (rows[1] - rows[0]) / step
    steps = max(1, round(per_row))
    if abs(steps - per_row) > 1e-6 * per_row:
        raise TorseurError(f"step = {step:g} s does not divide the {rows[1] - rows[0]:g} s between "
                           "rows; choose a step that does")
    h = (rows[1] - rows[0]) / steps
    size = sizes(system)
    nq, nv, nz = system.nq, system.nv, size["nz"]
    n = nq + nv + nz
    width = machine.lanes()
    helper = Run.__new__(Run)
    helper.system = system
    base = helper._parameters({k: np.ravel(x)[0] for k, x in parameters.items()})
    u = helper._inputs(inputs or {})
    P = np.tile(base, (count, 1))
    for name, x in parameters.items():
        P[:, list(system.parameters).index(name)] = x
    q, v = system.state({k: np.ravel(x)[0] for k, x in initial.items()})
    Y = np.zeros((count, n))
    Y[:, :nq], Y[:, nq:nq + nv] = q, v
    names = (*system.coordinates, *system.speeds)
    for name, x in initial.items():
        Y[:, names.index(name)] = x
    quats = np.array([k.q.start + k.joint.quaternion for k in system.links
                      if k.joint.quaternion is not None], dtype=np.int64)
    for i in quats:
        Y[:, i:i + 4] /= np.linalg.norm(Y[:, i:i + 4], axis=1, keepdims=True)
    if size["own"]:
        for i in range(count):
            K = Floats(dict(zip(system.parameters, P[i].tolist(), strict=True)))
            Y[i, nq + nv:] = start(system, K, 0.0, Y[i, :nq], Y[i, nq:nq + nv], u).z
    native = lanes.ready()
    address, keep = kernels["flow"]._prepare()
    out = np.empty((count, len(rows), nq + nv))

    def block(first):
        own = slice(first, min(first + width, count))
        real = own.stop - own.start
        index = np.minimum(np.arange(first, first + width), count - 1)     # pad with a valid state
        tail = np.concatenate([np.tile(u, (width, 1)), P[index]], axis=1)
        inp = _aligned((1 + n + tail.shape[1]) * width).reshape(-1, width)
        inp[1 + n:] = tail.T
        y, k, acc = (_aligned(n * width).reshape(n, width) for _ in range(3))
        y[:], k[:] = Y[index].T, 0.0
        table = np.zeros(lanes.SIZE, dtype=np.int64)
        table[:] = [width, n, nq, nv, len(quats), width, address, inp.ctypes.data, y.ctypes.data,
                    k.ctypes.data, acc.ctypes.data, quats.ctypes.data]
        for r, t in enumerate(rows):
            out[own, r] = y[:nq + nv, :real].T
            if r + 1 < len(rows):
                native(table.ctypes.data, t, h, steps, method)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(block, range(0, count, width)))
    del keep
    if not np.isfinite(out).all():
        bad = int(np.argmax(~np.isfinite(out).all(axis=(1, 2))))
        raise TorseurError(f"run {bad} of the batch grew without bound; try a smaller step")
    return out


def _aligned(size) -> np.ndarray:
    raw = np.empty(size + 16)
    off = (-raw.ctypes.data % 64) // 8
    return raw[off:off + size]
