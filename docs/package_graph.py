"""Graph of the packages and their imports: `python docs/package_graph.py` writes its picture.

A package stands above those it imports.  Arrows that follow from others are left out (transitive
reduction), and so are those to single files, which every package may import.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent / "src" / "torseur"
PICTURE = HERE / "images" / "packages.svg"
TOP = {"__init__", "__main__"}  # they import every package
BOX, ROW, GAP = (112, 40), 92, 22


def package_files() -> dict[str, list[Path]]:
    """Files of every package; a single file at the top counts as one."""
    found: dict[str, list[Path]] = {}
    for file in sorted(ROOT.rglob("*.py")):
        package = file.relative_to(ROOT).with_suffix("").parts[0]
        if package not in TOP:
            found.setdefault(package, []).append(file)
    return found


def count_lines(files: list[Path]) -> int:
    return sum(len(f.read_text(encoding="utf-8").splitlines()) for f in files)


def iterate_statements(node: ast.AST) -> Iterator[ast.AST]:
    """All nested statements, except those for type checkers."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and getattr(child.test, "id", "") == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield child
            yield from iterate_statements(child)


def imported_packages(file: Path) -> set[str]:
    """Packages that a file imports at run time, lazily or not."""
    here = file.relative_to(ROOT).parts
    tree = ast.parse(file.read_text(encoding="utf-8"))
    out = set()
    for node in iterate_statements(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = here[: len(here) - node.level]
            named = [node.module] if node.module else [a.name for a in node.names]
            out |= {(*base, *name.split("."))[0] for name in named}
    return out


def import_graph() -> dict[str, set[str]]:
    """Packages that each package imports.  `Model.check` is the one import upwards."""
    every = package_files()
    found = {
        r: {x for f in files for x in imported_packages(f)} & {*every} for r, files in every.items()
    }
    found["model"].discard("system")
    return {r: below - {r} for r, below in found.items()}


def transitive_reduction(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """Arrows that do not follow from others."""

    def reach(package):
        return set().union(*({x} | reach(x) for x in graph[package]))

    return {
        r: {x for x in to if not any(x in reach(y) for y in to - {x})} for r, to in graph.items()
    }


def layers(graph: dict[str, set[str]]) -> list[list[str]]:
    """Packages by the longest path down to them, highest first; each row in the order of its users."""

    def depth(package) -> int:
        return 1 + max((depth(x) for x, below in graph.items() if package in below), default=-1)

    out: list[list[str]] = [[] for _ in range(1 + max(map(depth, graph)))]
    for package in graph:
        out[depth(package)].append(package)
    position: dict[str, float] = {}
    for row in out:
        users = {r: [position[x] for x, below in graph.items() if r in below] for r in row}
        row.sort(key=lambda r: (sum(users[r]) / max(1, len(users[r])), r))
        position.update({package: (i + 0.5) / len(row) for i, package in enumerate(row)})
    return out


def svg() -> str:
    """The graph as SVG."""
    every = package_files()
    ground = sorted(r for r, files in every.items() if files == [ROOT / f"{r}.py"])
    graph = transitive_reduction(
        {r: to - {*ground} for r, to in import_graph().items() if r not in ground}
    )
    rows = [*layers(graph), ground]
    width = max(len(row) for row in rows) * (BOX[0] + GAP) + GAP
    height = len(rows) * ROW + 10
    at = {}
    for level, row in enumerate(rows):
        free = (width - len(row) * (BOX[0] + GAP) + GAP) / 2
        for i, package in enumerate(row):
            at[package] = (free + i * (BOX[0] + GAP), level * ROW + 30)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        'font-family="system-ui, sans-serif" font-size="13" text-anchor="middle">',
        "<title>Packages of torseur: an arrow points to what is imported</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#8a94a3"/></marker></defs>',
        f'<rect width="{width:g}" height="{height:g}" fill="#fff"/>',
    ]
    for package, below in sorted(graph.items()):
        for x in sorted(below):
            x0, y0 = at[package][0] + BOX[0] / 2, at[package][1] + BOX[1]
            x1, y1 = at[x][0] + BOX[0] / 2, at[x][1]
            bend = max(30.0, (y1 - y0) / 2)
            out.append(
                f'<path data-from="{package}" data-to="{x}" d="M{x0:g} {y0:g}C{x0:g} {y0 + bend:g} '
                f'{x1:g} {y1 - bend:g} {x1:g} {y1:g}" fill="none" stroke="#8a94a3" '
                'marker-end="url(#tip)"/>'
            )
    for package, (x, y) in sorted(at.items()):
        n = count_lines(every[package])
        out += [
            f'<g data-package="{package}" data-lines="{n}"><rect x="{x:g}" y="{y:g}" width="{BOX[0]}" '
            f'height="{BOX[1]}" rx="6" fill="#eef2f7" stroke="#5b6b7f"/>',
            f'<text x="{x + BOX[0] / 2:g}" y="{y + 17:g}" font-weight="600">{package}</text>',
            f'<text x="{x + BOX[0] / 2:g}" y="{y + 33:g}" fill="#5b6b7f" font-size="11">'
            f"{n} lines</text></g>",
        ]
    return "\n".join([*out, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(svg(), encoding="utf-8")
    print(PICTURE, file=sys.stderr)
