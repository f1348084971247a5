"""Printable figures of runs with matplotlib."""

from __future__ import annotations

import io
import os
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError, needs
from ..files import place, whole
from ..results import Trajectory
from ..scalars import arguments
from .overlays import check_labels, read_measurement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    Runs = Trajectory | Sequence[Trajectory | str | os.PathLike[str]]

INCHES_PER_MM = 1 / 25.4  # inches
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b08900", "#56b4e9", "#7f7f7f", "#8c564b")
STYLE: Any = {
    "font.size": 8,
    "axes.labelsize": 8,
    "axes.titlesize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "lines.linewidth": 1.1,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e9ee",
    "grid.linewidth": 0.5,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "savefig.dpi": 200,
}
"""One style for every figure: 8 pt, no box, colors that people can tell apart."""
KILO_UNITS = {"N": "kN", "J": "kJ", "N m": "kN m", "W": "kW", "Pa": "kPa"}
MAX_WIDTH_MM = 2000.0  # mm
LINE_STYLES = ("-", "--", ":", "-.")


def plot(
    run: Runs,
    *names: str,
    x: str | None = None,
    path: str | os.PathLike[str] | None = None,
    title: str | None = None,
    events: bool = True,
    width: float = 174.0,
    labels: Sequence[str] | None = None,
    show: bool | None = None,
) -> Figure:
    """Draw time histories of signals, one panel for each unit. Return the figure and save it to
    `path`.

    A notebook displays the figure. A script opens it if there is a display.

    Parameters
    ----------
    run : a run; or several, with measured CSV files, laid over each other
    names : names of signals, or patterns ("*.angle"); the model's outputs or the coordinates when
        left out
    x : signal to draw against, instead of time
    path : file to write, such as "run.pdf", "run.svg" or "run.png"
    events : mark the run's events by thin ticks
    width : of the figure [mm]; 84 fits one column of a paper, 174 two
    labels : what several runs are called
    show : whether to open it; by default where there is a screen and no notebook and no path

    >>> from torseur.results import Trajectory
    >>> run = Trajectory([0.0, 1.0], {"x": [1.0, 2.0]}, {"x": "m"})
    >>> len(plot(run, "x", show=False).axes)
    1
    """
    with needs("plot", "plot"):
        import matplotlib
        from matplotlib.backends.backend_agg import FigureCanvasAgg

    width = arguments.number("plot", "width in mm", width, above=0)
    if width > MAX_WIDTH_MM:
        raise ArgumentError(f"plot: width = {width:g} mm; use {MAX_WIDTH_MM:g} or less")
    tables, run_labels = _load_tables(run, labels)
    first = tables[0][0]
    names = tuple(first.named(*names)) if names else _default_signals(first)
    panels: dict[str, list[str]] = {}
    for name in names:
        panels.setdefault(first.units[name], []).append(name)
    if x is not None:
        first[x]
    with matplotlib.rc_context(STYLE):
        height = 12 + (46 if width > 120 else 38) * max(1, len(panels))
        figure = _figure_class()(
            figsize=(width * INCHES_PER_MM, height * INCHES_PER_MM), layout="constrained"
        )
        FigureCanvasAgg(figure)
        axes = figure.subplots(max(1, len(panels)), 1, sharex=True, squeeze=False)[:, 0]
        for ax, (unit, group) in zip(axes, panels.items(), strict=False):
            _draw_panel(ax, unit, group, tables, run_labels, x)
            if events and x is None:
                for e in first.events[:200]:
                    ax.plot(
                        [e.time], [0.02], "|", color="0.5", ms=5, transform=ax.get_xaxis_transform()
                    )
        axes[-1].set_xlabel(f"{x} [{first.units[x]}]" if x else "time [s]")
        axes[0].set_title(title or str(first.provenance.get("model", "")), loc="left")
        if path is not None:
            path = place(path)
            path = path if path.suffix or not path.name else path.with_suffix(".png")
            formats = figure.canvas.get_supported_filetypes()
            if path.suffix and path.suffix[1:].lower() not in formats:
                raise ArgumentError(
                    f"plot: {path.name!r}: expected a name that ends in .pdf, .svg or .png"
                )
            _save_figure(figure, path)
    if show if show is not None else path is None and _has_display():
        figure.open()
    return figure


def _draw_panel(ax, unit: str, group, tables, run_labels, x) -> None:
    """Draw the signals of one unit, in a prefixed unit if their peak is large or small."""
    peak = max(
        (float(np.nanmax(abs(t[n]))) for t, _ in tables for n in group if n in t and len(t[n])),
        default=0.0,
    )
    factor, unit_label = (
        (1e-3, KILO_UNITS[unit]) if unit in KILO_UNITS and peak >= 1e3 else (1.0, unit)
    )
    if unit == "m" and 0 < peak < 0.1:
        factor, unit_label = 1e3, "mm"
    for i, name in enumerate(group):
        for k, (table, measured) in enumerate(tables):
            if name not in table or (x is not None and x not in table):
                continue
            label = name if len(tables) == 1 else f"{name}, {run_labels[k]}"
            style = (
                {"linestyle": LINE_STYLES[k % 4]}
                if not measured
                else {"linestyle": "", "marker": "."}
            )
            if measured:
                style["markersize"] = 3  # type: ignore[assignment]
            abscissa = table.time if x is None else table[x]
            ax.plot(abscissa, factor * table[name], label=label, color=COLORS[i % 8], **style)
    is_single = len(group) == 1 and len(tables) == 1
    ax.set_ylabel(f"{group[0]} [{unit_label}]" if is_single else f"[{unit_label}]")
    if not is_single:
        ax.legend(loc="best")


def _load_tables(run: Runs, labels) -> tuple[list[tuple[Trajectory, bool]], list[str]]:
    """Load runs and measurements. Return each with the flag `measured`, and their labels."""
    sources: list[Any] = [*run] if isinstance(run, list | tuple) else [run]
    if not sources or not isinstance(sources[0], Trajectory):
        raise ArgumentError("plot: the first must be a run (a Trajectory)")
    out: list[tuple[Trajectory, bool]] = []
    stems = []
    for k, x in enumerate(sources):
        if isinstance(x, Trajectory):
            out.append((x, False))
            stems.append(f"run {k + 1}")
        else:
            read = Path(x).suffix.lower() == ".nc"
            out.append(
                (Trajectory.load(x) if read else read_measurement(x, sources[0].units), not read)
            )
            stems.append(Path(x).stem)
    check_labels(labels, len(sources), "plot")
    return out, list(labels or stems)


def _default_signals(run: Trajectory) -> tuple[str, ...]:
    """Outputs of the model, else coordinates without quaternions, else the first signals."""
    system = getattr(getattr(run, "_source", None), "system", None)
    outputs = tuple(n for n in getattr(getattr(system, "model", None), "outputs", ()) if n in run)
    names = outputs or tuple(
        n
        for n in run.provenance.get("coordinates", ())
        if not n.endswith((".qw", ".qx", ".qy", ".qz"))
    )
    return names or run.signals[:6]


def _save_figure(figure, path: Path) -> None:
    with whole(path) as partial:
        figure.savefig(partial, format=path.suffix[1:])


@lru_cache(maxsize=1)
def _figure_class() -> type:
    """Figure class with a notebook representation and a method `open()`."""
    with needs("plot", "plot"):
        from matplotlib.figure import Figure

    class DisplayFigure(Figure):
        """Figure that a notebook displays and `open()` shows in a viewer."""

        def _repr_png_(self) -> bytes:
            out = io.BytesIO()
            self.savefig(out, format="png", dpi=160)
            return out.getvalue()

        def open(self) -> Path:
            """Open the figure in the system's viewer. Return the path of the temporary file."""
            import webbrowser

            path = Path(tempfile.mkdtemp(prefix="torseur-")) / "figure.svg"
            _save_figure(self, path)
            webbrowser.open(path.as_uri())
            return path

    return DisplayFigure


def _has_display() -> bool:
    """Whether a script can open a window."""
    import sys

    from .page import in_notebook

    if in_notebook() or "pytest" in sys.modules or os.environ.get("SPHINX_GALLERY_BUILD"):
        return False
    return sys.platform in ("win32", "darwin") or any(
        os.environ.get(n) for n in ("DISPLAY", "WAYLAND_DISPLAY")
    )
