"""Controllers on simulated arms; linear models with outputs."""

import ctypes
import shutil
import subprocess
import warnings
from dataclasses import replace

import numpy as np
import pytest

import torseur as ts


def arm(**more):
    bodies = [
        ts.Body("a", 2.0, (0.25, 0, 0), (0.01, 0.05, 0.05, 0, 0, 0)),
        ts.Body("b", 1.0, (0.2, 0, 0), (0.01, 0.02, 0.02, 0, 0, 0)),
    ]
    rows = [{"alpha": "pi/2", **more}, {"d": 0.5}]
    return ts.from_dh(
        rows,
        bodies,
        convention="modified",
        actuate=True,
        frames=(ts.Frame("tool", "b", at=(0.4, 0, 0)),),
    )


def test_computed_torque_makes_every_error_the_same_oscillator():
    model = arm(drive=ts.Drive(ratio=50, rotor_inertia=1e-4, friction=1e-4))
    motion = {
        "joint1.angle": ts.robots.Quintic(0, 1, 1.0),
        "joint2.angle": ts.robots.Quintic(0, -1, 1.0),
    }
    control = ts.robots.ComputedTorque(model, motion, kp=100.0, kd=20.0)
    run = ts.simulate(
        model,
        0.5,
        {"joint1.angle": 0.1},
        control=control,
        period=1e-3,
        rtol=1e-7,
        output=[0.0, 0.2, 0.5],
    )
    keep = [int(np.argmin(abs(run.time - t))) for t in (0.2, 0.5)]
    t = run.time[keep]
    exact = 0.1 * (1 + 10 * t) * np.exp(-10 * t)  # critical damping from an error of 0.1
    error = run["joint1.angle"][keep] - motion["joint1.angle"](t)[0]
    np.testing.assert_allclose(error, exact, atol=1e-3)
    np.testing.assert_allclose(run["joint2.angle"][keep], motion["joint2.angle"](t)[0], atol=1e-3)


def test_pd_with_gravity_holds_a_pose_without_error():
    model = arm()
    control = ts.robots.PDGravity(
        model, {"joint1.angle": 0.6, "joint2.angle": -0.4}, 30.0, {"joint1": 8.0, "joint2": 2.0}
    )
    run = ts.simulate(model, 3.0, control=control, period=2e-3, rtol=1e-6, output=301)
    assert run["joint1.angle"][-1] == pytest.approx(0.6, abs=1e-2)
    m = ts.robots.step_metrics(run.time, run["joint1.angle"], 0.6)
    assert 0 < m.rise_time < m.settling_time and m.overshoot < 0.3


def test_lqr_is_optimal_and_stabilizes():
    model = arm()
    at = {"joint1.angle": 1.2, "joint2.angle": 0.3}
    found = ts.robots.lqr(model, at, weights=10.0, effort=0.1)
    assert (found.eigenvalues.real < -1).all()
    linear = ts.linearize(model, at, inputs=dict(zip(found.inputs, found.hold, strict=True)))
    rest = (
        linear.A.T @ found.cost
        + found.cost @ linear.A
        + 10 * np.eye(4)
        - (found.cost @ linear.B @ linear.B.T @ found.cost / 0.1)
    )
    assert abs(rest).max() < 1e-6 * abs(found.cost).max() ** 2
    start = {"joint1.angle": 1.25, "joint2.angle": 0.25}
    run = ts.simulate(model, 2.0, start, control=found, period=2e-3, rtol=1e-6, output=3)
    assert run["joint1.angle"][-1] == pytest.approx(1.2, abs=1e-2)


def test_linear_models_with_outputs():
    model, at = arm(), {"joint1.angle": 0.4, "joint2.angle": -0.7, "joint2.rate": 0.5}
    seen = ("joint1.angle", "joint2.rate", "tool.position.z", "tool.velocity.x")
    linear = ts.linearize(model, at, outputs=seen).state_space
    assert linear.outputs == seen and linear.D.shape == (4, 2) and not linear.D.any()
    dyn, (q, v) = ts.compile(model), model.check().state(at)

    def y(x):
        return np.array(
            [x[0], x[3], dyn.pose("tool", x[:2])[2, 3], dyn.velocity("tool", x[:2], x[2:])[3]]
        )

    x0, h = np.concatenate([q, v]), 1e-6
    slope = np.stack([(y(x0 + h * e) - y(x0 - h * e)) / (2 * h) for e in np.eye(4)], 1)
    np.testing.assert_allclose(linear.C, slope, atol=1e-8)
    whole = ts.linearize(model, at).state_space
    assert whole.outputs == whole.states and (whole.C == np.eye(4)).all()
    with pytest.raises(ts.TorseurError, match=r"no output is named 'joint1.angel'"):
        ts.linearize(model, at, outputs=["joint1.angel"])


def test_accelerations_as_outputs_and_names_of_the_matrices():
    """D is what an input does at once; second-order matrices give A back."""
    model, at = arm(), {"joint1.angle": 0.4, "joint2.rate": 0.5}
    linear = ts.linearize(model, at, outputs=("joint2.acceleration", "joint1.angle"))
    dyn, (q, v) = ts.compile(model), model.check().state(at)
    tau, h = np.array([0.3, -0.2]), 1e-5

    def pushed(e):
        up, down = (dyn.forward_dynamics(q, v, tau + s * h * e)[1] for s in (1, -1))
        return (up - down) / (2 * h)

    np.testing.assert_allclose(linear.feedthrough[0], [pushed(e) for e in np.eye(2)], rtol=1e-7)
    assert not linear.feedthrough[1].any()
    np.testing.assert_array_equal(linear.output_matrix[0], linear.A[3])
    back = -np.linalg.solve(linear.mass, np.hstack([linear.stiffness, linear.damping]))
    np.testing.assert_allclose(back, linear.A[2:], atol=1e-12)


def test_linear_models_go_to_python_control():
    control = pytest.importorskip("control")
    block = ts.Model(
        bodies=(ts.Body("m", 2.0),),
        joints=(ts.Joint("x", "world", "m", ts.Prismatic("x"), damping=1.0),),
        forces=(
            ts.JointForce("k", "x", ts.Spring(50.0)),
            ts.JointForce("f", "x", ts.Effort(input="u")),
        ),
        inputs=(ts.Input("u", unit="N"),),
    )
    plant = ts.linearize(block, outputs=("x.displacement", "x.acceleration")).to_control()
    assert plant.input_labels == ["u"] and plant.output_labels[1] == "x_acceleration"
    t = np.linspace(0, 1, 11)
    response = control.step_response(plant, t)
    run = ts.simulate(block, 1.0, inputs={"u": 1.0}, output=t, rtol=1e-10)
    for i, n in enumerate(("x.displacement", "x.acceleration")):
        np.testing.assert_allclose(response.outputs[i, 0], run[n], atol=1e-8)


GCC = shutil.which("gcc")


def compiled(controller, folder, references):
    """The exported C as a `control=` of simulate."""
    path = ts.robots.export_controller(controller, folder / "control.c")
    main, library = folder / "main.c", folder / "control.so"
    names = ", ".join(f"p[{k}]" for k in range(3 + len(references(0.0))))
    text = f'#include "{path.name}"\nvoid run(double **p);\n'
    main.write_text(f"{text}void run(double **p) {{ control({names}); }}\n")
    flags = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1", "-shared", "-fPIC"]
    subprocess.run([GCC, *flags, str(main), "-o", str(library), "-lm"], check=True)
    run = ctypes.CDLL(str(library)).run

    def control(t, q, v):
        u = np.zeros(len(controller.pushes))
        arrays = [np.ascontiguousarray(x, float) for x in (q, v, *references(t))] + [u]
        run((ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays)))
        return dict(zip(controller.pushes, map(float, u), strict=True))

    return control


@pytest.mark.skipif(GCC is None, reason="no C compiler")
@pytest.mark.parametrize("kind", ["computed torque", "pd", "lqr", "schedule"])
def test_exported_controllers_drive_as_their_originals(kind, tmp_path):
    model = arm(drive=ts.Drive(ratio=50, rotor_inertia=1e-4, friction=1e-4), damping=0.3)
    motion = {
        "joint1.angle": ts.robots.Quintic(0, 1, 0.5),
        "joint2.angle": ts.robots.Quintic(0, -1, 0.5),
    }
    target = {"joint1.angle": 0.5, "joint2.angle": 0.2}
    over = {"joint1.angle": (-0.5, 0.1, 0.8)}
    own, references = {
        "computed torque": lambda: (
            ts.robots.ComputedTorque(model, motion, kp=(100.0, 80.0), kd=20.0),
            lambda t: np.array([law(t) for law in motion.values()]).T,
        ),
        "pd": lambda: (
            ts.robots.PDGravity(model, target, 30.0, 6.0),
            lambda t: [np.array([0.5, 0.2])],
        ),
        "lqr": lambda: (ts.robots.lqr(model, target), lambda t: []),
        "schedule": lambda: (ts.robots.GainSchedule(model, over, target), lambda t: []),
    }[kind]()
    options = {"period": 5e-3, "rtol": 1e-8, "output": 5}
    start = {"joint1.angle": 0.1}
    runs = [
        ts.simulate(model, 0.2, start, control=control, **options)
        for control in (own, compiled(own, tmp_path, references))
    ]
    for n in (*runs[0].provenance["coordinates"], *own.pushes):
        np.testing.assert_allclose(runs[1][n], runs[0][n], atol=1e-9, err_msg=n)


def test_a_gain_schedule_is_the_regulator_at_its_knots_and_stable_between():
    model, knots = arm(), np.linspace(-1.2, 1.2, 5)
    goal = {"joint1.angle": 0.9, "joint2.angle": 0.0}
    plan = ts.robots.GainSchedule(model, {"joint1.angle": knots}, goal, weights=100.0)
    at = ts.robots.lqr(model, {"joint1.angle": float(knots[3])}, weights=100.0)
    np.testing.assert_allclose(plan.gain(knots[3]), at.K, rtol=1e-9)
    np.testing.assert_array_equal(plan.gain(9.0), plan.K[-1])
    middle = float(knots[1:3].mean())
    q = model.check().state({"joint1.angle": middle})[0]
    hold = ts.compile(model).gravity_forces(q)
    held = dict(zip(plan.pushes, hold, strict=True))
    linear = ts.linearize(model, {"joint1.angle": middle}, inputs=held)
    assert np.linalg.eigvals(linear.A - linear.B @ plan.gain(middle)).real.max() < -0.5
    start = {"joint1.angle": 0.5}
    run = ts.simulate(model, 4.0, start, control=plan, period=4e-3, rtol=1e-6, output=3)
    assert run["joint1.angle"][-1] == pytest.approx(0.9, abs=2e-2)
    with pytest.raises(ts.TorseurError, match="must grow"):
        ts.robots.GainSchedule(model, {"joint1.angle": (1.0, 0.0)}, goal)


def test_what_cannot_be_controlled_is_told():
    bare = ts.from_dh([(0, 0, 0, 0)], [ts.Body("a", 1, (0.5, 0, 0))], convention="modified")
    for make in (lambda: ts.robots.PDGravity(bare, {}, 1, 1), lambda: ts.robots.lqr(bare)):
        with pytest.raises(ts.TorseurError, match="actuate=True"):
            make()
    with pytest.raises(ts.TorseurError, match="no joint is named 'elbow'"):
        ts.robots.PDGravity(arm(), {}, {"elbow": 3}, 1)


def test_a_regulator_that_dry_friction_holds_is_told():
    rod = ts.Body("rod", 2.0, (0.3, 0, 0), (0.1, 0.1, 0.1, 0, 0, 0))
    rows = [{"alpha": "pi/2", "friction": 5.0}]
    arm = ts.from_dh(rows, [rod], convention="modified", actuate=True)
    with pytest.warns(ts.ModelWarning, match="takes .* s; at rest dry friction is a damper"):
        ts.robots.lqr(arm)
    free = ts.from_dh([{"alpha": "pi/2"}], [rod], convention="modified", actuate=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        told = str(ts.robots.lqr(free))
    assert "u_joint1: " in told and "joint1.rate" in told


def test_joints_without_an_input_are_told_where_the_law_needs_them():
    """A pendulum that nothing drives, a loop with one motor; gains by name are all there."""
    rod = [ts.Body(n, 1.0, (0.2, 0, 0), (0.01, 0.1, 0.1, 0, 0, 0)) for n in "abc"]
    pin = ts.Revolute("z")
    joints = (
        ts.Joint("A", "world", "a", pin),
        ts.Joint("B", "a", "b", pin, at=(0.3, 0, 0)),
        ts.Joint("D", "world", "c", pin, at=(0.9, 0, 0)),
    )
    push = ts.JointForce("motor", "A", ts.Effort(input="u"))
    loop = ts.Loop("C", "c", "b", pin, at=(0.6, 0, 0), child_at=(0.8, 0, 0))
    open_ = ts.Model(bodies=rod, joints=joints, forces=(push,), inputs=(ts.Input("u"),))
    closed = replace(open_, loops=(loop,))
    motion = {"A.angle": ts.robots.Quintic(1, 2, 1.0)}
    with pytest.raises(ts.TorseurError, match="computed torque: joint 'B' has no input"):
        ts.robots.ComputedTorque(open_, motion)
    with pytest.raises(ts.TorseurError, match="joint 'B' is part of a loop or coupling and has"):
        ts.robots.PDGravity(closed, {"A.angle": 1.0}, kp=1.0, kd=1.0)
    both = ts.actuated(open_)
    with pytest.raises(ts.TorseurError, match="kp: no number is given for 'B', 'D'"):
        ts.robots.ComputedTorque(both, motion, kp={"A": 1.0})
    with pytest.raises(ts.TorseurError, match="kp = -3: expected numbers"):
        ts.robots.PDGravity(both, {}, kp={"A": -3, "B": 1, "D": 1}, kd=1.0)
