"""The parser, and what every command shares: messages, JSON, exit codes."""

from __future__ import annotations

import argparse
import io
import json
import math
import os
import sys
import warnings
from contextlib import suppress
from typing import Any

from .. import __version__
from ..errors import ModelError, ModelWarning, TorseurError, visible
from ..files import guarded, refuse
from ..register import use
from .base import COMMANDS, WRITTEN, Answer, inputs, targets

FIRST = ("new", "check", "equations", "simulate")  # what a new user types


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    top = argparse.ArgumentParser(
        prog="torseur",
        description="Multibody dynamics: from a model file to equations, numbers and motion.",
        epilog=_epilog([COMMANDS[c].examples[0] for c in FIRST]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"torseur {__version__}")
    top.add_argument(
        "--use",
        metavar="FILE.py",
        action="append",
        default=[],
        help="run a Python file that declares joints, laws, commands, ... of your own",
    )
    subs = top.add_subparsers(dest="command", metavar="COMMAND")
    for name in sorted(
        COMMANDS, key=lambda n: (n not in FIRST, FIRST.index(n) if n in FIRST else n)
    ):
        c = COMMANDS[name]
        p = subs.add_parser(
            name,
            help=c.help,
            description=c.help[0].upper() + c.help[1:] + ".",
            epilog=_epilog(c.examples),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        p.add_argument("--json", action="store_true", help="answer in JSON, for machines")
        p.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors")
        c.options(p)
        if any(a.dest in WRITTEN for a in p._actions):
            p.add_argument("--force", action="store_true", help="replace files that exist")
    return top


def _epilog(lines) -> str:
    return "examples:\n" + "\n".join(f"  torseur {line}" for line in lines)


def _use(argv) -> None:
    """Run the files of `--use` before the parser is made: they may add commands."""
    early = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    early.add_argument("--use", action="append", default=[])
    for path in early.parse_known_args(argv)[0].use:
        use(path)


def _speak() -> None:
    """A letter that the console does not have is written as its number, and ends nothing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def main(argv=None) -> int:
    """Run the command line; returns the exit code.

    >>> main(["schema", "--quiet"])
    0
    """
    _speak()
    try:
        _use(argv)
        top = parser()
        args = top.parse_args(argv)
    except (TorseurError, OSError) as e:
        print(f"torseur: {e}", file=sys.stderr)
        return 1
    except SystemExit as e:
        return int(e.code or 0)
    if args.command is None:
        top.print_help()
        return 2
    said: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always", ModelWarning)
        warnings.showwarning = lambda m, *_, **__: said.append(str(m))
        try:
            with guarded(inputs(args), getattr(args, "force", False)):
                for target in targets(args):
                    refuse(target)
                answer = COMMANDS[args.command].run(args)
        except ModelError as e:
            answer = Answer(_problems(args, e), {"problems": list(e.problems)}, 1)
        except TorseurError as e:
            answer = Answer(f"torseur: {e}", {"problems": [str(e)]}, 1)
        except OSError as e:
            text = f"{e.filename or 'file'}: {(e.strerror or str(e)).lower()}"
            answer = Answer(f"torseur: {text}", {"problems": [text]}, 1)
        except MemoryError:
            text = "not enough memory for this; ask for fewer rows or members, or a smaller model"
            answer = Answer(f"torseur: {text}", {"problems": [text]}, 1)
        except KeyboardInterrupt:
            answer = Answer("torseur: interrupted", {"problems": ["interrupted"]}, 130)
    return _say(args, answer, said)


def _problems(args, e: ModelError) -> str:
    file = getattr(args, "file", None) or getattr(args, "source", None)
    head = (
        f"{file if isinstance(file, str) else 'torseur'}: {len(e.problems)} problem"
        f"{'s' * (len(e.problems) > 1)}"
    )
    return "\n  - ".join([head, *e.problems])


def _say(args, answer: Answer, said: list[str]) -> int:
    try:
        if args.json:
            data = {"ok": answer.code == 0, **answer.data, "warnings": said}
            foreign = "utf" not in str(getattr(sys.stdout, "encoding", "utf-8")).lower()
            text = json.dumps(_plain(data), indent=2, allow_nan=False, ensure_ascii=foreign)
            _print(visible(text), sys.stdout)
        else:
            for text in [] if args.quiet else dict.fromkeys(said):
                _print(f"warning: {visible(text)}", sys.stderr)
            if answer.text and (answer.code or not args.quiet):
                _print(visible(answer.text), sys.stderr if answer.code else sys.stdout)
        return answer.code
    except OSError as e:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(e, BrokenPipeError):  # `torseur ... | head` is no error
            return answer.code
        with suppress(OSError):
            _print(f"torseur: cannot print: {(e.strerror or str(e)).lower()}", sys.stderr)
        return answer.code or 1


def _print(text: str, stream) -> None:
    """A text to a stream that may be closed, or know but a few letters."""
    if stream is None:
        return
    known = getattr(stream, "encoding", None) or "utf-8"
    print(text.encode(known, "backslashreplace").decode(known), file=stream, flush=True)


def _plain(x: Any) -> Any:
    """Data as JSON has it: a number that is none, or infinite, is null."""
    if isinstance(x, dict):
        return {k: _plain(v) for k, v in x.items()}
    if isinstance(x, list | tuple):
        return [_plain(v) for v in x]
    if hasattr(x, "tolist"):
        return _plain(x.tolist())
    if isinstance(x, float):
        return x if math.isfinite(x) else None
    return x if isinstance(x, str | int | None) else str(x)
