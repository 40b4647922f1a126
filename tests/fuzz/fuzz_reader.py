"""Coverage-guided fuzzing of what reads a paste.

Run it by `python tests/fuzz/fuzz_reader.py -max_total_time=120 CORPUS_FOLDER`.

Not part of the test run; needs `python -m pip install atheris`. Good seeds are
the pastes of the golden cases.
"""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["kb"]):
    from kb.query.paste import read_query
    from kb.retrieval.signatures import SignatureMatcher, compile_signature
    from kb.retrieval.tokenization import tokenize

LINES = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate … GiB",
    "Watchdog timeout (self.watchdog_timeout=…)",
    '…model_runner.py", line …, in forward_extend',
)
MATCHER = SignatureMatcher(
    signature
    for number, line in enumerate(LINES)
    if (signature := compile_signature(str(number), line)) is not None
)


def read(data: bytes) -> None:
    """Read any bytes as a paste: nothing may raise, line numbers stay inside the paste."""
    text = data.decode("utf-8", "replace")
    query = read_query(text, text[:80])
    assert all(1 <= line.number <= query.paste.n_lines for line in query.paste.lines)
    assert all(1 <= hit.line <= query.paste.n_lines for hit in MATCHER.match(text))
    tokenize(text)


if __name__ == "__main__":
    atheris.Setup(sys.argv, read)
    atheris.Fuzz()
