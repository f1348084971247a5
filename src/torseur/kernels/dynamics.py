"""Compiled dynamics of a system: every quantity a NumPy gufunc, compiled when first used."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import KernelError, as_system
from ..quantities import QUANTITIES, find
from . import strategy
from .applied_forces import AppliedForces
from .kernel_table import KernelTable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from ..model import Model
    from ..system import System


def compile(
    system: Model | System,
    parameters: Iterable[str] | str = (),
    wrenches: Iterable[str] | str = (),
) -> Dynamics:
    """Compiled kernels of a system (or of a model, which is checked first).

    Parameters
    ----------
    parameters : names of the model's parameters that stay arguments; others are folded in
    wrenches : names of bodies or frames that external wrenches act on

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=2.0, com=(0, 0, -0.5))
    >>> dyn = compile(ts.Model(bodies=(rod,), joints=(
    ...     ts.Joint("pivot", "world", "rod", ts.Revolute("y")),)))
    >>> dyn.mass_matrix([0.0])
    array([[0.5]])
    """
    return Dynamics(as_system(system, "compile"), parameters, wrenches)


class Dynamics(KernelTable):
    """Kernels of one system.  Leading axes of every argument broadcast.

    `t=` takes the time [s], which must be given where it moves a placement (`at="..."` of a joint).
    `p=` takes the declared parameters, shape (..., np), in the order of `parameters` (nominal
    values when left out); `w=` the external wrenches, shape (..., nw, 6), moment then force, world
    axes, at the frames' origins (none when left out).

    A quaternion in `q` (w, x, y, z) of another length than one stands for the same orientation and
    is brought to unit length first; one without length is refused.  NaN and infinity are no
    error: what depends on them is NaN, in that row of a batch only.  Code behind `address`,
    `kernel`, `export` and `casadi` takes unit quaternions and looks at nothing.
    """

    @cached_property
    def _applied_forces(self) -> AppliedForces:
        return AppliedForces(self.system)

    def __repr__(self):
        return f"Dynamics({self.system!r}, parameters={self.parameters}, wrenches={self.wrenches})"

    def __reduce__(self):
        return Dynamics, (self.system, self.parameters, self.wrenches)

    if not TYPE_CHECKING:  # a checker knows the methods below, and tells misspelt ones

        def __getattr__(self, name: str):
            """Quantities of files outside the package, as those that have a method here."""
            if name.startswith("_") or name not in QUANTITIES:
                raise AttributeError(f"Dynamics has no quantity {name!r}")
            if QUANTITIES[name].frame:
                return lambda frame, *arguments, **more: self._call(name, frame, arguments, **more)
            return lambda *arguments, **more: self._call(name, None, arguments, **more)

    def explain(self, name: str) -> str:
        """Which code generator compiles a quantity, and the thresholds that decide.

        Kernels of a simulation (`flow`, `guards`, `jump`, `project`, `flow_jacobian`) are explained
        as `ts.simulate` compiles them, with constraints solved by Lagrange multipliers.

        >>> import torseur as ts
        >>> rod = ts.Body("rod", mass=2.0, com=(0, 0, -0.5))
        >>> model = ts.Model("pendulum", bodies=(rod,), joints=(
        ...     ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
        >>> print(ts.compile(model).explain("mass_matrix"))
        mass_matrix of 'pendulum' (1 links, 1 speeds)
        straight-line program: 1 speeds <= 60
          not loops over links: 1 speeds <= 60
          not dual numbers: mass_matrix is no derivative of dynamics
          not SIMD over the tree: 1 speeds not in 8 to 128
          not two-stage program: mass_matrix has one stage
        """
        if name != strategy.LINK_JACOBIAN:
            find(name)
        return strategy.explain_choice(self.system, name, self.parameters, self.wrenches)

    def inverse_dynamics(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, forces: bool = False, **options: Any
    ) -> np.ndarray:
        """Efforts that give the accelerations `a`, shape (..., nv).

        With `forces=True` the model's force elements act too (at the time `t`, inputs at zero).
        """
        tau = self._call("inverse_dynamics", None, (q, v, a), **options)
        if forces and self.system.layout.sees:
            raise KernelError(
                f"{self.system.name!r} has forces that see multipliers or reactions, which the "
                "efforts that are asked for change; use forces=False and add them by hand"
            )
        if not forces:
            return tau
        return tau - self.applied(
            self._require_time("applied", options.get("t")), q, v, p=options.get("p")
        )

    def power(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, forces: bool = True, **options: Any
    ) -> np.ndarray:
        """Power of the effort along every speed [W], shape (..., nv), with the model's force
        elements (at time zero, inputs at zero) unless `forces=False`.

        >>> import torseur as ts
        >>> cart = ts.Model(bodies=(ts.Body("cart", 2.0),), joints=(
        ...     ts.Joint("x", "world", "cart", ts.Prismatic("x"), damping=3.0),))
        >>> compile(cart).power([0.0], [2.0], [1.0])        # (2 kg 1 m/s2 + 3 N s/m 2 m/s) 2 m/s
        array([16.])
        """
        return self.inverse_dynamics(q, v, a, forces=forces, **options) * np.asarray(v, float)

    def applied(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        *,
        z: ArrayLike | None = None,
        m: ArrayLike | None = None,
        u: ArrayLike | None = None,
        p: ArrayLike | None = None,
    ) -> np.ndarray:
        """Generalized forces of the model's elements, shape (..., nv).

        `z`, `m`: states and memory of the elements (as at the start of a motion when left out);
        `u`: inputs (zero when left out); `p`: numbers of `parameters` (nominal when left out).
        """
        parameters = (
            None if p is None else self._applied_forces.parameter_values(self.parameters, p)
        )
        return self._applied_forces.applied(t, q, v, z, m, u, parameters)

    def forward_dynamics(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, **options: Any
    ) -> np.ndarray:
        """Accelerations under the efforts `tau`, shape (..., nv)."""
        return self._call("forward_dynamics", None, (q, v, tau), **options)

    def constrained_dynamics(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, t: ArrayLike = 0.0, **options: Any
    ) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations and multipliers `(a, lam)` of a system with loops or constraints.

        `M a + h = tau + J' lam`, `J a = gamma`; the rows are those of `constraint_jacobian`.
        """
        return self._call("constrained_dynamics", None, (q, v, tau, t), **options)

    def constraint_residual(self, q: ArrayLike, t: ArrayLike = 0.0, **options: Any) -> np.ndarray:
        """Residuals of loops and constraints of positions, zero when assembled."""
        return self._call("constraint_residual", None, (q, t), **options)

    def constraint_jacobian(self, q: ArrayLike, t: ArrayLike = 0.0, **options: Any) -> np.ndarray:
        """Rows of the constraints along the speeds, (..., rows, nv); those of positions first."""
        return self._call("constraint_jacobian", None, (q, t), **options)

    def mass_matrix(self, q: ArrayLike, **options: Any) -> np.ndarray:
        """Mass matrix, shape (..., nv, nv)."""
        return self._call("mass_matrix", None, (q,), **options)

    def bias(self, q: ArrayLike, v: ArrayLike, **options: Any) -> np.ndarray:
        """Efforts at zero acceleration: velocity products and gravity, shape (..., nv)."""
        return self._call("bias", None, (q, v), **options)

    def gravity_forces(self, q: ArrayLike, **options: Any) -> np.ndarray:
        """Efforts that hold the mechanism still, shape (..., nv)."""
        return self._call("gravity_forces", None, (q,), **options)

    def coriolis_matrix(self, q: ArrayLike, v: ArrayLike, **options: Any) -> np.ndarray:
        """`C` with `bias = C v + gravity_forces`, `Mdot - 2 C` skew, shape (..., nv, nv)."""
        return self._call("coriolis_matrix", None, (q, v), **options)

    coriolis = coriolis_matrix  # as equations and their code call it

    def christoffel(self, q: ArrayLike, **options: Any) -> np.ndarray:
        """`Gamma` with `sum Gamma[i, j, k] v_j v_k` the products of effort i, (..., nv, nv, nv).

        j is the speed that differentiates: `sum_j Gamma[i, j, k] v_j` is a Coriolis matrix with
        `Mdot - 2 C` skew.  Not symmetric in j and k for pseudo-velocities.

        >>> import torseur as ts
        >>> arm = ts.Model("arm", bodies=[ts.Body("a", 1), ts.Body("b", 2, com=(1, 0, 0))],
        ...     joints=[ts.Joint("s", "world", "a", ts.Revolute("z")),
        ...             ts.Joint("r", "a", "b", ts.Prismatic("x"))])
        >>> Gamma = compile(arm).christoffel([0.0, 2.0])
        >>> Gamma[[1, 0], [0, 0], [0, 1]].tolist()      # -m r along r, m r about the axis
        [-6.0, 6.0]
        """
        return self._call("christoffel", None, (q,), **options)

    def constraint_gamma(
        self, q: ArrayLike, v: ArrayLike, t: ArrayLike = 0.0, **options: Any
    ) -> np.ndarray:
        """Right-hand side of `J a = gamma`, (..., rows): what speeds and time ask of the rows."""
        return self._call("constraint_gamma", None, (q, v, t), **options)

    def energy(
        self, q: ArrayLike, v: ArrayLike, *, forces: bool = True, **options: Any
    ) -> tuple[np.ndarray, np.ndarray]:
        """Kinetic and potential energy [J], each of shape (...).

        Potential of gravity, and of what the model's force elements store (at the time `t`, inputs
        at zero, their memory as at a start); with `forces=False` of gravity alone.
        """
        if not self._applied_forces.has_potential:
            return self._call("energy", None, (q, v), **options)
        if not forces:
            return self._call_without_elements("energy", (q, v), **options)
        P = self._applied_forces.parameter_values(self.parameters, options.get("p"))
        rows, lead = self._applied_forces.state_rows(
            q, v, t=self._require_time("energy", options.pop("t", None)), P=P
        )
        T, U = self._applied_forces.outputs("energy", self.parameters, **options)("energies", rows)
        return T.reshape(lead), U.reshape(lead)

    def momentum(self, q: ArrayLike, v: ArrayLike, **options: Any) -> np.ndarray:
        """Angular (about the world's origin) and linear momentum, world axes, shape (..., 6)."""
        return self._call("momentum", None, (q, v), **options)

    def center_of_mass(self, q: ArrayLike, **options: Any) -> np.ndarray:
        """Center of mass of the moving bodies, world axes [m], shape (..., 3)."""
        return self._call("center_of_mass", None, (q,), **options)

    def reactions(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, forces: bool = True, **options: Any
    ) -> np.ndarray:
        """Wrench (moment, force) of the parent on the child at each joint, in the child's joint
        frame, shape (..., njoints, 6), in the order of `system.links`.

        The model's force elements on bodies act too (at the time `t`, inputs at zero, their memory
        as at a start), unless `forces=False`.  Those on coordinates are part of a joint's wrench.
        """
        s = self.system
        if names := [e.name for e in (*s.held, *s.switched)]:
            raise KernelError(
                f"reactions: {s.name!r} has loops or constraints ({', '.join(names[:6])}), whose "
                "wrenches do not follow from q, v and a; take the signals of a run, such as "
                f"run['{s.links[0].name}.reaction.force.x']"
            )
        if not any(e.ends for e in s.elements):
            return self._call("reactions", None, (q, v, a), **options)
        if not forces:
            return self._call_without_elements("reactions", (q, v, a), **options)
        P = self._applied_forces.parameter_values(self.parameters, options.get("p"))
        time = self._require_time("reactions", options.pop("t", None))
        rows, lead = self._applied_forces.state_rows(q, v, a, t=time, P=P)
        a = np.broadcast_to(np.asarray(a, dtype=float), (*lead, self.nv)).reshape(-1, self.nv)
        wrenches = self._applied_forces.outputs("reactions", self.parameters, **options).reactions(
            rows, a, np.zeros((len(a), 0))
        )
        return wrenches.T.reshape(*lead, len(s.links), 6)

    def _call_without_elements(self, name: str, arguments, **options):
        """A quantity without force elements.

        The fast call that `_call` binds is removed: it would ignore force elements later.
        """
        outputs = self._call(name, None, arguments, **options)
        self.__dict__.pop(name, None)
        return outputs

    def rates(self, q: ArrayLike, v: ArrayLike, **options: Any) -> np.ndarray:
        """`qdot = N(q) v`, shape (..., nq)."""
        return self._call("rates", None, (q, v), **options)

    def speeds_from(self, q: ArrayLike, qdot: ArrayLike, **options: Any) -> np.ndarray:
        """`v = W(q) qdot`, shape (..., nv)."""
        return self._call("speeds_from", None, (q, qdot), **options)

    def integrate(self, q: ArrayLike, dv: ArrayLike, **options: Any) -> np.ndarray:
        """Coordinates reached from `q` by the motion `dv`, shape (..., nq)."""
        return self._call("integrate", None, (q, dv), **options)

    def difference(self, q0: ArrayLike, q1: ArrayLike, **options: Any) -> np.ndarray:
        """The motion from `q0` to `q1`, shape (..., nv)."""
        return self._call("difference", None, (q0, q1), **options)

    def inverse_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, **options: Any
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Derivatives of the efforts by q (tangent space), v and a, three of (..., nv, nv)."""
        return self._derivatives("inverse_dynamics", (q, v, a), options)

    def forward_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, **options: Any
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Derivatives of the accelerations by q (tangent space), v and tau, (..., nv, nv) each."""
        return self._derivatives("forward_dynamics", (q, v, tau), options)

    @cached_property
    def _takes_dual_numbers(self) -> bool:
        """Whether dual numbers evaluate derivatives of the dynamics."""
        quantity = find("forward_dynamics_derivatives")
        conditions = strategy.dual_number_conditions(self.system, quantity, self.wrenches)
        return strategy.judge(conditions).met

    def _derivatives(self, name: str, arguments: tuple, options: dict) -> tuple:
        """Derivatives by a kernel, or by dual numbers, one state after the other.

        With wrenches, or `out=`, a kernel evaluates them whatever the size.
        """
        has_unknown_p = options.get("p") is not None and not self.parameters
        needs_kernel = has_unknown_p or options.keys() - {"p", "t"}
        if needs_kernel or not self._takes_dual_numbers:
            return self._call(f"{name}_derivatives", None, arguments, **options)
        from .dual_jacobian import evaluate_states

        return evaluate_states(self, name, arguments, options.get("p"), options.get("t"))

    def inverse_dynamics_parameters(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, **options: Any
    ) -> np.ndarray:
        """Derivative of the efforts by the declared parameters, shape (..., nv, np)."""
        if not self.parameters:
            raise KernelError("no parameter was declared; use compile(system, parameters=(...))")
        return self._call("inverse_dynamics_parameters", None, (q, v, a), **options)

    def pose(self, name: str, q: ArrayLike, **options: Any) -> np.ndarray:
        """Homogeneous matrix of a body or frame in the world, shape (..., 4, 4)."""
        return self._call("pose", name, (q,), **options)

    def jacobian(self, name: str, q: ArrayLike, **options: Any) -> np.ndarray:
        """Twist (angular, linear) of a frame for unit speeds, world axes, at its origin,
        shape (..., 6, nv)."""
        return self._call("jacobian", name, (q,), **options)

    def jacobian_rate(self, name: str, q: ArrayLike, v: ArrayLike, **options: Any) -> np.ndarray:
        """Time derivative of `jacobian`, shape (..., 6, nv)."""
        return self._call("jacobian_rate", name, (q, v), **options)

    def velocity(self, name: str, q: ArrayLike, v: ArrayLike, **options: Any) -> np.ndarray:
        """Angular velocity and velocity of the origin of a frame, world axes, shape (..., 6)."""
        return self._call("velocity", name, (q, v), **options)

    def acceleration(
        self, name: str, q: ArrayLike, v: ArrayLike, a: ArrayLike, **options: Any
    ) -> np.ndarray:
        """Angular acceleration and acceleration of the origin, world axes, shape (..., 6)."""
        return self._call("acceleration", name, (q, v, a), **options)
