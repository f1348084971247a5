"""Every equation tag in the code is defined, once, in docs/theory."""

import re
from pathlib import Path

import torseur

ROOT = Path(torseur.__path__[0])
THEORY = Path(__file__).parents[2] / "docs" / "theory"
TAG = re.compile(r"#[^#\n]*?\b([A-Z]{2}\.\d+)\b[ \t]*$", re.MULTILINE)
DEFINED = re.compile(r"^(?:[-*] |\| )?\*\*([A-Z]{2}\.\d+)\*\*", re.MULTILINE)


def defined() -> dict[str, str]:
    tags: dict[str, str] = {}
    for page in sorted(THEORY.glob("*.md")):
        for tag in DEFINED.findall(page.read_text()):
            assert tag not in tags, f"{tag} is defined in {tags[tag]} and in {page.name}"
            tags[tag] = page.name
    return tags


def test_every_tag_is_defined():
    known = defined()
    missing = {
        str(file.relative_to(ROOT)): gone
        for file in sorted(ROOT.rglob("*.py"))
        if (gone := [tag for tag in TAG.findall(file.read_text()) if tag not in known])
    }
    assert not missing, f"{missing} have no entry '**XX.n**' in docs/theory"


def test_every_page_has_a_title_and_every_range_in_a_docstring_exists():
    for page in THEORY.glob("*.md"):
        assert page.read_text().startswith("# "), page.name
    tags = defined()
    for file in ROOT.rglob("*.py"):
        for prefix, low, high in re.findall(r"([A-Z]{2})\.(\d+) to \1\.(\d+)", file.read_text()):
            for n in range(int(low), int(high) + 1):
                assert f"{prefix}.{n}" in tags, f"{file.relative_to(ROOT)} announces {prefix}.{n}"
