"""Laws with names in place of their numbers, so that laws alike but for numbers are seen to be."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from .base import PLAIN, Law


def lifted(law: Law, take: Callable[[float], str]) -> Law:
    """The law with names in place of its plain numbers: `take` gives each its own.

    Tables, what is named already, and numbers in place of inputs stay as they are.

    >>> from torseur.forces import Spring
    >>> numbers = []
    >>> lifted(Spring(50.0, "rest"), lambda x: numbers.append(x) or f"c{len(numbers)}"), numbers
    (Spring(stiffness='c1', free_length='rest', preload='c2'), [50.0, 0])
    """

    def name(x: Any, scaled: bool) -> Any:
        if isinstance(x, Law):
            return lifted(x, take)
        if isinstance(x, tuple) and any(isinstance(e, Law) for e in x):
            return tuple(name(e, False) for e in x)
        if scaled and isinstance(x, int | float) and type(x) in PLAIN:
            return take(x)
        return x

    made = copy.copy(law)
    for f in fields(law):
        old = getattr(law, f.name)
        object.__setattr__(made, f.name, name(old, f.name in law.units))
        if made.inputs != law.inputs:  # a field whose names are those of inputs
            object.__setattr__(made, f.name, old)
    return made
