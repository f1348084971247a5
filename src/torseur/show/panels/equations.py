"""The equations of motion as MathML, each term with its value at the time of the clock."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from html import escape
from importlib.resources import files
from math import inf
from typing import Any

import numpy as np

from ...errors import TorseurError
from ..french import words
from ..panel_base import Panel, Told, panel
from ..signal_packing import pack
from ..text import both, text

HOME = __name__.rpartition(".panels")[0]
MOST_SPEEDS = 8  # equations of larger mechanisms fill books, not pages
MOST_LETTERS = 250_000
LEAST_LETTERS = 60  # of one formula
MOST_TERMS = 300  # whose values the page carries
LETTERS = {"tau": "&#x3C4;", "J": "J", "gamma": "&#x3B3;", "nu": "&#x3BD;"}


@panel.named("equations")
class ExactEquations(Panel):
    """The exact equations, those of constraints too, with the values of their terms.

    A click on a term opens the formula of its coefficient, as the manual has it; the texts are
    `assets/formulas.json`, made of the manual's pages by `docs/cards.py`.

    `equations`: True, False, or None: when they are short enough.  `manual`: address of the
    manual, to which these formulas then lead; that of the package's metadata when left out.
    """

    title = "Equations"
    place = 40
    options = {"equations": None, "manual": None}

    def html(self, told: Told) -> str:
        return equations(told.system, told.options["equations"], told.options["manual"])

    def data(self, told: Told) -> dict[str, Any] | None:
        if told.system is None or told.run.provenance.get("digest") != told.system.digest:
            return None
        try:
            eq, rows, _ = _written(told.system, told.options["equations"])
            if not rows:
                return None
            meant = [_meaning(p, i)[0] for i, (_, terms) in enumerate(rows, 1) for p in terms]
            return (term_values(eq, rows, told) or {}) | {"words": words(meant)}
        except TorseurError:
            return None

    script = r"""
({ run, clock, box, data, el, floats, onLanguage, say, shown }) => {
  const terms = [...box.querySelectorAll("[data-term]")], groups = new Map();
  let columns = null;
  const labels = terms.map((t) => {
    const value = el("small");
    t.append(value);
    const row = t.closest(".equation");
    if (!groups.has(row)) groups.set(row, []);
    groups.get(row).push(Number(t.dataset.term));
    return value;
  });
  const card = el("aside", { class: "formula", hidden: true });
  let open = null;
  const write = () => {
    if (!open) return;
    const text = box.querySelector(`template[data-formula="${open.dataset.tag}"][lang="${document.documentElement.lang}"]`);
    const link = box.querySelector("[data-manual]")?.dataset.manual;
    const tag = link ? el("a", { href: `${link}#${open.dataset.tag}` }, open.dataset.tag) : open.dataset.tag;
    card.replaceChildren(text.content.cloneNode(true),
      el("p", { class: "note" }, say(open.dataset.what), " (", tag, ")"));
  };
  const choose = (term) => {
    if (open) open.setAttribute("aria-expanded", "false");
    open = term === open ? null : term;
    card.hidden = !open;
    if (!open) return;
    open.setAttribute("aria-expanded", "true");
    open.closest(".equation").after(card);
    write();
  };
  for (const term of terms) term.addEventListener("click", () => choose(term));
  box.addEventListener("keydown", (event) => {
    const term = event.target.closest("[data-term]");
    if (event.key === "Escape" && open) choose(open);
    else if (term && (event.key === "Enter" || event.key === " ")) choose(term);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  onLanguage(write);
  if (!data.columns) return {};
  const input = el("input", { type: "checkbox", id: "termvalues", onchange: () => box.classList.toggle("plain", !input.checked) });
  input.checked = true;
  box.querySelector(".equations")?.before(el("label", { class: "note" }, input, " ", el("span", { "data-say": true }, "Values of the terms")));
  const mark = () => {
    if (!columns || box.hidden || !box.clientWidth || box.classList.contains("plain")) return;
    const [i, w] = run.locate(clock.t), n = run.rows;
    const at = (k) => columns[k * n + i] * (1 - w) + columns[k * n + Math.min(i + 1, n - 1)] * w;
    for (const own of groups.values()) {
      const values = own.map(at), most = Math.max(...values.map(Math.abs), 1e-300);
      own.forEach((k, j) => {
        labels[k].textContent = shown(values[j], 3);
        terms[k].style.setProperty("--share", (Math.abs(values[j]) / most).toFixed(3));
      });
    }
  };
  const take = (given) => floats(given.columns).then((x) => { columns = x; mark(); });
  take(data);
  clock.watch(mark);
  let stale = false;
  run.changed(() => { stale = true; if (!box.hidden) appear(); });
  const appear = () => {
    if (stale && run.panels.equations?.columns) take(run.panels.equations);
    stale = false;
    mark();
  };
  return { appear };
}
"""


@lru_cache(maxsize=8)
def _written(system, wanted) -> tuple[Any, Any, str]:
    """The equations of a system, their rows with heads, and all as MathML.

    No rows where they are too long to read, and nobody has asked for them nevertheless.
    """
    from ...symbolic import equations as derive, printed_rows, rows as eq_rows

    if wanted is False or (wanted is None and system.nv > MOST_SPEEDS):
        return None, [], ""
    eq, most = derive(system), MOST_LETTERS if wanted is None else inf
    rows = eq_rows(eq, most / LEAST_LETTERS)
    number, parts = 0, []
    for i, (head, terms) in enumerate(rows, 1):
        parts.append(_equation(head, terms, system, (number, i)))
        number += len(terms)
        most -= len(parts[-1])
        if most < 0:
            return eq, [], ""
    try:
        held = printed_rows(eq) if rows or not system.nv else []
    except TorseurError:  # rows that no ring holds: the equations say so themselves
        held = []
    parts += _constraints(eq, held, system)
    body = "".join(parts)
    return (eq, [], "") if wanted is None and len(body) > MOST_LETTERS else (eq, rows, body)


def term_values(eq, rows, told: Told) -> dict[str, Any] | None:
    """Values of every term of the equations of motion at the rows of the page."""
    from ...symbolic import multiplier, sum_values

    run, system, kept = told.run, told.system, told.rows
    assert system is not None  # `data` asks for no others
    count = sum(len(terms) for _, terms in rows)
    facts = run.provenance
    state, coordinates = facts.get("state", ()), facts.get("coordinates", ())
    speeds = [n for n in state if n not in coordinates]
    joints = [n.rpartition(".")[0] for n in speeds]
    rates = [_acceleration(run, n, j, joints) for n, j in zip(speeds, joints, strict=True)]
    if count > MOST_TERMS or None in rates or len(speeds) != system.nv:
        return None

    def table(names):
        found = [run[n][kept] for n in names]
        return np.stack(found, axis=-1) if found else np.zeros((len(kept), 0))

    held = eq.constraints.names if system.held else ()
    lam = {
        multiplier(eq, i): run[x][kept]
        for i, n in enumerate(held)
        for x in (f"{n}.multiplier", f"{n.rpartition('.')[0]}.multiplier")  # of an only row
        if x in run.units
    }
    q, v, a = table(coordinates), table(speeds), table(rates)
    given = {n: x for n, x in (facts.get("parameters") or {}).items() if n in eq.parameters}
    try:
        columns = [x for _, terms in rows for x in sum_values(eq, terms, q, v, a, lam, given)]
    except (KeyError, ArithmeticError):  # a name that has no number: shown without
        return None
    return (
        {"columns": pack(np.array(columns), told.level)}
        if columns and np.isfinite(columns).all()
        else None
    )


def _acceleration(run, speed: str, joint: str, joints) -> str | None:
    """The signal of the acceleration that belongs to a speed."""
    own = speed.rpartition(".")[2]
    names = [f"{joint}.acceleration"] if joints.count(joint) == 1 else []
    names += [f"{joint}.acceleration.{own}", f"{speed}.acceleration", f"{joint}.{own}.acceleration"]
    return next((n for n in names if n in run.units), None)


def equations(system, wanted: bool | None, manual: str | None = None) -> str:
    """The equations as MathML when they are short enough to read; else a sentence that says so."""
    if wanted is False or system is None:
        return ""
    if wanted is None and system.nv > MOST_SPEEDS:
        return _sorry(f"{system.nv} degrees of freedom: too many to read on a page")
    try:
        eq, rows, body = _written(system, wanted)
        place = manual if manual is not None else _address()
    except TorseurError as e:
        return _sorry(str(e))
    if system.nv and not rows:
        return _sorry("too long to read on a page")
    names = "".join(f"<li>q{i} = {text(n)}</li>" for i, n in enumerate(system.coordinates, 1))
    return (
        f'<p class="note"><span data-say>Exact equations of motion; s and c are sine and cosine of '
        "the joint angles, &tau; the efforts of forces and drives. Each term shows its value at the "
        "time of the bar below, and is tinted by its share; a click opens the formula of its "
        f"coefficient.</span> ({text(eq.formalism.replace('_', ' '))})</p>"
        f'<div class="equations" tabindex="0" role="region" aria-label="Equations">{body}</div>'
        f"{_formulas(place)}"
        f"<details><summary data-say>Names</summary><ul>{names}</ul></details>"
    )


def _constraints(eq, held, system) -> list[str]:
    """The rows of constraints: what their multiplier is, their residual, Jacobian, right side."""
    from ...symbolic import multiplier

    if not held:
        return []
    says = {
        f"{e.name}.{label}": e.says(label).partition(": ")[2]
        for e in system.held
        for label in e.labels
    }
    out = ["<h2>Constraint rows</h2>"]
    timed = any(head.startswith("nu") for _, parts in held for head, _ in parts)
    also = "<mi>J</mi><mi>v</mi><mo>=</mo><mi>&#x3BD;</mi><mo>,</mo>" if timed else ""
    out.append(
        f'<p class="note"><math><mrow>{also}<mi>J</mi><mover><mi>v</mi><mo>&#x2D9;</mo></mover>'
        "<mo>=</mo><mi>&#x3B3;</mi></mrow></math></p>"
    )
    for i, (name, parts) in enumerate(held):
        symbol = multiplier(eq, i).replace("lambda", "")
        letter = f"<math><msub><mi>&#x3BB;</mi><mn>{escape(symbol)}</mn></msub></math>"
        out.append(
            f'<p class="note"><b>{text(name)}</b>: {letter} = {both("span", says.get(name, ""))}</p>'
        )
        out += [_equation(head, terms, system) for head, terms in parts]
    return out


def _equation(head, terms, system, numbered=None) -> str:
    """One equation as a paragraph of short formulas: lines break between terms, not inside them."""
    left = re.sub(
        r"(tau|J|gamma|nu)([\d,]+)",
        lambda m: f"<msub><mi>{LETTERS[m[1]]}</mi><mn>{m[2]}</mn></msub>",
        "<mn>0</mn>"
        if head == "0"
        else head.replace(" - ", "<mo>&minus;</mo>").replace(" + ", "<mo>+</mo>"),
    )
    left = f"<math><mrow>{left}<mo>=</mo></mrow></math>"
    return f'<p class="equation">{left} {_flow(terms, system, numbered)}</p>'


def _flow(terms, system, numbered=None) -> str:
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
        words = f"{sign}&nbsp;{words}" if sign else words
        out.append(_term(words, p, numbered[0] + i, *numbered[1:]) if numbered else words)
    return " ".join(out) or "<math><mn>0</mn></math>"


def _term(words: str, p, number: int, row: int) -> str:
    """A term that shows its value, says what it is, and opens its formula."""
    what, tag = _meaning(p, row)
    said = escape(what, quote=True)
    kind = "term long" if words.count("<math") > 1 else "term"
    return (
        f'<span class="{kind}" role="button" tabindex="0" aria-expanded="false" data-term="{number}" '
        f'data-tag="{tag}" data-what="{said}" title="{said}">{words}</span>'
    )


def _meaning(p, row: int) -> tuple[str, str]:
    """What a term of an equation is, and the tag of its formula."""
    rates = [(a, n) for a, n in p.factors if a.kind in ("v", "a")]

    def label(atom):
        return "+".join(str(i + 1) for i, _ in atom.key)

    if any(a.kind == "a" for a, _ in rates):
        j = next(label(a) for a, _ in rates if a.kind == "a")
        return f"A{row},{j} of the mass matrix times an acceleration", "EQ.13"
    if sum(n for _, n in rates) == 2:
        if len(rates) == 1:
            return f"C{row},{label(rates[0][0])} times a speed squared", "EQ.14"
        j, k = (label(a) for a, _ in rates)
        return f"B{row},{j},{k} times a product of speeds", "EQ.15"
    if any(a.kind == "p" and str(a.key).startswith(("lambda", "multiplier")) for a, _ in p.factors):
        return f"column {row} of the Jacobian times a multiplier", "EQ.17"
    return f"G{row}: weight, and what does not depend on speeds", "EQ.16"


def _formulas(manual: str | None) -> str:
    """The formulas that terms open, in every language, and where the manual has them."""
    texts = json.loads((files(HOME) / "assets" / "formulas.json").read_text("utf-8"))
    made = [
        f'<template data-formula="{tag}" lang="{language}">{html}</template>'
        for tag, said in texts.items()
        for language, html in said.items()
    ]
    if manual:
        place = escape(f"{manual.rstrip('/')}/theory/equations.html", quote=True)
        made.append(f'<span hidden data-manual="{place}"></span>')
    return "".join(made)


def _address() -> str | None:
    """Address of the manual, as the package's metadata say it."""
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        urls = metadata("torseur").get_all("Project-URL") or []
    except PackageNotFoundError:
        return None
    found = [u.partition(",")[2].strip() for u in urls if u.startswith("Documentation,")]
    return found[0] if found else None


def _sorry(why: str) -> str:
    said = both("span", f"Not shown here: {why}.")
    return f'<p class="note">{said} <code>print(ts.equations(model))</code></p>'
