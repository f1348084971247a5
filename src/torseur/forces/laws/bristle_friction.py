"""Dry friction that slides or sticks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...spatial import HALF
from ..base import Guard, Law, law

FORWARD, BACKWARD, STUCK = 0, 1, 2


@law
@dataclass(frozen=True, slots=True)
class BristleFriction(Law):
    """Dry friction with events: sliding at exactly `force`, or held by a stiff damped bristle.

    While sliding the force does not depend on the speed; where the speed vanishes the link sticks,
    and breaks away when the bristle (`stiffness`, `bristle_damping`) pulls more than `static`.
    """

    picture: ClassVar = "brake"
    friction: ClassVar = ("dry",)
    force_: Any
    static: Any = None
    stiffness: Any = 1e8
    bristle_damping: Any = 1e4
    units: ClassVar = {"force_": "N", "static": "N", "stiffness": "N/m", "bristle_damping": "N s/m"}
    positive: ClassVar = ("stiffness",)
    not_negative: ClassVar = ("force_", "static")
    history: ClassVar = True
    memory: ClassVar = (
        ("mode", "1"),
        ("level", "N"),
        ("slope", "N/m"),
        ("drag", "N s/m"),
        ("origin", "m"),
    )
    modes: ClassVar = ("forward", "backward", "stuck")

    def __init__(
        self, force: Any, static: Any = None, stiffness: Any = 1e8, bristle_damping: Any = 1e4
    ):
        for name, x in zip(
            ("force_", "static", "stiffness", "bristle_damping"),
            (force, force if static is None else static, stiffness, bristle_damping),
            strict=True,
        ):
            object.__setattr__(self, name, x)

    def force(self, K, s):
        return s.m[1] + s.m[2] * (s.x - s.m[4]) + s.m[3] * s.rate  # FO.20

    def potential(self, K, s):
        d = s.x - s.m[4]
        return s.m[2] * d * d * HALF

    def dissipation(self, K, s):
        return (s.m[1] + s.m[3] * s.rate) * s.rate

    def _sliding_history(self, K, sign):
        return (
            float(FORWARD if sign > 0 else BACKWARD),
            sign * self.get(K, "force_"),
            0.0,
            0.0,
            0.0,
        )

    def _sticking_history(self, K, x, level):
        """Held from here on; the bristle starts with the pull that friction had."""
        k = self.get(K, "stiffness")
        return (float(STUCK), 0.0, k, self.get(K, "bristle_damping"), x - K.divide(level, k))

    def start(self, K, s):
        if s.rate == 0:
            return (), self._sticking_history(K, s.x, 0.0)
        return (), self._sliding_history(K, 1 if s.rate > 0 else -1)

    def guards(self, K, s):
        forward, stuck = K.less(s.m[0], FORWARD + 0.5), K.less(STUCK - 0.5, s.m[0])
        sliding = K.select(forward, s.rate, -s.rate)
        pull, limit = self.force(K, s), self.get(K, "static")
        return (
            Guard("sticks", K.select(stuck, 1.0, sliding), "rate"),
            Guard("breaks forward", K.select(stuck, limit - pull, 1.0), "force"),
            Guard("breaks backward", K.select(stuck, limit + pull, 1.0), "force"),
        )

    def jump(self, K, k, s):
        if k == 0:
            return (), self._sticking_history(K, s.x, s.m[1])
        return (), self._sliding_history(K, 1 if k == 1 else -1)

    def mode(self, K, s):
        return s.m[0]

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        return (cls(3.0, 4.0, 1e4, 50.0),)
