from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kb.query.paste import read_paste, read_query
from kb.query.search_texts import MAX_CONTEXT_CHARS, MAX_ERROR_CHARS

TRACEBACK = """[2025-05-19 23:22:28 TP3] Scheduler hit an exception: \
Traceback (most recent call last):
  File "/sglang/srt/managers/scheduler.py", line 2026, in run_scheduler_process
    scheduler.event_loop_overlap()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 138.00 MiB.

[2025-05-19 23:22:29] Received sigquit from a child process. It usually means the child failed."""


def test_line_numbers_count_every_line_of_the_paste():
    paste = read_paste("\n\n" + TRACEBACK)
    (exception,) = paste.of_role("exception")
    assert (exception.number, paste.n_lines) == (6, 8)


def test_the_same_line_from_every_rank_is_read_once():
    lines = [f"[2025-05-19 23:22:2{n} TP{n}] Scheduler hit an exception" for n in range(8)]
    assert [line.number for line in read_paste("\n".join(lines)).lines] == [1]


def test_the_error_text_begins_with_the_exception_and_leaves_frames_out():
    text = read_query(TRACEBACK).error_text
    assert text.startswith("torch.OutOfMemoryError")
    assert "scheduler.py" not in text


def test_words_are_the_question_and_what_a_person_wrote_into_the_paste():
    query = read_query("서버가 죽었어요. 왜 그런가요?\n" + TRACEBACK, "메모리 문제인가요?")
    assert query.words == "메모리 문제인가요?\n서버가 죽었어요. 왜 그런가요?"
    assert query.language == "ko"


def test_a_plain_question_is_all_words():
    query = read_query("my server hangs after loading the weights, what should I check first")
    assert query.words.startswith("my server hangs")
    assert not query.paste.is_log


def test_a_few_plain_words_are_words_too():
    assert read_query("the server hangs").words == "the server hangs"


def test_texts_for_the_legs_are_bounded_however_long_the_paste():
    query = read_query(
        "\n".join(f"ValueError: number {'x' * (n % 97)} failed" for n in range(5000))
    )
    assert len(query.error_text) <= MAX_ERROR_CHARS
    assert len(query.context_text) <= MAX_CONTEXT_CHARS


def test_who_speaks_is_told_by_marks_not_by_the_error():
    oom = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."
    assert read_query(oom, "vLLM dies with this").programs.other == "vLLM"
    assert read_query(oom, "SGLang dies, vLLM does not").programs.other is None
    assert read_query(TRACEBACK).programs.is_sglang


STARTED = """[2026-01-01 10:00:00 TP0] Load weight begin. avail mem=78.1 GB
[2026-01-01 10:00:09 TP0] Memory pool end. avail mem=9.2 GB
[2026-01-01 10:00:20] The server is fired up and ready to roll!"""
BATCHES = "\n".join(
    f"[2026-01-01 10:01:{n:02d} TP{n % 8}] Decode batch, #running-req: {n}" for n in range(60)
)


def test_stages_of_a_start_that_ended_are_no_context():
    context = read_query(f"{STARTED}\n[2026-01-01 10:02:00] Detokenizer is odd\n").context_text
    assert context == "Detokenizer is odd"


def test_batches_printed_all_the_time_are_no_context_but_a_few_before_an_error_are():
    assert "Decode batch" not in read_query(f"{BATCHES}\n{TRACEBACK}").context_text
    few = BATCHES.split("\n")[0]
    assert "Decode batch" in read_query(f"{few}\n{TRACEBACK}").context_text


def test_a_second_start_that_does_not_end_is_the_last_step_whatever_a_running_server_prints():
    again = "[2026-01-01 11:00:00 TP0] Memory pool end. avail mem=0.3 GB"
    for text in (f"{STARTED}\n{BATCHES}\n{again}", f"{STARTED}\n{again}\n{BATCHES}"):
        step = read_paste(text).last_step
        assert step is not None and step.text.startswith("Memory pool end.")
    assert read_paste(f"{STARTED}\n{BATCHES}").last_step is None


def test_words_between_the_lines_of_a_running_server_are_still_read():
    assert read_query(f"{BATCHES}\nInstalled 151 packages in 611ms").words.startswith("Installed")


@given(st.text(), st.none() | st.text())
def test_reading_never_raises_and_keeps_the_text(text, question):
    query = read_query(text, question)
    assert query.paste.text == text
    assert all(1 <= line.number <= query.paste.n_lines for line in query.paste.lines)


def test_what_stands_in_front_of_every_line_is_no_part_of_it():
    for prefix in ("> ", "node7: ", "srv-1| "):
        paste = read_paste("\n".join(prefix + line for line in TRACEBACK.split("\n")))
        (exception,) = paste.of_role("exception")
        assert exception.text.startswith("torch.OutOfMemoryError")


def test_an_exceptions_name_is_no_prefix_however_often_it_comes():
    lines = [f"RuntimeError: rank {word} failed" for word in ("one", "two", "three", "four")]
    assert len(read_paste("\n".join(lines)).of_role("exception")) == 4


def test_a_remark_between_brackets_is_a_persons_beside_a_failing_log_too():
    remark = "(it dies every night at three, only on this node)"
    query = read_query(f"{TRACEBACK}\n{remark}")
    assert query.words == remark


def test_what_nccl_prints_is_nobodys_words():
    line = "gpu125:466532:466532 [4] NCCL INFO Connected all trees of the ring now"
    assert read_query(line, "왜 멈춰요?").words == "왜 멈춰요?"


HEALTHY = """[2026-03-21 21:00:22] The server is fired up and ready to roll!
[2026-03-21 21:00:31 TP0] Decode batch, #running-req: 1, #token: 160, token usage: 0.00, \
cuda graph: True, gen throughput (token/s): 130.21, #queue-req: 0
[2026-03-21 21:00:32] INFO:     127.0.0.1:41200 - "POST /generate HTTP/1.1" 200 OK
"""


def test_the_log_of_a_server_that_serves_is_healthy():
    assert read_paste(HEALTHY).is_healthy


def test_a_queue_a_full_pool_and_an_error_are_not_healthy():
    for healthy, other in (
        ("#queue-req: 0", "#queue-req: 71"),
        ("token usage: 0.00", "token usage: 0.98"),
        ("cuda graph: True", "cuda graph: False"),
        ('generate HTTP/1.1" 200 OK', 'generate HTTP/1.1" 503 Service Unavailable'),
    ):
        assert not read_paste(HEALTHY.replace(healthy, other)).is_healthy
