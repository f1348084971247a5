"""Compiled dynamics of a system: every quantity a NumPy gufunc, compiled when first used."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compiler import Kernel, fastcall
from ..errors import ArgumentError, KernelError, shown, system_of, unknown_name
from ..files import write
from ..numbers import Floats
from .register import QUANTITIES, THRESHOLD, find

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from ..dynamics import Motion
    from ..model import Model
    from ..system import System
    from .motion import MotionKernels


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
    return Dynamics(system_of(system, "compile"), parameters, wrenches)


class Dynamics:
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

    def __init__(
        self,
        system: System,
        parameters: Iterable[str] | str = (),
        wrenches: Iterable[str] | str = (),
    ):
        parameters, wrenches = _names(parameters), _names(wrenches)
        known = {*system.parameters, *system.symbols}
        bad = [unknown_name("parameter", n, known, "compile") for n in parameters if n not in known]
        bad += [
            unknown_name("body or frame", n, system.places, "compile")
            for n in wrenches
            if n not in system.places
        ]
        if bad:
            raise KernelError("\n".join(bad))
        self.system, self.parameters, self.wrenches = system, parameters, wrenches
        self.nq, self.nv = system.nq, system.nv
        self._kernels: dict[tuple, Kernel] = {}
        self._motion: MotionKernels | None = None
        self._floats: Motion | None = None  # over plain numbers, for the state of elements

    def __repr__(self):
        return f"Dynamics({self.system!r}, parameters={self.parameters}, wrenches={self.wrenches})"

    def __reduce__(self):
        return Dynamics, (self.system, self.parameters, self.wrenches)

    def kernel(self, name: str, frame: str | None = None) -> Kernel:
        """The kernel of a quantity (of a body or frame, where it is of one)."""
        key = (name, frame)
        if key not in self._kernels:  # one for all threads: code lives with it
            self._kernels.setdefault(key, self._make(name, frame))
        return self._kernels[key]

    def _make(self, name, frame) -> Kernel:
        own = find(name, frame is not None)
        if frame is not None and frame not in self.system.places:
            raise KernelError(unknown_name("body or frame", frame, self.system.places, name))
        loop = own.looped(self.system, self.parameters, self.wrenches)
        words = repr((self.system.digest, name, frame, self.parameters, self.wrenches, loop))

        def build():
            if loop:
                from . import rolled

                return rolled.make(self.system, name)
            return self._graph(own, frame)

        return Kernel(
            name if frame is None else f"{name}({frame})",
            build,
            loop=loop,
            key=hashlib.sha256(words.encode()).digest(),
            shapes=own.shape(self.system, self.wrenches),
            rebuild=(_rebuild, (self, name, frame)),
            shared=True,
        )

    def _graph(self, own, frame):
        from .angles import Trigonometry
        from .scene import Scene
        from .ways import graph

        scene = Scene(self.system, Trigonometry(), self.parameters, self.wrenches)
        return graph(own, scene, own.reads(self.system, self.parameters, self.wrenches), frame)

    if not TYPE_CHECKING:  # a checker knows the methods below, and tells misspelt ones

        def __getattr__(self, name):
            """Quantities of files outside the package, as those that have a method here."""
            if name.startswith("_") or name not in QUANTITIES:
                raise AttributeError(f"Dynamics has no quantity {name!r}")
            if QUANTITIES[name].frame:
                return lambda frame, *arguments, **more: self._call(name, frame, arguments, **more)
            return lambda *arguments, **more: self._call(name, None, arguments, **more)

    def _time(self, name, t):
        """The time that was given, where placements need one."""
        if t is None and self.system.rheonomic:
            moved = ", ".join(k.name for k in self.system.links if k.joint.rheonomic)
            raise KernelError(
                f"{name}: time moves placements of {self.system.name!r} ({moved}); give t= [s]"
            )
        return 0.0 if t is None else t

    def _call(self, name, frame, arguments, p=None, w=None, t=None, **options):
        kernel = self._kernels.get((name, frame)) or self.kernel(name, frame)
        if len(self.system.quaternions):
            placed = self._placed(name)
            arguments = tuple(
                self.system.unit(x, f"{name}: {port.name}") if i in placed else x
                for i, (x, port) in enumerate(zip(arguments, kernel.inputs, strict=False))
            )
        if len(QUANTITIES[name].given(self.system)) > len(QUANTITIES[name].inputs):
            arguments = (*arguments, self._time(name, t))
        if self.parameters:
            arguments = (*arguments, self.nominal() if p is None else p)
        elif p is not None:
            raise KernelError(
                f"{name}: p= was given, but no parameter was kept as an argument; "
                "use compile(system, parameters=(...))"
            )
        if self.wrenches and QUANTITIES[name].loaded:
            arguments = (*arguments, np.zeros((len(self.wrenches), 6)) if w is None else w)
        elif w is not None:
            raise KernelError(
                f"{name}: w= was given, but no frame was declared to carry a wrench; "
                "use compile(system, wrenches=(...))"
            )
        plain = not (frame or self.parameters or self.wrenches or self.system.rheonomic)
        if plain and name not in self.__dict__:
            self._shorten(name, kernel)
        try:
            return kernel(*arguments, **options)
        except (ValueError, TypeError) as e:
            if bad := [x for x in map(self._misfit, kernel.inputs, arguments) if x]:
                raise ArgumentError(f"{name}: {'; '.join(bad)}") from e
            raise

    @staticmethod
    def _placed(name) -> tuple[int, ...]:
        """Which arguments of a quantity are coordinates."""
        return tuple(i for i, x in enumerate(QUANTITIES[name].inputs) if x in ("q", "q0", "q1"))

    def _misfit(self, port, given) -> str | None:
        """What is wrong with one argument, in the user's words."""
        x = np.asarray(given)
        if x.dtype.kind not in "bifu":
            return f"{port.name} must hold numbers, got {shown(given)}"
        n = len(port.shape)
        if x.ndim >= n and x.shape[x.ndim - n :] == port.shape:
            return None
        wanted = ", ".join(("...", *map(str, port.shape)))
        own = self.system.coordinates if port.name == "q" else self.system.speeds
        listed = f" ({', '.join(own)})" if port.shape == (len(own),) and len(own) < 9 else ""
        return f"{port.name} has the shape {x.shape}, expected ({wanted}){listed}"

    def _shorten(self, name, kernel) -> None:
        """From now on this quantity takes the short way where it can."""
        general = getattr(type(self), name, None)
        if general is None:
            return
        general = general.__get__(self)
        code = kernel._compiled()
        self.__dict__[name] = (
            fastcall.make(
                name,
                kernel.inputs,
                kernel.outputs,
                code["gufunc"],
                general,
                code,
                general.__doc__ or "",
                [(i, n) for i in self._placed(name) for n in self.system.quaternions.tolist()],
            )
            or general
        )

    def nominal(self) -> np.ndarray:
        """Nominal values of the declared parameters."""
        values: Mapping = self.system.parameters
        missing = [n for n in self.parameters if values.get(n) is None]
        if missing:
            raise KernelError(
                f"no nominal value is known for {', '.join(map(repr, missing))}; give p="
            )
        return np.array([values[n] for n in self.parameters], dtype=float)

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
        return tau - self.applied(self._time("applied", options.get("t")), q, v) if forces else tau

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
    ) -> np.ndarray:
        """Generalised forces of the model's elements, shape (..., nv).

        `z`, `m`: states and memory of the elements (as at the start of a motion when left out);
        `u`: inputs (zero when left out).  Parameters take their nominal values.
        """
        from .motion import MotionKernels

        if self._motion is None:
            self._motion = MotionKernels(self.system)
        sizes = self._motion.sizes
        self._check_elements(sizes, z=z, m=m, u=u)
        q = self.system.unit(q, "applied: q")
        if (sizes["z"] and z is None) or (sizes["m"] and m is None):
            z0, m0 = self._elements_at_start(t, q, v, u)
            z, m = z0 if z is None else z, m0 if m is None else m
        fill = {"z": z, "m": m, "u": u, "p": list(self.system.parameters.values())}
        rest = (
            np.zeros(sizes[x]) if fill[x] is None else np.asarray(fill[x], float) for x in "zmup"
        )
        return self._motion["applied"](t, q, v, *rest)

    def _check_elements(self, sizes, **given):
        """Tells a wrong number of states, memories or inputs, with their names."""
        names = {
            "u": [f"{e.name} ({e.size})" if e.size > 1 else e.name for e in self.system.inputs]
        }
        for x, array in given.items():
            if array is not None and np.shape(array)[-1:] != (sizes[x],):
                what = {"z": "states", "m": "memory", "u": "inputs"}[x]
                listed = ", ".join(names.get(x, ()))
                raise KernelError(
                    f"applied: {x}= has the shape {np.shape(array)}, but the model "
                    f"has {sizes[x]} numbers of {what}{f': {listed}' * bool(listed)}"
                    f"; expected (..., {sizes[x]})"
                )

    def _elements_at_start(self, t, q, v, u):
        from ..dynamics import Motion, start

        q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
        lead = np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
        rows = zip(
            np.broadcast_to(q, (*lead, self.nq)).reshape(-1, self.nq),
            np.broadcast_to(v, (*lead, self.nv)).reshape(-1, self.nv),
            strict=True,
        )
        if self._floats is None:
            self._floats = Motion(self.system, Floats(self.system.parameters))
        motion, times = self._floats, np.broadcast_to(t, lead).ravel()
        found = [
            start(self.system, motion.K, x, *row, u, motion)
            for x, row in zip(times, rows, strict=True)
        ]
        return (
            np.array([getattr(x, n) for x in found], dtype=float).reshape(*lead, -1) for n in "zm"
        )

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
        if not any(_stores(e) for e in self.system.elements):
            return self._call("energy", None, (q, v), **options)
        if not forces:
            return self._alone("energy", (q, v), **options)
        rows, lead = self._rows(q, v, t=self._time("energy", options.pop("t", None)))
        T, U = self._outputs("energy", **options)("energies", rows)
        return T.reshape(lead), U.reshape(lead)

    def momentum(self, q: ArrayLike, v: ArrayLike, **options: Any) -> np.ndarray:
        """Angular (about the world's origin) and linear momentum, world axes, shape (..., 6)."""
        return self._call("momentum", None, (q, v), **options)

    def centre_of_mass(self, q: ArrayLike, **options: Any) -> np.ndarray:
        """Centre of mass of the moving bodies, world axes [m], shape (..., 3)."""
        return self._call("centre_of_mass", None, (q,), **options)

    def reactions(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, forces: bool = True, **options: Any
    ) -> np.ndarray:
        """Wrench (moment, force) of the parent on the child at each joint, in the child's joint
        frame, shape (..., njoints, 6), in the order of `system.links`.

        The model's force elements on bodies act too (at the time `t`, inputs at zero, their memory
        as at a start), unless `forces=False`.  Those on coordinates are part of a joint's wrench.
        """
        s = self.system
        if held := [e.name for e in (*s.held, *s.switched)]:
            raise KernelError(
                f"reactions: {s.name!r} has loops or constraints ({', '.join(held[:6])}), whose "
                "wrenches do not follow from q, v and a; take the signals of a run, such as "
                f"run['{s.links[0].name}.reaction.force.x']"
            )
        if not any(e.ends for e in s.elements):
            return self._call("reactions", None, (q, v, a), **options)
        if not forces:
            return self._alone("reactions", (q, v, a), **options)
        rows, lead = self._rows(q, v, a, t=self._time("reactions", options.pop("t", None)))
        a = np.broadcast_to(np.asarray(a, dtype=float), (*lead, self.nv)).reshape(-1, self.nv)
        found = self._outputs("reactions", **options).reactions(rows, a, np.zeros((len(a), 0)))
        return found.T.reshape(*lead, len(s.links), 6)

    def _alone(self, name, arguments, **options):
        """A quantity without force elements, and without a short way that would forget them."""
        found = self._call(name, None, arguments, **options)
        self.__dict__.pop(name, None)
        return found

    def _rows(self, q, v, *others, t=0.0):
        """States as rows, the elements as at a start, and the leading axes."""
        from .outputs import Rows

        q = self.system.unit(q)
        given = [np.asarray(x, dtype=float) for x in (q, v, *others)]
        lead = np.broadcast_shapes(*(x.shape[:-1] for x in given))
        q, v = (
            np.broadcast_to(x, (*lead, n)).reshape(-1, n)
            for x, n in zip(given, (self.nq, self.nv), strict=False)
        )
        n, u = len(q), np.zeros(len(self.system.layout.u))
        t = np.broadcast_to(np.asarray(t, dtype=float), lead).ravel()
        z, m = (x.reshape(n, -1) for x in self._elements_at_start(t, q, v, u))
        return Rows(t, q, v, z, m, np.broadcast_to(u, (n, len(u)))), lead

    def _outputs(self, name, p=None, w=None):
        """Quantities by columns, at one set of parameters."""
        from .outputs import Outputs

        if w is not None or np.ndim(p) > 1:
            raise KernelError(
                f"{name}: with the model's force elements one set of parameters and no w= can be "
                "taken; use forces=False"
            )
        known = dict(self.system.parameters)
        known |= {} if p is None else dict(zip(self.parameters, np.atleast_1d(p), strict=True))
        return Outputs(self.system, [np.nan if x is None else float(x) for x in known.values()])

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
        return self._call("inverse_dynamics_derivatives", None, (q, v, a), **options)

    def forward_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, **options: Any
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Derivatives of the accelerations by q (tangent space), v and tau, (..., nv, nv) each."""
        return self._call("forward_dynamics_derivatives", None, (q, v, tau), **options)

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

    def address(self, name: str, frame: str | None = None) -> int:
        """Native address of `void f(const double *q, ..., double *out)`."""
        return self.kernel(name, frame).address

    def operations(self, name: str, frame: str | None = None) -> dict[str, int]:
        """Counts of operations of one evaluation: mul, add, div, trig, ..."""
        counts = self.kernel(name, frame).operations
        return {"mul": 0, "add": 0, "div": 0, "trig": 0} | counts

    def stamp(self, name: str, frame: str | None = None) -> str:
        """Digest of the mathematics of a kernel."""
        return self.kernel(name, frame).stamp

    def casadi(self, name: str, frame: str | None = None) -> Any:
        """The `casadi.Function` of a quantity, for people who optimise."""
        self.kernel(name, frame)
        return self._graph(find(name, frame is not None), frame)

    def export(
        self,
        path: str | os.PathLike[str],
        names: Iterable[str] | str = ("inverse_dynamics", "forward_dynamics", "mass_matrix"),
    ) -> Path:
        """Write kernels as self-contained source: C99 (`.c`) or Python with NumPy (`.py`)."""
        from ..compiler import export

        path, names = Path(path), _names(names)
        long = [n for n in names if find(n).looped(self.system, self.parameters, self.wrenches)]
        if long:
            raise KernelError(
                f"{', '.join(long)} of {self.system.name!r}: {self.nv} speeds make a "
                "loop, which has no source text; up to "
                f"{THRESHOLD} can be exported"
            )
        writers = {".c": export.c, ".h": export.c, ".py": export.python}
        if path.suffix not in writers:
            raise KernelError(
                f"cannot export to {path.name!r}: expected a name that ends in .c or .py"
            )
        text = writers[path.suffix]([self.kernel(n).program for n in names], self.system.name)
        return write(path, text)


def _stores(element) -> bool:
    """Whether a force element may hold energy that comes back."""
    law = element.law
    from ..forces import Law

    return law is None or type(law).potential is not Law.potential


def _names(names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _rebuild(dynamics: Dynamics, name: str, frame: str | None) -> Kernel:
    return dynamics.kernel(name, frame)
