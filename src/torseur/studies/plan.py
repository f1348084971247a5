"""Plan of a study: branches of the model, sampled values, measures, and the runs of one chunk.

Choices become branches, each with its own model.  Other varied quantities become columns of
numbers, which are parameters, initial states or inputs of one compiled system where possible.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ..errors import ArgumentError, ModelError, TorseurError, said, shown, unknown_name_message
from ..files import write
from ..model import Model, field_paths, parameter_units
from ..model.formats import load
from ..results import Runs, Trajectory
from ..scalars import arguments, units
from ..signals import signal_units
from ..simulation import (
    Options,
    SimdBatch,
    is_time_function,
    obeyed,
    simulate,
    time_inputs,
    write_time_inputs,
)
from ..solve import arguments as run_arguments
from ..system import TIMES, following, start_of
from .distributions import Choice, number
from .metrics import EventTime, Measure, measure_from_data

CHUNK_SIZE = 64  # members that are computed and written together
MAX_CHUNK_SIZE, MIN_CHUNKS = 1024, 64  # larger chunks are faster, if there are so many
MAX_CHUNKS = 256  # of a study, about: larger studies have larger chunks, not more files
DEFAULT_ROWS = 1001  # of a run


# ---- plan --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """Everything a worker needs.  It can be pickled, and without users' functions it is data."""

    branches: tuple[Model, ...]
    labels: tuple[dict[str, str], ...]  # of each branch: the labels of its choices
    branch: np.ndarray  # (members,) index of the branch
    values: dict[str, np.ndarray]  # varied numbers, (members,)
    keep: dict[str, Measure]
    options: tuple[dict[str, Any], ...]  # of simulate, of each branch
    chunk: int = CHUNK_SIZE

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @property
    def members(self) -> int:
        return len(self.branch)

    @property
    def has_common_options(self) -> bool:
        return all(x == self.options[0] for x in self.options)

    # ---- chunks --------------------------------------------------------------------------------

    @property
    def chunks(self) -> int:
        return -(-self.members // self.chunk)

    def rows(self, chunk: int) -> range:
        """Members of a chunk."""
        return range(chunk * self.chunk, min((chunk + 1) * self.chunk, self.members))

    def chunk_values(self, chunk: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Branch and varied numbers of the members of a chunk."""
        rows = slice(self.rows(chunk).start, self.rows(chunk).stop)
        return self.branch[rows], {n: x[rows] for n, x in self.values.items()}

    def without_members(self) -> Plan:
        """The plan for workers, which receive the values of their chunks."""
        empty = np.empty(0)
        return replace(self, branch=empty, values=dict.fromkeys(self.values, empty))

    # ---- data ----------------------------------------------------------------------------------

    @cached_property
    def facts(self) -> dict:
        """The plan without its members as data, for a store."""
        from ..model.formats import to_json

        return {
            "branches": [to_json(m) for m in self.branches],
            "labels": list(self.labels),
            "keep": {n: m.to_data() for n, m in self.keep.items()},
            "options": _as_data(self.options[0] if self.has_common_options else self.options),
            "chunk": self.chunk,
            "names": list(self.values),
        }

    @cached_property
    def digest(self) -> str:
        """Digest of everything that the results depend on."""
        return plan_digest(self.facts, self.branch, self.values)

    @classmethod
    def from_facts(
        cls, facts: Mapping[str, Any], branch: np.ndarray, values: dict[str, np.ndarray]
    ) -> Plan:
        """A plan from the data of a store."""
        options, count = facts["options"], len(facts["branches"])
        return cls(
            tuple(map(_read_model, facts["branches"])),
            tuple(facts["labels"]),
            branch,
            values,
            {n: measure_from_data(f) for n, f in facts["keep"].items()},
            tuple(options) if isinstance(options, list) else (options,) * count,
            facts["chunk"],
        )

    # ---- computation ---------------------------------------------------------------------------

    @cached_property
    def benches(self) -> list[Bench]:
        """The branches, each checked and compiled once."""
        signals = tuple(n for m in self.keep.values() for n in m.signals())
        return [
            Bench.cached(m, tuple(self.values), o, signals)
            for m, o in zip(self.branches, self.options, strict=True)
        ]

    def release_memory(self) -> None:
        """Release the memory of SIMD lanes.  The next runs allocate it again."""
        for bench in self.__dict__.get("benches", ()):
            bench.release_memory()

    @cached_property
    def signals(self) -> tuple[list[str], list[str]]:
        """Signals that the measures read: of all rows, and of the last row only."""
        limits, rows = (
            [n for m in self.keep.values() if m.reads_end_only == e for n in m.signals()]
            for e in (1, 0)
        )
        return rows, limits

    def compute(self, chunk: int) -> dict[str, np.ndarray]:
        """Columns of one chunk: measures, and the outcome of every member."""
        return self.compute_members(*self.chunk_values(chunk))

    def compute_members(
        self, branch: np.ndarray, values: dict[str, np.ndarray]
    ) -> dict[str, np.ndarray]:
        """Columns of some members, from their branches and varied numbers."""
        n = len(branch)
        columns = {k: np.full((n, *m.shape()), np.nan) for k, m in self.keep.items()}
        outcome, completed = np.full(n, "", dtype=object), np.zeros(n, dtype=bool)
        for b in np.unique(branch):
            members = np.flatnonzero(branch == b)
            branch_values = {name: x[members] for name, x in values.items()}
            for part, runs in self.benches[b].run_batches(len(members), branch_values):
                rows = members[part]
                if len(runs.there):
                    runs.ask(*self.signals)
                    for name, measure in self.keep.items():
                        columns[name][rows] = measure.evaluate_runs(runs)
                        columns[name][rows[~np.asarray(runs.completed)]] = np.nan
                        _append_notes(runs, name)
                outcome[rows], completed[rows] = runs.outcomes, runs.completed
        return {**columns, "outcome": outcome, "completed": completed}


def plan_digest(
    facts: Mapping[str, Any], branch: np.ndarray, values: Mapping[str, np.ndarray]
) -> str:
    """SHA-256 of a plan as data and of its members."""
    h = hashlib.sha256(json.dumps(facts, sort_keys=True).encode())
    for x in (branch, *values.values()):
        h.update(np.ascontiguousarray(x).tobytes())
    return h.hexdigest()


def _append_notes(runs: Runs, name: str) -> None:
    """Append to the outcomes of completed runs why they lack a number."""
    for i, notes in runs.notes.items():
        if runs.completed[i]:
            runs.outcomes[i] += f"; no {name!r}: {notes[0]}"
    runs.notes.clear()


def _read_model(text: str) -> Model:
    """A model from its text, read as any file is."""
    with TemporaryDirectory() as folder:
        return load(write(Path(folder) / "branch.json", text))


def _as_data(x: Any) -> Any:
    """Nested values as JSON data."""
    if isinstance(x, Mapping):
        return {str(k): _as_data(v) for k, v in x.items()}
    if isinstance(x, np.ndarray | list | tuple):
        return [_as_data(v) for v in x]
    return x.item() if isinstance(x, np.generic) else x


# ---- one branch --------------------------------------------------------------------------------


class Bench:
    """One branch of a study: its compiled system, and the role of every varied number in it."""

    def __init__(
        self,
        model: Model,
        names: tuple[str, ...],
        options: dict[str, Any],
        signals: tuple[str, ...] = (),
    ):
        """Compile a model with the varied quantities as parameters, initial states or inputs."""
        system, where = model.check(), f"study of {model.name!r}"
        states = {*system.coordinates, *system.speeds}
        inputs = {e.name for e in system.inputs if e.size == 1}
        inputs |= {f"{e.name}[{i}]" for e in system.inputs if e.size > 1 for i in range(e.size)}
        forces = {f.name for f in model.forces}  # the scale of a force comes first
        factors = {
            n: p
            for n in names
            if (p := time_inputs.factor(n)) in model.parameters
            and n.rpartition(".")[0] not in forces
        }
        paths = [n for n in names if n not in {*states, *inputs, *factors, *model.parameters}]
        problems = []
        for path in paths:
            try:
                field_paths.read(model, path)
            except ArgumentError as e:
                problems.append(f"{where}: {e}; coordinates and speeds vary by their names, too")
        if problems:
            raise ArgumentError("\n".join(problems))
        self.model, self.options, self.signals = model, options, signals
        self.roles: dict[str, tuple[str, str]] = {  # {name: (argument of simulate, name there)}
            n: (
                ("initial", n)
                if n in states
                else ("inputs", n)
                if n in inputs
                else ("parameters", factors.get(n, n))
            )
            for n in names
        }
        self.changed: list[str] = []  # paths that need a new model for each member
        if not self._parametrize(paths):  # all together, else those that can
            self.changed = [path for path in paths if not self._parametrize([path])]
        self.system = self.model.check()
        self.start = start_of(self.system)[0]

    @classmethod
    def cached(
        cls, model: Model, names: tuple[str, ...], options: dict[str, Any], signals: tuple[str, ...]
    ) -> Bench:
        """The bench of a model, cached with it, so that the next study of this kind starts at once.

        >>> import torseur as ts
        >>> block = ts.Model(bodies=(ts.Body("b", 1.0),),
        ...                  joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),))
        >>> study = (("x.speed",), {"t_end": 1.0}, ())
        >>> Bench.cached(block, *study) is Bench.cached(block, *study)
        True
        """
        try:
            data = [names, signals, _as_data(options), _as_data(dict(model.initial))]
            key = ("study", json.dumps(data, sort_keys=True))
        except (TypeError, ValueError):  # functions among the options
            return cls(model, names, options, signals)
        last = model.recall("study")
        if last is not None and last[0] == key:
            return last[1]
        bench = cls(model, names, options, signals)
        model.store_result("study", (key, bench))
        return bench

    def release_memory(self) -> None:
        """Release the memory of SIMD lanes; the next runs allocate it again."""
        if self._batch is not None:
            self._batch.free.clear()

    def _parametrize(self, paths: list[str]) -> bool:
        """Make numbers parameters, compiled once for all values, and return if this is possible."""
        try:
            model, parameters = field_paths.parametrize_paths(self.model, paths)
            declared = model.check().parameters if paths else {}
        except TorseurError:
            return False
        if not all(parameters[path] in declared for path in paths):
            return False
        self.model = model
        self.roles |= {path: ("parameters", parameters[path]) for path in paths}
        return True

    def run_batches(
        self, count: int, values: Mapping[str, np.ndarray]
    ) -> Iterator[tuple[slice, Runs]]:
        """Runs of some members, in SIMD batches if the model allows it, else one by one."""
        batch = self.batch
        if batch is None:
            for first in range(0, count, CHUNK_SIZE):
                part = slice(first, min(first + CHUNK_SIZE, count))
                members = range(part.start, part.stop)
                yield part, Runs.of([self._try_run(values, i) for i in members])
            return
        inputs: dict[str, Any] = {
            n: dict(self.options.get(n) or {}) for n in ("initial", "inputs", "parameters")
        }
        for name, x in values.items():
            role, target = self.roles[name]
            inputs[role][target] = x
        dependent = following(self.system, inputs["parameters"])
        inputs["initial"] = {**self.start, **dependent, **inputs["initial"]}
        inputs["inputs"] = self._join_components(inputs["inputs"])
        yield from batch.parts(count, **inputs)

    def _join_components(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Inputs of several numbers from their components, `name[i]`."""
        joined = {n: x for n, x in inputs.items() if not n.endswith("]")}
        for name, x in inputs.items():
            if name.endswith("]"):
                owner, _, i = name[:-1].rpartition("[")
                size = next(e.size for e in self.system.inputs if e.name == owner)
                old = np.asarray(joined.get(owner, np.zeros(size)), dtype=float)
                joined[owner] = np.array(np.broadcast_to(old, (*np.shape(x), size)))
                joined[owner][..., int(i)] = x
        return joined

    def _try_run(self, values: Mapping[str, np.ndarray], i: int) -> Trajectory | str:
        """The run of one member, or why there is none."""
        try:
            return self.run({n: float(x[i]) for n, x in values.items()})
        except TorseurError as e:
            return f"could not start: {e}"

    @cached_property
    def batch(self) -> SimdBatch | None:
        """SIMD batch of this branch; None if members need models of their own."""
        options = {n: x for n, x in self.options.items() if n not in ("initial", "parameters")}
        t_end, method = float(options.pop("t_end")), options.get("method", "auto")
        unsupported = set(options) - {f.name for f in fields(Options)}
        from_run = hasattr(self.options.get("initial"), "kept")  # the state of another run
        if self.changed or unsupported or from_run or not isinstance(method, str):
            return None
        varied = [target for role, target in self.roles.values() if role == "initial"]
        keep = [*dict.fromkeys([*self.start, *(self.options.get("initial") or {}), *varied])]
        if self.start:
            options.setdefault("keep", keep)
        run_options = Options(**options)
        if not SimdBatch.can_integrate(self.system, run_options, t_end):
            return None
        return SimdBatch(self.system, t_end, run_options, self.signals)

    @property
    def _batch(self) -> SimdBatch | None:
        """The batch, if it has been made."""
        return self.__dict__.get("batch")

    def run(self, values: Mapping[str, float], sensitivities: tuple[str, ...] = ()) -> Trajectory:
        """The run of one member, with its derivatives by some numbers."""
        inputs: dict[str, Any] = {"initial": {}, "inputs": {}, "parameters": {}}
        model = self.model
        for name, x in values.items():
            if name in self.changed:
                model = field_paths.replaced(model, name, x)
            else:
                role, target = self.roles[name]
                inputs[role][target] = x
        options = dict(self.options)
        for role in inputs:
            inputs[role] = {**options.pop(role, {}), **inputs[role]}
        inputs["inputs"] = self._join_components(inputs["inputs"])
        run = simulate(
            self.system if model is self.model else model.check(),
            **inputs,
            **options,
            sensitivities=sensitivities,
            progress=False,
        )
        return obeyed(run)


# ---- from arguments to a plan ------------------------------------------------------------------


def make_plan(
    model: Any,
    vary: Mapping[str, Any],
    rows: Mapping[str, np.ndarray],
    keep: Any,
    options: Mapping[str, Any],
) -> Plan:
    """Plan from the arguments of a study: choices become branches, the rest columns of numbers."""
    models = model if isinstance(model, Mapping) else {getattr(model, "name", ""): model}
    choices = {n: s for n, s in vary.items() if isinstance(s, Choice)}
    _check_arguments(models, choices, vary, keep)
    set_options = {k: x for k, x in options.items() if x is not None}
    branches: list[Model] = []
    branch_options: list[dict[str, Any]] = []
    labels: list[dict[str, str]] = []
    index: dict[tuple[int, ...], int] = {}
    for indices, choice, label in _combine_choices(choices):
        index[indices] = len(branches)
        branch_model, options_of_branch = _make_branch(
            next(iter(models.values())), choice, set_options, rows
        )
        branches.append(branch_model)
        branch_options.append(options_of_branch)
        labels.append(label)
    count = len(next(iter(rows.values()))) if rows else 1
    choice_indices = [rows[n].astype(int) for n in choices]
    branch = np.array(
        [index[tuple(p[i] for p in choice_indices)] for i in range(count)], dtype=np.int64
    )
    values = {n: np.asarray(x, dtype=float) for n, x in rows.items() if n not in choices}
    measures = _set_output_times(branch_options, keep)
    factor = min(MAX_CHUNK_SIZE // CHUNK_SIZE, count // (CHUNK_SIZE * MIN_CHUNKS))
    chunk = CHUNK_SIZE * max(1, factor, count // (CHUNK_SIZE * MAX_CHUNKS))
    return Plan(
        tuple(branches), tuple(labels), branch, values, measures, tuple(branch_options), chunk
    )


def _check_arguments(
    models: Mapping[str, Any], choices: Mapping[str, Choice], vary: Mapping[str, Any], keep: Any
) -> None:
    """Raise an error for models, measures or options of the wrong type."""
    if bad_models := [m for m in models.values() if not isinstance(m, Model)]:
        raise ArgumentError(
            f"study: expected a ts.Model, got {shown(bad_models[0])}; ts.load(path) reads one"
        )
    if not models:
        raise ArgumentError("study: no model is given")
    if not isinstance(keep, Mapping) or not all(isinstance(m, Measure) for m in keep.values()):
        raise ArgumentError(
            "study: keep is a dictionary of names and measures, such as "
            "{'peak': ts.studies.Peak('x.acceleration')}; a function of a run is "
            "ts.studies.Metric(function)"
        )
    if taken := {"outcome", "completed", "branch"} & set(keep) | set(keep) & set(vary):
        raise ArgumentError(
            f"study: {', '.join(map(repr, sorted(taken)))} in keep= has the name of "
            "another column; choose another"
        )
    if len(models) > 1 and "model" not in choices:
        raise ArgumentError(
            "study: several models are a choice: vary={'model': ts.studies.Choice({...})}"
        )


def _combine_choices(
    choices: Mapping[str, Choice],
) -> Iterator[tuple[tuple[int, ...], dict[str, Any], dict[str, Any]]]:
    """Every combination of choices: indices, options and labels."""
    for indices in product(*(range(len(s.options)) for s in choices.values())):
        pairs = list(zip(choices.items(), indices, strict=True))
        yield (
            indices,
            {n: s.options[i] for (n, s), i in pairs},
            {n: s.labels[i] for (n, s), i in pairs},
        )


def _make_branch(
    model: Model, choice: Mapping[str, Any], set_options: Mapping[str, Any], rows: Mapping[str, Any]
) -> tuple[Model, dict[str, Any]]:
    """The model of one combination of choices, and its options of simulate.

    Inputs of time are written into the model, so that its members run in SIMD lanes.  `input.scale`
    is then a parameter.
    """
    model = choice.get("model", model)
    input_names = {i.name for i in model.inputs}
    choice_inputs = {n: x for n, x in choice.items() if n in input_names}
    for name, option in choice.items():
        if name != "model" and name not in choice_inputs:
            model = _with_option(model, name, option)
    options = {**start_of(model.check())[1], **set_options}
    if "t_end" not in options:
        raise ArgumentError("study: no end time: give t_end= [s]")
    times = [n for n in (*TIMES, "t_end") if n == "t_end" or isinstance(options.get(n), str)]
    options |= {n: arguments.number("study", n, options[n], "s") for n in dict.fromkeys(times)}
    options |= _check_options(options)
    inputs = options.get("inputs") or {}
    time_functions = {n: x for n, x in inputs.items() if is_time_function(x)}
    constant = {n: x for n, x in inputs.items() if n not in time_functions}
    time_functions |= {
        n: x if is_time_function(x) else repr(number(x, n)) for n, x in choice_inputs.items()
    }
    if twice := [n for n in time_functions if n in rows and n not in choice]:
        raise ArgumentError(
            f"study: {twice[0]!r} is an input of time and varies as a constant; vary "
            f"'{twice[0]}.scale', or parameters in its text"
        )
    if time_functions:
        start = float(options.get("t_start") or 0.0)
        numbers = time_inputs.numbers_of(time_functions, rows, "study")
        model, _ = write_time_inputs(model, time_functions, options["t_end"], start, *numbers)
        options["inputs"] = constant
    return model, options


def _check_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Check options before any run, and return initial state, parameters and inputs."""
    names = [f.name for f in fields(Options)]
    allowed = (*names, "t_end", "initial", "control", "period")
    if bad := [
        unknown_name_message("option", n, allowed, "study") for n in options if n not in allowed
    ]:
        raise ArgumentError("\n".join(bad))
    Options().told(**{n: x for n, x in options.items() if n in names}).check()
    start = run_arguments.seconds("t_start", options.get("t_start") or 0.0, "study")
    run_arguments.spacing(start, options["t_end"], options.get("step"), options.get("max_step"))
    examples = {"initial": "{'x.speed': 2.0}", "parameters": "{'k': 40.0}", "inputs": "{'u': 3.0}"}
    return {
        n: arguments.mapping("study", n, options[n], text)
        for n, text in examples.items()
        if n in options and not hasattr(options[n], "kept")
    }


def _set_output_times(
    branch_options: list[dict[str, Any]], keep: Mapping[str, Measure]
) -> dict[str, Measure]:
    """Add the times of the measures to the output of every branch.  Returns measures with times."""
    spans = [(float(o.get("t_start") or 0.0), float(o["t_end"])) for o in branch_options]
    low, high = min(a for a, _ in spans), max(b for _, b in spans)
    counts = [
        arguments.count("study", "output", x)
        for options in branch_options
        if np.ndim(x := options.get("output", DEFAULT_ROWS)) == 0 and x != "steps"
    ]
    even = np.linspace(low, high, int(max(counts, default=DEFAULT_ROWS)))
    keep = {n: m.with_default_times(even) for n, m in keep.items()}
    times = np.concatenate([np.empty(0), *(m.times() for m in keep.values())])
    if not times.size:
        return keep
    if times.min() < low or times.max() > high * (1 + 1e-12):
        outside = times.max() if times.max() > high else times.min()
        raise ArgumentError(
            f"study: a signal is kept at t = {outside:g} s, outside {low:g} to {high:g} s"
        )
    for options, (start, end) in zip(branch_options, spans, strict=True):
        output = options.get("output", DEFAULT_ROWS)
        if isinstance(output, str):
            raise ArgumentError(
                f"study: output={output!r} has no rows at the times of a kept signal; give a "
                "number of rows, or times"
            )
        rows = np.linspace(start, end, int(output)) if np.ndim(output) == 0 else output
        interior = times[(times >= start) & (times <= end * (1 + 1e-12))]
        options["output"] = np.unique(np.concatenate([rows, interior])).tolist()
    return keep


def _with_option(model: Model, name: str, option: Any) -> Model:
    """The model with another law at `force.law` or another number at a path."""
    owner, _, part = name.rpartition(".")
    if part == "law" and any(f.name == owner for f in model.forces):
        forces = tuple(replace(f, law=option) if f.name == owner else f for f in model.forces)
        return replace(model, forces=forces)
    return field_paths.replaced(model, name, option)


# ---- checks ------------------------------------------------------------------------------------


def find_unit_problems(
    plan: Plan, expressions: Mapping[str, Iterable[str]], where: str
) -> Iterator[str]:
    """Problems of texts whose unit is not that of a varied quantity or of a measure.

    >>> import torseur as ts
    >>> block = ts.Model("block", bodies=(ts.Body("b", 1.0),), joints=(
    ...     ts.Joint("x", "world", "b", ts.Prismatic("x")),))
    >>> study = ts.study(block, t_end=0.1, vary={"b.mass": [1.0, 2.0]}, engine="lanes",
    ...                  keep={"v": ts.studies.Peak("x.speed")})
    >>> next(find_unit_problems(study.plan, {"b.mass": ["3 N"]}, "study"))[:46]
    "study: 'b.mass' varies by '3 N': body 'b', mas"
    >>> next(find_unit_problems(study.plan, {"v": ["3 kg"]}, "limit"))[:51]
    "limit: 'v' against '3 kg': expected a speed [m/s], "
    """
    model = plan.branches[0]
    quantity_units = signal_units(plan.benches[0].system)
    measures = {n: m.unit or quantity_units.get(m.signal(), "") for n, m in plan.keep.items()}
    quantity_units |= {i.name: i.unit for i in model.inputs}
    for name, text in ((n, text) for n, group in expressions.items() for text in group):
        unit = measures[name] if name in measures else quantity_units.get(name)
        try:
            if unit is not None:
                units.quantity(text, unit or None)
            elif name in model.parameters:
                for _, reason in parameter_units.misfits(model, {name: text}):
                    yield f"{where}: {name!r} varies by {text!r}: {reason}"
            else:
                field_paths.replaced(model, name, text)
        except ModelError as e:
            yield f"{where}: {name!r} varies by {text!r}: {e.problems[0]}"
        except ArgumentError:
            continue  # no path of this model, which another check reports
        except ValueError as e:
            verb = "against" if name in measures else "varies by"
            yield f"{where}: {name!r} {verb} {text!r}: {said(e)}"


def read_limit(plan: Plan, name: str, limit: Any, where: str) -> float:
    """Limit of a measure in SI: a number, also an infinite one, or a text with its unit."""
    if isinstance(limit, float) and np.isinf(limit):
        return limit
    expressions = {name: [limit]} if isinstance(limit, str) else {}
    if problem := next(find_unit_problems(plan, expressions, where), ""):
        raise ArgumentError(problem)
    return number(limit, f"{where}: limit")


def check_plan(
    plan: Plan, expressions: Mapping[str, Iterable[str]] | None = None, where: str = "study"
) -> None:
    """Check units of `expressions`, signals of measures in every branch, and events in one branch.

    One error lists all faults.
    """
    problems: dict[str, None] = dict.fromkeys(find_unit_problems(plan, expressions or {}, where))
    events = {"start: speeds jump"}
    for b in np.unique(plan.branch):
        branch_signals = signal_units(plan.benches[b].system)
        for g in plan.benches[b].system.layout.guards:
            events |= {g.name if g.told else f"{g.owner}: speeds jump"}
        problems |= {
            unknown_name_message("signal", n, branch_signals, f"study, keep {label!r}"): None
            for label, m in plan.keep.items()
            for n in m.signals()
            if n not in branch_signals
        }
    problems |= {
        unknown_name_message("event", m.name, events, f"study, keep {label!r}"): None
        for label, m in plan.keep.items()
        if isinstance(m, EventTime) and m.name not in events
    }
    if problems:
        raise ArgumentError("\n".join(problems))
