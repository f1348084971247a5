"""A name stands for its value: every joint with names for its numbers moves as with the numbers."""

from dataclasses import fields, replace

import casadi as ca
import numpy as np
import pytest

import torseur as ts
from torseur.joints import EVERY_JOINT
from torseur.scalars import Floats, Graph, Number, vector

LEFT = {
    "upper_front": (-0.1, 0.47, 0.105),
    "upper_rear": (-0.25, 0.51, 0.11),
    "upper_ball": (-0.04, 0.695, 0.105),
    "lower_front": (0.2, 0.42, -0.27),
    "lower_rear": (-0.2, 0.47, -0.265),
    "lower_ball_at": (0, 0.77, -0.32),
    "tie_inner": (-0.2, 0.42, -0.12),
    "tie_outer": (-0.15, 0.77, -0.12),
    "wheel_center": (0, 0.7979, -0.1199),
}
STRUT = {n: LEFT[n] for n in LEFT if not n.startswith("upper")} | {
    "strut_top": (-0.115, 0.585, 0.579),
    "strut_lower": (-0.074, 0.653, 0.248),
}
MIRROR = (1, -1, 1)
COMPLEX = (
    ts.DoubleWishbone(**LEFT),
    ts.DoubleWishbone(**{n: tuple(np.multiply(MIRROR, x)) for n, x in LEFT.items()}, rack=0.004),
    ts.DoubleWishbone(**LEFT | {"tie_inner": (0.2, 0.42, -0.12), "tie_outer": (0.15, 0.77, -0.12)}),
    ts.MacPherson(**STRUT, rack=-0.003),
    ts.Guided(("0.3*z**2", 0, "z"), ("-0.2*z", 0.1, 0), coordinate="z"),
)
EVERY = (*EVERY_JOINT, *COMPLEX)
every = pytest.mark.parametrize("joint", EVERY, ids=[type(j).__name__ for j in EVERY])


def named(joint):
    """The joint with a name for each of its numbers, and what the names stand for."""
    found = {}

    def name(x):
        if isinstance(x, tuple):
            return tuple(map(name, x))
        if isinstance(x, bool) or not isinstance(x, Number | float):
            return x
        found[f"p{len(found)}"] = float(x)
        return f"p{len(found) - 1}"

    changed = {f.name: name(getattr(joint, f.name)) for f in fields(joint)}
    return (replace(joint, **changed) if found else joint), found


def pose(joint, given, nominal=None):
    """Pose near the neutral position, from a graph whose names are arguments."""
    K = Graph()
    K.parameters |= {n: K.symbol(n) for n in given}
    K.nominals |= nominal or given
    q = joint.integrate(Floats(), joint.neutral(), np.full(joint.nv, 0.021))
    out = K.sx(vector(joint.pose(K, vector(q.tolist())).matrix().ravel()))
    names = ca.vertcat(*(K.parameters[n].x for n in given)) if given else ca.SX(0, 1)
    return np.array(ca.Function("f", [names], [out])(list(given.values()))).ravel()


@every
def test_a_named_number_is_its_value(joint):
    """Folded at its value, and as an argument of a kernel whose nominal is another mechanism."""
    try:
        other, values = named(joint)
    except ts.TorseurError as told:
        assert "symbols" in str(told) or "numbers" in str(told)
        return
    if not values:
        return
    want = pose(joint, {})
    try:
        got = pose(other, values)
    except (ts.TorseurError, ValueError) as told:
        assert "takes numbers, not symbols" in str(told)
        return
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-11)


@pytest.mark.parametrize("swap", [0, 1, 2])
def test_the_branch_follows_the_argument(swap):
    """Nominal hardpoints of one car, arguments of another: both wheels, tie rod ahead or behind."""
    other, nominal = named(COMPLEX[(swap + 1) % 3])
    got = pose(other, named(COMPLEX[swap])[1], nominal)
    np.testing.assert_allclose(got, pose(COMPLEX[swap], {}), rtol=0, atol=1e-11)


def compiled(joint, **parameters):
    body = ts.Body("b", 25.0, inertia=(0.6, 0.9, 0.6, 0, 0, 0))
    joints = (ts.Joint("j", "world", "b", joint),)
    model = ts.Model("m", bodies=(body,), joints=joints, parameters=parameters)
    return ts.compile(model, parameters=tuple(parameters))


def test_a_hardpoint_and_a_rack_by_name():
    """The number of the fault list; then another rack in the same kernel."""
    tie = ts.DoubleWishbone(**LEFT | {"tie_outer": ("xo", 0.77, -0.12)}, rack="r")
    dyn = compiled(tie, xo=0.15, r=0)
    assert abs(dyn.mass_matrix([0.02], p=[-0.15, 0]).item() - 25.274329) < 1e-6
    steered = compiled(ts.DoubleWishbone(**LEFT, rack=0.01)).mass_matrix([0.02]).item()
    assert abs(dyn.mass_matrix([0.02], p=[-0.15, 0.01]).item() - steered) < 1e-11


def test_hardpoints_by_name_that_form_no_linkage_are_told():
    with pytest.raises(ts.ModelError, match=r"'j': the hardpoints do not form.*rack at 1 m"):
        compiled(ts.DoubleWishbone(**LEFT, rack="r"), r=1.0)
