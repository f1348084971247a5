"""Runs and measurements that are laid over a run: from memory, netCDF or CSV."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ArgumentError, TorseurError, shown
from ..model.formats import column, read_table, split
from ..results import Trajectory
from ..scalars import arguments
from .signal_packing import table


def check_labels(labels: Any, count: int, where: str) -> None:
    """Labels are texts, one for each of several runs."""
    if labels is None:
        return
    given = arguments.listed(where, "labels", labels, "['light', 'heavy']")
    if not all(isinstance(x, str) for x in given):
        raise ArgumentError(f"{where}: labels = {shown(labels)}; expected texts")
    if len(given) != count:
        raise ArgumentError(f"{where}: {len(given)} labels for {count} runs")


def read_measured(path: str | os.PathLike[str], units) -> Trajectory:
    """Columns of a CSV file as signals, in the units of a run's signals of the same names.

    The first line names them, with units in brackets where they are not SI: "time [ms]".
    """
    path = Path(path)
    heads, numbers = read_table(path, blank=True)
    names = [split(h)[0] for h in heads]
    if "time" not in names:
        raise TorseurError(f"{path.name}: the first line must name the columns, one of them 'time'")
    if not set(names) & set(units) - {"time"}:
        raise TorseurError(
            f"{path.name}: none of its columns is a signal of the run; it has {', '.join(names)}"
        )
    wanted = {n: units.get(n, split(h)[1] or "1") for n, h in zip(names, heads, strict=True)}
    wanted["time"] = "s"
    each = zip(names, heads, numbers.T, strict=True)
    out = {n: column(h, x, wanted[n], path.name) for n, h, x in each}
    order = np.argsort(time := out.pop("time"), kind="stable")
    del wanted["time"]
    signals = {n: x[order] for n, x in out.items()}
    return Trajectory(time[order], signals, wanted, f"read from {path}")


def laid_over(run: Trajectory, others: Iterable[Any], labels, held) -> list[dict[str, Any]]:
    """Other runs and measurements as tables of the page, thinned as its own is."""
    out = []
    for k, given in enumerate(others, 1):
        measured = False
        if isinstance(given, str | os.PathLike):
            measured = Path(given).suffix.lower() != ".nc"
            other = read_measured(given, run.units) if measured else Trajectory.load(given)
            label = Path(given).stem
        elif isinstance(given, Trajectory):
            other, label = given, f"run {k + 1}"
        else:
            raise ArgumentError(
                f"report: takes runs, .nc and .csv files to lay over each other, got {shown(given)}"
            )
        names = [n for n in held if n in other.units and other.units[n] == run.units[n]]
        found = table(other, names, budget=400_000)
        del found["kept"]
        missing = sorted(set(other.signals) - set(names)) if measured else []
        found |= {"label": labels[k] if labels else label, "measured": measured, "unknown": missing}
        out.append(found)
    return out
