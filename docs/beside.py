"""The code beside the formulas: statements that carry the tags of a theory page."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).parents[1] / "src" / "torseur"
COMMENT = re.compile(r"[ \t]*#[^#\n]*$")
TAG = re.compile(r"\b[A-Z]{2}\.\d+\b")
WHOLE = 14  # lines of a function that is shown whole where its docstring has the tag
Function = ast.FunctionDef | ast.ClassDef


class Piece(NamedTuple):
    """A statement with the tags of the formulas it writes."""

    file: str
    line: int
    owner: str
    tags: tuple[str, ...]
    text: str


@functools.cache
def pieces() -> tuple[Piece, ...]:
    """Every statement of the package that carries a tag, in the order of files and lines."""
    out = []
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if TAG.search(text):
            out += list(_of(path.relative_to(SOURCE).as_posix(), text))
    return tuple(out)


@functools.cache
def told() -> dict[str, list[str]]:
    """Files whose texts name a tag, alone or in a range such as "AS.1 to AS.7"."""
    out: dict[str, dict[str, None]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        named = set(TAG.findall(text))
        for kind, low, high in re.findall(r"\b([A-Z]{2})\.(\d+) to \1\.(\d+)", text):
            named |= {f"{kind}.{n}" for n in range(int(low), int(high) + 1)}
        for tag in named:
            out.setdefault(tag, {})[path.relative_to(SOURCE).as_posix()] = None
    return {tag: list(files) for tag, files in out.items()}


def files_of(tag: str) -> list[str]:
    """Where a formula is: files with a statement that carries its tag, else files that name it."""
    own = dict.fromkeys(p.file for p in pieces() if tag in p.tags)
    return list(own) or told().get(tag, [])


def _of(file: str, text: str):
    lines, tree = text.split("\n"), ast.parse(text)
    for number, line in enumerate(lines, 1):
        found = COMMENT.search(line)
        tags = tuple(dict.fromkeys(TAG.findall(found[0]))) if found else ()
        if not tags:
            continue
        around = [
            x for x in ast.walk(tree)
            if isinstance(x, ast.stmt) and x.lineno <= number <= (x.end_lineno or x.lineno)
        ]  # fmt: skip
        if not around:  # a comment between functions
            continue
        homes = [x for x in around if isinstance(x, Function)]
        told = min(around, key=lambda x: (x.end_lineno or x.lineno) - x.lineno)
        home = homes[-1] if homes else None
        yield Piece(
            file, number, ".".join(x.name for x in homes), tags, _shown(lines, told, number, home)
        )


def _shown(lines: list[str], told: ast.stmt, number: int, home) -> str:
    """The statement without its comments; of a loop its head, of a docstring its function."""
    first, last = told.lineno, told.end_lineno or told.lineno
    text = isinstance(told, ast.Expr) and isinstance(told.value, ast.Constant)
    if text and home is not None:
        first, last = home.lineno, home.end_lineno
        body = home.body[1:]
        short = isinstance(home, ast.FunctionDef) and body and last - body[0].lineno < WHOLE
        if not short:
            return _dedented(lines[first - 1 : home.body[0].lineno - 1])
        return _dedented(
            lines[first - 1 : home.body[0].lineno - 1] + lines[body[0].lineno - 1 : last]
        )
    if hasattr(told, "body") and not isinstance(told, Function):
        last = number
    elif isinstance(told, Function):
        last = told.body[0].lineno - 1
    return _dedented(lines[first - 1 : last])


def _dedented(lines: list[str]) -> str:
    kept = [COMMENT.sub("", x) if TAG.search(x) else x for x in lines]
    kept = [x for x in kept if x.strip()]
    room = min((len(x) - len(x.lstrip()) for x in kept), default=0)
    return "\n".join(x[room:] for x in kept)


def code_of(tags: list[str]) -> str:
    """The section that ends a page: the code of its formulas, in the order of the formulas."""
    groups: dict[tuple[str, str], list[Piece]] = {}
    for p in pieces():
        if set(tags) & set(p.tags):
            groups.setdefault((p.file, p.owner), []).append(p)
    order = sorted(groups, key=lambda g: min(tags.index(t) for t in _among(groups[g], tags)))
    out = []
    for file, owner in order:
        body = [
            f"# {', '.join(_among([p], tags))}\n{p.text}" for p in groups[file, owner]
        ]  # fmt: skip
        name = f"`{file}`, `{owner}`" if owner else f"`{file}`"
        out.append(f"{name}\n\n```python\n" + "\n".join(body) + "\n```\n")
    shown = {t for g in groups.values() for p in g for t in p.tags}
    rest = [f"{t} in `{files_of(t)[0]}`" for t in tags if t not in shown and files_of(t)]
    out += [f"Whole functions and files: {', '.join(rest)}.\n"] * bool(rest)
    return "\n\n## In the code\n\n" + "\n".join(out) if out else ""


def _among(some: list[Piece], tags: list[str]) -> list[str]:
    return [t for p in some for t in p.tags if t in tags]
