"""Changes to a program that keep its values, to a rounding, and make it cheaper to run."""

from collections import Counter

from .program import LEAVES, Builder, Program


def shared_divisors(program: Program) -> Program:
    """Divide once by what divides several numbers: a division costs as much as ten products.

    >>> b = Builder()
    >>> x, y, d = (b.input(0, k) for k in range(3))
    >>> from .program import Port
    >>> ports = [Port("x", (3,))], [Port("y", (2,))]
    >>> shared_divisors(b.finish("f", *ports, [[b.div(x, d), b.div(y, d)]])).operations
    {'mul': 2, 'add': 0, 'div': 1, 'trig': 0, 'sqrt': 0}
    """
    divisors = Counter(node[2] for node in program.nodes if node[0] == "div")
    if not any(n > 1 for n in divisors.values()):
        return program
    b = Builder()
    new: list[int] = []
    for op, *args in program.nodes:
        if op in LEAVES:
            new.append(b.const(*args) if op == "const" else b.put(op, *args))
            continue
        x = [new[r >> 1] ^ r & 1 for r in args]
        if op == "div" and divisors[args[1]] > 1:
            new.append(b.mul(x[0], b.div(b.one, x[1])))
        elif op in ("add", "mul", "div"):
            new.append(getattr(b, op)(*x))
        else:
            new.append(b.put(op, *x))
    rows = [[new[r >> 1] ^ r & 1 for r in row] for row in program.results]
    return b.finish(
        program.name, program.inputs, program.outputs, rows, program.calls, program.ahead
    )
