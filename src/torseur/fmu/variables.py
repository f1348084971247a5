"""Variables of an FMU: signal names, causality, and their position in an instance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..signals import signal_units
from .instance import INPUT, PARAMETER, RATE, SIGNAL, STATE, TIME


@dataclass(frozen=True, slots=True)
class Variable:
    """Scalar variable of `modelDescription.xml`.  Its value reference is its index in the list."""

    name: str
    unit: str
    type: int
    slot: int
    causality: str
    variability: str = "continuous"
    initial: str = ""
    start: float | None = None
    derivative_of: int | None = None  # number of the state
    text: str = ""


def list_variables(
    system: Any,
    signal_names: Iterable[str],
    y0: np.ndarray,
    u0: np.ndarray,
    p0: np.ndarray,
    restarts: bool,
) -> list[Variable]:
    """All variables: time, states, rates, inputs, parameters, then further signals.

    `signal_names` are the outputs.  `y0`, `u0`, `p0` the start values.  `restarts` says whether an
    importer may choose another start.
    """
    out = [Variable("time", "s", TIME, 0, "independent")]
    output_names = dict.fromkeys(signal_names)
    states = list(_iterate_states(system))
    for i, (name, unit, is_initial) in enumerate(states):
        causality = "output" if is_initial and name in output_names else "local"
        free = is_initial and restarts
        initial, start = ("exact", float(y0[i])) if free else ("calculated", None)
        out.append(Variable(name, unit, STATE, i, causality, initial=initial, start=start))
    for i, (name, unit, _) in enumerate(states):
        rate = {"": "1/s", "1": "1/s"}.get(unit, f"{unit}/s")
        out.append(
            Variable(f"der({name})", rate, RATE, i, "local", initial="calculated",
                     derivative_of=1 + i)
        )  # fmt: skip
    for i, port in enumerate(system.layout.u):
        out.append(Variable(port.name, port.unit, INPUT, i, "input", start=float(u0[i])))
    for i, name in enumerate(system.parameters):
        attributes = (
            ("parameter", "fixed", "exact") if restarts else ("local", "fixed", "calculated")
        )
        start = float(p0[i]) if restarts else None
        out.append(Variable(name, "", PARAMETER, i, *attributes, start=start))
    used_names = {x.name for x in out}
    remaining = [n for n in signal_names if n not in used_names]
    units = signal_units(system)
    for i, name in enumerate(remaining):
        out.append(Variable(name, units[name], SIGNAL, i, "output", initial="calculated"))
    return out


def list_signals(variables: list[Variable]) -> list[str]:
    """Names of the signals that a kernel computes, in its order."""
    return [x.name for x in variables if x.type == SIGNAL]


def _iterate_states(system) -> Iterator[tuple[str, str, bool]]:
    """Name and unit of each element of the state, and whether it has a start value."""
    for ports, is_initial in ((system.layout.q, True), (system.layout.v, True)):
        for port in ports:
            yield port.name, port.unit, is_initial
    for port in system.layout.z:
        yield f"state({port.name})", port.unit, False
