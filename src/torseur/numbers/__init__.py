"""The scalars behind one interface (floats, graph, ring, columns), and exact values with names."""

from . import asked, units
from .agreed import Agreed, Parted, cases
from .antiderivative import antiderivative
from .bound import Bound
from .called import Called, NativeText
from .columns import Columns, evaluate
from .deciding import Deciding, ManyWays
from .derivative import derivative
from .digest import IDLE, digest, is_ours
from .duals import Dual, Duals, plain
from .expressions import exact_root
from .floats import Floats, float_call
from .followed import Followed
from .graph import Graph
from .parsing import parse
from .ring import MULTIPLES, Powers, Ring
from .scalar import Exact, Node, Scalars, matrix, vector
from .spline import overshoot, spline
from .stairs import Stairs
from .substitution import substituted
from .values import (
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
    "asked",
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
