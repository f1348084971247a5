"""From a `casadi.Function` of scalar expressions to a `Program`."""

from collections.abc import Callable, Mapping
from functools import cache

from ..errors import KernelError
from .ports import Port
from .program import Builder, Program, RoutineCall
from .refine import shared_divisors


@cache
def _names() -> dict[int, str]:
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
    shapes = shapes or {}

    def port(name, rows, columns):
        shape = shapes.get(name, (rows,) if columns == 1 or not rows * columns else (rows, columns))
        made = Port(name, tuple(shape))
        if made.size != rows * columns:
            raise KernelError(
                f"port {name!r} of {function.name()!r} has {rows} x {columns} numbers, "
                f"which do not fill the shape {made.shape}"
            )
        return made

    return (
        tuple(port(n, *function.size_in(n)) for n in function.name_in()),
        tuple(port(n, *function.size_out(n)) for n in function.name_out()),
    )


def _places(sparsity) -> list[int]:
    """Row-by-row position of each stored entry of a column-by-column pattern."""
    rows, columns = sparsity.get_triplet()
    width = sparsity.size2()
    return [r * width + c for r, c in zip(rows, columns, strict=True)]


def read_calling(
    pair: tuple, shapes: Mapping[str, tuple[int, ...]] | None = None, made: dict | None = None
) -> Program:
    """Program of a function whose last inputs are what routines answer to its last outputs.

    `pair` is that function, and for each call its routine, as such a pair, and the number of
    arrays that it takes; one routine is read once.  A third number says how many inputs before
    those are what another kernel gives, which is called ahead.
    """
    made = {} if made is None else made
    function, inner, *ahead = pair
    calls = []
    for routine, arrays in inner:
        if id(routine) not in made:
            made[id(routine)] = read_calling(routine, None, made)
        calls.append(RoutineCall(made[id(routine)], arrays))
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
    known = len(inputs) - len(calls)
    own, shown = known - ahead, len(outputs) - sum(c.arrays for c in calls)
    into = [_places(function.sparsity_in(i)) for i in range(function.n_in())]
    out_of = [_places(function.sparsity_out(i)) for i in range(function.n_out())]
    b = Builder()
    results = [[b.zero] * port.size for port in outputs]
    names = _names()
    unary = {"neg": b.neg, "sqrt": b.sqrt, "assign": lambda x: x}
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
    work = [b.zero] * function.sz_w()
    code, source, target = (
        function.instruction_id,
        function.instruction_input,
        function.instruction_output,
    )
    for k in range(function.n_instructions()):
        op = names.get(code(k))
        if op == "output":
            port, entry = target(k)
            results[port][out_of[port][entry]] = work[source(k)[0]]
            continue
        if op == "const":
            value = b.const(function.instruction_constant(k))
        elif op == "input":
            port, entry = source(k)
            at = into[port][entry]
            if port < own:
                value = b.input(port, at)
            else:
                value = b.put(
                    *(("got", port - known) if port >= known else ("ahead", port - own)), at
                )
        elif op is None:
            raise KernelError(
                f"{function.name()!r} uses CasADi operation {code(k)}, not known here"
            )
        elif op in unary:
            value = unary[op](work[source(k)[0]])
        elif op in binary:
            i, j = source(k)
            value = binary[op](work[i], work[j])
        else:
            value = b.call(op, *(work[i] for i in source(k)))
        work[target(k)[0]] = value
    sizes = tuple(p.size for p in inputs[own:known])
    whole = b.finish(function.name(), inputs[:own], outputs[:shown], results, calls, sizes)
    return shared_divisors(whole)
