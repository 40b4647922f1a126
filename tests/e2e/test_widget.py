"""The widget on pages of three portals, each of another origin and under the printed policy."""

from __future__ import annotations

import functools
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from axe_violations import violations

from kb import KnowledgeBase
from kb.cli import main
from kb.query.redaction import redact
from kb.serve.widget import hash_inline, portal_policy
from kb.serve.widget_script import widget_script

pytestmark = pytest.mark.browser

PORTALS = Path(__file__).with_name("portals")
TESTS = Path(__file__).parents[1]
MAX_WIDGET_BYTES = 15_000
TIMEOUT_MS = 60_000
START_TIMEOUT_S = 90
OOM = "torch.OutOfMemoryError: CUDA out of memory."
HOSTILE = "HostileError: this section is not to be trusted"
LANGUAGES = {"mkdocs": "ko", "sphinx": "en", "docusaurus": "ko"}
TITLES = {"ko": "CUDA out of memory가 나요", "en": "CUDA out of memory"}
OPEN = {"ko": "오류 물어보기", "en": "Ask about an error"}


class _Quiet(SimpleHTTPRequestHandler):
    """Serves a folder, every reply with the policy."""

    policy = ""

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", self.policy)
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@dataclass
class Servers:
    kb: str  # addresses, without `/` at the end
    portals: dict[str, str]
    stranger: str  # the pages of the third portal, from an origin that is not on the list


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _policy(kb: str, site: Path) -> str:
    command = [sys.executable, "-m", "kb.cli", "serve", "--print-csp", kb, "--portal", str(site)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _serve(site: Path, policy: str) -> ThreadingHTTPServer:
    serving = type("Serving", (_Quiet,), {"policy": policy})
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(serving, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def _build(name: str, source: Path, site: Path) -> None:
    if name == "mkdocs":
        command = ["mkdocs", "build", "-q", "-f", str(source / "mkdocs.yml"), "-d", str(site)]
    elif name == "sphinx":
        command = ["sphinx", "-q", "-b", "html", str(source), str(site)]
    else:
        shutil.copytree(source, site)
        return
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """Build the three sites and a small index, and serve them, each on a port of its own."""
    folder = tmp_path_factory.mktemp("widget")
    KnowledgeBase.build(PORTALS / "content", folder / "index")
    port = _free_port()
    kb = f"http://127.0.0.1:{port}"
    source = folder / "source"
    shutil.copytree(PORTALS, source)
    for path in source.rglob("*"):
        if path.suffix in (".yml", ".py", ".html"):
            text = path.read_text(encoding="utf-8").replace("http://kb.invalid", kb)
            path.write_text(text, encoding="utf-8")
    running, addresses = [], {}
    for name in LANGUAGES:
        _build(name, source / name, folder / name)
        running.append(_serve(folder / name, _policy(kb, folder / name)))
        addresses[name] = f"http://127.0.0.1:{running[-1].server_port}"
    running.append(_serve(folder / "docusaurus", _policy(kb, folder / "docusaurus")))
    command = [sys.executable, "-m", "kb.cli", "serve", "--port", str(port)]
    command += ["--index", str(folder / "index"), "--rate-limit", "0"]
    for address in addresses.values():
        command += ["--allow-origin", address]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        _wait_for(kb + "/readyz", process, folder / "log")
        yield Servers(kb, addresses, f"http://127.0.0.1:{running[-1].server_port}")
    finally:
        process.terminate()
        process.wait(timeout=15)
        for server in running:
            server.shutdown()
            server.server_close()


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    started = time.monotonic()
    while time.monotonic() - started < START_TIMEOUT_S:
        assert process.poll() is None, log.read_text(encoding="utf-8")
        try:
            with urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"no server after {START_TIMEOUT_S} s:\n{log.read_text(encoding='utf-8')}")


@dataclass
class Portal:
    """A page of a portal in one window, and what it did."""

    page: Any
    requests: list[Any] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # console errors, uncaught exceptions

    @property
    def dialog(self) -> Any:
        return self.page.locator("#sglang-kb [role=dialog]")  # portals have dialogs too

    def open(self, language: str) -> Any:
        self.page.get_by_role("button", name=OPEN[language], exact=True).click()
        return self.dialog

    def sent(self) -> list[dict[str, Any]]:
        asked = (one for one in self.requests if one.url.endswith("/api/v1/ask"))
        return [one.post_data_json for one in asked if one.method == "POST"]


@pytest.fixture
def visit(servers: Servers, browser: Any) -> Iterator[Callable[..., Portal]]:
    """Return a function that opens a page; at the end each must have kept to the house rules."""
    opened, contexts = [], []

    def open_page(name: str, path: str = "/index.html", **options: Any) -> Portal:
        context = browser.new_context(**{"locale": "en-US", **options})
        context.set_default_timeout(TIMEOUT_MS)
        contexts.append(context)
        portal = Portal(context.new_page())
        opened.append((portal, servers.portals[name]))
        context.on("request", lambda request: portal.requests.append(request))
        portal.page.on("pageerror", lambda error: portal.problems.append(str(error)))
        portal.page.on("console", lambda message: _note(portal, message))
        portal.page.goto(servers.portals[name] + path)
        return portal

    yield open_page
    for portal, address in opened:
        ours = (address + "/", servers.kb + "/", "data:", "blob:")
        assert [one.url for one in portal.requests if not one.url.startswith(ours)] == []
        assert portal.problems == []
        assert portal.page.evaluate("window.__pwned") is None
    for context in contexts:
        assert context.cookies() == []
        context.close()


def _note(portal: Portal, message: Any) -> None:
    if message.type in ("error", "warning"):
        portal.problems.append(f"{message.type}: {message.text} {message.location}")


def _ask(box: Any, text: str, button: str) -> None:
    box.get_by_role("textbox").fill(text)
    box.get_by_role("button", name=button, exact=True).click()


ASK = {"ko": "물어보기", "en": "Ask"}


def test_the_widget_is_small():
    assert len(widget_script()) < MAX_WIDGET_BYTES


def test_the_widget_uses_nothing_that_could_run_text_or_keep_it():
    text = widget_script().decode("utf-8")
    forbidden = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function"
        r"|document\.cookie|cookieStore|localStorage|sessionStorage|indexedDB|setAttribute\(\"style|\.style\b|import\("
    )
    assert re.findall(forbidden, text) == []


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_portal_page_answers_in_its_language(visit, servers, name):
    language = LANGUAGES[name]
    portal = visit(name)
    dialog = portal.open(language)
    _ask(dialog, OOM, ASK[language])
    heading = dialog.get_by_role("heading", name=TITLES[language], exact=True)
    heading.wait_for()
    assert dialog.locator("section").first.get_attribute("data-id") == "cuda-out-of-memory"
    assert dialog.get_by_role("status").inner_text() == TITLES[language]
    assert portal.sent() == [{"paste": OOM, "language": language, "page": "index.html"}]
    (asked,) = [one for one in portal.requests if one.url == servers.kb + "/api/v1/ask"]
    assert "cookie" not in asked.all_headers() and "referer" not in asked.all_headers()
    kept = "[localStorage, sessionStorage].flatMap((store) => Object.keys(store))"
    assert [key for key in portal.page.evaluate(kept) if "kb" in key.lower()] == []


def test_the_element_stands_in_the_text_in_its_own_language(visit):
    box = visit("docusaurus").page.locator("sglang-kb-ask")
    _ask(box, OOM, "Ask")
    box.get_by_role("heading", name=TITLES["en"], exact=True).wait_for()
    assert box.locator("strong code").inner_text() == "--mem-fraction-static"
    assert box.locator("ol > li").count() == 2
    assert box.locator("ol > li pre").count() == 1
    assert box.locator("ol > li ul > li").count() == 2
    link = box.get_by_role("link", name="the FAQ")
    assert link.get_attribute("href") == "https://docs.sglang.io/"
    assert link.get_attribute("rel") == "noopener noreferrer"


def test_a_link_of_a_section_opens_the_other_in_the_panel(visit):
    dialog = visit("sphinx").open("en")
    _ask(dialog, OOM, "Ask")
    dialog.get_by_role("button", name="the hang").click()
    dialog.get_by_role("heading", name="The server hangs").wait_for()
    assert "--watchdog-timeout 600" in dialog.inner_text()


def test_the_selected_text_is_asked_about(visit):
    portal = visit("mkdocs")
    assert not portal.dialog.is_visible()
    portal.page.locator("#line").click(click_count=3)
    dialog = portal.open("ko")
    dialog.get_by_role("button", name="선택한 글로 물어보기").click()
    dialog.get_by_role("heading", name=TITLES["ko"]).wait_for()
    assert OOM in portal.sent()[0]["paste"]


def test_the_selected_text_is_asked_about_in_the_element_too(visit):
    portal = visit("docusaurus")
    box = portal.page.locator("sglang-kb-ask")
    take = box.get_by_role("button", name="Ask about the selected text")
    assert not take.is_visible()
    portal.page.locator("#line").click(click_count=3)
    take.click()
    box.get_by_role("heading", name=TITLES["en"], exact=True).wait_for()
    assert OOM in portal.sent()[0]["paste"]


def test_where_nothing_fits_the_section_of_the_page_comes_first(visit):
    portal = visit("sphinx", "/index.html#server-hangs")
    dialog = portal.open("en")
    _ask(dialog, "how do I bake bread in nginx", "Ask")
    dialog.get_by_role("heading", name="Nearest sections").wait_for()
    items = dialog.locator("li").all_inner_texts()
    assert items[0] == "The server hangs (this page)"
    assert [one["page"] for one in portal.sent()] == ["#server-hangs"]


def test_a_fragment_that_may_hold_a_token_is_not_sent(visit):
    portal = visit("sphinx", "/index.html#access_token=abc&state=1")
    dialog = portal.open("en")
    _ask(dialog, OOM, "Ask")
    dialog.locator("section").wait_for()
    assert portal.sent() == [{"paste": OOM, "language": "en"}]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["sphinx", "docusaurus"])  # one in English, one in Korean
def test_the_panel_is_accessible(visit, name, scheme):
    language = LANGUAGES[name]
    portal = visit(name, color_scheme=scheme)
    closed = violations(portal.page, "#sglang-kb")
    dialog = portal.open(language)
    opened = violations(portal.page, "#sglang-kb")
    _ask(dialog, OOM, ASK[language])
    dialog.locator("section").wait_for()
    answered = violations(portal.page, "#sglang-kb")
    _ask(dialog, "nginx 502", ASK[language])
    dialog.locator("li").first.wait_for()
    assert [closed, opened, answered, violations(portal.page, "#sglang-kb")] == [[]] * 4


def test_the_element_is_accessible(visit):
    page = visit("docusaurus").page
    box = page.locator("sglang-kb-ask")
    _ask(box, OOM, "Ask")
    box.get_by_role("heading", name=TITLES["en"], exact=True).wait_for()
    assert violations(page, "sglang-kb-ask") == []


def test_secrets_do_not_leave_the_page_and_their_number_is_shown(visit):
    portal = visit("sphinx")
    dialog = portal.open("en")
    planted = {
        "OPENAI": "sk-" + "a1B2" * 8,
        "HF": "hf_" + "Zx9q" * 8,
        "GH": "ghp_" + "Qw3r" * 9,
        "AWS": "AKIA" + "ABCD1234EFGH5678",
        "BEARER": "eyJ" + "x7Yz" * 6,
        "PASSWORD": "hunter2hunter",
        "ADMIN": "s3cr3t-of-admin",
    }
    lines = [
        planted["OPENAI"],
        f"HF_TOKEN={planted['HF']} {planted['HF']}",
        f"--token {planted['GH']}",
        planted["AWS"],
        f"Authorization: Bearer {planted['BEARER']}",
        f"redis://admin:{planted['PASSWORD']}@10.0.0.1/0",
        f"admin_api_key='{planted['ADMIN']}', api_key=None",
    ]
    plain = "hf_hub_download task-scheduler-overlap-run 5f2b9c1d --mem-fraction-static 0.8"
    _ask(dialog, "\n".join([OOM, *lines, plain]), "Ask")
    dialog.locator("section").wait_for()
    (sent,) = portal.sent()
    assert [name for name, value in planted.items() if value in sent["paste"]] == []
    assert plain in sent["paste"] and "api_key=None" in sent["paste"]
    assert sent["paste"].count("\n") == len(lines) + 1
    assert f"Values hidden before sending: {len(planted)}" in dialog.inner_text()


def test_of_the_planted_secrets_none_leaves_the_page(visit):
    marked = (TESTS / "query" / "planted_secrets.txt").read_text(encoding="utf-8")
    _, *cases = re.split(r"^## (?:.*)\n", marked.replace("·", ""), flags=re.MULTILINE)
    parts = re.split("⟦([^⟧]*)⟧", "\n".join(cases))
    portal = visit("sphinx")
    dialog = portal.open("en")
    _ask(dialog, "".join(parts), "Ask")
    dialog.get_by_role("status").filter(has_text="Values hidden").wait_for()
    (sent,) = portal.sent()
    left = [
        value
        for number, value in enumerate(parts)
        if number % 2
        and (value if len(value) > 11 else parts[number - 1][-8:] + value + parts[number + 1][:8])
        in sent["paste"]
    ]
    assert len(parts) // 2 > 180
    assert left == []
    assert redact(sent["paste"]).text == sent["paste"]  # the server's rules find nothing more


def test_ordinary_lines_leave_the_page_as_they_are(visit):
    lines = (TESTS / "query" / "harmless_lines.txt").read_text(encoding="utf-8").strip()
    portal = visit("sphinx")
    dialog = portal.open("en")
    _ask(dialog, lines, "Ask")
    dialog.locator("section, h3").first.wait_for()
    (sent,) = portal.sent()
    assert sent["paste"].splitlines() == lines.splitlines()


def test_without_the_patterns_nothing_is_sent(visit):
    portal = visit("sphinx")
    portal.page.route("**/api/v1/masking", lambda route: route.abort())
    dialog = portal.open("en")
    dialog.locator("#paste").fill(OOM)
    dialog.get_by_role("button", name="Ask", exact=True).click()
    dialog.get_by_text("The knowledge base cannot be reached from this page.").wait_for()
    assert portal.sent() == []
    portal.problems.clear()  # the request itself is in the console


def test_hostile_text_is_text(visit):
    portal = visit("sphinx")
    dialog = portal.open("en")
    paste = "<script>window.__pwned = 1</script></textarea><img src=x onerror=window.__pwned=2>"
    _ask(dialog, f"{HOSTILE}\n{paste}", "Ask")
    dialog.locator("section").wait_for()
    assert dialog.locator("section").first.get_attribute("data-id") == "hostile"
    assert dialog.locator("img, script, iframe, b").count() == 0
    links = dialog.locator("a").evaluate_all("(links) => links.map((link) => link.href)")
    assert links == ["https://elsewhere.invalid/picture.png"]  # the picture is a link
    assert "javascript:window.__pwned" in dialog.inner_text()
    assert dialog.locator("[onclick], [onerror], [style]").count() == 0


def test_it_is_used_by_the_keyboard_alone(visit):
    portal = visit("docusaurus")
    page = portal.page
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "sglang-kb":
            break
    page.keyboard.press("Enter")
    focused = "document.querySelector('#sglang-kb').shadowRoot.activeElement"
    assert portal.dialog.get_attribute("aria-modal") == "true"
    assert page.evaluate(f"{focused}.labels[0].textContent").endswith("질문")
    page.keyboard.type(OOM)
    page.keyboard.press("Control+Enter")
    portal.dialog.locator("section").wait_for()
    page.evaluate(f"{focused}.setAttribute('data-start', '')")
    seen = []
    for _ in range(30):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == "sglang-kb"
        seen.append(page.evaluate(f"{focused}?.localName"))
        if page.evaluate(f"{focused}.hasAttribute('data-start')"):
            break
    assert seen[-1] == "textarea" and {"button", "pre"} <= set(seen)
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.id") == "sglang-kb"
    page.keyboard.press("Escape")
    assert not portal.dialog.is_visible()
    assert page.evaluate(f"{focused}.textContent") == OPEN["ko"]


def test_enter_that_ends_a_syllable_sends_nothing(visit):
    portal = visit("docusaurus")
    dialog = portal.open("ko")
    dialog.get_by_role("textbox").fill("서버가 멈춰")
    press = "new KeyboardEvent('keydown', {key: 'Enter', ctrlKey: true, isComposing: true})"
    dialog.get_by_role("textbox").evaluate(f"(box) => box.dispatchEvent({press})")
    assert dialog.get_by_role("status").inner_text() == ""
    assert portal.sent() == []


def test_the_chat_in_a_frame_of_a_portal_page(visit, servers):
    portal = visit("docusaurus")
    frame = _frame(portal.page, servers.kb)
    frame.wait_for_selector("body.kb-ready")


def test_a_page_of_an_origin_that_is_not_on_the_list_reads_and_frames_nothing(browser, servers):
    page = browser.new_page()
    page.goto(servers.stranger + "/index.html")
    page.get_by_role("button", name=OPEN["ko"]).click()
    dialog = page.locator("#sglang-kb [role=dialog]")
    _ask(dialog, OOM, ASK["ko"])
    dialog.get_by_text("이 페이지에서는 지식 베이스에 연결할 수 없어요.").wait_for()
    read = "(url) => fetch(url).then((reply) => reply.text(), (error) => error.name)"
    assert page.evaluate(read, servers.kb + "/api/v1/sections/server-hangs") == "TypeError"
    with page.expect_event("requestfailed", lambda one: one.url == servers.kb + "/") as framed:
        _frame(page, servers.kb)
    assert framed.value.failure == "net::ERR_BLOCKED_BY_RESPONSE"
    page.close()


def _frame(page: Any, kb: str) -> Any:
    page.evaluate(
        "(url) => document.body.append("
        "Object.assign(document.createElement('iframe'), {src: url}))",
        kb + "/",
    )
    return page.locator("iframe").element_handle().content_frame()


def test_the_script_is_cached_shortly_and_known_by_its_tag(servers):
    with urlopen(servers.kb + "/widget.js") as reply:
        assert reply.headers["content-type"] == "text/javascript; charset=utf-8"
        assert reply.headers["cache-control"] == "public, max-age=300"
        assert reply.headers["cross-origin-resource-policy"] == "cross-origin"
        assert reply.read() == widget_script()
        tag = reply.headers["etag"]
    with pytest.raises(OSError, match="304"):
        urlopen(Request(servers.kb + "/widget.js", headers={"if-none-match": tag}))


def test_the_policy_allows_no_inline_code_but_that_of_the_site(tmp_path):
    (tmp_path / "index.html").write_text(
        "<script>a < b && c</script><script type='application/json'>{}</script><style>p{}</style>"
        "<p style='color: red'>&lt;</p><script src='x.js'></script>",
        encoding="utf-8",
    )
    inline = hash_inline(tmp_path)
    assert inline.scripts == ("'sha256-utQp/tNR5pLN51qgX2CHuY7l3VqhWnEovrzaSf41FJ8='",)
    assert (len(inline.styles), len(inline.style_attributes)) == (1, 1)
    policy = portal_policy("https://kb.example.com/kb/", inline)
    assert "unsafe-inline" not in policy and "unsafe-eval" not in policy
    assert f"script-src 'self' https://kb.example.com/kb/widget.js {inline.scripts[0]};" in policy
    assert "connect-src 'self' https://kb.example.com/kb/api/v1/;" in policy


@pytest.mark.parametrize("address", ["kb.example.com", "https://a b", "https://kb/?x", "*"])
def test_an_address_that_is_none_is_refused(address, capsys):
    assert main(["serve", "--print-csp", address]) == 2
    assert "kb: " in capsys.readouterr().err


def test_the_policy_is_printed_for_the_address_that_would_be_served(capsys):
    assert main(["serve", "--print-csp", "--port", "8080", "--root-path", "/kb"]) == 0
    assert "script-src 'self' http://127.0.0.1:8080/kb/widget.js;" in capsys.readouterr().out
