"""What the page is told: cards by the kind of run, sentences, measurements, values of terms."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import zoo

import torseur as ts
from torseur.errors import TorseurError
from torseur.results import Trajectory
from torseur.show.overlays import read_measurement
from torseur.show.page import collect_contents
from torseur.show.panel_base import ReportContext, collect_cards
from torseur.symbolic import equations, multiplier, rows, sum_values
from torseur.symbolic.print.normal_form import size


def told(run):
    return collect_contents(run, None, {})[0]


def labels(run):
    return [c["label"] for c in collect_cards(told(run))]


def test_a_name_may_be_asked_for_first():
    """`ts.Parallel` once ran in circles unless another law had been asked for before."""
    words = "import torseur as ts; ts.Parallel"
    assert subprocess.run([sys.executable, "-c", words], capture_output=True).returncode == 0


def test_an_impact_is_judged_by_its_deceleration():
    car = ts.Body("car", mass=1000.0)
    model = ts.Model(
        bodies=(car,),
        joints=(ts.Joint("way", "world", "car", ts.Prismatic("x")),),
        forces=(ts.JointForce("front", "way", ts.Parallel(ts.Spring(1e6), ts.Viscous(3e4))),),
    )
    run = ts.simulate(model, 0.15, {"way.speed": 15.0})
    cards = {c["label"]: c for c in collect_cards(told(run))}
    peak = abs(run["car.acceleration.x"]).max()
    assert cards["Peak deceleration"]["value"] == pytest.approx(peak / 9.80665)
    assert "Largest speed" not in cards and list(cards)[-1] == "Energy error"
    calm = ts.simulate(model, 0.15, {"way.speed": 0.01})
    assert "Peak deceleration" not in labels(calm)


def test_at_most_six_cards_and_a_bad_one_is_said_so():
    names = [f"energy.{n}" for n in "kinetic potential dissipated supplied residual".split()]
    run = Trajectory([0.0, 1.0], {n: [0.0, 1.0] for n in names}, dict.fromkeys(names, "J"))
    *others, card = collect_cards(ReportContext(run, None, None, {}))
    assert [c["label"] for c in others] == ["Largest energy"]
    assert card["bad"] and card["note"] == "energy balance violated"


def geared():
    return ts.Model(
        bodies=tuple(ts.Body(f"b{i}", mass=1.0 + i, com=(0.5, 0.1, 0)) for i in (0, 1)),
        joints=tuple(ts.Joint(f"j{i}", "world", f"b{i}", ts.Revolute("z")) for i in (0, 1)),
        constraints=(ts.Gear("g", "j0.angle", "j1.angle", 1.5),),
        gravity=(0, -9.81, 0),
    )


def arm():
    return zoo.tree([ts.Revolute("y"), ts.Prismatic("x"), ts.Revolute("z")], parents=(-1, 0, 1))


@pytest.mark.parametrize("make", [arm, geared])
def test_printed_terms_add_up_to_the_effort(make):
    """Values of the printed terms sum to the effort that the run has by another way."""
    model = make()
    system = model.check()
    start = dict.fromkeys(system.coordinates[: 1 if make is geared else None], 0.3)
    run = ts.simulate(system, 0.3, start, output=7)
    eq = equations(system)
    names = [n for n in run.provenance["state"] if n not in system.coordinates]
    q, v = (np.stack([run[n] for n in which], -1) for which in (system.coordinates, names))
    a = np.stack([run[f"{n.rpartition('.')[0]}.acceleration"] for n in names], -1)
    held = eq.constraints.names if system.held else ()
    lam = {
        multiplier(eq, i): run[f"{n.removesuffix('.relation')}.multiplier"]
        for i, n in enumerate(held)
    }
    for (_, terms), name in zip(rows(eq), names, strict=True):
        got = sum(sum_values(eq, terms, q, v, a, lam))
        want = run[f"{name.rpartition('.')[0]}.effort"]
        np.testing.assert_allclose(got, want, atol=1e-9)


def test_rows_that_are_too_long_are_none():
    eq = equations(arm().check())
    whole = rows(eq)
    count = sum(size(p) for _, terms in whole for p in terms)
    assert rows(eq, count) == whole and rows(eq, count - 1) == [] and count > 10


@pytest.mark.parametrize("letters", [60, 3000])
def test_equations_too_long_to_read_leave_nothing_in_the_page(letters, monkeypatch):
    """Neither values of their terms nor the words for them: the sentence is all there is."""
    from torseur.show.panels import equations as panel

    model, said = arm(), "too long to read on a page"
    run = ts.simulate(model, 0.1, output=3)
    whole = ts.report(run, model=model).html
    assert said not in whole and "data-term=" in whole
    panel._render_equations.cache_clear()
    monkeypatch.setattr(panel, "MAX_CHARACTERS", letters)
    monkeypatch.setattr(panel, "evaluate_terms", None)  # not asked for
    short = ts.report(run, model=model).html
    panel._render_equations.cache_clear()
    assert said in short and "data-term=" not in short


def test_a_measured_table_takes_the_units_of_the_run(tmp_path):
    path = tmp_path / "test.csv"
    path.write_text("time [ms],x [mm],note [V]\n10,5,1\n0,2,\n", encoding="utf-8")
    got = read_measurement(path, {"time": "s", "x": "m"})
    np.testing.assert_allclose(got.time, [0.0, 0.01])
    np.testing.assert_allclose(got["x"], [0.002, 0.005])
    assert np.isnan(got["note"][0]) and got.units["note"] == "V"
    for text, said in (("t,x\n0,1\n", "'time'"), ("time,y\n0,1\n", "none of its columns")):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(TorseurError, match=said):
            read_measurement(path, {"x": "m"})


def test_what_is_laid_over_a_run_is_a_run_or_a_file():
    run = Trajectory([0.0, 1.0], {"x": [1.0, 2.0]}, {"x": "m"})
    with pytest.raises(TorseurError, match="takes runs"):
        ts.report([run, 3])
    with pytest.raises(TorseurError, match="must be a run"):
        ts.report([])
    with pytest.raises(TorseurError, match="1 labels for 2 runs"):
        ts.report([run, run], labels=["a"])
    assert "run 2" in ts.report([run, run]).html


def test_front_of_a_thing_on_wheels_is_where_it_drives():
    from torseur.show.scene import build_scene

    disc = ts.Cylinder(radius=0.3, length=0.1, rpy=("90 deg", 0, 0))
    wheels = [replace(disc, at=(x, y, 0)) for x in (0, 2) for y in (-1, 1)]
    car = ts.Body("car", mass=1000.0, inertia=(300, 900, 1000), shapes=tuple(wheels))
    model = ts.Model(bodies=(car,), joints=(ts.Joint("free", "world", "car", ts.Free()),))
    run = ts.simulate(model, 0.01)
    assert np.allclose(build_scene(run, model, {})["forward"], (1, 0, 0), atol=1e-12)
    upright = replace(car, shapes=tuple(replace(w, rpy=(0, 0, 0)) for w in wheels))
    assert build_scene(run, replace(model, bodies=(upright,)), {})["forward"] is None
