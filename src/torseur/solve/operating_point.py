"""Operating point: a model at one state, its rates, forces and linear model there.

Theory: LI.2, LI.6.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dynamics import Moment, Motion
from ..errors import TorseurError, as_system
from ..kernels import compile, dual_jacobian, interpreted, motion_kernels, strategy
from ..scalars import Floats, arguments as asked, vector
from ..system import read_initial_state
from .arguments import input_values, parameter_values
from .constraint_system import constrained_system, initial_state
from .table_steps import StepsAtState, has_steps

if TYPE_CHECKING:
    from ..system import System

SURFACE_TOLERANCE = 1e-10  # of a guard, in its unit
SIDE_OFFSET = 1e-7  # m or rad: to the side of a knot
MIN_SIDE_DIFFERENCE = 1e-3  # of the largest entry of a row: linear models are others


class EvaluatedModel:
    """A system with its kernels, parameters and inputs, for problems other than runs."""

    def __init__(
        self,
        model: Any,
        parameters: Any = None,
        inputs: Any = None,
        where: str = "problem",
        rubs: bool = False,
    ):
        """Compile a model with parameters and inputs.  `rubs` allows frictions that slide."""
        s = as_system(model, where)
        parameters, inputs = asked.named(parameters), asked.named(inputs)
        p, (_, u) = parameter_values(s, parameters), input_values(s, inputs)
        if parameters and s.held:  # constraints take nominal values
            s = replace(
                s.model, parameters=dict(zip(s.parameters, p.tolist(), strict=True))
            ).check()
        self._check_switching(s, rubs)
        self.system, self.p, self.u = s, p, u
        self.kernels = motion_kernels(s)
        self.dyn = compile(s, tuple(s.parameters) if parameters else ())
        self.values = {"p": p} if parameters else {}
        self.constraints = constrained_system(s) if s.held else None
        self.parameters_by_name = dict(zip(s.parameters, p.tolist(), strict=True))

    @staticmethod
    def _check_switching(s: System, rubs: bool):
        """Raise an error for elements with modes that a single state does not determine.

        With `rubs` dry frictions pass whose force is known while they slide.
        """
        if rubs and s.layout.sees:
            names = [e.name for e in s.elements if any(x in s.layout.sees for x in e.seen)]
            raise TorseurError(
                f"{s.name!r} has forces that see multipliers or reactions ({', '.join(names)}), "
                "which the efforts that are asked for change; take them out for this problem"
            )
        for e in s.switched:
            if e.contact:
                what, why = "a contact that can open", "which may be open or closed"
            elif e.stores:
                what, why = "a table with a vertical step", "which at rest has any force between"
            elif not rubs:
                what, why = "dry friction", "under which many poses are at rest"
            elif e.size != 1 or e.friction.normal is not None:
                what, why = "dry friction", "whose force depends on reactions or on a direction"
            else:
                continue
            raise TorseurError(
                f"{s.name!r} has {what} ({e.name!r}), {why}; take it out for this problem"
            )

    def quantity(self, name: str, *arguments: Any, t: Any = 0.0) -> np.ndarray:
        """A quantity of the compiled dynamics, at the parameters of the model and a time [s]."""
        time = {"t": t} if self.system.rheonomic else {}
        return np.asarray(getattr(self.dyn, name)(*arguments, **self.values, **time))

    def initialize_laws(self, t: Any, q: Any, v: Any):
        """States and memory of the elements of a motion that starts here."""
        layout, motion = self.system.layout, self.motion
        z, m = np.zeros(len(layout.z)), np.zeros(len(layout.m))
        if not (layout.states.stop or len(m)):
            return z, m
        state = Moment(
            float(t), *(vector(np.asarray(x, dtype=float).tolist()) for x in (q, v, z, m, self.u))
        )
        for e, acting in zip(
            motion.elements, motion.loads(motion.with_reactions(state)).acting, strict=True
        ):
            if e.law is not None:
                z[e.z], m[e.m] = e.begin(motion.K, acting.seen)
        return z, m

    @cached_property
    def motion(self) -> Motion:
        return Motion(self.system, Floats(self.parameters_by_name))


class OperatingPoint(EvaluatedModel):
    """One assembled state of a model.  It can be moved, and has rates and a linear model.

    Attributes
    ----------
    independent, T : independent speeds, and the matrix with v = T v_independent
    independent_q, T_q : the same of small motions, which constraints of speeds do not restrict
    element_state_size : number of states of elements, accumulated energies apart
    """

    def __init__(
        self,
        model: Any,
        at: Any = None,
        parameters: Any = None,
        inputs: Any = None,
        t: Any = 0.0,
        keep: Any = None,
        where: str = "problem",
    ):
        """Assemble the state `at`, with steps of tables replaced."""
        s = as_system(model, where)
        at = read_initial_state(s, at, parameters)
        steps = StepsAtState(s, at, parameters, t, keep) if has_steps(s) else None
        if steps is not None:
            model, parameters = steps.model, None
        super().__init__(model, parameters, inputs)
        self.t = t
        self.q, self.v = initial_state(self.system, asked.named(at), keep, t)
        self.independent, self.T = list(range(self.system.nv)), np.eye(self.system.nv)
        self.independent_q, self.T_q = self.independent, self.T
        self.close_loops()
        self.element_state_size = self.system.layout.books.start
        self.z, self.m = self.initialize_laws(t, self.q, self.v)
        if steps is not None:
            steps.check_holding(self)

    def close_loops(self, lead: list[int] | None = None):
        """Project on the constraints, and choose independent speeds or use those of `lead`."""
        if self.constraints is None:
            return
        self.q, self.v = self.constraints.project(self.q, self.v, self.t)
        if lead is None:
            self.independent, self.T = self.constraints.leading(self.q, self.t)
            self.independent_q, self.T_q = self.constraints.leading(self.q, self.t, positions=True)
            return
        J = self.constraints.terms(self.q, self.v, self.t).J
        dependent = np.setdiff1d(np.arange(self.system.nv), lead)
        self.independent, self.T = lead, np.zeros((self.system.nv, len(lead)))
        self.T[lead, range(len(lead))] = 1
        self.T[dependent] = -np.linalg.lstsq(J[:, dependent], J[:, lead], rcond=None)[0]

    def move_along(self, q: Any, along: np.ndarray, lead: list[int] | None = None):
        """Move from `q` along a small motion (nv,), close the loops, initialize the memory of
        elements.
        """
        self.q = np.atleast_1d(self.quantity("integrate", q, along))
        self.close_loops(lead)
        _, self.m = self.initialize_laws(self.t, self.q, self.v)

    def _call(self, name: str):
        return self.kernels[name](self.t, self.q, self.v, self.z, self.m, self.u, self.p)

    def _flow_jacobians(self) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of the right-hand side by state and inputs.

        By the interpreter, as compilation is slower than a few calls, unless the model has repeated
        blocks.
        """
        state, interpreter = (
            (self.t, self.q, self.v, self.z, self.m, self.u),
            interpreted(self.system),
        )
        if strategy.evaluates_flow_by_dual_numbers(self.system):
            return dual_jacobian.differentiate_flow(self.system, *state, self.p)
        if self.kernels.has_repeated_blocks and not len(self.u):
            J = self._call("flow_jacobian")[0]
        else:
            J = interpreter("flow_jacobian", *state, p=self.p)[0]
        none = np.zeros((len(J), 0))
        gains = interpreter("flow_gains", *state, p=self.p)[0] if len(self.u) else none
        return J, np.reshape(gains, (len(J), -1))

    def rates(self) -> np.ndarray:
        """Accelerations of the independent speeds, then rates of the elements' states."""
        _, vdot, zdot, *_ = self._call("flow")
        return np.concatenate([vdot[self.independent], zdot[: self.element_state_size]])

    def force(self) -> np.ndarray:
        """Generalized force along each independent speed, at rest."""
        return self.T.T @ (
            self._call("applied") - self.quantity("bias", self.q, 0 * self.v, t=self.t)
        )

    def stiffness(self) -> tuple[np.ndarray, np.ndarray]:
        """Symmetric part of the stiffness matrix, and mass matrix, of the independent speeds."""
        M = self.mass()
        n = len(self.independent)
        K = -M @ self.linear_model(rest=True)[0][n : 2 * n, :n]
        return (K + K.T) / 2, (M + M.T) / 2

    def mass(self) -> np.ndarray:
        """Mass matrix of the independent speeds."""
        s = self.system
        if strategy.evaluates_mass_by_dual_numbers(s, self.kernels.looped):
            at = (self.q, 0 * self.v, 0 * self.v, self.t, self.parameters_by_name)
            return dual_jacobian.differentiate_dynamics("inverse_dynamics", s, *at)[2]
        return self.T.T @ self.quantity("mass_matrix", self.q, t=self.t) @ self.T

    def check_time_invariance(self, what: str) -> None:
        """Raise an error if a placement depends on time, so that rest does not last."""
        if not self.system.rheonomic:
            return
        t_present, samples = self.t, []
        for t in (t_present, t_present + 0.37, t_present + 1.13):
            self.t = t
            samples.append(np.concatenate([self.rates(), self.linear_model()[0].ravel()]))
        self.t = t_present
        if max(abs(x - samples[0]).max(initial=0.0) for x in samples) > 1e-9 * (
            1 + abs(samples[0]).max()
        ):
            names = ", ".join(repr(k.name) for k in self.system.links if k.joint.rheonomic)
            raise TorseurError(
                f"{what}: time moves a placement of {self.system.name!r} ({names}), so what is at "
                "rest now is not at rest later; linearize at an instant with t=, or simulate"
            )

    def check_differentiability(self, what: str) -> None:  # LI.19
        """Raise an error at a switching surface with different linear models (LI.19)."""
        guards = self.system.layout.guards
        values = np.ravel(self._call("guards")) if guards else ()
        at_surface = [
            g
            for g, x in zip(guards, values, strict=True)
            if g.waits and abs(x) <= SURFACE_TOLERANCE
        ]
        if not at_surface or not self.independent:
            return
        q, T, sides = self.q, self.T, []
        for direction in (*T.T, *-T.T):
            self.move_along(q, SIDE_OFFSET * direction, self.independent)
            sides.append(self.linear_model()[0])
        self.move_along(q, np.zeros(len(T)), self.independent)
        low, high = np.min(sides, axis=0), np.max(sides, axis=0)
        size = np.maximum(abs(low), abs(high)).max(axis=1, keepdims=True)
        if any(g.leaves for g in at_surface) or (high - low > MIN_SIDE_DIFFERENCE * size).any():
            names = " and ".join(dict.fromkeys(f"{g.owner!r} ({g.what})" for g in at_surface))
            raise TorseurError(
                f"{what}: {self.system.name!r} stands on a knot of {names}: its linear model is "
                "another one to each side; give at= a little to one side of it"
            )

    def linear_model(self, rest: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """`A` and `B` of the linear model in tangent coordinates, about this motion (LI.6).

        The states are independent small motions, independent speeds and states of elements.  With
        `rest` the small motions are along the independent speeds only, as a search for rest takes
        them.
        """
        A, B = self._full_linear_model()
        if self.constraints is None:
            return A, B
        lead_q, T_q = (self.independent, self.T) if rest else (self.independent_q, self.T_q)
        nv, nz, f, nm = self.system.nv, self.element_state_size, len(self.independent), len(lead_q)
        x = self.constraints.terms(self.q, self.v, self.t)
        dependent = np.setdiff1d(np.arange(nv), self.independent)
        columns = np.zeros((len(A), nm + f + nz))  # LI.6
        columns[:nv, :nm], columns[nv : 2 * nv, nm : nm + f] = T_q, self.T
        change = -self.constraints.slopes(self.q, self.v, self.t) @ T_q
        columns[nv + dependent, :nm] = np.linalg.lstsq(x.J[:, dependent], change, rcond=None)[0]
        columns[2 * nv :, nm + f :] = np.eye(nz)  # LI.14
        rows = [*lead_q, *(nv + i for i in self.independent), *range(2 * nv, 2 * nv + nz)]
        return A[rows] @ columns, B[rows]

    def _full_linear_model(self) -> tuple[np.ndarray, np.ndarray]:
        """`A` and `B` in all small motions and speeds, without constraints."""
        s, nz = self.system, self.element_state_size
        J, Ju = self._flow_jacobians()
        nq, nv = s.nq, s.nv
        N = self.quantity("rates", self.q, np.eye(nv)).reshape(nv, nq).T
        W = self.quantity("speeds_from", self.q, np.eye(nq)).reshape(nq, nv).T
        keep = slice(nq, nq + nv + nz)
        A = np.zeros((2 * nv + nz, 2 * nv + nz))
        A[:nv, :nv] = W @ (J[:nq, :nq] @ N - self._rate_of_kinematic_map(N))  # LI.2
        A[:nv, nv : 2 * nv] = np.eye(nv)
        A[nv:, :nv] = J[keep, :nq] @ N
        A[nv:, nv:] = J[keep, keep]
        B = np.zeros((len(A), Ju.shape[1]))
        B[nv:] = Ju[keep]
        return A, B

    def _rate_of_kinematic_map(self, N: np.ndarray) -> np.ndarray:
        """Rate of `N` along the motion: the axes of small motions rotate with their bodies."""
        (nq, nv), size = N.shape, len(self.p)
        ports = {"q": np.tile(self.q, (nv, 1)), "v": np.eye(nv)}
        derivatives = {"q": np.tile((N @ self.v)[:, None, None], (1, nv, 1))}
        derivatives |= {"v": np.zeros((nv, nv, 1)), "p": np.zeros((size, nv, 1))}
        return (
            interpreted(self.system).along("rates", ports, derivatives, self.p)[0].reshape(nq, nv)
        )


def small_motions(system: System) -> list[str]:
    """Name of the motion along each speed: its coordinate, else the speed."""
    return [
        f"{k.name}.{n}"
        for k in system.owners
        for n, _ in (k.joint.coordinates if k.joint.holonomic else k.joint.speeds)
    ]
