"""Robot design: motion laws, balancing, drives, trajectories, workspace, control."""

from .._lazy import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
