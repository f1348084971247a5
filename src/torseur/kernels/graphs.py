"""Graphs of the quantities a `Dynamics` offers: which ports, and which formula.

Each entry builds a `casadi.Function` from a system; nothing here computes a number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import dynamics, kinematics
from ..dynamics import forward, reframe, regroup
from ..errors import KernelError
from ..formalisms import composite_body, composite_derivatives, lagrange, newton_euler
from ..scalar import Graph, matrix, vector
from ..spatial import Wrench, cross

SIZES = {"q": "nq", "q1": "nq", "v": "nv", "a": "nv", "tau": "nv", "dv": "nv", "qdot": "nq"}


class Scene:
    """A system over a graph, with the symbols of every port a kernel may read."""

    def __init__(self, system, parameters=(), wrenches=()):
        self.system, self.parameters, self.wrenches = system, parameters, wrenches
        self.K = K = Graph()
        self.p = K.symbols(parameters)
        K.parameters.update(zip(parameters, self.p, strict=True))
        missing = [n for n in system.symbols
                   if n not in K.parameters and system.parameters.get(n) is None]
        if missing:
            raise KernelError(
                f"no value is known for {', '.join(map(repr, missing))}; give nominal values in "
                "Model(parameters={...}) or keep them as arguments: compile(system, "
                f"parameters=({', '.join(map(repr, missing))},))")
        self.tree = system.over(K)
        self.frames = reframe.reframed(self.tree)
        self.lean = regroup.regrouped(self.frames.tree)
        self.w = K.symbols(f"{name}.{c}" for name in wrenches
                           for c in ("mx", "my", "mz", "fx", "fy", "fz"))
        self.ports: dict[str, np.ndarray] = {"p": self.p, "w": self.w}

    def __getitem__(self, port: str) -> np.ndarray:
        if port not in self.ports:
            n = getattr(self.system, SIZES[port])
            self.ports[port] = self.K.symbols(f"{port}{i}" for i in range(n))
        return self.ports[port]

    def external(self, q) -> dict[int, Wrench] | None:
        """External wrenches (world axes, at the frames' origins) as wrenches on links."""
        out: dict[int, Wrench] = {}
        X = kinematics.poses(self.tree, q) if self.wrenches else None
        for i, name in enumerate(self.wrenches):
            place = self.tree.place(name)
            X_WL, six = X[place.link], self.w[6 * i:6 * i + 6]
            X_LB = place.X_LB
            F = Wrench(X_WL.unrotate(six[:3]), X_WL.unrotate(six[3:]))          # at B, axes of L
            F = Wrench(F.moment + cross(X_LB.p, F.force), F.force)
            out[place.link] = out[place.link] + F if place.link in out else F
        return out or None

    def cheap(self, q):
        """Coordinates and external wrenches for the lean tree, whose frames are its own."""
        return self.frames.coordinates(q), self.frames.wrenches(self.external(q))


def _inverse(s, q, v, a):
    x, F = s.cheap(q)
    return newton_euler.inverse_dynamics(s.lean, x, v, a, F)


def _bias(s, q, v):
    return _inverse(s, q, v, vector([0] * s.system.nv))


def _mass_matrix(s, q):
    return composite_body.mass_matrix(s.lean, s.frames.coordinates(q))


def _gravity(s, q):
    return dynamics.gravity_forces(s.lean, s.frames.coordinates(q))


def _coriolis(s, q, v):
    return dynamics.coriolis_matrix(s.lean, s.frames.coordinates(q), v)


def _forward(s, q, v, tau):
    x, F = s.cheap(q)
    return forward.cheapest(s.lean)(s.lean, x, v, tau, F)


def _tangent(s, expression, port):
    """Jacobian of a column with respect to a port, in the tangent space for q."""
    K, x = s.K, s[port]
    J = K.lib.jacobian(K.sx(expression), K.sx(x))
    if port != "q" or all(k.joint.holonomic for k in s.tree.links):
        return J
    units = np.eye(s.system.nv, dtype=int).astype(object)
    N = K.lib.horzcat(*(K.sx(kinematics.rates(s.tree, x, e)) for e in units))
    return J @ N


def _inverse_derivatives(s, q, v, a):
    """By composite quantities where joints allow, else by the graph's own derivative."""
    x = s.frames.coordinates(q)
    if not s.wrenches and composite_derivatives.applies(s.lean, x):
        return composite_derivatives.derivatives(s.lean, x, v, a)
    return _graph_derivatives(s, q, v, a)


def _graph_derivatives(s, q, v, a):
    K, free = s.K, s["a"]
    tau = _inverse(s, q, v, free)
    dq, dv = (K.lib.substitute(_tangent(s, tau, x), K.sx(free), K.sx(a)) for x in "qv")
    return dq, dv, _mass_matrix(s, q)


def _forward_derivatives(s, q, v, tau):
    """Through the inverse's: `da = -M^-1 d(tau(q, v, a))` at the accelerations reached."""
    K = s.K
    dq, dv, M = _inverse_derivatives(s, q, v, _forward(s, q, v, tau))
    factors, n = forward.factorised(K, M, forward.dof_parents(s.lean)), s.system.nv
    def solve(rhs):
        columns = rhs.T if isinstance(rhs, np.ndarray) else [K.unpack(rhs[:, i]) for i in range(n)]
        return matrix([factors.solve(c) for c in columns]).T.reshape(n, n)
    eye = np.eye(n, dtype=int).astype(object)
    return -solve(dq), -solve(dv), solve(eye)


def _parameter_derivatives(s, q, v, a):
    return s.K.lib.jacobian(s.K.sx(_inverse(s, q, v, a)), s.K.sx(s.p))


def _reactions(s, q, v, a):
    reactions = newton_euler.solve(s.tree, q, v, a, s.external(q)).reactions
    return np.stack([F.array for F in reactions]) if reactions else np.zeros((0, 6), dtype=object)


Build = Callable[..., Any]
PLAIN: dict[str, tuple[str, str, Build]] = {
    # name: (inputs, outputs, formula)
    "inverse_dynamics": ("q v a", "tau", _inverse),
    "forward_dynamics": ("q v tau", "a", _forward),
    "mass_matrix": ("q", "M", _mass_matrix),
    "bias": ("q v", "tau", _bias),
    "gravity_forces": ("q", "tau", _gravity),
    "coriolis_matrix": ("q v", "C", _coriolis),
    "energy": ("q v", "kinetic potential", lambda s, q, v: lagrange.energies(s.tree, q, v)),
    "momentum": ("q v", "h", lambda s, q, v: dynamics.momentum(s.tree, q, v)),
    "centre_of_mass": ("q", "c", lambda s, q: dynamics.centre_of_mass(s.tree, q)),
    "reactions": ("q v a", "F", _reactions),
    "rates": ("q v", "qdot", lambda s, q, v: kinematics.rates(s.tree, q, v)),
    "speeds_from": ("q qdot", "v", lambda s, q, x: kinematics.speeds_from(s.tree, q, x)),
    "integrate": ("q dv", "q1", lambda s, q, dv: kinematics.integrate(s.tree, q, dv)),
    "difference": ("q q1", "dv", lambda s, q0, q1: kinematics.difference(s.tree, q0, q1)),
    "inverse_dynamics_derivatives": ("q v a", "dq dv da", _inverse_derivatives),
    "forward_dynamics_derivatives": ("q v tau", "dq dv dtau", _forward_derivatives),
    "inverse_dynamics_parameters": ("q v a", "dp", _parameter_derivatives),
}
FRAMED: dict[str, tuple[str, str, Build]] = {
    "pose": ("q", "T", lambda s, f, q: kinematics.pose(s.tree, f, q).matrix()),
    "jacobian": ("q", "J", lambda s, f, q: kinematics.jacobian(s.tree, f, q)),
    "jacobian_rate": ("q v", "J", lambda s, f, q, v: kinematics.jacobian_rate(s.tree, f, q, v)),
    "velocity": ("q v", "V", lambda s, f, q, v: kinematics.velocity(s.tree, f, q, v)),
    "acceleration": ("q v a", "A",
                     lambda s, f, q, v, a: kinematics.acceleration(s.tree, f, q, v, a)),
}
LOADED = frozenset({"inverse_dynamics", "forward_dynamics", "bias", "reactions",
                    "inverse_dynamics_derivatives", "forward_dynamics_derivatives"})
"""Kernels that external wrenches enter."""


def inputs(name: str, parameters=(), wrenches=()) -> list[str]:
    """Ports that a kernel reads: its own, then declared parameters and wrenches."""
    own = (PLAIN | FRAMED)[name][0].split()
    return own + ["p"] * bool(parameters) + ["w"] * bool(wrenches and name in LOADED)


def build(system, name: str, frame: str | None = None, parameters=(), wrenches=()):
    """The `casadi.Function` of a quantity."""
    scene = Scene(system, parameters, wrenches)
    own, out, formula = (PLAIN | FRAMED)[name]
    arguments = [scene[x] for x in own.split()]
    results = formula(scene, *([frame] if frame else []), *arguments)
    results = results if isinstance(results, tuple) else (results,)
    K = scene.K
    columns = [K.sx(scene[x]) for x in inputs(name, parameters, wrenches)]
    values = [r if isinstance(r, K.lib.SX) else K.sx(r) for r in results]
    return K.lib.Function(name, columns, [K.lib.densify(x) for x in values],
                          inputs(name, parameters, wrenches), out.split())


def shapes(system, name: str, wrenches=()) -> dict[str, tuple[int, ...]]:
    """Shapes of ports that are not plain columns or matrices."""
    out: dict[str, tuple[int, ...]] = {"w": (len(wrenches), 6)} if wrenches else {}
    match name:
        case "energy": out |= {"kinetic": (), "potential": ()}
        case "reactions": out |= {"F": (len(system.links), 6)}
        case "mass_matrix": out |= {"M": (system.nv, system.nv)}
        case "coriolis_matrix": out |= {"C": (system.nv, system.nv)}
        case "jacobian" | "jacobian_rate": out |= {"J": (6, system.nv)}
        case "inverse_dynamics_derivatives" | "forward_dynamics_derivatives":
            out |= dict.fromkeys(PLAIN[name][1].split(), (system.nv, system.nv))
    return out
