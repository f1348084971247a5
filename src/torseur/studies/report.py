"""The page of a study: parallel coordinates, scatter matrix, histograms, bands, runs that move."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError, needs, unknown_name
from ..files import page_place, write
from ..show import lightened, page as run_page, switch
from ..signals import signal_units
from .french import FRENCH, SCRIPTS

if TYPE_CHECKING:
    from .parameter_study import Study

# --------------------------------------------------------------------------------------------
# Figures of a study for paper: histograms of numbers, percentile bands of signals.


def figure(study, names):
    """One panel a kept thing."""
    with needs("studies", "a figure of a study"):
        from matplotlib.figure import Figure

    for name in names:
        if name not in study.plan.keep:
            raise ArgumentError(unknown_name("kept thing", name, study.plan.keep, "plot"))
    fig = Figure(figsize=(7.5, 2.8 * max(1, len(names))), layout="constrained")
    axes = np.atleast_1d(fig.subplots(max(1, len(names)), 1))
    for ax, name in zip(axes, names, strict=True):
        x, measure = study[name], study.plan.keep[name]
        if x.ndim == 2:
            low, middle, high = study.bands(name)
            ax.fill_between(measure.times(), low, high, alpha=0.25, label="5 to 95 %")
            ax.plot(measure.times(), middle, label="median")
            ax.set_xlabel("time [s]")
            ax.set_ylabel(name)
            ax.legend()
        else:
            ax.hist(x[np.isfinite(x)], bins=min(60, max(5, int(np.sqrt(len(x))))))
            ax.set_xlabel(name)
            ax.set_ylabel("members")
    return fig


SHOWN = 2000  # members that the page carries
LISTED = 200  # rows of its table
MATRIX = 6  # columns of the scatter matrix
RUNS = 12  # members whose motion travels with the page
PERCENTILES = (5, 25, 50, 75, 95)


def page(study: Study, path, runs: int | Iterable[int] | None = None) -> Path:
    """Write the page; `runs` are the members whose motion travels with it, or how many."""
    moving = _moving(study, runs)
    members = _shown(study, moving)
    columns = _columns(study, members)
    numbers = [n for n in study.plan.keep if study[n].ndim == 1]
    signals = [n for n in study.plan.keep if study[n].ndim == 2]
    units = _units(study)
    viewer: dict[str, str] = {}
    pages: dict[str, str] = {}
    for i in moving:
        pages[str(i)], viewer = _run(study, i)
    said = list(dict.fromkeys(study["outcome"].tolist()))
    data: dict[str, Any] = {
        "members": members.tolist(),
        "columns": columns,
        "matrix": _matrix(study, columns),
        "histograms": [h for n in numbers if (h := _histogram(n, study[n], units.get(n, "")))],
        "bands": [_bands(study, n, members) for n in signals],
        "outcomes": said,
        "outcome": [said.index(x) for x in study["outcome"][members]],
        "completed": study["completed"][members].astype(int).tolist(),
        "most": LISTED,
        "runs": pages,
        "places": {k: f"@{k}@" for k in ("style", "script")},
    }
    return write(page_place(path), _html(study, data, viewer, numbers, units))


def _moving(study: Study, runs) -> list[int]:
    """Members whose motion is on the page: as asked, or extremes and middles of every number."""
    if runs is not None and not isinstance(runs, int | np.integer):
        asked = [int(i) for i in runs]
        if bad := [i for i in asked if not 0 <= i < len(study)]:
            raise ArgumentError(f"report: member {bad[0]} of {len(study)}; they count from 0")
        return asked
    most = RUNS if runs is None else int(runs)
    there, found = study["completed"], []
    for name in study.plan.keep:
        y = study[name]
        if y.ndim == 1 and (good := np.flatnonzero(np.isfinite(y) & there)).size:
            order = good[np.argsort(y[good], kind="stable")]
            found += [order[-1], order[0], order[len(order) // 2]]
    found += list(range(min(len(study), most)))
    return [int(i) for i in dict.fromkeys(found)][:most]


def _shown(study: Study, moving) -> np.ndarray:
    """Members on the page: all, or evenly many, those that move among them."""
    count = len(study)
    some = np.arange(count) if count <= SHOWN else np.linspace(0, count - 1, SHOWN).astype(int)
    return np.unique(np.concatenate([some, np.array(moving, dtype=int)]))


def _units(study: Study) -> dict[str, str]:
    """Units of kept numbers, where they are those of their signals."""
    known = signal_units(study.plan.benches[study.plan.branch[0]].system)
    said = {n: known.get(m.reads(), "") or m.unit for n, m in study.plan.keep.items()}
    return {n: re.sub(r"(?<=[a-z])\^?([23])\b", _raised, x) for n, x in said.items()}


def _raised(found: re.Match) -> str:
    return {"2": "²", "3": "³"}[found[1]]


def _columns(study: Study, members) -> list[dict[str, Any]]:
    """Axes of the page: what was chosen, what varies, kept numbers."""
    units, out = _units(study), []
    for name in (n for n in study.names if n not in ("outcome", "completed")):
        x = study[name]
        if x.ndim != 1:
            continue
        if x.dtype == object:
            labels = list(dict.fromkeys(x.tolist()))
            out.append({"name": name, "unit": "", "labels": labels,
                        "values": [labels.index(y) for y in x[members]]})  # fmt: skip
        else:
            out.append({"name": name, "unit": units.get(name, ""), "values": _plain(x[members])})
    return out


def _matrix(study: Study, columns) -> list[int]:
    """Columns of the scatter matrix: as many kept as varied ones, those that spread."""
    spread = [
        i for i, c in enumerate(columns) if len({x for x in c["values"] if x is not None}) > 1
    ]
    kept = [i for i in spread if columns[i]["name"] in study.plan.keep]
    varied = [i for i in spread if i not in kept]
    k = max(MATRIX // 2, MATRIX - len(varied))
    return sorted([*varied[: MATRIX - min(k, len(kept))], *kept[:k]])


def _histogram(name, y, unit) -> dict[str, Any] | None:
    y = y[np.isfinite(y)]
    if not len(y):
        return None
    counts, edges = np.histogram(y, bins=min(60, max(5, int(np.sqrt(len(y))))))
    return {"name": name, "unit": unit, "counts": counts.tolist(), "edges": edges.tolist()}


def _bands(study: Study, name, members) -> dict[str, Any]:
    with np.errstate(all="ignore"):
        lines = study.bands(name, PERCENTILES)
    x = study[name]
    every = len(members) * x.shape[1] <= 400_000  # numbers that single lines may cost
    return {
        "name": name,
        "time": study.plan.keep[name].times().tolist(),
        "lines": [_plain(line) for line in lines],
        "members": [_plain(line) for line in x[members].astype(np.float32)] if every else [],
    }


def _plain(x) -> list:
    """Numbers of JSON, nothing where there is none."""
    short = np.char.mod("%.6g", np.asarray(x, float)).astype(float)
    return [v if np.isfinite(v) else None for v in short.tolist()]


def _run(study: Study, member: int) -> tuple[str, dict[str, str]]:
    """The page of one member without what all of them share, and that."""
    signals = [m.reads() for m in study.plan.keep.values() if m.reads()]
    made = study.run(member)
    told = run_page(made, title=f"member {member}", signals=dict.fromkeys(signals))
    return lightened(told)


def _html(study: Study, data, viewer, numbers, units) -> str:
    asset = files("torseur.studies").joinpath("assets")
    style, script = (asset.joinpath(n).read_text("utf-8") for n in ("study.css", "study.js"))
    failed = int((~study["completed"]).sum())
    cards = [("members", f"{len(study)}", f"{failed} not complete" if failed else "all complete")]
    for name in numbers[:5]:
        y = study[name][np.isfinite(study[name])]
        if len(y):
            low, middle, high = np.percentile(y, (5, 50, 95))
            middle, around = f"{middle:.4g} {units.get(name, '')}", f"{low:.4g} to {high:.4g}"
            cards.append((name, middle.replace("-", "\u2212"), around.replace("-", "\u2212")))
    heads = ["member", *(c["name"] for c in data["columns"]), "outcome"]
    parts = [
        f"<header><h1>Study of {escape(study.plan.branches[0].name)}</h1><p>"
        f"{escape(', '.join(study.plan.values)) or 'choices only'} varied; median and 5 to 95 % "
        "below</p></header>",
        '<ul id="cards">' + "".join(
            f"<li><small>{escape(a)}</small><strong>{escape(b)}</strong><em>{escape(c)}</em></li>"
            for a, b, c in cards) + "</ul><main>",
        '<section class="wide"><h2>Parallel coordinates <small>drag along an axis to choose a '
        'range, click a line to choose a member <span id="count"></span></small></h2>'
        '<div class="across"><canvas id="parallel"></canvas></div></section>',
        '<section class="wide" id="run" hidden><h2 id="who"></h2><p id="how"></p></section>',
    ]  # fmt: skip
    parts += [
        f"<section><h2>{escape(b['name'])} <small>percentiles 5, 25, 50, 75, 95 over members"
        f'</small></h2><canvas id="bands{i}"></canvas></section>'
        for i, b in enumerate(data["bands"])
    ]
    parts += [
        f'<section><h2>{escape(h["name"])}</h2><canvas id="histogram{i}"></canvas></section>'
        for i, h in enumerate(data["histograms"])
    ]
    if len(data["matrix"]) > 1:
        parts.append(
            '<section class="wide"><h2>Scatter matrix <small>click a dot to choose a member</small>'
            '</h2><div class="across"><canvas id="matrix"></canvas></div></section>'
        )
    parts.append(
        '<section class="wide"><h2>Members <small>click a row; those with ▶ move on this page'
        '</small></h2><div class="scroll"><table><thead><tr>'
        + "".join(f"<th>{escape(h)}</th>" for h in heads[:-1])
        + f'<th class="word">{heads[-1]}</th>'
        + '</tr></thead><tbody id="rows"></tbody></table></div><p class="note" id="more"></p>'
        "</section></main>"
    )
    text = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    body = "".join(parts)
    shared = json.dumps(viewer.get("script", "")).replace("<", "\\u003c")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
        'content="width=device-width, initial-scale=1"><meta name="generator" content="torseur">'
        f'<link rel="icon" href="data:,"><title>Study</title><style>{style}</style></head><body>'
        f"{body}{switch(body, FRENCH, SCRIPTS, data['outcomes'])}"
        f'<script type="application/json" id="data">{text}</script>'
        f'<script type="application/json" id="viewer-script">{shared}</script>'
        f'<script type="text/plain" id="viewer-style">{viewer.get("style", "")}</script>'
        f"<script>{script}</script></body></html>"
    )
