"""Every example of motion runs and meets the number it states."""

import importlib.util
from pathlib import Path

import pytest

FILES = sorted((Path(__file__).parents[2] / "examples").glob("motion_*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_example(file):
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.main() is not None
