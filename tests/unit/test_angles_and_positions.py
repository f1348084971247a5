"""Twelve sequences, three sorts of positions: one motion, whatever says it."""

import numpy as np
import pytest
import zoo
from zoo import close

import torseur as ts
from torseur.scalars import Floats
from torseur.spatial import (
    SEQUENCES,
    angles_to_matrix,
    angles_to_quaternion,
    continue_angles,
    quaternion_to_matrix,
)

TOP = ts.Body("top", mass=2.0, com=(0.05, 0.02, 0.2), inertia=(0.3, 0.5, 0.7, 0.02, 0, 0.01))


def model(kind):
    return ts.Model("m", bodies=(TOP,), joints=(ts.Joint("ball", "world", "top", kind),))


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_angles_of_a_wandering_rotation_have_no_leaps(sequence):
    K, rng = Floats(), np.random.default_rng(4)
    given = np.cumsum(rng.normal(size=(150, 3)) * 0.1, axis=0) + [0, 0.9, 0]
    R = np.array([angles_to_matrix(K, sequence, x) for x in given], dtype=float)
    found = continue_angles(sequence, R)
    again = np.array([angles_to_matrix(K, sequence, x) for x in found], dtype=float)
    close(again, R, 40)
    q = [quaternion_to_matrix(angles_to_quaternion(K, sequence, x)) for x in given]
    close(q, R, 40)
    assert abs(found[0] - given[0]).max() < 1e-9


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_through_the_singularity_exactly(sequence):
    """Turning about the middle axis alone: the middle angle counts on, the others stay."""
    angles = np.zeros((21, 3))
    angles[:, 1] = np.linspace(-0.6, 0.6, 21) + (0 if sequence[0] == sequence[2] else np.pi / 2)
    angles[:, 0] = 0.4
    if sequence[0] == sequence[2]:
        angles[:, 1] += np.pi  # 180 degrees, where the first row has one branch only
    R = [np.array(angles_to_matrix(Floats(), sequence, x), dtype=float) for x in angles]
    found = continue_angles(sequence, R)
    np.testing.assert_allclose(np.diff(found, axis=0), np.diff(angles, axis=0), atol=1e-7)


@pytest.mark.parametrize("sequence", zoo.few(["yxy", "xzx", "zyz", "yzx", "zxy"], "yxy", "zxy"))
@pytest.mark.parametrize("speeds", ["rates", "body"])
def test_a_sequence_moves_as_the_quaternion_does(sequence, speeds):
    start = {"ball.angle1": 0.3, "ball.angle2": 0.8, "ball.angle3": -0.5}
    named = ts.simulate(model(ts.Spherical(sequence, speeds)), 0.3, start, rtol=1e-10)
    auto = ts.simulate(model(ts.Spherical("auto", angles=sequence)), 0.3, start, rtol=1e-10)
    for i in (1, 2, 3):
        x = [run[f"ball.angle{i}"][-1] for run in (named, auto)]
        assert abs(x[0] - x[1]) < 1e-8
    assert abs(named["top.velocity.x"][-1] - auto["top.velocity.x"][-1]) < 1e-8


def test_auto_goes_through_where_the_sequence_stops():
    """A pendulum about y, over the top: pitch counts on as the angle of a hinge does."""
    flat = ts.Body("top", mass=2.0, com=(0.05, 0, 0.2), inertia=(0.3, 0.5, 0.7, 0, 0.01, 0))
    hinge = ts.Model("h", bodies=(flat,), joints=(ts.Joint("y", "world", "top", ts.Revolute("y")),))
    wanted = ts.simulate(hinge, 1.0, {"y.rate": 9.0}, rtol=1e-11)
    pinned = ts.Model(
        "a", bodies=(flat,), joints=(ts.Joint("b", "world", "top", ts.Spherical("auto")),)
    )
    run = ts.simulate(pinned, 1.0, {"b.wy": 9.0}, rtol=1e-11)
    np.testing.assert_allclose(run["b.angle2"], wanted["y.angle"], atol=1e-7)
    np.testing.assert_allclose(run["b.angle1"], 0, atol=1e-7)
    assert wanted["y.angle"][-1] > np.pi


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_auto_is_singular_nowhere(sequence):
    """Its rates keep their rank, 1/2 of a turn in every direction, where three angles lose one."""
    K, rng = Floats(), np.random.default_rng(7)
    lost = [0, 0.0, 0] if sequence[0] == sequence[2] else [0, np.pi / 2, 0]
    for kind in (
        ts.Spherical("auto", angles=sequence),
        ts.Spherical("auto", "world", angles=sequence),
        ts.Free("auto", angles=sequence),
    ):
        for angles in (lost, lost + rng.normal(size=3) * [1, 0, 1], rng.normal(size=3)):
            turn = angles_to_quaternion(K, sequence, angles)
            q = np.array([*[0.1, 0.2, 0.3][: kind.nq - 4], *turn], dtype=float)
            assert kind.edges(K, q) == ()
            N = np.array([kind.rates(K, q, e) for e in np.eye(kind.nv)], dtype=float).T[-4:]
            close(np.linalg.svd(N, compute_uv=False)[:3], 0.5, 8)
            (read,) = kind.read(q[None])
            close(angles_to_matrix(K, sequence, read[-3:]), quaternion_to_matrix(turn), 60)


def test_a_singular_angle_is_told_before_it_is_reached():
    plain = ts.Body("top", mass=1.0, inertia=(0.3, 0.5, 0.7, 0, 0, 0))
    ball = ts.Joint("ball", "world", "top", ts.Spherical("zyx"))
    spin = ts.Model("s", gravity=(0, 0, 0), bodies=(plain,), joints=(ball,))
    run = ts.simulate(spin, 2.0, {"ball.rate2": 1.0})
    text = "ball: angle2 nears 90 or -90 deg, where zyx angles are singular"
    (event,) = run.events
    assert event.name == text
    assert event.time == pytest.approx(np.radians(89), abs=1e-9)
    stopped = ts.simulate(spin, 2.0, {"ball.rate2": 1.0}, stop_when="ball")
    assert stopped.time[-1] == pytest.approx(np.radians(89), abs=1e-9)
    with pytest.raises(ts.TorseurError, match="the start is singular: ball: angle2 nears 0 or 180"):
        ts.simulate(model(ts.Spherical("zxz")), 1.0)
    run = ts.simulate(model(ts.Spherical("zxz")), 0.1, {"ball.angle2": 0.01})
    assert "at the start ball: angle2 nears 0 or 180 deg" in run.outcome


def test_a_start_by_readings_is_checked():
    system = model(ts.Spherical("auto", angles="zxz")).check()
    q, _ = system.state({"ball.angle2": 0.4})
    np.testing.assert_allclose(q, [np.cos(0.2), np.sin(0.2), 0, 0], atol=1e-15)
    with pytest.raises(ts.TorseurError, match=r"give the same orientation twice; give one"):
        system.state({"ball.angle2": 0.4, "ball.qw": 1.0})
    with pytest.raises(ts.TorseurError, match=r"ball.angle2 \[rad\]: expected a finite number"):
        system.state({"ball.angle2": np.nan})
    with pytest.raises(ts.TorseurError, match=r"ball.angle2 = 'half': parameter 'half' has no v"):
        system.state({"ball.angle2": "half"})
    runs = ts.batch(
        system.model, 0.1, {"ball.angle2": np.array([0.2, 0.4])}, keep=("ball.qx", "ball.angle2")
    )
    for i, x in enumerate((0.2, 0.4)):
        one = ts.simulate(system.model, 0.1, {"ball.angle2": x})
        assert runs["ball.qx"][i, -1] == pytest.approx(one["ball.qx"][-1], abs=1e-8)
        assert runs["ball.angle2"][i, -1] == pytest.approx(one["ball.angle2"][-1], abs=1e-7)


@pytest.mark.parametrize("kind", ["cylindrical", "spherical"])
@pytest.mark.parametrize("speeds", ["rates", "world"])
def test_a_thrown_stone_in_every_coordinate(kind, speeds):
    stone = ts.Body("stone", mass=1.5)
    joint = ts.Joint("fly", "world", "stone", ts.Translation(kind, speeds))
    m = ts.Model("stone", bodies=(stone,), joints=(joint,))
    q, v = m.check().state({"fly.radius": 2.0, "fly.azimuth": 0.5})
    K, own = Floats(), ts.Translation(kind, speeds)
    velocity = np.array([0.3, 1.2, 4.0])
    P = own.subspace(K, q).astype(float)[3:]
    v = np.linalg.solve(P, velocity)
    names = (*m.check().coordinates, *m.check().speeds)
    run = ts.simulate(m, 0.7, dict(zip(names, [*q, *v], strict=True)), rtol=1e-11)
    t, p0 = run.time, 2.0 * np.array([np.cos(0.5), np.sin(0.5), 0])
    for i, c in enumerate("xyz"):
        want = p0[i] + velocity[i] * t - (9.81 / 2 * t**2 if c == "z" else 0)
        np.testing.assert_allclose(run[f"stone.position.{c}"], want, atol=1e-8)


def test_a_radius_that_vanishes_is_told():
    stone = ts.Body("stone", mass=1.5)
    joint = ts.Joint("fly", "world", "stone", ts.Translation("cylindrical"))
    m = ts.Model("stone", gravity=(0, 0, 0), bodies=(stone,), joints=(joint,))
    run = ts.simulate(m, 3.0, {"fly.radius": 2.0, "fly.radial_speed": -1.0})
    assert run.events[0].name == "fly: radius nears 0 m, where the azimuth is singular"
    assert run.events[0].time == pytest.approx(1.999, abs=1e-9)
    np.testing.assert_allclose(run["stone.position.x"][-1], -1.0, atol=1e-9)


def test_an_elevation_that_nears_the_pole_is_told():
    """Straight up, 0.01 m aside of the axis: told one degree before the pole."""
    joint = ts.Joint("fly", "world", "stone", ts.Translation("spherical", "world"))
    m = ts.Model("stone", gravity=(0, 0, 0), bodies=(ts.Body("stone", mass=1.5),), joints=(joint,))
    run = ts.simulate(m, 1.0, {"fly.radius": 0.01, "fly.vz": 1.0}, rtol=1e-10)
    (event,) = run.events
    assert event.name == "fly: elevation nears 90 or -90 deg, where the azimuth is singular"
    assert event.time == pytest.approx(0.01 * np.tan(np.radians(89)), abs=1e-8)
    np.testing.assert_allclose(run["stone.position.z"], run.time, atol=1e-8)


def test_files_say_them(tmp_path):
    kinds = (
        ts.Spherical("auto", angles="yxy"),
        ts.Spherical("zxy", "world"),
        ts.Free("auto", "mixed", "xzx", "cylindrical"),
        ts.Translation("spherical", "world"),
    )
    for kind in kinds:
        path = tmp_path / "m.yaml"
        model(kind).save(path)
        assert ts.load(path).joints[0].kind == kind


def test_a_model_carries_a_start_by_readings(tmp_path):
    ball = ts.Joint("ball", "world", "top", ts.Spherical("auto", angles="xyz"))
    start = {"ball.angle2": "30 deg", "ball.wz": 1.0}
    m = ts.Model("m", bodies=(TOP,), joints=(ball,), initial=start, simulation={"t_end": 0.1})
    m.save(tmp_path / "m.yaml")
    run = ts.simulate(ts.load(tmp_path / "m.yaml"))
    assert run["ball.angle2"][0] == pytest.approx(np.pi / 6, abs=1e-12)
    again = ts.simulate(m, 0.1, {"ball.angle1": 0.2})
    assert again["ball.angle1"][0] == pytest.approx(0.2, abs=1e-12)
    assert again["ball.angle2"][0] == pytest.approx(np.pi / 6, abs=1e-12)
