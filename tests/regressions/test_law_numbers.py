"""Laws and drives with numbers that are none: a sentence with the element's name, no traceback."""

from dataclasses import replace

import numpy as np
import pytest

import torseur as ts
from torseur.forces import BristleFriction

NAN = float("nan")
BLOCK = ts.Body("block", mass=2.0, inertia=(1, 1, 1, 0, 0, 0))


def told(law):
    joint = ts.Joint("slide", "world", "block", ts.Prismatic("x"))
    model = ts.Model(bodies=(BLOCK,), joints=(joint,), forces=(ts.JointForce("pad", "slide", law),))
    with pytest.raises(ts.ModelError) as caught:
        ts.simulate(model, 0.01, {"slide.speed": 1.0})
    return str(caught.value)


@pytest.mark.parametrize(
    "law, text",
    [
        (ts.Spring(NAN), "Spring needs stiffness [N/m]: expected a finite number, got nan"),
        (ts.Spring(None), "Spring needs stiffness [N/m]: expected a number"),
        (ts.Spring([1, 2]), "Spring needs stiffness [N/m]: expected a number"),
        (ts.Spring(1.0, "L/"), "Spring needs free_length [m]: cannot read"),
        (
            ts.Table(((0, 0), (1, NAN))),
            "Table needs points [m, N]: expected a finite number, got nan",
        ),
        (ts.Crush(((0, 0), (1, 5)), NAN), "Crush needs unloading [N/m]"),
        (ts.Coulomb(1, slip=0), "Coulomb needs slip above zero, got 0"),
        (ts.Coulomb(-1), "Coulomb needs force of zero or more, got -1"),
        (ts.LuGre(0), "LuGre needs static above zero, got 0"),
        (BristleFriction(1, stiffness=0), "BristleFriction needs stiffness above zero"),
        (ts.BoucWen(100, 0), "BoucWen needs yield_deflection above zero, got 0"),
        (ts.Backlash(-0.1, 100), "Backlash needs gap of zero or more, got -0.1"),
        (ts.Limits(-1, 1, restitution=2), "Limits needs a restitution of at most 1, got 2"),
        (ts.Parallel(), "Parallel needs at least one law"),
        (ts.Parallel(3), "Parallel holds 3: expected a law"),
        (ts.Parallel(ts.Viscous(1), ts.Spring(NAN)), "Parallel 2 (Spring) needs stiffness [N/m]"),
        (ts.Expression("x", work="lost"), "Expression work='lost': expected 'dissipated' or"),
    ],
)
def test_laws_say_which_number_is_wrong(law, text):
    assert f"force 'pad': its law {text}" in told(law)


def test_one_coefficient_needs_no_brackets():
    assert ts.Polynomial(100.0).stiffness == (100.0,)


def test_servos_take_inputs_of_any_name():
    joint = ts.Joint("slide", "world", "block", ts.Prismatic("x"))
    model = ts.Model(
        bodies=(BLOCK,),
        joints=(joint,),
        inputs=(ts.Input("the target"),),
        forces=(ts.JointForce("servo", "slide", ts.Servo(1.0, target="the target")),),
    )
    assert ts.simulate(model, 0.1, inputs={"the target": 1.0})["slide.speed"][-1] > 0


@pytest.mark.parametrize(
    "drive, text",
    [
        (ts.Drive(ratio=0), "drive: the ratio is 0"),
        (ts.Drive(ratio=NAN), "drive, ratio: expected a finite number, got nan"),
        (ts.Drive(rotor_inertia=-1), "drive, rotor_inertia: -1 is negative"),
        (ts.Drive(stiffness=NAN, rotor_inertia=1), "drive, stiffness: expected a finite number"),
        (ts.Drive(stiffness=ts.Table(((0, 0), (1, NAN))), rotor_inertia=1), "Table needs points"),
        (
            ts.Drive(stages=(ts.DriveStage("motor", 1.0, ratio=0, stiffness=1.0),)),
            "drive, stage 'motor': the ratio is 0",
        ),
        (
            ts.Drive(stages=(ts.DriveStage("motor", None, stiffness=1.0),)),
            "drive, stage 'motor', inertia: expected a number",
        ),
    ],
)
def test_drives_say_which_number_is_wrong(drive, text):
    model = ts.Model(
        bodies=(BLOCK,), joints=(ts.Joint("j", "world", "block", ts.Revolute("x"), drive=drive),)
    )
    with pytest.raises(ts.ModelError) as caught:
        ts.simulate(model, 0.01)
    assert f"joint 'j', {text}" in str(caught.value) or f"joint 'j', drive: its {text}" in str(
        caught.value
    )


@pytest.mark.parametrize(
    "force, text",
    [
        (
            ts.PointForce("f", ("block", (1, 2)), "world", ts.Spring(1)),
            ", a: point [m]: expected 3",
        ),
        (
            ts.PointForce("f", "world", ("block", (1, 2, NAN)), ts.Spring(1)),
            ", b: point [m]: expect",
        ),
        (
            ts.Wrench("f", "block", (NAN, 0, 0, 0, 0, 0)),
            ", wrench [N m, N]: expected a finite number",
        ),
        (ts.Bushing("f", "block", "world", (1, 1, 1, 1, 1, NAN)), ", stiffness: expected a finite"),
        (
            ts.Bushing("f", "block", "world", 1e3),
            ": stiffness: expected 6 numbers or a 6 x 6 matrix",
        ),
        (
            ts.CoordinateForce("f", {"slide.displacement": NAN}, ts.Spring(1)),
            ", weight of 'slide.displacement': expected a finite number",
        ),
        (ts.CoordinateForce("f", {}, ts.Spring(1)), ": weights: name at least one coordinate"),
    ],
)
def test_lines_of_action_say_which_number_is_wrong(force, text):
    joint = ts.Joint("slide", "world", "block", ts.Prismatic("x"))
    with pytest.raises(ts.ModelError) as caught:
        ts.simulate(ts.Model(bodies=(BLOCK,), joints=(joint,), forces=(force,)), 0.01)
    assert f"force 'f'{text}" in str(caught.value)


@pytest.mark.parametrize("text", ["1/x", "sqrt(x - 1)", "log(x)", "exp(1000*(x + 1))"])
def test_forces_without_a_value_at_the_start(text):
    joint = ts.Joint("slide", "world", "block", ts.Prismatic("x"))
    model = ts.Model(
        "cart",
        bodies=(BLOCK,),
        joints=(joint,),
        forces=(ts.JointForce("pad", "slide", ts.Expression(text)),),
    )
    with pytest.raises(ts.ArgumentError, match="the forces of 'cart' have no value at the start"):
        ts.simulate(model, 0.01)


def test_crushed_metal_that_is_let_go_gives_no_more_than_its_elastic_energy():
    joint = ts.Joint("slide", "world", "block", ts.Prismatic("x"))
    law = ts.Crush(((0.0, 0.0), (0.1, 2e3), (0.3, 5e3)), 2e5)
    model = ts.Model(
        bodies=(BLOCK,),
        joints=(joint,),
        gravity=(0, 0, 0),
        forces=(ts.JointForce("metal", "slide", law),),
    )
    run = ts.simulate(model, 0.1, {"slide.displacement": 0.05, "slide.speed": -1.0})
    assert run["energy.dissipated"].min() > -1e-9
    elastic = 1000.0**2 / 2 / 2e5  # F^2 / 2 ku = 2.5 J
    assert run["slide.speed"][-1] == pytest.approx(-((1 + elastic) ** 0.5), rel=1e-6)  # m = 2 kg


def test_one_signal_is_saved_by_its_name(tmp_path):
    joint = ts.Joint("slide", "world", "block", ts.Prismatic("x"))
    run = ts.simulate(ts.Model(bodies=(BLOCK,), joints=(joint,)), 0.1, output=3)
    head = run.save(tmp_path / "one.csv", "slide.speed").read_text().splitlines()[0]
    assert head == "time [s],slide.speed [m/s]"
    with pytest.raises(ts.TorseurError, match="give one name, or use to_pandas"):
        run[["slide.speed"]]


def test_a_motion_without_a_value_is_told():
    joint = ts.Joint("slide", "world", "block", ts.Prismatic("x"))
    model = ts.Model(bodies=(BLOCK,), joints=(joint,))
    with pytest.raises(ts.ArgumentError, match=r"the value of '.*' is nan at t = 0 s"):
        ts.inverse(model, {"slide.displacement": "sqrt(t - 1)"}, times=[0.0, 2.0])
    with pytest.raises(ts.ArgumentError, match="points: expected a whole number, 2 or more, got 0"):
        ts.inverse(model, {"slide.displacement": ts.robots.Quintic(0, 1, 1.0)}, points=0)


STEPS = {
    "place": (ts.Table(((-1, -10), ("a", -10), ("a", 10), (1, 10))), {"a": 0.01}),
    "heights": (ts.Table(((-1, "-h"), (0, "-h"), (0, "2*h"), (1, "2*h"))), {"h": 10.0}),
    "both": (ts.Table((("a-1", "-h"), ("a", "-h"), ("a", 8), ("a+1", 8))), {"h": 10.0, "a": 0.01}),
}


@pytest.mark.parametrize("which", STEPS)
def test_a_step_with_names_is_the_step_of_their_numbers(which):
    law, given = STEPS[which]
    models = [on_a_slide(x, parameters=given) for x in (law, law.at(given))]
    for start in ({"x.displacement": 0.05}, {"x.displacement": -0.05, "x.speed": 1.0}):
        named, plain = (ts.simulate(m, 0.3, start) for m in models)
        for signal in ("x.displacement", "x.speed", "f.force", "energy.potential"):
            np.testing.assert_array_equal(named[signal], plain[signal])
        assert [e.name for e in named.events] == [e.name for e in plain.events]


def test_values_of_names_that_make_no_step_are_told():
    law, given = STEPS["heights"]
    with pytest.raises(ts.ModelError, match="names to rise: at 0 it falls, 3 to -6"):
        ts.simulate(on_a_slide(law, parameters=given), 0.1, parameters={"h": -3.0})
    two = ts.Table(((-1, -10), ("a", -10), ("b", 10), (1, 10)))
    with pytest.raises(ts.ModelError, match="one name for both points of a step: a and b are both"):
        on_a_slide(two, parameters={"a": 0.0, "b": 0.0}).check()


def on_a_slide(law, **more):
    slide = ts.Joint("x", "world", "b", ts.Prismatic("x"))
    push = ts.JointForce("f", "x", law)
    return ts.Model(
        "b", gravity=(0, 0, 0), bodies=(ts.Body("b", 1.0),), joints=(slide,), forces=(push,), **more
    )


SLOPED = ts.Table(((-1, -30), (0.2, -6), (0.2, 10), (1, 26)))


RESTS = [(5, 0.2), (-8, 0.1), (50, 2.2), (12, 0.3), (9.99, 0.2)]
EACH = [
    pytest.param(guess, *rest, marks=() if i < 2 and guess > 0 else pytest.mark.slow)
    for guess in (0.6, -0.6)
    for i, rest in enumerate(RESTS)
]


@pytest.mark.parametrize("guess, push, want", EACH)
def test_rest_on_a_step(guess, push, want):
    """T(x) = push by hand: on either side, or held with any tension between -6 and 10 N."""
    law = SLOPED if guess > 0 else ts.Parallel(SLOPED, ts.Viscous(0.5))
    model = replace(on_a_slide(law), gravity=(push, 0, 0))
    found = ts.equilibrium(model, {"x.displacement": guess})
    assert found.stable and found["x.displacement"] == pytest.approx(want, abs=1e-12)
    states = ts.linearize(model, found.state).states
    assert len(states) == (0 if want == 0.2 else 2)  # held: nothing is left to move


def test_what_no_step_holds_is_told():
    flat = ts.Table(((-1, -10), (0, -10), (0, 10), (1, 10)))
    model = replace(on_a_slide(flat), gravity=(50, 0, 0))
    with pytest.raises(ts.IntegrationError, match="no equilibrium of 'b' was found"):
        ts.equilibrium(model, {"x.displacement": 0.1})
    with pytest.raises(ts.TorseurError, match=r"on a vertical step that cannot hold it here \(f"):
        ts.linearize(model, {"x.displacement": 0.0})
    with pytest.raises(ts.TorseurError, match=r"crosses the step 'f\.step' here at 1"):
        ts.linearize(on_a_slide(flat), {"x.displacement": 0.0, "x.speed": 1.0})


def test_a_step_over_two_coordinates_holds_their_sum():
    """-T = 3 g on x, and y by its spring: y = (T/2 - 2 g)/300; omega = sqrt(300/0.75)."""
    step = ts.Table(((-1, -100), (0, -40), (0, 40), (1, 100)))
    model = ts.Model(
        bodies=(ts.Body("a", 1.0), ts.Body("b", 2.0)),
        joints=(
            ts.Joint("x", "world", "a", ts.Prismatic("z")),
            ts.Joint("y", "a", "b", ts.Prismatic("z")),
        ),
        forces=(
            ts.CoordinateForce("f", {"x.displacement": 1.0, "y.displacement": 0.5}, step),
            ts.JointForce("k", "y", ts.Spring(300.0)),
        ),
    )
    found = ts.equilibrium(model, {"x.displacement": -0.1})
    y = (1.5 - 2) * 9.81 / 300
    assert [found[f"{n}.displacement"] for n in "xy"] == pytest.approx([-y / 2, y], abs=1e-12)
    assert ts.modes(model, found.state).omega == pytest.approx([20.0], rel=1e-9)
