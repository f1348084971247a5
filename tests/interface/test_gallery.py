"""The gallery: every example stands alone, draws a figure, and holds itself to a number."""

import ast
import re
import runpy
import sys
from pathlib import Path

import pytest

GALLERY = Path(__file__).parents[2] / "examples" / "gallery"
EXAMPLES = sorted(GALLERY.rglob("*.py"))
QUICK = {"formalisms", "puma_coefficients", "sliders", "balancing"}  # a second or so each
pytestmark = pytest.mark.skipif(
    not GALLERY.exists(), reason="the examples are not beside the tests"
)


def test_there_are_enough_and_each_shows_and_asserts_something():
    assert len(EXAMPLES) >= 24
    for file in EXAMPLES:
        text = file.read_text(encoding="utf-8")
        tree = ast.parse(text)
        title, line = ast.get_docstring(tree).splitlines()[:2]
        assert len(line) == len(title) and set(line) == {"="}, f"{file.name}: its title's line"
        assert any(isinstance(n, ast.Assert) for n in ast.walk(tree)), (
            f"{file.name} asserts nothing"
        )
        assert "plt.show()" in text, f"{file.name} draws nothing"


@pytest.mark.parametrize(
    "file",
    [f if f.stem in QUICK else pytest.param(f, marks=pytest.mark.slow) for f in EXAMPLES],
    ids=lambda f: f"{f.parent.name}-{f.stem}",
)
def test_an_example_runs(file, tmp_path, monkeypatch):
    pyplot = pytest.importorskip(
        "matplotlib.pyplot", reason="the extra torseur[plot] is not installed"
    )
    pyplot.switch_backend("agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(file.parent), *sys.path])
    pyplot.close("all")
    runpy.run_path(str(file), run_name="__main__")
    assert pyplot.get_fignums(), "no figure"
    pyplot.close("all")


def test_what_the_landing_page_promises_is_what_its_examples_assert():
    text = (GALLERY.parents[1] / "docs" / "index.md").read_text(encoding="utf-8")
    said = re.findall(r"gallery/([\w/]+)\.html\)[^\n]*? (\de-\d+)", text)
    assert len(said) == 3
    for name, bound in said:
        assert f"< {bound}" in (GALLERY / f"{name}.py").read_text(encoding="utf-8"), name
