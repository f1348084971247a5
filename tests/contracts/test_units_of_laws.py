"""Units of a law in a file are those of where it acts: a length, or an angle; never mixed up."""

import pytest

import torseur as ts
from torseur.forces import law
from torseur.model.formats.schema import SCHEMA_VERSION, specs, type_name

MODEL = """
schema_version: {version}
bodies: {{b: {{mass: 1, inertia: [1, 1, 1]}}}}
joints: [{{name: x, type: {joint}, parent: world, child: b, axis: x}}]
forces: [{force}]
"""
PLACES = {
    "turning": ("revolute", "joint: x", 0),
    "sliding": ("prismatic", "joint: x", 1),
    "one of two": ("cylindrical", "joint: x, coordinate: angle", 0),
    "between": ("revolute", "between: [b, world]", 1),
}
FIELDS = [
    (cls, spec)
    for cls in law.values()
    for spec in specs(cls).values()
    if " | " in (spec.unit or "") and "^i" not in spec.unit
    if "N m" not in spec.unit.split(" | ")[1]  # a motor turns, whatever it drives
]


def told(tmp_path, joint, force):
    """What a file with this force is told, if anything."""
    path = tmp_path / "m.yaml"
    path.write_text(MODEL.format(version=SCHEMA_VERSION, joint=joint, force=force))
    try:
        ts.load(path)
    except ts.ModelError as e:
        return str(e)
    return ""


@pytest.mark.parametrize("place", PLACES)
def test_a_unit_of_the_other_kind_is_refused(tmp_path, place):
    joint, where, side = PLACES[place]
    assert len(FIELDS) > 20
    for cls, spec in FIELDS:
        for i, unit in enumerate(spec.unit.split(" | ")):
            columns = [f"1 {u}" for u in unit.split(", ")]
            given = columns[0] if len(columns) == 1 else f"[[{', '.join(columns)}]]"
            own = f"name: f, type: {type_name(cls)}, {spec.name}: {given}"
            wrong = "is not one" in told(tmp_path, joint, f"{{{own}, {where}}}")
            assert wrong == (i != side), (place, own)


@pytest.mark.parametrize("kind", ["series", "parallel"])
def test_laws_in_laws_follow(tmp_path, kind):
    laws = "laws: [{type: spring, stiffness: 5 N/mm}, {type: spring, stiffness: 9 N/mm}]"
    force = f"{{name: f, type: {kind}, joint: x, {laws}}}"
    assert told(tmp_path, "prismatic", force) == ""
    assert told(tmp_path, "revolute", force).count("is not one") == 2
    line = "{name: f, type: joint_force, joint: x, law: {type: spring, stiffness: 5 N/mm}}"
    assert told(tmp_path, "prismatic", line) == ""
    assert told(tmp_path, "revolute", line).count("is not one") == 1
