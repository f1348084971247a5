"""Interpreter of graphs: CasADi evaluates a graph, or NumPy a cached list of its operations.

A graph that was traced before, by the same sources for the same system, is a list of operations in
the cache.  NumPy evaluates the list a few times.  For more evaluations CasADi is loaded and the
graph is traced again.  Both give the same bits.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..compiler import KeptGraph, Kernel, remembered
from ..errors import ArgumentError
from ..quantities import QUANTITIES, Quantity, SymbolicSystem, find
from ..scalars import is_ours, vector
from ..system import System, once
from . import strategy, thresholds
from .graph_trigonometry import TrigonometricGraph
from .tracing import evaluate_formula, flatten_numbers

if TYPE_CHECKING:
    from .repeated_blocks.terms import BlockTerms


class RowLabels(NamedTuple):
    """Names of constraint rows, the elements they come from, and which are rows of positions."""

    names: tuple[str, ...]
    owners: tuple[int, ...]
    places: tuple[int, ...]


class SparseJacobian(NamedTuple):
    """The Jacobian of all outputs of a quantity by all its inputs, as a list of entries."""

    entries: Any
    rows: list[int]
    columns: list[int]
    sizes: list[int]  # numbers of each output


class GraphInterpreter:
    """Quantities of a system as interpreted graphs: nothing is compiled.

    `values` fixes parameters.  Without it each call takes them.
    """

    def __init__(
        self, system: System, values: Mapping[str, float] | None = None, skipped: Sequence[int] = ()
    ):
        self.system, self.reads_p = system, values is None
        self._values, self._skipped = values, skipped
        self._cacheable = values is None and not skipped  # the digest of the system says all
        self._functions: dict[Quantity, CachedFunction] = {}
        self._jacobians: dict[Quantity, SparseJacobian] = {}
        self._labels: dict[str, RowLabels] = {}
        self.asked: set[str] = set()  # quantities evaluated before: `repeated` compiles them
        self._lock = threading.RLock()  # a scene makes its symbols once, for all threads

    @cached_property
    def scene(self) -> SymbolicSystem:
        """The system over a graph."""
        names = tuple(self.system.parameters) if self.reads_p else ()
        K = TrigonometricGraph(dict(self._values or {}))
        return SymbolicSystem(self.system, K, names, skipped=self._skipped)

    def labels(self, rows: str = "rows") -> RowLabels:
        """Labels of the rows under an attribute of the scene: `rows`, `held_rows`, `every_row`."""
        with self._lock:
            if rows not in self._labels:
                elements = (*self.system.held, *self.system.switched)
                key = self._key("labels", rows) if self._cacheable else None
                table = remembered(key, lambda: _number_rows(getattr(self.scene, rows), elements))
                names = (f"{elements[i].name}.{elements[i].labels[j]}" for i, j, _ in table)
                positions = (n for n, (*_, is_position) in enumerate(table) if is_position)
                self._labels[rows] = RowLabels(
                    tuple(names), tuple(x[0] for x in table), (*positions,)
                )
            return self._labels[rows]

    def _function(self, quantity: Quantity) -> CachedFunction:
        with self._lock:
            if quantity not in self._functions:
                ours = QUANTITIES.get(quantity.name) is quantity and is_ours(quantity.formula)
                key = self._key("traced", quantity.name) if self._cacheable and ours else None
                self._functions[quantity] = CachedFunction(lambda: self._trace(quantity), key)
            return self._functions[quantity]

    def _key(self, *words: str) -> bytes:
        return hashlib.sha256(repr((self.system.digest, *words)).encode()).digest()

    def _trace_columns(self, quantity: Quantity) -> tuple[tuple[str, ...], list, list]:
        """Input ports of a quantity, its outputs as columns, and their shapes."""
        K, lib = self.scene.K, self.scene.K.lib
        ports = quantity.given(self.system)
        outputs = evaluate_formula(quantity, self.scene, [self.scene[x] for x in ports])
        columns = [
            lib.vec(x.T) if isinstance(x, lib.SX) else K.sx(vector(flatten_numbers(x)))
            for x in outputs
        ]
        shapes = [x.shape if isinstance(x, lib.SX) else np.shape(x) for x in outputs]
        return (*ports, *["p"] * self.reads_p), columns, shapes

    def _trace(self, quantity: Quantity) -> tuple[Any, list]:
        """The `casadi.Function` of a quantity, and the shapes of its outputs."""
        with self._lock:
            K, lib = self.scene.K, self.scene.K.lib
            ports, columns, shapes = self._trace_columns(quantity)
            declared = len(quantity.outputs) == len(columns)
            f = lib.Function(
                quantity.name,
                [K.sx(self.scene[x]) for x in ports],
                [lib.densify(x) for x in columns],
                list(ports),
                list(quantity.outputs) if declared else [f"out{i}" for i in range(len(columns))],
            )
            return f, shapes

    def _jacobian(self, quantity: Quantity) -> SparseJacobian:
        """The Jacobian of a quantity, traced once."""
        with self._lock:
            if quantity not in self._jacobians:
                K, lib = self.scene.K, self.scene.K.lib
                ports, columns, _ = self._trace_columns(quantity)
                inputs = [K.sx(self.scene[x]) for x in ports]
                J = lib.jacobian(lib.vertcat(*columns), lib.vertcat(*inputs))
                entries = lib.vertcat(*J.nonzeros()) if J.nnz() else lib.SX(0, 1)
                f = lib.Function(quantity.name, inputs, [entries])
                rows, cols = J.sparsity().get_triplet()
                sizes = [x.numel() for x in columns]
                self._jacobians[quantity] = SparseJacobian(Interpreter(f, []), rows, cols, sizes)
            return self._jacobians[quantity]

    def along(self, name: str, ports: Mapping, moves: Mapping, p: Any = None) -> list[np.ndarray]:
        """Directional derivatives of each output of a quantity, (numbers, states, directions).

        `ports` holds its inputs, (states, n) each, `moves` their derivatives, (n, states,
        directions).
        """
        quantity = find(name)
        J, inputs = self._jacobian(quantity), quantity.given(self.system)
        columns = [np.asarray(ports[x], dtype=float) for x in inputs]
        columns = [x[:, None] if x.ndim == 1 else x for x in columns]
        if self.reads_p:
            columns.append(np.broadcast_to(np.asarray(p, float), (len(columns[0]), len(p))))
        X = [row for x in (*inputs, *["p"] * self.reads_p) for row in moves[x]]
        out = np.zeros((sum(J.sizes), *X[0].shape))
        with self._lock:
            (entries,) = J.entries.many(columns) if len(J.rows) else ((),)
        for i, j, entry in zip(J.rows, J.columns, entries, strict=True):
            out[i] += entry[:, None] * X[j]
        return np.split(out, np.cumsum(J.sizes)[:-1])

    def _block_terms(self, quantity: Quantity) -> BlockTerms | None:
        """The evaluator of a quantity class by class, None where its whole graph is evaluated."""
        name = quantity.name
        if QUANTITIES.get(name) is not quantity or not strategy.evaluates_blocks(self.system, name):
            return None
        from .repeated_blocks.terms import block_terms

        return block_terms(self.system)

    def _all_parameters(self, p):
        return p if self.reads_p else [*self.system.valued(self._values or {}).values()]

    @property
    def held_rows(self):
        """`names`, `owners` and `places` of the rows of bilateral constraints."""
        terms = self._block_terms(find("openness"))
        return terms.structure if terms else self.labels("held_rows")

    def compiled(self, name: str, lanes: bool = False) -> Kernel | None:
        """The same graph as a kernel of its ports, then p.

        None if it is too long, or if the quantity is evaluated by repeated blocks.
        """
        if self._block_terms(find(name)):
            return None
        function = self._function(find(name))
        if lanes not in function.kernels and strategy.compiles_graph(len(function)):
            key = self._key("interpreted", name)
            function.kernels[lanes] = Kernel(
                name, function.program, key=key, shapes={"t": ()}, lanes=lanes, shared=True
            )
        return function.kernels.get(lanes)

    def __call__(self, name: str | Quantity, *arrays, p: Any = None) -> list[np.ndarray]:
        """Outputs at one state, each of its own shape."""
        quantity = find(name) if isinstance(name, str) else name
        if terms := self._block_terms(quantity):
            states = (np.reshape(x, (1, -1)) for x in arrays)
            return [y[0] for y in terms(quantity.name, *states, p=self._all_parameters(p))]
        function, ports = self._function(quantity), quantity.given(self.system)
        for x, size, port in zip(arrays, function.sizes, ports, strict=False):
            if np.size(x) != size:
                raise ArgumentError(
                    f"{port}: expected {size} numbers, got an array of shape {np.shape(x)}"
                )
        inputs = (*arrays, p) if self.reads_p else arrays
        with self._lock:
            outputs = function.one([np.ravel(x) for x in inputs])
        return [y.reshape(s) for y, s in zip(outputs, function.shapes, strict=True)]

    def rows(self, name: str | Quantity, *arrays, p: Any = None) -> list[np.ndarray]:
        """Outputs at many states, each (numbers, states), for arrays of one state a row."""
        quantity = find(name) if isinstance(name, str) else name
        if terms := self._block_terms(quantity):
            outputs = terms(quantity.name, *arrays, p=self._all_parameters(p))
            return [y.reshape(len(y), -1).T for y in outputs]
        function = self._function(quantity)
        columns = [x[:, None] if np.ndim(x) == 1 else np.asarray(x) for x in arrays]
        if self.reads_p:
            numbers, n = np.asarray(p, dtype=float), len(columns[0])
            columns.append(
                numbers
                if numbers.shape[:-1] == (n,)
                else np.broadcast_to(numbers, (n, numbers.shape[-1]))
            )
        with self._lock:
            return function.many(columns)


@once()
def interpreted(system: System) -> GraphInterpreter:
    """The interpreter of a system that takes parameters at each call, one for all callers."""
    return GraphInterpreter(system)


def _number_rows(rows, elements) -> list[list[int]]:
    """Of every row its element, the index of its label, and whether it is a row of positions.

    A digest of a system holds no names.
    """
    return [
        [i, elements[i].labels.index(name.removeprefix(f"{elements[i].name}.")), n in rows.places]
        for n, (name, i) in enumerate(zip(rows.names, rows.owners, strict=True))
    ]


class CachedFunction:
    """A function of columns, and the shapes of its outputs.

    `trace` makes both by CasADi.  `key` is a digest of all that this depends on, or None where
    nothing is cached.
    """

    def __init__(self, trace: Callable[[], tuple[Any, list]], key: bytes | None = None):
        self._trace, self._key = trace, key
        self._evaluations_left = thresholds.MAX_CACHED_LIST_EVALUATIONS
        self.kernels: dict[bool, Kernel] = {}
        entry = KeptGraph.kept(key) if key is not None else None
        self._cached = entry[0] if entry else None
        self._operations = self._cached
        self.shapes = [tuple(x) for x in entry[1]["shapes"]] if entry else self._graph.shapes

    @cached_property
    def _graph(self) -> Interpreter:
        function, shapes = self._trace()
        if self._key is not None and self._cached is None:
            self._operations = KeptGraph.of(function)
            if self._operations is not None:
                self._operations.keep(self._key, {"shapes": shapes})
        return Interpreter(function, shapes)

    def program(self) -> Any:
        """The program or `casadi.Function` that the compiler reads."""
        if self._cached is not None:
            return self._cached.program({"t": ()})
        return self._graph.function

    @property
    def sizes(self) -> list[int]:
        """Numbers of each input."""
        if self._cached is not None:
            return self._cached.inputs
        return [x.shape[1] for x in self._graph.args]

    def __len__(self) -> int:
        """Number of operations."""
        if self._operations is not None:
            return len(self._operations)
        return self._graph.function.n_instructions()

    def _take_cached(self) -> KeptGraph | None:
        """The cached operation list, for the first evaluations."""
        self._evaluations_left -= 1
        is_first = self._evaluations_left >= 0 and "_graph" not in self.__dict__
        return self._cached if is_first else None

    def one(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Each output at one state."""
        cached = self._take_cached()
        if cached is not None:
            return [x.T for x in cached([np.reshape(x, (1, -1)) for x in inputs])]
        return self._graph.one(inputs)

    def many(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Each output (numbers, states), of arrays (states, numbers)."""
        is_long = len(inputs[0]) >= thresholds.MIN_NUMPY_ROWS
        operations = self._operations if is_long else self._take_cached()
        return operations(inputs) if operations is not None else self._graph.many(inputs)


class Interpreter:
    """A `casadi.Function` with buffers for one state, and for a block of states."""

    def __init__(self, function: Any, shapes: list):
        self.function, self.shapes = function, shapes
        self.args, self.results, self._run = _allocate_buffers(function, 1)
        self._block: tuple | None = None

    def one(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Each output at one state."""
        for buffer, x in zip(self.args, inputs, strict=True):
            buffer[0] = x
        self._run()
        return [x.copy() for x in self.results]

    def many(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Each output (numbers, states), of arrays (states, numbers)."""
        n, block = len(inputs[0]), thresholds.CASADI_MAP_STATES
        if n == 1:
            return [x.T for x in self.one(inputs)]
        outputs = [np.empty((n, x.shape[1])) for x in self.results]
        in_blocks = n - n % block
        if in_blocks and self._block is None:
            self._block = _allocate_buffers(self.function.map(block), block)
        for i in (*range(0, in_blocks, block), *range(in_blocks, n)):
            args, results, run = self._block if self._block and i < in_blocks else (
                self.args, self.results, self._run)  # fmt: skip
            rows = slice(i, i + len(args[0]))
            for buffer, x in zip(args, inputs, strict=True):
                buffer[:] = x[rows]
            run()
            for x, buffer in zip(outputs, results, strict=True):
                x[rows] = buffer
        return [x.T for x in outputs]


def _allocate_buffers(
    function: Any, states: int
) -> tuple[list[np.ndarray], list[np.ndarray], Callable[[], None]]:
    """Arrays of arguments and results of a function of several states, and the call itself."""
    buffer, run = function.buffer()
    args = [np.zeros((states, function.numel_in(i) // states)) for i in range(function.n_in())]
    results = [np.zeros((states, function.numel_out(i) // states)) for i in range(function.n_out())]
    for i, x in enumerate(args):
        buffer.set_arg(i, x.data)
    for i, x in enumerate(results):
        buffer.set_res(i, x.data)

    def compute(alive=(buffer, function)):  # the call does not hold them
        run()

    return args, results, compute
