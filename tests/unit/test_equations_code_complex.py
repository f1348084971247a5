"""Code of complex joints: linkages, tables and formulas with functions, against the kernels."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest
import zoo

import torseur as ts
from torseur.joints import ComplexJoint, DoubleWishbone, joint
from torseur.symbolic import equations

JOINTS = {
    **{
        f"{type(j).__name__} {i}": j
        for i, j in enumerate(joint.examples())
        if isinstance(j, ComplexJoint)
    },
    "functions": ts.Guided(
        ("exp(z) - atan(z)", "asin(z/3)/5", "z"),
        ("0.1*tanh(z)", "log(3 + z)/9", "acos(sqrt(2 + z)/3)"),
        coordinate="z",
    ),
}


def corner(joint, **more) -> ts.Model:
    rng = np.random.default_rng(8)
    return ts.Model(
        "corner",
        bodies=[zoo.body("hub", rng), zoo.body("wheel", rng)],
        joints=[
            ts.Joint("travel", "world", "hub", joint),
            ts.Joint("spin", "hub", "wheel", ts.Revolute("y")),
        ],
        **more,
    )


def state(rng):
    return rng.uniform(-0.05, 0.05, 2), rng.normal(size=2), rng.normal(size=2)


@pytest.mark.parametrize("case", JOINTS)
def test_code_is_finished_and_right(case):
    eq = equations(corner(JOINTS[case]))
    dyn = ts.compile(eq.system)
    q, v, a = state(np.random.default_rng(9))
    given = dict.fromkeys(eq.parameters, 0.3)
    p = [given[n] for n in eq.parameters]
    space: dict = {}
    exec(eq.code("python", name="f"), space)
    zoo.close(space["f"](q, v, a, p), dyn.inverse_dynamics(q, v, a, **({"p": p} if p else {})), 1e4)


def test_a_formula_without_second_derivatives_is_told():
    model = corner(ts.Guided(("max(z, 0)", 0, "z"), coordinate="z"))
    with pytest.raises(ts.ModelError, match=r"'travel'.*max\(\) has no second derivative"):
        model.check()


def named() -> ts.Model:
    """A hardpoint with a name: which side the linkage is on follows its value."""
    j = DoubleWishbone.examples()[0]
    x, y, z = (float(e) for e in j.tie_outer)
    from dataclasses import replace

    return corner(replace(j, tie_outer=("xo", y, z)), parameters={"xo": x})


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not on this machine")
@pytest.mark.parametrize("model", [named, lambda: corner(JOINTS["functions"])])
def test_c(model, tmp_path):
    eq = equations(model())
    q, v, a = state(np.random.default_rng(2))
    (tmp_path / "f.c").write_text(eq.code("c", name="f"))
    flags = ("-std=c99", "-Wall", "-Werror", "-Wno-unused", "-O1", "-shared", "-fPIC")
    library = tmp_path / "f.so"
    subprocess.run(["gcc", *flags, tmp_path / "f.c", "-o", library, "-lm"], check=True)
    out, p = np.zeros(2), np.array([eq.system.parameters[n] for n in eq.parameters], dtype=float)
    pointer = ctypes.POINTER(ctypes.c_double)
    ctypes.CDLL(str(library)).f(*(x.ctypes.data_as(pointer) for x in (q, v, a, p, out)))
    zoo.close(out, ts.compile(eq.system).inverse_dynamics(q, v, a), 1e4)


def test_all_languages_write_choices():
    eq = equations(corner(JOINTS["functions"]))
    assert "acos(" in eq.code("fortran") and "arccos(" in eq.code("python")
    eq = equations(named())
    matlab, fortran = eq.code("matlab"), eq.code("fortran")
    assert "pick(" in matlab and "function x = pick(" in matlab
    assert "merge(" in fortran and all(len(line) < 133 for line in fortran.splitlines())
