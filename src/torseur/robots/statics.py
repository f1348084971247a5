"""Efforts of joints as functions of coordinates and of design variables, with exact gradients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np

from ..dynamics import Moment, Motion
from ..errors import ArgumentError, TorseurError, shown, unknown_name
from ..formalisms import newton_euler
from ..numbers import Graph, vector
from ..solve import coordinate_limits, inverse


class Efforts:
    """`tau(q, v, a, p)` of a model: what the motors of its joints must give, (n, joints).

    `names` are parameters of the model that stay variables; `joints` the wanted ones.  Couplings
    of coordinates carry efforts over to the coordinates that lead.
    """

    def __init__(self, model, names: Sequence[str], joints: Sequence[str], lead: Sequence[str]):
        s = self.system = model.check()
        if kept := [e.name for e in s.elements if e.memory or e.states]:
            raise TorseurError(
                f"balance: {', '.join(map(repr, kept))} of {s.name!r} depend on what happened "
                "before, so that a pose alone does not say their force; leave them out"
            )
        K = Graph()
        p = K.symbols(names)
        K.parameters.update(zip(names, p, strict=True))
        q, v, a = (
            K.symbols(f"{x}{i}" for i in range(n))
            for x, n in (("q", s.nq), ("v", s.nv), ("a", s.nv))
        )
        motion = Motion(s, K)
        u = vector([0] * sum(e.size for e in s.inputs))
        now = Moment(0, q, v, vector(()), vector(()), u)
        tau = newton_euler.inverse_dynamics(motion.tree, q, v, a) - motion.applied(now)
        self.T = carried(s, lead)
        own = {k.name: k.v.start for k in s.links}
        if bad := [unknown_name("joint", j, own, "balance") for j in joints if j not in own]:
            raise TorseurError("\n".join(bad))
        column = K.lib.DM(self.T.T) @ K.sx(tau)
        rows = [list(lead).index(s.speeds[own[j]]) if lead else own[j] for j in joints]
        out = K.lib.vertcat(*(column[i] for i in rows))
        ins = [K.sx(x) for x in (q, v, a, p)]
        slope = K.lib.jacobian(out, ins[3])
        self.f = K.lib.Function("efforts", ins, [out, K.lib.densify(K.lib.vec(slope))])
        self.joints, self.names = tuple(joints), tuple(names)
        self.maps: dict[int, Any] = {}

    def __call__(self, motion, p):
        """Efforts (n, joints) and their slopes (n, joints, variables) along q, v, a."""
        q, v, a = motion
        n, m, k = len(q), len(self.joints), len(self.names)
        P = np.repeat(np.asarray(p, float)[:, None], n, axis=1) if k else np.zeros((0, n))
        if n not in self.maps:
            self.maps[n] = self.f.map(n)
        tau, slope = self.maps[n](q.T, v.T, a.T, P)
        return np.array(tau).T, np.array(slope).reshape(m, k, n, order="F").transpose(
            2, 0, 1
        ) if k else np.zeros((n, m, 0))


def carried(system, lead):
    """Speeds by the leading ones, (nv, leading): couplings resolved."""
    if not lead:
        return np.eye(system.nv)
    rows = [c.ratios for c in system.model.constraints]
    index = {n: i for i, n in enumerate(system.coordinates)}
    A = np.zeros((len(rows), system.nv))
    for i, ratios in enumerate(rows):
        for name, r in ratios.items():
            A[i, index[name]] = float(r)
    first = [system.speeds.index(n) for n in lead]
    rest = [i for i in range(system.nv) if i not in first]
    T = np.zeros((system.nv, len(first)))
    T[first, np.arange(len(first))] = 1
    if rest:
        T[rest] = -np.linalg.solve(A[:, rest], A[:, first])
    return T


class Where:
    """Poses or a motion that a design is judged over: rows q, v, a, and their weights.

    `interval`: the name of the one coordinate that runs over an interval, whose samples may be
    refined.
    """

    def __init__(self, model, over, at=None):
        s = model.check()
        self.system, self.interval = s, None
        base = s.state(at or {})[0]
        if over is None or (isinstance(over, str) and over == "workspace"):
            q = _spread(s, base)
            self._still(q)
        elif isinstance(over, Mapping) and not _moves(over):
            self._grid(over, base)
        elif isinstance(over, Mapping) or hasattr(over, "signals"):
            run = inverse(model, over)
            self.q = np.stack([run[n] for n in s.coordinates], 1)
            self.v = np.stack([run[n] for n in s.speeds], 1)
            self.a = np.stack([run[n] for n in accelerations_of(s)], 1)
            dt = np.gradient(run.time)
            self.weights = dt / dt.sum()
            self.time = run.time
        else:
            try:
                q = np.atleast_2d(np.asarray(over, float))
            except (TypeError, ValueError):
                q = np.zeros((0, 0))
            if q.ndim != 2 or q.shape[1] != s.nq or not len(q):
                raise ArgumentError(
                    f"balance: over={shown(over)}: expected {{coordinate: angles}}, a motion, "
                    f"poses (n, {s.nq}), or 'workspace'"
                )
            self._still(q)

    def _grid(self, over, base):
        names = self.system.coordinates
        if bad := [
            unknown_name("coordinate", n, names, "balance, over") for n in over if n not in names
        ]:
            raise TorseurError("\n".join(bad))
        axes = [np.atleast_1d(np.asarray(x, float)) for x in over.values()]
        if any(x.ndim != 1 or not len(x) or not np.isfinite(x).all() for x in axes):
            raise ArgumentError("balance: over= needs finite numbers for each coordinate")
        q = np.tile(base, (int(np.prod([len(x) for x in axes])), 1))
        for n, x in zip(over, np.meshgrid(*axes, indexing="ij"), strict=True):
            q[:, names.index(n)] = x.ravel()
        self._still(q)
        if len(axes) == 1 and len(axes[0]) > 2 and (np.diff(axes[0]) > 0).all():
            x = axes[0]
            self.interval = next(iter(over))
            gaps = np.diff(x)
            w = np.zeros(len(x))
            w[:-1] += gaps / 2
            w[1:] += gaps / 2
            self.weights = w / w.sum()

    def _still(self, q):
        self.q = q
        self.v = self.a = np.zeros((len(q), self.system.nv))
        self.weights = np.full(len(q), 1 / len(q))

    @property
    def rows(self):
        return self.q, self.v, self.a

    def judged(self, criterion: str, count: int = 721) -> Where:
        """Where a sum over the interval is taken: many samples with the weights of Simpson."""
        if self.interval is None or criterion == "peak" or len(self.q) >= count:
            return self
        q, *_ = self.refined(count)
        dense = copy(self)
        dense._still(q)
        w = np.full(count, 2.0)
        w[1::2] = 4.0
        w[[0, -1]] = 1.0
        dense.weights = w / w.sum()
        return dense

    def refined(self, count: int = 2001):
        """The interval with many samples: rows of it, and its abscissae."""
        i = self.system.coordinates.index(self.interval)
        x = np.linspace(self.q[0, i], self.q[-1, i], count)
        q = np.tile(self.q[0], (count, 1))
        q[:, i] = x
        return q, x, i


def accelerations_of(system) -> list[str]:
    """Names of the accelerations of every speed."""
    return [
        f"{k.name}.acceleration" + ("" if k.joint.nv == 1 else f".{n}")
        for k in system.links
        for n, _ in k.joint.speeds
    ]


def _moves(over):
    return any(callable(x) or isinstance(x, str) for x in over.values()) or "time" in over


def _spread(system, base, count=1500):
    """Poses spread evenly over the limits of the joints (or a whole turn)."""
    from scipy.stats import qmc

    low, high = coordinate_limits(system)
    low = np.where(np.isfinite(low), low, base - np.pi)
    high = np.where(np.isfinite(high), high, base + np.pi)
    return low + (high - low) * qmc.Halton(system.nq, scramble=False).random(count)


__all__ = ["Efforts", "Where", "carried"]
