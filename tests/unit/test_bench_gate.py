"""`make bench` fails when a ratio to a peer falls by more than a third: figures are fed."""

import importlib.util
import os
import subprocess
import sys
import time
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
    assert gate.judged("kernels", {"new": None}, path) == (
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


def test_new_ratios_are_added_on_purpose(gate, tmp_path):
    path = tmp_path / "ratios.json"
    gate.keep("kernels", {"arm": 9.0}, path)
    found = {"arm": 12.0, "comb": 5.0, "gone": None}
    assert "1 new ones not kept" in gate.judged("kernels", found, path)[1]
    assert gate.read(path) == {"kernels": {"arm": 9.0}}
    gate.keep("kernels", found, path, only_new=True)
    assert gate.read(path) == {"kernels": {"arm": 9.0, "comb": 5.0}}
    assert gate.better({"a": 1.0, "b": None, "c": None}, {"a": 2.0, "b": 3.0}) == {
        "a": 2.0,
        "b": 3.0,
        "c": None,
    }


@pytest.fixture
def bench(tmp_path, monkeypatch):
    """The run, on programs, pages and kept ratios in a folder."""
    made = loaded("bench", monkeypatch)
    (tmp_path / "benchmarks").mkdir()
    for name in ("calls", "scaling"):
        text = f"# {name}\n\n{made.BEGIN}\n\nold\n\n{made.END}\n\ntext\n"
        (tmp_path / "benchmarks" / f"{name}.md").write_text(text)
    monkeypatch.setattr(made.signal, "signal", lambda *_: None)  # this process is not its own
    monkeypatch.setattr(made, "HERE", tmp_path)
    monkeypatch.setattr(made, "DOCS", tmp_path)
    monkeypatch.setattr(made.gate, "FOUND", tmp_path / "found")
    monkeypatch.setattr(made.gate.judged, "__defaults__", (tmp_path / "ratios.json",))
    monkeypatch.setattr(sys, "argv", ["bench.py", "--only", "scaling", "calls"])
    good = "import sys\nopen(sys.argv[2], 'w').write('# new\\n')\n"
    (tmp_path / "scaling.py").write_text(good)
    (tmp_path / "calls.py").write_text(
        "print('| run | steps | on a System |')\nprint('|---|---|---|')\n"
        "print('WARNING: of a peer\\n')\nprint('| four-bar | 1.0 | 2.0 |')"
    )
    return made


def test_a_run_fails_where_a_ratio_fell_and_writes_its_page(bench, tmp_path, capsys):
    for kept, status in ((0.5, 0), (0.74, 0), (0.8, 1)):
        bench.gate.keep("calls", {"four-bar: steps in a call": kept}, tmp_path / "ratios.json")
        assert bench.main() == status
    assert "fell by 38 %" in capsys.readouterr().err
    page = bench.page("calls").read_text()
    assert page.startswith(f"# calls\n\n{bench.BEGIN}") and page.endswith(f"{bench.END}\n\ntext\n")
    assert "old" not in page
    assert "|---|---|---|\n| four-bar | 1.0 | 2.0 |" in page  # without what a peer warned of
    assert bench.page("scaling").read_text() == "# new\n"
    assert bench.page("formalisms").name == "comparison.md"


def test_a_fall_counts_if_it_is_found_twice(bench, tmp_path, capsys):
    seen = tmp_path / "seen"
    (tmp_path / "calls.py").write_text(
        f"import os\nagain = os.path.exists({str(seen)!r})\nopen({str(seen)!r}, 'w').close()\n"
        "print('| run | steps | on a System |')\n"
        "print('| four-bar | 1.0 |', '2.0' if again else '9.0', '|')"
    )
    bench.gate.keep("calls", {"four-bar: steps in a call": 0.5}, tmp_path / "ratios.json")
    assert bench.main() == 0
    assert "calls again" in capsys.readouterr().out


@pytest.mark.parametrize(
    "bad", ["raise SystemExit(3)", "import time; print('half', flush=True); time.sleep(60)", "pass"]
)
def test_a_program_that_fails_leaves_its_page_and_the_others_go_on(
    bench, tmp_path, monkeypatch, capsys, bad
):
    good = (tmp_path / "scaling.py").read_text()
    (tmp_path / "scaling.py").write_text(bad if bad == "pass" else good + bad)
    if "sleep" in bad:
        monkeypatch.setattr(bench, "MINUTES", {"scaling": 1 / 240})
    assert bench.main() == 1
    assert "old" in bench.page("scaling").read_text()
    assert "four-bar" in bench.page("calls").read_text()
    told = capsys.readouterr()
    assert "scaling: the program" in told.err and "as it was" in told.err
    assert "scaling: the program" in told.out.split("==== the run")[1]


def test_ctrl_c_keeps_the_pages_before(bench, monkeypatch, capsys):
    def run(name, *more, own=bench.run):
        if name == "calls":
            raise KeyboardInterrupt
        return own(name, *more)

    monkeypatch.setattr(bench, "run", run)
    assert bench.main() == 130
    assert bench.page("scaling").read_text() == "# new\n"
    assert "old" in bench.page("calls").read_text()
    assert "not measured: calls" in capsys.readouterr().err


def test_every_page_has_a_place_for_its_tables(monkeypatch):
    bench = loaded("bench", monkeypatch)
    printed = [n for n, command in bench.PROGRAMS.items() if bench.OUT not in command]
    for path in (bench.README, *map(bench.page, printed)):
        text = path.read_text(encoding="utf-8")
        assert (text.count(bench.BEGIN), text.count(bench.END)) == (1, 1), path.name
        new = bench.filled(text, "| new |", "today")
        assert f"{bench.BEGIN}\n\ntoday\n\n| new |\n\n{bench.END}" in new
        assert bench.filled(new, "| new |", "today") == new
    with pytest.raises(bench.Failed, match="a page has no"):
        bench.filled("# page\n", "| new |", "today")


def test_the_tables_of_readme(gate, monkeypatch):
    readme = loaded("readme", monkeypatch)
    kernels = {"7R arm: inverse dynamics": 12.54, "30-joint tree: mass matrix": 9.96}
    loops = {"A02 N=40 0.001": 98.5, "A02 N=40 1e-06": 860.9, "A02 N=40 1e-09": None}
    text = readme.tables({"kernels": kernels, "motion": {"heavy_top 0.001": 3.0}, "loops": loops})
    assert "| inverse dynamics | 13x |  |  |" in text
    assert "| mass matrix |  | 10.0x |  |" in text
    assert "| heavy top | 3.0x /  /  |" in text
    assert "98x / 861x / no peer |" in text
    kept = gate.read(gate.KEPT)
    names = {f"{r}: {p}" for r in readme.ROBOTS[:2] for k in readme.KERNELS.values() for p in k}
    problems = [(program, p) for program, *more in readme.RUNS.values() for p in more]
    assert names <= kept["kernels"].keys()
    assert all(f"{p} 1e-06" in kept[program] for program, p in problems)


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes by /proc")
def test_a_run_that_is_ended_leaves_no_program_behind(tmp_path):
    """By a signal from outside, while a program has started another."""
    pid = tmp_path / "pid"
    other = f"import os, time; open({str(pid)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    (tmp_path / "calls.py").write_text(
        f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {other!r}])"
    )
    script = (
        f"import sys; from pathlib import Path; sys.path.insert(0, {str(FOLDER)!r}); import bench\n"
        f"bench.HERE, bench.gate.FOUND = Path({str(tmp_path)!r}), Path({str(tmp_path)!r})\n"
        "sys.argv = ['bench.py', '--only', 'calls']; sys.exit(bench.main())"
    )
    with subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE) as process:
        while not (pid.exists() and pid.read_text()):
            time.sleep(0.01)
        process.terminate()
        assert b"not measured: calls" in process.communicate()[1]
    assert process.returncode == 130
    gone(int(pid.read_text()))


def gone(pid: int) -> None:
    with pytest.raises(ProcessLookupError):
        for _ in range(500):
            os.kill(pid, 0)
            time.sleep(0.01)


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes by /proc")
def test_a_peer_that_does_not_end_is_ended_with_all_that_it_started(tmp_path, monkeypatch):
    timing = loaded("timing", monkeypatch)
    forever = f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\nwhile True: pass"
    program = (
        "import subprocess, sys\nprint('half', flush=True)\n"
        f"subprocess.run([sys.executable, '-c', 'import os\\n' + {forever!r}])"
    )
    out, why = timing.bounded([sys.executable, "-c", program], 0.5)
    assert (out, why) == ("half\n", "not in 0.5 s")
    gone(int((tmp_path / "pid").read_text()))
    assert timing.bounded([sys.executable, "-c", "print(1)"], 5) == ("1\n", "")
    assert timing.bounded([sys.executable, "-c", "1 / 0"], 5)[1].startswith("ZeroDivisionError")
