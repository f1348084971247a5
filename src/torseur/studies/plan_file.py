"""Plan file of a study (YAML): model, varied quantities and measures, as data without code."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..crash import is_case, load_case
from ..errors import (
    ModelError,
    TorseurError,
    describe_call_mismatch,
    report_reader_failures,
    said,
    unknown_name_message,
)
from ..files import place
from ..model import Model
from ..model.formats import FileNode, Reader, element, load, parse, read_text, type_name
from ..scalars import arguments
from .distributions import Choice, Distribution, Grid, LogNormal, Normal, Uniform, number
from .metrics import MEASURES
from .sampling import DESIGNS

KEYS = ("model", "vary", "keep", "samples", "design", "seed", "store", "t_end", "simulation",
        "schema_version", "description")  # fmt: skip
DISTRIBUTIONS: dict[str, Any] = {
    type_name(x): x for x in (Normal, Uniform, LogNormal, Grid, Choice)
}


def read_plan(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a plan file as arguments of `ts.study`; one message with all faults.

    `torseur study plan.yaml` runs `ts.study(**ts.studies.read_plan("plan.yaml"))`.

    >>> read_plan("nowhere.yaml")
    Traceback (most recent call last):
    torseur.errors.ModelError: the model has 1 problem:
      - nowhere.yaml: no such file; check the path
    """
    path = place(path)
    if not path.is_file():
        raise ModelError([f"{path}: no such file; check the path"])
    with report_reader_failures(path.name):
        tree, problems = parse(read_text(path), path.name)
        if not isinstance(tree.value, dict):
            raise ModelError([f"{path.name}: expected keys such as 'model', 'vary' and 'keep'"])
        reader = PlanReader(path)
        reader.problems += problems
        return reader.read_arguments(tree.value)


@contextmanager
def collect_problems(problems: list[str]) -> Iterator[None]:
    """Context that appends an error to the problems."""
    try:
        yield
    except TorseurError as e:
        problems.append(str(e))


class PlanReader(Reader):
    """Reader of the keys of a plan.  Models and laws are read as in model files."""

    def read_arguments(self, top: dict[str, FileNode]) -> dict[str, Any]:
        """Arguments of `ts.study`."""
        name = self.path.name
        self.problems += [unknown_name_message("key", k, KEYS, name) for k in top if k not in KEYS]
        self.problems += [f"{name}: no {k!r}" for k in ("vary", "keep") if k not in top]
        vary = top.get("vary")
        varies_model = vary is not None and isinstance(vary.value, dict) and "model" in vary.value
        if "model" not in top and not varies_model:
            self.problems.append(f"{name}: no 'model'")
        model = self._read_model(top["model"].value, "model") if "model" in top else None
        plan: dict[str, Any] = {
            k: top[k].plain() for k in ("samples", "design", "seed", "store") if k in top
        }
        self._check_counts(plan)
        if vary is not None and isinstance(vary.value, str):
            plan["vary"] = self.path.parent / vary.value
        elif vary is not None and isinstance(vary.value, dict):
            plan["vary"] = self._read_varied(vary.value, model)
            models = plan["vary"].get("model")
            model = model or (models.options[0] if isinstance(models, Choice) else None)
        plan["keep"] = self._read_measures(top.get("keep"))
        options = self._read_options(top)
        if self.problems:
            raise ModelError(self.problems)
        plan["model"] = model
        return {**plan, **{k: x for k, x in options.items() if x != {}}}

    def _read_options(self, top: dict[str, FileNode]) -> dict[str, Any]:
        """Options of `ts.simulate`."""
        options = (
            self._read_mapping(top["simulation"].plain(), "simulation")
            if "simulation" in top
            else {}
        )
        inputs = self._read_mapping(options.get("inputs"), "simulation.inputs")
        options["inputs"] = {n: _read_input(x) for n, x in inputs.items()}
        if "t_end" in top:
            options["t_end"] = top["t_end"].plain()
        if isinstance(options.get("t_end"), str):
            with collect_problems(self.problems):
                options["t_end"] = arguments.number(self.path.name, "t_end", options["t_end"], "s")
        return options

    def _check_counts(self, plan: dict[str, Any]) -> None:
        """Check samples, seed and design."""
        name = self.path.name
        for key, minimum in (("samples", 1), ("seed", 0)):
            with collect_problems(self.problems):
                if key in plan:
                    plan[key] = arguments.count(name, key, plan[key], minimum)
        with collect_problems(self.problems):
            if "design" in plan:
                DESIGNS.element(plan["design"], f"{name}: design")

    def _read_mapping(self, mapping: Any, where: str) -> dict[str, Any]:
        """Values by name, empty without any."""
        if mapping is not None and not isinstance(mapping, dict):
            self.problems.append(f"{self.path.name}: {where}: expected names, each with a value")
        return dict(mapping) if isinstance(mapping, dict) else {}

    def _read_model(self, file: Any, where: str) -> Model | None:
        """The model of a file, or the scene of a crash case."""
        if not isinstance(file, str):
            self.problems.append(f"{self.path.name}: {where}: expected the name of a file")
            return None
        try:
            path = self.path.parent / str(file)
            return load_case(path).scene if is_case(path) else load(path)
        except ModelError as e:
            self.problems += [f"{self.path.name}: {where}: {x}" for x in e.problems]
            return None

    def _read_varied(self, section: dict[str, FileNode], model: Model | None) -> dict[str, Any]:
        """{name: distribution, choice or list}, models first because the others may replace their
        laws.
        """
        varied: dict[str, Any] = {}
        for name, node in sorted(section.items(), key=lambda x: x[0] != "model"):
            if isinstance(models := varied.get("model"), Choice):
                model = model or models.options[0]
            where = f"vary.{name}"
            choice = node.value.get("choice") if isinstance(node.value, dict) else None
            if choice is None:
                entry = self._read_element(
                    node.plain(), DISTRIBUTIONS, f"{self.path.name}: {where}"
                )
                varied[name] = entry
            elif not isinstance(choice.value, dict | list) or not choice.value:
                self.problems.append(
                    f"{self.path.name}: {where}: choice: expected names, each with its option"
                )
            else:
                options = choice.value
                if not isinstance(options, dict):
                    options = {str(x.plain()): x for x in options}
                varied[name] = Choice(
                    {
                        k: self._read_option(name, n, f"{where}.{k}", model)
                        for k, n in options.items()
                    }
                )
        return {n: varied[n] for n in section if n in varied}

    def _read_option(self, name: str, node: FileNode, where: str, model: Model | None) -> Any:
        """Option of a choice: a model by its file, a law as in a model file, a number or a text."""
        if name == "model":
            return self._read_model(node.value, where)
        owner, _, part = name.rpartition(".")
        force = next((f for f in model.forces if f.name == owner), None) if model else None
        if part == "law" and force is not None:
            written, _ = parse(json.dumps(element(force, owner)), "", json_text=True)
            written.value["law"] = node
            self.moving = [*model.joints, *model.rotors] if model is not None else []
            element_read: Any = self.element(written, where, type(force), owner, "force")
            return None if element_read is None else element_read.law
        if model is not None and name in {i.name for i in model.inputs}:
            return _read_input(node.plain())
        try:
            return number(node.plain(), f"{self.path.name}: {where}")
        except TorseurError as e:
            self.problems.append(str(e))
            return None

    def _read_measures(self, node: FileNode | None) -> dict[str, Any]:
        """{name: measure}."""
        if node is None:
            return {}
        if not isinstance(node.value, dict):
            self.problems.append(f"{self.path.name}: keep: expected names, each with a measure")
            return {}
        types = {type_name(x): x for x in MEASURES.values()}
        return {
            n: self._read_element(x.plain(), types, f"{self.path.name}: keep.{n}")
            for n, x in node.value.items()
        }

    def _read_element(self, entry: Any, types: dict[str, Any], where: str) -> Any:
        """Object of `{normal: [1, 0.1]}` or `{signal_at: x.speed, at: [...]}`.  A list stays a
        list.
        """
        if isinstance(entry, list):
            return entry
        if not isinstance(entry, dict) or not entry:
            self.problems.append(
                f"{where}: expected one of {', '.join(types)}, such as {{{next(iter(types))}: ...}}"
            )
            return None
        name, first = next(iter(entry.items()))
        if name not in types:
            self.problems.append(unknown_name_message("kind", name, types, where))
            return None
        rest = {k: x for k, x in entry.items() if k != name}
        is_distribution = issubclass(types[name], Distribution)
        if types[name] is Grid and isinstance(first, list) and len(first) not in (1, 3):
            first = [first]  # a list of values; three numbers are start, end and count
        args = first if isinstance(first, list) and is_distribution else [first]
        try:
            return types[name](*args, **rest)
        except (TypeError, ValueError, TorseurError) as e:
            self.problems.append(
                f"{where}: {said(e, describe_call_mismatch(types[name], rest, len(args)))}"
            )
            return None


def _read_input(x: Any) -> Any:
    """An input of `simulate`: `{times: [...], values: [...]}` is a table of time."""
    if isinstance(x, dict) and set(x) == {"times", "values"}:
        return x["times"], x["values"]
    return x
