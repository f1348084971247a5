"""Problems of one state or one motion: assembly, equilibrium, linear models, inverse dynamics and
kinematics."""

from .._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
