"""The pieces of a kernel: masses and rows by kinds, force elements, results.

What is written where is asked of an equation: of multipliers, or of independent speeds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from ...compiler import Mixed, Piece, PiecedDerivatives, PiecedProgram, Port, Turn, WorkSlots, read
from ...dynamics import compliances
from ...quantities import PORTS
from ...scalars import Graph, matrix
from ..link_loops.force_loops import ElementLoops
from .block_classes import ConstraintRows, there
from .frontal_factorization import Steps, table
from .structure import Structure


class Equation(Protocol):
    """Where masses, rows and right-hand sides go, and what is found from them."""

    softness: float  # of the compliance of rows

    def mass(self, i: int, j: int) -> int: ...
    def filled(self, row: int, j: int) -> int: ...
    def soft(self, row: int) -> list[tuple[int, int]]: ...
    def force(self, i: int) -> int: ...
    def wanted(self, row: int) -> int: ...
    def moved(self, i: int) -> int: ...


class Writer:
    """The pieces of one kernel of a system, in their order, over one memory."""

    def __init__(self, s: Structure, derives: bool = False):
        self.s, self.system = s, s.system
        self.derives = derives  # whether a derivative is moved beside every number
        self.memory = WorkSlots()
        self.steps: Steps = []
        self.cleared: list[tuple[int, int]] = []
        at = s.system.layout
        self.sizes = {x: 1 if x == "t" else len(getattr(at, x)) for x in PORTS}
        self.given = {x: self.memory.part(n) for x, n in self.sizes.items()}
        self.turned: set[int] = set()
        self.programs: dict[Any, Any] = {}
        self.named = self.part(len(s.named))  # numbers that are made of parameters
        if s.named:
            p, to = (table([range(at, at + n)]) for at, n in
                     ((self.given["p"], self.sizes["p"]), (self.named, len(s.named))))  # fmt: skip
            made = self.program(s.from_parameters)
            self.steps.append(Piece("named", made, np.zeros((1, 0)), p, to))

    def part(self, n: int, clear: bool = False) -> int:
        first = self.memory.part(n)
        if clear and n:
            before, size = self.cleared.pop() if self.cleared else (first, 0)
            end = before + -(-size // 8) * 8
            joined = [(before, end + n - before)] if end == first else [(before, size), (first, n)]
            self.cleared += joined
        return first

    def put(self, key, kind, x, y, reads, writes, adds=()) -> None:
        """A piece of a kind: `x` and `y` are its numbers, `reads` and `writes` their slots."""
        if not len(y):
            return
        template = kind.template
        if key not in self.programs:
            self.programs[key] = self.program(template.function(x, y))
        given, told = table(reads), table(writes)
        if len(template.p):
            given = np.hstack([given, self.named + self.s.places_of(kind)])
        order = np.argsort(told[:, 0], kind="stable")  # members of parts abreast side by side
        rows = template.constants[order], given[order], told[order]
        self.steps.append(Piece(str(key), self.programs[key], *rows, adds))

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

    def masses(self, e: Equation, q: int, v: int, qdot: int | None = None) -> None:
        """Entries of the mass matrix; with `qdot` also what speeds and weights ask for."""
        self.turn(q)
        for k, kind in enumerate(self.s.trees):
            M, h = kind.terms
            at, moving = kind.symbols, qdot is not None
            x, y = [*at["q"]], [M[i, j] for i, j in kind.pattern]
            if moving:
                x, y = [*x, *at["v"]], [*y, *-h, *kind.rates]
            reads, writes = [], []
            for own_q, own_v in zip(kind.q, kind.v, strict=True):
                reads.append([q + i for i in own_q] + [v + i for i in own_v] * moving)
                own = [e.mass(own_v[i], own_v[j]) for i, j in kind.pattern]
                if qdot is not None:
                    own += [e.force(i) for i in own_v] + [qdot + i for i in own_q]
                writes.append(own)
            self.put(("tree", moving, k), kind, x, y, reads, writes)

    def rows(self, e: Equation, q: int, v: int, speeds: int | None = None) -> None:
        """Entries of the rows, their softness, and right-hand sides: of accelerations, with
        `speeds` along the rows for their power, or without what undoes residuals of positions."""
        for k, kind in enumerate(self.s.held):
            K, J = kind.template.K, matrix(kind.J)
            M = K.symbols(f"M{i}" for i in range(len(kind.v[0])))
            own = compliances(K, _diagonal(M), J, [0] * kind.size, e.softness)  # CK.3
            filled = [(i, j) for i in range(kind.size) for j in range(len(M)) if there(J[i, j])]
            at, moving = kind.symbols, speeds is not None
            signs = [sign for sign, _ in e.soft(int(self.s.first[kind.members[0]]))]
            x, y = [kind.t, *kind.kept, *at["q"], *M], [*(J[a] for a in filled)]
            y += [sign * c for c in own for sign in signs]
            y += [*kind.gamma, *(J @ at["v"])] if moving else [-a for a in kind.phi]
            x += [*at["v"]] * moving
            reads, writes = [], []
            for (member, own_q, own_v), now in zip(kind.each, self._now(kind), strict=True):
                rows = range(first := int(self.s.first[member]), first + kind.size)
                here = [*now, *(q + i for i in own_q), *(e.mass(i, i) for i in own_v)]
                reads.append(here + [v + i for i in own_v] * moving)
                slots = [e.filled(rows[i], own_v[j]) for i, j in filled]
                slots += [slot for i in rows for _, slot in e.soft(i)]
                slots += [e.wanted(i) for i in rows[: kind.size if moving else len(kind.phi)]]
                if speeds is not None:
                    slots += [speeds + i for i in rows]
                writes.append(slots)
            self.put(("rows", moving, k), kind, x, y, reads, writes)

    def _now(self, kind: ConstraintRows) -> Iterator[list[int]]:
        """Slots of the time, and of the piece of a table that it is in, for each member."""
        for slots in kind.m:
            yield [self.given["t"], *(self.given["m"] + i for i in slots)]

    def residuals(self, e: Equation, q: int, v: int | None = None) -> None:
        """Right-hand sides that undo residuals of positions, or of speeds."""
        for k, kind in enumerate(self.s.held):
            at = kind.symbols
            x, y = (
                [kind.t, *kind.kept, *at["q"]],
                [-a for a in (kind.phi if v is None else kind.psi)],
            )
            x += [*at["v"]] * (v is not None)
            reads, writes = [], []
            for (member, own_q, own_v), now in zip(kind.each, self._now(kind), strict=True):
                own = [] if v is None else [v + i for i in own_v]
                reads.append([*now, *(q + i for i in own_q), *own])
                first = int(self.s.first[member])
                writes.append([e.wanted(first + i) for i in range(len(y))])
            self.put(("residual", v is None, k), kind, x, y, reads, writes)

    # elements and results ---------------------------------------------------------------------

    def elements(self, e: Equation, zdot: int, at: dict[str, int]) -> None:
        """What force elements add to efforts and to rates of their own; `at` are ports."""
        columns = {"tau": e.force, "zdot": lambda i: zdot + i}
        for work in ElementLoops(self.system).works:
            key = ("element", work.name)
            if key not in self.programs:
                self.programs[key] = self.program(_joined(work.function))
            whole = [at[x] + i for x in work.whole for i in range(self.sizes[x])]
            reads = [[at[x] + i for x, i in own] + whole for own in work.reads]
            writes = [[columns[x](i) for x, i in own] for own in work.adds]
            own = work.constants, table(reads), table(writes), tuple(range(len(writes[0])))
            self.steps.append(Piece(work.name, self.programs[key], *own))

    def each(self, name: str, formula, reads: list, writes, adds=(), constants=None) -> Piece:
        """A formula of a few numbers, for many: columns of slots that it reads, and writes.

        With `constants`, one each, they come first.
        """
        K = Graph()
        c = K.symbols(["c"] if constants is not None else [])
        x = K.symbols(f"x{i}" for i in range(len(reads)))
        f = K.lib.Function(name, [K.sx(c), K.sx(x)], [K.lib.densify(K.sx(formula(*c, *x)))])
        at, to = np.array(reads, dtype=np.int64).T, np.array(writes, dtype=np.int64)[:, None]
        own = np.zeros((len(to), 0)) if constants is None else np.array(constants)[:, None]
        return Piece(name, self.program(f), own, at.reshape(len(to), -1), to, adds)

    def zero(self, slots) -> Piece:
        """Numbers that start at zero."""
        return self.each("cleared", lambda _: 0, [slots], slots)

    def shown(self, name: str, formula, *reads: list[int]) -> int:
        """A part of memory with some numbers side by side."""
        first, n = self.part(len(reads[0])), len(reads[0])
        self.steps.append(self.each(name, formula, [*reads], np.arange(first, first + n)))
        return first

    def moved(self, e: Equation, q: int) -> int:
        """Coordinates after the small motion that the solution is."""
        to = self.part(self.system.nq)
        for k, kind in enumerate(self.s.trees):
            at = kind.symbols
            reads = [
                [q + i for i in own_q] + [e.moved(i) for i in own_v]
                for own_q, own_v in zip(kind.q, kind.v, strict=True)
            ]
            writes = [[to + i for i in own] for own in kind.q]
            x = [*at["q"], *at["dv"]]
            self.put(("moved", k), kind, x, kind.moved, reads, writes)
        return to

    def finish(self, shown: dict[str, tuple[int, int]], shared: Steps) -> PiecedProgram:
        """The kernel; `shown` has of each output its first slot and its size, `shared` are steps
        that another kernel has."""
        return PiecedProgram(
            self._inputs,
            tuple(Port(x, (n,)) for x, (_, n) in shown.items()),
            self.given,
            {x: at for x, (at, _) in shown.items()},
            self.steps,
            self.memory.size,
            tuple(self.cleared),
            shared,
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
