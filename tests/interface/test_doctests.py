"""Every example in a docstring runs, and every file can be imported."""

import doctest
import importlib
from functools import cached_property
from pathlib import Path

import pytest

import torseur

ROOT = Path(torseur.__path__[0])
FILES = {
    ".".join(f.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__"): f
    for f in ROOT.rglob("*.py")
    if f.stem != "__main__"
}
MODULES = sorted(n for n, f in FILES.items() if ">>>" in f.read_text(encoding="utf-8"))


def cached(module):
    """Properties that are computed once, in which doctest does not look."""
    for cls in vars(module).values():
        if isinstance(cls, type) and cls.__module__ == module.__name__:
            yield from (x.func for x in vars(cls).values() if isinstance(x, cached_property))


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    module, find = importlib.import_module(name), doctest.DocTestFinder().find
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for found in (find(module), *(find(f, globs=vars(module)) for f in cached(module))):
        for test in found:
            runner.run(test)
    assert runner.tries and not runner.failures


def test_every_file_can_be_imported():
    for name in FILES:
        importlib.import_module(name)
