"""What users hand to functions by mistake is answered by a sentence of ours, never by another
library's words: no value, NaN, texts, wrong units, lists that are none, names that are none."""

import inspect
import warnings
from pathlib import Path

import numpy as np
import pytest

import torseur as ts

C, R = ts.crash, ts.robots
SLOPPY = (None, float("nan"), float("inf"), -1.0, 0, "abc", "90 deg", "3 kg", "12", [], {},
          [1, "x"], [[1, 2], [3]], True, "", "é∂")  # fmt: skip
TIME = np.arange(0, 0.15, 1e-3)
PULSE = -300 * np.sin(np.pi * TIME / 0.1) * (TIME < 0.1)
WAY = np.linspace(0, 0.6, 50)
LAW = ts.Crush(((0, 0), (1.0, 4e5)), 5e8)
CAR = C.Vehicle(
    "car",
    bodies=(ts.Body("body", mass=1400.0, inertia=(400, 1800, 2000, 0, 0, 0)),),
    members=(C.Member("front", "body", at=(1.5, 0, 0.4), law=LAW, width=1.5),),
    points={"floor": ("body", (0, 0, 0))},
)
BODIES = [ts.Body(n, 2, (0.2, 0, 0), (0.02, 0.1, 0.1, 0, 0, 0)) for n in "abc"]
ROWS = [{"r": 0.5}, {"alpha": "pi/2"}, {"d": 0.5}]
for _row in ROWS:
    _row |= {"max_effort": 100.0, "max_speed": 2.0}
TOOL = ts.Frame("tool", "c", at=(0.4, 0, 0))
ARM = ts.from_dh(ROWS, BODIES, convention="modified", frames=(TOOL,))
DRIVEN = ts.actuated(ARM)
FOUR = ts.from_dh(
    [*ROWS, {"d": 0.4}],
    [*BODIES, ts.Body("d", 1.0, (0.1, 0, 0))],
    convention="modified",
    frames=(ts.Frame("tool", "d", at=(0.2, 0, 0)),),
)
WEIGHT = R.Counterweight("w", "joint3", mass=2.0)
MOTOR = R.Motor("m", 50.0, 100.0, 300.0, 1e-4)
MOTORS = ([MOTOR], [R.Gearbox("g", 10.0)])
POINT, REST = (0.5, 0.2, 0.6), {"joint1.angle": 0.2}
QUINTIC = R.Quintic(0.0, 1.0, 1.0)
WISHBONE = ts.double_wishbone(
    upper_front=(-0.1, 0.47, 0.105), upper_rear=(-0.25, 0.51, 0.11),
    upper_ball=(-0.04, 0.695, 0.105), lower_front=(0.2, 0.42, -0.27),
    lower_rear=(-0.2, 0.47, -0.265), lower_ball_at=(0, 0.77, -0.32),
    tie_inner=(-0.2, 0.42, -0.12), tie_outer=(-0.15, 0.77, -0.12),
    wheel_center=(0, 0.7979, -0.1199),
)  # fmt: skip
CALLS = (  # a valid call of each: positional arguments, named ones
    (C.hic, (TIME, PULSE), {"window": 0.015}),
    (C.olc, (TIME, PULSE), {"speed": 14.0, "free": 0.065, "restraint": 0.235}),
    (C.vpi, (TIME, PULSE), {"slack": 0.03}),
    (C.clip_3ms, (TIME, PULSE), {"duration": 0.003}),
    (C.crush, (TIME, PULSE), {"speed": 14.0}),
    (C.asi, (TIME, PULSE, PULSE), {"window": 0.05}),
    (C.thiv, (TIME, 20 * PULSE), {"forward": 0.6}),
    (C.kw400, (WAY, 1e6 * WAY), {"low": 0.025, "high": 0.4}),
    (C.cfc, (TIME, PULSE, 60), {"standard": "SAE J211"}),
    (C.pulse_metrics, (TIME, PULSE, 9.0), {}),
    (C.against, (CAR, C.Wall(), 14.0), {"dimensions": 2, "struck": "front", "crab": 0.0}),
    (C.collide, (CAR, CAR, (10.0, 10.0)), {"overlap": 1.0, "angle": 0.1, "dimensions": 2,
                                            "friction": 0.1, "cell_mass": 1.0}),
    (C.Wall, (), {"angle": 0.1, "overlap": 0.4, "side": "left", "friction": 0.1}),
    (C.Pole, (), {"diameter": 0.25, "y": 0.1}),
    (C.DeformableFace, (), {"thickness": 0.4, "width": 1.0, "mass": 10.0}),
    (C.MovingBarrier, (), {"mass": 1000.0, "inertia": 2000.0}),
    (lambda name, points: C.Vehicle(name, CAR.bodies, CAR.members, points), ("v", {}), {}),
    (R.Trapezoidal, (0.0, 1.0), {"speed": 1.0, "acceleration": 2.0}),
    (R.Quintic, (0.0, 1.0, 1.0), {}),
    (R.Spline, ([0, 0.5, 1.0], [0, 0.3, 1.0]), {}),
    (R.Line, ((0, 0, 0), (0.3, 0.4, 0)), {}),
    (R.Arc, ((0, 0, 0), (1.0, 1, 0), (2.0, 0, 0)), {}),
    (R.Polyline, ([(0, 0, 0), (1, 0, 0), (1, 1, 0)],), {"blend": 0.1}),
    (R.synchronized, ([QUINTIC],), {}),
    (R.time_optimal, (ARM, [[0, 0, 0.0], [0.5, 0.4, 0.3]]), {"points": 11}),
    (R.compare_profiles, (ARM, "joint2.angle", [QUINTIC]), {"frequencies": (8.0,)}),
    (R.residual_vibration, (QUINTIC, 8.0), {}),
    (R.workspace, (ARM, "tool"), {"samples": 12, "stiffness": {"joint1": 1e4}, "load": (0, 0, 1)}),
    (R.balance, (ARM, [WEIGHT], {"joint3.angle": [0.0, 0.5]}), {"criterion": "rms", "at": REST,
        "joints": ["joint3"], "bounds": {"w.distance": (0.0, 0.4)}, "payloads": {"tool": (0, 1)}}),
    (R.pareto, (ARM, [WEIGHT], {"joint3.angle": [0.5]}), {"bounds": {"w.mass": (1.0, 2.0),
        "w.distance": (0.0, 0.4)}, "mass": "w.mass", "points": 1}),
    (R.size, (ARM, {"joint1.angle": QUINTIC}, MOTORS), {"joints": ["joint1"], "pause": 0.1,
        "largest_inertia_ratio": 1e6, "life": 1.0, "points": 8, "order": "mass"}),
    (R.balance_conditions, (ARM, [WEIGHT]), {"solve_for": ["w_distance"]}),
    (R.design, (ARM,), {}),
    (R.designed, (ARM,), {"devices": [WEIGHT], "motions": {"go": {"joint1.angle": QUINTIC}}}),
    (R.load_catalog, (str(Path(R.__file__).parent / "drives" / "example_catalog.yaml"),), {}),
    (ts.robots.GainSchedule, (DRIVEN, {"joint2.angle": [0.0, 0.5]}, REST), {}),
    (R.Transition, (0.0, 1.0), {"speed": 1.0, "acceleration": 2.0, "jerk": 9.0}),
    (ts.robots.feedforward, (ARM, {"joint1.angle": QUINTIC}), {}),
    (R.Motor, ("m", 2.0, 6.0, 300.0, 1e-4), {"viscous": 0.0, "curve": ((0, 6.0), (300.0, 1.0))}),
    (lambda *a, **k: R.Catalog([MOTOR], [R.Gearbox(*a, **k)]), ("g", 50.0), {"efficiency": 0.8,
        "stiffness": (1e3, 2e3, 3e3), "knees": (1.0, 2.0), "pinion": 0.1}),
    (R.SCurve, (0.0, 1.0), {"speed": 1.0, "acceleration": 2.0, "jerk": 9.0, "duration": 9.0}),
    (R.Counterweight("w", "joint3", mass=2.0, distance=0.1).apply, (ARM, {}), {}),
    (R.design_cam, (283.0, np.radians(np.linspace(-20, 89, 20))),
     {"stiffness": 2e4, "deflection": 0.15}),
    (ts.robots.lqr, (DRIVEN, REST), {}),
    (ts.robots.step_metrics, (TIME, 1 - np.exp(-50 * TIME)), {"target": 1.0}),
    (ts.robots.ComputedTorque, (DRIVEN, {"joint1.angle": QUINTIC}), {"kp": 200.0, "kd": 30.0}),
    (ts.robots.PDGravity, (DRIVEN, REST), {"kp": 200.0, "kd": 30.0}),
    (ts.inverse_kinematics, (ARM, "tool", POINT), {"near": REST}),
    (ts.solve.inverse_kinematics_path, (ARM, "tool", [POINT, POINT]), {"times": [0, 1.0]}),
    (ts.inverse_kinematics, (ARM, "tool", POINT), {"hold": {}, "starts": 2, "task": "position",
                                                    "method": "numerical"}),
    (ts.inverse_kinematics, (FOUR, "tool", POINT), {"prefer": REST, "starts": 1}),
    (ts.solve.prioritized_rates, (ARM, [0.3, 0.4, 0.5], [("tool", (0, 0, 0.1))]), {"period": 0.1}),
    (ts.solve.prioritized_rates, (ARM, [0.3, 0.4, 0.5], [{"joint1.angle": 0.1}]), {}),
    (ts.solve.prioritized_kinematics, (ARM, [{"joint1.angle": 0.1}, ("tool", POINT)]),
     {"near": REST}),
    (ts.solve.inverse_rates, (ARM, "tool", [0.3, 0.4, 0.5], (0, 0, 0.1), (0, 0, 0)),
     {"v": [0, 0, 0.0]}),
    (ts.inverse, (ARM, {"joint1.angle": QUINTIC}), {"points": 5}),
    (ts.simulate, (ARM, 0.0, REST), {"parameters": {}, "output": 2, "rtol": 1e-6}),
    (ts.equilibrium, (ARM,), {"near": REST}),
    (ts.linearize, (DRIVEN,), {"at": REST}),
    (ts.modes, (DRIVEN,), {"at": REST}),
    (ts.studies.Grid, (1.0, 2.0, 3), {}),
    (ts.studies.Choice, ({"a": 1.0, "b": 2.0},), {}),
    (ts.studies.SignalAt, ("joint1.angle",), {"at": [0, 0.1]}),
    (ts.vehicles.suspension_report, (WISHBONE, [0.0]), {"wheel_radius": 0.3, "rack": 0.001,
                                     "spring": ("lower_arm", (0, 0.6, -0.3), (0, 0.5, 0.3))}),
    (ts.DHTable, (ROWS, "modified"), {"base": np.eye(4)}),
    (ts.from_dh, (ROWS, BODIES), {"convention": "modified", "base": np.eye(4)}),
    (ts.compile(ARM).pose, ("tool", [0.1, 0.2, 0.3]), {}),
)  # fmt: skip


def wrong(given):
    """Sloppy values in place of one, and one level inside of it."""
    yield from SLOPPY
    if isinstance(given, dict):
        yield from ({**given, n: x} for n in given for x in SLOPPY[::3])
        yield {**given, "nope": 1.0}
    elif isinstance(given, list | tuple) and given:
        yield from (type(given)([x, *given[1:]]) for x in SLOPPY)
    elif isinstance(given, np.ndarray):
        yield from (given[:-1], given[None], np.where(given == given.flat[0], np.nan, given))


def label(x):
    return getattr(x, "__qualname__", "").replace("<lambda>", "Vehicle") if callable(x) else ""


@pytest.mark.parametrize(("call", "args", "named"), CALLS, ids=label)
def test_no_other_library_speaks(call, args, named):
    with warnings.catch_warnings(action="ignore"):
        call(*args, **named)  # as it should be
        for slot in (*range(len(args)), *named):
            for x in wrong(args[slot] if isinstance(slot, int) else named[slot]):
                some, more = list(args), dict(named)
                if isinstance(slot, int):
                    some[slot] = x
                else:
                    more[slot] = x
                try:
                    call(*some, **more)
                except ts.TorseurError as e:
                    assert str(e), (slot, x)


def test_every_function_of_robots_is_among_them():
    """No list by hand: what is new is tried, or named here with its reason."""
    writes = {"export_controller"}
    takes_nothing = {"example_catalog"}
    functions = {n for m in (R, ts.control) for n in dir(m) if inspect.isfunction(getattr(m, n))}
    tried = {getattr(call, "__name__", "") for call, _, _ in CALLS}
    assert functions - tried == writes | takes_nothing


def test_numbers_of_calls_may_say_their_unit():
    angles, degrees = np.radians([0, 30, 60]), ["0 deg", "30 deg", "60 deg"]
    plain = R.design_cam(283.0, angles, stiffness=2e4, deflection=0.15)
    told = R.design_cam("283 N m", degrees, stiffness="20 kN/m", deflection="150 mm")
    assert np.allclose(plain.deflection, told.deflection, rtol=1e-14)
    poses = [[0, 0, 0.0], [np.pi / 2, 0.4, 0.3]]
    said = [["0 deg", 0, 0], ["90 deg", 0.4, "0.3 rad"]]
    quick, same = (R.time_optimal(ARM, x, points=11).duration for x in (poses, said))
    assert quick == pytest.approx(same, rel=1e-12)
    way = R.Polyline([(0, 0, 0), ("1 m", 0, 0), (1, "100 cm", 0)], blend="200 mm")
    assert way.length == R.Polyline([(0, 0, 0), (1, 0, 0), (1, 1, 0)], blend=0.2).length
    q = ts.solve.inverse_kinematics_path(ARM, "tool", [POINT, POINT], times=["0 ms", "500 ms"])
    assert q.times.tolist() == [0, 0.5]
    balanced = [
        R.balance(ARM, [R.Counterweight("w", "joint3", mass=5.0)], criterion="peak",
                  over={"joint2.angle": over}, bounds={"w.distance": pair}).values
        for over, pair in (([0, np.pi / 6], (0.1, 0.4)), (["0 deg", "30 deg"], ("10 cm", "0.4 m")))
    ]  # fmt: skip
    assert balanced[0]["w.distance"] == pytest.approx(balanced[1]["w.distance"], rel=1e-9)


def test_all_rows_of_a_table_are_told_at_once():
    rows = [{"a": 0.3}, {"d": float("nan")}, (0, 0, 0, 0, "Q"), {"alpha": "3 kg"}]
    with pytest.raises(ts.ArgumentError) as told:
        ts.DHTable(rows, "modified", base=3)
    assert [line[:6] for line in str(told.value).split("\n")] == [
        "row 1:", "row 2:", "row 3:", "row 4:", "base: "]  # fmt: skip


def test_degrees_without_their_word_are_told():
    with pytest.warns(ts.ModelWarning, match="row 2, alpha: 90 rad are 14.3 turns; write '90 deg'"):
        ts.DHTable([{}, {"alpha": 90}], "classic")
    turned = ts.Model(
        bodies=(BODIES[0],),
        joints=(ts.Joint("j", "world", "a", ts.Revolute("z"), rpy=(0, 0, 45)),),
    )
    with pytest.warns(ts.ModelWarning, match="joint 'j', yaw: 45 rad .* write '45 deg'"):
        turned.check()


def pendulum(**more):
    pin = ts.Joint("pin", "world", "a", ts.Revolute("y"), **more)
    return ts.Model(bodies=(BODIES[0],), joints=(pin,))


def test_whole_angles_of_a_start_and_of_limits_are_told_once():
    with pytest.warns(ts.ModelWarning, match="pin.angle: 30 rad are 4.77 turns; write '30 deg'"):
        ts.simulate(pendulum(), 0.0, {"pin.angle": 30})
    with pytest.warns(ts.ModelWarning, match="limits of angle: -180 rad"):
        pendulum(limits=(-180, 180)).check()
    weight = R.Counterweight("w", "joint3", mass=5.0, distance=0.2)
    with pytest.warns(ts.ModelWarning, match="over: joint2.angle: 90 rad .* write '90 deg'"):
        R.balance(ARM, [weight], over={"joint2.angle": np.linspace(-20, 90, 12)})
    with pytest.warns(ts.ModelWarning, match="pose 2 of the path: joint1.angle: 90 rad"):
        R.time_optimal(ARM, [[0, 0, 0], [90, 0, 0]], points=11)
    system = pendulum(limits=(None, 20 * np.pi)).check()  # a winch, and what it has run to
    system.state({"pin.angle": 62.8, "pin.rate": 30})
    system.state({"pin.angle": 6})


def test_one_number_of_gravity_falls_downwards(tmp_path):
    for up in (-9.81, "-9.81 m/s^2"):
        with pytest.raises(ts.ModelError, match=r"this falls upwards; write 9\.81"):
            ts.Model(gravity=up)
    file = tmp_path / "up.yaml"
    file.write_text("gravity: -9.81\nbodies: {a: {mass: 1}}\njoints: []\n")
    with pytest.raises(ts.ModelError, match=r"line 1: gravity = -9\.81: one number is downwards"):
        ts.load(file)
    assert ts.Model(gravity=9.81).gravity == ts.Model(gravity=(0, 0, -9.81)).gravity


def test_lists_of_a_study_and_samples_do_not_go_together():
    keep = {"end": ts.studies.Final("joint1.angle")}
    for more in ({"samples": 8}, {"design": "sobol"}):
        with pytest.raises(
            ts.ArgumentError, match=r"taken row by row; ts.studies.Uniform\(low, high\)"
        ):
            ts.study(ARM, t_end=0.01, vary={"joint1.angle": (0, 1)}, keep=keep, **more)
    with pytest.raises(ts.ArgumentError, match="lists no value"):
        ts.study(ARM, t_end=0.01, vary={"joint1.angle": []}, keep=keep)


def test_what_is_drawn_and_written_is_told_too(tmp_path):
    pandas = pytest.importorskip("pandas")
    run = ts.simulate(DRIVEN, 0.0, REST, output=2)
    name, file = "joint1.angle", str(tmp_path / "x")
    odd = (
        pandas.Series([1.0, 2.0]),
        np.array([1j]),
        b"x",
        10**400,
        object(),
        {1, 2},
        "\0",
        "y" * 999,
    )
    for call, values in (
        (lambda x: run.plot(x), (3, None, odd[0], [None], "*.nope")),
        (lambda x: run.plot(name, path=x), (*odd, "x.xyz")),
        (lambda x: run.plot(name, path=file, width=x), (*odd, "84 mm", 0, -1, 1e308)),
        (lambda x: run.save(x), (*odd, None, "x.xlsx", tmp_path / "nope" / "x.nc")),
        (lambda x: run.save(f"{file}.csv", x), (3, np.float32(1), b"x", ["nope"])),
        (lambda x: run.report(x), (*odd[:3], 3, "run.pdf", "\0")),
        (lambda x: run.report(f"{file}.html", signals=x), (3, "nope", [odd[0]])),
        (lambda x: run.report(f"{file}.html", title=x), (3, odd[0])),
        (lambda x: ts.report(x, f"{file}.html"), (None, 3, "a.csv", [], [3])),
        (lambda x: ts.report([run, run], f"{file}.html", labels=x), ("ab", 3, [1, 2], ["a"])),
        (lambda x: run.animate(f"{file}.gif", fps=x), (*odd, 0, 1e308)),
        (lambda x: run.animate(f"{file}.gif", size=x), (*odd, (0, 0), (64, 1e9), 64)),
        (ts.Trajectory.load, (*odd, None, "nowhere.nc")),
        (ts.load, (*odd, None, ".", "nowhere.yaml")),
        (ts.studies.open, (*odd, None, "nowhere.zarr")),
    ):  # fmt: skip
        for x in values:
            with pytest.raises(ts.TorseurError):
                call(x)
    run.save(f"{file}.CSV", "*.angle")
    assert len(run.to_pandas("*.angle").columns) == 3


def test_tables_of_pandas_are_names_with_values():
    pandas = pytest.importorskip("pandas")
    start = pandas.Series({"joint1.angle": 0.2})
    model = ts.Model(gravity=(0, 0, 0), bodies=(ts.Body("b", "m"),), parameters={"m": 2.0},
                     joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),))  # fmt: skip
    heavy = pandas.Series({"m": np.float32(3)})
    assert ts.simulate(ARM, 0.0, start)["joint1.angle"][0] == 0.2
    assert ts.simulate(model, 0.0, parameters=heavy).provenance["parameters"]["m"] == 3
    assert ts.batch(model, 0.01, pandas.DataFrame({"x.speed": [1.0, 2.0]}))["x.speed"].shape[0] == 2
    ts.robots.lqr(DRIVEN, start)
    for wrong in (pandas.NA, pandas.Series([1.0]), {1, 2}, [("m", 1)]):
        with pytest.raises(ts.TorseurError):
            ts.simulate(model, 0.0, parameters=wrong)
        with pytest.raises(ts.TorseurError):
            ts.simulate(ARM, 0.0, wrong)
