"""Cases kept as text: `=== title`, the paste, then `--- name` and what is expected under it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hypothesis import strategies as st

FIXTURES = Path(__file__).parent / "fixtures"


def cases(name: str) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield title, paste and the named parts of each case of a fixture file."""
    for block in (FIXTURES / name).read_text(encoding="utf-8").split("=== ")[1:]:
        title, rest = block.split("\n", 1)
        paste, *parts = f"\n{rest}".split("\n--- ")
        named = {}
        for part in parts:
            key, _, body = part.partition("\n")
            named[key] = body.removesuffix("\n")
        yield title, paste[1:], named


_fragments = st.sampled_from(
    [
        "python3 -m sglang.launch_server", "sglang serve", "docker run", "--model-path", "--tp=4",
        "--tp", "-e A=b", "'", '"', "\\\n", "\n", " ", "- --model m\n", "args: [", '"--tp", "4"',
        "]", "`", "$(", "${X}", "$", "|", ">", "2>&1", "<nic>", "#", "command: >\n", "한국어",
        "Engine(", "tp_size=2", ",", ")", "server_args=ServerArgs(", "server_args={'a': ", "\\",
        "\u00a0", "–tp", "\r\n", "\t",
    ]
)  # fmt: skip
# Pastes in which commands begin, break off and go wrong in every way.
pastes = st.lists(_fragments | st.text(max_size=12), max_size=30).map("".join)
