"""Names of numbers of inputs of time: `push.scale`, `push.values[3]`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..errors import ArgumentError
from ..numbers import units
from ..system import said_number

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
