"""Classes of joints, forces, constraints and shapes by the names that files use for them."""

from __future__ import annotations

from functools import wraps

from ..constraints import constraint
from ..joints import joint
from . import shapes
from .field_specs import type_name


def cache_per_register(f):
    """Cache the result of a function until an element is added to a register."""
    cached: dict = {}

    @wraps(f)
    def get():
        from ..forces import law, line

        sizes = tuple(map(len, (joint, constraint, law, line)))
        if sizes not in cached:
            cached.clear()
            cached[sizes] = f()
        return cached[sizes]

    return get


def joint_types() -> dict[str, type]:
    """Joints by the name a file gives them."""
    return {type_name(c): c for c in joint.values()}


def force_types() -> dict[str, type]:
    """Lines of action, laws and drives by the name a file gives them."""
    from ..forces import Drive, DriveStage

    return {**force_section_types(), **{type_name(c): c for c in (Drive, DriveStage)}}


@cache_per_register
def force_section_types() -> dict[str, type]:
    """Classes that the section `forces` accepts, by name: lines of action and laws."""
    from ..forces import law, line

    return {type_name(c): c for c in (*law.values(), *line.values())}


def constraint_types() -> dict[str, type]:
    """Constraints by the name a file gives them."""
    return {type_name(c): c for c in constraint.values()}


@cache_per_register
def nested_types() -> dict[str, type]:
    """Classes that fields of elements accept, by name: laws, drives, shapes, joints."""
    return {**{type_name(c): c for c in shapes.EVERY_SHAPE}, **force_types(), **joint_types()}


@cache_per_register
def element_classes() -> frozenset[type]:
    """Classes of constraints, and of elements that other elements hold."""
    return frozenset({*nested_types().values(), *constraint_types().values()})
