"""Overlay of other runs and measurements: from memory, netCDF or CSV files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ArgumentError, TorseurError, shown
from ..model.formats import column, read_table, split
from ..results import Trajectory
from ..scalars import arguments
from .signal_packing import pack_signals


def check_labels(labels: Any, count: int, where: str) -> None:
    """Check that `labels` are texts, one for each run."""
    if labels is None:
        return
    label_list = arguments.listed(where, "labels", labels, "['light', 'heavy']")
    if not all(isinstance(x, str) for x in label_list):
        raise ArgumentError(f"{where}: labels = {shown(labels)}; expected texts")
    if len(label_list) != count:
        raise ArgumentError(f"{where}: {len(label_list)} labels for {count} runs")


def read_measurement(path: str | os.PathLike[str], units: Mapping[str, str]) -> Trajectory:
    """Read a CSV file as signals, in the units of the run's signals with the same names.

    The first line names the columns, with units in brackets if they are not SI: "time [ms]".
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
    target_units = {n: units.get(n, split(h)[1] or "1") for n, h in zip(names, heads, strict=True)}
    target_units["time"] = "s"
    each = zip(names, heads, numbers.T, strict=True)
    out = {n: column(h, x, target_units[n], path.name) for n, h, x in each}
    order = np.argsort(time := out.pop("time"), kind="stable")
    del target_units["time"]
    signals = {n: x[order] for n, x in out.items()}
    return Trajectory(time[order], signals, target_units, f"read from {path}")


def pack_overlays(
    run: Trajectory,
    others: Iterable[Any],
    labels: Sequence[str] | None,
    page_signals: Iterable[str],
) -> list[dict[str, Any]]:
    """Pack other runs and measurements as decimated tables for the page."""
    out = []
    for k, source in enumerate(others, 1):
        measured = False
        if isinstance(source, str | os.PathLike):
            measured = Path(source).suffix.lower() != ".nc"
            other = read_measurement(source, run.units) if measured else Trajectory.load(source)
            label = Path(source).stem
        elif isinstance(source, Trajectory):
            other, label = source, f"run {k + 1}"
        else:
            raise ArgumentError(
                "report: takes runs, .nc and .csv files to lay over each other, got "
                + shown(source)
            )
        names = [n for n in page_signals if n in other.units and other.units[n] == run.units[n]]
        packed = pack_signals(other, names, budget=400_000)
        del packed["kept"]
        missing = sorted(set(other.signals) - set(names)) if measured else []
        packed |= {
            "label": labels[k] if labels else label,
            "measured": measured,
            "unknown": missing,
        }
        out.append(packed)
    return out
