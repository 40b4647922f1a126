"""Flags, environment and file become one object, and what is wrong names where it stands."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from kb import InputError, Settings
from kb.cli import main
from kb.settings.model import about
from kb.settings.sources import read_settings

README = Path(__file__).resolve().parents[2] / "README.md"


@pytest.fixture
def config(tmp_path):
    def write(text: str) -> Path:
        path = tmp_path / "kb.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_flag_wins_over_the_environment_that_over_the_file_that_over_the_default(config):
    file = config("port = 1\nrate_limit = 1\ntop_k = 1\n")
    environment = {"KB_PORT": "2", "KB_RATE_LIMIT": "2"}
    configured = read_settings({"port": "3"}, environment, file)
    settings = configured.settings
    assert (settings.port, settings.rate_limit, settings.top_k) == (3, 2, 1)
    assert settings.asks_waiting == Settings().asks_waiting
    sources = [configured.sources[name] for name in ("port", "rate_limit", "top_k", "asks_waiting")]
    assert sources == ["--port", "KB_RATE_LIMIT", str(file), "default"]


def test_the_environment_names_the_file_where_no_flag_does(config):
    file = config("port = 8080\n")
    assert read_settings({}, {"KB_CONFIG": str(file)}).settings.port == 8080


def test_a_relative_path_in_a_file_counts_from_the_files_folder(config, tmp_path):
    settings = read_settings({}, {}, config('index = "index"\n')).settings
    assert settings.index == tmp_path / "index"


def test_a_url_stays_as_it_is(config):
    url = "postgresql://u:p@h/db"
    assert read_settings({}, {}, config(f'feedback = "{url}"\n')).settings.feedback == url
    assert read_settings({"index": url}, {}).settings.index == url


@pytest.mark.parametrize(
    ("flags", "environment", "text", "said"),
    [
        (
            {},
            {},
            "prot = 1",
            r"kb\.toml sets prot, and there is no such setting; did you mean port",
        ),
        ({}, {}, "port = 'x'", r"kb\.toml: port is 'x'; expected a whole number from 0 to 65,535"),
        ({}, {}, "port = true", r"port is True; expected a whole number"),
        ({}, {}, "hide_addresses = 1", "expected true or false"),
        ({}, {}, "allowed_origins = ['*']", r"allowed_origins is \['\*'\]; expected a list"),
        ({}, {}, "port = ", "is no TOML"),
        (
            {},
            {"KB_PROT": "1"},
            "",
            "sets KB_PROT, and there is no such setting; did you mean KB_PORT",
        ),
        ({}, {"KB_PORT": "70000"}, "", "KB_PORT is '70000'; expected a whole number from 0 to"),
        (
            {},
            {"KB_ASK_TIMEOUT_S": "0"},
            "",
            "KB_ASK_TIMEOUT_S is '0'; expected a number of seconds",
        ),
        ({}, {"KB_ASK_TIMEOUT_S": "nan"}, "", "expected a number of seconds above 0"),
        ({}, {"KB_API_TOKEN": "a b"}, "", "KB_API_TOKEN is hidden; expected printable ASCII"),
        ({}, {"KB_API_TOKEN": ""}, "", "KB_API_TOKEN is hidden; expected printable ASCII"),
        (
            {},
            {"KB_API_TOKEN_FILE": "/no/such"},
            "",
            "KB_API_TOKEN_FILE is '/no/such', which cannot",
        ),
        ({}, {"KB_ALLOWED_ORIGINS": "https://*.a.example"}, "", "expected a list, of each scheme"),
        ({"port": "many"}, {}, "", "--port many; expected a whole number"),
        ({"root_path": "/api"}, {}, "", "--root-path /api; expected a path like /kb, none of the"),
        ({"allowed_origins": ["null"]}, {}, "", "--allow-origin null; expected a list"),
    ],
)
def test_what_is_wrong_names_its_source_and_what_was_expected(
    flags, environment, text, said, config
):
    with pytest.raises(InputError, match=said):
        read_settings(flags, environment, config(text))


def test_a_file_that_is_not_there_is_said_so(tmp_path):
    with pytest.raises(InputError, match=r"none\.toml cannot be read \(No such file"):
        read_settings({}, {}, tmp_path / "none.toml")


def test_variables_of_kubernetes_and_of_other_programs_are_left_alone():
    environment = {
        "KB_PORT": "tcp://10.0.0.1:80",
        "KB_SERVICE_HOST": "10.0.0.1",
        "KB_PORT_7860_TCP_ADDR": "10.0.0.1",
        "KB_WEBLOGIC_DOMAIN": "x",
        "KB_ROOT_PATH": "",
    }
    assert read_settings({}, environment).settings == Settings()


def test_a_secret_can_come_from_a_file(tmp_path):
    secret = tmp_path / "token"
    secret.write_text("s3cret\n")
    configured = read_settings({}, {"KB_API_TOKEN_FILE": str(secret)})
    assert configured.settings.api_token == "s3cret"


def test_an_object_made_in_python_is_checked_too():
    with pytest.raises(InputError, match=r"the setting port is 70000; expected a whole number"):
        Settings(port=70_000)


def test_no_secret_is_in_the_text_of_the_object():
    shown = repr(Settings(api_token="s3cret", feedback="postgresql://u:pass@h/db"))
    assert "s3cret" not in shown and "pass@" not in shown


# --- kb settings ---


def test_what_is_printed_is_a_file_that_sets_the_same(capsys, config, monkeypatch):
    monkeypatch.setenv("KB_RATE_LIMIT", "7")
    assert main(["settings", "--allow-origin", "https://a.example", "--hide-addresses"]) == 0
    printed = capsys.readouterr().out
    assert "rate_limit = 7  # KB_RATE_LIMIT" in printed
    monkeypatch.delenv("KB_RATE_LIMIT")
    expected = Settings(rate_limit=7, allowed_origins=("https://a.example",), hide_addresses=True)
    assert read_settings({}, {}, config(printed)).settings == expected


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_secrets_and_passwords_are_not_printed(capsys, monkeypatch, form):
    for known in about():
        if known.is_secret:
            monkeypatch.setenv(known.variable, "hunter2-long-enough")
    monkeypatch.setenv(
        "KB_FEEDBACK", "postgresql://u:hunter2@h/db?sslmode=require&password=hunter2"
    )
    assert main(["settings", *form]) == 0
    printed = capsys.readouterr().out
    assert "hunter2" not in printed
    assert "sslmode=require" in printed and "KB_API_TOKEN" in printed


def test_json_says_value_and_source_of_each(capsys):
    assert main(["settings", "--json", "--port", "8080"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["port"] == {"value": 8080, "source": "--port"}
    assert list(printed) == [known.name for known in about()]


def test_a_mistake_is_exit_code_2_with_its_reason():
    done = subprocess.run(
        [sys.executable, "-m", "kb.cli", "serve", "--port", "x"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr == "kb: --port x; expected a whole number from 0 to 65,535\n"


def test_every_setting_that_is_no_secret_has_a_flag_of_kb_serve(capsys):
    with pytest.raises(SystemExit):
        main(["serve", "-h"])
    printed = capsys.readouterr().out
    missing = [known.name for known in about() if known.flag and known.flag not in printed]
    assert missing == []


def test_the_readme_holds_the_table_that_is_printed(capsys):
    assert main(["settings", "--table"]) == 0
    assert capsys.readouterr().out in README.read_text(encoding="utf-8")
