"""Runs the Python of a page of the manual, as the manual does: one namespace, in one folder."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.S | re.M)
MADE = re.compile(r"\]\((\w+\.(?:html|svg))\)")


def run(page: Path, folder: Path) -> str:
    """What the blocks of a page print; every file it links to must have been made by them."""
    text = page.read_text(encoding="utf-8")
    assert BLOCK.search(text), f"{page.name}: a page of this section shows code"
    space: dict = {"__name__": "__page__"}
    said = io.StringIO()
    for found in BLOCK.finditer(text):
        line = text[: found.start()].count("\n") + 1
        code = compile("\n" * line + found[1], str(page), "exec")
        with contextlib.chdir(folder), contextlib.redirect_stdout(said):
            exec(code, space)
    for name in MADE.findall(text):
        assert (folder / name).stat().st_size > 1000, f"{name} is linked, but was not made"
    return said.getvalue()
