"""The linear damper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..base import Law, law


@law
@dataclass(frozen=True, slots=True)
class Viscous(Law):
    """Linear damper: tension `damping * rate` [N s/m or N m s/rad]."""

    picture: ClassVar = "damper"
    friction: ClassVar = ("viscous",)
    damping: Any
    units: ClassVar = {"damping": "N s/m"}

    def force(self, K, s):
        return self.get(K, "damping") * s.rate  # FO.5

    def shares(self, K, s):
        return {"damping": s.rate}

    def dissipation(self, K, s):
        return self.force(K, s) * s.rate

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (cls(3.0),)
