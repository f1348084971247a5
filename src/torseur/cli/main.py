"""Entry point of the command line: parser, messages, JSON and exit codes."""

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
from .base import COMMANDS, OUTPUT_ARGUMENTS, CommandResult, input_files, output_files

FIRST_COMMANDS = ("new", "check", "equations", "simulate")  # what a new user types


def create_parser() -> argparse.ArgumentParser:
    """Create the parser of the command line."""
    top = argparse.ArgumentParser(
        prog="torseur",
        description="Multibody dynamics: from a model file to equations, numbers and motion.",
        epilog=_format_examples([COMMANDS[c].examples[0] for c in FIRST_COMMANDS]),
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
        COMMANDS,
        key=lambda n: (
            n not in FIRST_COMMANDS,
            FIRST_COMMANDS.index(n) if n in FIRST_COMMANDS else n,
        ),
    ):
        c = COMMANDS[name]
        p = subs.add_parser(
            name,
            help=c.help,
            description=c.help[0].upper() + c.help[1:] + ".",
            epilog=_format_examples(c.examples),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        p.add_argument("--json", action="store_true", help="answer in JSON, for machines")
        p.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors")
        c.options(p)
        if any(a.dest in OUTPUT_ARGUMENTS for a in p._actions):
            p.add_argument("--force", action="store_true", help="replace files that exist")
    return top


def _format_examples(lines) -> str:
    return "examples:\n" + "\n".join(f"  torseur {line}" for line in lines)


def _load_user_files(argv) -> None:
    """Run the files of `--use` before the parser is created, because they can declare commands."""
    early = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    early.add_argument("--use", action="append", default=[])
    for path in early.parse_known_args(argv)[0].use:
        use(path)


def _escape_unprintable() -> None:
    """Escape characters that the console cannot print."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def main(argv=None) -> int:
    """Run the command line and return the exit code.

    >>> main(["schema", "--quiet"])
    0
    """
    _escape_unprintable()
    try:
        _load_user_files(argv)
        top = create_parser()
        args = top.parse_args(argv)
    except (TorseurError, OSError) as e:
        print(f"torseur: {e}", file=sys.stderr)
        return 1
    except SystemExit as e:
        return int(e.code or 0)
    if args.command is None:
        top.print_help()
        return 2
    messages: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always", ModelWarning)
        warnings.showwarning = lambda m, *_, **__: messages.append(str(m))
        try:
            with guarded(input_files(args), getattr(args, "force", False)):
                for target in output_files(args):
                    refuse(target)
                result = COMMANDS[args.command].run(args)
        except ModelError as e:
            result = CommandResult(_format_problems(args, e), {"problems": list(e.problems)}, 1)
        except TorseurError as e:
            result = CommandResult(f"torseur: {e}", {"problems": [str(e)]}, 1)
        except OSError as e:
            text = f"{e.filename or 'file'}: {(e.strerror or str(e)).lower()}"
            result = CommandResult(f"torseur: {text}", {"problems": [text]}, 1)
        except MemoryError:
            text = "not enough memory for this; ask for fewer rows or members, or a smaller model"
            result = CommandResult(f"torseur: {text}", {"problems": [text]}, 1)
        except KeyboardInterrupt:
            result = CommandResult("torseur: interrupted", {"problems": ["interrupted"]}, 130)
    return _print_result(args, result, messages)


def _format_problems(args, e: ModelError) -> str:
    """Format the problems of a model as a list."""
    file = getattr(args, "file", None) or getattr(args, "source", None)
    head = (
        f"{file if isinstance(file, str) else 'torseur'}: {len(e.problems)} problem"
        f"{'s' * (len(e.problems) > 1)}"
    )
    return "\n  - ".join([head, *e.problems])


def _print_result(args, result: CommandResult, messages: list[str]) -> int:
    """Print the text or the JSON data of a result, and return the exit code."""
    try:
        if args.json:
            data = {"ok": result.code == 0, **result.data, "warnings": messages}
            foreign = "utf" not in str(getattr(sys.stdout, "encoding", "utf-8")).lower()
            text = json.dumps(_to_json_data(data), indent=2, allow_nan=False, ensure_ascii=foreign)
            _print_encoded(visible(text), sys.stdout)
        else:
            for text in [] if args.quiet else dict.fromkeys(messages):
                _print_encoded(f"warning: {visible(text)}", sys.stderr)
            if result.text and (result.code or not args.quiet):
                _print_encoded(visible(result.text), sys.stderr if result.code else sys.stdout)
        return result.code
    except OSError as e:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(e, BrokenPipeError):  # `torseur ... | head` is no error
            return result.code
        with suppress(OSError):
            _print_encoded(f"torseur: cannot print: {(e.strerror or str(e)).lower()}", sys.stderr)
        return result.code or 1


def _print_encoded(text: str, stream) -> None:
    """Print a text to a stream with a limited encoding, or to none."""
    if stream is None:
        return
    encoding = getattr(stream, "encoding", None) or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), file=stream, flush=True)


def _to_json_data(x: Any) -> Any:
    """Convert data to JSON types. NaN and infinity become null."""
    if isinstance(x, dict):
        return {k: _to_json_data(v) for k, v in x.items()}
    if isinstance(x, list | tuple):
        return [_to_json_data(v) for v in x]
    if hasattr(x, "tolist"):
        return _to_json_data(x.tolist())
    if isinstance(x, float):
        return x if math.isfinite(x) else None
    return x if isinstance(x, str | int | None) else str(x)
