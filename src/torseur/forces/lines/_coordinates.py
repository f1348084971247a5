"""Coordinates that lines may act on, in a model and in its system."""

from __future__ import annotations


def coordinate_names(model) -> set[str]:
    """Coordinates of joints whose speeds are their rates, of beams, rotors, drives' parts."""
    return model.table("coordinates", lambda: _coordinate_names(model))


def _coordinate_names(model) -> set[str]:
    names = {
        f"{name}.{n}"
        for name, kind in model.joint_kinds.items()
        if hasattr(kind, "coordinates") and getattr(kind, "holonomic", False)
        for n, _ in kind.coordinates
    }
    names |= {f"{r.name}.angle" for r in model.rotors}
    return names | {
        f"{j.name}.{part}.angle"
        for j in model.joints
        if j.drive is not None
        for part in getattr(j.drive, "parts", lambda: ())()
    }


def resolve_coordinates(system, names) -> list[tuple[int, int, str]]:
    """Place in q, place in v, and unit of each named coordinate."""
    return [system.layout.coordinate_slots[n] for n in names]
