"""Dry friction, regularized."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...register import derived
from ..base import Law, law
from ._friction import level, rubbing, smooth_sign


@law
@dataclass(frozen=True, slots=True)
class Coulomb(Law):
    """Dry friction, regularized: `force * tanh(rate / slip)`, plus viscous and Stribeck's bump.

    `force` [N or N m] while sliding, `static` the largest one near rest (default: as sliding),
    `slip` [m/s or rad/s] the speed that counts as rest, `stribeck` the speed over which the bump
    fades, `damping` viscous.  At rest it creeps; `BristleFriction`, `LuGre` and the constraint
    `DryFriction` hold.
    """

    picture: ClassVar = "brake"
    force_: Any
    slip: Any = 1e-3
    static: Any = None
    stribeck: Any = 1e-2
    damping: Any = 0
    units: ClassVar = {
        "force_": "N",
        "slip": "m/s",
        "static": "N",
        "stribeck": "m/s",
        "damping": "N s/m",
    }
    positive: ClassVar = ("slip", "stribeck")
    not_negative: ClassVar = ("force_", "static")

    def __init__(
        self,
        force: Any,
        slip: Any = 1e-3,
        static: Any = None,
        stribeck: Any = 1e-2,
        damping: Any = 0,
    ):
        for name, x in zip(
            ("force_", "slip", "static", "stribeck", "damping"),
            (force, slip, static, stribeck, damping),
            strict=True,
        ):
            object.__setattr__(self, name, x)

    @derived
    def friction(self):
        return rubbing(self)

    def force(self, K, s):
        limit = level(self, K, s.rate)
        return (
            limit * smooth_sign(K, s.rate, self.get(K, "slip")) + self.get(K, "damping") * s.rate
        )  # FO.18

    def dissipation(self, K, s):
        return self.force(K, s) * s.rate

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        return cls(3.0, 0.05), cls(3.0, 0.05, static=4.0, stribeck=0.1, damping=0.5)
