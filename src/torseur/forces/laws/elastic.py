"""An elastic law written as a text, with the energy it stores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import said
from ...scalars import Bound, Floats
from ...scalars.values import value
from ..base import Law, Seen, law


@law
@dataclass(frozen=True, slots=True)
class Elastic(Law):
    """Tension `text` and stored `energy`, arithmetic expressions of x and parameters.

    The tension must be the derivative of the energy by x: a cam, a cable over a pulley, a balancer.

    >>> from torseur.scalars import Floats
    >>> Elastic("20*cos(x)", "20*sin(x)").force(Floats(), Seen(0.0, 0.0))
    20.0
    """

    text: Any
    energy: Any

    def force(self, K, s):
        return Bound(K, {"x": s.x}).number(value.exact(self.text))  # FO.28

    def potential(self, K, s):
        return Bound(K, {"x": s.x}).number(value.exact(self.energy))

    def numbers(self):
        for text in (self.text, self.energy):
            for leaf in value.leaves(value.exact(text)):
                if leaf.op != "symbol" or leaf.args[0] != "x":
                    yield leaf

    def texts(self):
        return self.numbers()

    def problems(self):
        try:
            free = {leaf.args[0] for leaf in self.numbers() if leaf.op == "symbol"}
        except (TypeError, ValueError) as e:
            return (said(e),)
        if free:
            return ()
        K, h = Floats(), 1e-5
        for x in (0.1, 0.37, 1.3):
            try:
                slope = (self.potential(K, Seen(x + h, 0)) - self.potential(K, Seen(x - h, 0))) / (
                    2 * h
                )
                tension = self.force(K, Seen(x, 0))
            except (ValueError, ZeroDivisionError, OverflowError):
                continue
            if abs(slope - tension) > 1e-5 * max(1.0, abs(tension), abs(slope)):
                return (
                    f"has the tension {tension:g} at x = {x:g}, but its energy grows by {slope:g} "
                    "there; the tension must be the derivative of the energy",
                )
        return ()

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (cls("20*cos(x - 0.3)", "20*sin(x - 0.3)"),)
