"""Completion scripts for shells, derived from the parser."""

from __future__ import annotations

import argparse

from ..base import COMMANDS, CommandResult, command
from ..main import create_parser

SHELLS = ("bash", "zsh", "fish")


def list_options() -> dict[str, list[str]]:
    """Options and choices of every command."""
    subs = next(a for a in create_parser()._actions if isinstance(a, argparse._SubParsersAction))
    out = {}
    for name, p in subs.choices.items():
        options = [o for a in p._actions for o in a.option_strings if o.startswith("--")]
        options += [c for a in p._actions if not a.option_strings and a.choices for c in a.choices]
        out[name] = options
    return out


@command(
    "completion",
    "print the completion script of a shell",
    [
        "completion bash > ~/.local/share/bash-completion/completions/torseur",
    ],
    lambda p: p.add_argument("shell", choices=SHELLS),
)
def completion(args) -> CommandResult:
    """The script of one shell."""
    text = {"bash": _bash_script, "zsh": _zsh_script, "fish": _fish_script}[args.shell]()
    return CommandResult(text, {"shell": args.shell, "script": text})


def _bash_script() -> str:
    cases = "\n".join(f'    {n}) words="{" ".join(w)}" ;;' for n, w in list_options().items())
    return f"""# bash completion of torseur
_torseur() {{
  local words=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{" ".join(COMMANDS)} --help --version" -- "${{COMP_WORDS[1]}}"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{cases}
  esac
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}")
             $(compgen -f -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o filenames -F _torseur torseur"""


def _zsh_script() -> str:
    commands = "\n".join(f"    '{n}:{c.help}'" for n, c in COMMANDS.items())
    cases = "\n".join(f"    {n}) compadd -- {' '.join(w)} ;;" for n, w in list_options().items())
    return f"""#compdef torseur
# zsh completion of torseur
_torseur() {{
  local -a commands=(
{commands}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  case "$words[2]" in
{cases}
  esac
  _files
}}
compdef _torseur torseur"""


def _fish_script() -> str:
    lines = ["# fish completion of torseur"]
    for name, c in COMMANDS.items():
        lines.append(f"complete -c torseur -n __fish_use_subcommand -f -a {name} -d '{c.help}'")
    for name, options in list_options().items():
        for w in options:
            flag = f"-l {w[2:]}" if w.startswith("--") else f"-a {w}"
            lines.append(f"complete -c torseur -n '__fish_seen_subcommand_from {name}' {flag}")
    return "\n".join(lines)
