"""Start the web chat on http://127.0.0.1:7860; `kb serve` is the same with options."""

from __future__ import annotations

import sys

from kb.cli import main

if __name__ == "__main__":
    sys.exit(main(["serve", *sys.argv[1:]]))
