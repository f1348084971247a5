"""Status of a run as data, its text, and who may change a run."""

import ast
import pickle
from pathlib import Path

import numpy as np
import pytest

import torseur as ts
from torseur.results import RunDiagnosis, RunStatus

SRC = Path(ts.__file__).parent
BALL = ts.Model(
    "drop",
    bodies=(ts.Body("ball", mass=0.2),),
    joints=(ts.Joint("fall", "world", "ball", ts.Prismatic("z")),),
)
GATE = ts.Model(
    "gate",
    gravity=(0, 0, 0),
    bodies=(ts.Body("b", 1.0),),
    joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
    forces=(ts.JointForce("stop", "x", ts.Limits(-1, 1, restitution=0.5)),),
)


def blow_up():
    """A force that grows with the cube of the speed: infinite after 1/2 s from speed 1."""
    law = ts.Expression("-rate**3")
    return ts.simulate(
        ts.Model(
            gravity=(0, 0, 0),
            bodies=(ts.Body("b", 1.0),),
            joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
            forces=(ts.JointForce("f", "x", law),),
        ),
        1.0,
        {"x.speed": 1.0},
    )


def failing_controller(t, q, v):
    if t > 0.35:
        raise ValueError("no command")


PUSHED = ts.Model(
    "pushed",
    bodies=(ts.Body("b", 1.0),),
    joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
    forces=(ts.JointForce("f", "x", ts.Effort(input="u")),),
    inputs=(ts.Input("u"),),
)


def test_a_completed_run():
    run = ts.simulate(BALL, 1.0)
    assert run.status is RunStatus.COMPLETED and run.status == "completed" and run.completed
    assert run.diagnosis.time == 1.0 and run.diagnosis.notes == ()


def test_a_run_that_an_event_stops():
    run = ts.simulate(GATE, 5.0, {"x.speed": 2.0}, stop_when="stop")
    d = run.diagnosis
    assert run.status is RunStatus.STOPPED_BY_EVENT and run.completed
    assert d.element.startswith("stop: ") and d.time == pytest.approx(0.5)
    assert run.outcome.startswith("stopped at t = 0.5 s by 'stop: ")


def test_a_run_whose_budget_is_spent():
    run = ts.simulate(BALL, 1.0, max_seconds=1e-9)
    d = run.diagnosis
    assert run.status is RunStatus.BUDGET_SPENT and not run.completed
    assert "max_seconds = 1e-09" in d.cause and d.remedy == "the results so far are kept"
    assert run.outcome == f"stopped at t = {d.time:.6g} s of 1 s: {d.cause}; {d.remedy}"
    with pytest.raises(ts.IntegrationError, match="max_seconds"):
        run.check()


def test_a_controller_that_fails():
    run = ts.simulate(PUSHED, 1.0, control=failing_controller, period=0.1)
    assert run.status is RunStatus.CONTROLLER_FAILED and run.diagnosis.time == pytest.approx(0.4)
    assert "ValueError: no command" in run.diagnosis.cause


def test_a_motion_that_grows_without_bound():
    run = blow_up()
    assert not run.completed and 0.499 < run.diagnosis.time < 0.501
    assert run.status in (RunStatus.NOT_FINITE, RunStatus.STEP_TOO_SMALL)
    assert run.outcome.startswith("failed at t = ") and run.diagnosis.remedy in run.outcome


def test_a_note_on_a_monitored_limit():
    fall = ts.Joint("fall", "world", "ball", ts.Prismatic("z"), limits=(-1.0, 1.0))
    model = ts.Model("drop", bodies=BALL.bodies, joints=(fall,))
    run = ts.simulate(model, 1.0)
    (note,) = run.diagnosis.notes
    assert run.completed and note.startswith(
        "fall.displacement left its limits -1 .. 1 m at t = 0.4"
    )
    assert run.outcome.endswith(f"; {note}")


def test_a_file_and_a_pickle_keep_the_diagnosis(tmp_path):
    run = ts.simulate(BALL, 1.0, max_seconds=1e-9)
    for copy in (ts.Trajectory.load(run.save(tmp_path / "a.nc")), pickle.loads(pickle.dumps(run))):
        assert copy.diagnosis == run.diagnosis and copy.status is run.status


def test_runs_in_lanes_have_the_diagnosis_of_single_runs():
    speeds = np.linspace(0.1, 2.0, 5)
    many = ts.batch(GATE, 1.0, {"x.speed": speeds}, stop_when="stop", output=3)
    for i, speed in enumerate(speeds):
        one = ts.simulate(GATE, 1.0, {"x.speed": speed}, stop_when="stop", output=3)
        assert many.completed[i] == one.completed
        stopped = one.status is RunStatus.STOPPED_BY_EVENT
        assert stopped == many.outcomes[i].startswith("stopped at t = ")
        if stopped:
            assert many.outcomes[i] == one.outcome


@pytest.mark.parametrize("status", RunStatus)
def test_every_status_has_its_text(status):
    from torseur.simulation.run.diagnostics import outcome_text

    text = outcome_text(RunDiagnosis(status, 0.25, "gate", "a cause", "a remedy"), 1.0)
    assert ("0.25" in text) == (status not in (RunStatus.AUDIT_FAILED, RunStatus.NOT_STARTED))


def runs_written(tree):
    """Attributes of names called run, simulation or record's owner that a file assigns."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                for x in ast.walk(target):
                    if isinstance(x, ast.Attribute) and isinstance(x.value, ast.Name):
                        yield x.value.id, x.attr


def test_a_simulation_is_changed_by_its_own_package_only():
    """Nobody assigns to an attribute of a `run` outside of simulation/run.

    In native code of the FMU `run` is a record of the integrator.
    """
    own = SRC / "simulation" / "run"
    names = {"run", "simulation"}
    folders = ("simulation", "robots", "identify", "studies", "cli")
    files = [x for folder in folders for x in (SRC / folder).rglob("*.py")]
    files += [SRC / "fmu" / "export.py", SRC / "fmu" / "library.py"]
    faults = [
        f"{file.relative_to(SRC)}: {name}.{attribute}"
        for file in files
        if own not in file.parents
        for name, attribute in runs_written(ast.parse(file.read_text(encoding="utf-8")))
        if name in names and not attribute.startswith("_slopes")
    ]
    assert not faults
