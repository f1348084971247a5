"""Results of runs: signals with units, outcomes, energy audit, storage."""

from .._lazy import door

_get, __dir__, __all__ = door(__name__, __file__)


def __getattr__(name: str):
    return _get("Trajectory").load if name == "load" else _get(name)
