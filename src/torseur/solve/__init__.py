"""Problems of one state or one motion: assembly, equilibrium, linear models, inverse dynamics and
kinematics."""

from .._lazy import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
