# ruff: noqa: RUF009  (`quantity` makes a field, as `dataclasses.field` does)
"""Mass redistribution: the center of mass of a link moved at constant mass.  Equation BA.5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ....errors import TorseurError
from ....model import Body, Model, quantity
from ....scalars.values import value as exact_values
from .base import (
    Device,
    add_offset,
    add_terms,
    check_revolute,
    device,
    find_joint,
    joint_axis,
    link_direction,
    multiply_term,
)


@device.named("redistribution")
@dataclass(frozen=True, slots=True, eq=False)
class Redistribution(Device):
    """Another mass distribution of a link: same mass, another center of mass.

    `shift` is the new position of the center of mass along `direction` from the joint axis [m].
    The mass stays within `envelope` (low, high) along that line [m].  The second moment along the
    line stays equal if a distribution within the envelope has it.  Else the nearest feasible one is
    used, so the inertia is always physically consistent.
    """

    name: str
    joint: str
    shift: Any = quantity(None, "m")
    envelope: tuple[float, float] = quantity((-1.0, 1.0), "m", (2,))
    direction: Any = quantity(None, "", (3,))

    variables: ClassVar = {"shift": "m"}

    def _add_elements(self, model: Model, base: Model, values: Mapping[str, Any], memory: bool):
        """The model with the new center of mass and inertia of the link.  # BA.5"""
        joint = check_revolute(find_joint(base, self), self)
        o, axis = joint_axis(base, joint)
        direction = (
            link_direction(base, joint)
            if self.direction is None
            else np.asarray(self.direction, float) / np.linalg.norm(self.direction)
        )
        body = next(b for b in model.bodies if b.name == joint.child)
        if body.about != "com" or body.first_moment is not None:
            raise TorseurError(
                f"device {self.name!r}: body {body.name!r} gives its inertia about its origin; "
                "redistribution needs com= and the inertia about it"
            )
        x = self.variable_value(values, "shift")
        m, com, J = _body_numbers(base, body)
        normal = np.cross(axis, direction)
        offset = com - o
        foot = o + normal * (normal @ offset) + axis * (axis @ offset)
        spread = (np.trace(J) / 2) * np.eye(3) - J  # second moments about the center
        before = float(direction @ spread @ direction)  # along the line
        low, high = map(float, self.envelope)
        if not isinstance(x, str) and not low <= x <= high:
            raise TorseurError(
                f"device {self.name!r}: the center of mass at {x:g} m is outside the envelope "
                f"{low:g} to {high:g} m by {max(low - x, x - high):g} m"
            )
        second = before + m * float(direction @ offset) ** 2  # about the axis, as it was
        after = _second_moment(x, m, second, low, high)
        mixed_moments = spread @ direction - before * direction  # what goes with both directions
        mixed = np.outer(direction, mixed_moments) + np.outer(mixed_moments, direction)
        mixed_change = (
            _mixed_moment_change(after, before)
            if abs(mixed_moments).max() > 1e-12 * second
            else 0.0
        )
        new = replace(
            body,
            com=tuple(
                add_offset(p, multiply_term(x, w)) for p, w in zip(foot, direction, strict=True)
            ),
            inertia=_inertia_entries(
                J,
                [
                    (np.outer(direction, direction), add_terms(after, -before)),
                    (mixed, mixed_change),
                ],
            ),
        )
        return replace(model, bodies=tuple(new if b is body else b for b in model.bodies))


def _body_numbers(model: Model, body: Body):
    """Mass, center of mass and inertia (3, 3) of a body as numbers."""
    parameters = {n: x for n, x in model.check().parameters.items() if x is not None}

    def evaluate(entries: Any, shape: tuple[int, ...]):
        """Numbers of an array of values and parameter names."""
        flat = np.asarray(entries, dtype=object).reshape(-1)
        try:
            return np.array(
                [exact_values.nominal(exact_values.exact(x), parameters) for x in flat]
            ).reshape(shape)
        except (KeyError, TypeError, ValueError):
            raise TorseurError(
                f"balance: body {body.name!r}: a redistribution needs numbers for its mass, com "
                "and inertia; give the model's parameters their values"
            ) from None

    J = evaluate(body.inertia, (-1,))
    J = J.reshape(3, 3) if len(J) == 9 else J[[0, 3, 4, 3, 1, 5, 4, 5, 2]].reshape(3, 3)
    return float(evaluate(body.mass, (1,))[0]), evaluate(body.com, (3,)), J


def _second_moment(x: Any, m: float, second: float, low: float, high: float):
    """Second moment along the line about the center of mass at x, limited to the feasible range.

    It is largest if all mass is at the ends of the envelope, and zero if all is at x.  # BA.5
    """
    if isinstance(x, str):
        return f"{m!r}*max(min({second / m!r} - {x}**2, ({x} - ({low!r}))*({high!r} - {x})), 0)"
    return max(min(second - m * x * x, m * (x - low) * (high - x)), 0.0)


def _mixed_moment_change(after: Any, before: float):
    """Relative change, 0 to -1, of the mixed second moments of a thinner body.

    Without it the inertia would not be physically consistent.
    """
    if isinstance(after, str):
        return f"min(sqrt({after}/{before!r}), 1) - 1"
    return min(np.sqrt(after / before), 1.0) - 1.0


def _inertia_entries(J: np.ndarray, changes: Sequence[tuple[np.ndarray, Any]]) -> tuple:
    """Six entries of an inertia with changed second moments, each a matrix times a factor."""
    out = []
    for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
        entry: Any = float(J[i, j])
        for S, size in changes:
            factor = float((np.trace(S) * np.eye(3) - S)[i, j])
            term = f"({size})*{factor!r}" if isinstance(size, str) else size * factor
            entry = add_terms(entry, term) if factor else entry
        out.append(entry)
    return tuple(out)


__all__ = ["Redistribution"]
