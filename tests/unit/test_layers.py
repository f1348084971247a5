"""The architecture as a test: imports go one way, and heavy libraries wait inside functions."""

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

ROOT = Path(torseur.__path__[0])
BASE = "_lazy errors files keyboard numbers register views"
ELEMENTS = f"{BASE} spatial joints forces constraints"
SYSTEM = f"{ELEMENTS} model system"
DYNAMICS = f"{SYSTEM} kinematics formalisms dynamics"
MOTION = f"{DYNAMICS} compiler quantities integrate results"
MAY_IMPORT = {
    "_lazy": "",
    "views": "",
    "errors": "",
    "files": "errors",
    "keyboard": "",
    "register": "errors",
    "numbers": "_lazy errors",
    "spatial": "_lazy errors numbers",
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
    "quantities": f"{DYNAMICS} compiler",
    "integrate": "_lazy compiler errors register",
    "results": "_lazy errors files register views",
    "solve": MOTION,
    "simulation": f"{MOTION} solve",
    "fmu": f"{MOTION} solve simulation",
    "show": f"{SYSTEM} symbolic results",
    "robots": f"{MOTION} symbolic solve simulation show",
    "vehicles": f"{MOTION} symbolic solve simulation show",
    "crash": f"{MOTION} symbolic solve simulation show vehicles",
    "identify": f"{MOTION} symbolic solve simulation show robots crash",
    "studies": f"{MOTION} symbolic solve simulation show robots vehicles crash identify",
    "control": "_lazy robots",
    "signals": "_lazy quantities crash identify",
}
ANYTHING = {"__init__", "__main__", "cli", "extend"}
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


def rooms_imported(file):
    """(room, line, inside a function or for type checkers) of imports of this package in a file."""
    here = file.relative_to(ROOT).with_suffix("").parts
    tree = tree_of(file)
    for node, inside in _imports(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = here[: len(here) - node.level]
            named = [node.module] if node.module else [a.name for a in node.names]
            targets = [(*base, *name.split("."))[0] for name in named]
        elif isinstance(node, ast.ImportFrom):
            targets = [
                p[1] for p in [(node.module or "").split(".")] if p[0] == "torseur" and p[1:]
            ]
        elif isinstance(node, ast.Import):
            targets = [
                p[1] for a in node.names for p in [a.name.split(".")] if p[0] == "torseur" and p[1:]
            ]
        else:
            continue
        for target in targets:
            yield target, node.lineno, inside


def test_imports_go_one_way():
    for file in FILES + STUBS:
        room = file.relative_to(ROOT).with_suffix("").parts[0]
        if room in ANYTHING:
            continue
        assert room in MAY_IMPORT, (
            f"room {room!r} is not on the plan: add it to architecture.md and here"
        )
        allowed = {room, *MAY_IMPORT[room].split()}
        for target, line, lazily in rooms_imported(file):
            checking = room == "model" and target == "system" and lazily  # Model.check() alone
            assert target in allowed or checking, (
                f"{file.relative_to(ROOT)}:{line} may not import {target}"
            )


def test_the_rule_has_no_cycle():
    order = list(MAY_IMPORT)
    for room, below in MAY_IMPORT.items():
        assert all(other in order for other in below.split())
        assert room not in below.split()
        for other in below.split():
            assert room not in MAY_IMPORT[other].split(), f"{room} and {other} import each other"


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


@pytest.mark.parametrize("room", ("constraints", "forces", "joints"))
def test_stubs_say_what_the_registers_hold(room):
    sys.path.insert(0, str(ROOT.parent.parent / "docs"))
    import stubs

    said, held = stubs.listed(room), stubs.elements(room)
    assert {n: said.get(n) for n in held} == held, "run `python docs/stubs.py`"


def test_the_stub_of_the_package_says_what_is_public():
    sys.path.insert(0, str(ROOT.parent.parent / "docs"))
    import stubs

    tree = ast.parse((ROOT / "__init__.pyi").read_text())
    imports = [n for n in tree.body if isinstance(n, ast.ImportFrom)]
    said = {name.name: node.module or "" for node in imports for name in node.names}
    assert said == stubs.homes(), "run `python docs/stubs.py`"


def through_walls(file):
    """Imports that name a file of another package instead of the package, or a subpackage."""
    here = file.relative_to(ROOT).with_suffix("").parts
    for node, _ in _imports(tree_of(file)):
        if not isinstance(node, ast.ImportFrom) or not node.level or not node.module:
            continue
        there = (*here[: len(here) - node.level], *node.module.split("."))
        if len(there) > 1 and there[0] != here[0] and not ROOT.joinpath(*there).is_dir():
            yield f"{'/'.join(here)}.py:{node.lineno} imports {'.'.join(there)}"


def test_names_of_other_packages_come_from_their_stubs():
    assert [wall for f in FILES for wall in through_walls(f)] == []


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


ONE_NAME = {
    "EnergyAudit": "the panel is called by what it shows",
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
    assert twins.keys() <= ONE_NAME.keys(), {n: f for n, f in twins.items() if n not in ONE_NAME}
    assert not ONE_NAME.keys() - twins.keys(), "no twins any more: take them off the list"


SHARED_NAMES = {
    "Line": ONE_NAME["Line"],
    "Measure": ONE_NAME["Measure"],
    "Spring": "a law; in robots a device that balances by one",
    "Wrench": ONE_NAME["Wrench"],
    "quantity": "of a description a field with its unit; else the decorator of formulas",
}
"""Names that two packages give to two things, and why."""


def test_no_two_packages_give_one_name_to_two_things():
    """Classes and functions that a package makes itself, under the names that others see."""
    sys.path.insert(0, str(ROOT.parent.parent / "docs"))
    import stubs

    given: dict[str, dict[str, object]] = {}
    for room, names in stubs.packages().items():
        package = importlib.import_module(f"torseur.{room}")
        for name in (n for n in names if not n.startswith("_") and n != "__all__"):
            x = getattr(package, name)
            own = getattr(x, "__module__", "").startswith(f"torseur.{room}")
            if own and isinstance(x, type | FunctionType):
                given.setdefault(name, {})[room] = x
    twins = {name: sorted(where) for name, where in given.items() if len(where) > 1}
    assert twins.keys() <= SHARED_NAMES.keys(), {
        n: w for n, w in twins.items() if n not in SHARED_NAMES
    }
    assert not SHARED_NAMES.keys() - twins.keys(), "no twins any more: take them off the list"


ASKED = {
    "crash/results.py": "draws and books the lines that its own builders made",
    "crash/lumped_import.py": "reads a model of one axis as a vehicle: the lines are the grammar",
    "robots/balancing/pose_rows.py": "writes tables as sums of hinges, for gradients",
    "robots/balancing/devices/spring.py": "lays laws on an extension, one case a law it can write so",
}
"""Files that ask which class an element of another room is, and why."""


def asked_classes(file, elements):
    """Lines where a file asks whether something is of a registered class of another room."""
    room = file.relative_to(ROOT).parts[0]
    text = text_of(file)
    others = {n for where, names in elements.items() if where != room for n in names if n in text}
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
        if (found := [*asked_classes(f, {r: n - ONE_NAME.keys() for r, n in elements.items()})])
    }
    assert not {f: x for f, x in asking.items() if f not in ASKED}
    assert not ASKED.keys() - asking.keys(), "cured: take them off the list"


def test_no_file_is_over_800_lines():
    long = {str(f.relative_to(ROOT)): n for f in FILES if (n := text_of(f).count("\n")) > 800}
    assert not long, long


def test_no_trial_lies_beside_the_rooms():
    """Programs and what they print have folders; a scratch file at the root was an oversight."""
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
