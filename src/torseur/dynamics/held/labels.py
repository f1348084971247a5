"""Loops and constraints by name: what results ask for without computing anything."""

from __future__ import annotations


def names(system) -> tuple[str, ...]:
    """Loops and constraints that join bodies, in the order of `carried`."""
    found = dict.fromkeys(e.name for e in (*system.held, *system.switched) if e.joins)
    return tuple(found)


def acting(system) -> tuple[str, ...]:
    """Every loop and constraint; not the steps of tables, which belong to their forces."""
    found = dict.fromkeys(e.name for e in (*system.held, *system.switched) if not e.stores)
    return tuple(found)
