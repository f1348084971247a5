"""Plans of fits: a file that names a model, tests and the numbers that are free."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ArgumentError, ModelError, shown, unforeseen, unknown_name
from .experiment import Experiment, si
from .fitted import Fit
from .fitting import fit
from .free import Knots, knots, number
from .measured import si_factor
from .problem import parts

KEYS = ("model", "experiments", "free", "starts", "tolerance")
OF_TEST = (
    "model",
    "data",
    "signals",
    "initial",
    "t_end",
    "sigma",
    "weight",
    "cfc",
    "window",
)
OPTIONS = ("starts", "tolerance")
OF_FREE = ("bounds", "prior", "smooth", "knots")


def run_plan(path: str | PathLike[str]) -> Fit:
    """The fit that a plan file (.yaml, .json) describes; its paths are beside the file.

    model: oscillator.yaml
    experiments:
      - {data: test.csv, signals: {x.displacement: moved}, t_end: 1 s}
    free:
      f.stiffness: [50, 400]
      front.points: {knots: true, bounds: [0, 5e5], smooth: 0.1}
    """
    return fit(**read_fit(path))


def read_fit(path: str | PathLike[str]) -> dict[str, Any]:
    """A plan file as arguments of `fit`.

    >>> read_fit("nowhere.yaml")
    Traceback (most recent call last):
    torseur.errors.ModelError: the model has 1 problem:
      - nowhere.yaml: cannot be read (no such file or directory); check the path
    """
    path = Path(path)
    with unforeseen(path.name):
        return _arguments(path, _plan(path))


def _arguments(path: Path, plan: dict[Any, Any]) -> dict[str, Any]:
    from ..model import Model, load

    _known(plan, KEYS, path.name)
    tests, free = plan.get("experiments"), plan.get("free")
    if not isinstance(tests, list) or not tests or not isinstance(free, dict) or not free:
        raise ArgumentError(
            f"{path}: a plan needs experiments, a list of tests with data and signals, and free, "
            "names with their bounds [low, high]"
        )
    models: dict[str, Model] = {}
    found = []
    for i, given in enumerate(tests, 1):
        where = f"{path.name}, experiment {i}"
        if not isinstance(given, dict):
            raise ArgumentError(f"{where}: expected data, signals, ..., got {shown(given)}")
        _known(given, OF_TEST, where)
        file = given.get("model", plan.get("model"))
        if not isinstance(file, str):
            raise ArgumentError(f"{where}: no model is named, neither here nor for all")
        if file not in models:
            models[file] = load(path.parent / file)
        with unforeseen(where):
            found.append(_experiment(models[file], given, path.parent, where))
    options = {k: si(plan[k], "", f"{path.name}, {k}") for k in OPTIONS if k in plan}
    if not (starts := options.get("starts", 1)) >= 1 or starts != int(starts):
        raise ArgumentError(f"{path.name}, starts: expected 1, 2, 3 ..., got {starts:g}")
    if "starts" in options:
        options["starts"] = int(starts)
    where = f"{path.name}, free"
    numbers = {n: _free(n, x, where) for n, x in free.items()}
    return {"experiments": found, "free": numbers, **options}


def _plan(path: Path) -> dict[Any, Any]:
    from ..model.formats import parse, read_text

    tree, problems = parse(read_text(path), path.name, json_text=path.suffix == ".json")
    if problems:
        raise ModelError(problems)
    plan = tree.plain()
    if not isinstance(plan, dict):
        raise ArgumentError(f"{path}: expected a plan with model, experiments and free")
    return plan


def _known(given, keys, where) -> None:
    bad = [unknown_name("field", str(k), keys, where) for k in given if k not in keys]
    if bad:
        raise ArgumentError("\n".join(bad))


def _experiment(model, given, folder, where) -> Experiment:
    from ..model.formats import split
    from ..quantities import signal_units

    if not isinstance(given.get("signals"), dict) or "data" not in given:
        raise ArgumentError(f"{where}: needs data (a .csv) and signals {{signal: column}}")
    from ..model.formats import read_table

    heads, table = read_table(folder / str(given["data"]))
    plain = [split(h)[0] for h in heads]
    system = model.check()
    units = {**signal_units(system), "time": "s"}
    state = [*system.coordinates, *system.speeds]
    state += [f"{k.name}.{n}" for k in system.links for n, _ in k.joint.readings]
    _named(given, units, (*state, *(n.partition(".")[2] for n in state)), where)

    def column(name, signal):
        if name not in plain:
            raise ArgumentError(
                f"{where}: {given['data']} has no column {name!r}; it has {', '.join(plain)}"
            )
        k = plain.index(name)
        return table[:, k] * si_factor(heads[k], units.get(parts(signal)[0], ""), where)

    time = column("t" if "t" in plain and "time" not in plain else "time", "time")
    measured = {s: (time, column(str(c), s)) for s, c in given["signals"].items()}
    options: dict[str, Any] = {}
    if "weight" in given:
        options["weight"] = si(given["weight"], "", f"{where}, weight")
    if "cfc" in given:
        of = given["cfc"]
        one = f"{where}, cfc"
        options["cfc"] = _each(of, {}, one) if isinstance(of, dict) else si(of, "", one)
    if "t_end" in given:
        options["t_end"] = si(given["t_end"], "s", where)
    if "window" in given:
        options["window"] = _pair(given["window"], "s", f"{where}, window")
    sigma = _each(given.get("sigma"), units, f"{where}, sigma") or {}
    initial = _each(given.get("initial"), units, f"{where}, initial")
    return Experiment(model, measured, initial=initial, sigma=sigma, **options)


def _named(given, signals, state, where) -> None:
    """Every name that a test gives is that of something, told at once."""
    own = given["signals"]
    bad = [
        unknown_name("signal", one, signals, f"{where}, signals")
        for name in own
        for one in parts(str(name))
        if one not in signals
    ]
    for key, known in (("sigma", own), ("cfc", own), ("initial", state)):
        of = given.get(key)
        bad += [
            unknown_name("measured signal" if known is own else "coordinate or speed", str(n),
                         map(str, known), f"{where}, {key}")
            for n in (of if isinstance(of, dict) else ()) if n not in known
        ]  # fmt: skip
    if bad:
        raise ArgumentError("\n".join(bad))


def _each(given, units, where) -> dict[str, float] | None:
    """Numbers by names, in SI."""
    if given is None:
        return None
    if not isinstance(given, dict):
        raise ArgumentError(f"{where}: expected names with numbers, got {shown(given)}")
    return {n: si(x, units.get(n, ""), f"{where}, {n}") for n, x in given.items()}


def _pair(given, unit, where) -> tuple[float, ...]:
    if not isinstance(given, list) or len(given) != 2:
        raise ArgumentError(f"{where}: expected two numbers, got {shown(given)}")
    return tuple(si(x, unit, where) for x in given)


def _free(name, given, where):
    where, listed = f"{where}, {name!r}", str(name).endswith(".points")
    told = {"bounds": given} if isinstance(given, list) else given
    if not isinstance(told, dict):
        raise ArgumentError(
            f"{where}: expected [low, high], or bounds, prior, smooth; got {shown(given)}"
        )
    _known(told, OF_FREE, where)
    bounds = told.get("bounds")
    with unforeseen(where):
        if told.get("knots") or listed:
            smooth = si(told.get("smooth", 0.0), "", f"{where}, smooth")
            return knots(Knots().bounds if bounds is None else bounds, smooth)
        return number((-np.inf, np.inf) if bounds is None else bounds, told.get("prior"))
