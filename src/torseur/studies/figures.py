"""Figures of a study for paper: histograms of numbers, percentile bands of signals."""

from __future__ import annotations

import numpy as np

from ..errors import ArgumentError, needs, unknown_name


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
