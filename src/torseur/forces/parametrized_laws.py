"""Laws with symbols in place of their numbers, for code shared by laws of one structure."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from .base import PLAIN_TYPES, Law


def replace_numbers(law: Law, take: Callable[[float], str]) -> Law:
    """Replace the plain numbers of a law by names from `take`.

    Tables, named numbers and numbers in place of inputs stay.

    >>> from torseur.forces import Spring
    >>> numbers = []
    >>> name = lambda x: numbers.append(x) or f"c{len(numbers)}"
    >>> law = replace_numbers(Spring(50.0, "rest"), name)
    >>> law, numbers
    (Spring(stiffness='c1', free_length='rest', preload='c2'), [50.0, 0])
    """

    def name(x: Any, scaled: bool) -> Any:
        if isinstance(x, Law):
            return replace_numbers(x, take)
        if isinstance(x, tuple) and any(isinstance(e, Law) for e in x):
            return tuple(name(e, False) for e in x)
        if scaled and isinstance(x, int | float) and type(x) in PLAIN_TYPES:
            return take(x)
        return x

    law_copy = copy.copy(law)
    for f in fields(law):
        old = getattr(law, f.name)
        object.__setattr__(law_copy, f.name, name(old, f.name in law.units))
        if law_copy.inputs != law.inputs:  # a field whose names are those of inputs
            object.__setattr__(law_copy, f.name, old)
    return law_copy
