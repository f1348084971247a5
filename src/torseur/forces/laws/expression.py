"""Tension by an arithmetic expression."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...numbers import Scalars, values
from ..base import Law, Seen, law  # noqa: F401 (examples)


@law
@dataclass(frozen=True, slots=True)
class Expression(Law):
    """Tension as an arithmetic expression of x, rate, t, parameters and named signals.

    `signals` maps names used in the text to coordinates, speeds or inputs of the model.  With
    `work="supplied"` its power is booked as brought from outside, else as dissipated.

    >>> from torseur.numbers import Floats
    >>> Expression("50*x + 3*rate**3").force(Floats(), Seen(0.1, 2.0))
    29.0
    """

    text: str
    named: tuple = field(default=())
    work: str = "dissipated"

    def __init__(self, text, signals=None, work="dissipated"):
        object.__setattr__(self, "text", text)
        named = signals.items() if hasattr(signals, "items") else signals or ()
        object.__setattr__(self, "named", tuple((a, b) for a, b in named))
        object.__setattr__(self, "work", work)

    @property
    def signals(self):
        return tuple(b for _, b in self.named)

    @property
    def deflects(self) -> tuple[str, ...]:
        """Which of x and rate it uses as the deflection of its line."""
        named = dict(self.named)
        try:
            used = values.symbols(values.exact(self.text))
        except (TypeError, ValueError):  # told by `problems`
            return ()
        return tuple(n for n in ("x", "rate") if n in used and n not in named)

    def problems(self):
        try:
            values.exact(self.text)
        except (TypeError, ValueError) as e:
            return (str(e),)
        if self.work not in ("dissipated", "supplied"):
            return (f"work={self.work!r}: expected 'dissipated' or 'supplied'",)
        return ()

    def numbers(self):
        own = {"x", "rate", "t", *(a for a, _ in self.named)}
        tree = values.exact(self.text)
        yield from (
            leaf for leaf in values.leaves(tree) if leaf.op != "symbol" or leaf.args[0] not in own
        )

    def force(self, K, s):
        bound = {"x": s.x, "rate": s.rate, "t": s.t}
        bound |= {a: value for (a, _), value in zip(self.named, s.u, strict=True)}
        return Bound(K, bound).number(values.exact(self.text))

    def dissipation(self, K, s):
        return self.force(K, s) * s.rate if self.work == "dissipated" else 0

    def supply(self, K, s):
        return -(self.force(K, s) * s.rate) if self.work == "supplied" else 0

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        return (cls("20*x + 2*rate"),)


class Bound(Scalars):
    """The scalars `K` with a few more names bound."""

    def __init__(self, K, bound):
        self.K, self.bound = K, bound

    def parameter(self, name):
        return self.bound[name] if name in self.bound else self.K.parameter(name)

    def number(self, value):
        return value.over(self) if hasattr(value, "over") else self.K.exact(value)

    def __getattribute__(self, name):
        if name in ("K", "bound", "parameter", "number"):
            return object.__getattribute__(self, name)
        return getattr(object.__getattribute__(self, "K"), name)
