"""Mechanisms with loops along a motion: what leads is given, the rest follows by assembly.

Theory: LI.6, LI.11.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...dynamics import pivots, scaled
from ...errors import AssemblyError, TorseurError
from ...kinematics import nearest_assembly
from .trajectory import speed_of

DEAD = 1e-7  # least singular value of what follows, at which nothing is determined


class MechanismPath(NamedTuple):
    """A whole mechanism along a motion; one row an instant."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lead: list[int]  # speeds that lead
    drift: np.ndarray  # (rows, nv): a - T a_lead
    T: np.ndarray | None = None  # (rows, nv, leads): v = T v_lead, but for what time moves;
    apart: np.ndarray | None = None  # (leads, rows, nv): drift of each lead alone; None in a tree
    told: str = ""  # what was given but follows, and how far off it was

    def alone(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Speeds and drift when the lead number `k` moves alone."""
        j = self.lead[k]
        if self.T is None or self.apart is None:
            v = np.zeros_like(self.v)
            v[:, j] = self.v[:, j]
            return v, self.drift
        return self.T[:, :, k] * self.v[:, j : j + 1], self.apart[k]


def open_path(system, course) -> MechanismPath:
    """Along a tree every speed leads."""
    q, v, a = course.sample(system, course.times)
    return MechanismPath(q, v, a, list(range(system.nv)), np.zeros_like(v))


def closed_path(bench, course, near) -> MechanismPath:
    """Positions, speeds and accelerations that meet every constraint while the leads move."""
    s, held, times = bench.system, bench.held, course.times
    for e in held.elements:
        if e.speeds:
            raise TorseurError(
                f"inverse: {e.name!r} constrains speeds, so positions do not follow "
                "from those given; drive the model by ts.Driven in a run instead"
            )
    t0 = float(times[0])
    wanted, vw, aw = course.sample(s, times)
    guess = {n: float(law(times[:1], 0)[0]) for n, law in course.laws.items()}
    q = _near(held, dict(near or {}) | guess, t0)
    lead = _leading(s, held.terms(q, np.zeros(s.nv), t0), [speed_of(s)[n] for n in course.laws])
    where = {i: s.coordinates.index(n) for n, i in speed_of(s).items()}
    names = {i: s.coordinates[where[i]] for i in lead if i in where}
    own = {i: n for i, n in names.items() if n in course.laws}
    follow = [i for i in range(s.nv) if i not in lead]
    weight = np.diag(held.terms(q, np.zeros(s.nv), t0).M)
    weight = np.maximum(weight, 1e-9 * weight.max(initial=1.0))
    Q, V, A = [], [], []
    X: list[list[np.ndarray]] = [[] for _ in lead]
    T, drift = np.zeros((len(times), s.nv, len(lead))), np.zeros((len(times), s.nv))
    v, before = np.zeros(s.nv), t0
    for row, t in enumerate(times):
        q = held.integrate(q, v * (t - before))
        for i in own:
            q[where[i]] = wanted[row, where[i]]
        found = nearest_assembly(
            lambda x, t=t: held.position(x, t), held.integrate, q, weight, lead
        )
        if not found.done:
            worst = int(np.argmax(abs(found.residual)))
            raise AssemblyError(
                f"inverse: at t = {t:.6g} s the mechanism cannot follow "
                f"{_list(own.values())}: {held.rows.names[worst]} stays open by "
                f"{abs(found.residual[worst]):.3g} m (or rad)"
            )
        q, before = found.q, t
        here, c = _motion(held, q, t, vw[row], aw[row], lead, follow, own)
        if here is None:
            raise TorseurError(
                f"inverse: at t = {t:.6g} s {_list(own.values())} no longer say how "
                "the mechanism moves (a dead center); let another coordinate lead"
            )
        v, a, T[row], drift[row] = here
        for k in range(len(lead)):
            X[k].append(c[k])
        Q.append(q)
        V.append(v)
        A.append(a)
    apart = np.array(X).reshape(len(lead), len(times), s.nv)
    whole = np.array(Q)
    told = "".join(
        f"; {n} follows, up to {abs(whole[:, where[i]] - wanted[:, where[i]]).max():.2g} "
        "from what was given"
        for n, i in speed_of(s).items()
        if n in course.laws and i not in lead
    )
    return MechanismPath(whole, np.array(V), np.array(A), lead, drift, T, apart, told)


def _near(held, state, t):
    """An assembled position close to the state, nothing kept."""
    return held.assemble({n: x for n, x in state.items() if n in held.system.coordinates}, (), t).q


def _leading(s, terms, given) -> list[int]:
    """Speeds that lead: given ones that are not tied to those named before, and loose ones."""
    J = scaled(terms.J)
    loose = [i for i in range(s.nv) if i not in given and abs(J[:, i]).max(initial=0) < 1e-12]
    rest = [i for i in range(s.nv) if i not in given and i not in loose]
    _, extra = pivots(J[:, rest])
    if extra:
        open_ = _list(s.speeds[rest[i]] for i in extra)
        raise TorseurError(
            f"inverse: the motion given leaves {open_} undetermined; give "
            f"{len(extra)} more coordinate{'s' * (len(extra) > 1)}, or start away "
            "from a dead center"
        )
    basis = np.linalg.qr(J[:, rest])[0] if rest else np.zeros((len(J), 0))
    lead = []
    for i in reversed(given):  # those named first lead before those named last
        x = J[:, i] - basis @ (basis.T @ J[:, i])
        x -= basis @ (basis.T @ x)
        if np.linalg.norm(x) > 1e-6:
            basis = np.column_stack([basis, x / np.linalg.norm(x)])
        else:
            lead.append(i)
    return sorted([*lead, *loose])


def _motion(held, q, t, v_given, a_given, lead, follow, own) -> tuple[Any, Any]:
    """Speeds, accelerations, the map T and drifts at a position; None where it is singular."""
    nv = held.system.nv
    v, a = np.zeros(nv), np.zeros(nv)
    for i in own:
        v[i], a[i] = v_given[i], a_given[i]
    x = held.terms(q, v, t)
    J = x.J
    size = np.linalg.norm(J, axis=1, keepdims=True)
    JD = (J / np.where(size > 1e-12, size, 1.0))[:, follow]
    if follow and (
        len(JD) < len(follow) or np.linalg.svd(JD, compute_uv=False)[len(follow) - 1] < DEAD
    ):
        return None, None
    back = np.linalg.pinv(J[:, follow], rcond=1e-10)
    T = np.zeros((nv, len(lead)))
    T[lead, range(len(lead))] = 1
    T[follow] = -back @ J[:, lead]  # LI.6
    v[follow] = -back @ x.psi

    def drift(speeds):
        c = np.zeros(nv)
        c[follow] = back @ held.terms(q, speeds, t).gamma  # LI.11
        return c

    c = drift(v)
    each = [drift(T[:, k] * v[i]) for k, i in enumerate(lead)]
    return (v, T @ a[lead] + c, T, c), each


def _list(names) -> str:
    return ", ".join(map(repr, names)) or "nothing"
