"""What people read: text, LaTeX, MathML, SymPy, and text back to equations."""

import importlib
import re
import sys
from pathlib import Path
from xml.dom import minidom

import numpy as np
import pytest
import zoo

from torseur.errors import TorseurError
from torseur.joints import Free, Revolute
from torseur.model import Body, Joint, Model
from torseur.symbolic import equations
from torseur.symbolic.print.latex import symbol

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
ROBOTS = importlib.import_module("equations_robots")
PUMA = importlib.import_module("equations_puma")
LIE = importlib.import_module("equations_lie_group")


@pytest.mark.parametrize("formalism", ["newton_euler", "lagrange", "uicker"])
def test_the_puma_reads_as_in_annex_7(formalism):
    eq = equations(ROBOTS.puma3(), formalism)
    for (i, j), text in PUMA.CLOSED.items():
        assert str(eq.mass_matrix[i, j]) == text == str(eq.mass_matrix[j, i])
    assert str(eq.coriolis[0, 1, 2]) == "2 Ixz3 c23 - 2 Iyz3 s23"
    assert str(eq.coriolis[1, 1, 2]) == "-2 d3 mx3 s3 - 2 d3 my3 c3"
    assert str(eq.gravity[2]) == "g mx3 c23 - g my3 s23"
    assert all(eq.gravity[i] == PUMA.GRAVITY[i] for i in range(3))


def test_whole_print_word_for_word():
    eq = equations(LIE.yoke(), "lie_group")
    assert (
        str(eq)
        == """\
yoke, rod, solid: 3 equations of motion, by lie_group
  q1 = vertical.angle [rad]
  q2 = tilt.angle [rad]
  q3 = spin.angle [rad]
  c2, s2 = cos, sin of q2

tau1 = (4434 - 4360 c2^2) d2q1 + 30 c2 d2q3 + 8720 c2 s2 dq1 dq2 - 30 s2 dq2 dq3
tau2 = 4430 d2q2 + 30 s2 dq1 dq3 - 4360 c2 s2 dq1^2 - 3188.25 s2
tau3 = 30 c2 d2q1 + 30 d2q3 - 30 s2 dq1 dq2"""
    )
    assert eq.text("coefficients").splitlines()[-7:] == [
        "A33 = 30",
        "B1,12 = 8720 c2 s2",
        "B1,23 = -30 s2",
        "B2,13 = 30 s2",
        "B3,12 = -30 s2",
        "C21 = -4360 c2 s2",
        "G2 = -3188.25 s2",
    ]
    assert eq.text("003").splitlines()[1] == (
        "4430*d2q<1,2> + 30*sin(q<1,2>)*dq<0,1>*dq<2,3> - 4360*cos(q<1,2>)*sin(q<1,2>)*dq<0,1>^2"
        " - 3188.25*sin(q<1,2>) = 0"
    )
    assert "cos(tilt.angle)^2" in eq.text(full=True) and "dvertical.angle" in eq.text(full=True)
    with pytest.raises(TorseurError, match="style 'tex': expected one of 003, equations"):
        eq.text("tex")


def test_parameters_of_document_003():
    eq = equations(LIE.sliders(), forces=True)
    assert eq.text("003").splitlines() == [
        "2*d2x<0,1> + d2x<1,2> - par<0,102>*x<0,1> + 9.81*sqrt(2) = 0",
        "d2x<0,1> + d2x<1,2> - par<1,102>*x<1,2> + 4.905*sqrt(2) = 0",
    ]
    ball = equations(LIE.spherical()).text("003")
    assert "d2q<0,1>" in ball and "cos(r<0,1>)" in ball and "dp<0,1>" in ball


@pytest.mark.parametrize(
    "make",
    [
        ROBOTS.puma3,
        ROBOTS.scara,
        LIE.planar,
        LIE.yoke,
        lambda: ROBOTS.chain(3),
        lambda: zoo.spherical_body("zyx"),
        lambda: zoo.free_body(Free("zyx", speeds="vehicle")),
    ],
)
def test_every_printed_text_reads_back_exactly(make):
    eq = equations(make())
    n = eq.system.nv
    for i in range(n):
        for j in range(n):
            assert eq.read(str(eq.mass_matrix[i, j])) == eq.mass_matrix[i, j]
        assert eq.read(str(eq.tau[i])) == eq.tau[i]


def test_printed_equations_of_a_long_chain_are_the_equations():
    """Summed rates and efforts: evaluated from their text by Python itself."""
    rng = np.random.default_rng(1)
    eq = equations(ROBOTS.chain(6))
    q, v, a = zoo.state(eq.system, rng)
    p = dict.fromkeys(eq.parameters, 0.8)
    text = str(eq)
    names = dict(p)
    for label, kind, total in re.findall(
        r"^  (\S+(?:, \S+)?) = (cos, sin|cos|sin) of (.+)$", text, re.M
    ):
        angle = sum(q[i - 1] for i in span(total))
        for f, name in zip(kind.split(", "), label.split(", "), strict=True):
            names[name] = getattr(np, f)(angle)
    for name, total in re.findall(r"^  (d2?q\S+) = (.+)$", text, re.M):
        rate = a if name.startswith("d2") else v
        names[name] = sum(rate[i - 1] for i in span(total))
    names |= {f"dq{i + 1}": x for i, x in enumerate(v)}
    names |= {f"d2q{i + 1}": x for i, x in enumerate(a)}
    tau = eq.evaluate(q, v, a, p)
    body = text[text.index("\ntau1") :].strip().replace("\n    ", " ")
    lines = body.splitlines()
    assert len(lines) == 6 and lines[0].startswith("tau1 - tau2 = ")
    for i, line in enumerate(lines):
        right = line.split(" = ")[1].replace("^", "**")
        right = re.sub(r"(?<=[\w)]) (?=[\w(])", "*", re.sub(r" +", " ", right))
        want = tau[i] - (tau[i + 1] if i < 5 else 0)
        assert abs(eval(right, {"__builtins__": {}}, names) - want) < 1e-11


def span(total: str):
    numbers = [int(n) for n in re.findall(r"q(\d+)", total)]
    return range(numbers[0], numbers[-1] + 1) if "..." in total else numbers


def test_sympy_is_the_same_function():
    rng = np.random.default_rng(4)
    import sympy

    for make in (ROBOTS.puma3, LIE.sliders, LIE.spherical):
        eq = equations(make(), forces=True)
        q, v, a = zoo.state(eq.system, rng)
        p = dict.fromkeys(eq.parameters, 1.3)
        values = {sympy.Symbol(n): x for n, x in p.items()}
        values |= {sympy.Symbol(f"q{i + 1}"): x for i, x in enumerate(q)}
        for i in range(eq.system.nv):
            from torseur.symbolic.print.names import Names

            names = Names(eq.system)
            values |= {sympy.Symbol(names.rate(i, 1)): v[i], sympy.Symbol(names.rate(i, 2)): a[i]}
        got = [float(e.subs(values)) for e in eq.sympy()]
        zoo.close(got, eq.evaluate(q, v, a, p), 500)
    m11 = equations(LIE.yoke()).mass_matrix[0, 0].sympy()
    assert sympy.simplify(m11 - (4434 - 4360 * sympy.cos(sympy.Symbol("q2")) ** 2)) == 0


def test_latex_and_mathml():
    eq = equations(ROBOTS.puma3())
    assert eq.mass_matrix[1, 2].latex() == "I_{zz3} + d_{3} m_{x3} c_{3} - d_{3} m_{y3} s_{3}"
    assert eq.mass_matrix[1, 2]._repr_latex_() == f"${eq.mass_matrix[1, 2].latex()}$"
    text = eq.latex()
    assert text.startswith("\\begin{aligned}\n\\tau_{1} &=") and text.endswith("\\end{aligned}")
    assert r"\ddot{q}_{1}" in text and r"\dot{q}_{2}^{2}" in text
    assert text.count("{") == text.count("}")
    assert eq._repr_latex_().startswith("$$")
    assert symbol("alpha_2") == r"\alpha_{2}" and symbol("Jxy") == "J_{xy}"
    assert symbol("mass") == r"\mathrm{mass}" and symbol("L1") == "L_{1}"
    chain = equations(ROBOTS.chain(6)).latex()
    assert r"\tau_{1} - \tau_{2} &=" in chain and r"\dot{q}_{1\ldots 5}" in chain
    for e in (eq, equations(LIE.sliders(), forces=True), equations(ROBOTS.chain(5))):
        page = minidom.parseString(e.mathml())
        assert page.getElementsByTagName("mtr").length == e.system.nv


def test_numbers_are_exact_and_short():
    model = Model(
        "rod",
        gravity=(0, 0, -9.81),
        bodies=[Body("rod", 0.35, (0, 0, "-1/3"))],
        joints=[Joint("pivot", "world", "rod", Revolute("y"))],
    )
    eq = equations(model)
    assert str(eq.mass_matrix[0, 0]) == "7/180" and str(eq.gravity[0]) == "1.1445 s1"
    assert eq.gravity[0] == "0.35 * 9.81 / 3 * s1"


def test_sines_or_cosines_and_summed_or_relative_whichever_is_shorter():
    eq = equations(ROBOTS.scara())
    assert str(eq.mass_matrix[1, 1]) == (
        "Izz2 + Izz3 + 2 d3 mx3 c3 - 2 d3 my3 s3 + m3 d3^2 + Izz4 + 2 d3 mx4 c3 - 2 d3 my4 s3"
        " + m4 d3^2"
    )
    assert "c23" in str(eq.mass_matrix[0, 0]) and "c12" not in str(eq.mass_matrix[0, 0])
    opposite = Model(
        "opposite",
        gravity=(0, "-g", 0),
        bodies=[Body("a", "ma", ("x", 0, 0)), Body("b", "mb", ("y", 0, 0))],
        joints=[
            Joint("one", "world", "a", Revolute("z")),
            Joint("two", "a", "b", Revolute("-z"), at=("L", 0, 0)),
        ],
    )
    assert str(equations(opposite).gravity[1]) == "-g mb y cm1p2"


def test_ten_coordinates_keep_names_apart():
    text = str(equations(ROBOTS.chain(11)))
    assert "c1p2" in text and "c1to3" in text and "c12 = cos of q12" not in text


def test_reading_says_what_is_wrong():
    eq = equations(ROBOTS.puma3())
    assert eq.read("cos(q2 + q3)") == "c23" and eq.read("2 sin(q2) c2 / 4") == "s2 c2 / 2"
    assert eq.read("s2^2 + c2**2") == 1
    for bad in ("Izz1 +", "Izz1 ** m1", "c2(", "Izz1 = 3"):
        with pytest.raises(ValueError, match="cannot read"):
            eq.read(bad)
    with pytest.raises(ValueError, match="no quantity is named 'foo'"):
        eq.read("foo + 1")
