"""Three ways from a formula to numbers: a graph for the compiler, a graph interpreted, columns."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..compiler import Kernel, remembered
from ..errors import ArgumentError
from ..joints import TIME
from ..quantities import QUANTITIES, Quantity, find, many_rows
from ..scalars import Columns, evaluate, is_ours, vector
from ..system import once
from .graph_trigonometry import Trigonometry
from .interpreter import Interpreter, Traced

if TYPE_CHECKING:
    from ..quantities import Scene

COLUMNS = 16384  # rows at a time, at most, where each has parameters of its own
PIECED = frozenset(
    "constrained_terms constraint_positions constraint_jacobian openness turned".split()
)
"""Quantities that mechanisms with many loops have by the kinds of their parts."""
LONGEST = 10_000  # instructions of a graph that is worth compiling when it is asked for again


def results(quantity: Quantity, scene: Scene, columns, frame: str | None = None) -> tuple:
    """Outputs of a quantity, over the scalar of the scene; `columns` are what it is given."""
    if scene.system.rheonomic and "t" in quantity.given(scene.system):
        scene.K.parameters[TIME] = columns[quantity.given(scene.system).index("t")][0]
        columns = columns[: len(quantity.inputs)]
    out = quantity.formula(scene, *([frame] if quantity.frame else []), *columns)
    return out if isinstance(out, tuple) else (out,)


def graph(quantity: Quantity, scene: Scene, reads, frame: str | None = None):
    """The `casadi.Function` of a quantity, of the ports that it is to read; over scalars with
    routines, what `Called.functions` gives."""
    K = scene.K
    lib = K.lib
    own = [scene[x] for x in quantity.given(scene.system)]
    made = results(quantity, scene, own, frame)
    values = [x if isinstance(x, lib.SX) else K.sx(_array(x)) for x in made]
    return K.functions(
        quantity.name,
        [K.sx(scene[x]) for x in reads],
        [lib.densify(x) for x in values],
        list(reads),
        list(quantity.outputs[: len(values)]),
    )


def stages(quantity: Quantity, scene: Scene, reads, both: bool = True) -> tuple:
    """The `casadi.Function`s of the two stages of a quantity; without `both`, of the second."""
    K, lib = scene.K, scene.K.lib
    assert quantity.staged is not None
    before, column, size = quantity.staged
    first = None
    if both:
        own = [scene[x] for x in quantity.given(scene.system)]
        made = results(replace(quantity, formula=before), scene, own)
        values = [x if isinstance(x, lib.SX) else K.sx(_array(x)) for x in made]
        names = [*quantity.outputs[: len(values) - 1], "shared"]
        first = lib.Function(
            quantity.name,
            [K.sx(scene[x]) for x in reads],
            [lib.densify(x) for x in values],
            list(reads),
            names,
        )
    shared = K.symbols([f"s{i}" for i in range(size(scene))])
    x = K.symbols([f"x{i}" for i in range(scene.system.nv)])
    y = K.sx(vector(column(scene, shared, x)))
    return first, lib.Function("column", [K.sx(shared), K.sx(x)], [y], ["shared", "x"], ["y"])


def flat(x) -> Iterator:
    """Numbers of nested lists and arrays, one after the other."""
    if isinstance(x, np.ndarray):
        yield from x.ravel().tolist()
    elif isinstance(x, list | tuple):
        for y in x:
            yield from flat(y)
    else:
        yield x


def _numbered(rows, elements) -> list[list[int]]:
    """Of every row the element, which of its labels it has, and whether it is of positions: digests
    of systems know no names."""
    return [
        [i, elements[i].labels.index(name.removeprefix(f"{elements[i].name}.")), n in rows.places]
        for n, (name, i) in enumerate(zip(rows.names, rows.owners, strict=True))
    ]


class RowLabels(NamedTuple):
    """Which constraint rows there are: their names, the elements that they come from, and which of
    them are of positions."""

    names: tuple[str, ...]
    owners: tuple[int, ...]
    places: tuple[int, ...]


class Sloped(NamedTuple):
    """The Jacobian of all outputs of a quantity by all that it reads: entries and their places."""

    entries: Any
    lines: list[int]
    columns: list[int]
    sizes: list[int]  # numbers of each output


class Interpreted:
    """Quantities of a system as graphs that CasADi interprets: nothing is compiled.

    `values` gives parameters their numbers for good; without them they are read at each call.
    """

    def __init__(self, system, values: Mapping[str, float] | None = None, skipped=()):
        self.system, self.reads_p = system, values is None
        self._values, self._skipped = values, skipped
        self._kept = values is None and not skipped  # whether the digest says all
        self._made: dict[Quantity, Traced] = {}
        self._sloped: dict[Quantity, Sloped] = {}
        self._labels: dict[str, RowLabels] = {}
        self.asked: set[str] = set()  # quantities that runs have asked for
        self._lock = threading.RLock()  # symbols of a scene are made once, for all threads

    @cached_property
    def scene(self) -> Scene:
        """The system over a graph."""
        from ..quantities import Scene

        names = tuple(self.system.parameters) if self.reads_p else ()
        K = Trigonometry(dict(self._values or {}))
        return Scene(self.system, K, names, skipped=self._skipped)

    def labels(self, which: str = "rows") -> RowLabels:
        """Labels of the rows that a scene calls so."""
        with self._lock:
            if which not in self._labels:
                every = (*self.system.held, *self.system.switched)
                key = self._key("labels", which) if self._kept else None
                found = remembered(key, lambda: _numbered(getattr(self.scene, which), every))
                names = (f"{every[i].name}.{every[i].labels[j]}" for i, j, _ in found)
                places = (n for n, (*_, placed) in enumerate(found) if placed)
                self._labels[which] = RowLabels(
                    tuple(names), tuple(x[0] for x in found), (*places,)
                )
            return self._labels[which]

    def _function(self, quantity: Quantity) -> Traced:
        with self._lock:
            if quantity not in self._made:
                ours = QUANTITIES.get(quantity.name) is quantity and is_ours(quantity.formula)
                key = self._key("traced", quantity.name) if self._kept and ours else None
                self._made[quantity] = Traced(lambda: self._trace(quantity), key)
            return self._made[quantity]

    def _key(self, *words: str) -> bytes:
        return hashlib.sha256(repr((self.system.digest, *words)).encode()).digest()

    def _columns(self, quantity: Quantity) -> tuple:
        """Ports that a quantity reads, its outputs as columns, and their shapes."""
        K, lib = self.scene.K, self.scene.K.lib
        own = quantity.given(self.system)
        made = results(quantity, self.scene, [self.scene[x] for x in own])
        columns = [lib.vec(x.T) if isinstance(x, lib.SX) else K.sx(vector(flat(x))) for x in made]
        shapes = [x.shape if isinstance(x, lib.SX) else np.shape(x) for x in made]
        return (*own, *["p"] * self.reads_p), columns, shapes

    def _trace(self, quantity: Quantity) -> tuple[Any, list]:
        """The `casadi.Function` of a quantity, and the shapes of its outputs."""
        with self._lock:
            K, lib = self.scene.K, self.scene.K.lib
            reads, columns, shapes = self._columns(quantity)
            f = lib.Function(
                quantity.name,
                [K.sx(self.scene[x]) for x in reads],
                [lib.densify(x) for x in columns],
                list(reads),
                list(_named(quantity.outputs, len(columns))),
            )
            return f, shapes

    def _slopes(self, quantity: Quantity) -> Sloped:
        with self._lock:
            if quantity not in self._sloped:
                K, lib = self.scene.K, self.scene.K.lib
                ports, columns, _ = self._columns(quantity)
                reads = [K.sx(self.scene[x]) for x in ports]
                J = lib.jacobian(lib.vertcat(*columns), lib.vertcat(*reads))
                entries = lib.vertcat(*J.nonzeros()) if J.nnz() else lib.SX(0, 1)
                f = lib.Function(quantity.name, reads, [entries])
                places = J.sparsity().get_triplet()
                sizes = [x.numel() for x in columns]
                self._sloped[quantity] = Sloped(Interpreter(f, []), places[0], places[1], sizes)
            return self._sloped[quantity]

    def along(self, name: str, ports: Mapping, moves: Mapping, p: Any = None) -> list[np.ndarray]:
        """Derivatives of each output of a quantity, (numbers, rows, directions).

        `ports` are what it reads, (rows, n) each; `moves` how those change, (n, rows, directions).
        """
        quantity = find(name)
        own, given = self._slopes(quantity), quantity.given(self.system)
        columns = [np.asarray(ports[x], dtype=float) for x in given]
        columns = [x[:, None] if x.ndim == 1 else x for x in columns]
        if self.reads_p:
            columns.append(np.broadcast_to(np.asarray(p, float), (len(columns[0]), len(p))))
        X = [line for x in (*given, *["p"] * self.reads_p) for line in moves[x]]
        out = np.zeros((sum(own.sizes), *X[0].shape))
        with self._lock:
            (entries,) = own.entries.many(columns) if len(own.lines) else ((),)
        for i, j, entry in zip(own.lines, own.columns, entries, strict=True):
            out[i] += entry[:, None] * X[j]
        return np.split(out, np.cumsum(own.sizes)[:-1])

    def _pieces(self, quantity: Quantity):
        """What evaluates a quantity without a graph of the whole, or None."""
        if quantity.name not in PIECED or not many_rows(self.system):
            return None
        if QUANTITIES.get(quantity.name) is not quantity:  # another formula of that name
            return None
        from .repeated_blocks.terms import piece_terms

        return piece_terms(self.system)

    def _own(self, p):
        """All parameters: as given, or as they are for good."""
        return p if self.reads_p else [*self.system.valued(self._values or {}).values()]

    @property
    def held_rows(self):
        """`names`, `owners` and `places` of rows that always hold."""
        pieces = self._pieces(find("openness"))
        return pieces.s if pieces else self.labels("held_rows")

    def compiled(self, name: str, lanes: bool = False) -> Kernel | None:
        """The same graph as a kernel of its ports, then p; none when it is too long for that."""
        if self._pieces(find(name)):
            return None
        made = self._function(find(name))
        if lanes not in made.kernels and len(made) <= LONGEST:
            key = self._key("interpreted", name)
            made.kernels[lanes] = Kernel(
                name, made.program, key=key, shapes={"t": ()}, lanes=lanes, shared=True
            )
        return made.kernels.get(lanes)

    def __call__(self, name: str | Quantity, *arrays, p: Any = None) -> list[np.ndarray]:
        """Outputs at one state, each of its own shape."""
        quantity = find(name) if isinstance(name, str) else name
        if pieces := self._pieces(quantity):
            states = (np.reshape(x, (1, -1)) for x in arrays)
            return [y[0] for y in pieces(quantity.name, *states, p=self._own(p))]
        made, own = self._function(quantity), quantity.given(self.system)
        for x, size, port in zip(arrays, made.sizes, own, strict=False):
            if np.size(x) != size:
                raise ArgumentError(
                    f"{port}: expected {size} numbers, got an array of shape {np.shape(x)}"
                )
        given = (*arrays, p) if self.reads_p else arrays
        with self._lock:
            found = made.one([np.ravel(x) for x in given])
        return [y.reshape(s) for y, s in zip(found, made.shapes, strict=True)]

    def rows(self, name: str | Quantity, *arrays, p: Any = None) -> list[np.ndarray]:
        """Outputs at many states, each (numbers, rows), for arrays of one state a row."""
        quantity = find(name) if isinstance(name, str) else name
        if pieces := self._pieces(quantity):
            found = pieces(quantity.name, *arrays, p=self._own(p))
            return [y.reshape(len(y), -1).T for y in found]
        made = self._function(quantity)
        columns = [x[:, None] if np.ndim(x) == 1 else np.asarray(x) for x in arrays]
        if self.reads_p:
            own, n = np.asarray(p, dtype=float), len(columns[0])
            columns.append(
                own if own.shape[:-1] == (n,) else np.broadcast_to(own, (n, own.shape[-1]))
            )
        with self._lock:
            return made.many(columns)


def _named(names, count: int) -> tuple[str, ...]:
    """Names of so many outputs: as declared, or counted where there are as many as elements."""
    return names if len(names) == count else tuple(f"out{i}" for i in range(count))


@once()
def interpreted(system) -> Interpreted:
    """The graphs of a system, parameters read at each call; traced once for all that ask."""
    return Interpreted(system)


@once(most=16)
def by_columns(system, values: tuple) -> ByColumns:
    """Quantities of a system by columns at some values of its parameters; made once."""
    from ..quantities import Scene

    return ByColumns(Scene(system, Columns(dict(values))))


class ByColumns:
    """Quantities of a system for all rows of a run at once, by arrays: nothing is compiled."""

    def __init__(self, scene: Scene):
        self.scene = scene

    def __call__(self, name: str, *arrays) -> np.ndarray:
        """Numbers of all outputs, (numbers, rows), for arrays of one state a row."""
        quantity = find(name)

        def over(*columns):
            return flat(list(results(quantity, self.scene, columns)))

        shaped = (x[:, None] if np.ndim(x) == 1 else x for x in arrays)
        return evaluate(self.scene.K, over, *shaped)


def by_own_columns(system, p, name: str, *arrays) -> np.ndarray:
    """A quantity by columns, (numbers, rows), where every row has parameters of its own."""
    from ..quantities import Scene

    out = []
    for first in range(0, max(len(p), 1), COLUMNS):
        cut = slice(first, first + COLUMNS)
        K = Columns({})
        K.parameters.update(zip(system.parameters, K.take(p[cut]), strict=True))
        out.append(ByColumns(Scene(system, K))(name, *(x[cut] for x in arrays)))
    return np.concatenate(out, axis=1)


def _array(x):
    return vector(flat(x)) if isinstance(x, list | tuple) else x
