"""`kb mcp` as coding agents meet it: the SDK's own client, over stdio and over HTTP."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import httpx
import pytest
from anyio.from_thread import start_blocking_portal

from kb import InputError, KnowledgeBase
from kb.serve.mcp import serve_http
from kb.serve.mcp_stdin import without_half_pairs

pytest.importorskip("mcp.client")
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult

KB = (sys.executable, "-m", "kb.cli")
LOG = "sglang 0.5.9\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"
COMMAND = "python3 -m sglang.launch_server --model-path M --tp 8 --max-model-len 8192"
DOCUMENTS = {
    "en/memory.md": "## CUDA out of memory {#cuda-out-of-memory}\n\n"
    "```log\ntorch.OutOfMemoryError: CUDA out of memory.\n```\n\nLower `--mem-fraction-static`.\n",
    "ko/memory.md": "## CUDA out of memory가 나요 {#cuda-out-of-memory}\n\n"
    "```log\ntorch.OutOfMemoryError: CUDA out of memory.\n```\n\n"
    "`--mem-fraction-static` 값을 낮추세요.\n",
    "en/hangs.md": "## The server hangs {#server-hangs}\n\nSet `--watchdog-timeout 600`.\n",
    "ko/hangs.md": "## 서버가 멈춰요 {#server-hangs}\n\n`--watchdog-timeout 600`으로 두세요.\n",
}
Call = Callable[..., CallToolResult]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    content = tmp_path_factory.mktemp("docs")
    for name, text in DOCUMENTS.items():
        (content / name).parent.mkdir(exist_ok=True)
        (content / name).write_text(text, encoding="utf-8")
    folder = tmp_path_factory.mktemp("index") / "index"
    KnowledgeBase.build(content, folder)
    return folder


@pytest.fixture(scope="module")
def url(index: Path) -> Iterator[str]:
    serving = subprocess.Popen(
        [*KB, "mcp", "--http", "--port", "0", "--index", str(index)],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield re.search(r"http://\S+", serving.stderr.readline())[0]
    finally:
        serving.terminate()
        assert serving.wait(10) in (0, -15)


@contextmanager
def _client(target: str | StdioServerParameters, mode: str = "auto") -> Iterator[tuple[Any, Any]]:
    """Yield the SDK's client, connected, and what calls its coroutines from here."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(target, mode=mode)) as client,
    ):
        yield client, portal.call


def _stdio(index: Path) -> StdioServerParameters:
    return StdioServerParameters(command=KB[0], args=[*KB[1:], "mcp", "--index", str(index)])


@pytest.fixture(scope="module", params=["stdio", "http"])
def connected(request, index: Path, url: str) -> Iterator[tuple[Any, Any]]:
    with _client(_stdio(index) if request.param == "stdio" else url) as connection:
        yield connection


@pytest.fixture
def call(connected) -> Call:
    client, run = connected
    return lambda name, **arguments: run(client.call_tool, name, arguments)


def _kb(*args: str, index: Path | None = None) -> str:
    command = [*KB, *args, *(["--index", str(index)] if index else [])]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def test_the_tools_say_what_they_are_for_and_what_comes_back(connected):
    client, run = connected
    tools = {tool.name: tool for tool in run(client.list_tools).tools}
    assert set(tools) == {"ask", "search", "section", "doctor"}
    required = {name: tool.input_schema["required"] for name, tool in tools.items()}
    assert required == {
        "ask": ["paste"],
        "search": ["text"],
        "section": ["id"],
        "doctor": ["command"],
    }
    for tool in tools.values():
        assert "SGLang" in tool.description and len(tool.description) > 100
        assert all(field["description"] for field in tool.input_schema["properties"].values())
        assert tool.output_schema["type"] == "object" and tool.output_schema["properties"]
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.open_world_hint is False
    assert "`ask`" in client.instructions


def test_ask_gives_what_kb_ask_gives(call, index):
    told = call("ask", paste=LOG, question="왜 죽었나요?")
    asked = ("ask", LOG, "--question", "왜 죽었나요?")
    assert told.is_error is False
    assert told.structured_content == json.loads(_kb(*asked, "--json", index=index))
    assert told.structured_content["sections"][0]["id"] == "cuda-out-of-memory"
    assert told.content[0].text == _kb(*asked, index=index).removesuffix("\n")


def test_ask_minds_language_and_version(call):
    told = call("ask", paste=LOG, language="ko", version="0.5.14").structured_content
    assert told["language"] == "ko"
    assert told["version"]["value"] == "0.5.14"


def test_what_is_not_in_the_knowledge_base_is_an_answer_and_no_error(call):
    told = call("ask", paste="how do I bake bread in nginx")
    assert told.is_error is False
    assert told.structured_content["found"] is False


@pytest.mark.parametrize("question", [None, '{"error": "CUDA out of memory"}', "[1, 2]"])
def test_a_question_may_be_null_or_look_like_json(call, question):
    assert call("ask", paste=LOG, question=question).structured_content["found"] is True


def test_search_gives_what_kb_search_gives(call, index):
    told = call("search", text="서버가 멈춰요", top_k=2, language="en")
    asked = ("search", "서버가 멈춰요", "-k", "2", "--language", "en")
    listed = json.loads(_kb(*asked, "--json", index=index))
    assert told.structured_content == {"sections": listed}
    assert [section["language"] for section in listed] == ["en", "en"]
    assert told.content[0].text == _kb(*asked, index=index).removesuffix("\n")


@pytest.mark.parametrize("language", ["en", "ko"])
def test_section_gives_the_section_whole(call, index, language):
    told = call("section", id="server-hangs", language=language)
    section = KnowledgeBase.load(index).section("server-hangs", language)
    assert told.structured_content == json.loads(json.dumps(asdict(section)))
    assert told.content[0].text.startswith(section.markdown)


@pytest.mark.parametrize("version", ["0.5.9", "0.5.21", None])
def test_doctor_gives_what_kb_doctor_gives(call, version):
    told = call("doctor", command=COMMAND, version=version)
    asked = ("doctor", COMMAND, *(["--version", version] if version else []))
    assert told.structured_content == json.loads(_kb(*asked, "--json"))
    assert "--context-length 8192" in told.structured_content["command"]["suggested"]
    assert told.content[0].text == _kb(*asked).removesuffix("\n")


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("ask", {"paste": ""}, "nothing was pasted; paste the log, or write a question"),
        ("search", {"text": "x", "top_k": 0}, "top_k is 0; expected 1 or more"),
        ("section", {"id": "no-such"}, "there is no section with the id 'no-such'"),
        ("doctor", {"command": "ls -l"}, "No launch command of SGLang was found"),
        ("doctor", {"command": COMMAND, "version": "newest"}, "newest"),
    ],
)
def test_what_cannot_be_asked_is_a_tool_error_with_its_message(call, tool, arguments, said):
    told = call(tool, **arguments)
    assert told.is_error is True
    assert said in told.content[0].text
    assert "Error executing" not in told.content[0].text


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [("ask", {}, "Field required"), ("search", {"text": "x", "language": "fr"}, "'ko' or 'en'")],
)
def test_arguments_that_do_not_fit_the_schema_are_a_tool_error_too(call, tool, arguments, said):
    told = call(tool, **arguments)
    assert told.is_error is True and said in told.content[0].text


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_clients_from_before_the_protocol_had_no_sessions_are_served(transport, index, url):
    with _client(_stdio(index) if transport == "stdio" else url, "legacy") as (client, run):
        told = run(client.call_tool, "section", {"id": "server-hangs"})
    assert told.structured_content["id"] == "server-hangs"


def test_a_paste_larger_than_the_sdks_own_limit_is_read(call):
    text = "CUDA out of memory" + " " * 5_000_000
    assert call("search", text=text, top_k=1).structured_content["sections"]


# --- standard output, logs ---


def _raw(script: list[str], *messages: str) -> tuple[list[dict[str, Any]], str]:
    """Return the answers to raw lines, told apart from all else on stdout, and the log."""
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    running = subprocess.Popen(
        script,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    end = threading.Timer(120, running.kill)  # where an answer never comes
    end.start()
    first = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello})
    ready = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"})
    answers = []
    running.stdin.write(first + "\n")
    running.stdin.flush()
    answers.append(json.loads(running.stdout.readline()))
    running.stdin.write(ready + "\n")
    for message in messages:
        running.stdin.write(message + "\n")
        running.stdin.flush()
        answers.append(json.loads(running.stdout.readline()))
    rest, log = running.communicate()
    end.cancel()
    assert rest == "" and running.returncode == 0
    return answers, log


def _request(number: int, tool: str, arguments: dict[str, Any]) -> str:
    params = {"name": tool, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})


def test_stdout_holds_the_protocol_alone_and_the_log_no_user_text(index):
    answers, log = _raw(
        [*KB, "mcp", "--index", str(index)],
        _request(1, "ask", {"paste": f"{LOG} planted-1"}),
        _request(2, "section", {"id": "planted-2"}),
        _request(3, "ask", {"paste": {"planted-3": 1}}),
        _request(4, "planted-4", {}),
    )
    assert [answer["id"] for answer in answers] == [0, 1, 2, 3, 4]
    assert log == "kb mcp: INFO: serving MCP; waiting for a client on standard input\n"


def test_an_unexpected_error_is_logged_without_its_message(index):
    breaking = (
        "import sys\nfrom kb import KnowledgeBase\nfrom kb.cli import main\n"
        "def ask(self, paste, *rest, **more):\n    raise ValueError(paste)\n"
        "KnowledgeBase.ask = ask\nsys.exit(main(sys.argv[1:]))"
    )
    answers, log = _raw(
        [sys.executable, "-c", breaking, "mcp", "--index", str(index)],
        _request(1, "ask", {"paste": "planted"}),
    )
    assert answers[1]["result"]["isError"] is True
    assert "ValueError" in log and "mcp_tools.py" in log
    assert "planted" not in log + json.dumps(answers)


def test_half_a_character_of_a_cut_paste_does_not_leave_the_agent_waiting(index):
    cut = _request(1, "ask", {"paste": LOG + " \ud83d"})
    assert r"\ud83d" in cut
    answers, _ = _raw([*KB, "mcp", "--index", str(index)], cut)
    assert answers[1]["result"]["structuredContent"]["found"] is True


@pytest.mark.parametrize(
    ("line", "mended"),
    [
        (r"a \ud83d", r"a \ufffd"),
        (r"\uDE00\uD83D", r"\ufffd\ufffd"),
        (r"\ud83d\ud83d\ude00", r"\ufffd\ud83d\ude00"),
        (r"\ud83d\ude00 \ud55c\n", r"\ud83d\ude00 \ud55c\n"),
        (r"C:\\ud83d", r"C:\\ud83d"),
        ("한 \\", "한 \\"),
    ],
)
def test_half_a_pair_is_replaced_and_nothing_else(line, mended):
    assert without_half_pairs(line.encode()) == mended.encode()


# --- who may call ---


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:9"}, 403),
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1.evil.example:80"}, 421),
    ],
)
def test_pages_in_a_browser_and_foreign_host_names_are_refused(url, headers, status):
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accepted = {"accept": "application/json, text/event-stream"}
    answer = httpx.post(url, json=message, headers={**accepted, **headers}, timeout=30)
    assert answer.status_code == status
    assert "access-control-allow-origin" not in answer.headers


def test_listening_on_every_address_needs_the_names_clients_use():
    with pytest.raises(InputError, match="--allow-host"):
        serve_http("0.0.0.0", 0)


def test_an_address_in_use_is_said(index):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run(
            [*KB, "mcp", "--http", "--port", str(port), "--index", str(index)],
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 2 and done.stdout == ""
    assert f"127.0.0.1:{port} cannot be listened on" in done.stderr


# --- the command ---


def test_without_the_extra_the_error_says_how_to_install_it():
    without = "import sys; sys.modules['mcp'] = None; from kb.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", without, "mcp"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and done.stdout == ""
    assert "pip install '.[mcp]'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("args", "said"),
    [(["--port", "7861"], "give --http too"), (["--index", "/no/such"], "there is no index at")],
)
def test_what_cannot_be_served_is_exit_code_2_with_a_reason(args, said):
    done = subprocess.run(
        [*KB, "mcp", *args], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 2 and done.stdout == ""
    assert said in done.stderr and "Traceback" not in done.stderr


def test_the_readmes_configuration_starts_a_server(index):
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    given = json.loads(re.search(r"^```json\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)[1])
    server = given["mcpServers"]["sglang-kb"]
    assert server["command"] == "kb"
    answers, _ = _raw([*KB, *server["args"], "--index", str(index)])
    assert answers[0]["result"]["serverInfo"]["name"] == "sglang-troubleshooting-kb"
