"""HTML pages of identification: results of `robot` and of `fit`, with figures inside the file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import needs
from ..files import write_page
from ..model import field_paths
from ..scalars.values import value
from ..show import figure_svg, html_page
from ..signals import signal_units
from .french import FRENCH
from .output_error.residuals import signal_terms

STYLE = """body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;
color:#1b1b1b;background:#fff}table{border-collapse:collapse;font-size:13px;
display:block;max-width:100%;overflow-x:auto}
td,th{padding:.15rem .7rem;text-align:left;border-bottom:1px solid #ddd}
td.n{text-align:right;font-variant-numeric:tabular-nums}td:not(:last-child){white-space:nowrap}
svg{max-width:100%;height:auto}h1{font-size:1.4rem}"""
MAX_CORRELATIONS = 10  # rows of the table
LABEL_WIDTH = 24  # letters of a line at an axis


# ---- page --------------------------------------------------------------------------------------


def html_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """A table of dictionaries as HTML; numbers that are not finite are left blank."""
    if not rows:
        return "<p>none</p>"
    heads = "".join(f"<th>{escape(str(h))}</th>" for h in rows[0])
    lines = []
    for row in rows:
        cells = []
        for x in row.values():
            if isinstance(x, str | bool):
                text = x if isinstance(x, str) else "yes" if x else "no"
                cells.append(f"<td>{escape(text)}</td>")
            else:
                text = f"{x:.6g}" if np.isfinite(x) else ""
                cells.append(f"<td class=n>{escape(text)}</td>")
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table><tr>{heads}</tr>{''.join(lines)}</table>"


def write_sections(path: str | Path, title: str, sections: Iterable[tuple[str, str]]) -> Path:
    """Write a page of (heading, HTML) sections."""
    body = f"<h1>{escape(title)}</h1>"
    body += "".join(f"<h2>{escape(head)}</h2>{text}" for head, text in sections)
    return write_page(path, html_page(title, body, STYLE, FRENCH))


def _paragraphs(texts: Iterable[str]) -> str:
    return "".join(f"<p>{escape(text)}</p>" for text in texts)


# ---- robots ------------------------------------------------------------------------------------


def write_robot_report(result: Any, path: str | Path) -> Path:
    """Write the page of an identified robot: errors, efforts over time, base parameters."""
    with needs("identify", "the report of a fit"):
        from matplotlib.figure import Figure

    data, nv = result.data, result.system.nv
    predicted = result.predict_samples(data)
    time = np.arange(len(data)) if data.time is None else data.time
    names = [n for _, n, _ in result.lin.speeds]
    figure = Figure(figsize=(10, 1.8 * nv))
    axes = figure.subplots(nv, 1, sharex=True, squeeze=False)[:, 0]
    units = ["N m" if angular else "N" for _, _, angular in result.lin.speeds]
    for ax, name, unit, x, y in zip(axes, names, units, data.tau.T, predicted.T, strict=True):
        ax.plot(time, x, lw=1.2, label="measured")
        ax.plot(time, y, lw=0.9, label="identified")
        ax.plot(time, x - y, lw=0.7, label="difference")
        ax.set_ylabel(f"{name}\n[{unit}]")
    axes[0].legend(ncols=3, fontsize=8)
    axes[-1].set_xlabel("sample" if data.time is None else "time [s]")
    errors = [
        {"joint": n, "error, % of its spread": 100 * float(e)}
        for n, e in zip(names, result.errors(), strict=True)
    ]
    notes = [f"{len(result.groups)} base parameters from {len(data)} samples"]
    notes += [x[:1].upper() + x[1:] for x in result.diagnostics]
    if result.resting:
        notes.append(f"Joints that hardly moved: {', '.join(result.resting)}")
    if result.unseen:
        notes.append(f"Not shown by this motion: {', '.join(result.unseen)}")
    return write_sections(
        path,
        f"Identification of {result.system.name}",
        [
            ("Errors", html_table(errors) + _paragraphs(notes)),
            ("Efforts", figure_svg(figure, bbox_inches="tight")),
            ("Base parameters", html_table(result.table())),
        ],
    )


# ---- fits --------------------------------------------------------------------------------------


def write_fit_report(fit: Any, path: str | Path) -> Path:
    """Write the page of a fit: summary, tests, signals, curves, free parameters, correlations."""
    with needs("identify", "the report of a fit"):
        from matplotlib.figure import Figure

    summary = [fit.counted, *(["the residuals are noise"] if fit.good else []), *fit.notes]
    correlations = [
        {"pair": f"{a}, {b}", "correlation": x}
        for (a, b), x in list(fit.correlations.items())[:MAX_CORRELATIONS]
    ]
    sections = [
        ("Summary", _paragraphs(summary)),
        ("Tests", html_table(_signal_rows(fit))),
        ("Signals", figure_svg(_signals_figure(fit, Figure), bbox_inches="tight")),
        ("Numbers", html_table(fit.table())),
        ("Largest correlations", html_table(correlations)),
    ]
    if fit.problem.free.curves:
        sections.insert(3, ("Curves", figure_svg(_curves_figure(fit, Figure), bbox_inches="tight")))
    return write_sections(path, f"Fit of {fit.model.name}", sections)


def _signal_rows(fit: Any) -> list[dict[str, Any]]:
    """Rows of the table of tests: one for each measured signal, with its residual."""
    rows = []
    for i, trial in enumerate(fit.problem.trials):
        units = signal_units(trial.system)
        for name, (t, y) in trial.rows.items():
            rms = float(np.sqrt(np.mean(np.square(fit.residuals[i, name]))))
            channel_class, spread = trial.experiment.channel_class(name), float(np.std(y))
            rows.append(
                {
                    "test": f"{i + 1}",
                    "signal": name,
                    "unit": units.get(signal_terms(name)[0], ""),
                    "values": len(t),
                    "from [s]": float(t[0]),
                    "to [s]": float(t[-1]),
                    "weight": trial.experiment.weight,
                    "channel class": "none" if channel_class is None else f"{channel_class:g}",
                    "sigma": trial.sigma.get(name, "not given"),
                    "residual, root mean square": rms,
                    "of its spread [%]": 100 * rms / spread if spread else np.inf,
                }
            )
    return rows


def _signals_figure(fit: Any, Figure: Any) -> Any:
    """Measured and fitted signals: one row a signal, one column a test."""
    trials = fit.problem.trials
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
            ax.plot(t, y + fit.residuals[i, name], lw=0.9, label="fitted")
            ax.plot(t, fit.residuals[i, name], lw=0.7, label="difference")
            unit = units.get(signal_terms(name)[0], "")
            ax.set_ylabel(f"{_wrap_name(name)}\n[{unit}]", fontsize=8)
            ax.grid(lw=0.3)
        axes[0, i].set_title(f"test {i + 1}", fontsize=10)
        bottom = [ax for ax, name in zip(axes[:, i], names, strict=True) if name in trial.rows][-1]
        bottom.set_xlabel("time [s]")
        bottom.tick_params(labelbottom=True)
    first = next(ax for ax in axes.flat if ax.lines)
    figure.legend(*first.get_legend_handles_labels(), ncols=3, fontsize=9, loc="upper right")
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.3 / figure.get_figheight()))
    return figure


def _wrap_name(name: str) -> str:
    """A sum of signals in lines of limited width."""
    lines = [""]
    for word in name.replace(" + ", " +\n").split("\n"):
        fits = len(lines[-1]) + len(word) < LABEL_WIDTH
        lines[-1:] = [f"{lines[-1]} {word}".strip()] if fits else [lines[-1], word]
    return "\n".join(x for x in lines if x)


def _curves_figure(fit: Any, Figure: Any) -> Any:
    """Fitted force curves with intervals, and as they started."""
    free, model, units = fit.problem.free, fit.model, fit.units
    figure = Figure(figsize=(10, 2.8 * -(-len(free.curves) // 2)))
    axes = figure.subplots(-(-len(free.curves) // 2), 2, squeeze=False).ravel()
    sigma, factor = np.sqrt(np.diag(fit.covariance)), fit.interval_factor
    for ax in axes[len(free.curves) :]:
        ax.set_axis_off()
    for ax, curve, group in zip(axes, free.curves, free.groups, strict=False):
        knots, abscissa = list(group), _abscissa_name(model, curve)
        unit = fit.unit_of(f"{curve}[0].{abscissa}")
        x, force = (
            np.array([read_number(model, f"{curve}[{k}].{n}") for k in range(len(knots) + 1)])
            for n in (abscissa, "force")
        )
        start = np.append(force[0], free.start[knots])
        ax.plot(x, start, "--", color="0.6", lw=1, label="start")
        (line,) = ax.plot(x, force, lw=1.4, label="fitted")
        reached = np.isfinite(sigma[knots])
        ax.errorbar(
            x[1:][reached], force[1:][reached], factor * sigma[knots][reached], fmt="o", ms=3,
            lw=1, color=line.get_color(), capsize=2, label="95 %",
        )  # fmt: skip
        ax.plot(x[1:][~reached], force[1:][~reached], "o", ms=4, mfc="w", mec="0.4",
                label="not reached")  # fmt: skip
        top = max(force.max(), start.max())  # wide intervals may leave the axes
        ax.set_ylim(min(force.min(), start.min()) - 0.15 * top, 1.3 * top)
        ax.set_title(curve.removesuffix(".points"), fontsize=10)
        ax.set_xlabel(f"{abscissa} [{unit}]" if unit else abscissa, fontsize=8)
        force_unit = units[knots[0]]
        ax.set_ylabel(f"force [{force_unit}]" if force_unit else "force", fontsize=8)
        ax.grid(lw=0.3)
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.35 / figure.get_figheight()))
    figure.legend(*axes[0].get_legend_handles_labels(), ncols=4, fontsize=9, loc="upper right")
    return figure


def _abscissa_name(model: Any, curve: str) -> str:
    """Name of the abscissa of a law's points: "deflection"."""
    names = (n.rpartition(".")[2] for n in field_paths.numbers(model) if n.startswith(f"{curve}["))
    return next((n for n in names if n != "force"), "deflection")


def read_number(model: Any, path: str) -> float:
    """Number of a model at a path; expressions with the nominal parameters."""
    nominal = {n: float(x) for n, x in model.parameters.items()}
    return float(value.nominal(value.exact(field_paths.read(model, path)), nominal))
