"""Types help: checkers pass a correct script of a user, and find every mistake planted in one."""

import inspect
import re
import subprocess
import sys
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest
from typed_scripts import MODULES, RIGHT, USED, WRONG, every_name

import torseur as ts

ROOT = Path(ts.__path__[0]).parent
PLANTED = {i for i, line in enumerate(WRONG.splitlines(), 1) if "#" in line}
CHECKERS = {
    "mypy": "mypy --config-file= --strict --follow-imports=silent --ignore-missing-imports".split(),
    "basedpyright": ["basedpyright", "--pythonpath", sys.executable, "-p", "."],
}


@pytest.fixture(scope="module", params=[pytest.param(c, marks=pytest.mark.slow) for c in CHECKERS])
def told(request, tmp_path_factory):
    """Lines of which a checker complains, by script; `make types` asks the same, and CI with it."""
    pytest.importorskip(request.param)
    if request.param == "basedpyright" and np.lib.NumpyVersion(np.__version__) < "2.3.0":
        pytest.skip("before NumPy 2.3 a bare `ndarray` has parts without a type")
    folder = tmp_path_factory.mktemp(request.param)
    for name, script in (("right.py", RIGHT), ("wrong.py", WRONG)):
        (folder / name).write_text(script)
    if request.param == "basedpyright":  # strict: a type that is unknown in part is an error
        (folder / "every.py").write_text(every_name())
    (folder / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    files = [] if request.param == "basedpyright" else ["right.py", "wrong.py"]
    answer = subprocess.run(
        [sys.executable, "-m", *CHECKERS[request.param], *files],
        cwd=folder,
        env={"MYPYPATH": str(ROOT), "PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    found = re.findall(r"(\w+\.py):(\d+)(?::\d+)?(?: -)?:? error", answer.stdout)
    assert found or answer.returncode == 0, answer.stdout + answer.stderr
    scripts = ("right.py", "wrong.py", "every.py")
    return answer.stdout, {f: {int(i) for name, i in found if name == f} for f in scripts}


def test_a_correct_script_passes(told):
    assert told[1]["right.py"] == set()


def test_every_planted_mistake_is_found(told):
    assert len(PLANTED) == 12 and told[1]["wrong.py"] == PLANTED


def test_every_public_name_has_a_type_in_every_part(told):
    """What a strict checker sees of the whole public API: nothing unknown."""
    assert told[1]["every.py"] == set(), told[0]


def untyped(f) -> list[str]:
    said = inspect.signature(f)
    names = [p.name for p in said.parameters.values() if p.annotation is p.empty]
    names += ["return"] if said.return_annotation is said.empty else []
    return [n for n in names if n not in ("self", "cls", "K")]


def test_public_functions_carry_their_types():
    """Every public function, and every public method of what functions give to users."""
    modules = {"ts": ts} | {f"ts.{m}": getattr(ts, m) for m in MODULES}
    public = {f"{m}.{n}": getattr(x, n) for m, x in modules.items() for n in x.__all__}
    found = {n: untyped(f) for n, f in public.items() if isinstance(f, FunctionType)}
    for cls in (cls for classes in USED.values() for cls in classes):
        for name, f in vars(cls).items():
            f = getattr(f, "fget", getattr(f, "func", getattr(f, "__func__", f)))
            if isinstance(f, FunctionType) and not name.startswith("_"):
                found[f"{cls.__name__}.{name}"] = untyped(f)
    assert not {n: missing for n, missing in found.items() if missing}


def test_completion_offers_signals_and_names():
    run = ts.Trajectory([0.0, 1.0], {"elbow.angle": [1.0, 2.0]}, {"elbow.angle": "rad"})
    assert run._ipython_key_completions_() == ["time", "elbow.angle"]
    assert {"Revolute", "simulate", "Spring", "robots"} <= set(dir(ts))
    assert not {"import_module"} & set(dir(ts))
    for module, name in ((ts.robots, "balance"), (ts.crash, "hic"), (ts.extend, "law")):
        assert name in dir(module)


def test_completion_offers_keys_of_models_systems_and_runs():
    """Every key that is offered is one that can be asked for."""
    rods = [ts.Body(n, 1.0, (0, 0, -0.5), (0.1,) * 3 + (0,) * 3) for n in ("upper", "lower")]
    joints = (
        ts.Joint("shoulder", "world", "upper", ts.Revolute("y")),
        ts.Joint("elbow", "upper", "lower", ts.Revolute("y"), at=(0, 0, -1), damping="c"),
    )
    model = ts.Model("arm", bodies=rods, joints=joints, parameters={"c": 0.1})
    system = model.check()
    run = ts.simulate(model, 0.1)
    many = ts.Ensemble([0.0], {"shoulder.angle": [[1.0]]}, {"shoulder.angle": "rad"}, "", [True])
    wanted = {
        "system.joints": (system.joints, ["shoulder", "elbow"]),
        "model.parameters": (model.parameters, ["c"]),
        "system.layout.q": (system.layout.q, ["shoulder.angle", "elbow.angle"]),
        "run": (run, ["time", "shoulder.angle"]),
        "many": (many, ["shoulder.angle"]),
        "methods": (ts.integrate.METHODS, ["rk4"]),
    }
    for what, (held, some) in wanted.items():
        offered = held._ipython_key_completions_()
        assert set(some) <= set(offered), what
        assert all(held[name] is not None for name in offered), what
    assert system.joints["elbow"].v == slice(1, 2)
    assert system.layout.q["elbow.angle"].slot == 1
    assert "elbow.angle" in dict(run.final)
    with pytest.raises(ts.TorseurError, match="did you mean 'elbow'"):
        system.joints["elbwo"]
