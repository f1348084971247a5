"""Static linking of kernels for another machine: one library that needs no Python."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ...errors import KernelError
from ..codegen import sincos
from ..codegen.native_functions import OPTIMIZATION_LEVEL, NativeLibrary, library_of
from ..runtime import cache, machine
from ..runtime.kernel import DECLARED_SYMBOL, Kernel
from .elf import LinkedObjects

NEEDED_SYMBOL = re.compile(r"@torseur\.([\w.]+)")


class CrossLinker:
    """Linker of kernels for one target machine.  `linked` has the objects so far.

    >>> import casadi
    >>> x = casadi.SX.sym("x")
    >>> made = CrossLinker(machine.TargetMachine("x86_64-unknown-linux-gnu", "x86-64-v2", False, 2))
    >>> made.add_kernel(Kernel("sine", lambda: casadi.Function("f", [x], [casadi.sin(x)])))
    'sine0.kernel'
    """

    def __init__(self, aim: machine.TargetMachine):
        self.aim, self.linked = aim, LinkedObjects()
        self._kernels: dict[int, tuple[str, Kernel]] = {}

    def add_kernel(self, kernel: Kernel) -> str:
        """Link a kernel and return its symbol, `int32 k(in, out, work)`."""
        return f"{self._link_kernel(kernel)}.kernel"

    def _link_kernel(self, kernel: Kernel) -> str:
        """Link a kernel once with everything that it calls.  Returns its prefix."""
        if id(kernel) in self._kernels:
            return self._kernels[id(kernel)][0]
        tag = f"{kernel.name}{len(self._kernels)}"
        self._kernels[id(kernel)] = tag, kernel
        with machine.compile_for(self.aim):
            _, source, tables = kernel.write_llvm()
        names = {x: f"{tag}.{x}" for x in ("thunk", "kernel")}
        for name, numbers in tables.items():
            self.linked.add_data(f"{tag}.{name}", numbers.tobytes(), segment="read")
            names[f"torseur.{name}"] = f"{tag}.{name}"
        for name in DECLARED_SYMBOL.findall(source[0]):
            if name == "ahead":
                if kernel.ahead is None:
                    raise KernelError(
                        f"kernel {kernel.name!r} calls an upstream kernel, but has no `ahead`"
                    )
                names["torseur.ahead"] = f"{self._link_kernel(kernel.ahead)}.thunk"
            elif name.startswith("sincos_"):
                self._link_shared(name, sincos.write_module)
            elif (library := library_of(name)) is not None:
                self._link_native_library(name, library)
        self.add_module(*source, names)
        return tag

    def _link_shared(
        self, name, write_module, level=2, inline=False, names: Iterable[str] = ()
    ) -> None:
        """Link a module that several kernels call, once."""
        if name not in self.linked.symbols:
            with machine.compile_for(self.aim):
                module_text = write_module(name)
            self.add_module(module_text, level, inline, {n: n for n in (*names, name)})

    def _link_native_library(self, name: str, library: NativeLibrary) -> None:
        """Add all routines of a native library, once."""
        self._link_shared(
            name, lambda _: library.module(), OPTIMIZATION_LEVEL, True, library.routines
        )

    def add_module(self, text: str, level: int, inline: bool, names: Mapping[str, str]) -> None:
        """Compile a module, or load its code from the cache, and link it.

        `names` are new names of its symbols.  Its imports `torseur.f` are functions `f` of this
        library or of the C library.
        """
        runtime_names = {f"torseur.{n}": n for n in NEEDED_SYMBOL.findall(text)}
        with machine.compile_for(self.aim):
            name = cache.entry_name_of_text(text, level, inline)
            cached = cache.load_entry(name)
            data = cached[1] if cached else machine.compile_module(text, level, inline)
        if not cached:
            cache.store_entry(name, {}, data)
        self.linked.add_object(data, runtime_names | dict(names))
