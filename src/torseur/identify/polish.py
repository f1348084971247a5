"""Widths of friction to the last digit.  Theory: ID.5, ID.7."""

from __future__ import annotations

import numpy as np


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
