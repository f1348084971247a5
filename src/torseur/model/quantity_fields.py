"""Dataclass fields that hold physical quantities: unit, shapes and default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any, SupportsFloat, TypeAlias

import numpy as np

from ..scalars import Value

Quantity: TypeAlias = SupportsFloat | str | Value
"""A number, the name of a parameter, or arithmetic of parameters."""
Quantities: TypeAlias = Sequence[Any] | np.ndarray
"""Several of them, by row."""


def quantity(default: Any, unit: str, *shapes: tuple[int, ...], open_: bool = False) -> Any:
    """A field that holds numbers: their unit, and the shapes they may have (none: one number).

    Two units, as in "rad | m", are for turning and for sliding; `open_`: any of them may be None.
    Readers, writers and the schema of files take all from here.
    """
    extra = {"open": True} if open_ else {}
    return field(default=default, metadata={"unit": unit, "shapes": shapes or ((),), **extra})
