"""Kernels for another machine, joined with all that they call: a library that needs no Python."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ...errors import KernelError
from ..codegen import sincos
from ..codegen.native_functions import OPTIMIZATION_LEVEL, NativeLibrary, library_of
from ..runtime import cache, machine
from ..runtime.kernel import DECLARED, Kernel
from .elf import Joined

NEEDED = re.compile(r"@torseur\.([\w.]+)")


class Portable:
    """Code for one machine; `joined` is what has come together so far.

    >>> import casadi
    >>> x = casadi.SX.sym("x")
    >>> made = Portable(machine.Aim("x86_64-unknown-linux-gnu", "x86-64-v2", False, 2))
    >>> made.kernel(Kernel("sine", lambda: casadi.Function("f", [x], [casadi.sin(x)])))
    'sine0.kernel'
    """

    def __init__(self, aim: machine.Aim):
        self.aim, self.joined = aim, Joined()
        self._kernels: dict[int, tuple[str, Kernel]] = {}

    def kernel(self, kernel: Kernel) -> str:
        """Name of a kernel, `int32 k(in, out, work)`, after its code was taken in."""
        return f"{self._taken(kernel)}.kernel"

    def _taken(self, kernel: Kernel) -> str:
        if id(kernel) in self._kernels:
            return self._kernels[id(kernel)][0]
        tag = f"{kernel.name}{len(self._kernels)}"
        self._kernels[id(kernel)] = tag, kernel
        with machine.aimed(self.aim):
            _, how, held = kernel.written()
        names = {x: f"{tag}.{x}" for x in ("thunk", "kernel")}
        for name, numbers in held.items():
            self.joined.add_data(f"{tag}.{name}", numbers.tobytes(), part="read")
            names[f"torseur.{name}"] = f"{tag}.{name}"
        for name in DECLARED.findall(how[0]):
            if name == "ahead":
                if kernel.ahead is None:
                    raise KernelError(f"kernel {kernel.name!r} calls one that it does not name")
                names["torseur.ahead"] = f"{self._taken(kernel.ahead)}.thunk"
            elif name.startswith("sincos_"):
                self._common(name, sincos.module)
            elif (library := library_of(name)) is not None:
                self._native_library(name, library)
        self.text(*how, names)
        return tag

    def _common(self, name, text, level=2, inline=False, names: Iterable[str] = ()) -> None:
        """What several kernels call, once."""
        if name not in self.joined.names:
            with machine.aimed(self.aim):
                own = text(name)
            self.text(own, level, inline, {n: n for n in (*names, name)})

    def _native_library(self, name: str, library: NativeLibrary) -> None:
        """All routines of a library, once."""
        self._common(name, lambda _: library.module(), OPTIMIZATION_LEVEL, True, library.routines)

    def text(self, text: str, level: int, inline: bool, names: Mapping[str, str]) -> None:
        """The code of a text; `names` says what its symbols are called from here on.

        What it calls by `torseur.f` is a function `f` of this library, or of the C library.
        """
        known = {f"torseur.{n}": n for n in NEEDED.findall(text)}
        with machine.aimed(self.aim):
            name = cache.of_text(text, level, inline)
            found = cache.load(name)
            data = found[1] if found else machine.assemble(text, level, inline)
        if not found:
            cache.store(name, {}, data)
        self.joined.add_object(data, known | dict(names))
