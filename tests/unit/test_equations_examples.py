"""The worked examples of documents 000, 003 and 004 run and assert their numbers."""

import importlib
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = [
    pytest.param(f.stem, marks=[pytest.mark.slow] * (f.stem == "equations_vehicle"))
    for f in sorted(EXAMPLES.glob("equations_*.py"))
]


@pytest.mark.parametrize("name", NAMES)
def test_example(name, capsys, monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    sys.modules.pop(name, None)
    importlib.import_module(name).main()
    assert capsys.readouterr().out.strip()
