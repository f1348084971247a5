"""Inputs that are functions of time: written into the model as pushes of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np

from ..errors import ArgumentError, TorseurError, said, shown, unknown_name
from ..forces import CoordinateForce, Expression, JointForce, Line, Parallel, TimeCurve
from .of_timed import is_timed


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
    law (its position), a text of t, or (times, values), splined between repeated times.  Inputs
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


def _law_of_values(name, x, t_start, t_end, factor, named: Mapping[int, str]):
    """As `_law`; what is named of a table's values is a factor of a curve of its own: splines are
    linear in their values.
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
        x = _Splined(name, *x)
    kinks = [float(k) for k in getattr(x, "breakpoints", ())]
    kinks = sorted({t_start, t_end, *(k for k in kinks if t_start < k < t_end)})

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


class _Splined:
    """Values at times, splined where times grow; a repeated time is a jump."""

    def __init__(self, name, times, values):
        t, y = np.asarray(times, float), np.asarray(values, float)
        if t.shape != y.shape or len(t) < 2 or (np.diff(t) < 0).any():
            raise ArgumentError(
                f"simulate: input {name!r}: expected growing times and as many values, got the "
                f"shapes {t.shape} and {y.shape}"
            )
        cuts = np.flatnonzero(np.diff(t) <= 1e-12 * max(abs(t[0]), abs(t[-1]), 1e-300)) + 1
        from scipy.interpolate import make_interp_spline

        self.parts = []
        for a, b in zip([0, *cuts], [*cuts, len(t)], strict=True):
            if b - a > 1:
                self.parts.append((t[a], make_interp_spline(t[a:b], y[a:b], min(5, b - a - 1))))
        self.ends = float(t[0]), float(t[-1]), float(y[0]), float(y[-1])
        self.breakpoints = (float(t[0]), *(float(t[c]) for c in cuts), float(t[-1]))

    def __call__(self, t):
        first, last, y0, y1 = self.ends
        out = np.full(np.shape(t), y0)
        for start, spline in self.parts:
            out = np.where(t >= start, spline(np.clip(t, first, last)), out)
        return np.where(t < first, y0, np.where(t > last, y1, out))


__all__ = ["with_functions"]
