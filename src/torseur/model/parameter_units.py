"""Units of parameters that were stated: a name that stands alone in a place has the unit of it."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, said
from ..scalars import units
from .field_paths import ELEMENTS

if TYPE_CHECKING:
    from .description import Model


def texts(parameters: Any) -> dict[str, str]:
    """Values of parameters that are texts with a unit, by name.

    >>> texts({"m": 2.0, "k": "3 kN/m", "half": "k/2"})
    {'k': '3 kN/m'}
    """
    items = parameters.items() if isinstance(parameters, Mapping) else ()
    return {name: x for name, x in items if units.has_unit(x)}


def misfits(model: Model, stated: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Parameters whose texts have another unit than a place where they stand alone, and why.

    `stated`: parameters with texts such as "3 kN/m".  A name inside of a formula tells no unit.

    >>> import torseur as ts
    >>> model = ts.Model(bodies=(ts.Body("block", "m"),), parameters={"m": 2.0})
    >>> list(misfits(model, {"m": "3 lb"}))
    []
    >>> [why[:48] for _, why in misfits(model, {"m": "3 N"})]
    ["body 'block', mass = '3 N': expected a mass [kg]"]
    """
    if not stated:
        return
    from .formats.quantity_strings import convert_quantities

    parts = [(s, x) for s in ELEMENTS for x in getattr(model, s) if is_dataclass(x)]
    element_names = {getattr(x, "name", "") for _, x in parts}
    # not a name's
    stated = {n: text for n, text in stated.items() if text and n not in element_names}
    joints_and_rotors = (*model.joints, *model.rotors)
    for (section, x), (name, text) in product(parts, stated.items()):
        if (substituted := _substitute_parameter(x, name, text)) is x:
            continue
        try:
            if section in ("forces", "constraints"):
                convert_quantities(
                    substituted, f"{section[:-1]} {getattr(x, 'name', x)!r}", joints_and_rotors
                )
            else:
                substituted.__post_init__()
        except (ModelError, ValueError) as e:
            why = e.problems if isinstance(e, ModelError) else said(e).split("\n")
            yield name, why[0]


def _substitute_parameter(x: Any, name: str, text: str) -> Any:
    """An element with a text in the places where a name stands alone; itself where it does not."""
    from .formats.schema import specs

    out = x
    kind: Any = type(x)
    for spec in specs(kind).values():
        value = getattr(x, spec.attribute)
        is_text = spec.keywords or spec.annotation.startswith("str")
        if isinstance(value, str) and is_text:
            continue
        if (new_value := _substitute_in_value(value, name, text)) is not value:
            out = copy.copy(out) if out is x else out
            object.__setattr__(out, spec.attribute, new_value)
    return out


def _substitute_in_value(value: Any, name: str, text: str) -> Any:
    if isinstance(value, str):
        return text if value == name else value
    if isinstance(value, tuple | list):
        out = tuple(_substitute_in_value(e, name, text) for e in value)
        return value if all(a is b for a, b in zip(value, out, strict=True)) else out
    if is_dataclass(value) and not isinstance(value, type):
        return _substitute_parameter(value, name, text)
    return value
