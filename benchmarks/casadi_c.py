"""CasADi's own generated C, compiled by gcc for this machine, called by address as our kernels are.

The graph is ours (`dynamics.casadi(name)`), so that only the code generation differs.
"""

import ctypes
import shutil
import sys
from pathlib import Path

import numpy as np
import timing

PATIENCE = 90  # CPU s that gcc may take for a function
FLAGS = ("-O3", "-march=native", "-fPIC", "-shared")


class Compiled:
    """A function of CasADi as a native kernel with the interface of ours."""

    def __init__(self, dynamics, name: str, folder: Path):
        import casadi

        function = dynamics.casadi(name)
        kernel = dynamics.kernel(name)
        self.name, self.inputs, self.outputs = name, kernel.inputs, kernel.outputs
        self.operations = kernel.operations
        here = function.name()
        generator = casadi.CodeGenerator(f"{here}.c")
        generator.add(function)
        generator.generate(f"{folder}/")
        source, library = folder / f"{here}.c", folder / f"{here}.so"
        work = function.sz_w()
        into = [f"i{k}" for k in range(len(self.inputs))]
        out = [f"o{k}" for k in range(len(self.outputs))]
        heads = ", ".join([f"const double *{n}" for n in into] + [f"double *{n}" for n in out])
        source.write_text(
            source.read_text()
            + f"\nvoid thunk({heads}) {{\n"
            + f"  const double *arg[] = {{{', '.join(into)}}};\n"
            + f"  double *res[] = {{{', '.join(out)}}};\n"
            + f"  static double w[{work + 1}];\n  {here}(arg, res, 0, w, 0);\n}}\n"
        )
        command = [shutil.which("gcc"), *FLAGS, source, "-o", library, "-lm"]
        _, why = timing.bounded(command, PATIENCE)
        if why:
            raise TimeoutError(f"gcc on CasADi's {name.replace('_', ' ')}: {why}")
        self._library = ctypes.CDLL(str(library))
        self.address = ctypes.cast(self._library.thunk, ctypes.c_void_p).value


def compiled(dynamics, names, folder: Path) -> list[Compiled]:
    """CasADi's code of each quantity, compared with our numbers; none without a compiler."""
    if shutil.which("gcc") is None:
        return []
    found = []
    for name in names:
        try:
            made = Compiled(dynamics, name, folder)
        except TimeoutError as e:
            print(e, file=sys.stderr)
            continue
        kernel = dynamics.kernel(name)
        state = [x[0] for x in timing.states(kernel, 1)]
        got = [np.empty(p.shape[::-1]) for p in kernel.outputs]  # columns first, in CasADi
        kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (len(state) + len(got)))
        kind(made.address)(*(x.ctypes.data for x in (*state, *got)))
        want = kernel(*state)
        for x, y in zip(got, want if isinstance(want, tuple) else (want,), strict=True):
            np.testing.assert_allclose(x.T, y, rtol=1e-9, atol=1e-9 * abs(y).max())
        found.append(made)
    return found
