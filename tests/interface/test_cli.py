"""The command line: answers, JSON, exit codes, nothing half written."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import numpy as np
import pytest
import yaml

import torseur as ts
from torseur.cli import main
from torseur.cli.base import COMMANDS
from torseur.cli.commands.completion import list_options
from torseur.cli.commands.new import list_templates
from torseur.cli.main import create_parser
from torseur.model.formats.schema import json_schema

TEMPLATES = list_templates()
EXAMPLES = {n: c.examples for n, c in COMMANDS.items()}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answer(capsys, *argv):
    """Exit code, and the JSON that was printed."""
    code = main([*argv, "--json"])
    out = capsys.readouterr()
    assert out.err == ""
    return code, json.loads(out.out)


# ---- files ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TEMPLATES)
def test_templates_are_sound_and_follow_the_schema(kind, capsys):
    assert main(["new", kind]) == 0
    assert f"wrote {kind}.yaml" in capsys.readouterr().out
    code, said = answer(capsys, "check", f"{kind}.yaml")
    assert code == 0 and said["ok"] and said["files"][0]["name"] == kind
    schema = jsonschema.Draft202012Validator(json_schema())
    schema.validate(yaml.safe_load(Path(f"{kind}.yaml").read_text()))
    model = ts.load(f"{kind}.yaml")
    model.save("back.yaml")
    assert ts.load("back.yaml").check().digest == model.check().digest


def test_new_does_not_overwrite(capsys):
    assert main(["new", "robot", "a.yaml"]) == 0
    Path("a.yaml").write_text("mine")
    assert main(["new", "robot", "a.yaml"]) == 1
    assert "a.yaml exists" in capsys.readouterr().err
    assert Path("a.yaml").read_text() == "mine"
    assert main(["new", "robot", "a.yaml", "--force"]) == 0
    assert Path("a.yaml").read_text() != "mine"


def test_check_lists_every_problem_of_every_file(capsys):
    main(["new", "robot", "-q"])
    Path("bad.yaml").write_text("bodies: {a: {mass: 5 m}, b: {mas: 1}}\n")
    code = main(["check", "robot.yaml", "bad.yaml", "none.yaml"])
    out = capsys.readouterr()
    assert code == 1 and out.out == ""
    assert "robot.yaml: no errors" in out.err and "bad.yaml: 2 problems" in out.err
    assert "none.yaml: no such file" in out.err
    code, said = answer(capsys, "check", "bad.yaml")
    assert code == 1 and not said["ok"] and len(said["files"][0]["problems"]) == 2


def test_check_says_what_the_model_is(capsys):
    main(["new", "robot", "-q"])
    assert main(["check", "robot.yaml"]) == 0
    out = capsys.readouterr().out
    assert "robot: 3 bodies of 16 kg, 3 moving joints, 3 speeds" in out
    assert "elbow: revolute, upper to forearm: elbow.angle [rad]" in out
    assert "L1 = 0.4" in out
    assert "modified Denavit-Hartenberg" in out and "(L2, 0, L1)" in out
    assert main(["check", "robot.yaml", "--set", "L1=50 cm"]) == 0
    assert "L1 = 0.5" in capsys.readouterr().out
    assert main(["check", "robot.yaml", "--set", "L9=1"]) == 1
    assert "no parameter is named 'L9'" in capsys.readouterr().err


def test_check_says_what_loops_leave_free(capsys):
    main(["new", "loop", "-q"])
    code, said = answer(capsys, "check", "loop.yaml")
    assert code == 0 and said["files"][0]["mobility"] == 1
    assert main(["check", "loop.yaml"]) == 0
    assert "mobility 1" in capsys.readouterr().out
    text = Path("loop.yaml").read_text().replace("rocker: 300 mm", "rocker: 20 mm")
    Path("far.yaml").write_text(text)
    code, said = answer(capsys, "check", "far.yaml")
    assert code == 0 and not said["files"][0]["assembled"]


def test_schema(capsys):
    code, said = answer(capsys, "schema")
    assert code == 0 and said["title"] == "torseur model"
    jsonschema.Draft202012Validator.check_schema(json_schema())
    assert main(["schema", "-o", "s.json", "-q"]) == 0
    assert json.loads(Path("s.json").read_text())["$defs"]["revolute"]


def test_convert_both_ways(capsys):
    main(["new", "robot", "-q"])
    assert main(["convert", "robot.yaml", "robot.json", "-q"]) == 0
    assert ts.load("robot.json").check().digest == ts.load("robot.yaml").check().digest
    code, said = answer(capsys, "convert", "robot.yaml", "robot.urdf")
    assert code == 0 and "no place for force 'waist_friction'" in said["warnings"][0]
    assert main(["convert", "robot.urdf", "again.yaml", "--right-angles"]) == 0
    assert ts.load("again.yaml").check().nv == 3
    assert main(["convert", "robot.urdf", "again.yaml"]) == 1
    assert "again.yaml exists" in capsys.readouterr().err
    assert main(["convert", "robot.yaml", "robot.doc"]) == 1
    assert not Path("robot.doc").exists()
    assert main(["convert", "robot.urdf", "free.yaml", "--free"]) == 0
    assert ts.load("free.yaml").check().nv == 3  # the root is the world itself


def test_warnings_go_to_stderr_once(capsys):
    main(["new", "robot", "-q"])
    assert main(["convert", "robot.yaml", "r.urdf"]) == 0
    out = capsys.readouterr()
    assert out.err.startswith("warning: robot: URDF has no place") and out.err.count("\n") == 1
    assert main(["convert", "robot.yaml", "r.urdf", "--force", "-q"]) == 0
    out = capsys.readouterr()
    assert out.out == out.err == ""


# ---- computing -----------------------------------------------------------------------------


def test_equations(capsys):
    main(["new", "robot", "-q"])
    assert main(["equations", "robot.yaml"]) == 0
    text = capsys.readouterr().out
    assert "tau3 = " in text and "14.715 L3 c23" in text  # gravity on the forearm
    for extra, said in (
        (["--latex"], "\\"),
        (["--code", "c"], "void tau("),
        (["--sympy"], "cos"),
        (["--mathml"], "<math"),
        (["--code", "python", "--quantity", "bias"], "def "),
    ):
        assert main(["equations", "robot.yaml", *extra]) == 0
        assert said in capsys.readouterr().out
    assert main(["equations", "robot.yaml", "-o", "eq.txt"]) == 0
    assert Path("eq.txt").read_text() == text


def test_simulate_the_crash(capsys):
    """Test 10146: a crush of 0.746 m at 74.8 ms and a rebound of 2.62 m/s."""
    main(["new", "crash", "-q"])
    code, said = answer(capsys, "simulate", "crash.yaml", "-o", "out")
    assert code == 0 and said["completed"]
    travel, speed = (said["signals"][f"travel.{n}"] for n in ("displacement", "speed"))
    assert list(said["signals"]) == ["travel.displacement", "travel.speed", "front.force"]
    assert travel["largest"] == pytest.approx(0.7459, abs=5e-5)
    assert speed["first"] == pytest.approx(57.09 / 3.6)
    assert speed["last"] == pytest.approx(-2.623, abs=5e-4)
    assert {"run.nc", "run.csv", "model.yaml"} <= set(os.listdir("out"))
    assert not [f for f in os.listdir("out") if "partial" in f or f.startswith(".")]
    table = np.genfromtxt("out/run.csv", delimiter=",", names=True, deletechars="")
    crush = next(n for n in table.dtype.names if n.startswith("travel.displacement"))
    assert table[crush].max() == pytest.approx(travel["largest"])


def test_simulate_takes_units_and_names(capsys):
    main(["new", "robot", "-q"])
    code, said = answer(
        capsys,
        "simulate",
        "robot.yaml",
        "--t-end",
        "100 ms",
        "--rows",
        "11",
        "--initial",
        "elbow.angle=90deg",
        "waist.rate=0",
        "--set",
        "L2=500mm",
        "--show",
        "elbow.angle",
        "energy.kinetic",
    )
    assert code == 0 and list(said["signals"]) == ["elbow.angle", "energy.kinetic"]
    assert said["signals"]["elbow.angle"]["first"] == pytest.approx(np.pi / 2)
    for extra, text in (
        (["--initial", "elbow.angel=1"], "did you mean 'elbow.angle'"),
        (["--initial", "elbow.angle=1kg"], "expected an angle"),
        (["--initial", "elbow.angle"], "expected NAME=VALUE"),
        (["--show", "nothing"], "no signal is named 'nothing'"),
    ):
        assert main(["simulate", "robot.yaml", "--t-end", "0.1", *extra]) == 1
        assert text in capsys.readouterr().err
    Path("r.yaml").write_text(Path("robot.yaml").read_text().replace("t_end: 2", "tend: 2"))
    assert main(["simulate", "r.yaml"]) == 1
    assert "did you mean 't_end'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "elbow.angle: 45 deg",
            "elbow.angle: 45 m",
            "initial.elbow.angle = '45 m': expected an angle",
        ),
        ("elbow.angle: 45 deg", "elbow.angle: 5 foo", "no unit is named 'foo'"),
        ("elbow.angle: 45 deg", "elbow.angle: [1]", "initial.elbow.angle = [1]"),
        ("elbow.angle: 45 deg", "elbow.angel: 1", "did you mean 'elbow.angle'"),
        ("elbow.angle: 45 deg", "elbow.angle: Q", "initial.elbow.angle"),
        ("t_end: 2", "t_end: soon", "simulation.t_end = 'soon'"),
        ("t_end: 2", "t_end: 2 m", "expected a time [s]"),
        ("simulation: {t_end: 2}", "simulation: 5", "simulation: expected options"),
        ("simulation: {t_end: 2}", "", "no end time"),
        (
            "simulation: {t_end: 2}",
            "outputs: [elbow.angel]\nsimulation: {t_end: 0.1}",
            "did you mean",
        ),
    ],
)
def test_wrong_settings_of_a_run(old, new, said, capsys):
    main(["new", "robot", "-q"])
    text = Path("robot.yaml").read_text()
    assert old in text
    Path("r.yaml").write_text(text.replace(old, new))
    assert main(["simulate", "r.yaml"]) == 1
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["vehicle", "loop"])
def test_simulate_templates(kind, capsys):
    main(["new", kind, "-q"])
    code, said = answer(capsys, "simulate", f"{kind}.yaml", "--t-end", "0.5")
    assert code == 0 and said["completed"]
    if kind == "vehicle":  # it settles where the preloads put it
        code, said = answer(capsys, "simulate", "vehicle.yaml", "--t-end", "6")
        assert abs(said["signals"]["heave.displacement"]["last"]) < 1e-5


def test_inverse(capsys):
    """Torque of a pendulum that swings as a cosine, by hand."""
    Path("p.yaml").write_text(
        "gravity: 10\nbodies: {rod: {mass: 2, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.1]}}\n"
        "joints: [{name: pivot, type: revolute, axis: y, parent: world, child: rod}]\n"
    )
    t = np.linspace(0, 1, 401)
    rows = [f"{s!r},{float(np.degrees(0.3 * np.cos(2 * s)))!r}" for s in t.tolist()]
    Path("m.csv").write_text("time,pivot.angle [deg]\n" + "\n".join(rows))
    assert main(["inverse", "p.yaml", "--motion", "m.csv", "-o", "e.csv"]) == 0
    got = np.genfromtxt("e.csv", delimiter=",", skip_header=1)
    assert Path("e.csv").read_text().startswith("time [s],pivot.effort [N m],")
    q = 0.3 * np.cos(2 * t)
    want = (0.1 + 2 * 0.25) * -4 * q + 2 * 10 * 0.5 * np.sin(q)
    np.testing.assert_allclose(got[:, 1], want, atol=1e-8)
    for text, said in (
        ("time,pivot.angel\n0,0\n", "did you mean"),
        ("a,b\n", "expected headings and, below them, rows"),
        ("a,b\n0,0\n", "one of them 'time'"),
        ("time,pivot.angle\n0,0\n1,1\n", "at least six rows"),
        ("time,pivot.angle\n0,x\n", "m.csv"),
        ("", "expected headings"),
    ):
        Path("m.csv").write_text(text)
        assert main(["inverse", "p.yaml", "--motion", "m.csv"]) == 1
        assert said in capsys.readouterr().err


def test_modes(capsys):
    """Bounce of the body of the vehicle: near sqrt(k / m) with springs and tires in series."""
    main(["new", "vehicle", "-q"])
    code, said = answer(capsys, "modes", "vehicle.yaml")
    assert code == 0 and abs(said["at"]["heave.displacement"]) < 1e-9
    k = 2 / (1 / 40e3 + 1 / 400e3)
    slow = said["omega"][0]
    assert slow == pytest.approx(np.sqrt(k / 1200), rel=0.05)
    assert main(["modes", "vehicle.yaml", "--at", "heave.displacement=0"]) == 0
    assert "frequency [Hz]" in capsys.readouterr().out


def test_equilibrium(capsys):
    main(["new", "robot", "-q"])
    code, said = answer(
        capsys, "equilibrium", "robot.yaml", "--near", "shoulder.angle=-80deg", "elbow.angle=5deg"
    )
    assert code == 0 and said["stable"]
    assert said["state"]["shoulder.angle"] == pytest.approx(-np.pi / 2)
    assert said["state"]["elbow.angle"] == pytest.approx(0, abs=1e-9)
    code, said = answer(capsys, "equilibrium", "robot.yaml")  # from where the file starts
    assert code == 0 and said["stable"] and said["negative"] == 0
    code, said = answer(
        capsys, "equilibrium", "robot.yaml", "--any", "--near", "shoulder.angle=85deg"
    )
    assert code == 0 and not said["stable"] and said["negative"] > 0
    assert main(["equilibrium", "robot.yaml", "--near", "elbow.angel=1"]) == 1
    assert "did you mean 'elbow.angle'" in capsys.readouterr().err


@pytest.mark.parametrize("what", ["model", "folder", "result"])
def test_view(what, capsys, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or True)
    main(["new", "robot", "-q"])
    file = "robot.yaml"
    if what != "model":
        main(["simulate", "robot.yaml", "--t-end", "0.1", "-o", "out", "-q"])
        file = "out"
        if what == "result":
            Path("out/report.html").unlink()
    code, said = answer(capsys, "view", file)
    assert code == 0 and opened == [Path(said["file"]).resolve().as_uri()]
    page = Path(said["file"]).read_text()
    assert "elbow.angle" in page and page.rstrip().endswith("</html>")
    assert main(["view", "nothing"]) == 1
    assert "no report.html" in capsys.readouterr().err


def test_bench(capsys):
    main(["new", "robot", "-q"])
    code, said = answer(capsys, "bench", "robot.yaml", "--batch", "16")
    assert code == 0 and said["nv"] == 3
    assert set(said["kernels"]) == {"inverse_dynamics", "forward_dynamics", "mass_matrix"}
    assert all(k["operations"] > 0 and k["one"] > 0 for k in said["kernels"].values())


def test_doctor(capsys, monkeypatch):
    code, said = answer(capsys, "doctor")
    assert code == 0 and all(t["ok"] for t in said["trials"].values()), said
    monkeypatch.setattr("torseur.cli.commands.doctor.TRIALS", {"broken": lambda: 1 / 0})
    assert main(["doctor"]) == 1
    assert "FAIL broken: ZeroDivisionError" in capsys.readouterr().err


# ---- the shape of the command --------------------------------------------------------------


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_examples(name, capsys):
    assert main([name, "--help"]) == 0
    out = capsys.readouterr().out
    assert "examples:\n  torseur " + EXAMPLES[name][0] in out
    for line in EXAMPLES[name]:
        create_parser().parse_args(line.partition(" >")[0].split())


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["bogus"],
        ["check"],
        ["new", "plane"],
        ["simulate"],
        ["equations", "a.yaml", "--latex", "--sympy"],
    ],
)
def test_wrong_command_lines_exit_with_2(argv, capsys):
    assert main(argv) == 2
    capsys.readouterr()


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"torseur {ts.__version__}\n"


def test_json_of_an_error(capsys):
    code, said = answer(capsys, "simulate", "none.yaml")
    assert code == 1 and said == {
        "ok": False,
        "warnings": [],
        "problems": ["none.yaml: no such file; check the path"],
    }


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for name, found in list_options().items():
        assert name in script
        assert all(w.lstrip("-") in script for w in found)
    if shutil.which(shell):
        done = subprocess.run([shell, "-n"], input=script, text=True, capture_output=True)
        assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
def test_bash_completes(here, capsys):
    main(["completion", "bash"])
    (here / "c.sh").write_text(capsys.readouterr().out)
    script = (
        "source c.sh; COMP_WORDS=(torseur simulate a.yaml --t); COMP_CWORD=3; _torseur; "
        "echo ${COMPREPLY[@]}; COMP_WORDS=(torseur eq); COMP_CWORD=1; _torseur; "
        "echo ${COMPREPLY[@]}"
    )
    out = subprocess.run(["bash", "-c", script], capture_output=True, text=True).stdout
    assert out.split() == ["--t-end", "equations", "equilibrium"]


def test_a_closed_pipe_is_no_error():
    src = str(Path(ts.__path__[0]).parent)
    code = "import sys, torseur.cli as c; sys.exit(c.main(['schema']))"
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-c", code],
        stdout=write,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": src},
        text=True,
    )
    os.close(write)
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr


def test_the_module_runs():
    src = str(Path(ts.__path__[0]).parent)
    done = subprocess.run(
        [sys.executable, "-m", "torseur", "--version"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": src},
    )
    assert done.stdout == f"torseur {ts.__version__}\n" and done.returncode == 0


def test_help_is_quick():
    """The parser loads no heavy library."""
    src = str(Path(ts.__path__[0]).parent)
    code = (
        "import sys, torseur.cli as c; c.main(['simulate', '--help']); "
        "print(*{m.split('.')[0] for m in sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": src},
    )
    loaded = set(done.stderr.split())
    assert not loaded & {"casadi", "flint", "llvmlite", "sympy", "scipy", "pint", "xarray"}


def test_inverse_reads_the_table_of_a_run(capsys):
    """What `simulate` wrote goes back in: no joint had an effort of its own."""
    assert main(["new", "robot", "-q"]) == 0
    assert main(["simulate", "robot.yaml", "--t-end", "0.5", "-o", "out", "-q"]) == 0
    code, said = answer(capsys, "inverse", "robot.yaml", "--motion", "out/run.csv", "-o", "e.csv")
    assert code == 0 and set(said["efforts"]) >= {"shoulder.effort", "elbow.effort"}
    assert Path("e.csv").read_text().startswith("time [s],")
    run = ts.Trajectory.load("out/run.nc")
    model = ts.load("robot.yaml")
    table = {"time": run.time, **{n: run[n] for n in model.check().coordinates}}
    direct = ts.inverse(model, table)  # a table has no speeds and accelerations, a run has
    for name, figures in said["efforts"].items():
        assert figures["largest"] == pytest.approx(abs(direct[name]).max(), rel=1e-6, abs=1e-6)
    code, again = answer(capsys, "inverse", "robot.yaml", "--motion", "e.csv")
    assert code == 0 and set(again["efforts"]) == set(said["efforts"])


@pytest.mark.slow
def test_inverse_of_a_loop(capsys):
    """The table of a run of a mechanism with loops; the file says where it starts."""
    examples = Path(__file__).parents[2] / "examples"
    Path("four_bar.yaml").write_text((examples / "four_bar.yaml").read_text())
    model = ts.load("four_bar.yaml")
    first = model.check().coordinates[0]
    assert main(["simulate", "four_bar.yaml", "--t-end", "0.2", "-o", "out", "-q"]) == 0
    code, said = answer(capsys, "inverse", "four_bar.yaml", "--motion", "out/run.csv")
    assert code == 0 and "leads" in said["outcome"]
    joint = first.partition(".")[0]
    assert said["efforts"][f"{joint}.effort"]["largest"] < 1e-3  # it fell freely
    assert main(["inverse", "four_bar.yaml", "--motion", "out/run.csv", "--actuators", "it"]) == 1
    assert "no joint, coordinate or driven force is named 'it'" in capsys.readouterr().err


WRITERS = {
    "balance": ["x.yaml", "--device", "counterweight", "body=a"],
    "control": ["x.yaml"],
    "convert": ["x.yaml"],
    "crash": ["x.yaml"],
    "equations": ["x.yaml"],
    "export-fmu": ["x.yaml"],
    "fit": ["x.yaml"],
    "identify": ["x.yaml", "data.csv"],
    "ik": ["x.yaml", "--path", "seam"],
    "inverse": ["x.yaml", "--motion", "m.csv"],
    "laws": ["x.yaml", "j.angle", "--start", "0", "--end", "1", "--time", "1"],
    "new": ["robot"],
    "plot": ["x.yaml"],
    "schema": [],
    "simulate": ["x.yaml"],
    "size": ["x.yaml", "--motion", "m.csv", "--catalog", "c.yaml"],
    "study": ["x.yaml"],
    "workspace": ["x.yaml", "tool"],
}


def test_every_command_that_writes_can_be_forced_and_is_tried():
    subs = next(a for a in create_parser()._actions if a.dest == "command").choices
    forced = {n for n, p in subs.items() if any(a.dest == "force" for a in p._actions)}
    assert forced == set(WRITERS)


@pytest.mark.parametrize("name", WRITERS)
def test_no_file_is_replaced_unasked_and_an_input_never(name, capsys):
    subs = next(a for a in create_parser()._actions if a.dest == "command").choices
    Path("x.yaml").write_text("bodies: {}")
    for option in {a.dest for a in subs[name]._actions} & {"out", "report", "target", "cam"}:
        start = [name, *WRITERS[name], *([] if option == "target" else [f"--{option}"])]
        holds = option == "out" and subs[name].get_default("out_holds")
        kept = Path(f"to_{option}", holds[-1]) if holds else Path(f"to_{option}")
        kept.parent.mkdir(exist_ok=True)
        kept.write_text("mine")
        assert main([*start, f"to_{option}"]) == 1
        said = capsys.readouterr().err
        assert str(kept) in said and "--force" in said and kept.read_text() == "mine"
        if not holds and "x.yaml" in start:
            assert main([*start, "x.yaml", "--force"]) == 1
            assert "is read by this command" in capsys.readouterr().err
            assert Path("x.yaml").read_text() == "bodies: {}"


def test_force_replaces():
    assert main(["new", "robot", "-q"]) == 0 and main(["new", "robot", "-q"]) == 1
    assert main(["new", "robot", "-q", "--force"]) == 0
    for code, more in ((0, ()), (1, ()), (0, ("--force",))):
        run = ["simulate", "robot.yaml", "--t-end", "0.01", "-o", "out", "-q", *more]
        assert main(run) == code
