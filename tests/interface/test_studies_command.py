"""`torseur study plan.yaml`: the plan as data, every problem at once, table and page."""

import json

import pytest

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
  way: {signal: x.displacement, at: [0.05, 0.1]}
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
        ("3.6 km/h, 7.2 km/h, 2", "3.6 km/h", "grid"),
    ],
)
def test_problems_of_a_plan_are_told(folder, capsys, old, new, told):
    plan = folder / "plan.yaml"
    plan.write_text(PLAN.replace(old, new))
    assert main(["study", str(plan), "--engine", "lanes"]) == 1
    assert told in capsys.readouterr().err
