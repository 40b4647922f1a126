from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.query.redaction import redact
from kb.query.secret_forms import FORMS, PREFIXES

FOLDER = Path(__file__).parent
MARKED = re.compile("⟦([^⟧]*)⟧")


def planted() -> dict[str, str]:
    """Return the cases of the fixture, title → text with the secrets still marked."""
    text = (FOLDER / "planted_secrets.txt").read_text(encoding="utf-8")
    _, *cases = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
    bodies = [body.rstrip("\n").replace("·", "") for body in cases[1::2]]
    return dict(zip(cases[::2], bodies, strict=True))


PLANTED = planted()
HARMLESS = (FOLDER / "harmless_lines.txt").read_text(encoding="utf-8").splitlines()
PASTED = "\n\n".join(MARKED.sub(r"\1", marked) for marked in PLANTED.values())


# --- what is masked ---


@pytest.mark.parametrize("title", PLANTED)
def test_what_is_planted_is_masked_and_nothing_else(title: str):
    marked = PLANTED[title]
    around = MARKED.split(marked)[::2]
    expected = r"<[a-z-]+-\d+>".join(re.escape(part) for part in around)
    masked = redact(MARKED.sub(r"\1", marked)).text
    assert re.fullmatch(expected, masked), f"\n{marked}\n---\n{masked}"


def test_no_planted_value_survives_in_one_long_paste():
    secrets = [secret for marked in PLANTED.values() for secret in MARKED.findall(marked)]
    assert len(secrets) >= 180
    # A value such as `letmein` that is found by its key alone is looked for with its surroundings.
    telling = [secret for secret in secrets if len(secret) >= 12]
    masked = redact(PASTED).text
    assert [secret for secret in telling if secret in masked] == []


def test_every_kind_is_planted():
    assert set(redact(PASTED, addresses=True).by_kind) == {
        *("api-key", "token", "secret", "password", "private-key", "ssh-key", "cookie"),
        *("signature", "email", "ip-address", "host"),
    }


def test_every_form_of_a_key_is_planted():
    pasted = PASTED.encode()
    prefixes = [pattern for _, patterns in PREFIXES for pattern in patterns]
    missing = [one for one in prefixes if not re.search(rf"(?<![\w-])(?:{one})".encode(), pasted)]
    for form in FORMS:
        if not form.pattern.search(pasted.lower() if form.any_case else pasted):
            missing.append(form.literal.decode())
    assert missing == []


MADE_UP = st.text("abcdefXYZ0189_-+/=.!$%&*#@^~", min_size=8, max_size=120).filter(
    lambda value: (
        any(char.isdigit() for char in value)
        and any(char.isalpha() for char in value)
        and value[0].isalnum()
        and value[-1].isalnum()
        and not re.search(r"&[\w.-]+=|&&|\*{3}|\.{3}|--", value)
        and len(set(value)) > 4
    )
)


@given(
    value=MADE_UP,
    place=st.sampled_from(
        (
            "server_args=ServerArgs(model_path='x', api_key='{}', port=30000)",
            "server_args={{'model_path': 'x', 'admin_api_key': '{}', 'port': 30000}}",
            '{{"log":"{{\\"api_key\\": \\"{}\\"}}\\n"}}',
            "sglang serve --model-path x --api-key {} --port 30000",
            "sglang serve --model-path x --admin-api-key={} --port 30000",
            "'--api-key', '{}', '--port', '30000'",
            "args:\n  - --api-key\n  - {}\n  - --port",
            "DB_PASSWORD={}",
            'export HF_TOKEN="{}"',
            "- name: HF_TOKEN\n  value: {}\n",
            'headers: {{"Authorization": "Bearer {}"}}',
            "curl -H 'x-api-key: {}' http://127.0.0.1:30000",
        )
    ),
    before=st.text(max_size=30),
)
def test_any_made_up_value_is_masked_under_its_key(value: str, place: str, before: str):
    masked = redact(f"{before}\n{place.format(value)}\n").text
    assert value not in masked


# --- what is left alone ---


@pytest.mark.parametrize("line", HARMLESS)
def test_an_ordinary_line_stays_as_it_is(line: str):
    assert redact(line).text == line


def test_ordinary_lines_stay_as_they_are_in_one_paste():
    text = "\n".join(HARMLESS)
    assert redact(text).text == text


def test_golden_pastes_hold_nothing_to_hide_but_one_address():
    found = {}
    for path in sorted((FOLDER.parent / "golden").rglob("*.txt")):
        kinds = redact(path.read_text(encoding="utf-8")).by_kind
        if kinds:
            found[path.stem] = kinds
    assert found == {"random_text": {"email": 1}}


# --- placeholders ---


def test_the_same_value_has_the_same_placeholder():
    masked = redact("api_key='hunter2-a' admin_api_key='hunter2-b' --api-key hunter2-a")
    assert masked.text == (
        "api_key='<api-key-1>' admin_api_key='<api-key-2>' --api-key <api-key-1>"
    )
    assert (masked.hidden, masked.by_kind) == (2, {"api-key": 2})


def test_a_value_found_by_its_key_is_masked_where_it_stands_without():
    masked = redact("got hunter2-prod\napi_key='hunter2-prod'\nxhunter2-prodx")
    assert masked.text == "got <api-key-1>\napi_key='<api-key-1>'\nxhunter2-prodx"


def test_an_ordinary_word_used_as_a_key_is_masked_under_its_key_only():
    masked = redact("password='database'\nthe database is up")
    assert masked.text == "password='<password-1>'\nthe database is up"


def test_numbers_go_on_after_placeholders_that_are_there_already():
    masked = redact("api_key='<api-key-3>' admin_api_key='hunter2'")
    assert masked.text == "api_key='<api-key-3>' admin_api_key='<api-key-4>'"


def test_nothing_is_hidden_twice():
    once = redact(PASTED, addresses=True)
    twice = redact(once.text, addresses=True)
    assert (twice.text, twice.hidden) == (once.text, 0)


def test_a_text_without_secrets_is_given_back_itself():
    text = "Watchdog timeout"
    assert redact(text).text is text


# --- addresses ---

ADDRESSES = (
    "[2026-01-01 00:00:00] dist_init_addr='gpu-07:5000', host='0.0.0.0', nnodes=2\n"
    "gpu-07:171:171 [3] NCCL INFO Connected to 192.0.2.17<41234> and fd00::1:2\n"
    "http://gpu-07.dc1.example.net:30000/health http://127.0.0.1:30000 https://github.com/x/y\n"
    "nvidia-cublas-cu12==12.4.5.8 torch.cuda.memory worker.sglang.svc ops@gpu-07:/data"
)


def test_addresses_are_left_alone_unless_asked_for():
    assert redact(ADDRESSES).hidden == 0


def test_addresses_are_masked_where_asked_for():
    assert redact(ADDRESSES, addresses=True).text == (
        "[2026-01-01 00:00:00] dist_init_addr='<host-1>:5000', host='0.0.0.0', nnodes=2\n"
        "<host-1>:171:171 [3] NCCL INFO Connected to <ip-address-1><41234> and <ip-address-2>\n"
        "http://<host-2>:30000/health http://127.0.0.1:30000 https://github.com/x/y\n"
        "nvidia-cublas-cu12==12.4.5.8 torch.cuda.memory <host-3> ops@<host-1>:/data"
    )


# --- every text ---

PIECES = (
    *("api_key", "token", "HF_TOKEN", "password", "Authorization", "Bearer ", "--api-key", "key"),
    *(
        "=",
        ": ",
        ":",
        "'",
        '"',
        '\\"',
        "\\",
        "\n",
        "\r\n",
        " ",
        ",",
        "@",
        "://",
        "&",
        "?",
        "[",
        "(",
    ),
    *(
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "MIIEvQIBADANBgkqhkiG9w0B",
        "eyJ",
    ),
    *("sk-", "hf_", "abcDEF0123456789abcDEF0123456789", "비밀번호는 ", "“", "”", "–", "：", "\xa0"),
    *("\x1b[32m", "\\n", "&quot;", "\\u0022", "a@b.co", "10.0.0.1", "::1", "host=", "\ud800", "İ"),
    *("cookie: a=b", "curl -u a:", "<api-key-1>", "value: ", "is ", "None", "$HF_TOKEN", "***"),
)
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=40).map("".join)


@settings(max_examples=400)
@given(text=TEXTS, addresses=st.booleans())
def test_no_text_raises_and_line_breaks_stay(text: str, addresses: bool):
    masked = redact(text, addresses=addresses)
    assert masked.text.count("\n") == text.count("\n")
    assert masked.hidden == sum(masked.by_kind.values())
    assert (masked.hidden == 0) <= (masked.text == text)


@given(text=TEXTS)
def test_a_secret_is_masked_whatever_stands_above_it(text: str):
    masked = redact(f"{text}\nserver_args=ServerArgs(api_key='hunter2-prod', port=1)")
    assert "hunter2-prod" not in masked.text


LONG = (
    *("a", "-", "@", "@a.bb", "a@", "://", "://a:b@", "http://a:b/c@", "1.", "a.", "::", "a:b:"),
    *("api_key=", "api_key='", 'api_key="', 'api_key=\\"', "token=", "token='", "key ", 'key","'),
    *("--", "--a", "--api-key ", "--api-key=", "--api-key\n- ", "--token,\n", "cookie: a=b;"),
    *("sk-", "sk-a1", "eyJ", "eyJaaaaaaaa.", "AAAA", "AKIA", ":AA", "Q~", "bearer ", "signature="),
    *("-----BEGIN PRIVATE KEY-----\n", "-----END PRIVATE KEY-----\n", "LS0tLS1CRUdJTi"),
    *("curl -u a:b ", "machine ", "docker login -u x ", "wandb login --a ", "authorization: "),
    *("\x1b[0", "\\n", "\\", "&quot;", "“", "–api-key ", "비밀번호는 ", "토큰:", "\ud800", "\t"),
    *("password=a1b2c3d4 ", "a1b2c3d4", "key\n value", "'''", '"auth":"', "host=", "node.local"),
)


@pytest.mark.parametrize("piece", LONG)
def test_no_repetition_makes_it_slow(piece: str):
    text = piece * (150_000 // len(piece))
    start = time.process_time()
    redact(text, addresses=True)
    # Quadratic time would be minutes; the slowest of these takes a second or less.
    assert time.process_time() - start < 10


def test_ten_megabytes_of_log_take_less_than_a_second():
    log = "\n".join(HARMLESS[:10])
    text = "\n".join([log] * (10_000_000 // len(log)))
    start = time.process_time()
    redact(text)
    assert time.process_time() - start < 1.5  # 0.3 s on an idle core


def test_it_imports_the_standard_library_only():
    code = (
        "import sys, kb; before = set(sys.modules); import kb.query.redaction\n"
        "new = {name.split('.')[0] for name in set(sys.modules) - before}\n"
        "print(sorted(new - set(sys.stdlib_module_names) - {'kb'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
