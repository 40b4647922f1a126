from __future__ import annotations

import pytest

from kb.serve.section_links import SectionLinks
from kb.types import Section, Source

SECTIONS = [
    Section(identifier, identifier, "en", "## x", Source(path, 1, 2))
    for identifier, path in (
        ("oom", "en/memory.md"),
        ("hang", "en/startup.md"),
        ("deep/page#first-steps", "en/deep/page.md"),
    )
]


@pytest.mark.parametrize(
    ("path", "href", "identifier"),
    [
        ("en/memory.md", "#oom", "oom"),
        ("en/memory.md", "startup.md#hang", "hang"),
        ("en/memory.md", "startup.md", "hang"),
        ("en/memory.md", "deep/page.md#first-steps", "deep/page#first-steps"),
        ("en/deep/page.md", "#first-steps", "deep/page#first-steps"),
        ("en/deep/page.md", "../memory.md", "oom"),
        ("en/memory.md", "#nowhere", None),
        ("en/memory.md", "startup.md#nowhere", None),
        ("en/memory.md", "", None),
        ("en/memory.md", "../../../etc/passwd", None),
    ],
)
def test_a_relative_link_means_a_section(path, href, identifier):
    assert SectionLinks(SECTIONS).resolver(path)(href) == identifier


def test_an_explicit_id_is_found_whatever_file_the_link_names():
    assert SectionLinks(SECTIONS).resolver("en/memory.md")("moved.md#hang") == "hang"
