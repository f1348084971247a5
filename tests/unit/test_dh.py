"""Denavit-Hartenberg tables: both conventions, converter, trees, files, printing."""

import numpy as np
import pytest
import zoo
from hypothesis import given, strategies as st

import torseur as ts
from torseur.model.dh import DH, DHTable
from torseur.scalars.values import value

# first link table of the Stanford arm and of the PUMA 560, as textbooks print them
PUMA_CLASSIC = [
    ("pi/2", 0, 0, 0),
    (0, 0.4318, 0, 0),
    ("-pi/2", 0.0203, 0, 0.15005),
    ("pi/2", 0, 0, 0.4318),
    ("-pi/2", 0, 0, 0),
    (0, 0, 0, 0),
]
STANFORD = [
    ("-pi/2", 0, 0, 0.412),
    ("pi/2", 0, 0, 0.154),
    (0, 0, "-pi/2", 0, "P"),
    ("-pi/2", 0, 0, 0),
    ("pi/2", 0, 0, 0),
    (0, 0, 0, 0.263),
]


def elementary(axis, angle, slide):
    c, s, T = np.cos(angle), np.sin(angle), np.eye(4)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    T[i, i], T[i, j], T[j, i], T[j, j], T[axis, 3] = c, -s, s, c, slide
    return T


def number(x):
    return value.nominal(value.exact(x), {})


def product(rows, convention, q):
    """Poses by plain matrices, an independent text of the two conventions."""
    out, T = [], np.eye(4)
    for row, x in zip(rows, q, strict=True):
        alpha, d, theta, r = (number(e) for e in row[:4])
        slide = len(row) > 4 and row[4] == "P"
        X = elementary(0, alpha, d)
        Z = elementary(2, theta + (0 if slide else x), r + (x if slide else 0))
        T = T @ (X @ Z if convention == "modified" else Z @ X)
        out.append(T)
    return np.array(out)


def floats(poses):
    return np.array([[[number(e) for e in row] for row in X.matrix()] for X in poses])


@pytest.mark.parametrize("rows", [PUMA_CLASSIC, STANFORD], ids=["puma", "stanford"])
@pytest.mark.parametrize("convention", ["modified", "classic"])
def test_frames_are_the_products_of_matrices(rows, convention):
    q = np.random.default_rng(4).uniform(-2, 2, len(rows)).round(3)
    want = product(rows, convention, q)
    zoo.close(floats(DHTable(rows, convention).frames(list(q))), want, k=32)
    bodies = [
        ts.Body(f"b{i}", mass=1, com=(0.1, 0.2, 0.3), inertia=(1, 1, 1, 0, 0, 0))
        for i in range(len(rows))
    ]
    system = ts.from_dh(rows, bodies, convention=convention).check()
    tree = system.floats()
    for i in range(len(rows)):
        place, T = tree.places[f"b{i}"], np.eye(4)
        chain = list(tree.ancestors(place.link))[::-1]
        for k in chain:
            T = T @ np.array((k.X_PF @ k.joint.pose(tree.K, q[k.q])).matrix(), dtype=float)
        zoo.close(T @ np.array(place.X_LB.matrix(), dtype=float), want[i], k=64)


rows = st.lists(
    st.tuples(
        st.sampled_from([0, "pi/2", "-pi/2", "pi", 0.3, -1.2]),
        st.sampled_from([0, 0.4, -0.25]),
        st.sampled_from([0, "pi/2", 0.7]),
        st.sampled_from([0, 0.5, -0.1]),
        st.sampled_from(["R", "P"]),
    ),
    min_size=1,
    max_size=6,
)


@given(rows)
def test_there_and_back(table):
    q = np.linspace(-1, 1, len(table)).round(3).tolist()
    classic = DHTable(table, "classic")
    modified = classic.to("modified")
    # the classic frame is the modified one followed by the tool of its row
    ends = [X @ T for X, T in zip(modified.frames(q), classic.tools(), strict=True)]
    zoo.close(floats(ends), floats(classic.frames(q)), k=64, scale=4)
    again = modified.to("classic")
    zoo.close(floats(again.frames(q))[:-1], floats(classic.frames(q))[:-1], k=64, scale=4)
    assert again.base is None
    start = DHTable(table, "modified")
    other = start.to("classic")
    ends = [X @ T.inverse() for X, T in zip(other.frames(q), start.tools(), strict=True)]
    zoo.close(floats(ends), floats(start.frames(q)), k=64, scale=4)
    back = other.to("modified")
    zoo.close(floats(back.frames(q)), floats(start.frames(q)), k=64, scale=4)


@pytest.mark.parametrize("about", ["com", "origin", "first_moment"])
@pytest.mark.parametrize("convention", ["modified", "classic"])
def test_bodies_are_carried_along(convention, about):
    """The same robot in both conventions has the same mass matrix and the same torques."""
    from torseur.formalisms import newton_euler

    rng = np.random.default_rng(1)
    bodies = [zoo.body(f"b{i}", rng) for i in range(6)]
    if about != "com":

        def at_origin(b):
            m, c = b.mass, np.array(b.com, dtype=float)
            J = b.inertia + m * (c @ c * np.eye(3) - np.outer(c, c))
            moment = {"first_moment": tuple(m * c)} if about == "first_moment" else {"com": b.com}
            return ts.Body(b.name, mass=m, inertia=J, about="origin", **moment)

        bodies = [at_origin(b) for b in bodies]
    table = DHTable(STANFORD, convention)
    to = "classic" if convention == "modified" else "modified"
    other = table.to(to)
    a = ts.from_dh(table.rows, bodies, convention=convention).check()
    b = ts.from_dh(other.rows, table.carry(bodies, to), convention=to, base=other.base).check()
    q, v, x = zoo.state(a, rng)
    got, want = (zoo.evaluate(s, newton_euler.inverse_dynamics, q, v, x) for s in (b, a))
    zoo.close(got, want, k=256)


def test_a_tree():
    table = DHTable([(0, 0, 0, 0.3), ("pi/2", 0, 0, 0), (0, 0.4, 0, 0, "R", 0)], "modified")
    assert [table.parent(i) for i in range(3)] == [-1, 0, 0]
    with pytest.raises(
        ValueError,
        match=r"row 3: no classic table: the rows after row 1 leave it "
        r"with different alpha and d, \('pi/2', 0\) and \(0, 0.4\); keep it",
    ):
        table.to("classic")
    same = DHTable([(0, 0, 0, 0.3), ("pi/2", 0, 0, 0), ("pi/2", 0, 0, 0.4, "P", 0)], "modified")
    classic = same.to("classic")
    assert classic.rows[0].alpha == "pi/2" and classic.rows[2].parent == 0
    bodies = [ts.Body(n, mass=1, inertia=(1, 1, 1, 0, 0, 0)) for n in "abc"]
    model = ts.from_dh(table.rows, bodies, convention="modified")
    assert [j.parent for j in model.joints] == ["world", "a", "a"]


def test_the_table_shows_the_frames():
    text = str(DHTable([(0, 0, 0, 0.5), ("pi/2", 0.25, 0.5, 0, "P")], "modified"))
    assert text.splitlines()[0] == (
        "modified Denavit-Hartenberg: Rot(x, alpha) Trans(x, d) Rot(z, theta) Trans(z, r)"
    )
    assert text.splitlines()[3].split("  ")[-1].strip() == "(0, -1, 0)"
    assert "q1" in text.splitlines()[2] and "28.6479 deg" in text.splitlines()[3]
    other = str(DHTable([(0, 0)], "classic"))
    assert "Rot(z, theta) Trans(z, r) Trans(x, d) Rot(x, alpha)" in other


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: DHTable([(0, 0)], "standard"), "convention='standard': expected 'modified'"),
        (lambda: DHTable([(0, 0, 0, 0, "X")], "classic"), "row 1: joint 'X': expected 'R' or 'P'"),
        (lambda: DHTable([DH(parent=0)], "classic"), "row 1: parent 0 must be -1"),
        (lambda: DHTable([DH()], "classic").to("other"), "convention='other'"),
        (lambda: ts.from_dh([DH()], [], convention="classic"), "1 rows for 0 bodies"),
    ],
)
def test_errors(make, said):
    with pytest.raises(ValueError, match=said.replace("(", r"\(")):
        make()


def test_a_table_makes_a_model_with_its_base():
    base = np.eye(4)
    base[2, 3] = 0.7
    rng = np.random.default_rng(0)
    rows, bodies = [(0, 0, 0, 0.5), ("pi/2", 0.1, 0, 0)], [zoo.body(n, rng) for n in "ab"]
    table = ts.DHTable(rows, "classic", base)
    made = ts.compile(ts.from_dh(table, bodies, convention="classic"))
    same = ts.compile(ts.from_dh(rows, bodies, convention="classic", base=base))
    q = np.array([0.3, -0.4])
    np.testing.assert_array_equal(made.pose("b", q), same.pose("b", q))
    assert made.pose("b", q)[2, 3] > 1.1
    with pytest.raises(ts.TorseurError, match="the table is classic"):
        ts.from_dh(table, bodies, convention="modified")


def test_the_convention_is_required():
    with pytest.raises(TypeError, match="convention"):
        ts.from_dh([DH()], [ts.Body("a", mass=1)])


FILE = """\
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}, c: {mass: 1}}
dh:
  convention: modified
  rows:
    - {body: a, r: 50 cm}
    - {body: b, alpha: 90 deg, theta: 30 deg, name: elbow}
    - {body: c, d: 0.25, joint: P, after: a}
"""


def test_tables_in_files(tmp_path):
    path = tmp_path / "arm.yaml"
    path.write_text(FILE)
    model = ts.load(path)
    assert [(j.name, j.parent, j.child) for j in model.joints] == [
        ("joint1", "world", "a"),
        ("elbow", "a", "b"),
        ("joint3", "a", "c"),
    ]
    want = ts.from_dh(
        [(0, 0, 0, 0.5), ("pi/2", 0, np.radians(30), 0), (0, 0.25, 0, 0, "P", 0)],
        model.bodies,
        convention="modified",
        joint_names=["joint1", "elbow", "joint3"],
    )
    assert model.check().digest == want.check().digest
    model.save(tmp_path / "back.yaml")
    assert ts.load(tmp_path / "back.yaml").check().digest == want.check().digest
    for old, new, said in (
        ("modified", "standard", "say which convention the rows follow"),
        ("after: a", "after: x", "no earlier row's body is named 'x'"),
        ("joint: P", "joint: Q", "expected R or P"),
        ("50 cm", "50 kg", "expected a length"),
        ("body: b, ", "", "needs 'body'"),
        ("alpha", "alfa", "did you mean 'alpha'"),
    ):
        path.write_text(FILE.replace(old, new))
        with pytest.raises(ts.ModelError, match=said):
            ts.load(path)


def _kept(model, path):
    """The model read back from a file, and the file's table of rows."""
    import yaml

    model.save(path)
    return ts.load(path), yaml.safe_load(path.read_text())


FULL = [
    {"r": 0.5, "limits": (-3, 3), "drive": ts.Drive(ratio=100, rotor_inertia=1e-4)},
    {"alpha": "pi/2", "max_effort": 90.0, "max_speed": 2.0, "friction": 4.0, "damping": 0.5},
    {"d": 0.4, "r": "h", "joint": "P", "friction": 7.0, "payload": {"mass": 3, "at": (0, 0, 0.2)}},
    {"d": 0.3, "parent": 1, "armature": 0.2, "payload": 1.5, "name": "wrist"},
    {"alpha": "-pi/2", "parent": 0},
    {"theta": 0.3, "d": 0.2, "parent": 3},
]


@pytest.mark.parametrize("convention", ["modified", "classic"])
@pytest.mark.parametrize("ending", ["yaml", "json"])
def test_a_saved_table_is_a_table(tmp_path, convention, ending):
    """Branches in their order, drives, limits, friction, payload: as they were, as rows."""
    bodies = [ts.Body(f"b{i}", 2.0, (0.1, 0.02 * i, 0), (0.1, 0.1, 0.1, 0, 0, 0)) for i in range(6)]
    base = ((0, -1, 0, 0.1), (1, 0, 0, 0), (0, 0, 1, "h"), (0, 0, 0, 1))
    arm = ts.from_dh(FULL, bodies, convention=convention, base=base, parameters={"h": 0.3})
    back, data = _kept(arm, tmp_path / f"arm.{ending}")
    assert [r["body"] for r in data["dh"]["rows"]] == [b.name for b in bodies]
    assert "joints" not in data and "forces" not in data and "b2_payload" not in data["bodies"]
    assert data["dh"]["rows"][2]["payload"] == {"mass": 3, "at": [0, 0, 0.2]}
    assert data["dh"]["rows"][1]["friction"] == 4.0 and data["dh"]["rows"][4]["after"] == "b0"
    a, b = arm.check(), back.check()
    assert (a.coordinates, a.digest) == (b.coordinates, b.digest)
    assert [j.name for j in back.joints] == [j.name for j in arm.joints]
    assert repr(back.joints[0].drive) == repr(arm.joints[0].drive)
    twice, again = _kept(back, tmp_path / f"twice.{ending}")
    assert again == data and twice.check().digest == a.digest


def test_a_joint_that_was_moved_is_written_as_it_is(tmp_path):
    """A changed limit stays in its row; a changed place is no row, nor is what hangs from it."""
    from dataclasses import replace

    bodies = [ts.Body(f"b{i}", 2.0, (0.1, 0, 0)) for i in range(3)]
    arm = ts.from_dh([(0, 0, 0, 0.5), ("pi/2", 0, 0, 0), (0, 0.4, 0, 0)], bodies,
                     convention="modified")  # fmt: skip
    first, second, third = arm.joints
    tuned = replace(arm, joints=(replace(first, limits=(-1, 2), drive=ts.Drive(ratio=9)), second,
                                 replace(third, pose=None, at=(0.45, 0, 0))))  # fmt: skip
    back, data = _kept(tuned, tmp_path / "arm.yaml")
    assert [r["name"] for r in data["dh"]["rows"]] == ["joint1", "joint2"]
    assert data["dh"]["rows"][0]["limits"] == [-1, 2]
    assert [j["name"] for j in data["joints"]] == ["joint3"]
    assert back.check().digest == tuned.check().digest


def test_payload_and_friction_of_rows_are_elements():
    """Against the same arm made by hand."""
    body = ts.Body("b", 2.0, (0.1, 0, 0))
    row = {"alpha": "pi/2", "friction": 4.0, "payload": {"mass": 3.0, "at": (0.5, 0, 0)}}
    arm = ts.from_dh([row], [body], convention="modified")
    tau = ts.compile(arm).inverse_dynamics([0.0], [10.0], [0.0], forces=True)
    assert tau[0] == pytest.approx(9.81 * (2 * 0.1 + 3 * 0.5) + 4.0, rel=1e-12)
    with pytest.raises(ts.TorseurError, match="row 1, payload: no field is named 'weight'"):
        ts.from_dh([{"payload": {"weight": 1}}], [body], convention="modified")


def test_rows_take_texts_with_units_as_files_do():
    body = [ts.Body(n, 1.0, (0.1, 0, 0)) for n in "ab"]
    rows = [(0, 0, 0, "400 mm"), ("90 deg", "L/2", 0, 0)]
    said = ts.from_dh(rows, body, convention="modified", parameters={"L": 0.7})
    exact = ts.from_dh([(0, 0, 0, 0.4), ("pi/2", "L/2", 0, 0)], body, convention="modified",
                       parameters={"L": 0.7})  # fmt: skip
    assert said.check().digest == exact.check().digest
    with pytest.raises(ts.TorseurError, match="row 1: alpha = '90 mm': expected an angle"):
        ts.from_dh([("90 mm", 0, 0, 0)], body[:1], convention="modified")


def test_one_word_gives_a_robot_its_motors_in_python_and_in_files(tmp_path):
    body = ts.Body("b", 1.0, (0.1, 0, 0), (0.01, 0.01, 0.02))
    arm = ts.from_dh([(0, 0, 0, 0)], [body], convention="modified", actuate=True)
    path = tmp_path / "arm.yaml"
    path.write_text(
        "bodies: {b: {mass: 1, com: [0.1, 0, 0], inertia: [0.01, 0.01, 0.02]}}\nactuate: true\n"
        "dh: {convention: modified, rows: [{body: b, name: joint1}]}\n"
    )
    (tmp_path / "outer.yaml").write_text("include: [arm.yaml]\n")
    for model in (arm, ts.load(path), ts.load(tmp_path / "outer.yaml")):
        assert [i.name for i in model.inputs] == ["u_joint1"]
        run = ts.simulate(model, 0.1, inputs={"u_joint1": 0.3}, output=[0.1])
        assert run["joint1.rate"][-1] == pytest.approx(0.1 * 0.3 / 0.03, rel=1e-8)
    path.write_text(path.read_text().replace("actuate: true", "actuate: 3"))
    with pytest.raises(ts.TorseurError, match="actuate = 3: expected true or false"):
        ts.load(path)


def test_an_input_may_be_a_text_with_its_unit():
    rod = ts.Body("b", 1.0, (0.1, 0, 0))
    arm = ts.from_dh([(0, 0, 0, 0)], [rod], convention="modified", actuate=True)
    runs = [
        ts.simulate(arm, 0.1, inputs={"u_joint1": u}, output=[0.1])["joint1.angle"][-1]
        for u in ("5 N m", "500 N cm", 5.0, "5")
    ]
    assert runs == pytest.approx([runs[2]] * 4, rel=1e-12)
    with pytest.raises(ts.TorseurError, match="simulate: input 'u_joint1' = '5 kg': expected"):
        ts.simulate(arm, 0.1, inputs={"u_joint1": "5 kg"})
