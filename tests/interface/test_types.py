"""Types help: checkers pass a correct script of a user, and find every mistake planted in one."""

import inspect
import re
import subprocess
import sys
from pathlib import Path
from types import FunctionType

import pytest

import torseur as ts

ROOT = Path(ts.__path__[0]).parent
RIGHT = """
import numpy as np

import torseur as ts

rod = ts.Body("rod", mass=2.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01, 0, 0, 0))
pivot = ts.Joint("pivot", "world", "rod", ts.Revolute("y"), damping="c")
model = ts.Model("pendulum", bodies=(rod,), joints=[pivot], parameters={"c": 0.1})
system: ts.System = model.check()
names: tuple[str, ...] = system.layout.q.names
slot: int = system.layout.q["pivot.angle"].slot
speeds: slice = system.joints["pivot"].v
run: ts.Trajectory = ts.simulate(model, 1.0, initial={"pivot.angle": 0.5})
angle: np.ndarray = run["pivot.angle"]
ended: bool = run.completed
last: dict[str, float] = run.final
lost: float = run.energy_audit.residual
dyn: ts.Dynamics = ts.compile(system, parameters=("c",))
M: np.ndarray = dyn.mass_matrix([0.0])
T, U = dyn.energy([0.0], [0.0])
rest: ts.Equilibrium = ts.equilibrium(model, {"pivot.angle": 0.1})
text: str = ts.equations(model).text()
entry: str = ts.equations(model).mass_matrix[0, 0].latex()
frequencies: np.ndarray = ts.modes(model, rest.state).frequency
force = ts.JointForce("spring", "pivot", ts.Spring(3.0))
"""
WRONG = """
import torseur as ts

rod = ts.Body("rod", mas=2.0)  # a misspelt argument
pivot = ts.Joint("pivot", "world", "rod", rod)  # a body where a kind of joint is wanted
model = ts.Model(bodies=(rod,), joints=(pivot,))
run = ts.simulate("pendulum.yaml", 1.0)  # a file name where a model is wanted
text: str = run["pivot.angle"]  # an array is no text
print(run.finall)  # a misspelt attribute
rod.mass = 3.0  # a description does not change
law = ts.Sprin(3.0)  # a misspelt name
ts.simulate(model, t_end="1 s")  # a text where seconds are wanted
ts.Joint("elbow", "world")  # arguments left out
ts.compile(model).mass_matrx([0.0])  # a misspelt method
model.check().joints["pivot"].speeds  # a link has v, not speeds
ts.equations(model).mass_matrix[0, 0].latx()  # a misspelt method of an entry
"""
DOMAINS = ("robots", "vehicles", "crash", "identify", "studies")
USED = (
    *(ts.Model, ts.System, ts.Dynamics, ts.Trajectory, ts.Ensemble, ts.Equations),
    *(ts.Equilibrium, ts.Linear, ts.Modes, ts.Run, ts.Page),
)


def every_name() -> str:
    """A script that reads every public name, constructor, and member of what functions give."""
    lines = ["import torseur as ts"]
    for where, room in (("ts", ts), *((f"ts.{d}", getattr(ts, d)) for d in DOMAINS)):
        for n in (n for n in dir(room) if not n.startswith("_")):
            x = getattr(room, n)
            if not inspect.ismodule(x):
                lines.append(f"print({where}.{n})")
            if inspect.isclass(x) and "__init__" in vars(x):
                lines.append(f"print({where}.{n}.__init__)")
    for cls in USED:
        members = (m for m in dir(cls) if not m.startswith("_"))
        lines.append(f"def use_{cls.__name__}(x: ts.{cls.__name__}) -> None:")
        lines += [*(f"    print(x.{m})" for m in members), "    return None"]
    return "\n".join(lines) + "\n"


PLANTED = {i for i, line in enumerate(WRONG.splitlines(), 1) if "#" in line}
CHECKERS = {
    "mypy": "mypy --config-file= --strict --follow-imports=silent --ignore-missing-imports".split(),
    "basedpyright": ["basedpyright", "--pythonpath", sys.executable, "-p", "."],
}


@pytest.fixture(
    scope="module",
    params=[pytest.param(c, marks=pytest.mark.slow) if c == "mypy" else c for c in CHECKERS],
)
def told(request, tmp_path_factory):
    """Lines of which a checker complains, by script."""
    pytest.importorskip(request.param)
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
    public = {n: getattr(ts, n) for n in dir(ts) if not n.startswith("_")}
    found = {n: untyped(f) for n, f in public.items() if isinstance(f, FunctionType)}
    for cls in USED:
        for name, f in vars(cls).items():
            f = getattr(f, "fget", getattr(f, "func", getattr(f, "__func__", f)))
            if isinstance(f, FunctionType) and not name.startswith("_"):
                found[f"{cls.__name__}.{name}"] = untyped(f)
    assert not {n: missing for n, missing in found.items() if missing}


def test_completion_offers_signals_and_names():
    run = ts.Trajectory([0.0, 1.0], {"elbow.angle": [1.0, 2.0]}, {"elbow.angle": "rad"})
    assert run._ipython_key_completions_() == ["time", "elbow.angle"]
    assert {"Revolute", "simulate", "Spring", "joints"} <= set(dir(ts))
    assert not {"import_module"} & set(dir(ts))
    for room, name in ((ts.joints, "Revolute"), (ts.forces, "Spring"), (ts.constraints, "Gear")):
        assert name in dir(room)


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
        "methods": (ts.METHODS, ["rk4"]),
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
