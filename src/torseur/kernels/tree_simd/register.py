"""Register of SIMD variants: kernels whose lanes are links or pairs of joints of one state.

A variant takes a `SymbolicSystem` and the number of SIMD lanes, and returns the stages of the
kernel (of a two-stage quantity those of its first stage).  `strategy` decides when a variant
serves.

    @simd_variant("mass_matrix")
    def mass_matrix(scene, lanes): ...
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ...register import Register

Variant = TypeVar("Variant", bound=Callable)

SIMD_VARIANTS: Register = Register("SIMD variant", __package__)


def simd_variant(quantity: str) -> Callable[[Variant], Variant]:
    """Decorate the SIMD variant of a quantity."""
    return SIMD_VARIANTS.named(quantity)
