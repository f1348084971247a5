"""Layers of the package: imports in one direction, no cycles, heavy libraries inside functions.

The table is that of docs/architecture.md, section Packages.
"""

import ast
import importlib
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import FunctionType

import pytest

import torseur
from torseur.compiler.runtime.cache import PACKAGES_ABOVE

ROOT = Path(torseur.__path__[0])
BASE = "_lazy errors files keyboard scalars register views"
ELEMENTS = f"{BASE} spatial joints forces constraints"
SYSTEM = f"{ELEMENTS} model system"
DYNAMICS = f"{SYSTEM} kinematics formalisms dynamics"
KERNELS = f"{DYNAMICS} compiler quantities kernels"
MOTION = f"{KERNELS} signals integrate results"
MAY_IMPORT = {
    "_lazy": "",
    "views": "",
    "errors": "",
    "files": "errors",
    "keyboard": "",
    "register": "errors",
    "scalars": "_lazy errors register",
    "spatial": "_lazy errors scalars",
    "joints": f"{BASE} spatial",
    "forces": f"{BASE} spatial",
    "constraints": f"{BASE} spatial joints",
    "model": ELEMENTS,
    "system": f"{ELEMENTS} model",
    "kinematics": SYSTEM,
    "formalisms": f"{SYSTEM} kinematics",
    "dynamics": f"{SYSTEM} kinematics formalisms",
    "symbolic": DYNAMICS,
    "compiler": "_lazy errors files keyboard register",
    "quantities": DYNAMICS,
    "kernels": f"{DYNAMICS} compiler quantities",
    "signals": f"{KERNELS} signal_processing",
    "integrate": "_lazy compiler errors register",
    "results": "_lazy errors files register views",
    "solve": MOTION,
    "simulation": f"{MOTION} solve",
    "fmu": f"{MOTION} solve simulation",
    "show": f"{SYSTEM} symbolic results",
    "robots": f"{MOTION} symbolic solve simulation show",
    "vehicles": f"{MOTION} symbolic solve simulation show",
    "signal_processing": "_lazy errors",
    "crash": f"{MOTION} symbolic solve simulation show vehicles signal_processing",
    "identify": f"{MOTION} symbolic solve simulation show robots crash signal_processing",
    "studies": f"{MOTION} symbolic solve simulation show robots vehicles crash identify "
    "signal_processing",
    "control": "_lazy robots",
}
"""Packages that each package may import."""
NO_LIMITS = {"__init__", "__main__", "cli", "extend"}
EXCEPTIONS = {
    "model/description.py -> system": "`Model.check()` returns a `System`",
    "signals/__init__.pyi -> crash": "`ts.signals.cfc`, until there is a package for filters",
    "dynamics/contact/native/__init__.py -> compiler": "registers the native routines of contacts",
}
"""Imports against the layers, and why."""
HEAVY = {
    "casadi",
    "flint",
    "llvmlite",
    "sympy",
    "scipy",
    "pint",
    "yaml",
    "jsonschema",
    "xarray",
    "dask",
    "matplotlib",
}
FILES = sorted(ROOT.rglob("*.py"))
STUBS = sorted(ROOT.rglob("*.pyi"))  # their imports are made when a name is first used


@cache
def text_of(file):
    return file.read_text(encoding="utf-8")


@cache
def tree_of(file):
    return ast.parse(text_of(file))


@pytest.fixture(scope="module", autouse=True)
def trees():
    yield
    tree_of.cache_clear()  # a million objects, which every later collection would walk


def _imports(node, inside=False):
    """Import statements, and whether each is inside a function or for type checkers."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, inside
        elif isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            lazy = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) or (
                isinstance(child, ast.If) and getattr(child.test, "id", "") == "TYPE_CHECKING"
            )
            yield from _imports(child, inside or lazy)


def packages_imported(file):
    """(package, line) of every import of torseur in a file, lazy ones and those for types too."""
    here = file.relative_to(ROOT).with_suffix("").parts
    for node, _ in _imports(tree_of(file)):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = here[: len(here) - node.level]
            modules = [node.module] if node.module else [a.name for a in node.names]
            targets = [(*base, *name.split("."))[0] for name in modules]
        else:
            isfrom = isinstance(node, ast.ImportFrom)
            modules = [node.module or ""] if isfrom else [a.name for a in node.names]
            targets = [m.split(".")[1] for m in modules if m.startswith("torseur.")]
        for target in targets:
            yield target, node.lineno


def test_imports_follow_the_layers():
    against = {}
    for file in FILES + STUBS:
        path = file.relative_to(ROOT)
        package = path.with_suffix("").parts[0]
        if package in NO_LIMITS:
            continue
        assert package in MAY_IMPORT, f"new package {package!r}: add it to architecture.md and here"
        for target, line in packages_imported(file):
            if target not in {package, *MAY_IMPORT[package].split()}:
                against.setdefault(f"{path.as_posix()} -> {target}", line)
    assert not {arrow: line for arrow, line in against.items() if arrow not in EXCEPTIONS}
    assert not EXCEPTIONS.keys() - against.keys(), "no longer needed: take it off the list"


def test_the_table_of_layers_has_no_cycle():
    for package, below in MAY_IMPORT.items():
        assert package not in below.split()
        for other in below.split():
            assert package not in MAY_IMPORT[other].split(), f"{package} and {other}"


def test_the_key_of_the_cache_counts_every_source_of_kernels():
    """Text that kernels are made of is in the key of the cache; packages above are left out."""
    folders = {f.name for f in ROOT.iterdir() if (f / "__init__.py").exists()}
    below = {"signals", *KERNELS.split()}
    assert folders - below - {"results"} - PACKAGES_ABOVE == set() and not PACKAGES_ABOVE & below


def test_heavy_libraries_are_imported_inside_functions():
    for file, node in ((f, node) for f in FILES for node in tree_of(f).body):
        named = (
            [a.name for a in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom) and not node.level
            else []
        )
        for name in named:
            assert name.split(".")[0] not in HEAVY, (
                f"{file.name}:{node.lineno} imports {name} at once"
            )


def test_importing_the_package_loads_no_heavy_library():
    code = "import sys, torseur; print(*{m.split('.')[0] for m in sys.modules})"
    loaded = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(ROOT.parent)},
    ).stdout.split()
    assert not HEAVY & set(loaded)


def test_formalisms_never_name_a_scalar_library():
    below = (
        "spatial",
        "joints",
        "forces",
        "model",
        "system",
        "kinematics",
        "formalisms",
        "dynamics",
    )
    for file in FILES:
        if file.relative_to(ROOT).parts[0] in below:
            text = text_of(file)
            for library in ("casadi", "flint", "sympy"):
                assert f"import {library}" not in text, f"{file.relative_to(ROOT)} names {library}"


@pytest.mark.parametrize("stub", sorted(ROOT.glob("*/__init__.pyi")), ids=lambda f: f.parent.name)
def test_no_name_of_a_stub_is_a_file_beside_it(stub):
    """Importing the file would put the module where people expect the class or function."""
    imports = [n for n in ast.parse(stub.read_text()).body if isinstance(n, ast.ImportFrom)]
    names = {name.name for node in imports for name in node.names}
    assert not names & {f.stem for f in stub.parent.glob("*.py")}


@pytest.mark.parametrize("package", ("constraints", "forces", "joints"))
def test_stubs_say_what_the_registers_hold(package):
    sys.path.insert(0, str(ROOT.parent.parent / "docs"))
    import stubs

    said, held = stubs.listed(package), stubs.elements(package)
    assert {n: said.get(n) for n in held} == held, "run `python docs/stubs.py`"


def test_the_stub_of_the_package_says_what_is_public():
    sys.path.insert(0, str(ROOT.parent.parent / "docs"))
    import stubs

    tree = ast.parse((ROOT / "__init__.pyi").read_text())
    imports = [n for n in tree.body if isinstance(n, ast.ImportFrom)]
    said = {name.name: node.module or "" for node in imports for name in node.names}
    assert said == stubs.homes(), "run `python docs/stubs.py`"


def imports_past_stubs(file):
    """Imports that name a file of another package instead of the package, or a subpackage."""
    here = file.relative_to(ROOT).with_suffix("").parts
    for node, _ in _imports(tree_of(file)):
        if not isinstance(node, ast.ImportFrom) or not node.level or not node.module:
            continue
        there = (*here[: len(here) - node.level], *node.module.split("."))
        if len(there) > 1 and there[0] != here[0] and not ROOT.joinpath(*there).is_dir():
            yield f"{'/'.join(here)}.py:{node.lineno} imports {'.'.join(there)}"


def test_names_of_other_packages_come_from_their_stubs():
    assert [line for f in FILES for line in imports_past_stubs(f)] == []


def test_no_arrow_hides_in_a_string():
    """Modules are named by import statements, which tests see; stubs and registers excepted."""
    may = {"__init__.py", "_lazy.py", "register.py"}
    for file in FILES:
        named = re.search("import_module|__import__", text_of(file))
        if not named or file.relative_to(ROOT).as_posix() in may:
            continue
        for node in ast.walk(tree_of(file)):
            name = getattr(node, "id", getattr(node, "attr", getattr(node, "name", "")))
            assert name not in ("import_module", "__import__"), f"{file}:{node.lineno}"


SAME_CLASS_NAME = {
    "Line": "a line of action; in robots a straight path, in show a line of a figure",
    "Measure": "domains' own: in crash a number with its moment, in studies a function of runs",
    "Wrench": "ts.Wrench, which users write, is the element; spatial's is the screw",
}
"""Classes that share a name, and why."""


def test_no_two_classes_have_one_name():
    where: dict[str, list[str]] = {}
    for file in FILES:
        for node in tree_of(file).body:
            if isinstance(node, ast.ClassDef):
                where.setdefault(node.name, []).append(str(file.relative_to(ROOT)))
    twins = {name: files for name, files in where.items() if len(files) > 1}
    assert twins.keys() <= SAME_CLASS_NAME.keys(), {
        n: f for n, f in twins.items() if n not in SAME_CLASS_NAME
    }
    assert not SAME_CLASS_NAME.keys() - twins.keys(), "no twins any more: take them off the list"


SHARED_NAMES = {
    "Line": SAME_CLASS_NAME["Line"],
    "Measure": SAME_CLASS_NAME["Measure"],
    "Spring": "a law; in robots a device that balances by one",
    "Wrench": SAME_CLASS_NAME["Wrench"],
    "quantity": "of a description a field with its unit; else the decorator of formulas",
}
"""Names that two packages give to two things, and why."""


def test_no_two_packages_give_one_name_to_two_things():
    """Classes and functions that a package makes itself, under the names that others see."""
    sys.path.insert(0, str(ROOT.parent.parent / "docs"))
    import stubs

    given: dict[str, dict[str, object]] = {}
    for package, names in stubs.packages().items():
        module = importlib.import_module(f"torseur.{package}")
        for name in (n for n in names if not n.startswith("_") and n != "__all__"):
            x = getattr(module, name)
            own = getattr(x, "__module__", "").startswith(f"torseur.{package}")
            if own and isinstance(x, type | FunctionType):
                given.setdefault(name, {})[package] = x
    twins = {name: sorted(where) for name, where in given.items() if len(where) > 1}
    assert twins.keys() <= SHARED_NAMES.keys(), {
        n: w for n, w in twins.items() if n not in SHARED_NAMES
    }
    assert not SHARED_NAMES.keys() - twins.keys(), "no twins any more: take them off the list"


CLASS_TESTS = {
    "crash/results.py": "draws and books the lines that its own builders made",
    "crash/lumped_import.py": "reads a model of one axis as a vehicle: the lines are the grammar",
    "robots/balancing/device_models.py": "writes tables as sums of hinges, for gradients",
    "robots/balancing/devices/spring.py": "lays laws on an extension, a case for each law",
}
"""Files that ask which class an element of another package is, and why."""


def asked_classes(file, elements):
    """Lines where a file asks whether something is of a registered class of another package."""
    package = file.relative_to(ROOT).parts[0]
    text = text_of(file)
    others = {
        n for where, names in elements.items() if where != package for n in names if n in text
    }
    if not others:
        return
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in (
            "isinstance",
            "issubclass",
        ):
            asked = node.args[1]
        elif isinstance(node, ast.MatchClass):
            asked = node.cls
        elif isinstance(node, ast.Compare) and "__name__" in ast.dump(node.left):
            asked = node
        else:
            continue
        named = {
            getattr(x, "id", getattr(x, "attr", getattr(x, "value", 0))) for x in ast.walk(asked)
        }
        if named & others:
            yield f"{file.relative_to(ROOT)}:{node.lineno} asks for {', '.join(named & others)}"


def test_nobody_asks_from_outside_what_class_an_element_is():
    from torseur.constraints import constraint
    from torseur.forces import law, line
    from torseur.joints import joint

    elements = {"joints": {*joint}, "forces": {*law, *line}, "constraints": {*constraint}}
    asking = {
        str(f.relative_to(ROOT)): found
        for f in FILES
        if (
            found := [
                *asked_classes(f, {r: n - SAME_CLASS_NAME.keys() for r, n in elements.items()})
            ]
        )
    }
    assert not {f: x for f, x in asking.items() if f not in CLASS_TESTS}
    assert not CLASS_TESTS.keys() - asking.keys(), "cured: take them off the list"


MAX_FILE_LINES = 800
MAX_FUNCTION_LINES = 60  # docstring not counted
MAX_POSITIONAL = 8
MAX_LONG_FUNCTIONS, MAX_WIDE_FUNCTIONS = 16, 19  # native text and parsers; to be lowered to 15


def _functions():
    for file in FILES:
        for node in ast.walk(tree_of(file)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{file.relative_to(ROOT)}:{node.lineno} {node.name}", node


def test_files_have_at_most_800_lines():
    lines = {str(f.relative_to(ROOT)): text_of(f).count("\n") for f in FILES}
    assert not {f: n for f, n in lines.items() if n > MAX_FILE_LINES}


def test_functions_have_at_most_60_lines():
    lines = {}
    for name, node in _functions():
        first = node.body[0]
        docstring = first.end_lineno - first.lineno + 1 if ast.get_docstring(node) else 0
        lines[name] = node.end_lineno - node.lineno + 1 - docstring
    long = {name: n for name, n in lines.items() if n > MAX_FUNCTION_LINES}
    assert len(long) <= MAX_LONG_FUNCTIONS, long


def test_functions_have_at_most_eight_positional_parameters():
    wide = {}
    for name, node in _functions():
        positional = [a for a in (*node.args.posonlyargs, *node.args.args) if a.arg not in SELF]
        if len(positional) > MAX_POSITIONAL:
            wide[name] = len(positional)
    assert len(wide) <= MAX_WIDE_FUNCTIONS, wide


SELF = ("self", "cls")


def test_every_file_at_the_root_of_the_repository_is_expected():
    top = Path(__file__).parents[2]
    if not (top / ".git").exists():
        pytest.skip("no repository: what is tracked is not known")
    listed = subprocess.run(
        ["git", "ls-files"], cwd=top, capture_output=True, text=True, check=True
    )
    loose = [f for f in listed.stdout.split() if "/" not in f and not f.startswith(".")]
    usual = {"LICENSE", "Makefile", "pyproject.toml"}
    loose = [f for f in loose if f not in usual and not f.endswith(".md")]
    assert not loose, loose
