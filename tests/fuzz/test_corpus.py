"""Inputs that fuzzing found worth keeping: nothing raises, and what is shown is the input's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.targets import TARGETS

CORPUS = Path(__file__).parent / "corpus"


@pytest.mark.parametrize("name", TARGETS)
def test_every_kept_input_keeps_the_promises(name: str) -> None:
    inputs = sorted((CORPUS / name).iterdir())
    assert len(inputs) >= 10
    for path in inputs:
        TARGETS[name](path.read_bytes())
