"""The equation of independent speeds of a mechanism with many loops, in pieces.

`a = T y + c`, `J T = 0`, `J c = gamma`, `T' M T y = T' (f - M c)`; columns of T, `c` and
multipliers come from one factored matrix `[[c, J_D], [J_D', -e]]`.
Theory: CS.1, CS.2, CS.5 to CS.8.
"""

from __future__ import annotations

from ..compiler import Piece
from ..dynamics import ITERATIONS
from ..numbers import Graph, vector
from .piece_fronts import Steps
from .piece_led import LedSpeeds
from .piece_reduced_terms import ReducedTerms
from .piece_writer import Writer


class ReducedPieces(ReducedTerms):
    """The equation of independent speeds: its solution."""

    def __init__(self, w: Writer, led: LedSpeeds, implicit: bool = False):
        super().__init__(w, led)
        self.implicit = implicit
        self._known: dict[str, Steps] = {}
        self._full = self._leads = False

    def shared(self) -> Steps:
        """Steps of the solution, the same in every kernel."""
        every = [*self.follow.shared(), *self._motion()]
        return [*{id(x): x for x in every}.values()]

    def factor(self) -> None:
        """What dependent speeds follow by."""
        w, rows = self.w, range(self.rows)
        if self._full:
            w.steps += [*self.follow.emptied(), *self.inner.emptied()]
        self._full, self._leads = True, False
        own = [self.follow.entry(i, i) for i in rows]
        soft = w.each("soft", lambda x: x, [self.of_rows(self.c, rows)], own)
        w.steps += [self.filling(), soft, *self.weights(), *self.follow.steps("eliminate")]

    def _leading(self) -> None:
        """Motions that the rows allow, one for each independent speed, and their inertias."""
        w, nv = self.w, self.w.system.nv
        if self._leads or not self.T:
            return
        self._leads = True
        for k, T in enumerate(self.T):
            speeds = range(nv)
            own = self.of_speeds(self.X, speeds)
            start = [float(self.led.turn.get(j) == k) for j in speeds]
            w.steps.append(w.each("leads", lambda c, _: c, [own], own, constants=start))
            w.steps.append(w.zero(range(self.B, self.B + self.rows)))
            w.steps += [*self._motion(), self._copy(self.X, T, nv)]  # CS.2
        w.steps += [*self._inertias(), *self.inner.steps("eliminate")]

    def _copy(self, of: int, to: int, n: int) -> Piece:
        return self.w.each("copied", lambda x: x, [range(of, of + n)], range(to, to + n))

    def _motion(self) -> Steps:
        """Dependent speeds added to X so that rows are B: CS.5."""
        if "motion" not in self._known:
            n = self.led.number
            found = [self.follow.found(k) for k in n.values()]
            own = self.of_speeds(self.X, n)
            follows = self.w.each("follows", lambda x: x, [found], own, adds=(0,))
            before = [*self.gaps(), self.w.zero(found), *self.follow.cleared()]
            self._known["motion"] = [*before, *self.follow.solved(), follows] * ITERATIONS
        return self._known["motion"]

    def _inertias(self) -> Steps:
        """`T' M T`, mechanism by mechanism."""
        pairs = [(a, b) for a in range(len(self.T)) for b in range(a + 1)]

        def dots(by_mass, *T):
            moved = [by_mass(x) for x in T]
            return vector(T[a] @ moved[b] for a, b in pairs)

        def slots(own: list[int]) -> list[int]:
            ends = [self.leaders(own, a, b) for a, b in pairs]
            return [self.inner.entry(*e) if len(e) == 2 else self.w.part(1) for e in ends]

        return self.products("inertia", dots, self.T, slots, adds=True)

    def _particular(self) -> Steps:
        """The motion of dependent speeds alone with rows as wanted, in X."""
        X = range(self.X, self.X + self.w.system.nv)
        return [self._copy(self.gamma, self.B, self.rows), self.w.zero(X), *self._motion()]

    def correct(self) -> None:
        """A motion with rows as wanted: of the dependent speeds alone, or the least by mass."""
        if not self.implicit:
            self._leading()
        if "correct" not in self._known:
            self._known["correct"] = [*self._particular(), *self._led(self.implicit)]
        self.w.steps += self._known["correct"]

    def _led(self, alone: bool = False) -> Steps:
        """`a = T y + c` from c in X: CS.1; `alone` without T y: CS.6."""
        w, speeds = self.w, range(self.w.system.nv)
        if alone or not self.T:
            return [self._copy(self.X, self.a, len(speeds))]

        def force(by_mass, f, c, *T):
            left = f - by_mass(c)
            return vector(x @ left for x in T)

        def slots(own: list[int]) -> list[int]:
            ends = [self.leaders(own, k) for k in range(len(self.T))]
            return [self.inner.found(*e) if e else w.part(1) for e in ends]

        reads = [self.of_speeds(self.X, speeds)]
        for k, T in enumerate(self.T):
            ends = [self.leaders([j], k) for j in speeds]
            reads.append(self.of_speeds(T, speeds))
            reads.append([self.inner.found(*e) if e else self.none for e in ends])

        def whole(c, *Ty):
            return c + sum((a * b for a, b in zip(Ty[::2], Ty[1::2], strict=True)), 0)

        return [
            w.zero([self.inner.found(j) for j in self.led.independent]),
            *self.products("led", force, [self.f, self.X, *self.T], slots, adds=True),
            *self.inner.solved(),
            w.each("moved", whole, reads, self.of_speeds(self.a, speeds)),
        ]

    def solve(self) -> int:
        """Accelerations, and multipliers, whose first slot it gives."""
        w, n, rows = self.w, self.led.number, range(self.rows)
        self._leading()
        w.steps += [*self._particular(), *self._led()]
        w.steps += self.products(
            "left", lambda by_mass, a, f: by_mass(a) - f, [self.a, self.f],
            lambda own: self.of_speeds(self.g, own),
        )  # fmt: skip
        w.steps.append(w.zero(range(self.lam, self.lam + self.rows)))
        found = [self.follow.found(i) for i in rows]
        asked = [self.follow.found(k) for k in n.values()]
        lam = self.of_rows(self.lam, rows)
        once = [
            w.zero(found),
            w.each("asked", lambda x: x, [self.of_speeds(self.g, n)], asked),
            *self.pushes(),
            *self.follow.cleared(),
            *self.follow.solved(),
            w.each("pushed", lambda x: x, [found], lam, adds=(0,)),
        ]
        w.steps += once * ITERATIONS  # CS.5
        return w.shown("lam", lambda x: x, lam)

    def firmness(self) -> int:
        """Slot of how firmly dependent speeds follow: CS.7."""
        w, n = self.w, self.led.number
        K = Graph()
        w.steps += [self.filling(), *self.squares()]
        w.steps += self.follow.steps("eliminate")  # -sum J_D' J_D over scaled rows is left
        x, roots, y = (range(at, at + len(n)) for at in (w.part(len(n)) for _ in range(3)))
        start = [1.0 / (1 + i) for i in range(len(n))]
        w.steps.append(w.each("root", K.sqrt, [[self.mass(j, j) for j in n]], roots))
        w.steps.append(w.each("start", lambda c, _: c, [x], x, constants=start))
        found = [self.follow.found(k) for k in n.values()]
        once = [
            w.each("weighed", lambda a, b: a * b, [x, roots], found),
            w.zero([self.follow.found(i) for i in range(self.rows)]),
            *self.follow.cleared(),
            *self.follow.solved(),
            w.each("told", lambda a, b: -a * b, [roots, found], y),
        ]
        again = self._copy(y.start, x.start, len(n))
        w.steps += [*once, again] * (ITERATIONS - 1) + once
        sums = w.part(2, clear=True)
        for at, of in ((sums, x), (sums + 1, y)):
            w.steps.append(w.each("sum", lambda a: a * a, [of], [at] * len(n), adds=(0,)))
        return w.shown("firm", lambda a, b: K.sqrt(K.divide(a, b)), [sums], [sums + 1])
