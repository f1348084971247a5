"""Plots of runs, in a window, a notebook or a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import needs
from ..files import whole

if TYPE_CHECKING:
    import os

    from matplotlib.figure import Figure

    from ..results import Trajectory


def plot(
    run: Trajectory,
    *names: str,
    path: str | os.PathLike[str] | None = None,
    title: str | None = None,
    events: bool = True,
) -> Figure:
    """Draw signals against time, one panel a unit; the figure is returned, and saved to `path`.

    Parameters
    ----------
    names : names of signals; the coordinates when left out
    path : file to write, such as "run.png" or "run.svg"
    events : mark the run's events by thin vertical lines

    >>> from torseur.results import Trajectory
    >>> run = Trajectory([0.0, 1.0], {"x": [1.0, 2.0]}, {"x": "m"})
    >>> len(plot(run, "x").axes)
    1
    """
    with needs("plot", "plot"):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

    names = names or tuple(run.provenance.get("coordinates", ())) or run.signals
    panels: dict[str, list[str]] = {}
    for name in names:
        run[name]  # an unknown name is told at once
        panels.setdefault(run.units[name], []).append(name)
    figure = Figure(figsize=(8, 1.2 + 2.2 * len(panels)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for ax, (unit, group) in zip(axes, panels.items(), strict=True):
        for name in group:
            ax.plot(run.time, run[name], label=name, linewidth=1.4)
        ax.set_ylabel(f"[{unit}]")
        ax.grid(alpha=0.3)
        ax.legend(loc="best", fontsize="small", frameon=False)
        for e in run.events[:200] if events else ():
            ax.axvline(e.time, color="0.6", linewidth=0.6, linestyle=":")
    axes[-1].set_xlabel("time [s]")
    axes[0].set_title(title or str(run.provenance.get("model", "")), fontsize="medium")
    if path is not None:
        path = Path(path)
        with whole(path if path.suffix else path.with_suffix(".png")) as partial:
            figure.savefig(partial)
    return figure
