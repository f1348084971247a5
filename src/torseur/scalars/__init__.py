"""The scalars behind one interface (floats, graph, ring, columns), and exact values with names."""

from . import arguments as arguments, units as units
from .digest import IDLE, digest, is_ours
from .kinds.base import Exact, Node, Scalars, matrix, vector
from .kinds.batch_floats import Agreed, Parted, cases
from .kinds.branching_graph import Deciding, ManyWays
from .kinds.column import Columns, evaluate
from .kinds.dual import Dual, Duals, plain
from .kinds.float import Floats, float_call
from .kinds.graph import Graph
from .kinds.graph_subroutines import Called, Followed, NativeText
from .kinds.jet import Jet as Jet, Jets as Jets, part as part
from .kinds.polynomial import MULTIPLES, Powers, Ring
from .kinds.scoped import Bound
from .piecewise_table import Stairs
from .spline import overshoot, spline
from .values.antiderivative import antiderivative
from .values.derivative import derivative
from .values.expression import exact_root
from .values.parser import parse
from .values.substitution import substituted
from .values.value import (
    SNAP,
    Number,
    Value,
    divide,
    exact,
    exacts,
    leaves,
    nominal,
    sqrt,
    symbol,
    symbols,
)

__all__ = [
    "IDLE",
    "MULTIPLES",
    "SNAP",
    "Agreed",
    "Bound",
    "Called",
    "Columns",
    "Deciding",
    "Dual",
    "Duals",
    "Exact",
    "Floats",
    "Followed",
    "Graph",
    "ManyWays",
    "NativeText",
    "Node",
    "Number",
    "Parted",
    "Powers",
    "Ring",
    "Scalars",
    "Stairs",
    "Value",
    "antiderivative",
    "arguments",
    "cases",
    "derivative",
    "digest",
    "divide",
    "evaluate",
    "exact",
    "exact_root",
    "exacts",
    "float_call",
    "is_ours",
    "leaves",
    "matrix",
    "nominal",
    "overshoot",
    "parse",
    "plain",
    "spline",
    "sqrt",
    "substituted",
    "symbol",
    "symbols",
    "units",
    "vector",
]
