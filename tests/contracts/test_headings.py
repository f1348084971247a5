"""Units in the headings of tables: brackets or parentheses; none is told, never guessed."""

import pytest

import torseur as ts

MODEL = """
schema_version: {version}
gravity: [0, 0, 0]
bodies: {{b: {{mass: 1}}}}
joints: [{{name: x, type: prismatic, parent: world, child: b, axis: x}}]
forces: [{{name: f, type: table, joint: x, points: {{csv: t.csv}}}}]
"""


def points(tmp_path, head):
    from torseur.model.formats.schema import SCHEMA_VERSION

    (tmp_path / "m.yaml").write_text(MODEL.format(version=SCHEMA_VERSION))
    (tmp_path / "t.csv").write_text(f"{head}\n0,0\n100,2\n")
    law = ts.load(tmp_path / "m.yaml").forces[0].law
    return [tuple(map(float, p)) for p in law.points]


@pytest.mark.parametrize("head", ["x [mm],F [kN]", "x (mm),F (kN)", "way of x (mm) , F [kN]"])
def test_brackets_and_parentheses_are_units(tmp_path, head):
    assert points(tmp_path, head) == [(0.0, 0.0), (0.1, 2000.0)]


def test_a_heading_without_a_unit_is_told(tmp_path):
    with pytest.warns(ts.ModelWarning, match=r"t.csv: column 'x' has no unit .* read as SI"):
        assert points(tmp_path, "x,F [kN]") == [(0.0, 0.0), (100.0, 2000.0)]


def test_a_table_without_headings_is_told(tmp_path):
    with pytest.warns(ts.ModelWarning, match=r"t.csv: there is no line of headings, .* as SI"):
        assert points(tmp_path, "-1,-5") == [(-1.0, -5.0), (0.0, 0.0), (100.0, 2.0)]
    from torseur.cli import main

    assert main(["check", str(tmp_path / "m.yaml")]) == 0  # and told where people look


def test_what_is_no_unit_is_told(tmp_path):
    with pytest.raises(ts.ModelError, match="first line"):
        points(tmp_path, "x (left side),F [N]")
