"""One file outside the package adds one element of every kind: Python, YAML, command, schema."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml
from browser import Browser, chromium

import torseur as ts
from torseur.cli import main

ELEMENTS = '''
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from torseur.cli.base import CommandResult, model_arguments, read_model
from torseur.crash import Wall, against
from torseur.forces.lines._base import CoordinateLine, Resolved
from torseur.extend import (
    Constraint, CurveMetric, Law, Line, Method, Panel, Relative, command, constraint, formalism,
    joint, law, line, method, metric, panel, quantity, scenario,
)
from torseur.formalisms import newton_euler
from torseur.integrate import explicit_method
from torseur.joints import Prismatic
from torseur.scalars import vector


@law
@dataclass(frozen=True, slots=True)
class Quintic(Law):
    """Tension `stiffness * x^5` [N/m^5]."""

    stiffness: Any
    units: ClassVar = {"stiffness": "N/m^5"}

    def force(self, K, s):
        return self.get(K, "stiffness") * s.x**5

    def potential(self, K, s):
        return K.divide(self.get(K, "stiffness") * s.x**6, 6)

    @classmethod
    def examples(cls):
        return (cls(80.0),)


@line
@dataclass(frozen=True, slots=True, eq=False)
class FirstCoordinate(CoordinateLine):
    """A law on the first coordinate of the model, whatever it is called."""

    name: str
    law: Any

    def problems(self, model):
        return ()

    def resolved(self, system):
        return Resolved(weights=((0, 0, 1),), unit=system.links[0].joint.coordinates[0][1])

    @classmethod
    def examples(cls):
        return (cls("f", Quintic(1.0)),)


@joint
@dataclass(frozen=True, slots=True)
class Lift(Prismatic):
    """A slide that is always upwards."""

    axis: str = "z"

    @classmethod
    def examples(cls):
        return (cls(),)


@dataclass(frozen=True, slots=True, eq=False)
class LevelRows(Relative):
    """Height of M over F, against a number."""

    level: Any = 0

    def closure(self, K, X_FM):
        return vector((X_FM.p[2] - K.number(self.level),))

    def residual(self, tree, t, q):
        return self.closure(tree.K, self.pose(tree, q))

    def numbers(self):
        return (*Relative.numbers(self), self.level)


@constraint
@dataclass(frozen=True, slots=True, eq=False)
class Level(Constraint):
    """The origin of a body stays at a `height` [m]."""

    name: str
    body: str
    height: Any = 0

    def rows(self, to):
        F, M = to.fixed_frame("world", to.where(self)), to.fixed_frame(self.body, to.where(self))
        level = to.number(self.height, f"{to.where(self)}, height [m]")
        links = to.links_of(F, M)
        return [LevelRows(self.name, links, ("height",), ("m",), F=F, M=M, level=level)]

    @classmethod
    def examples(cls):
        return (cls("c", "hand", 0.3),)


@formalism("newton", frozenset())
def inverse_dynamics(tree, q, v, a):
    """Newton and Euler under a shorter name."""
    return newton_euler.inverse_dynamics(tree, q, v, a)


@quantity("q v", "speed")
def squared_speed(s, q, v):
    """Sum of squares of the speeds."""
    return vector((v @ v,))


@command("weigh", "say what a model weighs", ["weigh arm.yaml"], model_arguments)
def weigh(args):
    """Total mass of a model."""
    mass = sum(float(b.mass) for b in read_model(args).bodies)
    return CommandResult(f"{mass:g} kg", {"mass": mass})


@scenario
def walking_pace(vehicle, speed="6 km/h", dimensions=1, t_end=None):
    """A rigid wall at walking pace."""
    return against(vehicle, Wall(), speed, dimensions, t_end)


metric.named("span")(CurveMetric(lambda time, x: float(np.ptp(x)), "m", even=False))


@method
def heun() -> Method:
    """Order two: the mean of the slopes at both ends."""
    return explicit_method("heun", 2, [(), (1,), (0.5, 0.5)], (0, 1, 1), "Heun, fixed step")


@panel.named("spans")
class Spans(Panel):
    """Least and largest value of every signal."""

    title = "Spans"
    order = 35
    options = {"most": 50}

    def html(self, context):
        return '<p id="count"></p>'

    def data(self, context):
        names = sorted(context.signals)[: context.options["most"]]
        values = {n: context.run[n] for n in names}
        return {"spans": {n: [float(x.min()), float(x.max())] for n, x in values.items()}}

    script = """
({ data, byId, box, el }) => {
  byId("count").textContent = `${Object.keys(data.spans).length} signals`;
  for (const [name, [low, high]] of Object.entries(data.spans))
    box.append(el("p", { "data-span": name }, `${name}: ${low} to ${high}`));
}
"""
'''
MODEL = """
name: outside
bodies: {slider: {mass: 2}, bead: {mass: 1, inertia: [0.1, 0.1, 0.1]}}
joints: [{name: rail, type: lift, parent: world, child: slider},
         {name: fly, type: free, parent: world, child: bead}]
gravity: [0, 0, 0]
forces: [{name: f, type: quintic, joint: rail, stiffness: 80},
         {name: g, type: first_coordinate, law: {type: viscous, damping: 0}}]
constraints: [{name: c, type: level, body: bead, height: 20 cm}]
initial: {rail.displacement: 0.5, fly.pz: 0.2}
simulation: {t_end: 1}
"""
SCRIPT = """
import sys
import torseur as ts
from torseur import forces, joints
from torseur.register import use

use(sys.argv[1])
model = ts.load(sys.argv[2])
rail, fly = model.joints
model.save("again.yaml")
assert "type: lift" in open("again.yaml").read()
again = ts.load("again.yaml")
assert type(again.joints[0].kind) is joints.Lift and again.joints[0].kind == rail.kind
assert again.forces[0].law == model.forces[0].law
assert again.check().digest == model.check().digest
assert type(model.forces[0].law) is forces.Quintic and type(rail.kind) is joints.Lift
run = ts.simulate(model)
assert abs(run["energy.residual"]).max() < 1e-6 and abs(run["fly.pz"] - 0.2).max() < 1e-9
assert run.units["c.multiplier"] == "N"
assert [str(x) for x in ts.equations(model, formalism="newton").tau] == [
    str(x) for x in ts.equations(model).tau]
dyn = ts.compile(model)
import numpy as np
v = np.arange(1.0, 1 + dyn.nv)
assert dyn.kernel("squared_speed")(model.check().neutral(), v)[0] == v @ v
# x'' = -80 x^5 / 2: halving the step of a method of order two leaves a quarter of the error
exact = ts.simulate(model, rtol=1e-12, atol=1e-12)["rail.displacement"][-1]
far = [ts.simulate(model, method="heun", step=h)["rail.displacement"][-1] - exact
       for h in (0.01, 0.005)]
assert 3.6 < far[0] / far[1] < 4.4, far
# a scenario by Python, in a case file and by the command; a metric by Python and in a plan
from torseur.cli import main

assert main(["new", "k3", "-q"]) == 0
slow = ts.crash.scenario["walking_pace"](ts.crash.load_vehicle("k3.yaml"))
assert abs(slow.initial["body.speed"] - 6 / 3.6) < 1e-12
open("case.yaml", "w").write("crash: slow\\ncar: k3.yaml\\nscenario: walking_pace\\n")
assert ts.crash.load_case("case.yaml").scene.check().digest == slow.check().digest
assert main(["crash", "k3.yaml", "--scenario", "walking_pace", "-q"]) == 0
held = {"way": ts.studies.Metric("span", "rail.displacement")}
found = ts.study(model, vary={"rail.displacement": [0.1, 0.5]}, keep=held)["way"]
open("plan.yaml", "w").write(
    "model: model.yaml\\nvary: {rail.displacement: [0.1, 0.5]}\\n"
    "keep: {way: {metric: span, name: rail.displacement}}\\n")
assert main(["study", "plan.yaml", "-q"]) == 0
alone = [ts.simulate(model, initial={"rail.displacement": x}) for x in (0.1, 0.5)]
spans = [np.ptp(run["rail.displacement"]) for run in alone]
assert np.allclose(np.ravel(found), spans, rtol=1e-4), found
told = ts.load("by_heun.yaml")
assert ts.simulate(told).provenance["method"] == "heun"
run.report("run.html", most=3)
"""
BY_HEUN = MODEL.replace("{t_end: 1}", "{t_end: 1, method: heun, step: 10 ms}")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("outside")
    (folder / "mine.py").write_text(ELEMENTS)
    (folder / "model.yaml").write_text(MODEL)
    (folder / "by_heun.yaml").write_text(BY_HEUN)
    (folder / "script.py").write_text(SCRIPT)
    return folder


def called(place, *arguments):
    """A Python process of its own: registers of this one stay as they are."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=place,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(ts.__path__[0]).parent)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def from_python(place):
    return called(place, "script.py", "mine.py", "model.yaml")


def test_from_python_and_yaml(from_python):
    assert from_python == ""


@pytest.mark.slow
def test_a_method_and_a_panel_from_the_command(place):
    use = ("-m", "torseur", "--use", "mine.py", "simulate", "model.yaml")
    by = (*use, "--method", "heun", "--step", "10ms", "-o", "out")
    assert "steps of heun" in called(place, *by)
    page = (place / "out" / "report.html").read_text(encoding="utf-8")
    tabs = re.findall(r'data-title="(.*?)"', page)
    assert tabs.index("Spans") == tabs.index("Energy") + 1 and '<p id="count"></p>' in page
    assert "(window.panels ??= {}).spans = (" in page
    told = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
    low, high = told["panels"]["spans"]["spans"]["bead.position.z"]
    assert abs(low - 0.2) < 1e-9 and abs(high - 0.2) < 1e-9
    done = subprocess.run(
        [sys.executable, *use, "--method", "hoen"],
        cwd=place, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(Path(ts.__path__[0]).parent)},
    )  # fmt: skip
    assert done.returncode == 1 and "did you mean 'heun'" in done.stderr


@pytest.mark.skipif(chromium() is None, reason="no Chromium on this machine")
def test_the_panel_draws_itself(place, from_python, tmp_path):
    with Browser(tmp_path) as browser:
        browser.open((place / "run.html").as_uri())
        browser.run("document.getElementById('for-spans').click()")
        box = "document.querySelector('[role=tabpanel]:not([hidden])')"
        assert browser.run(f"{box}.textContent").startswith("3 signals")
        assert browser.run(f"{box}.querySelectorAll('[data-span]').length") == 3
        assert browser.complaints() == []


HELP = """
from contextlib import suppress

from torseur.cli import main

for words in (["--help"], ["equations", "model.yaml", "--formalism", "newton", "--help"]):
    with suppress(SystemExit):
        main(["--use", "mine.py", *words])
"""


def test_from_the_command(place):
    use = ("-m", "torseur", "--use", "mine.py")
    assert called(place, *use, "weigh", "model.yaml") == "3 kg\n"
    told = json.loads(called(place, *use, "simulate", "model.yaml", "--json"))
    assert told["completed"]
    text = called(place, "-c", HELP)
    assert "weigh" in text
    assert "newton," in text.replace("\n", "") or "newton}" in text


def test_from_the_schema(place, capsys):
    schema = json.loads(called(place, "-m", "torseur", "--use", "mine.py", "schema"))
    assert {"quintic", "first_coordinate", "lift", "constraint_level"} <= set(schema["$defs"])
    assert schema["$defs"]["quintic"]["required"] == ["type", "stiffness"]
    assert "heun" in schema["properties"]["simulation"]["properties"]["method"]["enum"]
    assert main(["schema"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert not {"quintic", "lift", "constraint_level"} & set(plain["$defs"])
    assert "heun" not in plain["properties"]["simulation"]["properties"]["method"]["enum"]
    rules = jsonschema.Draft202012Validator(schema)
    assert rules.is_valid(yaml.safe_load(BY_HEUN))
    assert not rules.is_valid(yaml.safe_load(BY_HEUN.replace("heun", "hoen")))


def test_a_wrong_file_is_told(place):
    done = subprocess.run(
        [sys.executable, "-m", "torseur", "--use", "none.py", "check", "model.yaml"],
        cwd=place,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(ts.__path__[0]).parent)},
    )
    assert done.returncode == 1 and "expected a Python file (.py) that exists" in done.stderr
