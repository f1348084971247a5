"""A limit at one end only: whoever reads limits of joints takes an end without one."""

import warnings

import numpy as np
import pytest

import torseur as ts
from torseur.model.formats.schema import json_schema

ENDS = {"low": (-0.5, None), "high": (None, 2.5), "none": (None, None), "inf": (-np.inf, 2.5)}
OVER = {"j1.angle": ts.robots.Quintic(0.0, 1.0, 1.0), "j2.angle": "0.3"}


def arm(limits, **more):
    J = (0.01, 0.1, 0.1, 0, 0, 0)
    bodies = (ts.Body("a", 1.0, (0.2, 0, 0), J), ts.Body("b", 1.0, (0.2, 0, 0), J))
    strong = {"max_effort": 40.0, "max_speed": 3.0}
    joints = (
        ts.Joint("j1", "world", "a", ts.Revolute("y"), limits=limits, **strong, **more),
        ts.Joint("j2", "a", "b", ts.Revolute("y"), at=(0.5, 0, 0), **strong),
    )
    frames = (ts.Frame("tool", "b", at=(0.4, 0, 0)),)
    return ts.Model(bodies=bodies, joints=joints, frames=frames)


READERS = {
    "inverse_kinematics": lambda m: ts.inverse_kinematics(m, "tool", (0.5, 0, 0.5)).within_limits,
    "prioritized": lambda m: ts.solve.prioritized_kinematics(m, [("tool", (0.5, 0, 0.5))]).left,
    "inverse": lambda m: ts.inverse(m, OVER, points=5).outcome,
    "workspace": lambda m: ts.robots.workspace(m, "tool", samples=20),
    "balance": lambda m: ts.robots.balance(
        m, [ts.robots.Counterweight("w", "j2", mass=1.0, distance=0.2)], "workspace"
    ),
    "time_optimal": lambda m: ts.robots.time_optimal(m, [[0, 0], [0.5, 0.5]], points=21),
    "size": lambda m: ts.robots.size(m, OVER, ts.robots.example_catalog(), points=11),
    "exciting": lambda m: ts.identify.exciting(m, 5.0, terms=1, samples=12, friction=()),
}


@pytest.mark.parametrize("reader", READERS)
def test_an_open_end_is_no_limit(reader):
    for limits in (ENDS["low"], ENDS["high"]) if reader != "exciting" else [ENDS["low"]]:
        assert READERS[reader](arm(limits)) is not None


@pytest.mark.parametrize("end", ENDS)
def test_files_keep_open_ends(end, tmp_path):
    model = arm(ENDS[end])
    for name in ("arm.yaml", "arm.json"):
        model.save(tmp_path / name)
        back = ts.load(tmp_path / name)
        assert back.joints[0].bounds == model.joints[0].bounds
        assert back.check().digest == model.check().digest
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.save(tmp_path / "arm.urdf")
    one = [x for x in ENDS[end] if x is not None and np.isfinite(x)]
    assert set(one) <= set(ts.load(tmp_path / "arm.urdf").joints[0].bounds)


def test_the_schema_takes_open_ends():
    limits = json_schema()["$defs"]["joint"]["anyOf"][0]["properties"]["limits"]
    one = {"$ref": "#/$defs/number", "description": "[rad | m]"}
    assert limits["anyOf"][0]["items"] == {"anyOf": [one, {"type": "null"}]}


def test_the_wrong_infinity_is_told():
    with pytest.raises(ts.ModelError, match="expected a finite number, got inf"):
        arm((np.inf, 1.0)).check()


def test_an_angle_is_turned_into_a_limit_with_one_end():
    found = ts.inverse_kinematics(arm((3.0, None)), "tool", (0.5, 0, 0.5))
    assert found.within_limits.all() and (found.q[:, 0] >= 3.0).all()
