from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_html import PageHTML

from kb.serve.answer_html import answer_html, error_html, section_html
from kb.serve.section_links import SectionLinks
from kb.strings import text
from kb.types import (
    Answer,
    AnswerSection,
    CommandAdvice,
    CommandChange,
    FlagNote,
    FlagStatus,
    Language,
    MatchedLine,
    MessageMatch,
    NearestSection,
    Section,
    Source,
    VersionEvidence,
    VersionRange,
)

LANGUAGES = get_args(Language)
LINKS = SectionLinks([])
HOSTILE = '<script>window.__pwned=1</script><img src=x onerror="alert(1)">![p](https://e.example/p)'


def section(identifier: str = "oom", **changes: object) -> AnswerSection:
    fields: dict[str, object] = {
        "id": identifier,
        "title": f"Title of {identifier}",
        "language": "en",
        "markdown": f"## Title of {identifier} {{#{identifier}}}\n\nLower `--tp`.\n\n"
        "```bash\nkb ask\n```",
        "source": Source("en/memory.md", 3, 9),
        "score": 1.0,
    }
    return AnswerSection(**{**fields, **changes})


def found(**changes: object) -> Answer:
    fields: dict[str, object] = {
        "found": True,
        "language": "en",
        "confidence": 0.9,
        "sections": (section(),),
    }
    return Answer(**{**fields, **changes})


def page_of(answer: Answer, paste: str = "", question: str = "") -> PageHTML:
    page = PageHTML(answer_html(answer, LINKS, paste, question))
    page.assert_inert()
    return page


hostile_text = st.lists(
    st.one_of(st.sampled_from([HOSTILE, "`", "${x}", "{{x}}", "'", '"', "\r", "\0"]), st.text())
).map("".join)


@given(hostile_text, st.sampled_from(LANGUAGES))
def test_text_of_a_paste_is_inert_wherever_it_is_shown(pasted, language):
    sections = (section(matched_lines=(MatchedLine(3, pasted, "sig"),)),)
    full = Answer(
        found=True,
        language=language,
        confidence=0.9,
        sections=sections,
        nearest=(NearestSection(pasted, pasted),),
        version=VersionRange("0.5.9", None, None, (VersionEvidence(1, pasted, None, None, "x"),)),
        flags=(FlagNote(pasted, "unknown", None, pasted),),
        command=CommandAdvice(pasted, pasted + "x", (CommandChange(pasted, pasted, pasted),)),
        message=MessageMatch(pasted, pasted, pasted, pasted, (pasted,)),
        notes=(pasted,),
    )
    page_of(full)
    page_of(Answer(found=False, language=language, confidence=0.1), pasted, pasted)
    PageHTML(error_html(pasted, pasted, language)).assert_inert()


def test_a_matched_line_is_shown_with_its_number_and_as_text():
    answer = found(sections=(section(matched_lines=(MatchedLine(1044, HOSTILE, "sig"),)),))
    page = page_of(answer)
    assert HOSTILE in page.text
    assert "line 1044" in page.text


def test_a_section_is_shown_with_its_place_in_the_content():
    assert "en/memory.md:3–9" in page_of(found()).text


def test_the_best_section_is_open_and_further_ones_are_folded():
    page = page_of(found(sections=(section("a"), section("b"), section("c"))))
    assert [attributes for tag, attributes in page.elements if tag == "details"] == [
        {"class": "kb-card kb-other"}
    ] * 2
    assert page.text.count(text("chat.also", "en")) == 1


@pytest.mark.parametrize("kind", ["consequence", "harmless"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_section_that_is_no_cause_says_so(kind, language):
    answer = found(language=language, sections=(section(kind=kind),))
    assert text(f"chat.kind_{kind}", language) in page_of(answer).text


def test_an_uncertain_answer_says_so():
    assert text("chat.uncertain", "en") in page_of(found(confidence=0.6)).text
    assert text("chat.uncertain", "en") not in page_of(found(confidence=0.9)).text


@pytest.mark.parametrize("status", get_args(FlagStatus))
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_status_of_a_flag_has_its_word_beside_the_note(status, language):
    answer = found(language=language, flags=(FlagNote("--x", status, None, "`--x` is so."),))
    page = page_of(answer)
    assert text(f"chat.status_{status}", language) in page.text
    assert "--x is so." in page.text


def test_flags_that_are_accepted_are_folded_away_and_counted():
    flags = tuple(FlagNote(name, "accepted", None, f"`{name}` is.") for name in ("--a", "--b"))
    page = page_of(found(flags=flags))
    assert "details" in page.tags
    assert text("chat.accepted", "en", count=2) in page.text
    assert text("answer.flags", "en") not in page.text


@pytest.mark.parametrize(
    ("version", "words"),
    [
        (VersionRange("0.5.9", "0.5.9", "0.5.9"), "SGLang 0.5.9"),
        (VersionRange(None, "0.5.4", "0.5.9"), "SGLang 0.5.4 to 0.5.9"),
        (VersionRange(None, "0.5.4", None), "SGLang 0.5.4 or newer"),
        (VersionRange(None, None, "0.5.9"), "SGLang 0.5.9 or older"),
    ],
)
def test_a_version_is_said_as_far_as_it_is_known(version, words):
    assert words in page_of(found(version=version)).text


def test_the_line_that_says_the_version_is_shown_and_what_the_caller_gave_is_not():
    evidence = (
        VersionEvidence(7, "sglang 0.5.9", "0.5.9", "0.5.9", "stated"),
        VersionEvidence(0, "given by hand", "0.5.9", "0.5.9", "stated"),
    )
    shown = page_of(found(version=VersionRange("0.5.9", None, None, evidence))).text
    assert "line 7sglang 0.5.9" in shown
    assert "given by hand" not in shown


def test_a_version_that_the_log_contradicts_is_told():
    version = VersionRange(None, "0.5.9", None, (), "You said `0.4.1`; the log says otherwise.")
    assert "You said 0.4.1; the log says otherwise." in page_of(found(version=version)).text


def test_a_catalogued_message_is_shown_with_its_file_releases_and_flags():
    message = MessageMatch("Not enough memory …", "srt/a.py", "0.3.0", "0.5.23", ("--x",))
    shown = page_of(found(message=message, sections=())).text
    for part in ("Not enough memory …", "srt/a.py", "0.3.0", "0.5.23", "--x"):
        assert part in shown


def test_the_suggested_command_is_copied_exactly():
    command = CommandAdvice("a --b 1\n", "a --b 2\n", (CommandChange("--b", "1", "2"),))
    assert page_of(found(command=command)).copied == ["kb ask\n", "a --b 2\n"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_found_says_so_with_what_is_near_and_a_template(language):
    answer = Answer(
        found=False,
        language=language,
        confidence=0.1,
        nearest=(NearestSection("a/b#c d", "Near"),),
        notes=(text("answer.not_found", language), "A second note."),
    )
    page = page_of(answer, "the log", "the question")
    assert text("answer.not_found", language) in page.text
    assert text("answer.nearest", language) in page.text
    assert "A second note." in page.text
    assert page.hrefs == ["#a%2Fb%23c%20d"]
    assert len(page.copied) == 1
    assert "the log" in page.copied[0]


@pytest.mark.parametrize("answer", [found(), Answer(found=False, language="ko", confidence=0.0)])
def test_an_answer_names_its_language_for_screen_readers(answer):
    assert page_of(answer).elements[0][1]["lang"] == answer.language


def test_an_opened_section_says_where_it_stands():
    opened = Section(
        "oom-prefill",
        "In prefill",
        "en",
        "### In prefill {#oom-prefill}\n\nx",
        Source("en/memory.md", 1, 3),
        breadcrumbs=("Memory", "Out of memory"),
    )
    page = PageHTML(section_html(opened, LINKS))
    page.assert_inert()
    assert "Memory › Out of memory" in page.text
    assert page.elements[0][1]["data-section"] == "oom-prefill"
