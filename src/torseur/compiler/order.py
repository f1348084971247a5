"""In which order the nodes of a program are written: operands first, sines in stages, products
fused into the sums that wait for them."""

from collections.abc import Iterator

from .program import Program

LATENCY = {"mul": 4, "add": 4, "div": 14, "sqrt": 18, "sin": 60, "cos": 60}


def _children(node: tuple) -> tuple[int, ...]:
    return () if node[0] in ("const", "input") else node[1:]


def cone(program: Program, root: int, done: list[bool]) -> Iterator[int]:
    """What `root` needs and is not yet done, each after its operands."""
    stack = [root]
    while stack:
        k = stack[-1]
        if done[k]:
            stack.pop()
            continue
        wait = [r >> 1 for r in _children(program.nodes[k]) if not done[r >> 1]]
        if wait and program.nodes[k][0] not in ("sin", "cos"):
            stack.extend(reversed(wait))
            continue
        done[k] = True
        stack.pop()
        yield k


def stages(program: Program) -> list[list[int]]:
    """Arguments of sines and cosines, by how many sines stand one inside the other."""
    depth: list[int] = []
    found: list[list[int]] = []
    seen: set[int] = set()
    for op, *args in program.nodes:
        refs = () if op in ("const", "input") else args
        d = max((depth[r >> 1] for r in refs), default=0)
        if op in ("sin", "cos"):
            a = args[0] >> 1
            while len(found) <= d:
                found.append([])
            if a not in seen:
                seen.add(a)
                found[d].append(a)
            d += 1
        depth.append(d)
    for stage in found:
        stage.sort(key=lambda a: (program.nodes[a][0] != "input", program.nodes[a][1:]))
    return found


def fuse(program: Program) -> dict[int, int]:
    """For each sum, the product to be fused into it: the one that is ready last."""
    ready: list[int] = []
    chosen: dict[int, int] = {}
    for k, (op, *args) in enumerate(program.nodes):
        refs = () if op in ("const", "input") else args
        ready.append(max((ready[r >> 1] for r in refs), default=0) + LATENCY.get(op, 0))
        if op != "add" or args[0] == args[1]:
            continue
        free = [
            r >> 1 for r in args if program.nodes[r >> 1][0] == "mul" and program.uses[r >> 1] == 1
        ]
        if free:
            chosen[k] = max(free, key=ready.__getitem__)
            ready[k] = max(ready[r >> 1] for r in args) + (LATENCY["add"] if len(free) == 2 else 0)
    return chosen
