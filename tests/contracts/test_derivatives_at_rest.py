"""Derivatives beside what is at rest: no slip, no normal force, a contact on its ground.

Where they exist they agree with differences of other runs; where they do not, the number asked
about is refused in a sentence and the run goes on.
"""

import re

import numpy as np
import pytest
from test_derivatives import agree, richardson

import torseur as ts

FINE = {"rtol": 1e-11, "atol": 1e-13}


def block(name, x, z, *, mu=0.3, e=0.0):
    """A point mass over the floor, and its contact."""
    joint = ts.Joint(f"j{name}", "world", name, ts.Translation(), at=(x, 0, 0))
    contact = ts.Contact(f"c{name}", name, ("world", (0, 0, 0)), friction=mu, restitution=e)
    return ts.Body(name, 1.0 + x), joint, contact, {f"j{name}.pz": z}


@pytest.mark.slow
def test_a_contact_that_lands_beside_one_at_rest():
    """The size of no slip has no derivative, and nothing asks for it."""
    own = (block("a", 0.0, 0.0), block("own", 1.0, 0.02))
    bodies, joints, contacts, starts = zip(*own, strict=True)
    model = ts.Model(
        bodies=bodies,
        joints=joints,
        constraints=contacts,
        forces=(ts.PointForce("tie", "a", "own", ts.Spring(20.0, 0.9)),),
        initial={k: x for s in starts for k, x in s.items()} | {"jown.vx": 1.0, "jown.vy": 0.3},
        simulation={"t_end": 0.2},
    )
    names = ("own.mass", "cown.friction", "tie.stiffness")
    assert agree(model, names, ("jown.pz", "jown.vy")) == 0


def wheel(**initial):
    """A wheel on a slope, its mass off its axle; it sticks to the ground at the start."""
    return ts.Model(
        bodies=(ts.Body("w", 0.5, com=(0.01, 0, -0.02), inertia=(1e-3,) * 3),),
        joints=(ts.Joint("j", "world", "w", ts.Planar("y", "translation_first")),),
        constraints=(
            ts.Contact(
                "own", "w", ("world", (0, 0, 0)), radius=0.15, friction=0.4, restitution=0.6
            ),
        ),
        initial={"j.x": 0.15, **initial},
        simulation={"t_end": 0.2},
    )


@pytest.mark.parametrize("name", ["j.rate", pytest.param("j.speed_y", marks=pytest.mark.slow)])
def test_what_sticks_takes_up_a_small_slip_at_once(name):
    """To either side; the derivative is that of what is left of it, from the first row on."""
    run = ts.simulate(wheel(), sensitivities=name, output=9, **FINE)
    many = ts.batch(wheel(), None, {name: [0.0, 0.0]}, sensitivities=name, output=9, **FINE)
    h = 1e-4
    runs = [ts.simulate(wheel(**{name: k * h}), output=9, **FINE) for k in (-1, -0.5, 0.5, 1)]
    for s in ("j.angle", "j.y", "j.rate"):
        want = richardson([np.interp(run.time[1:], r.time, r[s]) for r in runs], h)
        got = run.sensitivity(s, name)
        np.testing.assert_allclose(got[-1], want[-1], rtol=1e-4)
        if s == "j.rate":
            np.testing.assert_allclose(got[0], got[1], rtol=0.1)
        np.testing.assert_allclose(many.sensitivity(s, name)[1], got, rtol=1e-6, atol=1e-9)


def test_what_lifts_a_contact_off_its_ground_is_refused():
    """To the other side it starts inside: 5e-3 off at usual tolerances, by numbers of zero."""
    names = ("j.x", "j.speed_x", "own.radius", "own.ground[1][2]", "j.at[2]")
    run = ts.simulate(wheel(), sensitivities=(*names, "j.y", "w.mass"), output=5)
    assert np.isfinite(run.sensitivity("j.angle", "w.mass")).all()
    np.testing.assert_allclose(run.sensitivity("j.y", "j.y"), 1.0)
    for name in names:
        said = f"by {name!r}: the start lies exactly on 'own'"
        with pytest.raises(ts.TorseurError, match=re.escape(said)):
            run.sensitivity("j.angle", name)


def test_one_run_of_many_that_has_no_derivative_does_not_take_those_of_the_others():
    many = ts.batch(wheel(), 0.1, {"j.x": [0.15, 0.16]}, sensitivities="j.x", output=3)
    with pytest.warns(ts.ModelWarning, match=r"NaN for 1 of 2 runs \(0\).*exactly on 'own'"):
        found = many.sensitivity("j.x", "j.x")
    assert np.isnan(found[0]).all()
    assert np.isfinite(found[1]).all()
    np.testing.assert_allclose(found[1][0], 1.0)
    with pytest.raises(ts.TorseurError, match="no signal is named"):
        many.sensitivity("j.z", "j.x")
    both = ts.batch(wheel(), 0.1, {"j.x": [0.15, 0.15]}, sensitivities="j.x", output=3)
    with pytest.raises(ts.TorseurError, match="exactly on 'own'"):
        both.sensitivity("j.x", "j.x")


def test_a_number_that_opens_a_loop_is_refused_alone():
    def rod(name, length):
        return ts.Body(name, 1.0, com=(length / 2, 0, 0), inertia=(1e-3, 0.05, 0.05))

    hinge = ts.Revolute("z")
    model = ts.Model(
        bodies=(rod("crank", 0.4), rod("coupler", 1.0), rod("rocker", 0.8)),
        joints=(
            ts.Joint("A", "world", "crank", hinge),
            ts.Joint("B", "crank", "coupler", hinge, at=(0.4, 0, 0)),
            ts.Joint("D", "world", "rocker", hinge, at=(1.1, 0, 0)),
        ),
        loops=(ts.Loop("C", "coupler", "rocker", hinge, at=(1.0, 0, 0), child_at=(0.8, 0, 0)),),
        initial={"A.angle": 0.7, "A.rate": 3.0},
    )
    run = ts.simulate(model, 0.05, sensitivities=("A.rpy[0]", "B.at[0]"), output=5)
    alone = ts.simulate(model, 0.05, sensitivities="B.at[0]", output=5)
    got, want = (r.sensitivity("D.angle", "B.at[0]") for r in (run, alone))
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-6 * abs(want).max())
    with pytest.raises(ts.TorseurError, match=r"by 'A.rpy\[0\]'.*does not assemble(.|\n)*loop 'C'"):
        run.sensitivity("D.angle", "A.rpy[0]")


@pytest.mark.parametrize(
    ("kind", "of", "push", "speed"),
    [
        (ts.Prismatic("x"), "j.displacement", (0, 0, 0, 0, 1, 0), "j.speed"),
        (ts.Revolute("x"), "j.angle", (0, 0, 0, 0, 1, 0), "j.rate"),
        (ts.Planar("z"), ("b", ("x", "y")), (0, 0, 0, 0, 0, 1), "j.speed_x"),
    ],
    ids=lambda x: type(x).__name__,
)
def test_a_number_that_alone_presses_on_a_friction_is_refused(kind, of, push, speed):
    model = ts.Model(
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", 1.0, inertia=(0.1, 0.1, 0.1)),),
        joints=(ts.Joint("j", "world", "b", kind),),
        forces=(ts.Wrench("press", "b", wrench=push, law=ts.Effort(input="load")),),
        constraints=(ts.DryFriction("rub", of, coefficient=0.3, normal="joint", radius=0.1),),
        inputs=(ts.Input("load"),),
        initial={speed: 1.0},
    )
    names = ("load", "b.mass", speed)
    run = ts.simulate(model, 0.2, inputs={"load": 0.0}, sensitivities=names, output=5)
    assert run.completed
    np.testing.assert_allclose(run.sensitivity(speed, speed), 1.0)
    with pytest.raises(ts.TorseurError, match="normal force of 'rub' is zero because"):
        run.sensitivity(speed, "load")
    pressed = ts.simulate(model, 0.2, inputs={"load": 0.1}, sensitivities=names, output=5)
    assert pressed.sensitivity(speed, "load")[-1] < -1e-3
