"""Declaration of commands, their results, and parsing of models, values and motions."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ..errors import TorseurError, said, unknown_name_message
from ..model.formats import load
from ..register import Register
from ..scalars import units
from ..scalars.values import value as values

OUTPUT_ARGUMENTS = (
    "out",
    "report",
    "target",
    "cam",
    "front",
    "mme",
)  # arguments that name what a command writes
# files that a run leaves in a folder
RUN_FILES = ("run.nc", "run.csv", "model.yaml", "report.html")

COMMANDS: Register = Register("command", f"{__package__}.commands")


class CommandResult(Exception):
    """Result of a command: text to print, data for --json, and exit code."""

    def __init__(self, text: str = "", data: dict | None = None, code: int = 0):
        self.text, self.data, self.code = text, data or {}, code


def exit_code(run) -> int:
    """Exit code of a run: 0 if complete, 130 if interrupted, else 1."""
    return 0 if run.completed else 130 if run.statistics.get("interrupted") else 1


Answering = TypeVar("Answering", bound=Callable[[Any], Any])


@dataclass(frozen=True)
class Command:
    """A command: name, help, examples, options, and the function that runs it."""

    name: str
    help: str
    examples: list[str]
    options: Callable[[argparse.ArgumentParser], Any]
    run: Callable[[argparse.Namespace], CommandResult]


def command(
    name: str,
    help: str,
    examples: list[str],
    options: Callable[[argparse.ArgumentParser], Any] = lambda p: None,
) -> Callable[[Answering], Answering]:
    """Declare a command. The decorated function takes the parsed arguments and returns a
    `CommandResult`.
    """

    def declare(run):
        COMMANDS.named(name)(Command(name, help, examples, options, run))
        return run

    return declare


def model_arguments(p, several: bool = False) -> None:
    """Add the arguments of a model file: the file, `--set` and `--repair`."""
    p.add_argument(
        "file",
        help="model: .yaml, .json, .urdf, or .xml (MJCF)",
        **({"nargs": "+"} if several else {}),
    )
    values_argument(p, "--set", "values of parameters, with units if you like")
    p.add_argument(
        "--repair",
        action="store_true",
        help="URDF: move impossible inertias to the nearest possible",
    )


def values_argument(p, flag: str, text: str) -> None:
    """Add an option that takes `NAME=VALUE` several times."""
    p.add_argument(flag, metavar="NAME=VALUE", nargs="+", action="extend", default=[], help=text)


def out_argument(p, text: str = "write it there", metavar: str = "FILE", holds=()) -> None:
    """Add `--out`: a file, or a folder for the files in `holds`."""
    p.add_argument("-o", "--out", metavar=metavar, help=text)
    p.set_defaults(out_holds=tuple(holds))


def report_argument(p, text: str = "write a page there") -> None:
    """Add `--report`: the HTML file to write."""
    p.add_argument("--report", metavar="HTML", help=text)


def output_files(args) -> list[Path]:
    """Files that a command writes."""
    out, holds = getattr(args, "out", None), getattr(args, "out_holds", ())
    files = [Path(out) / name for name in holds] or [Path(out)] if out else []
    return files + [Path(x) for n in OUTPUT_ARGUMENTS[1:] if (x := getattr(args, n, None))]


def input_files(args) -> list[Path]:
    """Files that a command reads: every argument that is the name of a file and no output."""
    options = {k: x for k, x in vars(args).items() if k not in (*OUTPUT_ARGUMENTS, "command")}
    tokens = (w for x in options.values() for w in (x if isinstance(x, list) else [x]))
    strings = (w for w in tokens if isinstance(w, str) and "\0" not in w and len(w) < 4096)
    return [Path(w) for w in strings if Path(w).is_file()]


def read_model(args, path=None):
    """Read the model of a command line and apply `--set` and `--repair`."""
    path = Path(path or args.file)
    options = (
        {"repair": True}
        if getattr(args, "repair", False) and path.suffix.lower() in (".urdf", ".xml")
        else {}
    )
    model = load(path, **options)
    parameters = parse_assignments(getattr(args, "set", []), lambda name: None)
    for name in parameters:
        if name not in model.parameters:
            raise TorseurError(unknown_name_message("parameter", name, model.parameters, "--set"))
    return replace(model, parameters=dict(model.parameters) | parameters) if parameters else model


def parse_assignments(assignments, unit_of) -> dict:
    """Parse `NAME=VALUE` texts as numbers in SI. `unit_of(name)` is the expected unit, or None.

    >>> parse_assignments(["elbow.angle=90deg", "L=0.5"], lambda name: None)
    {'elbow.angle': 1.5707963267948966, 'L': 0.5}
    """
    out = {}
    for text in assignments:
        name, equals, value = text.partition("=")
        try:
            if not equals:
                raise ValueError("expected NAME=VALUE, such as elbow.angle=30deg")
            x = values.exact(units.quantity(value, unit_of(name)))
            out[name] = float(values.nominal(x, {}))
        except (ValueError, KeyError, ArithmeticError) as e:
            raise TorseurError(f"{text}: {said(e)}") from None
    return out


def start_of(system, where) -> tuple[dict, dict]:
    """Initial state of a model file, and the options of its run."""
    from ..system import start_of as found

    return found(system, where)


def port_unit_lookup(system):
    """Function that returns the unit of a port, "" without a unit, None for unknown names."""
    port_units = {p.name: p.unit for p in system.ports}
    return lambda name: "" if port_units.get(name) == "1" else port_units.get(name)


def read_state(args, assignments):
    """Read the model, its system, and the coordinates of the file and of the command line."""
    model = read_model(args)
    system = model.check()
    speeds = set(system.speeds)
    state = {n: x for n, x in start_of(system, args.file)[0].items() if n not in speeds}
    return model, system, state | parse_assignments(assignments, port_unit_lookup(system))


def public_data(result) -> dict:
    """Public attributes of a result as data for --json."""
    names = [n for n in dir(result) if not n.startswith("_")]
    data = {
        n: x
        for n in names
        for x in (getattr(result, n),)
        if isinstance(x, str | int | float | np.ndarray | tuple | list | dict)
    }
    return {n: _split_complex(x) for n, x in data.items()}


def _split_complex(x):
    if isinstance(x, np.ndarray) and np.iscomplexobj(x):
        return {"real": x.real, "imaginary": x.imag}
    return x


def system_data(system) -> dict:
    """Properties of a system as data for --json."""
    return {
        "name": system.name,
        "bodies": list(system.bodies),
        "nq": system.nq,
        "nv": system.nv,
        "coordinates": list(system.coordinates),
        "speeds": list(system.speeds),
        "parameters": dict(system.parameters),
        "loops": [c.name for c in system.closures],
        "forces": [f.name for f in system.forces],
        "constraints": [c.name for c in system.model.constraints],
        "digest": system.digest,
    }


def named_values(system, assignments) -> dict:
    """Coordinates by name, from texts such as elbow.angle=30deg."""
    return parse_assignments(assignments, port_unit_lookup(system))


def read_motion_table(system, path: Path):
    """Read times and coordinates from a CSV table. Headings can have units: "elbow.angle [deg]".

    Other signals of a run are ignored, so that the CSV file of a run is a valid table.
    """
    from ..model.formats import column, read_table, split, without_units

    column_units = {"time": "s"} | {p.name: p.unit for p in system.ports if p.place == "q"}
    headings, numbers = read_table(path, lambda h: split(h)[0] in column_units)
    names = [split(h)[0] for h in headings]
    if "time" not in names:
        raise TorseurError(f"{path.name}: the first line must name the columns, one of them 'time'")
    others = _signal_units(system) if set(names) - set(column_units) else ()
    for n in names:
        aliases = {n, re.sub(r"\.(effort\..*|power)$", ".effort", n)}
        if n not in column_units and not aliases & set(others):
            raise TorseurError(
                unknown_name_message("coordinate", n, column_units, f"{path.name}, line 1")
            )
    table, unitless = {}, []
    for j, n in enumerate(names):
        if n in column_units:
            unitless += [] if split(headings[j])[1] or column_units[n] == "1" else [n]
            table[n] = column(headings[j], numbers[:, j], column_units[n], path.name)
            if not (is_finite := np.isfinite(table[n])).all():
                where = f"{path.name}, row {1 + int(np.argmin(is_finite))}, column {n!r}"
                raise TorseurError(f"{where}: expected a finite number")
    without_units(path.name, unitless)
    t = table.pop("time")
    if len(np.unique(t)) < 6 or (np.diff(t) < 0).any():
        raise TorseurError(f"{path.name}: needs at least six rows with growing times")
    return t, table


def read_motion(model, motion: str | None):
    """Read a motion: a CSV table, a motion of the model file by name, or its only one for None."""
    from ..robots import design

    if motion is not None and (motion.lower().endswith(".csv") or Path(motion).is_file()):
        t, columns = read_motion_table(model.check(), Path(motion))
        return {"time": t, **columns}
    return design(model).motion(motion)


def _signal_units(system) -> dict:
    """Units of all signals of a run of the system."""
    from ..signals import signal_units

    return signal_units(system)


def parse_quantity(text: str, unit: str) -> float:
    """Parse a number with an optional unit as a number in SI.

    >>> parse_quantity("40 cm", "m")
    0.4
    """
    from ..scalars import units

    try:
        return units.floating(text, unit)
    except (ValueError, TypeError, LookupError, TorseurError) as e:
        raise TorseurError(f"{text!r}: {said(e)}") from None
