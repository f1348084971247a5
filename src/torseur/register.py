"""Registers: an element is one file, and nothing else lists it.

A room makes one register a kind of element; the class or function declares itself with it:

    @law
    @dataclass(frozen=True, slots=True)
    class Spring(Law): ...

A register imports every file of its folder when it is first asked.  A file elsewhere (a user's, a
test's) adds its elements by being imported: contracts, schema, reference and help see them as
they see those of the package.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from importlib import import_module
from pkgutil import iter_modules
from threading import get_ident
from typing import TYPE_CHECKING, Any, TypeVar

from .errors import ArgumentError, UnknownName, unknown_name_message

E = TypeVar("E")

if TYPE_CHECKING:

    def derived(f: Callable[[Any], E]) -> E: ...

else:
    derived = property
    """A constant of an element's contract that a class makes from its own fields: a property, which
    type checkers take for what it gives."""


def type_of(field: Any) -> str:
    """The type of a dataclass field as text without arguments, however its module writes it.

    >>> from dataclasses import dataclass, fields
    >>> @dataclass
    ... class Two:
    ...     a: tuple[tuple[int, ...], str]
    ...     b: str | tuple[float, ...]
    >>> [type_of(f) for f in fields(Two)]
    ['tuple', 'str | tuple']
    """
    said, kind = field.type, type(field.type)
    if kind is type:
        said = said.__name__
    text, before = str(said).replace("typing.", ""), ""
    while text != before:
        text, before = re.sub(r"\[[^\[\]]*\]", "", text), text
    return text


def frozen(x: Any) -> Any:
    """Nested sequences (lists, arrays) as tuples of plain numbers, texts and values.

    >>> frozen([0, "L", (1, [2.5])])
    (0, 'L', (1, (2.5,)))
    """
    if hasattr(x, "tolist"):
        x = x.tolist()
    return tuple(map(frozen, x)) if isinstance(x, tuple | list) else x


def freeze_fields(element: Any) -> None:
    """Numbers in the fields of an element become its own: who gave them may fill them anew."""
    for f in fields(element):
        object.__setattr__(element, f.name, frozen(getattr(element, f.name)))


class Register(Mapping[str, Any]):
    """Elements of one kind by name, sorted.

    >>> tool = Register("tool")
    >>> @tool
    ... class Hammer: ...
    >>> @tool.named("saw")
    ... def cut(): ...
    >>> list(tool), tool.element("Hammer", "box") is Hammer
    (['Hammer', 'saw'], True)
    >>> tool.element("hamer", "box")
    Traceback (most recent call last):
    torseur.errors.ArgumentError: box: no tool is named 'hamer'; ... (known: Hammer, saw)
    """

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __init__(self, kind: str, folder: str | None = None):
        self.kind = kind
        self._folder = folder  # package whose files are asked; None for a register filled by hand
        self._held: dict[str, Any] = {}
        self._loading: set[int] = set()  # threads that are at it

    def __call__(self, element: E) -> E:
        """Decorate a class or a function: it is held under its own name."""
        return self._keep(getattr(element, "__name__"), element)  # noqa: B009

    def named(self, name: str) -> Callable[[E], E]:
        """Decorate with another name than that of the class or function."""
        return lambda element: self._keep(name, element)

    def _keep(self, name: str, element: E) -> E:
        held = self._held.get(name)
        if held is not None and _qualified_name(held) != _qualified_name(element):
            raise ArgumentError(
                f"two {self.kind}s are named {name!r}: one in {_qualified_name(held)[0]}, one in "
                f"{_qualified_name(element)[0]}; rename one"
            )
        self._held[name] = element
        return element

    def _elements(self) -> dict[str, Any]:
        folder, me = self._folder, get_ident()
        if folder is not None and me not in self._loading:  # files may look here while they load
            self._loading.add(me)
            try:
                package = import_module(folder)
                for file in iter_modules(package.__path__):
                    import_module(f"{folder}.{file.name}")
                self._folder = None
            finally:
                self._loading.discard(me)
        return self._held

    def __getitem__(self, name: str):
        held = self._elements()
        if not isinstance(name, str) or name not in held:
            raise UnknownName(unknown_name_message(self.kind, name, held, f"{self.kind}s"))
        return held[name]

    def get(self, name: str, default: Any = None) -> Any:
        """The element of a name, or the default."""
        return self._elements().get(name, default)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._elements()))

    def __len__(self) -> int:
        return len(self._elements())

    def _ipython_key_completions_(self) -> list[str]:
        """What `ts.integrate.METHODS["r<Tab>` offers."""
        return list(self)

    def __contains__(self, name) -> bool:
        return isinstance(name, str) and name in self._elements()

    def element(self, name: str, where: str):
        """The element of a name, or an `ArgumentError` that tells the names there are."""
        try:
            return self[name]
        except (KeyError, TypeError):
            raise ArgumentError(unknown_name_message(self.kind, name, self, where)) from None

    def examples(self) -> tuple:
        """Instances of every element, and of every variant with a formula of its own."""
        return tuple(e for kind in self.values() for e in kind.examples())


def _qualified_name(element) -> tuple[str, str]:
    return (
        getattr(element, "__module__", "") or "",
        getattr(element, "__qualname__", "") or repr(element),
    )


def use(path) -> None:
    """Run a Python file that declares elements of its own; they join the registers.

    Only files that the user names: a model file never runs anything.
    """
    from importlib.util import module_from_spec, spec_from_file_location
    from pathlib import Path
    from sys import modules

    path = Path(os.path.realpath(path))
    if path.suffix != ".py" or not path.is_file():
        raise ArgumentError(f"{path}: expected a Python file (.py) that exists")
    name = f"elements_{path.stem}"
    if getattr(modules.get(name), "__file__", None) == str(path):
        return
    if name in modules:
        raise ArgumentError(f"{path}: a file of that name is in use already; rename one")
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ArgumentError(f"{path}: cannot be read as Python")
    modules[name] = module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except SyntaxError as e:
        del modules[name]
        raise ArgumentError(f"{path}, line {e.lineno}: {e.msg}; it is no Python file") from None
    except BaseException:
        del modules[name]
        raise
