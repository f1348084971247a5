"""Friction with bristles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...register import derived
from ...spatial import HALF
from ..base import Law, law
from ._friction import level, rubbing


@law
@dataclass(frozen=True, slots=True)
class LuGre(Law):
    """Friction with bristles that bend before they slip; it holds at rest.

    `force` and `static` [N], `stribeck` [m/s], `stiffness` and `bristle_damping` of the bristles,
    `damping` viscous.
    """

    picture: ClassVar = "brake"
    force_: Any
    static: Any
    stribeck: Any = 1e-2
    stiffness: Any = 1e5
    bristle_damping: Any = 0
    damping: Any = 0
    units: ClassVar = {
        "force_": "N",
        "static": "N",
        "stribeck": "m/s",
        "stiffness": "N/m",
        "bristle_damping": "N s/m",
        "damping": "N s/m",
    }
    positive: ClassVar = ("force_", "static", "stribeck", "stiffness")
    states: ClassVar = (("bristle", "m"),)

    def __init__(
        self,
        force: Any,
        static: Any = None,
        stribeck: Any = 1e-2,
        stiffness: Any = 1e5,
        bristle_damping: Any = 0,
        damping: Any = 0,
    ):
        static = force if static is None else static
        for name, x in zip(
            ("force_", "static", "stribeck", "stiffness", "bristle_damping", "damping"),
            (force, static, stribeck, stiffness, bristle_damping, damping),
            strict=True,
        ):
            object.__setattr__(self, name, x)

    @derived
    def friction(self):
        return rubbing(self)

    def zdot(self, K, s):
        bent = K.divide(self.get(K, "stiffness") * s.z[0], level(self, K, s.rate))
        return (s.rate - K.call("abs", s.rate) * bent,)  # FO.19

    def force(self, K, s):
        (zdot,) = self.zdot(K, s)
        return (
            self.get(K, "stiffness") * s.z[0]
            + self.get(K, "bristle_damping") * zdot
            + self.get(K, "damping") * s.rate
        )

    def potential(self, K, s):
        return self.get(K, "stiffness") * s.z[0] * s.z[0] * HALF

    def dissipation(self, K, s):
        (zdot,) = self.zdot(K, s)
        return self.force(K, s) * s.rate - self.get(K, "stiffness") * s.z[0] * zdot

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (cls(3.0, 4.0, 0.1, 1e3, 5.0, 0.4),)
