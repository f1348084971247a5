"""Every page of docs/how_to runs as it stands, its assertions included."""

import pytest
from pages_run import DOCS, run

PAGES = sorted(p for p in (DOCS / "how_to").glob("*.md") if p.stem != "index")


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_the_code_of_a_page_runs(page, tmp_path):
    run(page, tmp_path)
