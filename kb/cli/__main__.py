"""`python -m kb.cli`."""

from __future__ import annotations

import sys

from kb.cli import main

if __name__ == "__main__":
    sys.exit(main())
