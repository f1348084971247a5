"""Common subexpression elimination: a scalar that records operations as straight-line code."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ...scalars import Node, Scalars, float_call, vector


class Operation(NamedTuple):
    """One operation: + - * / neg cos sin root less select, input, number, pi, or a function."""

    op: str
    args: tuple


class Item:
    """Result of one line.  Arithmetic on it appends lines."""

    __slots__ = ("index", "tape")

    def __init__(self, tape: Tape, index: int):
        self.tape, self.index = tape, index

    def _other(self, x) -> int:
        return x.index if isinstance(x, Item) else self.tape.constant(x).index

    def __add__(self, x):
        return self.tape.line("+", *sorted((self.index, self._other(x))))

    def __sub__(self, x):
        return self.tape.line("-", self.index, self._other(x))

    def __rsub__(self, x):
        return self.tape.line("-", self._other(x), self.index)

    def __mul__(self, x):
        return self.tape.line("*", *sorted((self.index, self._other(x))))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return self.tape.line("neg", self.index)


_FOLD: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "neg": operator.neg,
}


class Tape(Scalars):
    """Scalars whose elements are lines of a program.  Equal lines are written once."""

    can = frozenset({"divide", "root", "branch", "derive"})
    name = "lines of code"

    def __init__(self, parameters=None):
        self.lines: list[Operation] = []
        self.values: list[float | None] = []  # of lines that depend on no input
        self._slopes: dict[int, dict[int, Any]] = {}  # of lines, by the input they are along
        self._known: dict[Operation, int] = {}
        super().__init__(parameters)

    def line(self, op: str, *args) -> Item:
        """The item of an operation, after the few identities that need no algebra."""
        kinds = [self.lines[a] for a in args] if op in ("+", "-", "*", "neg") else []
        if op == "neg" and kinds[0].op == "neg":
            return Item(self, kinds[0].args[0])
        if op == "-" and kinds[1].op == "neg":
            return self.line("+", *sorted((args[0], kinds[1].args[0])))
        if op == "+" and kinds[1].op == "neg":
            return self.line("-", args[0], kinds[1].args[0])
        if op == "+" and kinds[0].op == "neg":
            return self.line("-", args[1], kinds[0].args[0])
        if op == "*" and "neg" in (k.op for k in kinds):
            inner = [k.args[0] if k.op == "neg" else a for k, a in zip(kinds, args, strict=True)]
            x = self.line("*", *sorted(inner))
            return x if all(k.op == "neg" for k in kinds) else self.line("neg", x.index)
        entry = Operation(op, args)
        if entry not in self._known:
            self._known[entry] = len(self.lines)
            self.lines.append(entry)
            self.values.append(self._folded(entry))
        return Item(self, self._known[entry])

    def constant(self, x) -> Item:
        if isinstance(x, Item):
            return x
        return self.line("number", Fraction(x))

    def exact(self, x):
        return x

    def input(self, array: str, i: int) -> Node:
        """Entry i of an argument of the program."""
        return Node(self, self.line("input", array, i))

    def item(self, x) -> Item:
        return x.x if isinstance(x, Node) else self.constant(x)

    def _folded(self, entry: Operation) -> float | None:
        """The value of a line that depends on no input."""
        op, args = entry
        if op in ("number", "pi"):
            return math.pi if op == "pi" else float(args[0])
        if op not in _FOLD:
            return None
        x = [self.values[a] for a in args]
        return None if None in x else _FOLD[op](*x)

    def _function(self, op: str, f, x) -> Node | Fraction:
        item = self.item(x)
        value = self.values[item.index]
        return Node(self, self.line(op, item.index)) if value is None else Fraction(f(value))

    def cos(self, x):
        return self._function("cos", math.cos, x)

    def sin(self, x):
        return self._function("sin", math.sin, x)

    def sqrt(self, x):
        return self._function("root", math.sqrt, x)

    def divide(self, x, y):
        if not isinstance(y, Node):
            return x * (Fraction(1) / y)
        return Node(self, self.line("/", self.item(x).index, y.x.index))

    def call(self, name, *x):
        items = [self.item(e).index for e in x]
        values = [self.values[i] for i in items]
        if None not in values:
            return Fraction(float_call(name, *values))
        return Node(self, self.line(name, *items))

    def less(self, x, y):
        items = [self.item(e).index for e in (x, y)]
        a, b = (self.values[i] for i in items)
        if a is None or b is None:
            return Node(self, self.line("less", *items))
        return a < b

    def select(self, condition, x, y):
        if not isinstance(condition, Node):
            return x if condition else y
        if x is y or (not isinstance(x, Node) and not isinstance(y, Node) and x == y):
            return x
        items = [self.item(e).index for e in (x, y)]
        return Node(self, self.line("select", condition.x.index, *items))

    @property
    def pi(self):
        return Node(self, self.line("pi"))

    def derive(self, x, wrt):
        """Derivative with respect to an input, or a column of inputs, as further lines."""
        if isinstance(wrt, np.ndarray):
            return vector(self.derive(x, w) for w in wrt)
        if not isinstance(x, Node):
            return 0
        known = self._slopes.setdefault(wrt.x.index, {wrt.x.index: 1})
        for i in self._needed(x.x.index, known):
            known[i] = slope(self, self.lines[i], known)
        return known[x.x.index]

    def _needed(self, last: int, known) -> list[int]:
        """Lines on which a line depends and whose derivatives are not known yet, in order."""
        found, stack = set(), [last]
        while stack:
            i = stack.pop()
            if i in found or i in known:
                continue
            found.add(i)
            if self.lines[i].op not in ("input", "number", "pi"):
                stack += self.lines[i].args
        return sorted(found)

    def used(self, outputs) -> list[int]:
        """How many times each line is used by the lines that the outputs need."""
        count = [0] * len(self.lines)
        for x in outputs:
            count[x] += 1
        for i in reversed(range(len(self.lines))):
            if count[i] and self.lines[i].op not in ("input", "number", "pi"):
                for a in self.lines[i].args:
                    count[a] += 1
        return count


def slope(K: Tape, line: Operation, known: dict[int, Any]):
    """Derivative of a line from those of its arguments."""
    op, args = line
    if op in ("input", "number", "pi", "less", "sign", "floor"):
        return 0
    x = [Node(K, Item(K, a)) for a in args]
    d = [0, *(known[a] for a in args[1:])] if op == "select" else [known[a] for a in args]
    if all(not isinstance(e, Node) and e == 0 for e in d):
        return 0
    match op:
        case "+":
            return d[0] + d[1]
        case "-":
            return d[0] - d[1]
        case "neg":
            return -d[0]
        case "*":
            return d[0] * x[1] + x[0] * d[1]
        case "/":
            return K.divide(d[0] - K.divide(x[0], x[1]) * d[1], x[1])
        case "select":
            return K.select(x[0], d[1], d[2])
        case "min" | "max":
            first = K.less(*(x if op == "min" else x[::-1]))
            return K.select(first, d[0], d[1])
        case "atan2":
            return K.divide(d[0] * x[1] - x[0] * d[1], x[0] * x[0] + x[1] * x[1])
    return _outer(K, op, x[0]) * d[0]


def _outer(K: Tape, op: str, x):
    """Derivative of a function of one number."""
    match op:
        case "cos":
            return -K.sin(x)
        case "sin":
            return K.cos(x)
        case "root":
            return K.divide(1, 2 * K.sqrt(x))
        case "abs":
            return K.call("sign", x)
        case "exp":
            return K.call("exp", x)
        case "log":
            return K.divide(1, x)
        case "tan" | "tanh":
            f = K.call(op, x)
            return 1 + f * f if op == "tan" else 1 - f * f
        case "atan":
            return K.divide(1, 1 + x * x)
        case "asin" | "acos":
            r = K.divide(1, K.sqrt(1 - x * x))
            return r if op == "asin" else -r
    K.need(op, "a derivative")
    return 0
