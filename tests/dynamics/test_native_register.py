"""Native routines of contacts: found by a new process in the cache, without their modules."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import torseur
from torseur.compiler import NativeLibrary, native_routine
from torseur.compiler.codegen.native_functions import routine_addresses
from torseur.errors import KernelError

PROGRAM = """
import sys
import torseur as ts

def model(n, contacts):
    names = ["world", *(f"b{i}" for i in range(n))]
    at = [(0, 0, 0.2), *[(0.1, 0, 0)] * (n - 1)]
    return ts.Model(
        "chain",
        bodies=[ts.Body(x, 1.0, (0.05, 0, 0), (0.001, 0.01, 0.01)) for x in names[1:]],
        joints=[
            ts.Joint(f"j{i}", names[i], names[i + 1], ts.Revolute("y"), at=at[i])
            for i in range(n)
        ],
        constraints=[
            ts.Contact(f"k{i}", (f"b{i}", (0.1, 0, 0)), friction=0.3)
            for i in range(contacts)
        ],
    )

run = ts.simulate(model(6, int(sys.argv[1])), 0.05, output=3)
loaded = sorted(x.rpartition(".")[2] for x in sys.modules if ".dynamics.contact.native" in x)
print(run["j5.angle"].tolist(), *(x for x in loaded if x != "native_rows"))
"""


def run_program(cache: Path, contacts: int) -> tuple[str, list[str]]:
    """Last angles of the chain, and the modules of native routines that were imported."""
    environment = {**os.environ, "TORSEUR_CACHE": str(cache)}
    environment["PYTHONPATH"] = str(Path(torseur.__path__[0]).parent)
    out = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(contacts)],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    ).stdout
    numbers, _, modules = out.strip().partition("]")
    return numbers, modules.split()


def test_cached_kernels_find_native_routines_without_their_modules(tmp_path):
    first, modules = run_program(tmp_path, 6)
    assert "schur_complement" in modules
    second, modules = run_program(tmp_path, 6)
    assert second == first and modules == []


def test_kernels_are_compiled_again_when_the_cache_lost_the_library(tmp_path):
    first, _ = run_program(tmp_path, 6)
    entries = [f for f in (tmp_path / "kernels").iterdir() if f.name in _library_entries(tmp_path)]
    assert entries
    for f in entries:
        f.unlink()
    again, modules = run_program(tmp_path, 6)
    assert again == first and "schur_complement" in modules


def _library_entries(cache: Path) -> set[str]:
    """Entries of native routines that the cached kernels name."""
    names: set[str] = set()
    for file in (cache / "kernels").iterdir():
        for part in re.findall(rb'"natives": \{"([0-9a-f]{64})"', file.read_bytes()):
            names.add(part.decode())
    return names


def test_mechanisms_without_contacts_import_no_native_routine(tmp_path):
    assert run_program(tmp_path, 0)[1] == []


def test_a_lost_entry_and_a_second_owner_of_a_name_are_errors():
    with pytest.raises(KernelError, match="no longer in the cache"):
        routine_addresses(["solve_impact"], {"0" * 64: ["solve_impact"]})
    other = NativeLibrary([], list)
    import torseur.dynamics.contact.native  # noqa: F401  (registers the routines of contacts)

    with pytest.raises(KernelError, match="two libraries"):
        native_routine("solve_impact", other, 2, lambda n, m, c: 0)
