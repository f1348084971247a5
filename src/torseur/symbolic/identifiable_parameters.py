"""Base inertial parameters of a system, link by link (Gautier and Khalil 1990)."""

from __future__ import annotations

from .base_inertial_parameters import regroup_parameters
from .equations import equations
from .print.normal_form import Reading
from .regressor import (
    INERTIAL_NAMES,
    elimination_order,
    format_combinations,
    regressor,
    time_dependent_generators,
)
from .ring import open_ring


def base_parameters(system, unknowns=()) -> dict[str, str]:
    """{base parameter: identifiable combination}, such as "link2.Ixx - link2.Iyy"."""
    S = open_ring(system)
    reading, K = Reading(system, S), S.K
    names = (
        *(f"{k.body}.{n}" for k in system.links for n in INERTIAL_NAMES),
        *(n for n, _, _ in unknowns),
    )
    time_generators = time_dependent_generators(S)
    is_constant = [
        p == "given" and n not in time_generators
        for n, p in zip(K.names, reading.parts, strict=True)
    ]
    relations = regroup_parameters(
        S, is_constant, unknowns, elimination_order(len(system.links), len(names))
    )
    if relations is None:
        return regressor(equations(system), unknowns).base_parameters
    return format_combinations(relations, names, reading)
