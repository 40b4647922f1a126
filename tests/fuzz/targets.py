"""What is fuzzed: functions of raw bytes that raise where a promise is broken.

The corpus in `corpus/NAME/` is replayed through each by the tests; `run.py` searches for more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from kb.answer.check_command import examine
from kb.answer.launch_command import (
    advise,
    command_from_server_args,
    find_command,
    fix_flags,
    parse_command,
)
from kb.catalog import Catalog, MessageMatcher
from kb.catalog.versions import assumed_release, find_version
from kb.corpus.chunking import chunk_section
from kb.corpus.documents import parse_document
from kb.feedback.masking import signature_lines
from kb.query.paste import read_query
from kb.retrieval.signatures import SignatureMatcher, compile_signature
from kb.retrieval.tokenization import tokenize

__all__ = ["TARGETS"]

SIGNATURES = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate … GiB",
    "Watchdog timeout (self.watchdog_timeout=…)",
    '…model_runner.py", line …, in forward_extend',
    "Exception: Capture cuda graph failed: …",
)
SECTION = """## It runs out of memory {#x}

1. `--chunked-prefill-size 4096`, then `--chunked-prefill-size 2048`: slower prompts.
2. `--mem-fraction-static 0.8`: fewer tokens in the pool.
3. Remove `--enable-mixed-chunk`.
"""


@lru_cache(maxsize=1)
def _matcher() -> SignatureMatcher:
    compiled = (compile_signature(str(n), line) for n, line in enumerate(SIGNATURES))
    return SignatureMatcher(signature for signature in compiled if signature is not None)


@lru_cache(maxsize=1)
def _catalog() -> tuple[Catalog, MessageMatcher]:
    catalog = Catalog.load()
    return catalog, MessageMatcher(catalog)


def read_paste(raw: bytes) -> None:
    """Read any bytes as a paste: nothing raises, and line numbers stay inside the paste."""
    text = raw.decode("utf-8", "replace")
    query = read_query(text, text[:80], hide_addresses=True)
    n_lines = text.count("\n") + 1
    assert query.paste.n_lines == n_lines
    assert all(1 <= line.number <= n_lines for line in query.paste.lines)
    assert all(1 <= hit.line <= n_lines for hit in _matcher().match(query.paste.text))
    assert len(query.error_text) <= 1_600
    tokenize(query.paste.text)
    signature_lines(query.paste.text)


def read_command(raw: bytes) -> None:
    """Find a launch command in any bytes and judge it: what is shown of it is the paste's own."""
    text = raw.decode("utf-8", "replace")
    catalog, matcher = _catalog()
    for line in text.split("\n")[:20]:
        matcher.match(line)
    version = assumed_release(find_version(text.split("\n"), catalog), catalog)
    for command in (find_command(text), parse_command(text)):
        if command is None:
            continue
        assert command.text in text
        examine(command, catalog, version, "ko")
        fix_flags(command, catalog, version)
        advise(command, SECTION, catalog, version, "en", text)
    rebuilt = command_from_server_args(text, catalog, version)
    if rebuilt is not None:
        fix_flags(rebuilt, catalog, version)


def read_markdown(raw: bytes) -> None:
    """Read any bytes as a document: sections and chunks are slices, and no line of one is lost."""
    text = raw.decode("utf-8", "replace")
    document = parse_document(text, "en/page.md")
    whole = "".join(document.lines)
    for number, section in enumerate(document.sections):
        assert section.markdown in whole
        chunks = chunk_section(section, number)
        assert "".join(chunk.text for chunk in chunks).rstrip("\r\n") == section.markdown
        for line in section.signatures:
            compile_signature(section.id, line)


TARGETS: Mapping[str, Callable[[bytes], None]] = {
    "paste": read_paste,
    "command": read_command,
    "markdown": read_markdown,
}
