"""Guards behind which nothing is valid.

Theory: EV.8.
"""

from __future__ import annotations

from .looks import guards
from .record import ENDING

UPRIGHT = 0.9  # of these guards, whose unit is 1: from there on an error may be noise
AFAR = 0.5  # from there on a step is not looked into


def leans(run):
    """How many are not far off: there an error is no noise."""
    count = 0
    for k in range(run.ng):
        near = run.kinds[k] == ENDING and run.g0[k] > 0.0 and run.g0[k] < UPRIGHT
        count += 1 if near else 0
    return count


def all_far(run, t, h):
    """Whether there are no guards but these, all far off at both ends of the step."""
    if run.ends < run.ng or guards(run, t + h, run.new, run.g1) != 0:
        return False
    least = 1.0
    for k in range(run.ng):
        run.slopes[k] = (run.g1[k] - run.g0[k]) / h
        least = min(least, min(run.g0[k], run.g1[k]))
    return least > AFAR
