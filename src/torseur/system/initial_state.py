"""The start that a model carries: its `initial` and `simulation`, as numbers in SI."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelWarning, TorseurError, said, shown, unknown_name_message
from ..scalars import arguments, units
from ..scalars.values import value
from .cache import once

if TYPE_CHECKING:
    from .system import System


OPTIONS = (
    "t_end",
    "method",
    "rtol",
    "atol",
    "step",
    "t_start",
    "max_step",
    "keep",
    "output",
    "inputs",
    "stop_when",
    "max_events",
    "max_steps",
    "max_evaluations",
    "max_rows",
    "max_seconds",
    "solution",
)
"""Options of a run that a model may carry."""
TIMES = ("t_end", "t_start", "step", "max_step")


def start_of(system: System, where: str | None = None) -> tuple[dict, dict]:
    """The state a model starts from, and its options of a run; `where` names it in messages.

    A bare quantity, such as `speed`, is for every joint that has it.

    >>> import torseur as ts
    >>> car = ts.Model("car", bodies=[ts.Body("car", mass=1.0)], initial={"speed": "36 km/h"},
    ...                joints=[ts.Joint("x", "world", "car", ts.Prismatic("x"))],
    ...                simulation={"t_end": "150 ms"})
    >>> start_of(car.check())
    ({'x.speed': 10.0}, {'t_end': 0.15})
    """
    out, options, problems = _own_start(system, where or f"model {system.model.name!r}")
    if problems:
        raise TorseurError("\n".join(problems))
    return dict(out), dict(options)


@once()
def _own_start(system: System, where: str) -> tuple[dict, dict, list[str]]:
    return collected(system, where)


def collected(system: System, where: str) -> tuple[dict, dict, list[str]]:
    """The same as `start_of`, and everything that is wrong with it."""
    model, problems = system.model, []

    def read(x, unit, place):
        try:
            return said_number(x, unit, system, f"{where}: {place}")
        except TorseurError as e:
            problems.append(str(e))
            return float("nan")

    options = dict(model.simulation)
    for name in options:
        if name not in OPTIONS:
            problems.append(unknown_name_message("option", name, OPTIONS, f"{where}: simulation"))
        elif name in TIMES or name in ("rtol", "atol"):
            unit = "s" if name in TIMES else ""
            options[name] = read(options[name], unit, f"simulation.{name}")
    if isinstance(options.get("inputs"), dict):
        options["inputs"] = {
            n: read(x, None, f"simulation.inputs.{n}") for n, x in options["inputs"].items()
        }
    out: dict[str, Any] = {}
    units_of = {p.name: "" if p.unit == "1" else p.unit for p in system.ports}
    read_too = {f"{k.name}.{n}": u for k in system.links for n, u in k.joint.readings}
    known, units_of = [*system.coordinates, *system.speeds, *read_too], units_of | read_too
    for name, x in model.initial.items():
        hits = [n for n in known if n == name or n.partition(".")[2] == name]
        if not hits:
            problems.append(
                unknown_name_message("coordinate or speed", name, known, f"{where}: initial")
            )
        out |= {n: read(x, units_of.get(n), f"initial.{name}") for n in hits}
    return out, options, problems


@once()
def _expressions(system: System) -> dict[str, tuple[Any, frozenset[str]]]:
    """Coordinates and speeds of a model's own start that are expressions, and all they are of."""
    found: dict[str, tuple[Any, frozenset[str]]] = {}
    for name, x in system.model.initial.items():
        own = value.exact(units.quantity(x, None) if isinstance(x, str) else x)
        of = set(value.symbols(own))
        while (
            more := {n for s in of & {*system.derived} for n in value.symbols(system.derived[s])}
            - of
        ):
            of |= more
        if of:
            states = (*system.coordinates, *system.speeds)
            hits = [n for n in states if n == name or n.partition(".")[2] == name]
            found |= dict.fromkeys(hits, (own, frozenset(of)))
    return found


def following(system: System, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers of a model's own start that follow parameters given to a run; arrays where those are.

    >>> import torseur as ts
    >>> car = ts.Model("car", bodies=[ts.Body("car", mass=1.0)], initial={"x.speed": "2*v"},
    ...                joints=[ts.Joint("x", "world", "car", ts.Prismatic("x"))],
    ...                parameters={"v": 3.0})
    >>> following(car.check(), {"v": 5.0})
    {'x.speed': 10.0}
    """
    found: dict[str, Any] = {}
    for name, (x, of) in _expressions(system).items():
        own = {n: parameters[n] for n in of if n in parameters}
        sizes = {np.size(v) for v in own.values() if np.ndim(v)}
        if own and not sizes:
            found[name] = float(value.nominal(x, system.valued(own)))
        elif own:
            each = zip(
                *(np.broadcast_to(v, max(sizes)).tolist() for v in own.values()), strict=True
            )
            rows = [system.valued(dict(zip(own, row, strict=True))) for row in each]
            found[name] = np.array([float(value.nominal(x, row)) for row in rows])
    return found


def initial_values_of_parameter(system: System, name: str) -> list[str]:
    """Coordinates and speeds of a model's own start that depend on a parameter."""
    return [n for n, (_, of) in _expressions(system).items() if name in of]


@once()
def start_problems(system: System) -> list[str]:
    """What is wrong with `initial` and `simulation` of a model, as far as a system can tell.

    Methods, solutions and events are told where a run is made of them.
    """
    if not (system.model.initial or system.model.simulation):
        return []
    _, options, found = _own_start(system, "")
    problems = [x.removeprefix(": ") for x in found]
    known = {
        "keep": (*system.coordinates, *system.speeds),
        "inputs": tuple(e.name for e in system.inputs),
    }
    for name, names in known.items():
        given = options.get(name, ())
        for x in [given] if isinstance(given, str) else given or ():
            if isinstance(x, str) and x not in names:
                problems.append(unknown_name_message("name", x, names, f"simulation.{name}"))
    start, end = options.get("t_start", 0.0), options.get("t_end")
    if end is not None and not end > start and not (end != end or start != start):
        problems.append(f"simulation.t_end = {end:g} s; it must come after t_start = {start:g} s")
    for name in ("step", "max_step", "rtol"):
        x = options.get(name)
        if isinstance(x, float | int) and x <= 0:
            problems.append(f"simulation.{name} = {x:g}; use more than zero")
    return problems


@once()
def told_degrees(system: System, name: str, x: float) -> None:
    """Warn, once a system, of a coordinate of whole radians beyond a turn: meant in degrees."""
    unit = next((p.unit for p in system.ports if p.name == name), "")
    if (
        unit == "rad"
        and name in system.coordinates
        and (told := arguments.describe_integer_degrees(x))
    ):
        warnings.warn(f"state: {name}: {told}", ModelWarning, stacklevel=5)


def read_initial_state(system: System, named: Any, parameters: Mapping[str, Any] | None) -> Any:
    """A start whose texts of parameters are numbers, by the parameters of this call."""
    if not hasattr(named, "items"):
        return named  # told where it is read
    texts = {n: x for n, x in named.items() if isinstance(x, str)}
    if not texts:
        return named
    bound = system.valued(parameters or {})
    return {**named, **read_expressions(system, texts, bound)}


def expressions_with_parameter(named: Any, parameter: str) -> list[str]:
    """Which texts of a start name a parameter."""
    texts = {n: x for n, x in named.items() if isinstance(x, str)} if named else {}
    with suppress(TypeError, ValueError):  # told where the start is read
        read = {n: value.exact(units.quantity(x, None)) for n, x in texts.items()}
        return [n for n, x in read.items() if parameter in value.symbols(x)]
    return []


def read_expressions(
    system: System, named, bound: Mapping[str, Any] | None = None
) -> dict[str, float]:
    """The texts among the numbers of a state, such as "30 deg", in SI."""
    wanted = {p.name: "" if p.unit == "1" else p.unit for p in system.ports}
    wanted |= {f"{k.name}.{n}": u for k in system.links for n, u in k.joint.readings}
    return {
        n: said_number(x, wanted[n], system, f"state: {n}", bound)
        for n, x in named.items()
        if isinstance(x, str) and n in wanted
    }


def said_number(x, unit: str | None, system, where: str, bound=None) -> float:
    """A number in SI: plain, with a unit, or an expression of parameters (nominal if not bound)."""
    try:
        x = units.quantity(x, unit) if isinstance(x, str) else x
        return float(value.nominal(value.exact(x), bound or system.parameters))
    except (TypeError, ValueError, ArithmeticError, LookupError, TorseurError) as e:
        raise TorseurError(f"{where} = {shown(x)}: {said(e)}") from None
