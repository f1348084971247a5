"""Variables of an FMU: names of signals, where an instance keeps them, what an importer may do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..signals import signal_units
from .instance import INPUT, PARAMETER, RATE, SHOWN, STATE, TIME


@dataclass(frozen=True, slots=True)
class Variable:
    """A row of `modelDescription.xml`; its number is its place in the list."""

    name: str
    unit: str
    where: int
    slot: int
    causality: str
    variability: str = "continuous"
    initial: str = ""
    start: float | None = None
    derivative_of: int | None = None  # number of the state
    text: str = ""


def variables(system, kept, y0, u0, p0, restarts: bool) -> list[Variable]:
    """All of them: time, states, rates, inputs, parameters, then what else is shown.

    `kept` are names of signals to be shown; `y0`, `u0`, `p0` the start; `restarts` says whether an
    importer may choose another one.
    """
    out = [Variable("time", "s", TIME, 0, "independent")]
    shown = dict.fromkeys(kept)
    states = list(_states(system))
    for i, (name, unit, given) in enumerate(states):
        causality = "output" if given and name in shown else "local"
        free = given and restarts
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
        own = ("parameter", "fixed", "exact") if restarts else ("local", "fixed", "calculated")
        start = float(p0[i]) if restarts else None
        out.append(Variable(name, "", PARAMETER, i, *own, start=start))
    taken = {x.name for x in out}
    rest = [n for n in kept if n not in taken]
    units = signal_units(system)
    for i, name in enumerate(rest):
        out.append(Variable(name, units[name], SHOWN, i, "output", initial="calculated"))
    return out


def shown(found: list[Variable]) -> list[str]:
    """Names of the signals that a kernel computes, in its order."""
    return [x.name for x in found if x.where == SHOWN]


def _states(system) -> Iterator[tuple[str, str, bool]]:
    """Name, unit of every number of a state, and whether a start gives it."""
    for ports, given in ((system.layout.q, True), (system.layout.v, True)):
        for port in ports:
            yield port.name, port.unit, given
    for port in system.layout.z:
        yield f"state({port.name})", port.unit, False
