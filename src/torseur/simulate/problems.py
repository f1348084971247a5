"""Equilibrium, linear models, modes, and efforts along a motion.  Theory: LI.1 to LI.5."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .. import values
from ..dynamics.flow import sizes, start
from ..errors import IntegrationError, TorseurError, system_of, unknown_name
from ..kernels.compile import compile
from ..kernels.motion import motion_kernels
from ..kernels.outputs import Outputs, Rows
from ..results import Trajectory
from ..scalar import Floats
from ..system.constraints import elements as constraint_elements
from ..system.constraints import frictions
from ..system.elements import elements
from .constrained import constrained_system, initial_state


class _Open:
    """A model at one state: kernels of its motion as functions of arrays."""

    def __init__(self, model, at=None, parameters=None, inputs=None, t=0.0, loops=True):
        from .run import Run
        self.system = s = system_of(model, "problem")
        if not loops and (s.closures or s.constraints):
            raise TorseurError(f"{s.name!r} has loops or constraints; this problem takes open "
                               "chains: drive it by ts.Driven and read the multipliers of a run")
        if stuck := frictions(s):
            raise TorseurError(f"{s.name!r} has dry friction ({stuck[0].name!r}), under which many "
                               "poses are at rest; take it out for this problem")
        self.kernels, self.t = motion_kernels(s), t
        helper = Run.__new__(Run)
        helper.system = s
        self.p, self.u = helper._parameters(parameters or {}), helper._inputs(inputs or {})
        self.held = constrained_system(s) if constraint_elements(s) else None
        self.q, self.v = initial_state(s, at or {}, () if loops else None, t)
        self.lead, self.T = list(range(s.nv)), np.eye(s.nv)
        self.settle()
        self.own = sizes(s)["own"]
        self.z = self.m = None
        self.restart()
        self.dyn = compile(s)

    def restart(self):
        """Memory (and states, the first time) of the elements as they start here."""
        K = Floats(dict(zip(self.system.parameters, self.p.tolist(), strict=True)))
        now = start(self.system, K, self.t, self.q, self.v, self.u)
        self.m = np.asarray(now.m, dtype=float)
        if self.z is None:
            self.z = np.asarray(now.z, dtype=float)

    def _call(self, name):
        return self.kernels[name](self.t, self.q, self.v, self.z, self.m, self.u, self.p)

    def settle(self):
        """Closes the loops, and splits the speeds into those that lead and those that follow."""
        if self.held is None:
            return
        self.q, self.v = self.held.project(self.q, self.v, self.t)
        self.lead, self.T = self.held.leading(self.q, self.t)

    def rates(self):
        _, vdot, zdot, *_ = self._call("flow")
        return np.concatenate([vdot[self.lead], zdot[:self.own]])

    def tangent(self):
        """`A` and `B` of the linear model in tangent coordinates."""
        s, own = self.system, self.own
        J, _ = self._call("jacobian")
        Ju = np.reshape(self._call("gains"), (len(J), -1)) if len(self.u) else np.zeros((len(J), 0))
        nq, nv = s.nq, s.nv
        N = np.array([self.dyn.rates(self.q, e) for e in np.eye(nv)]).T.reshape(nq, nv)
        W = np.array([self.dyn.speeds_from(self.q, e) for e in np.eye(nq)]).T.reshape(nv, nq)
        keep = slice(nq, nq + nv + own)
        A = np.zeros((2 * nv + own, 2 * nv + own))
        A[:nv, :nv] = W @ J[:nq, :nq] @ N                                             # LI.2
        A[:nv, nv:2 * nv] = np.eye(nv)
        A[nv:, :nv] = J[keep, :nq] @ N
        A[nv:, nv:] = J[keep, keep]
        B = np.zeros((len(A), Ju.shape[1]))
        B[nv:] = Ju[keep]
        if self.held is None:
            return A, B
        rows = [*self.lead, *(nv + i for i in self.lead), *range(2 * nv, 2 * nv + own)]
        f = len(self.lead)
        columns = np.zeros((len(A), 2 * f + own))                                     # LI.6
        columns[:nv, :f] = columns[nv:2 * nv, f:2 * f] = self.T
        columns[2 * nv:, 2 * f:] = np.eye(own)
        return A[rows] @ columns, B[rows]


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A pose at rest; usable as `initial=` of a run."""

    state: dict[str, float]
    residual: float             # largest acceleration left [SI]
    iterations: int
    stable: bool                # no eigenvalue with a growing part

    def __getitem__(self, name):
        return self.state[name]

    def keys(self):
        return self.state.keys()

    def items(self):
        return self.state.items()

    def __iter__(self):
        return iter(self.state)

    def __str__(self):
        rows = [f"{n:<30}{x:+.12g}" for n, x in self.state.items()]
        kind = "stable" if self.stable else "unstable or indifferent"
        return "\n".join([*rows, f"{kind}; largest acceleration left {self.residual:.2g}"])


def equilibrium(model, near: Mapping[str, float] | None = None, *, parameters=None, inputs=None,
                tol: float = 1e-12, most: int = 200) -> Equilibrium:
    """A pose at rest near a guess.

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
    >>> pendulum = ts.Model(bodies=(rod,),
    ...                     joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
    >>> found = equilibrium(pendulum, near={"pivot.angle": 0.4})
    >>> abs(found["pivot.angle"]) < 1e-12, found.stable
    (True, True)
    """
    here = _Open(model, near, parameters, inputs)
    s, nv, own = here.system, len(here.lead), here.own
    here.v[:] = 0
    scale = 1.0 + float(np.linalg.norm(np.asarray(s.gravity, dtype=object).astype(float)))
    r, count = here.rates(), 0
    while count < most:
        count += 1
        if abs(r).max(initial=0) <= tol * scale:
            break
        A, _ = here.tangent()
        rows = A[nv:][:, [*range(nv), *range(2 * nv, 2 * nv + own)]]
        d = -np.linalg.lstsq(rows, r, rcond=1e-12)[0]                                 # LI.1
        long = abs(d[:nv]).max(initial=0)
        d *= min(1.0, 0.5 / long) if long > 0 else 1.0
        q, z, size, share = here.q.copy(), here.z.copy(), np.linalg.norm(r), 1.0
        along = here.T @ d[:nv]
        while True:
            here.q = np.atleast_1d(here.dyn.integrate(q, share * along))
            here.settle()
            here.z = z.copy()
            here.z[:own] += share * d[nv:]
            here.restart()
            r = here.rates()
            if np.linalg.norm(r) < size * (1 - 1e-4 * share) or share < 1e-6:
                break
            share *= 0.5
        if share < 1e-6 and np.linalg.norm(r) >= size:
            break
    left = float(abs(r).max(initial=0))
    if not left <= 1e-6 * scale:
        raise IntegrationError(f"no equilibrium of {s.name!r} was found near the guess: after "
                               f"{count} steps an acceleration of {left:.3g} is left; start nearer")
    A, _ = here.tangent()
    growing = np.linalg.eigvals(A).real.max(initial=0) if len(A) else 0.0
    state = dict(zip(s.coordinates, map(float, here.q), strict=True))
    return Equilibrium(state, left, count, bool(growing < 1e-6))


@dataclass(frozen=True, eq=False)
class Linear:
    """`xdot = A x + B u` about a state; x = (small motions, speeds, states of elements)."""

    A: np.ndarray
    B: np.ndarray
    states: tuple[str, ...]
    inputs: tuple[str, ...]

    @property
    def eigenvalues(self) -> np.ndarray:
        return np.linalg.eigvals(self.A)


def linearize(model, at: Mapping[str, float] | None = None, *, parameters=None, inputs=None
              ) -> Linear:
    """Linear model about a state, by the exact derivatives of the graph."""
    here = _Open(model, at, parameters, inputs)
    s = here.system
    A, B = here.tangent()
    lead = [s.speeds[i] for i in here.lead]
    small = [f"d({n})" for n in lead]
    own = [f"{e.name}.{n}" for e in elements(s) for n, _ in e.states]
    names = [e.name if e.size == 1 else f"{e.name}.{i}" for e in s.inputs for i in range(e.size)]
    return Linear(A, B, (*small, *lead, *own), tuple(names))


@dataclass(frozen=True, eq=False)
class Modes:
    """Small motions about a pose, slowest first."""

    omega: np.ndarray               # natural angular frequencies [rad/s]
    frequency: np.ndarray           # [Hz]
    damping: np.ndarray             # ratios; above one: no oscillation
    eigenvalues: np.ndarray
    shapes: np.ndarray              # (mode, speed), largest entry one
    speeds: tuple[str, ...]

    def __len__(self):
        return len(self.omega)

    def __str__(self):
        lines = ["  omega [rad/s]   frequency [Hz]   damping   shape"]
        for w, f, z, shape in zip(self.omega, self.frequency, self.damping, self.shapes,
                                  strict=True):
            parts = "  ".join(f"{n}: {x.real:+.3f}" for n, x in zip(self.speeds, shape, strict=True)
                              if abs(x) > 0.01)
            lines.append(f"{w:>15.8g}{f:>17.8g}{z:>10.4f}   {parts}")
        return "\n".join(lines)


def modes(model, at: Mapping[str, float] | None = None, *, parameters=None, inputs=None) -> Modes:
    """Natural frequencies, damping and shapes about a pose at rest.

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
    >>> pendulum = ts.Model(bodies=(rod,),
    ...                     joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
    >>> round(float(modes(pendulum).omega[0])**2, 9)
    9.81
    """
    here = _Open(model, at, parameters, inputs)
    A, _ = here.tangent()
    values, vectors = np.linalg.eig(A)
    nv = len(here.lead)
    size = max(1.0, abs(values).max(initial=0))
    pick = [i for i in range(len(values)) if values[i].imag > 1e-9 * size]
    pick += [i for i in range(len(values)) if abs(values[i].imag) <= 1e-9 * size]
    pick.sort(key=lambda i: abs(values[i]))
    values, shapes = values[pick], (here.T @ vectors[:nv, pick]).T
    for shape in shapes:
        k = int(np.argmax(abs(shape))) if nv else 0
        if nv and abs(shape[k]) > 0:
            shape /= shape[k]
    omega = abs(values)                                                               # LI.3
    with np.errstate(invalid="ignore", divide="ignore"):
        damping = np.where(omega > 1e-12 * size, -values.real / np.where(omega > 0, omega, 1), 0.0)
    return Modes(omega, omega / (2 * np.pi), damping, values, shapes, here.system.speeds)


def inverse(model, motion, times=None, *, parameters=None, inputs=None, points: int = 1001
            ) -> Trajectory:
    """Efforts along a given motion, with their contributions.

    Parameters
    ----------
    motion : coordinates by name, each a motion law (`law(t)` gives position, speed, acceleration);
        or a `Trajectory`; or arrays `{"time": t, "elbow.angle": q, ...}`, splined.  The others stay
        where the model is neutral.
    times : where to compute [s]; by default `points` even ones over the longest law, with both
        sides of its breakpoints

    Returns
    -------
    Trajectory
        `elbow.effort`, and `elbow.effort.inertia`, `.coriolis`, `.centrifugal`, `.gravity`, and one
        of each force element without inputs, `elbow.effort.<element>`: what the actuator must give
        against each.  Joints with elastic drives: `elbow.motor.angle` and `elbow.motor.effort`.
    """
    here = _Open(model, None, parameters, inputs, loops=False)
    s, dyn = here.system, here.dyn
    laws, times = _laws(s, motion, times, points)
    q, v, a = _samples(s, laws, times)
    elastic = _elastic(s)
    links = [i for i in range(s.nv) if not any(i == e["motor"] for e in elastic)]
    for e in elastic:
        for x in (q, v, a):
            x[:, e["motor"]] = 0.0
    zero = np.zeros_like(v)
    gravity = dyn.inverse_dynamics(q, zero, zero)
    inertia = dyn.inverse_dynamics(q, zero, a) - gravity
    velocity = dyn.bias(q, v) - gravity
    centrifugal = np.zeros_like(velocity)
    for j in range(s.nv):
        unit = np.zeros(s.nv)
        unit[j] = 1.0
        centrifugal += (dyn.bias(q, np.broadcast_to(unit, v.shape)) - gravity) * v[:, j:j + 1]**2
    parts = {"inertia": inertia, "centrifugal": centrifugal, "coriolis": velocity - centrifugal,
             "gravity": gravity}                                                      # LI.4
    shafts = {e["shaft"] for e in elastic} | {x for e in elastic for x in e["drag"]}
    each = _each(here, q, v, times)
    for i, e in enumerate(elements(s)):
        if e.name not in shafts and not (e.law and e.law.inputs):
            parts[e.name] = -each[:, i]
    total = sum(parts.values())
    out, units = {}, {}
    names = _effort_names(s)
    for j in links:
        unit = "N m" if "rad" in _units(s)[j] else "N"
        out[names[j]], units[names[j]] = total[:, j], unit
        for part, x in parts.items():
            out[f"{names[j]}.{part}"], units[f"{names[j]}.{part}"] = x[:, j], unit
    shown = [u for link in s.links for _, u in link.joint.coordinates]
    for k, name in enumerate(s.coordinates):
        out[name], units[name] = q[:, k], shown[k]
    if elastic:
        _motors(here, laws, times, elastic, total, out, units)
    return Trajectory(times, out, units, f"efforts along a motion of {times[-1] - times[0]:g} s",
                      provenance={"model": s.name, "digest": s.digest, "state": (),
                                  "coordinates": s.coordinates})


def _laws(s, motion, times, points):
    if isinstance(motion, Trajectory):
        motion = {"time": motion.time, **{n: motion[n] for n in s.coordinates if n in motion.units}}
    motion = dict(motion)
    grid = motion.pop("time", None)
    unknown = [unknown_name("coordinate", n, s.coordinates, "inverse")
               for n in motion if n not in s.coordinates]
    bad = [k.name for k in s.links if not k.joint.holonomic
           and any(f"{k.name}.{n}" in motion for n, _ in k.joint.coordinates)]
    unknown += [f"joint {n!r}: its speeds are not the rates of its coordinates; give it angles"
                for n in bad]
    if unknown:
        raise TorseurError("\n".join(unknown))
    laws = {}
    for name, law in motion.items():
        if callable(law):
            laws[name] = law
            continue
        if grid is None:
            raise TorseurError(f"inverse: {name!r} is an array, so the motion needs 'time'")
        from scipy.interpolate import make_interp_spline
        keep = np.concatenate([[True], np.diff(grid) > 0])
        curve = make_interp_spline(np.asarray(grid)[keep], np.asarray(law, float)[keep], 5)
        laws[name] = lambda t, c=curve: (c(t), c(t, 1), c(t, 2))
    if times is None:
        if grid is not None:
            times = np.unique(grid)
        else:
            ends = [x for law in laws.values() for x in getattr(law, "breakpoints", (0.0, 1.0))]
            if not ends:
                raise TorseurError("inverse: give the motion of at least one coordinate, or times=")
            times = np.linspace(min(ends), max(ends), points)
            inside = [x for x in ends if min(ends) < x < max(ends)]
            times = np.unique(np.concatenate([times, inside, np.nextafter(inside, -np.inf)]))
    return laws, np.asarray(times, dtype=float)


def _samples(s, laws, times):
    q = np.tile(s.neutral(), (len(times), 1))
    v, a = np.zeros((len(times), s.nv)), np.zeros((len(times), s.nv))
    speed = {f"{k.name}.{n}": k.v.start + i for k in s.links if k.joint.holonomic
             for i, (n, _) in enumerate(k.joint.coordinates)}
    for name, law in laws.items():
        x, dx, ddx = law(times)
        q[:, s.coordinates.index(name)] = x
        v[:, speed[name]], a[:, speed[name]] = dx, ddx
    return q, v, a


def _units(s):
    return [u for k in s.links for _, u in k.joint.speeds]


def _effort_names(s):
    return [f"{k.name}.effort" + ("" if k.joint.nv == 1 else f".{n}") for k in s.links
            for n, _ in k.joint.speeds]


def _each(here, q, v, times):
    """Generalised force of every element at every row, shape (rows, elements, nv)."""
    s, n = here.system, len(times)
    es = elements(s)
    if not es:
        return np.zeros((n, 0, s.nv))
    K = Floats(dict(zip(s.parameters, here.p.tolist(), strict=True)))
    if any(e.memory for e in es):
        M = np.array([np.asarray(start(s, K, t, x, y, here.u).m, dtype=float)
                      for t, x, y in zip(times, q, v, strict=True)])
    else:
        M = np.zeros((n, 0))
    def wide(x):
        return np.broadcast_to(x, (n, len(x)))
    rows = Rows(times, q, v, wide(here.z), M, wide(here.u))
    return Outputs(s, here.p).applied_each(rows).T.reshape(n, len(es), s.nv)


def _elastic(s):
    """Elastic drives: speeds of motor and link, the shaft's law and what drags the motor."""
    where = {n: i for i, n in enumerate(s.speeds)}
    found = []
    for e in elements(s):
        if e.name.endswith(".shaft") and e.kind == "coordinates" and len(e.weights) == 2:
            motor, link = e.weights[0][1], e.weights[1][1]
            own = e.name.removesuffix(".shaft")
            drags = [x for x in elements(s) if x.name == f"{own}.friction"]
            found.append({"motor": motor, "link": link, "shaft": e.name, "law": e.law, "own": own,
                          "drag": tuple(x.name for x in drags), "friction": drags})
    return found if all(f"{e['own']}.rate" in where for e in found) else []


def _motors(here, laws, times, elastic, total, out, units):
    """Motor angles and torques behind elastic shafts, by differences in time of their pull."""
    s = here.system
    linear, bound = {}, dict(zip(s.parameters, here.p.tolist(), strict=True))
    for e in elastic:
        law = e["law"]
        parts = getattr(law, "laws", (law,))
        k = [getattr(x, "stiffness", None) for x in parts]
        if len(parts) != 1 or k[0] is None or isinstance(k[0], tuple) or law.memory or law.states:
            raise TorseurError(f"inverse: shaft {e['shaft']!r} must be a linear spring without "
                               "damping")
        linear[e["shaft"]] = values.nominal(values.exact(k[0]), bound)
    h = 1e-3 * max(1e-3, float(times[-1] - times[0]))
    shift = np.array([-3, -2, -1, 0, 1, 2, 3])
    first = np.array([-1, 9, -45, 0, 45, -9, 1]) / (60 * h)
    second = np.array([2, -27, 270, -490, 270, -27, 2]) / (180 * h * h)
    pulls = []
    for i in shift:
        q, v, a = _samples(s, laws, times + i * h)
        for e in elastic:
            for x in (q, v, a):
                x[:, e["motor"]] = 0.0
        skip = {e["shaft"] for e in elastic} | {x for e in elastic for x in e["drag"]}
        each = _each(here, q, v, times + i * h)
        tau = here.dyn.inverse_dynamics(q, v, a)
        for k, e in enumerate(elements(s)):
            if e.name not in skip and not (e.law and e.law.inputs):
                tau = tau - each[:, k]
        pulls.append((q, tau))
    M = np.asarray(here.dyn.mass_matrix(s.neutral()))
    for e in elastic:
        link, motor, k = e["link"], e["motor"], linear[e["shaft"]]
        at = s.coordinates.index(f"{e['own'].rpartition('.')[0]}."
                                 f"{s.links[_owner(s, link)].joint.coordinates[0][0]}")
        angle = np.array([q[:, at] + tau[:, link] / k for q, tau in pulls])           # LI.5
        rate, acceleration = first @ angle, second @ angle
        drag = sum(values.nominal(values.exact(x.law.damping), bound) for x in e["friction"])
        own = M[motor, motor] * acceleration + drag * rate
        out[f"{e['own']}.angle"] = angle[3]
        out[f"{e['own']}.effort"] = own + pulls[3][1][:, link]
        units[f"{e['own']}.angle"], units[f"{e['own']}.effort"] = "rad", "N m"


def _owner(s, speed):
    return next(i for i, k in enumerate(s.links) if k.v.start <= speed < k.v.stop)
