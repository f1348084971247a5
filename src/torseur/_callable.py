"""Rooms that carry the name of their main function: `ts.simulate(...)`, `ts.equations(...)`."""

import sys
from types import ModuleType


class CallableModule(ModuleType):
    """A module that, called, calls its function of the same name."""

    def __call__(self, *args, **options):
        return self._main(*args, **options)

    @property
    def _main(self):
        return getattr(self, self.__name__.rpartition(".")[2])

    @property
    def __signature__(self):
        from inspect import signature

        return signature(self._main)


def make_callable(name: str) -> None:
    """Let the module of this name be called."""
    sys.modules[name].__class__ = CallableModule
