"""Graphs of the quantities a `Dynamics` offers: which formula for which.

Each entry builds a `casadi.Function` from a system; nothing here computes a number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import dynamics, kinematics
from ..dynamics import constraint_rows, forward, reframe, regroup
from ..dynamics.held import saddle as constrained
from ..errors import KernelError
from ..formalisms import composite_body, composite_derivatives, lagrange, newton_euler
from ..numbers import matrix, vector
from ..spatial import Wrench, cross
from . import ports as quantities
from .angles import Trigonometry


class Scene:
    """A system over a graph, with the symbols of every port a kernel may read."""

    def __init__(self, system, parameters=(), wrenches=()):
        self.system, self.parameters, self.wrenches = system, parameters, wrenches
        self.K = K = Trigonometry()
        self.p = K.symbols(parameters)
        K.parameters.update(zip(parameters, self.p, strict=True))
        missing = [
            n for n in system.symbols if n not in K.parameters and system.parameters.get(n) is None
        ]
        if missing:
            raise KernelError(
                f"no value is known for {', '.join(map(repr, missing))}; give nominal values in "
                "Model(parameters={...}) or keep them as arguments: compile(system, "
                f"parameters=({', '.join(map(repr, missing))},))"
            )
        self.tree = system.over(K)
        self.frames = reframe.reframed(self.tree)
        self.lean = regroup.regrouped(self.frames.tree)
        self.w = K.symbols(
            f"{name}.{c}" for name in wrenches for c in ("mx", "my", "mz", "fx", "fy", "fz")
        )
        self.ports: dict[str, np.ndarray] = {"p": self.p, "w": self.w}

    def __getitem__(self, port: str) -> np.ndarray:
        if port not in self.ports:
            n = 1 if port == "t" else getattr(self.system, quantities.SIZES[port])
            self.ports[port] = self.K.symbols(f"{port}{i}" for i in range(n))
        return self.ports[port]

    def external(self, q) -> dict[int, Wrench] | None:
        """External wrenches (world axes, at the frames' origins) as wrenches on links."""
        out: dict[int, Wrench] = {}
        X = kinematics.poses(self.tree, q) if self.wrenches else None
        for i, name in enumerate(self.wrenches):
            place = self.tree.place(name)
            X_WL, six = X[place.link], self.w[6 * i : 6 * i + 6]
            X_LB = place.X_LB
            F = Wrench(X_WL.unrotate(six[:3]), X_WL.unrotate(six[3:]))  # at B, axes of L
            F = Wrench(F.moment + cross(X_LB.p, F.force), F.force)
            out[place.link] = out[place.link] + F if place.link in out else F
        return out or None

    def coordinates(self, q) -> np.ndarray:
        """Coordinates of the lean tree, whose frames are its own."""
        return self.K.shifted(q, self.frames.offsets)

    def cheap(self, q):
        """Coordinates and external wrenches of the lean tree."""
        return self.coordinates(q), self.frames.wrenches(self.external(q))


def _inverse(s, q, v, a):
    x, F = s.cheap(q)
    return newton_euler.inverse_dynamics(s.lean, x, v, a, F)


def _bias(s, q, v):
    return _inverse(s, q, v, vector([0] * s.system.nv))


def _mass_matrix(s, q):
    return composite_body.mass_matrix(s.lean, s.coordinates(q))


def _gravity(s, q):
    return dynamics.gravity_forces(s.lean, s.coordinates(q))


def _coriolis(s, q, v):
    return dynamics.coriolis_matrix(s.lean, s.coordinates(q), v)


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
    x = s.coordinates(q)
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


def _rows(s, q, t):
    return constraint_rows(s.tree, s.system, t[0], q, s["v"])


def _constrained(s, q, v, tau, t):
    solved = constrained.forward_dynamics(s.tree, s.system, t[0], q, v, tau, s.external(q))
    return solved.a, solved.lam


FORMULAS: dict[str, Callable[..., Any]] = {
    "inverse_dynamics": _inverse,
    "forward_dynamics": _forward,
    "mass_matrix": _mass_matrix,
    "bias": _bias,
    "gravity_forces": _gravity,
    "coriolis_matrix": _coriolis,
    "energy": lambda s, q, v: lagrange.energies(s.tree, q, v),
    "momentum": lambda s, q, v: dynamics.momentum(s.tree, q, v),
    "centre_of_mass": lambda s, q: dynamics.centre_of_mass(s.tree, q),
    "reactions": _reactions,
    "rates": lambda s, q, v: kinematics.rates(s.tree, q, v),
    "speeds_from": lambda s, q, x: kinematics.speeds_from(s.tree, q, x),
    "integrate": lambda s, q, dv: kinematics.integrate(s.tree, q, dv),
    "difference": lambda s, q0, q1: kinematics.difference(s.tree, q0, q1),
    "inverse_dynamics_derivatives": _inverse_derivatives,
    "forward_dynamics_derivatives": _forward_derivatives,
    "inverse_dynamics_parameters": _parameter_derivatives,
    "constraint_residual": lambda s, q, t: _rows(s, q, t).phi,
    "constraint_jacobian": lambda s, q, t: _rows(s, q, t).J,
    "constrained_dynamics": _constrained,
    "pose": lambda s, f, q: kinematics.pose(s.tree, f, q).matrix(),
    "jacobian": lambda s, f, q: kinematics.jacobian(s.tree, f, q),
    "jacobian_rate": lambda s, f, q, v: kinematics.jacobian_rate(s.tree, f, q, v),
    "velocity": lambda s, f, q, v: kinematics.velocity(s.tree, f, q, v),
    "acceleration": lambda s, f, q, v, a: kinematics.acceleration(s.tree, f, q, v, a),
}


def build(system, name: str, frame: str | None = None, parameters=(), wrenches=()):
    """The `casadi.Function` of a quantity."""
    scene = Scene(system, parameters, wrenches)
    own, out = quantities.ports(name)
    results = FORMULAS[name](scene, *([frame] if frame else []), *(scene[x] for x in own))
    results = results if isinstance(results, tuple) else (results,)
    K, names = scene.K, quantities.inputs(name, parameters, wrenches)
    values = [r if isinstance(r, K.lib.SX) else K.sx(r) for r in results]
    return K.lib.Function(
        name, [K.sx(scene[x]) for x in names], [K.lib.densify(x) for x in values], names, out
    )
