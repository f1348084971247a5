"""Thresholds between code generators and evaluation modes.

`strategy` compares systems with these numbers.  Each constant says quantity and unit. The comment
says which generator it admits, and the measurement that set it (pages of docs/benchmarks).
Programs read them as attributes of this module, so that a test or a benchmark can change one.
"""

from __future__ import annotations

# Loops over links --------------------------------------------------------------------------------
MAX_STRAIGHT_LINE_SPEEDS = 60
"""Speeds of a tree up to which its kernels are straight-line programs.  Longer trees are loops over
links, whose compile time does not grow with the links (benchmarks/scaling.md, "Chains")."""
MIN_EQUAL_ELEMENTS = 8
"""Force elements that differ in their numbers alone, from which on they are one loop."""
MAX_LINK_CLASSES = 12
"""Classes of links, told apart by exact zeros and ones, up to which each has its program."""
MAX_FULL_JACOBIAN_SPEEDS = 20
"""Speeds up to which the Jacobian of the flow is one straight-line program.  Longer trees take
passes over links, one for each direction, and solve the equation of an implicit step by links."""
MAX_JOINT_CLASSES_OF_SHORT_TREES = 4
"""Classes of joints whose implicit solve over links compiles faster than the Jacobian of a tree of
21 to 60 speeds (measured from twenty speeds on, theory/integrators.md, IN.14)."""

# Repeated blocks and islands ---------------------------------------------------------------------
MIN_REPEATED_BLOCK_UNKNOWNS = 140
"""Speeds and constraint rows from which on equal parts of a mechanism are repeated blocks.
Straight-line programs take 1.4 to 2 times as long for 30 to 300 loops (benchmarks/scaling.md,
"Loops")."""
MIN_MEMBERS_PER_CLASS = 4
"""Members of a block class on average, below which a loop over them saves nothing."""
MAX_FRONT_OPERATIONS = 20_000
"""Operations of all fronts of different shapes: the text of the frontal factorization."""
MIN_ISLAND_ELEMENTS = 40
"""Contacts and dry frictions from which on equal islands are one program
(20 blocks with two each, benchmarks/scaling.md, "Contacts")."""
LARGE_ISLAND_UNKNOWNS = 15
"""Speeds and rows of the largest mechanism from which on an island alone is a long program."""
MIN_LARGE_ISLANDS_PER_CLASS = 2
"""Members of a class of such islands on average, below which a loop over them saves nothing."""
MIN_ROW_LOOP_UNKNOWNS = 20
"""Speeds and rows of the largest mechanism from which on native loops solve for the rows of
contacts and dry frictions (DF.14, benchmarks/scaling.md, "Contacts on joined bodies")."""
MAX_REPEATED_FLOW_OPERATIONS = 2000
"""Operations of a flow up to which event functions repeat it.  Of a longer one they read the
accelerations and multipliers."""

# SIMD over the tree ------------------------------------------------------------------------------
MIN_SIMD_LANES = 4
"""SIMD lanes (doubles a register) below which these kernels are not faster."""
SIMD_SPEEDS = range(8, 129)
"""Speeds with which they are faster and their numbers fit the nearest cache."""
MIN_PAIRS_PER_SPEED = 3
"""Pairs of a speed and a speed inboard of it, per speed, above which they are worth SIMD code."""
MIN_PAIRS_PER_SPEED_FORWARD = 4
"""The same for forward dynamics alone."""
MIN_PAIRS_FORWARD = 95
"""Pairs in all for forward dynamics alone."""
MAX_STRAIGHT_LINE_OPERATIONS = {"inverse_dynamics_derivatives": 4000, "mass_matrix": 610}
"""Operations up to which the straight-line program is as fast (4000 fit the instruction cache)."""
MAX_COUNTED_SPEEDS = 12
"""Speeds up to which these operations are counted."""
MAX_COUNTED_DEPTH = 4.7
"""Mean depth of a speed in the tree up to which these operations are counted."""
MIN_SIMD_LINKS = 8
"""Links from which on the Newton-Euler recursion in lanes is faster."""
MAX_STEPS_PER_LINK = 0.85
"""Steps of that recursion per link, above which too few links share a register."""
MAX_LINKS_PER_REGISTER = 4
"""Links of one step along the tree in one register.  Trees are seldom wider for long."""
MIN_SCALAR_PER_VECTOR_SUMS = 3.4
"""Sums of scalars replaced by one of vectors, above which the factorization of M takes rows in
vectors (FD.5; forward dynamics became 1.10 to 1.19 times as fast)."""
MIN_PAIRS_VECTOR_FACTORS = 95
"""Pairs from which on it does."""

# Two stages, dual numbers ------------------------------------------------------------------------
TWO_STAGE_SPEEDS = range(4, 201)
"""Speeds with which derivatives of accelerations are factors, then one program for all columns
(FD.4).  Larger systems take dual numbers: 0.40 s a state for 300 hinges (benchmarks/scaling.md)."""
MAX_GRAPH_JACOBIAN_SPEEDS = 20
"""Speeds of a tree up to which the graph of the Jacobian of the flow is traced faster at one state
than dual numbers evaluate it."""
MAX_COMPILED_MASS_MATRIX_SPEEDS = 60
"""Speeds up to which a mass matrix without loops over links compiles fast enough for one state."""

# Interpretation and columns ----------------------------------------------------------------------
MAX_COMPILED_GRAPH_OPERATIONS = 10_000
"""Operations of a graph up to which it is compiled when it is evaluated a second time."""
MAX_CACHED_LIST_EVALUATIONS = 16
"""Evaluations of a cached operation list by NumPy, which take about as long as tracing the graph.
The list saves a warm start the import of CasADi (0.48 instead of 0.55 s of CPU for a loop)."""
MIN_NUMPY_ROWS = 512
"""Time points from which on NumPy evaluates an operation list faster than CasADi."""
CASADI_MAP_STATES = 16
"""States of one call of the interpreter of CasADi."""
MAX_COLUMN_ROWS = 16_384
"""Time points of one evaluation by columns where each has parameters of its own."""
MAX_TRACED_START_ELEMENTS = 200
"""Force elements up to which one initial state is worth a graph."""
MIN_SHARED_START_RUNS = 4
"""Runs from which on a law is asked once for the initial history of all of them."""

# Variational equations ---------------------------------------------------------------------------
MAX_JACOBIAN_OPERATIONS = 5e4
"""Operations of a Jacobian up to which derivatives along directions are its products.  Of a longer
one forward differentiation takes one direction at a time."""
