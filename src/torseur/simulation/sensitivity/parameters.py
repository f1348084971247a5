"""Parameters of the variational equations: their names, columns and kernels.

A number of an element is differentiated as a parameter in its place.  `VariationalRun` and
`VariationalRows` are the data that all derivatives of a run read.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...errors import ArgumentError, ModelError, ModelWarning, TorseurError
from ...kernels import Variations
from ...model import Model, field_paths
from ...scalars.values import value
from ...system import System, expressions_with_parameter, initial_values_of_parameter, once

REFUSAL = (
    "sensitivities: a number is differentiated as a parameter in its place, which is refused here; "
    "declare a parameter or an input where one may stand, and name that"
)


class Directions:
    """Names by which a run is differentiated: parameters, inputs, initial coordinates and speeds.

    Attributes
    ----------
    paths, inputs, starts : names of parameters or numbers of elements, of inputs, of the start
    p, u : slots of `paths` in the parameters and of `inputs` in the inputs
    order : all names in the order of columns
    """

    def __init__(self, system: System, names: Iterable[str], stand: Iterable[tuple[str, str]] = ()):
        """Check the names.  `stand` are pairs of a name and the parameter that replaces it."""
        state = {*system.coordinates, *system.speeds}
        slots = _input_slots(system)
        self.names = tuple(dict.fromkeys(names))
        wrong = [n for n in self.names if not isinstance(n, str)]
        if wrong:
            raise ArgumentError(f"simulate: sensitivities = {wrong[0]!r}: expected names")
        stand_ins = dict(stand)  # parameters that replace numbers of inputs of time
        self.starts = [n for n in self.names if n in state and n not in stand_ins]
        self.inputs = [n for n in self.names if n in slots and n not in (*state, *stand_ins)]
        self.paths = [n for n in self.names if n not in (*self.starts, *self.inputs)]
        paths = {n: stand_ins.get(n, n) for n in self.paths}
        if problems := [*_list_problems(system, slots, paths)]:
            raise ArgumentError("\n".join(problems))
        try:
            model, parameters = field_paths.parametrize_paths(system.model, paths.values())
        except TorseurError as e:
            raise ArgumentError(f"{REFUSAL}: {e}") from None
        self.parameter = {n: parameters[p] for n, p in paths.items()}
        is_same = model is system.model or not self.paths
        self.system = system if is_same else _check_parametrized(model, parameters)
        order = list(self.system.parameters)
        self.p = [order.index(self.parameter[n]) for n in self.paths]
        self.u = [slots[n] for n in self.inputs]
        self._kernels: dict[str, Variations] = {}

    def __getstate__(self):
        return {**vars(self), "_kernels": {}}

    def kernels(self, constraints: Any) -> Variations:
        """Kernels of the variational equations, for a solution of the constraints."""
        key = repr(constraints)
        if key not in self._kernels:
            sizes = (tuple(self.p), tuple(self.u), len(self.starts))
            self._kernels[key] = Variations(self.system, *sizes, constraints)
        return self._kernels[key]

    @property
    def order(self) -> list[str]:
        """Names in the order of columns."""
        return [*self.paths, *self.inputs, *self.starts]

    def values(self, p: np.ndarray, u: np.ndarray, y: np.ndarray) -> list[float]:
        """Values of the names, in their order, from parameters, inputs and initial state."""
        s = self.system
        state = dict(zip((*s.coordinates, *s.speeds), y, strict=False))
        return [*p[self.p], *u[self.u], *(state[n] for n in self.starts)]


@once(most=16)
def directions(system: System, names: tuple, stand: tuple = ()) -> Directions:
    """Directions of a system.  Cached, so that a second run starts at once."""
    return Directions(system, names, stand)


class InitialDerivatives(NamedTuple):
    """Derivatives of coordinates and speeds before the initial impact, (names, nq + nv).

    `failures` tells why the assembly fails close to the start, by name.
    """

    state: np.ndarray
    failures: dict[str, str]


class VariationalRun(NamedTuple):
    """The data of a run that its derivatives read.  States and memories are without derivatives."""

    directions: Directions
    kernels: Variations
    p: np.ndarray
    u: np.ndarray
    y: np.ndarray  # state at the start
    untouched: np.ndarray  # state at the start, before the initial impact
    memory_size: int
    t_start: float
    t_end: float | None
    initial: InitialDerivatives | None = None  # None of a run that continues another one

    @property
    def system(self) -> System:
        return self.directions.system

    @property
    def q(self) -> np.ndarray:
        """Coordinates at the start."""
        return self.y[: self.system.nq]

    @property
    def v(self) -> np.ndarray:
        """Speeds at the start."""
        return self.y[self.system.nq : self.system.nq + self.system.nv]


class VariationalRows(NamedTuple):
    """Time points with derivatives behind state and memory.

    Memory and inputs change at events only: `history` holds each once, `which` the entry of each
    row.

    >>> rows = VariationalRows(np.array([0.0, 1.0, 1.0]), np.zeros((3, 2)), np.array([[5.0, 7.0]]),
    ...                        np.zeros(3, int), 1)
    >>> rows.select(np.array([1.0])).memory.tolist()
    [[5.0]]
    >>> rows.select(np.array([1.0, 1.0])).inputs.tolist()
    [[7.0], [7.0]]
    """

    time: np.ndarray
    Y: np.ndarray
    history: np.ndarray  # memory and inputs
    which: np.ndarray
    nm: int  # size of a memory

    @property
    def memory(self) -> np.ndarray:
        return self.history[self.which, : self.nm]

    @property
    def inputs(self) -> np.ndarray:
        return self.history[self.which, self.nm :]

    def select(self, times: np.ndarray) -> VariationalRows:
        """Rows at some times, in order.  Of two rows at one time the first comes first."""
        if len(times) == len(self.time):
            return self
        rows = np.searchsorted(self.time, times)
        for i in np.flatnonzero(times[1:] == times[:-1]):
            rows[i + 1] = rows[i] + 1
        return self._take(rows)

    def select_before(self, when: np.ndarray) -> VariationalRows:
        """Rows at some times before the events there."""
        return self._take(np.searchsorted(self.time, when))

    def _take(self, rows: np.ndarray) -> VariationalRows:
        return self._replace(time=self.time[rows], Y=self.Y[rows], which=self.which[rows])

    def append(self, t: float, y: np.ndarray, history: np.ndarray) -> VariationalRows:
        """With one more row, the end of a run that failed."""
        which = np.append(self.which, len(self.history))
        time, Y = np.append(self.time, t), np.vstack([self.Y, y])
        return VariationalRows(time, Y, np.vstack([self.history, history]), which, self.nm)

    def copy(self) -> VariationalRows:
        """The same in arrays of its own."""
        time, Y = self.time.copy(), self.Y.copy()
        return VariationalRows(time, Y, self.history.copy(), self.which.copy(), self.nm)


def _input_slots(system: System) -> dict[str, int]:
    """Slots in u of inputs by name, those of several numbers as `load[2]`."""
    slots: dict[str, int] = {}
    for name, block in system.layout.inputs.items():
        size = block.stop - block.start
        slots |= {f"{name}[{i}]": block.start + i for i in range(size)}
        if size == 1:
            slots[name] = block.start
    return slots


def _list_problems(
    system: System, slots: Mapping[str, int], paths: Mapping[str, str]
) -> Iterator[str]:
    """Sentences about names without a derivative."""
    model = system.model
    for n, path in paths.items():
        if path in model.parameters:
            continue
        if f"{n}[0]" in slots:
            several = ", ".join(repr(x) for x in slots if x.startswith(f"{n}["))
            yield f"sensitivities: input {n!r} has several numbers; name one: {several}"
            continue
        try:
            x = value.exact(field_paths.read(model, path))
        except TorseurError as e:
            yield f"sensitivities: {e}"
            continue
        if isinstance(x, value.Value):
            yield f"sensitivities: {n!r} is the expression {x}; name the parameters in it"
    for other, x in system.derived.items():
        for n in paths.values():
            if n in value.symbols(x):
                yield (
                    f"sensitivities: {n!r} also gives {other!r}, which is {x}; write that where "
                    f"{other!r} is used, and the derivative is complete"
                )


def refuse_followed(system: System, names: Iterable[str], initial: Any) -> None:
    """Raise an error for a parameter that an initial value depends on.

    A part of the derivative would be missing.
    """
    for n in names:
        given = expressions_with_parameter(initial, n)
        model = [s for s in initial_values_of_parameter(system, n) if s not in (initial or {})]
        if start := next(iter((*given, *model)), ""):
            owner = "" if given else " of the model"
            raise ArgumentError(
                f"sensitivities: {n!r} also gives the start {start!r}{owner}; give "
                f"initial={{{start!r}: ...}} as a number, and name {start!r} too"
            )


def _check_parametrized(model: Model, parameters: Mapping[str, str]) -> System:
    """The system with parameters in the places of numbers.  Errors name the numbers' paths."""
    with warnings.catch_warnings(action="ignore", category=ModelWarning):  # warned before
        try:
            return model.check()
        except ModelError as e:
            message = str(e)
    renamed = [(path, name) for path, name in parameters.items() if path != name]
    for path, name in sorted(renamed, key=lambda x: -len(x[1])):
        message = message.replace(name, path)
    raise ArgumentError(f"{REFUSAL}: {message}")
