"""The manual's sources: links, tree of pages, formulas and names; the whole build when asked."""

import re
import subprocess
import sys
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest

import torseur as ts

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the manual is not beside the tests")
sys.path.insert(0, str(DOCS))
PAGES = sorted(p for p in DOCS.rglob("*.md") if "figures" not in p.parts)
GENERATED = {"reference", "gallery"}


def plain(text):
    """A page without its code."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)


def slug(heading):
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def broken(page, text):
    """Local links of a page that lead nowhere."""
    for target in re.findall(r"\]\(([^)\s]+)\)", plain(text)):
        file, _, anchor = target.partition("#")
        where = (page.parent / file).resolve() if file else page
        inside = where.relative_to(DOCS) if where.is_relative_to(DOCS) else None
        if re.match(r"[a-z]+:", target):
            yield f"{page.name}: {target} leaves the manual"
        elif where.suffix == ".html" and where.with_suffix(".md").exists():
            yield f"{page.name}: {target} is a page of the manual, not what the code writes"
        elif (inside and (inside.parts[0] in GENERATED or inside.stem == "equation_index")) or (
            file and "/" not in file and re.search(rf'"{file}"', text)  # made by the page's code
        ):
            continue
        elif not where.exists():
            yield f"{page.name}: {target} is not there"
        elif anchor and where.suffix == ".md":
            found = where.read_text(encoding="utf-8")
            heads = {slug(h) for h in re.findall(r"^#+ (.*)$", found, re.M)}
            if (
                anchor not in heads
                and f'id="{anchor}"' not in found
                and f"**{anchor}**" not in found
            ):
                yield f"{page.name}: {target} has no such place"


@pytest.mark.parametrize(
    "page", [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md"], ids=lambda p: p.stem
)
def test_local_links_lead_somewhere(page):
    assert list(broken(page, page.read_text(encoding="utf-8"))) == []


def test_a_broken_link_is_seen():
    text = "[x](absent.md) [y](#absent) [z](https://example.org) [ok](glossary.md)"
    text += ' [w](glossary.html) ["glossary.html"]'
    assert len(list(broken(DOCS / "index.md", text))) == 4


def test_every_page_is_in_the_tree():
    named = set()
    for page in PAGES:
        for block in re.findall(r"^```\{toctree\}\n(.*?)^```$", page.read_text(), re.S | re.M):
            names = [x for x in block.splitlines() if x.strip() and not x.startswith(":")]
            names = [re.sub(r".*<(.*)>", r"\1", n) for n in names]
            named |= {(page.parent / n.strip()).resolve() for n in names}
    lost = [p for p in PAGES if p.with_suffix("").resolve() not in named and p != DOCS / "index.md"]
    assert not lost, [str(p.relative_to(DOCS)) for p in lost]


FORMULAS = {
    "T_0k": "T_{0k}",
    "a = R' (a_P + U_P p)": "a = R' (a_{P} + U_{P} p)",
    "n_X x n_Y": r"n_{X} \times  n_{Y}",
    "m ((a + b) x - a b)": "m ((a + b) x - a b)",
    "x^2 = x_0^2 + 2 W / k": "x^{2} = x_{0}^{2} + 2 W / k",
    "q = atan2(B, A)": r"q = \operatorname{atan2}(B, A)",
    "sqrt(D^2 - r^2)": r"\sqrt{D^{2} - r^{2}}",
    "qdot = N(q) v": r"\dot{q} = N(q) v",
    "y_(i-1)": "y_{i-1}",
    "[[M, J'], [J, -mu]]": r"\begin{bmatrix}M & J' \\ J & -\mu \end{bmatrix}",
    "tau . v": r"\tau  \cdot  v",
    "k (N0_i + N1_ij f_j)": "k (N_{0,i} + N_{1,ij} f_{j})",
    "S'_j^T": r"S_{j}^{\prime \top}",
    "X_(i-1,i)": "X_{i-1,i}",
    "tau_rigid_i + 1": r"\tau _{\mathrm{rigid},i} + 1",
    "tau = S' F + armature a": r"\tau  = S' F + \mathrm{armature}\;a",
    "r+ - r-": "r^{+} - r^{-}",
    "e = 2e-4": r"e = 2\cdot 10^{-4}",
    "Jxx = Jyy": "J_{xx} = J_{yy}",
    "x_min - x": r"x_{\mathrm{min}} - x",
    "t - from": r"t - \ \text{from}",
    "gravity=(0, 0, -9.81)": None,
    "simulate(..., solution=...)": None,
    "at": None,
    "ts.simulate": None,
    "check()": None,
    "SCurve": None,
    "system.layout.guards": None,
    'convention="modified"': None,
}


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_is_typeset_and_code_stays_code(text):
    import formulas

    assert formulas.latex(text) == FORMULAS[text]


def test_the_mathematics_of_every_theory_page_is_typeset_and_balanced():
    import formulas

    made = 0
    for page in sorted((DOCS / "theory").glob("*.md")):
        text = formulas.typeset(page.read_text(encoding="utf-8"))
        for found in re.findall(r"(?<!\\)\$+([^$]+?)\$+", plain(text)):
            made += 1
            assert found.count("{") == found.count("}"), f"{page.name}: {found}"
            flat = re.sub(r"(?<=\{)((?:[^{}]|\{[^{}]*\})*)(?=\})", "x", found)  # what is inside
            twice = re.search(r"_\{x\}\s*_|\^\{x\}\s*(\^|')|'(_\{x\})?\^", flat)
            assert not found.endswith("\\"), f"{page.name}: {found}"
            assert not twice, f"{page.name}: {found}"  # MathJax shows an error in its place
            assert r"\left" not in found and not re.search(r"[_^](?![{\w\\])", found), found
    assert made > 1000


def test_tags_are_anchors_where_defined_and_links_where_mentioned():
    import pages

    tags = pages.defined(DOCS)
    assert len(tags) > 300
    for page in sorted((DOCS / "theory").glob("*.md")):
        name = f"theory/{page.stem}"
        text = pages.prepared(page.read_text(encoding="utf-8"), name, tags)
        for tag in (t for t, home in tags.items() if home == page.stem):
            assert text.count(f'id="{tag}"') == 1, tag
    made = pages.prepared("as in NE.3, erratum E-003-1 of document 003, `NE.3`", "how_to/x", tags)
    assert 'href="../theory/newton_euler.html#NE.3">NE.3</a>, <a' in made and "`NE.3`" in made
    assert made.count("sources.html#") == 2


def test_every_theory_page_has_figures_which_the_script_draws():
    import figures

    def parts(text):  # words and places
        cut = re.split(r"(-?\d+\.\d)", text)
        return cut[::2], np.array(cut[1::2], float)

    made, used = figures.made(), set()
    for page in sorted((DOCS / "theory").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        here = set(re.findall(r"^!\[[^\]]+\]\(figures/(\w+)\.svg\)$", text, re.M))
        assert here or page.stem == "sources", f"{page.stem} has no figure"
        used |= here
    files = {p.stem: p.read_text("utf-8") for p in (DOCS / "theory" / "figures").glob("*.svg")}
    assert used == set(made) == set(files), "run `python docs/figures.py`"
    for name, text in made.items():
        (said, at), (kept, put) = parts(text), parts(files[name])
        assert said == kept and np.allclose(at, put, atol=0.2), f"{name}: draw it again"


def test_a_figure_is_in_the_page_with_its_words():
    import pages

    made = pages.prepared("![A frame](figures/frames.svg)", "theory/x", {})
    assert made.startswith('<figure><svg aria-label="A frame"') and made.endswith("</figure>")
    assert "\n" not in made  # one block of HTML for Markdown


def test_every_erratum_and_document_that_is_named_is_explained():
    known = set(re.findall(r'id="([DE]-[\d-]+)"', (DOCS / "theory" / "sources.md").read_text()))
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        wanted = {f"D-{n}" for n in re.findall(r"document (00\d)", text)}
        assert wanted | set(re.findall(r"E-00\d-\d+", text)) <= known, page.name


def test_numbers_are_not_broken_in_lines_and_tables():
    import pages

    made = pages.prepared("closes to 1e-12, `rtol=1e-8`\n\n| a | 12 ns |\n", "benchmarks/x", {})
    assert '<span class="whole">1e-12</span>, `rtol=1e-8`' in made
    assert "12\N{NO-BREAK SPACE}ns" in made


def test_code_of_executed_pages_is_marked_to_run(monkeypatch):
    import pages

    monkeypatch.delenv("TORSEUR_DOCS_RUN", raising=False)
    text = "# Page\n\n```python\nx = 1\n```\n\n[first.html](first.html)\n"
    made = pages.prepared(text, "tutorials/x", {})
    assert made.startswith("---\nfile_format: mystnb") and "```{code-cell} ipython3" in made
    assert '<a href="first.html">first.html</a>' in made
    assert "```python" in pages.prepared(text, "benchmarks/x", {})


def test_the_report_opens_the_formulas_of_the_manual():
    import cards

    assert cards.TARGET.read_text(encoding="utf-8") == cards.made(), "run python docs/cards.py"


def test_docstrings_become_markup_that_says_the_same():
    import pages

    lines = ["Takes a*b or `Experiment`s.", "", "- one", "  more", "", ">>> 2 * 3", "6"]
    pages.docstring(None, "", "", None, None, lines)
    assert lines[0] == "Takes a\\*b or ``Experiment``\\ s." and lines[-2:] == [">>> 2 * 3", "6"]


def test_names_of_the_package_in_the_manual_exist():
    wrong = []
    for page in [*PAGES, ROOT / "README.md"]:
        for dotted in set(
            re.findall(r"\bts\.([A-Za-z_][\w.]*\w)", page.read_text(encoding="utf-8"))
        ):
            thing = ts
            for part in dotted.split("."):
                thing = getattr(thing, part, None)
                if thing is None:
                    wrong.append(f"{page.name}: ts.{dotted}")
                    break
                if isinstance(thing, FunctionType | property):
                    break
    assert not wrong, wrong


def test_the_reference_has_the_command():
    import reference

    assert "torseur simulate" in reference.command_line()


def test_every_command_has_its_task():
    from torseur.cli.main import create_parser

    text = (DOCS / "how_to" / "command_line.md").read_text(encoding="utf-8")
    subs = next(
        a for a in create_parser()._actions if isinstance(getattr(a, "choices", None), dict)
    )
    assert not [n for n in subs.choices if not re.search(rf"`torseur {n}\b", text)]


@pytest.mark.parametrize("kind", ["joint", "law", "line", "constraint"])
def test_the_reference_of_files_shows_an_example_that_was_read_back(kind):
    import reference

    cls, example = next(reference.examples(kind))
    assert f"type: {reference._type(cls)}" in reference.written(kind, example)


def test_every_field_of_a_file_is_told_in_words():
    import reference

    from torseur.model.formats.schema import json_schema

    schema = json_schema()["$defs"]
    for kind in reference.KINDS:
        for cls, _ in reference.examples(kind):
            name = reference._type(cls)
            key = f"constraint_{name}" if kind == "constraint" else name
            text = reference._described(f"`{name}`", schema[key], None, cls)
            assert not re.search(r"^\| `\w+` \|  \|", text, re.M), text
            assert "<" not in re.sub(r"`[^`]*`", "", text), text  # a browser would swallow it
    assert reference._field({"description": "the input u_<joint>"}) == "the input u_&lt;joint>"


def test_the_glossary_is_in_both_languages():
    rows = [
        line.split("|")[1:4]
        for line in (DOCS / "glossary.md").read_text().splitlines()
        if line.startswith("| ")
    ][1:]
    english = [r[0].strip() for r in rows]
    assert len(rows) >= 60 and english == sorted(english, key=str.lower)
    assert all(r[1].strip() for r in rows)


@pytest.mark.slow
def test_the_manual_builds_without_a_warning(tmp_path):
    for name in ("sphinx", "myst_nb", "pydata_sphinx_theme", "sphinx_gallery", "numpydoc"):
        pytest.importorskip(name, reason="the extra torseur[docs] is not installed")
    done = subprocess.run(
        [sys.executable, str(DOCS / "make.py"), "--quick", str(tmp_path)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    html = (tmp_path / "html" / "theory" / "newton_euler.html").read_text(encoding="utf-8")
    assert 'id="NE.3"' in html and 'class="math' in html
    assert "https://cdn" not in html  # all of it is on this machine


def test_how_tos_name_every_law_line_and_constraint():
    from torseur.constraints import constraint
    from torseur.forces import law, line

    for page, *kinds in (("forces", law, line), ("closed_loops", constraint)):
        text = (DOCS / "how_to" / f"{page}.md").read_text(encoding="utf-8")
        names = {cls.__name__ for kind in kinds for cls in kind.values()}
        assert not [n for n in sorted(names) if not re.search(rf"`ts\.{n}`", text)], page


def test_a_theory_page_ends_with_the_code_of_its_formulas():
    import beside
    import pages

    tags = pages.defined(DOCS)
    shown = {t for p in beside.pieces() for t in p.tags}
    assert len(shown & set(tags)) > 300
    for home in set(tags.values()):
        text = (DOCS / "theory" / f"{home}.md").read_text(encoding="utf-8")
        end = pages.prepared(text, f"theory/{home}", tags).partition("## In the code")[2]
        own = {t for t, page in tags.items() if page == home}
        seen = set(re.findall(r"[A-Z]{2}\.\d+", end))
        assert own & shown <= seen and own - seen <= {"SH.3"}, home  # that one is in JavaScript
    made = beside.code_of(["NE.3"])
    assert "`formalisms/newton_euler.py`, `out`" in made and "cross(w + w_P, V_J[3:])" in made


def test_links_of_the_built_manual_are_followed(tmp_path):
    import links

    (tmp_path / "a.html").write_text('<a href="b.html#x">b</a><a href="#here" id="here"></a>')
    (tmp_path / "b.html").write_text(
        '<a href="a.html#there"></a><a href="c.html"></a><script src="https://x.org/y.js"></script>'
    )
    assert list(links.faults(tmp_path)) == [
        "a.html: b.html#x has no such place",
        "b.html loads https://x.org/y.js from another host",
        "b.html: a.html#there has no such place",
        "b.html: c.html is not there",
    ]
