"""The model files of `examples/`: run as the command line runs them, they give known numbers."""

import json
from pathlib import Path

import pytest

import torseur as ts
from torseur.cli import main

FOLDER = Path(__file__).parents[2] / "examples"
FILES = sorted(FOLDER.glob("*.yaml"))
# reference values: spec benchmarks in quadruple precision; the crash test of NHTSA
KNOWN = {
    "heavy_top": {
        "center.position.x": 0.17334396409838604,
        "center.position.y": 0.64008859207056878,
        "center.position.z": -0.7484907911335813,
    },
    "four_bar": {
        "A0.angle": -4.789550999536392,
        "corner.position.x": 0.077085471792867077,
        "corner.position.y": 0.99702448818395183,
    },
    "flexible_joint": {"arm.angle": -0.5712039278510674, "motor.angle": -0.57137709073484895},
    "camry": {"travel.speed": -2.623},
    "thrown_sphere": {"ball.velocity.x": 1.5, "ball.velocity.y": 2.0},
}
ROOM = {"camry": 5e-4}


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_the_file_is_sound_and_survives(path, tmp_path):
    model = ts.load(path)
    model.check()
    model.save(tmp_path / "back.yaml")
    back = ts.load(tmp_path / "back.yaml")
    assert back.check().digest == model.check().digest


@pytest.mark.parametrize("name", KNOWN)
def test_known_numbers(name, capsys):
    wanted = KNOWN[name]
    assert main(["simulate", str(FOLDER / f"{name}.yaml"), "--json", "--show", *wanted]) == 0
    said = json.loads(capsys.readouterr().out)
    for signal, value in wanted.items():
        assert said["signals"][signal]["last"] == pytest.approx(value, abs=ROOM.get(name, 5e-8))


def test_no_known_number_is_forgotten():
    assert set(KNOWN) <= {p.stem for p in FILES}
