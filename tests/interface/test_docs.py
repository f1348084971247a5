"""The site: every page is made, every link leads somewhere, every equation and name is there."""

import re
import sys
from pathlib import Path
from types import FunctionType

import pytest

import torseur

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS))
build = pytest.importorskip("build", reason="no docs folder")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip(
        "markdown", reason="the site is made by the package markdown: pip install torseur[docs]"
    )
    out = tmp_path_factory.mktemp("site")
    pages = build.build(out, execute=False)
    for p in pages:  # files that the pages' code would leave
        for name in re.findall(r'"(\w+\.(?:html|svg))"', p.text if not p.html else ""):
            (out / p.path).parent.joinpath(name).touch()
    return out, {p.path: p for p in pages}


def test_no_link_is_broken_and_none_leaves_the_site(site):
    out, _ = site
    assert build.broken_links(out) == []
    (out / "glossary.html").write_text(
        (out / "glossary.html").read_text() + '<a href="absent.html">x</a><a href="#absent">y</a>'
        '<a href="https://example.org">z</a>'
    )
    assert len(build.broken_links(out)) == 3


def test_the_pages_people_need_are_there(site):
    _, pages = site
    for path in (
        "index",
        "glossary",
        "benchmarks/loops",
        "tutorials/pendulum",
        "tutorials/robot",
        "tutorials/four_bar",
        "tutorials/vehicle",
        "how_to/report",
        "theory/conventions",
        "theory/index",
        "reference/index",
        "reference/command_line",
    ):
        assert f"{path}.html" in pages, path


def test_every_tagged_equation_has_an_anchor_and_a_row(site):
    out, _ = site
    tags = build.defined(build.written())
    assert len(tags) > 100
    index = (out / "theory" / "index.html").read_text()
    for tag, path in tags.items():
        assert f'id="{tag}"' in (out / path).read_text(), tag
        assert f'#{tag}"' in index, tag


def test_every_public_name_of_the_package_is_in_the_reference(site):
    out, _ = site
    text = "".join(p.read_text() for p in (out / "reference").glob("*.html"))
    for name in torseur.__all__:
        if isinstance(getattr(torseur, name), type | FunctionType):
            assert f'id="{name}"' in text, name
    assert "torseur simulate" in (out / "reference" / "command_line.html").read_text()


def test_docstrings_become_readable_pages():
    import reference

    html = reference.prose(
        "One thing.\n\nParameters\n----------\nx : a `number` [m]\n    or two\n"
        "y : another\n\n>>> 1 < 2\nTrue"
    )
    assert "<dt><code>x</code></dt><dd>a <code>number</code> [m] or two</dd>" in html
    assert "<pre><code>&gt;&gt;&gt; 1 &lt; 2\nTrue</code></pre>" in html

    def f(a: float, b: str = "x") -> int:
        """Nothing."""

    assert reference.signature("f", f) == "f(a: float, b: str = 'x') -> int"


def test_code_that_fails_fails_the_build_and_says_where(tmp_path):
    text = (
        "# Page\n\nwords\n\n```python\nx = 1\nprint(x + 1)\n```\n\n```python\nassert x == 2\n```\n"
    )
    with pytest.raises(AssertionError) as e:
        build.run(text, tmp_path, "page.md")
    assert e.traceback[-1].lineno == 10  # line 11 of the page
    shown = build.run(text.replace("x == 2", "x == 1"), tmp_path, "page.md")
    assert "```output\n2\n```" in shown


def test_the_glossary_is_in_both_languages():
    rows = [
        line.split("|")[1:4]
        for line in (DOCS / "glossary.md").read_text().splitlines()
        if line.startswith("| ")
    ][1:]
    english = [r[0].strip() for r in rows]
    assert len(rows) >= 60 and english == sorted(english, key=str.lower)
    assert all(r[1].strip() for r in rows)
