"""A study from a plan file (YAML): model, what varies, what is kept; data, nothing in it runs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..crash import is_case, load_case
from ..errors import ModelError, TorseurError, misfit, said, unforeseen, unknown_name
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
    """A plan file as arguments of `ts.study`; every problem at once.

    `ts.study(**ts.studies.read_plan("plan.yaml"))` is what `torseur study plan.yaml` runs.

    >>> read_plan("nowhere.yaml")
    Traceback (most recent call last):
    torseur.errors.ModelError: the model has 1 problem:
      - nowhere.yaml: no such file; check the path
    """
    path = place(path)
    if not path.is_file():
        raise ModelError([f"{path}: no such file; check the path"])
    with unforeseen(path.name):
        tree, problems = parse(read_text(path), path.name)
        if not isinstance(tree.value, dict):
            raise ModelError([f"{path.name}: expected keys such as 'model', 'vary' and 'keep'"])
        reader = PlanReader(path)
        reader.problems += problems
        return reader.plan(tree.value)


@contextmanager
def told_too(problems: list[str]) -> Iterator[None]:
    """What is refused inside is one more problem."""
    try:
        yield
    except TorseurError as e:
        problems.append(str(e))


class PlanReader(Reader):
    """The reader of model files, for the keys of a plan."""

    def plan(self, top: dict[str, FileNode]) -> dict[str, Any]:
        """Arguments of `ts.study`."""
        name = self.path.name
        told = [unknown_name("key", k, KEYS, name) for k in top if k not in KEYS]
        told += [f"{name}: no {k!r}" for k in ("vary", "keep") if k not in top]
        vary = top.get("vary")
        several = vary is not None and isinstance(vary.value, dict) and "model" in vary.value
        told += [f"{name}: no 'model'"] if "model" not in top and not several else []
        self.problems += told
        model = self._file(top["model"].value, "model") if "model" in top else None
        out: dict[str, Any] = {
            k: top[k].plain() for k in ("samples", "design", "seed", "store") if k in top
        }
        self._counts(out)
        if vary is not None and isinstance(vary.value, str):
            out["vary"] = self.path.parent / vary.value
        elif vary is not None and isinstance(vary.value, dict):
            made = self._vary(vary.value, model)
            out["vary"], models = made, made.get("model")
            model = model or (models.options[0] if isinstance(models, Choice) else None)
        out["keep"] = self._keep(top.get("keep"))
        options = (
            self._mapping(top["simulation"].plain(), "simulation") if "simulation" in top else {}
        )
        inputs = self._mapping(options.get("inputs"), "simulation.inputs")
        options["inputs"] = {n: _in_time(x) for n, x in inputs.items()}
        if "t_end" in top:
            options["t_end"] = top["t_end"].plain()
        if isinstance(options.get("t_end"), str):
            with told_too(self.problems):
                options["t_end"] = arguments.number(name, "t_end", options["t_end"], "s")
        if self.problems:
            raise ModelError(self.problems)
        out["model"] = model
        return {**out, **{k: x for k, x in options.items() if x != {}}}

    def _counts(self, out: dict[str, Any]) -> None:
        """Samples, seed and design, each with what is wrong with it."""
        name = self.path.name
        for key, least in (("samples", 1), ("seed", 0)):
            with told_too(self.problems):
                if key in out:
                    out[key] = arguments.count(name, key, out[key], least)
        with told_too(self.problems):
            if "design" in out:
                DESIGNS.element(out["design"], f"{name}: design")

    def _mapping(self, given: Any, where: str) -> dict[str, Any]:
        """Names with values, or nothing."""
        if given is not None and not isinstance(given, dict):
            self.problems.append(f"{self.path.name}: {where}: expected names, each with a value")
        return dict(given) if isinstance(given, dict) else {}

    def _file(self, given: Any, where: str) -> Model | None:
        """The model of a file, or the scene of a crash case."""
        if not isinstance(given, str):
            self.problems.append(f"{self.path.name}: {where}: expected the name of a file")
            return None
        try:
            path = self.path.parent / str(given)
            return load_case(path).scene if is_case(path) else load(path)
        except ModelError as e:
            self.problems += [f"{self.path.name}: {where}: {x}" for x in e.problems]
            return None

    def _vary(self, given: dict[str, FileNode], model: Model | None) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for name, node in sorted(given.items(), key=lambda x: x[0] != "model"):
            if isinstance(models := out.get("model"), Choice):
                model = model or models.options[0]
            where = f"vary.{name}"
            chosen = node.value.get("choice") if isinstance(node.value, dict) else None
            if chosen is None:
                out[name] = self._made(node.plain(), DISTRIBUTIONS, f"{self.path.name}: {where}")
            elif not isinstance(chosen.value, dict | list) or not chosen.value:
                self.problems.append(
                    f"{self.path.name}: {where}: choice: expected names, each with what is chosen"
                )
            else:
                many = chosen.value
                items = many if isinstance(many, dict) else {str(x.plain()): x for x in many}
                out[name] = Choice(
                    {k: self._option(name, n, f"{where}.{k}", model) for k, n in items.items()}
                )
        return {n: out[n] for n in given if n in out}

    def _option(self, name: str, node: FileNode, where: str, model: Model | None) -> Any:
        """What is chosen: a model by its file, a law as in a model file, a number or a text."""
        if name == "model":
            return self._file(node.value, where)
        owner, _, part = name.rpartition(".")
        force = next((f for f in model.forces if f.name == owner), None) if model else None
        if part == "law" and force is not None:
            written, _ = parse(json.dumps(element(force, owner)), "", json_text=True)
            written.value["law"] = node
            self.moving = [*model.joints, *model.rotors] if model is not None else []
            made: Any = self.element(written, where, type(force), owner, "force")
            return None if made is None else made.law
        if model is not None and name in {i.name for i in model.inputs}:
            return _in_time(node.plain())
        try:
            return number(node.plain(), f"{self.path.name}: {where}")
        except TorseurError as e:
            self.problems.append(str(e))
            return None

    def _keep(self, node: FileNode | None) -> dict[str, Any]:
        if node is None:
            return {}
        if not isinstance(node.value, dict):
            self.problems.append(f"{self.path.name}: keep: expected names, each with a measure")
            return {}
        known = {type_name(x): x for x in MEASURES.values()}
        return {
            n: self._made(x.plain(), known, f"{self.path.name}: keep.{n}")
            for n, x in node.value.items()
        }

    def _made(self, given: Any, known: dict[str, Any], where: str) -> Any:
        """`{normal: [1, 0.1]}` or `{signal_at: x.speed, at: [...]}` as an object; a list stays."""
        if isinstance(given, list):
            return given
        if not isinstance(given, dict) or not given:
            self.problems.append(
                f"{where}: expected one of {', '.join(known)}, such as {{{next(iter(known))}: ...}}"
            )
            return None
        name, first = next(iter(given.items()))
        if name not in known:
            self.problems.append(unknown_name("kind", name, known, where))
            return None
        rest = {k: x for k, x in given.items() if k != name}
        spread = issubclass(known[name], Distribution)
        if known[name] is Grid and isinstance(first, list) and len(first) not in (1, 3):
            first = [first]  # numbers to go through; three are start, end and how many
        plain = first if isinstance(first, list) and spread else [first]
        try:
            return known[name](*plain, **rest)
        except (TypeError, ValueError, TorseurError) as e:
            self.problems.append(f"{where}: {said(e, misfit(known[name], rest, len(plain)))}")
            return None


def _in_time(x: Any) -> Any:
    """An input as `simulate` takes it: `{times: [...], values: [...]}` is a table of time."""
    if isinstance(x, dict) and set(x) == {"times", "values"}:
        return x["times"], x["values"]
    return x
