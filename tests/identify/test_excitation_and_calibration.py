"""Exciting motions and geometric calibration."""

import numpy as np
import pytest
from test_robot_identification import branches, puma560

import torseur as ts
from torseur.identify import calibrate, exciting, robot


@pytest.mark.parametrize("kind", ["fourier", "spline"])
def test_an_exciting_motion_keeps_limits_and_gets_better(kind):
    model = branches()
    found = exciting(
        model, 5.0, kind=kind, terms=3, samples=60, iterations=4, max_speed=0.8, limits=(-0.7, 0.9)
    )
    assert found.condition < found.started
    assert abs(found.v).max() <= 0.8 * 1.02
    assert found.q.max() <= 0.9 * 1.02 and found.q.min() >= -0.7 * 1.02
    step = found.time[1]
    np.testing.assert_allclose(np.gradient(found.q, step, axis=0)[2:-2], found.v[2:-2], atol=0.03)
    if kind == "spline":
        assert abs(found.v[[0, -1]]).max() < 1e-9 and abs(found.a[[0, -1]]).max() < 1e-9
    tau = ts.compile(model).inverse_dynamics(found.q, found.v, found.a)
    rigid = robot(model, (found.q, found.v, found.a, tau), friction="viscous", consistent=False)
    assert rigid.errors().max() < 1e-9


@pytest.mark.parametrize(("criterion", "moved"), [("condition", True), ("determinant", False)])
def test_the_gradient_of_exciting_motions_is_exact(criterion, moved):
    """Criterion, limits, efforts and workspace, each passed: against Richardson's differences."""
    from torseur.identify.robots import excitation as own

    lin = own.linear(puma560(), ("coulomb", "viscous", "offset", "stribeck"), True)
    box = {lin.system.model.bodies[-1].name: ((-0.2, 0.2), (-0.2, 0.3), (0, 0.4))}
    search = own._ExcitationProblem(
        lin,
        own._make_basis("fourier", 2, 6.0),
        np.linspace(0, 6, 30),
        own.read_limits(lin, None, None, 5.0, None),
        criterion,
        own.read_boxes(lin, box),
        moved,
    )
    c = 1.3 * search.scale_to_limits(np.random.default_rng(0).normal(size=search.size))
    _, slope = search.cost_and_gradient(c)
    for i in (0, 4, 5, 13):
        e, h = np.eye(search.size)[i], 1e-5
        a, b, x, y = (search.cost(c + k * h * e) for k in (-1, -0.5, 0.5, 1))
        want = (8 * (x - b) - (y - a)) / (6 * h)
        assert slope[i] == pytest.approx(want, rel=1e-6, abs=1e-6 * abs(slope).max())


def test_an_exciting_motion_stays_in_its_workspace():
    arm = puma560()
    hand = arm.bodies[-1].name
    lid = ts.compile(arm).pose(hand, np.zeros(6))[2, 3] + 0.2
    free, boxed = (
        exciting(arm, 6.0, terms=2, samples=40, workspace=w)
        for w in (None, {hand: ((-2, 2), (-2, 2), (-2, lid))})
    )
    highest = [ts.compile(arm).pose(hand, f.q)[:, 2, 3].max() for f in (free, boxed)]
    assert highest[0] > lid + 0.1
    assert highest[1] < lid + 0.02 * (2 + lid) and boxed.over < 0.02
    with pytest.raises(ts.TorseurError, match="no body or frame is named 'hnd'"):
        exciting(arm, 6.0, workspace={"hnd": ((0, 1),) * 3})


def test_the_middle_of_an_exciting_motion_is_looked_for_where_the_usual_one_is_outside():
    rows = [("pi/2", 0.05, 0, 0.4), (0, 0.45, 0, 0), ("pi/2", 0.035, 0, 0.42)]
    links = [
        ts.Body(f"l{i}", mass=4.0 - i, com=(0.02, 0.1, 0.03), inertia=(0.04, 0.05, 0.06, 0, 0, 0))
        for i in range(3)
    ]
    arm = ts.from_dh(rows, links, convention="classic", name="arm")
    box = np.array([(-2, 2), (-2, 2), (0.5, 3.0)])
    neutral = ts.compile(arm).pose("l2", np.zeros(3))[:3, 3]
    assert neutral[2] < 0.45
    how = {"terms": 3, "samples": 60, "limits": (-1.8, 1.8), "max_effort": [40, 60, 20]}
    found = exciting(arm, 8.0, workspace={"l2": box}, **how)
    q, v, a = found.at(np.linspace(0, 8, 5001))
    kernels = ts.compile(arm)
    place = kernels.pose("l2", q)[:, :3, 3]
    assert found.over == 0 and (place > box[:, 0]).all() and (place < box[:, 1]).all()
    assert (abs(kernels.inverse_dynamics(q, v, a)) <= [40, 60, 20]).all()
    assert abs(q).max() <= 1.8 and abs(v).max() <= 1.5
    assert found.condition < 60
    with pytest.warns(ts.ModelWarning, match="outside"):  # told: stays there
        told = exciting(arm, 8.0, workspace={"l2": box}, around=np.zeros(3), **how)
    assert told.over > 0


def test_limits_hold_between_the_samples():
    """At 40 times as many rows; efforts and places too, where a motion within them is found."""
    arm = puma560()
    hand, wide = arm.bodies[-1].name, {"joint2": (-0.4, 0.9)}
    box = ((-0.7, 0.7), (-0.7, 0.7), (-0.9, 0.5))
    for kind in ("fourier", "spline"):
        found = exciting(arm, 6.0, kind=kind, terms=4, samples=30, limits=wide, max_speed=1.2,
                         workspace={hand: box}, iterations=15)  # fmt: skip
        q, v, _ = found.at(np.linspace(0, 6, 1200))
        low, high = np.full(6, -np.pi / 2), np.full(6, np.pi / 2)
        low[1], high[1] = wide["joint2"]
        assert (q >= low).all() and (q <= high).all() and abs(v).max() <= 1.2
        at = found.at(found.time)
        np.testing.assert_allclose(at, (found.q, found.v, found.a), atol=1e-12)
        x = ts.compile(arm).pose(hand, q)[:, :3, 3]
        low, high = np.array(box).T
        out = (np.maximum(x - high, low - x) / (high - low)).max()
        assert out <= found.over + 1e-4


@pytest.mark.parametrize(
    "how, said",
    [
        ({"duration": -1.0}, "duration: expected a number above zero"),
        ({"duration": "long"}, "duration: expected a number in s"),
        ({"terms": 0}, "terms=0: expected a whole number >= 1"),
        ({"samples": 3}, "samples=3: expected a whole number >= 8"),
        ({"limits": {"joint9": (0, 1)}}, "no joint is named 'joint9'"),
        ({"limits": (1, -1)}, "no room around the middle of the motion of 'joint1': from 1 to -1"),
        ({"limits": ("-10 mm", "10 mm")}, "limits: expected a number in rad"),
        (
            {"workspace": {"link6": ((0, "1 kg"),) * 3}},
            "workspace of 'link6': expected a num",
        ),
        ({"max_speed": (1, 2)}, r"max_speed=\(1, 2\): expected numbers \(6\)"),
    ],
)
def test_motions_that_cannot_be_are_refused(how, said):
    with pytest.raises(ts.ArgumentError, match=said):
        exciting(puma560(), **{"duration": 6.0, **how})


def test_limits_of_exciting_motions_may_say_their_units():
    rods = [ts.Body(n, 1.0, (0.1, 0, 0), (1, 1, 1, 0, 0, 0)) for n in "ab"]
    joints = (ts.Joint("turn", "world", "a", ts.Revolute("z")),
              ts.Joint("slide", "a", "b", ts.Prismatic("y"), at=(0.2, 0, 0)))  # fmt: skip
    arm = ts.Model(bodies=rods, joints=joints)
    how = {"terms": 2, "samples": 12, "iterations": 2}
    box = {"b": ((-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0))}
    plain = exciting(arm, 4.0, limits=((-1.0, 1.0), (-0.3, 0.3)), max_speed={"turn": 2.0},
                     max_effort=(10.0, 20.0), workspace=box, **how)  # fmt: skip
    told = exciting(arm, "4000 ms", limits=(("-1 rad", 1), ("-30 cm", "300 mm")),
                    max_speed={"turn": "2 rad/s"}, max_effort=("0.01 kN m", "20 N"),
                    workspace={"b": (("-1 m", "100 cm"),) * 3}, **how)  # fmt: skip
    assert (plain.q == told.q).all()
    assert "condition" in str(told) and len(repr(told).splitlines()) == 3
    with pytest.raises(ts.ArgumentError, match="max_speed of 'turn': expected a number in rad/s"):
        exciting(arm, 4.0, max_speed={"turn": "2 m/s"})
    with pytest.raises(ts.ArgumentError, match="limits: expected a number in m"):
        exciting(arm, 4.0, limits=("-10 deg", "10 deg"))


def test_motions_of_elastic_drives_and_out_of_reach():
    rod = ts.Body("rod", 2.0, com=(0, 0, -0.5), inertia=(1, 1, 1, 0, 0, 0))
    drive = ts.Drive(ratio=50, rotor_inertia=1e-4, stiffness=900.0)
    arm = ts.Model(
        bodies=(rod,), joints=(ts.Joint("j", "world", "rod", ts.Revolute("y"), drive=drive),)
    )
    with pytest.raises(ts.TorseurError, match=r"'j\.motor' follows its joint"):
        exciting(arm, 6.0)
    with pytest.warns(ts.ModelWarning, match="outside of its limits by"):
        exciting(puma560(), 6.0, max_effort=1e-3, iterations=2)


DH = ("alpha", "d", "theta", "r")


def table():
    rows = [(0, 0, 0, 0.333), ("-pi/2", 0.01, 0, 0), ("pi/2", 0, 0, 0.316), ("pi/2", 0.0825, 0, 0)]
    return ts.DHTable(rows, "modified")


def measured(off, n=40, noise=0.0):
    q = np.random.default_rng(1).uniform(-2, 2, (n, 4))
    rows = [
        ts.DH(*(f"({getattr(r, k)}) + ({off.get(f'{k}{i}', 0.0)!r})" for k in DH))
        for i, r in enumerate(table().rows, 1)
    ]
    links = [ts.Body(f"link{i}", 1.0, inertia=(1, 1, 1, 0, 0, 0)) for i in range(4)]
    T = ts.compile(ts.from_dh(rows, links, convention="modified")).pose("link3", q)
    T[:, :3, 3] += noise * np.random.default_rng(2).normal(size=(n, 3))
    return q, T


def test_calibration_finds_what_poses_show():
    off = {"d2": 0.003, "alpha3": -0.01, "r3": 0.002, "theta4": 0.02, "d4": -0.001}
    q, T = measured(off)
    found = calibrate(table(), q, T)
    assert found.residual[0] > 1e-3 and found.residual[1] < 1e-10
    some = calibrate(table(), q, T, free=tuple(off))
    assert some.hidden == () and 0 < some.observability < 1
    for name, x in off.items():
        assert some.corrections[name] == pytest.approx(x, abs=1e-9)


def test_positions_alone_hide_what_turns_about_the_last_frame():
    q, T = measured({"d2": 0.003})
    found = calibrate(table(), q, T[:, :3, 3], free=("d2", "theta4"))
    assert found.hidden == (("theta4",),)
    assert found.corrections["d2"] == pytest.approx(0.003, abs=1e-9)
    assert "acts with others only" in str(found.rows())


def test_noise_and_messages():
    off = {"d2": 0.003, "r3": 0.002}
    q, T = measured(off, noise=1e-4)
    found = calibrate(table(), q, T[:, :3, 3], free=tuple(off))
    for name, x in off.items():
        assert abs(found.corrections[name] - x) < 4 * found.sigma[name]
    with pytest.raises(ts.TorseurError, match="free has 'd9'"):
        calibrate(table(), q, T, free=("d9",))
    with pytest.raises(ts.TorseurError, match="criterion='best'"):
        exciting(puma560(), 3.0, criterion="best")


def test_a_model_is_calibrated_from_a_file(tmp_path):
    """As its table is, with its parameters; the tool by its frame, the rest of the model stays."""
    rows = [{"r": "L"}, {"alpha": "pi/2", "d": 0.1}, {"d": 0.4, "limits": (-2, 2)}]
    bodies = [ts.Body(f"b{i}", 1.0, (0.1, 0, 0), (1, 1, 1, 0, 0, 0)) for i in range(3)]
    arm = ts.from_dh(rows, bodies[:3], convention="modified", parameters={"L": 0.5},
                     frames=(ts.Frame("tip", "b2", at=(0.2, 0, 0.05)),))  # fmt: skip
    true = [(0, 0, 0, 0.5), ("pi/2", 0.1, 0.01, 0), (0, 0.403, 0, 0)]
    q = np.random.default_rng(2).uniform(-1, 1, (20, 3))
    real = ts.from_dh(true, bodies[:3], convention="modified", frames=arm.frames)
    P = ts.compile(real).pose("tip", q)
    table = np.column_stack([np.degrees(q), 1e3 * P[:, :3, 3]])
    head = "joint1.angle [deg],q2 [deg],q3 [deg],x [mm],tip.position.y [mm],z [mm],remark"
    rows = "\n".join(",".join([*map(repr, x), "fine"]) for x in table.tolist())
    (tmp_path / "poses.csv").write_text(f"{head}\n{rows}\n")
    free = ("d3", "theta2")
    found = calibrate(arm, tmp_path / "poses.csv", tool="tip", free=free)
    assert found.corrections == pytest.approx({"d3": 0.003, "theta2": 0.01}, abs=1e-9)
    plain = calibrate(found.table, q, P[:, :3, 3], tool=("200 mm", 0, "5 cm"), free="d3")
    assert abs(plain.corrections["d3"]) < 1e-9
    assert abs(ts.compile(found.model).pose("tip", q) - P).max() < 1e-9
    assert found.model.joints[2].limits == (-2, 2) and "mm -> " in repr(found)
    found.model.save(tmp_path / "better.yaml")
    assert ts.load(tmp_path / "better.yaml").check().digest == found.model.check().digest
    with pytest.raises(ts.ArgumentError, match=r"tool='b1' moves against 'b2'"):
        calibrate(arm, q, P, tool="b1")
    with pytest.raises(ts.ArgumentError, match="has no Denavit-Hartenberg rows"):
        calibrate(ts.Model(bodies=bodies[:1]), q, P)
    with pytest.warns(ts.ModelWarning, match="residual .* mm, which is no noise; coordinates"):
        calibrate(arm, np.degrees(q), P[:, :3, 3], tool="tip", free=free)


IIWA = [(0, 0, 0, 0.36), ("-pi/2", 0, 0, 0), ("pi/2", 0, 0, 0.42), ("pi/2", 0, 0, 0),
        ("-pi/2", 0, 0, 0.4), ("-pi/2", 0, 0, 0), ("pi/2", 0, 0, 0.126)]  # fmt: skip
PUMA = [(0, 0, 0, 0.67), ("-pi/2", 0, 0, 0.24), (0, 0.4318, 0, -0.09), ("-pi/2", 0.02, 0, 0.4318),
        ("pi/2", 0, 0, 0), ("-pi/2", 0, 0, 0.056)]  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*right angles")
@pytest.mark.parametrize(
    "rows, alone",
    [
        pytest.param(IIWA, {"theta7"}, marks=pytest.mark.slow),
        (PUMA, {"theta6", "r2", "r3"}),
    ],
)
def test_all_numbers_from_noisy_positions_predict_other_poses(rows, alone):
    """Some act only together, exactly or within the noise: named, and small."""
    rng, n = np.random.default_rng(3), len(rows)
    off = rng.normal(size=(n, 4)) * [2e-3, 1e-3, 3e-3, 1e-3]
    true = [tuple(f"({x}) + ({d!r})" for x, d in zip(r, o, strict=True)) for r, o in
            zip(rows, off.tolist(), strict=True)]  # fmt: skip
    links = [ts.Body(f"l{i}", 1.0, inertia=(1, 1, 1, 0, 0, 0)) for i in range(n)]

    def places(table, q):
        return ts.compile(ts.from_dh(table, links, convention="modified")).pose(f"l{n - 1}", q)[
            :, :3, 3
        ]

    q, other = rng.uniform(-2.5, 2.5, (2, 60, n))
    noise = 1e-4 * rng.normal(size=(60, 3))
    for x, left in ((places(true, q), 1e-9), (places(true, q) + noise, 2e-4)):
        found = calibrate(ts.DHTable(rows, "modified"), q, x)
        assert abs(places(found.table.rows, other) - places(true, other)).max() < left
        assert max(map(abs, found.corrections.values())) < 0.02
    assert alone <= {name for group in found.hidden for name in group}
    inside = [abs(found.corrections[f"{k}{i + 1}"] - off[i, j]) < 3 * found.sigma[f"{k}{i + 1}"]
              for i in range(n) for j, k in enumerate(DH)]  # fmt: skip
    assert np.mean(inside) > 0.9
    q[4, 1] = np.nan
    with pytest.raises(ts.ArgumentError, match="q: row 5 is not finite"):
        calibrate(ts.DHTable(rows, "modified"), q, x)
