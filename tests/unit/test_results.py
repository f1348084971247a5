"""Trajectories: immutable, labeled, saved and read back, told in other forms."""

import pickle
from pathlib import Path

import numpy as np
import pytest

import torseur as ts
from torseur.forces import Effort, JointForce, PointForce, Spring, Viscous
from torseur.results import Trajectory
from torseur.simulation import simulate

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def run():
    bodies = (
        ts.Body("upper", 2.0, (0, 0, -0.25), (0.05, 0.05, 0.001, 0, 0, 0)),
        ts.Body("lower", 1.0, (0, 0, -0.2), (0.02, 0.02, 0.001, 0, 0, 0)),
    )
    joints = (
        ts.Joint("shoulder", "world", "upper", ts.Revolute("y")),
        ts.Joint("elbow", "upper", "lower", ts.Revolute("y"), at=(0, 0, -0.5), damping=0.1),
    )
    model = ts.Model(
        "double pendulum",
        bodies=bodies,
        joints=joints,
        frames=(ts.Frame("tool", "lower", at=(0, 0, -0.4)),),
        inputs=(ts.Input("motor", unit="N m"),),
        forces=(
            PointForce("mount", "tool", ("world", (0.5, 0, -0.5)), Spring(20.0, 0.3)),
            JointForce("brake", "shoulder", Viscous(0.2)),
            JointForce("drive", "shoulder", Effort(input="motor")),
        ),
    )
    return simulate(model, 2.0, {"elbow.angle": 0.3}, inputs={"motor": 0.5}, output=401)


def test_names_of_the_manual_exist_with_units(run):
    for name, unit in {
        "elbow.angle": "rad",
        "elbow.rate": "rad/s",
        "elbow.acceleration": "rad/s2",
        "elbow.effort": "N m",
        "elbow.reaction.force.x": "N",
        "lower.position.x": "m",
        "lower.velocity.x": "m/s",
        "lower.orientation.w": "1",
        "lower.angular_velocity.x": "rad/s",
        "lower.acceleration.x": "m/s2",
        "tool.position.z": "m",
        "mount.force": "N",
        "mount.deflection": "m",
        "mount.rate": "m/s",
        "mount.energy.stored": "J",
        "mount.energy.dissipated": "J",
        "mount.state": "1",
        "energy.kinetic": "J",
        "energy.potential": "J",
        "energy.dissipated": "J",
        "energy.supplied": "J",
        "energy.residual": "J",
        "motor": "N m",
        "lower.body_acceleration.z": "m/s2",
    }.items():
        assert run.units[name] == unit and np.isfinite(run[name]).all()


def test_signals_are_derivatives_of_each_other(run):
    t = run.time
    for low, high in (
        ("elbow.angle", "elbow.rate"),
        ("elbow.rate", "elbow.acceleration"),
        ("tool.position.x", "tool.velocity.x"),
        ("tool.velocity.z", "tool.acceleration.z"),
        ("mount.deflection", "mount.rate"),
    ):
        slope = np.gradient(run[low], t)[2:-2]
        assert abs(slope - run[high][2:-2]).max() < 2e-3 * max(1, abs(run[high]).max())


def test_reaction_carries_the_outboard_body(run):
    """Newton on the lower body: reaction + weight + mount = mass times acceleration."""
    m, i = 1.0, 123
    R = _matrix([run[f"lower.orientation.{c}"][i] for c in "wxyz"])
    reaction = R @ [run[f"elbow.reaction.force.{c}"][i] for c in "xyz"]
    com = np.array([0, 0, -0.2])
    w, dw = (
        [run[f"lower.{k}.{c}"][i] for c in "xyz"]
        for k in ("angular_velocity", "angular_acceleration")
    )
    r = R @ com
    acc = (
        np.array([run[f"lower.acceleration.{c}"][i] for c in "xyz"])
        + np.cross(dw, r)
        + np.cross(w, np.cross(w, r))
    )
    tip = np.array([run[f"tool.position.{c}"][i] for c in "xyz"])
    line = np.array([0.5, 0, -0.5]) - tip
    pull = run["mount.force"][i] * line / np.linalg.norm(line)
    np.testing.assert_allclose(reaction + pull + [0, 0, -9.81 * m], m * acc, atol=1e-9)


def _matrix(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def test_audit_closes_and_names_its_parts(run):
    audit = run.energy_audit
    assert audit.relative < 1e-7
    assert audit.dissipated > 0.01 and audit.supplied != 0
    total = audit.kinetic + audit.potential + audit.dissipated - audit.supplied
    assert abs(total) <= audit.residual * (1 + 1e-9) + 1e-15
    assert "dissipated" in str(audit) and "residual" in str(audit)


def test_every_element_keeps_its_own_book(run):
    own = [run[f"{n}.energy.dissipated"] for n in ("mount", "brake", "elbow.damping", "drive")]
    np.testing.assert_allclose(sum(own), run["energy.dissipated"], rtol=0, atol=1e-12)
    assert not own[0].any() and (np.diff(own[1]) >= 0).all() and own[2][-1] > 0.01


def test_save_and_load(run, tmp_path):
    path = run.save(tmp_path / "run.nc")
    back = Trajectory.load(path)
    assert back.outcome == run.outcome and set(back.signals) == set(run.signals)
    for name in ("elbow.angle", "energy.residual", "tool.position.x"):
        assert (back[name] == run[name]).all() and back.units[name] == run.units[name]
    assert back.energy_audit.residual == run.energy_audit.residual
    assert not list(tmp_path.glob("*.partial"))


def test_other_forms(run, tmp_path):
    table = run.to_xarray(["elbow.angle"])
    assert table["elbow.angle"].attrs["units"] == "rad"
    run.to_csv(tmp_path / "run.csv", ["elbow.angle", "elbow.rate"])
    text = (tmp_path / "run.csv").read_text().splitlines()
    assert text[0] == "time [s],elbow.angle [rad],elbow.rate [rad/s]"
    assert np.loadtxt(text[1:], delimiter=",")[7, 1] == run["elbow.angle"][7]
    pandas = pytest.importorskip("pandas")
    assert isinstance(run.to_pandas(["elbow.angle"]), pandas.DataFrame)


def test_a_trajectory_does_not_change(run):
    with pytest.raises(AttributeError):
        run.time = 3
    with pytest.raises(ValueError):
        run["elbow.angle"][0] = 1.0
    with pytest.raises(ts.TorseurError, match=r"did you mean 'elbow.angle'"):
        run["elbow.angel"]


def test_final_state_starts_the_next_run(run):
    again = simulate(
        ts.Model(
            bodies=(ts.Body("b", 1.0),),
            gravity=(0, 0, 0),
            joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        ),
        1.0,
        {"x.speed": 2.0},
    )
    assert again.final == {"x.displacement": pytest.approx(2.0), "x.speed": 2.0}


def test_interrupt_keeps_what_was_computed():
    model = ts.Model(
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", 1.0),),
        inputs=(ts.Input("f"),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        forces=(JointForce("f", "x", Effort(input="f")),),
    )

    def control(t, q, v):
        if t > 0.5:
            raise KeyboardInterrupt
        return {"f": 1.0}

    run = simulate(model, 1.0, control=control, period=0.1)
    assert "interrupted at t = 0.6" in run.outcome
    assert run.time[-1] == pytest.approx(0.6) and run["x.speed"][-1] == pytest.approx(0.6)


@pytest.mark.parametrize("solution", ["multipliers", "null_space"])
def test_a_pickle_is_state_and_evaluator(solution):
    """Light, computed where it is asked, and the same bits; with speeds that changed the lead."""
    model = ts.load(EXAMPLES / "four_bar.yaml")
    run = ts.simulate(model, 1.0, solution=solution, output=201)
    data = pickle.dumps(run)
    assert set(run._known) == set(run.provenance["state"])  # nothing was computed for it
    rows = 8 * len(run.time) * (1 + len(run.provenance["state"]) + 4)
    assert len(data) < 2 * rows + 40_000 < 8 * len(run.time) * len(run.signals)
    again = pickle.loads(data)
    assert "system" not in vars(again._source)  # the state needs no check
    assert all((again[n] == run[n]).all() for n in run.provenance["state"])
    assert "system" not in vars(again._source)
    assert all(np.array_equal(again[n], run[n], equal_nan=True) for n in run.signals)


def test_a_second_run_traces_nothing(monkeypatch):
    """Kernels, graphs of constraint rows and of the audit are those of the first run."""
    from torseur.quantities.symbolic_system import SymbolicSystem

    model = ts.load(EXAMPLES / "four_bar.yaml")
    first = ts.simulate(model, 0.2, output=11)

    def no(*_, **__):
        raise AssertionError("a formula was traced again")

    monkeypatch.setattr(SymbolicSystem, "__init__", no)
    again = ts.simulate(model, 0.2, output=11)
    assert all(np.array_equal(again[n], first[n]) for n in again.provenance["state"])
    assert again.outcome == first.outcome
    assert np.array_equal(again["constraints.residual"], first["constraints.residual"])


def test_patterns_name_several_signals_and_all_wrong_ones_are_told():
    names = ("a.angle", "b.angle", "a.rate")
    run = Trajectory([0.0, 1.0], {n: [0.0, 1.0] for n in names}, dict.fromkeys(names, "rad"))
    assert run.named("*.angle", "a.*", "a.rate") == ["a.angle", "b.angle", "a.rate"]
    with pytest.raises(ts.TorseurError, match=r"(?s)'a.angel'.*'\*.force'"):
        run.named("a.angel", "*.force")
