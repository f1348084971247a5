"""The equations of motion as MathML, where they are short enough to read."""

from __future__ import annotations

import re

from ..base import Panel, Told, panel
from ..tables import text

MOST_SPEEDS = 8  # equations of larger mechanisms fill books, not pages
MOST_LETTERS = 250_000


@panel.named("equations")
class ExactEquations(Panel):
    """The exact equations; `equations`: True, False, or None: when they are short enough."""

    title = "Equations"
    place = 40
    options = {"equations": None}

    def html(self, told: Told) -> str:
        return equations(told.system, told.options["equations"])


def equations(system, wanted: bool | None) -> str:
    """The equations as MathML when they are short enough to read; else a sentence that says so."""
    if wanted is False or system is None:
        return ""
    if wanted is None and system.nv > MOST_SPEEDS:
        return _sorry(f"{system.nv} degrees of freedom: too many to read on a page")
    from ...errors import TorseurError
    from ...symbolic import equations as derive, rows as eq_rows

    try:
        eq = derive(system)
        body = "".join(_equation(head, terms, system) for head, terms in eq_rows(eq))
    except TorseurError as e:
        return _sorry(str(e))
    if wanted is None and len(body) > MOST_LETTERS:
        return _sorry("too long to read on a page")
    names = "".join(f"<li>q{i} = {text(n)}</li>" for i, n in enumerate(system.coordinates, 1))
    return (
        f'<p class="note">Exact, by {text(eq.formalism)}; s and c are sine and cosine of the '
        "joint angles, &tau; the efforts of forces and drives.</p>"
        f'<div class="equations" tabindex="0" role="region" aria-label="Equations">{body}</div>'
        f"<details><summary>Names</summary><ul>{names}</ul></details>"
    )


def _equation(head, terms, system) -> str:
    """One equation as a paragraph of short formulas: lines break between terms, not inside them."""
    left = re.sub(
        r"tau(\d+)",
        r"<msub><mi>&#x3C4;</mi><mn>\1</mn></msub>",
        head.replace(" - ", "<mo>-</mo>").replace(" + ", "<mo>+</mo>"),
    )
    left = f"<math><mrow>{left}<mo>=</mo></mrow></math>"
    return f'<p class="equation">{left} {_flow(terms, system)}</p>'


def _flow(terms, system) -> str:
    from ...symbolic import mathml

    out = []
    for i, p in enumerate(terms):
        sign = "&minus;" if p.number < 0 else "+" if i else ""
        if len(p.sums) == 1 and len(p.sums[0]) > 3:
            front = p._replace(
                number=abs(p.number),
                sums=(),
                factors=tuple(f for f in p.factors if f[0].kind not in ("v", "a")),
            )
            rates = p._replace(
                number=1, sums=(), factors=tuple(f for f in p.factors if f[0].kind in ("v", "a"))
            )
            one = front.number == 1 and not front.factors
            words = (
                ("" if one else mathml((front,), system))
                + f"({_flow(p.sums[0], system)})"
                + (mathml((rates,), system) if rates.factors else "")
            )
        else:
            words = mathml((p._replace(number=abs(p.number)),), system)
        out.append(f"{sign}&nbsp;{words}" if sign else words)
    return " ".join(out) or "0"


def _sorry(why: str) -> str:
    return (
        f'<p class="note">Not shown here: {text(why)}. '
        "<code>print(ts.equations(model))</code> writes them.</p>"
    )
