"""Inputs that are functions of time, written into the model as laws that depend on time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..errors import ArgumentError, TorseurError, said, shown, unknown_name_message
from ..forces import CoordinateForce, Expression, JointForce, Line, Parallel, TimeCurve
from ..scalars import units
from ..system import System, said_number

if TYPE_CHECKING:
    from ..model import Model

NUMBER_NAME = re.compile(r"(.+)\.(?:(scale)|(values|times)\[(\d+)\])")
"""Name of a number of an input of time: `push.scale`, `push.values[3]`."""


# ---- names of numbers ------------------------------------------------------------------------


def is_time_function(x: Any) -> bool:
    """Whether an input is a function of time: a law, a function, a text, or (times, values)."""
    is_table = isinstance(x, tuple) and len(x) == 2 and np.ndim(x[0]) == 1
    return callable(x) or isinstance(x, str) or is_table


def spoken(system: System, inputs: Mapping[str, Any], who: str = "simulate") -> dict[str, Any]:
    """Inputs with texts that carry a unit, "5 N m", as numbers in SI."""
    input_units = {i.name: i.unit for i in system.inputs}
    return {
        n: said_number(x, input_units[n], system, f"{who}: input {n!r}")
        if n in input_units and units.has_unit(x)
        else x
        for n, x in inputs.items()
    }


def of_input(name: str, inputs: Iterable[str]) -> tuple[str, str, int] | None:
    """Input, field and index of a name of a number of an input of time.  None of other names.

    >>> of_input("push.values[3]", ["push"]), of_input("push.scale", ["pull"])
    (('push', 'values', 3), None)
    """
    m = NUMBER_NAME.fullmatch(name)
    return (m[1], m[2] or m[3], int(m[4] or 0)) if m and m[1] in inputs else None


def factor(name: str) -> str:
    """Name of the parameter that replaces a number of an input of time, or "".

    >>> factor("push.scale"), factor("push.values[3]"), factor("push")
    ('push_scale', 'push_values_3', '')
    """
    return re.sub(r"\W+", "_", name).strip("_") if NUMBER_NAME.fullmatch(name) else ""


def numbers_of(
    time_functions: Mapping[str, Any], names: Iterable[str], who: str
) -> tuple[dict[str, str], dict[str, dict[int, str]]]:
    """Parameters in place of numbers of inputs of time: their scales, and values of tables."""
    scales: dict[str, str] = {}
    values: dict[str, dict[int, str]] = {}
    for name in names:
        number = of_input(name, time_functions)
        if number is None:
            continue
        owner, field, i = number
        x = time_functions[owner]
        if field == "scale":
            scales[owner] = factor(name)
        elif field == "times":
            raise ArgumentError(
                f"{who}: {name!r}: times of a table do not vary; vary its values, write the input "
                "as a text of t with parameters, or choose among tables with ts.studies.Choice"
            )
        elif not isinstance(x, tuple):
            raise ArgumentError(f"{who}: {name!r}: {owner!r} is not given as (times, values)")
        elif i >= np.size(x[1]):
            raise ArgumentError(
                f"{who}: {name!r}: there are {np.size(x[1])} values, counted from 0"
            )
        else:
            values.setdefault(owner, {})[i] = factor(name)
    return scales, values


def named(time_functions: Mapping[str, Any], names: Iterable[str]) -> dict[str, str]:
    """Parameters by the names of the numbers of inputs of time that they replace."""
    return {n: factor(n) for n in names if of_input(n, time_functions) is not None}


# ---- models with inputs of time --------------------------------------------------------------


def write_time_inputs(
    model: Model,
    inputs: Mapping[str, Any],
    t_end: float,
    t_start: float = 0.0,
    factors: Mapping[str, str] | None = None,
    values: Mapping[str, Mapping[int, str]] | None = None,
) -> tuple[Model, dict[str, Any]]:
    """The model with its inputs of time written in, and the inputs that are left.

    An input may be a function of time (arrays in, arrays out; with its `breakpoints`), a motion
    profile (its position), a text of t, or (times, values) with linear interpolation.  A repeated
    time is a jump, and the ends continue.  Inputs of efforts (`Effort`, the motors of drives) can
    be functions of time.  Others raise an error.
    `factors` names parameters, 1 by default, that multiply inputs of time.  `values` names
    parameters for some of the values of (times, values), by index.
    """
    factors, values = factors or {}, values or {}
    time_functions = {n: x for n, x in inputs.items() if is_time_function(x)}
    known = [i.name for i in model.inputs]
    if bad := [
        unknown_name_message("input", n, known, "simulate")
        for n in time_functions
        if n not in known
    ]:
        raise TorseurError("\n".join(bad))
    laws = {
        n: _create_law(n, x, (t_start, t_end), factors.get(n), values.get(n, {}))
        for n, x in time_functions.items()
    }
    forces, joints, used = _replace_inputs(model, laws)
    if unused := sorted(set(laws) - used):
        raise TorseurError(
            f"simulate: input {unused[0]!r} is a function of time, but nothing pushes with it "
            "alone; use ts.Effort(input=...) or the input of a drive, or sample it: control=, "
            "period="
        )
    parameters = dict.fromkeys(factors.values(), 1.0)
    for n, names in values.items():
        parameters |= {name: float(time_functions[n][1][i]) for i, name in names.items()}
    if taken := sorted(set(parameters) & set(model.parameters)):
        raise TorseurError(
            f"simulate: a parameter is named {taken[0]!r} already; an input of time needs that name"
        )
    new = replace(
        model,
        forces=tuple(forces),
        joints=tuple(joints),
        inputs=tuple(i for i in model.inputs if i.name not in laws),
        parameters={**dict(model.parameters), **parameters},
    )
    return new, {n: x for n, x in inputs.items() if n not in laws}


def _replace_inputs(
    model: Model, laws: Mapping[str, Callable[..., Any]]
) -> tuple[list[Any], list[Any], set[str]]:
    """Forces and joints with laws in place of inputs, and the names of the replaced inputs."""
    used: set[str] = set()
    forces, joints = [], []
    for f in model.forces:
        push = f.law.push if f.law is not None else None
        if push is not None and push.input in laws and push.value == 0:
            used.add(push.input)
            f = replace(cast(Any, f), law=laws[push.input](push.gain))
        forces.append(f)
    for j in model.joints:
        d = j.drive
        if d is not None and d.input in laws:
            used.add(d.input)
            N = next(s.ratio for s in d.chain() if s.name == d.motor)
            if d.elastic:
                angle = f"{j.name}.{d.motor}.angle"
                line: Line = CoordinateForce(f"{j.name}_drive", {angle: 1}, laws[d.input](N))
            else:
                line = JointForce(f"{j.name}_drive", j.name, laws[d.input](N))
            forces.append(line)
            j = replace(j, drive=replace(d, input=None))
        joints.append(j)
    return forces, joints, used


def write_into_system(
    system: System, inputs: Mapping[str, Any], t_end: float, who: str
) -> tuple[System, Mapping[str, Any]]:
    """The system with its inputs of time written in, and the other inputs in SI."""
    inputs = spoken(system, inputs, who)
    if not any(map(is_time_function, inputs.values())):
        return system, inputs
    model, inputs = write_time_inputs(system.model, inputs, t_end)
    return model.check(), inputs


# ---- laws ------------------------------------------------------------------------------------


def _create_law(
    name: str,
    x: Any,
    span: tuple[float, float],
    factor: str | None,
    value_names: Mapping[int, str],
) -> Callable[[Any], Any]:
    """A function from a gain to the law of an input of time.

    Linear interpolation is linear in the values of a table, so that each value with a name is the
    factor of a table of its own.
    """
    if not value_names:
        return _create_curve(name, x, span, factor)
    times, values = x[0], np.array(x[1], float)
    unit = np.eye(len(values))
    others = np.where([i in value_names for i in range(len(values))], 0.0, values)
    parts = [_create_curve(name, (times, others), span, factor)]
    for i, value in value_names.items():
        product = value if factor is None else f"{value}*{factor}"
        parts.append(_create_curve(name, (times, unit[i]), span, product))
    return lambda gain: Parallel(*(part(gain) for part in parts))


def _create_curve(
    name: str, x: Any, span: tuple[float, float], factor: str | None = None
) -> Callable[[Any], Any]:
    """A function from a gain to the law of an input, by a curve fitted to it over the span [s]."""

    def scale(gain):
        return gain if factor is None else f"({gain})*{factor}"

    if isinstance(x, str):
        return lambda gain: Expression(f"-({scale(gain)})*({x})", work="supplied")
    if isinstance(x, tuple):
        x = _LinearTable(name, *x)
    t_start, t_end = span
    kinks = [float(k) for k in getattr(x, "breakpoints", ())]
    end = min(t_end, getattr(x, "last", t_end))
    end = end if end > t_start else t_end  # the curve ends with its table, which runs report
    kinks = sorted({t_start, end, *(k for k in kinks if t_start < k < end)})

    def evaluate(t: np.ndarray) -> np.ndarray:
        y = x(t)
        y = np.asarray(y[0] if isinstance(y, tuple) else y, float)  # a motion profile: position
        if y.shape != np.shape(t):
            y = np.array([np.asarray(x(float(s)), float).ravel()[0] for s in t])
        if not np.isfinite(y).all():
            raise ArgumentError(f"simulate: input {name!r} is not finite over the run")
        return y

    try:
        curve = TimeCurve.along(evaluate, kinks)
    except (TypeError, ValueError) as e:
        raise ArgumentError(
            f"simulate: input {name!r} is {shown(x)}; expected a function of the time: {said(e)}"
        ) from None
    return lambda gain: TimeCurve(curve.pieces, scale(gain))


class _LinearTable:
    """Linear interpolation between times, as of `TimeTable`.  A repeated time is a jump."""

    def __init__(self, name: str, times: Sequence[float], values: Sequence[float]):
        """Check a table of an input."""
        t, y = np.asarray(times, float), np.asarray(values, float)
        if t.shape != y.shape or len(t) < 2 or not (np.diff(t) >= 0).all():
            raise ArgumentError(
                f"simulate: input {name!r}: expected growing times and as many values, got the "
                f"shapes {t.shape} and {y.shape}"
            )
        self.times, self.values, self.last = t, y, float(t[-1])
        self.breakpoints = tuple(t.tolist())

    def __call__(self, t: np.ndarray) -> np.ndarray:
        return np.interp(t, self.times, self.values)
