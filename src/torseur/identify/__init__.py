"""Identification: parameters of robots from measured efforts, of models from tests."""

from .._lazy import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
