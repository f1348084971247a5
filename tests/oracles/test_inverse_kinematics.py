"""Inverse kinematics: O-X2, the PUMA 560, random chains with special geometry, real robots.

Truth is the forward pose: every chain must give back the coordinates its pose came from, every
solution must reach the pose, and classic counts must come out.
"""

from dataclasses import replace
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import torseur as ts

BODIES = [ts.Body(f"b{i}", 1, (0.1, 0, 0), (0.1, 0.1, 0.1, 0, 0, 0)) for i in range(7)]


def arm(rows, at=(0.1, 0.05, 0.2), rpy=(0.1, 0.2, 0.3), convention="modified"):
    return ts.from_dh(
        rows,
        BODIES[: len(rows)],
        convention=convention,
        frames=(ts.Frame("tool", f"b{len(rows) - 1}", at=at, rpy=rpy),),
    )


def mac():
    return arm([(0, 0, 0, 0.7), ("pi/2", 0, 0, 0), (0, 0.6, 0, 0)], (0.7, 0, 0), (0, 0, 0))


def puma():
    return arm(
        [
            (0, 0, 0, 0),
            ("-pi/2", 0, 0, 0),
            (0, 0.4318, 0, 0.15005),
            ("-pi/2", 0.0203, 0, 0.4318),
            ("pi/2", 0, 0, 0),
            ("-pi/2", 0, 0, 0),
        ]
    )


def wrapped(x):
    return (x + np.pi) % (2 * np.pi) - np.pi


def recovered(model, n=100, span=2.5):
    """(share of poses whose own coordinates are among the solutions, counts, poses off)."""
    s, dyn = model.check(), ts.compile(model)
    q = np.random.default_rng(0).uniform(-span, span, (n, s.nq))
    T = dyn.pose("tool", q)
    found = ts.inverse_kinematics(model, "tool", T)
    there = np.isfinite(found.q[..., 0])
    gap = np.where(there, abs(wrapped(found.q - q[:, None])).max(axis=-1), np.inf).min(axis=1)
    rows, _ = np.nonzero(there)
    got = dyn.pose("tool", found.q[there])
    rows_of = slice(None) if s.nq > 3 else (slice(None), slice(0, 3), 3)
    off = abs(got - T[rows])[rows_of].max()
    return (gap < 1e-6).mean(), there.sum(axis=1), off, found.method


def test_x2_four_solutions_of_the_mac():
    want = np.array(
        [
            (0.4, -0.4942540389, 1.1),
            (0.4, 0.7, -1.1),
            (-2.7415926536, 2.4415926536, 1.1),
            (-2.7415926536, -2.6473386147, -1.1),
        ]
    )
    T = ts.compile(mac()).pose("tool", [0.4, 0.7, -1.1])
    np.testing.assert_allclose(T[:3, 3], (1.01652713, 0.42978078, 0.81393777), atol=1e-8)
    for pose in (T, T[:3, 3]):
        found = ts.inverse_kinematics(mac(), "tool", pose)
        assert len(found) == 4 and found.complete and found.within_limits.all()
        order = [np.argmin(abs(found.q - w).max(axis=1)) for w in want]
        assert sorted(order) == [0, 1, 2, 3]
        np.testing.assert_allclose(found.q[order], want, atol=1e-10)
        assert [found.labels[i] for i in order] == [
            "front, elbow down",
            "front, elbow up",
            "back, elbow up",
            "back, elbow down",
        ]


def test_puma_has_eight():
    model, dyn = puma(), ts.compile(puma())
    T = dyn.pose("tool", [0.3, -0.7, 0.4, 0.9, 0.6, -1.2])
    found = ts.inverse_kinematics(model, "tool", T)
    assert len(found) == 8 and len(set(found.labels)) == 8
    assert abs(dyn.pose("tool", found.q) - T).max() < 1e-12
    share, counts, off, _ = recovered(model)
    assert share == 1 and off < 1e-12 and (counts == 8).all()


UR = [
    ("pi/2", 0, 0, 0.089159),
    (0, -0.425, 0, 0),
    (0, -0.39225, 0, 0),
    ("pi/2", 0, 0, 0.10915),
    ("-pi/2", 0, 0, 0.09465),
    (0, 0, 0, 0.0823),
]


@pytest.mark.parametrize(
    "rows, method",
    [
        (UR, "three parallel axes"),
        (
            [(0, 0, 0, 0.5), (0, 0.4, 0, 0), (0, 0.3, 0, 0), (0, 0, 0, 0, "P")],
            "axes along one direction",
        ),
        (
            [
                (0, 0, 0, 0.35),
                ("pi/2", 0.025, 0, 0),
                (0, 0.22, 0, 0),
                (0, 0.22, 0, 0),
                ("pi/2", 0, 0, 0.1),
            ],
            "three axes that meet",
        ),
        (
            [(0, 0, 0, 0.35), ("pi/2", 0.025, 0, 0), (0, 0.22, 0, 0), (0, 0.22, 0, 0)],
            "three axes that meet",
        ),
        (
            [
                (0, 0, 0, 0.4),
                ("-pi/2", 0, 0, 0.15),
                ("pi/2", 0, 0, 0.3, "P"),
                (0, 0, 0, 0),
                ("-pi/2", 0, 0, 0),
                ("pi/2", 0, 0, 0),
            ],
            "three axes that meet",
        ),
        (
            [
                (0, 0, 0, 0.4, "P"),
                ("-pi/2", 0, "pi/2", 0.15, "P"),
                ("pi/2", 0, 0, 0.3, "P"),
                (0, 0, 0, 0),
                ("-pi/2", 0.1, 0, 0),
                ("pi/2", 0, 0, 0.1),
            ],
            "three turns, three slides",
        ),
        (
            [(0, 0, 0, 0.4), (0, 0.1, 0, 0.15, "P"), ("pi/2", 0.1, 0, 0.3, "P")],
            "three joints and a point",
        ),
        (
            [(0, 0, 0, 0.4, "P"), ("pi/2", 0.1, 0, 0.15), ("pi/3", 0.1, 0, 0.3)],
            "three joints and a point",
        ),
        (
            [(0.3, 0, 0, 0.4, "P"), ("pi/2", 0.1, 0, 0.15), ("pi/3", 0.1, 0, 0.3, "P")],
            "three joints and a point",
        ),
        ([(0.3, 0, 0, 0.4), (0.7, 0.2, 0, 0.15), (1.1, 0.3, 0, 0.3)], "three joints and a point"),
    ],
    ids=[
        "UR5",
        "SCARA",
        "five",
        "pallets",
        "Stanford",
        "gantry",
        "RPP",
        "PRR",
        "PRP",
        "3R",
    ],
)
def test_known_arms(rows, method):
    share, counts, off, how = recovered(
        arm(rows, convention="classic" if rows is UR else "modified"), 60
    )
    assert share == 1 and off < 1e-11 and method in how and (counts % 2 == 0).all()


@pytest.mark.parametrize("special", ["meet 1", "meet 0", "parallel 1", "parallel 2"])
def test_random_chains_of_special_geometry(special):
    """Three neighboring axes that meet, or are parallel; every other number is random."""
    word, i = special.split()
    i, rng = int(i), np.random.default_rng(5)
    rows = [
        [rng.uniform(-2, 2), rng.uniform(-0.5, 0.5), rng.uniform(-1, 1), rng.uniform(-0.4, 0.4)]
        for _ in range(6)
    ]
    if word == "meet":
        rows[i + 1][1] = rows[i + 2][1] = rows[i + 1][3] = 0
    else:
        rows[i + 1][0] = rows[i + 2][0] = 0
    share, counts, off, method = recovered(arm([tuple(r) for r in rows]), 60)
    assert share == 1 and off < 1e-11 and "closed form" in method and (counts % 2 == 0).all()


def robots():
    try:
        package = metadata.distribution("example-robot-data")
    except metadata.PackageNotFoundError:
        return None
    return Path(package.locate_file("cmeel.prefix/share/example-robot-data/robots"))


@pytest.mark.skipif(robots() is None, reason="robot files are not installed")
@pytest.mark.parametrize(
    "file, frame",
    [
        ("ur_description/urdf/ur5_robot.urdf", "tool0"),
        ("panda_description/urdf/panda.urdf", "panda_hand"),
        ("kinova_description/robots/kinova.urdf", "j2s6s200_end_effector"),
        ("xarm_description/urdf/xarm7.urdf", "link_eef"),
        ("so_arm_description/urdf/so101.urdf", "gripper_link"),
        ("ur_description/urdf/ur10_robot.urdf", "tool0"),
        ("z1_description/urdf/z1.urdf", "link06"),
    ],
)
def test_real_robots(file, frame):
    model = ts.load(robots() / file, right_angles=True)
    s, dyn = model.check(), ts.compile(model)
    limits = {j.name: j.limits for j in model.joints}
    low, high = np.array([limits[k.name] or (-3, 3) for k in s.links]).T
    q = np.random.default_rng(0).uniform(low, high, (300, s.nq))
    T = dyn.pose(frame, q)
    found = ts.inverse_kinematics(model, frame, T)
    off = abs(dyn.pose(frame, np.nan_to_num(found.best)) - T).max(axis=(1, 2))
    assert (off < 1e-8).mean() >= 0.995
    assert found.within_limits.any(axis=1).mean() >= 0.995


def test_redundant_arm_in_a_batch_with_a_wish_and_held():
    rng = np.random.default_rng(7)
    model = arm(
        [(rng.uniform(-2, 2), rng.uniform(-0.5, 0.5), 0, rng.uniform(-0.4, 0.4)) for _ in range(7)]
    )
    dyn, q = ts.compile(model), rng.uniform(-2, 2, (300, 7))
    T = dyn.pose("tool", q)
    found = ts.inverse_kinematics(model, "tool", T)
    assert found.found.all() and abs(dyn.pose("tool", found.best) - T).max() < 1e-8
    wished = ts.inverse_kinematics(model, "tool", T[0], prefer={"joint3.angle": 0.5})
    assert wished.best[2] == pytest.approx(0.5, abs=1e-9)
    assert abs(dyn.pose("tool", wished.best) - T[0]).max() < 1e-9
    held = ts.inverse_kinematics(model, "tool", T[0], hold={"joint3.angle": q[0, 2]})
    assert abs(wrapped(held.q - q[0])).max(axis=1).min() < 1e-6
    np.testing.assert_array_equal(held.q[:, 2], q[0, 2])


def test_a_held_joint_of_a_wristed_arm_of_seven_gives_a_closed_form():
    model = arm(
        [
            (0, 0, 0, 0.34),
            ("-pi/2", 0, 0, 0),
            ("pi/2", 0, 0, 0.4),
            ("pi/2", 0, 0, 0),
            ("-pi/2", 0, 0, 0.4),
            ("-pi/2", 0, 0, 0),
            ("pi/2", 0, 0, 0),
        ]
    )
    q = np.array([0.3, 0.7, -0.4, -1.1, 0.5, 0.8, -0.2])
    T = ts.compile(model).pose("tool", q)
    found = ts.inverse_kinematics(model, "tool", T, hold={"joint3.angle": -0.4})
    assert found.complete and len(found) == 8
    assert abs(wrapped(found.q - q)).max(axis=1).min() < 1e-10


def test_limits_are_told_and_whole_turns_are_used():
    from dataclasses import replace

    free = puma()
    joints = tuple(replace(j, limits=(2.0, 6.0)) if j.name == "joint1" else j for j in free.joints)
    model = replace(free, joints=joints)
    T = ts.compile(model).pose("tool", [0.3, -0.7, 0.4, 0.9, 0.6, -1.2])
    found = ts.inverse_kinematics(model, "tool", T)
    assert len(found) == 8 and found.within_limits.sum() == 4
    q1 = found.q[found.within_limits, 0]
    assert ((q1 >= 2) & (q1 <= 6)).all()  # -2.4 rad would be outside, 3.9 rad is inside
    assert any("joint1.angle" in n and "beyond its limit 2" in n for n in found.notes)


def test_singular_wrist_is_told():
    T = ts.compile(puma()).pose("tool", [0.3, -0.7, 0.4, 0.9, 0.0, -1.2])
    found = ts.inverse_kinematics(puma(), "tool", T)
    assert found.singular.any()
    assert any(
        "joint4.angle, joint6.angle can move there without moving 'tool'" in n for n in found.notes
    )
    assert abs(ts.compile(puma()).pose("tool", found.q) - T).max() < 1e-12


def test_free_motions_of_singular_poses_are_used_to_stay_within_limits():
    """Roll and flange on one line; the wrist above the waist; an arm stretched out."""
    rows = [{"r": 0.5}, {"alpha": "-pi/2"}, {"d": 0.4}, {"alpha": "-pi/2", "r": 0.4}]
    rows += [{"alpha": "pi/2"}, {"alpha": "-pi/2"}]
    bodies = [ts.Body(f"b{i}", 1, (0.1, 0, 0), (0.1, 0.1, 0.1, 0, 0, 0)) for i in range(6)]
    tool = (ts.Frame("tool", "b5", at=(0, 0, 0.1)),)

    def arm(**limits):
        own = [
            {**r, **({"limits": limits[f"q{i}"]} if f"q{i}" in limits else {})}
            for i, r in enumerate(rows)
        ]
        return ts.from_dh(own, bodies, convention="modified", frames=tool)

    wrist = arm(q3=(0.5, 2.0), q5=(-3.0, 3.0))
    pose = ts.compile(wrist).pose("tool", [0.3, 0.2, -0.4, 1.0, 0.0, 0.5])
    found = ts.inverse_kinematics(wrist, "tool", pose)
    assert found.within_limits.sum() == 2 and abs(found.best[3] + found.best[5] - 1.5) < 1e-9
    near = dict(zip(found.coordinates, (0.3, 0.2, -0.4, 1.2, 0.0, 0.3), strict=True))
    at = ts.inverse_kinematics(wrist, "tool", pose, near=near)
    np.testing.assert_allclose(at.q[0], list(near.values()), atol=1e-9)
    assert (
        ts.inverse_kinematics(wrist, "tool", np.array([pose] * 2)).within_limits.any(axis=1).all()
    )

    waist = arm(q0=(1.0, 2.0))  # here the wrist's center is above the waist
    upper = -np.pi / 2 - (np.pi / 2 - 1.0) / 2  # of two links of one length
    q = np.array([1.3, upper, -1.0, 0.4, 0.6, 0.2])
    dyn = ts.compile(waist)
    assert np.linalg.norm(dyn.pose("b3", q)[:2, 3]) < 1e-12
    found = ts.inverse_kinematics(waist, "tool", dyn.pose("tool", q))
    assert len(found) == 8 and found.within_limits.all() and found.singular.all()
    assert abs(dyn.pose("tool", found.q) - dyn.pose("tool", q)).max() < 1e-9

    out = ts.inverse_kinematics(
        waist, "tool", dyn.pose("tool", [1.3, 0.2, -np.pi / 2, 0.9, 0.5, -1.2])
    )
    assert "fold" in out.notes[0] and len(out) == 4


def test_rotors_behind_elastic_shafts_are_not_twisted_and_left_to_the_inverse():
    gear = ts.Drive(ratio=100, rotor_inertia=1e-4, stiffness=1e4)
    rows = [{"r": 0.5, "drive": gear}, {"alpha": "pi/2", "drive": gear}, {"d": 0.4, "drive": gear}]
    bodies = [ts.Body(f"b{i}", 1, (0.1, 0, 0), (0.1, 0.1, 0.1, 0, 0, 0)) for i in range(3)]
    arm = ts.from_dh(
        rows, bodies, convention="modified", frames=(ts.Frame("tool", "b2", at=(0.4, 0, 0)),)
    )
    found = ts.inverse_kinematics(arm, "tool", (0.3, 0.2, 0.7))
    assert len(found) == 4 and (found.q[:, 3:] == found.q[:, :3]).all()
    t = np.linspace(0, 1, 41)
    way = ts.robots.Line((0.3, 0.2, 0.7), (0.2, 0.3, 0.6))
    law = ts.robots.Septic(0, way.length, 1.0)
    path = ts.solve.inverse_kinematics_path(arm, "tool", way.poses(law(t)[0])[:, :3, 3], times=t)
    assert set(path.motion) == {"time", *arm.check().coordinates[:3]}
    run = ts.inverse(arm, path.motion)
    twist = abs(run["joint2.motor.angle"] - run["joint2.angle"]).max()
    assert 0 < twist < 2e-3


def test_loops_beside_the_chain_do_not_close_it():
    """A gripper whose fingers mirror each other, on an arm of seven and on one of two joints."""

    def finger(n, y):
        return ts.Joint(n, "b6", f"{n}_pad", ts.Prismatic((0, y, 0)), limits=(0.0, 0.04))

    seven = [(0, 0, 0, 0.34), ("-pi/2", 0, 0, 0), ("pi/2", 0, 0, 0.4), ("pi/2", 0, 0, 0)]
    seven += [("-pi/2", 0, 0, 0.4), ("-pi/2", 0, 0, 0), ("pi/2", 0, 0, 0)]
    bodies = [ts.Body(f"b{i}", 1.0, (0.1, 0, 0), (0.1, 0.1, 0.1, 0, 0, 0)) for i in range(7)]
    bare = ts.from_dh(
        seven, bodies, convention="modified", frames=(ts.Frame("tool", "b6", at=(0, 0, 0.1)),)
    )
    pads = tuple(
        ts.Body(f"{n}_pad", 0.1, (0.01, 0, 0), (0.1, 0.1, 0.1, 0, 0, 0)) for n in ("left", "right")
    )
    arm = replace(
        bare,
        bodies=(*bare.bodies, *pads),
        joints=(*bare.joints, finger("left", 1), finger("right", -1)),
        constraints=(ts.Mimic("same", "left.displacement", "right.displacement", 1.0, 0.01),),
    )
    q = np.array([0.2, 0.5, 0.1, 1.0, 0.2, 0.6, 0.3])
    pose = ts.compile(bare).pose("tool", q)
    wished = ts.inverse_kinematics(arm, "tool", pose, prefer={"joint1.angle": 0.25})
    assert abs(wished.best[0] - 0.25) < 1e-6 and wished.within_limits.any()
    left, right = wished.best[7:]
    assert abs(abs(left - right) - 0.01) < 1e-9  # the fingers fit
    held = ts.inverse_kinematics(arm, "tool", pose, hold={"joint3.angle": 0.1})
    assert held.method.startswith("closed form") and len(held) == 8
    assert ts.robots.workspace(arm, "tool", samples=50).points.shape == (50, 3)
    speeds = dict.fromkeys([f"joint{i}" for i in range(1, 8)], 2.0)
    start = dict(zip(arm.check().coordinates, q, strict=False))
    end = {n: x + 0.4 for n, x in start.items()}
    efforts = dict.fromkeys(speeds, 60.0)
    quick = ts.robots.time_optimal(
        arm, [start, end], max_speed=speeds, max_effort=efforts, points=51
    )
    assert 0.2 < quick.duration < 1.0
    with pytest.raises(ts.TorseurError, match=r"the path moves left\.displacement, which loops"):
        ts.robots.time_optimal(arm, [start, {**end, "left.displacement": 0.02}], max_speed=speeds)


def test_out_of_reach_says_by_how_much():
    with pytest.raises(
        ts.TorseurError,
        match=r"'tool' cannot be brought to \(2, 0, 0.7\) m: it is "
        r"out of reach by 0.7 m",
    ):
        ts.inverse_kinematics(mac(), "tool", (2.0, 0, 0.7))
    planar = arm([(0, 0, 0, 0), (0, 0.4, 0, 0), (0, 0.3, 0, 0)], (0.1, 0, 0), (0, 0, 0))
    T = np.eye(4)
    T[:3, :3] = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    T[:3, 3] = (0.5, 0.1, 0)
    with pytest.raises(ts.TorseurError, match=r"in this orientation.*off by 90 deg"):
        ts.inverse_kinematics(planar, "tool", T)
    many = ts.inverse_kinematics(mac(), "tool", [(2.0, 0, 0.7), (1.0, 0, 0.7)])
    assert many.found.tolist() == [False, True] and np.isnan(many.best[0]).all()


@pytest.mark.parametrize(
    "bad, told",
    [
        (
            np.diag([2.0, 1, 1, 1]),
            "not a rigid motion: its upper left 3 x 3 is off a rotation by 3",
        ),
        (np.diag([1.0, 1, -1, 1]), "a reflection"),
        ([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0.1, 0, 0, 1]], "transpose it"),
        ("here", "expected a 4 x 4"),
        (np.ones((2, 2)), "expected a 4 x 4"),
    ],
)
def test_poses_that_are_none(bad, told):
    with pytest.raises(ts.ArgumentError, match=told):
        ts.inverse_kinematics(mac(), "tool", bad)


def test_a_speed_cannot_be_held():
    with pytest.raises(ts.ArgumentError, match=r"'joint3.rate' is a speed; hold coordinates: "):
        ts.inverse_kinematics(mac(), "tool", (1.0, 0, 0.7), hold={"joint3.rate": 0.1})


def test_a_parallel_mechanism_is_solved_through_its_loops():
    """Five bars, two motors: circles around both shoulders give the angles."""

    def bar(n):
        return ts.Body(n, 1, (0.2, 0, 0))

    turn = ts.Revolute("z")
    model = ts.Model(
        bodies=tuple(map(bar, "abcd")),
        joints=(
            ts.Joint("j1", "world", "a", turn),
            ts.Joint("j2", "a", "b", turn, at=(0.4, 0, 0)),
            ts.Joint("j3", "world", "c", turn, at=(0.3, 0, 0)),
            ts.Joint("j4", "c", "d", turn, at=(0.4, 0, 0)),
        ),
        loops=(ts.Loop("tip", "b", "d", turn, at=(0.5, 0, 0), child_at=(0.5, 0, 0)),),
        frames=(ts.Frame("tool", "b", at=(0.5, 0, 0)),),
    )
    goal = np.array([0.2, 0.6, 0.0])
    found = ts.inverse_kinematics(model, "tool", goal)
    assert len(found) == 4

    def shoulder(o):
        d = goal[:2] - o
        r = np.hypot(*d)
        bend = np.arccos((0.16 + r * r - 0.25) / (0.8 * r))
        return {round(np.arctan2(*d[::-1]) + s * bend, 6) for s in (1, -1)}

    i = model.check().coordinates.index
    assert set(wrapped(found.q[:, i("j1.angle")]).round(6)) == shoulder(np.zeros(2))
    assert set(wrapped(found.q[:, i("j3.angle")]).round(6)) == shoulder(np.array([0.3, 0]))


def test_a_line_is_followed_without_a_jump():
    model, dyn = puma(), ts.compile(puma())
    T0 = dyn.pose("tool", [0.3, -0.7, 0.4, 0.9, 0.6, -1.2])
    poses = np.tile(T0, (80, 1, 1))
    poses[:, :3, 3] += np.linspace((0, 0, 0), (-0.2, 0.15, 0.1), 80)
    t = np.linspace(0, 2.0, 80)
    path = ts.solve.inverse_kinematics_path(model, "tool", poses, times=t)
    assert abs(dyn.pose("tool", path.q) - poses).max() < 1e-10
    assert abs(np.diff(path.q, axis=0)).max() < 0.1
    V = dyn.velocity("tool", path.q, path.v)
    np.testing.assert_allclose(V[5:-5], np.tile([0, 0, 0, -0.1, 0.075, 0.05], (70, 1)), atol=1e-5)
    v, a = ts.solve.inverse_rates(
        model, "tool", path.q[40], [0, 0, 0, -0.1, 0.075, 0.05], np.zeros(6)
    )
    np.testing.assert_allclose(v, path.v[40], atol=1e-5)
    assert abs(dyn.acceleration("tool", path.q[40], v, a)).max() < 1e-12
    poses[:, :3, 3] += np.linspace((0, 0, 0), (2.0, 0, 0), 80)
    with pytest.raises(ts.TorseurError, match=r"loses the path at pose \d+ of 80"):
        ts.solve.inverse_kinematics_path(model, "tool", poses)


def _planar(count, **limits):
    bodies = [ts.Body(f"b{i}", 1, (0.2, 0, 0), (0.1, 0.1, 0.1, 0, 0, 0)) for i in range(count)]
    places = [("world", (0, 0, 0)), *((b.name, (0.5, 0, 0)) for b in bodies)]
    joints = [
        ts.Joint(f"j{i}", on, b.name, ts.Revolute("z"), at=at, limits=limits.get(f"j{i}"))
        for i, (b, (on, at)) in enumerate(zip(bodies, places, strict=False))
    ]
    tool = ts.Frame("tool", bodies[-1].name, at=(0.5, 0, 0))
    return ts.Model(bodies=bodies, joints=joints, frames=(tool,))


def test_freedoms_to_spare_are_those_of_the_plane():
    """Three joints of a plane and a point: a free motion, so a wish, and no pose is singular."""
    arm, goal = _planar(3), (0.9, 0.3, 0)
    found = ts.inverse_kinematics(arm, "tool", goal)
    assert len(found) <= 8 and not found.singular.any() and not found.notes
    wished = ts.inverse_kinematics(arm, "tool", goal, prefer={"j0.angle": "20 deg"})
    assert wished.best[0] == pytest.approx(np.radians(20), abs=1e-9)
    with pytest.raises(ts.TorseurError, match="'tool' cannot move: all joints that move it are"):
        ts.inverse_kinematics(arm, "tool", goal, hold={f"j{i}.angle": 0 for i in range(3)})


def test_half_a_turn_is_one_solution_for_a_search_too():
    """-pi and pi are one angle, also where no closed form is known."""
    rows = [(-np.pi / 2, 0, 0, 0.4), (np.pi / 2, 0, 0, 0), (0, 0.3, 0, 0.2), (np.pi / 2, 0, 0, 0)]
    rows += [(0.4, 0.2, 0, 0)]
    bodies = [ts.Body(f"b{i}", 1, (0.1, 0, 0)) for i in range(5)]
    arm = ts.from_dh(rows, bodies, convention="modified")
    pose = ts.compile(arm).pose("b4", [0.3, np.pi, -0.4, np.pi, 0.2])
    found = ts.inverse_kinematics(arm, "b4", pose, method="numerical", starts=32)
    apart = abs((found.q[:, None] - found.q[None] + np.pi) % (2 * np.pi) - np.pi).max(-1)
    assert (apart + 10 * np.eye(len(found)) > 1e-5).all() and (found.q > -np.pi + 1e-9).all()


def test_the_nearest_whole_turn_within_the_limits():
    arm = _planar(2, j0=(-12.9, 12.9))
    found = ts.inverse_kinematics(arm, "tool", (0.9, 0.3, 0), near={"j0.angle": 19.6})
    expected = [2 * np.arctan2(0.3, 0.9) + 2 * np.pi, 4 * np.pi]  # not 13.2, beyond the limit
    np.testing.assert_allclose(sorted(found.q[:, 0]), expected, atol=1e-9)
    assert found.within_limits.all()


def test_an_orientation_that_cannot_be_had_is_told():
    found = ts.inverse_kinematics(_planar(2), "tool", np.eye(4))
    assert "turned 180 deg from the pose asked for" in found.notes[-1]
