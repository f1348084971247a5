"""The worked examples of documents 000, 003 and 004 run and assert their numbers."""

import importlib
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", sorted(f.stem for f in EXAMPLES.glob("equations_*.py")))
def test_example(name, capsys, monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    sys.modules.pop(name, None)
    importlib.import_module(name).main()
    assert capsys.readouterr().out.strip()
