"""Results of runs: signals with units, outcomes, energy audit, storage."""

from .._lazy import attach_stub

_get, __dir__, __all__ = attach_stub(__name__, __file__)


def __getattr__(name: str):
    return _get("Trajectory").load if name == "load" else _get(name)
