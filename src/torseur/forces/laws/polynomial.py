"""Elastic and damping polynomials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...register import frozen
from ...scalars.values import value
from ..base import Law, law


@law
@dataclass(frozen=True, slots=True)
class Polynomial(Law):
    """Elastic: `sum k_i d^i`, i = 1, 2, ..., with `d = x - free_length`; also of the rate.

    `stiffness` holds k_1, k_2, ... [N/m, N/m2, ...]; `damping` likewise c_1, c_2, ... of the rate.
    """

    stiffness: tuple[Any, ...] = ()
    damping: tuple[Any, ...] = ()
    free_length: Any = 0
    units: ClassVar = {"stiffness": "N/m^i", "damping": "N (s/m)^i", "free_length": "m"}

    def __post_init__(self):
        for name in ("stiffness", "damping"):
            coefficients = frozen(getattr(self, name))
            object.__setattr__(
                self, name, coefficients if isinstance(coefficients, tuple) else (coefficients,)
            )

    def deflection(self, K, s):
        return s.x - self.get(K, "free_length")

    def _sum(self, K, coefficients, x, energy=False):
        total = 0
        for i, c in reversed(list(enumerate(coefficients, 1))):
            c = K.number(value.exact(c))
            total = (total + (K.divide(c, i + 1) if energy else c)) * x  # FO.6
        return total * x if energy else total

    def force(self, K, s):
        return self._sum(K, self.stiffness, self.deflection(K, s)) + self._sum(
            K, self.damping, s.rate
        )

    def potential(self, K, s):
        return self._sum(K, self.stiffness, self.deflection(K, s), energy=True)

    def dissipation(self, K, s):
        return self._sum(K, self.damping, s.rate) * s.rate

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        return cls((40.0, 3.0, 500.0)), cls((), (2.0, 0.0, 1.5))
