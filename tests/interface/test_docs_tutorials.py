"""Pages of docs/tutorials, docs/fr and docs/theory run as they stand, assertions included."""

import pytest
from pages_run import BLOCK, DOCS, run

LONG = {"design"}
FOLDERS = ("tutorials", "fr", "theory")
PAGES = [
    p
    for p in (DOCS / "index.md", *(p for d in FOLDERS for p in sorted((DOCS / d).glob("*.md"))))
    if BLOCK.search(p.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(
    "page",
    [pytest.param(p, marks=pytest.mark.slow) if p.stem in LONG else p for p in PAGES],
    ids=lambda p: f"{p.parent.name}-{p.stem}",
)
def test_the_code_of_a_page_runs(page, tmp_path):
    run(page, tmp_path)
