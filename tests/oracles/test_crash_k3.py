"""K3, a front end of three masses and eight members, against its reference results.

They were made by velocity-Verlet and RK4 with fixed steps of 20, 10 and 5 us and by a second,
separately written version of the law; here every knot, turning point and rupture is an event.
"""

import numpy as np
import pytest

import torseur as ts
from torseur.crash import G0, Wall, against, car, collide, member_energies, metrics, wall_force

WAY = {  # ms: body x [mm], body v [m/s]
    10: (131.85, 12.682), 20: (251.17, 11.201), 30: (359.24, 10.319), 40: (454.31, 8.753),
    50: (532.33, 6.720), 60: (587.51, 4.229), 70: (615.47, 1.319), 80: (616.06, -1.005),
    100: (582.05, -1.786),
}  # fmt: skip
OTHERS = {
    "engine": {40: 449.48, 60: 412.71, 80: 426.94},
    "xm": {40: 428.16, 60: 512.36, 80: 506.77},
}
ENERGY = {"torque_box": 14.06, "front_frame": 60.90, "driveline": 2.57, "sheet_metal": 33.02,
          "firewall": 2.18, "radiator": 16.76, "engine_mount": 1.85,
          "transmission_mount": 1.28}  # fmt: skip


def at(run, signal, ms):
    return float(np.interp(1e-3 * ms, run.time, run[signal]))


@pytest.fixture(scope="module")
def k3():
    scene = against(car("k3"), Wall(), speed="48.3 km/h")
    return scene, ts.simulate(scene)


def test_every_number_of_the_reference(k3):
    scene, run = k3
    found, engine = metrics(run, "body"), metrics(run, "engine")
    assert found["raw_peak"] / G0 == pytest.approx(30.654, abs=1e-3)
    assert found["raw_peak"].time == pytest.approx(0.0706, abs=1e-4)
    assert found["peak"] / G0 == pytest.approx(30.77, abs=0.01)
    assert found["peak"].time == pytest.approx(0.0688, abs=1e-4)
    assert run["body.position.x"].max() == pytest.approx(0.61852, abs=1e-5)
    assert run.time[run["body.position.x"].argmax()] == pytest.approx(0.07498, abs=1e-4)
    assert run["body.velocity.x"][-1] == pytest.approx(-1.786, abs=1e-3)
    assert engine["raw_peak"] / G0 == pytest.approx(114.45, abs=0.02)
    assert engine["raw_peak"].time == pytest.approx(0.0425, abs=1e-4)
    assert found["olc"] / G0 == pytest.approx(22.98, abs=0.01)
    wall = wall_force(run, scene)["total"]
    assert wall.max() == pytest.approx(572.57e3, abs=50)
    assert run.time[wall.argmax()] == pytest.approx(0.0427, abs=1e-4)
    torn = {e.name for e in run.events if e.name.endswith("torn")}
    assert torn == {"engine_mount: torn", "transmission_mount: torn"}
    for ms, (x, v) in WAY.items():
        assert 1e3 * at(run, "body.position.x", ms) == pytest.approx(x, abs=6e-3)
        assert at(run, "body.velocity.x", ms) == pytest.approx(v, abs=6e-4)
    for body, places in OTHERS.items():
        for ms, x in places.items():
            assert 1e3 * at(run, f"{body}.position.x", ms) == pytest.approx(x, abs=6e-3)
    for name, energy in member_energies(run, scene).items():
        assert 1e-3 * energy[-1] == pytest.approx(ENERGY[name], abs=0.006)


def test_its_books_close_and_one_sided_members_never_pull(k3):
    _, run = k3
    assert run.energy_audit.relative < 1e-8
    for name in ENERGY:
        if not name.endswith("mount"):
            assert run[f"{name}.force"].min() > -1e-6, name
    for name in ("engine_mount", "transmission_mount"):  # torn for ever
        when = next(e.time for e in run.events if e.name == f"{name}: torn")
        assert not run[f"{name}.force"][run.time > when + 1e-9].any()


@pytest.mark.parametrize(
    "route",
    [
        "space",
        *(pytest.param(r, marks=pytest.mark.slow) for r in ("plane", "head on in the plane")),
        "head on",
    ],
)
def test_it_is_the_same_in_one_dimension_in_the_plane_in_space_and_head_on(k3, route):
    _, line = k3
    if route.startswith("head"):
        speeds = ("48.3 km/h",) * 2
        scene = collide(car("k3"), car("k3"), speeds, dimensions=1 if route == "head on" else 2)
    else:
        scene = against(car("k3"), Wall(), "48.3 km/h", {"plane": 2, "space": 3}[route])
    run = ts.simulate(scene)
    mark = "a_" * route.startswith("head")
    grid = np.linspace(0, 0.15, 1501)
    for body in ("body", "engine", "xm"):
        for signal, scale in (("position.x", 0.6), ("velocity.x", 13.4)):
            one, two = (
                r[f"{name}.{signal}"][np.searchsorted(r.time, grid - 1e-12)]
                for r, name in ((line, body), (run, mark + body))
            )
            assert abs(one - two).max() < 1e-6 * scale, (body, signal)
    assert run.energy_audit.relative < 1e-8


@pytest.mark.parametrize("name", ["light_car", "truck", "ladder_frame"])
def test_the_other_cars_run_and_close_their_books(name):
    run = ts.simulate(against(car(name), Wall(), "48 km/h", 2))
    assert run.completed and run.energy_audit.relative < 1e-8
    with pytest.raises(ts.TorseurError, match="no car is named 'k4'"):
        car("k4")


def test_a_light_car_meets_a_heavy_truck():
    """Momentum: the car changes its speed nine times as much as the truck."""
    run = ts.simulate(collide(car("light_car"), car("truck"), ("54 km/h", "36 km/h")))
    masses = {"a_car": 1000.0, "b_truck": 9000.0}
    p = sum(m * run[f"{b}.velocity.x"] for b, m in masses.items())
    np.testing.assert_allclose(p, p[0], rtol=1e-9)
    changes = [np.ptp(run[f"{b}.velocity.x"]) for b in ("a_car", "b_truck")]
    assert changes[0] / changes[1] == pytest.approx(9, rel=0.02)
    assert run.energy_audit.relative < 1e-8
