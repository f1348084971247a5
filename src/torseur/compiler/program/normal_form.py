"""Normal form of straight-line programs: value numbering, constant folding, dead code elimination.

`Builder` numbers values: two equal expressions become one node (local value numbering, which is
common subexpression elimination, Cooper and Torczon, Engineering a Compiler, section 8.4).  Signs
are kept outside of nodes, operands of commutative operations are sorted, and operations on
constants are folded.  `eliminate_dead_nodes` drops nodes that no output needs.
`share_reciprocals` is a strength reduction of divisions.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from .ports import Port
from .program import (
    COMMUTATIVE_OPS,
    EVEN_FUNCTIONS,
    LEAF_OPS,
    LIBM_ARITY,
    LOGIC_OPS,
    ODD_FUNCTIONS,
    Program,
    RoutineCall,
)
from .table_lookup import TableLookup

CONSTANT_FOLDERS: dict[str, Callable[..., float]] = {
    **{name: getattr(math, name) for name in LIBM_ARITY},
    **{name: getattr(math, name) for name in ("sin", "cos", "sqrt", "fabs", "floor", "ceil")},
    "sign": lambda x: math.copysign(1.0, x) if x else x,
    "fmin": min,
    "fmax": max,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "and": lambda x, y: bool(x) and bool(y),
    "or": lambda x, y: bool(x) or bool(y),
    "not": lambda x: not x,
}


class Builder:
    """Creates nodes in normal form.  Every method takes and returns references.

    >>> b = Builder()
    >>> x, y = b.input(0, 0), b.input(0, 1)
    >>> b.sub(x, y) == b.neg(b.sub(y, x)), b.mul(b.neg(x), y) == b.neg(b.mul(y, x))
    (True, True)
    >>> ports = [Port("x", (2,))], [Port("y", (1,))]
    >>> b.build_program("f", *ports, [[b.mul(b.sub(x, y), x)]]).operations
    {'mul': 1, 'add': 1, 'div': 0, 'trig': 0, 'sqrt': 0}
    """

    def __init__(self):
        self.nodes: list[tuple] = []
        self._value_numbers: dict[tuple, int] = {}
        self.zero, self.one = self.const(0.0), self.const(1.0)

    def intern_node(self, *node) -> int:
        """Reference of a node, which is added unless it has a value number already."""
        reference = self._value_numbers.get(node)
        if reference is None:
            reference = self._value_numbers[node] = 2 * len(self.nodes)
            self.nodes.append(node)
        return reference

    def constant_value(self, r: int) -> float | None:
        """Number of a constant with its sign, or None for another node."""
        node = self.nodes[r >> 1]
        if node[0] != "const":
            return None
        return -node[1] if r & 1 else node[1]

    def require_constant(self, r: int) -> float:
        """Number of a reference that is known to be constant."""
        x = self.constant_value(r)
        assert x is not None
        return x

    def const(self, x: float) -> int:
        """Constant of a double.  Its sign is in the reference."""
        x = float(x)
        if x != x:
            return self.intern_node("const", math.nan)
        return self.intern_node("const", -x) | 1 if x < 0 else self.intern_node("const", abs(x))

    def input(self, port: int, element: int) -> int:
        return self.intern_node("input", port, element)

    def neg(self, a: int) -> int:
        return a if a == self.zero else a ^ 1

    def add(self, a: int, b: int) -> int:
        """Sum: constants folded, zeros dropped, x - x cancelled, exclusive branches merged.

        `c + (c' + y)` becomes `(c + c') + y`.  `ifz(p, x) + ifz(not p, y)` becomes one `select`.
        """
        if a == self.zero:
            return b
        if b == self.zero:
            return a
        if a ^ b == 1:
            return self.zero
        if a > b:
            a, b = b, a
        na, nb = self.nodes[a >> 1], self.nodes[b >> 1]
        if na[0] == "const" or nb[0] == "const":
            va, vb = self.constant_value(a), self.constant_value(b)
            if va is not None and vb is not None:
                return self.const(va + vb)
            c, x = (a, b) if vb is None else (b, a)
            if (inner := self._split_constant("add", x)) is not None:  # c + (c' + y)
                return self.add(self.add(c, inner[0]), inner[1])
        if (
            na[0] == nb[0] == "ifz"
            and (which := self._compare_conditions(na[1], nb[1])) is not None
        ):
            c, x, y = (na[1], a, b) if which else (nb[1], b, a)
            return self.intern_node("select", c, self._guarded_value(x), self._guarded_value(y))
        s = a & 1
        return self.intern_node("add", a ^ s, b ^ s) | s

    def sub(self, a: int, b: int) -> int:
        return self.add(a, self.neg(b))

    def mul(self, a: int, b: int) -> int:
        """Product without a sign: constants folded, factors 0, 1 and 2 simplified."""
        s = (a ^ b) & 1
        a, b = a & ~1, b & ~1
        if a > b:
            a, b = b, a
        if self.nodes[a >> 1][0] != "const" != self.nodes[b >> 1][0]:
            return self.intern_node("mul", a, b) | s
        va, vb = self.constant_value(a), self.constant_value(b)
        if va is not None and vb is not None:
            r = self.const(va * vb)
        else:
            c, x, vc = (a, b, va) if vb is None else (b, a, vb)
            assert vc is not None
            if vc == 0.0:
                return self.zero
            if vc == 1.0:
                r = x
            elif (inner := self._split_constant("mul", x)) and _is_safe_factor(
                vc * self.require_constant(inner[0])
            ):
                r = self.mul(self.mul(c, inner[0]), inner[1])  # c (c' y)
            elif (n := self.nodes[x >> 1])[0] == "add" and n[1] == n[2] and _is_safe_factor(2 * vc):
                r = self.mul(self.const(2 * vc), n[1])  # c (y + y)
            elif vc == 2.0:
                r = self.add(x, x)
            else:
                r = self.intern_node("mul", a, b)
        return r if r == self.zero else r ^ s

    def div(self, a: int, b: int) -> int:
        """Quotient, by a product with the reciprocal of a constant divisor."""
        va, vb = self.constant_value(a), self.constant_value(b)
        if vb and va is not None:
            return self.const(va / vb)
        if vb and _is_safe_factor(vb) and _is_safe_factor(1.0 / vb):
            return self.mul(a, self.const(1.0 / vb))
        if a == self.zero:
            return a
        s = (a ^ b) & 1
        return self.intern_node("div", a & ~1, b & ~1) | s

    def sqrt(self, a: int) -> int:
        return self.call("sqrt", a)

    def power(self, a: int, b: int) -> int:
        """`a ** b`, by repeated squaring when `b` is an integer of at most 16."""
        n = self.constant_value(b)
        if n is None:
            return self.call("pow", a, b)
        if n == 0.5:
            return self.sqrt(a)
        if not abs(n) <= 16 or n != int(n):
            return self.call("pow", a, b)
        result, base, k = self.one, a, int(abs(n))
        while k:
            if k & 1:
                result = self.mul(result, base)
            base, k = (self.mul(base, base), k >> 1) if k > 1 else (base, 0)
        return self.div(self.one, result) if n < 0 else result

    def call(self, op: str, *args: int) -> int:
        """Function of one or two values by name, folded where all arguments are constant."""
        values = [self.constant_value(r) for r in args]
        if None not in values:
            try:
                return self.const(
                    float((op if isinstance(op, TableLookup) else CONSTANT_FOLDERS[op])(*values))
                )
            except (ValueError, OverflowError, ZeroDivisionError):
                pass  # not a number, or not finite: let it happen when the kernel runs
        s = 0
        if op in ODD_FUNCTIONS or op in EVEN_FUNCTIONS:
            s = args[0] & 1 if op in ODD_FUNCTIONS else 0
            args = (args[0] & ~1,)
        elif op in COMMUTATIVE_OPS:
            args = tuple(sorted(args))
        if op == "not" and self.nodes[args[0] >> 1][0] == "not":
            inner = self.nodes[args[0] >> 1][1]
            if self.nodes[inner >> 1][0] in LOGIC_OPS:
                return inner
        return self.intern_node(op, *args) | s

    def if_else_zero(self, c: int, x: int) -> int:
        """`x` where the condition holds, else 0."""
        v = self.constant_value(c)
        if v is not None:
            return x if v else self.zero
        if x == self.zero:
            return x
        return self.intern_node("ifz", c, x & ~1) | x & 1

    def _split_constant(self, op: str, r: int) -> tuple[int, int] | None:
        """Split `c + y` or `c y` into its constant and the rest, with the sign of `r`."""
        node = self.nodes[r >> 1]
        if node[0] != op:
            return None
        s = r & 1
        for c, y in (node[1:], node[:0:-1]):
            if self.nodes[c >> 1][0] == "const":
                return (c ^ s, y ^ s) if op == "add" else (c ^ s, y)
        return None

    def _compare_conditions(self, c: int, d: int) -> bool | None:
        """True if d is `not c`, False if c is `not d`, None if unrelated."""
        if self.nodes[d >> 1] == ("not", c):
            return True
        return False if self.nodes[c >> 1] == ("not", d) else None

    def _guarded_value(self, r: int) -> int:
        """Value behind an `ifz`, with its sign."""
        return self.nodes[r >> 1][2] ^ r & 1

    def build_program(
        self,
        name: str,
        inputs: Iterable[Port],
        outputs: Iterable[Port],
        results: Sequence[Sequence[int]],
        calls: tuple[RoutineCall, ...] = (),
        upstream: tuple[int, ...] = (),
    ) -> Program:
        """Program of the nodes that reach an output, in the order of their creation."""
        return eliminate_dead_nodes(name, inputs, outputs, self.nodes, results, calls, upstream)


def eliminate_dead_nodes(
    name: str,
    inputs: Iterable[Port],
    outputs: Iterable[Port],
    nodes: Sequence[tuple],
    results: Sequence[Sequence[int]],
    calls: tuple[RoutineCall, ...] = (),
    upstream: tuple[int, ...] = (),
) -> Program:
    """Program of the live nodes, renumbered in their order (dead code elimination)."""
    live = bytearray(len(nodes))
    for row in results:
        for r in row:
            live[r >> 1] = 1
    for k in range(len(nodes) - 1, -1, -1):
        if live[k] and nodes[k][0] not in LEAF_OPS:
            for r in nodes[k][1:]:
                live[r >> 1] = 1
    new_reference = [0] * len(nodes)  # of the live nodes
    live_nodes: list[tuple] = []
    for k, node in enumerate(nodes):
        if live[k]:
            new_reference[k] = 2 * len(live_nodes)
            if node[0] not in LEAF_OPS:
                node = (node[0], *[new_reference[r >> 1] | r & 1 for r in node[1:]])
            live_nodes.append(node)
    rows = tuple(tuple(new_reference[r >> 1] | r & 1 for r in row) for row in results)
    return Program(name, tuple(inputs), tuple(outputs), tuple(live_nodes), rows, calls, upstream)


def _is_safe_factor(x: float) -> bool:
    """Whether a product with x neither overflows nor loses digits by underflow."""
    return 1e-150 < abs(x) < 1e150


def share_reciprocals(program: Program) -> Program:
    """Replace several divisions by one divisor by products with its reciprocal.

    A division takes as long as ten products.

    >>> b = Builder()
    >>> x, y, d = (b.input(0, k) for k in range(3))
    >>> from .ports import Port
    >>> ports = [Port("x", (3,))], [Port("y", (2,))]
    >>> share_reciprocals(b.build_program("f", *ports, [[b.div(x, d), b.div(y, d)]])).operations
    {'mul': 2, 'add': 0, 'div': 1, 'trig': 0, 'sqrt': 0}
    """
    divisors = Counter(node[2] for node in program.nodes if node[0] == "div")
    if not any(n > 1 for n in divisors.values()):
        return program
    b = Builder()
    new: list[int] = []
    rules = {"add": b.add, "mul": b.mul, "div": b.div}
    for node in program.nodes:
        op = node[0]
        if op in LEAF_OPS:
            new.append(b.const(node[1]) if op == "const" else b.intern_node(*node))
            continue
        if len(node) == 3:
            _, i, j = node
            x, y = new[i >> 1] ^ i & 1, new[j >> 1] ^ j & 1
            if op == "div" and divisors[j] > 1:
                new.append(b.mul(x, b.div(b.one, y)))
            else:
                new.append(rules[op](x, y) if op in rules else b.intern_node(op, x, y))
            continue
        new.append(b.intern_node(op, *[new[r >> 1] ^ r & 1 for r in node[1:]]))
    rows = [[new[r >> 1] ^ r & 1 for r in row] for row in program.results]
    return b.build_program(
        program.name, program.inputs, program.outputs, rows, program.calls, program.upstream_sizes
    )
