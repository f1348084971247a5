"""One sign convention: every registered law on every line of action, at several states."""

import warnings

import numpy as np
import pytest

import torseur as ts
from torseur.dynamics import Motion, start
from torseur.forces import EVERY_LAW
from torseur.scalars import Floats

every_law = pytest.mark.parametrize("law", EVERY_LAW, ids=[type(x).__name__ for x in EVERY_LAW])
LINES = {
    "points": lambda law: ts.PointForce("f", "world", "b", law),
    "joint": lambda law: ts.JointForce("f", "x", law),
    "coordinates": lambda law: ts.CoordinateForce("f", {"x.displacement": 1}, law),
    "wrench": lambda law: ts.Wrench("f", "b", (0, 0, 0, 1, 0, 0), law=law),
}
INPUTS = tuple(ts.Input(n) for n in ("push", "motor"))


def acting(line, law, x, v):
    """Signal and generalized force of one element, x the distance from the world's origin."""
    body = ts.Body("b", 1.0)
    joint = ts.Joint("x", "world", "b", ts.Prismatic("x"))
    model = ts.Model(
        "m", bodies=(body,), joints=(joint,), forces=(LINES[line](law),), inputs=INPUTS
    )
    with warnings.catch_warnings(action="ignore", category=ts.ModelWarning):  # another test's
        system, K = model.check(), Floats()
    now = start(system, K, 0.3, np.array([x]), np.array([v]), np.array([3.0, 3.0]))
    motion = Motion(system, K)
    return motion.loads(now).acting[0], float(motion.applied(now)[0])


@pytest.mark.parametrize("line", LINES)
@every_law
def test_the_signal_says_which_way_it_pushes(law, line):
    """Passive: tension, the force on x is its opposite; sources and wrenches: the push itself."""
    if line == "wrench" and law.deflects and hasattr(law, "text"):
        pytest.skip("refused: a wrench has no deflection")
    for x, v in ((0.31, 0.2), (0.47, -0.15), (0.12, 0.4)):
        found, Q = acting(line, law, x, v)
        pushes = line == "wrench" or law.shows < 0
        assert Q == pytest.approx(float(found.force) if pushes else -float(found.force), abs=1e-12)


@every_law
def test_lines_between_the_same_ends_agree(law):
    for x, v in ((0.31, 0.2), (0.47, -0.15)):
        forces = [acting(line, law, x, v)[1] for line in ("points", "joint", "coordinates")]
        assert forces == pytest.approx([forces[0]] * 3, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize(
    "source", [ts.Effort(input="push"), ts.Servo(0, feedforward="push"), ts.Effort(3.0)]
)
def test_a_source_has_the_sign_of_its_input(source, line):
    found, Q = acting(line, source, 0.31, 0.2)
    assert float(found.force) == Q == 3.0


def block(force):
    body, joint = ts.Body("b", 1.0), ts.Joint("x", "world", "b", ts.Prismatic("x"))
    return ts.Model("m", gravity=(0, 0, 0), bodies=(body,), joints=(joint,), forces=(force,))


def test_the_law_of_a_wrench_sees_signals():
    drag = ts.Expression("-2*v", {"v": "x.speed"})
    model = block(ts.Wrench("drag", "b", (0, 0, 0, 1, 0, 0), law=drag))
    run = ts.simulate(model, 1.0, {"x.speed": 1.0}, rtol=1e-10)
    assert run["x.speed"][-1] == pytest.approx(np.exp(-2), abs=1e-9)


def test_a_wrench_has_no_deflection():
    model = block(ts.Wrench("w", "b", (0, 0, 0, 1, 0, 0), law=ts.Expression("100*x + rate")))
    with pytest.raises(ts.ModelError, match="has x in it, but a wrench has no deflection") as told:
        model.check()
    assert "has rate in it" in str(told.value)


@every_law
def test_a_law_that_goes_by_a_deflection_is_told_on_a_wrench(law):
    """What it says of itself is what its force does when x and rate change."""
    seen = [acting("joint", law, *at)[1] for at in ((0.31, 0.2), (0.47, 0.2), (0.31, -0.4))]
    if len(set(seen)) > 1:
        assert law.deflects
    model = ts.Model(
        "m",
        bodies=(ts.Body("b", 1.0),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        forces=(LINES["wrench"](law),),
        inputs=INPUTS,
    )
    if not law.deflects:
        assert model.check().warnings == ()
    elif hasattr(law, "text"):
        with pytest.raises(ts.ModelError, match="a wrench has no deflection"):
            model.check()
    else:
        said = f"force 'f': its law {type(law).__name__} goes by the deflection of its line"
        with pytest.warns(ts.ModelWarning, match=said):
            model.check()
