"""Motion of mechanisms with loops: independent coordinates are given, the others are assembled.

Theory: LI.6, LI.11.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...dynamics import pivots, scaled
from ...errors import AssemblyError, TorseurError
from ...kinematics import nearest_assembly
from .trajectory import map_speeds

if TYPE_CHECKING:
    from ...system import System
    from ..constraint_system import Constrained, StateTerms
    from ..operating_point import EvaluatedModel
    from .trajectory import PrescribedMotion

MIN_SINGULAR_VALUE = 1e-7  # least singular value of what follows, at which nothing is determined


class MechanismPath(NamedTuple):
    """Motion of all coordinates of a mechanism.  One row for each time."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    independent: list[int]  # speeds that lead
    drift: np.ndarray  # (rows, nv): a - T a_lead
    T: np.ndarray | None = None  # (rows, nv, leads): v = T v_lead, but for what time moves;
    # (leads, rows, nv): drift of each lead alone; None in a tree
    single_drifts: np.ndarray | None = None
    note: str = ""  # what was given but follows, and how far off it was

    def move_single(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Speeds and drift when one independent speed moves alone."""
        j = self.independent[k]
        if self.T is None or self.single_drifts is None:
            v = np.zeros_like(self.v)
            v[:, j] = self.v[:, j]
            return v, self.drift
        return self.T[:, :, k] * self.v[:, j : j + 1], self.single_drifts[k]


def sample_tree(system: System, trajectory: PrescribedMotion) -> MechanismPath:
    """Motion of a tree, where every speed is independent."""
    q, v, a = trajectory.sample(system, trajectory.times)
    return MechanismPath(q, v, a, list(range(system.nv)), np.zeros_like(v))


def follow_closed_loops(
    model: EvaluatedModel, trajectory: PrescribedMotion, near: Mapping[str, float] | None
) -> MechanismPath:
    """Positions, speeds and accelerations that satisfy all constraints, by continuation."""
    s, constraints, times = model.system, model.constraints, trajectory.times
    assert constraints is not None
    _refuse_speed_constraints(constraints)
    t0 = float(times[0])
    q_given, v_given, a_given = trajectory.sample(s, times)
    guess = {n: float(law(times[:1], 0)[0]) for n, law in trajectory.laws.items()}
    q = _assemble_near(constraints, dict(near or {}) | guess, t0)
    independent = _choose_independent(
        s, constraints.terms(q, np.zeros(s.nv), t0), [map_speeds(s)[n] for n in trajectory.laws]
    )
    slots = {i: s.coordinates.index(n) for n, i in map_speeds(s).items()}
    names = {i: s.coordinates[slots[i]] for i in independent if i in slots}
    given = {i: n for i, n in names.items() if n in trajectory.laws}
    dependent = [i for i in range(s.nv) if i not in independent]
    weight = np.diag(constraints.terms(q, np.zeros(s.nv), t0).M)
    weight = np.maximum(weight, 1e-9 * weight.max(initial=1.0))
    Q, V, A = [], [], []
    X: list[list[np.ndarray]] = [[] for _ in independent]
    T, drift = np.zeros((len(times), s.nv, len(independent))), np.zeros((len(times), s.nv))
    v, t_before = np.zeros(s.nv), t0
    for row, t in enumerate(times):
        q = constraints.integrate(q, v * (t - t_before))
        for i in given:
            q[slots[i]] = q_given[row, slots[i]]
        result = nearest_assembly(
            lambda x, t=t: constraints.position(x, t), constraints.integrate, q, weight, independent
        )
        if not result.done:
            largest = int(np.argmax(abs(result.residual)))
            raise AssemblyError(
                f"inverse: at t = {t:.6g} s the mechanism cannot follow "
                f"{_quote_names(given.values())}: {constraints.rows.names[largest]} stays open by "
                f"{abs(result.residual[largest]):.3g} m (or rad)"
            )
        q, t_before = result.q, t
        motion, c = _solve_motion(
            constraints, q, t, v_given[row], a_given[row], independent, dependent, given
        )
        if motion is None:
            raise TorseurError(
                f"inverse: at t = {t:.6g} s {_quote_names(given.values())} no longer say how "
                "the mechanism moves (a dead center); let another coordinate lead"
            )
        v, a, T[row], drift[row] = motion
        for k in range(len(independent)):
            X[k].append(c[k])
        Q.append(q)
        V.append(v)
        A.append(a)
    single_drifts = np.array(X).reshape(len(independent), len(times), s.nv)
    Q_all = np.array(Q)
    note = "".join(
        f"; {n} follows, up to {abs(Q_all[:, slots[i]] - q_given[:, slots[i]]).max():.2g} "
        "from what was given"
        for n, i in map_speeds(s).items()
        if n in trajectory.laws and i not in independent
    )
    return MechanismPath(
        Q_all, np.array(V), np.array(A), independent, drift, T, single_drifts, note
    )


def _refuse_speed_constraints(constraints: Constrained) -> None:
    """Raise an error for constraints of speeds alone."""
    for e in constraints.elements:
        if e.speeds:
            raise TorseurError(
                f"inverse: {e.name!r} constrains speeds, so positions do not follow "
                "from those given; drive the model by ts.Driven in a run instead"
            )


def _assemble_near(constraints: Constrained, state: Mapping[str, float], t: float):
    """An assembled position close to a state, without fixed coordinates."""
    return constraints.assemble(
        {n: x for n, x in state.items() if n in constraints.system.coordinates}, (), t
    ).q


def _choose_independent(s: System, terms: StateTerms, given: Any) -> list[int]:
    """Independent speeds: given ones, those named first preferred, and unconstrained ones."""
    J = scaled(terms.J)
    unconstrained = [
        i for i in range(s.nv) if i not in given and abs(J[:, i]).max(initial=0) < 1e-12
    ]
    rest = [i for i in range(s.nv) if i not in given and i not in unconstrained]
    _, extra = pivots(J[:, rest])
    if extra:
        names = _quote_names(s.speeds[rest[i]] for i in extra)
        raise TorseurError(
            f"inverse: the motion given leaves {names} undetermined; give "
            f"{len(extra)} more coordinate{'s' * (len(extra) > 1)}, or start away "
            "from a dead center"
        )
    basis = np.linalg.qr(J[:, rest])[0] if rest else np.zeros((len(J), 0))
    independent = []
    for i in reversed(given):  # those named first lead before those named last
        x = J[:, i] - basis @ (basis.T @ J[:, i])
        x -= basis @ (basis.T @ x)
        if np.linalg.norm(x) > 1e-6:
            basis = np.column_stack([basis, x / np.linalg.norm(x)])
        else:
            independent.append(i)
    return sorted([*independent, *unconstrained])


def _solve_motion(
    constraints: Constrained,
    q: np.ndarray,
    t: float,
    v_given: np.ndarray,
    a_given: np.ndarray,
    independent: list[int],
    dependent: list[int],
    given: Any,
) -> tuple[Any, Any]:
    """Speeds, accelerations, the map T and drifts at a position.  None where it is singular."""
    nv = constraints.system.nv
    v, a = np.zeros(nv), np.zeros(nv)
    for i in given:
        v[i], a[i] = v_given[i], a_given[i]
    x = constraints.terms(q, v, t)
    J = x.J
    size = np.linalg.norm(J, axis=1, keepdims=True)
    JD = (J / np.where(size > 1e-12, size, 1.0))[:, dependent]
    if dependent and (
        len(JD) < len(dependent)
        or np.linalg.svd(JD, compute_uv=False)[len(dependent) - 1] < MIN_SINGULAR_VALUE
    ):
        return None, None
    inverse = np.linalg.pinv(J[:, dependent], rcond=1e-10)
    T = np.zeros((nv, len(independent)))
    T[independent, range(len(independent))] = 1
    T[dependent] = -inverse @ J[:, independent]  # LI.6
    v[dependent] = -inverse @ x.psi

    def drift(speeds):
        c = np.zeros(nv)
        c[dependent] = inverse @ constraints.terms(q, speeds, t).gamma  # LI.11
        return c

    c = drift(v)
    single_drifts = [drift(T[:, k] * v[i]) for k, i in enumerate(independent)]
    return (v, T @ a[independent] + c, T, c), single_drifts


def _quote_names(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names)) or "nothing"
