"""Tension by an arithmetic expression."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from ...numbers import Scalars, antiderivative, values
from ..base import Law, Seen, law  # noqa: F401 (examples)


@law
@dataclass(frozen=True, slots=True)
class Expression(Law):
    """Tension as an arithmetic expression of x, rate, t, parameters and named signals.

    `signals` maps names used in the text to coordinates, speeds or inputs of the model.  Terms of x
    alone are elastic, and their energy stored (from x = 0, or from the start of a run where no
    formula is known); the power of the others is booked as dissipated, with `work="supplied"` all
    of it as brought from outside.

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

    @property
    def conserves(self):
        return self.work == "dissipated" and _parts(self.text, self._bound)[2]

    @property
    def _bound(self) -> tuple[str, ...]:
        return tuple(a for a, _ in self.named)

    def potential(self, K, s):
        _, energy, _ = _parts(self.text, self._bound)
        return 0 if self.work != "dissipated" else Bound(K, {"x": s.x}).number(energy)  # FO.30

    def dissipation(self, K, s):
        if self.work != "dissipated":
            return 0
        elastic, _, _ = _parts(self.text, self._bound)
        return (self.force(K, s) - Bound(K, {"x": s.x}).number(elastic)) * s.rate

    def supply(self, K, s):
        return -(self.force(K, s) * s.rate) if self.work == "supplied" else 0

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        return (
            cls("20*x + 2*rate"),
            cls("tanh(3*x)"),
            cls("30*x**3 - 2*sin(x - 1/5)/3 + exp(x/2) - abs(2*x + 1/9) + 4 + rate*x"),
            cls("20*x + 2*rate", work="supplied"),
        )


@lru_cache(maxsize=512)
def _parts(text, bound) -> tuple:
    """Elastic part of a tension and its energy; whether all of it is elastic without a formula."""
    whole, others = values.exact(text), {"rate", "t", *bound}
    if "x" in bound:
        return 0, 0, False
    elastic = 0
    for term, sign in _terms(whole):
        if not others & {*values.symbols(term)}:
            elastic = elastic + term if sign > 0 else elastic - term
    energy = antiderivative(elastic, "x")
    if energy is None:
        return 0, 0, not others & {*values.symbols(whole)}
    return elastic, energy, False


def _terms(x, sign=1):
    """Terms of a sum, with their signs."""
    match x:
        case values.Value("+" | "-" as op, (a, b)):
            yield from _terms(a, sign)
            yield from _terms(b, sign if op == "+" else -sign)
        case values.Value("neg", (a,)):
            yield from _terms(a, -sign)
        case _:
            yield x, sign


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
