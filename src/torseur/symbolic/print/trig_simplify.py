"""Trigonometric simplification: the shortest polynomial in sines and cosines.  EQ.4 to EQ.6.

The terms of a normal form are rewritten with summed or relative angles, and with sines or cosines
eliminated. The form with the fewest terms is used.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb
from operator import itemgetter
from typing import Any

LIMIT = 400  # terms; a longer sum is not read by a person, and is left as it is


class Shortener:
    """Callable on `{shape monomial: fmpq}` that returns the shortest `[(Fraction, factors)]`."""

    def __init__(self, symbols):
        import flint

        self.flint = flint
        self.symbols, self.names = symbols, symbols.K.names
        self._cache: dict = {}
        index = {n: i for i, n in enumerate(self.names)}
        self.pair = {}  # generator -> (angle, is sine)
        self.forms = {n: tuple(f.items()) for n, f in symbols.angles.items()}
        from .normal_form import arguments

        self.forms |= {n: ((x, 1),) for n, x in arguments(symbols).items() if x.varies}
        for n in self.forms:
            self.pair[index[f"cos({n})"]] = (n, False)
            self.pair[index[f"sin({n})"]] = (n, True)
        self.coordinate = {index[n]: i for i, n in enumerate(symbols.coordinates)}

    def __call__(self, terms: dict) -> list:
        first = next(iter(terms.values()))
        scaled = {m: k / first for m, k in terms.items()}
        key = frozenset(scaled.items())
        if key not in self._cache:
            self._cache[key] = self._shorten(scaled)
        return [(_fraction(k * first), factors) for k, factors in self._cache[key]]

    def _shorten(self, terms: dict) -> list:
        angles = list(dict.fromkeys(self.pair[i][0] for m in terms for i, _ in m if i in self.pair))
        forms = [self.forms[n] for n in angles]
        at = {n: 2 * i for i, n in enumerate(angles)}
        place = {i: at[n] + sine for i, (n, sine) in self.pair.items() if n in at}
        table = {}
        for m, k in terms.items():
            powers, rest = [0] * (2 * len(angles)), []
            for i, n in m:
                if i in place:
                    powers[place[i]] = n
                else:
                    rest.append((i, n))
            table[tuple(powers), tuple(rest)] = k
        if 1 < len(terms) <= LIMIT:
            table, forms = self._best(table, forms)
        return self._listed(table, forms)

    def _best(self, table, forms):
        table, forms = self._eliminated(table, forms)
        for b in range(len(forms)):
            kin = [
                i
                for i in range(len(forms))
                if i != b and {j for j, _ in forms[i]} & {j for j, _ in forms[b]}
            ]
            if not kin:
                continue
            other, turned = self._turned(table, forms, b, kin)
            other, turned = self._eliminated(other, turned)
            if _shorter(other, table):
                table, forms = other, turned
        return table, forms

    def _turned(self, table, forms, b, kin):
        """Angles `kin` written as their difference from angle b, plus angle b."""
        new, steps = list(forms), {}
        for i in kin:
            same = dict(forms[b])
            j = next(j for j, _ in forms[i] if j in same)
            sign = dict(forms[i])[j] * same[j]
            d = dict(forms[i])
            for k, s in same.items():
                d[k] = d.get(k, 0) - sign * s
            d = {k: s for k, s in d.items() if s}
            if not d or any(abs(s) > 1 for s in d.values()):
                continue
            flip = next(iter(d.values())) < 0
            new[i] = tuple((k, -s if flip else s) for k, s in sorted(d.items()))
            steps[i] = (sign, flip)
        ctx, gens = _context(self.flint, len(forms))
        images = list(gens)
        for i, (sign, flip) in steps.items():
            c, s, C, S = gens[2 * b], gens[2 * b + 1] * sign, gens[2 * i], gens[2 * i + 1]
            S = -S if flip else S
            images[2 * i], images[2 * i + 1] = C * c - S * s, S * c + C * s  # EQ.4
        out: dict = {}
        for rest in {r for _, r in table}:
            p = ctx.from_dict({m: k for (m, r), k in table.items() if r == rest})
            for m, k in p.compose(*images, ctx=ctx).terms():
                out[tuple(map(int, m)), rest] = k
        for i in range(len(forms)):
            out = _replace(out, 2 * i + 1, 2 * i)
        return out, new

    def _eliminated(self, table, forms):
        """For each angle, sines or cosines squared out, whichever is shorter."""
        for i in range(len(forms)):
            c, s = 2 * i, 2 * i + 1
            if all(m[c] < 2 and m[s] < 2 for m, _ in table):
                continue
            other = _replace(_replace(table, s, c), c, s)  # EQ.5
            back = _replace(table, s, c)
            table = other if _shorter(other, back) else back
        return table, forms

    def _listed(self, table, forms):
        from .normal_form import Atom

        atoms = [Atom("sin" if i % 2 else "cos", forms[i // 2]) for i in range(2 * len(forms))]
        order = sorted(range(len(atoms)), key=lambda i: _order(atoms[i]))
        texts = [(a.kind, str(a.key)) for a in atoms]
        plain = {i: Atom("q", self.coordinate[i]) for _, rest in table for i, _ in rest}
        out = []
        for (m, rest), k in table.items():
            own = [i for i in order if m[i]]
            words = [("q", str(self.coordinate[i]), n) for i, n in rest]
            words += [(*texts[i], m[i]) for i in own]
            factors = [(plain[i], n) for i, n in rest] + [(atoms[i], m[i]) for i in own]
            out.append(((sum(n for *_, n in words), words), k, tuple(factors)))
        out.sort(key=itemgetter(0))
        return [(k, factors) for _, k, factors in out]


def _order(atom: Any):
    """By kind, then short angles first."""
    return atom.kind, len(atom.key), _sortable(atom.key)


def _sortable(key):
    """Angles of coordinates first, then the others by their text."""
    return [(0, i, s) if isinstance(i, int) else (1, str(i), s) for i, s in key]


def _shorter(one, other) -> bool:
    """Whether a table has fewer terms than another, or as many with fewer factors."""
    if len(one) != len(other):
        return len(one) < len(other)
    return sum(sum(m) for m, _ in one) < sum(sum(m) for m, _ in other)


def _replace(table: dict, i: int, j: int) -> dict:
    """x_i^2 -> 1 - x_j^2 in every term."""
    if all(m[i] < 2 for m, _ in table):
        return table
    out: dict = {}
    for (m, rest), k in table.items():
        half, odd = divmod(m[i], 2)
        for p in range(half + 1):
            n = list(m)
            n[i], n[j] = odd, m[j] + 2 * p
            key = (tuple(n), rest)
            part = k if not half else k * (comb(half, p) * (-1) ** p)
            before = out.get(key)
            out[key] = part if before is None else before + part
    return {m: k for m, k in out.items() if k}


def _fraction(k) -> Fraction:
    """A number of flint as one of Python."""
    return Fraction(int(k.p), int(k.q))


def _context(flint, n: int):
    names = [f"{f}{i}" for i in range(n) for f in "cs"]
    ctx = flint.fmpq_mpoly_ctx.get(names, "deglex")
    return ctx, ctx.gens()
