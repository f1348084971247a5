"""A study to look at: histograms, bands over time, scatter of what varies, one page."""

from __future__ import annotations

import base64
import io
from html import escape
from pathlib import Path

import numpy as np

from ..errors import ArgumentError, needs, unknown_name
from ..files import write

STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;
color:#1c2530}table{border-collapse:collapse;font-size:13px}td,th{padding:.2rem .6rem;border-bottom:
1px solid #dde3ea;text-align:right}img{max-width:100%}h2{margin-top:2.2rem}.n{color:#66727f}"""
SHOWN = 200  # rows of the table on the page


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


def scatter(study, name):
    """A number against every varied number."""
    with needs("studies", "a figure of a study"):
        from matplotlib.figure import Figure

    values = study.plan.values
    columns = min(3, len(values))
    rows = -(-len(values) // columns)
    fig = Figure(figsize=(3.2 * columns, 2.6 * rows), layout="constrained")
    axes = np.ravel(fig.subplots(rows, columns, squeeze=False))
    for ax, (label, x) in zip(axes, values.items(), strict=False):
        ax.plot(x, study[name], ".", ms=3, alpha=0.6)
        ax.set_xlabel(label)
        ax.set_ylabel(name)
    for ax in axes[len(values) :]:
        ax.set_visible(False)
    return fig


def _image(fig) -> str:
    out = io.BytesIO()
    fig.savefig(out, format="svg")
    return (
        f'<img alt="" src="data:image/svg+xml;base64,{base64.b64encode(out.getvalue()).decode()}">'
    )


def page(study, path) -> Path:
    """Write the page."""
    table = study.table
    failed = table[~table["completed"].astype(bool)]
    parts = [f"<h1>Study of {escape(study.plan.branches[0].name)}</h1>"]
    parts.append(
        f"<p>{len(study)} members, {len(failed)} not complete; varied: "
        f"{escape(', '.join(study.plan.values)) or 'choices only'}.</p>"
    )
    numbers = [n for n in study.plan.keep if study[n].ndim == 1]
    if numbers:
        parts.append("<h2>In numbers</h2>" + table[numbers].describe().T.to_html(border=0))
    if study.plan.keep:
        parts.append("<h2>Spread</h2>" + _image(figure(study, tuple(study.plan.keep))))
    for name in numbers if study.plan.values else ():
        parts.append(f"<h2>{escape(name)}, against what varies</h2>" + _image(scatter(study, name)))
    if len(failed):
        parts.append("<h2>Not complete</h2>" + failed.head(SHOWN).to_html(border=0))
    parts.append(f"<h2>Members</h2>{table.head(SHOWN).to_html(border=0)}")
    if len(table) > SHOWN:
        parts.append(f'<p class="n">The first {SHOWN} of {len(table)} members.</p>')
    html = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" '
        f'content="width=device-width"><title>Study</title><style>{STYLE}</style>'
        f"<body>{''.join(parts)}</body></html>"
    )
    write(Path(path), html)
    return Path(path)
