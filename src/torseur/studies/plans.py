"""A study as data: branches of the model, rows of values, what is kept; and one chunk of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ..errors import ArgumentError, TorseurError
from ..files import write
from ..model import Model, load, paths
from ..results import Runs
from ..simulation import (
    Cohort,
    Options,
    obeyed,
    of_timed,
    simulate,
)
from ..system import following, start_of
from .measures import Measure, from_facts

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
            if (p := of_timed.factor(n)) in model.parameters and n.rpartition(".")[0] not in forces
        }
        known = {*states, *inputs, *factors, *model.parameters}
        inner = [n for n in names if n not in known]
        problems = []
        for path in inner:
            try:
                paths.read(model, path)
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
            named, new = paths.parametrized(self.model, inner)
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
                model = paths.replaced(model, name, x)
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
