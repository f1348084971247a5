"""The written parts of the page, as HTML: model tree, warnings, equations, how the run went."""

from __future__ import annotations

import re
from html import escape

MOST_SPEEDS = 8  # equations of larger mechanisms fill books, not pages
MOST_LETTERS = 250_000


def text(x) -> str:
    return escape(str(x))


def small(x) -> str:
    return f"<small>{text(x)}</small>"


def number(x) -> str:
    return f"{x:.6g}" if isinstance(x, float) else str(x)


def rows(title: str, pairs) -> str:
    """A table of two columns, names in the first."""
    body = "".join(
        f'<tr><th scope="row">{text(a)}</th><td>{text(number(b))}</td></tr>' for a, b in pairs
    )
    return f"<table><caption>{text(title)}</caption><tbody>{body}</tbody></table>" if body else ""


def model_tree(model, warnings=()) -> str:
    """Bodies under the joints that carry them, then what else the model holds."""
    if model is None:
        return '<p class="note">The model is not known to this run.</p>'
    below: dict[str, list] = {}
    for j in model.joints:
        below.setdefault(j.parent, []).append(j)
    masses = {b.name: b.mass for b in model.bodies}
    frames: dict[str, list] = {}
    for f in model.frames:
        frames.setdefault(f.body, []).append(f.name)

    def node(name) -> str:
        """The tree under a body, without recursion: chains may be long."""
        out, stack = [], [("open", name, None)]
        while stack:
            step, body, joint = stack.pop()
            if step == "close":
                out.append("</ul></li>" if below.get(body) else "</li>")
                continue
            out.append("<li>")
            if joint:
                out.append(f"{text(joint.name)} {small(kind_of(joint))} &rarr; ")
            out.append(f"<b>{text(body)}</b>")
            if body in masses:
                out.append(f" {small(masses[body])} {small('kg')}")
            if body in frames:
                out.append(small(f" frames {', '.join(frames[body])}"))
            if below.get(body):
                out.append("<ul>")
            stack.append(("close", body, None))
            stack += [("open", j.child, j) for j in reversed(below.get(body, ()))]
        return "".join(out)

    parts = [f'<h2>Bodies and joints</h2><ul class="tree">{node("world")}</ul>']
    for title, things, words in (
        ("Loops", model.loops, lambda x: f"{kind_of(x)} between {x.parent} and {x.child}"),
        ("Forces", model.forces, lambda x: _force(x)),
        ("Constraints", model.constraints, lambda x: type(x).__name__),
        ("Inputs", model.inputs, lambda x: f"{x.size} x {x.unit or '1'}"),
    ):
        if things:
            items = "".join(f"<li>{text(x.name)} {small(words(x))}</li>" for x in things)
            parts.append(f"<h2>{title}</h2><ul>{items}</ul>")
    parts.append("<h2>Warnings</h2>")
    parts.append(
        "".join(f'<p class="warning">{text(w)}</p>' for w in warnings)
        or '<p class="note">None.</p>'
    )
    return "".join(parts)


def kind_of(x) -> str:
    return repr(x.kind) if len(repr(x.kind)) < 60 else type(x.kind).__name__


def _force(f) -> str:
    law = getattr(f, "law", None)
    words = repr(law) if law is not None else type(f).__name__
    return words if len(words) < 120 else f"{type(law or f).__name__}(...)"


def equations(system, wanted: bool | None) -> str:
    """The equations as MathML when they are short enough to read; else a sentence that says so."""
    if wanted is False or system is None:
        return ""
    if wanted is None and system.nv > MOST_SPEEDS:
        return _sorry(f"{system.nv} degrees of freedom: too many to read on a page")
    from ..errors import TorseurError
    from ..symbolic import equations as derive, rows as eq_rows

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
    from ..symbolic import mathml

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


def run_tables(run, left_out, kept) -> str:
    """Outcome, statistics, provenance and events."""
    facts = {
        n: x
        for n, x in run.provenance.items()
        if n not in ("coordinates", "state", "model") and not isinstance(x, dict)
    }
    parts = [
        f"<p>{text(run.outcome)}</p>",
        rows("How", facts.items()),
        rows("Statistics", run.statistics.items()),
        rows("Parameters", dict(run.provenance.get("parameters", {})).items()),
    ]
    events = [(f"{e.time:.9g} s", e.name) for e in run.events]
    parts.append(rows(f"Events ({len(events)})", events[:500]))
    if unknown := run.undetermined:
        parts.append(rows("Reactions that no motion tells", [x.split(": ", 1) for x in unknown]))
    if kept < len(run.time):
        parts.append(
            f'<p class="note">This page holds {kept} of {len(run.time)} rows, the ones '
            "that keep the shape of the curves; run.save keeps them all.</p>"
        )
    if left_out:
        parts.append(
            f'<p class="note">Left out to keep the page small: {text(", ".join(left_out))}.</p>'
        )
    return "".join(parts)
