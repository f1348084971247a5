"""What commands share: how one declares itself, its answer, models and values on a line."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ..errors import TorseurError, said, unknown_name
from ..model.formats import load
from ..register import Register
from ..scalars import units
from ..scalars.values import value as values

WRITTEN = (
    "out",
    "report",
    "target",
    "cam",
    "front",
    "mme",
)  # arguments that name what a command writes
RUN = ("run.nc", "run.csv", "model.yaml", "report.html")  # files that a run leaves in a folder

COMMANDS: Register = Register("command", f"{__package__}.commands")


class Answer(Exception):
    """The end of a command: what to print, what to hand to machines, and the exit code."""

    def __init__(self, text: str = "", data: dict | None = None, code: int = 0):
        self.text, self.data, self.code = text, data or {}, code


def exit_code(run) -> int:
    """0 for a complete run, 130 for an interrupted one, else 1."""
    return 0 if run.completed else 130 if run.statistics.get("interrupted") else 1


Answering = TypeVar("Answering", bound=Callable[[Any], Any])


@dataclass(frozen=True)
class Command:
    """One command: its line of help, examples, options, and what it does."""

    name: str
    help: str
    examples: list[str]
    options: Callable[[argparse.ArgumentParser], Any]
    run: Callable[[argparse.Namespace], Answer]


def command(
    name: str,
    help: str,
    examples: list[str],
    options: Callable[[argparse.ArgumentParser], Any] = lambda p: None,
) -> Callable[[Answering], Answering]:
    """Declare a command: the decorated function takes the arguments and gives an `Answer`."""

    def declare(run):
        COMMANDS.named(name)(Command(name, help, examples, options, run))
        return run

    return declare


def model_arguments(p, many: bool = False) -> None:
    """A model file, values of its parameters, and repair of impossible inertias."""
    p.add_argument(
        "file",
        help="model: .yaml, .json, .urdf, or .xml (MJCF)",
        **({"nargs": "+"} if many else {}),
    )
    values_argument(p, "--set", "values of parameters, with units if you like")
    p.add_argument(
        "--repair",
        action="store_true",
        help="URDF: move impossible inertias to the nearest possible",
    )


def values_argument(p, flag: str, text: str) -> None:
    """An option that takes `NAME=VALUE` several times."""
    p.add_argument(flag, metavar="NAME=VALUE", nargs="+", action="extend", default=[], help=text)


def out_argument(p, text: str = "write it there", metavar: str = "FILE", holds=()) -> None:
    """Where to write: a file, or a folder for the files that it `holds`."""
    p.add_argument("-o", "--out", metavar=metavar, help=text)
    p.set_defaults(out_holds=tuple(holds))


def report_argument(p, text: str = "write a page there") -> None:
    """Where to write a page."""
    p.add_argument("--report", metavar="HTML", help=text)


def targets(args) -> list[Path]:
    """Files that a command is told to write."""
    out, holds = getattr(args, "out", None), getattr(args, "out_holds", ())
    found = [Path(out) / name for name in holds] or [Path(out)] if out else []
    return found + [Path(x) for n in WRITTEN[1:] if (x := getattr(args, n, None))]


def inputs(args) -> list[Path]:
    """Files that a command is told to read: every argument that names one and is no target."""
    own = {k: x for k, x in vars(args).items() if k not in (*WRITTEN, "command")}
    words = (w for x in own.values() for w in (x if isinstance(x, list) else [x]))
    texts = (w for w in words if isinstance(w, str) and "\0" not in w and len(w) < 4096)
    return [Path(w) for w in texts if Path(w).is_file()]


def read(args, path=None):
    """The model of a command line, with `--set` and `--repair` applied."""
    path = Path(path or args.file)
    options = (
        {"repair": True}
        if getattr(args, "repair", False) and path.suffix.lower() in (".urdf", ".xml")
        else {}
    )
    model = load(path, **options)
    given = pairs(getattr(args, "set", []), lambda name: None)
    for name in given:
        if name not in model.parameters:
            raise TorseurError(unknown_name("parameter", name, model.parameters, "--set"))
    return replace(model, parameters=dict(model.parameters) | given) if given else model


def pairs(texts, unit_of) -> dict:
    """`NAME=VALUE` texts as numbers in SI; `unit_of(name)` is the unit wanted, or None.

    >>> pairs(["elbow.angle=90deg", "L=0.5"], lambda name: None)
    {'elbow.angle': 1.5707963267948966, 'L': 0.5}
    """
    out = {}
    for text in texts:
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
    """The state a file starts from, and its options of a run."""
    from ..system import start_of as found

    return found(system, where)


def unit_of(system):
    found = {p.name: p.unit for p in system.ports}
    return lambda name: "" if found.get(name) == "1" else found.get(name)


def state_at(args, texts):
    """The model, and the state the command line and the file give."""
    model = read(args)
    system = model.check()
    speeds = set(system.speeds)
    state = {n: x for n, x in start_of(system, args.file)[0].items() if n not in speeds}
    return model, system, state | pairs(texts, unit_of(system))


def facts(found) -> dict:
    """Public data of a result, for machines."""
    names = [n for n in dir(found) if not n.startswith("_")]
    plain = {
        n: x
        for n in names
        for x in (getattr(found, n),)
        if isinstance(x, str | int | float | np.ndarray | tuple | list | dict)
    }
    return {n: _real(x) for n, x in plain.items()}


def _real(x):
    if isinstance(x, np.ndarray) and np.iscomplexobj(x):
        return {"real": x.real, "imaginary": x.imag}
    return x


def summary(system) -> dict:
    """Facts of a system, for machines."""
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


def named_values(system, texts) -> dict:
    """{coordinate: value} of texts such as elbow.angle=30deg."""
    return pairs(texts, unit_of(system))


def motion_table(system, path: Path):
    """Times and coordinates of a CSV table; headings may carry units: "elbow.angle [deg]".

    A table that a run wrote may be given as it is: its other signals are left alone.
    """
    from ..model.formats import column, read_table, split, without_units

    wanted = {"time": "s"} | {p.name: p.unit for p in system.ports if p.place == "q"}
    heads, numbers = read_table(path, lambda h: split(h)[0] in wanted)
    names = [split(h)[0] for h in heads]
    if "time" not in names:
        raise TorseurError(f"{path.name}: the first line must name the columns, one of them 'time'")
    others = _signals(system) if set(names) - set(wanted) else ()
    for n in names:
        known = {n, re.sub(r"\.(effort\..*|power)$", ".effort", n)}
        if n not in wanted and not known & set(others):
            raise TorseurError(unknown_name("coordinate", n, wanted, f"{path.name}, line 1"))
    table, bare = {}, []
    for j, n in enumerate(names):
        if n in wanted:
            bare += [] if split(heads[j])[1] or wanted[n] == "1" else [n]
            table[n] = column(heads[j], numbers[:, j], wanted[n], path.name)
            if not (sound := np.isfinite(table[n])).all():
                where = f"{path.name}, row {1 + int(np.argmin(sound))}, column {n!r}"
                raise TorseurError(f"{where}: expected a finite number")
    without_units(path.name, bare)
    t = table.pop("time")
    if len(np.unique(t)) < 6 or (np.diff(t) < 0).any():
        raise TorseurError(f"{path.name}: needs at least six rows with growing times")
    return t, table


def motion_of(model, given: str | None):
    """A motion by its name in the model's file, else the table of that file; None: the only one."""
    from ..robots import design

    if given is not None and (given.lower().endswith(".csv") or Path(given).is_file()):
        t, columns = motion_table(model.check(), Path(given))
        return {"time": t, **columns}
    return design(model).motion(given)


def _signals(system) -> dict:
    """Names and units of everything that a run of the system shows."""
    from ..signals import signal_units

    return signal_units(system)


def number(text: str, unit: str) -> float:
    """A number in SI from a word of the command, which may carry a unit.

    >>> number("40 cm", "m")
    0.4
    """
    from ..scalars import units

    try:
        return units.floating(text, unit)
    except (ValueError, TypeError, LookupError, TorseurError) as e:
        raise TorseurError(f"{text!r}: {said(e)}") from None
