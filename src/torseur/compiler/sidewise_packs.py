"""Lines of the packs of a `Sidewise` kernel: one text for lanes that earlier packs gave."""

from __future__ import annotations

from collections.abc import Iterator

from .body import KernelBody
from .sidewise import AllLanes, InOrder, LaneRows, OneLane, Pack, Picked, Source
from .sidewise_bodies import everywhere
from .text import Lines, literal


class PackBody(KernelBody):
    """The lines of one pack: a vector of lanes, or one number where it is alone."""

    def __init__(self, pack: Pack, before: list[PackBody], names, size: tuple, fused: bool):
        """`size`: numbers of arrays that are read in order, and lanes that arrays have room for."""
        super().__init__(pack.program, pack.width, pack.width, fused)
        self.pack, self.before, self.arrays = pack, [*before], names
        self.lengths, self.stride = size
        if before:  # names and labels go on
            self.t._count, self.written = before[-1].t._count, before[-1].written
        self.blocks = True
        self.made: dict[tuple[str, int], str] = {}
        self.read: dict[tuple[int, int], str] = {}

    def _constant(self, x: float) -> str:
        return self.t.const(x)

    def write(self) -> str:
        self.every()
        return str(self.t)

    def load(self, k: int) -> str:
        _, port, element = self.program.nodes[k]
        if (port, element) not in self.read:
            self.read[port, element] = self._source(self.pack.sources[port], element)
        return self.read[port, element]

    def _source(self, source: Source, element: int) -> str:
        if isinstance(source, LaneRows):
            place = element * self.stride + self.pack.first
            return self._read(source.array, place, self.pack.first + self.width <= self.stride)
        if isinstance(source, InOrder):
            place = source.first + element
            return self._read(source.array, place, place + self.width <= self.lengths[source.array])
        if isinstance(source, AllLanes | OneLane):
            place = element if isinstance(source, AllLanes) else element * self.stride + source.lane
            at_lane = self.at(self.arrays[source.array], place)
            x = self.t.value(f"load double, ptr {at_lane}, align 8")
            return everywhere(self.t, x, self.width)
        if isinstance(source, Picked):
            return self._picked(source, element)
        row = [literal(x) for x in source.rows[element]]
        row += row[-1:] * (self.width - len(row))
        return row[0] if self.width == 1 else f"<{', '.join(f'double {x}' for x in row)}>"

    def _read(self, array: str, place: int, whole: bool) -> str:
        """A vector from `place` on; where not all of it is there, what is, and the last again."""
        t, base = self.t, self.arrays[array]
        if whole or self.pack.count == self.width:
            return t.load(self.at(base, place), 8)
        made = "poison"
        for lane in range(self.width):
            at_lane = self.at(base, place + min(lane, self.pack.count - 1))
            x = t.value(f"load double, ptr {at_lane}, align 8")
            made = t.value(f"insertelement {t.real} {made}, double {x}, i64 {lane}")
        return made

    def _picked(self, source: Picked, element: int) -> str:
        """A number of earlier packs for each lane."""
        ports = source.ports or (source.port,) * len(source.lanes)
        found = [
            lane and (self.before[lane[0]].made[port, element], lane[1], lane[0])
            for lane, port in zip(source.lanes, ports, strict=True)
        ]
        if source.ports:
            return self._joined(found)
        beyond = None if self.pack.within or None in found else found[-1]
        found += [beyond] * (self.width - len(found))
        widths = {self.before[x[2]].width for x in found if x}
        if self.width == 1 or widths == {1} or len(widths) != 1:
            return self._gathered(found)
        return self._shuffled(found, widths.pop())

    def _joined(self, found: list) -> str:
        """Vectors of which several lanes are wanted first, two at a time, then single numbers."""
        t, w = self.t, self.width
        if w == 1:
            return self._gathered(found)
        made, known = "poison", [False] * w
        for name, own in dict.fromkeys((x[0], self.before[x[2]].width) for x in found):
            order = [x[1] if x[0] == name else -1 for x in found] + [-1] * (w - len(found))
            if not 1 < own <= w or sum(k >= 0 for k in order) < 2:
                continue
            whole = name
            if own < w or (made == "poison" and any(k not in (j, -1) for j, k in enumerate(order))):
                whole = self._shuffle(name, "poison", own, order)
                order = [j if k >= 0 else -1 for j, k in enumerate(order)]
            if made != "poison":
                both = [w + k if k >= 0 else j if known[j] else -1 for j, k in enumerate(order)]
                whole = self._shuffle(made, whole, w, both)
            made, known = whole, [a or k >= 0 for a, k in zip(known, order, strict=True)]
        for j, x in enumerate(found):
            if not known[j]:
                one = x[0] if (own := self.before[x[2]].width) == 1 else _lane(t, x[0], x[1], own)
                made = t.value(f"insertelement {t.real} {made}, double {one}, i64 {j}")
        return made

    def _shuffle(self, a: str, b: str, wide: int, order: list[int]) -> str:
        kind = f"<{wide} x double>"
        mask = ", ".join("i32 poison" if k < 0 else f"i32 {k}" for k in order)
        return self.t.value(f"shufflevector {kind} {a}, {kind} {b}, <{len(order)} x i32> <{mask}>")

    def _gathered(self, found: list) -> str:
        """One by one."""
        t, pack = self.t, "zeroinitializer"
        each = [
            x and (x[0] if (w := self.before[x[2]].width) == 1 else _lane(t, x[0], x[1], w))
            for x in found
        ]
        if self.width == 1:
            return each[0] or literal(0.0)
        if len(set(each)) == 1 and each[0]:
            return everywhere(t, each[0], self.width)
        for lane, x in enumerate(each):
            if x:
                pack = t.value(f"insertelement {t.real} {pack}, double {x}, i64 {lane}")
        return pack

    def _shuffled(self, found: list, wide: int) -> str:
        """From vectors of one width, two of them or one and zero at a time."""
        t = self.t
        names = [*dict.fromkeys(x[0] for x in found if x)]
        order = [None if x is None else names.index(x[0]) * wide + x[1] for x in found]
        if len(names) + (None in order) > 2:
            return self._gathered(found)
        if wide == self.width and order == [*range(wide)]:
            return names[0]
        kind = f"<{wide} x double>"
        second = names[1] if len(names) > 1 else "zeroinitializer" if None in order else "poison"
        mask = ", ".join(f"i32 {wide if k is None else k}" for k in order)
        return t.value(
            f"shufflevector {kind} {names[0]}, {kind} {second}, <{self.width} x i32> <{mask}>"
        )

    def _show(self, k: int) -> None:
        for port, element, sign in self.shown.pop(k):
            x = self.real(2 * k | sign)
            self.made[self.program.outputs[port].name, element] = x
            own = self.program.outputs[port].name
            if own in self.pack.places:
                self._put(x, self.arrays[self.pack.kept[port]], self.pack.places[own][element])
            elif name := self.pack.kept[port]:
                step = 1 if self.pack.in_order else self.stride
                self._keep(x, self.arrays[name], element * step + self.pack.first)

    def _put(self, x: str, base: str, places) -> None:
        """Each lane where it belongs."""
        for lane, own in enumerate(places):
            one = self.t.lane(x, lane)
            for place in own:
                self.t.line(f"store double {one}, ptr {self.at(base, place)}, align 8")

    def _keep(self, x: str, base: str, place: int) -> None:
        """Store the lanes that there are, and others where that does no harm."""
        t, p = self.t, self.pack
        loose = (p.within or p.follows) and p.first + p.width <= self.stride
        if p.spread > 1 and not p.in_order:
            whole = 1 << (p.spread - 1).bit_length()
            over = p.follows and p.first + whole <= self.stride  # those after it are written later
            for lane, wide in [(0, whole)] if over else _halves(p.spread):
                to = self.at(base, place + lane)
                kind = "double" if wide == 1 else f"<{wide} x double>"
                t.line(f"store {kind} {everywhere(t, x, wide)}, ptr {to}, align 8")
            return
        if p.count == p.width or loose:
            t.store(x, self.at(base, place), 8)
            return
        for lane, wide in _halves(p.count):
            to = self.at(base, place + lane)
            if wide == 1:
                t.line(f"store double {t.lane(x, lane)}, ptr {to}, align 8")
                continue
            order = ", ".join(f"i32 {lane + i}" for i in range(wide))
            mask = f"<{wide} x i32> <{order}>"
            part = t.value(f"shufflevector {t.real} {x}, {t.real} poison, {mask}")
            t.line(f"store <{wide} x double> {part}, ptr {to}, align 8")


def _halves(count: int) -> Iterator[tuple[int, int]]:
    """Powers of two that make up a number: (what is before, how many)."""
    lane = 0
    while lane < count:
        wide = 1 << (count - lane).bit_length() - 1
        yield lane, wide
        lane += wide


def _lane(t: Lines, x: str, lane: int, width: int) -> str:
    return t.value(f"extractelement <{width} x double> {x}, i64 {lane}")
