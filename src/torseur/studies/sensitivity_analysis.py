"""How much each varied number explains of a column's variance, by the design that drew it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..errors import ArgumentError, needs

HARMONICS = 10  # of RBD-FAST
LEAST = 5 * HARMONICS  # members: its intervals are of halves, which need more than two a harmonic
TOGETHER = 0.5  # rank correlation of columns of a list that no longer vary independently

Found = dict[str, np.ndarray]


def shares(columns: Mapping[str, np.ndarray], y: np.ndarray, seed: int, design: str) -> Found:
    """Indices by name, one number a column: Sobol's, Morris' or first-order ones.

    Which, the rows themselves say, also of a store, where the `design` is not known ("").

    >>> a, b = np.repeat([0.0, 1.0], 3), np.tile([0.0, 1.0, 2.0], 2)
    >>> shares({"a": a, "b": b}, b, 0, "grid")["S1"].tolist()
    [0.0, 1.0]
    """
    if np.ptp(y) <= 1e-12 * np.abs(y).max():
        raise ArgumentError("sensitivity: the number is the same in every member")
    names, levels = list(columns), np.stack([_levels(x) for x in columns.values()], axis=1)
    single = design != "morris" and len(names) == 1
    if single or crossed(levels):
        return of_grid(levels, y)
    problem = {"num_vars": len(names), "names": names, "bounds": [[0, 1]] * len(names)}
    order = saltelli(levels)
    with needs("studies", "sensitivity"):
        from SALib.analyze import morris, rbd_fast, sobol
    if order is not None:
        found = sobol.analyze(problem, y, calc_second_order=False, seed=seed)
        return {c: np.asarray(found[c])[order] for c in ("S1", "S1_conf", "ST", "ST_conf")}
    if trajectories(levels):
        found = morris.analyze(problem, levels / levels.max(axis=0), y, seed=seed)
        return {c: np.asarray(found[c]) for c in ("mu", "mu_star", "sigma", "mu_star_conf")}
    if len(y) < LEAST:
        raise ArgumentError(
            f"sensitivity: {len(y)} members say nothing of shares; give {LEAST} or more"
        )
    places = ranks(columns, seed)
    if design in ("", "list"):
        _refuse_pairs(names, places)
    found = rbd_fast.analyze(problem, places, y, M=HARMONICS, seed=seed)
    return {c: np.asarray(found[c]) for c in ("S1", "S1_conf")}


def _levels(x: np.ndarray) -> np.ndarray:
    """Numbers of the different values, in order."""
    return np.unique(x, return_inverse=True)[1].ravel()


def saltelli(levels: np.ndarray) -> np.ndarray | None:
    """Of rows of Saltelli's: place of every column among its changes; None of other rows.

    Blocks of a row A, one for each column with this from B alone, and B.

    >>> saltelli(np.array([[0, 0], [0, 1], [1, 0], [1, 1]])).tolist()
    [1, 0]
    """
    n = levels.shape[1]
    if len(levels) % (n + 2):
        return None
    blocks = levels.reshape(-1, n + 2, n)
    first, between, last = blocks[:, :1], blocks[:, 1:-1], blocks[:, -1:]
    changed = (between != first).any(axis=0)  # (change, column)
    whole = (changed.sum(axis=0) == 1).all() and (changed.sum(axis=1) == 1).all()
    if not (whole and (between == np.where(changed, last, first)).all()):
        return None
    return changed.argmax(axis=0)


def trajectories(levels: np.ndarray) -> bool:
    """Whether the rows are Morris' trajectories: blocks in which each column changes once, alone.

    >>> trajectories(np.array([[0, 0], [2, 0], [2, 2], [1, 3], [1, 1], [3, 1]]))
    True
    """
    n = levels.shape[1]
    if len(levels) % (n + 1) or levels.max() > 3:  # of four levels
        return False
    changed = np.diff(levels.reshape(-1, n + 1, n), axis=1) != 0
    return bool((changed.sum(axis=1) == 1).all() and (changed.sum(axis=2) == 1).all())


def crossed(levels: np.ndarray) -> bool:
    """Whether every combination of the columns' values is there, each as often as the others.

    >>> crossed(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]))
    True
    """
    sizes = levels.max(axis=0) + 1
    if np.prod(sizes.astype(float)) > len(levels) or max(sizes) == len(levels):
        return False  # a column whose values are all different was drawn, or varies alone
    cells = np.ravel_multi_index([*levels.T], sizes)
    return bool(np.ptp(np.bincount(cells, minlength=int(np.prod(sizes)))) == 0)


def of_grid(levels: np.ndarray, y: np.ndarray) -> Found:
    """First-order and total shares of a full grid: exact, by means over the other columns."""
    sizes = levels.max(axis=0) + 1
    if len(sizes) == 1:
        return {"S1": np.ones(1), "ST": np.ones(1)}
    order = np.argsort(np.ravel_multi_index([*levels.T], sizes), kind="stable")
    cube = y[order].reshape(*sizes, -1).mean(axis=-1)  # alike rows have one value
    axes, whole = range(len(sizes)), cube.var()
    others = [tuple(j for j in axes if j != i) for i in axes]
    return {
        "S1": np.array([cube.mean(axis=o).var() for o in others]) / whole,
        "ST": np.array([cube.var(axis=i).mean() for i in axes]) / whole,
    }


def ranks(columns: Mapping[str, np.ndarray], seed: int | None = None) -> np.ndarray:
    """Places of values in order, between 0 and 1, a column each; alike ones drawn by the seed."""
    draw = None if seed is None else np.random.default_rng(seed)
    out = []
    for x in columns.values():
        last = np.arange(len(x)) if draw is None else draw.permutation(len(x))
        at = np.empty(len(x))
        at[np.lexsort((last, x))] = np.arange(len(x))
        out.append((at + 0.5) / len(x))
    return np.stack(out, axis=1)


def _refuse_pairs(names: list[str], found: np.ndarray) -> None:
    """Rows that a user gave may let two numbers go together: no share is of one of them alone."""
    together = np.abs(np.corrcoef(found, rowvar=False)) if len(names) > 1 else np.zeros((1, 1))
    np.fill_diagonal(together, 0.0)
    i, j = np.unravel_index(int(together.argmax()), together.shape)
    if together[i, j] > TOGETHER:
        raise ArgumentError(
            f"sensitivity: {names[i]!r} and {names[j]!r} go together in the rows given (rank "
            f"correlation {together[i, j]:.2f}), so that their shares cannot be told apart; let a "
            "design draw them: samples= with ts.studies.Uniform or ts.studies.Normal"
        )
