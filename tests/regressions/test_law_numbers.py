"""Laws and drives with numbers that are none: a sentence with the element's name, no traceback."""

import pytest

import torseur as ts
from torseur.forces import DryFriction

NAN = float("nan")
BLOCK = ts.Body("block", mass=2.0, inertia=(1, 1, 1, 0, 0, 0))


def told(law):
    joint = ts.Joint("slide", "world", "block", ts.Prismatic("x"))
    model = ts.Model(bodies=(BLOCK,), joints=(joint,),
                     forces=(ts.JointForce("pad", "slide", law),))
    with pytest.raises(ts.ModelError) as caught:
        ts.simulate(model, 0.01, {"slide.speed": 1.0})
    return str(caught.value)


@pytest.mark.parametrize("law, text", [
    (ts.Spring(NAN), "Spring needs stiffness [N/m]: expected a finite number, got nan"),
    (ts.Spring(None), "Spring needs stiffness [N/m]: expected a number"),
    (ts.Spring([1, 2]), "Spring needs stiffness [N/m]: expected a number"),
    (ts.Spring(1.0, "L/"), "Spring needs free_length [m]: cannot read"),
    (ts.Table(((0, 0), (1, NAN))), "Table needs points [m, N]: expected a finite number, got nan"),
    (ts.Crush(((0, 0), (1, 5)), NAN), "Crush needs unloading [N/m]"),
    (ts.Coulomb(1, slip=0), "Coulomb needs slip above zero, got 0"),
    (ts.Coulomb(-1), "Coulomb needs force of zero or more, got -1"),
    (ts.LuGre(0), "LuGre needs static above zero, got 0"),
    (DryFriction(1, stiffness=0), "DryFriction needs stiffness above zero"),
    (ts.BoucWen(100, 0), "BoucWen needs yield_deflection above zero, got 0"),
    (ts.Backlash(-0.1, 100), "Backlash needs gap of zero or more, got -0.1"),
    (ts.Limits(-1, 1, restitution=2), "Limits needs a restitution of at most 1, got 2"),
    (ts.Parallel(), "Parallel needs at least one law"),
    (ts.Parallel(3), "Parallel holds 3: expected a law"),
    (ts.Parallel(ts.Viscous(1), ts.Spring(NAN)), "Parallel 2 (Spring) needs stiffness [N/m]"),
    (ts.Expression("x", work="lost"), "Expression work='lost': expected 'dissipated' or"),
])
def test_laws_say_which_number_is_wrong(law, text):
    assert f"force 'pad': its law {text}" in told(law)


def test_one_coefficient_needs_no_brackets():
    assert ts.Polynomial(100.0).stiffness == (100.0,)


def test_servos_take_inputs_of_any_name():
    joint = ts.Joint("slide", "world", "block", ts.Prismatic("x"))
    model = ts.Model(bodies=(BLOCK,), joints=(joint,), inputs=(ts.Input("the target"),),
                     forces=(ts.JointForce("servo", "slide", ts.Servo(1.0, target="the target")),))
    assert ts.simulate(model, 0.1, inputs={"the target": 1.0})["slide.speed"][-1] > 0


@pytest.mark.parametrize("drive, text", [
    (ts.Drive(ratio=0), "drive: the ratio is 0"),
    (ts.Drive(ratio=NAN), "drive, ratio: expected a finite number, got nan"),
    (ts.Drive(rotor_inertia=-1), "drive, rotor_inertia: -1 is negative"),
    (ts.Drive(stiffness=NAN, rotor_inertia=1), "drive, stiffness: expected a finite number"),
    (ts.Drive(stiffness=ts.Table(((0, 0), (1, NAN))), rotor_inertia=1), "Table needs points"),
    (ts.Drive(stages=(ts.Stage("motor", 1.0, ratio=0, stiffness=1.0),)),
     "drive, stage 'motor': the ratio is 0"),
    (ts.Drive(stages=(ts.Stage("motor", None, stiffness=1.0),)),
     "drive, stage 'motor', inertia: expected a number"),
])
def test_drives_say_which_number_is_wrong(drive, text):
    model = ts.Model(bodies=(BLOCK,),
                     joints=(ts.Joint("j", "world", "block", ts.Revolute("x"), drive=drive),))
    with pytest.raises(ts.ModelError) as caught:
        ts.simulate(model, 0.01)
    assert f"joint 'j', {text}" in str(caught.value) or \
        f"joint 'j', drive: its {text}" in str(caught.value)
