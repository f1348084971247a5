"""The IR of a `Sidewise` kernel: a function for each stage, and one that calls them in turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..basic_block import KernelBody
from ..entry_points import FRAME
from ..llvm_builder import Lines, literal
from .blocks import Beside, FactorsBody, PackBody, PairBody, RimBody, at
from .stages import EachLane, LaneRows, Pairs, Put, Rim, Sidewise, Straight, TreeFactors, Woven


class SidewiseText:
    """Functions and constants of a kernel whose links lie side by side."""

    def __init__(self, kernel: Sidewise, lanes: int, fused: bool):
        self.kernel, self.width, self.fused = kernel, lanes, fused
        self.stride = -(-kernel.count // lanes) * lanes
        self.outside = {p.name: f"%i{k}" for k, p in enumerate(kernel.inputs)}
        self.outside |= {p.name: f"%o{k}" for k, p in enumerate(kernel.outputs)}
        self.outside |= {name: f"@{name}" for name in kernel.tables}
        self.declared: set[str] = set()

    def functions(self, name: str) -> tuple[set[str], list[str]]:
        """What is declared, and the texts; the whole is the function `name`."""
        texts: list[str] = []
        for n, s in enumerate(self.kernel.stages):
            texts += (x for x in self._stage(n, s) if x not in texts)  # sines: once
        for table, rows in self.kernel.tables.items():
            padded = [x for row in rows for x in (*row, *[row[-1]] * (self.stride - len(row)))]
            numbers = ", ".join(f"double {literal(x)}" for x in padded)
            head = f"@{table} = internal constant [{len(padded)} x double]"
            texts.append(f"{head} [{numbers}], align 64")
        last = self.kernel.count**2 - self.width
        texts.append(_table("blank", [8 * max(0, min(x, last)) for x in self._blank()[1]]))
        texts.append(self._whole(name))
        return self.declared, texts

    # the stages --------------------------------------------------------------------------
    def _stage(self, n: int, s) -> Iterator[str]:
        if isinstance(s, Put):
            fro, to = s.places(self.width, self.kernel.count)
            yield _table(f"from{n}", [8 * x for x in fro])
            yield _table(f"to{n}", [8 * x for x in to])
            return
        if isinstance(s, Woven):
            yield self._woven(n, s)
            return
        if isinstance(s, Rim):
            for k, sides in enumerate(self._sides(s)):
                size = self.stride, self.kernel.count
                rim = RimBody(s, self.width, self.fused, size, sides)
                text, heads = rim.write(), rim.heads
                self.declared.update(rim.declarations().splitlines())
                yield f"define internal void @stage{n}.{k}({heads}) noinline {{\n{text}\n}}\n"
            return
        if isinstance(s, TreeFactors):
            rows = FactorsBody(s, self.width, self.fused, self.stride)
            text, heads = rows.write(), _heads(3, 3)
            self.declared.update(rows.declarations().splitlines())
            yield f"define internal void @stage{n}({heads}) noinline {{\n{text}\n}}\n"
            return
        if isinstance(s, Pairs):
            yield _table(f"runs{n}", self._runs(s))
            pairs = PairBody(s, self.width, self.fused, self.stride)
            body: KernelBody = pairs
            heads = pairs.heads
        else:
            if isinstance(s, EachLane):
                body = Beside(s.program, self.width, self.fused, self.stride)
            else:
                body = KernelBody(s.program, 1, self.width, self.fused, apart=True)
                body.own_sines = True
            heads = _heads(len(s.program.inputs), len(s.program.outputs))
        text = body.write()
        self.declared.update(body.declarations().splitlines())
        frame = FRAME if isinstance(s, Straight) and body.far else ""
        yield f"define internal void @stage{n}({heads}) noinline {frame}{{\n{text}\n}}\n"
        yield body.sines()

    def _woven(self, n: int, s: Woven) -> str:
        names = {x: f"%i{k}" for k, x in enumerate(s.reads)}
        names |= {x: f"%o{k}" for k, x in enumerate(s.writes)}
        bodies: list[PackBody] = []
        size = self._lengths, self.stride
        lines = ["entry:", *self._padding(s, names)]
        zeros = self._between(s, names)
        for pack in s.packs:
            lines += next(zeros, ())
            body = PackBody(pack, bodies, names, size, self.fused)
            lines.append(body.write())
            bodies.append(body)
            self.declared.update(body.declarations().splitlines())
        text = "\n".join([*lines, "  ret void"])
        heads = _heads(len(s.reads), len(s.writes))
        return f"define internal void @stage{n}({heads}) noinline {{\n{text}\n}}\n"

    def _between(self, s: Woven, names: Mapping[str, str]) -> Iterator[list[str]]:
        """Before each pack, zeros of the matrix whose numbers are put one by one."""
        w = self.width
        for base in {names[p.kept[k]] for p in s.packs for k in p.placed}:
            for places in _zeros(s, self.kernel.count**2, w):
                made = []
                for x in places:
                    made.append(f"  {base}.z{x} = getelementptr double, ptr {base}, i64 {x}")
                    kind = f"<{w} x double>"
                    made.append(f"  store {kind} zeroinitializer, ptr {base}.z{x}, align 8")
                yield made

    @property
    def _lengths(self) -> dict[str, int]:
        """Numbers of what comes from outside, or of straight-line code."""
        texts = [s.program.outputs for s in self.kernel.stages if isinstance(s, Straight)]
        found = {p.name: p.size for ports in (self.kernel.inputs, *texts) for p in ports}
        solved = [s.array for s in self.kernel.stages if isinstance(s, TreeFactors)]
        return found | dict.fromkeys(solved, self.kernel.count)

    def _padding(self, s: Woven, names: Mapping[str, str]) -> Iterator[str]:
        """Zeros in lanes beyond the last, of arrays that begin here: whole vectors are read."""
        sources = {x.array for p in s.packs for x in p.sources if isinstance(x, LaneRows)}
        if self.stride == self.kernel.count:
            return
        for array in (x for x in s.writes if x not in sources and x not in self.outside):
            for row in range(s.writes[array]):
                k, base = (row + 1) * self.stride - self.width, names[array]
                yield f"  {base}.{row} = getelementptr double, ptr {base}, i64 {k}"
                kind = f"<{self.width} x double>"
                yield f"  store {kind} zeroinitializer, ptr {base}.{row}, align 8"

    def _runs(self, s: Pairs) -> list[int]:
        """(place of the one, of its row in a matrix, which lanes, which are in the row)."""
        w, n = self.width, s.stride or self.kernel.count
        return [
            x
            for chunk, one, bits in s.blocks(w)
            for x in (8 * one, 8 * (one * n + chunk * w), bits, (1 << min(w, n - chunk * w)) - 1)
        ]

    # the whole ---------------------------------------------------------------------------
    def _sizes(self) -> tuple[dict[str, int], dict[str, list[int]]]:
        """Numbers of the arrays between the stages, and at which stages each is wanted."""
        size: dict[str, int] = {}
        life: dict[str, list[int]] = {}
        for n, s in enumerate(self.kernel.stages):
            made: dict[str, int] = {}
            if isinstance(s, Put):
                used = [s.array, *s.matrices]
            elif isinstance(s, Rim):
                used = [p.name for p in s.program.inputs]
            elif isinstance(s, TreeFactors):
                used, room = [*s.reads], self.width * len(s.places(self.width))
                made = {s.array: self.kernel.count, f"{s.array}.rows": room}
                made[s.shared or f"{s.array}.low"] = room
            elif isinstance(s, Woven):
                used = [*s.reads, *s.writes]
                made = {x: rows * self.stride for x, rows in s.writes.items()}
            elif isinstance(s, Pairs):
                used = [p.name for p in s.program.inputs]
                made = dict.fromkeys(s.rows, self.kernel.count * (s.stride or self.kernel.count))
                blocks = len(s.blocks(self.width)) * self.width
                made |= {p.name: p.size * blocks for p in s.program.outputs[1:]}
            else:
                used = [p.name for p in s.program.inputs]
                wide = self.stride if isinstance(s, EachLane) else 1
                made = {p.name: p.size * wide for p in s.program.outputs}
            for x, k in made.items():
                if x not in self.outside:
                    size[x] = max(size.get(x, 0), _up(k, self.width))
            for x in dict.fromkeys((*used, *made)):
                if x in size:
                    life.setdefault(x, []).append(n)
        return size, life

    def room(self) -> tuple[dict[str, int], int]:
        """Where arrays lie, and how much they take: one that is done with gives way to others."""
        size, life = self._sizes()
        place: dict[str, int] = {}
        for name in sorted(size, key=lambda x: (-size[x], x)):
            taken = sorted(
                (place[x], place[x] + size[x])
                for x in place
                if life[x][0] <= life[name][-1] and life[name][0] <= life[x][-1]
            )
            begin = 0
            for start, end in taken:
                if begin + size[name] <= start:
                    break
                begin = max(begin, end)
            place[name] = begin
        return place, max(place[x] + size[x] for x in size) + self.width

    def _whole(self, name: str) -> str:
        kernel, t = self.kernel, Lines(1, False)
        place, size = self.room()
        t.label("entry")
        t.line(f"%room = alloca [{size} x double], align 64")
        names = self.outside | {x: at(t, "%room", k) for x, k in place.items()}
        self._clear(t)
        for n, s in enumerate(kernel.stages):
            self._run(t, n, s, names)
        t.line("ret void")
        heads = _heads(len(kernel.inputs), len(kernel.outputs))
        return f"define void @{name}({heads}) {{\n{t}\n}}\n"

    def _run(self, t: Lines, n: int, s, names: Mapping[str, str]) -> None:
        """The call of one stage."""
        if isinstance(s, Put):
            self._put(t, n, s, names)
        elif isinstance(s, Pairs):
            self._pairs(t, n, s, names)
        elif isinstance(s, Woven):
            _call(t, n, [names[x] for x in (*s.reads, *s.writes)])
        elif isinstance(s, Rim):
            self._rim(t, n, s, names)
        elif isinstance(s, TreeFactors):
            low = s.shared or f"{s.array}.low"
            _call(t, n, [names[x] for x in (*s.reads, s.array, f"{s.array}.rows", low)])
        else:
            args = [names[p.name] for p in (*s.program.inputs, *s.program.outputs)]
            if isinstance(s, Straight):
                _call(t, n, args)
                return
            with t.loop(str(self.stride // self.width)) as c:
                off = t.value(f"mul i64 {c}, {self.width}")
                _call(t, n, [at(t, x, off) for x in args])

    def _pairs(self, t: Lines, n: int, s: Pairs, names: Mapping[str, str]) -> None:
        """For each vector of others, all that go with it."""
        w, chunks = self.width, [chunk for chunk, *_ in s.blocks(self.width)]
        there, here = (names[p.name] for p in s.program.inputs)
        many = sum(p.size for p in s.program.outputs[1:])
        low = names[s.program.outputs[1].name] if many else there
        for chunk in sorted(set(chunks)):
            first, count = chunks.index(chunk), chunks.count(chunk)
            args = [there, at(t, here, chunk * w), at(t, low, first * w * many)]
            args += [*(names[x] for x in s.rows), at(t, f"@runs{n}", 4 * first, "i32")]
            t.line(f"call void @stage{n}({', '.join(f'ptr {x}' for x in args)}, i64 {count})")

    def _sides(self, s: Rim) -> list[tuple[int, ...]]:
        """Rows and columns at once where those that cross are in one vector, else one by one."""
        return [(0, 1)] if s.count <= self.width else [(0,), (1,)]

    def _rim(self, t: Lines, n: int, s: Rim, names: Mapping[str, str]) -> None:
        """From the last lanes to the first: rows that were written too far are mended."""
        for k in range(len(self._sides(s))):
            with t.loop(str(self.stride // self.width)) as c:
                back = t.value(f"mul i64 {c}, {self.width}")
                off = t.value(f"sub i64 {self.stride - self.width}, {back}")
                ports = [p.name for p in s.program.inputs]
                args = [names[x] if x in s.first else at(t, names[x], off) for x in ports]
                args += [names[x] for x in s.matrices]
                heads = ", ".join(f"ptr {x}" for x in args)
                t.line(f"call void @stage{n}.{k}({heads}, i64 {off})")

    def _put(self, t: Lines, n: int, s: Put, names: Mapping[str, str]) -> None:
        step = self.width if s.pairs else self.stride
        with t.loop(str(len(s.places(self.width, self.kernel.count)[0]))) as c:
            fro, to = (
                t.cast("zext", t.value(f"load i32, ptr {place}, align 4"), "i32", "i64")
                for place in [at(t, f"@{side}{n}", c, "i32") for side in ("from", "to")]
            )
            base = at(t, names[s.array], fro, "i8")
            for k, matrix in enumerate(s.matrices):
                t.store(t.load(at(t, base, k * step), 8), at(t, names[matrix], to, "i8"), 8)

    def _blank(self) -> tuple[list[str], list[int]]:
        """Matrices that pairs fill, and where in them vectors of zeros stay, or are to begin."""
        n, w = self.kernel.count, self.width
        stages, own = self.kernel.stages, (Pairs, Put, Rim)
        filled = {x for s in stages if isinstance(s, own) for x in _targets(s)}
        matrices = [f"%o{k}" for k, p in enumerate(self.kernel.outputs) if p.name in filled]
        pairs = [s for s in stages if isinstance(s, Pairs) and self.outside.get(s.rows[0])]
        done = {x[:2] for s in pairs for x in s.blocks(w)}
        rows = max((s.count for s in stages if isinstance(s, Rim)), default=0)
        blocks = ((c, one) for one in range(rows, n) for c in range(self.stride // w))
        return matrices, [one * n + c * w for c, one in blocks if (c, one) not in done]

    def _clear(self, t: Lines) -> None:
        """Zeros where no row of pairs will be written."""
        matrices, places = self._blank()
        size, w = self.kernel.count**2, self.width
        if not matrices:
            return
        if size < w:
            for base in matrices:
                for k in range(size):
                    t.store("0.0", at(t, base, k), 8)
            return
        with t.loop(str(len(places))) as c:
            x = t.value(f"load i32, ptr {at(t, '@blank', c, 'i32')}, align 4")
            place = t.cast("zext", x, "i32", "i64")
            for base in matrices:
                to = at(t, base, place, "i8")
                t.line(f"store <{w} x double> zeroinitializer, ptr {to}, align 8")


def _zeros(s: Woven, size: int, width: int) -> list[list[int]]:
    """Before each pack, where vectors of zeros begin: what no pack puts there, and no number that
    is there by then; as evenly as that allows, all at once would fill the queue of stores."""
    first: dict[int, int] = {}
    for n, p in enumerate(s.packs):
        for rows in p.places.values():
            first |= {x: n for row in rows for y in row for x in y if x not in first}
    starts: list[int] = []
    for x in range(size):
        if x not in first and (not starts or x >= starts[-1] + width):
            starts.append(min(x, size - width))
    left = sorted((min(first.get(x + k, len(s.packs)) for k in range(width)), x) for x in starts)
    share, made = -(-len(left) // len(s.packs)), []
    for n in range(len(s.packs)):
        due = sum(last <= n for last, _ in left)
        made.append([x for _, x in left[: max(share, due)]])
        left = left[max(share, due) :]
    return made


def _targets(s: Pairs | Put | Rim) -> tuple[str, ...]:
    return s.rows if isinstance(s, Pairs) else s.matrices


def _heads(ins: int, outs: int) -> str:
    heads = [f"ptr noalias readonly %i{k}" for k in range(ins)]
    return ", ".join(heads + [f"ptr noalias %o{k}" for k in range(outs)])


def _up(size: int, width: int) -> int:
    return -(-size // width) * width


def _table(name: str, numbers: Sequence[int]) -> str:
    row = ", ".join(f"i32 {x}" for x in numbers)
    return f"@{name} = internal constant [{len(numbers)} x i32] [{row}], align 64"


def _call(t: Lines, stage: int, args: list[str]) -> None:
    t.line(f"call void @stage{stage}({', '.join(f'ptr {x}' for x in args)})")
