from __future__ import annotations

import json
import subprocess
import sys

import pytest

from kb.cli import main

OOM = "sglang: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"


def _kb(*args: str, stdin: str | bytes = "") -> subprocess.CompletedProcess[str]:
    raw = stdin if isinstance(stdin, bytes) else stdin.encode()
    done = subprocess.run(
        [sys.executable, "-m", "kb.cli", *args], input=raw, capture_output=True, check=False
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def test_ask_reads_standard_input_and_prints_the_answer_alone_on_stdout():
    done = _kb("ask", "--json", "--language", "ko", stdin=OOM)
    answer = json.loads(done.stdout)
    assert done.returncode == 0 and done.stderr == ""
    assert answer["found"] is True and answer["language"] == "ko"
    section = answer["sections"][0]
    assert {"id", "title", "language", "markdown", "source", "score", "matched_lines"} <= set(
        section
    )
    assert set(section["source"]) == {"path", "start_line", "end_line"}
    assert set(section["matched_lines"][0]) == {"line", "text", "signature"}
    assert all(set(near) == {"id", "title"} for near in answer["nearest"])


def test_words_on_the_command_line_and_a_pipe_are_joined():
    done = _kb("ask", "왜 죽었나요?", "--json", stdin=OOM)
    assert json.loads(done.stdout)["language"] == "ko"


def test_not_found_is_exit_code_1_and_still_an_answer():
    done = _kb("ask", "how do I bake bread with vLLM", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["found"] is False


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("ask", ""), "nothing was pasted"),
        (("ask", "x", "--index", "/no/such/index"), "there is no index at"),
        (("search", "x", "-k", "0"), "top_k is 0"),
        (("ask", "--language", "fr", "x"), "invalid choice: 'fr'"),
        (("nonsense",), "invalid choice: 'nonsense'"),
        (("build", "--content", "/no/such/folder"), "give --index"),
    ],
)
def test_what_cannot_be_asked_is_exit_code_2_with_a_reason_on_stderr(args, said):
    done = _kb(*args)
    assert done.returncode == 2
    assert said in done.stderr and "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_paste_that_is_not_utf8_is_answered_all_the_same():
    done = _kb("ask", "--json", stdin=b"\xff\xfe\x00garbage \x80\n" + OOM.encode())
    assert done.returncode == 0
    assert json.loads(done.stdout)["found"] is True


def test_search_lists_k_sections():
    done = _kb("search", "NCCL", "-k", "3", "--json", "--language", "en")
    assert [s["language"] for s in json.loads(done.stdout)] == ["en"] * 3


def test_build_makes_an_index_that_ask_answers_from(folder_of, tmp_path):
    content = folder_of({"a.md": "## The mixer hangs {#mixer-hangs}\n\nUnplug it.\n"})
    index = str(tmp_path / "index")
    built = _kb("build", "--content", str(content), "--index", index)
    assert built.returncode == 0 and "1 sections" in built.stdout
    assert "embedding" in built.stderr
    asked = _kb("search", "mixer hangs", "--index", index, "-k", "1", "--json")
    assert json.loads(asked.stdout)[0]["id"] == "mixer-hangs"


@pytest.mark.parametrize("command", ["ask", "search", "build", "serve", "lint", "eval"])
def test_every_command_explains_itself_with_examples(command, capsys):
    with pytest.raises(SystemExit) as done:
        main([command, "-h"])
    assert done.value.code == 0
    assert "examples:" in capsys.readouterr().out
