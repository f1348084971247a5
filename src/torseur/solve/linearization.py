"""Linearization about a state, and normal modes.  Theory: LI.2, LI.3, LI.6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import TorseurError, needs, unknown_name_message
from ..views import PrintedAnswer, tabled
from .operating_point import OperatingPoint, small_motions

if TYPE_CHECKING:
    import pandas

    from ..model import Model
    from ..system import System

MAX_REST_ACCELERATION = 1e-6  # m/s2 or rad/s2: an acceleration that is none


@dataclass(frozen=True, eq=False, repr=False)
class Linear(PrintedAnswer):
    """Linear model `xdot = A x + B u` about a state; x = (small motions, speeds, states of
    elements).

    `mass`, `damping`, `stiffness` (short `M`, `C`, `K`) are the matrices of the second-order form
    `M a + C v + K d = forces`.  The outputs (by default x itself) are `output_matrix` x +
    `feedthrough` u.  `state_space` has all four as A, B, C, D, for `to_control()` and SciPy.

    `d(elbow.angle)` is the small motion of a coordinate.  Where speeds are not rates of coordinates
    (free bodies, quaternions), the small motion along a speed has its name: `d(fly.wx)` is a small
    rotation about the body's x axis.  Where constraints restrict speeds but not positions
    (rolling), there are more small motions than speeds.
    """

    A: np.ndarray
    B: np.ndarray
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    M: np.ndarray  # mass matrix of the speeds that lead
    output_matrix: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)), repr=False)
    outputs: tuple[str, ...] = ()  # rows of the output matrix; see `state_space`
    feedthrough: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)), repr=False)

    @property
    def mass(self) -> np.ndarray:
        """Mass matrix of the independent speeds: `M`."""
        return self.M

    @property
    def damping(self) -> np.ndarray:
        """Damping and gyroscopic matrix: `C` of the second-order form."""
        return self.C

    @property
    def stiffness(self) -> np.ndarray:
        """Stiffness matrix: `K`."""
        return self.K

    @property
    def C(self) -> np.ndarray:
        """Damping and gyroscopic matrix of `M a + C v + K d = forces`, d the small motions."""
        n, f = self._sizes
        return -self.M @ self.A[n : n + f, n : n + f]  # LI.15

    @property
    def K(self) -> np.ndarray:
        """Stiffness matrix of `M a + C v + K d = forces`: (speeds, small motions)."""
        n, f = self._sizes
        return -self.M @ self.A[n : n + f, :n]

    @property
    def _sizes(self) -> tuple[int, int]:
        return sum(x.startswith("d(") for x in self.states), len(self.M)

    @property
    def state_space(self) -> StateSpace:
        """`A, B, C, D` of `x' = A x + B u`, `y = C x + D u`, with names."""
        C, D = self.output_matrix, self.feedthrough
        return StateSpace(self.A, self.B, C, D, self.states, self.inputs, self.outputs)

    def to_control(self) -> Any:
        """The model as a `control.StateSpace` of python-control, with its names: `elbow_rate`,
        since that library has no dots in names.

        Needs the extra `control`: `pip install torseur[control]`.
        """
        with needs("control", "to_control", "take A, B, C, D of .state_space"):
            import control

        A, B, C, D, states, inputs, outputs = self.state_space
        each = {"states": states, "inputs": inputs, "outputs": outputs}
        named = {what: [n.replace(".", "_") for n in names] for what, names in each.items()}
        return control.ss(A, B, C, D, **named)

    @property
    def eigenvalues(self) -> np.ndarray:
        return np.linalg.eigvals(self.A)

    def to_pandas(self) -> tuple[pandas.DataFrame, pandas.DataFrame]:
        """A and B as tables with their names: `(A, B)`."""
        with needs("tables", "to_pandas"):
            import pandas

        rows = [f"rate of {n}" for n in self.states]
        return (
            pandas.DataFrame(self.A, rows, self.states),
            pandas.DataFrame(self.B, rows, self.inputs),
        )

    def _repr_html_(self) -> str:
        table = np.hstack([self.A, self.B])
        rows = [
            (f"rate of {n}", *map(float, row)) for n, row in zip(self.states, table, strict=True)
        ]
        return tabled("Linear model", ("", *self.states, *self.inputs), rows)

    def __str__(self) -> str:
        """Table of A and B with the names of states and inputs."""
        columns = [*self.states, *self.inputs]
        name_width = max(map(len, columns), default=0)
        width = max(12, *(len(n) + 2 for n in columns)) if columns else 12
        lines = [" " * (name_width + 9) + "".join(f"{n:>{width}}" for n in columns)]
        for name, row in zip(self.states, np.hstack([self.A, self.B]), strict=True):
            lines.append(
                f"rate of {name:<{name_width}} " + "".join(f"{x + 0.0:>{width}.5g}" for x in row)
            )
        return "\n".join(lines)


def linearize(
    model: Model | System,
    at: Mapping[str, float] | None = None,
    *,
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, Any] | None = None,
    outputs: Sequence[str] | None = None,
    t: float = 0.0,
    keep: Sequence[str] | None = None,
) -> Linear:
    """Linear model about a state of rest or motion, by exact derivatives of the graph.

    `at` has coordinates and speeds by name, which an assembly does not change.  `keep` names those
    that must not change where others are guesses.  `t` [s] is the time, where constraints or
    placements depend on it.

    `outputs` name coordinates, speeds, accelerations of joints ("elbow.acceleration"), and
    positions and velocities of frames ("tool.position.x", "tool.velocity.z"); by default every
    state.

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
    >>> pendulum = ts.Model(bodies=(rod,),
    ...                     joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
    >>> print(linearize(pendulum))
                             d(pivot.angle)      pivot.rate
    rate of d(pivot.angle)                0               1
    rate of pivot.rate                -9.81               0
    """
    point = OperatingPoint(model, at, parameters, inputs, t, keep, "linearize")
    point.check_differentiability("linearize")
    s = point.system
    A, B = point.linear_model()
    motions = small_motions(s)
    element_states = s.layout.z.names[s.layout.states]
    states = (
        *(f"d({motions[i]})" for i in point.independent_q),
        *(s.speeds[i] for i in point.independent),
        *element_states,
    )
    output_names = states if outputs is None else tuple(outputs)
    C, D = np.eye(len(states)), np.zeros((len(output_names), B.shape[1]))
    if outputs is not None:
        C = _output_rows(point, output_names, A, B, D)
    return Linear(A, B, states, s.layout.u.names, point.mass(), C, output_names, D)


class StateSpace(NamedTuple):
    """`x' = A x + B u`, `y = C x + D u`, with the names of x, u and y."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def _output_rows(
    point: OperatingPoint, outputs: Sequence[str], A: np.ndarray, B: np.ndarray, D: np.ndarray
) -> np.ndarray:
    """Rows of C: derivatives of the outputs by the states.  Writes D (LI.16)."""
    s, n, f = point.system, len(point.independent_q), len(point.independent)
    motions = small_motions(s)
    known_outputs = (*motions, *s.speeds, *(f"{p}.position.x" for p in s.places))
    acceleration_speeds = {
        f"{k.name}.acceleration" + ("" if k.joint.nv == 1 else f".{x}"): k.v.start + i
        for k in s.owners
        for i, (x, _) in enumerate(k.joint.speeds)
    }
    known_outputs = (*known_outputs, *acceleration_speeds)
    C = np.zeros((len(outputs), len(A)))
    faults = []
    for row, feedthrough, name in zip(C, D, outputs, strict=True):
        frame, _, rest = name.partition(".")
        quantity, _, axis = rest.partition(".")
        if name in motions:
            row[:n] = point.T_q[motions.index(name)]
        elif name in s.speeds and (
            point.constraints is None or s.speeds.index(name) in point.independent
        ):
            row[n : n + f] = point.T[s.speeds.index(name)]
        elif acceleration_speeds.get(name) in point.independent:
            i = n + point.independent.index(acceleration_speeds[name])
            row[:], feedthrough[:] = A[i], B[i]
        elif frame in s.places and quantity in ("position", "velocity") and axis in ("x", "y", "z"):
            from ..kernels import compile

            dyn, i = compile(s), "xyz".index(axis) + 3
            J = dyn.jacobian(frame, point.q, t=point.t)[i]
            if quantity == "position":
                row[:n] = J @ point.T_q
            elif point.constraints is None and not s.rheonomic:
                row[n : n + f] = J @ point.T
                row[:n] = [dyn.jacobian_rate(frame, point.q, d)[i] @ point.v for d in point.T_q.T]
            else:
                faults.append(
                    f"linearize: {name!r}: velocities are outputs of open chains on fixed bases"
                )
        elif name in s.speeds or name in acceleration_speeds:
            faults.append(
                f"linearize: {name!r} follows others; name a speed that leads: "
                f"{', '.join(s.speeds[i] for i in point.independent)}"
            )
        else:
            faults.append(unknown_name_message("output", name, known_outputs, "linearize"))
    if faults:
        raise TorseurError("\n".join(faults))
    return C


@dataclass(frozen=True, eq=False, repr=False)
class Modes(PrintedAnswer):
    """Normal modes about a pose, sorted by frequency."""

    omega: np.ndarray  # natural angular frequencies [rad/s]
    frequency: np.ndarray  # [Hz]
    damping: np.ndarray  # ratios; one without oscillation, less than zero if it grows
    eigenvalues: np.ndarray
    shapes: np.ndarray  # (mode, speed), largest entry one
    speeds: tuple[str, ...]
    coordinates: tuple[str, ...]  # what each speed moves: its coordinate, where it has one
    note: str = ""  # what is to be known about the pose

    def __len__(self) -> int:
        return len(self.omega)

    def _repr_html_(self) -> str:
        """Table of the modes, for notebooks."""
        rows = [
            (float(w), float(f), float(z), *map(_format_polar, shape))
            for w, f, z, shape in zip(
                self.omega, self.frequency, self.damping, self.shapes, strict=True
            )
        ]
        heads = ("omega [rad/s]", "frequency [Hz]", "damping", *self.coordinates)
        said = f"<p>{escape(self.note)}</p>" if self.note else ""
        return tabled("Modes", heads, rows) + said

    def __str__(self) -> str:
        """Table of the modes with their largest components."""
        lines = ["  omega [rad/s]   frequency [Hz]   damping   shape"]
        for w, f, z, shape in zip(
            self.omega, self.frequency, self.damping, self.shapes, strict=True
        ):
            parts = "  ".join(
                f"{n}: {_format_polar(x)}"
                for n, x in zip(self.coordinates, shape, strict=True)
                if abs(x) > 0.01
            )
            lines.append(f"{w:>15.8g}{f:>17.8g}{round(z, 4) + 0.0:>10.4f}   {parts}")
        return "\n".join([*lines, *[self.note] * bool(self.note)])


def _format_polar(x: complex) -> str:
    """Component of a mode shape: a signed number, or magnitude and phase."""
    if abs(x.imag) <= 0.005 * abs(x):
        return f"{round(x.real, 3) + 0.0:+.3f}"
    return f"{abs(x):.3f} at {np.degrees(np.angle(x)):+.0f} deg"


def modes(
    model: Model | System,
    at: Mapping[str, float] | None = None,
    *,
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, Any] | None = None,
    keep: Sequence[str] | None = None,
) -> Modes:
    """Natural frequencies, damping ratios and mode shapes about a pose at rest.

    `at` has coordinates by name, which an assembly does not change, or only those that `keep`
    names.

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
    >>> pendulum = ts.Model(bodies=(rod,),
    ...                     joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
    >>> print(modes(pendulum))
      omega [rad/s]   frequency [Hz]   damping   shape
           3.132092       0.49848792    0.0000   pivot.angle: +1.000
    """
    point = OperatingPoint(model, at, parameters, inputs, keep=keep, where="modes")
    point.check_time_invariance("modes")
    point.check_differentiability("modes")
    accelerations = point.rates()[: len(point.independent)]
    A, _ = point.linear_model()
    values, vectors = np.linalg.eig(A)
    nv = len(point.independent_q)
    size = max(1.0, abs(values).max(initial=0))
    order = [i for i in range(len(values)) if values[i].imag > 1e-9 * size]
    order += [i for i in range(len(values)) if abs(values[i].imag) <= 1e-9 * size]
    order.sort(key=lambda i: abs(values[i]))
    values, shapes = values[order], (point.T_q @ vectors[:nv, order]).T
    for shape in shapes:
        k = int(np.argmax(abs(shape))) if nv else 0
        if nv and abs(shape[k]) > 0:
            shape /= shape[k]
    omega = abs(values)  # LI.3
    damping = np.where(omega > 1e-12 * size, -np.real(values) / np.where(omega > 0, omega, 1), 0.0)
    return Modes(
        omega,
        omega / (2 * np.pi),
        damping + 0.0,
        values,
        shapes,
        point.system.speeds,
        tuple(small_motions(point.system)),
        _note_unrest(point, accelerations),
    )


def _note_unrest(point: OperatingPoint, accelerations: np.ndarray) -> str:
    """A sentence if the pose is no equilibrium, or ""."""
    if not np.abs(accelerations).max(initial=0.0) > MAX_REST_ACCELERATION:
        return ""
    i = int(np.argmax(np.abs(accelerations)))
    speed = point.system.speeds[point.independent[i]]
    return (
        f"no equilibrium: {speed} changes by {accelerations[i]:.4g} a second here; these are modes "
        "only if something else holds the pose (see ts.equilibrium)"
    )


__all__ = ["Linear", "Modes", "linearize", "modes"]
