"""From what a user gives to a plan: choices become branches, the rest columns of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from itertools import product
from typing import Any

import numpy as np

from ..errors import ArgumentError, ModelError, said, shown, unknown_name
from ..model import Model, paths, stated
from ..numbers import asked, units
from ..simulation import Options, is_timed, of_timed, signal_units, with_functions
from ..solve import arguments
from ..system import TIMES, start_of
from .measures import EventTime, Measure
from .plans import CHUNK, Plan
from .spreads import Choice, number

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
        named = of_timed.numbers_of(timed, rows, "study")
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
                            for _, why in stated.misfits(model, {name: text}))  # fmt: skip
            else:
                paths.replaced(model, name, text)
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
    return paths.replaced(model, name, option)


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
