"""Step control: how long the next step is to be, from the error of the last.

One text for single runs and for lanes.  Theory: IN.9.
"""

from __future__ import annotations

SAFETY = 0.9  # of the step that would just meet the tolerance: the estimate scatters
SMALLEST, LARGEST = 0.2, 6.0  # one step over the last: beyond, the estimate is not believed
HOPELESS = 1e30  # an error that says no more than "too large", or is not a number
LEAST_ERROR = 1e-10  # of an attempt: a power of nothing is not taken
LEAST_KEPT = 1e-4  # of the last error in the smoothing: one lucky step does not govern the next
SHARE = 0.75  # of the smoothing exponent, given back to the exponent of the present error
NEARLY = 1.0000001  # of a step: what is left beyond it would be a step of rounding alone
LOST = 0.25  # of a step whose rates were not finite
LONGER = 1.37  # of a step that ended where rounding outweighs the tolerance: end elsewhere
SHORTEST = 1e-3  # of a step: a wanted time nearer to its start is left to interpolation
AFTER = 0.01  # of the next step, at least, after an event: what came before says little
TINY = 1e-290  # a time, in place of zero


def shrink(err, exponent):
    """Factor of a step whose error is over its tolerance by `err` > 1 (or not a number)."""
    if err < HOPELESS:
        return max(SMALLEST, SAFETY * err ** (-exponent))
    return SMALLEST


def grow(err, before, exponent, smoothing):
    """Factor of the step after one of error `err` <= 1; `before` is the error of the one before."""
    err = max(err, LEAST_ERROR)
    wish = SAFETY * err ** (SHARE * smoothing - exponent) * before**smoothing  # IN.9
    return min(LARGEST, max(SMALLEST, wish))
