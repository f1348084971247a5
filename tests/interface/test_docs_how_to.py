"""Every page of docs/how_to runs as it stands, its assertions included."""

import pytest
from pages_run import DOCS, run

LONG = {"robot_design", "report"}  # seconds each; `make docs` executes them too
PAGES = [
    pytest.param(p, id=p.stem, marks=[pytest.mark.slow] * (p.stem in LONG))
    for p in sorted((DOCS / "how_to").glob("*.md"))
    if p.stem != "index"
]


@pytest.mark.parametrize("page", PAGES)
def test_the_code_of_a_page_runs(page, tmp_path):
    run(page, tmp_path)
