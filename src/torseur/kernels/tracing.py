"""Tracing of formulas: a quantity over symbols becomes a `casadi.Function`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..joints import TIME
from ..quantities import Quantity, SymbolicSystem
from ..scalars import vector


def evaluate_formula(
    quantity: Quantity, scene: SymbolicSystem, columns: Sequence, frame: str | None = None
) -> tuple:
    """Outputs of a quantity over the scalar of the scene, for the columns of its inputs."""
    inputs = quantity.given(scene.system)
    if scene.system.rheonomic and "t" in inputs:
        scene.K.parameters[TIME] = columns[inputs.index("t")][0]
        columns = columns[: len(quantity.inputs)]
    outputs = quantity.formula(scene, *([frame] if quantity.frame else []), *columns)
    return outputs if isinstance(outputs, tuple) else (outputs,)


def trace_function(
    quantity: Quantity, scene: SymbolicSystem, ports: Sequence[str], frame: str | None = None
) -> Any:
    """The `casadi.Function` of a quantity, a function of these ports.

    Over scalars with subroutines it is what `Called.functions` returns.
    """
    K = scene.K
    values = trace_outputs(quantity, scene, frame)
    return K.functions(
        quantity.name,
        [K.sx(scene[x]) for x in ports],
        [K.lib.densify(x) for x in values],
        list(ports),
        list(quantity.outputs[: len(values)]),
    )


def trace_outputs(quantity: Quantity, scene: SymbolicSystem, frame: str | None = None) -> list:
    """Outputs of a quantity as expressions of the symbols of a scene."""
    K = scene.K
    columns = [scene[x] for x in quantity.given(scene.system)]
    outputs = evaluate_formula(quantity, scene, columns, frame)
    return [x if isinstance(x, K.lib.SX) else K.sx(_as_array(x)) for x in outputs]


def flatten_numbers(x: Any) -> Iterator:
    """Numbers of nested lists and arrays, one after the other."""
    if isinstance(x, np.ndarray):
        yield from x.ravel().tolist()
    elif isinstance(x, list | tuple):
        for y in x:
            yield from flatten_numbers(y)
    else:
        yield x


def _as_array(x: Any) -> Any:
    return vector(flatten_numbers(x)) if isinstance(x, list | tuple) else x
