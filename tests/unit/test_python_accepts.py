"""Python accepts what files accept: units, principal inertias, steps; controllers from row 0."""

import numpy as np
import pytest

import torseur as ts
from torseur.integrate import find_max_step


def slider(law, **more):
    return ts.Model(
        bodies=(ts.Body("r", mass="2 kg"),),
        joints=(ts.Joint("j", "world", "r", ts.Prismatic("x")),),
        forces=(ts.JointForce("f", "j", law),),
        **more,
    )


def test_texts_with_units_are_the_numbers_that_files_have():
    rod = ts.Body("rod", mass="2000 g", com=(0, 0, "-50 cm"), inertia=(1, 2, "3 kg m^2"))
    pin = ts.Joint(
        "pin", "world", "rod", ts.Revolute("y"), rpy=(0, 0, "90 deg"), limits=("-90 deg", "90 deg")
    )
    plain = ts.Model(
        bodies=(ts.Body("rod", mass=2, com=(0, 0, -0.5), inertia=(1, 2, 3, 0, 0, 0)),),
        joints=(
            ts.Joint(
                "pin",
                "world",
                "rod",
                ts.Revolute("y"),
                rpy=(0, 0, "pi/2"),
                limits=("-pi/2", "pi/2"),
            ),
        ),
    )
    model = ts.Model(bodies=(rod,), joints=(pin,))
    assert model.check().digest == plain.check().digest
    run = ts.simulate(model, "200 ms", {"pin.angle": "30 deg"})
    assert run.time[-1] == 0.2 and run["pin.angle"][0] == pytest.approx(np.pi / 6)
    assert ts.equilibrium(model, {"pin.angle": "10 deg"}).state["pin.angle"] == pytest.approx(0)


def test_a_wrong_unit_is_told_with_its_place():
    with pytest.raises(ts.ModelError, match=r"body 'r', mass = '2 s': expected a mass \[kg\]"):
        ts.Body("r", mass="2 s")
    with pytest.raises(ts.ModelError, match=r"joint 'j', damping = '2 N s/m'"):
        ts.Joint("j", "world", "r", ts.Revolute("y"), damping="2 N s/m")
    assert ts.Joint("j", "world", "r", ts.Prismatic("y"), damping="2 N s/m").damping == 2
    with pytest.raises(ts.TorseurError, match=r"state: j.displacement = '3 kg'"):
        ts.simulate(slider(ts.Spring(1.0)), 1.0, {"j.displacement": "3 kg"})
    assert ts.Body("b", mass="2*m_2", com=("L2/2", 0, "2e-3")).mass == "2*m_2"  # arithmetic stays


PUSHES = {
    "a jump of a table": ts.TimeTable(((0, 0), (0.5, 0), (0.5, 3), (1, 3))),
    "step": ts.Expression("-3*step(t - 0.5)"),
    "where": ts.Expression("where(t > 0.5, -3, 0)"),
    "a comparison": ts.Expression("-3*(0.5 < t)"),
}


@pytest.mark.parametrize("law", PUSHES.values(), ids=PUSHES)
def test_a_push_of_3_n_from_half_a_second_on(law):
    run = ts.simulate(slider(law), 1.0)
    assert run["j.speed"][-1] == pytest.approx(0.75, abs=2e-9)
    assert run["j.displacement"][-1] == pytest.approx(0.1875, abs=2e-9)
    assert any(abs(e.time - 0.5) < 1e-12 for e in run.events)
    assert run.energy_audit.relative < 1e-9


def test_what_rounding_moves_is_no_pulse():
    rng = np.random.default_rng(0)

    def rates(t, Y):
        tiny = 0.4 + 3e-9 * np.sin(t) + 1e-12 * rng.normal(size=len(t))
        return np.stack([400 + 50 * t, tiny], axis=1)

    assert find_max_step(rates, 0.0, 1.0, np.zeros((1, 2))) == np.inf


def test_a_short_pulse_in_a_calm_run_is_not_stepped_over():
    law = ts.Expression("-1000*(t > 3)*(t < 3.001)")
    run = ts.simulate(slider(law), 10.0)
    assert run["j.speed"][-1] == pytest.approx(0.5, rel=1e-6)


def test_comparisons_of_places_choose():
    law = ts.Expression("where(x < 0.1, 200*x, 20)")
    run = ts.simulate(slider(law), 1.0, {"j.displacement": 0.15})
    want = np.where(run["j.displacement"] < 0.1, 200 * run["j.displacement"], 20)
    np.testing.assert_allclose(run["f.force"], want, atol=1e-9)


def test_the_first_row_of_a_controlled_run_has_its_effort():
    model = slider(ts.Effort(input="u"), inputs=(ts.Input("u", unit="N"),))
    run = ts.simulate(
        model, 0.3, {"j.displacement": 0.5}, control=lambda t, q, v: {"u": -8 * q[0]}, period=0.1
    )
    assert run["u"][0] == run["f.force"][0] == -4.0
    assert run["u"][1] == -4.0
    exact = ts.simulate(slider(ts.Spring(1.0)), 1.0, output=[0.1, 0.2, 0.25])
    assert exact.time.tolist() == [0.1, 0.2, 0.25]
