"""Pages of identification: figures drawn once, in one file that needs nothing else."""

from __future__ import annotations

from html import escape
from io import StringIO
from pathlib import Path

import numpy as np

from ..errors import needs
from ..files import write_page
from ..show import switch
from .french import FRENCH

STYLE = """body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;
color:#1b1b1b;background:#fff}table{border-collapse:collapse;font-size:13px;
display:block;max-width:100%;overflow-x:auto}
td,th{padding:.15rem .7rem;text-align:left;border-bottom:1px solid #ddd}
td.n{text-align:right;font-variant-numeric:tabular-nums}td:not(:last-child){white-space:nowrap}
svg{max-width:100%;height:auto}h1{font-size:1.4rem}"""


def html_table(rows) -> str:
    """A table of dictionaries as HTML."""
    if not rows:
        return "<p>none</p>"
    heads = "".join(f"<th>{escape(str(h))}</th>" for h in rows[0])
    lines = []
    for row in rows:
        cells = []
        for x in row.values():
            plain = isinstance(x, str | bool)
            text = ("yes" if x else "no") if isinstance(x, bool) else x if plain else _number(x)
            cells.append(f"<td{'' if plain else ' class=n'}>{escape(str(text))}</td>")
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table><tr>{heads}</tr>{''.join(lines)}</table>"


def _number(x: float) -> str:
    """One that is not known is left blank."""
    return f"{x:.6g}" if np.isfinite(x) else ""


def picture(figure) -> str:
    """A figure as an image inside the page."""
    with needs("identify", "the report of a fit"):
        from matplotlib import rc_context

    file = StringIO()
    with rc_context({"svg.fonttype": "none"}):  # words stay words
        figure.savefig(
            file, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None}
        )
    text = file.getvalue()
    return text[text.index("<svg") :]


def page(path, title: str, parts) -> Path:
    """Write a page of headed parts; whole or not at all."""
    body = f"<h1>{escape(title)}</h1>"
    body += "".join(f"<h2>{escape(head)}</h2>{text}" for head, text in parts)
    return write_page(
        path,
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{escape(title)}</title>"
        f"<style>{STYLE}</style>{body}{switch(body, FRENCH)}</html>\n",
    )


def robot_report(found, path) -> Path:
    """Errors, efforts against time, and the table of an identified robot."""
    with needs("identify", "the report of a fit"):
        from matplotlib.figure import Figure

    seen, nv = found.data, found.system.nv
    said = found.said(seen)
    time = np.arange(len(seen)) if seen.time is None else seen.time
    names = [n for _, n, _ in found.lin.speeds]
    figure = Figure(figsize=(10, 1.8 * nv))
    axes = figure.subplots(nv, 1, sharex=True, squeeze=False)[:, 0]
    units = ["N m" if turns else "N" for _, _, turns in found.lin.speeds]
    for ax, name, unit, x, y in zip(axes, names, units, seen.tau.T, said.T, strict=True):
        ax.plot(time, x, lw=1.2, label="measured")
        ax.plot(time, y, lw=0.9, label="identified")
        ax.plot(time, x - y, lw=0.7, label="difference")
        ax.set_ylabel(f"{name}\n[{unit}]")
    axes[0].legend(ncols=3, fontsize=8)
    axes[-1].set_xlabel("sample" if seen.time is None else "time [s]")
    errors = [
        {"joint": n, "error, % of its spread": 100 * float(e)}
        for n, e in zip(names, found.errors(), strict=True)
    ]
    notes = [f"{len(found.groups)} base parameters from {len(seen)} samples"]
    notes += [x[:1].upper() + x[1:] for x in found.doubts]
    if found.resting:
        notes.append(f"Joints that hardly moved: {', '.join(found.resting)}")
    if found.unseen:
        notes.append(f"Not shown by this motion: {', '.join(found.unseen)}")
    return page(
        path,
        f"Identification of {found.system.name}",
        [
            ("Errors", html_table(errors) + "".join(f"<p>{escape(x)}</p>" for x in notes)),
            ("Efforts", picture(figure)),
            ("Base parameters", html_table(found.table())),
        ],
    )
