"""Reader of CasADi: a `casadi.Function` of scalar expressions (SX) becomes a `Program`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from ...errors import KernelError
from ..codegen.native_functions import NativeRoutine
from .normal_form import Builder, share_reciprocals
from .ports import Port
from .program import Program, RoutineCall
from .table_lookup import TableLookup, is_search, read_lookup


@cache
def operation_names() -> dict[int, str]:
    """Names of CasADi's operation codes."""
    import casadi

    direct = (
        "sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp log expm1 log1p erf "
        "sqrt fabs sign floor ceil fmin fmax lt le eq ne and or not atan2 hypot fmod copysign "
        "remainder add sub mul div neg sq twice inv pow constpow const input output "
        "if_else_zero assign"
    )
    return {getattr(casadi, f"OP_{name.upper()}"): name for name in direct.split()}


def read_ports(function: Any, shapes: Mapping[str, tuple[int, ...]] | None = None):
    """Input and output ports of a function: a column is 1-D, a matrix 2-D, unless in `shapes`.

    >>> import casadi
    >>> q = casadi.SX.sym("q", 3)
    >>> read_ports(casadi.Function("f", [q], [q @ q.T], ["q"], ["M"]))
    ((Port(name='q', shape=(3,)),), (Port(name='M', shape=(3, 3)),))
    """
    name, given_shapes = function.name(), shapes or {}
    return (
        tuple(_make_port(name, n, function.size_in(n), given_shapes) for n in function.name_in()),
        tuple(_make_port(name, n, function.size_out(n), given_shapes) for n in function.name_out()),
    )


def _make_port(owner: str, name: str, size: tuple[int, int], shapes) -> Port:
    """Port with the shape of a matrix, or the shape given for its name."""
    rows, columns = size
    shape = shapes.get(name, (rows,) if columns == 1 or not rows * columns else (rows, columns))
    port = Port(name, tuple(shape))
    if port.size != rows * columns:
        raise KernelError(
            f"port {name!r} of {owner!r} has {rows} x {columns} numbers, "
            f"which do not fit the shape {port.shape}"
        )
    return port


def _list_row_major_positions(sparsity) -> list[int]:
    """Row-major position of each stored entry of a column-major sparsity pattern."""
    rows, columns = sparsity.get_triplet()
    width = sparsity.size2()
    return [r * width + c for r, c in zip(rows, columns, strict=True)]


def read_program_with_calls(
    pair: tuple, shapes: Mapping[str, tuple[int, ...]] | None = None, programs: dict | None = None
) -> Program:
    """Program of a function that calls routines.

    The last inputs of the function are the results of the calls, its last outputs are their
    arguments. `pair` is that function and the list of calls.  A call is its routine (such a pair,
    or the arguments of a `NativeRoutine`), its number of array arguments, and its numbers of
    columns.  A routine is read once.  A third element of `pair` is the number of inputs before the
    results that are outputs of the upstream kernel.
    """
    programs = {} if programs is None else programs
    function, inner_calls, *upstream_count = pair
    calls = []
    for routine, *numbers in inner_calls:
        if id(routine) not in programs:
            named = isinstance(routine[0], str)  # native text
            programs[id(routine)] = (
                NativeRoutine(*routine)
                if named
                else read_program_with_calls(routine, None, programs)
            )
        calls.append(RoutineCall(programs[id(routine)], *numbers))
    return read(function, shapes, tuple(calls), *upstream_count)


def read(
    function: Any,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    calls: tuple[RoutineCall, ...] = (),
    upstream_count: int = 0,
) -> Program:
    """Program of a `casadi.Function` made of `SX` expressions.

    Parameters
    ----------
    function : casadi.Function
        Matrices are read row by row.  Entries outside their pattern are zero.
    shapes : mapping, optional
        Shape of a port by name, where it is not the one of the matrix: `{"t": ()}`.

    Examples
    --------
    >>> import casadi
    >>> q = casadi.SX.sym("q", 2)
    >>> f = casadi.Function("f", [q], [casadi.sin(q[0]) * q[1] - casadi.cos(-q[0])], ["q"], ["y"])
    >>> read(f).operations
    {'mul': 1, 'add': 1, 'div': 0, 'trig': 1, 'sqrt': 0}
    """
    if not function.is_a("SXFunction"):
        raise KernelError(f"{function.name()!r} is not made of SX expressions; call expand() first")
    inputs, outputs = read_ports(function, shapes)
    input_positions = [
        _list_row_major_positions(function.sparsity_in(i)) for i in range(function.n_in())
    ]
    output_positions = [
        _list_row_major_positions(function.sparsity_out(i)) for i in range(function.n_out())
    ]
    positions = input_positions, output_positions, function.sz_w()
    return _build_program(
        function.name(),
        (inputs, outputs),
        positions,
        iterate_operations(function),
        calls,
        upstream_count,
    )


def read_columns(
    name: str,
    sizes: tuple[Mapping[str, int], Mapping[str, int], int],
    steps: Iterable[tuple],
    shapes: Mapping[str, tuple[int, ...]] | None = None,
) -> Program:
    """Program of operations that were read from a function of columns before.

    `sizes` are the sizes of each input, of each output, and of the work vector of CasADi.
    """
    ports = tuple(
        tuple(_make_port(name, n, (size, 1), shapes or {}) for n, size in sizes_by_name.items())
        for sizes_by_name in sizes[:2]
    )
    input_positions, output_positions = (
        [range(p.size) for p in sizes_by_name] for sizes_by_name in ports
    )
    return _build_program(name, ports, (input_positions, output_positions, sizes[2]), steps)


def iterate_operations(function: Any) -> Iterator[tuple[str, Sequence[int], Any]]:
    """Operations of a function: name, target positions, and operands."""
    names = operation_names()
    code, source, target, constant = (
        function.instruction_id,
        function.instruction_input,
        function.instruction_output,
        function.instruction_constant,
    )
    calls = _find_table_lookups(function) if function.get_function() else {}
    for k in range(function.n_instructions()):
        if k in calls:
            lookup = calls[k]
            yield ("const", target(k), 0.0) if lookup is None else (lookup, target(k), source(k))
            continue
        name = names.get(code(k))
        if name is None:
            raise KernelError(
                f"{function.name()!r} uses CasADi operation {code(k)}, which is not supported"
            )
        yield name, target(k), constant(k) if name == "const" else source(k)


def _find_table_lookups(function: Any) -> dict[int, TableLookup | None]:
    """Table lookup of each call instruction, or None for a derivative, which is zero."""
    import casadi

    steps, lookups = function.instructions_sx(), {}
    for k in range(function.n_instructions()):
        if function.instruction_id(k) == casadi.OP_CALL:
            lookups[k] = read_lookup(casadi, steps[k].which_function())
    return lookups


def _build_program(name, ports, positions, steps, calls=(), upstream_count=0) -> Program:
    """Program of a sequence of operations on the work vector of CasADi."""
    (inputs, outputs), (input_positions, output_positions, size) = ports, positions
    n_without_results = len(inputs) - len(calls)
    n_inputs, n_outputs = (
        n_without_results - upstream_count,
        len(outputs) - sum(c.arrays for c in calls),
    )
    b = Builder()
    results = [[b.zero] * port.size for port in outputs]
    unary = {"neg": b.neg, "sqrt": b.sqrt, "assign": lambda x: x}
    unary["floor"] = lambda x: x if is_search(b.nodes[x >> 1][0]) else b.call("floor", x)
    unary["sq"] = lambda x: b.mul(x, x)
    unary["twice"] = lambda x: b.add(x, x)
    unary["inv"] = lambda x: b.div(b.one, x)
    binary: dict[str, Callable[[int, int], int]] = {
        "add": b.add,
        "sub": b.sub,
        "mul": b.mul,
        "div": b.div,
        "pow": b.power,
    }
    binary |= {"constpow": b.power, "if_else_zero": b.if_else_zero}
    work = [b.zero] * size
    for op, target, source in steps:
        if op == "output":
            port, entry = target
            results[port][output_positions[port][entry]] = work[source[0]]
            continue
        if op == "const":
            value = b.const(source)
        elif op == "input":
            port, entry = source
            position = input_positions[port][entry]
            if port < n_inputs:
                value = b.input(port, position)
            else:
                value = b.intern_node(
                    *(
                        ("got", port - n_without_results)
                        if port >= n_without_results
                        else ("ahead", port - n_inputs)
                    ),
                    position,
                )
        elif op in unary:
            value = unary[op](work[source[0]])
        elif op in binary:
            i, j = source
            value = binary[op](work[i], work[j])
        else:
            value = b.call(op, *(work[i] for i in source))
        work[target[0]] = value
    upstream_sizes = tuple(p.size for p in inputs[n_inputs:n_without_results])
    program = b.build_program(
        name, inputs[:n_inputs], outputs[:n_outputs], results, calls, upstream_sizes
    )
    return share_reciprocals(program)
