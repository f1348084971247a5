"""What the numbers of friction shapes, found beside the sizes, change in the rows.  ID.5, ID.22."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .friction import FRICTION, BuildUp
from .prior import SPREAD, belief, times, unusual
from .sandwich_covariance import Solved

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


def beside(motion, p, usual) -> Solved:
    """The solution of a motion with the numbers of friction shapes as unknowns at its end.

    `usual` is the variance of base parameters before the rows.
    """
    (A, H, prior, W, r), found = motion.solved, slopes(motion.problem, p)
    n, k, m = len(H), len(usual), len(found)
    X = np.zeros((len(motion.problem.data), W.shape[1], m))
    level = (W**2 * motion.spectrum.variances).mean(axis=0)
    own, far = np.zeros(m), np.ones(m)
    for j, (kind, i, slope) in enumerate(found):
        X[:, i, j] = slope
        held, far[j] = believed(motion.problem.lin, kind, i)
        own[j] = level[i] * held  # ID.22
    Z = (motion.rows.of(X) * W[:, :, None]).reshape(len(A), m)
    G = H @ (A.T @ Z)
    C = np.linalg.pinv(Z.T @ Z + np.diag(own) - (A.T @ Z).T @ G, hermitian=True)
    whole = np.block([[H + G @ C @ G.T, -G @ C], [-C @ G.T, C]])
    pulls, spread = np.zeros((2, n + m, n + m))
    pulls[:n, :n], pulls[n:, n:] = prior, np.diag(own)
    spread[:k, :k], spread[n:, n:] = usual, np.diag(far**2)
    spread[k:n, k:n] = np.diag(1 / np.diag(prior)[k:])  # springs, gains, compliances: one each
    rows = (np.hstack([A, Z]) / W.reshape(-1, 1)).reshape(*W.shape, n + m)
    return Solved.of(rows, rows, W, whole, whole @ pulls, spread, r)


# --------------------------------------------------------------------------------------------
# Widths of friction to the last digit.  Theory: ID.5, ID.7.


def settled(problem, p, w, strength, method, strength_of):
    """Polished widths and a prior of what they leave over: ten times, where that keeps falling."""
    for _ in range(10):
        p = polished(problem, p, w, strength, method)
        if (less := strength_of(problem, w, method)) >= 0.5 * strength:
            break
        strength = less
        p = problem.solve(w, strength, method)
    return p, strength


def polished(problem, p, w, strength, method):
    """Widths to the last digit, where the residual goes on falling."""
    best, kept = (w * problem.sigma(p)).sum(), (dict(problem.lin.own), p)
    for _ in range(12):
        found = problem.newton(p, w, strength, method)
        if found is None:
            break
        own, step = found
        problem.set_own(own, p)
        p = problem.solve(w, strength, method)
        cost = (w * np.sqrt((problem.residuals(p) ** 2).mean(axis=0))).sum()
        if cost > best * (1 + 1e-9):
            break
        best, kept = cost, (own, p)
        if step < 1e-13:
            break
    problem.set_own(kept[0], kept[1])
    return kept[1]
