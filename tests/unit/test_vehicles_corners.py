"""Mirror images of suspensions and bodies, and cars made of them."""

import importlib
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import zoo

import torseur as ts
from torseur.formalisms import newton_euler
from torseur.joints import ComplexJoint, joint
from torseur.scalars import Floats

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
VEHICLE = importlib.import_module("equations_vehicle")
OVER = np.diag([1.0, -1.0, 1.0])
SUSPENSIONS = [
    replace(j, rack=0) if hasattr(j, "rack") else j  # a rack does not turn over: the car steers
    for j in joint.examples()
    if isinstance(j, ComplexJoint)
]


@pytest.mark.parametrize("left", SUSPENSIONS, ids=lambda j: type(j).__name__)
def test_every_complex_joint_has_a_mirror_image(left):
    right, K = ts.vehicles.mirror(left), Floats()
    for s in (-0.05, 0.0, 0.07):
        X, Y = left.pose(K, [s]), right.pose(K, [s])
        zoo.close(Y.R.astype(float), OVER @ X.R.astype(float) @ OVER, 100)
        zoo.close(Y.p.astype(float), OVER @ X.p.astype(float), 100)


def test_both_sides_have_one_report():
    left = ts.double_wishbone(**{n: getattr(SUSPENSIONS[0], n) for n in SUSPENSIONS[0].points})
    one, two = (
        ts.vehicles.suspension_report(j, [-0.05, 0.04]) for j in (left, ts.vehicles.mirror(left))
    )
    assert one.table() == two.table()


def car(**more) -> ts.Model:
    """O-F1's vehicle by its left side."""
    return ts.vehicles.four_corners(
        ts.Body("chassis", 1200, inertia=(450, 1900, 2100, 0, -40, 0)),
        VEHICLE.knuckle("fl"),
        VEHICLE.knuckle("rl"),
        ts.Body("knuckle", 25, inertia=(0.6, 0.9, 0.6, 0, 0, 0)),
        ts.Body("wheel", 20, inertia=(0.8, 1.4, 0.8, 0, 0, 0)),
        **more,
    )


def test_the_car_of_the_oracle():
    system = car(gravity=(0, 0, 0)).check()
    known = [n.partition(".")[0] for n in VEHICLE.vehicle().check().speeds[6:]]
    order = [*range(6), *(6 + known.index(n.partition(".")[0]) for n in system.speeds[6:])]
    q, v, a = (np.array(x)[order] for x in VEHICLE.STATE)
    np.testing.assert_allclose(
        newton_euler.inverse_dynamics(system.floats(), q, v, a).astype(float),
        np.array(VEHICLE.QUANTITIES)[order],
        rtol=0,
        atol=2e-8,
    )


def test_a_mirrored_motion_needs_mirrored_efforts():
    """With bodies that are not symmetric themselves."""
    rng = np.random.default_rng(1)
    knuckle, wheel = (
        ts.Body(n, 20, com=(0.02, 0.05, -0.01), inertia=(0.9, 1.4, 0.8, 0.1, 0.05, -0.07))
        for n in ("knuckle", "wheel")
    )
    system = (
        ts.vehicles.four_corners(
            ts.Body("chassis", 900, com=(0.1, 0, 0.2), inertia=(450, 1900, 2100, 0, -40, 0)),
            SUSPENSIONS[0],
            SUSPENSIONS[0],
            knuckle,
            wheel,
            front_at=(1.3, 0, 0),
            rear_at=(-1.2, 0, 0.1),
            springs=ts.Spring(20000.0),
        )
    ).check()
    # yaw and roll, vy, and the sides change place; turns of wheels about y do not change sign
    other = {"l": "r", "r": "l"}
    names = [n.partition(".")[0] for n in system.speeds[6:]]
    swap = [*range(6), *(6 + names.index(n[:-1] + other[n[-1]]) for n in names)]
    coordinates = np.array([1, -1, 1, -1, 1, -1] + [1] * 8)  # position, then yaw, pitch, roll
    speeds = np.array([-1, 1, -1, 1, -1, 1] + [1] * 8)  # rates of angles, then velocity
    q, v, a = (rng.uniform(-0.05, 0.05, 14), *rng.normal(size=(2, 14)))
    tree, needed = system.floats(), newton_euler.inverse_dynamics
    tau = needed(tree, q, v, a)
    image = needed(tree, coordinates * q[swap], speeds * v[swap], speeds * a[swap])
    zoo.close(image, speeds * tau[swap], 1e5)


@pytest.mark.parametrize(
    "wrong, said",
    [
        (lambda: ts.vehicles.mirror(ts.Revolute("y")), "expected a complex joint or a body"),
        (lambda: car(front_at=(0, 0.1, 0)), "their y is 0"),
        (lambda: car(springs=(ts.Spring(1.0),) * 3), "expected a law, or"),
    ],
)
def test_what_has_no_mirror_image_is_told(wrong, said):
    with pytest.raises(ts.TorseurError, match=said):
        wrong()
