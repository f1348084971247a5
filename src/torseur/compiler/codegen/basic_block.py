"""The lines of one kernel: a `Program` as LLVM IR, for one state or for one state per lane."""

from collections.abc import Iterator

from ..program.program import CALLS, LOGIC, Program
from ..program.scheduling import call_depths, cone, fuse, fuse_shared, roots, stages
from . import sincos
from .llvm_builder import Lines, literal
from .subroutines import Calls, call_ahead, declared_ahead, declared_natives, names, place_of
from .table_lookup import lookups

MANY_ZEROS = 32
LONG = 1500  # nodes, above which code is cut into blocks
BLOCK = 50
"""Nodes of a block: LLVM orders instructions inside one only, where it is after waits that a
processor hides by itself and pays with registers; its time grows as the square of a block."""
FAR = 4500  # nodes, above which code leaves the nearest cache and fewer instructions win over waits
LOADED = frozenset(["input", "sin", "cos", "got", "ahead"])  # what is read where it is first wanted
COMPARE = {"lt": "olt", "le": "ole", "eq": "oeq", "ne": "une"}


class KernelBody:
    """The lines of one kernel: order of evaluation, fused products, places of the ports."""

    def __init__(self, program: Program, width: int, lanes: int, fused: bool, apart: bool = False):
        self.blocks = len(program.nodes) > LONG
        self.far = len(program.nodes) > FAR
        self.program, self.width, self.lanes, self.fused = program, width, lanes, fused
        self.routines = names(program)
        self.split = width == 1  # whether each port has a pointer of its own
        self.own_sines = False  # long code that just fits the caches wants them next to it
        self.t = Lines(width, fused)
        self.names: dict[int, str] = {}  # real value of a node
        self.bits: dict[int, str] = {}  # truth value of a node
        self.product_of = fuse(program) if fused else {}
        if self.far and fused:
            self.product_of = fuse_shared(program, self.product_of)
        self.inside = set(self.product_of.values())
        self.written = 0
        self.called: set[str] = set()
        self.table: dict[str, int] = {}
        self.groups = 0  # of angles taken together, at most
        self.place: dict[int, tuple[int, int]] = {}  # where the sine of an angle is stored
        self.shown: dict[int, list[tuple[int, int, int]]] = {}
        for port, row in enumerate(program.results[: len(program.outputs)]):
            for element, r in enumerate(row):
                self.shown.setdefault(r >> 1, []).append((port, element, r & 1))
        # many zeros (of a matrix with a pattern) are written neighbors together, a few a block:
        # all at once they would fill the processor's queue of stores
        zero = next((k for k, node in enumerate(program.nodes) if node == ("const", 0.0)), -1)
        many = apart and len(self.shown.get(zero, ())) > MANY_ZEROS
        places = [(port, k) for port, k, _ in self.shown.pop(zero)] if many else []
        self.empty = [*self._empty(places)]
        own = sum(op != "const" and op not in LOADED for op, *_ in program.nodes)
        self.share = -(-len(self.empty) * BLOCK // max(1, own - len(self.inside)))

    # places ------------------------------------------------------------------------------
    def _input(self, port: int, element: int) -> str:
        if self.split:
            return self.at(f"%i{port}", element * self.width)
        ahead = sum(p.size for p in self.program.inputs[:port])
        return self.at("%i", (ahead + element) * self.width)

    def _output(self, port: int, element: int) -> str:
        if self.split:
            return self.at(f"%o{port}", element * self.width)
        ahead = sum(p.size for p in self.program.outputs[:port])
        return self.at("%o", (ahead + element) * self.width)

    def at(self, base: str, element: int) -> str:
        return self.t.value(f"getelementptr double, ptr {base}, i64 {element}") if element else base

    @property
    def _align(self) -> int:
        return 8 * self.width

    def reserve(self, name: str, count: int) -> None:
        """Numbers on the stack, on a boundary of lanes.

        Far code finds the boundary itself: a frame that is not aligned has shorter addresses.
        """
        t, align = self.t, 8 * self.lanes
        if self.width > 1 or not self.far:
            t.line(f"{name} = alloca [{count} x double], align {align}")
            return
        raw = t.value(f"alloca [{count + self.lanes} x double], align 16")
        off = t.op("sub", "0", t.cast("ptrtoint", raw, "ptr", "i64"), "i64")
        off = t.op("and", off, str(align - 1), "i64")
        t.line(f"{name} = getelementptr i8, ptr {raw}, i64 {off}")

    # the whole body ----------------------------------------------------------------------
    def write(self) -> str:
        program, t = self.program, self.t
        t.label("entry")
        depths = call_depths(program)
        staged, _ = stages(program, depths)
        for k, angles in enumerate(staged):
            groups = len(angles) if self.width > 1 else -(-len(angles) // self.lanes)
            self.groups = max(self.groups, groups)
            for p in "xsc":
                self.reserve(f"%{p}{k}", groups * self.lanes)
        done = [False] * len(program.nodes)
        call_ahead(self)
        calls = Calls(self, depths)
        for k, angles in enumerate(staged):
            calls.write(k, done)
            self._angles(k, angles, done)
        calls.write(len(staged), done)
        for root in roots(program):
            for k in cone(program, root, done):
                self.node(k)
        for k in [*self.shown]:  # constants, inputs: what was there before
            self._show(k)
        self._zeros(len(self.empty))
        calls.release()
        t.line("ret void")
        return str(t)

    def every(self) -> None:
        """All nodes, each where it is first wanted; then what was there before."""
        done = [False] * len(self.program.nodes)
        for root in roots(self.program):
            for k in cone(self.program, root, done):
                self.node(k)
        for k in [*self.shown]:
            self._show(k)

    def _show(self, k: int) -> None:
        """Store node `k` in the outputs that show it: at once, to free its register."""
        for port, element, sign in self.shown.pop(k):
            self.t.store(self.real(2 * k | sign), self._output(port, element), self._align)

    def _angles(self, stage: int, angles: list[int], done: list[bool]) -> None:
        """Sines and cosines of one stage: values that need no sine of the same stage."""
        t, nodes = self.t, self.program.nodes
        for a in angles:
            for k in cone(self.program, a, done):
                self.node(k)
        x, count = f"%x{stage}", len(angles)
        run = [nodes[a] for a in angles]
        first = run[0]
        straight = first[0] == "input" and all(
            n == ("input", first[1], first[2] + j) for j, n in enumerate(run)
        )
        if straight and (self.width > 1 or count >= self.lanes):
            x = self._input(first[1], first[2])
        elif self.width > 1:
            for j, a in enumerate(angles):
                t.store(self.real(2 * a), self.at(x, j * self.width), self._align)
        else:
            kind = f"<{self.lanes} x double>"
            for j in range(0, count, self.lanes):
                pack = "zeroinitializer"
                for lane, a in enumerate(angles[j : j + self.lanes]):
                    pack = t.value(
                        f"insertelement {kind} {pack}, double {self.real(2 * a)}, i64 {lane}"
                    )
                t.line(f"store {kind} {pack}, ptr {self.at(x, j)}, align {8 * self.lanes}")
            count = -(-count // self.lanes) * self.lanes
        last = (count - 1) * self.width if self.width > 1 else count - self.lanes
        take = f"@torseur.{sincos.symbol(self.lanes, self.fused, self.groups)}"
        t.line(f"call void {take}(ptr {x}, ptr %s{stage}, ptr %c{stage}, i64 {last})")
        self.place |= {a: (stage, j * self.width) for j, a in enumerate(angles)}

    def _empty(self, places: list[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
        """What is always zero as (port, first, count): as many together as one store takes."""
        for port, at, left in _runs(places):
            while left:
                wide = 1 if self.width > 1 else min(self.lanes, 1 << left.bit_length() - 1)
                yield port, at, wide
                at, left = at + wide, left - wide

    def _zeros(self, count: int) -> None:
        """Store some of what is always zero."""
        for _ in range(min(count, len(self.empty))):
            port, first, wide = self.empty.pop()
            wide *= self.width
            what = "double 0.0" if wide == 1 else f"<{wide} x double> zeroinitializer"
            place = self._output(port, first)
            self.t.line(f"store {what}, ptr {place}, align {self._align}")

    # values ------------------------------------------------------------------------------
    def real(self, r: int) -> str:
        """Name of a value, its sign applied."""
        k = r >> 1
        node = self.program.nodes[k]
        if node[0] == "const":
            return self._constant(-node[1] if r & 1 else node[1])
        if k not in self.names:
            if node[0] in LOADED:
                self._write(k, node[0], list(node[1:]), False)
            elif k in self.bits:
                t = self.t
                self.names[k] = t.cast("uitofp", self.bits[k], t.bit, t.real)
            else:
                raise AssertionError(f"node {k} {node} is read before it is written")
        return self.t.neg(self.names[k]) if r & 1 else self.names[k]

    def _constant(self, x: float) -> str:
        """A number; in lanes without a broadcast inside instructions, read from a table."""
        if self.width == 1 or self.width > 4:
            return self.t.const(x)
        place = self.table.setdefault(literal(x), len(self.table))
        return self.t.load(f"getelementptr ({self.t.real}, ptr @table, i64 {place})", self._align)

    def truth(self, r: int) -> str:
        k = r >> 1
        if k not in self.bits:
            zero = self.t.const(0.0)
            self.bits[k] = self.t.compare("fcmp une", self.real(2 * k), zero)
        return self.bits[k]

    def node(self, k: int) -> None:
        """Write node `k`, and store it where it is an output."""
        op, *args = self.program.nodes[k]
        if k in self.inside or op == "const" or op in LOADED:
            return
        places = self.shown.get(k, ())
        turned = op in ("add", "mul") and self.program.uses[k] == len(places) == sum(
            sign for *_, sign in places
        )
        if turned:  # only its negative is wanted, which costs no more
            self.shown[k] = [(port, element, 0) for port, element, _ in places]
        self._write(k, op, args, bool(turned))
        if places:
            self._show(k)
        self.written += 1
        if self.blocks and self.written % BLOCK == 0:
            self._zeros(self.share)
            self.t.line(f"br label %block{self.written}")
            self.t.label(f"block{self.written}")

    def load(self, k: int) -> str:
        """An input, a sine or a cosine, from where it is."""
        op, *args = self.program.nodes[k]
        if op == "input":
            return self.t.load(self._input(*args), self._align)
        if op == "got":
            place = place_of(self, *args)
            return self.t.load(self.at(f"%got{args[0]}", place * self.width), self._align)
        if op == "ahead":
            place = sum(self.program.ahead[: args[0]]) + args[1]
            return self.t.load(self.at("%ahead", place * self.width), self._align)
        stage, offset = self.place[args[0] >> 1]
        return self.t.load(self.at(f"%{op[0]}{stage}", offset), self._align)

    def _write(self, k: int, op: str, args: list[int], turned: bool) -> None:
        t = self.t
        if op in LOADED:
            self.names[k] = self.load(k)
        elif op == "add":
            self.names[k] = self._sum(k, args[0], args[1], turned)
        elif op == "mul":
            self.names[k] = t.op("fmul", self.real(args[0] | turned), self.real(args[1]))
        elif op == "div":
            self.names[k] = t.op("fdiv", self.real(args[0]), self.real(args[1]))
        elif op in ("sqrt", "fabs", "floor", "ceil"):
            self.names[k] = t.intrinsic(op, self.real(args[0]))
        elif op in COMPARE:
            a, b = map(self.real, args)
            self.bits[k] = t.compare(f"fcmp {COMPARE[op]}", a, b)
        elif op in LOGIC:
            self.bits[k] = self._logic(op, *map(self.truth, args))
        elif op in ("fmin", "fmax"):
            a, b = map(self.real, args)
            less = t.compare("fcmp olt" if op == "fmin" else "fcmp ogt", a, b)
            self.names[k] = t.select(less, a, b)
        elif op == "ifz":
            self.names[k] = t.select(self.truth(args[0]), self.real(args[1]), t.const(0.0))
        elif op == "select":
            self.names[k] = t.select(self.truth(args[0]), self.real(args[1]), self.real(args[2]))
        elif op == "sign":
            x, zero = self.real(args[0]), t.const(0.0)
            down = t.select(t.compare("fcmp olt", x, zero), t.const(-1.0), x)
            self.names[k] = t.select(t.compare("fcmp ogt", x, zero), t.const(1.0), down)
        else:
            self.called.add(op)
            where = f"@torseur.{op}" if self.width == 1 else f"@each.{op}"
            values = ", ".join(f"{t.real} {self.real(r)}" for r in args)
            self.names[k] = t.value(f"call {t.real} {where}({values})")

    def _logic(self, op: str, a: str, b: str = "") -> str:
        kind = self.t.bit
        if op == "not":
            true = "true" if self.width == 1 else f"<{', '.join(['i1 true'] * self.width)}>"
            return self.t.op("xor", a, true, kind)
        return self.t.op(op, a, b, kind)

    def _sum(self, k: int, a: int, b: int, turned: bool) -> str:
        t = self.t
        a, b = a ^ turned, b ^ turned
        if (m := self.product_of.get(k)) is not None:
            if a >> 1 == m:
                a, b = b, a
            _, x, y = self.program.nodes[m]
            if self.program.nodes[x >> 1][0] != "const":
                x, y = y, x
            return t.fma(self.real(x ^ b & 1), self.real(y), self.real(a))
        if a & 1 and not b & 1:
            a, b = b, a
        if b & 1:
            return t.op("fsub", self.real(a), self.real(b ^ 1))
        return t.op("fadd", self.real(a), self.real(b))

    # what stands around the body ---------------------------------------------------------
    def declarations(self) -> str:
        """What the lines call; known once they are written."""
        used = {op for op, *_ in self.program.nodes if op in CALLS}
        lines = [
            f"declare double @torseur.{f}({', '.join(['double'] * CALLS[f])})" for f in sorted(used)
        ]
        lines += [line for x in lookups(self.program.nodes) for line in x.text()]
        lines += declared_ahead(self) + declared_natives(self.program)
        if self.groups and self.own_sines:
            lines += [f"declare double @torseur.{f}(double)" for f in ("sin", "cos")]
        elif self.groups:
            lines.append(sincos.declaration(sincos.symbol(self.lanes, self.fused, self.groups)))
        for width in {1, self.width, self.lanes}:
            t = Lines(width, self.fused)
            for f in ("fabs", "sqrt", "floor", "ceil"):
                lines.append(f"declare {t.real} @llvm.{f}.{t.suffix}({t.real})")
            lines.append(f"declare {t.real} @llvm.fma.{t.suffix}({t.real}, {t.real}, {t.real})")
        return "\n".join(lines) + "\n"

    def sines(self) -> str:
        """The function of sines and cosines, where the kernel has one of its own."""
        if not (self.groups and self.own_sines):
            return ""
        name = sincos.symbol(self.lanes, self.fused, self.groups)
        width, groups, fused = map(int, name.split("_")[1:])
        text = sincos.function(f"torseur.{name}", width, groups, bool(fused))
        return text.replace("define void", "define internal void", 1)

    def constants(self) -> str:
        """The table of numbers, each in every lane."""
        if not self.table:
            return ""
        kind = self.t.real
        rows = ", ".join(f"{kind} <{', '.join([f'double {x}'] * self.width)}>" for x in self.table)
        size = len(self.table)
        return f"@table = internal constant [{size} x {kind}] [{rows}], align {self._align}\n"

    def helpers(self) -> Iterator[str]:
        """For each library function called: itself, on every lane."""
        for f in sorted(self.called):
            t = Lines(self.width, self.fused)
            names = ("%a", "%b")[: CALLS.get(f, 1)]
            result = "poison"
            for k in range(self.width):
                args = ", ".join(f"double {t.lane(n, k)}" for n in names)
                y = t.value(f"call double @torseur.{f}({args})")
                result = t.value(f"insertelement {t.real} {result}, double {y}, i64 {k}")
            t.line(f"ret {t.real} {result}")
            args = ", ".join(f"{t.real} {n}" for n in names)
            yield f"define internal {t.real} @each.{f}({args}) {{\n{t}\n}}\n"


def _runs(places: list[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
    """Neighboring elements of a port as (port, first, count)."""
    start = 0
    for i, (port, k) in enumerate(places):
        if i + 1 == len(places) or places[i + 1] != (port, k + 1):
            yield port, places[start][1], i + 1 - start
            start = i + 1
