"""Runs and measurements that are laid over a run: from memory, netCDF or CSV."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ArgumentError, TorseurError, shown
from ..model.formats import heading, read_rows, read_text
from ..numbers import units
from ..results import Trajectory
from .columns import table


def read_measured(path: str | os.PathLike[str], units) -> Trajectory:
    """Columns of a CSV file as signals, in the units of a run's signals of the same names.

    The first line names them, with units in brackets where they are not SI: "time [ms]".
    """
    path = Path(path)
    try:
        rows = list(read_rows(read_text(path)))
        heads = [heading(c) for c in rows[0]] if rows else []
    except ValueError as e:
        raise TorseurError(f"{path.name}: {e}") from None
    names = [n for n, _ in heads]
    if "time" not in names:
        raise TorseurError(f"{path.name}: the first line must name the columns, one of them 'time'")
    if not set(names) & set(units) - {"time"}:
        raise TorseurError(
            f"{path.name}: none of its columns is a signal of the run; it has {', '.join(names)}"
        )
    out, said = {}, {}
    for j, (name, unit) in enumerate(heads):
        want = "s" if name == "time" else units.get(name, unit or "1")
        try:
            scale, offset = _scale(unit, want)
            out[name] = (
                np.array([float(r[j]) if r[j] else np.nan for r in rows[1:]]) * scale + offset
            )
        except (ValueError, IndexError) as e:
            raise TorseurError(f"{path.name}, column {name!r}: {e}") from None
        said[name] = want
    order = np.argsort(time := out.pop("time"), kind="stable")
    said.pop("time")
    return Trajectory(time[order], {n: x[order] for n, x in out.items()}, said, f"read from {path}")


def _scale(unit: str, want: str) -> tuple[float, float]:
    """What turns numbers of a unit into those of another: times, plus."""
    if unit in ("", want):
        return 1.0, 0.0
    at = [units.floating(f"{k} {unit}", want) for k in (0, 1)]
    return at[1] - at[0], at[0]


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
