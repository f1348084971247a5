"""A spring and a damper at each end of a play, which press and never pull.

Memory: the side (0 free, 1 above, 2 below, 3 and 4 the same while they let go), the slope and drag
that act now, the stiffness of what is compressed, and where it begins.  Theory: FO.21, FO.31.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ...register import derived
from ...spatial import HALF
from .._select import select_tuple
from ..base import Guard, Law

FREE, ABOVE, BELOW, RELEASING = 0, 1, 2, 2  # GOING: added to a side that lets go


class UnilateralStops(Law):
    """What `Backlash` and compliant `Limits` share; they say where their `contact_points` are."""

    __slots__ = ()
    picture: ClassVar = "stop"
    memory: ClassVar = (
        ("side", "1"),
        ("slope", "N/m"),
        ("drag", "N s/m"),
        ("stiffness", "N/m"),
        ("origin", "m"),
    )
    names: ClassVar = ("edge above", "edge below")
    damping: Any

    def contact_points(self, K) -> tuple:
        """Where the stop below begins, and the one above."""
        raise NotImplementedError

    def force(self, K, s):
        return s.m[1] * (s.x - s.m[4]) + s.m[2] * s.rate  # FO.21

    affine = derived(lambda self: not self._damped)

    def tangent(self, K, s):
        return s.m[1]

    def softest(self, K):
        return (0.0, 0.0)

    def potential(self, K, s):
        d = s.x - s.m[4]
        return s.m[3] * d * d * HALF

    def dissipation(self, K, s):
        return (s.m[1] - s.m[3]) * (s.x - s.m[4]) * s.rate + s.m[2] * s.rate * s.rate  # FO.31

    def knots(self, K):
        return self.contact_points(K)

    @derived
    def _damped(self) -> bool:
        return self.damping != 0

    def _history_on(self, K, side):
        if side == FREE:
            return (0.0,) * 5
        k, low_high = self.get(K, "stiffness"), self.contact_points(K)
        if side > RELEASING:
            return (float(side), 0.0, 0.0, k, low_high[side == ABOVE + RELEASING])
        return (float(side), k, self.get(K, "damping"), k, low_high[side == ABOVE])

    def _pressure(self, K, s, side):
        """What spring and damper of a side would press with."""
        d = s.x - self.contact_points(K)[side == ABOVE]
        T = self.get(K, "stiffness") * d + self.get(K, "damping") * s.rate
        return T if side == ABOVE else -T

    def start(self, K, s):
        low, high = self.contact_points(K)
        side = ABOVE if s.x >= high else BELOW if s.x <= low else FREE
        if side and self._damped and self._pressure(K, s, side) < 0:
            side += RELEASING
        return (), self._history_on(K, side)

    def guards(self, K, s):
        (low, high), side = self.contact_points(K), s.m[0]
        free, upper = K.less(side, HALF), _is_upper(K, side)
        up = K.select(free, high - s.x, K.select(upper, s.x - high, 1.0))
        down = K.select(free, s.x - low, K.select(upper, 1.0, low - s.x))
        out = Guard(self.names[0], up), Guard(self.names[1], down)
        if not self._damped:
            return out
        press = K.select(upper, self._pressure(K, s, ABOVE), self._pressure(K, s, BELOW))
        press_guard = K.select(K.less(side, RELEASING + HALF), press, -press)
        return (*out, Guard("lets go", K.select(free, 1.0, press_guard), "force", told=False))

    def jump(self, K, k, s):
        side = s.m[0]
        if k < 2:
            return (), select_tuple(
                K, K.less(side, HALF), self._history_on(K, k + 1), self._history_on(K, FREE)
            )
        upper = _is_upper(K, side)
        goes, presses = (
            select_tuple(K, upper, self._history_on(K, ABOVE + n), self._history_on(K, BELOW + n))
            for n in (RELEASING, 0)
        )
        let = select_tuple(K, K.less(side, RELEASING + HALF), goes, presses)
        free = K.less(side, HALF)  # without a damper it lets go where it leaves: that came first
        return (), select_tuple(K, free, self._history_on(K, FREE), let)

    def mode(self, K, s):
        return s.m[0]


def _is_upper(K, side):
    """Whether it is the side above, pressing or letting go."""
    off = (side - ABOVE) * (side - ABOVE - RELEASING)
    return K.less(off * off, HALF)
