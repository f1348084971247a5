"""Every example of motion runs and meets the number it states."""

import importlib.util
from pathlib import Path

import pytest

FILES = sorted((Path(__file__).parents[2] / "examples").glob("motion_*.py"))


def _marked(file):
    slow = file.stem == "motion_batch"
    return pytest.param(file, id=file.stem, marks=[pytest.mark.slow] * slow)


@pytest.mark.parametrize("file", map(_marked, FILES))
def test_example(file):
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.main() is not None
