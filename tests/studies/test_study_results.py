"""What a study answers: chances, surfaces, optima, tolerances, models against a test, the page."""

import json
import re

import numpy as np
import pytest

import torseur as ts
from torseur.results import Runs
from torseur.studies import METRICS, statistics

SPRING = ts.Model(
    "block on a spring",
    gravity=(0, 0, 0),
    bodies=(ts.Body("b", "m"),),
    joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
    forces=(ts.JointForce("f", "x", ts.Spring("k")), ts.JointForce("d", "x", ts.Viscous("c"))),
    parameters={"m": 1.0, "k": 4.0, "c": 0.1},
    initial={"x.speed": 1.0},
)
FREE = ts.Model(
    "block",
    gravity=(0, 0, 0),
    bodies=(ts.Body("b", 1.0),),
    joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
)


@pytest.fixture(scope="module")
def drawn():
    """The end is x + v: known in closed form."""
    return ts.study(
        FREE,
        t_end=1.0,
        vary={"x.displacement": ts.studies.Uniform(0, 1), "x.speed": ts.studies.Normal(0, 1)},
        samples=400,
        design="random",
        seed=3,
        keep={
            "end": ts.studies.Final("x.displacement"),
            "way": ts.studies.SignalAt("x.displacement"),
        },
        output=5,
        engine="lanes",
    )


def test_intervals_cover_what_they_say():
    """Coverage of exact intervals, from many repeats: at least what was asked."""
    rng = np.random.default_rng(0)
    hits = [0, 0, 0]
    for _ in range(400):
        x = rng.normal(size=60)
        share = statistics.estimate_probability(x > 1.0, 0.9)
        hits[0] += share.low <= 0.15865525 <= share.high
        _, low, high = statistics.estimate_percentile(x, 75, 0.9)
        hits[1] += low <= 0.67448975 <= high
        middle = statistics.estimate_mean(x, 0.9)
        hits[2] += middle.low <= 0.0 <= middle.high
    assert all(h >= 0.87 * 400 for h in hits) and hits[2] <= 0.94 * 400


def test_probability_of_failure(drawn):
    found = drawn.probability("end", above=2.0)
    assert found.failing == (drawn["end"] > 2.0).sum() and found.low < found.value < found.high
    assert drawn.probability("end", below="-1 m").value == (drawn["end"] < -1).mean()
    with pytest.raises(ts.ArgumentError, match="give above= or below="):
        drawn.probability("end")


def test_bands_with_confidence(drawn):
    band = drawn.bands("way", (5, 50, 95), confidence=0.95)
    assert band.shape == (3, 3, 5)
    assert (band[:, 1] <= band[:, 0]).all() and (band[:, 0] <= band[:, 2]).all()
    assert np.allclose(band[:, 0], drawn.bands("way"))
    assert drawn.worst("end", "max", 2)["end"].iloc[0] == drawn["end"].max()
    assert {"mean", "95 % high"} <= set(drawn.summary().columns)


def test_a_surface_predicts_members_that_it_has_not_seen(drawn):
    surface = drawn.surface("end", 1)
    assert surface.q2 > 1 - 1e-12
    assert np.isclose(surface({"x.displacement": 0.3, "x.speed": 0.5}), 0.8)
    with pytest.raises(ts.ArgumentError, match=r"'x.speed' is outside"):
        surface({"x.displacement": 0.3, "x.speed": 50.0})
    noisy = ts.studies.Surface({"x": np.arange(30.0)}, np.arange(30.0) % 2, 3, "y")
    assert noisy.q2 < noisy.r2 < 0.5


@pytest.mark.parametrize(
    "measure",
    [
        ts.studies.Final("x.displacement"),
        ts.studies.Peak("x.displacement"),
        ts.studies.Peak("x.speed", "min"),
        ts.studies.Mean("x.displacement"),
        ts.studies.RMS("x.acceleration"),
    ],
    ids=lambda m: type(m).__name__,
)
def test_exact_gradients_are_those_of_differences(measure):
    from torseur.studies.optimization import OptimizationProblem

    box = {"k": (2.0, 9.0), "c": (0.0, 0.4), "x.speed": (0.5, 2.0)}
    options = {"t_end": 1.7, "rtol": 1e-10, "atol": 1e-12, "output": 2001}
    problem = OptimizationProblem(SPRING, box, measure, None, {}, options)
    u = np.array([0.3, 0.4, 0.6])
    exact, rough = problem.evaluate_exactly(u), problem.evaluate_by_differences(u)
    assert exact is not None
    a, b = exact[1]["objective"], rough[1]["objective"]
    assert np.allclose(a, b, atol=2e-4 * abs(b).max())
    assert np.isclose(exact[0]["objective"], rough[0]["objective"], rtol=1e-6)


def test_optimum_of_a_damper_is_the_known_one():
    """A mass that is to settle: the least rms of the position lies at c = sqrt(k m)."""
    best = ts.studies.optimize(
        SPRING,
        vary={"c": (0.2, 8.0)},
        minimize=ts.studies.RMS("x.displacement"),
        t_end=40.0,
        output=4001,
    )
    # the integral of x^2 from v0 alone is v0^2 m^2/(2 c k): it falls with c up to the bound
    assert best.active == {"c": "high"} and best.gradient == "exact"
    best = ts.studies.optimize(
        SPRING,
        vary={"c": (0.2, 8.0)},
        minimize=ts.studies.RMS("x.displacement"),
        subject_to={"effort": (ts.studies.Peak("d.force"), None, 2.0)},
        t_end=40.0,
        output=4001,
        gradient="differences",
    )
    assert np.isclose(best.kept["effort"], 2.0, rtol=1e-3) and "effort" in best.active
    assert best.model.parameters["c"] == best.values["c"]
    with pytest.raises(ts.ArgumentError, match=r"expected \(low, high\)"):
        ts.studies.optimize(SPRING, vary={"c": 3.0}, minimize=ts.studies.Peak("x.speed"), t_end=1.0)


def test_worst_case_is_at_the_corner():
    found = ts.studies.worst_case(
        FREE,
        vary={"x.speed": (1.0, 2.0), "x.displacement": (-1.0, 0.5)},
        of=ts.studies.Final("x.displacement"),
        by="min",
        t_end=1.0,
    )
    assert np.isclose(found.value, 0.0, atol=1e-9) and found.active["x.speed"] == "low"


def test_a_front_is_not_beaten_by_its_own_points():
    pytest.importorskip("pymoo")
    front = ts.studies.optimize(
        SPRING,
        vary={"c": (0.1, 8.0), "k": (1.0, 20.0)},
        minimize={"way": ts.studies.Peak("x.displacement"), "force": ts.studies.Peak("d.force")},
        t_end=2.0,
        output=201,
        generations=8,
        population=16,
        seed=1,
    )
    F = front.table[["way", "force"]].to_numpy()
    beaten = [((F <= f).all(axis=1) & (F < f).any(axis=1)).any() for f in F]
    assert len(front) > 3 and not any(beaten)
    assert front.model_of(0).parameters["c"] == front.table["c"][0]


def test_tolerances_of_a_crank_and_slider():
    """x = r cos a + sqrt(l^2 - r^2 sin^2 a): slopes in closed form."""
    r, length, a = 0.1, 0.35, 0.7
    parts = ("crank", "rod", "piston")
    crank = ts.Model(
        "crank and slider",
        gravity=(0, 0, 0),
        parameters={"r": r, "l": length},
        bodies=tuple(ts.Body(n, 1.0, inertia=(0.01,) * 3 + (0, 0, 0)) for n in parts),
        joints=(
            ts.Joint("main", "world", "crank", ts.Revolute("z")),
            ts.Joint("pin", "crank", "rod", ts.Revolute("z"), at=("r", 0, 0)),
            ts.Joint("wrist", "rod", "piston", ts.Revolute("z"), at=("l", 0, 0)),
        ),
        loops=(ts.Loop("bore", "piston", "world", ts.Prismatic("x")),),
        initial={"main.angle": a, "pin.angle": -0.9, "wrist.angle": 0.2},
        simulation={"keep": ["main.angle"]},
    )
    found = ts.studies.tolerances(
        crank, {"r": "0.05 mm", "l": "0.1 mm", "main.angle": 1e-3}, "piston.position.x"
    )
    root = np.sqrt(length**2 - (r * np.sin(a)) ** 2)
    slopes = {
        "r": np.cos(a) - r * np.sin(a) ** 2 / root,
        "l": length / root,
        "main.angle": -r * np.sin(a) - r**2 * np.sin(a) * np.cos(a) / root,
    }
    assert np.isclose(found.nominal, r * np.cos(a) + root)
    for name, want in slopes.items():
        assert np.isclose(found.table["slope"][name], want, rtol=1e-4)
    half = np.array([5e-5, 1e-4, 1e-3])
    each = half * np.abs([slopes["r"], slopes["l"], slopes["main.angle"]])
    assert np.isclose(found.worst, each.sum(), rtol=1e-4)
    assert np.isclose(found.rss, np.sqrt((each**2).sum()), rtol=1e-4)
    low, high = found.corners
    assert np.isclose(high - low, 2 * each.sum(), rtol=1e-3)


def test_drawn_parts_stay_within_the_worst_case():
    found = ts.studies.tolerances(
        FREE, {"x.speed": 0.1, "x.displacement": 0.2}, ts.studies.Final("x.displacement"),
        t_end=1.0, samples=500,
    )  # fmt: skip
    y = found.drawn["of"]
    assert abs(y - found.nominal).max() <= found.worst
    assert np.isclose(3 * y.std(), found.rss, rtol=0.1)
    assert found.inside(-0.3, 0.3).value == 1.0


def test_models_against_one_test():
    from dataclasses import replace

    t = np.linspace(0, 2, 401)
    truth = ts.simulate(SPRING, 2.0, output=t)
    test = {"x.displacement": (t, truth["x.displacement"])}
    lean = replace(SPRING, forces=SPRING.forces[:1])
    found = ts.studies.compare_models(
        {"damped": SPRING, "undamped": lean}, test, t_end=2.0, score=False
    )
    rms = found.table["rms x.displacement"]
    assert rms["damped"] < 1e-5 < 1e-2 < rms["undamped"]
    assert found.table["forces"].tolist() == [2, 1]
    rows = np.sort([*range(401), 100, 200])  # two of one time, as a run has at events
    twice = {"x.displacement": (t[rows], truth["x.displacement"][rows])}
    same = ts.studies.compare_models({"damped": SPRING}, twice, t_end=2.0, score=False)
    assert same.table["rms x.displacement"]["damped"] == rms["damped"]
    with pytest.raises(ts.ArgumentError, match=r"x\.displacment"):
        ts.studies.compare_models(
            {"a": SPRING}, {"x.displacment": test["x.displacement"]}, t_end=2.0
        )


@pytest.mark.parametrize("name", sorted(METRICS))
def test_metrics_by_name_are_those_of_the_run(name, tmp_path):
    """Kept in lanes and in a store, they are the functions of the rooms they come from."""
    made = METRICS[name]
    options = {"target": 0.2} if made.needs else {"speed": 1.0} if made.speed else {}
    signal = "x.displacement" if made.needs else "b.acceleration.x"
    kept = ts.studies.Metric(name, signal, **options)
    asked = {"t_end": 1.5, "vary": {"k": ts.studies.Grid([3.0, 5.0])}, "keep": {"y": kept}}
    try:
        study = ts.study(SPRING, **asked, engine="lanes", store=tmp_path / "s.zarr", output=3001)
    except ts.TorseurError as e:  # a pulse that has none of it says so
        pytest.skip(str(e))
    run = study.run(1)
    want = kept.evaluate_runs(Runs.of([run]))[0]
    assert np.isclose(study["y"][1], want, rtol=1e-6, equal_nan=True)
    again = ts.studies.open(tmp_path / "s.zarr")
    assert np.array_equal(again["y"], study["y"], equal_nan=True)


def test_the_page_carries_what_it_draws(drawn, tmp_path):
    html = drawn.report(tmp_path / "study.html", runs=[3, 7]).read_text()
    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.S)
    data = json.loads(text.group(1))
    assert [c["name"] for c in data["columns"]] == ["x.displacement", "x.speed", "end"]
    assert len(data["members"]) == 400 and set(data["runs"]) == {"3", "7"}
    assert sum(data["histograms"][0]["counts"]) == 400
    assert np.allclose(data["bands"][0]["lines"][2], drawn.bands("way")[1], rtol=1e-4, atol=1e-6)
    for word in ("parallel", "matrix", "histogram0", "bands0", "rows", "run"):
        assert f'id="{word}"' in html
    assert html.count("@script@") == 3  # of two runs and the word itself: the viewer travels once
    assert "<script src" not in html and "stylesheet" not in html
