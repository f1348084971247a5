"""Every example in a docstring runs."""

import doctest
import importlib
import pkgutil

import pytest

import torseur

MODULES = sorted(
    m.name
    for m in pkgutil.walk_packages(torseur.__path__, "torseur.")
    if not m.name.endswith("__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert not failed
