"""Identification: parameters of robots from measured efforts, of models from tests."""

from .._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
