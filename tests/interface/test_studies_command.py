"""`torseur study plan.yaml`: the plan as data, every problem at once, table and page."""

import json
import math

import pytest

import torseur as ts
from torseur.cli import main

MODEL = """
schema_version: 1
name: block
gravity: 0
bodies: {b: {mass: 2 kg}}
joints: [{name: x, type: prismatic, axis: x, parent: world, child: b}]
forces: [{name: f, type: spring, joint: x, stiffness: 200}]
"""
PLAN = """
model: block.yaml
t_end: 100 ms
vary:
  x.speed: {grid: [3.6 km/h, 7.2 km/h, 2]}
  f.stiffness: {grid: [[100, 200]]}
keep:
  end: {final: x.displacement}
  way: {signal_at: x.displacement, at: [0.05, 0.1]}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "block.yaml").write_text(MODEL)
    (tmp_path / "plan.yaml").write_text(PLAN)
    return tmp_path


def test_a_plan_runs_and_writes(folder, capsys):
    out = folder / "out"
    assert (
        main(["study", str(folder / "plan.yaml"), "--engine", "lanes", "-o", str(out), "--json"])
        == 0
    )
    told = json.loads(capsys.readouterr().out)
    assert (told["members"], told["failed"]) == (4, 0)
    rows = (out / "table.csv").read_text().splitlines()
    assert rows[0].startswith("member,x.speed,f.stiffness,end") and len(rows) == 5
    x = [float(r.split(",")[3]) for r in rows[1:]]
    assert x[2] == pytest.approx(2 * x[0], rel=1e-9)  # a spring is linear in the speed
    assert "Study of block" in (out / "report.html").read_text()


@pytest.mark.parametrize(
    "old, new, told",
    [
        ("{grid: [3.6 km/h, 7.2 km/h, 2]}", "{gird: [1, 2, 2]}", "did you mean 'grid'"),
        ("final: x", "fnal: x", "no kind is named 'fnal'"),
        ("t_end", "t_ent", "no key is named 't_ent'"),
        ("vary:", "vari:", "no 'vary'"),
        ("3.6 km/h, 7.2 km/h, 2", "3.6 km/h", "Grid"),
    ],
)
def test_problems_of_a_plan_are_told(folder, capsys, old, new, told):
    plan = folder / "plan.yaml"
    plan.write_text(PLAN.replace(old, new))
    assert main(["study", str(plan), "--engine", "lanes"]) == 1
    assert told in capsys.readouterr().err


CHOICES = """
vary:
  model: {choice: {light: block.yaml, heavy: heavy.yaml}}
  push.scale: {grid: [[1, 2]]}
simulation: {inputs: {push: "3*cos(5*t)"}, output: 5}
keep: {end: {final: x.speed}}
"""
LAWS = """
model: heavy.yaml
vary:
  f.law: {choice: {soft: {type: spring, stiffness: 0.1 N/mm}, none: {type: viscous, damping: 0}}}
  push: {choice: {still: 0, table: {times: [0, 0.1, 0.2], values: [0, 1, 2]}}}
keep: {end: {final: x.speed}, bad: {metric: settling_time, name: x.speed, target: 0.0}}
"""


def test_a_plan_chooses_models_laws_and_inputs_of_time(folder, capsys):
    pushed = MODEL + "  - {name: g, type: effort, joint: x, input: push}\ninputs: {push: N}\n"
    pushed = pushed.replace("[{name: f", "\n  - {name: f").replace("200}]", "0}")
    (folder / "block.yaml").write_text(pushed + "simulation: {t_end: 100 ms}\n")
    heavy = pushed.replace("2 kg", "4 kg") + "simulation: {t_end: 200 ms}\n"
    (folder / "heavy.yaml").write_text(heavy)
    (folder / "plan.yaml").write_text(CHOICES)
    call = ["study", str(folder / "plan.yaml"), "--engine", "lanes"]
    assert main([*call, "-o", str(folder / "out")]) == 0
    rows = (folder / "out" / "table.csv").read_text().splitlines()[1:]
    for row in rows:
        _, label, scale, end, outcome, _ = row.split(",")
        mass, t = (2, 0.1) if label == "light" else (4, 0.2)
        assert float(end) == pytest.approx(float(scale) * 3 * math.sin(5 * t) / 5 / mass, rel=1e-8)
        assert f"t = {t:g} s" in outcome
    (folder / "plan.yaml").write_text(LAWS)
    assert main([*call, "-o", str(folder / "laws")]) == 0
    rows = [r.split(",") for r in (folder / "laws" / "table.csv").read_text().splitlines()[1:]]
    found = {(r[1], r[2]): float(r[3]) for r in rows}
    assert found["none", "still"] == found["soft", "still"] == 0
    assert found["none", "table"] == pytest.approx(0.2**2 * 10 / 2 / 4, rel=1e-8)
    assert 0 < found["soft", "table"] < found["none", "table"]
    assert all(r[4] == "" and "no 'bad': step_metrics" in ",".join(r) for r in rows)
    capsys.readouterr()
    assert main([*call, "--json"]) == 0
    kept = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)["kept"]  # strict JSON
    assert kept["bad"]["mean"] is None and kept["end"]["count"] == 4
    (folder / "plan.yaml").write_text(LAWS.replace("0.1 N/mm", "3 kg").replace("viscous", "viscos"))
    assert main(call) != 0
    told = capsys.readouterr().err
    assert "vary.f.law.soft.law.stiffness = 3 kg" in told and "did you mean 'viscous'" in told


def test_counts_and_design_of_a_plan_are_told_together(tmp_path):
    model = (
        "bodies: {b: {mass: 1}}\n"
        "joints: [{name: x, type: prismatic, axis: x, parent: world, child: b}]\n"
    )
    plan = (
        "model: m.yaml\nt_end: 3 kg\nsamples: many\nseed: -1\ndesign: sobl\n"
        "vary: {b.mass: {uniform: [1, 2]}}\nkeep: {end: {final: x.speed}}\n"
    )
    (tmp_path / "m.yaml").write_text(model, encoding="utf-8")
    (tmp_path / "plan.yaml").write_text(plan, encoding="utf-8")
    with pytest.raises(ts.ModelError) as told:
        ts.studies.read_plan(tmp_path / "plan.yaml")
    assert [p.split(": ")[1] for p in told.value.problems] == ["samples", "seed", "design", "t_end"]
