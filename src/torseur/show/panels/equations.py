"""Equations panel: equations of motion as MathML, with the current value of each term."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from html import escape
from importlib.resources import files
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import TorseurError
from ..french import translate_sentences
from ..panel_base import Panel, ReportContext, panel
from ..signal_packing import pack_columns
from ..text import bilingual_html, escape_text

if TYPE_CHECKING:
    from ...system import System

PACKAGE_NAME = __name__.rpartition(".panels")[0]
MAX_SPEEDS = 8  # larger mechanisms have equations too long for a page
MAX_CHARACTERS = 250_000
MIN_TERM_CHARACTERS = 60  # of one formula
MAX_TERMS = 300  # whose values the page carries
HEAD_SYMBOLS = {"tau": "&#x3C4;", "J": "J", "gamma": "&#x3B3;", "nu": "&#x3BD;"}


@panel.named("equations")
class ExactEquations(Panel):
    """Symbolic equations of motion and constraint rows, with the values of their terms.

    A click on a term opens the formula of its coefficient from the manual. `docs/cards.py` writes
    these texts to `assets/formulas.json`.

    `equations`: True, False, or None (if they are short enough). `manual`: address of the manual to
    which the formulas link. The default is that of the package metadata.
    """

    title = "Equations"
    order = 40
    options = {"equations": None, "manual": None}

    def html(self, context: ReportContext) -> str:
        return equations_html(
            context.system, context.options["equations"], context.options["manual"]
        )

    def data(self, context: ReportContext) -> dict[str, Any] | None:
        """Values of the terms at the time points of the page, and the translations of their
        explanations.
        """
        if context.system is None or context.run.provenance.get("digest") != context.system.digest:
            return None
        try:
            eq, rows, _ = _render_equations(context.system, context.options["equations"])
            if not rows:
                return None
            meanings = [
                _explain_term(p, i)[0] for i, (_, terms) in enumerate(rows, 1) for p in terms
            ]
            return (evaluate_terms(eq, rows, context) or {}) | {
                "words": translate_sentences(meanings)
            }
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
def _render_equations(system, requested) -> tuple[Any, Any, str]:
    """Return the equations of a system, their rows with heads, and their MathML.

    The rows are empty if the equations are too long and `requested` is None.
    """
    from ...symbolic import equations as derive, printed_rows, rows as eq_rows

    if requested is False or (requested is None and system.nv > MAX_SPEEDS):
        return None, [], ""
    eq, max_characters = derive(system), MAX_CHARACTERS if requested is None else inf
    rows = eq_rows(eq, max_characters / MIN_TERM_CHARACTERS)
    number, parts = 0, []
    for i, (head, terms) in enumerate(rows, 1):
        parts.append(_equation_html(head, terms, system, (number, i)))
        number += len(terms)
        max_characters -= len(parts[-1])
        if max_characters < 0:
            return eq, [], ""
    try:
        constraint_rows = printed_rows(eq) if rows or not system.nv else []
    except TorseurError:  # rows that no ring holds: the equations say so themselves
        constraint_rows = []
    parts += _constraints_html(eq, constraint_rows, system)
    body = "".join(parts)
    return (eq, [], "") if requested is None and len(body) > MAX_CHARACTERS else (eq, rows, body)


def evaluate_terms(eq: Any, rows: Any, context: ReportContext) -> dict[str, Any] | None:
    """Values of every term of the equations of motion at the time points of the page."""
    from ...symbolic import multiplier, sum_values

    run, system, samples = context.run, context.system, context.rows
    assert system is not None  # `data` asks for no others
    count = sum(len(terms) for _, terms in rows)
    provenance = run.provenance
    state, coordinates = provenance.get("state", ()), provenance.get("coordinates", ())
    speeds = [n for n in state if n not in coordinates]
    joints = [n.rpartition(".")[0] for n in speeds]
    rates = [_acceleration_signal(run, n, j, joints) for n, j in zip(speeds, joints, strict=True)]
    if count > MAX_TERMS or None in rates or len(speeds) != system.nv:
        return None

    def table(names):
        """Columns (time points, signals) of some signals."""
        columns = [run[n][samples] for n in names]
        return np.stack(columns, axis=-1) if columns else np.zeros((len(samples), 0))

    row_names = eq.constraints.names if system.held else ()
    lam = {
        multiplier(eq, i): run[x][samples]
        for i, n in enumerate(row_names)
        for x in (f"{n}.multiplier", f"{n.rpartition('.')[0]}.multiplier")  # of an only row
        if x in run.units
    }
    q, v, a = table(coordinates), table(speeds), table(rates)
    parameters = {
        n: x for n, x in (provenance.get("parameters") or {}).items() if n in eq.parameters
    }
    try:
        columns = [x for _, terms in rows for x in sum_values(eq, terms, q, v, a, lam, parameters)]
    except (KeyError, ArithmeticError):  # a name that has no number: shown without
        return None
    return (
        {"columns": pack_columns(np.array(columns), context.level)}
        if columns and np.isfinite(columns).all()
        else None
    )


def _acceleration_signal(run, speed: str, joint: str, joints) -> str | None:
    """Name of the acceleration signal of a generalized speed."""
    speed_name = speed.rpartition(".")[2]
    names = [f"{joint}.acceleration"] if joints.count(joint) == 1 else []
    names += [
        f"{joint}.acceleration.{speed_name}",
        f"{speed}.acceleration",
        f"{joint}.{speed_name}.acceleration",
    ]
    return next((n for n in names if n in run.units), None)


def equations_html(system: System | None, requested: bool | None, manual: str | None = None) -> str:
    """HTML of the equations if they are short enough, else a sentence that says why they are
    omitted.  Empty without a system or if `requested` is False.  `manual` is the address of the
    manual.
    """
    if requested is False or system is None:
        return ""
    if requested is None and system.nv > MAX_SPEEDS:
        return _omission_html(f"{system.nv} degrees of freedom: too many to read on a page")
    try:
        eq, rows, body = _render_equations(system, requested)
        address = manual if manual is not None else _find_manual()
    except TorseurError as e:
        return _omission_html(str(e))
    if system.nv and not rows:
        return _omission_html("too long to read on a page")
    names = "".join(
        f"<li>q{i} = {escape_text(n)}</li>" for i, n in enumerate(system.coordinates, 1)
    )
    return (
        f'<p class="note"><span data-say>Exact equations of motion; s and c are sine and cosine of '
        "the joint angles, &tau; the efforts of forces and drives. Each term shows its value at the "
        "time of the bar below, and is tinted by its share; a click opens the formula of its "
        f"coefficient.</span> ({escape_text(eq.formalism.replace('_', ' '))})</p>"
        f'<div class="equations" tabindex="0" role="region" aria-label="Equations">{body}</div>'
        f"{_formulas_html(address)}"
        f"<details><summary data-say>Names</summary><ul>{names}</ul></details>"
    )


def _constraints_html(eq, constraint_rows, system) -> list[str]:
    """HTML of the constraint rows: multiplier, residual, Jacobian and right-hand side."""
    from ...symbolic import multiplier

    if not constraint_rows:
        return []
    says = {
        f"{e.name}.{label}": e.says(label).partition(": ")[2]
        for e in system.held
        for label in e.labels
    }
    out = ["<h2>Constraint rows</h2>"]
    is_rheonomic = any(head.startswith("nu") for _, parts in constraint_rows for head, _ in parts)
    velocity_row = (
        "<mi>J</mi><mi>v</mi><mo>=</mo><mi>&#x3BD;</mi><mo>,</mo>" if is_rheonomic else ""
    )
    out.append(
        f'<p class="note"><math><mrow>{velocity_row}<mi>J</mi><mover><mi>v</mi><mo>&#x2D9;</mo></mover>'
        "<mo>=</mo><mi>&#x3B3;</mi></mrow></math></p>"
    )
    for i, (name, parts) in enumerate(constraint_rows):
        symbol = multiplier(eq, i).replace("lambda", "")
        letter = f"<math><msub><mi>&#x3BB;</mi><mn>{escape(symbol)}</mn></msub></math>"
        out.append(
            f'<p class="note"><b>{escape_text(name)}</b>: {letter} = {bilingual_html("span", says.get(name, ""))}</p>'
        )
        out += [_equation_html(head, terms, system) for head, terms in parts]
    return out


def _equation_html(head, terms, system, numbered=None) -> str:
    """HTML of one equation as a paragraph of short formulas, which break between terms."""
    left = re.sub(
        r"(tau|J|gamma|nu)([\d,]+)",
        lambda m: f"<msub><mi>{HEAD_SYMBOLS[m[1]]}</mi><mn>{m[2]}</mn></msub>",
        "<mn>0</mn>"
        if head == "0"
        else head.replace(" - ", "<mo>&minus;</mo>").replace(" + ", "<mo>+</mo>"),
    )
    left = f"<math><mrow>{left}<mo>=</mo></mrow></math>"
    return f'<p class="equation">{left} {_terms_html(terms, system, numbered)}</p>'


def _terms_html(terms, system, numbered=None) -> str:
    """HTML of a sum of terms. Long inner sums stand in parentheses."""
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
            formula = (
                ("" if one else mathml((front,), system))
                + f"({_terms_html(p.sums[0], system)})"
                + (mathml((rates,), system) if rates.factors else "")
            )
        else:
            formula = mathml((p._replace(number=abs(p.number)),), system)
        formula = f"{sign}&nbsp;{formula}" if sign else formula
        out.append(_term_html(formula, p, numbered[0] + i, *numbered[1:]) if numbered else formula)
    return " ".join(out) or "<math><mn>0</mn></math>"


def _term_html(formula: str, p, number: int, row: int) -> str:
    """HTML of a term that shows its value and opens its formula."""
    what, tag = _explain_term(p, row)
    tooltip = escape(what, quote=True)
    css_class = "term long" if formula.count("<math") > 1 else "term"
    return (
        f'<span class="{css_class}" role="button" tabindex="0" aria-expanded="false" data-term="{number}" '
        f'data-tag="{tag}" data-what="{tooltip}" title="{tooltip}">{formula}</span>'
    )


def _explain_term(p, row: int) -> tuple[str, str]:
    """Explanation of a term, and the tag of its formula."""
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


def _formulas_html(manual: str | None) -> str:
    """HTML templates of the formulas in every language, and the address of the manual."""
    formulas = json.loads((files(PACKAGE_NAME) / "assets" / "formulas.json").read_text("utf-8"))
    templates = [
        f'<template data-formula="{tag}" lang="{language}">{html}</template>'
        for tag, translations in formulas.items()
        for language, html in translations.items()
    ]
    if manual:
        address = escape(f"{manual.rstrip('/')}/theory/equations.html", quote=True)
        templates.append(f'<span hidden data-manual="{address}"></span>')
    return "".join(templates)


def _find_manual() -> str | None:
    """Address of the manual in the package metadata."""
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        urls = metadata("torseur").get_all("Project-URL") or []
    except PackageNotFoundError:
        return None
    addresses = [u.partition(",")[2].strip() for u in urls if u.startswith("Documentation,")]
    return addresses[0] if addresses else None


def _omission_html(why: str) -> str:
    message = bilingual_html("span", f"Not shown here: {why}.")
    return f'<p class="note">{message} <code>print(ts.equations(model))</code></p>'
