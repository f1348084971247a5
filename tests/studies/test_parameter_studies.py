"""Studies: spreads, designs, engines that give the same numbers, stores that lose nothing."""

import os
import pickle
from pathlib import Path

import numpy as np
import pytest

import torseur as ts
from torseur.compiler import assembled
from torseur.compiler.runtime import cache
from torseur.model import field_paths
from torseur.simulation import SimdBatch
from torseur.studies import distributions, executors, sampling
from torseur.studies.executors import make_package, receive_package
from torseur.studies.storage import Zarr

CRUSH = ts.Crush(((0, 0), (0.1, 2e4), (0.3, 6e4)), 1e6)


def block(law=CRUSH):
    return ts.Model(
        "block",
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", 100.0),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        forces=(ts.JointForce("f", "x", law),),
    )


TIMES = np.linspace(0.0, 0.05, 6)
ASKED = {
    "t_end": 0.05,
    "vary": {
        "f.scale": ts.studies.Normal(1, 0.1),
        "x.speed": ts.studies.Grid("18 km/h", "36 km/h", 4),
        "b.mass": ts.studies.Uniform(80, 120),
    },
    "keep": {
        "peak": ts.studies.Peak("x.acceleration"),
        "way": ts.studies.SignalAt("x.displacement", at=TIMES),
        "turn": ts.studies.EventTime("f: turning"),
    },
    "samples": 10,
    "design": "sobol",
}


@pytest.fixture(scope="module")
def here():
    return ts.study(block(), engine="lanes", **ASKED)


def test_members_are_the_runs_they_say(here):
    shown = here._repr_html_()  # what a notebook shows: plan, numbers kept, outcomes
    assert "<table" in shown and all(n in shown for n in ("b.mass", "f.scale", "turn", "outcome"))
    for i in (0, 7):
        row = here.table.loc[i]
        model = block(
            ts.Crush(tuple((d, F * row["f.scale"]) for d, F in CRUSH.points), 1e6 * row["f.scale"])
        )
        model = field_paths.replaced(model, "b.mass", row["b.mass"])
        run = ts.simulate(model, 0.05, {"x.speed": row["x.speed"]}, output=TIMES)
        assert np.allclose(
            here["way"][i], run["x.displacement"][np.searchsorted(run.time, TIMES)], rtol=1e-9
        )
        turned = [e.time for e in run.events if e.name == "f: turning"]
        assert np.allclose(here["turn"][i], turned[0] if turned else np.nan, equal_nan=True)


def test_a_linear_spring_has_its_closed_form():
    k, m = 4e4, 100.0
    found = ts.study(
        block(ts.Spring("k")).__class__(
            **{
                **{
                    f: getattr(block(ts.Spring("k")), f)
                    for f in ("name", "gravity", "bodies", "joints", "forces")
                },
                "parameters": {"k": k},
            }
        ),
        t_end=0.05,
        vary={"k": ts.studies.Grid([k, 2 * k]), "x.speed": ts.studies.Grid(1, 2, 2)},
        keep={"end": ts.studies.Final("x.displacement")},
        engine="lanes",
    )
    w = np.sqrt(found["k"] / m)
    assert np.allclose(found["end"], found["x.speed"] / w * np.sin(w * 0.05), rtol=1e-7)


def same(a, b):
    assert all(
        np.array_equal(a[n], b[n], equal_nan=True) for n in ("peak", "way", "turn", "b.mass")
    )
    assert a["outcome"].tolist() == b["outcome"].tolist()


def compiled(run):
    """How much the process that measures a run has compiled itself."""
    return float(assembled())


@pytest.mark.parametrize("engine", ["processes", "dask"])
def test_numbers_do_not_depend_on_the_engine(here, engine, tmp_path, monkeypatch):
    if engine == "dask":
        distributed = pytest.importorskip("distributed")
        with (
            distributed.LocalCluster(
                n_workers=1,
                threads_per_worker=1,
                processes=False,
                dashboard_address=None,
                local_directory=str(tmp_path),
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            same(here, ts.study(block(), engine=client, **ASKED))
    else:
        monkeypatch.setenv("TORSEUR_CACHE", "off")  # of the worker, too: code came with the plan
        asked = {**ASKED, "keep": {**ASKED["keep"], "compiled": ts.studies.Metric(compiled)}}
        found = ts.study(block(), engine=engine, workers=1, **asked)
        same(here, found)
        assert not found["compiled"].any()


def test_code_that_came_with_a_plan_is_taken_only_if_it_is_whole(here, monkeypatch):
    given = make_package(here.plan).code
    monkeypatch.setattr(cache, "_IMPORTED", {})
    monkeypatch.setenv("TORSEUR_CACHE", "off")
    name = max(given, key=lambda n: len(given[n]))
    assert cache.load_entry(name) is None
    cache.carry(given)
    assert cache.load_entry(name) is not None
    other = next(n for n in given if n != name)
    for bad in (given[name][:-1] + b"?", given[name][:-1], given[other], b""):
        cache.carry({name: bad})
        assert cache.load_entry(name) is None


def test_a_store_goes_on_where_it_stopped_and_opens_with_xarray(here, tmp_path):
    zarr = pytest.importorskip("zarr")
    import xarray

    asked = {k: v for k, v in ASKED.items() if k != "samples"} | {"samples": 130}
    whole = ts.study(block(), engine="lanes", **asked)
    path = tmp_path / "s.zarr"
    store = Zarr(path, whole.plan)
    store.put(1, whole.plan.compute(1))  # a driver that was killed after one chunk of three,
    store.group["way"][3] = 5.0  # in the midst of another
    half = ts.studies.open(path)
    assert half.store.missing() == [0, 2] and np.isnan(half["peak"][0])
    assert half["outcome"][0] == "not computed"
    same(ts.studies.open(path).resume(engine="lanes"), whole)
    same(ts.study(block(), engine="lanes", store=path, **asked), whole)  # nothing is left to do
    with xarray.open_zarr(path, consolidated=False) as data:
        assert np.array_equal(data["way"].values, whole["way"], equal_nan=True)
        assert data["way"].dims == ("member", "way_time")
    other = {**asked, "keep": {"peak": ts.studies.Peak("x.displacement")}}
    with pytest.raises(ts.TorseurError, match="another study"):
        ts.study(block(), engine="lanes", store=path, **other)
    assert zarr.open_group(str(path), mode="r")["done"][:].all()


def test_every_member_may_have_a_sentence_of_its_own(here, tmp_path):
    pytest.importorskip("zarr")
    whole = ts.study(block(), engine="lanes", **{**ASKED, "samples": 130}).plan
    store = Zarr(tmp_path / "s.zarr", whole)
    columns = [whole.compute(c) for c in range(3)]
    said = np.array([f"member {i % 100}" for i in range(130)], dtype=object)
    for c in (0, 2):
        store.put(c, {**columns[c], "outcome": said[64 * c : 64 * c + 64]})
    room = Zarr(tmp_path / "s.zarr").group["outcomes"]
    room.create_array("65", shape=(3,), dtype="u1")  # a driver that was killed while it wrote
    again = Zarr(tmp_path / "s.zarr")
    assert len(again.outcome_texts) == 1 + 64 and again.get("outcome")[64] == "not computed"
    again.put(1, {**columns[1], "outcome": said[64:128]})
    assert Zarr(tmp_path / "s.zarr").get("outcome").tolist() == said.tolist()


def test_a_run_that_a_metric_keeps_stays_what_it_was():
    kept: list = []
    asked = {k: ASKED[k] for k in ("t_end", "vary", "design")} | {"samples": 130, "output": 21}
    found = ts.study(
        block(),
        engine="lanes",
        keep={"n": ts.studies.Metric(lambda run: kept.append(run) or 0.0)},
        **asked,
    )
    for i in (0, 63, 129):
        again = found.run(i)
        assert np.allclose(kept[i]["x.displacement"], again["x.displacement"], rtol=1e-9)
        assert np.allclose(kept[i]["f.force"], again["f.force"], rtol=1e-6, atol=1e-6)


def test_parts_of_many_runs_are_the_runs():
    cohort = SimdBatch(block().check(), 0.05, ts.Options(output=9))
    speed = np.linspace(1, 9, 600)
    whole = cohort.runs(600, {"x.speed": speed})
    for own, runs in cohort.parts(600, {"x.speed": speed}):
        rows = slice(whole.cuts[own.start], whole.cuts[own.stop])
        assert np.array_equal(runs["f.force"], whole["f.force"][rows])
        assert np.array_equal(runs.end("b.velocity.x"), whole.end("b.velocity.x")[own])


def test_two_who_run_at_once_do_not_share_memory():
    """As threads of a Dask worker do: rows of one stay while the other runs on the same lanes."""
    cohort = SimdBatch(block().check(), 0.05, ts.Options(output=9))
    mine, yours = (
        cohort.parts(16, {"x.speed": np.linspace(*ends, 16)}) for ends in ((1, 9), (2, 4))
    )
    for _, runs in mine:
        before, end = runs.time.copy(), runs["x.displacement"].copy()
        for _, other in yours:
            assert not np.array_equal(other["x.displacement"], end)
        assert np.array_equal(runs.time, before)
        assert np.array_equal(runs.end("x.displacement"), end[runs.cuts[1:] - 1])
    assert len(cohort.free["dopri5"]) == 2  # both were given back


def test_a_model_remembers_its_bench_until_it_changes():
    points = [[0, 0], [0.1, 2e4], [0.3, 6e4]]
    model = block(ts.Table(points))
    asked = {"t_end": 0.01, "vary": {"x.speed": [5.0]}, "engine": "lanes", "output": 3}
    asked["keep"] = {"end": ts.studies.Final("x.displacement")}
    first, again = (ts.study(model, **asked) for _ in range(2))
    assert first.plan.benches[0] is again.plan.benches[0]
    assert not again.plan.benches[0].batch.free  # memory of lanes went back
    assert ts.study(model, **asked, rtol=1e-5).plan.benches[0] is not again.plan.benches[0]
    start = ts.Model(**{f: getattr(model, f) for f in ("gravity", "bodies", "joints", "forces")})
    ends = []
    for speed in (1.0, 2.0):
        start.initial["x.displacement"] = 0.01 * speed  # changed in place
        ends.append(ts.study(start, **asked)["end"][0])
    assert ends[1] - ends[0] > 0.005


class Killer:
    """A metric that takes its process down, the first time only."""

    def __init__(self, flag):
        self.flag = str(flag)

    def __call__(self, run):
        if not Path(self.flag).exists():
            Path(self.flag).touch()
            os._exit(9)
        return run["x.displacement"][-1]


def test_a_killed_worker_costs_nothing(tmp_path):
    asked = {"t_end": 0.05, "vary": {"x.speed": ts.studies.Grid(1, 2, 3)}}
    hurt = {"end": ts.studies.Metric(Killer(tmp_path / "flag"))}
    (tmp_path / "first").touch()
    sound = {"end": ts.studies.Metric(Killer(tmp_path / "first"))}
    whole = ts.study(block(), keep=sound, engine="lanes", **asked)
    found = ts.study(block(), keep=hurt, engine="processes", workers=1, **asked)
    assert np.array_equal(found["end"], whole["end"])
    assert (tmp_path / "flag").exists() and np.isfinite(whole["end"]).all()


def test_a_worker_killed_before_it_reads_leaves_nobody_waiting(monkeypatch):
    """What a new process reads from its pipe fits into it: the parent never waits for a reader."""

    class Told(Exception):
        pass

    def pool(workers, context, begin, given):
        raise Told(len(pickle.dumps((begin, given))), receive_package(*given), given[0])

    monkeypatch.setattr(executors, "ProcessPoolExecutor", pool)
    asked = {"t_end": 0.05, "vary": {"x.speed": ts.studies.Grid(1, 2, 3)}}
    with pytest.raises(Told) as told:
        ts.study(block(), keep={"end": ts.studies.Final("x.speed")}, engine="processes", **asked)
    size, read, name = told.value.args
    assert size < 4096 < len(pickle.dumps(read)) and read.code
    with pytest.raises(FileNotFoundError):  # nothing is left behind
        receive_package(name, 1)


def test_a_member_that_fails_is_a_row_with_its_sentence():
    law = ts.Expression("20*x/(x - x0)")
    model = ts.Model(
        "wall",
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", 1.0),),
        parameters={"x0": 9.0},
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        forces=(ts.JointForce("f", "x", law),),
    )
    found = ts.study(
        model,
        t_end=0.1,
        vary={"x0": [9.0, 0.0], "x.displacement": [0.1, 0.0]},
        keep={"end": ts.studies.Final("x.displacement")},
        engine="lanes",
    )
    assert found["completed"].tolist() == [True, False]
    assert np.isfinite(found["end"][0]) and len(found["outcome"][1]) > 10


def test_choices_are_branches_and_files_are_rows(tmp_path):
    chosen = ts.study(
        block(),
        t_end=0.05,
        vary={
            "f.law": ts.studies.Choice({"soft": ts.Spring(1e3), "none": ts.Viscous(0)}),
            "x.speed": ts.studies.Grid([1.0, 2.0]),
        },
        keep={"end": ts.studies.Final("x.displacement")},
        engine="lanes",
    )
    assert chosen["f.law"].tolist() == ["soft", "soft", "none", "none"]
    assert np.allclose(chosen["end"][2:], [0.05, 0.1]) and chosen["end"][0] < 0.05
    (tmp_path / "rows.csv").write_text("x.speed [km/h],b.mass\n3.6,10\n7.2,20\n")
    rows = ts.study(
        block(ts.Viscous(0)),
        t_end=0.5,
        vary=tmp_path / "rows.csv",
        keep={"end": ts.studies.Final("x.displacement")},
        engine="lanes",
    )
    assert np.allclose(rows["end"], [0.5, 1.0]) and rows["b.mass"].tolist() == [10.0, 20.0]


@pytest.mark.parametrize("design", sorted(sampling.DESIGNS))
def test_every_design_is_repeatable_and_fills_the_cube(design):
    vary = {"a": ts.studies.Grid(0, 1, 4), "b": ts.studies.Grid([1, 2])}
    if design != "grid":
        vary = {"a": ts.studies.Uniform(0, 1), "b": ts.studies.Normal(0, 1)}
    one, again = (sampling.draw_samples(vary, design, 16, seed=3) for _ in range(2))
    assert all(np.array_equal(one[n], again[n]) for n in vary)
    assert one["a"].min() <= 0.25 and one["a"].max() >= 0.75
    assert len(np.unique(np.stack([one["a"], one["b"]]), axis=1).T) >= 8
    if design != "grid":
        other = sampling.draw_samples(vary, design, 16, seed=4)
        assert not np.array_equal(one["a"], other["a"])


def test_spreads_have_their_moments():
    u = (np.arange(20000) + 0.5) / 20000
    x = distributions.Normal(3, 2).quantile(u)
    assert abs(x.mean() - 3) < 1e-3 and abs(x.std() - 2) < 2e-3
    cut = distributions.Normal(0, 1, low=0).quantile(u)
    assert cut.min() >= 0 and abs(cut.mean() - np.sqrt(2 / np.pi)) < 1e-3
    assert abs(np.median(distributions.LogNormal(5, 0.3).quantile(u)) - 5) < 1e-3


def test_sobol_indices_of_a_linear_answer():
    pytest.importorskip("SALib")
    found = ts.study(
        block(ts.Viscous(0)),
        t_end=0.5,
        design="saltelli",
        samples=64,
        engine="lanes",
        vary={"x.speed": ts.studies.Uniform(0, 2), "x.displacement": ts.studies.Uniform(0, 2)},
        keep={"end": ts.studies.Final("x.displacement")},
    )  # end = x + v/2: shares 0.8 and 0.2
    assert np.allclose(found.sensitivity("end")["S1"], [0.2, 0.8], atol=0.1)


@pytest.mark.parametrize(
    "change, told",
    [
        ({"vary": {"x.sped": ts.studies.Uniform(0, 1)}}, "no field is named 'sped'"),
        ({"keep": {"p": ts.studies.Peak("x.acc")}}, "no signal is named 'x.acc'"),
        (
            {"keep": {"x.speed": ts.studies.Peak("x.acceleration")}},
            "has the name of another column",
        ),
        ({"design": "magic"}, "no design is named 'magic'"),
        ({"samples": None}, "needs samples="),
        ({"engine": "cloud"}, "engine = 'cloud'"),
        ({"t_end": None}, "no end time"),
        ({"keep": {"p": ts.studies.SignalAt("x.speed", at=[1.0])}}, "outside 0 to 0.05"),
    ],
)
def test_wrong_calls_are_told(change, told):
    with pytest.raises(ts.TorseurError, match=told):
        ts.study(block(), **{**ASKED, "engine": "lanes", **change})


def test_the_page_and_the_bands(here, tmp_path):
    page = here.report(tmp_path / "study.html").read_text()
    assert "Study of block" in page and page.count("<canvas") >= 4 and "f.scale" in page
    low, middle, high = here.bands("way")
    assert (low <= middle).all() and (middle <= high).all() and middle[-1] > 0


def test_a_script_without_a_guard_is_not_started_again_by_workers(tmp_path, monkeypatch):
    import sys
    from types import SimpleNamespace

    from torseur.studies import executors

    plain, guarded = tmp_path / "plain.py", tmp_path / "guarded.py"
    plain.write_text("ts.study(...)\n")
    guarded.write_text("if __name__ == '__main__':\n    ts.study(...)\n")
    gone = tmp_path / "<stdin>"  # python - < script.py: every worker died at its start
    for path, may in ((guarded, True), (plain, False), (gone, False)):
        main = SimpleNamespace(__file__=str(path), __spec__=None)
        monkeypatch.setitem(sys.modules, "__main__", main)
        assert executors._can_spawn() is may
    monkeypatch.setitem(
        sys.modules, "__main__", SimpleNamespace(__file__=str(plain), __spec__=None)
    )
    with pytest.raises(ts.TorseurError, match="if __name__ == '__main__'"):
        executors.compute_chunks(None, [], "processes", 2)


def test_a_member_that_failed_has_a_sentence_and_no_numbers():
    stop = ts.JointForce("stop", "x", ts.Limits(-0.5, 0.5, restitution=0.4))
    push = ts.Wrench("push", "b", input="w", axes="world")
    model = ts.Model(
        "pushed",
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", 2.0),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        forces=(push, stop),
        inputs=(ts.Input("w", size=6),),
    )
    found = ts.study(
        model,
        t_end=2.0,
        vary={"w[3]": ts.studies.Grid([0.1, 4.0])},  # a component of an input
        keep={"end": ts.studies.Final("x.displacement")},
        engine="lanes",
    )
    assert found["completed"].tolist() == [True, False]
    assert np.isclose(found["end"][0], 0.1) and np.isnan(found["end"][1])
    assert "a rigid stop only bounces" in found["outcome"][1]


def test_a_law_may_vary_in_every_kind_of_number_at_once():
    """Thresholds of events, numbers of stops and tables: one compiled model, no structure."""
    laws = (
        ts.JointForce("stop", "x", ts.Limits(-0.5, 0.5, stiffness=1e3, damping=5.0)),
        ts.JointForce("mount", "x", ts.Crush(((0, 0), (0.1, 1.0), (0.4, 2.0)), 50.0, rupture=0.3)),
    )
    base = block()
    model = ts.Model(
        base.name, gravity=(0, 0, 0), bodies=base.bodies, joints=base.joints, forces=laws
    )
    vary = {"mount.rupture": [0.1, 0.2], "stop.high": [0.4, 0.3], "b.mass": [90.0, 110.0]}
    found = ts.study(
        model,
        t_end=0.6,
        vary=vary,
        initial={"x.speed": 1.0},
        keep={
            "torn": ts.studies.EventTime("mount: torn"),
            "far": ts.studies.Peak("x.displacement"),
        },
        engine="lanes",
    )
    assert not found.plan.benches[0].changed
    assert np.allclose(found["torn"], [0.1, 0.2], atol=1e-3)
    for i in range(2):
        assert np.isclose(found.run(i)["x.displacement"].max(), found["far"][i], rtol=1e-9)


def test_a_study_of_nothing_is_told():
    with pytest.raises(ts.ArgumentError, match="vary= is empty"):
        ts.study(
            block(), t_end=1.0, vary={}, samples=3, keep={"x": ts.studies.Final("x.displacement")}
        )


def pushed(**more):
    return ts.Model(
        "pushed",
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", 2.0),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        forces=(ts.JointForce("f", "x", ts.Effort(input="push")),),
        inputs=(ts.Input("push", unit="N"),),
        parameters={"w": 4.0},
        **more,
    )


def test_inputs_of_time_run_in_lanes_and_vary(tmp_path):
    asked = {
        "t_end": 1.0,
        "output": 5,
        "engine": "lanes",
        "keep": {"v": ts.studies.Final("x.speed")},
    }
    vary = {"w": ts.studies.Grid([2.0, 5.0]), "push.scale": ts.studies.Grid([1.0, 3.0])}
    found = ts.study(
        pushed(), vary=vary, inputs={"push": "7*cos(w*t)"}, store=tmp_path / "s", **asked
    )
    w = found["w"]
    assert np.allclose(found["v"], found["push.scale"] * 7 / 2 / w * np.sin(w), rtol=1e-8)
    assert all("in lanes" in x for x in found["outcome"])
    again = ts.studies.open(tmp_path / "s")
    assert again.plan.digest == found.plan.digest
    assert again.run(3)["x.speed"][-1] == pytest.approx(found["v"][3], rel=1e-9)
    t = np.linspace(0, 1, 6)
    ways = {"text": "sin(t)", "table": (t, t**2), "held": 2.0, "function": np.cos}
    chosen = ts.study(pushed(), vary={"push": ts.studies.Choice(ways)}, **asked)
    want = np.array([1 - np.cos(1), np.trapezoid(t**2, t), 2.0, np.sin(1)]) / 2
    assert np.allclose(chosen["v"], want, rtol=1e-8)
    table = {"inputs": {"push": (t, t**2)}, **asked}
    value = ts.study(pushed(), vary={"push.values[5]": [1.0, 3.0]}, **table)
    changed = ts.simulate(pushed(), 1.0, inputs={"push": (t, np.append(t[:5] ** 2, 3.0))})
    assert np.allclose(value["v"], [want[1], changed["x.speed"][-1]], rtol=1e-8)
    for name, told in (("push.values[6]", "there are 6 values"), ("push.times[1]", "do not vary")):
        with pytest.raises(ts.ArgumentError, match=told):
            ts.study(pushed(), vary={name: [1.0]}, **table)
    with pytest.raises(ts.TorseurError, match=r"vary 'push\.scale'"):
        ts.study(pushed(), vary={"push": ts.studies.Grid([1.0])}, inputs={"push": "t"}, **asked)


def test_branches_may_have_options_of_their_own(tmp_path):
    short = pushed(initial={"x.speed": 1.0}, simulation={"t_end": 1.0})
    long = pushed(
        initial={"x.speed": 2.0}, simulation={"t_end": "2 s", "method": "rk4", "step": 0.01}
    )
    found = ts.study(
        short,
        vary={"model": ts.studies.Choice({"short": short, "long": long})},
        keep={
            "end": ts.studies.Final("x.displacement"),
            "way": ts.studies.SignalAt("x.displacement", [0.5, 1.5]),
        },
        engine="lanes",
        store=tmp_path / "s",
    )
    assert np.allclose(found["end"], [1.0, 4.0])
    assert np.allclose(found["way"], [[0.5, np.nan], [1.0, 3.0]], equal_nan=True)
    assert "rk4" in found["outcome"][1]
    again = ts.studies.open(tmp_path / "s")
    assert again.plan.digest == found.plan.digest and again.run(1).time[-1] == 2.0


def test_a_metric_that_fails_for_one_member_costs_the_others_nothing():
    def fussy(run):
        return 1 / int(run["x.speed"][-1] > 1.5)

    found = ts.study(
        pushed(),
        t_end=0.1,
        vary={"x.speed": ts.studies.Grid([1.0, 2.0])},
        keep={"one": ts.studies.Metric(fussy), "end": ts.studies.Final("x.speed")},
        engine="lanes",
    )
    assert np.isnan(found["one"][0]) and found["one"][1] == 1.0
    assert found["end"].tolist() == [1.0, 2.0]
    assert found["outcome"][0].endswith("; no 'one': ZeroDivisionError: division by zero")


def test_metrics_of_crash_take_sizes_and_components_as_they_are_defined():
    sides = ts.Model(
        "slider",
        gravity=(0, 0, 0),
        bodies=(ts.Body("c", 100.0), ts.Body("b", 100.0)),
        joints=(
            ts.Joint("x", "world", "c", ts.Prismatic("x")),
            ts.Joint("y", "c", "b", ts.Prismatic("y")),
        ),
        forces=(ts.JointForce("f", "x", CRUSH), ts.JointForce("g", "y", CRUSH)),
    )
    a = [f"b.acceleration.{c}" for c in "xy"]
    found = ts.study(
        sides,
        t_end=0.05,
        vary={"x.speed": ts.studies.Grid([8.0, 9.0])},
        initial={"y.speed": 5.0},
        keep={
            "hic": ts.studies.Metric("hic", a[0]),
            "asi": ts.studies.Metric("asi", a),
            "thiv": ts.studies.Metric("thiv", a, forward=0.1),
            "stiff": ts.studies.Metric("kw400", ("x.displacement", "f.force"), low=0.01, high=0.05),
        },
        engine="lanes",
    )
    run = found.run(1)
    t = np.arange(501) * 1e-4
    x, y = (np.interp(t, run.time, run[n]) for n in a)
    assert x.min() < -100 and found["hic"][1] == pytest.approx(ts.crash.hic(t, -x), rel=1e-6)
    assert found["asi"][1] == pytest.approx(ts.crash.asi(t, x, y), rel=1e-6)
    assert found["thiv"][1] == pytest.approx(ts.crash.thiv(t, x, y, forward=0.1), rel=1e-6)
    way, force = run["x.displacement"], run["f.force"]
    assert found["stiff"][1] == pytest.approx(
        ts.crash.kw400(way, force, low=0.01, high=0.05), rel=1e-6
    )


def test_an_event_that_cannot_happen_is_told():
    asked = {"t_end": 0.05, "vary": {"x.speed": ts.studies.Grid([1.0])}, "engine": "lanes"}
    with pytest.raises(ts.TorseurError, match="no event is named 'f: turnin'; did you mean 'f: tu"):
        ts.study(block(), keep={"turn": ts.studies.EventTime("f: turnin")}, **asked)
    laws = ts.studies.Choice({"crush": CRUSH, "spring": ts.Spring(1e4)})  # one of them has it
    vary = {"f.law": laws, "x.speed": ts.studies.Grid([1.0])}
    ts.study(block(), keep={"turn": ts.studies.EventTime("f: turning")}, **{**asked, "vary": vary})


@pytest.mark.parametrize("name, spread, told", [
    ("b.mass", ts.studies.Uniform("80 s", "120 s"), "varies by '80 s'"),
    ("x.speed", ts.studies.Grid("18 km", "36 km", 2), "varies by '18 km'"),
    ("x.speed", ts.studies.Normal("3 m", 1), "varies by '3 m'"),
    ("push", ts.studies.Grid(["1 m"]), "varies by '1 m'"),
    ("x.speed", ["1 m/s", "2 m"], "varies by '2 m'"),
])  # fmt: skip
def test_what_varies_has_its_unit(name, spread, told):
    asked = {"t_end": 0.1, "samples": None if isinstance(spread, list | ts.studies.Grid) else 2}
    keep = {"end": ts.studies.Final("x.speed")}
    with pytest.raises(ts.TorseurError, match=told):
        ts.study(pushed(), vary={name: spread}, keep=keep, engine="lanes", **asked)
