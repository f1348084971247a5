"""Plan file of a fit (YAML or JSON): a model, tests and free parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import (
    ArgumentError,
    ModelError,
    TorseurError,
    report_reader_failures,
    shown,
    unknown_name_message,
)
from ...files import place
from ..robots.data import si_factor
from .experiment import Experiment, si_number
from .parameters import (
    MESSAGE_START,
    Knots,
    curve_paths,
    knots,
    number,
    read_free_parameters,
    with_rising_curves,
)
from .residuals import signal_terms, started_model
from .result import Fit
from .solver import fit

TEST_KEYS = (
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
COUNT_KEYS, TOLERANCE_KEYS = ("starts", "max_evaluations", "seed"), ("tolerance", "rtol")
KEYS = ("model", "experiments", "free", *COUNT_KEYS, *TOLERANCE_KEYS)
FREE_KEYS = ("bounds", "prior", "smooth", "knots")
TIME_NAMES = ("time", "t")


def run_plan(path: str | PathLike[str]) -> Fit:
    """Run the fit of a plan file (.yaml, .json); its paths are relative to the file.

    model: oscillator.yaml
    experiments:
      - {data: test.csv, signals: {x.displacement: moved}, t_end: 1 s}
    free:
      f.stiffness: [50, 400]
      front.points: {knots: true, bounds: [0, 5e5], smooth: 0.1}
    """
    return fit(**read_fit(path))


def read_fit(path: str | PathLike[str]) -> dict[str, Any]:
    """Read a plan file as arguments of `fit`; one message with all faults.

    >>> read_fit("nowhere.yaml")
    Traceback (most recent call last):
    torseur.errors.ModelError: the model has 1 problem:
      - nowhere.yaml: cannot be read (no such file or directory); check the path
    """
    path = place(path)
    with report_reader_failures(path.name):
        reader = _PlanReader(path)
        arguments = reader.read_arguments(reader.read_tree())
        if reader.problems:
            raise ModelError(dict.fromkeys(reader.problems))
        return arguments


class _PlanReader:
    """Reader of one plan; `problems` collects its faults."""

    def __init__(self, path: Path):
        self.path, self.problems = path, list[str]()
        self.models: dict[str, Any] = {}

    @contextmanager
    def collect_problems(self, where: str) -> Iterator[None]:
        """Context that collects the faults of one part of the plan."""
        try:
            with report_reader_failures(where):
                yield
        except TorseurError as e:
            texts = e.problems if isinstance(e, ModelError) else [str(e)]
            lines = [x for text in texts for x in text.replace(MESSAGE_START, "").split("\n")]
            lines = [x.replace("Experiment: ", "").strip().removeprefix("- ") for x in lines]
            self.problems += [x if self.path.name in x else f"{where}: {x}" for x in lines]

    def check_keys(self, mapping: Iterable[Any], keys: Iterable[str], where: str) -> None:
        """Report unknown keys."""
        self.problems += [
            unknown_name_message("field", str(k), keys, where) for k in mapping if k not in keys
        ]

    def check_names(
        self, mapping: Any, allowed: Iterable[Any], kind: str, where: str, sums: bool = False
    ) -> None:
        """Report unknown names among the keys of a mapping; of sums of signals, of each term."""
        if isinstance(mapping, dict):
            names = [x for n in mapping for x in (signal_terms(str(n)) if sums else [str(n)])]
            allowed = [*map(str, allowed)]
            self.problems += [
                unknown_name_message(kind, n, allowed, where) for n in names if n not in allowed
            ]

    def read_tree(self) -> dict[Any, Any]:
        """Content of the file."""
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

    def read_arguments(self, plan: dict[Any, Any]) -> dict[str, Any]:
        """Arguments of `fit`."""
        name = self.path.name
        self.check_keys(plan, KEYS, name)
        tests = plan.get("experiments")
        if not isinstance(tests, list) or not tests:
            self.problems.append(
                f"{name}: experiments = {shown(tests)}; expected a list of tests, each with data "
                "and signals"
            )
            tests = []
        experiments: list[Any] = []
        for i, test in enumerate(tests, 1):
            where = f"{name}, experiment {i}"
            with self.collect_problems(where):
                experiments.append(self.read_experiment(test, plan.get("model"), where))
        options: dict[str, Any] = {}
        for key in (*COUNT_KEYS, *TOLERANCE_KEYS):
            with self.collect_problems(f"{name}, {key}"):
                if key in plan:
                    options[key] = _read_option(key, plan[key], f"{name}, {key}")
        free = self.read_free(plan.get("free"))
        with self.collect_problems(f"{name}, free"):
            self.check_free(free, experiments)
        return {"experiments": experiments, "free": free, **options}

    # ---- models and tables ---------------------------------------------------------------------

    def read_model(self, file: Any, where: str) -> Any:
        """The model of a file, or the scene of a crash case; None if it cannot be read."""
        from ...crash import is_case, load_case
        from ...model.formats import load

        if not isinstance(file, str):
            self.problems.append(
                f"{where}: no model is named, neither here nor for all; write model: car.yaml"
            )
            return None
        if file not in self.models:
            self.models[file] = None
            with self.collect_problems(f"{self.path.name}, model {file}"):
                path = self.path.parent / file
                model = load_case(path).scene if is_case(path) else load(path)
                model.check()
                self.models[file] = model
        return self.models[file]

    def read_columns(
        self, file: Any, names: list[str], where: str
    ) -> dict[str, tuple[str, np.ndarray]]:
        """{column name: (heading with unit, values)} of a table next to the plan."""
        from ...model.formats import read_table, split

        if not isinstance(file, str):
            raise ArgumentError(
                f"{where}: needs data, the name of a table (.csv) in the folder of the plan"
            )
        headings, table = read_table(
            self.path.parent / file,
            used=lambda h: split(h)[0] in (*TIME_NAMES, *names),
            blank=True,
        )
        columns = [split(h)[0] for h in headings]
        listed = ", ".join(columns)
        self.problems += [
            f"{where}: {file} has no column {n!r}; it has {listed}"
            for n in dict.fromkeys(names)
            if n not in columns
        ]
        if not {*TIME_NAMES} & {*columns}:
            self.problems.append(f"{where}: {file} has no column 'time' or 't'; it has {listed}")
        pairs = zip(columns, headings, strict=True)
        return {n: (h, table[:, k]) for k, (n, h) in enumerate(pairs)}

    # ---- experiments ---------------------------------------------------------------------------

    def read_experiment(self, entry: Any, model_file: Any, where: str) -> Experiment | None:
        """One test, or None if its faults leave none."""
        if not isinstance(entry, dict):
            raise ArgumentError(f"{where}: expected data, signals, ..., got {shown(entry)}")
        before = len(self.problems)
        self.check_keys(entry, TEST_KEYS, where)
        signals = entry.get("signals")
        if not isinstance(signals, dict) or not signals:
            self.problems.append(f"{where}: needs signals {{signal: column of the table}}")
            signals = {}
        model = self.read_model(entry.get("model", model_file), where)
        table: dict[str, Any] = {}
        with self.collect_problems(where):
            table = self.read_columns(entry.get("data"), [str(c) for c in signals.values()], where)
        units = self._check_experiment_names(entry, signals, model, where)
        measured = self._read_signals(signals, table, units, where)
        options = self._read_test_options(entry, signals, units, where)
        if len(self.problems) > before or model is None:
            return None
        return Experiment(model, measured, **options)

    def _check_experiment_names(
        self, entry: dict[str, Any], signals: dict[str, Any], model: Any, where: str
    ) -> dict[str, str]:
        """Report unknown signals, states and inputs; returns {signal: unit} of the model."""
        from ...signals import signal_units

        units: dict[str, str] = {}
        if model is not None:
            system = model.check()
            units = signal_units(system)
            states = [*system.coordinates, *system.speeds]
            states += [f"{k.name}.{n}" for k in system.links for n, _ in k.joint.readings]
            self.check_names(signals, units, "signal", f"{where}, signals", sums=True)
            short = {n.partition(".")[2] for n in states}
            self.check_names(
                entry.get("initial"), [*states, *short], "coordinate or speed", f"{where}, initial"
            )
            inputs = [i.name for i in model.inputs]
            self.check_names(entry.get("inputs"), inputs, "input", f"{where}, inputs")
        for key in ("sigma", "cfc"):
            self.check_names(entry.get(key), signals, "measured signal", f"{where}, {key}")
        return units

    def _read_signals(
        self, signals: dict[str, Any], table: dict[str, Any], units: dict[str, str], where: str
    ) -> dict[str, Any]:
        """{signal: (time, values)} in SI, without the rows in which the column is empty."""
        time = next((table[n] for n in TIME_NAMES if n in table), None)
        measured = {}
        for signal, column in signals.items():
            with self.collect_problems(where):
                if time is not None and str(column) in table:
                    unit = units.get(signal_terms(str(signal))[0]) if units else None
                    measured[signal] = _read_column(time, table[str(column)], unit, where)
        return measured

    def _read_test_options(
        self, entry: dict[str, Any], signals: dict[str, Any], units: dict[str, str], where: str
    ) -> dict[str, Any]:
        """Further arguments of `Experiment`."""
        options: dict[str, Any] = {}
        for key, unit in (("weight", ""), ("t_end", "s"), ("cfc", "")):
            with self.collect_problems(where):
                if key in entry and not isinstance(entry[key], dict):
                    options[key] = si_number(entry[key], unit, f"{where}, {key}")
        without_unit = dict.fromkeys(map(str, signals), "")
        for key, key_units in (("sigma", units), ("initial", units), ("cfc", without_unit)):
            if key in entry and (key != "cfc" or isinstance(entry[key], dict)):
                options[key] = self._read_numbers(entry[key], key_units, f"{where}, {key}")
        with self.collect_problems(where):
            if "window" in entry:
                options["window"] = _read_pair(entry["window"], "s", f"{where}, window")
        if "inputs" in entry:
            options["options"] = {"inputs": entry["inputs"]}
        return options

    def _read_numbers(self, entry: Any, units: Mapping[str, str], where: str) -> dict[str, float]:
        """{name: number} in SI."""
        numbers: dict[str, float] = {}
        if not isinstance(entry, dict):
            self.problems.append(f"{where}: expected names with numbers, got {shown(entry)}")
            return numbers
        for n, x in entry.items():
            with self.collect_problems(where):
                unit = units.get(signal_terms(str(n))[0])
                numbers[n] = si_number(x, unit, f"{where}, {n}")
        return numbers

    # ---- free parameters -----------------------------------------------------------------------

    def read_free(self, section: Any) -> dict[str, Any]:
        """Free parameters, as `fit` takes them."""
        where, free = f"{self.path.name}, free", dict[str, Any]()
        if not isinstance(section, dict) or not section:
            self.problems.append(
                f"{where} = {shown(section)}; expected names with their bounds [low, high]"
            )
            return free
        for name, spec in section.items():
            entry = f"{where}, {name!r}"
            free[str(name)] = knots() if _is_curve(name, spec) else number()  # its name is checked
            with self.collect_problems(entry):
                free[str(name)] = self._read_free_entry(str(name), spec, entry)
        return free

    def _read_free_entry(self, name: str, spec: Any, where: str) -> Any:
        """A free number, or all forces of a law's points."""
        entry = {"bounds": spec} if isinstance(spec, list) else spec
        if not isinstance(entry, dict):
            raise ArgumentError(
                f"expected [low, high], or bounds, prior, smooth; got {shown(spec)}"
            )
        self.check_keys(entry, FREE_KEYS, where)
        bounds = entry.get("bounds")
        if _is_curve(name, entry):
            if "prior" in entry:
                raise ArgumentError(
                    "prior: is of one number, 'front.points[2].force'; forces of all points have "
                    "bounds and smooth"
                )
            smooth = si_number(entry.get("smooth", 0.0), "", f"{where}, smooth")
            return knots(Knots().bounds if bounds is None else bounds, smooth)
        if "smooth" in entry:
            raise ArgumentError("smooth: is of all forces of a law's points, 'front.points'")
        return number((-np.inf, np.inf) if bounds is None else bounds, entry.get("prior"))

    def check_free(self, free: dict[str, Any], experiments: list[Any]) -> None:
        """Check free parameters in the first test's model, or in any that could be read."""
        test = experiments[0] if experiments else None
        model = next((m for m in self.models.values() if m is not None), None)
        curves = curve_paths(free)
        if test is None and model is not None:  # the initial state is not known
            system = model.check()
            states = {*system.coordinates, *system.speeds}
            free = {n: x for n, x in free.items() if n not in states}
        if free and test is not None:
            read_free_parameters(started_model(test, curves), free)
        elif free and model is not None:
            read_free_parameters(with_rising_curves(model, curves), free)


def _read_option(key: str, entry: Any, where: str) -> float | int:
    """A count or a tolerance of the search."""
    x = si_number(entry, "", where)
    if key in TOLERANCE_KEYS:
        if not 1e-15 < x < 1:
            raise ArgumentError(f"{where}: expected a number from 1e-15 to 1, got {x:g}")
        return x
    minimum = 0 if key == "seed" else 1
    if x != int(x) or x < minimum:
        raise ArgumentError(
            f"{where}: expected {minimum}, {minimum + 1}, {minimum + 2} ..., got {x:g}"
        )
    return int(x)


def _is_curve(name: Any, entry: Any) -> bool:
    """Whether a free entry is all forces of a law's points."""
    has_knots = isinstance(entry, dict) and entry.get("knots")
    return bool(has_knots or str(name).endswith(".points"))


def _read_column(
    time_column: tuple[str, np.ndarray],
    column: tuple[str, np.ndarray],
    unit: str | None,
    where: str,
) -> tuple[np.ndarray, np.ndarray]:
    """(time, values) of a column in SI, without the rows in which it is empty."""
    (heading, values), (time_heading, time) = column, time_column
    filled = np.isfinite(values) & np.isfinite(time)
    factor = 1.0 if unit is None else si_factor(heading, unit, where)
    return time[filled] * si_factor(time_heading, "s", where), values[filled] * factor


def _read_pair(pair: Any, unit: str, where: str) -> tuple[float, ...]:
    if not isinstance(pair, list) or len(pair) != 2:
        raise ArgumentError(f"{where}: expected two numbers, got {shown(pair)}")
    return tuple(si_number(x, unit, where) for x in pair)
