"""Static balancing: O-B3 (PUMA-R and its cam) and O-B4 (the MAC robot)."""

from dataclasses import replace

import numpy as np
import pytest
import sympy
from french_walk import untold

import torseur as ts
from torseur.forces import Expression
from torseur.robots import (
    CamSpring,
    Counterweight,
    Parallelogram,
    PulleySpring,
    Redistribution,
    Spring as BalancingSpring,
)
from torseur.robots.french import FRENCH

H, ALPHA = 0.20, np.radians(135)
ANCHOR = (H * np.cos(ALPHA), 0, H * np.sin(ALPHA))
NONLINEAR = Expression("16500*x + 225000*max(x - 0.12, 0)**2")
OVER = {"joint2.angle": np.radians(np.linspace(0, 90, 46))}


def carrier(moment):
    """The second axis of the MAC with a given first moment [kg m]."""
    bodies = (ts.Body("b1", 16.0, (0, 0, -0.35)), ts.Body("b2", moment, (1.0, 0, 0)))
    return ts.from_dh([(0, 0, 0, 0.7), ("pi/2", 0, 0, 0)], bodies, convention="modified")


def mac(*more):
    def points(name, *masses):
        m = sum(a for a, _ in masses)
        c = sum(a * x for a, x in masses) / m
        J = sum(a * (x - c) ** 2 for a, x in masses)
        return ts.Body(name, m, (c, 0, 0), (0, J, J, 0, 0, 0))

    bodies = (
        ts.Body("b1", 16.0, (0, 0, -0.35)),
        points("b2", (3.5, 0.3), (12, 0.7)),
        points("b3", (3, 0.35), (6.5, 0.7), *more),
    )
    return ts.from_dh(
        [(0, 0, 0, 0.7), ("pi/2", 0, 0, 0), (0, 0.6, 0, 0)], bodies, convention="modified"
    )


def spring(**more):
    return BalancingSpring(
        "spring", "joint2", **{"anchor": ANCHOR, "law": NONLINEAR, "rest": np.pi / 2} | more
    )


@pytest.mark.parametrize(
    "moment, criterion, radius, left",
    [
        (15.15, "peak", 0.106836, 21.5388),
        (27.75, "peak", 0.147771, 25.8344),
        (15.15, "rms", 0.102252, None),
    ],
)
def test_b4_radius_of_the_spring(moment, criterion, radius, left):
    done = ts.robots.balance(
        carrier(moment), [spring()], OVER, criterion, {"spring.radius": (0.05, 0.3)}
    )
    assert done.values["spring.radius"] == pytest.approx(radius, abs=6e-7)
    assert done.active == ()
    if left is not None:
        assert done.value == pytest.approx(left, abs=6e-5)
    run = ts.inverse(done.model, {"joint2.angle": "0.7 + 0*t"}, times=[0.0])
    R = done.values["spring.radius"]
    length = np.sqrt(H * H + R * R - 2 * R * H * np.cos(ALPHA - 0.7))
    x = length - np.sqrt(H * H + R * R + 2 * R * H * np.cos(ALPHA))
    pull = 16500 * x + 225000 * max(x - 0.12, 0) ** 2
    by_hand = moment * 9.81 * np.cos(0.7) - pull * H * R * np.sin(ALPHA - 0.7) / length
    assert run["joint2.effort"][0] == pytest.approx(by_hand, abs=1e-9)


def test_b4_active_bound_is_named():
    done = ts.robots.balance(
        carrier(27.75), [spring()], OVER, "peak", {"spring.radius": (0.08, 0.115)}
    )
    assert done.active == ("spring.radius",) and done.values["spring.radius"] == 0.115
    assert done.value == pytest.approx(125.2338, abs=1e-4)
    assert "spring.radius = 0.115, at its bound of 0.08 to 0.115" in str(done)


def test_b4_both_in_one_line_from_tip_to_base():
    devices = [Counterweight("weight", "joint3", mass=21.0), spring()]
    bounds = {"weight.distance": (0.188, 0.288), "spring.radius": (0.08, 0.3)}
    done = ts.robots.balance(mac(), devices, OVER, "peak", bounds)
    assert done.values["weight.distance"] == pytest.approx((3 * 0.35 + 6.5 * 0.7) / 21, abs=1e-10)
    assert done.values["spring.radius"] == pytest.approx(0.147771, abs=6e-7)
    assert done.added_mass == pytest.approx(21)
    R, angles = done.values["spring.radius"], OVER["joint2.angle"]
    length = np.sqrt(H * H + R * R - 2 * R * H * np.cos(ALPHA - angles))
    x = length.max() - length.min()
    row = done.springs()["spring"]
    assert row["stroke"] == pytest.approx(x) and row["greatest length"] == pytest.approx(length[0])
    assert row["force"] == pytest.approx(16500 * x + 225000 * max(x - 0.12, 0) ** 2)


def test_a_cam_finds_the_phase_of_its_weight():
    hanging = ts.Model(
        bodies=(ts.Body("rod", 10.0, (0, 0, -0.5)),),
        joints=(ts.Joint("pin", "world", "rod", ts.Revolute("y")),),
    )
    over = {"pin.angle": np.linspace(-2, 2, 21)}
    done = ts.robots.balance(
        hanging, [CamSpring("cam", "pin")], over, bounds={"cam.amplitude": (0, 100)}
    )
    assert done.values["cam.amplitude"] == pytest.approx(49.05) and done.value < 1e-9


def test_zero_free_length_spring_is_exact():
    device = BalancingSpring("spring", "joint2", anchor=(0, 0, 0.2), radius=0.107)
    arm = mac((21, -(3 * 0.35 + 6.5 * 0.7) / 21))
    done = ts.robots.balance(arm, [device], OVER, bounds={"spring.stiffness": (1e3, 1e5)})
    assert done.values["spring.stiffness"] == pytest.approx(12720.9112, abs=1e-4)
    tau = done.efforts({"joint2.angle": np.linspace(-3, 3, 101)})["joint2"]
    assert abs(tau).max() < 1e-9


def test_a_tabulated_spring_is_the_same_in_the_search_and_in_the_model():
    table = [(-0.1, -1650.0), (0.0, 0.0), (0.12, 1980.0), (0.2, 5000.0)]
    done = ts.robots.balance(
        carrier(20.0), [spring(law=table)], OVER, "rms", {"spring.radius": (0.05, 0.2)}
    )
    run = ts.inverse(done.model, {"joint2.angle": "pi/4*t"}, times=[0.0, 1.0, 2.0])
    want = np.interp([0, np.pi / 4, np.pi / 2], OVER["joint2.angle"], done.after[:, 0])
    np.testing.assert_allclose(
        run["joint2.effort.gravity"] + run["joint2.effort.spring"],
        want,
        atol=2e-3 * abs(done.before).max(),
    )


def test_conditions_in_letters():
    second = ts.Body("l2", "m2", ("x2", 0, 0))
    third, load = ts.Body("l3", "m", ("x3", 0, 0)), ts.Body("load", "M")
    axis = ts.Revolute((0, -1, 0))
    arm = ts.Model(
        gravity=(0, 0, "-g"),
        bodies=(second, third, load),
        joints=(
            ts.Joint("j2", "world", "l2", axis),
            ts.Joint("j3", "l2", "l3", axis, at=("L", 0, 0)),
            ts.Joint("grip", "l3", "load", ts.Weld(), at=("l3", 0, 0)),
        ),
    )
    weight = Counterweight("weight", "j3", mass="Mcp", distance="d")
    pull = BalancingSpring("pull", "j2", anchor=(0, 0, "H"), radius="R", stiffness="k")
    found = ts.robots.balance_conditions(arm, [weight, pull], solve_for=("d", "k"))
    d, k = (found.solution[sympy.Symbol(n)] for n in "dk")
    m, M, Mcp, x3, l3, m2, x2, L, g, Hs, R = sympy.symbols("m M Mcp x3 l3 m2 x2 L g H R")
    assert sympy.simplify(d - (m * x3 + M * l3) / Mcp) == 0
    assert sympy.simplify(k - g * (m2 * x2 + (m + M + Mcp) * L) / (Hs * R)) == 0
    assert not found.left and "d = (M*l3 + m*x3)/Mcp" in str(found)
    alone = ts.robots.balance_conditions(arm, [weight], solve_for="d")
    assert list(alone.left) == ["j2"]
    numbers = {"m": 3, "x3": 0.35, "l3": 0.7, "Mcp": 21}
    low, high = found.balanced({"d": (0.188, 0.288)}, numbers, "M")
    np.testing.assert_allclose([low, high], [(21 * b - 3 * 0.35) / 0.7 for b in (0.188, 0.288)])
    assert found.balanced({"d": (0.01, 0.02)}, numbers, "M") is None  # a load of less than nothing
    assert found.balanced({"d": (0.0, 0.288)}, numbers, "M")[0] == 0.0
    with pytest.raises(ts.TorseurError, match="give a number for 'H' in values="):
        found.balanced({"k": (0, 1e4)}, numbers, "M")
    assert "k = W/(H*R), W = g*(L*M + L*Mcp + L*m + m2*x2)" in found.by_weight()


LINKS = {
    "U": ((33, 0.219, (0.62, 0.91, 1.46)), (36.2, 0.40, (0.20, 3.98, 4.18))),
    "CW": ((173, -72.2 * 0.6 / 173, (1.14, 9.9, 10.2)), (72.2, 0, (0.5, 15.6, 15.8))),
    "RD": ((33, 0.10, (0.8, 5, 5)), (36.2, 0.15, (0.2, 6.5, 6.5))),
}
LAW = {
    f"joint{i + 1}.angle": ts.robots.Trapezoidal(*np.radians(e), speed=2.0, acceleration=6.0)
    for i, e in enumerate(((0, 90), (-20, 60), (-60, 40)))
}
GRID = {"joint2.angle": np.linspace(-1, 1.2, 5), "joint3.angle": np.linspace(-1, 1, 5)}


def puma(two, three):
    def body(name, m, x, I):
        return ts.Body(name, m, (x, 0, 0), (*I, 0, 0, 0))

    bodies = (
        ts.Body("b1", 1, (0, 0, 0), (3, 3, 4.36, 0, 0, 0)),
        body("b2", *two),
        body("b3", *three),
    )
    rows = [(0, 0, 0, 0), ("pi/2", 0, 0, 0), (0, 0.6, 0, 0)]
    return ts.from_dh(rows, bodies, convention="modified")


def balanced_puma(case):
    cams = (
        CamSpring("c2", "joint2"),
        CamSpring("c3", "joint3", angles={"joint2.angle": 1, "joint3.angle": 1}),
    )
    bounds = {"c2.amplitude": (0, 900), "c3.amplitude": (0, 900)}
    if case == "SP":
        done = ts.robots.balance(puma(*LINKS["U"]), cams, GRID, bounds=bounds, together=True)
        assert done.values["c2.amplitude"] == pytest.approx(283.970070)
        return done.model
    if case == "CB":
        arm = puma(LINKS["U"][0], LINKS["CW"][1])
        return ts.robots.balance(arm, cams[:1], GRID, bounds={"c2.amplitude": (0, 900)}).model
    return puma(*LINKS[case])


@pytest.mark.parametrize(
    "case, rows",
    [
        (
            "U",
            [
                (135.497349, 590.312296, 171.270704),
                (-39.119319, 474.296656, 124.380953),
                (-126.825536, -179.919127, -132.141402),
            ],
        ),
        (
            "CW",
            [
                (285.711667, 470.290459, 189.348549),
                (-93.060270, 50.321084, -3.790949),
                (-178.569568, -431.932398, -185.553379),
            ],
        ),
        (
            "RD",
            [
                (136.758532, 468.802257, 107.067814),
                (-39.545448, 323.191871, 45.757884),
                (-104.961191, -98.391790, -91.508368),
            ],
        ),
        (
            "SP",
            [
                (135.497349, 295.984780, 144.508681),
                (-39.119319, 62.761048, -17.386670),
                (-126.825536, -356.840038, -154.522778),
            ],
        ),
        (
            "CB",
            [
                (187.114349, 362.765326, 189.348549),
                (-50.969180, 29.275539, -3.790949),
                (-127.170742, -337.849653, -185.553379),
            ],
        ),
    ],
)
def test_b3_five_cases(case, rows):
    run = ts.inverse(balanced_puma(case), LAW, times=[0.05, 0.5, 0.9])
    got = np.stack([run[f"joint{j}.effort"] for j in (1, 2, 3)], axis=1)
    np.testing.assert_allclose(got, rows, atol=1e-6)
    if case == "U":  # its law's own peaks, both sides of every breakpoint
        run = ts.inverse(balanced_puma(case), LAW, points=4001)
        peaks = [abs(run[f"joint{j}.effort"]).max() for j in (1, 2, 3)]
        np.testing.assert_allclose(peaks, (401.544866, 748.868007, 200.012771), rtol=1e-6)


def test_b3_cam():
    made = ts.robots.design_cam(283.970070, np.radians([0, 30, 60]), stiffness=2e4, deflection=0.15)
    np.testing.assert_allclose(
        made.deflection, (0.2256036502, 0.1915685347, 0.1621865517), atol=1e-9
    )
    np.testing.assert_allclose(made.arm, (0.0629356107, 0.0641872881, 0.0437721357), atol=1e-9)


def test_the_cam_of_a_design_is_that_of_its_amplitude():
    over = {"joint2.angle": np.radians(np.linspace(0, 60, 7))}
    u = puma(*LINKS["U"])
    done = ts.robots.balance(
        u,
        [CamSpring("c2", "joint2")],
        over,
        bounds={"c2.amplitude": (0, 900)},
        at={"joint3.angle": np.pi / 2},
    )
    made = done.cam(count=3)
    W = done.values["c2.amplitude"]
    turned = made.angle - made.angle[0]
    np.testing.assert_allclose(turned, np.radians([0, 30, 60]), atol=1e-12)
    np.testing.assert_allclose(made.moment, W * np.cos(made.angle), rtol=1e-12)
    np.testing.assert_allclose(2e4 * made.deflection * made.arm, abs(made.moment), rtol=1e-12)
    with pytest.raises(ts.TorseurError, match="none of the devices is a cam"):
        ts.robots.balance(u, [Counterweight("w", "joint3", 36, 0.4)], over).cam()


def test_stability_of_joints_together_is_the_least_curvature_of_the_energy():
    """Two joints with a spring too weak: the Hessian of gravity's and the spring's energy."""
    u = puma(*LINKS["U"])
    over = np.array([[0.0, 0.4, -0.3], [0.0, 1.0, 0.5]])
    done = ts.robots.balance(
        u, [Counterweight("w", "joint3", 20.0, 0.1)], over, joints=("joint2", "joint3")
    )
    dyn = ts.compile(done.model)
    H = []
    for q in over:
        g = lambda x: dyn.energy(x, 0 * x)[1]  # noqa: E731
        e = 1e-4 * np.eye(3)
        H.append(
            [
                [
                    (
                        g(q + e[i] + e[j])
                        - g(q + e[i] - e[j])
                        - g(q - e[i] + e[j])
                        + g(q - e[i] - e[j])
                    )
                    / 4e-8
                    for j in (1, 2)
                ]
                for i in (1, 2)
            ]
        )
    assert done.least_stiffness() == pytest.approx(np.linalg.eigvalsh(H).min(), rel=1e-5)


def test_cam_profile_is_tangent_to_the_roller_and_undercut_is_refused(tmp_path):
    q = np.radians(np.linspace(-20, 89, 801))
    made = ts.robots.design_cam(283.97007, q, stiffness=2e4, deflection=0.15, base_radius=0.12)
    d = np.gradient(made.pitch, q, axis=0)
    dd = np.gradient(d, q, axis=0)
    radius = abs((d**2).sum(axis=1) ** 1.5 / (d[:, 0] * dd[:, 1] - d[:, 1] * dd[:, 0]))
    np.testing.assert_allclose(made.curvature[9:-9], radius[9:-9], rtol=2e-3)
    np.testing.assert_allclose(np.linalg.norm(made.profile - made.pitch, axis=1), 0.01)
    along = np.gradient(made.profile, q, axis=0)
    across = (along * (made.profile - made.pitch)).sum(axis=1)
    assert abs(across[5:-5]).max() < 1e-5
    work = np.trapezoid(made.moment, q)
    stored = 2e4 * (made.deflection[0] ** 2 - made.deflection[-1] ** 2) / 2
    assert work == pytest.approx(stored, rel=1e-5)
    made.save(tmp_path / "cam.csv")
    back = np.genfromtxt(tmp_path / "cam.csv", delimiter=",", skip_header=1)
    np.testing.assert_allclose(back[:, 7:9], made.profile, atol=1e-12)
    tight = 1.05 * made.curvature[made.curvature > 0].min()
    with pytest.raises(ts.TorseurError, match=r"undercut at .* rad: the pitch curve bends with"):
        ts.robots.design_cam(
            283.97007, q, stiffness=2e4, deflection=0.15, base_radius=0.12, roller_radius=tight
        )
    with pytest.raises(ts.TorseurError, match=r"press it by more than"):
        ts.robots.design_cam(283.97, np.linspace(0, 3, 50), stiffness=2e4, deflection=0.1, at=0.0)


def test_pulley_spring_without_size_is_a_zero_free_length_spring():
    done = ts.robots.balance(
        carrier(27.75),
        [PulleySpring("cable", "joint2", 0.2, 0.107)],
        OVER,
        bounds={"cable.stiffness": (1e3, 1e5)},
    )
    assert done.values["cable.stiffness"] == pytest.approx(12720.9112, abs=1e-4)
    sized = PulleySpring("cable", "joint2", 0.2, 0.107, 1e4, pulley=0.02, preload=0.01)
    model = sized.apply(carrier(27.75), {})
    assert model.check().coordinates[1] == "joint2.angle"  # its energy and slope agree


def test_parallelogram_balances_the_outer_link_from_the_base():
    done = ts.robots.balance(
        mac(),
        [Parallelogram("bars", "joint3", "joint2", mass=21.0)],
        GRID,
        bounds={"bars.distance": (0, 0.5)},
    )
    assert done.values["bars.distance"] == pytest.approx(5.6 / 21, abs=1e-10)
    assert abs(done.after).max() < 1e-9
    J = 3 * 0.35**2 + 6.5 * 0.7**2
    assert done.apparent_inertia()["joint3"] == pytest.approx((J, J + 21 * (5.6 / 21) ** 2))


def test_redistributed_mass_keeps_an_inertia_that_a_body_can_have():
    device = Redistribution("third", "joint3", envelope=(-0.3, 0.7))
    done = ts.robots.balance(mac(), [device], OVER, bounds={"third.shift": (-0.1, 0.5)})
    assert done.values["third.shift"] == pytest.approx(0, abs=1e-9)
    J = done.model.bodies[-1].inertia[1]
    assert J == pytest.approx(9.5 * 0.3 * 0.7)  # all mass at the ends of the envelope
    with pytest.raises(ts.TorseurError, match=r"outside the envelope -0.3 to 0.7 m by 0.1 m"):
        device.apply(mac(), {"third.shift": 0.8})


def test_report_and_pareto(tmp_path):
    weight = Counterweight("weight", "joint3", distance=0.25)
    bounds = {"weight.mass": (5, 30)}
    done = ts.robots.balance(mac(), [weight], GRID, bounds=bounds)
    done.report(tmp_path / "balance.html")
    text = (tmp_path / "balance.html").read_text()
    assert "joint3" in text and "<svg" in text and "http-equiv" not in text
    assert not untold(text, FRENCH) and "<th>peak before</th>" in text
    front = ts.robots.pareto(mac(), [weight], GRID, bounds=bounds, mass="weight.mass", points=2)
    assert (np.diff(front[:, 0]) > 0).all() and front.shape == (2, 2)


@pytest.mark.parametrize(
    "devices, options, told",
    [
        ([Counterweight("w", "joint9", 1, 1)], {}, "no joint is named 'joint9'"),
        ([Counterweight("w", "joint3", 21)], {}, "distance has neither a value nor bounds"),
        ([Counterweight("w", "joint3", 21)], {"bounds": {"w.distance": (1, 0)}}, "no interval"),
        ([Counterweight("w", "joint3", 21)], {"bounds": {"w.length": (0, 1)}}, "no variable"),
        ([Counterweight("w", "joint3", 1, 1)], {"criterion": "best"}, "expected 'rms', 'peak'"),
        (["spring"], {}, "expected devices such as"),
        (
            [Counterweight("w", "joint3", 1, 1)],
            {"over": {"joint7.angle": [0, 1]}},
            "no coordinate is named 'joint7.angle'",
        ),
    ],
)
def test_bad_input_is_told(devices, options, told):
    with pytest.raises(ts.TorseurError, match=told):
        ts.robots.balance(mac(), devices, **{"over": OVER} | options)


def lever(load=0.0):
    bodies = (ts.Body("arm", 10.0, (0.4, 0, 0)), ts.Body("load", load))
    joints = (
        ts.Joint("shoulder", "world", "arm", ts.Revolute((0, -1, 0))),
        ts.Joint("grip", "arm", "load", ts.Weld(), at=(0.8, 0, 0)),
    )
    return ts.Model(bodies=bodies, joints=joints, frames=(ts.Frame("tool", "arm", at=(0.8, 0, 0)),))


WEIGHT, DISTANCE = Counterweight("w", "shoulder", mass=16.0), {"w.distance": (0.05, 1.0)}


def test_energy_of_a_cycle_against_a_search_of_its_own():
    cycle = {"shoulder.angle": ts.robots.Quintic(-0.3, 1.2, 0.8)}
    done = ts.robots.balance(lever(), [WEIGHT], cycle, "energy", DISTANCE)

    def work(d):
        made = WEIGHT.apply(lever(), {"w.distance": float(d)})
        run = ts.inverse(made, cycle, points=401)
        p = abs(run["shoulder.power"])
        return float(np.sum(np.diff(run.time) * (p[1:] + p[:-1]) / 2))

    assert done.value == pytest.approx(work(done.values["w.distance"]), rel=1e-4)
    for d in done.values["w.distance"] * np.array([0.9, 0.97, 1.03, 1.1]):
        assert work(d) > done.value * (1 - 1e-6)
    with pytest.raises(ts.TorseurError, match="criterion='energy' is of motions"):
        ts.robots.balance(lever(), [WEIGHT], {"shoulder.angle": [0, 1]}, "energy", DISTANCE)


def test_several_payloads_balance_the_middle_one():
    """At rest the least RMS over payloads is exact for their mean: 16 d = 10*0.4 + mean*0.8."""
    over = {"shoulder.angle": np.linspace(0, 1.5, 31)}
    loads = {"tool": (0.0, 2.0, 7.0)}
    done = ts.robots.balance(lever(), [WEIGHT], over, "rms", DISTANCE, payloads=loads)
    assert done.values["w.distance"] == pytest.approx((4 + 3 * 0.8) / 16, rel=1e-9)
    assert "with 7 kg at tool: peak shoulder" in str(done)
    peak = ts.robots.balance(lever(), [WEIGHT], over, "peak", DISTANCE, payloads=loads)
    assert peak.values["w.distance"] == pytest.approx((4 + 3.5 * 0.8) / 16, rel=1e-6)
    alone = ts.robots.balance(lever(7.0), [WEIGHT], over, "rms", {"w.distance": (0.05, 0.3)})
    assert alone.active == ("w.distance",) and len(done.model.bodies) == 3
    with pytest.raises(ts.TorseurError, match="no body or frame is named 'hook'"):
        ts.robots.balance(lever(), [WEIGHT], over, bounds=DISTANCE, payloads={"hook": 1.0})


def test_several_motions_are_one_sum(tmp_path):
    a, b = ({"shoulder.angle": ts.robots.Quintic(0, x, 0.7)} for x in (1.3, -0.9))
    both = ts.robots.balance(lever(), [WEIGHT], [a, b], "rms", DISTANCE)
    d = both.values["w.distance"]
    made = WEIGHT.apply(lever(), {"w.distance": d})
    runs = [ts.inverse(made, x)["shoulder.effort"] for x in (a, b)]
    rms = np.sqrt(np.mean([np.mean(x**2) for x in runs]))
    assert both.value == pytest.approx(rms, rel=2e-3)
    before, after = both.reactions()["shoulder"]
    assert before == pytest.approx(max(_bearing(lever(), x) for x in (a, b)), rel=1e-4)
    assert after > before
    both.report(tmp_path / "b.html", np.array([[1.0, 9.0], [2.0, 5.0]]))
    text = (tmp_path / "b.html").read_text()
    assert "Largest force in the bearings" in text and "Effort against added mass" in text


def _bearing(model, cycle):
    run = ts.inverse(model, cycle)
    return np.linalg.norm([run[f"shoulder.reaction.force.{c}"] for c in "xyz"], axis=0).max()


@pytest.mark.parametrize("letter", ["E", "I", "S", "beta"])
def test_any_letter_is_a_letter(letter):
    """SymPy's own names (Euler's number, the imaginary unit, ...) are names like others."""
    link = ts.Body("link", "m", ("x", 0, 0))
    pin = ts.Joint("pin", "world", "link", ts.Revolute((0, -1, 0)))
    arm = ts.Model(gravity=(0, 0, "-g"), bodies=(link,), joints=(pin,))
    pull = ts.robots.Spring("s", "pin", anchor=("world", (0, 0, "H")), radius="R", stiffness=letter)
    cam = ts.robots.CamSpring("c", "pin", amplitude=letter)
    found = ts.robots.balance_conditions(arm, [pull], letter)
    assert str(found) == f"{letter} = g*m*x/(H*R)" and not found.left
    assert str(ts.robots.balance_conditions(arm, [cam], letter)) == f"{letter} = g*m*x"


def test_conditions_of_a_parallelogram():
    """Its crank follows by a coupling: M d = m2 x2, and the base carries m2 at the elbow."""
    turn = ts.Revolute((0, -1, 0))
    bodies = (ts.Body("u", "m1", ("x1", 0, 0)), ts.Body("l", "m2", ("x2", 0, 0)))
    joints = (ts.Joint("s", "world", "u", turn), ts.Joint("e", "u", "l", turn, at=("L", 0, 0)))
    arm = ts.Model(gravity=(0, 0, "-g"), bodies=bodies, joints=joints)
    bars = ts.robots.Parallelogram("p", "e", "s", mass="M", distance="d")
    weight = ts.robots.Counterweight("w", "s", mass="A", distance="a")
    said = ts.robots.balance_conditions(arm, [bars, weight], ["d", "a"])
    assert str(said) == "a = (L*m2 + m1*x1)/A\nd = m2*x2/M" and not said.left
    tied = replace(arm, constraints=(ts.Mimic("tie", "e.angle", "s.angle"),))
    with pytest.raises(
        ts.TorseurError, match="'tie' of 'model' couples coordinates; only open chains"
    ):
        ts.robots.balance_conditions(tied, [weight], "a")
    moved = replace(joints[0], child_at=("h", 0, 0))
    with pytest.raises(ts.TorseurError, match="axis of joint 's' depends on parameters without"):
        ts.robots.balance_conditions(replace(arm, joints=(moved, joints[1])), [weight], "a")
