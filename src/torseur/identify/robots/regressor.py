"""Efforts as a linear function of unknown numbers: ten a body, a rotor a joint, friction.

    tau = Y(q, v, a) p + known(q, v, a)

The inertial part of Y is one compiled kernel, called once for all samples.  Theory: ID.1, ID.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import ArgumentError, TorseurError, shown, unknown_name
from ...forces import Seen
from ...kernels import compile
from ...model import Model
from ...scalars import leaves, symbol, vector
from ...spatial import Inertia
from ...system import System, unmerged
from .filtering import Passed, past
from .friction import FRICTION, CoordinatePath
from .model_update import without_friction, without_motors

# --------------------------------------------------------------------------------------------
# Shafts between coordinates: springs and dampers whose numbers efforts are linear in.
#
# Theory: ID.2.


UNITS = {"stiffness": ("N m/rad", "N/m"), "damping": ("N m s/rad", "N s/m")}


@dataclass(frozen=True, slots=True, eq=False)
class ShaftTerm:
    """One number of an element between coordinates, `x = sum of weight * coordinate`."""

    name: str
    unit: str
    element: Any
    number: str
    value: float  # as the model has it
    K: Any

    def add(self, tau, q, v, size) -> None:
        """Add the efforts that balance it, of this size, to (n, nv) in place."""
        weights = [(i, j, float(self.K.number(w))) for i, j, w in self.element.where.weights]
        x, rate = sum(w * q[:, i] for i, _, w in weights), sum(w * v[:, j] for _, j, w in weights)
        factor = np.asarray(self.element.law.shares(self.K, Seen(x, rate))[self.number], float)
        for _, j, w in weights:
            tau[:, j] += size * w * factor


def shafts(system) -> list[ShaftTerm]:
    """Numbers of all elements between two coordinates and more in proportion to which they pull."""
    K, out = system.floats().K, []
    for e in system.elements:
        weights = getattr(e.where, "weights", ())
        if len(weights) < 2:
            continue
        for number in e.law.shares(K, Seen(0.0, 0.0)):
            unit = UNITS[number][0 if e.where.unit == "rad" else 1]
            one = Seen(*((1.0, 0.0) if number == "stiffness" else (0.0, 1.0)))
            none = Seen(0.0, 0.0)
            pull = float(e.law.force(K, one)) - float(e.law.force(K, none))
            out.append(ShaftTerm(f"{e.name}.{number}", unit, e, number, pull, K))
    return out


TEN = ("m", "mx", "my", "mz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
TEN_UNITS = ("kg", *["kg m"] * 3, *["kg m^2"] * 6)


@dataclass(frozen=True, eq=False)
class LinearModel:
    """The linear model of a tree of joints.

    Parameters
    ----------
    system : a checked system without loops or constraints
    friction : names of friction models, see `ts.identify.FRICTION`
    rotors : whether each joint has an unknown inertia of its own (a rotor behind a gear)
    own : the number of each friction shape that has one, {(model, speed index): value}
    stiffness : whether stiffness and damping of shafts (springs and dampers between coordinates, as
        elastic drives have) are unknown too
    free : bodies whose inertia is unknown, each a link of its own (welds are not merged); none: all

    `names` are "body.m", ..., "body.Iyz" of every link in its joint's frame, "joint.rotor", and
    "joint.coulomb" and so on, with `units` beside them.
    """

    system: System
    friction: tuple[str, ...] = ()
    rotors: bool = True
    own: dict[Any, Any] = field(default_factory=dict)
    stiffness: bool = False
    free: tuple[str, ...] = ()

    @cached_property
    def shafts(self) -> list[ShaftTerm]:
        """Numbers of shafts that are unknown, in the order of columns."""
        return shafts(self.system) if self.stiffness else []

    @cached_property
    def links(self):
        """Links whose inertia is unknown."""
        own = (k for k in self.system.links if not k.auxiliary)
        return tuple(k for k in own if not self.free or k.body in self.free)

    @cached_property
    def speeds(self) -> list[tuple[int, str, bool]]:
        """(index, name, whether it turns) of every speed: the joint's name where it has one."""
        out = []
        for k in self.system.links:
            named = k.joint.speeds
            for i, (n, unit) in enumerate(named):
                out.append(
                    (
                        k.v.start + i,
                        k.name if len(named) == 1 else f"{k.name}.{n}",
                        unit.startswith("rad"),
                    )
                )
        return out

    @cached_property
    def columns(self) -> list[tuple[str, str, str, int]]:
        """(name, unit, kind, link or speed index), in the order of p."""
        out = [
            (f"{k.body}.{n}", u, "inertia", i)
            for i, k in enumerate(self.links)
            for n, u in zip(TEN, TEN_UNITS, strict=True)
        ]
        kinds = (["rotor"] if self.rotors else []) + list(self.friction)
        held = {
            i for k in self.system.links if k.joint.holonomic for i in range(k.v.start, k.v.stop)
        }
        for kind in kinds:
            for i, name, turns in self.speeds:
                if i not in held:  # no motor and no bearing turns a ball or a free body
                    continue
                units = ("kg m^2", "kg") if kind == "rotor" else FRICTION[kind].units
                out.append((f"{name}.{kind}", units[0 if turns else 1], kind, i))
        return out + [(x.name, x.unit, "shaft", i) for i, x in enumerate(self.shafts)]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(c[0] for c in self.columns)

    @property
    def units(self) -> tuple[str, ...]:
        return tuple(c[1] for c in self.columns)

    @cached_property
    def _kernels(self):
        names = [n for n, *_ in self.columns[: 10 * len(self.links)]]
        sought = {k.index for k in self.links}
        system = replace(
            self.system,
            links=tuple(
                replace(k, inertia=Inertia.of_parameters(symbol(f"{k.body}.{n}") for n in TEN))
                if k.index in sought
                else k
                for k in self.system.links
            ),
        )
        return compile(system, parameters=names), compile(without_motors(self.system))

    def inertial(self, q, v, a) -> np.ndarray:
        """The inertial part of the regressor, shape (n, nv, 10 links), one call for all."""
        dyn, _ = self._kernels
        return dyn.inverse_dynamics_parameters(q, v, a, p=np.zeros(len(dyn.parameters)))  # ID.1

    def known(self, q, v, a) -> np.ndarray:
        """Efforts that no unknown takes part in: force elements of the model, given masses."""
        _, given = self._kernels
        tau = self.borne(q, v, a)
        if not self.rotors:
            tau += self.rotor_sizes * a
        for (kind, i), stiffness in self.own.items():
            if kind == "spring":  # ID.23
                tau[:, i] += stiffness * q[:, self.coordinate[i]]
        if self.system.forces or any(any(map(float, k.damping)) for k in self.system.links):
            tau = tau - given.applied(0.0, q, v)
        for x in self.shafts:  # the model's own numbers, which are not known
            x.add(tau, q, v, -x.value)
        return tau

    def borne(self, q, v, a) -> np.ndarray:
        """Efforts of bodies whose masses are known."""
        if not self.free:
            return np.zeros(np.shape(v))
        dyn, _ = self._kernels
        tau = dyn.inverse_dynamics(q, v, a, p=np.zeros(len(dyn.parameters)))
        return np.asarray(tau, float) - self.rotor_sizes * a

    @cached_property
    def rotor_sizes(self) -> np.ndarray:
        """Inertia that the model itself gives the rotor of each speed."""
        K, out = self.system.floats().K, np.zeros(self.system.nv)
        for k in self.system.links:
            out[k.v] = [float(K.number(x)) for x in k.armature]
            if k.auxiliary:  # its inertia is a link's
                m, *_, Izz = k.inertia.parameters()[:7]
                out[k.v] += float(K.number(Izz if k.joint.speeds[0][1] == "rad/s" else m))
        return out

    @cached_property
    def coordinate(self) -> dict[int, int]:
        """{speed: its coordinate} of the joints that have one of each."""
        plain = (k for k in self.system.links if k.joint.nv == 1 and k.joint.nq == 1)
        return {k.v.start: k.q.start for k in plain}

    def gains(self, nv: int) -> np.ndarray:
        """What the sensor of each speed says over the effort that acts: 1 unless found."""
        return np.array([self.own.get(("gain", i), 1.0) for i in range(nv)])

    @cached_property
    def rigid(self) -> list[int]:
        """Columns that gains act on: inertia and rotors."""
        return [c for c, (_, _, kind, _) in enumerate(self.columns) if kind in ("inertia", "rotor")]

    @cached_property
    def sharp(self) -> np.ndarray:
        """Which columns are friction that a low pass smooths."""
        kinds = [kind for _, _, kind, _ in self.columns]
        return np.array([n in FRICTION and FRICTION[n].sharp for n in kinds], bool)

    def own_of(self, kind: str, i: int) -> float | None:
        """The number of a friction shape at speed `i`: a width or a speed."""
        tries = FRICTION[kind].tries
        return self.own.get((kind, i), tries[len(tries) // 2] if tries else None)

    def local(
        self,
        kind: str,
        i: int,
        v,
        a,
        load: Any = None,
        path: CoordinatePath | None = None,
        passed: Passed | None = None,
    ) -> np.ndarray:
        """The column of a rotor or a friction model in the row of its own speed `i`.

        With `passed`, `path` is that of all its samples, and what a low pass leaves is told.
        """
        if kind == "rotor":
            return a[:, i] * self.own.get(("gain", i), 1.0)
        if kind == "shaft":
            raise TorseurError("identify: a shaft acts on several speeds")
        shape = FRICTION[kind]()
        own = self.own_of(kind, i)
        whole = passed if shape.sharp else None
        x = shape.column((v if whole is None else whole.v)[:, i], own, path)  # ID.2
        if shape.loaded:
            x = x * np.abs(load[:, i] if whole is None else whole.spread(load[:, i]))
        return x if whole is None else whole.seen(x)  # ID.27

    def regressor(self, q, v, a, load: Any = None, passed: Passed | None = None) -> np.ndarray:
        """Y, shape (n, nv, number of unknowns); friction as a low pass shows it if `passed`."""
        Y = np.zeros((*np.shape(v), len(self.columns)))
        along = past(self.system, q, v, passed)
        first = 10 * len(self.links)
        Y[:, :, :first] = self.inertial(q, v, a) * self.gains(np.shape(v)[-1])[:, None]  # ID.20
        for c, (_, _, kind, i) in enumerate(self.columns[first:], first):
            if kind == "shaft":
                self.shafts[i].add(Y[:, :, c], q, v, 1.0)
            else:
                Y[:, i, c] = self.local(kind, i, v, a, load, along.get(i), passed)
        return Y

    def pulled(self, q, v, a, G) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Gradient of `sum(G * regressor(q, v, a))` by q, v and a, (n, nv) each; load one.

        Efforts are linear in the parameters: row i of G in their place gives the derivative of
        effort i, all rows of all samples in one call of a kernel.
        """
        first, dyn = 10 * len(self.links), self._kernels[0]
        own = (np.repeat(x[:, None], v.shape[1], axis=1) for x in (q, v, a))
        slopes = dyn.inverse_dynamics_derivatives(*own, p=G[:, :, :first])
        none = dyn.inverse_dynamics_derivatives(q, v, a, p=np.zeros(first))  # given rotors
        found = [
            np.einsum("niij->nj", D) - D0.sum(axis=1) for D, D0 in zip(slopes, none, strict=True)
        ]
        h = 1e-5
        for c, (_, _, kind, i) in enumerate(self.columns[first:], first):
            if kind == "rotor":
                found[2][:, i] += G[:, i, c]
                continue
            if kind == "shaft":
                raise TorseurError("exciting: stiffness of shafts is not looked for by motions")
            ends = [self.local(kind, i, v + k * h, a, np.ones(v.shape)) for k in (-1, -0.5, 0.5, 1)]
            slope = (8 * (ends[2] - ends[1]) - (ends[3] - ends[0])) / (6 * h)
            found[1][:, i] += G[:, i, c] * slope
        return found[0], found[1], found[2]

    @cached_property
    def loaded(self) -> bool:
        """Whether a friction model depends on the load."""
        return any(FRICTION[n].loaded for n in self.friction)

    def values(self) -> np.ndarray:
        """What the model itself says of every unknown (zero for friction)."""
        K = self.system.floats().K
        p = np.zeros(len(self.columns))
        p[: 10 * len(self.links)] = [
            float(K.number(x)) for k in self.links for x in k.inertia.parameters()
        ]
        for c, (_, _, kind, i) in enumerate(self.columns):
            if kind == "shaft":
                p[c] = self.shafts[i].value
            if kind == "rotor":
                p[c] = self.rotor_sizes[i]
        return p


def linear(
    model: Model | System,
    friction: Sequence[str] = ("coulomb", "viscous", "offset"),
    rotors: bool | None = None,
    stiffness: bool = False,
    free: Sequence[str] = (),
) -> LinearModel:
    """The linear model of a robot, checked for what it must not have; `free` bodies as `robot`.

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=2.0, com=(0, 0, -0.5))
    >>> arm = ts.Model(bodies=(rod,), joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
    >>> Y = ts.identify.linear(arm, friction=("viscous",))
    >>> Y.names[-2:], Y.regressor(*np.ones((3, 5, 1))).shape
    (('pivot.rotor', 'pivot.viscous'), (5, 1, 12))
    """
    friction = friction_names(friction)
    system = without_friction(model, friction)
    if not system.nv:
        raise TorseurError(
            f"identify: {system.name!r} has no joint that moves, hence no effort to learn from"
        )
    system.alone("identify")
    if system.closures or system.constraints:
        told = [c.name for c in system.closures] + [c.name for c in system.constraints]
        raise TorseurError(
            f"identify: {system.name!r} has loops or constraints ({', '.join(map(repr, told))}); "
            "efforts are linear in the parameters of a tree: leave them out, or cut them"
        )
    free = (free,) if isinstance(free, str) else tuple(free or ())
    if free:
        system = unmerged(system)
        known = [k.body for k in system.links if not k.auxiliary]
        if unknown := [n for n in free if n not in known]:
            raise ArgumentError(
                "\n".join(unknown_name("body", n, known, "identify, free") for n in unknown)
            )
    missing = [n for n in system.symbols if system.parameters.get(n) is None]
    given = (k for k in system.links if not free or k.body in free)
    sought = {x.args[0] for k in given for x in leaves(k.inertia.parameters()) if x.op == "symbol"}
    geometry = [
        n
        for n in missing
        if n in {x for k in system.links for x in _geometry(k)} or (free and n not in sought)
    ]
    if geometry:
        raise ArgumentError(
            f"identify: no value is known for {', '.join(map(repr, geometry))}; "
            f"lengths and angles{', and masses that are not free,' * bool(free)} of a robot to "
            "identify are numbers: give them in Model(parameters={...})"
        )
    if missing:  # inertial parameters without a value: they are what is looked for
        system = replace(system, parameters={**system.parameters} | dict.fromkeys(missing, 0.0))
    if rotors is None:
        rotors = not free and not any(FRICTION[n].loaded for n in friction)
    return LinearModel(system, friction, bool(rotors), stiffness=bool(stiffness), free=free)


def friction_names(given: Any) -> tuple[str, ...]:
    """Names of friction models, checked."""
    names = (given,) if isinstance(given, str) else tuple(given or ())
    for name in names:
        if not isinstance(name, str):
            raise ArgumentError(
                f"identify: friction={shown(names)}: expected names such as "
                "('coulomb', 'viscous', 'offset')"
            )
        FRICTION.element(name, "identify, friction")
    return tuple(dict.fromkeys(names))


def _geometry(link):
    numbers = (*link.X_PF.R.ravel(), *link.X_PF.p, *link.joint.constants())
    return [x.args[0] for x in leaves(vector(numbers)) if x.op == "symbol"]
