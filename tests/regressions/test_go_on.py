"""Going on from the end of a run: laws with a history keep it, also through a file."""

import numpy as np
import pytest

import torseur as ts
from torseur.forces import BristleFriction

CURVE = ((0.0, 0.0), (0.1, 2e3), (0.3, 5e3))


def block(law):
    slide = ts.Joint("slide", "world", "block", ts.Prismatic("x"))
    return ts.Model(
        "block",
        gravity=(0, 0, 0),
        bodies=(ts.Body("block", mass=2.0),),
        joints=(slide,),
        forces=(ts.JointForce("law", "slide", law),),
    )


@pytest.mark.parametrize(
    "law, speed",
    [
        (ts.Crush(CURVE, 2e5), 20.0),
        (ts.Parallel(ts.Viscous(1.0), ts.Crush(CURVE, 2e5)), 20.0),
        (ts.LuGre(2.0, stiffness=1e3), 1.0),
        (ts.BoucWen(400.0, 0.05), 2.0),
        (
            ts.Parallel(
                ts.Spring(50.0), BristleFriction(2.0, stiffness=1e4, bristle_damping=100.0)
            ),
            1.0,
        ),
    ],
    ids=lambda x: type(x).__name__,
)
@pytest.mark.parametrize("share", [0.3, 0.7])
def test_two_halves_are_the_whole(law, speed, share, tmp_path):
    model, end = block(law), 0.05 if speed == 20 else 2.0
    whole = ts.simulate(model, end, {"slide.speed": speed})
    half = ts.simulate(model, share * end, {"slide.speed": speed})
    half.save(tmp_path / "half.nc")
    for before in (half, ts.Trajectory.load(tmp_path / "half.nc")):
        rest = ts.simulate(model, end, before.final, t_start=share * end)
        x = np.interp(rest.time, whole.time, whole["slide.displacement"])
        assert rest["slide.displacement"][-1] == pytest.approx(
            whole["slide.displacement"][-1], abs=1e-6
        )
        assert abs(rest["slide.displacement"] - x).max() < 1e-4
        assert rest.energy_audit.relative < 1e-6


def test_a_copy_starts_afresh_and_another_model_is_told():
    half = ts.simulate(block(ts.Crush(CURVE, 2e5)), 0.02, {"slide.speed": 20.0})
    fresh = ts.simulate(block(ts.Crush(CURVE, 2e5)), 0.0, dict(half.final))
    assert fresh["law.force"][-1] > half["law.force"][-1]
    with pytest.raises(
        ts.TorseurError,
        match=r"a force 'law' with a history, which this model "
        r"has not; dict\(run\.final\) starts",
    ):
        ts.simulate(block(ts.Spring(1.0)), 1.0, half.final)
    assert ts.linearize(block(ts.Spring(1.0)), at=half.final).A.shape == (2, 2)
