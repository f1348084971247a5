"""The examples at the front door."""

import runpy
import subprocess
import sys
from pathlib import Path

import torseur as ts

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_first_look_runs(capsys):
    runpy.run_path(str(EXAMPLES / "first_look.py"), run_name="__main__")
    assert "efforts [N m]: [13.3158 58.9294 11.6884]" in capsys.readouterr().out


def test_import_is_light():
    """`import torseur` loads none of the libraries that are slow to load."""
    code = (
        "import sys, numpy; before = set(sys.modules); import torseur; "
        "print(*{m.partition('.')[0] for m in set(sys.modules) - before})"
    )
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    heavy = {
        "casadi",
        "flint",
        "llvmlite",
        "sympy",
        "scipy",
        "pint",
        "xarray",
        "matplotlib",
        "dask",
        "yaml",
    }
    assert "torseur" in out.stdout.split() and not heavy & set(out.stdout.split())


def test_every_name_shows_in_dir_and_is_there():
    names = dir(ts)
    assert {"Driven", "Contact", "Crush", "batch", "simulate"} <= set(names)
    assert all(hasattr(ts, name) for name in names)
