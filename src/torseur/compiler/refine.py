"""Changes to a program that keep its values, to a rounding, and make it cheaper to run."""

from collections import Counter

from .order import ready_times
from .program import Builder, Program


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
        if op in ("const", "input"):
            new.append(b.const(*args) if op == "const" else b.input(*args))
            continue
        x = [new[r >> 1] ^ r & 1 for r in args]
        if op == "div" and divisors[args[1]] > 1:
            new.append(b.mul(x[0], b.div(b.one, x[1])))
        elif op in ("add", "mul", "div"):
            new.append(getattr(b, op)(*x))
        else:
            new.append(b.put(op, *x))
    rows = [[new[r >> 1] ^ r & 1 for r in row] for row in program.results]
    return b.finish(program.name, program.inputs, program.outputs, rows)


def chained(program: Program) -> Program:
    """Sums of several terms written so that every product is fused: the rest first, then product
    after product, the ones that are ready last at the end.

    Sums inside sums that nobody else reads are opened; what is no product keeps its order.  No
    rounding is added: a product that joins a sum is no longer rounded before.

    >>> b = Builder()
    >>> x, y, z = (b.input(0, k) for k in range(3))
    >>> from .program import Port
    >>> sums = b.add(b.add(b.mul(x, y), b.mul(y, z)), b.add(b.mul(x, z), z))
    >>> made = chained(b.finish("f", [Port("x", (3,))], [Port("s", (1,))], [[sums]]))
    >>> [made.nodes[r >> 1][0] for r in made.nodes[made.results[0][0] >> 1][1:]]
    ['mul', 'add']
    """
    nodes, uses = program.nodes, program.uses
    shown = {r >> 1 for row in program.results for r in row}
    sums = {k for k, n in enumerate(nodes) if n[0] == "add" and n[1] >> 1 != n[2] >> 1}
    inner = {r >> 1 for k in sums for r in nodes[k][1:] if uses[r >> 1] == 1} & sums - shown
    ready = ready_times(program)
    b, new = Builder(), [0] * len(nodes)
    parts: dict[int, tuple[int | None, list[tuple[int, int]]]] = {}

    def part(r: int) -> tuple[int | None, list[tuple[int, int]]]:
        """The rest of an operand of a sum, and its products with the time each is ready."""
        k, sign = r >> 1, r & 1
        if k in inner:
            rest, products = parts.pop(k)
            turned = [(t, p ^ sign) for t, p in products]
            return (None if rest is None else b.neg(rest) if sign else rest), turned
        own = new[k] ^ sign
        if nodes[k][0] == "mul" and uses[k] == 1:
            return None, [(ready[k], own)]
        return own, []

    for k, (op, *args) in enumerate(nodes):
        if op in ("const", "input"):
            new[k] = b.const(*args) if op == "const" else b.input(*args)
        elif k in sums:
            (one, first), (other, second) = part(args[0]), part(args[1])
            rest = other if one is None else one if other is None else b.add(one, other)
            products = first + second
            if k in inner:
                parts[k] = rest, products
                continue
            for _, p in sorted(products):
                rest = p if rest is None else b.add(rest, p)
            assert rest is not None
            new[k] = rest
        else:
            x = [new[r >> 1] ^ r & 1 for r in args]
            new[k] = getattr(b, op)(*x) if op in ("add", "mul", "div") else b.put(op, *x)
    rows = [[new[r >> 1] ^ r & 1 for r in row] for row in program.results]
    return b.finish(program.name, program.inputs, program.outputs, rows)
