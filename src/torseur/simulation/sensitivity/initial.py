"""The derivative of a start: assembly, states and memory of laws, contacts.

Theory: SE.5.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...dynamics import start
from ...errors import TorseurError
from ...scalars import Duals, vector
from ...solve import constrained_system, initial_state
from ..run.record import restore

STEP = 1e-4  # relative, of differences of an assembly (Richardson's rule)


class Begun(NamedTuple):
    """Derivatives of a start before anything acts, and why it does not assemble by some numbers."""

    given: np.ndarray
    apart: dict[str, str]


class Start:
    """Derivatives of the state (directions, n) and of the memory (directions, nm) at a start."""

    def __init__(self, run, initial, keep):
        self.run, self.initial, self.keep = run, initial, keep
        self.p, self.u, self.where = run.p, run.u, run.directions
        self.apart: dict[str, str] = {}
        self.discrete = np.array([port.unit == "1" for port in run.system.layout.m], bool)

    def slopes(self) -> tuple[np.ndarray, np.ndarray]:
        """Both; `self.both` keeps those of the state before anything acts."""
        S, Sm = self._slopes()
        self.both = Begun(self.given, self.apart)
        return S, Sm

    def _slopes(self) -> tuple[np.ndarray, np.ndarray]:
        s = self.run.system
        dq, dv = self._assembled() if s.held else self._given()
        self.given = np.hstack([dq, dv])  # before anything acts
        K, now = self._laws(dq, dv)
        S = np.hstack([dq, dv, K.slopes(now.z)])
        Sm = np.where(self.discrete, 0.0, K.slopes(now.m))
        return self._touched(S, Sm, now) if s.switched else (S, Sm)

    # coordinates and speeds ----------------------------------------------------------------
    def _given(self) -> tuple[np.ndarray, np.ndarray]:
        """Where nothing is assembled: what was named itself; unit quaternions stay so."""
        s, names = self.run.system, self.where.order
        state = (*s.coordinates, *s.speeds)
        D = np.zeros((len(names), len(state)))
        for i, n in enumerate(names):
            if n in self.where.starts:
                D[i, state.index(n)] = 1
        raw = s.state(self.initial, unit=False)[0]
        for i in s.quaternions:
            size = np.linalg.norm(raw[i : i + 4])
            e = raw[i : i + 4] / size
            D[:, i : i + 4] = (D[:, i : i + 4] - np.outer(D[:, i : i + 4] @ e, e)) / size
        return D[:, : s.nq], D[:, s.nq :]

    def _assembled(self) -> tuple[np.ndarray, np.ndarray]:
        """By central differences twice (Richardson) of the assembly, the user's numbers held."""
        found, s = [], self.run.system
        for name, enters in zip(self.where.order, self._entering(), strict=True):
            if not enters:
                found.append(np.zeros(s.nq + s.nv))
                continue
            h = STEP * max(self._size(name), 1e-2)
            try:
                a, b, c, d = (self._assembly(name, k * h) for k in (-0.5, 0.5, -1.0, 1.0))
            except TorseurError as e:  # that number is refused; the others are not
                self.apart[name] = str(e)
                found.append(np.zeros(s.nq + s.nv))
                continue
            found.append((8 * (b - a) - (d - c)) / (6 * h))
        D = np.array(found).reshape(len(found), s.nq + s.nv)
        return D[:, : s.nq], D[:, s.nq :]

    def _entering(self) -> list[bool]:
        """Which numbers an assembly depends on: starts, and those it is made of."""
        where, known, own = self.where, self._made_of(self.p), []
        for k in where.p:
            p = self.p.copy()
            p[k] += STEP * max(abs(p[k]), 1e-2)
            own.append(not np.array_equal(self._made_of(p), known, equal_nan=True))
        return [*own, *(False for _ in where.inputs), *(True for _ in where.starts)]

    def _made_of(self, p) -> np.ndarray:
        """Weights, residuals, their Jacobian and rates, in a state in which nothing is zero by
        chance."""
        run, s = self.run, self.run.system
        c = constrained_system(s, dict(zip(s.parameters, p.tolist(), strict=True)))
        v = np.random.default_rng(0).uniform(0.1, 0.3, s.nv)
        here = c.terms(c.integrate(run.q, v), v, run.t_start)
        parts = np.diag(np.asarray(here.M, float)), here.phi, here.J, here.psi
        return np.concatenate([np.ravel(x) for x in parts])

    def _assembly(self, name, h) -> np.ndarray:
        """The state assembled with one number changed by h."""
        run, s, where = self.run, self.run.system, self.where
        p, initial = self.p.copy(), self.initial
        if name in where.paths:
            p[where.p[where.paths.index(name)]] += h
        elif name in where.starts:
            known = dict(zip((*s.coordinates, *s.speeds), run.record.y, strict=False))
            initial = {**initial, name: initial.get(name, known[name]) + h}
        parameters = dict(zip(s.parameters, p.tolist(), strict=True))
        return np.concatenate(initial_state(s, initial, self.keep, run.t_start, parameters))

    def _size(self, name):
        where = self.where
        if name in where.paths:
            return abs(self.p[where.p[where.paths.index(name)]])
        return abs(float(self.initial.get(name, 0.0)))

    # laws and contacts ---------------------------------------------------------------------
    def _laws(self, dq, dv):
        """The start over numbers that carry their derivatives."""
        run, s, where = self.run, self.run.system, self.where
        K, p = Duals(len(where.order)), self.p.tolist()
        seeds = {slot: i for i, slot in enumerate(where.p)}
        K.parameters |= {
            n: K.seeded(x, seeds[i]) if i in seeds else x
            for i, (n, x) in enumerate(zip(s.parameters, p, strict=True))
        }
        u = vector(self.u.tolist())
        for i, slot in enumerate(where.u):
            u[slot] = K.seeded(self.u[slot], len(where.p) + i)
        q, v = (
            vector(
                K.given(x, d) if d.any() else x for x, d in zip(given.tolist(), D.T, strict=True)
            )
            for given, D in ((run.q, dq), (run.v, dv))
        )
        now = start(s, K, run.t_start, q, v, u)
        restore(s, now.z, now.m, getattr(self.initial, "kept", {}))
        return K, now

    def _touched(self, S, Sm, now):
        """Contacts and frictions begin: the jump at the start carries the derivatives over."""
        run, s, wide = self.run, self.run.system, self.run.kernels
        M, nz = len(self.where.order), len(s.layout.z)
        z, m = (np.array([getattr(x, "x", x) for x in part], float) for part in (now.z, now.m))
        tail = np.concatenate([np.zeros(M), [-1e300]])
        y = run.untouched
        with np.errstate(all="ignore"):  # branches that are not taken
            after = wide["jump"](
                run.t_start,
                y[: s.nq],
                y[s.nq : s.nq + s.nv],
                np.concatenate([z, S.T.ravel()]),
                np.concatenate([m, Sm.T.ravel(), tail]),
                self.u,
                self.p,
                -1.0,
                np.zeros(s.layout.gathered),
            )
            v1, z1, m1 = (np.asarray(x, dtype=float) for x in after)
            # what sticks and stays takes up what moves it at once: SE.10
            own = wide["project"](run.t_start, y[: s.nq], v1, z1, m1, self.u, self.p)
            z1 = np.asarray(own[2], dtype=float)
        n, nm = S.shape[1], Sm.shape[1]
        Sm = m1[nm : nm + M * nm].reshape(nm, M).T
        return z1[nz:].reshape(n, M).T, np.where(self.discrete, 0.0, Sm)
