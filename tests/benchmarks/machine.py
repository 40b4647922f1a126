"""What a benchmark ran on, and how large what it installs is."""

from __future__ import annotations

import os
import platform
import re
from importlib.metadata import Distribution, PackageNotFoundError, distribution, version
from pathlib import Path

from packaging.requirements import Requirement

__all__ = ["installed_mb", "machine_line", "versions_line"]

ROOT = Path(__file__).resolve().parents[2]
OURS = "sglang-troubleshooting-kb"


def machine_line() -> str:
    """Return processor, cores, memory and Python in one line."""
    try:
        described = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        memory = Path("/proc/meminfo").read_text(encoding="utf-8")
    except OSError:
        described = memory = ""
    model = re.search(r"^model name\s*:\s*(.+)$", described, re.MULTILINE)
    total = re.search(r"^MemTotal:\s*(\d+)", memory)
    gigabytes = f", {int(total[1]) / 1e6:.0f} GB" if total else ""
    name = model[1] if model else platform.processor() or platform.machine()
    return (
        f"{name}, {os.cpu_count()} cores{gigabytes}; {platform.system()} {platform.release()};"
        f" Python {platform.python_version()}"
    )


def versions_line(names: list[str]) -> str:
    """Return `name version` of each package that is installed."""
    return ", ".join(f"{name} {version(name)}" for name in names)


def installed_mb(packages: tuple[str, ...], without: frozenset[str] = frozenset()) -> float:
    """Return the size in MB of packages and all that they require, extras left out."""
    seen: set[str] = set()
    waiting = list(packages)
    total = 0
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop().lower())
        if name in seen or name in without:
            continue
        seen.add(name)
        try:
            found = distribution(name)
        except PackageNotFoundError:
            continue
        total += _size_of(found) if name != OURS else _size_of_checkout()
        for text in found.requires or []:
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                waiting.append(requirement.name)
    return total / 1e6


def _size_of(found: Distribution) -> int:
    paths = (Path(str(file.locate())) for file in found.files or [])
    return sum(path.stat().st_size for path in paths if path.is_file())


def _size_of_checkout() -> int:
    files = [*(ROOT / "kb").rglob("*"), *(ROOT / "content").rglob("*")]
    return sum(f.stat().st_size for f in files if f.is_file() and "__pycache__" not in f.parts)
