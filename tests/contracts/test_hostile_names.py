"""Names of users in every text that a machine reads: they stay names, whatever they are."""

import ast
import json
import shutil
import subprocess
import xml.etree.ElementTree as ET

import pytest

import torseur as ts
from torseur.cli import main
from torseur.files import SAFE_CHARACTERS, plain

HOSTILE = (
    "*\\\n/ int evil(void){return 42;} /\\\n*",
    "*/ int evil(void){return 42;} /*",
    "*??/\n/ int evil(void){return 42;} /*",
    '"""\nimport os\nevil = 1\n"""',
    "\\",
    '=HYPERLINK("http://evil","x")',
    "+1+cmd|' /C calc'!A0",
    "@SUM(1)",
    "%}\nevil = 1;\n%{",
    "& \nend function\n",
    "a\r\nevil,b",
    "épaule 肩 \u2028 \u202e",
)
each = pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))


def model(name):
    body = ts.Body(name.replace(".", ""), mass=1.0, com=(0, 0, -1.0))
    joint = ts.Joint(name.replace(".", ""), "world", body.name, ts.Revolute("y"))
    return ts.Model(name, bodies=(body,), joints=(joint,))


@each
def test_one_function_leaves_a_closed_alphabet(name):
    text = plain(name)
    assert set(text) <= SAFE_CHARACTERS and text[:1] not in ("=", "+", "-", "@")


@each
def test_names_end_no_comment_and_no_string(name, tmp_path):
    if not all(c.isprintable() or c in "\n\r\t" for c in name):
        with pytest.raises(ts.ModelError, match="cannot stand in a name"):
            model(name).check()
        name = "".join(c for c in name if c.isprintable())
    dyn, eq = ts.compile(model(name)), ts.equations(model(name))
    dyn.export(tmp_path / "m.py", "bias")
    made = ast.parse((tmp_path / "m.py").read_text())
    kinds = [type(x) for x in made.body]
    assert kinds == [ast.Expr, ast.Import, ast.FunctionDef]
    assert [type(x) for x in ast.parse(eq.code("python")).body][-1] is ast.FunctionDef
    for language, mark in (("fortran", "!"), ("matlab", "%")):
        for line in eq.code(language).splitlines():
            assert "evil" not in line.split(mark)[0], (language, line)
    dyn.export(tmp_path / "m.c", "bias")
    for text in ((tmp_path / "m.c").read_text(), eq.code("c")):
        code = text
        while "/*" in code:  # as a compiler takes comments out; no splice can hide one
            before, _, rest = code.partition("/*")
            code = before + rest.partition("*/")[2]
        assert "evil" not in code and "\\\n" not in text and "??/" not in text
        if shutil.which("gcc"):
            gcc = ["gcc", "-std=c99", "-Wall", "-Werror", "-fsyntax-only", "-x", "c", "-"]
            done = subprocess.run(gcc, input=text + "\nint evil;\n", text=True, capture_output=True)
            assert "evil" not in done.stderr, done.stderr  # not defined twice


@each
def test_tables_and_robots(name, tmp_path):
    name = "".join(c for c in name if c.isprintable() or c in "\n\r\t")
    run = ts.simulate(model(name), 0.01, output=2)
    run.to_csv(tmp_path / "r.csv", run.signals[:2])
    lines = (tmp_path / "r.csv").read_text().splitlines()
    assert len(lines) == 3
    cells = lines[0].replace('"', "").split(",")
    assert not any(cell[:1] in ("=", "+", "-", "@") for cell in cells)
    model(name).save(tmp_path / "m.urdf")
    links = [e.get("name") for e in ET.parse(tmp_path / "m.urdf").getroot() if e.tag == "link"]
    assert name.replace(".", "") in links


@pytest.mark.parametrize("bad", ["\x1b[31mred", "a\x00b", "a\u202eb", "\x07"])
def test_what_a_terminal_obeys_is_no_name(bad):
    body = ts.Body("b", 1.0)
    for parts in (
        {"name": bad, "joints": (ts.Joint("j", "world", "b", ts.Revolute("y")),)},
        {"name": "m", "joints": (ts.Joint(bad, "world", "b", ts.Revolute("y")),)},
    ):
        with pytest.raises(ts.ModelError, match="cannot stand in a name") as told:
            ts.Model(bodies=(body,), **parts).check()
        assert str(told.value).isprintable() or bad not in str(told.value)


ECHOED = {
    "key.yaml": '"\\e[31mkey": 1\nbodies: {b: {mass: 1}}\n',
    "field.yaml": 'bodies: {b: {"ma\\x1b[2Jss": 1}}\n',
    "name.yaml": 'bodies: {"b\\x1b]0;title\\x07": {mass: "x\\x1b"}}\n',
    "run.yaml": 'parameters: {"a\\x1b": 1}\nsimulation: {"t\\x9b": 3}\noutputs: ["\\x1b[2J"]\n',
    "key.json": '{"na\\u001b[31mme": 1, "bodies": {"b\\u202e": {"mass": "\\u0000"}}}',
    "type.urdf": '<robot name="r"><link name="a\x9b"/><joint name="j\u202e" type="\x9b"/></robot>',
}


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize("name", ECHOED)
def test_what_a_message_echoes_is_only_shown(name, as_json, tmp_path, capsys):
    """Keys, types and values of a file, in messages of Python and of the command."""
    path = tmp_path / name
    path.write_text(ECHOED[name], encoding="utf-8")
    with pytest.raises(ts.TorseurError) as told:
        ts.load(path).check()
    assert main(["check", str(path), *["--json"] * as_json]) == 1
    said = capsys.readouterr()
    for text in (str(told.value), said.out, said.err):
        assert all(c.isprintable() or c == "\n" for c in text), ascii(text)
    if as_json:
        json.loads(said.out)
