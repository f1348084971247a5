"""What the numbers of friction shapes, found beside the sizes, change in the rows.  ID.5, ID.22."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .friction import FRICTION
from .turns import BuildUp
from .usual import SPREAD, belief, times, unusual

STEP = 1e-6


def slopes(problem, p) -> list[tuple[str, int, np.ndarray]]:
    """(shape, speed, derivative of its rows by the logarithm of its number), where it acts."""
    lin, out = problem.lin, []
    for c, (_, _, kind, i) in enumerate(lin.columns):
        if kind in FRICTION and FRICTION[kind].tries and lin.own_of(kind, i) and p[c]:
            x = lin.own_of(kind, i)
            beside = [{**lin.own, (kind, i): times(x, np.exp(s * STEP))} for s in (1, -1)]
            ends = [problem._local(replace(lin, own=own), kind, i) for own in beside]
            out.append((kind, i, p[c] * (ends[0] - ends[1]) / (2 * STEP)))
    return out


def believed(lin, kind: str, i: int) -> tuple[float, float]:
    """What the prior of a shape's number weighs, and how far that number is from usual ones.

    By the logarithm of the number; ways over which friction builds up have none.
    """
    x = lin.own_of(kind, i)
    if isinstance(x, BuildUp):
        return 0.0, 0.0
    u = unusual(kind, x)
    return belief(u) / SPREAD**2, SPREAD * max(1.0, abs(u))


def widened(problem, found) -> list[np.ndarray]:
    """Triangular factors of all columns of each joint, those of `slopes` beside them."""
    out, wide = [], problem.Y.shape[2]
    for i in range(problem.nv):
        mine = [n for n, (_, at, _) in enumerate(found) if at == i]
        columns = [problem.blocks[i], *(found[n][2] for n in mine), problem.b[:, i]]
        places = [*problem.acting[i], *(wide + n for n in mine)]
        R = problem._triangle(i, np.column_stack(columns), places, wide + len(found))
        out.append(R[:, :-1])
    return out


def beside(motion, p) -> Any:
    """The solution of a motion with the numbers of friction shapes as unknowns at its end."""
    solved, found = motion.solved, slopes(motion.problem, p)
    if not found:
        return solved
    A, H, W, n = solved.A, solved.H, solved.W, len(solved.H)
    X = np.zeros((len(motion.problem.data), W.shape[1], len(found)))
    level = (W**2 * motion.spectrum.variances).mean(axis=0)
    own, far = np.zeros(len(found)), np.ones(len(found))
    for k, (kind, i, slope) in enumerate(found):
        X[:, i, k] = slope
        held, spread = believed(motion.problem.lin, kind, i)
        own[k], far[k] = level[i] * held, held * spread**2  # ID.22
    Z = (motion.rows.of(X) * W[:, :, None]).reshape(len(A), -1)
    G = H @ (A.T @ Z)
    C = np.linalg.pinv(Z.T @ Z + np.diag(own) - (A.T @ Z).T @ G, hermitian=True)
    pulled = np.zeros((n + len(own), n + len(own)))
    pulled[:n, :n], pulled[n:, n:] = solved.pulled, np.diag(own * far)
    whole = np.block([[H + G @ C @ G.T, -G @ C], [-C @ G.T, C]])
    return replace(solved, A=np.hstack([A, Z]), H=whole, pulled=pulled)
