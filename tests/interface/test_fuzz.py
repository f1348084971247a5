"""A short fuzz with fixed seeds over every format; `make fuzz` takes any seed and any count."""

import pytest
from soak.fuzz import one
from soak.seeds import kinds


@pytest.fixture(scope="module")
def made():
    return kinds()


@pytest.mark.filterwarnings("ignore")  # h5netcdf falls over its own destructor
@pytest.mark.parametrize("seed", (11, 12))
def test_no_file_falls_through(made, seed, tmp_path):
    names = sorted(made)
    told = (one(made, names, seed, k, tmp_path) for k in range(6 * len(names)))
    bad = [(k, name, said) for k, (name, _, said) in enumerate(told) if said]
    assert bad == []


def test_the_fuzzer_sees_what_falls(made, tmp_path):
    """A reader that lets an exception through, speaks Python or names no place is found out."""
    from soak.fuzz import verdict
    from soak.seeds import Kind

    import torseur as ts

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


def _seed(kind, folder):
    for name, data in kind.beside.items():
        (folder / name).write_bytes(data)
    (folder / kind.name).write_bytes(kind.seeds[-1])
    return folder / kind.name
