"""Changes to a program that keep its values, to a rounding, and make it cheaper to run."""

from collections import Counter

from .program import LEAF_OPS, Builder, Program


def share_reciprocals(program: Program) -> Program:
    """Divide once by what divides several numbers: a division costs as much as ten products.

    >>> b = Builder()
    >>> x, y, d = (b.input(0, k) for k in range(3))
    >>> from .ports import Port
    >>> ports = [Port("x", (3,))], [Port("y", (2,))]
    >>> share_reciprocals(b.build_program("f", *ports, [[b.div(x, d), b.div(y, d)]])).operations
    {'mul': 2, 'add': 0, 'div': 1, 'trig': 0, 'sqrt': 0}
    """
    divisors = Counter(node[2] for node in program.nodes if node[0] == "div")
    if not any(n > 1 for n in divisors.values()):
        return program
    b = Builder()
    new: list[int] = []
    rules = {"add": b.add, "mul": b.mul, "div": b.div}
    for node in program.nodes:
        op = node[0]
        if op in LEAF_OPS:
            new.append(b.const(node[1]) if op == "const" else b.intern_node(*node))
            continue
        if len(node) == 3:
            _, i, j = node
            x, y = new[i >> 1] ^ i & 1, new[j >> 1] ^ j & 1
            if op == "div" and divisors[j] > 1:
                new.append(b.mul(x, b.div(b.one, y)))
            else:
                new.append(rules[op](x, y) if op in rules else b.intern_node(op, x, y))
            continue
        new.append(b.intern_node(op, *[new[r >> 1] ^ r & 1 for r in node[1:]]))
    rows = [[new[r >> 1] ^ r & 1 for r in row] for row in program.results]
    return b.build_program(
        program.name, program.inputs, program.outputs, rows, program.calls, program.ahead
    )
