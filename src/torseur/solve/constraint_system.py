"""Constraints of a system at one state: residuals, Jacobian, accelerations, mobility, reactions.

The functions are evaluated by the interpreter, so that nothing is compiled.  Accelerations and
multipliers come from one of four solutions: KKT system, null space, elimination, penalty.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..dynamics import SOLUTIONS, SpeedPartition, null_space
from ..dynamics.constraints import (
    coordinate_partitioning,
    mobility,
    reference_solutions as solving,
    rows as labels,
    self_stress,
)
from ..errors import TorseurError, as_system, undetermined, unknown_name_message
from ..joints import TIME
from ..kernels import interpreted
from ..kinematics import pose
from ..quantities import bilateral_names
from ..results import Trajectory
from ..spatial import matrix_to_quaternion
from ..system import once, start_of
from . import assembly as assembling
from .assembly import State

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from ..model import Model
    from ..system import System, Tree

COMPONENTS = tuple(f"{kind}.{c}" for kind in ("moment", "force") for c in "xyz")


class StateTerms(NamedTuple):
    """Terms of the constrained equation of motion at one state."""

    M: np.ndarray
    h: np.ndarray
    phi: np.ndarray
    psi: np.ndarray
    J: np.ndarray
    gamma: np.ndarray


def constrained_system(
    model: Model | System, parameters: Mapping[str, float] | None = None
) -> Constrained:
    """The constraints of a model, with nominal or other parameters.  Cached per system."""
    system = as_system(model, "constraints")
    return _create_constrained(system).at(parameters)


@once()
def _create_constrained(system: System) -> Constrained:
    return Constrained(system)


class Constrained:
    """Residuals, matrices and solutions of a system with loops or constraints."""

    def __init__(self, system: System):
        self.system = system
        self.graphs = interpreted(system)
        self.values = np.array(
            [np.nan if x is None else x for x in system.parameters.values()], dtype=float
        )
        self.elements = system.held

    @property
    def rows(self):
        """`names`, `owners` and `places` of the bilateral rows."""
        return self.graphs.held_rows

    @property
    def multipliers(self) -> tuple[tuple[str, str], ...]:
        """Name and unit of each multiplier: "motor.multiplier", "contact.slip1.multiplier"."""
        return tuple((p.name, p.unit) for p in self.system.layout.lam)

    def at(self, parameters: Mapping[str, float] | None) -> Constrained:
        """The same with other values of declared parameters."""
        if not parameters:
            return self
        other = copy(self)
        values = self.system.valued(parameters)
        other.values = np.array([np.nan if x is None else x for x in values.values()], dtype=float)
        return other

    def floats(self, t: float) -> Tree:
        """The tree over floats, at these parameters and a time [s]."""
        parameters = dict(zip(self.system.parameters, self.values, strict=True))
        return self.system.floats({TIME: t} | parameters)

    # ---- functions, each made when first called ------------------------------------------------

    def _call(self, name: str, *args: Any) -> list[np.ndarray]:
        return self.graphs(name, *args, p=self.values)

    def rates(self, q: ArrayLike, v: ArrayLike) -> np.ndarray:
        """Rates of the coordinates, qdot = N(q) v."""
        return self._call("rates", q, v)[0]

    def position(self, q: ArrayLike, t: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """Residuals of positions, and their Jacobian by the speeds."""
        phi, J = self._call("constraint_positions", t, q)
        return phi, J

    def jacobian(self, q: ArrayLike, t: float = 0.0) -> np.ndarray:
        """Jacobian of the residuals of all rows by the speeds, (rows, nv)."""
        return self._call("constraint_jacobian", q, t)[0]

    def terms(self, q: ArrayLike, v: ArrayLike, t: float = 0.0) -> StateTerms:
        """Mass matrix, bias, residuals, Jacobian and right-hand side."""
        return StateTerms(*self._call("constrained_terms", t, q, v))

    def slopes(self, q: Any, v: Any, t: float = 0.0) -> np.ndarray:
        """Derivative of every row's rate by small motions at constant speeds, (rows, nv)."""
        return self._call("constraint_slopes", t, q, v)[0]

    def turned(self, q: ArrayLike, t: float = 0.0) -> list[np.ndarray]:
        """Quantities of each element that tell whether one of its axes is reversed."""
        return self._call("turned", t, q)

    def integrate(self, q: ArrayLike, dv: ArrayLike) -> np.ndarray:
        """Coordinates after a small motion `dv` from q."""
        return self._call("integrate", q, dv)[0]

    def project(self, q: ArrayLike, v: ArrayLike, t: float = 0.0, most: int = 8) -> State:
        """The state projected on the constraints, orthogonally in the metric of the masses."""
        tolerance = 16 * np.finfo(float).eps
        q, v = np.asarray(q), np.asarray(v)
        for _ in range(most):
            scale = max(1.0, abs(q).max(initial=0.0), abs(v).max(initial=0.0))
            q1, v1, gap, slip = self._call("projected", t, q, v)
            if max(gap, slip) <= tolerance * scale:
                break
            q, v = q1, v1
        return State(q, v)

    def assemble(
        self,
        near: Mapping[str, float] = {},
        keep: Any = None,
        t: float = 0.0,
        q0: np.ndarray | None = None,
    ) -> State:
        """A state that satisfies every constraint, close to the named one.

        `keep` names coordinates and speeds that must not change; by default all names of `near`.
        The others move as little as the inertias allow.
        """
        return assembling.assemble(self, near, keep, t, q0)

    # ---- mobility ------------------------------------------------------------------------------

    def mobility(self, q: Any, t: float = 0.0) -> mobility.Mobility:
        """Count, rank, redundant constraints and a choice of independent speeds at a position."""
        v = np.zeros(self.system.nv)
        terms = self.terms(q, v, t)
        return mobility.mobility(
            self.system,
            self.elements,
            self.rows.names,
            self.rows.owners,
            terms.J,
            terms.M,
            self._jacobians_away(q, terms, t),
            self.undetermined(q, t),
        )

    def _jacobians_away(self, q: Any, terms: StateTerms, t: float, max_count: int = 6):
        """Jacobians at other positions, each with one independent coordinate changed."""
        rng, weight, out = np.random.default_rng(11), coordinate_partitioning.inertias(terms.M), []
        for i in coordinate_partitioning.independent_speeds(terms.J, terms.M)[0][:max_count]:
            step = 0.05 * rng.uniform(-1, 1, self.system.nv)
            step[i] = 0.05
            result = assembling.search_assembly(
                self, self.integrate(q, step), weight, assembling.FixedCoordinates((i,)), t
            )
            if result.done:
                out.append(self.terms(result.q, np.zeros(self.system.nv), t).J)
        return out

    def _jacobians_nearby(self, q: Any, terms: StateTerms, t: float):
        """Jacobians at random positions nearby."""
        rng, out = np.random.default_rng(11), []
        weight = coordinate_partitioning.inertias(terms.M)
        for _ in range(3):
            start = self.integrate(q, 0.05 * rng.uniform(-1, 1, self.system.nv))
            result = assembling.search_assembly(
                self, start, weight, assembling.FixedCoordinates(), t
            )
            if result.done:
                out.append(self.terms(result.q, np.zeros(self.system.nv), t).J)
        return out

    # ---- four solutions ------------------------------------------------------------------------

    def acceleration(
        self,
        q: Any,
        v: Any,
        tau: Any = None,
        t: float = 0.0,
        solution: str = "multipliers",
        **options: Any,
    ):
        """Accelerations and multipliers `(a, lam)` by one of the four solutions.

        - "multipliers": the matrix of masses and constraints, fixed order, proximal iterations
        - "null_space": projection onto the motions the constraints allow (singular values)
        - "elimination": dependent speeds solved for, an equation of the independent ones
        - "penalty": stiff constraints with augmented iterations.  `weight`, `iterations`
        """
        tau = np.zeros(self.system.nv) if tau is None else np.asarray(tau, dtype=float)
        if solution == "multipliers":
            return tuple(self._call("constrained_dynamics", q, v, tau, t))
        x = self.terms(q, v, t)
        return solving.solve(x, tau - x.h, solution, **options)

    def independent(
        self, q: Any, t: float = 0.0, before: SpeedPartition | None = None
    ) -> SpeedPartition:
        """Independent speeds at a position (coordinate partitioning).  Those of `before` while well
        conditioned.

        At a singular position, where some rows vanish, positions nearby decide.
        """
        x = self.terms(q, np.zeros(self.system.nv), t)
        choice = solving.better(x.J, x.M, before)
        if before is None:
            for J in self._jacobians_nearby(q, x, t):
                choice = solving.better(J, x.M, choice)
        return choice

    def leading(
        self, q: Any, t: float = 0.0, positions: bool = False
    ) -> tuple[list[int], np.ndarray]:
        """Independent speeds, and the matrix T (nv, f) with v = T v_independent.

        With `positions` these are small motions, which constraints of speeds alone do not restrict.
        """
        x = self.terms(q, np.zeros(self.system.nv), t)
        if positions:
            x = x._replace(J=x.J[: len(x.phi)])
        independent, dependent = coordinate_partitioning.independent_speeds(x.J, x.M)
        T = np.zeros((self.system.nv, len(independent)))
        T[independent, range(len(independent))] = 1
        if dependent:
            T[dependent] = -np.linalg.lstsq(x.J[:, dependent], x.J[:, independent], rcond=None)[0]
        return independent, T

    def run(
        self,
        state: State,
        times: Any,
        tau: Any = None,
        solution: str = "multipliers",
        substeps: int = 1,
        project: bool = True,
        **options: Any,
    ):
        """Fixed-step Runge-Kutta of order 4 with projection after each step, for teaching and
        checks.

        `times` is an even grid [s], each interval divided into `substeps` steps.  `tau(t, q, v)`
        are efforts.  Returns q, v, lam at the times.  With `solution="elimination"` the partition
        of the speeds changes when it is badly conditioned.  `choices` lists the changes.
        `ts.simulate` is compiled.
        """
        return solving.run(self, state, times, tau, solution, substeps, project, **options)

    # ---- reactions -----------------------------------------------------------------------------

    def _self_stress(self, q: Any, t: float):
        """Joints and loops, their wrenches in every self-stress state, and undetermined components.

        Names, (k, n, 6) numbers, (n, 6) flags.
        """
        names = [*(k.name for k in self.system.links), *bilateral_names(self.system)]
        J, *_ = self._call("self_stressed", t, q, np.zeros(sum(e.size for e in self.elements)))
        states = self_stress.states(J[None])[0].T
        parts = [
            np.concatenate([x.reshape(-1, 6) for x in self._call("self_stressed", t, q, lam)[1:]])
            for lam in states
        ]
        stress = np.array(parts).reshape(len(states), len(names), 6)
        return names, stress, self_stress.moved(states[:, None], stress[:, None])[1][0]

    def undetermined(self, q: Any, t: float = 0.0) -> tuple[str, ...]:
        """Components of reactions that no motion determines at a position, by joint."""
        names, _, is_undetermined = self._self_stress(q, t)
        return tuple(
            undetermined(n, [c for c, bad in zip(COMPONENTS, flags, strict=True) if bad])
            for n, flags in zip(names, is_undetermined, strict=True)
            if flags.any()
        )

    def reactions(
        self, q: Any, v: Any, a: Any, lam: Any, t: float = 0.0, least_norm: bool = False
    ) -> dict[str, np.ndarray]:
        """Wrench (moment, force) of the parent on the child of every joint, loop and constraint.

        At and in the child's joint frame M.  For a rod, a line or a plane the parent is the second
        of its two ends.  External forces are not included.  Components that a self-stress state
        changes are NaN, or with `least_norm` those of the smallest reactions that fit the motion.
        """
        loops, joints, _ = self._call("held_reactions", t, q, v, a, lam)
        links = zip(self.system.links, joints, strict=True)
        wrenches = {k.name: F for k, F in links if k.index not in self.system.slices}
        wrenches |= dict(zip(labels.names(self.system), loops, strict=True))
        names, parts, is_undetermined = self._self_stress(q, t)
        if not len(parts):
            return wrenches
        F = np.array([wrenches[n] for n in names])
        if least_norm:
            coefficients = self_stress.least(F.reshape(1, -1), parts.reshape(len(parts), 1, -1))[0]
            F = F + np.einsum("k,knm->nm", coefficients, parts)
        else:
            F[is_undetermined] = np.nan
        return wrenches | dict(zip(names, F, strict=True))

    def loop_reaction(self, name: str, q: Any, lam: Any, t: float = 0.0) -> np.ndarray:
        """Wrench (moment, force) of the parent on the child of a loop, at and in its frame M."""
        names = labels.names(self.system)
        if name not in names:
            raise TorseurError(unknown_name_message("loop", name, names, "loop_reaction"))
        rest = np.zeros(self.system.nv)
        return self._call("held_reactions", t, q, rest, rest, lam)[0][names.index(name)]


def initial_state(
    system: System,
    initial: Mapping[str, float],
    keep: Iterable[str] | None = None,
    t: float = 0.0,
    parameters: Mapping[str, float] | None = None,
) -> State:
    """The named state, assembled when the system has loops or constraints.  Recent results are
    cached.
    """
    if not system.held:
        return State(*system.state(initial))
    names = keep if keep is None or isinstance(keep, str) else tuple(keep)
    values = tuple(initial.items()) if hasattr(initial, "items") else None
    try:
        state = _assemble_cached(system, values, names, t, tuple((parameters or {}).items()))
    except TypeError:  # numbers that are arrays, and what else is told as it is read
        return constrained_system(system, parameters).assemble(initial, keep, t)
    return State(state.q.copy(), state.v.copy())


@once(most=4)
def _assemble_cached(system: System, initial: Any, keep: Any, t: float, parameters: Any) -> State:
    return constrained_system(system, dict(parameters)).assemble(dict(initial), keep, t)


def posture(model: Any) -> Trajectory:
    """Poses of every body at the start, with closed loops where they can be closed.

    Signals `name.position.x` [m] and `name.orientation.w` in the world.  Nothing is compiled.
    """
    system = model.check() if hasattr(model, "check") else model
    initial, options = start_of(system)
    try:
        q = initial_state(system, initial, options.get("keep"), 0.0)[0]
    except TorseurError:  # loops that do not close from there: as it is written
        q = system.state({n: x for n, x in initial.items() if n in system.coordinates})[0]
    tree = system.floats()
    signals, units = {}, {}
    for body in system.bodies:
        X = pose(tree, body, q)
        R, p = np.asarray(X.R, dtype=float), np.asarray(X.p, dtype=float)
        for c, x in zip("xyz", p, strict=True):
            signals[f"{body}.position.{c}"], units[f"{body}.position.{c}"] = [x], "m"
        for c, x in zip("wxyz", matrix_to_quaternion(R), strict=True):
            signals[f"{body}.orientation.{c}"], units[f"{body}.orientation.{c}"] = [x], "1"
    facts = {"model": system.name, "parameters": dict(system.parameters)}
    return Trajectory([0.0], signals, units, "where it starts", provenance=facts)


def assemble(
    model: Model | System,
    near: Mapping[str, float] = {},
    keep: Iterable[str] | None = None,
    t: float = 0.0,
) -> State:
    """Coordinates and speeds of a model that meet every loop and constraint, near a named state.

    >>> import torseur as ts
    >>> bob = ts.Body("bob", mass=1.0, inertia=(1, 1, 1, 0, 0, 0))
    >>> model = ts.Model("pendulum", bodies=(bob,),
    ...                  joints=(ts.Joint("bob", "world", "bob", ts.Planar("z")),),
    ...                  constraints=(ts.Distance("rod", "bob", "world", length=2),))
    >>> q, v = assemble(model, {"bob.x": -1.9, "bob.y": 0.4}, keep=("bob.y",))
    >>> q.round(9).tolist()
    [0.0, -1.959591794, 0.4]
    """
    return constrained_system(model).assemble(near, keep, t)


def mobility_report(
    model: Model | System,
    near: Mapping[str, float] = {},
    keep: Iterable[str] | None = None,
    t: float = 0.0,
) -> mobility.Mobility:
    """Mobility and hyperstaticity of a model, at the assembled state near a named one."""
    c = constrained_system(model)
    return c.mobility(c.assemble(near, keep, t).q, t)


__all__ = [
    "SOLUTIONS",
    "Constrained",
    "SpeedPartition",
    "State",
    "StateTerms",
    "assemble",
    "constrained_system",
    "mobility_report",
    "null_space",
]
