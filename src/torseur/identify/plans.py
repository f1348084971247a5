"""Plans of fits: a file that names a model, tests and the numbers that are free."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ArgumentError, ModelError, said, shown, unknown_name
from .experiment import Experiment, Knots, knots, number
from .fitted import Fit
from .fitting import fit
from .measured import si_factor

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
    "zero",
)
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
    from ..model import Model, load

    path = Path(path)
    plan = _plan(path)
    _known(plan, KEYS, f"{path.name}")
    missing = [k for k in ("experiments", "free") if not plan.get(k)]
    if missing:
        raise ArgumentError(f"{path}: a plan needs {' and '.join(missing)}")
    models: dict[str, Model] = {}
    tests = []
    for i, given in enumerate(plan["experiments"], 1):
        where = f"{path.name}, experiment {i}"
        if not isinstance(given, dict):
            raise ArgumentError(f"{where}: expected data, signals, ..., got {shown(given)}")
        _known(given, OF_TEST, where)
        file = given.get("model", plan.get("model"))
        if not isinstance(file, str):
            raise ArgumentError(f"{where}: no model is named, neither here nor for all")
        models.setdefault(file, load(path.parent / file))
        tests.append(_experiment(models[file], given, path.parent, where))
    options = {k: plan[k] for k in ("starts", "tolerance") if k in plan}
    return fit(tests, {n: _free(n, x) for n, x in plan["free"].items()}, **options)


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
    units = {**signal_units(model.check()), "time": "s"}

    def column(name, signal):
        if name not in plain:
            raise ArgumentError(
                f"{where}: {given['data']} has no column {name!r}; it has {', '.join(plain)}"
            )
        k = plain.index(name)
        return table[:, k] * si_factor(heads[k], units.get(signal, ""), where)

    time = column("time" if "time" in plain else "t", "time")
    measured = {s: (time, column(str(c), s)) for s, c in given["signals"].items()}
    options = {k: given[k] for k in ("weight", "cfc") if k in given}
    if "t_end" in given:
        options["t_end"] = _si(given["t_end"], "s", where)
    if "window" in given:
        options["window"] = tuple(_si(x, "s", where) for x in given["window"])
    sigma = {s: _si(x, units.get(s), where) for s, x in (given.get("sigma") or {}).items()}
    initial = given.get("initial")
    if initial is not None:
        initial = {n: _si(x, units.get(n), where) for n, x in initial.items()}
    return Experiment(model, measured, initial=initial, sigma=sigma, **options)


def _si(x, unit, where) -> float:
    """A number, or a text with a unit, in SI."""
    from ..numbers import units, values

    try:
        x = units.quantity(x, unit) if isinstance(x, str) else x
        return float(values.nominal(values.exact(x), {}))
    except (TypeError, ValueError, ArithmeticError) as e:
        raise ArgumentError(f"{where}: {shown(x)} {said(e)}") from None


def _free(name, given):
    if isinstance(given, list):
        return knots(given) if name.endswith(".points") else number(given)
    if not isinstance(given, dict):
        raise ArgumentError(
            f"free, {name!r}: expected [low, high], or bounds, prior, smooth; got {shown(given)}"
        )
    _known(given, OF_FREE, f"free, {name!r}")
    bounds = given.get("bounds", (-np.inf, np.inf))
    if given.get("knots") or name.endswith(".points"):
        return knots(
            given["bounds"] if "bounds" in given else Knots().bounds, given.get("smooth", 0.0)
        )
    return number(bounds, tuple(given["prior"]) if "prior" in given else None)
