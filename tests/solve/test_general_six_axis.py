"""Six turning joints of any geometry, tasks with priorities, Delta and Stewart platforms."""

import numpy as np
import pytest

import torseur as ts

TURN = 2 * np.pi


def six(alpha, a, r, **more):
    bodies = [ts.Body(f"b{i}", 1, (0.1, 0.05, 0.03), (0.1,) * 3 + (0,) * 3) for i in range(6)]
    rows = [(alpha[i], a[i], 0, r[i]) for i in range(6)]
    return ts.from_dh(rows, bodies, convention="classic", **more)


def apart(a, b):
    return abs((a - b + np.pi) % TURN - np.pi).max(axis=-1)


def test_the_arm_with_sixteen_poses():
    """Manseur and Doty's arm and pose, printed with six digits: sixteen, each proved."""
    arm = six(np.radians([90, 1, 90, 1, 90, 1]), [0.3, 1, 0, 1.5, 0, 0], [0, 0, 0.2, 0, 0, 0])
    T = np.eye(4)
    T[:3] = [
        [-0.760117, -0.641689, 0.102262, -1.140175],
        [0.133333, 0, 0.991071, 0],
        [-0.635959, 0.766965, 0.085558, 0],
    ]
    U, _, V = np.linalg.svd(T[:3, :3])
    T[:3, :3] = U @ V
    found = ts.inverse_kinematics(arm, "b5", T, starts=16)
    assert len(found) == 16 and found.complete and found.method.startswith("elimination")
    np.testing.assert_allclose(
        ts.compile(arm).pose("b5", found.q), np.tile(T, (16, 1, 1)), atol=1e-9
    )
    gaps = apart(found.q[:, None], found.q[None]) + 9 * np.eye(16)
    assert gaps.min() > 1e-3


@pytest.mark.parametrize("seed", range(4))
def test_random_arms_have_the_pose_they_were_made_of(seed):
    """And no search from many starts finds one more."""
    rng = np.random.default_rng(seed)
    arm = six(rng.uniform(0.3, 2.8, 6), rng.uniform(-0.5, 0.5, 6), rng.uniform(-0.5, 0.5, 6))
    q = rng.uniform(-3, 3, 6)
    T = ts.compile(arm).pose("b5", q)
    found = ts.inverse_kinematics(arm, "b5", T, starts=16)
    assert apart(found.q, q).min() < 1e-9 and len(found) % 2 == 0 and found.complete
    other = ts.inverse_kinematics(arm, "b5", T, method="numerical", starts=80)
    assert all(apart(found.q, x).min() < 1e-6 for x in other.q)


def test_chains_whose_first_elimination_degenerates():
    """Axes that meet or are parallel in pairs, none of the closed forms: another joint leads."""
    h = np.pi / 2
    arm = six([h, -h, -h, 0.3, 0.3, h], [0, -0.3, 0.2, 0.2, 0, -0.3], [0.15, 0, 0.15, 0.15, 0, 0.4])
    q = np.array([0.4, -1.2, 0.7, 1.9, -0.5, 2.2])
    found = ts.inverse_kinematics(arm, "b5", ts.compile(arm).pose("b5", q), starts=16)
    assert found.method.startswith("elimination") and found.complete and len(found) >= 2
    assert apart(found.q, q).min() < 1e-9


def test_many_poses_of_a_general_arm():
    rng = np.random.default_rng(9)
    arm = six(rng.uniform(0.3, 2.8, 6), rng.uniform(-0.5, 0.5, 6), rng.uniform(-0.5, 0.5, 6))
    q = rng.uniform(-3, 3, (25, 6))
    many = ts.inverse_kinematics(arm, "b5", ts.compile(arm).pose("b5", q))
    assert many.found.all() and many.complete
    assert all(np.nanmin(apart(own, x)) < 1e-8 for own, x in zip(many.q, q, strict=True))


def seven(**limits):
    rows = [(0, 0, 0, 0.34), ("-pi/2", 0, 0, 0), ("pi/2", 0, 0, 0.4), ("pi/2", 0, 0, 0)]
    rows += [("-pi/2", 0, 0, 0.4), ("-pi/2", 0, 0, 0), ("pi/2", 0, 0, 0.1)]
    rows = [
        {**dict(zip(("alpha", "d", "theta", "r"), row, strict=True)), **limits.get(f"j{i + 1}", {})}
        for i, row in enumerate(rows)
    ]
    bodies = [ts.Body(f"b{i}", 1.0, (0.1, 0, 0), (0.1,) * 3 + (0,) * 3) for i in range(7)]
    return ts.from_dh(rows, bodies, convention="modified")


Q = np.array([0.3, 0.7, -0.4, 1.1, 0.5, -0.8, 0.2])
TWIST = np.array([0.1, -0.2, 0.3, 0.2, 0.1, -0.1])


def test_priorities_are_projections_where_no_limit_is_near():
    """v = J1+ r1 + (J2 N1)+ (r2 - J2 J1+ r1), the textbook's."""
    arm = seven()
    found = ts.solve.prioritized_rates(
        arm, Q, [("b6", TWIST), ("b3", (0.1, 0.2, 0)), {"joint1.angle": 1}]
    )
    dyn = ts.compile(arm)
    J1, J2 = dyn.jacobian("b6", Q), dyn.jacobian("b3", Q)[3:]
    P = np.linalg.pinv(J1)
    N = np.eye(7) - P @ J1
    v = P @ TWIST
    v = v + np.linalg.pinv(J2 @ N, rcond=1e-9) @ ([0.1, 0.2, 0] - J2 @ v)
    np.testing.assert_allclose(found.v, v, atol=1e-9)
    assert found.left[0] < 1e-12 and found.active == ()


def test_priorities_within_limits_against_a_general_optimizer():
    from scipy.optimize import minimize

    arm = seven(j1={"max_speed": 0.3}, j4={"limits": (0, 1.12)}, j6={"max_speed": 0.35})
    found = ts.solve.prioritized_rates(
        arm, Q, [("b6", TWIST[3:]), ("b3", (0.4, 0.2, 0.1))], period=0.1
    )
    dyn = ts.compile(arm)
    J1, J2 = dyn.jacobian("b6", Q)[3:], dyn.jacobian("b3", Q)[3:]
    low, high = np.full(7, -9.0), np.full(7, 9.0)
    for i, lo, hi in ((0, -0.3, 0.3), (5, -0.35, 0.35), (3, -11.0, 0.2)):
        low[i], high[i] = lo, hi
    other = minimize(
        lambda v: ((J2 @ v - [0.4, 0.2, 0.1]) ** 2).sum(),
        np.zeros(7),
        jac=lambda v: 2 * J2.T @ (J2 @ v - [0.4, 0.2, 0.1]),
        constraints={"type": "eq", "fun": lambda v: J1 @ v - TWIST[3:], "jac": lambda v: J1},
        bounds=list(zip(low, high, strict=True)),
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )
    assert found.left[0] < 1e-9
    assert found.left[1] == pytest.approx(np.sqrt(other.fun), abs=1e-6)
    assert (found.v <= high + 1e-9).all() and (found.v >= low - 1e-9).all()
    assert set(found.active) <= {"joint1.max_speed", "joint4.angle's limit", "joint6.max_speed"}
    assert found.active


def test_poses_with_priorities():
    """The pose first, then the free motion as near a wish as limits let it: against `prefer`."""
    arm = seven()
    T = ts.compile(arm).pose("b6", Q)
    near = dict(zip(arm.check().coordinates, Q, strict=True))
    found = ts.solve.prioritized_kinematics(arm, [("b6", T), {"joint3.angle": 0.3}], near=near)
    assert found.left[0] < 1e-9 and found.left[1] < 1e-8
    held = seven(j3={"limits": (-2.0, 0.1)})
    bound = ts.solve.prioritized_kinematics(held, [("b6", T), {"joint3.angle": 0.3}], near=near)
    assert bound.left[0] < 1e-9 and bound.left[1] == pytest.approx(0.2, abs=1e-9)
    assert bound.active == ("joint3.angle's limit",)
    with pytest.raises(ts.TorseurError, match="is no task; expected"):
        ts.solve.prioritized_kinematics(arm, [("b6", (1, 2))])
    with pytest.raises(
        ts.TorseurError, match=r"joint3\.angle = -0\.4 is beyond its limits and needs"
    ):
        ts.solve.prioritized_rates(
            seven(j3={"limits": (0, 1), "max_speed": 1.0}), Q, [("b6", TWIST)], period=0.01
        )


def stewart():
    """Six legs of two parts between a base and a plate that floats."""
    base = [(np.cos(x), np.sin(x), 0.0) for x in np.radians([10, 110, 130, 230, 250, 350])]
    top = [
        (0.6 * np.cos(x), 0.6 * np.sin(x), 0.0) for x in np.radians([50, 70, 170, 190, 290, 310])
    ]
    bodies, joints, loops = [ts.Body("plate", 5.0, inertia=(0.5, 0.5, 1, 0, 0, 0))], [], []
    joints.append(ts.Joint("fly", "world", "plate", ts.Free(), at=(0, 0, 0)))
    for i, (a, b) in enumerate(zip(base, top, strict=True)):
        rod = {"inertia": (0.02, 0.02, 0.01, 0, 0, 0)}
        bodies += [ts.Body(f"low{i}", 1.0, (0, 0, 0.2), **rod), ts.Body(f"up{i}", 1.0, **rod)]
        joints.append(ts.Joint(f"foot{i}", "world", f"low{i}", ts.Universal("x", "y"), at=a))
        joints.append(ts.Joint(f"leg{i}", f"low{i}", f"up{i}", ts.Prismatic("z")))
        ball = ts.Spherical("quaternion")
        loops.append(ts.Loop(f"ball{i}", "plate", f"up{i}", ball, at=b))
    return ts.Model(bodies=bodies, joints=joints, loops=loops), np.array(base), np.array(top)


def test_legs_of_a_stewart_platform():
    """Lengths are distances: |p + R b - a|, the closed form of its inverse kinematics."""
    from scipy.spatial.transform import Rotation

    model, base, top = stewart()
    T = np.eye(4)
    T[:3, :3] = Rotation.from_euler("xyz", [0.1, -0.15, 0.2]).as_matrix()
    T[:3, 3] = 0.08, -0.05, 0.9
    near = {"fly.pz": 0.8} | {f"leg{i}.displacement": 0.9 for i in range(6)}
    found = ts.inverse_kinematics(model, "plate", T, near=near, starts=4)
    own = [found.coordinates.index(f"leg{i}.displacement") for i in range(6)]
    lengths = np.linalg.norm(T[:3, 3] + top @ T[:3, :3].T - base, axis=1)
    np.testing.assert_allclose(abs(found.q[0, own]), lengths, atol=1e-9)


def delta(f=0.2, e=0.06, L=0.3, r=0.6):
    """Three arms at 120 degrees, rods of fixed length to a plate that only slides."""
    bodies = [ts.Body(n, 0.5) for n in ("sx", "sy", "plate")]
    joints = [
        ts.Joint("x", "world", "sx", ts.Prismatic("x")),
        ts.Joint("y", "sx", "sy", ts.Prismatic("y")),
        ts.Joint("z", "sy", "plate", ts.Prismatic("z")),
    ]
    rods = []
    for i in range(3):
        w = i * TURN / 3
        c, s = np.cos(w), np.sin(w)
        bodies.append(ts.Body(f"arm{i}", 0.4, (0.1, 0, 0), (0.001, 0.01, 0.01, 0, 0, 0)))
        joints.append(
            ts.Joint(f"j{i}", "world", f"arm{i}", ts.Revolute("y"), at=(f * c, f * s, 0),
                     rpy=(0, 0, w))
        )  # fmt: skip
        a, b = (f"arm{i}", (L, 0, 0)), ("plate", (e * c, e * s, 0))
        rods.append(ts.Distance(f"rod{i}", a, b, r))
    return ts.Model(bodies=bodies, joints=joints, constraints=rods)


def test_all_poses_of_a_delta_robot():
    """Each arm meets its rod in two ways, in closed form: eight in all."""
    f, e, L, r = 0.2, 0.06, 0.3, 0.6
    P = np.array([0.05, -0.08, -0.55])
    found = ts.inverse_kinematics(delta(f, e, L, r), "plate", P, starts=48)
    own = [found.coordinates.index(f"j{i}.angle") for i in range(3)]
    seen = set()
    for q in found.q[:, own]:
        branch = []
        for i, x in enumerate(q):
            w = i * TURN / 3
            R = np.array([[np.cos(w), np.sin(w)], [-np.sin(w), np.cos(w)]])
            (u, v), z = R @ P[:2] + [e - f, 0], P[2]
            # (L cos x - u)^2 + v^2 + (-L sin x - z)^2 = r^2
            k = (u * u + v * v + z * z + L * L - r * r) / (2 * L)
            middle, half = np.arctan2(-z, u), np.arccos(k / np.hypot(u, z))
            ends = np.array([middle - half, middle + half])
            gap = abs((x - ends + np.pi) % TURN - np.pi)
            assert gap.min() < 1e-8
            branch.append(int(np.argmin(gap)))
        seen.add(tuple(branch))
    assert len(seen) == len(found) == 8


def bent(P, f=0.2, e=0.06, L=0.3, r=0.6):
    """Angles of the three arms of a Delta at places P (n, 3): two ways each, (n, 3, 2)."""
    out = []
    for i in range(3):
        w = i * TURN / 3
        u = np.cos(w) * P[:, 0] + np.sin(w) * P[:, 1] + e - f
        v, z = -np.sin(w) * P[:, 0] + np.cos(w) * P[:, 1], P[:, 2]
        k = (u * u + v * v + z * z + L * L - r * r) / (2 * L)
        middle, half = np.arctan2(-z, u), np.arccos(k / np.hypot(u, z))
        out.append(np.stack([middle - half, middle + half], -1))
    return np.stack(out, 1)


def test_a_delta_follows_a_loop_on_one_branch():
    """From two of its eight branches: the closed form all along, and its first two derivatives."""
    model, t = delta(), np.linspace(0, 1, 81)
    w = TURN * t
    P = np.stack([0.05 * np.cos(w), 0.05 * np.sin(w), -0.55 + 0.03 * np.sin(2 * w)], 1)
    V = TURN * np.stack([-0.05 * np.sin(w), 0.05 * np.cos(w), 0.06 * np.cos(2 * w)], 1)
    A = -(TURN**2) * np.stack([0.05 * np.cos(w), 0.05 * np.sin(w), 0.12 * np.sin(2 * w)], 1)
    want, h = bent(P), 1e-5
    later, sooner = (bent(P + s * h * V + h * h * A / 2) for s in (1, -1))
    rate, second = (later - sooner) / (2 * h), (later - 2 * want + sooner) / h**2
    names = [f"j{i}.angle" for i in range(3)]
    for branch in ((0, 0, 0), (1, 0, 1)):
        pick = (slice(None), range(3), branch)
        near = dict(zip("xyz", P[0], strict=True))
        near = {f"{n}.displacement": x for n, x in near.items()}
        near |= dict(zip(names, want[pick][0], strict=True))
        path = ts.solve.inverse_kinematics_path(model, "plate", P, times=t, near=near)
        own = [path.coordinates.index(n) for n in names]
        turn = (path.q[:, own] - want[pick] + np.pi) % TURN - np.pi
        assert abs(turn).max() < 1e-9 and abs(np.diff(path.q, axis=0)).max() < 0.1
        assert path.q[-1] == pytest.approx(path.q[0], abs=1e-9)
        v, a = ts.solve.inverse_rates(model, "plate", path.q, V, A)
        np.testing.assert_allclose(v[:, own], rate[pick], atol=1e-7)
        np.testing.assert_allclose(a[:, own], second[pick], atol=2e-3)
        np.testing.assert_allclose(path.v[5:-5, own], rate[pick][5:-5], atol=1e-4)
    far = np.linspace((0, 0, -0.55), (0.9, 0, -0.55), 40)
    with pytest.raises(ts.TorseurError, match=r"'plate' loses the path at pose \d+ of 40"):
        ts.solve.inverse_kinematics_path(model, "plate", far, near={"z.displacement": -0.55})


def test_a_stewart_platform_follows_poses_and_its_legs_have_their_rates():
    """Lengths |p + R b - a| all along; their rates along the legs; a twist gives all joints."""
    from scipy.spatial.transform import Rotation

    model, base, top = stewart()
    t = np.linspace(0, 1, 41)
    w = TURN * t
    angles = np.stack([0.2 * np.sin(w), 0.2 * np.cos(w) - 0.2, 0.3 * np.sin(w)], 1)
    T = np.tile(np.eye(4), (len(t), 1, 1))
    T[:, :3, :3] = Rotation.from_euler("xyz", angles).as_matrix()
    T[:, :3, 3] = np.stack([0.08 * np.sin(w), 0.05 * np.cos(w), 0.9 + 0.1 * np.sin(w)], 1)
    near = {"fly.pz": 0.8} | {f"leg{i}.displacement": 0.9 for i in range(6)}
    path = ts.solve.inverse_kinematics_path(model, "plate", T, times=t, near=near)
    own = [path.coordinates.index(f"leg{i}.displacement") for i in range(6)]
    ends = np.einsum("nij,kj->nki", T[:, :3, :3], top)
    legs = T[:, None, :3, 3] + ends - base
    lengths = np.linalg.norm(legs, axis=2)
    np.testing.assert_allclose(path.q[:, own], lengths, atol=1e-10)
    s = model.check()
    speeds = [s.speeds.index(f"leg{i}.speed") for i in range(6)]
    twist = np.random.default_rng(5).normal(size=(len(t), 6))
    v, a = ts.solve.inverse_rates(model, "plate", path.q, twist, 0 * twist)
    ball = twist[:, None, 3:] + np.cross(twist[:, None, :3], ends)
    along = np.einsum("nki,nki->nk", ball, legs) / lengths
    np.testing.assert_allclose(v[:, speeds], along, atol=1e-10)
    turned = np.cross(twist[:, None, :3], np.cross(twist[:, None, :3], ends))
    push = np.einsum("nki,nki->nk", turned, legs) + (ball**2).sum(-1) - along**2
    np.testing.assert_allclose(a[:, speeds], push / lengths, atol=1e-9)
    G = ts.compile(model).constraint_jacobian(path.q)
    assert abs(np.einsum("nij,nj->ni", G, v)).max() < 1e-9
    assert path.v.shape == (len(t), s.nv)
    from dataclasses import replace

    driven = replace(model, constraints=(ts.Driven("pull", "leg0.displacement", "0.9 + t"),))
    with pytest.raises(ts.TorseurError, match="moves by itself with time"):
        ts.solve.inverse_rates(driven, "plate", path.q[0], twist[0])
