"""Sampling designs of a study: full grid, random, Latin hypercube, Sobol, Saltelli, Morris.

A design gives points of the unit cube, which the quantile functions of the distributions map to
values (McKay 1979, Sobol 1967, Saltelli 2010, Morris 1991).  One seed gives the same samples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ArgumentError, needs, unknown_name_message
from ..register import Register
from ..scalars import arguments
from .distributions import Choice, Distribution, Grid, number

DESIGNS: Register = Register("design")
Design = Callable[[Mapping[str, Distribution], int | None, int], np.ndarray]
"""Function of distributions, number of samples and seed: points of the unit cube, (n, names)."""


def draw_samples(
    vary: Mapping[str, Distribution], design: str, samples: int | None, seed: int
) -> dict[str, np.ndarray]:
    """Values of the varied quantities, one array a name.

    >>> values = draw_samples({"a": Grid(0, 1, 2), "b": Grid([5, 6])}, "grid", None, 0)
    >>> values["a"].tolist(), values["b"].tolist()
    ([0.0, 0.0, 1.0, 1.0], [5.0, 6.0, 5.0, 6.0])
    """
    if design not in DESIGNS:
        raise ArgumentError(unknown_name_message("design", design, DESIGNS, "study"))
    if not vary:
        raise ArgumentError(
            "study: vary= is empty; name what varies, vary={'body.mass': ts.studies.Grid(1, 2, 5)}"
        )
    u = DESIGNS[design](vary, samples, seed)
    return {n: distribution.quantile(u[:, i]) for i, (n, distribution) in enumerate(vary.items())}


def _check_count(samples: int | None, design: str) -> int:
    if samples is None:
        raise ArgumentError(f"study: design {design!r} needs samples=, one or more")
    return arguments.count("study", f"samples of design {design!r}", samples)


@DESIGNS.named("grid")
def sample_grid(vary: Mapping[str, Distribution], samples: int | None, seed: int) -> np.ndarray:
    """Full factorial design: every combination of grids and choices."""
    lengths = []
    for name, distribution in vary.items():
        if not isinstance(distribution, Grid | Choice):
            raise ArgumentError(
                f"study: {name!r} has a distribution; a grid has values: "
                "ts.studies.Grid(start, end, n), or choose design='sobol' with samples="
            )
        if isinstance(distribution, Grid):
            lengths.append(len(distribution.values))
        else:
            lengths.append(len(distribution.options))
    return np.array(list(product(*((np.arange(n) + 0.5) / n for n in lengths)))).reshape(
        -1, len(lengths)
    )


@DESIGNS.named("random")
def sample_random(vary: Mapping[str, Distribution], samples: int | None, seed: int) -> np.ndarray:
    """Independent samples (Monte Carlo)."""
    return np.random.default_rng(seed).random((_check_count(samples, "random"), len(vary)))


@DESIGNS.named("latin")
def sample_latin_hypercube(
    vary: Mapping[str, Distribution], samples: int | None, seed: int
) -> np.ndarray:
    """Latin hypercube (McKay, Beckman and Conover 1979)."""
    from scipy.stats import qmc

    return qmc.LatinHypercube(len(vary), seed=seed).random(_check_count(samples, "latin"))


@DESIGNS.named("sobol")
def sample_sobol(vary: Mapping[str, Distribution], samples: int | None, seed: int) -> np.ndarray:
    """Scrambled Sobol sequence."""
    from scipy.stats import qmc

    n = _check_count(samples, "sobol")
    points = qmc.Sobol(len(vary), seed=seed).random_base2(max(0, int(np.ceil(np.log2(n)))))
    return points[:n]


def _salib_problem(vary: Mapping[str, Distribution]) -> dict[str, Any]:
    return {"num_vars": len(vary), "names": list(vary), "bounds": [[0.0, 1.0]] * len(vary)}


@DESIGNS.named("saltelli")
def sample_saltelli(vary: Mapping[str, Distribution], samples: int | None, seed: int) -> np.ndarray:
    """Saltelli's design for Sobol indices: samples * (number of names + 2) members."""
    with needs("studies", "the design saltelli"):
        from SALib.sample import sobol

    n = _check_count(samples, "saltelli")
    return sobol.sample(_salib_problem(vary), n, calc_second_order=False, seed=seed)


@DESIGNS.named("morris")
def sample_morris(vary: Mapping[str, Distribution], samples: int | None, seed: int) -> np.ndarray:
    """Morris' trajectories for screening: samples * (number of names + 1) members."""
    with needs("studies", "the design morris"):
        from SALib.sample import morris

    return morris.sample(_salib_problem(vary), _check_count(samples, "morris"), seed=seed)


def read_columns(columns: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Listed values: columns of one length, in SI.

    >>> read_columns({"k": [1, 2], "v": ["36 km/h", 5]})["v"].tolist()
    [10.0, 5.0]
    """
    values = {n: np.array([number(y, n) for y in np.ravel(x)]) for n, x in columns.items()}
    lengths = {n: len(x) for n, x in values.items()}
    if empty := [n for n, k in lengths.items() if not k]:
        raise ArgumentError(f"study: {', '.join(map(repr, empty))} lists no value")
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{n}: {k}" for n, k in lengths.items())
        raise ArgumentError(f"study: a list needs columns of one length, got {listed}")
    return values


def read_csv(path: str | Path) -> dict[str, list]:
    """Columns of a CSV file, for `read_columns`.  A header may have a unit: `body.speed [km/h]`."""
    from ..model.formats import read_table, split

    headings, table = read_table(Path(path))
    columns: dict[str, list] = {}
    for heading, cells in zip(headings, table.T.tolist(), strict=True):
        name, unit = split(heading)
        columns[name] = [f"{c!r} {unit}" for c in cells] if unit else cells
    return columns
