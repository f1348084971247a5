"""The text of a file as a tree of values that remember their line.  Nothing in it is ever run.

YAML and JSON become one stream of events; the tree is built from it with limits on depth and
number of values, so that a hostile file ends in one clear sentence.  Aliases are refused: ten lines
of them can stand for a billion values.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import ModelError, shown
from ...files import noted

MAX_BYTES = 32_000_000
MAX_VALUES = 200_000
MAX_NUMBERS = 400_000  # of a table in a CSV file
MAX_TEXT_LENGTH = 100_000  # of one text
MAX_DEPTH = 32
MAX_PROBLEMS = 100


@dataclass(slots=True)
class FileNode:
    """A value of a file: a dict of nodes, a list of nodes, a text, a number, a truth or None."""

    value: Any
    line: int
    text: str | None = None  # as written, when the value was not quoted

    def plain(self):
        """The value without its lines."""
        if isinstance(self.value, dict):
            return {k: n.plain() for k, n in self.value.items()}
        if isinstance(self.value, list):
            return [n.plain() for n in self.value]
        return self.value


_INT = re.compile(r"[+-]?\d{1,400}\Z")
_FLOAT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z")
_CONSTANTS = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "false": False,
    "False": False,
}


def parse_scalar(text: str) -> Any:
    """What an unquoted text says.  Numbers as in YAML 1.2; `no` and `on` are plain texts.

    >>> parse_scalar("1e5"), parse_scalar("no"), parse_scalar("3"), parse_scalar("null")
    (100000.0, 'no', 3, None)
    """
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if len(text) <= 400:
        if _INT.match(text):
            return int(text)
        if (
            (m := _FLOAT.match(text))
            and math.isfinite(x := float(text))
            and (x or not m[1].strip("0."))
        ):  # 1e-999 is not zero
            return x
    return text


def read_text(path: Path) -> str:
    """The text of a file, or `ModelError` when it is too long or no UTF-8."""
    name = path.name
    try:
        with open(noted(path), "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as e:
        raise ModelError(
            [f"{name}: cannot be read ({(e.strerror or str(e)).lower()}); check the path"]
        ) from None
    if len(data) > MAX_BYTES:
        raise ModelError(
            [
                f"{name}: longer than {MAX_BYTES // 1_000_000} MB, which no model "
                "needs; keep tables in CSV files"
            ]
        )
    return decode_utf8(data, name, lambda text: ModelError([text]))


def decode_utf8(data: bytes, name: str, error: Callable[[str], Exception]) -> str:
    """Bytes as text, or an error that says which line is none."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        line = data.count(b"\n", 0, e.start) + 1
        problem = f"{name}, line {line}: byte 0x{data[e.start]:02x} is not UTF-8"
        raise error(f"{problem}; save the file as UTF-8") from None


def parse(text: str, name: str, *, json_text: bool = False) -> tuple[FileNode, list[str]]:
    """The tree of a file and the problems met while building it.

    >>> tree, problems = parse("a: [1, x]", "m.yaml")
    >>> tree.plain(), problems
    ({'a': [1, 'x']}, [])
    """
    if "\x00" in text:
        raise ModelError([f"{name}: holds a zero byte, so it is no text; give a YAML or JSON file"])
    return _build_tree(json_events(text, name) if json_text else _yaml_events(text, name), name)


def add_problem(problems: list[str], text: str) -> None:
    """Keep a problem; past a hundred of them, stop reading."""
    problems.append(text)
    if len(problems) >= MAX_PROBLEMS:
        raise ModelError([*problems, f"... reading stopped after {MAX_PROBLEMS} problems"])


def _build_tree(events, name) -> tuple[FileNode, list[str]]:
    problems: list[str] = []
    stack: list[tuple[FileNode, list]] = []  # open collections, with the pending key of each
    root, count = FileNode(None, 1), 0
    for kind, value, line in events:
        if kind == "end":
            stack.pop()
            continue
        count += 1
        if count > MAX_VALUES:
            raise ModelError(
                [
                    f"{name}, line {line}: more than {MAX_VALUES} values; "
                    "split the model or keep tables in CSV files"
                ]
            )
        if kind == "scalar" and isinstance(value[0], str) and len(value[0]) > MAX_TEXT_LENGTH:
            raise ModelError(
                [
                    f"{name}, line {line}: a text of {len(value[0])} letters; at most "
                    f"{MAX_TEXT_LENGTH} are read"
                ]
            )
        if kind == "alias":
            add_problem(
                problems,
                f"{name}, line {line}: alias *{value}: aliases are not read; write the "
                "value again, or name it under 'parameters'",
            )
            kind, value = "scalar", (None, None)
        node = (
            FileNode({}, line)
            if kind == "map"
            else FileNode([], line)
            if kind == "list"
            else FileNode(value[0], line, value[1])
        )
        if not stack:
            root = node
        else:
            parent, pending = stack[-1]
            if isinstance(parent.value, list):
                parent.value.append(node)
            elif not pending:  # this node is a key
                if kind != "scalar":
                    raise ModelError([f"{name}, line {line}: a key must be a text"])
                key = node.text if node.text is not None else str(node.value)
                if key in parent.value:
                    add_problem(
                        problems,
                        f"{name}, line {line}: {shown(key)} is given twice (first "
                        f"on line {parent.value[key].line}); keep one",
                    )
                pending.append(key)
                continue
            else:
                parent.value[pending.pop()] = node
        if kind != "scalar":
            if len(stack) == MAX_DEPTH:
                raise ModelError(
                    [
                        f"{name}, line {line}: values nested more than {MAX_DEPTH} "
                        "deep; no part of a model needs that"
                    ]
                )
            stack.append((node, []))
    return root, problems


_CORE = "tag:yaml.org,2002:"
_NUMBERS = (_CORE + "int", _CORE + "float")
_TAGS = (None, "!", _CORE + "str", *_NUMBERS)


def _yaml_events(text: str, name: str) -> Iterator[tuple]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    documents = 0
    try:
        for e in yaml.parse(text, Loader=loader):
            line = e.start_mark.line + 1
            match e:
                case yaml.ScalarEvent():
                    is_plain = (not e.style and e.tag != _CORE + "str") or e.tag in _NUMBERS
                    if e.tag not in _TAGS:
                        raise ModelError(
                            [
                                f"{name}, line {line}: tag {e.tag}: tags are not read; "
                                "a model file holds plain values only"
                            ]
                        )
                    yield (
                        "scalar",
                        ((parse_scalar(e.value), e.value) if is_plain else (e.value, None)),
                        line,
                    )
                case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                    if e.tag is not None and e.tag != "!":
                        raise ModelError(
                            [
                                f"{name}, line {line}: tag {e.tag}: tags are not read; "
                                "a model file holds plain values only"
                            ]
                        )
                    yield "map" if isinstance(e, yaml.MappingStartEvent) else "list", None, line
                case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                    yield "end", None, line
                case yaml.AliasEvent():
                    yield "alias", e.anchor, line
                case yaml.DocumentStartEvent():
                    documents += 1
                    if documents > 1:
                        raise ModelError(
                            [
                                f"{name}, line {line}: a second document starts here; "
                                "one file holds one model"
                            ]
                        )
    except yaml.YAMLError as e:
        mark = getattr(e, "problem_mark", None) or getattr(e, "context_mark", None)
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        what = getattr(e, "problem", None) or str(e).splitlines()[0]
        raise ModelError(
            [f"{name}{where}: not YAML: {what}; check brackets, quotes and indentation"]
        ) from None
    except RecursionError:
        raise ModelError([f"{name}: values nested more than {MAX_DEPTH} deep"]) from None


# --------------------------------------------------------------------------------------------
# Events of a JSON text, with lines, as `nodes` takes them.


_STRING = r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'  # never tried again from its middle
_TOKEN = re.compile(rf'[ \t\r]*+(?:(\n)|([{{}}\[\],:])|({_STRING})|([^\s{{}}\[\],:"]+)|(\S))')


def json_events(text: str, name: str) -> Iterator[tuple]:
    """("map" | "list" | "scalar" | "end", value, line), one after the other.

    >>> [kind for kind, *_ in json_events('{"a": [1, true]}', "m.json")]
    ['map', 'scalar', 'list', 'scalar', 'scalar', 'end', 'end']
    """
    state, at = JsonGrammar(name), 0
    while m := _TOKEN.match(text, at):
        at = m.end()
        newline, *token = m.groups()
        if newline:
            state.line += 1
        elif event := state.read_token(*token):
            yield (*event, state.line)
    if rest := text[at:].strip(" \t\r\n"):
        raise state.syntax_error(rest, state.expect)
    if not state.done:
        raise ModelError(
            [f"{name}, line {state.line}: not JSON: the file ends early; close every bracket"]
        )


class JsonGrammar:
    """What may come next, and the closing bracket of every open collection."""

    def __init__(self, name: str):
        self.name, self.line = name, 1
        self.expect, self.done = "value", False
        self.open: list[str] = []

    def syntax_error(self, got: str, expected: str) -> ModelError:
        text = f"{self.name}, line {self.line}: not JSON: expected {expected}, got {got[:20]!r}"
        return ModelError([text])

    def read_token(self, mark, string, literal, other) -> tuple | None:
        """The event of one token, if it is one."""
        token = mark or string or literal or other
        if other or self.done:
            raise self.syntax_error(token, "the end of the file" if self.done else "a value")
        if mark in ("}", "]"):
            return self._close(mark)
        if mark in (",", ":"):
            return self._read_separator(mark)
        if "key" in self.expect:
            if string is None:
                raise self.syntax_error(token, "a key in double quotes")
            self.expect = ":"
            return "scalar", (self._parse_string(string), None)
        if "value" not in self.expect:
            raise self.syntax_error(token, self.expect)
        if mark:
            self.open.append("}" if mark == "{" else "]")
            self.expect = "key or }" if mark == "{" else "value or ]"
            return "map" if mark == "{" else "list", None
        value = (
            (self._parse_string(string), None)
            if string
            else (self._parse_literal(literal), literal)
        )
        self._end_value()
        return "scalar", value

    def _close(self, mark) -> tuple:
        ok = ("key or }", ", or }") if mark == "}" else ("value or ]", ", or ]")
        if self.expect not in ok:
            raise self.syntax_error(mark, self.expect)
        self.open.pop()
        self._end_value()
        return "end", None

    def _read_separator(self, mark) -> None:
        colon = self.expect == ":"
        if (mark == ":") != colon or (mark == "," and not self.expect.startswith(", or")):
            raise self.syntax_error(mark, self.expect)
        self.expect = "value" if mark == ":" or self.open[-1] == "]" else "key"

    def _end_value(self) -> None:
        """A value is complete."""
        self.done = not self.open
        self.expect = f", or {self.open[-1]}" if self.open else "the end of the file"

    def _parse_literal(self, literal: str):
        value = parse_scalar(literal)
        if isinstance(value, str) or (value is None and literal != "null"):
            raise self.syntax_error(
                literal, "a number, true, false, null or a text in double quotes"
            )
        return value

    def _parse_string(self, token: str) -> str:
        try:
            return json.loads(token)
        except ValueError:
            where = f"{self.name}, line {self.line}"
            raise ModelError([f"{where}: not JSON: bad escape in {token[:40]}"]) from None
