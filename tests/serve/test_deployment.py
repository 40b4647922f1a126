"""What is printed for systemd and for containers is read by their own rules, as far as it can be."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from kb.cli import main
from kb.settings.model import about
from kb.settings.sources import read_settings

INSTRUCTIONS = {
    "FROM",
    "COPY",
    "RUN",
    "USER",
    "WORKDIR",
    "VOLUME",
    "ENV",
    "EXPOSE",
    "STOPSIGNAL",
    "HEALTHCHECK",
    "ENTRYPOINT",
}


def _printed(flag, capsys):
    assert main(["serve", flag]) == 0
    return capsys.readouterr().out


def _instructions(text):
    whole = re.sub(r"\\\n", "", "".join(line for line in text.splitlines(True) if line[0] != "#"))
    return [line.split(" ", 1) for line in whole.splitlines() if line]


def test_a_containerfile_has_known_instructions_and_ends_as_no_root(capsys):
    rows = _instructions(_printed("--print-containerfile", capsys))
    assert {name for name, _ in rows} <= INSTRUCTIONS
    last = [name for name, _ in rows][
        len(rows) - 1 - [name for name, _ in rows][::-1].index("FROM") :
    ]
    assert "USER" in last and dict(rows)["USER"] == "10001"
    assert last.index("USER") < last.index("ENTRYPOINT")


def test_its_commands_are_shell_and_python_and_its_variables_are_settings(capsys):
    rows = _instructions(_printed("--print-containerfile", capsys))
    for name, said in rows:
        if name == "RUN":
            subprocess.run(["bash", "-n", "-c", said], check=True)
            for code in re.findall(r'python -c "([^"]*)"', said):
                compile(code, "RUN", "exec")
    health = json.loads(dict(rows)["HEALTHCHECK"].split("CMD ")[1])
    compile(health[2], "HEALTHCHECK", "exec")
    variables = dict(pair.split("=", 1) for pair in shlex.split(dict(rows)["ENV"]))
    settings = read_settings({}, variables).settings
    assert (settings.host, settings.port, settings.log_format) == ("0.0.0.0", 7860, "json")
    assert {v for v in variables if v.startswith("KB_")} <= {known.variable for known in about()}


def test_what_is_installed_is_all_the_package_needs_but_torch(capsys):
    rows = _instructions(_printed("--print-containerfile", capsys))
    run = next(said for name, said in rows if "requires(" in said)
    code = re.search(r'python -c "([^"]*)"', run)[1]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "gradio" in done.stdout and "sentence-transformers" not in done.stdout


def test_a_unit_starts_the_server_and_lets_it_write_to_its_own_folder_alone(capsys):
    unit = _printed("--print-systemd-unit", capsys)
    start = re.search(r"^ExecStart=\S+/kb (.*)$", unit, re.M)[1]
    assert start == "serve --config /etc/kb/kb.toml"
    for line in (
        "DynamicUser=yes",
        "ProtectSystem=strict",
        "StateDirectory=kb",
        "CapabilityBoundingSet=",
    ):
        assert f"\n{line}\n" in unit


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd here")
def test_systemd_finds_nothing_wrong_and_little_exposed(capsys, tmp_path):
    program = tmp_path / "kb"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    unit = tmp_path / "kb.service"
    unit.write_text(
        _printed("--print-systemd-unit", capsys).replace("/opt/kb/bin/kb", str(program))
    )
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
    about_ours = [
        line for line in done.stderr.splitlines() if "kb.service" in line or str(unit) in line
    ]
    assert about_ours == []
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=25", unit]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-400:] + done.stderr
