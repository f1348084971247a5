"""Plain Python text as native code: loops over numbers at addresses, nothing else.

Integrators are written as ordinary functions of whole numbers, reals and addresses, and translated
here, once per machine, through the same LLVM as kernels.  What they may use: arithmetic,
comparisons, `and`, `or`, `not`, `if`, `while`, `for` over `range`, assignments (of several names
too), `return`, `abs`, `min`, `max`, `int`, constants of their module, each other, and

- a record (see `record`), which an argument of an outer function is annotated with:
  `run.t`, `run.y[j]`, `run.stage[i]`, `run.stage[i, j]`, `run.y[k:]` (from there on);
- `doubles(address)`, `longs(address)`: arrays of reals, of 64-bit words;
- `call(address, inputs, outputs)`: a kernel `int32 k(inputs, outputs, work)`;
- `call_lanes(address, inputs, outputs)`: a kernel for lanes, `void k(inputs, outputs)`.

A name has one type in a function.  Kinds: `i` whole number or address, `f` real, `b` truth,
`F` and `I` arrays, `FF` an array of two axes (with the length of a row), `P` a table of arrays,
and the classes of records.
"""

from __future__ import annotations

import ast
import ctypes
import hashlib
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeAlias

from ..errors import KernelError
from . import cache, machine
from .record import Record
from .text import literal

TYPES = {"i": "i64", "f": "double", "b": "i1", "": "void", "FF": "{ptr, i64}"}
ITEMS = {"F": "f", "I": "i", "P": "F"}
CTYPES: dict[str, type[ctypes._SimpleCData]] = {"i": ctypes.c_int64, "f": ctypes.c_double}
INTEGER = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul"}
REAL = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
COMPARED = {
    ast.Lt: ("slt", "olt"),
    ast.LtE: ("sle", "ole"),
    ast.Gt: ("sgt", "ogt"),
    ast.GtE: ("sge", "oge"),
    ast.Eq: ("eq", "oeq"),
    ast.NotEq: ("ne", "une"),
}


Kind: TypeAlias = Any  # a text, or the class of a record


def _type(kind: Kind) -> str:
    """In LLVM; arrays and records are addresses."""
    return TYPES.get(kind, "ptr") if isinstance(kind, str) else "ptr"


HEAD = """declare double @llvm.sqrt.f64(double)
declare double @llvm.fabs.f64(double)
declare double @torseur.pow(double, double)
"""


def intrinsic(*_):
    """Stands for what only native code can do."""
    raise KernelError("this function runs as native code only")


def native(
    spaces: Sequence[dict], outer: Mapping[str, str], lanes: int = 0
) -> tuple[Callable, ...]:
    """Functions of some modules as native code: `outer` names them with their kinds, as "if->f".

    `spaces` are the namespaces of the modules (`globals()`).  They let other threads run meanwhile.
    With `lanes` the text is that of so many runs side by side, see `side`.
    """
    text = "\n".join(Path(x["__file__"]).read_text(encoding="utf-8") for x in spaces)
    agree(spaces)
    part = f"plain{lanes}" if lanes else "plain"
    entry = cache.entry(hashlib.sha256(text.encode()).digest(), part)
    found = cache.load(entry)
    names = tuple(outer)
    if found is None:
        from . import side

        space = ChainMap(*spaces)
        ir = side.translate(text, space, outer, lanes) if lanes else translate(text, space, outer)
        data = machine.assemble(ir, 3, inline=True)
        cache.store(entry, {}, data)
    else:
        data = found[1]
    code = machine.Code(data, names, ("pow",))
    made = []
    for name, kinds in outer.items():
        given, _, answer = kinds.partition("->")
        kind = ctypes.CFUNCTYPE(CTYPES.get(answer), *(CTYPES[k] for k in given))
        function = kind(code[name])
        setattr(function, "code", code)  # noqa: B010  (lives as long as its function)
        made.append(function)
    return tuple(made)


def agree(spaces: Sequence[dict]) -> None:
    """Names mean one thing in all of the modules; tells those of numbers that do not."""
    known: dict[str, float] = {}
    for space in spaces:
        for name, x in space.items():
            if isinstance(x, int | float) and known.setdefault(name, x) != x:
                raise KernelError(f"{name} is {known[name]} in one module and {x} in another")


def translate(text: str, space: Mapping, outer: Mapping[str, str]) -> str:
    """LLVM IR of the functions that `outer` names, and of what they call.

    >>> text = "def twice(x):\\n    return x + x"
    >>> "fadd" in translate(text, {}, {"twice": "f->f"})
    True
    """
    unit = _Unit(text, space)
    for name, kinds in outer.items():
        given, _, answer = kinds.partition("->")
        made = unit.function(name, tuple(given))
        if made.answer != answer:
            raise KernelError(f"{name} gives {made.answer!r}, not {answer!r}")
    return HEAD + "\n".join(
        [
            *unit.tables,
            *(made.text("" if name in outer else "internal ") for name, made in unit.made.items()),
        ]
    )


class Value(NamedTuple):
    kind: Kind
    text: str


class _Unit:
    """A module under translation: functions are translated when first called."""

    def __init__(self, text: str, space: Mapping):
        self.space = space
        self.nodes: dict[str, ast.FunctionDef] = {}
        for x in ast.parse(text).body:
            if isinstance(x, ast.FunctionDef) and self.nodes.setdefault(x.name, x) is not x:
                raise KernelError(f"{x.name} is defined twice")
        self.made: dict[str, _Function] = {}
        self.tables: list[str] = []

    def function(self, name: str, kinds: tuple) -> _Function:
        found = self.made.get(name)
        if found is None:
            found = _Function(self, self.nodes[name], kinds)
            self.made[name] = found
        if found.kinds != kinds:
            raise KernelError(f"{name} is called with {kinds!r} and with {found.kinds!r}")
        return found

    def table(self, name: str) -> str:
        values = ", ".join(f"double {literal(float(x))}" for x in self.space[name])
        line = f"@{name} = internal constant [{len(self.space[name])} x double] [{values}]"
        if line not in self.tables:
            self.tables.append(line)
        return f"@{name}"


class _Function:
    """One function: statements become lines, names become places that LLVM turns to registers."""

    def __init__(self, unit: _Unit, node: ast.FunctionDef, kinds: tuple):
        self.unit, self.node, self.kinds = unit, node, kinds
        self.lines: list[str] = []
        self.places: dict[str, Kind] = {}
        self.answer: Kind | None = None
        self.count, self.open = 0, True
        self.loops: list[tuple[str, ...]] = []
        self.fast = " contract" if machine.fused() else ""
        for argument, kind in zip(node.args.args, kinds, strict=True):
            self.store(argument.arg, self.argument(argument, kind))
        self.body(node.body)
        self.answer = self.answer or ""
        if self.open:
            self.line("ret void" if not self.answer else "unreachable")

    def argument(self, node: ast.arg, kind) -> Value:
        """What a function was given; an address that is annotated with a record is one."""
        note = node.annotation.id if isinstance(node.annotation, ast.Name) else ""
        record = self.unit.space.get(note)
        if kind == "i" and isinstance(record, type) and issubclass(record, Record):
            return self.value(record, f"inttoptr i64 %{node.arg} to ptr")
        return Value(kind, f"%{node.arg}")

    def text(self, linkage: str) -> str:
        heads = ", ".join(
            f"{_type(k)} %{a.arg}" for a, k in zip(self.node.args.args, self.kinds, strict=True)
        )
        rooms = [f"  %{name}.at = alloca {_type(kind)}" for name, kind in self.places.items()]
        return "\n".join(
            [
                f"define {linkage}{_type(self.answer or '')} @{self.node.name}({heads}) {{",
                "entry:",
                *rooms,
                *self.lines,
                "}\n",
            ]
        )

    # lines -------------------------------------------------------------------------------
    def line(self, text: str) -> None:
        self.lines.append("  " + text)

    def value(self, kind: Kind, text: str) -> Value:
        self.count += 1
        self.line(f"%.{self.count} = {text}")
        return Value(kind, f"%.{self.count}")

    def label(self, name: str) -> None:
        if self.open:
            self.line(f"br label %{name}")
        self.lines.append(f"{name}:")
        self.open = True

    def go(self, name: str) -> None:
        if self.open:
            self.line(f"br label %{name}")
        self.open = False

    def fork(self, test: Value, yes: str, no: str) -> None:
        self.line(f"br i1 {self.truth(test).text}, label %{yes}, label %{no}")
        self.open = False

    def tags(self, *names: str) -> list[str]:
        self.count += 1
        return [f"{n}.{self.count}" for n in names]

    # kinds -------------------------------------------------------------------------------
    def real(self, x: Value) -> Value:
        if x.kind == "f":
            return x
        if x.kind == "i" and x.text.lstrip("-").isdigit():
            return Value("f", literal(float(x.text)))
        return self.value("f", f"sitofp {_type(x.kind)} {x.text} to double")

    def truth(self, x: Value) -> Value:
        if x.kind == "b":
            return x
        return self.value(
            "b", f"icmp ne i64 {x.text}, 0" if x.kind == "i" else f"fcmp une double {x.text}, 0.0"
        )

    def store(self, name: str, x: Value) -> None:
        kind = self.places.setdefault(name, x.kind)
        if kind == "f":
            x = self.real(x)
        if x.kind != kind:
            self.fail(f"{name} is {kind!r} and {x.kind!r}")
        self.line(f"store {_type(kind)} {x.text}, ptr %{name}.at")

    def fail(self, why: str) -> NoReturn:
        raise KernelError(f"{self.node.name}: {why}")

    # expressions -------------------------------------------------------------------------
    def __call__(self, node: ast.expr) -> Value:
        return self.known("_", node)(node)

    def known(self, prefix: str, node) -> Callable[[Any], Any]:
        """The method that translates a node, of what may be used."""
        name = type(node).__name__
        return getattr(self, prefix + name.lower(), None) or self.fail(
            f"line {node.lineno}: {name} is not among what native text may use"
        )

    def _constant(self, node) -> Value:
        x = node.value
        if isinstance(x, bool):
            return Value("b", str(x).lower())
        return Value("i", str(x)) if isinstance(x, int) else Value("f", literal(x))

    def _name(self, node) -> Value:
        if node.id in self.places:
            kind = self.places[node.id]
            return self.value(kind, f"load {_type(kind)}, ptr %{node.id}.at")
        return self._constant(ast.Constant(self.unit.space[node.id]))

    def _unaryop(self, node) -> Value:
        x = self(node.operand)
        if isinstance(node.op, ast.Not):
            return self.value("b", f"xor i1 {self.truth(x).text}, true")
        if x.kind == "i":
            return (
                Value("i", str(-int(x.text)))
                if x.text.isdigit()
                else self.value("i", f"sub i64 0, {x.text}")
            )
        return self.value("f", f"fneg double {x.text}")

    def _binop(self, node) -> Value:
        return self.combine(type(node.op), self(node.left), self(node.right))

    def combine(self, op, a: Value, b: Value) -> Value:
        if op is ast.Pow:
            a, b = self.real(a), self.real(b)
            if b.text == literal(0.5):
                return self.value("f", f"call double @llvm.sqrt.f64(double {a.text})")
            return self.value("f", f"call double @torseur.pow(double {a.text}, double {b.text})")
        if a.kind == b.kind == "i" and op in INTEGER:
            return self.value("i", f"{INTEGER[op]} i64 {a.text}, {b.text}")
        a, b = self.real(a), self.real(b)
        return self.value("f", f"{REAL[op]}{self.fast} double {a.text}, {b.text}")

    def _compare(self, node) -> Value:
        if len(node.ops) > 1:
            self.fail("one comparison at a time")
        return self.compare(type(node.ops[0]), self(node.left), self(node.comparators[0]))

    def compare(self, op, a: Value, b: Value) -> Value:
        whole, real = COMPARED[op]
        if a.kind == b.kind and a.kind in ("i", "b"):
            return self.value("b", f"icmp {whole} {_type(a.kind)} {a.text}, {b.text}")
        a, b = self.real(a), self.real(b)
        return self.value("b", f"fcmp {real} double {a.text}, {b.text}")

    def _boolop(self, node) -> Value:
        """One after the other, until the answer is known."""
        name, (end,) = f"bool{self.count}", self.tags("known")
        for k, x in enumerate(node.values):
            self.store(name, self.truth(self(x)))
            if k + 1 < len(node.values):
                (more,) = self.tags("more")
                known = self._name(ast.Name(name))
                self.fork(known, *((more, end) if isinstance(node.op, ast.And) else (end, more)))
                self.label(more)
        self.label(end)
        return self._name(ast.Name(name))

    def _ifexp(self, node) -> Value:
        name, (yes, no, end) = f"if{self.count}", self.tags("yes", "no", "end")
        self.fork(self(node.test), yes, no)
        for label, x in ((yes, node.body), (no, node.orelse)):
            self.label(label)
            self.store(name, self(x))
            self.go(end)
        self.label(end)
        return self._name(ast.Name(name))

    def place(self, node) -> Value:
        """Address of an item or of a number of a record, its kind that of what is there."""
        if isinstance(node, ast.Attribute):
            return self.field(node)
        return self.item(self.array(node), node)

    def item(self, array: Value, node) -> Value:
        """Address of an item, its kind that of the item."""
        if array.kind == "FF" and isinstance(node.slice, ast.Tuple):
            i, j = (self(x) for x in node.slice.elts)
            return Value("f", self.offset("F", self.row(array, i), j))
        kind = array.kind
        if not isinstance(kind, str) or kind not in ITEMS or isinstance(node.slice, ast.Tuple):
            self.fail(f"line {node.lineno}: only arrays have items")
        return Value(ITEMS[kind], self.offset(kind, array.text, self(node.slice)))

    def array(self, node) -> Value:
        """What a subscript is of: a value, or a table of constants of the module."""
        if isinstance(node.value, ast.Name) and node.value.id not in self.places:
            return Value("F", self.unit.table(node.value.id))
        return self(node.value)

    def offset(self, kind: str, array: str, index: Value) -> str:
        item = _type(ITEMS[kind])
        return self.value("", f"getelementptr {item}, ptr {array}, i64 {index.text}").text

    def row(self, array: Value, i: Value) -> str:
        """Address of a row of an array of two axes."""
        first, width = (
            self.value("", f"extractvalue {{ptr, i64}} {array.text}, {k}") for k in (0, 1)
        )
        return self.offset("F", first.text, self.value("i", f"mul i64 {i.text}, {width.text}"))

    def field(self, node) -> Value:
        """Address of a field of a record, and its kind."""
        record = self(node.value)
        fields = getattr(record.kind, "fields", {})
        if node.attr not in fields:
            self.fail(f"line {node.lineno}: no field {node.attr!r}")
        field = fields[node.attr]
        at = self.value("", f"getelementptr i64, ptr {record.text}, i64 {field.place}")
        return Value(field.kind, at.text)

    def _attribute(self, node) -> Value:
        at = self.field(node)
        if at.kind != "FF":
            return self.value(at.kind, f"load {_type(at.kind)}, ptr {at.text}")
        record = self(node.value)
        assert not isinstance(record.kind, str)  # it has fields
        width = ast.Attribute(
            node.value, record.kind.fields[node.attr].shape[1], lineno=node.lineno
        )
        first = self.value("", f"load ptr, ptr {at.text}")
        part = self.value("", f"insertvalue {{ptr, i64}} undef, ptr {first.text}, 0")
        return self.value("FF", f"insertvalue {{ptr, i64}} {part.text}, i64 {self(width).text}, 1")

    def _subscript(self, node) -> Value:
        array, at = self.array(node), node.slice
        if isinstance(at, ast.Slice):
            kind = array.kind if isinstance(array.kind, str) else ""
            if kind not in ITEMS or at.lower is None or at.upper or at.step:
                self.fail(f"line {node.lineno}: a part of an array goes from an item on, x[k:]")
            return Value(kind, self.offset(kind, array.text, self(at.lower)))
        if array.kind == "FF" and not isinstance(at, ast.Tuple):
            return Value("F", self.row(array, self(at)))
        found = self.item(array, node)
        return self.value(found.kind, f"load {_type(found.kind)}, ptr {found.text}")

    def _call(self, node) -> Value:
        name, given = node.func.id, [self(x) for x in node.args]
        if name in ("doubles", "longs"):
            return self.value(
                "F" if name == "doubles" else "I", f"inttoptr i64 {given[0].text} to ptr"
            )
        if name in ("call", "call_lanes"):
            f, a, b = (
                self.value("I", f"inttoptr i64 {x.text} to ptr").text if x.kind == "i" else x.text
                for x in given
            )
            if name == "call_lanes":
                self.line(f"call void {f}(ptr {a}, ptr {b})")
                return Value("", "")
            status = self.value("", f"call i32 {f}(ptr {a}, ptr {b}, ptr null)")
            return self.value("i", f"sext i32 {status.text} to i64")
        if name == "int":
            return self.value("i", f"fptosi double {self.real(given[0]).text} to i64")
        if name == "abs":
            return self.value("f", f"call double @llvm.fabs.f64(double {self.real(given[0]).text})")
        if name in ("min", "max"):
            x, y = given
            if x.kind != y.kind:
                x, y = self.real(x), self.real(y)
            better = self.compare(ast.Lt if name == "min" else ast.Gt, y, x)
            kind = _type(x.kind)
            return self.value(x.kind, f"select i1 {better.text}, {kind} {y.text}, {kind} {x.text}")
        made = self.unit.function(name, tuple(x.kind for x in given))
        text = (
            f"call {_type(made.answer or '')} @{name}("
            + ", ".join(f"{_type(x.kind)} {x.text}" for x in given)
            + ")"
        )
        if made.answer:
            return self.value(made.answer, text)
        self.line(text)
        return Value("", "")

    # statements --------------------------------------------------------------------------
    def body(self, nodes) -> None:
        for node in nodes:
            if not self.open:
                return  # after a return, nothing is reached
            self.known("do_", node)(node)

    def do_expr(self, node) -> None:
        if not isinstance(node.value, ast.Constant):
            self(node.value)

    def do_assign(self, node) -> None:
        (target,) = node.targets
        if isinstance(target, ast.Tuple):
            given = [self(x) for x in node.value.elts]
            for name, x in zip(target.elts, given, strict=True):
                self.assign(name, x)
        else:
            self.assign(target, self(node.value))

    def assign(self, target, x: Value) -> None:
        if isinstance(target, ast.Name):
            self.store(target.id, x)
            return
        at = self.place(target)
        x = self.real(x) if at.kind == "f" else x
        if x.kind == "b":
            x = self.value("i", f"zext i1 {x.text} to i64")
        if x.kind != at.kind or (isinstance(target, ast.Attribute) and at.kind not in ("i", "f")):
            self.fail(f"a place of kind {at.kind!r} is given {x.kind!r}")
        self.line(f"store {_type(x.kind)} {x.text}, ptr {at.text}")

    def do_augassign(self, node) -> None:
        self.assign(node.target, self.combine(type(node.op), self(node.target), self(node.value)))

    def do_return(self, node) -> None:
        x = Value("", "") if node.value is None else self(node.value)
        if self.answer is None:
            self.answer = x.kind
        if self.answer != x.kind:
            self.fail(f"it gives {self.answer!r} and {x.kind!r}")
        self.line(f"ret {_type(x.kind)} {x.text}")
        self.open = False

    def do_if(self, node) -> None:
        yes, no, end = self.tags("then", "else", "endif")
        self.fork(self(node.test), yes, no if node.orelse else end)
        reached = not node.orelse
        for label, body in ((yes, node.body), (no, node.orelse)):
            if body:
                self.label(label)
                self.body(body)
                reached = reached or self.open
                self.go(end)
        if reached:
            self.label(end)

    def do_while(self, node) -> None:
        top, body, end = self.tags("while", "do", "endwhile")
        self.label(top)
        self.fork(self(node.test), body, end)
        self.label(body)
        self.inside(node.body, top, end)
        self.go(top)
        self.label(end)

    def inside(self, body, again: str, end: str) -> None:
        self.loops.append((again, end))
        self.body(body)
        self.loops.pop()

    def do_for(self, node) -> None:
        given = [self(x) for x in node.iter.args]
        first, last = given[:2] if len(given) > 1 else (Value("i", "0"), given[0])
        step = int(given[2].text) if len(given) > 2 else 1
        hidden = f"for{self.count}"
        top, body, more, end = self.tags("for", "each", "next", "endfor")
        self.store(hidden, first)
        self.label(top)
        here = self._name(ast.Name(hidden))
        self.fork(self.compare(ast.Lt if step > 0 else ast.Gt, here, last), body, end)
        self.label(body)
        self.store(node.target.id, here)
        self.inside(node.body, more, end)
        self.label(more)
        self.store(
            hidden, self.combine(ast.Add, self._name(ast.Name(hidden)), Value("i", str(step)))
        )
        self.go(top)
        self.label(end)

    def do_continue(self, node) -> None:
        self.go(self.loops[-1][0])

    def do_break(self, node) -> None:
        self.go(self.loops[-1][1])
