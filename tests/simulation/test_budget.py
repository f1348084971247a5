"""A run ends, with a sentence, also where it would take all steps, rows and time there are."""

import pytest

import torseur as ts

PIVOT = ts.Joint("pivot", "world", "rod", ts.Revolute("y"))
ROD = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
PENDULUM = ts.Model(bodies=(ROD,), joints=(PIVOT,))
STOPPED = ts.Model(
    bodies=(ROD,),
    joints=(PIVOT,),
    forces=(ts.JointForce("stop", "pivot", ts.Limits(-1e-3, 1e-3, restitution=1.0)),),
)
AT = {"pivot.angle": 5e-4, "pivot.rate": 1.0}


@pytest.mark.parametrize(
    "options, said",
    [
        ({"max_steps": 300}, "300 steps were taken, as many as max_steps= allows, the last of"),
        ({"max_evaluations": 400}, "evaluations of the rates were taken, as many as max_evalu"),
        ({"max_steps": 50, "rtol": 1e-14, "atol": 1e-16}, "rtol = 1e-14 asks for too much acc"),
        ({"output": "steps", "max_rows": 100}, "rows are kept, more than max_rows = 100"),
        ({"max_seconds": 1e-6}, "are more than max_seconds = 1e-06; the results so far are kept"),
    ],
)
def test_a_run_that_meets_a_cap_ends_there_and_keeps_its_rows(options, said):
    run = ts.simulate(PENDULUM, 1e9, AT, **options)
    assert not run.completed and said in run.outcome
    assert 0 < run.time[-1] < 1e9 and len(run.time) > 1
    assert run["energy.kinetic"][0] == pytest.approx(0.5)


def test_chattering_is_told_with_the_name_of_the_element():
    run = ts.simulate(STOPPED, 1e9, AT, max_steps=2000, max_events=10**9)
    assert not run.completed and "'stop" in run.outcome and "chatters" in run.outcome
    run = ts.simulate(STOPPED, 1e9, AT, max_events=1000)
    assert "more than 1000 events" in run.outcome and "'stop" in run.outcome


@pytest.mark.parametrize(
    "options, said",
    [
        ({"rtol": 1e-20}, "rtol = 1e-20 asks for more digits than numbers have; use one number"),
        ({"output": 10**8}, "rows of 3 numbers, 2.4 GB, more than max_rows = 4.16667e+07; ask for"),
        ({"output": 10**30}, "expected 'steps', a number of rows, or times"),
        ({"method": "rk4", "step": 1e-3}, "1e+12 steps of step = 0.001 s, more than max_steps ="),
        ({"max_steps": 0}, "max_steps = 0; expected a whole number, more than zero"),
        ({"max_seconds": "long"}, "max_seconds = 'long'; expected a number of seconds, more than"),
        ({"max_rows": True}, "max_rows = True; expected"),
    ],
)
def test_what_cannot_be_is_refused_before_it_begins(options, said):
    with pytest.raises(ts.TorseurError) as told:
        ts.simulate(PENDULUM, 1e9, AT, **options)
    assert said in str(told.value)


def test_batches_have_the_same_caps():
    two = {"pivot.angle": [0.1, 0.2]}
    plain = ts.batch(PENDULUM, 1e9, two, max_steps=100)
    assert not plain.completed.any() and "more than 100 steps were needed" in plain.outcomes[0]
    held = ts.batch(STOPPED, 1e9, {"pivot.rate": [1.0, 0.5]}, max_steps=500)
    assert not held.completed.any() and "as many as max_steps= allows" in held.outcomes[1]
    for options, said in (
        ({"output": 10**9}, "batch: output asks for 2e+09 rows"),
        ({"output": 50, "max_rows": 60}, "more than max_rows = 60"),
        ({"rtol": 1e-18}, "batch: rtol = 1e-18"),
        ({"method": "euler", "step": 1e-3}, "batch: 1000000000 s are 1e+12 steps"),
    ):
        with pytest.raises(ts.TorseurError) as told:
            ts.batch(PENDULUM, 1e9, two, **options)
        assert said.replace("1000000000", "1e+09") in str(told.value)


def test_a_file_with_caps_is_checked(tmp_path, capsys):
    from torseur.cli import main

    PENDULUM.save(tmp_path / "p.yaml")
    text = (tmp_path / "p.yaml").read_text()
    bad = "simulation: {t_end: 2, max_steps: many, rtol: 1e-30, output: 1000000000}\n"
    (tmp_path / "p.yaml").write_text(text + bad)
    assert main(["check", str(tmp_path / "p.yaml")]) == 1
    said = capsys.readouterr()
    for part in ("max_steps = 'many'", "rtol = 1e-30 asks for more digits"):
        assert part in said.out + said.err
    (tmp_path / "p.yaml").write_text(text + "simulation: {t_end: 900, max_steps: 20}\n")
    assert "max_steps=" in ts.simulate(ts.load(tmp_path / "p.yaml"), initial=AT).outcome
