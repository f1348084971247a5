"""Every page of docs/how_to and docs/gallery runs as it stands, its assertions included."""

import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS))
build = pytest.importorskip("build", reason="no docs folder")
PAGES = sorted((DOCS / "how_to").glob("*.md"))
GALLERY = sorted((DOCS / "gallery").glob("*.md"))


@pytest.mark.parametrize(
    "page",
    [*PAGES, *(pytest.param(p, marks=pytest.mark.slow) for p in GALLERY)],
    ids=lambda p: p.stem,
)
def test_the_code_of_a_page_runs(page, tmp_path):
    text = page.read_text(encoding="utf-8")
    assert build.blocks(text), "a page of this section shows code"
    build.run(text, tmp_path, str(page))
    for name in build.re.findall(r"\]\((\w+\.(?:html|svg))\)", text):
        assert (tmp_path / name).stat().st_size > 1000, f"{name} is linked, but was not made"
