"""Signals of a run: names, units, and their computation for all rows at once."""

from __future__ import annotations

import numpy as np

from ..dynamics import reactions
from ..dynamics.flow import losing, sizes
from ..dynamics.switching import Constraints
from ..system.constraints import elements as constraint_elements
from ..system.elements import elements
from .constrained import constrained_system

XYZ = "xyz"
ELEMENT = ("force", "deflection", "rate", "energy.stored", "power.dissipated", "power.supplied",
           "state")


class Signals:
    """Names with units, and arrays by group, from the rows of a run."""

    def __init__(self, system, kernels, time, Y, M, U, p, jumps=()):
        nq, nv = system.nq, system.nv
        self.system, self.kernels, self.jumps = system, kernels, jumps
        self.rows = (time, Y[:, :nq], Y[:, nq:nq + nv], Y[:, nq + nv:], M, U, p)
        self._a = None
        self.units: dict[str, str] = {}
        self.groups: dict[str, str] = {}
        self._declare()

    def _add(self, group, name, unit):
        self.units[name], self.groups[name] = unit, group

    def _declare(self):
        s = self.system
        for k in s.links:
            for name, unit in (*k.joint.coordinates, *k.joint.speeds):
                self._add("state", f"{k.name}.{name}", unit)
            for suffix, extra in _per_speed(k):
                self._add("accelerations", f"{k.name}.{'acceleration' + suffix}", extra[0])
                self._add("efforts", f"{k.name}.{'effort' + suffix}", extra[1])
        for e in elements(s):
            x, f = ("rad", "N m") if e.angular else ("m", "N")
            for name, unit in zip(ELEMENT, (f, x, f"{x}/s", "J", "W", "W", "1"), strict=True):
                self._add("elements", f"{e.name}.{name}", unit)
            self._add("books", f"{e.name}.energy.dissipated", "J")
            for name, unit in e.states:
                self._add("books", f"{e.name}.{name}", unit)
        for e in s.inputs:
            for i in range(e.size):
                self._add("inputs", e.name if e.size == 1 else f"{e.name}.{i}", e.unit)
        for n in ("kinetic", "potential", "dissipated", "supplied", "residual"):
            self._add("energy", f"energy.{n}", "J")
        for k in s.links:
            if not k.auxiliary:
                for kind, unit in (("moment", "N m"), ("force", "N")):
                    for c in XYZ:
                        self._add("reactions", f"{k.name}.reaction.{kind}.{c}", unit)
        for name in reactions.names(s):
            for kind, unit in (("moment", "N m"), ("force", "N")):
                for c in XYZ:
                    self._add("loops", f"{name}.reaction.{kind}.{c}", unit)
        for name, unit in constrained_system(s).multipliers if Constraints.of(s) else ():
            self._add("multipliers", name, unit)
        if constraint_elements(s):
            self._add("closure", "constraints.residual", "1")
            self._add("closure", "constraints.margin", "1")
        for name in s.places:
            if name == "world":
                continue
            for what, unit in (("position", "m"), ("velocity", "m/s"), ("acceleration", "m/s2"),
                               ("angular_velocity", "rad/s"), ("angular_acceleration", "rad/s2"),
                               ("body_acceleration", "m/s2")):
                for c in XYZ:
                    self._add("frames", f"{name}.{what}.{c}", unit)
            for c in "wxyz":
                self._add("frames", f"{name}.orientation.{c}", "1")

    def __call__(self, name: str) -> dict[str, np.ndarray]:
        """Every signal of the group that `name` belongs to."""
        return getattr(self, f"_{self.groups[name]}")()

    def _run(self, kernel, *extra):
        t, q, v, z, m, u, p = self.rows
        n = len(t)
        p = np.broadcast_to(p, (n, len(p)))
        return self.kernels[kernel](t, q, v, z, m, u, p, *extra)

    @property
    def a(self):
        if self._a is None:
            self._a = self._run("flow")[1]
        return self._a

    def _state(self):
        names = (*self.system.coordinates, *self.system.speeds)
        return dict(zip(names, np.hstack(self.rows[1:3]).T, strict=True))

    def _columns(self, group, array):
        names = [n for n, g in self.groups.items() if g == group]
        return dict(zip(names, np.asarray(array).reshape(len(self.rows[0]), -1).T, strict=True))

    def _accelerations(self):
        return self._columns("accelerations", self.a)

    def _efforts(self):
        return self._columns("efforts", self._run("efforts"))

    def _inputs(self):
        return self._columns("inputs", self.rows[5])

    def _elements(self):
        return self._columns("elements", self._run("elements"))

    def _books(self):
        """States of elements, and the energy each has dissipated."""
        out, z, n = {}, self.rows[3], sizes(self.system)
        books = losing(self.system)
        first = n["nz"] - len(books)
        for i, e in enumerate(elements(self.system)):
            out[f"{e.name}.energy.dissipated"] = z[:, first + books.index(i)] if i in books \
                else np.zeros(len(z))
            out |= {f"{e.name}.{n}": z[:, e.z.start + i] for i, (n, _) in enumerate(e.states)}
        return out

    def _energy(self):
        T, U = self._run("energies")
        n = sizes(self.system)
        z = self.rows[3]
        D, S = (z[:, n["own"]], z[:, n["own"] + 1]) if n["nz"] > n["own"] else (0 * T, 0 * T)
        total = T + U + D - S
        lost = np.zeros(len(T))
        for before, after in self.jumps:
            lost[after:] += total[after] - total[before]
        residual = total - lost - total[0]
        return {f"energy.{name}": x for name, x in (
            ("kinetic", T), ("potential", U), ("dissipated", D), ("supplied", S),
            ("residual", residual))}

    def _reactions(self):
        F = np.asarray(self._run("reactions", self.a)).reshape(len(self.rows[0]), -1, 6)
        keep = [k.index - 1 for k in self.system.links if not k.auxiliary]
        return self._columns("reactions", F[:, keep])

    def _loops(self):
        return self._columns("loops", self._run("carried"))

    def _closure(self):
        """Largest residual of positions [m, rad]; distance from a singular position, 1 is far."""
        phi, J = self._run("closure")
        n = len(self.rows[0])
        J = np.asarray(J).reshape(n, -1, self.system.nv)
        size = np.linalg.norm(J, axis=2, keepdims=True)
        s = np.linalg.svd(J / np.where(size > 1e-12, size, 1.0), compute_uv=False)
        rank = int((s > 1e-9).sum(axis=1).max(initial=0))
        margin = s[:, rank - 1] if rank else np.zeros(n)
        residual = abs(np.asarray(phi).reshape(n, -1)).max(axis=1, initial=0.0)
        return {"constraints.residual": residual, "constraints.margin": margin}

    def _multipliers(self):
        return self._columns("multipliers", self._run("multipliers"))

    def _frames(self):
        y = np.asarray(self._run("frames", self.a)).reshape(len(self.rows[0]), -1, 24)
        out = {}
        for i, name in enumerate(n for n in self.system.places if n != "world"):
            R, p, V, A = (y[:, i, :9].reshape(-1, 3, 3), y[:, i, 9:12], y[:, i, 12:18],
                          y[:, i, 18:24])
            felt = np.einsum("nij,ni->nj", R, A[:, 3:])
            for what, x in (("position", p), ("velocity", V[:, 3:]), ("acceleration", A[:, 3:]),
                            ("angular_velocity", V[:, :3]), ("angular_acceleration", A[:, :3]),
                            ("body_acceleration", felt)):
                out |= {f"{name}.{what}.{c}": x[:, j] for j, c in enumerate(XYZ)}
            out |= {f"{name}.orientation.{c}": x for c, x in zip("wxyz", quaternions(R).T,
                                                                 strict=True)}
        return out


def _per_speed(link):
    for name, unit in link.joint.speeds:
        suffix = "" if link.joint.nv == 1 else f".{name}"
        angular = unit.startswith("rad")
        yield suffix, ("rad/s2", "N m") if angular else ("m/s2", "N")


def quaternions(R) -> np.ndarray:
    """Unit quaternions (w, x, y, z) of rotation matrices, without leaps of sign along the rows."""
    R = np.asarray(R)
    squares = np.stack([1 + R[:, 0, 0] + R[:, 1, 1] + R[:, 2, 2],
                        1 + R[:, 0, 0] - R[:, 1, 1] - R[:, 2, 2],
                        1 - R[:, 0, 0] + R[:, 1, 1] - R[:, 2, 2],
                        1 - R[:, 0, 0] - R[:, 1, 1] + R[:, 2, 2]], axis=1)
    a, b, c = R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]
    d, e, f = R[:, 1, 0] + R[:, 0, 1], R[:, 0, 2] + R[:, 2, 0], R[:, 2, 1] + R[:, 1, 2]
    w, x, y, z = squares.T
    rows = np.stack([np.stack(r, axis=1) for r in ((w, a, b, c), (a, x, d, e), (b, d, y, f),
                                                   (c, e, f, z))], axis=1)
    q = rows[np.arange(len(R)), np.argmax(squares, axis=1)]
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    flips = np.sum(q[1:] * q[:-1], axis=1) < 0
    q[1:] *= np.where(np.cumsum(flips) % 2, -1.0, 1.0)[:, None]
    if len(q) and q[0, 0] < 0:
        q = -q
    return q
