"""Stores of studies from anybody: read, or refused by name, before Zarr follows what they say."""

import json
import os
import random
import shutil

import numpy as np
import pytest
from soak.fuzz import RAW, _unquoted
from soak.mutate import tree_of

import torseur as ts
from torseur.studies.plan import plan_digest

pytest.importorskip("zarr")
block = ts.Model(
    bodies=(ts.Body("b", 2.0),),
    joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
    forces=(ts.JointForce("f", "x", ts.Spring(100.0)),),
    initial={"x.speed": 1.0},
)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    store = tmp_path_factory.mktemp("stores") / "s.zarr"
    ts.study(
        block,
        vary={
            "b.mass": ts.studies.Uniform(1, 3),
            "f.stiffness": ts.studies.Choice({"a": 50.0, "b": 90.0}),
        },
        t_end=0.2,
        keep={
            "far": ts.studies.SignalAt("x.displacement", [0.1, 0.2]),
            "most": ts.studies.Peak("x.speed"),
        },
        samples=8,
        store=store,
    )
    return store


@pytest.fixture
def store(made, tmp_path):
    return shutil.copytree(made, tmp_path / "s.zarr")


def look(store):
    study = ts.studies.open(store)
    return repr(study), study.table, [study[n] for n in study.names], study.run(0), study.resume()


def refused(store, match=None):
    """Told with the store's name, and without words of Python."""
    with pytest.raises(ts.ArgumentError, match=match) as told:
        look(store)
    assert str(store) in str(told.value) and not RAW.search(_unquoted(str(told.value)))


def edit(store, name="", **changes):
    file = store / name / "zarr.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def test_a_sound_store_is_read(store):
    assert look(store)[1]["completed"].all()


def cut(*shape):
    return {"name": "regular", "configuration": {"chunk_shape": shape}}


@pytest.mark.parametrize(
    "name", ["branch", "b.mass", "most", "far", "outcome", "done", "outcomes/1"]
)
@pytest.mark.parametrize(
    "change",
    [
        {"shape": [10**12]},
        {"shape": [-1]},
        {"shape": "x"},
        {"chunk_grid": cut(10**12)},
        {"chunk_grid": {}},
        {"data_type": "string"},
        {"data_type": {"name": "fixed_length_utf32", "configuration": {"length_bytes": 4e9}}},
        {"codecs": [{"name": "numcodecs.pickle"}]},
        {"codecs": 7},
        {"zarr_format": 2},
        {"consolidated_metadata": {"kind": "inline", "metadata": {}}},
    ],
    ids=lambda c: next(iter(c)),
)
def test_arrays_that_no_study_writes(store, name, change):
    edit(store, name, **change)
    refused(store)


@pytest.mark.parametrize("text", [b"", b"[]", b"[" * 9999, b"\xff", b'{"zarr_format": 3}'])
def test_descriptions_that_are_none(store, text):
    (store / "zarr.json").write_bytes(text)
    refused(store)


@pytest.mark.parametrize("way", ["link", "fifo"])
def test_links_and_pipes(store, way, tmp_path):
    file = store / "most" / "c" / "0"
    data = file.read_bytes()
    file.unlink()
    if way == "link":  # a writer would follow it
        (tmp_path / "mine").write_bytes(data)
        file.symlink_to(tmp_path / "mine")
    else:
        os.mkfifo(file)
    refused(store)


def test_a_piece_that_would_grow(store):
    numcodecs = pytest.importorskip("numcodecs")
    bomb = numcodecs.Zstd().encode(np.zeros(2 * 10**8, np.uint8))
    assert len(bomb) < 10**5
    (store / "b.mass" / "c" / "0").write_bytes(bomb)
    refused(store, "damaged piece")


def test_what_was_changed_afterwards(store):
    said = json.loads((store / "zarr.json").read_text())["attributes"]
    facts = json.loads(said["plan"])
    facts["keep"]["most"]["name"] = "x.displacement"
    edit(store, attributes=said | {"plan": json.dumps(facts)})
    refused(store, "were changed after")
    edit(store, attributes=said | {"torseur_study": 2})
    refused(store, "another format")


@pytest.mark.parametrize("seed", range(24))
def test_plans_of_other_kinds_with_their_own_digest(store, seed):
    """Whoever changes a plan can write its digest, too."""
    study = ts.studies.open(store)
    said = json.loads((store / "zarr.json").read_text())["attributes"]
    facts = json.loads(said["plan"]) | {"options": {"t_end": 0.2, "output": 11}}
    text = tree_of(json.dumps(facts).encode(), random.Random(seed), [])
    try:
        facts = json.loads(text)
        digest = plan_digest(facts, study.plan.branch, study.plan.values)
        text = json.dumps(facts)
    except ValueError:
        text, digest = text.decode(), ""
    edit(store, attributes=said | {"plan": text, "digest": digest})
    try:
        look(store)
    except ts.TorseurError as e:
        assert str(store) in str(e) and not RAW.search(_unquoted(str(e)))


def test_branches_that_are_not_there(store):
    study = ts.studies.open(store)
    facts = study.plan.facts | {"branches": study.plan.facts["branches"][:1]}
    said = json.loads((store / "zarr.json").read_text())["attributes"]
    digest = plan_digest(facts, study.plan.branch, study.plan.values)
    edit(store, attributes=said | {"plan": json.dumps(facts), "digest": digest})
    refused(store, "branches that its plan does not have")
