from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kb.corpus.chunking import chunk_section
from kb.corpus.documents import parse_document

BLOCKS = st.sampled_from(
    [
        "A paragraph of some words that goes on for a while.",
        "```bash\npython -m sglang.launch_server \\\n  --tp 8\n\n# more\n```",
        "1. first item\n\n   ```bash\n   nested --flag\n   ```\n\n2. second item\n   goes on",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "> quoted\n> twice",
        "- one\n- two\n  - nested\n- three",
    ]
)


@given(st.lists(BLOCKS, min_size=1, max_size=8), st.integers(20, 400))
def test_chunks_are_the_section_cut_at_block_ends(blocks, max_chars):
    text = "## T {#t}\n\n" + "\n\n".join(blocks) + "\n"
    (section,) = parse_document(text, "a.md").sections
    chunks = chunk_section(section, 0, max_chars)
    assert "".join(chunk.text for chunk in chunks) == section.markdown
    for block in blocks:
        if block.startswith(("```", "|", ">")):
            assert any(block in chunk.text for chunk in chunks)


def test_a_list_item_is_never_cut_but_a_long_list_is_cut_between_items():
    items = [f"{n}. item {n} " + "word " * 20 for n in range(1, 9)]
    (section,) = parse_document("## T {#t}\n\n" + "\n".join(items) + "\n", "a.md").sections
    chunks = chunk_section(section, 0, 300)
    assert len(chunks) > 2
    for item in items:
        assert sum(item.strip() in chunk.text for chunk in chunks) == 1


def test_a_heading_stays_with_the_block_after_it():
    (section,) = parse_document("## T {#t}\n\n" + "x" * 500 + "\n\nmore\n", "a.md").sections
    first = chunk_section(section, 0, 100)[0]
    assert first.text.startswith("## T") and "x" * 500 in first.text


def test_chunks_say_where_they_stand():
    text = "intro\n\n## T {#t}\n\none\n\n" + "y" * 300 + "\n"
    section = parse_document(text, "a.md").sections[1]
    last = chunk_section(section, 0, 100)[-1]
    assert (last.source.start_line, last.source.end_line) == (7, 7)
