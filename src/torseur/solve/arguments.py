"""Numeric arguments of runs and other problems: times, tolerances, output rows, parameters, inputs.

Errors name the argument and its value as the user gave it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError, ModelError, TorseurError, said, shown, unknown_name_message
from ..model import parameter_units
from ..scalars import arguments, units
from ..system import unfit, unfit_rows

if TYPE_CHECKING:
    from ..system import System

ROWS = 1001  # rows of a run unless said


def seconds(name: str, x: Any, where: str = "simulate") -> float:
    """Time [s] from a number or a text with a unit, "150 ms"."""
    try:
        return float(spoken(x, "s", f"{where}: {name}"))
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"{where}: {name} = {shown(x)}; expected a number of seconds") from None


def spoken(x: Any, unit: str | None, where: str) -> Any:
    """Numbers, with texts that carry a unit converted to SI.  Anything else unchanged.

    >>> spoken(["50 ms", 1], "s", "output"), spoken("40 kN/m", None, "parameter 'k'")
    ([0.05, 1], 40000.0)
    """
    if isinstance(x, list | tuple):
        return [spoken(e, unit, where) for e in x]
    try:
        return units.floating(x, unit) if units.has_unit(x) else x
    except ValueError as e:
        raise ArgumentError(f"{where} = {shown(x)}: {said(e)}") from None


def finite(what: str, x: Any) -> float:
    """A finite number."""
    try:
        number = float(x)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if not np.isfinite(number):
        raise ArgumentError(f"simulate: {what}: expected a finite number, got {shown(x)}")
    return number


def positive(x: Any) -> bool:
    """Whether a number, or every number of an array, is finite and greater than zero."""
    if type(x) is float:
        return 0 < x < np.inf
    try:
        numbers = np.asarray(x, dtype=float)
        return bool(np.all(numbers > 0) and np.isfinite(numbers).all())
    except (TypeError, ValueError, OverflowError):
        return False


def spacing(t_start: float, t_end: float | None, step: Any, max_step: Any) -> float:
    """Duration of a run [s].  An error if its steps are too small to change the time."""
    for name, x in (("t_start", t_start), ("t_end", 0.0 if t_end is None else t_end)):
        if not np.isfinite(x):
            raise TorseurError(f"{name} = {x} s; expected a finite number of seconds")
    span = 1.0 if t_end is None else t_end - t_start
    if span < 0:
        raise TorseurError(f"t_end = {t_end} s lies before the start, {t_start} s")
    least = float(np.spacing(max(abs(t_start), abs(t_start + span))))
    for name, x in (("step", step), ("max_step", max_step)):
        if x is None or (name == "max_step" and x == np.inf):
            continue
        if not positive(x):
            raise TorseurError(f"{name} = {x} s; use more than zero")
        if x < least:
            raise TorseurError(
                f"{name} = {x} s is less than rounding of the time, {least:.2g} s; "
                "the clock would stand still"
            )
    return span


FINEST = 4 * float(np.finfo(float).eps)
"""Of relative tolerances: numbers have no more digits."""


def tolerances(rtol: Any, atol: Any, where: str) -> None:
    """Raise an error for tolerances that cannot be met."""
    for name, x in (("rtol", rtol), ("atol", atol)):
        if not positive(x) or isinstance(x, str):
            raise ArgumentError(f"{where}: {name} = {shown(x)}; use a number greater than zero")
    if np.ndim(rtol) or rtol < FINEST:
        raise ArgumentError(
            f"{where}: rtol = {rtol!r} asks for more digits than numbers have; use one number, "
            f"{FINEST:.2g} or more (1e-12 is about the finest that steps can follow)"
        )


def count_rows(output: Any) -> int:
    """Number of rows that `output` asks for, before they are computed.  0 if it does not say."""
    if output is None or isinstance(output, str):
        return 0
    if isinstance(output, list | tuple) or np.ndim(output):
        return len(output)
    return int(output) if arguments.is_count(output) else 0


def names(values: Any, argument: str) -> tuple:
    """One name, several or none, as a tuple."""
    if values is None or isinstance(values, str):
        return () if values is None else (values,)
    try:
        return tuple(values)
    except TypeError:
        raise ArgumentError(f"simulate: {argument} = {shown(values)}; expected names") from None


def rows(output: Any, t_start: float, t_end: float | None) -> tuple[np.ndarray, int]:
    """Times [s] of output rows, and whether every step is one."""

    def wrong():
        return TorseurError(f"output={shown(output)}: expected 'steps', a number of rows, or times")

    if isinstance(output, str):
        if output != "steps":
            raise wrong()
        return np.zeros(0), 1
    if output is None or (not isinstance(output, list | tuple) and np.ndim(output) == 0):
        count = ROWS if output is None else output
        if not arguments.is_count(count):
            raise wrong()
        if t_end is None:
            return np.zeros(0), 1
        return np.linspace(t_start, t_end, max(2, int(count))), 0
    try:
        grid = np.asarray(spoken(output, "s", "output"), dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise wrong() from None
    if grid.ndim != 1 or not np.isfinite(grid).all():
        raise wrong()
    if (np.diff(grid) <= 0).any() or (len(grid) and grid[0] < t_start):
        raise TorseurError("output times must grow, from the start of the run on")
    if t_end is not None and len(grid) and grid[-1] > t_end + 1e-9 * max(1.0, abs(t_end)):
        raise TorseurError(f"output asks for t = {grid[-1]:g} s, after the end at {t_end:g} s")
    return np.ascontiguousarray(grid), 0


class CheckedParameters(dict):
    """Values of parameters that were checked before."""


def parameter_values(system: System, values: Any) -> np.ndarray:
    """Parameters of a system in their order, with some values replaced."""
    p = _numbers(system, values)
    if (
        values
        and not isinstance(values, CheckedParameters)
        and (bad := unfit(system, dict(zip(system.parameters, p.tolist(), strict=True))))
    ):
        raise ModelError(bad)
    return p


def parameter_rows(system: System, values: Any, count: int) -> tuple[np.ndarray, dict[int, str]]:
    """Parameters of many runs, one row each, and the faults of some by index.

    Every name has one number for all runs, or an array with one a run.
    """
    names = list(system.parameters)
    P = np.tile(_numbers(system, {n: np.ravel(x)[0] for n, x in values.items()}), (count, 1))
    for name, x in values.items():
        P[:, names.index(name)] = x
    wrong: dict[int, str] = {}
    if values and system.derived:
        for row in P:
            own = dict(zip(names, row.tolist(), strict=True))
            row[:] = list(system.valued({n: own[n] for n in values}).values())
    if values:
        wrong = unfit_rows(system, names, P)
    if count and len(wrong) == count:
        raise ModelError(dict.fromkeys(wrong.values()))
    return P, wrong


def _numbers(system: System, values: Any) -> np.ndarray:
    """Finite numbers for every parameter."""
    known = system.parameters
    values = arguments.mapping("simulate", "parameters", arguments.named(values), "{'k': 40.0}")
    check_units(system, values, "simulate")
    bad = [
        unknown_name_message("parameter", n, known, "simulate") for n in values if n not in known
    ]
    values = {n: spoken(x, None, f"simulate: parameter {n!r}") for n, x in values.items()}
    values = system.valued(values)
    bad += [
        f"parameter {n!r} has no value; give parameters={{{n!r}: ...}}"
        for n, x in values.items()
        if x is None
    ]
    if bad:
        raise TorseurError("\n".join(bad))
    return np.array([finite(f"parameter {n!r}", x) for n, x in values.items()])


def check_units(system: System, values: Any, where: str) -> None:
    """Raise an error for parameters whose texts have a unit that does not fit their places."""
    bad = [
        f"{where}: parameter {n!r}: {why}"
        for name, x in (values.items() if isinstance(values, Mapping) else ())
        if isinstance(x, str | list | tuple)
        for text in ([x] if isinstance(x, str) else x)
        for n, why in parameter_units.misfits(system.model, parameter_units.texts({name: text}))
    ]
    if bad:
        raise ArgumentError("\n".join(bad))


def input_values(system: System, values: Any) -> tuple[dict[str, slice], np.ndarray]:
    """Slots of the inputs of a system, and all inputs as one array.  Inputs without a value are
    zero.
    """
    slots = system.layout.inputs
    if not isinstance(values, Mapping):
        raise ArgumentError(
            f"simulate: inputs = {shown(values)}; expected a dictionary, such as {{'torque': 3.0}}"
        )
    u = np.zeros(len(system.layout.u))
    for name, x in values.items():
        write_input(slots, u, name, x)
    return slots, u


def write_input(
    slots: Mapping[str, slice], u: np.ndarray, name: str, x: Any, when: str = ""
) -> None:
    """Write the value of an input to its slots in `u`, or raise an error."""
    if name not in slots:
        raise TorseurError(unknown_name_message("input", name, slots, "simulate"))
    if callable(x) or isinstance(x, str):
        raise ArgumentError(
            f"simulate: input {name!r} is {shown(x)}, but an input holds its value; a function "
            "of time is a law, ts.Expression('-3*sin(2*t)', work='supplied'), a tension, or "
            "ts.TimeTable, and a sampled one a controller: "
            f"control=lambda t, q, v: {{{name!r}: ...}}, "
            "period=0.001"
        )
    try:
        x = np.atleast_1d(np.asarray(x, dtype=float))
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"input {name!r} is {shown(x)}; expected numbers") from None
    size = slots[name].stop - slots[name].start
    if x.shape != (size,):
        raise TorseurError(f"input {name!r} takes {size} numbers, got an array of shape {x.shape}")
    if not np.isfinite(x).all():
        raise ArgumentError(f"input {name!r} is {shown(x)}{when}; expected finite numbers")
    u[slots[name]] = x
