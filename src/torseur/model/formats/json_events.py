"""Events of a JSON text, with lines, as `nodes` takes them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ...errors import ModelError
from .nodes import scalar

_STRING = r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'  # never tried again from its middle
_TOKEN = re.compile(rf'[ \t\r]*+(?:(\n)|([{{}}\[\],:])|({_STRING})|([^\s{{}}\[\],:"]+)|(\S))')


def events(text: str, name: str) -> Iterator[tuple]:
    """("map" | "list" | "scalar" | "end", value, line), one after the other.

    >>> [kind for kind, *_ in events('{"a": [1, true]}', "m.json")]
    ['map', 'scalar', 'list', 'scalar', 'scalar', 'end', 'end']
    """
    state, at = JsonState(name), 0
    while m := _TOKEN.match(text, at):
        at = m.end()
        newline, *token = m.groups()
        if newline:
            state.line += 1
        elif event := state.take(*token):
            yield (*event, state.line)
    if rest := text[at:].strip(" \t\r\n"):
        raise state.wrong(rest, state.expect)
    if not state.done:
        raise ModelError(
            [f"{name}, line {state.line}: not JSON: the file ends early; close every bracket"]
        )


class JsonState:
    """What may come next, and the closing bracket of every open collection."""

    def __init__(self, name: str):
        self.name, self.line = name, 1
        self.expect, self.done = "value", False
        self.open: list[str] = []

    def wrong(self, got: str, wanted: str) -> ModelError:
        text = f"{self.name}, line {self.line}: not JSON: expected {wanted}, got {got[:20]!r}"
        return ModelError([text])

    def take(self, mark, string, word, other) -> tuple | None:
        """The event of one token, if it is one."""
        token = mark or string or word or other
        if other or self.done:
            raise self.wrong(token, "the end of the file" if self.done else "a value")
        if mark in ("}", "]"):
            return self._close(mark)
        if mark in (",", ":"):
            return self._part(mark)
        if "key" in self.expect:
            if string is None:
                raise self.wrong(token, "a key in double quotes")
            self.expect = ":"
            return "scalar", (self._text(string), None)
        if "value" not in self.expect:
            raise self.wrong(token, self.expect)
        if mark:
            self.open.append("}" if mark == "{" else "]")
            self.expect = "key or }" if mark == "{" else "value or ]"
            return "map" if mark == "{" else "list", None
        found = (self._text(string), None) if string else (self._word(word), word)
        self._ended()
        return "scalar", found

    def _close(self, mark) -> tuple:
        ok = ("key or }", ", or }") if mark == "}" else ("value or ]", ", or ]")
        if self.expect not in ok:
            raise self.wrong(mark, self.expect)
        self.open.pop()
        self._ended()
        return "end", None

    def _part(self, mark) -> None:
        colon = self.expect == ":"
        if (mark == ":") != colon or (mark == "," and not self.expect.startswith(", or")):
            raise self.wrong(mark, self.expect)
        self.expect = "value" if mark == ":" or self.open[-1] == "]" else "key"

    def _ended(self) -> None:
        """A value is complete."""
        self.done = not self.open
        self.expect = f", or {self.open[-1]}" if self.open else "the end of the file"

    def _word(self, word: str):
        value = scalar(word)
        if isinstance(value, str) or (value is None and word != "null"):
            raise self.wrong(word, "a number, true, false, null or a text in double quotes")
        return value

    def _text(self, token: str) -> str:
        try:
            return json.loads(token)
        except ValueError:
            where = f"{self.name}, line {self.line}"
            raise ModelError([f"{where}: not JSON: bad escape in {token[:40]}"]) from None
