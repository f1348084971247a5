"""Instruction scheduling of straight-line programs: order, stages of sines, FMA contraction.

Nodes are emitted depth first from the outputs, operands before users, which keeps live ranges short
and so the register pressure low.  Sines and cosines are taken in stages, a vector at a time.  A
product that only one sum reads is contracted into it (fused multiply-add).
"""

from collections.abc import Iterator, Sequence

from .program import LEAF_OPS, Program, list_operands

READY_OPS = LEAF_OPS | {"sin", "cos"}  # what waits for nothing: sines are taken before
LATENCY = {"mul": 4, "add": 4, "div": 14, "sqrt": 18, "sin": 60, "cos": 60}


def schedule_cone(program: Program, root: int, scheduled: list[bool]) -> Iterator[int]:
    """Nodes that `root` depends on and that are not yet scheduled, in topological order."""
    stack, nodes = [root], program.nodes
    while stack:
        k = stack[-1]
        if scheduled[k]:
            stack.pop()
            continue
        node = nodes[k]
        if node[0] not in READY_OPS:
            missing = [r >> 1 for r in node[:0:-1] if not scheduled[r >> 1]]
            if missing:
                stack += missing
                continue
        scheduled[k] = True
        stack.pop()
        yield k


def order_roots(program: Program) -> list[int]:
    """Nodes of the outputs in the order of their emission.

    Square matrices of one size are taken together from their last corner, row and column of one
    index at a time, from the diagonal outward.  In the matrices of a tree these share
    subexpressions.
    """
    keyed_roots = []
    for port, (row, shape) in enumerate(
        zip(program.results, (p.shape for p in program.outputs), strict=False)
    ):
        square = len(shape) == 2 and shape[0] == shape[1]
        for k, r in enumerate(row):
            i, j = divmod(k, shape[1]) if square else (0, 0)
            keyed_roots.append((-max(i, j), -min(i, j), port, k, r >> 1))
    return [root for *_, root in sorted(keyed_roots)]


def compute_call_depths(program: Program) -> list[int]:
    """Number of nested sines in the arguments of each call (fixed point iteration)."""
    depths = [0] * len(program.calls)
    while program.calls:
        node_depths = group_trig_arguments(program, depths)[1]
        new_depths = [
            max((node_depths[r >> 1] for row in rows for r in row), default=0)
            for rows in program.list_call_arguments()
        ]
        if new_depths == depths:
            break
        depths = new_depths
    return depths


def group_trig_arguments(
    program: Program, call_depths: Sequence[int] = ()
) -> tuple[list[list[int]], list[int]]:
    """Arguments of sines and cosines by nesting depth, and the depth of each node.

    `call_depths` are the depths of the results of calls.
    """
    depth: list[int] = []
    stages: list[list[int]] = []
    grouped: set[int] = set()
    for node in program.nodes:
        d = call_depths[node[1]] if node[0] == "got" else 0
        for r in list_operands(node):
            if depth[r >> 1] > d:
                d = depth[r >> 1]
        if node[0] in ("sin", "cos"):
            a = node[1] >> 1
            while len(stages) <= d:
                stages.append([])
            if a not in grouped:
                grouped.add(a)
                stages[d].append(a)
            d += 1
        depth.append(d)
    for stage in stages:
        stage.sort(key=lambda a: (program.nodes[a][0] != "input", program.nodes[a][1:]))
    return stages, depth


def select_fma_products(program: Program) -> dict[int, int]:
    """Product to be contracted into each sum: the one that is ready last.

    Only products with a single use qualify.  Ready times follow from the latencies of the
    operations.
    """
    ready: list[int] = []
    products: dict[int, int] = {}
    nodes, uses = program.nodes, program.uses
    for k, node in enumerate(nodes):
        op, last = node[0], 0
        if op not in LEAF_OPS:
            for r in node[1:]:
                if ready[r >> 1] > last:
                    last = ready[r >> 1]
        ready.append(last + LATENCY.get(op, 0))
        if op != "add" or node[1] == node[2]:
            continue
        free = [r >> 1 for r in node[1:] if uses[r >> 1] == 1 and nodes[r >> 1][0] == "mul"]
        if free:
            products[k] = max(free, key=ready.__getitem__)
            ready[k] = last + (LATENCY["add"] if len(free) == 2 else 0)
    return products


def select_shared_fma_products(program: Program, products: dict[int, int]) -> dict[int, int]:
    """Add products that only sums read: one instruction less for each."""
    nodes, uses = program.nodes, program.uses
    readers: dict[int, list[int]] = {}
    for k, node in enumerate(nodes):
        if node[0] == "add" and k not in products and node[1] != node[2]:
            for r in node[1:]:
                if nodes[r >> 1][0] == "mul" and uses[r >> 1] > 1:
                    readers.setdefault(r >> 1, []).append(k)
    shared_products: dict[int, int] = {}
    for m, sums in readers.items():
        if len(sums) == uses[m] and not any(k in shared_products for k in sums):
            shared_products |= dict.fromkeys(sums, m)
    return products | shared_products
