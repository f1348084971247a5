"""Errors of model files: file, line, path, value, rule and remedy; all of them at once."""

import pytest

import torseur as ts

BAD = """\
schema_version: 2
nam: x
gravity: [0, 1]
parameters: {L: 5 foo, "a b": 1, M: true}
bodies:
  rod: {mass: 5 m, com: [0, 0], inerta: 3}
  x: 5
joints:
  - {name: j1, type: revolut, parent: world, child: rod}
  - {name: j2, type: planar, order: bad, parent: world, child: rod}
  - {type: revolute, parent: world, child: rod}
  - {name: j4, type: revolute, parent: world, axis: x, at: [0, 0, 1 kg], limits: [0 m, 1]}
forces:
  - {name: f, type: spring, stiffness: 1}
  - {name: g, type: viscous, joint: a}
  - {name: h, type: crush, joint: a, points: {csv: ../x.csv}, unloading: 1}
frames: 7
"""
SAID = [
    "bad.yaml, line 2: nam = x: no section is named 'nam'; did you mean 'name'?",
    "bad.yaml, line 1: schema_version = 2: this version of torseur reads 1",
    "bad.yaml, line 3: gravity: expected 3 numbers, got 2 numbers",
    "bad.yaml, line 4: parameters.L = 5 foo: no unit is named 'foo'; did you mean 'foot'?",
    "bad.yaml, line 4: parameters.a b = 1: a parameter's name is made of letters",
    "bad.yaml, line 4: parameters.M = true: expected a number, got true or false",
    "bad.yaml, line 6: bodies.rod.mass = 5 m: expected a mass [kg], and [m] is not one; write a "
    "number in kg or a text such as '250 g'",
    "bad.yaml, line 6: bodies.rod.com: expected 3 numbers, got 2 numbers",
    "bad.yaml, line 6: bodies.rod.inerta = 3: no field is named 'inerta'; did you mean 'inertia'?",
    "bad.yaml, line 7: bodies.x = 5: expected a mapping that describes the body, got a number",
    "bad.yaml, line 9: joints[0].type = revolut: no type is named 'revolut'; did you mean "
    "'revolute'?",
    "bad.yaml, line 10: joints[1]: Planar(order='bad'): expected 'rotation_first' or",
    "bad.yaml, line 11: joints[2]: a joint needs a 'name'",
    "bad.yaml, line 12: joints[3].at[2] = 1 kg: expected a length [m]",
    "bad.yaml, line 12: joints[3].limits[0] = 0 m: expected an angle [rad]",
    "bad.yaml, line 12: joints[3]: needs 'child'",
    "bad.yaml, line 17: frames = 7: expected a list, or a mapping from names, got a number",
    "bad.yaml, line 14: forces[0]: the law 'spring' needs a line of action",
    "bad.yaml, line 15: forces[1]: needs 'damping' [N m s/rad | N s/m]",
    "bad.yaml, line 16: forces[2].points.csv = ../x.csv: leaves the folder of the model",
]


def problems(tmp_path, text, name="bad.yaml"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ts.ModelError) as e:
        ts.load(path)
    return e.value.problems


def test_every_problem_at_once(tmp_path):
    got = problems(tmp_path, BAD)
    for want in SAID:
        assert any(p.startswith(want) for p in got), want
    assert len(got) == len(SAID)


def test_problems_of_the_mechanism_point_into_the_file(tmp_path):
    path = tmp_path / "arm.yaml"
    path.write_text(
        "bodies:\n  rod: {mass: -1}\njoints:\n"
        "  - {name: j, type: revolute, parent: wrld, child: rod}\n"
    )
    with pytest.raises(ts.ModelError) as e:
        ts.load(path).check()
    first, second = e.value.problems
    assert first.startswith("joint 'j': no body is named 'wrld'; did you mean 'world'?")
    assert first.endswith("(arm.yaml, line 4)")
    assert second == "body 'rod' has mass -1 kg; use zero or more (arm.yaml, line 2)"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bodies: [", "not YAML"),
        ("a: b: c", "line 1, column 5: not YAML"),
        (
            "bodies:\n  a: {mass: 1}\n  a: {mass: 2}\n",
            "line 3: 'a' is given twice (first on line 2)",
        ),
        ("x: &a [1]\nbodies: *a\n", "aliases are not read"),
        ("bodies: !!python/object/apply:os.system [ls]\n", "tags are not read"),
        ("a: 1\n---\nb: 2\n", "a second document starts here"),
        ("- 1\n", "the file: expected a mapping with keys such as 'bodies'"),
        ("", "expected a mapping"),
        ("<<: {bodies: {}}\n", "no section is named '<<'"),
        ('name: "\\0"\nbodies: 1', None),
        ("bodies: {a: {mass: .nan}}", "expected a finite number"),
        ("bodies: {a: {mass: .inf}}", None),
        ("bodies: {a: {mass: nan}}", "expected a finite number"),
        ("bodies: {a: {mass: 1e400}}", "out of the range of numbers"),
        ("bodies: {a: {mass: " + "9" * 1000 + "}}", "out of the range of numbers"),
        ("bodies: {a: {mass: " + "9" * 100_000 + "}}", "too long"),
        ("bodies: {a: {mass: 1e-99999999999}}", "out of the range of numbers"),
        ("bodies: {a: {mass: 9**9**9}}", "powers must be whole numbers up to 64"),
        ("bodies: {a: {mass: (((9**64)**64)**64)**64}}", "out of the range of numbers"),
        ("bodies: {a: {mass: __import__('os').system('ls')}}", "only numbers, parameter names"),
        ("bodies: {a: {mass: '().__class__'}}", "only numbers, parameter names"),
        ("bodies: {a: {mass: [1]}}", "expected a single number, got 1 numbers"),
        ("bodies: {a: {mass: {}}}", "expected"),
        ("bodies: {a: {com: [[1, 2, 3]]}}", "expected 3 numbers, got 1 x 3 numbers"),
        ("bodies: {a: {inertia: [[1, 2], [1]]}}", "rows of different lengths"),
        (
            "joints: {j: {type: [revolute], parent: a, child: b}}",
            "type: expected a text, got a list",
        ),
        ("joints: {j: {type: revolute, axis: {a: 1}, parent: a, child: b}}", None),
        ("inputs: [{name: a, size: x}]", "expected a whole number"),
        ("parameters: 5", "expected a mapping from names to numbers"),
        ("include: [bad.yaml]", "includes itself"),
        ("include: [..]", "leaves the folder"),
        ("include: [/etc/passwd]", "leaves the folder"),
        ("include: {a: 1}", "needs 'file'"),
        ("include: 5", "expected a list"),
        ("include: [5]", "expected the name of a file"),
        ("include: [nothing.yaml]", "no such file"),
        ("include: [a.exe]", "expected a file that ends in .yaml"),
        (
            "forces: [{name: f, type: crush, joint: j, unloading: 1, points: {a: [1], b: [1, 2]}}]",
            "columns of different lengths: a has 1, b has 2",
        ),
        ("forces: [{name: f, type: table, joint: j, points: {a: [1]}}]", "expected 2 columns"),
        ("dh: {rows: []}", "convention"),
        (b"name: \xff\xfe\n", "line 1: byte 0xff is not UTF-8"),
        (b"name: a\nbodies: {\xc3\x28: 1}\n", "line 2: byte 0xc3 is not UTF-8"),
        (b"\x00\x01", "zero byte"),
        (b"\x1b[31m", None),
    ],
)
def test_wrong_files(text, said, tmp_path):
    got = problems(tmp_path, text)
    assert all(p.startswith("bad.yaml") for p in got)
    assert said is None or any(said in p for p in got), got
    assert all(len(p) < 500 for p in got)


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[1,]",
        '{"a":}',
        '{"a" 1}',
        "[1 2]",
        "{,}",
        "x",
        "[1]]",
        '{"a":1,}',
        "",
        '"ab',
        "[NaN]",
        '["\\x"]',
        "{1: 2}",
        "[1",
        "'a'",
        '{"a": 1} x',
        "[01x]",
        "[tru]",
    ],
)
def test_wrong_json(text, tmp_path):
    got = problems(tmp_path, text, "m.json")
    assert got[0].startswith("m.json, line 1: not JSON")


def test_json_problems_have_lines_too(tmp_path):
    got = problems(tmp_path, '{\n\t"bodies": {\n\t\t"a": {"mass": "5 m"}\n\t}\n}', "m.json")
    assert got == (
        "m.json, line 3: bodies.a.mass = '5 m': expected a mass [kg], and [m] is not "
        "one; write a number in kg or a text such as '250 g'",
    )


@pytest.mark.parametrize(
    ("name", "said"), [("m.txt", "torseur reads .yaml"), ("none.yaml", "no such file")]
)
def test_wrong_names(name, said, tmp_path):
    (tmp_path / "m.txt").write_text("")
    with pytest.raises(ts.ModelError, match=said):
        ts.load(tmp_path / name)
    with pytest.raises(ts.ModelError, match="is a folder"):
        ts.load(tmp_path)


def test_links_do_not_lead_out_of_the_folder(tmp_path):
    secret = tmp_path / "secret.yaml"
    secret.write_text("name: secret\n")
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "link.yaml").symlink_to(secret)
    (folder / "m.yaml").write_text("include: [link.yaml]\n")
    with pytest.raises(ts.ModelError, match="leaves the folder"):
        ts.load(folder / "m.yaml")


def test_include_merges_and_later_parameters_win(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "base.yaml").write_text(
        "name: base\ngravity: 0\nparameters: {m: 1, L: 2}\nbodies: {a: {mass: m}}\n"
        "joints: [{name: j, type: revolute, parent: world, child: a}]\n"
    )
    (tmp_path / "m.yaml").write_text(
        "include: [sub/base.yaml]\nparameters: {m: 5}\nbodies: {b: {mass: 1, com: [1, 0, 0]}}\n"
        "joints: [{name: k, type: revolute, parent: a, child: b, axis: y}]\n"
    )
    model = ts.load(tmp_path / "m.yaml")
    assert dict(model.parameters) == {"m": 5, "L": 2}
    assert [b.name for b in model.bodies] == ["a", "b"]
    assert model.gravity == (0, 0, 0)
    (tmp_path / "sub" / "base.yaml").write_text("bodies: {a: {mass: 1 m}}\n")
    with pytest.raises(ts.ModelError, match=r"base\.yaml, line 1: bodies\.a\.mass"):
        ts.load(tmp_path / "m.yaml")


URDF = """<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="pivot" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>"""


def test_a_robot_can_be_included(tmp_path):
    (tmp_path / "r.urdf").write_text(URDF)
    path = tmp_path / "m.yaml"
    path.write_text(
        "include: [r.urdf]\ngravity: 0\nframes: {tool: {body: arm, at: [1, 0, 0]}}\n"
        "forces: [{name: f, type: viscous, joint: pivot, damping: 1}]\n"
    )
    model = ts.load(path)
    assert model.gravity == (0, 0, 0) and model.name == "m"
    assert [f.name for f in model.frames] == ["tool"] and model.check().nv == 1
    for written in ("[{file: r.urdf, base: free}]", "{file: r.urdf, base: free}"):
        path.write_text(f"include: {written}\n")
        assert isinstance(ts.load(path).joints[0].kind, ts.Free)
    for text, said in (
        ("[{file: r.urdf, base: glued}]", "expected 'weld' or 'free'"),
        ("[{fil: r.urdf}]", "did you mean 'file'"),
        ("[{base: free}]", "needs 'file'"),
        ("[../r.urdf]", "leaves the folder"),
        ("[{file: 5}]", "the name of a file"),
    ):
        path.write_text(f"include: {text}\n")
        with pytest.raises(ts.ModelError, match=said):
            ts.load(path)
    (tmp_path / "r.urdf").write_text(URDF.replace('pivot" type="c', 'pivot" type="d'))
    path.write_text("include: [r.urdf]\nbodies: {a: {mass: 1 m}}\n")
    with pytest.raises(ts.ModelError) as e:
        ts.load(path)
    assert [p.partition(":")[0] for p in e.value.problems] == ["r.urdf, line 3", "m.yaml, line 2"]


def test_curves_from_csv(tmp_path):
    (tmp_path / "c.csv").write_text("time [ms], crush [mm], force [kN]\n0,0,0\n1,20,30\n2,40,10\n")
    text = (
        "forces:\n  - {name: f, type: crush, joint: j, unloading: 20 kN/mm,\n"
        "     points: {csv: c.csv, columns: [crush, force]}}\n"
    )
    path = tmp_path / "m.yaml"
    path.write_text(text)
    assert ts.load(path).forces[0].law.points == ((0, 0), (0.02, 30000), (0.04, 10000))
    (tmp_path / "c.csv").write_text("0,0\n0.02,3e4\n")
    path.write_text(text.replace(", columns: [crush, force]", ""))
    with pytest.warns(ts.ModelWarning, match="no line of headings"):
        assert ts.load(path).forces[0].law.points == ((0, 0), (0.02, 30000.0))
    for bad, said in (
        ("a,b\n1,x\n", "row 1, column 'b': expected a number, got 'x'"),
        ("a,b\n1\n", "got nothing"),
        ("", "the file is empty"),
        ("x [m],y [N],z [N]\n1,2,3\n", "expected 2 columns"),
        ("x [kg],y [N]\n1,2\n", "expected"),
        ("x [foo],y\n1,2\n", "no unit is named 'foo'"),
        ("x,y\n" + "1" * 200_000 + ",2\n", "not a table"),
        ("x,y\n" + "1,2\n" * 210_000, "more than 400000 numbers"),
    ):
        (tmp_path / "c.csv").write_text(bad)
        with pytest.raises(ts.ModelError) as e:
            ts.load(path)
        assert said in str(e.value), bad
    path.write_text(text)
    (tmp_path / "c.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ts.ModelError, match="no column 'crush'; the file has 'a', 'b'"):
        ts.load(path)
