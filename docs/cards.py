"""Formulas that the report opens where a term of an equation is clicked: python docs/cards.py.

Their texts are those of `theory/` and of `fr/formules.md`, with mathematics as MathML, in
`src/torseur/show/assets/formulas.json`; a test compares that file with the pages.
"""

from __future__ import annotations

import json
import re
import sys
from html import escape
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE)]

import formulas  # noqa: E402

TARGET = HERE.parent / "src" / "torseur" / "show" / "assets" / "formulas.json"
TAGS = ("EQ.13", "EQ.14", "EQ.15", "EQ.16", "EQ.17")
PAGES = {"en": "theory/equations.md", "fr": "fr/formules.md"}
SIGNS = {
    "sum": "<mo>&#x2211;</mo>", "partial": "<mi>&#x2202;</mi>", "cdot": "<mo>&#x22C5;</mo>",
    "tfrac": None, "quad": "<mspace width='1em'/>", "times": "<mo>&#xD7;</mo>",
}  # fmt: skip
GREEK = dict(
    zip(
        "alpha beta gamma delta lambda mu nu rho sigma tau varphi psi omega".split(),
        "αβγδλμνρστφψω",
        strict=True,
    )
)
TOKEN = re.compile(r"\\([a-zA-Z]+)\s*|(\d+(?:\.\d+)?)|([{}^_])|\s+|(.)")


def mathml(latex: str) -> str:
    """What `formulas.latex` writes, as MathML.

    >>> mathml(r"-J_{ri} \\lambda _{r}")
    '<math><mo>&#x2212;</mo><msub><mi>J</mi><mrow><mi>r</mi><mi>i</mi></mrow></msub><msub><mi>λ</mi><mi>r</mi></msub></math>'
    """
    tokens = [m.groups() for m in TOKEN.finditer(latex) if any(m.groups())]
    parts, rest = _row(tokens)
    if rest:
        raise ValueError(f"{latex}: a brace too many")
    return f"<math>{''.join(parts)}</math>"


def _row(tokens):
    """Elements up to a closing brace, and what is left behind it."""
    out: list[str] = []
    while tokens:
        (command, number, brace, other), tokens = tokens[0], tokens[1:]
        if brace == "}":
            return out, tokens
        if brace in ("^", "_"):
            script, tokens = _one(tokens)
            base = out.pop()
            if brace == "^" and (low := re.fullmatch(r"<msub>(.*)</msub>", base)):
                out.append(f"<msubsup>{low[1]}{script}</msubsup>")
            else:
                name = "msub" if brace == "_" else "msup"
                out.append(f"<{name}>{base}{script}</{name}>")
        elif command == "tfrac":  # of two digits: \tfrac12
            (_, digits, _, _), tokens = tokens[0], tokens[1:]
            out.append(f"<mfrac><mn>{digits[0]}</mn><mn>{digits[1]}</mn></mfrac>")
        elif command == "mathrm":
            inside, tokens = _one(tokens)
            letters = re.sub(r"<[^>]*>", "", inside)
            out.append("".join(f"<mi>{c}</mi>" for c in letters))
        elif command:
            out.append(SIGNS.get(command) or f"<mi>{GREEK[command]}</mi>")
        elif number:
            out.append(f"<mn>{number}</mn>")
        elif brace == "{":
            inside, tokens = _row(tokens)
            out.append(f"<mrow>{''.join(inside)}</mrow>")
        elif other.isalpha():
            out.append(f"<mi>{other}</mi>")
        else:
            out.append(f"<mo>{'&#x2212;' if other == '-' else escape(other)}</mo>")
    return out, tokens


def _one(tokens):
    """The next element, or the group in braces."""
    if tokens[0][2] == "{":
        inside, rest = _row(tokens[1:])
        text = "".join(inside)
        alone = len(inside) == 1 and text.count("<mi>") < 2
        return (text if alone else f"<mrow>{text}</mrow>"), rest
    inside, _ = _row(tokens[:1])
    return "".join(inside), tokens[1:]


def html(text: str) -> str:
    """A paragraph of a page: its formulas as MathML, the first, which leads, on a line of its own."""
    parts = formulas.SPAN.split(text)
    out = []
    for i, part in enumerate(parts):
        made = formulas.latex(part) if i % 2 else None
        if i % 2 and made is None:
            raise ValueError(f"{part}: not a formula")
        shown = mathml(made) if made else escape(part, quote=False)
        out.append(f"<p class='lead'>{shown}</p>" if i == 1 else shown)
    head, lead, *rest = out
    head = head.strip().removesuffix(":").strip()
    return f"<b>{head}</b>{lead}<p>{''.join(rest).removeprefix('.').strip()}</p>"


def paragraph(page: str, tag: str) -> str:
    """The text of a tag."""
    text = (HERE / page).read_text(encoding="utf-8")
    found = re.search(rf"^\*\*{re.escape(tag)}\*\* (.*?)(?:\n\n|\Z)", text, re.S | re.M)
    if found is None:
        raise ValueError(f"{page} has no {tag}")
    return " ".join(found[1].split())


def made() -> str:
    """The file as it should be."""
    cards = {
        tag: {language: html(paragraph(page, tag)) for language, page in PAGES.items()}
        for tag in TAGS
    }
    return json.dumps(cards, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    TARGET.write_text(made(), encoding="utf-8")
    print(TARGET)
