"""XML files as a plain tree with lines.  Document types and entities are refused: none expands."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from ...errors import ModelError
from ...files import noted
from .document_tree import MAX_BYTES, MAX_TEXT_LENGTH, MAX_VALUES

MAX_DEPTH = 200
_ENCODING_PATTERN = re.compile(rb"""<\?xml[^>]*encoding\s*=\s*["']([A-Za-z0-9_.-]+)["']""")
_LATIN_ENCODINGS = ("iso-8859-1", "latin-1", "latin1", "us-ascii", "ascii", "windows-1252")


@dataclass(slots=True)
class Tag:
    """An element of an XML file."""

    name: str
    attributes: dict[str, str]
    line: int
    children: list[Tag] = field(default_factory=list)

    def children_named(self, name: str) -> list[Tag]:
        """Children of that name."""
        return [c for c in self.children if c.name == name]

    def first_child(self, name: str) -> Tag | None:
        """The first child of that name, or None."""
        return next((c for c in self.children if c.name == name), None)


def read_xml(path: Path) -> Tag:
    """The root element of a file, or `ModelError` in one sentence."""
    name = path.name
    try:
        with open(noted(path), "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as e:
        raise ModelError([f"{name}: cannot be read ({(e.strerror or str(e)).lower()})"]) from None
    if len(data) > MAX_BYTES:
        raise ModelError([f"{name}: longer than {MAX_BYTES // 1_000_000} MB"])
    return parse_xml(data, name)


def parse_xml(data: bytes, name: str) -> Tag:
    """The root element of a text.

    >>> parse_xml(b"<robot><link name='a'/></robot>", "r.urdf").first_child("link").attributes
    {'name': 'a'}
    """
    declared = _ENCODING_PATTERN.search(data[:200])
    encoding = declared[1].decode().lower() if declared else "utf-8"
    parser = expat.ParserCreate("iso-8859-1" if encoding in _LATIN_ENCODINGS else "utf-8")
    stack: list[Tag] = []
    root: list[Tag] = []
    count = 0

    def reject_declaration(*_):
        raise ModelError(
            [
                f"{name}, line {parser.CurrentLineNumber}: a document type or entity is "
                "declared here; robot files need none, and they are not read: remove it"
            ]
        )

    def open_element(tag, attributes):
        nonlocal count
        count += 1 + len(attributes)
        if count > MAX_VALUES or len(stack) >= MAX_DEPTH:
            excess = (
                f"nested more than {MAX_DEPTH} deep"
                if len(stack) >= MAX_DEPTH
                else f"more than {MAX_VALUES} values"
            )
            raise ModelError([f"{name}, line {parser.CurrentLineNumber}: {excess}"])
        if any(len(x) > MAX_TEXT_LENGTH for x in attributes.values()):
            raise ModelError(
                [
                    f"{name}, line {parser.CurrentLineNumber}: a value of more than "
                    f"{MAX_TEXT_LENGTH} letters"
                ]
            )
        element = Tag(tag, attributes, parser.CurrentLineNumber)
        (stack[-1].children if stack else root).append(element)
        stack.append(element)

    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = reject_declaration
    parser.StartElementHandler = open_element
    parser.EndElementHandler = lambda _: stack.pop()
    try:
        parser.Parse(data, True)
    except expat.ExpatError as e:
        text = expat.errors.messages[e.code]
        raise ModelError([f"{name}, line {e.lineno}: not XML: {text}"]) from None
    return root[0]
