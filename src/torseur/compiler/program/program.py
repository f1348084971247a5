"""Straight-line programs in single static assignment: nodes, references and outputs.

Every node defines one value (SSA).  A *reference* to a value is an integer: twice the number of the
node, plus one if negated.  So a negation costs nothing, `x - y` and `y - x` are one node, and a
product has no sign.  `normal_form.Builder` creates the nodes.
"""

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from .ports import Port
from .table_lookup import TableLookup

if TYPE_CHECKING:
    from ..codegen.native_functions import NativeRoutine

ODD_FUNCTIONS = frozenset(
    ["sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "erf", "sign"]
)
EVEN_FUNCTIONS = frozenset(["cos", "cosh", "fabs"])
LOGIC_OPS = frozenset(["lt", "le", "eq", "ne", "and", "or", "not"])
LIBM_ARITY = {  # functions left to the C library: name to number of arguments
    **dict.fromkeys(
        ["tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"], 1
    ),
    **dict.fromkeys(["exp", "log", "expm1", "log1p", "erf"], 1),
    **dict.fromkeys(["atan2", "pow", "hypot", "fmod", "copysign", "remainder"], 2),
}
LEAF_OPS = frozenset(["const", "input", "got", "ahead"])
COMMUTATIVE_OPS = frozenset(["fmin", "fmax", "eq", "ne", "and", "or", "hypot"])


class RoutineCall(NamedTuple):
    """Call of a routine: a program with several array arguments and one result, or native."""

    routine: "Program | NativeRoutine"
    arrays: int  # arguments
    columns: int = 1  # of the last argument and of the result, stored side by side
    padded_columns: int = 1  # columns that there is space for


@dataclass(frozen=True)
class Program:
    """Nodes in an order of evaluation, and the references of each output.

    `results` has the arrays of the outputs, then the arguments of `calls`, call by call.  The node
    `("got", k, j)` is number j of the result of call k, and depends on earlier calls only.
    `upstream_sizes` are the sizes of the outputs of the upstream kernel, which has the same inputs
    and runs first. The node `("ahead", k, j)` is number j of its output k.
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    nodes: tuple[tuple, ...] = field(repr=False)
    results: tuple[tuple[int, ...], ...] = field(repr=False)
    calls: tuple[RoutineCall, ...] = field(default=(), repr=False)
    upstream_sizes: tuple[int, ...] = ()
    # a routine of which all elements are read one by one
    n_read_elements: ClassVar[int] = -1

    def list_call_arguments(self) -> list[tuple[tuple[int, ...], ...]]:
        """Array arguments of each call, as references."""
        left = iter(self.results[len(self.outputs) :])
        return [tuple(islice(left, call.arrays)) for call in self.calls]

    @cached_property
    def routines(self) -> "tuple[Program, ...]":
        """Every called routine once, after the routines that it calls itself."""
        routines: dict[int, Program] = {}
        for call in self.calls:
            for routine in (*call.routine.routines, call.routine):
                if isinstance(routine, Program):  # native text is no part of this one
                    routines.setdefault(id(routine), routine)
        return tuple(routines.values())

    @cached_property
    def size(self) -> int:
        """Number of nodes, with those of each routine once."""
        return len(self.nodes) + sum(len(r.nodes) for r in self.routines)

    @cached_property
    def is_call_free(self) -> bool:
        """Whether it has no calls: no routines, no sines, no functions of the C library."""
        call_ops = LIBM_ARITY.keys() | {"sin", "cos"}
        return not self.calls and not any(node[0] in call_ops for node in self.nodes)

    @cached_property
    def operations(self) -> dict[str, int]:
        """Number of operations by type.  A sine and a cosine of one angle are one `trig`."""
        count = Counter({"mul": 0, "add": 0, "div": 0, "trig": 0, "sqrt": 0})
        angles = set()
        for op, *args in self.nodes:
            if op in ("sin", "cos"):
                angles.add(args[0])
            elif op in ("mul", "add", "div", "sqrt"):
                count[op] += 1
            elif op in LIBM_ARITY or isinstance(op, TableLookup):
                count["call"] += 1
            elif op not in LEAF_OPS:
                count["branch"] += 1
        count["trig"] = len(angles)
        for call in self.calls:
            for op, n in call.routine.operations.items():
                count[op] += n * call.columns
        return dict(count)

    @cached_property
    def stamp(self) -> str:
        """SHA-256 of the mathematics: the same for any order of the same nodes.

        Each node gets a digest of its operation and of the digests of its operands.  Signs are
        moved out of products, quotients and odd functions, and operands of commutative operations
        are sorted.
        """
        digests: list[bytes] = []
        negated: list[int] = []  # 1 where the digest is that of the negated node
        for op, *args in self.nodes:
            negate = 0
            if op == "const":
                text = [float(args[0]).hex().encode()]
            elif op in LEAF_OPS:
                text = [b"%d %d" % tuple(args)]
            else:
                signs = [r & 1 ^ negated[r >> 1] for r in args]
                if op in ("mul", "div") or op in ODD_FUNCTIONS:
                    negate, signs = sum(signs) & 1, [0] * len(signs)
                elif op in EVEN_FUNCTIONS:
                    signs = [0]
                text = [
                    digests[r >> 1] + b"+-"[s : s + 1] for r, s in zip(args, signs, strict=True)
                ]
                if op in ("add", "mul") or op in COMMUTATIVE_OPS:
                    text.sort()
                if op == "add" and (negate := text[0].endswith(b"-")):
                    text = [t[:-1] + (b"+" if t.endswith(b"-") else b"-") for t in text]
            digests.append(hashlib.blake2b(op.encode() + b"|".join(text), digest_size=16).digest())
            negated.append(int(negate))
        digest = hashlib.sha256()
        for port in (*self.inputs, *self.outputs):
            digest.update(f"{port.name}{port.shape};".encode())
        for call in self.calls:
            digest.update(f"{call.routine.stamp}{call[1:]};".encode())
        for row in self.results:
            for r in row:
                sign = r & 1 ^ negated[r >> 1]
                digest.update(digests[r >> 1] + b"+-"[sign : sign + 1])
        return digest.hexdigest()

    @cached_property
    def uses(self) -> tuple[int, ...]:
        """Number of uses of each node, by nodes and by outputs."""
        count = [0] * len(self.nodes)
        for node in self.nodes:
            if node[0] not in LEAF_OPS:
                for r in node[1:]:
                    count[r >> 1] += 1
        for row in self.results:
            for r in row:
                count[r >> 1] += 1
        return tuple(count)


def list_operands(node: tuple) -> tuple[int, ...]:
    """References that a node reads, none for a leaf."""
    return () if node[0] in LEAF_OPS else node[1:]
