"""Global sensitivity analysis: Sobol indices, Morris screening, RBD-FAST, exact on grids.

The samples themselves show which analysis applies: Saltelli's design (Sobol indices), Morris'
trajectories (elementary effects), a full grid (exact shares of the variance), or anything else
(RBD-FAST, Tarantola 2006).  SALib computes the indices.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..errors import ArgumentError, needs

HARMONICS = 10  # of RBD-FAST
MIN_SAMPLES = 5 * HARMONICS  # its intervals are of halves, which need more than two a harmonic
MAX_RANK_CORRELATION = 0.5  # of listed columns, which otherwise are not independent
MORRIS_LEVELS = 4
CONSTANT_TOLERANCE = 1e-12  # of the largest number

Indices = dict[str, np.ndarray]


def sensitivity_indices(
    columns: Mapping[str, np.ndarray], y: np.ndarray, seed: int, design: str
) -> Indices:
    """Sensitivity indices by name, one number a column: Sobol's, Morris' or first-order ones.

    The samples decide which, so that a store without its `design` ("") can be analyzed too.

    >>> a, b = np.repeat([0.0, 1.0], 3), np.tile([0.0, 1.0, 2.0], 2)
    >>> sensitivity_indices({"a": a, "b": b}, b, 0, "grid")["S1"].tolist()
    [0.0, 1.0]
    """
    if np.ptp(y) <= CONSTANT_TOLERANCE * np.abs(y).max():
        raise ArgumentError("sensitivity: the number is the same in every member")
    names = list(columns)
    levels = np.stack([np.unique(x, return_inverse=True)[1].ravel() for x in columns.values()], 1)
    has_one = design != "morris" and len(names) == 1
    if has_one or is_full_grid(levels):
        return grid_indices(levels, y)
    problem = {"num_vars": len(names), "names": names, "bounds": [[0, 1]] * len(names)}
    order = find_saltelli_order(levels)
    with needs("studies", "sensitivity"):
        from SALib.analyze import morris, rbd_fast, sobol
    if order is not None:
        result = sobol.analyze(problem, y, calc_second_order=False, seed=seed)
        return {c: np.asarray(result[c])[order] for c in ("S1", "S1_conf", "ST", "ST_conf")}
    if is_morris_design(levels):
        result = morris.analyze(problem, levels / levels.max(axis=0), y, seed=seed)
        return {c: np.asarray(result[c]) for c in ("mu", "mu_star", "sigma", "mu_star_conf")}
    if len(y) < MIN_SAMPLES:
        raise ArgumentError(
            f"sensitivity: {len(y)} members are too few for indices; give {MIN_SAMPLES} or more"
        )
    points = rank_values(columns, seed)
    if design in ("", "list"):
        _check_independence(names, points)
    result = rbd_fast.analyze(problem, points, y, M=HARMONICS, seed=seed)
    return {c: np.asarray(result[c]) for c in ("S1", "S1_conf")}


def find_saltelli_order(levels: np.ndarray) -> np.ndarray | None:
    """Place of every column among the changes of Saltelli's design; None for other samples.

    Its blocks are a row A, one row for each column with this column from B, and B.

    >>> find_saltelli_order(np.array([[0, 0], [0, 1], [1, 0], [1, 1]])).tolist()
    [1, 0]
    """
    n = levels.shape[1]
    if len(levels) % (n + 2):
        return None
    blocks = levels.reshape(-1, n + 2, n)
    first, between, last = blocks[:, :1], blocks[:, 1:-1], blocks[:, -1:]
    changed = (between != first).any(axis=0)  # (change, column)
    changes_once = (changed.sum(axis=0) == 1).all() and (changed.sum(axis=1) == 1).all()
    if not (changes_once and (between == np.where(changed, last, first)).all()):
        return None
    return changed.argmax(axis=0)


def is_morris_design(levels: np.ndarray) -> bool:
    """Whether the samples are Morris' trajectories: blocks in which one column changes at a time.

    >>> is_morris_design(np.array([[0, 0], [2, 0], [2, 2], [1, 3], [1, 1], [3, 1]]))
    True
    """
    n = levels.shape[1]
    if len(levels) % (n + 1) or levels.max() >= MORRIS_LEVELS:
        return False
    changed = np.diff(levels.reshape(-1, n + 1, n), axis=1) != 0
    return bool((changed.sum(axis=1) == 1).all() and (changed.sum(axis=2) == 1).all())


def is_full_grid(levels: np.ndarray) -> bool:
    """Whether the samples have every combination of the columns' values equally often.

    >>> is_full_grid(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]))
    True
    """
    sizes = levels.max(axis=0) + 1
    if np.prod(sizes.astype(float)) > len(levels) or max(sizes) == len(levels):
        return False  # a column with all values different was drawn, or varies alone
    cells = np.ravel_multi_index([*levels.T], sizes)
    return bool(np.ptp(np.bincount(cells, minlength=int(np.prod(sizes)))) == 0)


def grid_indices(levels: np.ndarray, y: np.ndarray) -> Indices:
    """Exact first-order and total indices of a full grid, by means over the other columns."""
    sizes = levels.max(axis=0) + 1
    if len(sizes) == 1:
        return {"S1": np.ones(1), "ST": np.ones(1)}
    order = np.argsort(np.ravel_multi_index([*levels.T], sizes), kind="stable")
    cube = y[order].reshape(*sizes, -1).mean(axis=-1)  # repeated samples have one value
    axes, variance = range(len(sizes)), cube.var()
    others = [tuple(j for j in axes if j != i) for i in axes]
    return {
        "S1": np.array([cube.mean(axis=o).var() for o in others]) / variance,
        "ST": np.array([cube.var(axis=i).mean() for i in axes]) / variance,
    }


def rank_values(columns: Mapping[str, np.ndarray], seed: int | None = None) -> np.ndarray:
    """Ranks of the values between 0 and 1, by column.  The seed orders equal values."""
    rng = None if seed is None else np.random.default_rng(seed)
    ranks = []
    for x in columns.values():
        tie_order = np.arange(len(x)) if rng is None else rng.permutation(len(x))
        rank = np.empty(len(x))
        rank[np.lexsort((tie_order, x))] = np.arange(len(x))
        ranks.append((rank + 0.5) / len(x))
    return np.stack(ranks, axis=1)


def _check_independence(names: list[str], ranks: np.ndarray) -> None:
    """Raise if two columns of listed samples are correlated: then they have no separate index."""
    correlation = np.zeros((1, 1))
    if len(names) > 1:
        correlation = np.abs(np.corrcoef(ranks, rowvar=False))
    np.fill_diagonal(correlation, 0.0)
    i, j = np.unravel_index(int(correlation.argmax()), correlation.shape)
    if correlation[i, j] > MAX_RANK_CORRELATION:
        raise ArgumentError(
            f"sensitivity: {names[i]!r} and {names[j]!r} are correlated in the given rows (rank "
            f"correlation {correlation[i, j]:.2f}), so that their shares cannot be separated; let "
            "a design draw them: samples= with ts.studies.Uniform or ts.studies.Normal"
        )
