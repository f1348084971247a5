"""Pages of docs/tutorials, docs/fr and docs/theory run as they stand, assertions included."""

import ast

import pytest
from pages_run import BLOCK, DOCS, run

TWINS = {"quatre_barres": "four_bar", "voiture": "vehicle", "conception": "design"}
LONG = {"design", *TWINS}  # a twin's code is that of its lesson, which is checked below
FOLDERS = ("tutorials", "fr", "theory")
PAGES = [
    p
    for p in (DOCS / "index.md", *(p for d in FOLDERS for p in sorted((DOCS / d).glob("*.md"))))
    if BLOCK.search(p.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(
    "page",
    [pytest.param(p, marks=pytest.mark.slow) if p.stem in LONG else p for p in PAGES],
    ids=lambda p: f"{p.parent.name}-{p.stem}",
)
def test_the_code_of_a_page_runs(page, tmp_path):
    run(page, tmp_path)


class Blank(ast.NodeTransformer):
    """Takes names and texts out of code, in the order in which they stand."""

    def __init__(self):
        self.words = []

    def visit(self, node):
        for field in ("id", "arg", "name", "value"):
            word = getattr(node, field, None)
            chosen = isinstance(node, ast.Name | ast.arg | ast.FunctionDef | ast.Constant)
            if chosen and isinstance(word, str):
                self.words.append((type(node).__name__ == "Constant", word))
                setattr(node, field, "")
        return self.generic_visit(node)


def blank(code):
    taken = Blank()
    return ast.dump(taken.visit(ast.parse(code))), taken.words


@pytest.mark.parametrize("french", TWINS)
def test_a_lesson_in_french_has_the_code_of_its_twin(french):
    """Cell by cell the same code but for names and texts, each of which stands for one."""
    pages = DOCS / "fr" / f"{french}.md", DOCS / "tutorials" / f"{TWINS[french]}.md"
    cells = [BLOCK.findall(p.read_text(encoding="utf-8")) for p in pages]
    pairs = set()
    for ours, theirs in zip(*cells, strict=True):
        (one, said), (two, meant) = blank(ours), blank(theirs)
        assert one == two
        pairs |= set(zip(said, meant, strict=True))
    assert len(pairs) == len({a for a, _ in pairs})


def test_every_lesson_is_in_french():
    lessons = {p.stem for p in (DOCS / "tutorials").glob("*.md")} - {"index"}
    own = {"pendulum": "pendule", "robot": "robot"} | {e: f for f, e in TWINS.items()}
    landing = (DOCS / "fr" / "index.md").read_text(encoding="utf-8")
    assert lessons == set(own)
    assert all(f"]({name}.md)" in landing for name in own.values())
