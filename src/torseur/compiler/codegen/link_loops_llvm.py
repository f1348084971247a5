"""LLVM IR of loops over the links of a tree: passes, sines, and the composite mass matrix.

Long trees are computed by loops over tables of links, so that the code does not grow with the tree.
The kernels package describes the passes (`kernels.link_loops`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from . import sincos
from .basic_block import KernelBody
from .llvm_builder import format_double

ALIGNMENT = 64


class LinkLoopWriter:
    """LLVM IR of a kernel that loops over links.

    `entry`, `up` and `column` are the steps of the mass matrix and of constants from parameters.
    """

    def __init__(self, rolled: Any, lanes: int, fused: bool, *, entry: Any, up: Any, column: Any):
        """Assign offsets in the work memory to the buffers."""
        self.r, self.lanes, self.fused = rolled, lanes, fused
        self.entry, self.up, self.column = entry, up, column
        self.tables = rolled._tables()
        self.stride, self.const = rolled.stride, "@const"
        self.lines: list[str] = []
        self.n = 0
        pad = -(-max(rolled.tree.nq, 1) // lanes) * lanes
        self.places: dict[str, tuple[str, int]] = {}
        work_end, kept_end = 0, rolled.elements.own if rolled.elements else 0
        for name in ("x", "sin", "cos"):
            self.places[name], work_end = ("%work", work_end), work_end + pad
        self.pad = pad
        for name, w in rolled.widths.items():
            if name in rolled.plan.kept:
                self.places[name], kept_end = ("%W", kept_end), kept_end + w * (rolled.count + 1)
            else:
                self.places[name], work_end = ("%work", work_end), work_end + w * (rolled.count + 1)
        for name in rolled.plan.rooms:
            self.places[name], work_end = ("%work", work_end), work_end + rolled.tree.nv
        if rolled.made:
            self.places["made"], work_end = ("%work", work_end), work_end + rolled.made
            self.places["const"], work_end = (
                ("%work", work_end),
                work_end + len(self.tables["const"]),
            )
        self.size = work_end

    def parts(self, name: str) -> Iterator[str]:
        """Declarations, tables, steps, and the kernel as a function of this name."""
        r, bodies, declared = self.r, [], set()
        programs = {f"{step}{j}": p for (step, j), p in r.programs.items()}
        for step, program in (programs | r.apart).items():
            body = KernelBody(program, 1, self.lanes, self.fused, spread_zeros=step in r.apart)
            parameters = ", ".join(
                [f"ptr noalias readonly %i{k}" for k in range(len(program.inputs))]
                + [f"ptr noalias %o{k}" for k in range(len(program.outputs))]
            )
            bodies.append(
                f"define internal void @{step}({parameters}) {{\n{body.write_body()}\n}}\n"
            )
            declared |= set(body.write_declarations().splitlines())
        declared |= {
            sincos.declare_sincos(sincos.sincos_symbol(self.lanes, self.fused)),
            "declare ptr @torseur.malloc(i64)",
            "declare void @torseur.free(ptr)",
            "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
            "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
        }
        yield from (
            *sorted(declared),
            *self._write_tables(),
            *bodies,
            self._write_function(name),
        )

    def _write_tables(self):
        """Constants: tables of doubles and of integers."""
        tables = dict(self.tables)
        for work in self.r.elements.works if self.r.elements else ():
            tables |= work.tables()
        for name, values in tables.items():
            if name.split(".")[-1] in ("const", "turn", "armature"):
                items = ", ".join(f"double {format_double(x)}" for x in values)
                yield f"@{name} = internal constant [{len(values)} x double] [{items}], align 64"
            else:
                items = ", ".join(f"i64 {x}" for x in values)
                yield f"@{name} = internal constant [{len(values)} x i64] [{items}]"

    # text --------------------------------------------------------------------------------
    def line(self, text: str):
        self.lines.append("  " + text)

    def label(self, name: str):
        self.lines.append(f"{name}:")

    def value(self, text: str) -> str:
        self.n += 1
        self.line(f"%t{self.n} = {text}")
        return f"%t{self.n}"

    def at(self, base: str, index: str, width: int = 1) -> str:
        if width != 1:
            index = self.value(f"mul i64 {index}, {width}")
        return self.value(f"getelementptr double, ptr {base}, i64 {index}")

    def look(self, table: str, i: str) -> str:
        pointer = self.value(f"getelementptr i64, ptr @{table}, i64 {i}")
        return self.value(f"load i64, ptr {pointer}")

    def buffer(self, name: str) -> str:
        base, position = self.places[name]
        return self.at(base, str(position))

    def loop(self, count: int, body: Callable[[str], None], down: bool = False) -> None:
        """`body(i)` for i from 0 to count - 1, or down from count - 1."""
        self.n += 1
        tag = f"L{self.n}"
        self.line(f"br label %{tag}.in")
        self.label(f"{tag}.in")
        self.line(f"br label %{tag}.top")
        self.label(f"{tag}.top")
        self.line(f"%{tag}.k = phi i64 [0, %{tag}.in], [%{tag}.next, %{tag}.end]")
        i = self.value(f"sub i64 {count - 1}, %{tag}.k") if down else f"%{tag}.k"
        body(i)
        self.line(f"br label %{tag}.end")
        self.label(f"{tag}.end")
        self.line(f"%{tag}.next = add i64 %{tag}.k, 1")
        self.line(f"%{tag}.more = icmp slt i64 %{tag}.next, {count}")
        self.line(f"br i1 %{tag}.more, label %{tag}.top, label %{tag}.out")
        self.label(f"{tag}.out")

    def start_if_greater(self, count: str, k: int) -> str:
        """Branch that runs if `count > k`, up to the label `.skip` of the returned tag."""
        self.n += 1
        tag = f"D{self.n}"
        has = self.value(f"icmp sgt i64 {count}, {k}")
        self.line(f"br i1 {has}, label %{tag}.do, label %{tag}.skip")
        self.label(f"{tag}.do")
        return tag

    def switch_link_type(self, link_type: str, call: Callable[[int], None]) -> None:
        """`call(j)` for the type j of a link, by a switch."""
        if len(self.r.kinds) == 1:
            call(0)
            return
        self.n += 1
        tag = f"S{self.n}"
        cases = " ".join(f"i64 {j}, label %{tag}.{j}" for j in range(len(self.r.kinds)))
        self.line(f"switch i64 {link_type}, label %{tag}.0 [{cases}]")
        for j in range(len(self.r.kinds)):
            self.label(f"{tag}.{j}")
            call(j)
            self.line(f"br label %{tag}.done")
        self.label(f"{tag}.done")

    def step(self, p: Any, i: str, here: Any = None) -> None:
        """Call the step of pass `p` on link i (counted from 0)."""
        r = self.r
        kind, parent = self.look("kind", i), self.look("parent", i)
        qs, vs = self.look("qs", i), self.look("vs", i)
        link = self.value(f"add i64 {i}, 1")
        const = self.at(self.const, i, self.stride)

        def port_pointer(port: Any):
            """Pointer to the numbers of a port at link i."""
            if port.by == "here":
                return here[port.buffer]
            if port.by == "whole":
                return self.ports[port.buffer]
            if port.by in "qv":
                buffer_name = {"q": "x", "sin": "sin", "cos": "cos"}.get(port.buffer)
                base = self.buffer(buffer_name) if buffer_name else self.ports[port.buffer]
                return self.at(base, qs if port.by == "q" else vs)
            return self.at(
                self.buffer(port.buffer),
                link if port.by == "link" else parent,
                r.widths[port.buffer],
            )

        arguments = [const, *map(port_pointer, p.inputs)]
        targets = [(port, port_pointer(port)) for port in p.outputs]
        scratch: Any = "%room" if any(port.add for port in p.outputs) else None
        arguments += [scratch if port.add else where for port, where in targets]
        text = ", ".join(f"ptr {a}" for a in arguments)
        self.switch_link_type(kind, lambda j: self.line(f"call void @{p.name}{j}({text})"))
        for port, where in targets:
            if port.add:
                for k in range(r.widths[port.buffer]):
                    a, b = (self.at(x, str(k)) for x in (where, scratch))
                    x, y = (self.value(f"load double, ptr {z}") for z in (a, b))
                    self.line(f"store double {self.value(f'fadd double {x}, {y}')}, ptr {a}")

    def _write_function(self, name: str) -> str:
        """The kernel: work memory, sines, passes outward and inward, mass matrix."""
        r = self.r
        parameters = ", ".join(
            [f"ptr noalias readonly %{p.name}" for p in r.inputs]
            + [f"ptr noalias %{p.name}" for p in r.outputs]
        )
        self.label("entry")
        self.line(f"%room = alloca [{max(r.widths.values(), default=0)} x double], align 64")
        if r.elements:
            for scratch, n in zip(("%seen", "%told"), r.elements.most, strict=True):
                self.line(f"{scratch} = alloca [{n} x double], align 64")
        raw = self.value(f"call ptr @torseur.malloc(i64 {8 * self.size + ALIGNMENT})")
        address = self.value(f"ptrtoint ptr {raw} to i64")
        padded = self.value(f"add i64 {address}, {ALIGNMENT - 1}")
        self.line(f"%aligned = and i64 {padded}, -{ALIGNMENT}")
        self.line("%work = inttoptr i64 %aligned to ptr")
        self._place_columns()
        if r.made:
            self._write_computed_constants()
        if r.plan.turns:
            self._write_sincos()
        if r.elements:
            r.elements.before(self)
        for k, passing in enumerate(r.passes):
            if k == 0 or passing.name == "forward":
                self._write_world_state(passing)
            self.loop(r.count, partial(self.step, passing), down=not passing.outward)
        if r.looped:
            self._write_mass_matrix()
        if r.elements:
            r.elements.after(self)
        self.line(f"call void @torseur.free(ptr {raw})")
        self.line("ret void")
        return f"define void @{name}({parameters}) {{\n" + "\n".join(self.lines) + "\n}\n"

    def _place_columns(self) -> None:
        """Pointers to ports and work columns.  Some start at zero."""
        r = self.r
        self.ports = {p.name: f"%{p.name}" for p in (*r.inputs, *r.outputs)}
        sizes = {p.name: p.size for p in (*r.inputs, *r.outputs)}
        for name, (port, first) in r.plan.aliases.items():
            self.ports[name] = self.at(f"%{port}", str(r.sizes[first]))
        for name in r.plan.rooms:
            self.ports[name], sizes[name] = self.buffer(name), r.tree.nv
        for name in r.plan.cleared:
            if name in self.ports:
                pointer, n = self.ports[name], sizes[name]
            else:
                pointer, n = self.buffer(name), r.widths[name] * (r.count + 1)
            self.line(f"call void @llvm.memset.p0.i64(ptr {pointer}, i8 0, i64 {8 * n}, i1 false)")

    def _write_computed_constants(self) -> None:
        """Constants of links that depend on time and parameters."""
        computed, self.const = self.buffer("made"), self.buffer("const")
        table = self.tables["const"]
        size = f"i64 {8 * len(table)}, i1 false"
        self.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {self.const}, ptr @const, {size})")
        name = self.column
        self.line(
            f"call void @{name}(ptr {self.ports['t']}, ptr {self.ports['p']}, ptr {computed})"
        )

        def copy_constant(i: str):
            entry = self.value(f"mul i64 {i}, 2")
            position, source = (
                self.look("fill", entry),
                self.look("fill", self.value(f"add i64 {entry}, 1")),
            )
            x = self.value(f"load double, ptr {self.at(computed, source)}")
            self.line(f"store double {x}, ptr {self.at(self.const, position)}")

        if self.r.fill:
            self.loop(len(self.r.fill) // 2, copy_constant)

    def _write_sincos(self) -> None:
        """Sines and cosines of all coordinates, a vector at a time."""
        r, nq = self.r, self.r.tree.nq

        def copy_angle(i: str):
            x = self.value(f"load double, ptr {self.at('%q', i)}")
            self.line(f"store double {x}, ptr {self.at(self.buffer('x'), i)}")

        for k in range(nq, self.pad):
            self.line(f"store double 0.0, ptr {self.at(self.buffer('x'), str(k))}")
        self.loop(nq, copy_angle)
        x, s, c = (self.buffer(b) for b in ("x", "sin", "cos"))
        name = sincos.sincos_symbol(self.lanes, self.fused)
        self.line(
            f"call void @torseur.{name}(ptr {x}, ptr {s}, ptr {c}, i64 {self.pad - self.lanes})"
        )
        if any(r.offsets):
            self.loop(nq, self._rotate_sincos)

    def _rotate_sincos(self, i: str) -> None:
        """Cosine and sine of a coordinate plus the constant angle of its frame."""
        s, c = (self.at(self.buffer(b), i) for b in ("sin", "cos"))
        s0, c0 = (self.value(f"load double, ptr {p}") for p in (s, c))
        table = self.at("@turn", i, 2)
        a = self.value(f"load double, ptr {table}")
        b = self.value(f"load double, ptr {self.at(table, '1')}")

        def multiply_values(x: str, y: str):
            return self.value(f"fmul double {x}, {y}")

        rotated = self.value(f"fsub double {multiply_values(c0, a)}, {multiply_values(s0, b)}")
        self.line(f"store double {rotated}, ptr {c}")
        rotated = self.value(f"fadd double {multiply_values(s0, a)}, {multiply_values(c0, b)}")
        self.line(f"store double {rotated}, ptr {s}")

    def _write_world_state(self, passing) -> None:
        """State of the world before an outward pass: at rest, or accelerating upwards."""
        for name, w in self.r.widths.items():
            if any(
                p.buffer == name and p.by in ("link", "parent")
                for q in self.r.passes
                for p in q.outputs
            ):
                self.line(
                    f"call void @llvm.memset.p0.i64(ptr {self.buffer(name)}, i8 0, "
                    f"i64 {8 * w}, i1 false)"
                )
        upward_port = self.r.plan.upwards.get(passing.name)
        if upward_port:
            for k, i in enumerate(self.r.live[upward_port[0]]):
                if 0 <= i - upward_port[1] < 3:
                    pointer = self.at(self.buffer(upward_port[0]), str(k))
                    self.line(
                        "store double "
                        f"{self._world_acceleration(i - upward_port[1])}, ptr {pointer}"
                    )

    def _world_acceleration(self, axis: int) -> str:
        """Acceleration of the world along an axis [m/s2]."""
        computed = self.r.rising[axis]
        if computed is None or not self.r.made:
            return format_double(float(self.r.start[axis]))
        return self.value(f"load double, ptr {self.at(self.buffer('made'), str(computed))}")

    def _write_mass_matrix(self) -> None:
        """Mass matrix: momenta of composite bodies projected on the axes toward the root."""
        r, nv = self.r, self.r.tree.nv
        self.line(f"call void @llvm.memset.p0.i64(ptr %M, i8 0, i64 {8 * nv * nv}, i1 false)")
        sizes = {k.joint.nv for k in r.tree.links}
        widest = max(sizes)
        h, h2, e = (self.buffer(b) for b in ("h", "h2", "e"))

        def write_link_rows(i: str):
            first_row = self.look("vs", i)
            link = self.value(f"add i64 {i}, 1")
            H = self.at(self.buffer("H"), link, r.widths["H"])
            width = self.look("nv", i)
            for d in range(widest):
                tag = self.start_if_greater(width, d)
                row = self.value(f"add i64 {first_row}, {d}")
                for k in range(6):
                    x = self.value(f"load double, ptr {self.at(H, str(6 * d + k))}")
                    self.line(f"store double {x}, ptr {self.at(h, str(k))}")
                self.line(f"br label %{tag}.top")
                self.label(f"{tag}.top")
                self.line(f"%{tag}.j = phi i64 [{i}, %{tag}.do], [%{tag}.down, %{tag}.back]")
                j = f"%{tag}.j"
                self.step(self.entry, j, {"h": h, "e": e})
                vs, count = self.look("vs", j), self.look("nv", j)
                for k in range(widest):
                    self._store_symmetric_entry(row, vs, count, k, e)
                parent = self.look("parent", j)
                self.line(f"%{tag}.down = sub i64 {parent}, 1")
                continues = self.value(f"icmp sge i64 %{tag}.down, 0")
                self.line(f"br i1 {continues}, label %{tag}.again, label %{tag}.skip")
                self.label(f"{tag}.again")
                self.step(self.up, j, {"h": h, "h2": h2})
                for k in range(6):
                    x = self.value(f"load double, ptr {self.at(h2, str(k))}")
                    self.line(f"store double {x}, ptr {self.at(h, str(k))}")
                self.line(f"br label %{tag}.back")
                self.label(f"{tag}.back")
                self.line(f"br label %{tag}.top")
                self.label(f"{tag}.skip")

        self.loop(r.count, write_link_rows)

        def add_armature(i: str):
            pointer = self.at("%M", i, nv + 1)
            x = self.value(f"load double, ptr {pointer}")
            d = self.value(f"load double, ptr {self.at('@armature', i)}")
            self.line(f"store double {self.value(f'fadd double {x}, {d}')}, ptr {pointer}")

        self.loop(nv, add_armature)

    def _store_symmetric_entry(self, row: str, vs: str, count: str, k: int, e: str) -> None:
        """Store an entry of the mass matrix and its mirror image."""
        nv = self.r.tree.nv
        tag = self.start_if_greater(count, k)
        column = self.value(f"add i64 {vs}, {k}")
        x = self.value(f"load double, ptr {self.at(e, str(k))}")
        for a, b in ((row, column), (column, row)):
            position = self.value(f"add i64 {self.value(f'mul i64 {a}, {nv}')}, {b}")
            self.line(f"store double {x}, ptr {self.at('%M', position)}")
        self.line(f"br label %{tag}.skip")
        self.label(f"{tag}.skip")
