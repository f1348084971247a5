"""`python -m torseur` is the command `torseur`."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
