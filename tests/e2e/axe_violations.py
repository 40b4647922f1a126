"""A page in a real browser in, what axe-core finds wrong with it out."""

from __future__ import annotations

from typing import Any

import pytest


def violations(page: Any, within: str = "html") -> list[str]:
    """Return the serious and critical ones: rule, element and what is wrong with it."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is missing")
    response = axe.Axe().run(page, within, {"resultTypes": ["violations"]}).response
    return [
        f"{found['id']}: {node['target']} {node['failureSummary']}"
        for found in response["violations"]
        if found["impact"] in ("serious", "critical")
        for node in found["nodes"]
    ]
