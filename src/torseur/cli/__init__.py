"""The `torseur` command: describe a mechanism in a file, type one line, read the answer.

Exit codes: 0 done, 1 the model or the run has a problem, 2 the command line is wrong.
"""

from .base import command
from .main import main

__all__ = ["command", "main"]
