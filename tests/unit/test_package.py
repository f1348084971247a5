"""The package: what src imports is declared, what is optional says which extra brings it."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import conftest
import pytest

import torseur as ts
from torseur.cli import main
from torseur.cli.commands import doctor

ROOT = Path(__file__).parents[2]
SOURCES = sorted(Path(ts.__path__[0]).rglob("*.py"))
pytestmark = pytest.mark.skipif(
    not (ROOT / "pyproject.toml").exists(), reason="the project is not beside the tests"
)
# where the name of the package is not the name of what is imported
PACKAGE = {
    "flint": "python-flint",
    "yaml": "pyyaml",
    "PIL": "pillow",
    "imageio_ffmpeg": "imageio-ffmpeg",
    "dask": "dask",
    "SALib": "salib",
    "sksundae": "scikit-sundae",
    "objective_rating_metrics": "objective-rating-metrics",
}


def declared():
    """Packages of the core, and of each extra with those it includes."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]

    def plain(lines):
        out = set()
        for line in lines:
            inner = re.match(r"torseur\[(.*)\]", line)
            if inner:
                out |= set().union(*(plain(extras[e]) for e in inner[1].split(",")))
            else:
                out.add(re.match(r"[\w-]+", line)[0].lower())
        return out

    return plain(project["dependencies"]), {e: plain(x) for e, x in extras.items()}


def outside_imports(file):
    """(package, extra named around it or None, line) of imports of other people's libraries."""

    def walk(node, extra, typing):
        for child in ast.iter_child_nodes(node):
            inner, types = extra, typing
            if isinstance(child, ast.With):
                call = child.items[0].context_expr
                if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "needs":
                    inner = call.args[0].value
            if isinstance(child, ast.If) and getattr(child.test, "id", "") == "TYPE_CHECKING":
                types = True
            if isinstance(child, ast.Import):
                names = [a.name for a in child.names]
            elif isinstance(child, ast.ImportFrom) and not child.level:
                names = [child.module or ""]
            else:
                names = []
            for name in names:
                top = name.partition(".")[0]
                if top not in sys.stdlib_module_names and top != "torseur" and not typing:
                    yield PACKAGE.get(top, top).lower(), inner, child.lineno
            yield from walk(child, inner, types)

    return walk(ast.parse(file.read_text(encoding="utf-8")), None, False)


def test_every_import_is_declared_and_optional_ones_name_their_extra():
    core, extras = declared()
    used, wrong = set(), []
    for file in SOURCES:
        for package, extra, line in outside_imports(file):
            where = f"{file.name}:{line} imports {package}"
            used.add(package)
            if extra is None and package not in core:
                wrong.append(f'{where}, no dependency of the core, outside `with needs("...")`')
            elif extra is not None and package not in extras.get(extra, ()):
                wrong.append(f"{where}, which the extra {extra!r} does not bring")
    assert not wrong, "\n".join(wrong)
    # nothing is asked for in vain; h5netcdf is for users: xarray writes HDF5 through it
    for name in doctor.GIVES:
        assert extras[name] - used <= {"h5netcdf"}, name
    assert core <= used


def test_the_core_is_what_the_main_job_needs_and_no_more():
    """`make package` measures the installed size."""
    core, extras = declared()
    assert core == {"numpy", "scipy", "casadi", "llvmlite", "python-flint", "pint", "pyyaml"}
    assert set(doctor.GIVES) | {"all", "docs", "test", "peers"} == set(extras)
    assert extras["all"] == set().union(*(extras[e] for e in doctor.GIVES))


def test_every_file_of_data_goes_into_the_wheel():
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    globs = tool["package-data"]["*"]
    files = [p for p in Path(ts.__path__[0]).rglob("*.*") if p.is_file()]
    data = [p for p in files if p.suffix not in (".py", ".pyc")]
    assert data and all(any(p.match(g) for g in globs) for p in data)


WITHOUT = """
from importlib.machinery import PathFinder
find = PathFinder.find_spec
def without(name, path=None, target=None):
    return None if name.partition(".")[0] in {absent!r} else find(name, path, target)
PathFinder.find_spec = without
import torseur as ts
from torseur.cli import main
from torseur.errors import NotInstalled
assert main(["simulate", {file!r}, "-o", {out!r}, "-q"]) == 0
assert main(["equations", {file!r}, "-q"]) == 0
run = ts.Trajectory.load({out!r} + "/run.nc")
model = ts.load({file!r})
for what, ask, extra in (
    ("plot", lambda: run.plot(), "plot"),
    ("to_pandas", lambda: run.to_pandas(), "tables"),
    ("to_xarray", lambda: run.to_xarray(), "tables"),
    ("to_sympy", lambda: ts.equations(model).tau[0].sympy(), "sympy"),
    ("Transition", lambda: ts.robots.Transition(0, 1), "robots"),
):
    try:
        ask()
    except NotInstalled as e:
        assert str(e).startswith(what) and f'pip install "torseur[{{extra}}]"' in str(e), str(e)
    else:
        raise AssertionError(what)
"""


def test_the_main_job_does_without_every_optional_library(tmp_path):
    core, extras = declared()
    back = {v: k for k, v in PACKAGE.items()}
    absent = {back.get(p, p) for e in extras.values() for p in e - core} | {"SALib"}
    code = WITHOUT.format(
        absent=absent, file=str(ROOT / "examples" / "robot_arm.yaml"), out=str(tmp_path / "out")
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert (tmp_path / "out" / "report.html").stat().st_size > 10_000


POSIX = {"fcntl", "pwd", "grp", "resource", "termios", "tty", "pty", "posix", "syslog"}
ONLY = {
    "os": {"fork", "getuid", "geteuid", "getgid", "uname", "chown", "sched_getaffinity", "killpg"},
    "signal": {"SIGALRM", "alarm", "setitimer", "SIGKILL", "SIGHUP", "pthread_kill"},
}
ASKS = re.compile(rf"\b({'|'.join((*POSIX, *ONLY['os'], *ONLY['signal']))})\b|\bopen\(")


def test_nothing_asks_for_posix_alone():
    """Windows lacks these; behind `hasattr` in its file, or `suppress(ImportError)`: fine."""
    wrong = []
    for file in SOURCES:
        text = file.read_text(encoding="utf-8")
        if not ASKS.search(text):
            continue
        tree = ast.parse(text)
        spared = {
            n
            for w in ast.walk(tree)
            if isinstance(w, ast.With) and "suppress(ImportError" in ast.unparse(w.items[0])
            for n in ast.walk(w)
        }
        for node in ast.walk(tree):
            where = f"{file.name}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.Import | ast.ImportFrom):
                if node in spared:
                    continue
                names = [a.name for a in node.names] + [getattr(node, "module", "") or ""]
                wrong += [f"{where} imports {n}" for n in POSIX & set(names)]
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                owner, name = node.value.id, node.attr
                if name in ONLY.get(owner, ()) and f'hasattr({owner}, "{name}")' not in text:
                    wrong.append(f"{where} uses {owner}.{name}")
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "open":
                mode = [a.value for a in node.args[1:2] if isinstance(a, ast.Constant)]
                told = any(k.arg in ("encoding", "mode") for k in node.keywords)
                if not told and "b" not in (mode[0] if mode else ""):
                    wrong.append(f"{where} opens a text without its encoding")
    assert not wrong, "\n".join(wrong)


ELSEWHERE = """
import os, signal, sys
import numpy, scipy, casadi, llvmlite.binding, flint, pint, platformdirs.unix, yaml
import concurrent.futures, http.server, matplotlib.pyplot, multiprocessing, PIL.Image, webbrowser
for name in {modules!r}:
    sys.modules[name] = None
for owner, names in ((os, {calls!r}), (signal, {signals!r})):
    for name in names:
        if hasattr(owner, name):
            delattr(owner, name)
import torseur as ts
from torseur.cli.main import main
for words in ("new robot", "check robot.yaml", "equations robot.yaml", "doctor",
              "simulate robot.yaml -o out", "plot out/run.nc -o run.png"):
    assert not main(words.split()), words
run = ts.Trajectory.load("out/run.nc")
assert run.completed and len(run.time) > 10
ts.compile(ts.load("robot.yaml")).export("robot.c")
"""


@pytest.mark.slow
def test_the_main_way_needs_no_posix_call(tmp_path):
    """As on Windows: what only POSIX has is taken away from the process, then the work is done."""
    flags = {"O_NOFOLLOW", "O_NONBLOCK", "O_DIRECTORY", "O_CLOEXEC", "register_at_fork", "setsid"}
    code = ELSEWHERE.format(
        modules=sorted(POSIX - {"posix", "tty", "pty"}),
        calls=sorted(ONLY["os"] | flags),
        signals=sorted(ONLY["signal"] | {"pthread_sigmask"}),
    )
    there = dict(os.environ, TORSEUR_CACHE=str(tmp_path / "cache"), MPLBACKEND="agg")
    there["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, cwd=tmp_path, env=there, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert (tmp_path / "robot.h").exists() and (tmp_path / "run.png").exists()


def test_doctor_tells_what_is_missing(monkeypatch, capsys):
    lines = [
        "numpy>=1.26",
        "no-such-package>=1",
        'matplotlid>=3.8; extra == "plot"',
        'torseur[plot]; extra == "robots"',
    ]
    monkeypatch.setattr(metadata, "requires", lambda name: lines)
    assert doctor.list_requirements()[1]["robots"] == ["matplotlid"]
    assert main(["doctor"]) == 1
    said = "".join(capsys.readouterr())
    assert "MISSING: pip install no-such-package" in said
    assert 'pip install "torseur[plot]" (matplotlid)' in said and "sympy" in said


def test_blas_keeps_to_one_thread():
    """Threads of BLAS spin on small matrices: a plugin that loads NumPy first cost a minute."""
    assert not conftest.LATE, "something loads NumPy before tests/conftest.py; see addopts"
