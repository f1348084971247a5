"""Reports of a study: HTML page (parallel coordinates, scatter matrix, bands) and figures."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError, needs, unknown_name_message
from ..files import page_place, write
from ..show import extract_shared_assets, page as run_page, switch
from ..signals import signal_units
from .french import FRENCH, SCRIPTS

if TYPE_CHECKING:
    from .parameter_study import Study

MAX_MEMBERS = 2000  # of the page
MAX_ROWS = 200  # of its table
MATRIX_COLUMNS = 6
MAX_RUNS = 12  # members whose motion is in the page
MAX_LINE_VALUES = 400_000  # of single signals in the page
MAX_CARDS = 5
PERCENTILES = (5, 25, 50, 75, 95)


# ---- figures -----------------------------------------------------------------------------------


def study_figure(study: Study, names: Sequence[str]) -> Any:
    """Matplotlib figure with one panel a measure: histograms, or percentile bands of signals."""
    with needs("studies", "a figure of a study"):
        from matplotlib.figure import Figure

    for name in names:
        if name not in study.plan.keep:
            raise ArgumentError(unknown_name_message("measure", name, study.plan.keep, "plot"))
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
            ax.hist(x[np.isfinite(x)], bins=_bin_count(len(x)))
            ax.set_xlabel(name)
            ax.set_ylabel("members")
    return fig


def _bin_count(n: int) -> int:
    return min(60, max(5, int(np.sqrt(n))))


# ---- page --------------------------------------------------------------------------------------


def write_study_report(
    study: Study, path: str | Path, runs: int | Iterable[int] | None = None
) -> Path:
    """Write the page.  `runs` are the runs whose motion it shows, or their number."""
    animated = _select_runs(study, runs)
    members = _select_members(study, animated)
    columns = _axes_data(study, members)
    numbers = [n for n in study.plan.keep if study[n].ndim == 1]
    signals = [n for n in study.plan.keep if study[n].ndim == 2]
    units = _measure_units(study)
    viewer: dict[str, str] = {}
    pages: dict[str, str] = {}
    for i in animated:
        pages[str(i)], viewer = _run_page(study, i)
    outcomes = list(dict.fromkeys(study["outcome"].tolist()))
    data: dict[str, Any] = {
        "members": members.tolist(),
        "columns": columns,
        "matrix": _matrix_columns(study, columns),
        "histograms": [h for n in numbers if (h := _histogram_data(n, study[n], units.get(n, "")))],
        "bands": [_band_data(study, n, members) for n in signals],
        "outcomes": outcomes,
        "outcome": [outcomes.index(x) for x in study["outcome"][members]],
        "completed": study["completed"][members].astype(int).tolist(),
        "most": MAX_ROWS,
        "runs": pages,
        "places": {k: f"@{k}@" for k in ("style", "script")},
    }
    return write(page_place(path), _page_html(study, data, viewer, numbers, units))


def _select_runs(study: Study, runs: int | Iterable[int] | None) -> list[int]:
    """Runs whose motion is on the page: as listed, or extremes and medians of each measure."""
    if runs is not None and not isinstance(runs, int | np.integer):
        members = [int(i) for i in runs]
        if bad := [i for i in members if not 0 <= i < len(study)]:
            raise ArgumentError(f"report: member {bad[0]} of {len(study)}; they count from 0")
        return members
    count = MAX_RUNS if runs is None else int(runs)
    selected: list[int] = []
    for name in study.plan.keep:
        y = study[name]
        if y.ndim != 1:
            continue
        valid = np.flatnonzero(np.isfinite(y) & study["completed"])
        if valid.size:
            order = valid[np.argsort(y[valid], kind="stable")]
            selected += [order[-1], order[0], order[len(order) // 2]]
    selected += list(range(min(len(study), count)))
    return [int(i) for i in dict.fromkeys(selected)][:count]


def _select_members(study: Study, animated: list[int]) -> np.ndarray:
    """Members in the page: all, or evenly selected ones and those with a motion."""
    count = len(study)
    members = np.arange(count)
    if count > MAX_MEMBERS:
        members = np.linspace(0, count - 1, MAX_MEMBERS).astype(int)
    return np.unique(np.concatenate([members, np.array(animated, dtype=int)]))


def _measure_units(study: Study) -> dict[str, str]:
    """Units of the measures with superscripts, where they are known."""
    signal_unit = signal_units(study.plan.benches[study.plan.branch[0]].system)
    units = {n: signal_unit.get(m.signal(), "") or m.unit for n, m in study.plan.keep.items()}
    superscripts = {"2": "²", "3": "³"}
    return {
        n: re.sub(r"(?<=[a-z])\^?([23])\b", lambda match: superscripts[match[1]], x)
        for n, x in units.items()
    }


def _axes_data(study: Study, members: np.ndarray) -> list[dict[str, Any]]:
    """Axes of the page: choices, varied quantities, measures with one number."""
    units, axes = _measure_units(study), []
    for name in (n for n in study.names if n not in ("outcome", "completed")):
        x = study[name]
        if x.ndim != 1:
            continue
        if x.dtype == object:
            labels = list(dict.fromkeys(x.tolist()))
            axis: dict[str, Any] = {"name": name, "unit": "", "labels": labels}
            axes.append(axis | {"values": [labels.index(y) for y in x[members]]})
        else:
            numbers = _json_numbers(x[members])
            axes.append({"name": name, "unit": units.get(name, ""), "values": numbers})
    return axes


def _matrix_columns(study: Study, columns: list[dict[str, Any]]) -> list[int]:
    """Columns of the scatter matrix: half of them measures, none constant."""
    variable = [
        i for i, c in enumerate(columns) if len({x for x in c["values"] if x is not None}) > 1
    ]
    measures = [i for i in variable if columns[i]["name"] in study.plan.keep]
    varied = [i for i in variable if i not in measures]
    k = max(MATRIX_COLUMNS // 2, MATRIX_COLUMNS - len(varied))
    return sorted([*varied[: MATRIX_COLUMNS - min(k, len(measures))], *measures[:k]])


def _histogram_data(name: str, y: np.ndarray, unit: str) -> dict[str, Any] | None:
    y = y[np.isfinite(y)]
    if not len(y):
        return None
    counts, edges = np.histogram(y, bins=_bin_count(len(y)))
    return {"name": name, "unit": unit, "counts": counts.tolist(), "edges": edges.tolist()}


def _band_data(study: Study, name: str, members: np.ndarray) -> dict[str, Any]:
    """Percentiles of a signal, and its single lines if these are not too many."""
    with np.errstate(all="ignore"):
        lines = study.bands(name, PERCENTILES)
    x = study[name]
    has_lines = len(members) * x.shape[1] <= MAX_LINE_VALUES
    signals = x[members].astype(np.float32) if has_lines else []
    return {
        "name": name,
        "time": study.plan.keep[name].times().tolist(),
        "lines": [_json_numbers(line) for line in lines],
        "members": [_json_numbers(line) for line in signals],
    }


def _json_numbers(x: Any) -> list[float | None]:
    """Numbers with six digits for JSON, with null for values that are not finite."""
    rounded = np.char.mod("%.6g", np.asarray(x, float)).astype(float)
    return [v if np.isfinite(v) else None for v in rounded.tolist()]


def _run_page(study: Study, member: int) -> tuple[str, dict[str, str]]:
    """Page of one member without the parts that all pages share, and those parts."""
    signals = [m.signal() for m in study.plan.keep.values() if m.signal()]
    run = study.run(member)
    return extract_shared_assets(
        run_page(run, title=f"member {member}", signals=dict.fromkeys(signals))
    )


def _page_html(
    study: Study,
    data: dict[str, Any],
    viewer: dict[str, str],
    numbers: list[str],
    units: dict[str, str],
) -> str:
    """HTML of the page with its data, style and script."""
    assets = files("torseur.studies").joinpath("assets")
    style, script = (assets.joinpath(n).read_text("utf-8") for n in ("study.css", "study.js"))
    body = _body_html(study, data, numbers, units)
    text = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
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


def _body_html(
    study: Study, data: dict[str, Any], numbers: list[str], units: dict[str, str]
) -> str:
    """Cards, canvases and the table of the page."""
    failed = int((~study["completed"]).sum())
    cards = [("members", f"{len(study)}", f"{failed} not complete" if failed else "all complete")]
    for name in numbers[:MAX_CARDS]:
        y = study[name][np.isfinite(study[name])]
        if len(y):
            low, median, high = np.percentile(y, (5, 50, 95))
            cells = f"{median:.4g} {units.get(name, '')}", f"{low:.4g} to {high:.4g}"
            median_text, range_text = (x.replace("-", "\u2212") for x in cells)
            cards.append((name, median_text, range_text))
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
    return "".join(parts)
