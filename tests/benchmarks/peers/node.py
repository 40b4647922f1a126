"""A Node.js process that answers one JSON line for each JSON line: what browsers would run."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["NodeProcess"]


class NodeProcess:
    """`node SCRIPT ARGUMENT…`, asked over its pipes."""

    def __init__(self, script: Path, *arguments: str) -> None:
        self._process = subprocess.Popen(
            ["node", str(script), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self.ready = self._read()

    def ask(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Send one request, return its answer: `ids`, `seconds`, `peak_mb`."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return self._read()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"node ended with code {self._process.wait()}")
        return json.loads(line)
