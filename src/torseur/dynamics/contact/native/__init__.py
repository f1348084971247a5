"""Native routines of the contact problem, registered with the compiler.

Importing this package registers their names, arguments and costs.  It does not import the modules:
they are restricted Python, which the compiler loads once per machine.  A mechanism without contacts
imports nothing of this package.
"""

from pathlib import Path
from types import ModuleType

from ....compiler import NativeLibrary, native_routine

MODULES = (
    "schur_complement",
    "static_friction",
    "impact_gauss_seidel",
    "impact_newton",
    "impact_sensitivity",
    "tree_traversal",
    "dense_ldl",
)


def _load_modules() -> list[ModuleType]:
    """Modules of the routines, in the order of `MODULES`."""
    from . import (
        dense_ldl,
        impact_gauss_seidel,
        impact_newton,
        impact_sensitivity,
        schur_complement,
        static_friction,
        tree_traversal,
    )

    modules = (
        schur_complement,
        static_friction,
        impact_gauss_seidel,
        impact_newton,
        impact_sensitivity,
        tree_traversal,
        dense_ldl,
    )
    return list(modules)


LIBRARY = NativeLibrary([Path(__file__).with_name(f"{name}.py") for name in MODULES], _load_modules)

# Upper bounds of the number of products, of n unknowns, m rows and c frictions.
native_routine("project_on_joint_axes", LIBRARY, 2, lambda links, paths, n: 12 * paths * n)
native_routine(
    "assemble_delassus",
    LIBRARY,
    2,
    lambda n, m, c: n**3 // 6 + (1 + m) * n * n + m * (m + 3) // 2 * n,
)
native_routine("solve_active_rows", LIBRARY, 2, lambda n, m, c: m**3 // 6 + m * m)
native_routine("multiply_delassus", LIBRARY, 2, lambda n, m, c: m * m)
native_routine("solve_mass_matrix", LIBRARY, 2, lambda n, m, c: m * n)
native_routine(
    "solve_row_forces", LIBRARY, 2, lambda n, m, c: m**3 // 6 + 2 * (1 + c) * m * m + c**3 // 3
)
native_routine("distribute_static_friction", LIBRARY, 2, lambda n, m, c: m**3 // 6 + 2 * m * m)
native_routine("solve_impact", LIBRARY, 2, lambda n, m, c: 2 * m * m)
native_routine("linearize_impact", LIBRARY, 2, lambda n, m, c: m**4 // 3 + m**3)
native_routine("reduce_to_friction", LIBRARY, 2, lambda n, m, c: m**3 // 6 + 8 * m * m)
