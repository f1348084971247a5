"""A kernel in two stages: straight-line code, then one text for all columns of its matrices.

The second stage is a program of one column, `(shared, x) -> y`, with columns side by side in a
vector; its code is short, stays in the nearest cache and is compiled once.  EachLane column goes
through the same operations as alone.  Theory: FD.4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from ..program.ports import Port
from ..program.program import Program
from .basic_block import KernelBody
from .entry_points import FRAME, entry_points, packed
from .llvm_builder import Lines, transposed
from .tree_simd.blocks import Beside
from .tree_simd.stages import Sidewise


@dataclass(frozen=True)
class Staged:
    """Outputs of `first`: two square matrices, then one array that all columns share.

    Where `first` has a layout of that array, `column` reads its numbers there.

    The kernel gives the columns of both matrices after `column`, and what comes of those of minus
    the unit matrix, which is symmetric: by its upper half.
    """

    first: Program | Sidewise
    column: Program
    names: tuple[str, ...]  # of the three matrices that it gives

    @classmethod
    def of(cls, first: Program | Sidewise, column: Program, names: tuple[str, ...]) -> Staged:
        """Of a column that reads what is shared one after the other."""
        if isinstance(first, Sidewise) and first.layout:
            column = relaid(column, first.layout, first.outputs[-1].size)
        return cls(first, column, names)

    @property
    def n(self) -> int:
        return self.column.inputs[1].size

    @property
    def inputs(self) -> tuple[Port, ...]:
        return self.first.inputs

    @property
    def outputs(self) -> tuple[Port, ...]:
        return tuple(Port(name, (self.n, self.n)) for name in self.names)

    @property
    def nodes(self) -> tuple[tuple, ...]:
        return (*self.first.nodes, *self.column.nodes)

    @cached_property
    def operations(self) -> dict[str, int]:
        """Of all columns, zeros of the matrices included."""
        total = Counter(self.first.operations)
        for op, count in self.column.operations.items():
            total[op] += count * self.n * len(self.names)
        return dict(total)

    # one state ---------------------------------------------------------------------------
    def module(self, lanes: int, fused: bool) -> str:
        """IR with `@thunk`, `@kernel` and `@gufunc`: columns of one state are the lanes."""
        n = self.n
        width = max(w for w in (2, 4, lanes) if w <= min(n, lanes))
        ones = ", ".join(f"double {-1.0 if i == j else 0.0}" for i in range(n) for j in range(n))
        parts = [
            *self._parts(lanes, fused, Pair(self.column, width, fused, spread=True)),
            f"@units = internal constant [{n * n} x double] [{ones}], align 64",
            self._thunk(width),
        ]
        return "\n".join([*parts, entry_points(self), packed(self)])

    def _parts(self, lanes: int, fused: bool, pair: Pair) -> Iterator[str]:
        """Both stages of one state, and what they call."""
        if isinstance(self.first, Sidewise):
            from .tree_simd.module import SidewiseText

            declared, texts = SidewiseText(self.first, lanes, fused).functions("first")
            yield from sorted({*declared, pair.declared})
            yield from texts
            yield pair.function
            return
        body = KernelBody(self.first, 1, lanes, fused, apart=True)
        heads = [f"ptr noalias readonly %i{k}" for k in range(len(self.first.inputs))]
        heads += [f"ptr noalias %o{k}" for k in range(len(self.first.outputs))]
        first = f"define internal void @first({', '.join(heads)}) {FRAME if body.far else ''}{{\n"
        yield from _both(body, first, pair)

    def _thunk(self, width: int) -> str:
        """`@first`, then blocks of columns; the last begins where it still fits."""
        n, t = self.n, Lines(1, False)
        ins = [f"%i{k}" for k in range(len(self.inputs))]
        outs = [f"%o{k}" for k in range(len(self.outputs))]
        t.label("entry")
        rooms = [t.value(f"alloca [{p.size} x double], align 64") for p in self.first.outputs]
        t.line(f"call void @first({', '.join(f'ptr {x}' for x in (*ins, *rooms))})")
        starts = [min(s, n - width) for s in range(0, n, width)]
        blocks = [
            (_at(t, x, s), _at(t, y, s))
            for x, y in zip((*rooms[:-1], "@units"), outs, strict=True)
            for s in starts
        ]
        blocks += blocks[-1:] * (len(blocks) % 2)
        for one, other in zip(blocks[::2], blocks[1::2], strict=True):
            _call(t, rooms[-1], one, other, n, n)
        _mirror_tiles(t, outs[-1], n)
        heads = [f"ptr noalias readonly {x}" for x in ins] + [f"ptr noalias {y}" for y in outs]
        return f"define void @thunk({', '.join(heads)}) {{\n{t}\n}}\n"

    # a state a lane ----------------------------------------------------------------------
    def lanes_module(self, lanes: int, fused: bool) -> str:
        """IR with `@lanes(in, out)`: matrices of the first stage lie where the answers go.

        A column may be overwritten: the program of one needs no number of it after its answer.
        """
        n = self.n
        assert isinstance(self.first, Program)
        body = KernelBody(self.first, lanes, lanes, fused, apart=True)
        first = "define internal void @first(ptr noalias readonly %i, ptr noalias %o) {\n"
        rows = [f"double {-1.0 if r == n - 1 else 0.0}" for r in range(2 * n) for _ in range(lanes)]
        size = n * n * lanes
        t = Lines(1, False)
        t.label("entry")
        count = self.column.inputs[0].size * lanes
        last = _at(t, "%o", (len(self.names) - 1) * size)
        shared = t.value(f"alloca [{count} x double], align 64")
        t.line("call void @first(ptr %i, ptr %o)")  # what is shared where the last one goes
        t.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {shared}, ptr {last}, i64 {8 * count}, i1 0)")
        with t.loop(str(n)) as c:
            at = t.value(f"mul i64 {c}, {lanes}")
            places = [_at(t, _at(t, "%o", k * size), at) for k in range(len(self.names) - 1)]
            blocks = [(x, x) for x in places]
            for one, other in zip(blocks[::2], blocks[1::2], strict=True):
                _call(t, shared, one, other, n * lanes, n * lanes)
        with t.loop(str(-(-n // 2))) as half:
            two = t.value(f"mul i64 {half}, 2")
            blocks = []
            for k in (0, 1):
                c = t.value(f"add i64 {two}, {k}")
                over = t.value(f"icmp sge i64 {c}, {n}")
                c = t.value(f"select i1 {over}, i64 {n - 1}, i64 {c}")
                at = t.value(f"mul i64 {c}, {lanes}")
                back = t.value(f"sub i64 {(n - 1) * lanes}, {at}")
                blocks.append((_at(t, "@strip", back), _at(t, last, at)))
            _call(t, shared, blocks[0], blocks[1], lanes, n * lanes)
        _mirror(t, last, n, lanes)
        parts = [
            "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
            *_both(body, first, Pair(self.column, lanes, fused, spread=False)),
            f"@strip = internal constant [{len(rows)} x double] [{', '.join(rows)}], align 64",
            f"define void @lanes(ptr noalias readonly %i, ptr noalias %o) {{\n{t}\n}}\n",
        ]
        return "\n".join(parts)


def _both(body: KernelBody, first: str, pair: Pair) -> Iterator[str]:
    """Straight-line code and the text of columns, and what they call."""
    text, function = body.write(), pair.function
    yield from sorted({*body.declarations().splitlines(), pair.declared})
    yield f"{first}{text}\n}}\n"
    yield function
    yield body.constants()
    yield from body.helpers()


def relaid(program: Program, places: tuple[int, ...], size: int) -> Program:
    """A program whose first port has its numbers at some places of an array of a size."""
    ports = (Port(program.inputs[0].name, (size,)), *program.inputs[1:])
    nodes = [
        ("input", 0, places[node[2]]) if node[:2] == ("input", 0) else node
        for node in program.nodes
    ]
    return replace(program, inputs=ports, nodes=tuple(nodes))


PAIR = (
    "ptr noalias readonly %s, ptr readonly %x0, ptr readonly %x1, ptr %y0, ptr %y1, "
    "i64 %dx, i64 %dy"
)


def _at(t: Lines, base: str, place: str | int) -> str:
    return t.value(f"getelementptr double, ptr {base}, i64 {place}")


def _call(t: Lines, shared: str, one: tuple, other: tuple, dx: int, dy: int) -> None:
    """Two blocks, each (from, to); `dx` and `dy` from one number of a column to the next."""
    places = (shared, one[0], other[0], one[1], other[1])
    t.line(f"call void @pair({', '.join(f'ptr {x}' for x in places)}, i64 {dx}, i64 {dy})")


def _mirror_tiles(t: Lines, base: str, n: int) -> None:
    """The same of one state: square tiles in registers, then rows that are left; and the end."""
    tile, kind = 4, "<4 x double>"

    def rows(i: str, j: str) -> list[str]:
        line = t.value(f"mul i64 {i}, {tile * n}")
        first = _at(t, _at(t, base, line), t.value(f"mul i64 {j}, {tile}"))
        return [_at(t, first, r * n) for r in range(tile)]

    def turned(places: list[str]) -> tuple[list[str], list[str]]:
        given = [t.value(f"load {kind}, ptr {x}, align 8") for x in places]
        return given, transposed(t, given)

    with t.loop(str(n // tile)) as i:
        with t.loop(i) as j:
            for x, place in zip(turned(rows(j, i))[1], rows(i, j), strict=True):
                t.line(f"store {kind} {x}, ptr {place}, align 8")
        places = rows(i, i)
        for r, (own, x, place) in enumerate(zip(*turned(places), places, strict=True)):
            order = ", ".join(f"i32 {k if k >= r else tile + k}" for k in range(tile))
            y = t.value(f"shufflevector {kind} {own}, {kind} {x}, <{tile} x i32> <{order}>")
            t.line(f"store {kind} {y}, ptr {place}, align 8")
    for last in range(n - n % tile, n):
        line, column = _at(t, base, last * n), _at(t, base, last)
        with t.loop(str(last)) as j:
            x = t.value(f"load double, ptr {_at(t, column, t.value(f'mul i64 {j}, {n}'))}, align 8")
            t.line(f"store double {x}, ptr {_at(t, line, j)}, align 8")
    t.line("ret void")


def _mirror(t: Lines, base: str, n: int, width: int) -> None:
    """The lower half of a matrix from its upper half, and the end."""
    kind = "double" if width == 1 else f"<{width} x double>"
    with t.loop(str(n)) as i:
        row, column = t.value(f"mul i64 {i}, {n * width}"), t.value(f"mul i64 {i}, {width}")
        line, high = _at(t, base, row), _at(t, base, column)
        with t.loop(i) as j:
            low = _at(t, line, t.value(f"mul i64 {j}, {width}"))
            up = _at(t, high, t.value(f"mul i64 {j}, {n * width}"))
            x = t.value(f"load {kind}, ptr {up}, align {8 * width}")
            t.line(f"store {kind} {x}, ptr {low}, align {8 * width}")
    t.line("ret void")


class Pair(Beside):
    """A program of one column for two blocks of `width` columns each, from `%x0` and `%x1`.

    What all columns share is one number each (`spread`) or has lanes of its own.
    """

    def __init__(self, program: Program, width: int, fused: bool, spread: bool):
        super().__init__(program, 2 * width, fused, 0)
        self.half, self.spread = width, spread
        k = self.t.real
        self.declared = f"declare {k} @llvm.fma.{self.t.suffix}({k}, {k}, {k})"

    @property
    def function(self) -> str:
        return f"define internal void @pair({PAIR}) noinline {{\n{self.write()}\n}}\n"

    def _step(self, base: str, step: str, element: int) -> str:
        return _at(self.t, base, self.t.value(f"mul i64 {step}, {element}")) if element else base

    def _both(self, a: str, b: str) -> str:
        kind = f"<{self.half} x double>"
        order = ", ".join(f"i32 {j}" for j in range(2 * self.half))
        return self.t.value(
            f"shufflevector {kind} {a}, {kind} {b}, <{2 * self.half} x i32> <{order}>"
        )

    def load(self, k: int) -> str:
        _, port, element = self.program.nodes[k]
        t, kind = self.t, f"<{self.half} x double>"
        if port == 0 and self.spread:
            x = t.value(f"load double, ptr {self.at('%s', element)}, align 8")
            one = t.value(f"insertelement {t.real} poison, double {x}, i64 0")
            zeros = f"<{2 * self.half} x i32> zeroinitializer"
            return t.value(f"shufflevector {t.real} {one}, {t.real} poison, {zeros}")
        if port == 0:
            x = t.value(f"load {kind}, ptr {self.at('%s', element * self.half)}, align 8")
            return self._both(x, x)
        a, b = (
            t.value(f"load {kind}, ptr {self._step(f'%x{j}', '%dx', element)}, align 8")
            for j in (0, 1)
        )
        return self._both(a, b)

    def _show(self, k: int) -> None:
        t, kind = self.t, f"<{self.half} x double>"
        for _, element, sign in self.shown.pop(k):
            x = self.real(2 * k | sign)
            for j in (0, 1):
                order = ", ".join(f"i32 {j * self.half + i}" for i in range(self.half))
                part = t.value(
                    f"shufflevector {t.real} {x}, {t.real} poison, <{self.half} x i32> <{order}>"
                )
                t.line(f"store {kind} {part}, ptr {self._step(f'%y{j}', '%dy', element)}, align 8")
