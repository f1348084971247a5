"""Derivatives of the initial state: assembly, states and memories of laws, initial impact.

Theory: SE.5.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...dynamics import start
from ...errors import TorseurError
from ...scalars import Duals, vector
from ...solve import constrained_system, initial_state
from ..run.contact_modes import AT_START
from ..run.record import restore_history
from .parameters import InitialDerivatives, VariationalRun

DIFFERENCE_STEP = 1e-4  # relative, of differences of an assembly (Richardson extrapolation)
MIN_PARAMETER_SIZE = 1e-2  # magnitude in place of a smaller one in a difference step
NO_EVENT_TIME = -1e300  # time of the last event, behind the derivatives in a memory


class InitialState:
    """The initial state as a function of the parameters of the variational equations."""

    def __init__(self, run: VariationalRun, initial: Mapping[str, Any], keep: Any):
        self.run, self.initial, self.keep = run, initial, keep
        self.p, self.u, self.directions = run.p, run.u, run.directions
        self.failures: dict[str, str] = {}
        self.is_discrete = np.array([port.unit == "1" for port in run.system.layout.m], bool)

    def differentiate(self) -> tuple[np.ndarray, np.ndarray, InitialDerivatives]:
        """Derivatives of the state (names, n) and of the memory (names, nm).

        Third are those of the state before the initial impact.
        """
        s = self.run.system
        dq, dv = self._assembly_derivatives() if s.held else self._value_derivatives()
        before = InitialDerivatives(np.hstack([dq, dv]), self.failures)
        K, state = self._initialize_laws(dq, dv)
        S = np.hstack([dq, dv, K.slopes(state.z)])
        Sm = np.where(self.is_discrete, 0.0, K.slopes(state.m))
        if s.switched:
            S, Sm = self._apply_initial_impact(S, Sm, state)
        return S, Sm, before

    # ---- coordinates and speeds --------------------------------------------------------------

    def _value_derivatives(self) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of q and v without an assembly.  Unit quaternions stay of length 1."""
        s, names = self.run.system, self.directions.order
        state = (*s.coordinates, *s.speeds)
        D = np.zeros((len(names), len(state)))
        for i, n in enumerate(names):
            if n in self.directions.starts:
                D[i, state.index(n)] = 1
        q = s.state(self.initial, unit=False)[0]
        for i in s.quaternions:
            size = np.linalg.norm(q[i : i + 4])
            e = q[i : i + 4] / size
            D[:, i : i + 4] = (D[:, i : i + 4] - np.outer(D[:, i : i + 4] @ e, e)) / size
        return D[:, : s.nq], D[:, s.nq :]

    def _assembly_derivatives(self) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of the assembled q and v, by central differences extrapolated once."""
        rows, s = [], self.run.system
        for name, matters in zip(self.directions.order, self._affects_assembly(), strict=True):
            if not matters:
                rows.append(np.zeros(s.nq + s.nv))
                continue
            h = DIFFERENCE_STEP * max(self._magnitude(name), MIN_PARAMETER_SIZE)
            try:
                a, b, c, d = (self._assemble(name, k * h) for k in (-0.5, 0.5, -1.0, 1.0))
            except TorseurError as e:  # no derivative by this name; the others have theirs
                self.failures[name] = str(e)
                rows.append(np.zeros(s.nq + s.nv))
                continue
            rows.append((8 * (b - a) - (d - c)) / (6 * h))
        D = np.array(rows).reshape(len(rows), s.nq + s.nv)
        return D[:, : s.nq], D[:, s.nq :]

    def _affects_assembly(self) -> list[bool]:
        """Which names an assembly depends on."""
        directions, terms, changes = self.directions, self._assembly_terms(self.p), []
        for k in directions.p:
            p = self.p.copy()
            p[k] += DIFFERENCE_STEP * max(abs(p[k]), MIN_PARAMETER_SIZE)
            changes.append(not np.array_equal(self._assembly_terms(p), terms, equal_nan=True))
        return [*changes, *(False for _ in directions.inputs), *(True for _ in directions.starts)]

    def _assembly_terms(self, p: np.ndarray) -> np.ndarray:
        """Weights, residuals, Jacobian and rates of the constraints near the start, where none of
        them is zero by chance."""
        run, s = self.run, self.run.system
        constraints = constrained_system(s, dict(zip(s.parameters, p.tolist(), strict=True)))
        v = np.random.default_rng(0).uniform(0.1, 0.3, s.nv)
        terms = constraints.terms(constraints.integrate(run.q, v), v, run.t_start)
        parts = np.diag(np.asarray(terms.M, float)), terms.phi, terms.J, terms.psi
        return np.concatenate([np.ravel(x) for x in parts])

    def _assemble(self, name: str, h: float) -> np.ndarray:
        """The state (q, v), assembled with one number changed by h."""
        run, s, directions = self.run, self.run.system, self.directions
        p, initial = self.p.copy(), self.initial
        if name in directions.paths:
            p[directions.p[directions.paths.index(name)]] += h
        elif name in directions.starts:
            values = dict(zip((*s.coordinates, *s.speeds), run.y, strict=False))
            initial = {**initial, name: initial.get(name, values[name]) + h}
        parameters = dict(zip(s.parameters, p.tolist(), strict=True))
        return np.concatenate(initial_state(s, initial, self.keep, run.t_start, parameters))

    def _magnitude(self, name: str) -> float:
        directions = self.directions
        if name in directions.paths:
            return abs(self.p[directions.p[directions.paths.index(name)]])
        return abs(float(self.initial.get(name, 0.0)))

    # ---- laws and contacts -------------------------------------------------------------------

    def _initialize_laws(self, dq: np.ndarray, dv: np.ndarray) -> tuple[Duals, Any]:
        """The start over dual numbers: states and memories of laws with their derivatives."""
        run, s, directions = self.run, self.run.system, self.directions
        K, p = Duals(len(directions.order)), self.p.tolist()
        columns = {slot: i for i, slot in enumerate(directions.p)}
        K.parameters |= {
            n: K.seeded(x, columns[i]) if i in columns else x
            for i, (n, x) in enumerate(zip(s.parameters, p, strict=True))
        }
        u = vector(self.u.tolist())
        for i, slot in enumerate(directions.u):
            u[slot] = K.seeded(self.u[slot], len(directions.p) + i)
        q, v = (
            vector(
                K.given(x, d) if d.any() else x for x, d in zip(values.tolist(), D.T, strict=True)
            )
            for values, D in ((run.q, dq), (run.v, dv))
        )
        state = start(s, K, run.t_start, q, v, u)
        restore_history(s, state.z, state.m, getattr(self.initial, "kept", {}))
        return K, state

    def _apply_initial_impact(
        self, S: np.ndarray, Sm: np.ndarray, state: Any
    ) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives after the initial impact, by the reset of the variational equations."""
        run, s, kernels = self.run, self.run.system, self.run.kernels
        count, nz = len(self.directions.order), len(s.layout.z)
        z, m = (np.array([getattr(x, "x", x) for x in part], float) for part in (state.z, state.m))
        tail = np.concatenate([np.zeros(count), [NO_EVENT_TIME]])
        q, v = np.split(run.untouched[: s.nq + s.nv], [s.nq])
        with np.errstate(all="ignore"):  # branches that are not taken
            after = kernels["jump"](
                run.t_start,
                q,
                v,
                np.concatenate([z, S.T.ravel()]),
                np.concatenate([m, Sm.T.ravel(), tail]),
                self.u,
                self.p,
                AT_START,
                np.zeros(s.layout.gathered),
            )
            v1, z1, m1 = (np.asarray(x, dtype=float) for x in after)
            # sticking friction takes up at once the motion that would make it slide: SE.10
            projected = kernels["project"](run.t_start, q, v1, z1, m1, self.u, self.p)
            z1 = np.asarray(projected[2], dtype=float)
        n, nm = S.shape[1], Sm.shape[1]
        Sm = m1[nm : nm + count * nm].reshape(nm, count).T
        return z1[nz:].reshape(n, count).T, np.where(self.is_discrete, 0.0, Sm)
