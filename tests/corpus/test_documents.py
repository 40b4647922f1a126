from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb import CorpusError
from kb.corpus.documents import parse_document, read_corpus
from kb.corpus.markdown import split_lines


def test_explicit_ids_and_classes_are_read_and_left_out_of_the_title():
    document = parse_document("## It dies `-9` {#died .consequence}\n\ntext\n", "en/a.md")
    (section,) = document.sections
    assert (section.id, section.title, section.kind) == ("died", "It dies -9", "consequence")


def test_a_heading_without_an_id_gets_its_page_and_slug_the_same_in_both_languages():
    korean = parse_document("## 서버가 멈춰요\n\n본문\n\n## 서버가 멈춰요\n\n본문\n", "ko/run/a.md")
    english = parse_document("## Same\n\ntext\n", "en/run/a.md")
    assert [s.id for s in korean.sections] == ["run/a#서버가-멈춰요", "run/a#서버가-멈춰요-1"]
    assert english.sections[0].id == "run/a#same"


def test_a_child_knows_its_parent_and_titles_above():
    text = "# Page\n\n## Parent {#p}\n\ntext\n\n### Child {#c}\n\ntext\n"
    child = parse_document(text, "a.md").sections[1]
    assert (child.id, child.parent, child.breadcrumbs) == ("c", "p", ("Page", "Parent"))


def test_a_heading_inside_a_fence_or_a_quote_starts_no_section():
    text = "## One {#one}\n\n```bash\n# not a heading\n```\n\n> ## nor this\n"
    assert [s.id for s in parse_document(text, "a.md").sections] == ["one"]


def test_signatures_are_the_lines_of_log_fences_only():
    text = "## A {#a}\n\n```log\none … two\n\nthree\n```\n\n```bash\nfour\n```\n"
    assert parse_document(text, "a.md").sections[0].signatures == ("one … two", "three")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_section_is_the_byte_identical_slice_whatever_the_line_ends(end, folder_of):
    text = end.join(["## A {#a}", "", "한글 text", "", "## B {#b}", "", "`--x 1`"])
    folder = folder_of({"한글 이름.md": text})
    raw = (folder / "한글 이름.md").read_bytes().decode()
    for section in read_corpus(folder).sections:
        lines = split_lines(raw)[section.source.start_line - 1 : section.source.end_line]
        assert section.markdown == "".join(lines).rstrip("\r\n")


def test_a_byte_order_mark_is_no_part_of_the_first_heading(folder_of):
    folder = folder_of({"a.md": b"\xef\xbb\xbf## A {#a}\n\ntext\n"})
    assert read_corpus(folder).sections[0].markdown == "## A {#a}\n\ntext"


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        ("ko/a.md", "## English words {#a}\n\ntext\n", "ko"),
        ("a.en.md", "## 한글 {#a}\n\n본문\n", "en"),
        ("a.md", "---\nlang: ko\n---\n## Words {#a}\n\ntext\n", "ko"),
        ("a.md", "## 서버가 멈춰요 {#a}\n\n`--mem-fraction-static`을 낮춰 보세요.\n", "ko"),
        ("a.md", "## It hangs {#a}\n\ntext\n", "en"),
    ],
)
def test_the_language_comes_from_folder_name_front_matter_or_letters(path, text, language):
    assert parse_document(text, path).sections[0].language == language


@pytest.mark.parametrize(
    ("name", "content", "line", "said"),
    [
        ("a.md", "## A {#a}\n\n```bash\nnever closed\n", 3, "never closed"),
        ("a.md", b"## A {#a}\n\n\xff\xfe broken\n", 3, "not UTF-8"),
        ("a.md", b"## A\n\0\n", 2, "NUL"),
        ("a.md", "---\ntitle: x\nbad: [\n---\n\n## A {#a}\n\ntext\n", 3, "front matter"),
        ("a.md", "## A {#a}\n\nx\n\n## B {#a}\n\ny\n", 5, "already used at a.md:1"),
    ],
)
def test_a_bad_file_is_named_with_its_line(name, content, line, said, folder_of):
    with pytest.raises(CorpusError, match=rf"{name}:{line}: .*{said}"):
        read_corpus(folder_of({name: content}))


def test_a_folder_without_markdown_and_a_missing_folder_are_errors(folder_of, tmp_path):
    with pytest.raises(CorpusError, match="holds no section"):
        read_corpus(folder_of({"a.txt": "x"}))
    with pytest.raises(CorpusError, match="is not a folder"):
        read_corpus(tmp_path / "none")


def test_a_page_marked_search_false_is_read_but_not_searched(folder_of):
    page = "---\nsearch: false\n---\n\n# Contents\n\n## List {#list}\n\ntext\n"
    corpus = read_corpus(folder_of({"a.md": "## A {#a}\n\ntext\n", "contents.md": page}))
    assert [document.path for document in corpus.documents] == ["a.md", "contents.md"]
    assert [section.id for section in corpus.documents[1].sections] == ["list"]
    assert [section.id for section in corpus.sections] == ["a"]


def test_an_id_of_a_page_that_is_not_searched_is_taken_all_the_same(folder_of):
    page = "---\nsearch: false\n---\n\n## List {#a}\n\ntext\n"
    folder = folder_of({"a.md": "## A {#a}\n\ntext\n", "contents.md": page})
    with pytest.raises(CorpusError, match=r"contents\.md:5: id `a` is already used at a\.md:1"):
        read_corpus(folder)


def test_a_link_that_leads_out_of_the_folder_is_not_followed(folder_of, tmp_path):
    (tmp_path / "secret.md").write_text("## Secret {#secret}\n\ntext\n")
    folder = folder_of({"a.md": "## A {#a}\n\ntext\n"})
    (folder / "b.md").symlink_to(tmp_path / "secret.md")
    assert [s.id for s in read_corpus(folder).sections] == ["a"]


@given(st.text())
def test_parsing_never_raises_and_every_section_is_a_slice(text):
    document = parse_document(text, "a.md")
    for section in document.sections:
        start, end = section.source.start_line, section.source.end_line
        lines = document.lines[start - 1 : end]
        assert section.markdown == "".join(lines).rstrip("\r\n")
