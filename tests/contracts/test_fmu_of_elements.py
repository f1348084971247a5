"""Every registered line and constraint, exported: co-simulation is the motion of `simulate`."""

import platform
import sys

import pytest
import zoo
from fmi import PLATFORM, Fmu

import torseur as ts
from torseur.constraints import constraint
from torseur.forces import law, line

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.platform == "darwin" or platform.machine() not in ("x86_64", "AMD64"),
        reason="binaries are for Linux and Windows on x86-64",
    ),
]
START = {"ball.angle2": 0.7, "ball.angle1": 0.2, "fly.pz": 2.0, "turn.rate": 0.5}
T = 0.13  # s: no knot of an example is there


def same(model, tmp_path, k):
    """States at the end, over their tolerance."""
    try:
        run = ts.simulate(model, T)
    except ts.TorseurError as why:
        pytest.skip(f"no such start: {why}")
    if not run.completed:
        pytest.skip(run.outcome)
    path = ts.export_fmu(model, tmp_path / "m.fmu", t_end=T, platforms=PLATFORM)
    names = list(run.final)
    got = Fmu(path, tmp_path / "m").start().run([0.0, 0.05, T], names)[-1]
    zoo.close(got, [run[n][-1] for n in names], k, scale=1.0)


@pytest.mark.parametrize("own", constraint.examples(), ids=lambda c: type(c).__name__)
def test_constraints_leave(own, tmp_path):
    made = zoo.mechanism(constraints=(own,), initial=START, simulation={"keep": ["ball.angle2"]})
    same(made, tmp_path, 2e9)


LINES = [(n, i) for n, kind in line.items() for i in range(len(kind.examples()))]


@pytest.mark.parametrize("name,i", LINES)
def test_lines_leave(name, i, tmp_path):
    own = line[name].examples()[i]
    same(zoo.mechanism(forces=(own,), initial=START), tmp_path, 2e9)


LAWS = [(n, i) for n, kind in law.items() for i in range(len(kind.examples()))]


@pytest.mark.parametrize("name,i", LAWS)
def test_laws_leave(name, i, tmp_path):
    own = law[name].examples()[i]
    made = ts.Model(
        gravity=(3, 0, 0),
        bodies=(ts.Body("b", mass=1.0),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        inputs=tuple(ts.Input(n) for n in own.inputs),
        forces=(ts.JointForce("f", "x", own),),
        initial={"x.speed": 0.5},
    )
    same(made, tmp_path, 2e9)
