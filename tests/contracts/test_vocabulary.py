"""Names and docstrings of the source code follow the vocabulary of the field.

Each check counts violations of a rule of CONTRIBUTING.md and compares the count with a limit.
Limits only go down: when a count falls, lower its limit.
"""

import ast
import io
import re
import tokenize
from functools import cache
from pathlib import Path

import pytest

import torseur

ROOT = Path(torseur.__path__[0])
FILES = sorted(ROOT.rglob("*.py"))

PRIVATE_WORDS = frozenset(
    """
    abreast ahead alike alone along answer answered answers apart asked asking believed beside
    blurred books carried chosen cohort complain door doors ends far few firm found gate given
    glimpse heed held here house inside joined kept known lacks laden lead leads lean least led
    lent limbs lone looked looks lost made many meeting more most moved moving near now obeyed own
    piece pieces place places plain polish promises quickest room rooms said seen share shares
    shown side sides slides slopes some sought sound spoken stated stepped still stuck swept tall
    telling tell text_of texts there thing things timed together told torn turn turned turning
    turns unheld usual wanted way ways whole wholes wide wobble word words worth wrong
    """.split()
)
"""Words that say nothing, or not what the field means by them; docs/glossary.md has the terms."""
MODULE_WORDS = PRIVATE_WORDS | frozenset(
    """
    acting beginning begun bent blows called carriages chances corners course deciding described
    dips displays doubts drawn empty facts followed frozen garage joined keeping knots lumps
    momenta natives own parts passed postures pulses shared shifts sidewise slips solved spans
    spreads stairs thin travel tops twin unusual watch weaving widths written
    """.split()
)
FUNCTION_WORDS = PRIVATE_WORDS - {"known", "words", "word", "many", "some"} | {
    "at", "of", "over", "put", "across", "between",
}  # fmt: skip
VAGUE_CONSTANTS = frozenset(
    """
    MANY MOST FEW FAR NEAR SOON LEAST WELL WITH EARLY LATE TURNS AFTER BEFORE BARELY SLOW FINE
    ENOUGH ALIKE OTHER HERE BESIDE WITHIN APART ABREAST ROOM
    """.split()
)
MIN_UNDOCUMENTED_LINES = 8  # longer functions have a docstring

LIMITS = {
    "modules": 0,
    "functions": 181,
    "constants": 0,
    "undocumented functions": 277,
    "words in identifiers per 1000 lines": 40.6,
    "one-word functions, percent": 45.2,
    "semicolons per 1000 words of docstrings": 5.7,
    "sentences of docstrings with a bare what, percent": 3.0,
    "cycles of imports": 2,
}


@cache
def sources() -> dict[str, tuple[str, ast.Module]]:
    """Text and syntax tree of every file."""
    texts = {f.relative_to(ROOT).as_posix(): f.read_text(encoding="utf-8") for f in FILES}
    return {name: (text, ast.parse(text)) for name, text in texts.items()}


@pytest.fixture(scope="module", autouse=True)
def forget_trees():
    yield
    sources.cache_clear()


def functions():
    for name, (_, tree) in sources().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield name, node


def check(rule: str, violations: list[str]):
    assert len(violations) <= LIMITS[rule], (
        f"{len(violations)} {rule}, limit {LIMITS[rule]}: {violations[:20]}"
    )


def test_modules_have_names_of_the_field():
    stems = [n for n in sources() if n.rpartition("/")[2][:-3].strip("_") in MODULE_WORDS]
    check("modules", stems)


def test_functions_are_called_by_more_than_an_empty_word():
    named = [
        f"{f}:{n.lineno} {n.name}" for f, n in functions() if n.name.strip("_") in FUNCTION_WORDS
    ]
    check("functions", named)


def test_constants_say_quantity_and_role():
    vague = []
    for name, (_, tree) in sources().items():
        for node in tree.body:
            if isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                vague += [
                    f"{name}:{x.lineno} {x.id}"
                    for t in targets
                    for x in ast.walk(t)
                    if isinstance(x, ast.Name) and x.id in VAGUE_CONSTANTS
                ]
    check("constants", vague)


def test_long_functions_have_docstrings():
    bare = [
        f"{f}:{n.lineno} {n.name}"
        for f, n in functions()
        if not ast.get_docstring(n) and n.end_lineno - n.lineno + 1 > MIN_UNDOCUMENTED_LINES
    ]
    check("undocumented functions", bare)


def test_identifiers_consist_of_words_of_the_field():
    count = lines = 0
    for text, _ in sources().values():
        lines += text.count("\n")
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME:
                words = re.split(r"_|(?<=[a-z])(?=[A-Z])", token.string)
                count += sum(w.lower() in PRIVATE_WORDS for w in words)
    assert 1000 * count / lines <= LIMITS["words in identifiers per 1000 lines"]


def test_functions_have_a_verb_and_an_object():
    names = [n.name.strip("_") for _, n in functions() if not n.name.startswith("__")]
    one_word = sum("_" not in n for n in names)
    assert 100 * one_word / len(names) <= LIMITS["one-word functions, percent"]


def docstrings() -> str:
    """Prose of all docstrings, without code and sections of numpydoc."""
    out = []
    for _, tree in sources().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                text = (ast.get_docstring(node) or "").split("\nParameters\n")[0]
                prose = [x for x in text.splitlines() if not x.lstrip().startswith((">>>", "..."))]
                out.append(re.sub(r"`[^`]*`", "X", "\n".join(prose)))
    return "\n\n".join(out)


def test_docstrings_are_plain_english():
    text = docstrings()
    semicolons = 1000 * text.count(";") / len(text.split())
    assert semicolons <= LIMITS["semicolons per 1000 words of docstrings"]
    sentences = [s for s in re.split(r"[.!?:]\s+|\n\n", text) if len(s.split()) > 2]
    bare = sum(bool(re.search(r"\b(what|that which)\b", s, re.IGNORECASE)) for s in sentences)
    share = 100 * bare / len(sentences)
    assert share <= LIMITS["sentences of docstrings with a bare what, percent"]


def import_graph() -> dict[str, set[str]]:
    """Modules that each module imports at run time, lazily or not."""
    graph = {}
    for name, (_, tree) in sources().items():
        types_only = {
            id(x)
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
            for body in node.body
            for x in ast.walk(body)
        }
        graph[name] = set()
        for node in ast.walk(tree):
            if id(node) in types_only or not isinstance(node, ast.ImportFrom) or not node.level:
                continue
            base = Path(name).parts[: -node.level]
            base = (*base, *(node.module or "").split(".")) if node.module else base
            for alias in node.names:
                for path in ((*base, alias.name), base, (*base, alias.name, "__init__")):
                    if f"{'/'.join(path)}.py" in sources():
                        graph[name].add(f"{'/'.join(path)}.py")
                        break
    return graph


def strongly_connected(graph: dict[str, set[str]]) -> list[set[str]]:
    """Groups of modules that import one another (Kosaraju)."""
    order, seen = [], set()

    def visit(start, edges, out):
        stack = [(start, iter(sorted(edges[start])))]
        seen.add(start)
        while stack:
            node, rest = stack[-1]
            following = next((x for x in rest if x not in seen), None)
            if following is None:
                stack.pop()
                out.append(node)
            else:
                seen.add(following)
                stack.append((following, iter(sorted(edges[following]))))

    for node in graph:
        if node not in seen:
            visit(node, graph, order)
    reverse = {n: {m for m in graph if n in graph[m]} for n in graph}
    groups, seen = [], set()
    for node in reversed(order):
        if node not in seen:
            group = []
            visit(node, reverse, group)
            groups.append(set(group))
    return [g for g in groups if len(g) > 1]


def test_cycles_are_found():
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}
    assert strongly_connected(graph) == [{"a", "b", "c"}]


def test_no_modules_import_one_another():
    groups = strongly_connected(import_graph())
    check("cycles of imports", [", ".join(sorted(g)[:6]) for g in groups])
