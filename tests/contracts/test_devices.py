"""Every registered balancing device is an ordinary part of a model, and does what it says."""

from dataclasses import replace

import numpy as np
import pytest

import torseur as ts
from torseur.robots import device
from torseur.show.scene import build_scene

G, M1, C1, M2, C2, L = 9.81, 4.0, 0.25, 2.0, 0.2, 0.5
Q1, Q2 = 0.4, 0.7
C, CC, S = np.cos(Q1), np.cos(Q1 + Q2), np.sin(Q1)


def arm():
    turn = ts.Revolute((0, -1, 0))
    J = (0.01, 0.1, 0.1, 0, 0, 0)
    return ts.Model(
        bodies=(ts.Body("upper", M1, (C1, 0, 0), J), ts.Body("lower", M2, (C2, 0, 0), J)),
        joints=(
            ts.Joint("shoulder", "world", "upper", turn),
            ts.Joint("elbow", "upper", "lower", turn, at=(L, 0, 0)),
        ),
    )


WEIGHT = np.array([G * (M1 * C1 * C + M2 * (L * C + C2 * CC)), G * M2 * C2 * CC])
K, H, R, P = 3000.0, 0.2, 0.1, 0.03
CABLE = np.sqrt(H * H + R * R - 2 * H * R * S)
CASES = {  # joint, fields, and the efforts at the pose by hand
    "counterweight": (
        "elbow",
        {"mass": 3.0, "distance": 0.15},
        WEIGHT + [G * 3 * (L * C - 0.15 * CC), -G * 3 * 0.15 * CC],
    ),
    "redistribution": (
        "elbow",
        {"shift": 0.05},
        WEIGHT + G * M2 * (0.05 - C2) * CC * np.ones(2),
    ),
    "spring": (
        "shoulder",
        {"anchor": (0, 0, H), "radius": R, "stiffness": K},
        WEIGHT + [-K * H * R * C, 0],
    ),
    "cam": ("shoulder", {"amplitude": 8.0, "phase": 0.1}, WEIGHT - [8 * np.cos(Q1 - 0.1), 0]),
    "pulley": (
        "shoulder",
        {"height": H, "radius": R, "stiffness": K, "preload": P},
        WEIGHT + [-K * (P + CABLE) * H * R * C / CABLE, 0],
    ),
    "parallelogram": (
        "elbow",
        {"base": "shoulder", "mass": 3.0, "distance": 0.15},
        WEIGHT - G * 3 * 0.15 * CC * np.ones(2),
    ),
}


@pytest.mark.parametrize("kind", device)
def test_a_model_with_its_device(kind, tmp_path):
    """It simulates with closed books, saves, loads, is drawn, and its efforts are those by hand."""
    joint, fields, efforts = CASES[kind]
    made = device[kind]("part", joint, **fields).apply(arm(), {})
    made.save(tmp_path / "made.yaml")
    back = ts.load(tmp_path / "made.yaml")
    assert back.check().digest == made.check().digest
    still = {"shoulder.angle": f"{Q1} + 0*t", "elbow.angle": f"{Q2} + 0*t"}
    run = ts.inverse(back, still, times=[0.0])
    got = [run["shoulder.effort"][0], run["elbow.effort"][0]]
    np.testing.assert_allclose(got, efforts, atol=1e-9)
    start = {"shoulder.angle": Q1, "elbow.angle": Q2}
    moved = ts.simulate(back, 0.05, start, rtol=1e-8, output=3)
    assert moved.completed and moved.energy_audit.relative < 1e-7
    bare = ts.Trajectory(moved.time, {}, {})
    seen, before = (build_scene(bare, m, {}) for m in (made, arm()))
    parts = [sum(len(b["parts"]) for b in s["bodies"]) + len(s["lines"]) for s in (seen, before)]
    assert parts[0] > parts[1] or (kind == "redistribution" and seen != before)


def test_bearings_of_a_parallelogram_by_hand():
    """Forces on the crank, the arm's joints and both bars, at rest; then axes that point apart."""
    from torseur.robots import Parallelogram

    M, d, r = 3.0, 0.15, 0.08
    part = Parallelogram("part", "elbow", "shoulder", mass=M, distance=d, crank=r)
    q = {"shoulder.angle": [Q1], "elbow.angle": [Q2]}
    done = ts.robots.balance(arm(), [part], q, joints=("shoulder", "elbow"))
    found = done.reactions()
    T = -G * M * d * CC  # its weight is on the far side
    # arms along and across the lower link; sines from them to the upper link, about -y
    c = np.array([np.sin(-Q2), -np.cos(Q2)])
    f = T * c / r
    u = np.array([C, 0, S])
    up = np.array([0, 0, G])
    want = {
        "part_pivot": M * up - f.sum() * u,
        "elbow": M2 * up + f.sum() * u,
        "shoulder": (M1 + M2) * up + f.sum() * u,
    }
    for name, force in want.items():
        assert found[name][1] == pytest.approx(np.linalg.norm(force), rel=1e-12)
    assert [found[f"part_bar{i}"][1] for i in (1, 2)] == pytest.approx(abs(f), rel=1e-12)
    assert found["shoulder"][0] == pytest.approx((M1 + M2) * G) and found["part_pivot"][0] == 0


@pytest.mark.parametrize("kind", [k for k in device if k != "spring"])
def test_devices_that_turn_refuse_a_slide(kind):
    slide = ts.Model(
        bodies=(ts.Body("cart", 1.0, (0.1, 0, 0)),),
        joints=(ts.Joint("x", "world", "cart", ts.Prismatic("x")),),
    )
    _, fields, _ = CASES[kind]
    more = {"base": "x"} if kind == "parallelogram" else {}
    with pytest.raises(ts.TorseurError, match="device 'part': joint 'x' is prismatic"):
        device[kind]("part", "x", **fields | more).apply(slide, {})


SOUGHT = {  # fields besides those of CASES, and bounds of what is sought
    "counterweight": ({"distance": None}, {"part.distance": (0.0, 0.3)}),
    "redistribution": ({"shift": None, "envelope": (-0.2, 0.4)}, {"part.shift": (-0.1, 0.3)}),
    "spring": ({"radius": None}, {"part.radius": (0.02, 0.2)}),
    "cam": ({"amplitude": None}, {"part.amplitude": (0.0, 30.0)}),
    "pulley": ({"radius": None}, {"part.radius": (0.02, 0.15)}),
    "parallelogram": ({"distance": None}, {"part.distance": (0.0, 0.3)}),
}


@pytest.mark.parametrize("kind", device)
def test_the_value_of_a_search_is_that_of_the_model_that_comes_out(kind):
    """Along a motion inertia counts too: what the search sees is what `inverse` says after."""
    joint, fields, _ = CASES[kind]
    more, bounds = SOUGHT[kind]
    told = arm()
    tilted = replace(told.bodies[1], inertia=(0.02, 0.1, 0.1, 0.02, 0.0, 0.0))
    named = replace(tilted, mass="m")
    motion = {
        "shoulder.angle": ts.robots.Quintic(-0.4, 0.6, 0.5),
        "elbow.angle": ts.robots.Quintic(0, 1, 0.5),
    }
    values = []
    both = ((tilted, {}), (named, {"m": M2}))
    for body, parameters in both if kind == "redistribution" else both[:1]:
        model = replace(told, bodies=(told.bodies[0], body), parameters=parameters)
        part = device[kind]("part", joint, **fields | more)
        done = ts.robots.balance(model, [part], motion, "rms", bounds)
        values.append(done.value)
        run = ts.inverse(done.model, motion, times=np.linspace(0, 0.5, 401))
        effort = run[f"{joint}.effort"]
        weights = np.full(401, 1 / 400)
        weights[[0, -1]] /= 2
        assert done.value == pytest.approx(np.sqrt(weights @ effort**2), rel=1e-6)
        done.model.check()
    assert values[0] == pytest.approx(values[-1], rel=1e-9)


def test_joints_of_loops_and_couplings_are_not_balanced_and_those_beside_are():
    joint = ts.Joint("finger", "lower", "tip", ts.Prismatic("x"), at=(0.3, 0, 0))
    other = replace(joint, name="thumb", child="nail")
    bodies = (*arm().bodies, ts.Body("tip", 0.1), ts.Body("nail", 0.2))
    both = ts.Mimic("grip", "thumb.displacement", "finger.displacement", ratio=-1, offset=0.02)
    hand = replace(arm(), bodies=bodies, joints=(*arm().joints, joint, other), constraints=(both,))
    weight = ts.robots.Counterweight("w", "elbow", mass=3.0)
    over, bounds = {"elbow.angle": (-1, 0, 1)}, {"w.distance": (0, 0.5)}
    at = {"finger.displacement": 0.0}
    done = ts.robots.balance(hand, [weight], over, bounds=bounds, at=at)
    moment = M2 * C2 + 0.1 * 0.3 + 0.2 * (0.3 + 0.02)  # the fingers where they fit each other
    assert done.values["w.distance"] == pytest.approx(moment / 3.0, rel=1e-9)
    tied = replace(hand, constraints=(ts.Mimic("tie", "elbow.angle", "shoulder.angle"),))
    with pytest.raises(ts.TorseurError, match="'elbow' is part of 'tie'"):
        ts.robots.balance(tied, [weight], over, bounds=bounds)
    with pytest.raises(ts.TorseurError, match=r"pose 1 leaves 'grip' of 'model' open by 0\.01"):
        ts.robots.balance(hand, [weight], {"finger.displacement": (0, 0.01)}, bounds=bounds)
