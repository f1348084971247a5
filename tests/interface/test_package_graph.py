"""Picture and paragraphs of docs/architecture.md agree with the imports of the code."""

import re
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest
from pages_run import run

TOP = Path(__file__).parents[2]
sys.path.insert(0, str(TOP / "docs"))
graph = pytest.importorskip("package_graph", reason="no docs folder")


def drawn(text, pattern):
    return set(re.findall(pattern, text))


def test_the_picture_is_that_of_the_imports():
    now, said = graph.svg(), graph.PICTURE.read_text(encoding="utf-8")
    arrows = r'data-from="(\w+)" data-to="(\w+)"'
    assert drawn(said, arrows) == drawn(now, arrows), "run `python docs/package_graph.py`"
    sizes = r'data-package="(\w+)" data-lines="(\d+)"'
    before, after = (dict(drawn(text, sizes)) for text in (said, now))
    assert before.keys() == after.keys()
    for package, n in after.items():
        assert abs(int(n) - int(before[package])) <= 100 + 0.2 * int(n), f"{package}: draw it again"


def test_every_package_has_its_paragraph():
    text = (TOP / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert {*graph.package_files()} <= drawn(text, r"\*\*(\w+)\*\*")


def test_arrows_that_follow_from_others_are_left_out():
    arrows = {"a": {"b", "c"}, "b": {"c"}, "c": set()}
    assert graph.transitive_reduction(arrows) == {"a": {"b"}, "b": {"c"}, "c": set()}
    assert graph.layers(arrows) == [["a"], ["b"], ["c"]]


def test_every_file_of_the_package_is_packed():
    tomllib = pytest.importorskip("tomllib")
    said = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = said["tool"]["setuptools"]["package-data"]["*"]
    files = [f for f in graph.ROOT.rglob("*") if f.is_file() and "__pycache__" not in f.parts]
    loose = [
        f for f in files if f.suffix != ".py" and not any(fnmatch(f.name, p) for p in patterns)
    ]
    code = [f for f in files if f.suffix == ".py"]
    assert not loose and not [f for f in code if not (f.parent / "__init__.py").exists()]


def test_the_example_of_the_page_runs(tmp_path):
    text = run(TOP / "docs" / "architecture.md", tmp_path)
    assert "guards: stop: high stop [rad], stop: low stop [rad]" in text
    assert "0 ('energy.dissipated', 'energy.supplied'" in text
