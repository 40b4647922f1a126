from __future__ import annotations

import re
from itertools import pairwise

import pytest

from kb.catalog import Catalog, check_flag
from kb.cli import main
from kb.corpus.documents import parse_document, read_corpus
from kb.pages.changes import changes_page
from kb.pages.commands import made_pages
from kb.pages.contents import contents_page
from kb.settings import content_folder

LANGUAGES = ("en", "ko")


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog.load()


def test_the_pages_of_the_content_are_current(catalog):
    stale = [
        str(path)
        for path, made in made_pages(content_folder(), catalog).items()
        if not path.is_file() or path.read_text(encoding="utf-8") != made
    ]
    assert stale == [], "run `kb pages`"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_contents_link_every_section_once(language):
    corpus = read_corpus(content_folder())
    targets = re.findall(r"\]\(([^)]*)\)", contents_page(corpus, language, "- end"))
    expected = [
        f"{section.source.path.rpartition('/')[2]}#{section.id}"
        for section in corpus.sections
        if section.language == language
    ]
    assert sorted(targets) == sorted(expected)


def test_a_title_keeps_its_code_and_its_brackets_do_not_end_the_link(folder_of):
    text = "# Area\n\n## [kernel] `x[0]` fails {#k}\n\ntext\n\n### Child {#c}\n\ntext\n"
    page = contents_page(read_corpus(folder_of({"en/area.md": text})), "en", "- end")
    assert "- [\\[kernel\\] `x[0]` fails](area.md#k)\n    - [Child](area.md#c)\n" in page


def test_made_pages_are_not_searched(catalog):
    for path, made in made_pages(content_folder(), catalog).items():
        assert not parse_document(made, f"en/{path.name}").searchable


def test_what_ended_stands_under_the_release_without_it(catalog):
    page = changes_page(catalog, "en")
    parts = dict(re.findall(r"^## SGLang (\S+) .*\n\n((?:- .*\n)+)", page, re.MULTILINE))
    assert "`--torchao-config` (0.3.1–0.5.17): removed, nothing takes its place." in parts["0.5.18"]
    assert (
        "`--cuda-graph-max-bs` (0.3.5–0.5.19): ambiguous, several flags begin with it."
        " Instead: `--cuda-graph-max-bs-decode` (0.5.14+)." in parts["0.5.20"]
    )
    assert "`--disable-cuda-graph` (0.3.0+): deprecated, still works." in parts["0.5.14"]


def test_no_flag_vanishes_without_a_word(catalog):
    page = changes_page(catalog, "en")
    silent = [
        (name, release)
        for before, release in pairwise(catalog.releases)
        for name in catalog.accepted_spellings(before) - catalog.accepted_spellings(release)
        if catalog.flags[name].name == name
        and f"`{name}`" not in page
        and any(not run.form.refused for run in catalog.flags[name].runs)
        and check_flag(catalog, name, release).status not in ("accepted", "deprecated")
    ]
    assert silent == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_languages_list_the_same_names_in_the_same_order(language, catalog):
    spans = re.findall(r"`[^`]+` \([^)]*\)", changes_page(catalog, language))
    assert spans == re.findall(r"`[^`]+` \([^)]*\)", changes_page(catalog, "en"))


def test_the_newest_release_stands_first(catalog):
    releases = re.findall(r"^## SGLang (\S+) ", changes_page(catalog, "en"), re.MULTILINE)
    positions = [catalog.position(release) for release in releases]
    assert positions == sorted(positions, reverse=True)


def test_check_says_which_pages_are_not_current_and_write_makes_them_so(folder_of, capsys):
    area = "# Area\n\n## A {#a}\n\ntext\n"
    folder = folder_of({"en/area.md": area, "ko/area.md": area})
    assert main(["pages", "--content", str(folder), "--check"]) == 1
    assert len(capsys.readouterr().out.splitlines()) == 4
    assert not (folder / "en" / "contents.md").exists()
    assert main(["pages", "--content", str(folder)]) == 0
    capsys.readouterr()
    assert main(["pages", "--content", str(folder), "--check"]) == 0
    assert capsys.readouterr().out == ""
