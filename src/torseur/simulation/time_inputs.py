"""Inputs that are functions of time: written into the model as pushes of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np

from ..errors import ArgumentError, TorseurError, said, shown, unknown_name
from ..forces import CoordinateForce, Expression, JointForce, Line, Parallel, TimeCurve
from ..scalars import units
from ..system import said_number

# --------------------------------------------------------------------------------------------
# Names of numbers of inputs of time: `push.scale`, `push.values[3]`.


OF_INPUT = re.compile(r"(.+)\.(?:(scale)|(values|times)\[(\d+)\])")


def is_timed(x) -> bool:
    """Whether an input is a function of time: a law, a function, a text, or (times, values)."""
    return (
        callable(x)
        or isinstance(x, str)
        or (isinstance(x, tuple) and len(x) == 2 and np.ndim(x[0]) == 1)
    )


def spoken(system, inputs: Mapping[str, Any], who: str = "simulate") -> dict[str, Any]:
    """Inputs with texts that carry a unit, "5 N m", as numbers in SI."""
    wanted = {i.name: i.unit for i in system.inputs}
    return {
        n: said_number(x, wanted[n], system, f"{who}: input {n!r}")
        if n in wanted and units.has_unit(x)
        else x
        for n, x in inputs.items()
    }


def of_input(name: str, inputs: Iterable[str]) -> tuple[str, str, int] | None:
    """What `push.scale` and `push.values[3]` say of an input of time; None of anything else.

    >>> of_input("push.values[3]", ["push"]), of_input("push.scale", ["pull"])
    (('push', 'values', 3), None)
    """
    m = OF_INPUT.fullmatch(name)
    return (m[1], m[2] or m[3], int(m[4] or 0)) if m and m[1] in inputs else None


def factor(name: str) -> str:
    """The parameter that stands for a number of an input of time that is written into a model.

    >>> factor("push.scale"), factor("push.values[3]"), factor("push")
    ('push_scale', 'push_values_3', '')
    """
    return re.sub(r"\W+", "_", name).strip("_") if OF_INPUT.fullmatch(name) else ""


def numbers_of(
    timed: Mapping[str, Any], names: Iterable[str], who: str
) -> tuple[dict[str, str], dict[str, dict[int, str]]]:
    """Parameters for numbers of inputs of time: their scales, and values of their tables."""
    scales: dict[str, str] = {}
    values: dict[str, dict[int, str]] = {}
    for name in names:
        found = of_input(name, timed)
        if found is None:
            continue
        owner, what, i = found
        given = timed[owner]
        if what == "scale":
            scales[owner] = factor(name)
        elif what == "times" or not isinstance(given, tuple):
            remedy = (
                "times of a table do not vary; vary its values, write the input as a text of t with"
                " parameters, or choose among tables with ts.studies.Choice"
                if what == "times"
                else f"{owner!r} is not given as (times, values)"
            )
            raise ArgumentError(f"{who}: {name!r}: {remedy}")
        elif i >= np.size(given[1]):
            raise ArgumentError(
                f"{who}: {name!r}: there are {np.size(given[1])} values, counted from 0"
            )
        else:
            values.setdefault(owner, {})[i] = factor(name)
    return scales, values


def named(timed: Mapping[str, Any], names: Iterable[str]) -> dict[str, str]:
    """Parameters that stand for those of the names that are numbers of inputs of time."""
    return {n: factor(n) for n in names if of_input(n, timed) is not None}


def with_functions(
    model,
    inputs: Mapping,
    t_end: float,
    t_start: float = 0.0,
    factors: Mapping[str, str] | None = None,
    values: Mapping[str, Mapping[int, str]] | None = None,
):
    """The model with its inputs of time written in, and the inputs that are left.

    An input may be a function of time (arrays in, arrays out; its `breakpoints` are kept), a motion
    law (its position), a text of t, or (times, values), straight between them; a repeated time is
    a jump, the ends are held.  Inputs
    that push (`Effort`, the motors of drives) can be such; elsewhere they are refused by name.
    `factors` names parameters, 1 by themselves, that inputs of time are multiplied by; `values`
    names parameters for some of the values of (times, values), by their places.
    """
    factors, values = factors or {}, values or {}
    timed = {n: x for n, x in inputs.items() if is_timed(x)}
    known = [i.name for i in model.inputs]
    if bad := [unknown_name("input", n, known, "simulate") for n in timed if n not in known]:
        raise TorseurError("\n".join(bad))
    laws = {
        n: _law_of_values(n, x, t_start, t_end, factors.get(n), values.get(n, {}))
        for n, x in timed.items()
    }
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
                at = f"{j.name}.{d.motor}.angle"
                line: Line = CoordinateForce(f"{j.name}_drive", {at: 1}, laws[d.input](N))
            else:
                line = JointForce(f"{j.name}_drive", j.name, laws[d.input](N))
            forces.append(line)
            j = replace(j, drive=replace(d, input=None))
        joints.append(j)
    if left := sorted(set(laws) - used):
        raise TorseurError(
            f"simulate: input {left[0]!r} is a function of time, but nothing pushes with it alone; "
            "use ts.Effort(input=...) or the input of a drive, or sample it: control=, period="
        )
    names = dict.fromkeys(factors.values(), 1.0)
    for n, own in values.items():
        names |= {name: float(timed[n][1][i]) for i, name in own.items()}
    if taken := sorted(set(names) & set(model.parameters)):
        raise TorseurError(
            f"simulate: a parameter is named {taken[0]!r} already; an input of time needs that name"
        )
    made = replace(
        model,
        forces=tuple(forces),
        joints=tuple(joints),
        inputs=tuple(i for i in model.inputs if i.name not in laws),
        parameters={**model.parameters, **names},
    )
    return made, {n: x for n, x in inputs.items() if n not in laws}


def written_in(system, inputs: Mapping, t_end: float, who: str):
    """The system with its inputs of time written in, and the others, texts with units in SI."""
    inputs = spoken(system, inputs, who)
    if not any(map(is_timed, inputs.values())):
        return system, inputs
    made, inputs = with_functions(system.model, inputs, t_end)
    return made.check(), inputs


def _law_of_values(name, x, t_start, t_end, factor, named: Mapping[int, str]):
    """As `_law`; what is named of a table's values is a factor of a curve of its own: straight
    lines are linear in their values.
    """
    if not named:
        return _law(name, x, t_start, t_end, factor)
    times, given = x[0], np.array(x[1], float)
    unit = np.eye(len(given))
    rest = np.where([i in named for i in range(len(given))], 0.0, given)
    parts = [_law(name, (times, rest), t_start, t_end, factor)]
    for i, own in named.items():
        both = own if factor is None else f"{own}*{factor}"
        parts.append(_law(name, (times, unit[i]), t_start, t_end, both))
    return lambda gain: Parallel(*(part(gain) for part in parts))


def _law(name, x, t_start, t_end, factor: str | None = None):
    """A function from a gain to the law that pushes."""

    def whole(gain):
        return gain if factor is None else f"({gain})*{factor}"

    if isinstance(x, str):
        return lambda gain: Expression(f"-({whole(gain)})*({x})", work="supplied")
    if isinstance(x, tuple):
        x = _Straight(name, *x)
    kinks = [float(k) for k in getattr(x, "breakpoints", ())]
    end = min(t_end, getattr(x, "last", t_end))
    end = end if end > t_start else t_end  # where a table ends its curve does, which runs tell
    kinks = sorted({t_start, end, *(k for k in kinks if t_start < k < end)})

    def values(t):
        y = x(t)
        y = np.asarray(y[0] if isinstance(y, tuple) else y, float)  # a motion law: its position
        if y.shape != np.shape(t):
            y = np.array([np.asarray(x(float(s)), float).ravel()[0] for s in t])
        if not np.isfinite(y).all():
            raise ArgumentError(f"simulate: input {name!r} is not finite over the run")
        return y

    try:
        curve = TimeCurve.along(values, kinks)
    except (TypeError, ValueError) as e:
        raise ArgumentError(
            f"simulate: input {name!r} is {shown(x)}; expected a function of the time: {said(e)}"
        ) from None
    return lambda gain: TimeCurve(curve.pieces, whole(gain))


class _Straight:
    """Values at times, straight between them as `TimeTable` is; a repeated time is a jump."""

    def __init__(self, name, times, values):
        t, y = np.asarray(times, float), np.asarray(values, float)
        if t.shape != y.shape or len(t) < 2 or not (np.diff(t) >= 0).all():
            raise ArgumentError(
                f"simulate: input {name!r}: expected growing times and as many values, got the "
                f"shapes {t.shape} and {y.shape}"
            )
        self.times, self.values, self.last = t, y, float(t[-1])
        self.breakpoints = tuple(t.tolist())

    def __call__(self, t):
        return np.interp(t, self.times, self.values)
