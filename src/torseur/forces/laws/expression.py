"""Tension by an arithmetic expression."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from ...errors import said
from ...register import derived
from ...scalars import Bound, antiderivative, derivative, substituted
from ...scalars.values import value as values
from ..base import Guard, Law, Seen, law  # noqa: F401 (examples)


@law
@dataclass(frozen=True, slots=True)
class Expression(Law):
    """Tension as an arithmetic expression of x, rate, t, parameters and named signals.

    `signals` maps names used in the text to coordinates, speeds or inputs of the model.  Books:
    what vanishes with the rate and named speeds is dissipated.  Of the rest, what depends on x (and
    t) has a potential at frozen time: it is stored, from x = 0 (from the start of a run where no
    formula is known), and what it gains by time alone is supplied; a force of time alone, and what
    other coordinates and inputs add, is supplied.  With `work="supplied"` all of it is.

    `a > b` is 1 where it holds and 0 elsewhere, `step(t - 0.5)` is `t > 0.5`, and
    `where(x < 0.1, 2*x, 0.2)` chooses.  Where they compare times, the switch is an event that no
    step crosses; elsewhere the step control finds it.

    >>> from torseur.scalars import Floats
    >>> Expression("50*x + 3*rate**3").force(Floats(), Seen(0.1, 2.0))
    29.0
    """

    text: str
    named: tuple[Any, ...] = field(default=())
    work: str = "dissipated"

    def __init__(self, text: Any, signals: Any = None, work: Any = "dissipated"):
        object.__setattr__(self, "text", text)
        named = signals.items() if hasattr(signals, "items") else signals or ()
        object.__setattr__(self, "named", tuple((a, b) for a, b in named))
        object.__setattr__(self, "work", work)

    @derived
    def signals(self):
        return tuple(b for _, b in self.named)

    @derived
    def deflects(self) -> tuple[str, ...]:
        named = dict(self.named)
        try:
            used = values.symbols(values.exact(self.text))
        except (TypeError, ValueError):  # told by `problems`
            return ()
        return tuple(n for n in ("x", "rate") if n in used and n not in named)

    motor = derived(lambda self: self.work == "supplied")

    @derived
    def timed(self) -> bool:
        try:
            return "t" in values.symbols(values.exact(self.text))
        except (TypeError, ValueError):  # told by `problems`
            return False

    def problems(self):
        try:
            values.exact(self.text)
        except (TypeError, ValueError) as e:
            return (said(e),)
        if self.work not in ("dissipated", "supplied"):
            return (f"work={self.work!r}: expected 'dissipated' or 'supplied'",)
        named = tuple(a for a, _ in self.named)
        if (
            self.work == "dissipated"
            and not self.conserves
            and split_tension(self.text, named).energy is None
        ):
            return (
                f"has {self.text!r}, where what depends on x has an energy without a formula that "
                "cannot be told from the rest; make it a force of its own, a function of x alone, "
                "or say work='supplied'",
            )
        return ()

    def numbers(self):
        variables = {"x", "rate", "t", *(a for a, _ in self.named)}
        tree = values.exact(self.text)
        yield from (
            leaf
            for leaf in values.leaves(tree)
            if leaf.op != "symbol" or leaf.args[0] not in variables
        )

    def force(self, K, s):
        return self._evaluator(K, s)(self.tree)

    def _evaluator(self, K, s):
        """Texts as scalars at what it sees."""
        bound = {"x": s.x, "rate": s.rate, "t": s.t} | self._switch_values(s)
        bound |= {a: value for (a, _), value in zip(self.named, s.u, strict=True)}
        return Bound(K, bound).number

    @derived
    def switches(self) -> tuple:
        """What `step`, `where` and comparisons of time alone turn at."""
        variables = {"x", "rate", *(a for a, _ in self.named)}
        try:
            arguments = [
                a
                for a in _sign_arguments(values.exact(self.text))
                if not variables & {*values.symbols(a)}
            ]
        except (TypeError, ValueError):  # told by `problems`
            return ()
        return tuple(a for a in dict.fromkeys(arguments) if "t" in values.symbols(a))

    @derived
    def memory(self) -> tuple[tuple[str, str], ...]:
        """On which side of its instant each switch is: 1 after, -1 before."""
        return tuple((f"side{i}", "1") for i in range(1, len(self.switches) + 1))

    @derived
    def tree(self) -> Any:
        """The expression with switches of time as names: the flow between events has no branch."""
        symbols = {a: values.symbol(_switch_symbol(i)) for i, a in enumerate(self.switches)}
        return _replace_signs(values.exact(self.text), symbols)

    def _switch_values(self, s) -> dict[str, Any]:
        return {_switch_symbol(i): m for i, m in enumerate(s.m)}

    def start(self, K, s):
        over = self._evaluator(K, s)
        return (), tuple(1.0 if over(a) >= 0 else -1.0 for a in self.switches)

    def guards(self, K, s):
        return tuple(
            Guard(
                f"switch {i + 1}", 0 if K is None else s.m[i] * self._evaluator(K, s)(a), of="t"
            )  # FO.52
            for i, a in enumerate(self.switches)
        )

    def jump(self, K, k, s):
        return s.z, tuple(-m if i == k else m for i, m in enumerate(s.m))

    def _parts(self, s) -> TensionParts:
        return split_tension(self.tree, tuple(a for a, _ in self.named), s.places)

    @derived
    def conserves(self):
        names = {"rate", "t", *(a for a, _ in self.named)}
        return (
            self.work == "dissipated"
            and not names & {*values.symbols(values.exact(self.text))}
            and split_tension(self.text).energy is None
        )

    @derived
    def positional(self):
        used, signal_names = {*values.symbols(values.exact(self.text))}, {a for a, _ in self.named}
        return bool(signal_names & used) and not ({"x", "rate", "t"} - signal_names) & used

    def at_rest(self, K, s):
        return self._evaluator(K, s)(self._parts(s).at_rest)

    def potential(self, K, s):
        energy = self._parts(s).energy
        if self.work != "dissipated" or energy is None:
            return 0
        return Bound(K, {"x": s.x, "t": s.t} | self._switch_values(s)).number(energy)  # FO.30

    def dissipation(self, K, s):
        if self.work != "dissipated":
            return 0
        if self.conserves:
            return self.force(K, s) * s.rate
        return (self.force(K, s) - self.at_rest(K, s)) * s.rate

    def supply(self, K, s):
        if self.work == "supplied":
            return -(self.force(K, s) * s.rate)
        energy, external = self._parts(s).energy, self._parts(s).external
        drawn = 0 if not isinstance(energy, values.Value) else derivative(energy, "t")
        bound = {"x": s.x, "t": s.t} | self._switch_values(s)
        out = 0 if drawn == 0 else Bound(K, bound).number(drawn)
        return out if external == 0 else out - self._evaluator(K, s)(external) * s.rate

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        return (
            cls("20*x + 2*rate"),
            cls("tanh(3*x)"),
            cls("30*x**3 - 2*sin(x - 1/5)/3 + exp(x/2) - abs(2*x + 1/9) + 4 + rate*x"),
            cls("20*x + 2*rate", work="supplied"),
            cls("20*x + where(t > 1/3, 2*rate, 4*rate) - 3*step(t - 1/2)"),
            cls("30*(x - sin(4*t)/9)*(2 + cos(3*t)) + 4*max(x - t/5, 1/10)**2*(1 + rate/3)"),
        )


def _sign_arguments(x):
    """Arguments of every sign in an expression."""
    if isinstance(x, values.Value):
        if x.op == "sign":
            yield x.args[0]
        for a in x.args:
            yield from _sign_arguments(a)


def _switch_symbol(i: int) -> str:
    """Name of a switch in the tree, which no text can have."""
    return f"side {i + 1}"


def _replace_signs(x, names):
    """An expression with signs of these arguments as names."""
    if not isinstance(x, values.Value) or not names:
        return x
    if x.op == "sign" and x.args[0] in names:
        return names[x.args[0]]
    if x.op == "symbol":
        return x
    return values.Value(x.op, tuple(_replace_signs(a, names) for a in x.args))


class TensionParts(NamedTuple):
    """What a tension is made of: the rest of it, its motion apart, is dissipated."""

    at_rest: Any  # what is left where every speed is zero
    external: Any  # of it, what comes from outside
    energy: Any  # that the remainder stores; None where no formula is known


@lru_cache(maxsize=512)
def split_tension(text, named=(), sources=()) -> TensionParts:
    """Parts of a tension, of signals with these names that are in these places.

    What depends on the deflection and on time, signals at zero, has a potential at frozen time;
    what depends on time alone, and what signals add, comes from outside.
    """
    sources = dict(zip(named, sources, strict=False))
    deflection = {a: values.symbol("x") for a, source in sources.items() if source == "x"}
    fast = dict.fromkeys({"rate"} - {*named} | {a for a in named if sources.get(a) == "v"}, 0)
    others = dict.fromkeys((a for a in named if a not in deflection and a not in fast), 0)
    at_rest = elastic = 0
    for term, sign in _sum_terms(values.exact(text)):
        slow = _substitute_values(term, fast)
        at_rest = at_rest + sign * slow
        elastic = elastic + sign * _substitute_values(_substitute_values(slow, deflection), others)
    if not {"x"} & {*values.symbols(elastic)} and "t" in values.symbols(elastic):
        return TensionParts(at_rest, at_rest, 0)
    return TensionParts(
        at_rest, _remainder(at_rest, elastic, deflection), antiderivative(elastic, "x")
    )


def _substitute_values(x, zeros):
    """A term where some of its names have these values; nothing where it has no value there."""
    try:
        return substituted(x, zeros)
    except ValueError:
        return 0


def _remainder(a, b, deflection):
    """What is left of a tension; 0 where it is all."""
    return 0 if substituted(a, deflection) == b else a - b


def _sum_terms(x, sign=1):
    """Terms of a sum, with their signs."""
    match x:
        case values.Value("+" | "-" as op, (a, b)):
            yield from _sum_terms(a, sign)
            yield from _sum_terms(b, sign if op == "+" else -sign)
        case values.Value("neg", (a,)):
            yield from _sum_terms(a, -sign)
        case _:
            yield x, sign
