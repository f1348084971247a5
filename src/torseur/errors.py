"""Every exception raised on purpose.

TorseurError
+-- ModelError          the description is wrong; .problems lists why
+-- ArgumentError       a call was given a value it cannot take; a ValueError too
|   +-- UnknownName     a name that nothing has; a KeyError too
+-- NotInRing           a formula needs an operation that this scalar does not have
+-- SingularPose        a parametrization of orientation has no unique value here
+-- KernelError         code generation or compilation failed
+-- AssemblyError       the loops do not close from this guess
+-- IntegrationError    the solver stopped before the end time
+-- NotInstalled        an optional library is missing; an ImportError too

ModelWarning            a model that works, with something that looks like a slip
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from opcode import opmap
from pathlib import Path
from reprlib import Repr
from typing import Any

_CONTROL_CHARACTERS = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff]"
)


def visible(text: str) -> str:
    r"""A text with what a terminal obeys instead of showing it written out.

    >>> visible("b\x1b[31m has no mass")
    'b\\u001b[31m has no mass'
    """
    return _CONTROL_CHARACTERS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class TorseurError(Exception):
    """Catch this to catch all of ours and none of anybody else's.

    Whatever it quotes of a file, its message holds nothing that a terminal obeys.
    """

    def __init__(self, *said: object, **more: object):
        super().__init__(*(visible(x) if isinstance(x, str) else x for x in said), **more)


MOST_TOLD = 1000  # problems of one model


class ModelError(TorseurError):
    """The description is wrong; `problems` lists every fault, in the user's names."""

    def __init__(self, problems: Iterable[str]):
        found = tuple(map(visible, problems))
        more = len(found) - MOST_TOLD
        self.problems = found if more <= 1 else (*found[:MOST_TOLD], f"... and {more} more")
        head = f"the model has {(n := len(self.problems))} problem{'s' * (n > 1)}:"
        super().__init__("\n  - ".join([head, *self.problems]))

    def __reduce__(self):
        return type(self), (self.problems,)


class ArgumentError(TorseurError, ValueError):
    """A call was given a value that it cannot take."""


class UnknownName(ArgumentError, KeyError):
    """A name that nothing has: what is there is told."""

    __str__ = Exception.__str__  # that of a KeyError would quote the sentence


def as_system(model: Any, where: str) -> Any:
    """The checked system of a model, or the system itself; a clear error for anything else."""
    if hasattr(model, "check"):
        return model.check()
    if not hasattr(model, "links"):
        raise ArgumentError(
            f"{where}: expected a ts.Model or a checked system, got {shown(model)}; "
            "ts.load(path) reads a model from a file"
        )
    return model


class NotInRing(TorseurError):
    """A formula asked a scalar for an operation that it does not have.

    `asks` says what a larger ring would need to have it, when one could: a generator.
    """

    def __init__(self, text: str, asks: tuple[Any, ...] | None = None):
        super().__init__(text)
        self.asks = asks


class SingularPose(TorseurError, ArithmeticError):
    """Angles are not unique at this orientation."""


class KernelError(TorseurError):
    """Code generation or compilation failed, or a kernel was asked for what it lacks."""


class AssemblyError(TorseurError):
    """The loops do not close from this guess."""


class IntegrationError(TorseurError):
    """The solver stopped before the end time."""


class NotInstalled(TorseurError, ImportError):
    """A library that only some need is missing; the message names the extra that brings it."""


@contextmanager
def needs(extra: str, what: str, instead: str = "") -> Iterator[None]:
    """Around the import of an optional library: a failure names the extra that brings it.

    >>> with needs("plot", "plot"):
    ...     import matplotlid
    Traceback (most recent call last):
    ...
    torseur.errors.NotInstalled: plot needs the package matplotlid; pip install "torseur[plot]"
    """
    try:
        yield
    except ImportError as e:
        if isinstance(e, NotInstalled):
            raise
        package = (e.name or str(e)).partition(".")[0]
        told = f'{what} needs the package {package}; pip install "torseur[{extra}]"'
        raise NotInstalled(told + (f", or {instead}" if instead else ""), name=e.name) from None


class ModelWarning(UserWarning):
    """The model works, but something in it looks like a slip."""

    def __init__(self, *said: object):
        super().__init__(*(visible(x) if isinstance(x, str) else x for x in said))


class _Brief(Repr):
    def repr_Fraction(self, x, level):
        return str(x)


_BRIEF = _Brief()
_BRIEF.maxstring = _BRIEF.maxother = _BRIEF.maxlong = 60


def shown(x) -> str:
    """A value in a message: its `repr`, cut short, whatever it is.

    >>> from fractions import Fraction
    >>> shown([Fraction(1, 3), 0.5]), shown("m" * 1000)
    ('[1/3, 0.5]', "'mmmmmmmmmmmmmmmmmmmmmmmmmmm...mmmmmmmmmmmmmmmmmmmmmmmmmmmm'")
    """
    try:
        if hasattr(x, "tolist") and getattr(x, "size", 0) < 1000:  # an array, as a list
            x = x.tolist()
        return " ".join(_BRIEF.repr(x).split())
    except Exception:  # a value that cannot even be shown is still worth a message
        return f"a {type(x).__name__}"


@contextmanager
def report_reader_failures(where: str) -> Iterator[None]:
    """Around a reader of files: whatever falls out becomes a `ModelError` that names the file.

    >>> with report_reader_failures("arm.yaml"):
    ...     {}["x"]
    Traceback (most recent call last):
    ...
    torseur.errors.ModelError: the model has 1 problem:
      - arm.yaml: something in it was not foreseen; please report this file
    """
    try:
        yield
    except (ModelError, NotInstalled):
        raise
    except TorseurError as e:
        if where in str(e):
            raise
        raise ModelError([f"{where}: {e}"]) from e  # of what does not know that a file is read
    except OSError as e:
        why = (e.strerror or "it cannot be read").lower()
        raise ModelError([f"{where}: {why}; check the path"]) from e
    except RecursionError as e:
        raise ModelError([f"{where}: is nested too deep; write it flatter"]) from e
    except Exception as e:
        text = f"{where}: something in it was not foreseen; please report this file"
        raise ModelError([text]) from e


@contextmanager
def placed(where: str) -> Iterator[None]:
    """Around what is made from a file: problems that name no place get the file's.

    >>> with placed("car.yaml"):
    ...     raise ModelError(["vehicle 'car': needs at least one body"])
    Traceback (most recent call last):
    ...
    torseur.errors.ModelError: the model has 1 problem:
      - car.yaml: vehicle 'car': needs at least one body
    """
    try:
        yield
    except ModelError as e:
        raise ModelError([p if where in p else f"{where}: {p}" for p in e.problems]) from e


@contextmanager
def misfits(who: str, problems: list[str]) -> Iterator[None]:
    """Around what an element does with its own values: one of a wrong kind is its problem, too.

    >>> found = []
    >>> with misfits("constraint 'gear'", found):
    ...     -()
    >>> found
    ["constraint 'gear': one of its values is of a kind that it does not take; see the reference"]
    """
    try:
        yield
    except ModelError:
        raise
    except (TorseurError, TypeError, ValueError, AttributeError, LookupError, ArithmeticError) as e:
        otherwise = "one of its values is of a kind that it does not take; see the reference"
        problems.append(f"{who}: {said(e, otherwise)}")


_RAISES = opmap["RAISE_VARARGS"]
_HERE = str(Path(__file__).parent)


def said(e: BaseException, otherwise: str = "") -> str:
    """What an exception says, in words for users.

    One that this package raised on purpose speaks for itself; of one that fell out of Python or of
    another library only the kind is told, in a sentence, or `otherwise`.

    >>> try:
    ...     float("x")
    ... except ValueError as e:
    ...     said(e)
    'is not a value that can be used here; see the reference for what it takes'
    """
    if isinstance(e, TorseurError):
        return str(e)
    last = e.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is not None:
        code = last.tb_frame.f_code
        raised = code.co_code[last.tb_lasti] == _RAISES
        if raised and code.co_filename.startswith(_HERE) and str(e):
            return str(e)
    if otherwise:
        return otherwise
    if str(e) == "math domain error":
        return "has no value there: a root, a logarithm or an arc of a number outside of its range"
    if isinstance(e, ZeroDivisionError):
        return "divides by zero"
    if isinstance(e, ArithmeticError):
        return "leaves the range of numbers, 1e-300 to 1e300"
    if isinstance(e, RecursionError | MemoryError):
        return "is too large, or nested too deep"
    return "is not a value that can be used here; see the reference for what it takes"


@lru_cache(maxsize=256)
def _closest_name(name: str, known: tuple[str, ...]) -> list[str]:
    """What was probably meant; among very many names nobody looks."""
    from difflib import get_close_matches

    return get_close_matches(name, known, n=1) if len(known) < 2000 else []


def unknown_name_message(
    kind: str, name: str, known: Iterable[str], where: str, hint: bool = True
) -> str:
    """Sentence for a misspelt reference: where, what, what was meant, what exists.

    >>> unknown_name_message("body", "uper", ("upper", "lower"), "joint 'elbow'")
    "joint 'elbow': no body is named 'uper'; did you mean 'upper'? (known: lower, upper)"
    """
    told = f"{where}: no {kind} is named {shown(name)}"
    if not hint:  # looking for likeness takes time: not for the hundredth
        return told
    known = tuple(sorted(known))
    near = _closest_name(name, known) if isinstance(name, str) and len(name) < 200 else ()
    told += f"; did you mean {near[0]!r}?" if near else ""
    listed = ", ".join(known[:12]) + (", ..." if len(known) > 12 else "")
    return f"{told} (known: {listed or 'none'})"


def describe_call_mismatch(function: Callable, given: Collection[str], first: int = 0) -> str:
    """What is wrong with the options of a call, beside its `first` arguments; "" where they fit.

    >>> def disc(radius, height=1.0): ...
    >>> describe_call_mismatch(disc, ["hight"])
    "no option is named 'hight'; did you mean 'height'? (known: height, radius); it needs radius"
    """
    from inspect import signature

    own = signature(function).parameters.values()
    takes = {p.name: p for p in own if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    every = any(p.kind is p.VAR_KEYWORD for p in own)
    wrong = [] if every else [n for n in given if n not in takes]
    left = [*takes.values()][first:]
    needed = [p.name for p in left if p.default is p.empty and p.name not in given]
    told = [unknown_name_message("option", n, takes, "").removeprefix(": ") for n in wrong]
    return "; ".join(told + [f"it needs {', '.join(needed)}"] * bool(needed))


def undetermined(joint: str, components: Iterable[str]) -> str:
    """Sentence for the components of a reaction that no motion tells.

    >>> undetermined("C", ["moment.x", "moment.y", "force.z"])
    'C: force z, moments x and y are undetermined'
    """
    components, said = tuple(components), []
    for what in ("force", "moment"):
        axes = [c[-1] for c in components if c.startswith(what)]
        if axes:
            listed = ", ".join(axes[:-1]) + " and " * (len(axes) > 1) + axes[-1]
            said.append(f"{what}{'s' * (len(axes) > 1)} {listed}")
    return f"{joint}: {', '.join(said)} {'are' if len(components) > 1 else 'is'} undetermined"
