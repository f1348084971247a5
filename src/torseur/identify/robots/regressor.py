"""Regressor of the inverse dynamics: efforts are linear in the inertial and friction parameters.

    tau = Y(q, v, a) p + known(q, v, a)

The parameters p are ten per link, a rotor inertia per joint, friction coefficients and shaft
stiffnesses (Atkeson, An and Hollerbach 1986).  One compiled kernel computes the inertial part of Y
for all samples.  Equations ID.1, ID.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import ArgumentError, TorseurError, shown, unknown_name_message
from ...forces import Seen
from ...kernels import compile
from ...model import Model
from ...scalars import leaves, symbol, vector
from ...spatial import Inertia
from ...system import System, unmerged
from .filtering import SampledMotion, friction_paths
from .friction import FRICTION, CoordinatePath
from .model_update import without_friction, without_motors

SHAFT_UNITS = {"stiffness": ("N m/rad", "N/m"), "damping": ("N m s/rad", "N s/m")}
INERTIAL_NAMES = ("m", "mx", "my", "mz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
INERTIAL_UNITS = ("kg", *["kg m"] * 3, *["kg m^2"] * 6)
SPEED_STEP = 1e-5  # [rad/s or m/s] of differences of friction shapes


@dataclass(frozen=True, slots=True, eq=False)
class ShaftTerm:
    """Stiffness or damping of an element between coordinates, `x = sum of weight * coordinate`."""

    name: str
    unit: str
    element: Any
    number: str  # "stiffness" or "damping"
    value: float  # in the model
    K: Any

    def add_effort(self, tau: np.ndarray, q: np.ndarray, v: np.ndarray, size: float) -> None:
        """Add the efforts that balance the element with this number, to (n, nv) in place."""
        weights = [(i, j, float(self.K.number(w))) for i, j, w in self.element.where.weights]
        x, rate = sum(w * q[:, i] for i, _, w in weights), sum(w * v[:, j] for _, j, w in weights)
        factor = np.asarray(self.element.law.shares(self.K, Seen(x, rate))[self.number], float)
        for _, j, w in weights:
            tau[:, j] += size * w * factor


def list_shaft_terms(system: System) -> list[ShaftTerm]:
    """Numbers of all elements between two or more coordinates in which their force is linear."""
    K, terms = system.floats().K, []
    for e in system.elements:
        weights = getattr(e.where, "weights", ())
        if len(weights) < 2:
            continue
        for number in e.law.shares(K, Seen(0.0, 0.0)):
            unit = SHAFT_UNITS[number][0 if e.where.unit == "rad" else 1]
            unit_motion = Seen(*((1.0, 0.0) if number == "stiffness" else (0.0, 1.0)))
            rest = Seen(0.0, 0.0)
            value = float(e.law.force(K, unit_motion)) - float(e.law.force(K, rest))
            terms.append(ShaftTerm(f"{e.name}.{number}", unit, e, number, value, K))
    return terms


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Linear model of a tree of joints: regressor, known efforts and names of the parameters.

    Parameters
    ----------
    system : a checked system without loops or constraints
    friction : names of friction models, see `ts.identify.FRICTION`
    rotors : whether each joint has an unknown inertia of its own (a rotor behind a gear)
    nonlinear : {(name, speed index): value} of parameters in which efforts are not linear: those of
        friction models, "gain" of an effort sensor, "spring" and "compliance" of a joint
    stiffness : whether stiffness and damping of shafts (springs and dampers between coordinates, as
        elastic drives have) are unknown too
    free : bodies whose inertia is unknown, each a link by itself (welds are not merged); none: all

    `names` are "body.m", ..., "body.Iyz" of every link in its joint's frame, "joint.rotor", and
    "joint.coulomb" and so on; `units` has the unit of each.
    """

    system: System
    friction: tuple[str, ...] = ()
    rotors: bool = True
    nonlinear: dict[Any, Any] = field(default_factory=dict)
    stiffness: bool = False
    free: tuple[str, ...] = ()

    # ---- parameters ----------------------------------------------------------------------------

    @cached_property
    def shafts(self) -> list[ShaftTerm]:
        """Unknown numbers of shafts, in the order of columns."""
        return list_shaft_terms(self.system) if self.stiffness else []

    @cached_property
    def links(self) -> tuple[Any, ...]:
        """Links whose inertia is unknown."""
        links = (k for k in self.system.links if not k.auxiliary)
        return tuple(k for k in links if not self.free or k.body in self.free)

    @cached_property
    def speeds(self) -> list[tuple[int, str, bool]]:
        """(index, name, whether it is angular); the name of a joint if it has one speed."""
        speeds = []
        for k in self.system.links:
            named = k.joint.speeds
            for i, (n, unit) in enumerate(named):
                name = k.name if len(named) == 1 else f"{k.name}.{n}"
                speeds.append((k.v.start + i, name, unit.startswith("rad")))
        return speeds

    @cached_property
    def columns(self) -> list[tuple[str, str, str, int]]:
        """(name, unit, kind, link or speed index), in the order of p."""
        columns = [
            (f"{k.body}.{n}", u, "inertia", i)
            for i, k in enumerate(self.links)
            for n, u in zip(INERTIAL_NAMES, INERTIAL_UNITS, strict=True)
        ]
        kinds = (["rotor"] if self.rotors else []) + list(self.friction)
        holonomic = {
            i for k in self.system.links if k.joint.holonomic for i in range(k.v.start, k.v.stop)
        }
        for kind in kinds:
            for i, name, angular in self.speeds:
                if i not in holonomic:  # ball and free joints have no motor and no bearing
                    continue
                units = ("kg m^2", "kg") if kind == "rotor" else FRICTION[kind].units
                columns.append((f"{name}.{kind}", units[0 if angular else 1], kind, i))
        return columns + [(x.name, x.unit, "shaft", i) for i, x in enumerate(self.shafts)]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(c[0] for c in self.columns)

    @property
    def units(self) -> tuple[str, ...]:
        return tuple(c[1] for c in self.columns)

    @cached_property
    def rigid_columns(self) -> list[int]:
        """Columns that sensor gains multiply: inertia and rotors."""
        return [c for c, (_, _, kind, _) in enumerate(self.columns) if kind in ("inertia", "rotor")]

    @cached_property
    def nonlinear_friction(self) -> np.ndarray:
        """Mask of the columns of friction that is not linear in the speed."""
        kinds = [kind for _, _, kind, _ in self.columns]
        return np.array([n in FRICTION and FRICTION[n].nonlinear for n in kinds], bool)

    @cached_property
    def load_dependent(self) -> bool:
        """Whether a friction model depends on the load."""
        return any(FRICTION[n].load_dependent for n in self.friction)

    @cached_property
    def rotor_inertias(self) -> np.ndarray:
        """Rotor inertia of each speed in the model itself [kg m2 or kg]."""
        K, inertias = self.system.floats().K, np.zeros(self.system.nv)
        for k in self.system.links:
            inertias[k.v] = [float(K.number(x)) for x in k.armature]
            if k.auxiliary:  # a rotor with a coordinate: its inertia is that of a link
                m, *_, Izz = k.inertia.parameters()[:7]
                rotary = k.joint.speeds[0][1] == "rad/s"
                inertias[k.v] += float(K.number(Izz if rotary else m))
        return inertias

    @cached_property
    def coordinate_of_speed(self) -> dict[int, int]:
        """{speed index: coordinate index} of the joints that have one of each."""
        links = (k for k in self.system.links if k.joint.nv == 1 and k.joint.nq == 1)
        return {k.v.start: k.q.start for k in links}

    def friction_parameter(self, kind: str, i: int) -> float | None:
        """Parameter of a friction model at speed `i`: a width, a speed or a presliding distance."""
        grid = FRICTION[kind].parameter_grid
        return self.nonlinear.get((kind, i), grid[len(grid) // 2] if grid else None)

    def sensor_gains(self, nv: int) -> np.ndarray:
        """Reading of each effort sensor over the effort that acts: 1 unless estimated."""
        return np.array([self.nonlinear.get(("gain", i), 1.0) for i in range(nv)])

    def values(self) -> np.ndarray:
        """Parameters of the model itself (zero for friction)."""
        K = self.system.floats().K
        p = np.zeros(len(self.columns))
        p[: 10 * len(self.links)] = [
            float(K.number(x)) for k in self.links for x in k.inertia.parameters()
        ]
        for c, (_, _, kind, i) in enumerate(self.columns):
            if kind == "shaft":
                p[c] = self.shafts[i].value
            if kind == "rotor":
                p[c] = self.rotor_inertias[i]
        return p

    # ---- efforts -------------------------------------------------------------------------------

    @cached_property
    def _kernels(self) -> tuple[Any, Any]:
        """Kernels with the inertias of `links` as parameters, and of the model without motors."""
        names = [n for n, *_ in self.columns[: 10 * len(self.links)]]
        unknown = {k.index for k in self.links}
        symbolic = replace(
            self.system,
            links=tuple(
                replace(
                    k,
                    inertia=Inertia.of_parameters(symbol(f"{k.body}.{n}") for n in INERTIAL_NAMES),
                )
                if k.index in unknown
                else k
                for k in self.system.links
            ),
        )
        return compile(symbolic, parameters=names), compile(without_motors(self.system))

    def inertial_regressor(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Inertial part of the regressor, shape (n, nv, 10 links), one call for all samples."""
        dyn, _ = self._kernels
        return dyn.inverse_dynamics_parameters(q, v, a, p=np.zeros(len(dyn.parameters)))  # ID.1

    def known_efforts(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Efforts without unknown parameters: force elements of the model, known masses."""
        _, model = self._kernels
        tau = self.fixed_body_efforts(q, v, a)
        if not self.rotors:
            tau += self.rotor_inertias * a
        for (kind, i), stiffness in self.nonlinear.items():
            if kind == "spring":  # ID.23
                tau[:, i] += stiffness * q[:, self.coordinate_of_speed[i]]
        if self.system.forces or any(any(map(float, k.damping)) for k in self.system.links):
            tau = tau - model.applied(0.0, q, v)
        for x in self.shafts:  # `applied` contains their numbers, which are unknown here
            x.add_effort(tau, q, v, -x.value)
        return tau

    def fixed_body_efforts(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Efforts of the bodies whose masses are known (with `free`)."""
        if not self.free:
            return np.zeros(np.shape(v))
        dyn, _ = self._kernels
        tau = dyn.inverse_dynamics(q, v, a, p=np.zeros(len(dyn.parameters)))
        return np.asarray(tau, float) - self.rotor_inertias * a

    def joint_column(
        self,
        kind: str,
        i: int,
        v: np.ndarray,
        a: np.ndarray,
        load: Any = None,
        path: CoordinatePath | None = None,
        motion: SampledMotion | None = None,
    ) -> np.ndarray:
        """Column of a rotor or a friction model in the row of its speed `i`, (n,).

        With `motion`, `path` is that of all its samples, and the low pass filters the column.
        """
        if kind == "rotor":
            return a[:, i] * self.nonlinear.get(("gain", i), 1.0)
        if kind == "shaft":
            raise TorseurError("identify: a shaft acts on several speeds")
        model = FRICTION[kind]()
        parameter = self.friction_parameter(kind, i)
        if not model.nonlinear:
            motion = None
        x = model.column((v if motion is None else motion.v)[:, i], parameter, path)  # ID.2
        if model.load_dependent:
            loads = load[:, i] if motion is None else motion.interpolate_rows(load[:, i])
            x = x * np.abs(loads)
        return x if motion is None else motion.filter_column(x)  # ID.27

    def regressor(
        self,
        q: np.ndarray,
        v: np.ndarray,
        a: np.ndarray,
        load: Any = None,
        motion: SampledMotion | None = None,
    ) -> np.ndarray:
        """Regressor Y, shape (n, nv, number of parameters); friction is filtered with `motion`."""
        Y = np.zeros((*np.shape(v), len(self.columns)))
        paths = friction_paths(self.system, q, v, motion)
        first = 10 * len(self.links)
        gains = self.sensor_gains(np.shape(v)[-1])
        Y[:, :, :first] = self.inertial_regressor(q, v, a) * gains[:, None]  # ID.20
        for c, (_, _, kind, i) in enumerate(self.columns[first:], first):
            if kind == "shaft":
                self.shafts[i].add_effort(Y[:, :, c], q, v, 1.0)
            else:
                Y[:, i, c] = self.joint_column(kind, i, v, a, load, paths.get(i), motion)
        return Y

    def regressor_gradient(
        self, q: np.ndarray, v: np.ndarray, a: np.ndarray, G: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Gradients of `sum(G * regressor(q, v, a))` by q, v and a, (n, nv) each, for unit load.

        Efforts are linear in the parameters.  Row i of G as parameters gives the derivative of
        effort i.  One call of a kernel computes all rows of all samples.
        """
        first, dyn = 10 * len(self.links), self._kernels[0]
        repeated = (np.repeat(x[:, None], v.shape[1], axis=1) for x in (q, v, a))
        derivatives = dyn.inverse_dynamics_derivatives(*repeated, p=G[:, :, :first])
        constant = dyn.inverse_dynamics_derivatives(q, v, a, p=np.zeros(first))  # model's rotors
        by_q, by_v, by_a = (
            np.einsum("niij->nj", D) - D0.sum(axis=1)
            for D, D0 in zip(derivatives, constant, strict=True)
        )
        h = SPEED_STEP
        for c, (_, _, kind, i) in enumerate(self.columns[first:], first):
            if kind == "rotor":
                by_a[:, i] += G[:, i, c]
                continue
            if kind == "shaft":
                raise TorseurError("exciting: no excitation for the stiffness of shafts")
            columns = [
                self.joint_column(kind, i, v + k * h, a, np.ones(v.shape))
                for k in (-1, -0.5, 0.5, 1)
            ]
            slope = (8 * (columns[2] - columns[1]) - (columns[3] - columns[0])) / (6 * h)
            by_v[:, i] += G[:, i, c] * slope
        return by_q, by_v, by_a


def linear(
    model: Model | System,
    friction: Sequence[str] = ("coulomb", "viscous", "offset"),
    rotors: bool | None = None,
    stiffness: bool = False,
    free: Sequence[str] = (),
) -> LinearModel:
    """Linear model of a robot in its inertial and friction parameters; arguments as of `robot`.

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=2.0, com=(0, 0, -0.5))
    >>> arm = ts.Model(bodies=(rod,), joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
    >>> Y = ts.identify.linear(arm, friction=("viscous",))
    >>> Y.names[-2:], Y.regressor(*np.ones((3, 5, 1))).shape
    (('pivot.rotor', 'pivot.viscous'), (5, 1, 12))
    """
    friction = check_friction_names(friction)
    system = without_friction(model, friction)
    if not system.nv:
        raise TorseurError(
            f"identify: {system.name!r} has no joint that moves, so it has no efforts"
        )
    system.alone("identify")
    if system.closures or system.constraints:
        names = [c.name for c in system.closures] + [c.name for c in system.constraints]
        raise TorseurError(
            f"identify: {system.name!r} has loops or constraints ({', '.join(map(repr, names))}); "
            "efforts are linear in the parameters of a tree: leave them out, or cut them"
        )
    free = (free,) if isinstance(free, str) else tuple(free or ())
    if free:
        system = unmerged(system)
        bodies = [k.body for k in system.links if not k.auxiliary]
        if unknown := [n for n in free if n not in bodies]:
            raise ArgumentError(
                "\n".join(
                    unknown_name_message("body", n, bodies, "identify, free") for n in unknown
                )
            )
    system = _with_symbolic_masses(system, free)
    if rotors is None:
        rotors = not free and not any(FRICTION[n].load_dependent for n in friction)
    return LinearModel(system, friction, bool(rotors), stiffness=bool(stiffness), free=free)


def _with_symbolic_masses(system: System, free: tuple[str, ...]) -> System:
    """The system with zero for every inertial parameter without a value; lengths must have one."""
    missing = [n for n in system.symbols if system.parameters.get(n) is None]
    unknown_links = (k for k in system.links if not free or k.body in free)
    inertial = {
        x.args[0] for k in unknown_links for x in leaves(k.inertia.parameters()) if x.op == "symbol"
    }
    lengths = {x for k in system.links for x in _geometry_symbols(k)}
    unset = [n for n in missing if n in lengths or (free and n not in inertial)]
    if unset:
        raise ArgumentError(
            f"identify: {', '.join(map(repr, unset))}: no value; "
            f"lengths and angles{', and masses that are not free,' * bool(free)} of a robot to "
            "identify must be numbers: give them in Model(parameters={...})"
        )
    if not missing:
        return system
    return replace(system, parameters={**system.parameters} | dict.fromkeys(missing, 0.0))


def check_friction_names(friction: Any) -> tuple[str, ...]:
    """Names of friction models, each once."""
    names = (friction,) if isinstance(friction, str) else tuple(friction or ())
    for name in names:
        if not isinstance(name, str):
            raise ArgumentError(
                f"identify: friction={shown(names)}: expected names such as "
                "('coulomb', 'viscous', 'offset')"
            )
        FRICTION.element(name, "identify, friction")
    return tuple(dict.fromkeys(names))


def _geometry_symbols(link: Any) -> list[str]:
    """Names of the symbols in the pose and the constants of a joint."""
    numbers = (*link.X_PF.R.ravel(), *link.X_PF.p, *link.joint.constants())
    return [x.args[0] for x in leaves(vector(numbers)) if x.op == "symbol"]
