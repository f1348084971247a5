"""The notebooks run: their cells, in order, in one namespace, without a kernel."""

import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LONG = {"04_crash"}  # a scene compiles for seconds


def test_there_are_five_and_none_carries_output():
    assert len(NOTEBOOKS) >= 5
    for file in NOTEBOOKS:
        cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
        assert not any(c.get("outputs") for c in cells), file.name


@pytest.mark.parametrize(
    "file",
    [pytest.param(f, marks=pytest.mark.slow) if f.stem in LONG else f for f in NOTEBOOKS],
    ids=lambda f: f.stem,
)
def test_a_notebook_runs(file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    space: dict = {"__name__": "__notebook__"}
    for i, cell in enumerate(json.loads(file.read_text(encoding="utf-8"))["cells"]):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{file.name}, cell {i}", "exec"), space)
