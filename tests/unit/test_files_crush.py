"""Every field of a crushing link in a file, with units, and back."""

import pytest

import torseur as ts

HEAD = """
gravity: 0
bodies: {b: {mass: 2}}
joints: {x: {type: prismatic, parent: world, child: b, axis: x}}
"""


def read(tmp_path, force, head=HEAD):
    path = tmp_path / "m.yaml"
    path.write_text(f"{head}forces:\n  - {force}\n")
    model = ts.load(path)
    model.check()
    return model


FORCES = {
    "{name: f, type: crush, joint: x, gap: 60 mm, unloading: 4 kN/mm, beyond: extend, "
    "tension: mirror, rupture: 100 mm, points: {d: [0 mm, 20 mm], F: [0, 15 kN]}}": ts.Crush(
        ((0, 0), (0.02, 15000)), 4e6, "extend", 0.06, "mirror", 0.1
    ),
    "{name: f, type: crush, joint: x, points: [[0, 0], [20 mm, 15 kN]], rupture_force: 30 kN, "
    "unloading: {largest: [0, 50 mm], slope: [2 kN/mm, 4 kN/mm]}, rupture_energy: 1.5 kJ, "
    "tension: {d: [0, 10 mm], F: [0, 1 kN]}, rate: 1 + 0.016*rate, rate_acts: loading}": ts.Crush(
        ((0, 0), (0.02, 15000)),
        ((0, 2e6), (0.05, 4e6)),
        tension=((0, 0), (0.01, 1000)),
        rupture_force=30000,
        rupture_energy=1500,
        rate="1 + 0.016*rate",
        rate_acts="loading",
    ),
    "{name: f, type: crush, joint: x, points: [[0, 0], [20 mm, 15 kN]], damping: 2 kN s/m, "
    "unloading_curve: [[0, 0], [5 mm, 8 kN]], sense: compression, free_length: 1 m}": ts.Crush(
        ((0, 0), (0.02, 15000)),
        damping=2000,
        unloading_curve=((0, 0), (0.005, 8000)),
        sense="compression",
        free_length=1,
    ),
    "{name: f, type: crush, joint: x, points: [[0, 0], [20 mm, 15 kN]], unloading: 2 kN/mm, "
    "second_slope: 1 kN/mm, second_below: 40 %}": ts.Crush(
        ((0, 0), (0.02, 15000)), 2e6, second_slope=1e6, second_below=0.4
    ),
    "{name: f, type: kinematic_hardening, joint: x, stiffness: 2 kN/mm, yield_force: 40 kN, "
    "hardening: 100 N/mm}": ts.KinematicHardening(2e6, 40000, 1e5),
    "{name: f, type: series, joint: x, laws: [{type: spring, stiffness: 1 kN/mm}, {type: crush, "
    "points: [[0, 0], [20 mm, 15 kN]], unloading: 2 kN/mm}]}": ts.Series(
        ts.Spring(1e6), ts.Crush(((0, 0), (0.02, 15000)), 2e6)
    ),
}


@pytest.mark.parametrize("text", FORCES)
def test_a_file_says_all_of_it(tmp_path, text):
    model = read(tmp_path, text)
    assert model.forces[0].law == FORCES[text]
    again = tmp_path / "again.yaml"
    model.save(again)
    assert ts.load(again).forces[0].law == FORCES[text]


@pytest.mark.parametrize(
    "more, text",
    [("unloading: 4 kN", "unloading = 4 kN"), ("unloading: 1e7, tension: both", "tension='both'")],
)
def test_wrong_words_and_units_are_told(tmp_path, more, text):
    with pytest.raises(ts.ModelError) as caught:
        curve = "points: [[0, 0], [20 mm, 15 kN]]"
        read(tmp_path, f"{{name: f, type: crush, joint: x, {curve}, {more}}}")
    assert text in str(caught.value)


def test_a_file_runs_to_rupture(tmp_path):
    model = read(
        tmp_path,
        "{name: f, type: crush, joint: x, points: [[0, 0], [1 m, 10 kN]], unloading: 100 kN/m, "
        "rupture: 30 mm}",
    )
    run = ts.simulate(model, 0.05, {"x.speed": 4.0})
    assert [e.name for e in run.events] == ["f: torn"]
    assert run["f.energy.torn"][-1] == pytest.approx(300**2 / 2e5, rel=1e-7)
