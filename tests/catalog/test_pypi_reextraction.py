from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kb.catalog import Catalog
from kb.catalog.extract import read_release
from kb.catalog.release_set import ReleaseSet

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("version", ["0.4.3", "0.5.6"])
def test_a_release_read_anew_from_pypi_changes_no_byte_of_the_catalogue(tmp_path: Path, version):
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
    command += ["--ignore-requires-python", "-q", "-d", str(tmp_path), f"sglang=={version}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    wheels = list(tmp_path.glob("*.whl"))
    if done.returncode or not wheels:
        pytest.skip(f"sglang {version} cannot be had from PyPI: {done.stderr.strip()[-200:]}")
    shipped = Catalog.load().folder
    copy = tmp_path / "catalog"
    shutil.copytree(shipped, copy)
    releases = ReleaseSet.read(copy)
    releases.add(read_release(wheels[0]).extraction)
    releases.write(copy)
    for file in ("releases.json", "flags.jsonl", "variables.jsonl", "messages.jsonl"):
        assert (copy / file).read_bytes() == (shipped / file).read_bytes(), file
