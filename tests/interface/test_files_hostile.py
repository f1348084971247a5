"""Hostile files end in one clear sentence, in bounded memory; nothing but ModelError comes out."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import example, given, settings, strategies as st

import torseur as ts
from torseur.model.formats.schema import constraint_types, nested_types, specs
from torseur.model.formats.yaml_reader import TOP_KEYS

BOMBS = {
    "deep_lists.yaml": "'[' * 200_000",
    "deep_maps.yaml": "'{a: ' * 200_000",
    "deep_blocks.yaml": "'- ' * 200_000 + 'x'",
    "deep_indent.yaml": r"''.join(' ' * i + 'a:\n' for i in range(3000))",
    "deep.json": "'[' * 200_000",
    "laughs.yaml": r"'a0: &a0 [x,x]\n' + ''.join("
    r"f'a{i}: &a{i} [*a{i-1},*a{i-1},*a{i-1}]\n' for i in range(1, 60))",
    "circle.yaml": "'&a [*a, *a]'",
    "bodies.yaml": r"'bodies:\n' + ''.join(f'  b{i}: {{mass: 1}}\n' for i in range(60_000))",
    "bodies.json": "'{\"bodies\": {' + ','.join(f'\"b{i}\": {{}}' for i in range(120_000)) + '}}'",
    "long.yaml": "'name: ' + 'x' * 40_000_000",
    "digits.yaml": "'bodies: {a: {mass: ' + '9' * 10_000_000 + '}}'",
    "expression.yaml": "'bodies: {a: {mass: ' + '(' * 5000 + '1' + ')' * 5000 + '}}'",
    "minus.yaml": "'bodies: {a: {mass: ' + '-' * 9000 + '1}}'",
    "sum.yaml": "'bodies: {a: {mass: ' + '+'.join('L' * 4 for _ in range(1900)) + '}}'",
    "powers.yaml": "'bodies: {a: {mass: ' + '**'.join('9' * 5) + '}}'",
    "same.yaml": r"'a: 1\n' * 300_000",
    "comments.yaml": r"'#\n' * 3_000_000",
    "spaces.json": "' ' * 20_000_000",
    "open.json": "'{\"name\": \"' + 'a' * 31_000_000",
    "letters.yaml": "'name: ' + 'a b ' * 1_000_000",
    "unknown.urdf": '\'<robot name="r">\' + \'\'.join(f\'<joint name="j{i}" type="fixed">'
    '<parent link="p{i}"/><child link="c{i}"/></joint>\' for i in range(2000)) + \'</robot>\'',
    "letters.urdf": "'<robot name=\"' + 'r' * 1_000_000 + '\"/>'",
}
RUN = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (3_000_000_000, 3_000_000_000))
import json, os, torseur as ts
said = {}
for name, text in json.loads(sys.argv[1]).items():
    with open(name, "w") as file:
        file.write(eval(text))
    try:
        ts.load(name).check()
    except ts.ModelError as e:
        said[name] = len(e.problems)
    else:
        said[name] = 0
    os.unlink(name)
print(json.dumps(said))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory through Linux's rlimits")
def test_bombs(tmp_path):
    src = str(Path(ts.__path__[0]).parent)
    done = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps(BOMBS)],
        capture_output=True,
        text=True,
        timeout=300,
        env={"PYTHONPATH": src, "PATH": ""},
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout)
    harmless = {"sum.yaml", "minus.yaml"}  # long, but only arithmetic
    assert {n for n, problems in said.items() if problems} >= set(BOMBS) - harmless
    assert max(said.values()) <= 1001


def test_doubling_includes(tmp_path):
    for i in range(40):
        (tmp_path / f"m{i}.yaml").write_text(f"include: [m{i + 1}.yaml, m{i + 1}.yaml]")
    (tmp_path / "m40.yaml").write_text("name: x")
    with pytest.raises(ts.ModelError, match="more than 64 files are included"):
        ts.load(tmp_path / "m0.yaml")


def test_an_include_that_links_to_itself(tmp_path):
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    (tmp_path / "m.yaml").write_text("include: loop.yaml")
    with pytest.raises(ts.ModelError, match=r"m.yaml, line 1: include = loop.yaml: no such file"):
        ts.load(tmp_path / "m.yaml")


def test_a_table_of_many_columns(tmp_path):
    (tmp_path / "wide.csv").write_text(",".join(f"c{i}" for i in range(20000)))
    law = "{type: table, joint: x, points: {csv: wide.csv}}"
    joint = "{parent: world, child: b, type: prismatic, axis: x}"
    text = f"bodies: {{b: {{mass: 2}}}}\njoints: {{x: {joint}}}\nforces: {{f: {law}}}\n"
    (tmp_path / "m.yaml").write_text(text)
    with pytest.raises(ts.ModelError, match="the file has 20000 columns; at most 1000 are read"):
        ts.load(tmp_path / "m.yaml")


MJCF = {
    "copies": ('<replicate count="500"><replicate count="500"><geom size="1"/></replicate>'
               "</replicate>", "with all copies of replicate"),
    "bodies": ('<replicate count="2000"><body/></replicate>', "at most 1500 are read from MJCF"),
    "flex": ('<flexcomp name="f" type="grid" count="30 30 30" dim="3"/>', "at most 1000 points"),
    "nan": ('<body pos="nan 0 0"/>', r"line 1: <body>: pos='nan 0 0': expected finite numbers"),
    "up": ('</worldbody><include file="../m.xml"/><worldbody>', "leaves the folder of the model"),
    "mesh": ('</worldbody><asset><mesh name="m" file="/dev/zero"/></asset><worldbody>',
             "leaves the folder of the model"),
    "texture": ('</worldbody><asset><texture name="t" builtin="flat" width="40000" height="40000"/>'
                "</asset><worldbody>", r"at most 4e\+06 pixels in all are read"),
    "field": ('</worldbody><asset><hfield name="h" nrow="60000" ncol="60000" size="1 1 1 1"/>'
              "</asset><worldbody>", r"at most 1e\+06 points in all are read"),
    "user": ('</worldbody><size nuser_body="400000000"/><worldbody>', "at most 100 are read"),
    "itself": ('</worldbody><include file="m.xml"/><worldbody>', "included twice, or includes"),
}  # fmt: skip


@pytest.mark.parametrize("case", MJCF)
def test_what_mujoco_is_not_asked_for(case, tmp_path):
    pytest.importorskip("mujoco")
    inside, said = MJCF[case]
    (tmp_path / "in").mkdir()
    (tmp_path / "m.xml").write_text("<mujoco/>")
    path = tmp_path / "in" / "m.xml"
    path.write_text(f"<mujoco><worldbody>{inside}</worldbody></mujoco>")
    with pytest.raises(ts.ModelError, match=said):
        ts.load(path)


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(["world", "a", "90 deg", "5 mm", "L/2", "revolute", "spring", "x", "1 kg"]),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(
            st.sampled_from(
                [
                    "name",
                    "type",
                    "parent",
                    "child",
                    "mass",
                    "com",
                    "at",
                    "axis",
                    "law",
                    "points",
                    "csv",
                    "a",
                    "b",
                    "between",
                    "joint",
                ]
            )
            | st.text(max_size=6),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)
known = st.dictionaries(st.sampled_from(TOP_KEYS), plain, max_size=4)


def attempt(path):
    try:
        model = ts.load(path)
    except ts.ModelError as e:
        assert e.problems
        return
    try:
        model.check()
    except ts.ModelError as e:
        assert e.problems
    model.save(path.with_name("back.yaml"))


@settings(max_examples=60)
@given(tree=st.one_of(plain, known))
@example(tree={"initial": {"name": 1e100}})
@example(tree={"simulation": {"name": [{"a": -1e200}]}})
def test_any_values(tree, tmp_path_factory):
    path = tmp_path_factory.mktemp("fuzz") / "m.json"
    path.write_text(json.dumps(tree))
    attempt(path)


fields = sorted({n for c in {**constraint_types(), **nested_types()}.values() for n in specs(c)})
element = st.builds(
    lambda kind, more: (
        {
            "name": "e",
            "type": kind,
            "parent": "world",
            "child": "b",
            "joint": "j",
            "a": "b",
            "b": "world",
        }
        | more
    ),
    st.sampled_from(sorted({**constraint_types(), **nested_types()})),
    st.dictionaries(st.sampled_from(fields), plain, max_size=3),
)


@settings(max_examples=150)
@given(section=st.sampled_from(["joints", "loops", "forces", "constraints"]), e=element)
def test_any_element(section, e, tmp_path_factory):
    tree = {
        "bodies": {"b": {"mass": 1, "inertia": [1, 1, 1]}},
        "joints": [{"name": "j", "type": "revolute", "parent": "world", "child": "b"}],
    }
    tree[section] = [*tree.get(section, ()), e]
    path = tmp_path_factory.mktemp("fuzz") / "m.json"
    path.write_text(json.dumps(tree))
    attempt(path)


GOOD = """\
name: arm
parameters: {L: 300 mm}
bodies: {a: {mass: 2, com: [0, 0, L], inertia: [1, 1, 1]}}
joints: [{name: j, type: helical, parent: world, child: a, lead: 2 mm, limits: [-90 deg, 1]}]
forces: [{name: f, type: spring, between: [a, [world, [1 m, 0, 0]]], stiffness: 2 kN/mm}]
"""


@settings(max_examples=200)
@given(
    edits=st.lists(
        st.tuples(
            st.integers(0, len(GOOD)),
            st.integers(0, 4),
            st.text(alphabet="{}[]:,-'\"#&*!|>%@ \n\tx0e.\\é\x00", max_size=3),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_mutated_files(edits, tmp_path_factory):
    text = GOOD
    for at, cut, put in edits:
        text = text[:at] + put + text[at + cut :]
    path = tmp_path_factory.mktemp("fuzz") / "m.yaml"
    path.write_text(text)
    attempt(path)


@given(data=st.binary(max_size=60))
def test_any_bytes(data, tmp_path_factory):
    for name in ("m.yaml", "m.json"):
        path = tmp_path_factory.mktemp("fuzz") / name
        path.write_bytes(data)
        attempt(path)


def test_numbers_beyond_all_use_are_told_where_they_stand(tmp_path):
    """They were read, and the model could not be written."""
    (tmp_path / "m.yaml").write_text(
        "bodies: {b: {mass: 1}}\njoints: {x: {parent: world, child: b, type: prismatic, axis: x}}\n"
        "constraints:\n  d: {type: driven, coordinate: x.displacement,\n"
        "      times: [0, 1], position: [0, 1.0e+300]}\n"
    )
    with pytest.raises(ts.ModelError, match=r"m.yaml, line 5: .*range of numbers, up to 1e100"):
        ts.load(tmp_path / "m.yaml")


@pytest.mark.skipif(find_spec("mujoco") is None, reason="needs MuJoCo")
def test_mjcf_stays_in_its_folder(tmp_path):
    """Whatever MuJoCo would take for a way out of it, and pipes that keep it waiting."""
    (tmp_path / "in" / "sub").mkdir(parents=True)
    body = '<body name="b"><joint/><geom size="1"/></body>'
    whole = f"<mujoco><worldbody>{body}</worldbody></mujoco>"
    for place in ("out.xml", "in/good.xml", "in/sub/good.xml"):
        (tmp_path / place).write_text(whole)
    (tmp_path / "in" / "link.xml").symlink_to(tmp_path / "out.xml")
    os.mkfifo(tmp_path / "in" / "pipe.xml")
    path = tmp_path / "in" / "m.xml"
    for name in ("good.xml", "sub/good.xml", "sub\\good.xml"):
        path.write_text(f'<mujoco><include file="{name}"/></mujoco>')
        assert ts.load(path).bodies[0].name == "b"
    texture = '<mujoco><compiler assetdir="sub"/><asset><texture type="cube" fileup="{}"/></asset>'
    texture += f"<worldbody>{body}</worldbody></mujoco>"
    for text in ('<mujoco><include file="{}"/></mujoco>', texture):
        for name in ("../../out.xml", "..\\..\\out.xml", "sub\\../..\\../out.xml", f"{tmp_path}/x"):
            path.write_text(text.format(name))
            with pytest.raises(ts.ModelError, match=r"m.xml, line 1: .* leaves the folder"):
                ts.load(path)
    for name, told in (("link.xml", "leaves the folder"), ("pipe.xml", "a pipe, a socket")):
        path.write_text(f'<mujoco><include file="{name}"/></mujoco>')
        with pytest.raises(ts.ModelError, match=told):
            ts.load(path)
