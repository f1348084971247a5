"""The page of a fit: what it says, what was tested, signals, curves and numbers."""

from __future__ import annotations

from html import escape
from io import StringIO
from pathlib import Path

import numpy as np

from ..errors import needs
from ..files import write_page
from ..model import field_paths
from ..scalars.values import value
from ..show import switch
from ..signals import signal_units
from .french import FRENCH
from .output_error.residuals import parts

# --------------------------------------------------------------------------------------------
# Pages of identification: figures drawn once, in one file that needs nothing else.


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


SHOWN = 10  # correlations
WIDTH = 24  # letters of a line beside a figure


def fit_page(found, path) -> Path:
    """Write it."""
    with needs("identify", "the report of a fit"):
        from matplotlib.figure import Figure

    said = [found.counted, *(["what is left over is noise"] if found.good else []), *found.notes]
    alike = [
        {"pair": f"{a}, {b}", "correlation": x}
        for (a, b), x in list(found.correlations.items())[:SHOWN]
    ]
    sections = [
        ("Summary", "".join(f"<p>{escape(text)}</p>" for text in said)),
        ("Tests", html_table(_tests(found))),
        ("Signals", picture(_signals(found, Figure))),
        ("Numbers", html_table(found.table())),
        ("Largest correlations", html_table(alike)),
    ]
    if found.problem.free.curves:
        sections.insert(3, ("Curves", picture(_curves(found, Figure))))
    return page(path, f"Fit of {found.model.name}", sections)


def _tests(found) -> list[dict]:
    """What each test was compared in, and what is left over of it."""
    rows = []
    for i, trial in enumerate(found.problem.trials):
        units = signal_units(trial.system)
        for name, (t, y) in trial.rows.items():
            left = float(np.sqrt(np.mean(np.square(found.residuals[i, name]))))
            kind, spread = trial.experiment.channel_class(name), float(np.std(y))
            rows.append(
                {
                    "test": f"{i + 1}",
                    "signal": name,
                    "unit": units.get(parts(name)[0], ""),
                    "values": len(t),
                    "from [s]": float(t[0]),
                    "to [s]": float(t[-1]),
                    "weight": trial.experiment.weight,
                    "channel class": "none" if kind is None else f"{kind:g}",
                    "sigma": trial.sigma.get(name, "not told"),
                    "left over, root mean square": left,
                    "of its spread [%]": 100 * left / spread if spread else np.inf,
                }
            )
    return rows


def _signals(found, Figure):
    """Signals below each other, tests beside each other."""
    trials = found.problem.trials
    names = list(dict.fromkeys(n for trial in trials for n in trial.rows))
    figure = Figure(figsize=(max(10, 5 * len(trials)), 2.3 * len(names) + 0.6))
    axes = figure.subplots(len(names), len(trials), squeeze=False, sharex="col")
    for i, trial in enumerate(trials):
        units = signal_units(trial.system)
        for ax, name in zip(axes[:, i], names, strict=True):
            if name not in trial.rows:
                ax.set_axis_off()
                continue
            t, y = trial.rows[name]
            ax.plot(t, y, lw=1.3, label="measured")
            ax.plot(t, y + found.residuals[i, name], lw=0.9, label="fitted")
            ax.plot(t, found.residuals[i, name], lw=0.7, label="difference")
            ax.set_ylabel(f"{_folded(name)}\n[{units.get(parts(name)[0], '')}]", fontsize=8)
            ax.grid(lw=0.3)
        axes[0, i].set_title(f"test {i + 1}", fontsize=10)
        last = [ax for ax, name in zip(axes[:, i], names, strict=True) if name in trial.rows][-1]
        last.set_xlabel("time [s]")
        last.tick_params(labelbottom=True)
    drawn = next(ax for ax in axes.flat if ax.lines)
    figure.legend(*drawn.get_legend_handles_labels(), ncols=3, fontsize=9, loc="upper right")
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.3 / figure.get_figheight()))
    return figure


def _folded(name: str) -> str:
    """A name in lines that fit beside a figure."""
    lines = [""]
    for word in name.replace(" + ", " +\n").split("\n"):
        room = len(lines[-1]) + len(word) < WIDTH
        lines[-1:] = [f"{lines[-1]} {word}".strip()] if room else [lines[-1], word]
    return "\n".join(x for x in lines if x)


def _curves(found, Figure):
    """Laws whose forces were free: found with intervals, and as they started."""
    free, model, units = found.problem.free, found.model, found.units
    figure = Figure(figsize=(10, 2.8 * -(-len(free.curves) // 2)))
    axes = figure.subplots(-(-len(free.curves) // 2), 2, squeeze=False).ravel()
    sigma, wide = np.sqrt(np.diag(found.covariance)), found.wide
    for ax in axes[len(free.curves) :]:
        ax.set_axis_off()
    for ax, curve, group in zip(axes, free.curves, free.groups, strict=False):
        own, across = list(group), _across(model, curve)
        unit = found.unit_of(f"{curve}[0].{across}")
        ways, forces = (
            np.array([format_value(model, f"{curve}[{k}].{x}") for k in range(len(own) + 1)])
            for x in (across, "force")
        )
        start = np.append(forces[0], free.start[own])
        ax.plot(ways, start, "--", color="0.6", lw=1, label="start")
        (line,) = ax.plot(ways, forces, lw=1.4, label="fitted")
        known = np.isfinite(sigma[own])
        ax.errorbar(
            ways[1:][known], forces[1:][known], wide * sigma[own][known], fmt="o", ms=3, lw=1,
            color=line.get_color(), capsize=2, label="95 %",
        )  # fmt: skip
        ax.plot(ways[1:][~known], forces[1:][~known], "o", ms=4, mfc="w", mec="0.4",
                label="not reached")  # fmt: skip
        top = max(forces.max(), start.max())  # what is hardly known may be as wide as it likes
        ax.set_ylim(min(forces.min(), start.min()) - 0.15 * top, 1.3 * top)
        ax.set_title(curve.removesuffix(".points"), fontsize=10)
        ax.set_xlabel(f"{across} [{unit}]" if unit else across, fontsize=8)
        ax.set_ylabel(f"force [{units[own[0]]}]" if units[own[0]] else "force", fontsize=8)
        ax.grid(lw=0.3)
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.35 / figure.get_figheight()))
    figure.legend(*axes[0].get_legend_handles_labels(), ncols=4, fontsize=9, loc="upper right")
    return figure


def _across(model, curve: str) -> str:
    """What a law's forces stand against: "deflection"."""
    own = (n.rpartition(".")[2] for n in field_paths.numbers(model) if n.startswith(f"{curve}["))
    return next((n for n in own if n != "force"), "deflection")


def format_value(model, name: str) -> float:
    """As it is, or as declared parameters make it."""
    nominal = {n: float(x) for n, x in model.parameters.items()}
    return float(value.nominal(value.exact(field_paths.read(model, name)), nominal))
