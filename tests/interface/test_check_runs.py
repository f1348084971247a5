"""`torseur check` reads what a file says of its run: initial, simulation, outputs."""

import pytest

from torseur.cli import main

MODEL = """name: m
bodies:
  b: {mass: 1.0}
joints:
- {name: x, type: prismatic, parent: world, child: b, axis: x}
"""
WRONG = {
    "initial: {x.sped: 1.0}": "did you mean 'x.speed'",
    "initial: {x.speed: 3 kg}": "initial.x.speed",
    "simulation: {metod: rk4}": "did you mean 'method'",
    "simulation: {method: rk5}": "did you mean 'rk4'",
    "simulation: {t_end: -1}": "must come after",
    "simulation: {t_end: 1, step: 0}": "more than zero",
    "simulation: {keep: [x.spede]}": "did you mean 'x.speed'",
    "simulation: {t_end: 1, method: rk4}": "fixed step",
    "simulation: {t_end: 1, stop_when: crash}": "no event is named 'crash'",
    "simulation: {t_end: 1, output: -3}": "a number of rows",
    "outputs: [x.sped]": "did you mean 'x.speed'",
}


@pytest.mark.parametrize("line", WRONG)
def test_what_is_wrong_with_a_run_is_told(line, tmp_path, capsys):
    file = tmp_path / "m.yaml"
    file.write_text(MODEL + line + "\n")
    assert main(["check", str(file)]) == 1
    assert WRONG[line] in "".join(capsys.readouterr())


def test_everything_at_once_and_nothing_for_a_sound_file(tmp_path, capsys):
    file = tmp_path / "m.yaml"
    file.write_text(MODEL + "initial: {x.sped: 1}\nsimulation: {t_end: -1}\noutputs: [x.foo]\n")
    assert main(["check", str(file)]) == 1 and "3 problems" in "".join(capsys.readouterr())
    file.write_text(
        MODEL + "initial: {x.speed: 36 km/h}\nsimulation: {t_end: 1, method: 'scipy:Radau'}\n"
        "outputs: [x.speed, energy.kinetic]\n"
    )
    assert main(["check", str(file)]) == 0
