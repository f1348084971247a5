"""A force that leaps acts at that instant on whatever holds: friction and contacts let go.  EV.7"""

import numpy as np
import pytest

import torseur as ts

AT, END, HELD, PULL = 0.3, 1.0, 5.0, 40.0
SOURCES = {
    "step": ts.Expression(f"-({HELD} + {PULL - HELD}*step(t - {AT}))", work="supplied"),
    "sign": ts.Expression(f"-({HELD} + {(PULL - HELD) / 2}*(sign(t - {AT}) + 1))", work="supplied"),
    "table": ts.TimeTable(((0, HELD), (AT, HELD), (AT, PULL), (END, PULL))),
}
METHODS = {"dopri5": {}, "rk4": {"step": 1e-2}, "rodas5p": {}, "dop853": {}}
BLOCK = ts.Body("b", mass=2.0, inertia=(1, 1, 1, 0, 0, 0))


def rubbed(law):
    """A block held by dry friction, pushed along its rail."""
    return ts.Model(
        bodies=(BLOCK,),
        joints=(ts.Joint("j", "world", "b", ts.Prismatic("x")),),
        forces=(ts.JointForce("push", "j", law),),
        constraints=(ts.DryFriction("rub", "j.displacement", force=10.0, static=12.0),),
    ), (PULL - 10.0) / 2.0


def lifted(law):
    """A block on a floor, pulled up."""
    return ts.Model(
        bodies=(BLOCK,),
        joints=(ts.Joint("j", "world", "b", ts.Prismatic("z")),),
        forces=(ts.JointForce("push", "j", law),),
        constraints=(ts.Contact("floor", "b"),),
    ), PULL / 2.0 - 9.81


def dragged(law):
    """A block on a floor with friction, pushed along it."""
    joint = ts.Planar("y", order="translation_first")
    return ts.Model(
        bodies=(BLOCK,),
        joints=(ts.Joint("j", "world", "b", joint),),
        forces=(ts.Wrench("push", "b", (0, 0, 0, 1, 0, 0), axes="world", law=law),),
        constraints=(ts.Contact("floor", "b", friction=0.5),),
    ), PULL / 2.0 - 0.5 * 9.81


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("make", [rubbed, lifted])
def test_what_holds_lets_go_when_a_force_leaps(make, source, method):
    model, a = make(SOURCES[source])
    run = ts.simulate(model, END, method=method, **METHODS[method])
    assert run["j.displacement"][-1] == pytest.approx(a * (END - AT) ** 2 / 2, rel=1e-8)
    assert run.energy_audit.relative < 1e-8
    many = ts.batch(model, END, {"j.speed": np.zeros(2)}, keep=("j.displacement",))
    assert many["j.displacement"][:, -1] == pytest.approx(run["j.displacement"][-1], rel=1e-7)


@pytest.mark.parametrize("source", ["step", "sign"])
def test_a_cone_of_friction_lets_go(source):
    law = ts.Expression(SOURCES[source].text.removeprefix("-"), work="supplied")
    model, a = dragged(law)
    run = ts.simulate(model, END, {"j.x": 0.0})
    assert abs(run["b.position.x"][-1]) == pytest.approx(a * (END - AT) ** 2 / 2, rel=1e-8)
