"""From a `casadi.Function` of scalar expressions to a `Program`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from ...errors import KernelError
from ..codegen.native_functions import NativeRoutine
from ..codegen.table_lookup import Lookup, finds, looked_up
from .ports import Port
from .program import Builder, Program, RoutineCall
from .simplify import shared_divisors


@cache
def operation_names() -> dict[int, str]:
    """Words for the codes of CasADi's operations."""
    import casadi

    direct = (
        "sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp log expm1 log1p erf "
        "sqrt fabs sign floor ceil fmin fmax lt le eq ne and or not atan2 hypot fmod copysign "
        "remainder add sub mul div neg sq twice inv pow constpow const input output "
        "if_else_zero assign"
    )
    return {getattr(casadi, f"OP_{word.upper()}"): word for word in direct.split()}


def ports(function, shapes: Mapping[str, tuple[int, ...]] | None = None):
    """Input and output ports of a function: a column is 1-D, a matrix 2-D, unless told.

    >>> import casadi
    >>> q = casadi.SX.sym("q", 3)
    >>> ports(casadi.Function("f", [q], [q @ q.T], ["q"], ["M"]))
    ((Port(name='q', shape=(3,)),), (Port(name='M', shape=(3, 3)),))
    """
    own, given = function.name(), shapes or {}
    return (
        tuple(_port(own, n, function.size_in(n), given) for n in function.name_in()),
        tuple(_port(own, n, function.size_out(n), given) for n in function.name_out()),
    )


def _port(owner: str, name: str, size: tuple[int, int], shapes) -> Port:
    rows, columns = size
    shape = shapes.get(name, (rows,) if columns == 1 or not rows * columns else (rows, columns))
    made = Port(name, tuple(shape))
    if made.size != rows * columns:
        raise KernelError(
            f"port {name!r} of {owner!r} has {rows} x {columns} numbers, "
            f"which do not fill the shape {made.shape}"
        )
    return made


def _places(sparsity) -> list[int]:
    """Row-by-row position of each stored entry of a column-by-column pattern."""
    rows, columns = sparsity.get_triplet()
    width = sparsity.size2()
    return [r * width + c for r, c in zip(rows, columns, strict=True)]


def read_calling(
    pair: tuple, shapes: Mapping[str, tuple[int, ...]] | None = None, made: dict | None = None
) -> Program:
    """Program of a function whose last inputs are what routines answer to its last outputs.

    `pair` is that function, and for each call its routine, as such a pair or as what a
    `NativeRoutine` has, the number of arrays that it takes, and of columns; one routine is read
    once.  A third number says how many inputs before those are what another kernel gives, which is
    called ahead.
    """
    made = {} if made is None else made
    function, inner, *ahead = pair
    calls = []
    for routine, *numbers in inner:
        if id(routine) not in made:
            named = isinstance(routine[0], str)  # native text
            made[id(routine)] = (
                NativeRoutine(*routine) if named else read_calling(routine, None, made)
            )
        calls.append(RoutineCall(made[id(routine)], *numbers))
    return read(function, shapes, tuple(calls), *ahead)


def read(
    function,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    calls: tuple[RoutineCall, ...] = (),
    ahead: int = 0,
) -> Program:
    """Program of a `casadi.Function` made of `SX` expressions.

    Parameters
    ----------
    function : casadi.Function
        Matrices are read row by row; entries outside their pattern are zero.
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
    inputs, outputs = ports(function, shapes)
    into = [_places(function.sparsity_in(i)) for i in range(function.n_in())]
    out_of = [_places(function.sparsity_out(i)) for i in range(function.n_out())]
    places = into, out_of, function.sz_w()
    return _program(function.name(), (inputs, outputs), places, operations(function), calls, ahead)


def read_columns(
    name: str,
    sizes: tuple[Mapping[str, int], Mapping[str, int], int],
    steps: Iterable[tuple],
    shapes: Mapping[str, tuple[int, ...]] | None = None,
) -> Program:
    """Program of operations that were read of a function of columns before.

    `sizes` are numbers of each input, of each output, and of places for what is between.
    """
    own = tuple(
        tuple(_port(name, n, (size, 1), shapes or {}) for n, size in side.items())
        for side in sizes[:2]
    )
    into, out_of = ([range(p.size) for p in side] for side in own)
    return _program(name, own, (into, out_of, sizes[2]), steps)


def operations(function) -> Iterator[tuple[str, Sequence[int], Any]]:
    """Operations of a function: a word, where each writes, and what it reads."""
    names = operation_names()
    code, source, target, constant = (
        function.instruction_id,
        function.instruction_input,
        function.instruction_output,
        function.instruction_constant,
    )
    calls = _called(function) if function.get_function() else {}
    for k in range(function.n_instructions()):
        if k in calls:
            own = calls[k]
            yield ("const", target(k), 0.0) if own is None else (own, target(k), source(k))
            continue
        word = names.get(code(k))
        if word is None:
            raise KernelError(
                f"{function.name()!r} uses CasADi operation {code(k)}, not known here"
            )
        yield word, target(k), constant(k) if word == "const" else source(k)


def _called(function) -> dict[int, Lookup | None]:
    """What each call of a graph looks up, by the number of its instruction."""
    import casadi

    steps, found = function.instructions_sx(), {}
    for k in range(function.n_instructions()):
        if function.instruction_id(k) == casadi.OP_CALL:
            found[k] = looked_up(casadi, steps[k].which_function())
    return found


def _program(name, ports, places, steps, calls=(), ahead=0) -> Program:
    """The program of operations on places."""
    (inputs, outputs), (into, out_of, size) = ports, places
    known = len(inputs) - len(calls)
    own, shown = known - ahead, len(outputs) - sum(c.arrays for c in calls)
    b = Builder()
    results = [[b.zero] * port.size for port in outputs]
    unary = {"neg": b.neg, "sqrt": b.sqrt, "assign": lambda x: x}
    unary["floor"] = lambda x: x if finds(b.nodes[x >> 1][0]) else b.call("floor", x)
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
            results[port][out_of[port][entry]] = work[source[0]]
            continue
        if op == "const":
            value = b.const(source)
        elif op == "input":
            port, entry = source
            at = into[port][entry]
            if port < own:
                value = b.input(port, at)
            else:
                value = b.put(
                    *(("got", port - known) if port >= known else ("ahead", port - own)), at
                )
        elif op in unary:
            value = unary[op](work[source[0]])
        elif op in binary:
            i, j = source
            value = binary[op](work[i], work[j])
        else:
            value = b.call(op, *(work[i] for i in source))
        work[target[0]] = value
    sizes = tuple(p.size for p in inputs[own:known])
    whole = b.finish(name, inputs[:own], outputs[:shown], results, calls, sizes)
    return shared_divisors(whole)
