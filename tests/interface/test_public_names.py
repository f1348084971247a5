"""The public API is a list: docs/public_names.toml names every public module and name.

SciPy keeps its API in the same way: a test walks the package and fails on any other public name.
"""

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import torseur as ts

sys.path.insert(0, str(Path(ts.__path__[0]).parents[1] / "docs"))
import reference
import stubs

LISTED = stubs.public_names()
MOST_NAMES = 160  # of `import torseur as ts`


def public(module) -> set[str]:
    """Names that completion shows."""
    return {name for name in dir(module) if not name.startswith("_")}


def unlisted(listed, shown) -> dict[str, set[str]]:
    """Names that differ between the list and the modules, by module."""
    differences = {module: shown[module] ^ set(names) for module, names in listed.items()}
    return {module: names for module, names in differences.items() if names}


@pytest.mark.parametrize("module", LISTED)
def test_every_public_name_is_listed_and_exists(module):
    """A new name is added to the list on purpose."""
    loaded = importlib.import_module(module)
    assert not unlisted({module: LISTED[module]}, {module: public(loaded)})
    assert {n for n in loaded.__all__ if not n.startswith("_")} == set(LISTED[module])
    assert all(hasattr(loaded, name) for name in LISTED[module])
    assert len(LISTED[module]) == len(set(LISTED[module]))


def test_the_names_of_the_package_are_few():
    assert len(public(ts)) <= MOST_NAMES


def test_loading_private_packages_adds_no_public_name():
    """In a new process, since importing a package makes it an attribute."""
    code = (
        "import importlib, pkgutil, torseur\n"
        "for m in pkgutil.iter_modules(torseur.__path__):\n"
        "    if m.name != '__main__': importlib.import_module(f'torseur.{m.name}')\n"
        "print(*(n for n in dir(torseur) if not n.startswith('_')))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(shown.stdout.split()) == set(LISTED["torseur"])


def test_public_modules_are_packages_or_listed_names():
    modules = {m.name for m in pkgutil.iter_modules(ts.__path__)}
    named = {m.removeprefix("torseur.") for m in LISTED} - {"torseur"}
    assert named <= modules and named <= set(LISTED["torseur"])
    assert {n for n in LISTED["torseur"] if inspect.ismodule(getattr(ts, n))} == named


def test_all_of_a_package_with_a_stub_is_public_somewhere():
    """Other names of a stub are for other packages, and stay out of `__all__`."""
    everywhere = {id(getattr(importlib.import_module(m), n)) for m in LISTED for n in LISTED[m]}
    for stub in sorted(Path(ts.__path__[0]).glob("*/__init__.pyi")):
        package = importlib.import_module(f"torseur.{stub.parent.name}")
        private = [n for n in package.__all__ if id(getattr(package, n)) not in everywhere]
        assert not private, f"{package.__name__}: {private}"
        assert set(package.__all__) <= set(stubs.exported(stub)), package.__name__


def test_the_reference_documents_every_public_name(tmp_path):
    pages = dict(reference.pages(Path(reference.__file__).parent))
    for module, names in LISTED.items():
        text = pages[f"reference/{module.rpartition('.')[2]}"]
        headings = set(re.findall(r"^## (\w+)$", text, re.M))
        modules = {n for n in names if f"{module}.{n}" in LISTED}
        assert headings == set(names) - modules, module
        assert f"[{module}]" in pages["reference/index"]


def test_every_public_class_and_function_says_what_it_is():
    for module, names in LISTED.items():
        for name in names:
            thing = getattr(importlib.import_module(module), name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                assert inspect.getdoc(thing), f"{module}.{name} has no docstring"
                assert getattr(thing, "__module__", "").startswith("torseur."), f"{module}.{name}"


def test_a_name_that_is_missing_or_new_is_found():
    """The comparison itself fails where it should."""
    listed = {"m": ["a", "b"], "n": ["c"]}
    assert unlisted(listed, {"m": {"a", "b"}, "n": {"c"}}) == {}
    assert unlisted(listed, {"m": {"a"}, "n": {"c", "d"}}) == {"m": {"b"}, "n": {"d"}}


SPELT = re.compile(
    r"optimis|centre(?!$)|colour|catalogue|(general|linear|normal|initial|minim|maxim|recogn|synchron"
    r"|priorit|parametr|factor|symmetr|regular|stabil)is(e|ing|ation)|neighbour|behaviour|tyre"
    r"|modell|labell|grey"
)


def test_names_are_spelt_as_americans_do():
    for module, names in LISTED.items():
        for name in names:
            thing = getattr(importlib.import_module(module), name)
            words = [name]
            if inspect.isclass(thing) or inspect.isfunction(thing):
                with suppress(TypeError, ValueError):  # a class without a signature
                    words += inspect.signature(thing).parameters
            if inspect.isclass(thing):
                words += [w for w in dir(thing) if not w.startswith("_")]
            assert not [w for w in words if SPELT.search(w.lower())], f"{module}.{name}"
