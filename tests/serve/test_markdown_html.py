from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from page_html import PageHTML

from kb.corpus.documents import read_corpus
from kb.serve.markdown_html import markdown_to_html
from kb.serve.section_links import SectionLinks
from kb.settings import Settings

HOSTILE = (
    "<script>window.__pwned = 1</script>",
    "<img src=x onerror=alert(1)>",
    "![pixel](https://evil.example/p.png)",
    "[x](javascript:alert(1))",
    "[x](data:text/html,<script>)",
    "[x](//evil.example)",
    "<https://ok.example>",
    "[x](https://ok.example 'a\" onclick=\"b')",
    "<div>\n",
    "<!-- -->",
    "&lt;b&gt;",
    "```log\na\tb\n",
    "~~~ bash <img>\nx\n~~~\n",
    "    indented\n",
    "- ",
    "1. ",
    "> ",
    "# a {#b .c}\n",
    "|a|\n|-|\n|`b`|\n",
    "\n",
    "\r\n",
    "`c`",
    "**",
    "\\",
    "가",
    "\0",
    "\ud800",
    "text ",
)
markdown = st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=8)), max_size=20).map(
    "".join
)


def resolve(href: str) -> str | None:
    return {"#known": "known", "memory.md#oom": "oom"}.get(href)


@given(markdown)
def test_no_markdown_makes_anything_but_harmless_html(source):
    PageHTML(markdown_to_html(source, "en", resolve)).assert_inert()


@given(markdown)
def test_every_code_block_is_copied_as_the_parser_reads_it(source):
    tokens = MarkdownIt("commonmark").enable("table").parse(source)
    blocks = [t.content for t in tokens if t.type in ("fence", "code_block")]
    expected = [block.replace("\ud800", "\ufffd") for block in blocks]
    assert PageHTML(markdown_to_html(source, "en", resolve)).copied == expected


CORPUS = read_corpus(Settings().content, strict=False)


@pytest.mark.parametrize("document", CORPUS.documents, ids=lambda document: document.path)
def test_every_fence_of_the_content_is_copied_byte_for_byte(document):
    links = SectionLinks(CORPUS.sections)
    shown = []
    for section in document.sections:
        html = markdown_to_html(
            section.markdown, section.language, links.resolver(section.source.path)
        )
        page = PageHTML(html)
        page.assert_inert()
        shown += page.copied
    assert shown == [fence.text for fence in document.fences]


def test_a_carriage_return_in_a_block_survives_the_way_to_the_page():
    from kb.serve.markdown_html import code_block

    assert PageHTML(code_block("a\r\nb\r", "en")).copied == ["a\r\nb\r"]


def test_a_block_that_begins_with_an_empty_line_keeps_it():
    assert PageHTML(markdown_to_html("```\n\n\nx\n```", "en")).copied == ["\n\nx\n"]


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("## Hangs {#hang .consequence}", "Hangs"),
        ("### `--tp` 값 {#tp}", "--tp 값"),
        ("## A set {1, 2}", "A set {1, 2}"),
        ("## Ends in code `{#no}`", "Ends in code {#no}"),
        ("Setext {#s}\n===", "Setext"),
    ],
)
def test_a_heading_is_shown_without_its_attributes(source, title):
    page = PageHTML(markdown_to_html(source, "en"))
    assert page.elements[0][0] == "h2"
    assert page.text.strip() == title


def test_a_link_to_a_known_section_leads_into_the_page():
    page = PageHTML(markdown_to_html("[a](#known) [b](memory.md#oom)", "en", resolve))
    assert page.hrefs == ["#known", "#oom"]


def test_a_link_to_nothing_known_leaves_its_words():
    page = PageHTML(markdown_to_html("see [the **file**](other.md) now", "en", resolve))
    assert page.hrefs == []
    assert page.text.strip() == "see the file now"


@pytest.mark.parametrize(
    "target", ["javascript:alert(1)", "//evil.example/x", "mailto:a@b.c", "file:///etc/passwd"]
)
def test_only_web_addresses_become_links_outside(target):
    assert PageHTML(markdown_to_html(f"[x]({target})", "en", resolve)).hrefs == []


def test_an_image_becomes_a_link_with_its_words():
    page = PageHTML(markdown_to_html("![a graph](https://ok.example/g.png)", "en"))
    assert page.hrefs == ["https://ok.example/g.png"]
    assert page.text.strip() == "a graph"


def test_raw_html_is_shown_as_it_is_written():
    page = PageHTML(markdown_to_html("a <b>c</b> <script>d</script>", "en"))
    assert page.text.strip() == "a <b>c</b> <script>d</script>"


def test_the_button_of_a_block_speaks_the_language_of_the_section():
    assert "복사" in markdown_to_html("```\nx\n```", "ko")
