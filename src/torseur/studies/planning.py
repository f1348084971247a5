"""From what a user gives to a plan: choices become branches, the rest columns of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from ..errors import ArgumentError, said, shown, unknown_name
from ..model import Model, paths
from ..numbers import asked, units
from ..simulation import is_timed, of_timed, signal_units, with_functions
from ..system import start_of
from .measures import Measure, event
from .plans import CHUNK, Plan
from .spreads import choice, number

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
            "{'peak': ts.peak('x.acceleration')}; a function of a run is ts.metric(function)"
        )
    if taken := {"outcome", "completed", "branch"} & set(keep) | set(keep) & set(vary):
        raise ArgumentError(
            f"study: {', '.join(map(repr, sorted(taken)))} in keep= has the name of "
            "another column; choose another"
        )
    choices = {n: s for n, s in vary.items() if isinstance(s, choice)}
    if len(models) > 1 and "model" not in choices:
        raise ArgumentError("study: several models are a choice: vary={'model': ts.choice({...})}")
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


def _picks(choices: Mapping[str, choice]) -> Iterator[tuple[tuple[int, ...], dict, dict]]:
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
    own["t_end"] = number(own["t_end"], "t_end")
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


def _misfits(plan: Plan, texts: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Texts whose unit is not that of what varies, where that is known."""
    model = plan.branches[0]
    own = signal_units(plan.benches[0].system) | {i.name: i.unit for i in model.inputs}
    for name, given in texts.items():
        unit = own.get(name) or paths.unit(model, name)
        for text in given if unit else ():
            try:
                units.quantity(text, unit)
            except ValueError as e:
                yield f"study: {name!r} varies by {text!r}: {said(e)}"


def _chosen(model, name, option):
    """The model with another part at `force.law` or another number at a path."""
    owner, _, part = name.rpartition(".")
    if part == "law" and any(f.name == owner for f in model.forces):
        forces = tuple(replace(f, law=option) if f.name == owner else f for f in model.forces)
        return replace(model, forces=forces)
    return paths.replaced(model, name, option)


def told_at_once(plan: Plan, texts: Mapping[str, Iterable[str]] | None = None) -> None:
    """Signals that measures name must be there in every branch, events in one; all at once.

    `texts` of what varies are to have the units of that.
    """
    bad: dict[str, None] = dict.fromkeys(_misfits(plan, texts or {}))
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
        if isinstance(m, event) and m.name not in happen
    }
    if bad:
        raise ArgumentError("\n".join(bad))
