"""Vehicles in files, scenarios by name, the crash command, the page it writes."""

import json
from dataclasses import replace

import numpy as np
import pytest

import torseur as ts
from torseur.cli import main
from torseur.crash import load_vehicle, save_vehicle, scenario

CAR = """
vehicle: car
size: [4.4 m, 1.8 m, 1.5 m]
bodies:
  body: {mass: 1200 kg, inertia: [300, 1500, 1600]}
  engine: {mass: 300 kg}
members:
  - {name: rail_l, body: body, at: [0, 0.5 m, 0.4 m], law:
      {type: crush, unloading: 20 kN/mm, points: {crush: [0, 50 mm, 400 mm, 600 mm],
       force: [0, 120 kN, 140 kN, 400 kN]}}}
  - {name: rail_r, body: body, at: [0, -500 mm, 0.4 m], law:
      {type: crush, unloading: 20 kN/mm, points: {crush: [0, 50 mm, 400 mm, 600 mm],
       force: [0, 120 kN, 140 kN, 400 kN]}}}
  - {name: radiator, body: engine, at: [-0.3 m, 0, 0.7 m], width: 0.8 m, law:
      {type: crush, unloading: 30 kN/mm, points: {crush: [0, 100 mm, 200 mm],
       force: [0, 90 kN, 600 kN]}}}
  - {name: mount, body: body, to: engine, law: {type: spring, stiffness: 300 kN/m}}
points: {floor: {body: body, at: [-1 m, 0, 0]}}
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "car.yaml"
    path.write_text(CAR)
    return path


def test_a_vehicle_is_read_written_and_read_back(file, tmp_path):
    car = load_vehicle(file)
    assert (car.name, car.main, car.mass, car.width) == ("car", "body", 1500.0, 1.8)
    assert car.members[2].width == 0.8 and car.points["floor"] == ("body", (-1, 0, 0))
    want = ts.simulate(ts.crash.against(car, speed=15))
    for name in ("back.yaml", "back.json"):
        save_vehicle(car, tmp_path / name)
        got = ts.simulate(ts.crash.against(load_vehicle(tmp_path / name), speed=15))
        np.testing.assert_allclose(got["floor.velocity.x"], want["floor.velocity.x"], atol=1e-9)


def test_a_file_is_included_twice_under_two_prefixes_with_a_law_of_its_own(file, tmp_path):
    (tmp_path / "two.yaml").write_text(
        "vehicle: two\nmain: a_body\ninclude:\n"
        "  - {file: car.yaml, prefix: a_}\n"
        "  - {file: car.yaml, prefix: b_, laws: {mount: {type: spring, stiffness: 1 kN/mm}}}\n"
    )
    two = load_vehicle(tmp_path / "two.yaml")
    assert two.mass == 3000 and len(two.members) == 8
    laws = {m.name: m.law for m in two.members}
    assert (laws["a_mount"].stiffness, laws["b_mount"].stiffness) == (300e3, 1e6)
    assert two.points["b_floor"][0] == "b_body"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("mass: 1200 kg", "mass: 1200 m"), r"car.yaml, line 5: bodies.body.mass"),
        (("to: engine", "to: motor"), "no body is named 'motor'"),
        (("type: spring", "type: sprung"), r"no type is named 'sprung'|members\[3\]"),
        (("width: 0.8 m", "widht: 0.8 m"), "did you mean 'width'"),
        (("points: {floor", "poins: {floor"), "did you mean 'points'"),
        (("{body: body, at: [-1 m, 0, 0]}", "3"), r"points.floor.*expected name: .body"),
    ],
)
def test_problems_of_a_vehicle_file_are_told_with_their_place(file, change, sentence):
    file.write_text(CAR.replace(*change))
    with pytest.raises(ts.ModelError, match=sentence):
        load_vehicle(file)


@pytest.mark.parametrize("name", scenario)
def test_every_scenario_runs_in_one_line_and_closes_its_books(tmp_path, name, capsys):
    car = "sedan" if name.startswith(("side", "rear")) else "k3"
    path = tmp_path / "car.yaml"
    assert main(["new", car, str(path)]) == 0
    capsys.readouterr()
    assert main(["crash", str(path), "--scenario", name, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["completed"] and said["energy_closes_to"] < 1e-8
    assert said["metrics"]["delta_v"]["value"] > 3
    assert scenario[name].__doc__
    if car == "sedan":
        return
    k3 = ts.crash.car("k3")
    points = [replace(m, width=0.0) for m in k3.members]  # ends that are points in the middle
    assert len(scenario[name](replace(k3, members=points)).forces) >= 5


def test_speeds_of_the_regulations(file):
    car = load_vehicle(file)
    for name, speed in (("us_ncap", 56.3), ("un_r94", 56), ("un_r137", 50), ("pole", 29)):
        start = scenario[name](car).initial
        assert max(start.values()) == pytest.approx(speed / 3.6)
    mpdb = scenario["euro_ncap_mpdb"](car)
    assert mpdb.initial["trolley.speed_x"] == pytest.approx(50 / 3.6)
    assert next(b for b in mpdb.bodies if b.name == "trolley").mass == 1400


def test_the_command_prints_metrics_and_writes_a_page(file, tmp_path, capsys):
    out = tmp_path / "out"
    args = ["crash", str(file), "--speed", "56 km/h", "--wall", "offset:40%", "--friction", "0.2"]
    assert main([*args, "--point", "floor", "-o", str(out), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["body"] == "floor" and said["energy_closes_to"] < 1e-8
    scene = ts.crash.against(
        load_vehicle(file), ts.crash.Wall(overlap=0.4, friction=0.2), "56 km/h", 2
    )
    run = ts.simulate(scene)
    want = ts.crash.metrics(run, "floor")
    assert said["metrics"]["olc"]["value"] == pytest.approx(want["olc"], rel=1e-9)
    lost = run["energy.kinetic"][0] - run["energy.kinetic"][-1]
    assert sum(said["energies"].values()) == pytest.approx(lost, rel=1e-7)
    page = (out / "report.html").read_text()
    for word in ("Deceleration", "OLC", "Force against crush", "Energy by member", "z = 0.44 m"):
        assert word in page, word
    again = ts.simulate(ts.load(out / "model.yaml"))
    np.testing.assert_allclose(again["body.velocity.x"][-1], run["body.velocity.x"][-1], rtol=1e-9)


def test_the_command_with_two_vehicles_a_scenario_and_a_plain_model(file, tmp_path, capsys):
    two = ["--other", str(file), "--speed", "50km/h", "30km/h", "--overlap", "50%"]
    assert main(["crash", str(file), *two, "--dimensions", "2", "--t-end", "80 ms"]) == 0
    assert "a_body:" in capsys.readouterr().out
    assert main(["crash", str(file), "--scenario", "un_r94", "--t-end", "0.05"]) == 0
    assert main(["new", "crash", str(tmp_path / "plain.yaml")]) == 0
    assert main(["new", "robot", str(tmp_path / "robot.yaml")]) == 0
    capsys.readouterr()
    assert main(["crash", str(tmp_path / "plain.yaml")]) == 0
    said = capsys.readouterr().out
    assert "car:" in said and "0.7459 m at 74.7" in said  # the test itself gave 0.746 m
    for args, sentence in (
        ([str(tmp_path / "robot.yaml"), "--wall", "rigid", "--speed", "9"], "is no vehicle: joint"),
        ([str(file)], "no speed: give --speed"),
        ([str(file), "--speed", "10", "--wall", "ofset:40%"], "did you mean 'offset'"),
        ([str(file), "--speed", "10", "--wall", "rigid:40%"], "did you mean offset:40%"),
        ([str(file), "--scenario", "us_nkap"], "did you mean 'us_ncap'"),
        ([str(file), "--speed", "1", "--wall", "rigid", "--scenario", "pole"], "give one of"),
        ([str(file), "--speed", "10", "--point", "flor"], "did you mean 'floor'"),
        ([str(file), "--speed", "10", "--overlap", "40%"], "--wall offset:40%"),
        ([str(file), "--scenario", "un_r94", "--overlap", "40%"], "has its own overlap"),
    ):
        assert main(["crash", *args]) == 1
        assert sentence in capsys.readouterr().err, args


def test_a_model_of_slides_is_a_vehicle_too(tmp_path, capsys):
    path = tmp_path / "crash.yaml"
    assert main(["new", "crash", str(path)]) == 0
    capsys.readouterr()
    said = []
    for more in ((), ("--wall", "rigid"), ("--wall", "offset:40%")):
        speed = ("--speed", "57.09 km/h")
        assert main(["crash", str(path), *speed, *more, "--t-end", "120 ms", "--json"]) == 0
        said.append(json.loads(capsys.readouterr().out))
    plain, wall = (m["metrics"]["crush"]["value"] for m in said[:2])
    assert wall == pytest.approx(plain, rel=1e-5)
    assert "still drives" in said[2]["missing"]["crush"]  # two fifths of its front do not stop it
    model = ts.Model("m", bodies=[ts.Body("a", mass=9.0), ts.Body("b", mass=1.0)],
                     joints=[ts.Joint(n, "world", n, ts.Prismatic("x")) for n in "ab"],
                     forces=[ts.CoordinateForce("ab", {"a.displacement": 1, "b.displacement": -1},
                                                ts.Spring(1e3)),
                             ts.JointForce("front", "b", ts.Spring(1e3))])  # fmt: skip
    model.save(tmp_path / "two.yaml")
    two = load_vehicle(tmp_path / "two.yaml")
    assert [(m.name, m.body, m.to) for m in two.members] == [("ab", "a", "b"), ("front", "b", None)]


def test_new_writes_the_vehicles_of_the_package_and_they_run(tmp_path, capsys):
    from torseur.cli.commands.new import TEMPLATE_FOLDERS, list_templates

    VEHICLES = tuple(list_templates(TEMPLATE_FOLDERS[1]))
    assert VEHICLES == ts.crash.cars()
    for name in VEHICLES:
        path = tmp_path / f"{name}.yaml"
        assert main(["new", name, str(path)]) == 0
        assert "torseur crash" in capsys.readouterr().out
        assert load_vehicle(path).mass == ts.crash.car(name).mass
    assert main(["crash", str(tmp_path / "k3.yaml"), "--speed", "48.3 km/h", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["energies"]["front_frame"] == pytest.approx(60.90e3, rel=1e-3)
    assert said["wall_force"] == pytest.approx(572.6e3, rel=1e-3)
    assert sorted(said["torn"]) == ["engine_mount", "transmission_mount"]
    args = ["crash", str(tmp_path / "k3.yaml"), "--speed", "48.3 km/h", "-o", str(tmp_path / "out")]
    assert main(args) == 0
    assert "engine_mount ruptured at 53.72 ms" in capsys.readouterr().out
    assert "Torn: transmission_mount (50.26 ms)" in (tmp_path / "out/report.html").read_text()


def test_force_on_the_wall_by_rows_is_what_slows_the_car(file):
    scene = ts.crash.against(load_vehicle(file), speed=14)
    run = ts.simulate(scene)
    wall = ts.crash.wall_force(run, scene)
    assert sorted(wall) == ["total", "z = 0.44 m", "z = 0.69 m"]
    np.testing.assert_allclose(wall["total"], wall["z = 0.44 m"] + wall["z = 0.69 m"])
    push = 1200 * run["body.acceleration.x"] + 300 * run["engine.acceleration.x"]
    np.testing.assert_allclose(wall["total"], -push, atol=1e-6 * wall["total"].max())


@pytest.mark.slow
def test_the_score_of_iso_18571():
    t = np.arange(0, 0.1, 1e-4)
    curve = np.sin(np.pi * t / 0.1)
    try:
        import objective_rating_metrics  # noqa: F401
    except ImportError:
        with pytest.raises(ts.TorseurError, match=r'pip install "torseur\[crash\]"'):
            ts.crash.score(t, curve, curve)
        return
    assert ts.crash.score(t, curve, curve) == 1.0
    assert 0.5 < ts.crash.score(t, curve, 0.8 * curve) < 0.99


def test_members_that_tore_are_drawn_apart_from_their_moment_on():
    """The page has the time of each rupture beside the line that it draws in two from then on."""
    from torseur.show.scene import build_scene

    model = ts.crash.against(ts.crash.car("k3"), ts.crash.Wall(), speed="41 km/h", dimensions=1)
    run = ts.simulate(model)
    drawn = {line["name"]: line["torn"] for line in build_scene(run, model, {})["lines"]}
    assert len(drawn) == 8
    torn = {n: t for n, t in drawn.items() if t is not None}
    assert torn
    assert torn == ts.crash.ruptured_members(run)


SILL = """  - {name: sill, body: body, at: [-2 m, 0.9 m, 0.3 m], direction: y, width: 2 m, law:
      {type: crush, unloading: 20 kN/mm, points: {crush: [0, 50 mm, 600 mm],
       force: [0, 900 kN, 999 kN]}}}
points:"""


def test_faces_channels_and_iso_mme_from_the_command_and_from_a_file(tmp_path, capsys):
    """Which face is struck, metrics of any signal or channel, ISO-MME both ways."""
    car = tmp_path / "side.yaml"
    car.write_text(CAR.replace("points: {floor", SILL + " {floor"))
    args = ["crash", str(car), "--speed", "29 km/h", "--wall", "pole:-2.1m", "--struck", "left"]
    lines = ["peak:body.body_acceleration.y:cfc=none", "hic:floor.acceleration:window=36 ms"]
    more = [x for line in lines for x in ("--measure", line)]
    mme = tmp_path / "run.zip"
    capsys.readouterr()
    assert main([*args, "--dimensions", "1", *more, "--mme", str(mme), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    scene = ts.crash.against(load_vehicle(car), ts.crash.Pole(x=-2.1), "29 km/h", 1,
                             struck="left")  # fmt: skip
    run = ts.simulate(scene)
    want = ts.crash.metrics(run, "body", axis="y")
    assert said["metrics"]["crush"]["value"] == pytest.approx(want["crush"], rel=1e-9)
    assert want["crush"] == pytest.approx(run["body.displacement"].max(), rel=1e-3)
    raw = said["measures"][lines[0]]["value"]
    assert abs(raw) == pytest.approx(want["raw_peak"], rel=1e-3)
    (tmp_path / "case.yaml").write_text(
        "car: side.yaml\nspeed: 29 km/h\nwall: {type: pole, x: -2.1 m}\nstruck: left\n"
        f"measures: {{side: '{lines[0]}'}}\n"
    )
    assert main(["crash", str(tmp_path / "case.yaml"), "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["metrics"] == said["metrics"] and again["measures"]["side"]["value"] == raw
    assert main(["crash", str(mme), "--measure", "peak:2:cfc=none", "--channels", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["channels"][1]["label"] == "body_acceleration.y of body"
    assert told["measures"]["peak:2:cfc=none"]["value"] == pytest.approx(raw, rel=1e-12)
    copy = tmp_path / "copy.zip"
    assert main(["crash", str(mme), "--mme", str(copy), "--quiet"]) == 0
    first, second = ts.crash.read_test(mme), ts.crash.read_test(copy)
    assert len(first) == len(second) > 20
    np.testing.assert_array_equal(first[2].values, second[2].values)
    for bad, sentence in (
        (["--measure", "olc:999"], "no channel has number 999"),
        (["--measure", "ocl:2"], "did you mean 'olc'"),
        (["--measure", "olc:2:window=3"], "no option is named 'window'"),
        (["--measure", "hic:4"], "hic wants an acceleration"),
    ):
        assert main(["crash", str(mme), *bad]) == 1
        assert sentence in capsys.readouterr().err


def test_the_largest_force_on_the_wall_lies_between_rows():
    scene = ts.crash.against(ts.crash.car("k3"), speed="48.3 km/h")
    coarse, fine = (ts.crash.wall_peak(ts.simulate(scene, output=n), scene) for n in (1501, 6001))
    assert coarse == pytest.approx(572.57e3, rel=1e-5) and coarse.time == pytest.approx(
        42.73e-3, 1e-3
    )
    assert coarse == pytest.approx(fine, rel=1e-6)
