"""Scripts of users, for type checkers: a correct one, one full of mistakes, and every public name.

`python tests/typed_scripts.py FOLDER` writes them for `make types`, which checks them strictly.  A
line with a mistake says `type: ignore`; a checker that finds none there complains of that.
"""

import inspect
import json
import sys
from pathlib import Path

import torseur as ts

STRICT = """# mypy: warn-unused-ignores, disallow-untyped-defs, disallow-untyped-calls
# mypy: disallow-any-generics
# mypy: disallow-incomplete-defs, warn-return-any, strict-equality
"""
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
rest: ts.solve.Equilibrium = ts.equilibrium(model, {"pivot.angle": 0.1})
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
MODULES = tuple(n for n in ts.__all__ if inspect.ismodule(getattr(ts, n)))
USED = {
    "ts": (
        *(ts.Model, ts.System, ts.Dynamics, ts.Trajectory, ts.Ensemble, ts.Equations),
        ts.Simulation,
    ),
    "ts.solve": (ts.solve.Equilibrium, ts.solve.Linear, ts.solve.Modes),
}
"""Classes whose members scripts use, by the public module that has them."""


def every_name() -> str:
    """A script that reads every public name, constructor, and member of what functions give."""
    lines = ["import torseur as ts"]
    for where, module in (("ts", ts), *((f"ts.{m}", getattr(ts, m)) for m in MODULES)):
        for n in (n for n in dir(module) if not n.startswith("_")):
            x = getattr(module, n)
            if not inspect.ismodule(x):
                lines.append(f"print({where}.{n})")
            if inspect.isclass(x) and "__init__" in vars(x):
                lines.append(f"print({where}.{n}.__init__)")
    for where, cls in ((where, cls) for where, classes in USED.items() for cls in classes):
        members = (m for m in dir(cls) if not m.startswith("_"))
        lines.append(f"def use_{cls.__name__}(x: {where}.{cls.__name__}) -> None:")
        lines += [*(f"    print(x.{m})" for m in members), "    return None"]
    return "\n".join(lines) + "\n"


def write(folder: Path) -> None:
    """Write the scripts into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    wrong = WRONG.replace("  # ", "  # type: ignore  # ")
    scripts = {"right.py": RIGHT, "wrong.py": wrong, "every.py": every_name()}
    for name, text in scripts.items():
        (folder / name).write_text(STRICT + text, encoding="utf-8")
    strict = {"typeCheckingMode": "strict", "reportUnnecessaryTypeIgnoreComment": "error"}
    (folder / "pyrightconfig.json").write_text(json.dumps(strict))


if __name__ == "__main__":
    write(Path(sys.argv[1]))
