"""Which members a study has: rows of values, drawn or gone through; same seed, same rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ArgumentError, needs, unknown_name
from ..register import Register
from ..scalars import arguments
from .distributions import Choice, Distribution, Grid, number

DESIGNS: Register = Register("design")
Points = Callable[[Mapping[str, Distribution], int | None, int], np.ndarray]


def rows(vary: Mapping[str, Distribution], design: str, samples: int | None, seed: int):
    """Values of the varied things, one array a name.

    >>> found = rows({"a": Grid(0, 1, 2), "b": Grid([5, 6])}, "grid", None, 0)
    >>> found["a"].tolist(), found["b"].tolist()
    ([0.0, 0.0, 1.0, 1.0], [5.0, 6.0, 5.0, 6.0])
    """
    if design not in DESIGNS:
        raise ArgumentError(unknown_name("design", design, DESIGNS, "study"))
    if not vary:
        raise ArgumentError(
            "study: nothing varies; name what does, vary={'body.mass': ts.studies.Grid(1, 2, 5)}"
        )
    u = DESIGNS[design](vary, samples, seed)
    return {name: spread.at(u[:, i]) for i, (name, spread) in enumerate(vary.items())}


def _count(samples, design) -> int:
    if samples is None:
        raise ArgumentError(f"study: design {design!r} needs samples=, one or more")
    return arguments.count("study", f"samples of design {design!r}", samples)


@DESIGNS.named("grid")
def _grid(vary, samples, seed):
    """Every combination of grids and choices."""
    lengths = []
    for name, spread in vary.items():
        if not isinstance(spread, Grid | Choice):
            raise ArgumentError(
                f"study: {name!r} is a spread; a grid goes through values: "
                "ts.studies.Grid(start, end, n), or choose design='sobol' with samples="
            )
        lengths.append(len(spread.values if isinstance(spread, Grid) else spread.options))
    return np.array(list(product(*((np.arange(n) + 0.5) / n for n in lengths)))).reshape(
        -1, len(lengths)
    )


@DESIGNS.named("random")
def _random(vary, samples, seed):
    """Independent draws."""
    return np.random.default_rng(seed).random((_count(samples, "random"), len(vary)))


@DESIGNS.named("latin")
def _latin(vary, samples, seed):
    """A latin hypercube."""
    from scipy.stats import qmc

    return qmc.LatinHypercube(len(vary), seed=seed).random(_count(samples, "latin"))


@DESIGNS.named("sobol")
def _sobol(vary, samples, seed):
    """A scrambled Sobol sequence."""
    from scipy.stats import qmc

    n = _count(samples, "sobol")
    points = qmc.Sobol(len(vary), seed=seed).random_base2(max(0, int(np.ceil(np.log2(n)))))
    return points[:n]


def _problem(vary):
    return {"num_vars": len(vary), "names": list(vary), "bounds": [[0.0, 1.0]] * len(vary)}


@DESIGNS.named("saltelli")
def _saltelli(vary, samples, seed):
    """Saltelli's rows for Sobol indices: samples * (number of names + 2) members."""
    with needs("studies", "the design saltelli"):
        from SALib.sample import sobol

    n = _count(samples, "saltelli")
    return sobol.sample(_problem(vary), n, calc_second_order=False, seed=seed)


@DESIGNS.named("morris")
def _morris(vary, samples, seed):
    """Morris' trajectories: samples * (number of names + 1) members."""
    with needs("studies", "the design morris"):
        from SALib.sample import morris

    return morris.sample(_problem(vary), _count(samples, "morris"), seed=seed)


def listed(columns: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Rows given as they are: columns of one length.

    >>> listed({"k": [1, 2], "v": ["36 km/h", 5]})["v"].tolist()
    [10.0, 5.0]
    """
    found = {n: np.array([number(y, n) for y in np.ravel(x)]) for n, x in columns.items()}
    lengths = {n: len(x) for n, x in found.items()}
    if empty := [n for n, k in lengths.items() if not k]:
        raise ArgumentError(f"study: {', '.join(map(repr, empty))} lists no value")
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{n}: {k}" for n, k in lengths.items())
        raise ArgumentError(f"study: a list needs columns of one length, got {told}")
    return found


def from_csv(path) -> dict[str, list]:
    """Columns of a CSV file, for `listed`; a heading may carry a unit: `body.speed [km/h]`."""
    from ..model.formats import read_table, split

    heads, table = read_table(Path(path))
    columns: dict[str, list] = {}
    for heading, cells in zip(heads, table.T.tolist(), strict=True):
        name, unit = split(heading)
        columns[name] = [f"{c!r} {unit}" for c in cells] if unit else cells
    return columns
