"""The pieces of a kernel: masses and rows by kinds, fronts by shapes, force elements, results."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compiler import (
    Mixed,
    Piece,
    PiecedDerivatives,
    PiecedProgram,
    Port,
    Turn,
    WorkSlots,
    read,
)
from ..dynamics import ITERATIONS, PROXIMAL, compliances, fronts
from ..numbers import Graph, matrix, vector
from .piece_cuts import Cut
from .piece_kinds import there
from .piece_structure import Structure
from .register import PORTS
from .rolled_elements import ElementLoops

PivotGroup = fronts.PivotGroup  # a name that methods do not hide


def _table(rows: list[list[int]]) -> np.ndarray:
    return np.array(rows, dtype=np.int64).reshape(len(rows), -1)


class Writer:
    """The pieces of one kernel of a system, in their order, over one memory."""

    def __init__(self, s: Structure, derives: bool = False):
        self.s, self.system = s, s.system
        self.derives = derives  # whether a derivative is moved beside every number
        self.memory = WorkSlots()
        self.steps: list[Piece | Mixed | Turn] = []
        self.cleared: list[tuple[int, int]] = []
        at = s.system.layout
        self.sizes = {x: 1 if x == "t" else len(getattr(at, x)) for x in PORTS}
        self.given = {x: self.memory.part(n) for x, n in self.sizes.items()}
        self.turned: set[int] = set()
        self.n = s.system.nv + s.rows
        self.place: dict[int, int] = {}  # of each unknown in columns; parts abreast side by side
        for x in s.strands:
            for k in x.indices[: x.own].ravel().tolist():
                self.place[k] = len(self.place)
        for k in (k for f in s.fronts for k in f.pivots):
            self.place[k] = len(self.place)
        self.slot: dict[tuple[int, int], int] = {}  # of an entry of the matrix, by two unknowns
        for x in s.strands:
            for f in x.fronts:
                for i, j in _factor(f):
                    for a, b in zip(x.indices[i], x.indices[j], strict=True):
                        self.slot[_pair(a, b)] = len(self.slot)
        for f in s.fronts:
            for i, j in _factor(f):
                self.slot[_pair(i, j)] = len(self.slot)
        self.A = self.part(len(self.slot), clear=True)
        self.b, self.mu = (self.part(self.n, clear=True) for _ in range(2))
        self.programs: dict[Any, Any] = {}
        self.known: dict[str, list[Piece | Mixed]] = {}  # steps that come again
        self.cuts = [Cut(self, x) for x in s.strands]
        self.x = self.part(self.n)

    def part(self, n: int, clear: bool = False) -> int:
        first = self.memory.part(n)
        if clear and n:
            before, size = self.cleared.pop() if self.cleared else (first, 0)
            end = before + -(-size // 8) * 8
            joined = [(before, end + n - before)] if end == first else [(before, size), (first, n)]
            self.cleared += joined
        return first

    def entry(self, i: int, j: int) -> int:
        """Slot of an entry of the matrix."""
        return self.A + self.slot[_pair(i, j)]

    def right(self, i: int) -> int:
        """Slot of the right-hand side."""
        return self.b + self.place[i]

    def found(self, i: int) -> int:
        """Slot of the solution."""
        return self.x + self.place[i]

    def row(self, member: int, i: int) -> int:
        """Number of a row among all unknowns."""
        return self.system.nv + int(self.s.first[member]) + i

    def put(self, key, template, x, y, reads, writes) -> None:
        """A piece of a kind: `x` and `y` are its numbers, `reads` and `writes` their slots."""
        if not len(y):
            return
        if key not in self.programs:
            self.programs[key] = self.program(template.function(x, y))
        given, told = _table(reads), _table(writes)
        order = np.argsort(told[:, 0], kind="stable")  # members of parts abreast side by side
        rows = template.constants[order], given[order], told[order]
        self.steps.append(Piece(str(key), self.programs[key], *rows))

    def program(self, f):
        """The program of a function of constants and numbers, with its derivative if wanted."""
        from casadi import SX, Function, jtimes, vertcat

        if not self.derives:
            return read(f)
        c, x, dx = (SX.sym(n, f.size1_in(i)) for i, n in ((0, "c"), (1, "x"), (1, "dx")))
        y = f(c, x)
        return read(Function("moved", [c, vertcat(x, dx)], [vertcat(y, jtimes(y, x, dx))]))

    def turn(self, q: int) -> None:
        """Sines and cosines of coordinates, once."""
        if q not in self.turned and self.system.nq:
            self.turned.add(q)
            n = self.system.nq
            self.steps.append(Turn(q, n, self.part(n), self.part(n)))

    # masses and rows --------------------------------------------------------------------------

    def masses(self, q: int, qdot: int | None = None) -> None:
        """Entries of the mass matrix; with `qdot` also what speeds and weights ask for."""
        self.turn(q)
        v = self.given["v"]
        for k, kind in enumerate(self.s.trees):
            M, h = kind.terms
            at, moving = kind.symbols, qdot is not None
            x, y = [*at["q"]], [M[i, j] for i, j in kind.pattern]
            if moving:
                x, y = [*x, *at["v"]], [*y, *-h, *kind.rates]
            reads, writes = [], []
            for own_q, own_v in zip(kind.q, kind.v, strict=True):
                reads.append([q + i for i in own_q] + [v + i for i in own_v] * moving)
                own = [self.entry(own_v[i], own_v[j]) for i, j in kind.pattern]
                if qdot is not None:
                    own += [self.right(i) for i in own_v] + [qdot + i for i in own_q]
                writes.append(own)
            self.put(("tree", moving, k), kind.template, x, y, reads, writes)

    def rows(self, q: int, speeds: int | None = None) -> None:
        """Entries of the rows, their softness, and right-hand sides: of accelerations, with
        `speeds` along the rows for their power, or without what undoes residuals of positions."""
        t, v = self.given["t"], self.given["v"]
        for k, kind in enumerate(self.s.held):
            K, J = kind.template.K, matrix(kind.J)
            M = K.symbols(f"M{i}" for i in range(len(kind.v[0])))
            own = compliances(K, _diagonal(M), J, [0] * kind.size, PROXIMAL)  # CK.3
            filled = [(i, j) for i in range(kind.size) for j in range(len(M)) if there(J[i, j])]
            at, moving = kind.symbols, speeds is not None
            x, y = [kind.t, *at["q"], *M], [*(J[e] for e in filled), *(-own), *own]
            y += [*kind.gamma, *(J @ at["v"])] if moving else [-e for e in kind.phi]
            x += [*at["v"]] * moving
            reads, writes = [], []
            for member, own_q, own_v in zip(kind.members, kind.q, kind.v, strict=True):
                rows = [self.row(member, i) for i in range(kind.size)]
                here = [t, *(q + i for i in own_q), *(self.entry(i, i) for i in own_v)]
                reads.append(here + [v + i for i in own_v] * moving)
                slots = [self.entry(rows[i], own_v[j]) for i, j in filled]
                slots += [self.entry(i, i) for i in rows]
                slots += [self.mu + self.place[i] for i in rows]
                slots += [self.right(i) for i in rows[: kind.size if moving else len(kind.phi)]]
                if speeds is not None:
                    slots += [speeds + i - self.system.nv for i in rows]
                writes.append(slots)
            self.put(("rows", moving, k), kind.template, x, y, reads, writes)

    def residuals(self, q: int, v: int | None = None) -> None:
        """Right-hand sides that undo residuals of positions, or of speeds."""
        t = self.given["t"]
        for k, kind in enumerate(self.s.held):
            at = kind.symbols
            x, y = [kind.t, *at["q"]], [-e for e in (kind.phi if v is None else kind.psi)]
            x += [*at["v"]] * (v is not None)
            reads, writes = [], []
            for member, own_q, own_v in zip(kind.members, kind.q, kind.v, strict=True):
                own = [] if v is None else [v + i for i in own_v]
                reads.append([t, *(q + i for i in own_q), *own])
                writes.append([self.right(self.row(member, i)) for i in range(len(y))])
            self.put(("residual", v is None, k), kind.template, x, y, reads, writes)

    # the solution -----------------------------------------------------------------------------

    def fronts(self, what: str, reverse: bool = False) -> None:
        """A step of the factorisation, front by front: parts abreast, then the rest."""
        if what not in self.known:
            rest = [self._rest(what, reverse)] if self.s.fronts else []
            parts = [step for cut in self.cuts for step in cut.steps(what, reverse)]
            self.known[what] = [*rest, *parts] if reverse else [*parts, *rest]
        self.steps.extend(self.known[what])

    def _rest(self, what: str, reverse: bool) -> Mixed:
        def one(i: int, j: int | None = None) -> list[int]:
            return [self.found(i) if j is None else self.entry(i, j)]

        return self.mixed(what, [*reversed(self.s.fronts)] if reverse else self.s.fronts, one)

    def mixed(self, what: str, found: list[PivotGroup], slots, abreast: int = 1) -> Mixed:
        """A step of some fronts; `slots` are those of an entry, or of the solution, by part."""
        kinds: dict[tuple[int, int], tuple[list, list]] = {}
        order = []
        for f in found:
            p, n = len(f.pivots), len(f.pivots) + len(f.rows)
            reads, writes = kinds.setdefault(f.shape, ([], []))
            order.append((f.shape, len(reads) // abreast))
            own = [*f.pivots, *f.rows]
            factor = [slots(own[i], own[j]) for i, j in fronts.packed(n) if j < p]
            if what == "eliminate":
                left = [slots(own[i], own[j]) for i, j in fronts.packed(n) if j >= p]
                given = told = factor + left
            else:
                rest = [slots(i) for i in own]
                given, told = factor + rest, rest if what == "forward" else rest[:p]
            reads += zip(*given, strict=True)
            writes += zip(*told, strict=True)
        shapes = list(kinds)
        pieces = tuple(
            Piece(f"{what}{shape}", self._front(what, shape), np.zeros((len(reads), 0)),
                  _table(reads), _table(writes))
            for shape, (reads, writes) in kinds.items()
        )  # fmt: skip
        return Mixed(pieces, _table([[shapes.index(s), i] for s, i in order]), abreast)

    def _front(self, what: str, shape: tuple[int, int]):
        if (what, shape) not in self.programs:
            K, (p, d) = Graph(), shape
            n = p + d
            whole, factor = n * (n + 1) // 2, p * (p + 1) // 2 + p * d
            x = K.symbols(f"x{i}" for i in range(whole if what == "eliminate" else factor + n))
            if what == "eliminate":
                own, left = fronts.eliminate(K, shape, x)
                y = own + left
            else:
                y = getattr(fronts, what)(shape, x[:factor], x[factor:])
            function = K.lib.Function("front", [K.lib.SX(0, 1), K.sx(x)], [K.sx(vector(y))])
            self.programs[what, shape] = self.program(function)
        return self.programs[what, shape]

    def solve(self) -> None:
        """The solution of the factored equation, with its proximal rounds."""
        if "again" not in self.known:
            b, mu, x = (np.arange(at, at + self.n) for at in (self.b, self.mu, self.x))
            cleared = [step for cut in self.cuts for step in cut.cleared()]
            again = self.each("again", lambda b, mu, x: b - mu * x, [b, mu, x], x)
            self.known["first"] = [self.each("first", lambda b: b, [b], x), *cleared]
            self.known["again"] = [again, *cleared]
        for k in range(ITERATIONS):
            self.steps.extend(self.known["again" if k else "first"])  # CK.4
            self.fronts("forward")
            self.fronts("backward", reverse=True)

    # elements and results ---------------------------------------------------------------------

    def elements(self, zdot: int) -> None:
        """What force elements add to efforts and to rates of their own."""
        columns = {"tau": self.right, "zdot": lambda i: zdot + i}
        for work in ElementLoops(self.system).works:
            program = self.program(_joined(work.function))
            whole = [self.given[x] + i for x in work.whole for i in range(self.sizes[x])]
            reads = [[self.given[x] + i for x, i in own] + whole for own in work.reads]
            writes = [[columns[x](i) for x, i in own] for own in work.adds]
            self.steps.append(
                Piece(
                    work.name,
                    program,
                    work.constants,
                    _table(reads),
                    _table(writes),
                    tuple(range(len(writes[0]))),
                )
            )

    def each(self, name: str, formula, reads: list, writes, adds=()) -> Piece:
        """A formula of a few numbers, for many: columns of slots that it reads, and writes."""
        K = Graph()
        x = K.symbols(f"x{i}" for i in range(len(reads)))
        f = K.lib.Function(name, [K.lib.SX(0, 1), K.sx(x)], [K.sx(formula(*x))])
        at, to = np.array(reads, dtype=np.int64).T, np.array(writes, dtype=np.int64)[:, None]
        return Piece(name, self.program(f), np.zeros((len(at), 0)), at, to, adds)

    def shown(self, name: str, formula, *reads: list[int]) -> int:
        """A part of memory with some numbers side by side."""
        first, n = self.part(len(reads[0])), len(reads[0])
        self.steps.append(self.each(name, formula, [*reads], np.arange(first, first + n)))
        return first

    def moved(self, q: int) -> int:
        """Coordinates after the small motion that the solution is."""
        to = self.part(self.system.nq)
        for k, kind in enumerate(self.s.trees):
            at = kind.symbols
            reads = [
                [q + i for i in own_q] + [self.found(i) for i in own_v]
                for own_q, own_v in zip(kind.q, kind.v, strict=True)
            ]
            writes = [[to + i for i in own] for own in kind.q]
            x = [*at["q"], *at["dv"]]
            self.put(("moved", k), kind.template, x, kind.moved, reads, writes)
        return to

    def finish(self, shown: dict[str, tuple[int, int]]) -> PiecedProgram:
        """The kernel; `shown` has of each output its first slot and its size."""
        return PiecedProgram(
            self._inputs,
            tuple(Port(x, (n,)) for x, (_, n) in shown.items()),
            self.given,
            {x: at for x, (at, _) in shown.items()},
            self.steps,
            self.memory.size,
            tuple(self.cleared),
        )

    @property
    def _inputs(self) -> tuple[Port, ...]:
        return tuple(Port(x, () if x == "t" else (n,)) for x, n in self.sizes.items())

    def derivatives(self, wrt: list[int], found: list[int], outputs) -> PiecedDerivatives:
        """The kernel of derivatives of the numbers in some slots by those in others."""
        size = self.memory.size
        known: dict[int, Any] = {}

        def moved(x: Piece) -> Piece:
            reads, writes = (np.hstack([at, at + size]) for at in (x.reads, x.writes))
            more = tuple(x.writes.shape[1] + j for j in x.adds)
            return x._replace(reads=reads, writes=writes, adds=x.adds + more)

        for x in self.steps:
            if id(x) not in known:
                known[id(x)] = moved(x) if isinstance(x, Piece) else x
                if isinstance(x, Mixed):
                    known[id(x)] = x._replace(pieces=tuple(map(moved, x.pieces)))
        steps, cleared = [known[id(x)] for x in self.steps], tuple(self.cleared)
        given = self._inputs, outputs, self.given, steps, size, cleared
        return PiecedDerivatives(*given, wrt, found)


def _pair(i: int, j: int) -> tuple[int, int]:
    return (i, j) if i < j else (j, i)


def _factor(f: PivotGroup) -> list[tuple[int, int]]:
    """Entries of the columns of a front, by unknowns."""
    own = [*f.pivots, *f.rows]
    return [(own[i], own[j]) for i, j in fronts.packed(len(own)) if j < len(f.pivots)]


def _diagonal(M) -> np.ndarray:
    out = matrix([[0] * len(M) for _ in M])
    for i, x in enumerate(M):
        out[i, i] = x
    return out


def _joined(f):
    """A function of constants and several arrays as one of constants and a single array."""
    from casadi import SX, Function, vertsplit

    sizes = [f.size1_in(i) for i in range(f.n_in())]
    c, x = SX.sym("c", sizes[0]), SX.sym("x", sum(sizes[1:]))
    parts = vertsplit(x, np.cumsum([0, *sizes[1:]]).tolist()) if sum(sizes[1:]) else []
    return Function("joined", [c, x], f.call([c, *parts]))
