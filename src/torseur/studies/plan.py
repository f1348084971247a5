"""A study as data: branches of the model, rows of values, what is kept; and one chunk of it."""

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

from ..errors import ArgumentError, ModelError, TorseurError, said, shown, unknown_name
from ..files import write
from ..model import Model, field_paths, parameter_units
from ..model.formats import load
from ..results import Runs
from ..scalars import arguments as asked, units
from ..signals import signal_units
from ..simulation import Cohort, Options, is_timed, obeyed, simulate, time_inputs, with_functions
from ..solve import arguments
from ..system import TIMES, following, start_of
from .distributions import Choice, number
from .metrics import EventTime, Measure, from_facts

CHUNK = 64  # members that are computed, written and lost together


@dataclass(frozen=True)
class Plan:
    """Everything a worker needs: it is picklable, and but for functions of one's own it is data."""

    branches: tuple[Model, ...]
    labels: tuple[dict[str, str], ...]  # of each branch: what was chosen
    branch: np.ndarray  # (members,) index
    values: dict[str, np.ndarray]  # varied numbers, (members,)
    keep: dict[str, Measure]
    options: tuple[dict[str, Any], ...]  # of simulate, of each branch
    chunk: int = CHUNK

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @property
    def members(self) -> int:
        return len(self.branch)

    @property
    def alike(self) -> bool:
        """Whether members of all branches run under the same options."""
        return all(x == self.options[0] for x in self.options)

    @property
    def chunks(self) -> int:
        return -(-self.members // self.chunk)

    def rows(self, chunk: int) -> range:
        """Members of a chunk."""
        return range(chunk * self.chunk, min((chunk + 1) * self.chunk, self.members))

    @cached_property
    def facts(self) -> dict:
        """As data, for a store."""
        from ..model.formats import to_json

        return {
            "branches": [to_json(m) for m in self.branches],
            "labels": list(self.labels),
            "keep": {n: m.facts() for n, m in self.keep.items()},
            "options": _data(self.options[0] if self.alike else self.options),
            "chunk": self.chunk,
            "names": list(self.values),
        }

    @cached_property
    def digest(self) -> str:
        """Of all that the results depend on."""
        return digest_of(self.facts, self.branch, self.values)

    @classmethod
    def of_facts(cls, facts, branch, values) -> Plan:
        """A plan as a store has it."""
        options, count = facts["options"], len(facts["branches"])
        return cls(
            tuple(map(_model, facts["branches"])),
            tuple(facts["labels"]),
            branch,
            values,
            {n: from_facts(f) for n, f in facts["keep"].items()},
            tuple(options) if isinstance(options, list) else (options,) * count,
            facts["chunk"],
        )

    @cached_property
    def benches(self) -> list[Bench]:
        """The branches, checked once each."""
        reads = tuple(n for m in self.keep.values() for n in m.signals())
        return [
            Bench.of(m, tuple(self.values), o, reads)
            for m, o in zip(self.branches, self.options, strict=True)
        ]

    def rest(self) -> None:
        """Give back the memory of lanes, until more is computed."""
        for bench in self.__dict__.get("benches", ()):
            bench.rest()

    @cached_property
    def asked(self) -> tuple[list[str], list[str]]:
        """Signals that are kept: of all rows, and of the ends of runs."""
        ends, rows = (
            [n for m in self.keep.values() if m.of_end == e for n in m.signals()] for e in (1, 0)
        )
        return rows, ends

    def cut(self, chunk: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Branch and varied numbers of the members of a chunk."""
        own = slice(self.rows(chunk).start, self.rows(chunk).stop)
        return self.branch[own], {n: x[own] for n, x in self.values.items()}

    def shell(self) -> Plan:
        """The plan without its members, for workers: they are told the rows of their chunks."""
        none = np.empty(0)
        return replace(self, branch=none, values=dict.fromkeys(self.values, none))

    def compute(self, chunk: int) -> dict[str, np.ndarray]:
        """Columns of one chunk: what is kept, and the outcome of every member."""
        return self.computed(*self.cut(chunk))

    def computed(self, branch: np.ndarray, given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Columns of some members, from their branches and varied numbers."""
        n = len(branch)
        out = {k: np.full((n, *m.shape()), np.nan) for k, m in self.keep.items()}
        outcome, completed = np.full(n, "", dtype=object), np.zeros(n, dtype=bool)
        for b in np.unique(branch):
            members = np.flatnonzero(branch == b)
            values = {name: x[members] for name, x in given.items()}
            for part, runs in self.benches[b].parts(len(members), values):
                here = members[part]
                if len(runs.there):
                    runs.ask(*self.asked)
                    for name, measure in self.keep.items():
                        out[name][here] = measure.over(runs)
                        out[name][here[~np.asarray(runs.completed)]] = np.nan
                        _note(runs, name)
                outcome[here], completed[here] = runs.outcomes, runs.completed
        return {**out, "outcome": outcome, "completed": completed}


def digest_of(facts: Mapping[str, Any], branch: np.ndarray, values: Mapping[str, Any]) -> str:
    """Of a plan as data, and of its members."""
    h = hashlib.sha256(json.dumps(facts, sort_keys=True).encode())
    for x in (branch, *values.values()):
        h.update(np.ascontiguousarray(x).tobytes())
    return h.hexdigest()


def _note(runs: Runs, name: str) -> None:
    """Say of runs that completed why they have no number of a name."""
    for i, told in runs.notes.items():
        if runs.completed[i]:
            runs.outcomes[i] += f"; no {name!r}: {told[0]}"
    runs.notes.clear()


class Bench:
    """One branch of a study: its system, compiled once, and where every varied number goes."""

    def __init__(
        self,
        model: Model,
        names: tuple[str, ...],
        options: dict[str, Any],
        reads: tuple[str, ...] = (),
    ):
        system, where = model.check(), f"study of {model.name!r}"
        states = {*system.coordinates, *system.speeds}
        inputs = {e.name for e in system.inputs if e.size == 1}
        inputs |= {f"{e.name}[{i}]" for e in system.inputs if e.size > 1 for i in range(e.size)}
        forces = {f.name for f in model.forces}  # whose own scale comes first
        factors = {
            n: p
            for n in names
            if (p := time_inputs.factor(n)) in model.parameters
            and n.rpartition(".")[0] not in forces
        }
        known = {*states, *inputs, *factors, *model.parameters}
        inner = [n for n in names if n not in known]
        problems = []
        for path in inner:
            try:
                field_paths.read(model, path)
            except ArgumentError as e:
                problems.append(f"{where}: {e}; coordinates and speeds vary by their names, too")
        if problems:
            raise ArgumentError("\n".join(problems))
        self.model, self.options, self.reads = model, options, reads
        self.route: dict[str, tuple[str, str]] = {}
        self.changed: list[str] = []
        for n in names:
            self.route[n] = (
                ("initial", n)
                if n in states
                else ("inputs", n)
                if n in inputs
                else ("parameters", factors.get(n, n))
            )
        if not self._name(inner):  # all at once where that can be,
            self.changed = [path for path in inner if not self._name([path])]
        self.system = self.model.check()
        self.own = start_of(self.system)[0]
        self._made: list[Cohort | None] = []

    @classmethod
    def of(
        cls, model: Model, names: tuple[str, ...], options: dict[str, Any], reads: tuple[str, ...]
    ) -> Bench:
        """The bench of a model, remembered with it: the next study of the same kind starts at once.

        >>> import torseur as ts
        >>> block = ts.Model(bodies=(ts.Body("b", 1.0),),
        ...                  joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),))
        >>> asked = (("x.speed",), {"t_end": 1.0}, ())
        >>> Bench.of(block, *asked) is Bench.of(block, *asked)
        True
        """
        try:
            facts = [names, reads, _data(options), _data(dict(model.initial))]
            key = ("study", json.dumps(facts, sort_keys=True))
        except (TypeError, ValueError):  # functions among the options
            return cls(model, names, options, reads)
        last = model.recall("study")
        if last is not None and last[0] == key:
            return last[1]
        made = cls(model, names, options, reads)
        model.remember("study", (key, made))
        return made

    def rest(self) -> None:
        """Give back the memory of lanes; the next runs ask for it anew."""
        for cohort in self._made:
            if cohort is not None:
                cohort.free.clear()

    def _name(self, inner: list[str]) -> bool:
        """Make numbers parameters, if they may be names: compiled once for all values."""
        try:
            named, new = field_paths.parametrized(self.model, inner)
            known = named.check().parameters if inner else {}
        except TorseurError:
            return False
        if not all(new[path] in known for path in inner):
            return False
        self.model = named
        self.route |= {path: ("parameters", new[path]) for path in inner}
        return True

    def parts(self, count: int, values: Mapping[str, np.ndarray]) -> Iterator[tuple[slice, Runs]]:
        """Motions of some members, part by part: in lanes where the model can, else one by one."""
        cohort = self.cohort()
        if cohort is None:
            for first in range(0, count, CHUNK):
                part = slice(first, min(first + CHUNK, count))
                members = range(part.start, part.stop)
                yield part, Runs.of([self._told(values, i) for i in members])
            return
        given: dict[str, Any] = {
            n: dict(self.options.get(n) or {}) for n in ("initial", "inputs", "parameters")
        }
        for name, x in values.items():
            kind, own = self.route[name]
            given[kind][own] = x
        follow = following(self.system, given["parameters"])
        given["initial"] = {**self.own, **follow, **given["initial"]}
        given["inputs"] = self._whole(given["inputs"])
        yield from cohort.parts(count, **given)

    def _whole(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Inputs of several numbers from their components, `name[i]`."""
        out = {n: x for n, x in given.items() if not n.endswith("]")}
        for name, x in given.items():
            if name.endswith("]"):
                owner, _, i = name[:-1].rpartition("[")
                size = next(e.size for e in self.system.inputs if e.name == owner)
                old = np.asarray(out.get(owner, np.zeros(size)), dtype=float)
                out[owner] = np.array(np.broadcast_to(old, (*np.shape(x), size)))
                out[owner][..., int(i)] = x
        return out

    def _told(self, values, i: int):
        """One member, or why there is none."""
        try:
            return self.run({n: float(x[i]) for n, x in values.items()})
        except TorseurError as e:
            return f"could not start: {e}"

    def cohort(self) -> Cohort | None:
        """The lanes of this branch, made once; none where members need models of their own."""
        if not self._made:
            self._made.append(self._cohort())
        return self._made[0]

    def _cohort(self) -> Cohort | None:
        told = {n: x for n, x in self.options.items() if n not in ("initial", "parameters")}
        t_end, method = float(told.pop("t_end")), told.get("method", "auto")
        apart = set(told) - {f.name for f in fields(Options)}
        whole = hasattr(self.options.get("initial"), "kept")  # the state of another run
        if self.changed or apart or whole or not isinstance(method, str):
            return None
        named = [own for kind, own in self.route.values() if kind == "initial"]
        keep = [*dict.fromkeys([*self.own, *(self.options.get("initial") or {}), *named])]
        if self.own:
            told.setdefault("keep", keep)
        options = Options(**told)
        suits = Cohort.suits(self.system, options, t_end)
        return Cohort(self.system, t_end, options, self.reads) if suits else None

    def run(self, values: Mapping[str, float], sensitivities: tuple[str, ...] = ()):
        """The motion of one member, with its derivatives by some numbers."""
        given: dict[str, Any] = {"initial": {}, "inputs": {}, "parameters": {}}
        model = self.model
        for name, x in values.items():
            if name in self.changed:
                model = field_paths.replaced(model, name, x)
            else:
                kind, own = self.route[name]
                given[kind][own] = x
        options = dict(self.options)
        for kind in given:
            given[kind] = {**options.pop(kind, {}), **given[kind]}
        given["inputs"] = self._whole(given["inputs"])
        run = simulate(
            self.system if model is self.model else model.check(),
            **given,
            **options,
            sensitivities=sensitivities,
            progress=False,
        )
        return obeyed(run)


def _model(text: str) -> Model:
    """A model from its text, read as any file is."""
    with TemporaryDirectory() as folder:
        return load(write(Path(folder) / "branch.json", text))


def _data(x):
    if isinstance(x, Mapping):
        return {str(k): _data(v) for k, v in x.items()}
    if isinstance(x, np.ndarray | list | tuple):
        return [_data(v) for v in x]
    return x.item() if isinstance(x, np.generic) else x


# --------------------------------------------------------------------------------------------
# From what a user gives to a plan: choices become branches, the rest columns of numbers.


WIDE_CHUNK, LEAST_CHUNKS = 1024, 64  # as wide as pays, where that leaves so many
MOST_CHUNKS = 256  # of a study, about: larger studies have larger chunks, not more files


def planned(model, vary, rows, keep, options) -> Plan:
    """A plan from what a user gives: choices become branches, the rest columns of numbers."""
    models = model if isinstance(model, Mapping) else {getattr(model, "name", ""): model}
    if wrong := [m for m in models.values() if not isinstance(m, Model)]:
        raise ArgumentError(
            f"study: expected a ts.Model, got {shown(wrong[0])}; ts.load(path) reads one"
        )
    if not models:
        raise ArgumentError("study: no model is given")
    if not isinstance(keep, Mapping) or not all(isinstance(m, Measure) for m in keep.values()):
        raise ArgumentError(
            "study: keep is a dictionary of names with what to keep, such as "
            "{'peak': ts.studies.Peak('x.acceleration')}; a function of a run is "
            "ts.studies.Metric(function)"
        )
    if taken := {"outcome", "completed", "branch"} & set(keep) | set(keep) & set(vary):
        raise ArgumentError(
            f"study: {', '.join(map(repr, sorted(taken)))} in keep= has the name of "
            "another column; choose another"
        )
    choices = {n: s for n, s in vary.items() if isinstance(s, Choice)}
    if len(models) > 1 and "model" not in choices:
        raise ArgumentError(
            "study: several models are a choice: vary={'model': ts.studies.Choice({...})}"
        )
    told = {k: x for k, x in options.items() if x is not None}
    branches: list[Model] = []
    each: list[dict[str, Any]] = []
    labels: list[dict[str, str]] = []
    index: dict[tuple[int, ...], int] = {}
    for pick, chosen, label in _picks(choices):
        index[pick] = len(branches)
        made, own = _branch(next(iter(models.values())), chosen, told, rows)
        branches.append(made)
        each.append(own)
        labels.append(label)
    count = len(next(iter(rows.values()))) if rows else 1
    picks = [rows[n].astype(int) for n in choices]
    branch = np.array([index[tuple(p[i] for p in picks)] for i in range(count)], dtype=np.int64)
    values = {n: np.asarray(x, dtype=float) for n, x in rows.items() if n not in choices}
    keep = _rows(each, keep)
    wide = min(WIDE_CHUNK // CHUNK, count // (CHUNK * LEAST_CHUNKS))
    chunk = CHUNK * max(1, wide, count // (CHUNK * MOST_CHUNKS))
    return Plan(tuple(branches), tuple(labels), branch, values, keep, tuple(each), chunk)


def _picks(choices: Mapping[str, Choice]) -> Iterator[tuple[tuple[int, ...], dict, dict]]:
    """Every combination of choices: its numbers, what is chosen, and how that is called."""
    for pick in product(*(range(len(s.options)) for s in choices.values())):
        named = list(zip(choices.items(), pick, strict=True))
        yield (
            pick,
            {n: s.options[i] for (n, s), i in named},
            {n: s.labels[i] for (n, s), i in named},
        )


def _branch(model: Model, chosen: Mapping[str, Any], told, rows) -> tuple[Model, dict[str, Any]]:
    """The model of one combination of choices, and its options of simulate.

    Inputs of time are written into it, so that its members run in lanes; `input.scale` is then a
    parameter.
    """
    if "model" in chosen:
        model = chosen["model"]
    inputs = {i.name for i in model.inputs}
    pushed = {n: x for n, x in chosen.items() if n in inputs}
    for name, option in chosen.items():
        if name != "model" and name not in pushed:
            model = _chosen(model, name, option)
    own = {**start_of(model.check())[1], **told}
    if "t_end" not in own:
        raise ArgumentError("study: no end time: give t_end= [s]")
    own |= {n: asked.number("study", n, own[n], "s") for n in TIMES if isinstance(own.get(n), str)}
    own["t_end"] = asked.number("study", "t_end", own["t_end"], "s")
    own |= _fit(own)
    timed = {n: x for n, x in (own.get("inputs") or {}).items() if is_timed(x)}
    held = {n: x for n, x in (own.get("inputs") or {}).items() if n not in timed}
    timed |= {n: x if is_timed(x) else repr(number(x, n)) for n, x in pushed.items()}
    if twice := [n for n in timed if n in rows and n not in chosen]:
        raise ArgumentError(
            f"study: {twice[0]!r} is an input of time and varies as a held number; vary "
            f"'{twice[0]}.scale', or parameters in its text"
        )
    if timed:
        start = float(own.get("t_start") or 0.0)
        named = time_inputs.numbers_of(timed, rows, "study")
        model, _ = with_functions(model, timed, own["t_end"], start, *named)
        own["inputs"] = held
    return model, own


def _fit(own: Mapping[str, Any]) -> dict[str, Any]:
    """Names with values as dictionaries; every option is one and fits before a member runs."""
    usual = [f.name for f in fields(Options)]
    known = (*usual, "t_end", "initial", "control", "period")
    if bad := [unknown_name("option", n, known, "study") for n in own if n not in known]:
        raise ArgumentError("\n".join(bad))
    Options().told(**{n: x for n, x in own.items() if n in usual}).check()
    start = arguments.seconds("t_start", own.get("t_start") or 0.0, "study")
    arguments.spacing(start, own["t_end"], own.get("step"), own.get("max_step"))
    examples = {"initial": "{'x.speed': 2.0}", "parameters": "{'k': 40.0}", "inputs": "{'u': 3.0}"}
    return {
        n: asked.mapping("study", n, own[n], text)
        for n, text in examples.items()
        if n in own and not hasattr(own[n], "kept")
    }


def _rows(each: list[dict[str, Any]], keep: Mapping[str, Measure]) -> dict[str, Measure]:
    """Rows of every branch where measures ask for them, beside its own; the measures told."""
    spans = [(float(own.get("t_start") or 0.0), float(own["t_end"])) for own in each]
    low, high = min(a for a, _ in spans), max(b for _, b in spans)
    counts = [
        asked.count("study", "output", x)
        for own in each
        if np.ndim(x := own.get("output", 1001)) == 0 and x != "steps"
    ]
    even = np.linspace(low, high, int(max(counts, default=1001)))
    keep = {n: m.rows(even) for n, m in keep.items()}
    wanted = np.concatenate([np.empty(0), *(m.times() for m in keep.values())])
    if not wanted.size:
        return keep
    if wanted.min() < low or wanted.max() > high * (1 + 1e-12):
        worst = wanted.max() if wanted.max() > high else wanted.min()
        raise ArgumentError(
            f"study: a signal is kept at t = {worst:g} s, outside {low:g} to {high:g} s"
        )
    for own, (start, end) in zip(each, spans, strict=True):
        output = own.get("output", 1001)
        if isinstance(output, str):
            raise ArgumentError(
                f"study: output={output!r} has no rows at the times of a kept signal; give a "
                "number of rows, or times"
            )
        times = np.linspace(start, end, int(output)) if np.ndim(output) == 0 else output
        here = wanted[(wanted >= start) & (wanted <= end * (1 + 1e-12))]
        own["output"] = np.unique(np.concatenate([times, here])).tolist()
    return keep


def misfits(plan: Plan, texts: Mapping[str, Iterable[str]], where: str) -> Iterator[str]:
    """Texts whose unit is not that of what varies or is kept, where that is known.

    >>> import torseur as ts
    >>> block = ts.Model("block", bodies=(ts.Body("b", 1.0),), joints=(
    ...     ts.Joint("x", "world", "b", ts.Prismatic("x")),))
    >>> found = ts.study(block, t_end=0.1, vary={"b.mass": [1.0, 2.0]}, engine="lanes",
    ...                  keep={"v": ts.studies.Peak("x.speed")})
    >>> next(misfits(found.plan, {"b.mass": ["3 N"]}, "study"))[:46]
    "study: 'b.mass' varies by '3 N': body 'b', mas"
    >>> next(misfits(found.plan, {"v": ["3 kg"]}, "limit"))[:51]
    "limit: 'v' against '3 kg': expected a speed [m/s], "
    """
    model = plan.branches[0]
    own = signal_units(plan.benches[0].system)
    kept = {n: m.unit or own.get(m.reads(), "") for n, m in plan.keep.items()}
    own |= {i.name: i.unit for i in model.inputs}
    for name, text in ((n, text) for n, given in texts.items() for text in given):
        unit = kept[name] if name in kept else own.get(name)
        try:
            if unit is not None:
                units.quantity(text, unit or None)
            elif name in model.parameters:
                yield from (f"{where}: {name!r} varies by {text!r}: {why}"
                            for _, why in parameter_units.misfits(model, {name: text}))  # fmt: skip
            else:
                field_paths.replaced(model, name, text)
        except ModelError as e:
            yield f"{where}: {name!r} varies by {text!r}: {e.problems[0]}"
        except ArgumentError:
            continue  # no place of this model's, which is told elsewhere
        except ValueError as e:
            does = "against" if name in kept else "varies by"
            yield f"{where}: {name!r} {does} {text!r}: {said(e)}"


def limit(plan: Plan, name: str, given: Any, where: str) -> float:
    """A limit for what is kept, in SI: a number, infinite ones too, or a text with its unit."""
    if isinstance(given, float) and np.isinf(given):
        return given
    if isinstance(given, str) and (wrong := [*misfits(plan, {name: [given]}, where)]):
        raise ArgumentError(wrong[0])
    return number(given, f"{where}: limit")


def _chosen(model, name, option):
    """The model with another part at `force.law` or another number at a path."""
    owner, _, part = name.rpartition(".")
    if part == "law" and any(f.name == owner for f in model.forces):
        forces = tuple(replace(f, law=option) if f.name == owner else f for f in model.forces)
        return replace(model, forces=forces)
    return field_paths.replaced(model, name, option)


def told_at_once(
    plan: Plan, texts: Mapping[str, Iterable[str]] | None = None, where: str = "study"
) -> None:
    """Signals that measures name must be there in every branch, events in one; all at once.

    `texts` of what varies are to have the units of that.
    """
    bad: dict[str, None] = dict.fromkeys(misfits(plan, texts or {}, where))
    happen = {"start: speeds jump"}
    for b in np.unique(plan.branch):
        known = signal_units(plan.benches[b].system)
        for g in plan.benches[b].system.layout.guards:
            happen |= {g.name if g.told else f"{g.owner}: speeds jump"}
        bad |= {
            unknown_name("signal", n, known, f"study, keep {label!r}"): None
            for label, m in plan.keep.items()
            for n in m.signals()
            if n not in known
        }
    bad |= {
        unknown_name("event", m.name, happen, f"study, keep {label!r}"): None
        for label, m in plan.keep.items()
        if isinstance(m, EventTime) and m.name not in happen
    }
    if bad:
        raise ArgumentError("\n".join(bad))
