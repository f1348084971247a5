"""`make bench` fails when a ratio to a peer falls by more than a third: figures are fed."""

import importlib.util
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


def loaded(name, monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    spec = importlib.util.spec_from_file_location(f"bench_{name}", FOLDER / f"{name}.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.fixture
def gate(monkeypatch):
    return loaded("gate", monkeypatch)


@pytest.mark.parametrize(
    ("now", "good"), [(9.0, True), (6.1, True), (5.9, False), (0.0, False), (None, True)]
)
def test_a_third_is_allowed(gate, tmp_path, now, good):
    path = tmp_path / "ratios.json"
    gate.keep("kernels", {"arm": 9.0, "tree": 8.0}, path)
    fine, words = gate.judged("kernels", {"arm": now, "tree": 8.0}, path)
    assert fine is good
    assert ("FELL arm" in words) is not good
    assert ("not measured" in words and "arm" in words) is (now is None)


def test_infinite_and_missing_numbers_do_not_pass_as_good(gate, tmp_path):
    path = tmp_path / "ratios.json"
    gate.keep("kernels", {"arm": 9.0}, path)
    assert not gate.judged("kernels", {"arm": float("nan")}, path)[0]
    assert gate.judged("kernels", {"new": 3.0}, path) == (
        True,
        "kernels: 0 of 1 kept ratios compared\n  not measured here (peer not installed?): arm",
    )


def test_what_is_kept(gate, tmp_path, monkeypatch):
    path = tmp_path / "ratios.json"
    gate.keep("kernels", {"arm": 9.0, "tree": 8.0}, path)
    gate.keep("kernels", {"arm": 10.0, "tree": None}, path)
    gate.keep("loops", {"A01": 50.0}, path)
    assert gate.read(path) == {"kernels": {"arm": 10.0, "tree": 8.0}, "loops": {"A01": 50.0}}
    monkeypatch.setattr(gate, "FOUND", tmp_path / "found")
    gate.record("motion", {"arm7": 13.0, "top": float("nan")})
    assert gate.read(tmp_path / "found" / "motion.json") == {"arm7": 13.0, "top": None}


def test_the_kept_table_is_of_programs_that_run(gate):
    kept = gate.read(gate.KEPT)
    assert {"kernels", "motion", "loops"} <= kept.keys()
    assert all(ratio > 0 for table in kept.values() for ratio in table.values())


def test_a_run_fails_where_a_ratio_fell_and_writes_its_page(tmp_path, monkeypatch, capsys):
    bench = loaded("bench", monkeypatch)
    program = tmp_path / "calls.py"
    program.write_text(
        "print('| run | steps | on a System |')\nprint('|---|---|---|')\n"
        "print('WARNING: of a peer\\n')\nprint('| four-bar | 1.0 | 2.0 |')"
    )
    (tmp_path / "calls.md").write_text("# Calls\n\ntext\n")
    monkeypatch.setattr(bench, "HERE", tmp_path)
    monkeypatch.setattr(bench, "PAGES", tmp_path)
    monkeypatch.setattr(bench.gate, "FOUND", tmp_path)
    monkeypatch.setattr(bench.gate.judged, "__defaults__", (tmp_path / "ratios.json",))
    monkeypatch.setattr(sys, "argv", ["bench.py", "--only", "calls"])
    for kept, status in ((0.5, 0), (0.74, 0), (0.8, 1)):
        bench.gate.keep("calls", {"four-bar: steps in a call": kept}, tmp_path / "ratios.json")
        assert bench.main() == status
    assert "fell by 38 %" in capsys.readouterr().err
    page = (tmp_path / "calls.md").read_text()
    assert page.startswith("# Calls\n\ntext\n") and page.count(bench.HEAD) == 1
    assert "|---|---|---|\n| four-bar | 1.0 | 2.0 |" in page  # without what a peer warned of
    program.write_text("raise SystemExit(3)")
    assert bench.main() == 1
    assert "the program failed" in capsys.readouterr().err
