"""A short fuzz with fixed seeds over every format; `make fuzz` takes any seed and any count."""

import os
from importlib.util import find_spec
from random import Random

import pytest
from soak import leaves
from soak.fuzz import one
from soak.mutate import MUTATIONS
from soak.seeds import kinds

import torseur as ts


@pytest.fixture(scope="module")
def made():
    return kinds()


@pytest.mark.filterwarnings("ignore")  # h5netcdf falls over its own destructor
@pytest.mark.parametrize("seed", (11, 12))
def test_no_file_falls_through(made, seed, tmp_path):
    names = sorted(made)
    told = (one(made, names, seed, k, tmp_path) for k in range(3 * len(names)))
    bad = [(k, name, said) for k, (name, _, said) in enumerate(told) if said]
    assert bad == []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("every", [1999, pytest.param(37, marks=pytest.mark.slow)])
def test_no_leaf_of_a_wrong_kind_falls_through(every):
    """`x: 3` as a list, a mapping, a ragged table, nothing ...: every leaf of every seed."""
    count, bad = leaves.run(every=every)
    assert count > 15 and bad == []


def test_every_kind_of_mutation_is_made(made):
    """Bytes, words and trees: each changes files of every format it is for, and never fails."""
    for kind in made.values():
        for change in MUTATIONS[kind.form]:
            files = [change(kind.seeds[-1], Random(k), kind.seeds) for k in range(12)]
            assert len(set(files)) > 6


def test_the_fuzzer_sees_what_falls(made, tmp_path):
    """A reader that lets an exception through, speaks Python or names no place is found out."""
    from soak.fuzz import verdict
    from soak.seeds import Kind

    def reader(error):
        def read(path):
            raise error

        return Kind("yaml", "m.yaml", read)

    path = tmp_path / "m.yaml"
    assert verdict(reader(KeyError("x")), path).startswith("foreign KeyError in test_fuzz.py")
    assert "raw" in verdict(reader(ts.ModelError(["m.yaml: 'int' object is not iterable"])), path)
    assert "no place" in verdict(reader(ts.ModelError(["something is wrong"])), path)
    assert "not foreseen" in verdict(reader(ts.ModelError(["m.yaml: was not foreseen"])), path)
    assert verdict(reader(ts.ModelError(["m.yaml, line 3: mass = -1"])), path) == ""
    assert verdict(made["yaml"], _seed(made["yaml"], tmp_path)) == ""


@pytest.mark.filterwarnings("ignore")
def test_no_file_that_was_read_is_replaced(made, tmp_path):
    """Of every format: the file itself and what it draws in, whatever `--force` says."""
    from torseur.errors import ArgumentError
    from torseur.files import guarded, refuse

    for name, kind in made.items():
        if name == "mjcf" and find_spec("mujoco") is None:
            continue  # told by name
        for k in range(len(kind.seeds) - 1):  # what mutants are made of is whole
            kind.read(_seed(kind, tmp_path / name, k))
        path = _seed(kind, tmp_path / name)
        drawn = [path.parent / n for n in kind.beside if _drawn(kind, n)]
        with guarded((), force=True):
            kind.read(path)
            for one in (path, *drawn):
                with pytest.raises(ArgumentError, match="is read by this command"):
                    refuse(one)
            refuse(tmp_path / "other")


def test_what_is_no_file_is_refused_before_it_is_read(made, tmp_path):
    """A pipe would keep its reader waiting, a device has no end; /dev/null stands for them."""
    from torseur.files import noted

    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ts.TorseurError, match="pipe is no file but a pipe, a socket or a device"):
        noted(tmp_path / "pipe")
    for name, kind in made.items():
        if kind.form == "text" or (name == "mjcf" and find_spec("mujoco") is None):
            continue  # read with the folder it lies in: left out there
        path = _seed(kind, tmp_path / name)
        path.unlink()
        path.symlink_to(os.devnull)
        with pytest.raises(ts.TorseurError):
            kind.read(path)


def _drawn(kind, name):
    """Whether a seed names another file, or is read with the folder it lies in."""
    return kind.form == "text" or any(name.encode() in seed for seed in kind.seeds[-1:])


def _seed(kind, folder, k=-1):
    for name, data in kind.beside.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    (folder / kind.name).parent.mkdir(parents=True, exist_ok=True)
    (folder / kind.name).write_bytes(kind.seeds[k])
    return folder / kind.name
