"""Joint efforts as functions of motion and design variables, with exact gradients.

`JointEfforts` evaluates inverse dynamics (recursive Newton-Euler) as a CasADi graph.  `PoseSet`
holds the poses, motions and payloads over which a design is evaluated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...dynamics import Moment, Motion
from ...errors import ArgumentError, TorseurError, shown, unknown_name_message
from ...formalisms import newton_euler
from ...model import Model
from ...scalars import Graph, arguments, vector
from ...solve import assemble, coordinate_limits, inverse, whole_turns
from ...system import System


class JointEfforts:
    """Efforts `tau(q, v, a, p)` of the motors of joints, (n, joints).

    `names` are parameters of the model that stay variables.  `loads` are parameters with one value
    per sample (payloads).  Couplings map efforts to the independent coordinates.
    """

    def __init__(
        self,
        model: Model,
        names: Sequence[str],
        joints: Sequence[str],
        independent: Sequence[str],
        loads: Sequence[str] = (),
    ):
        """Build the graph of the efforts and of their derivatives by the variables."""
        s = self.system = model.check()
        s.alone("balance")
        if bad := [repr(e.name) for e in s.elements if e.memory or e.states]:
            raise TorseurError(
                f"balance: the forces of {', '.join(bad)} of {s.name!r} depend on their history, "
                "so a pose does not determine them; leave them out"
            )
        K = Graph()
        p, w = K.symbols(names), K.symbols(loads)
        K.parameters.update(zip((*names, *loads), (*p, *w), strict=True))
        q, v, a = (
            K.symbols(f"{x}{i}" for i in range(n))
            for x, n in (("q", s.nq), ("v", s.nv), ("a", s.nv))
        )
        motion = Motion(s, K)
        u = vector([0] * sum(e.size for e in s.inputs))
        state = Moment(0, q, v, vector(()), vector(()), u)
        tau = newton_euler.inverse_dynamics(motion.tree, q, v, a) - motion.applied(state)
        self.T = independent_speed_map(s, independent)
        speed_index = {k.name: k.v.start for k in s.links}
        if bad := [
            unknown_name_message("joint", j, speed_index, "balance")
            for j in joints
            if j not in speed_index
        ]:
            raise TorseurError("\n".join(bad))
        column = K.lib.DM(self.T.T) @ K.sx(tau)
        rows = [
            list(independent).index(s.speeds[speed_index[j]]) if independent else speed_index[j]
            for j in joints
        ]
        out = K.lib.vertcat(*(column[i] for i in rows))
        ins = [K.sx(x) for x in (q, v, a, p, w)]
        slope = K.lib.jacobian(out, ins[3])
        self.f = K.lib.Function("efforts", ins, [out, K.lib.densify(K.lib.vec(slope))])
        self.joints, self.names = tuple(joints), tuple(names)
        self.maps: dict[int, Any] = {}

    def __call__(self, motion: tuple[np.ndarray, ...], p: Sequence[float] | np.ndarray):
        """Efforts (n, joints) and gradients (n, joints, variables) at samples q, v, a, loads."""
        q, v, a, w = motion
        n, m, k = len(q), len(self.joints), len(self.names)
        P = np.repeat(np.asarray(p, float)[:, None], n, axis=1) if k else np.zeros((0, n))
        if n not in self.maps:
            self.maps[n] = self.f.map(n)
        tau, slope = self.maps[n](q.T, v.T, a.T, P, w.T)
        return np.array(tau).T, np.array(slope).reshape(m, k, n, order="F").transpose(
            2, 0, 1
        ) if k else np.zeros((n, m, 0))


def independent_speed_map(system: System, independent: Sequence[str]):
    """Matrix (nv, independent) from the independent speeds to all speeds, by the couplings."""
    if not independent:
        return np.eye(system.nv)
    coordinates = [system.coordinates[system.speeds.index(n)] for n in independent]
    rows = [c.ratios for c in dependent_couplings(system.model, coordinates)]
    index = {n: i for i, n in enumerate(system.coordinates)}
    A = np.zeros((len(rows), system.nv))
    for i, ratios in enumerate(rows):
        for name, r in ratios.items():
            A[i, index[name]] = float(r)
    first = [system.speeds.index(n) for n in independent]
    rest = [i for i in range(system.nv) if i not in first]
    T = np.zeros((system.nv, len(first)))
    T[first, np.arange(len(first))] = 1
    if rest:
        T[rest] = -np.linalg.solve(A[:, rest], A[:, first])
    return T


def refuse_switched_constraints(system: System, where: str) -> None:
    """Raise an error for contacts and dry friction as constraints: a path gives no force."""
    if system.switched:
        e = system.switched[0]
        raise TorseurError(
            f"{where}: the force of {e.name!r}, a constraint that sticks and slips or lets go, is "
            "not counted along a motion; write friction of a joint as a force, "
            "ts.JointForce(name, joint, ts.Coulomb(...)), or leave it out"
        )


def dependent_couplings(model: Model, independent: Sequence[str]) -> list[Any]:
    """Couplings that determine other coordinates than the independent ones."""
    couplings: list[Any] = [c for c in model.constraints if getattr(c, "ratios", None)]
    return [c for c in couplings if not set(c.ratios) <= set(independent)]


def coordinate_units(system: System) -> dict[str, str]:
    """Unit of each coordinate by name."""
    return {f"{k.name}.{n}": u for k in system.links for n, u in k.joint.coordinates}


class PoseSet:
    """Poses or motions over which a design is evaluated: q, v, a, loads, and quadrature weights.

    `interval` is the name of the only coordinate that varies over an interval, which can be
    refined. `span` (n,) is the duration of the motion of each sample [s], zero for poses.  `loads`
    (n, frames) are payloads [kg].  `case` (n,) numbers the combinations of motion and payload.
    """

    def __init__(
        self,
        model: Model,
        over: Any,
        at: Mapping[str, float] | None = None,
        payloads: Mapping[str, Any] | None = None,
    ):
        """Read `over`: one set of poses, one motion, or a list of them."""
        self.system = model.check()
        self.interval: str | None = None
        self.time: np.ndarray | None = None
        masses = {} if payloads is None else payloads
        masses = arguments.mapping("balance", "payloads", masses, "{'tool': (0, 2)}")
        self.payloads = check_payloads(self.system, masses)
        several = isinstance(over, list | tuple) and any(
            isinstance(x, Mapping) or hasattr(x, "signals") for x in over
        )
        if several:
            self._join_sets([PoseSet(model, x, at) for x in over])
        else:
            self._sample(model, over, at)
        if self.payloads:
            self._add_payload_cases()

    def _sample(self, model: Model, over: Any, at: Mapping[str, float] | None):
        """Samples of one set of poses or one motion."""
        s = self.system
        base = assemble(s, dict(at or {})).q if s.held else s.state(at or {})[0]
        if over is None or (isinstance(over, str) and over == "workspace"):
            self._set_poses(sample_joint_space(s, base))
        elif isinstance(over, Mapping) and not _is_motion(over):
            self._set_grid(over, base)
        elif isinstance(over, Mapping) or hasattr(over, "signals"):
            motion: Any = over
            run = inverse(model, motion, points=401)
            self._set_poses(np.stack([run[n] for n in s.coordinates], 1))
            self.v = np.stack([run[n] for n in s.speeds], 1)
            self.a = np.stack([run[n] for n in acceleration_names(s)], 1)
            self.weights, self.time = trapezoidal_weights(run.time), run.time
            self.span = np.full(len(run.time), run.time[-1] - run.time[0])
        else:
            try:
                q = np.atleast_2d(np.asarray(over, float))
            except (TypeError, ValueError):
                q = np.zeros((0, 0))
            if q.ndim != 2 or q.shape[1] != s.nq or not len(q):
                raise ArgumentError(
                    f"balance: over={shown(over)}: expected {{coordinate: angles}}, a motion, "
                    f"several of these in a list, poses (n, {s.nq}), or 'workspace'"
                )
            self._set_poses(q)
        self._check_loops()

    def _check_loops(self):
        """Raise an error if poses violate loops or couplings of the model."""
        if not self.system.held:
            return
        from ...kernels import compile

        off = abs(compile(self.system).constraint_residual(self.q))
        if off.max(initial=0.0) > 1e-8:
            row, i = np.unravel_index(int(off.argmax()), off.shape)
            sizes = np.cumsum([e.size for e in self.system.held])
            name = self.system.held[int(np.searchsorted(sizes, i, side="right"))].name
            raise TorseurError(
                f"balance, over: pose {row + 1} leaves {name!r} of {self.system.name!r} open by "
                f"{off[row, i]:.3g}; give a motion of independent coordinates, or poses that fit"
            )

    def _join_sets(self, parts: Sequence[PoseSet]):
        """Samples of several motions or sets of poses, each with the same weight."""
        for name in ("q", "v", "a", "weights", "span", "loads"):
            setattr(self, name, np.concatenate([getattr(x, name) for x in parts]))
        self.weights = self.weights / len(parts)
        self.case = np.repeat(np.arange(len(parts)), [len(x.q) for x in parts])

    def _add_payload_cases(self):
        """Repeat every sample with every payload."""
        cases, n, parts = len(next(iter(self.payloads.values()))), len(self.q), self.case.max() + 1
        masses = np.array(list(self.payloads.values())).T  # (cases, frames)
        for name in ("q", "v", "a", "weights", "span"):
            x = getattr(self, name)
            setattr(self, name, np.concatenate([x] * cases))
        self.weights = self.weights / cases
        self.loads = np.repeat(masses, n, axis=0)
        self.case = np.concatenate([self.case + k * parts for k in range(cases)])
        self.interval = self.time = None

    def _set_grid(self, over: Any, base: np.ndarray):
        """Poses of a grid of coordinates.  A single increasing coordinate is an interval."""
        names = self.system.coordinates
        if bad := [
            unknown_name_message("coordinate", n, names, "balance, over")
            for n in over
            if n not in names
        ]:
            raise TorseurError("\n".join(bad))
        unit = coordinate_units(self.system)
        axes = [
            np.atleast_1d(arguments.numbers("balance, over", n, x, unit[n]))
            for n, x in over.items()
        ]
        if any(x.ndim != 1 or not len(x) or not np.isfinite(x).all() for x in axes):
            raise ArgumentError("balance: over= needs finite numbers for each coordinate")
        for n, x in zip(over, axes, strict=True):
            arguments.tell_degrees(f"balance, over: {n}", unit[n], float(x.max()), float(x.min()))
        q = np.tile(base, (int(np.prod([len(x) for x in axes])), 1))
        for n, x in zip(over, np.meshgrid(*axes, indexing="ij"), strict=True):
            q[:, names.index(n)] = x.ravel()
        self._set_poses(q)
        if len(axes) == 1 and len(axes[0]) > 2 and (np.diff(axes[0]) > 0).all():
            x = axes[0]
            self.interval = next(iter(over))
            self.weights = trapezoidal_weights(x)

    def _set_poses(self, q: np.ndarray):
        self.q = q
        self.span, self.loads = np.zeros(len(q)), np.zeros((len(q), 0))
        self.case = np.zeros(len(q), int)
        self.v = self.a = np.zeros((len(q), self.system.nv))
        self.weights = np.full(len(q), 1 / len(q))

    @property
    def samples(self):
        return self.q, self.v, self.a, self.loads

    def dense_poses(self, criterion: str, count: int = 721) -> PoseSet:
        """Poses for sums over the interval: many samples with weights of Simpson's rule."""
        if self.interval is None or criterion == "peak" or len(self.q) >= count:
            return self
        q, *_ = self.refine_interval(count)
        dense = copy(self)
        dense._set_poses(q)
        w = np.full(count, 2.0)
        w[1::2] = 4.0
        w[[0, -1]] = 1.0
        dense.weights = w / w.sum()
        return dense

    def refine_interval(self, count: int = 2001):
        """Poses of the interval (count, nq), their abscissae, and the index of the coordinate."""
        i = self.system.coordinates.index(self.interval)
        x = np.linspace(self.q[0, i], self.q[-1, i], count)
        q = np.tile(self.q[0], (count, 1))
        q[:, i] = x
        return q, x, i


def trapezoidal_weights(x: ArrayLike) -> np.ndarray:
    """Weights of the trapezoidal rule over increasing abscissae, with the sum one.

    >>> trapezoidal_weights([0.0, 1.0, 3.0])
    array([0.16666667, 0.5       , 0.33333333])
    """
    gaps = np.diff(np.asarray(x, float))
    w = np.append(gaps, 0.0) + np.append(0.0, gaps)
    return w / w.sum()


def check_payloads(system: System, payloads: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Masses [kg] by frame, the same number for each frame."""
    out, problems = {}, []
    for frame, masses in payloads.items():
        if frame not in system.places or frame == "world":
            problems.append(
                unknown_name_message("body or frame", frame, system.places, "balance, payloads")
            )
            continue
        try:
            x = np.atleast_1d(arguments.numbers("balance, payloads", frame, masses, "kg"))
        except ArgumentError as e:
            problems.append(str(e))
            continue
        if x.ndim != 1 or not len(x) or not (x >= 0).all():
            problems.append(
                f"balance: payloads of {frame!r} are {shown(masses)}; expected masses [kg]"
            )
        out[frame] = x
    if len({len(x) for x in out.values()}) > 1:
        problems.append("balance: give as many payloads for each frame; each place is one case")
    if problems:
        raise ArgumentError("\n".join(problems))
    return out


def add_payload_masses(model: Model, frames: Sequence[str]):
    """The model with a point mass on each frame, and the names of the masses."""
    from dataclasses import replace

    from ...joints import Weld
    from ...model import Body, Joint

    model_frames = {f.name: f for f in model.frames}
    names = tuple(f"balance_load{i}" for i in range(len(frames)))
    bodies, joints = [], []
    for name, frame in zip(names, frames, strict=True):
        f = model_frames.get(frame)
        body = frame if f is None else f.body
        at: dict[str, Any] = {} if f is None else {"at": f.at, "rpy": f.rpy, "pose": f.pose}
        bodies.append(Body(name, name))
        joints.append(Joint(f"{name}_mount", body, name, Weld(), **at))
    return replace(
        model,
        bodies=(*model.bodies, *bodies),
        joints=(*model.joints, *joints),
        parameters={**dict(model.parameters), **dict.fromkeys(names, 1.0)},
    ), names


def acceleration_names(system: System) -> list[str]:
    """Names of the signals of all accelerations."""
    return [
        f"{k.name}.acceleration" + ("" if k.joint.nv == 1 else f".{n}")
        for k in system.links
        for n, _ in k.joint.speeds
    ]


def _is_motion(over: Any):
    return any(callable(x) or isinstance(x, str) for x in over.values()) or "time" in over


def sample_joint_space(system: System, base: np.ndarray, count: int = 1500, where: str = "balance"):
    """Halton sequence of poses within the limits of the joints (-pi to pi without limits).

    Coordinates of loops and couplings stay as in `base`.
    """
    from scipy.stats import qmc

    low, high = coordinate_limits(system)
    tied = [system.links[k - 1].q for e in system.held for k in e.links]
    for dependent in tied:  # they follow others
        low[dependent] = high[dependent] = base[dependent]
    unit, slots = coordinate_units(system), range(system.nq)
    for i, n in zip(slots, system.coordinates, strict=True):
        if unit[n] == "m" and not np.isfinite([low[i], high[i]]).all():
            raise TorseurError(f"{where}: the slide {n!r} needs limits=(low, high) [m]")
    low, high = whole_turns(low, high, base)
    return low + (high - low) * qmc.Halton(system.nq, scramble=False).random(count)


__all__ = [
    "JointEfforts",
    "PoseSet",
    "add_payload_masses",
    "dependent_couplings",
    "independent_speed_map",
    "refuse_switched_constraints",
    "sample_joint_space",
    "trapezoidal_weights",
]
