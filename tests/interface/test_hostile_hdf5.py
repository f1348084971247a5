"""Runs in HDF5 from anybody: no link, no piece outside and no size takes more than the file is."""

import numpy as np
import pytest

import torseur as ts

h5py = pytest.importorskip("h5py")
xarray = pytest.importorskip("xarray")
rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
model = ts.Model(bodies=(rod,), joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    ts.simulate(model, 0.1, {"pivot.angle": 0.5}, output=5).save(folder / "run.nc")
    data = xarray.load_dataset(folder / "run.nc", decode_times=False)
    data = data.assign_attrs({k: str(v) for k, v in data.attrs.items()})
    data.to_netcdf(folder / "run5.nc", engine="h5netcdf")
    return folder / "run5.nc"


def outside(file, path):
    with h5py.File(path, "w") as other:
        other["x"] = np.full(5, 42.0)
    file["other"] = h5py.ExternalLink(str(path), "x")


def raw(file, path):
    path.write_bytes(b"secrets, forty bytes of them............")
    file.create_dataset("other", (5,), "f8", external=[(str(path), 0, 40)])


def seen_through(file, path):
    with h5py.File(path, "w") as other:
        other["x"] = np.full(5, 42.0)
    layout = h5py.VirtualLayout((5,), "f8")
    layout[:] = h5py.VirtualSource(str(path), "x", (5,))
    file.create_virtual_dataset("other", layout)


def far_pieces(file, path):
    file.create_dataset("other", (5,), "f8", chunks=(10**8,), maxshape=(None,))


def texts(file, path):
    file["other"] = np.array([b"1", b"2", b"3", b"4", b"5"])


def many_rows(file, path):
    for name in list(file):
        del file[name]
    file.create_dataset("time", (10**9,), "f8", chunks=(10**5,))


@pytest.mark.parametrize(
    "change", [outside, raw, seen_through, far_pieces, texts, many_rows], ids=lambda f: f.__name__
)
def test_nothing_outside_the_file_is_read(saved, change, tmp_path):
    path = tmp_path / "run.nc"
    path.write_bytes(saved.read_bytes())
    assert ts.Trajectory.load(path)["pivot.angle"][0] == 0.5
    with h5py.File(path, "a") as file:
        change(file, tmp_path / "elsewhere")
    if change is outside:  # as if it were not there
        assert "other" not in ts.Trajectory.load(path).signals
    else:
        with pytest.raises(ts.TorseurError, match=r"run.nc: .* is damaged or incomplete"):
            ts.Trajectory.load(path)


def test_a_reader_that_finds_no_end_is_ended(saved, monkeypatch):
    """By its own work (a busy machine is no damaged file), and long after that by the clock."""
    monkeypatch.setattr("torseur.results.hdf5.PATIENCE", 1e-3)
    with pytest.raises(ts.TorseurError, match=r"run5.nc: .* no end in it within 8 s of work"):
        ts.Trajectory.load(saved)
