"""The picture of the rooms, from their imports: python docs/map.py writes docs/images/rooms.svg.

A room stands above those it imports.  An arrow is left out where others lead there, and to single
files, which stand on the ground for everybody.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent / "src" / "torseur"
PICTURE = HERE / "images" / "rooms.svg"
TOP = {"__init__", "__main__"}  # they open every room
BOX, ROW, GAP = (112, 40), 92, 22


def rooms() -> dict[str, list[Path]]:
    """The files of every room; a file of its own is one too."""
    found: dict[str, list[Path]] = {}
    for file in sorted(ROOT.rglob("*.py")):
        room = file.relative_to(ROOT).with_suffix("").parts[0]
        if room not in TOP:
            found.setdefault(room, []).append(file)
    return found


def lines(files: list[Path]) -> int:
    return sum(len(f.read_text(encoding="utf-8").splitlines()) for f in files)


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """All that runs, one inside another; not what is there for type checkers."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and getattr(child.test, "id", "") == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield child
            yield from statements(child)


def imported(file: Path) -> set[str]:
    """Rooms that a file imports, at once or inside functions; not those named for type checkers."""
    here = file.relative_to(ROOT).parts
    tree = ast.parse(file.read_text(encoding="utf-8"))
    out = set()
    for node in statements(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = here[: len(here) - node.level]
            named = [node.module] if node.module else [a.name for a in node.names]
            out |= {(*base, *name.split("."))[0] for name in named}
    return out


def arrows() -> dict[str, set[str]]:
    """Rooms that each room imports.  `Model.check` opens the room above: the one exception."""
    every = rooms()
    found = {r: {x for f in files for x in imported(f)} & {*every} for r, files in every.items()}
    found["model"].discard("system")
    return {r: below - {r} for r, below in found.items()}


def reduced(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """The same arrows without those that a longer way replaces."""

    def reach(room):
        return set().union(*({x} | reach(x) for x in graph[room]))

    return {
        r: {x for x in to if not any(x in reach(y) for y in to - {x})} for r, to in graph.items()
    }


def floors(graph: dict[str, set[str]]) -> list[list[str]]:
    """Rooms by the longest way down to them, highest first; a row follows the order above it."""

    def depth(room) -> int:
        return 1 + max((depth(x) for x, below in graph.items() if room in below), default=-1)

    out: list[list[str]] = [[] for _ in range(1 + max(map(depth, graph)))]
    for room in graph:
        out[depth(room)].append(room)
    place: dict[str, float] = {}
    for row in out:
        users = {r: [place[x] for x, below in graph.items() if r in below] for r in row}
        row.sort(key=lambda r: (sum(users[r]) / max(1, len(users[r])), r))
        place.update({room: (i + 0.5) / len(row) for i, room in enumerate(row)})
    return out


def svg() -> str:
    """The picture as text."""
    every = rooms()
    ground = sorted(r for r, files in every.items() if files == [ROOT / f"{r}.py"])
    graph = reduced({r: to - {*ground} for r, to in arrows().items() if r not in ground})
    rows = [*floors(graph), ground]
    width = max(len(row) for row in rows) * (BOX[0] + GAP) + GAP
    height = len(rows) * ROW + 10
    at = {}
    for level, row in enumerate(rows):
        free = (width - len(row) * (BOX[0] + GAP) + GAP) / 2
        for i, room in enumerate(row):
            at[room] = (free + i * (BOX[0] + GAP), level * ROW + 30)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        'font-family="system-ui, sans-serif" font-size="13" text-anchor="middle">',
        "<title>Rooms of torseur: an arrow points to what is imported</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#8a94a3"/></marker></defs>',
        f'<rect width="{width:g}" height="{height:g}" fill="#fff"/>',
    ]
    for room, below in sorted(graph.items()):
        for x in sorted(below):
            x0, y0 = at[room][0] + BOX[0] / 2, at[room][1] + BOX[1]
            x1, y1 = at[x][0] + BOX[0] / 2, at[x][1]
            bend = max(30.0, (y1 - y0) / 2)
            out.append(
                f'<path data-from="{room}" data-to="{x}" d="M{x0:g} {y0:g}C{x0:g} {y0 + bend:g} '
                f'{x1:g} {y1 - bend:g} {x1:g} {y1:g}" fill="none" stroke="#8a94a3" '
                'marker-end="url(#tip)"/>'
            )
    for room, (x, y) in sorted(at.items()):
        n = lines(every[room])
        out += [
            f'<g data-room="{room}" data-lines="{n}"><rect x="{x:g}" y="{y:g}" width="{BOX[0]}" '
            f'height="{BOX[1]}" rx="6" fill="#eef2f7" stroke="#5b6b7f"/>',
            f'<text x="{x + BOX[0] / 2:g}" y="{y + 17:g}" font-weight="600">{room}</text>',
            f'<text x="{x + BOX[0] / 2:g}" y="{y + 33:g}" fill="#5b6b7f" font-size="11">'
            f"{n} lines</text></g>",
        ]
    return "\n".join([*out, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(svg(), encoding="utf-8")
    print(PICTURE, file=sys.stderr)
