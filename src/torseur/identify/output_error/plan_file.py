"""Plans of fits: a file that names a model, tests and the numbers that are free."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ArgumentError, ModelError, TorseurError, shown, unforeseen, unknown_name
from ...files import place
from ..robots.data import si_factor
from .experiment import Experiment, si
from .parameters import FREE, Knots, curves_of, free_of, knots, leveled, number
from .residuals import parts, started
from .result import Fit
from .solver import fit

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
    "inputs",
)
COUNTS, SHARES = ("starts", "max_evaluations", "seed"), ("tolerance", "rtol")
KEYS = ("model", "experiments", "free", *COUNTS, *SHARES)
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
    """A plan file as arguments of `fit`; whatever is wrong with it is told at once.

    >>> read_fit("nowhere.yaml")
    Traceback (most recent call last):
    torseur.errors.ModelError: the model has 1 problem:
      - nowhere.yaml: cannot be read (no such file or directory); check the path
    """
    path = place(path)
    with unforeseen(path.name):
        reader = _Plan(path)
        found = reader.arguments(reader.tree())
        if reader.problems:
            raise ModelError(dict.fromkeys(reader.problems))
        return found


class _Plan:
    """The reader of one plan; `problems` gathers what is wrong."""

    def __init__(self, path: Path):
        self.path, self.problems = path, list[str]()
        self.models: dict[str, Any] = {}

    @contextmanager
    def part(self, where: str) -> Iterator[None]:
        """Around the reading of a part: its faults are told with those of the others."""
        try:
            with unforeseen(where):
                yield
        except TorseurError as e:
            told = e.problems if isinstance(e, ModelError) else [str(e)]
            lines = [x for text in told for x in text.replace(FREE, "").split("\n")]
            lines = [x.replace("Experiment: ", "").strip().removeprefix("- ") for x in lines]
            self.problems += [x if self.path.name in x else f"{where}: {x}" for x in lines]

    def tree(self) -> dict[Any, Any]:
        """The file as it stands."""
        from ...model.formats import parse, read_text

        text, name = read_text(self.path), self.path.name
        tree, problems = parse(text, name, json_text=self.path.suffix == ".json")
        self.problems += problems
        plan = tree.plain()
        if not isinstance(plan, dict):
            raise ModelError(
                [*problems, f"{name}: expected a plan with model, experiments and free"]
            )
        return plan

    def arguments(self, plan: dict[Any, Any]) -> dict[str, Any]:
        """Of `fit`."""
        name = self.path.name
        self.known(plan, KEYS, name)
        tests, free = plan.get("experiments"), plan.get("free")
        if not isinstance(tests, list) or not tests:
            self.problems.append(
                f"{name}: experiments = {shown(tests)}; expected a list of tests, each with data "
                "and signals"
            )
            tests = []
        found: list[Any] = []
        for i, given in enumerate(tests, 1):
            where = f"{name}, experiment {i}"
            with self.part(where):
                found.append(self.experiment(given, plan.get("model"), where))
        options: dict[str, Any] = {}
        for key in (*COUNTS, *SHARES):
            with self.part(f"{name}, {key}"):
                if key in plan:
                    options[key] = _option(key, plan[key], f"{name}, {key}")
        numbers = self.free(free)
        with self.part(f"{name}, free"):
            self.check(numbers, found)
        return {"experiments": found, "free": numbers, **options}

    def check(self, free: dict[str, Any], found: list[Any]) -> None:
        """Free numbers are those of the first test's model, or of any that could be read."""
        test = found[0] if found else None
        model = next((m for m in self.models.values() if m is not None), None)
        curves = curves_of(free)
        if test is None and model is not None:  # its start is not known
            system = model.check()
            state = {*system.coordinates, *system.speeds}
            free = {n: x for n, x in free.items() if n not in state}
        if free and (test is not None or model is not None):
            free_of(started(test, curves) if test else leveled(model, curves), free)

    def known(self, given: Iterable[Any], keys: Iterable[str], where: str) -> None:
        """Names of fields are those that there are."""
        self.problems += [
            unknown_name("field", str(k), keys, where) for k in given if k not in keys
        ]

    def model(self, file: Any, where: str) -> Any:
        """The model of a file, or the scene of a crash case; None where it cannot be read."""
        from ...crash import is_case, load_case
        from ...model.formats import load

        if not isinstance(file, str):
            self.problems.append(
                f"{where}: no model is named, neither here nor for all; write model: car.yaml"
            )
            return None
        if file not in self.models:
            self.models[file] = None
            with self.part(f"{self.path.name}, model {file}"):
                path = self.path.parent / file
                made = load_case(path).scene if is_case(path) else load(path)
                made.check()
                self.models[file] = made
        return self.models[file]

    def table(self, file: Any, wanted: list[str], where: str):
        """Headings without units, with them, and the numbers of the columns that are wanted."""
        from ...model.formats import read_table, split

        if not isinstance(file, str):
            raise ArgumentError(f"{where}: needs data, the name of a table (.csv) beside the plan")
        times = ("time", "t")
        heads, table = read_table(
            self.path.parent / file,
            used=lambda h: split(h)[0] in (*times, *wanted),
            blank=True,
        )
        plain = [split(h)[0] for h in heads]
        listed = ", ".join(plain)
        self.problems += [
            f"{where}: {file} has no column {n!r}; it has {listed}"
            for n in dict.fromkeys(wanted)
            if n not in plain
        ]
        clock = next((n for n in times if n in plain), None)
        if clock is None:
            self.problems.append(f"{where}: {file} has no column 'time' or 't'; it has {listed}")
        return {n: (h, table[:, k]) for k, (n, h) in enumerate(zip(plain, heads, strict=True))}

    def experiment(self, given: Any, model: Any, where: str) -> Experiment | None:
        """A test, or None where its faults leave none."""
        from ...signals import signal_units

        if not isinstance(given, dict):
            raise ArgumentError(f"{where}: expected data, signals, ..., got {shown(given)}")
        before = len(self.problems)
        self.known(given, OF_TEST, where)
        own = given.get("signals")
        if not isinstance(own, dict) or not own:
            self.problems.append(f"{where}: needs signals {{signal: column of the table}}")
            own = {}
        made = self.model(given.get("model", model), where)
        table: dict[str, Any] = {}
        with self.part(where):
            table = self.table(given.get("data"), [str(c) for c in own.values()], where)
        units: dict[str, str] = {}
        if made is not None:
            system = made.check()
            units = signal_units(system)
            state = [*system.coordinates, *system.speeds]
            state += [f"{k.name}.{n}" for k in system.links for n, _ in k.joint.readings]
            self.named(own, units, "signal", f"{where}, signals", split=True)
            short = {n.partition(".")[2] for n in state}
            self.named(given.get("initial"), [*state, *short], "coordinate or speed",
                       f"{where}, initial")  # fmt: skip
            self.named(given.get("inputs"), [i.name for i in made.inputs], "input",
                       f"{where}, inputs")  # fmt: skip
        for key in ("sigma", "cfc"):
            self.named(given.get(key), own, "measured signal", f"{where}, {key}")
        clock = next((table[n] for n in ("time", "t") if n in table), None)
        measured = {}
        for signal, name in own.items():
            with self.part(where):
                if clock is not None and str(name) in table:
                    unit = units.get(parts(str(signal))[0]) if units else None
                    measured[signal] = _column(clock, table[str(name)], unit, where)
        options: dict[str, Any] = {}
        for key, unit in (("weight", ""), ("t_end", "s"), ("cfc", "")):
            with self.part(where):
                if key in given and not isinstance(given[key], dict):
                    options[key] = si(given[key], unit, f"{where}, {key}")
        plain = dict.fromkeys(map(str, own), "")
        for key, of in (("sigma", units), ("initial", units), ("cfc", plain)):
            if key in given and (key != "cfc" or isinstance(given[key], dict)):
                options[key] = self.each(given[key], of, f"{where}, {key}")
        with self.part(where):
            if "window" in given:
                options["window"] = _pair(given["window"], "s", f"{where}, window")
        if "inputs" in given:
            options["options"] = {"inputs": given["inputs"]}
        if len(self.problems) > before or made is None:
            return None
        return Experiment(made, measured, **options)

    def named(self, given, known, kind: str, where: str, split: bool = False) -> None:
        """Every name is that of something."""
        if isinstance(given, dict):
            names = [x for n in given for x in (parts(str(n)) if split else [str(n)])]
            known = [*map(str, known)]
            self.problems += [unknown_name(kind, n, known, where) for n in names if n not in known]

    def each(self, given: Any, units: dict[str, str], where: str) -> dict[str, float]:
        """Numbers by names, in SI."""
        found: dict[str, float] = {}
        if not isinstance(given, dict):
            self.problems.append(f"{where}: expected names with numbers, got {shown(given)}")
            return found
        for n, x in given.items():
            with self.part(where):
                found[n] = si(x, units.get(parts(str(n))[0]), f"{where}, {n}")
        return found

    def free(self, given: Any) -> dict[str, Any]:
        """Free numbers, as `fit` takes them."""
        where, found = f"{self.path.name}, free", dict[str, Any]()
        if not isinstance(given, dict) or not given:
            self.problems.append(
                f"{where} = {shown(given)}; expected names with their bounds [low, high]"
            )
            return found
        for name, one in given.items():
            here = f"{where}, {name!r}"
            found[str(name)] = knots() if _curve(name, one) else number()  # to look for its name
            with self.part(here):
                found[str(name)] = self.one(str(name), one, here)
        return found

    def one(self, name: str, given: Any, where: str):
        """A free number, or all forces of a law's points."""
        told = {"bounds": given} if isinstance(given, list) else given
        if not isinstance(told, dict):
            raise ArgumentError(
                f"expected [low, high], or bounds, prior, smooth; got {shown(given)}"
            )
        self.known(told, OF_FREE, where)
        bounds = told.get("bounds")
        if _curve(name, told):
            if "prior" in told:
                raise ArgumentError(
                    "prior: is of one number, 'front.points[2].force'; forces of all points have "
                    "bounds and smooth"
                )
            smooth = si(told.get("smooth", 0.0), "", f"{where}, smooth")
            return knots(Knots().bounds if bounds is None else bounds, smooth)
        if "smooth" in told:
            raise ArgumentError("smooth: is of all forces of a law's points, 'front.points'")
        return number((-np.inf, np.inf) if bounds is None else bounds, told.get("prior"))


def _option(key: str, given: Any, where: str) -> float | int:
    """A number of the search."""
    x = si(given, "", where)
    if key in SHARES:
        if not 1e-15 < x < 1:
            raise ArgumentError(f"{where}: expected a number from 1e-15 to 1, got {x:g}")
        return x
    least = 0 if key == "seed" else 1
    if x != int(x) or x < least:
        raise ArgumentError(f"{where}: expected {least}, {least + 1}, {least + 2} ..., got {x:g}")
    return int(x)


def _curve(name: Any, given: Any) -> bool:
    """Whether a free entry is all forces of a law's points."""
    told = given if isinstance(given, dict) else {}
    return bool(told.get("knots") or str(name).endswith(".points"))


def _column(clock, told, unit: str | None, where: str):
    """(time, values) of a column in SI, without the rows in which it is empty."""
    (head, values), (of_time, time) = told, clock
    here = np.isfinite(values) & np.isfinite(time)
    factor = 1.0 if unit is None else si_factor(head, unit, where)
    return time[here] * si_factor(of_time, "s", where), values[here] * factor


def _pair(given, unit, where) -> tuple[float, ...]:
    if not isinstance(given, list) or len(given) != 2:
        raise ArgumentError(f"{where}: expected two numbers, got {shown(given)}")
    return tuple(si(x, unit, where) for x in given)
