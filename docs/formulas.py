"""Formulas of the theory pages, written as plain text, as LaTeX.

`latex("a = R' (a_P + U_P p)")` is typeset mathematics; `latex("ts.simulate")` is None: code stays
code.  The pages stay readable as text, and what is printed is what is written.
"""

from __future__ import annotations

import re

GREEK = (
    "alpha beta gamma delta epsilon eps eta theta kappa lambda lam mu nu xi pi rho sigma tau phi psi"
    " omega chi zeta Gamma Omega Delta Sigma Phi Psi Lambda Pi Theta"
).split()
SPELT = {"eps": "epsilon", "lam": "lambda", "phi": "varphi"}
FUNCTIONS = "sin cos tan exp log min max det".split()
NAMED = "pull push grad arcsin sinc cot Rot Trans atan2 atan asin acos tanh sign trace rank skew vec diag mean Ad ad argmin Rx Ry Rz Tx Ty Tz"
NAMED = NAMED.split()
SIGNS = {
    "×*": r"\times^{*}",
    "x*": r"\times^{*}",
    "->": r"\to",
    "<-": r"\gets",
    "<=>": r"\Leftrightarrow",
    "=>": r"\Rightarrow",
    "<=": r"\le",
    ">=": r"\ge",
    "!=": r"\ne",
    "+-": r"\pm",
    "-+": r"\mp",
    "...": r"\dots",
    "×": r"\times",
    "·": r"\cdot",
    "∘": r"\circ",
    "±": r"\pm",
    "∓": r"\mp",
    "∂": r"\partial ",
    "∫": r"\int ",
    "Σ": r"\sum ",
    "∑": r"\sum ",
    "Π": r"\Pi ",
    "½": r"\tfrac12 ",
    "≤": r"\le",
    "≥": r"\ge",
    "≠": r"\ne",
    "≈": r"\approx",
    "∈": r"\in",
    "√": r"\surd ",
    "⁻¹": "^{-1}",
    "ᵀ": r"^{\top}",
    "²": "^{2}",
    "³": "^{3}",
    "⁴": "^{4}",
    "∞": r"\infty ",
    "∝": r"\propto",
    "→": r"\to",
    "{": r"\{",
    "}": r"\}",
    "%": r"\%",
    "&": r"\&",
    "#": r"\#",
    "~": r"\sim",
    "<": "<",
    ">": ">",
    "^": r"\wedge",
}
LETTERS = {
    c: "\\" + n
    for c, n in zip(
        "αβγδεζηθκλμνξπρστφχψωΓΔΘΛΞΠΣΦΨΩ",
        "alpha beta gamma delta varepsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau"
        " varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega".split(),
        strict=True,
    )
}
TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<number>\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
    r"|(?P<word>[A-Za-zα-ωΓΔΘΛΞΦΨΩ]̇?[A-Za-z0-9]*)"
    r"|(?P<sign>" + "|".join(re.escape(s) for s in sorted(SIGNS, key=len, reverse=True)) + r")"
    r"|(?P<other>.)",
    re.S,
)
# texts that are code: dots and calls of the package, quoted texts, options, names in snake case
CODE = re.compile(
    r"""["@\\]|\b(ts|dyn|eq|run|np|torseur|self|system|model|K|Model)\.\w|\w\(\)|\w=\S|\*\*|//|--|\.py|"""
    r"""\.(?!pull|push)\w+\(|^<\w+>|\b(?!tau_|lam_|phi_)[a-z]{3,}_[a-z]{3,}|^[a-z]+\.[a-z]+|^\w+\[|"""
    r"""\b(True|False|None|def|import)\b"""
)
WORDS = {"if", "for", "and", "or", "of", "the", "is", "with", "where", "not", "from", "about", "over",
         "all", "when", "in", "at", "to", "on", "else", "then"}  # fmt: skip
PLAIN = re.compile(r"[A-Za-z][a-z]{2,}")


def is_formula(text: str) -> bool:
    """Whether a text between backticks is mathematics rather than code."""
    text = text.strip()
    if not text or text in WORDS or CODE.search(text):
        return False
    words = re.findall(r"[A-Za-z]{3,}", text)
    odd = [w for w in words if not _known(w)]
    if re.fullmatch(r"[A-Za-z]\w*", text):  # one name
        letter, _, index = text.partition("_")
        return len(text) <= 2 or _known(text) or (len(letter) <= 2 or letter in GREEK) and 0 < len(index) <= 3
    if re.fullmatch(r"[\d.e+-]+", text):
        return text.isdigit()
    sure = re.search(r"[=<>²³½Σ∂×·|^]|\w [x./+-] \w|^-\w", text)
    return len(odd) <= 3 and not (odd and len(words) == len(odd) and not sure)


def _known(word: str) -> bool:
    base = re.sub(r"(d?dot|d?d)$", "", word)
    return (
        word in GREEK or word in FUNCTIONS or word in NAMED or word in ("sum", "int", "sqrt", "qdot")
        or base in GREEK or len(base) <= 1
        or bool(re.fullmatch(r"d(tau|phi|psi|lam|theta|sigma)|[A-Z]{2,3}|d[a-zA-Z]d?[a-zA-Z]", word))
        or bool(re.fullmatch("[IJ][xyz]{2}", word))
    )  # fmt: skip


def latex(text: str) -> str | None:
    """The formula as LaTeX, or None where the text is code."""
    return _joined("".join(_run(_tokens(text))).strip()) if is_formula(text) else None


def _joined(made: str) -> str:
    """Two indices at one letter are one, and a prime goes with the exponent: LaTeX takes no others."""
    inside = r"((?:[^{}]|\{[^{}]*\})*)"
    made = re.sub(r"_\{" + inside + r"\}\s*_\{" + inside + r"\}", r"_{\1,\2}", made)
    made = re.sub(r"'((?:_\{[^{}]*\})?)\^\{", r"\1^{\\prime ", made)
    made = re.sub(r"\^\{([^{}]*)\}'", r"^{\1\\prime}", made)
    return re.sub(r"(\\ )+$|\\$", "", re.sub(r"^(\\ )+|(?<=\() *\\ ", "", made)).strip()


def _tokens(text: str) -> list[tuple[str, str]]:
    text = re.sub(r"_(\d+[A-Za-z])(?!\w)", r"_(\1)", text)  # T_0k has one index of two letters
    return [(str(m.lastgroup), m[0]) for m in TOKEN.finditer(text)]


def _run(tokens: list[tuple[str, str]]) -> list[str]:
    out: list[str] = []
    i = 0
    while i < len(tokens):
        kind, s = tokens[i]
        if kind == "space":
            out.append(r" \quad " if len(s) > 1 else r"\;" if _apart(tokens, i) else " ")
        elif kind == "number":
            whole, _, power = s.partition("e")
            ten = "10^{" + str(int(power)) + "}" if power else ""
            out.append(ten if whole == "1" and ten else whole + (r"\cdot " + ten) * bool(ten))
        elif s == "[" and (made := _matrix(tokens, i)):
            out.append(made[0])
            i = made[1]
            continue
        elif s == "x" and _cross(tokens, i):
            out.append(r"\times ")
        elif s == "." and _operand(tokens, i):
            out.append(r"\cdot ")
        elif kind == "word":
            if s == "sqrt" and i + 1 < len(tokens) and tokens[i + 1][1] == "(":
                inside, i = _group(tokens, i + 1)
                out.append(r"\sqrt{" + "".join(_run(inside)) + "}")
                continue
            out.append(_word(s))
        elif kind == "sign" and s == "^":
            script, i = _script(tokens, i + 1)
            out.append("^{" + (r"\top" if script == "T" else script) + "}")
            continue
        elif s == "_":
            script, i = _script(tokens, i + 1, below=True)
            out.append("_{" + script + "}")
            continue
        elif kind == "sign":
            gap = SIGNS[s].startswith("\\") and SIGNS[s][-1].isalpha()
            out.append(SIGNS[s] + " " * gap)
        elif s == "*":
            out.append(
                r"\," if 0 < i and tokens[i - 1][0] != "space" and _next(tokens, i) else "^{*}"
            )
        elif s in ("+", "-") and _marks(tokens, i):
            out.append("^{" + s + "}")
        elif s == "$":
            out.append(r"\$")
        else:
            out.append(s)
        i += 1
    return out


def _apart(tokens, i) -> bool:
    """Whether the space at i is between two operands of which one is a word in upright type."""
    if not 0 < i < len(tokens) - 1:
        return False
    left, right = tokens[i - 1], tokens[i + 1]
    operands = left[0] in ("word", "number") or left[1] in ")]'|"
    operands = operands and (right[0] in ("word", "number") or right[1] in "([|")
    beside = [right[1]] * (right[0] == "word")
    beside += [left[1]] * (left[0] == "word" and (i < 2 or tokens[i - 2][1] != "_"))
    return operands and any(
        x != "sqrt" and re.fullmatch(r"\\mathrm\{\w{3,}\}", _word(x)) for x in beside
    )


def _split(tokens) -> list[list]:
    """Parts between the commas of the outermost level."""
    parts: list[list] = [[]]
    depth = 0
    for token in tokens:
        depth += (token[1] in "([") - (token[1] in ")]") if len(token[1]) == 1 else 0
        if token[1] in ",;" and not depth:
            parts.append([])
        else:
            parts[-1].append(token)
    return [[x for i, x in enumerate(p) if x[0] != "space" or 0 < i < len(p) - 1] for p in parts]


def _matrix(tokens, i) -> tuple[str, int] | None:
    """`[[a, b], [c, d]]` at i as a matrix, and the place behind it."""
    inside, end = _group(tokens, i)
    rows = _split(inside)
    if len(rows) < 2 or any(len(r) < 3 or r[0][1] != "[" or r[-1][1] != "]" for r in rows):
        return None
    if any(_group(r, 0)[1] != len(r) for r in rows):
        return None
    cells = [" & ".join("".join(_run(c)) for c in _split(r[1:-1])) for r in rows]
    return r"\begin{bmatrix}" + r" \\ ".join(cells) + r"\end{bmatrix}", end


def _marks(tokens, i) -> bool:
    """A sign that belongs to the letter before it: S+ is S after a jump."""
    after = tokens[i + 1][1] if i + 1 < len(tokens) else ")"
    return i > 0 and tokens[i - 1][0] == "word" and (after.isspace() or after in ")_,")


def _next(tokens, i) -> bool:
    return i + 1 < len(tokens) and tokens[i + 1][0] in ("word", "number")


def _cross(tokens, i) -> bool:
    """x between two operands, apart: a cross product."""
    before = i >= 2 and tokens[i - 1][0] == "space" and tokens[i - 2][1][-1] not in "=+-/·,(<>×∫Σ"
    after = i + 2 < len(tokens) and tokens[i + 1][0] == "space"
    return before and after and (tokens[i + 2][0] in ("word", "number") or tokens[i + 2][1] in "([")


def _operand(tokens, i) -> bool:
    """A point between two operands: a product."""
    apart = 0 < i < len(tokens) - 1 and tokens[i - 1][0] == tokens[i + 1][0] == "space"
    close = 0 < i < len(tokens) - 1 and tokens[i - 1][0] == tokens[i + 1][0] == "word"
    close = close and tokens[i + 1][1] not in ("pull", "push")
    return apart or close


def _group(tokens, i) -> tuple[list, int]:
    """What stands between the bracket at i and its partner, and the place behind it."""
    depth, start = 0, i + 1
    close = {"(": ")", "{": "}", "[": "]"}[tokens[i][1]]
    while i < len(tokens):
        depth += (tokens[i][1] == tokens[start - 1][1]) - (tokens[i][1] == close)
        i += 1
        if depth == 0:
            return tokens[start : i - 1], i
    return tokens[start:], i


def _script(tokens, i, below=False) -> tuple[str, int]:
    """An index or exponent: a group, or a word or number with its sign."""
    if i >= len(tokens):
        return "", i
    if tokens[i][1] in ("(", "{"):
        inside, i = _group(tokens, i)
        return "".join(_run(inside)), i
    sign = ""
    if tokens[i][1] in "+-*":
        sign, i = tokens[i][1], i + 1
    if i >= len(tokens) or tokens[i][0] not in ("word", "number"):
        return sign, i
    text = tokens[i][1]
    known = _word(text) if text in GREEK or (len(text) == 1 and text.isalpha()) else text
    letters = re.fullmatch("[i-n]+", text) and text not in FUNCTIONS  # of a sum: i, j, k ...
    if below and len(text) > 2 and text.isalpha() and text not in GREEK and text.islower() and not letters:
        known = r"\mathrm{" + text + "}"
    i += 1
    while below and i + 1 < len(tokens) and tokens[i][1] == "," and tokens[i + 1][0] == "word":
        known, i = f"{known},{tokens[i + 1][1]}", i + 2
    return sign + known, i


def _word(word: str) -> str:
    """A name: a letter with its number, Greek, a function, a rate, or upright."""
    if "̇" in word:
        return r"\dot{" + word[0] + "}" + word[2:]
    if word in GREEK:
        return "\\" + SPELT.get(word, word) + " "
    if word in LETTERS:
        return LETTERS[word] + " "
    if word in FUNCTIONS:
        return "\\" + word + " "
    if word in ("sum", "int"):
        return "\\" + word + " "
    if word in NAMED:
        return r"\operatorname{" + word + "}"
    if word in WORDS:
        return r"\ \text{" + word + r"}\ "
    rate = re.fullmatch(r"([A-Za-z]|" + "|".join(GREEK) + r")(ddot|dot|dd)", word)
    if rate:
        return (r"\dot{" if rate[2] == "dot" else r"\ddot{") + _word(rate[1]).strip() + "}"
    numbered = re.fullmatch(r"([A-Za-z]|" + "|".join(GREEK) + r")(\d+)", word)
    if numbered:
        return _word(numbered[1]).strip() + "_{" + numbered[2] + "}"
    if re.fullmatch("[IJ][xyz]{2}", word):
        return f"{word[0]}_{{{word[1:]}}}"
    differential = re.fullmatch(r"d(" + "|".join(GREEK) + r"|[A-Za-z]\d?|OM)", word)
    if differential:
        return r"\mathrm{d}" + _word(differential[1])
    if len(word) <= 2 and word.isalpha():
        return word
    if word[0] in LETTERS:
        return LETTERS[word[0]] + " " + word[1:]
    return r"\mathrm{" + word + "}"


SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
FENCE = re.compile(r"^(```|:::|~~~).*?^\1[ \t]*$", re.S | re.M)


def typeset(text: str) -> str:
    """A page in Markdown with its formulas as mathematics: spans inline, indented blocks displayed.

    >>> typeset("so `a = R' x_1`, by `ts.simulate`")
    "so $a = R' x_{1}$, by `ts.simulate`"
    """
    parts, at = [], 0
    for m in FENCE.finditer(text):
        parts += [_plain(text[at : m.start()]), m[0]]
        at = m.end()
    return "".join([*parts, _plain(text[at:])])


def _plain(text: str) -> str:
    def shown(m):
        lines = [line.strip() for line in m[0].splitlines()]
        if not all(is_formula(line) for line in lines) or not re.search("[=<>]", m[0]):
            return m[0]
        rows = r" \\ ".join("&" + (latex(line) or "") for line in lines)
        return "\n$$\n\\begin{aligned}" + rows + "\\end{aligned}\n$$\n\n"

    def inline(m):
        found = latex(" ".join(m[1].split()))
        return m[0] if found is None else f"${found}$"

    def cell(line):
        made = SPAN.sub(inline, line)
        return re.sub(r"\$[^$]*\$", lambda m: m[0].replace("|", r"\vert "), made)

    def block(part):
        if part.startswith("|"):
            return "\n".join(map(cell, part.split("\n")))
        return part if part.startswith("    ") else SPAN.sub(inline, part)

    text = re.sub(r"(?<=\n\n)((?:    \S[^\n]*\n)+)(?=\n|\Z)", shown, text)
    return "\n\n".join(map(block, text.split("\n\n")))
