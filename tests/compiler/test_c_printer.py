"""Kernels as text: C99 that compiles without a warning, Python that runs, the same numbers."""

import ctypes
import shutil
import subprocess

import casadi as ca
import numpy as np
import pytest
import zoo
from test_kernel_code import BINARY, random_function

import torseur as ts
from torseur.compiler import Kernel
from torseur.compiler.codegen import c_printer
from torseur.compiler.program.casadi_reader import read

GCC = shutil.which("gcc") or shutil.which("cc")
EPS = np.finfo(float).eps


@pytest.fixture(autouse=True)
def no_cache(monkeypatch):
    monkeypatch.setenv("TORSEUR_CACHE", "off")


def everything():
    """One function with all kinds of operation, and awkward names."""
    a, b = ca.SX.sym("a"), ca.SX.sym("b")
    results = [BINARY[name](a, b) for name in BINARY] + [ca.sign(a), ca.floor(b), ca.erf(a)]
    names = ["int", "t1", "x"], ["y"]
    return ca.Function("every_thing", [a, b, ca.SX.sym("double")], [ca.vertcat(*results)], *names)


def build_c(tmp_path, programs, call):
    """Compile the export with a caller for its first function; give the library."""
    source = tmp_path / "kernel.c"
    source.write_text(c_printer.c(programs, title="an arm */ with an odd name"))
    p = programs[0]
    args = len(p.inputs) + len(p.outputs)
    main = tmp_path / "main.c"
    names = ", ".join(f"p[{k}]" for k in range(args))
    main.write_text(
        f'#include "kernel.c"\nvoid run(double **p);\nvoid run(double **p) {{ {call}({names}); }}\n'
    )
    library = tmp_path / "kernel.so"
    flags = ["-Wall", "-Wextra", "-pedantic", "-std=c99", "-Werror", "-O1", "-shared", "-fPIC"]
    subprocess.run([GCC, *flags, str(main), "-o", str(library), "-lm"], check=True)
    return ctypes.CDLL(str(library))


def run_c(library, program, args):
    outputs = [np.zeros(p.shape) for p in program.outputs]
    arrays = [*(np.ascontiguousarray(a, float) for a in args), *outputs]
    library.run((ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays)))
    return outputs


@pytest.mark.skipif(GCC is None, reason="no C compiler")
def test_c_agrees_and_compiles_without_warning(tmp_path):
    f = random_function(3)
    program = read(f)
    library = build_c(tmp_path, [program, read(everything())], "f")
    kernel = Kernel("f", lambda: f)
    rng = np.random.default_rng(0)
    for _ in range(20):
        x, p = rng.normal(size=5), rng.normal(size=(2, 2))
        for got, want in zip(run_c(library, program, (x, p)), kernel(x, p), strict=True):
            np.testing.assert_allclose(got, want, rtol=2000 * EPS, atol=2000 * EPS)


@pytest.mark.skipif(GCC is None, reason="no C compiler")
def test_c_has_every_operation(tmp_path):
    f = everything()
    program = read(f)
    library = build_c(tmp_path, [program], "every_thing")
    kernel = Kernel("f", lambda: f)
    for a in (-1.5, -0.5, 0.25, 2.0):
        for b in (-0.5, 0.25, 1.0):
            args = [np.array([v]) for v in (a, b, 0.0)]
            (got,) = run_c(library, program, args)
            np.testing.assert_allclose(got, kernel(*args), rtol=8 * EPS, atol=8 * EPS)


def test_c_says_what_it_is():
    program = read(random_function(3))
    text = c_printer.c([program])
    for words in (
        "in:  x[5], p[2][2]",
        "out: y[4], Y[2][2]",
        program.stamp,
        "static inline void f(",
    ):
        assert words in text
    assert f"{program.operations['mul']} mul" in text


def test_c_of_empty_ports():
    q = ca.SX.sym("q", 0)
    text = c_printer.c([read(ca.Function("f", [q], [q, ca.SX(1)], ["q"], ["a", "b"]))])
    assert "(void)q;" in text and "(void)a;" in text and "b[0] = 1.0;" in text


def run_python(programs):
    space: dict = {}
    exec(compile(c_printer.python(programs), "exported", "exec"), space)
    return space


def test_python_agrees_on_batches():
    f = random_function(5)
    program = read(f)
    exported = run_python([program])["f"]
    assert program.stamp in exported.__doc__
    kernel = Kernel("f", lambda: f)
    rng = np.random.default_rng(0)
    for lead in [(), (6,), (2, 3)]:
        x, p = rng.normal(size=(*lead, 5)), rng.normal(size=(*lead, 2, 2))
        for got, want in zip(exported(x, p), kernel(x, p), strict=True):
            np.testing.assert_allclose(got, want, rtol=2000 * EPS, atol=2000 * EPS)
    x, p = rng.normal(size=(4, 5)), rng.normal(size=(2, 2))
    assert exported(x, p)[1].shape == (4, 2, 2)


def test_python_has_every_operation():
    f = everything()
    exported = run_python([read(f)])["every_thing"]
    kernel = Kernel("f", lambda: f)
    a, b = np.meshgrid([-1.5, -0.5, 0.25, 2.0], [-0.5, 0.25, 1.0])
    args = a[..., None], b[..., None], np.zeros(1)
    np.testing.assert_allclose(exported(*args), kernel(*args), rtol=8 * EPS, atol=8 * EPS)


SANITIZED = ["-std=c99", "-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def sanitizers(folder) -> bool:
    """Whether there is a compiler with sanitizers whose programs run here."""
    (folder / "none.c").write_text("int main(void) { return 0; }")
    if GCC is None:
        return False
    words = [GCC, *SANITIZED, "none.c", "-o", "none"]
    done = subprocess.run(words, cwd=folder, capture_output=True)
    return not done.returncode and not subprocess.run([folder / "none"], check=False).returncode


def test_exported_c_is_clean_under_sanitizers(tmp_path):
    """Every pointer to a block of its own, of the very size that the export says; odd numbers."""
    if not sanitizers(tmp_path):
        pytest.skip("no C compiler with address and undefined-behavior sanitizers")
    model = zoo.mechanism()
    names = ["inverse_dynamics", "forward_dynamics", "mass_matrix", "energy"]
    dyn = ts.compile(model)
    dyn.export(tmp_path / "kernel.c", names)
    programs = [dyn.kernel(n).program for n in names] + [read(everything())]
    (tmp_path / "kernel.c").write_text(c_printer.c(programs, title="odd"))
    calls = []
    for p in programs:
        sizes = [max(1, int(np.prod(x.shape))) for x in (*p.inputs, *p.outputs)]
        blocks = "".join(f"double *p{i} = block({n}, x); " for i, n in enumerate(sizes))
        frees = "".join(f"free(p{i}); " for i in range(len(sizes)))
        given = ", ".join(f"p{i}" for i in range(len(sizes)))
        calls.append(f"{{ {blocks}{p.name}({given}); {frees}}}")
    values = "0.3, -0.7, 0.0, 1e300, -1e300, 1e-300, NAN, INFINITY, -INFINITY"
    (tmp_path / "main.c").write_text(
        '#include <math.h>\n#include <stdlib.h>\n#include "kernel.c"\n'
        "static double *block(int n, double x) { double *p = malloc(n * sizeof *p);\n"
        "  for (int i = 0; i < n; i++) p[i] = x / (1 + i % 5); return p; }\n"
        f"int main(void) {{ double all[] = {{ {values} }};\n"
        "  for (unsigned k = 0; k < sizeof all / sizeof *all; k++) { double x = all[k];\n"
        + "\n".join(calls)
        + "} return 0; }\n"
    )
    subprocess.run([GCC, *SANITIZED, "main.c", "-o", "main", "-lm"], cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "main"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2000]
