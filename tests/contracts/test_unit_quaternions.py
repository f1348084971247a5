"""Every public door takes a quaternion of any length as the orientation it says."""

import numpy as np
import pytest

import torseur as ts
from torseur.quantities.register import QUANTITIES

BALL = ts.Model(
    bodies=(ts.Body("b", 2.0, com=(0.1, 0, 0.3), inertia=(0.1, 0.2, 0.15, 0, 0, 0)),),
    joints=(ts.Joint("j", "world", "b", ts.Spherical()),),
    forces=(ts.PointForce("s", a=("b", (0.1, 0, 0.3)), b="world", law=ts.Spring(20.0, 0.1)),),
)
Q = np.array([0.5, -0.1, 0.7, 0.6])
V, A = np.array([0.3, -0.2, 0.5]), np.array([1.0, 2.0, -1.0])


@pytest.fixture(scope="module")
def dyn():
    return ts.compile(BALL)


CALLS = {
    "inverse_dynamics": lambda d, q: d.inverse_dynamics(q, V, A),
    "with forces": lambda d, q: d.inverse_dynamics(q, V, A, forces=True),
    "difference": lambda d, q: d.difference(q, Q[::-1] / np.linalg.norm(Q)),
    "difference to": lambda d, q: d.difference(Q[::-1] / np.linalg.norm(Q), q),
    "pose": lambda d, q: d.pose("b", q),
    "energy": lambda d, q: np.stack(d.energy(q, V), axis=-1),
    "reactions": lambda d, q: d.reactions(q, V, A),
}


@pytest.mark.parametrize("name", CALLS)
def test_length_changes_nothing(dyn, name):
    call, unit = CALLS[name], Q / np.linalg.norm(Q)
    call(dyn, unit)  # the first call makes the short way
    want = call(dyn, unit)
    assert np.isfinite(want).all()
    for length in (2.0, 1e-3, 1 + 1e-9, 1e200, 1e-200):
        np.testing.assert_allclose(call(dyn, length * unit), want, rtol=1e-12, atol=1e-13)
    batch = np.stack([2 * unit, unit, 1e200 * unit])
    np.testing.assert_allclose(call(dyn, batch)[2], call(dyn, batch)[1], rtol=1e-12, atol=1e-13)
    with pytest.raises(ts.TorseurError, match=r"the quaternion 'j\.qw' \.\.\. has length zero"):
        call(dyn, 0 * unit)


def test_nan_is_nan_in_its_row_only(dyn):
    unit = Q / np.linalg.norm(Q)
    want = dyn.inverse_dynamics(unit, V, A)
    assert np.isnan(dyn.inverse_dynamics(unit * np.nan, V, A)).all()
    got = dyn.inverse_dynamics(np.stack([unit, unit * np.inf, unit]), V, A)
    np.testing.assert_array_equal(got[[0, 2]], [want, want])
    assert np.isnan(got[1]).all()


def test_every_quantity_of_coordinates_is_watched(dyn):
    """No registered quantity reads coordinates under a name that the door does not know."""
    for name, own in QUANTITIES.items():
        read = [x for x in own.inputs if x.startswith("q") and x != "qdot"]
        assert len(dyn._coordinate_arguments(name)) == len(read), name


def test_runs_and_states(dyn):
    unit, names = Q / np.linalg.norm(Q), dyn.system.coordinates
    want = ts.simulate(BALL, 0.05, dict(zip(names, unit, strict=True)))
    long = ts.simulate(BALL, 0.05, dict(zip(names, 3 * unit, strict=True)))
    for signal in ("s.deflection", "energy.potential", "j.qx"):
        np.testing.assert_allclose(long[signal], want[signal], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(dyn.system.state({"j.qx": 1.0})[0], np.sqrt([0.5, 0.5, 0, 0]))
    with pytest.raises(ts.TorseurError, match="has length zero"):
        ts.simulate(BALL, 0.05, {"j.qw": 0.0})
