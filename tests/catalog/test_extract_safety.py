from __future__ import annotations

import os
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from written_packages import MINIMAL, write_package

from kb.catalog.extract import read_release
from kb.catalog.extract_sources import Sources
from kb.errors import CatalogError

TRAP = """
import pathlib, os
pathlib.Path({marker!r}).touch()
os.environ["SGLANG_TRAPPED"] = "1"
raise SystemExit(3)
"""


def test_nothing_that_is_read_is_imported_or_executed(tmp_path: Path):
    marker = tmp_path / "executed"
    trap = TRAP.format(marker=str(marker))
    package = write_package(
        tmp_path / "p",
        __init__=trap,
        srt__server_args=trap + MINIMAL + f"\n{trap}",
        srt__environ=trap,
        version="1.2.3",
    )
    before = set(sys.modules)
    assert read_release(package).extraction.version == "1.2.3"
    assert not marker.exists()
    assert "SGLANG_TRAPPED" not in os.environ
    assert not {name for name in set(sys.modules) - before if name.split(".")[0] == "sglang"}


def test_the_code_that_reads_has_no_way_to_execute():
    folder = Path(__file__).parents[2] / "kb" / "catalog"
    for file in folder.glob("extract*.py"):
        source = file.read_text(encoding="utf-8")
        for banned in ("exec(", "eval(", "importlib", "__import__", "subprocess", "literal_eval"):
            assert banned not in source, f"{file.name} has {banned}"


@settings(max_examples=150, deadline=None)
@given(text=st.text(max_size=300))
def test_arbitrary_text_as_source_never_raises(tmp_path_factory, text: str):
    package = write_package(tmp_path_factory.mktemp("p"))
    for file in ("srt/server_args.py", "srt/environ.py", "srt/other.py"):
        (package / "sglang" / file).write_bytes(text.encode("utf-8", errors="surrogatepass"))
    read_release(package)


_PYTHON = st.lists(
    st.sampled_from(
        [
            "class ServerArgs:",
            "    x: A[int, 'h'] = X",
            "    y: A[Literal[1], Arg(cli_name=3, aliases=4, no_cli=y)]",
            "    def add_cli_args(parser):",
            "        parser.add_argument('--a', *b, **c)",
            "        parser.add_argument(3, choices=X, nargs=X, action=X)",
            "        parser.add_argument()",
            "        parser.add_argument('--n', choices=5, type=lambda s: s, default=[{}])",
            "        add_cli_args_from_dataclass(parser)",
            "        f(parser)",
            "X = X",
            "X = [X, *X]",
            "X = {1: 2, **X}",
            "X = {[]: 1}",
            "X = 'a' % ()",
            "raise ValueError",
            "raise ValueError(*a, **b)",
            "assert 0, X",
            "os.getenv(*a)",
            "os.environ[X]",
            "for (k, v) in X.items(): os.getenv(k)",
            "class Envs:",
            "    A = EnvBool()",
            "    B = EnvInt(default=X, deprecated_name=X)",
            "_DEPRECATED = {X: X, 'a': f(), **X}",
            "_print_deprecated_env()",
        ]
    ),
    max_size=12,
)


@settings(max_examples=200, deadline=None)
@given(lines=_PYTHON)
def test_odd_python_never_raises(tmp_path_factory, lines: list[str]):
    package = write_package(tmp_path_factory.mktemp("p"))
    text = "\n".join(lines) + "\n"
    for file in ("srt/server_args.py", "srt/environ.py"):
        (package / "sglang" / file).write_text(text, encoding="utf-8")
    read_release(package)


@pytest.mark.parametrize(
    "source",
    ["(" * 3000 + ")" * 3000, "x = " + "+".join(["1"] * 20_000), "x = " + "-" * 5000 + "1", "\0"],
)
def test_sources_made_to_exhaust_the_parser_are_reported_or_read(tmp_path: Path, source: str):
    read_release(write_package(tmp_path, srt__bomb=source))


def test_a_byte_order_mark_is_no_error(tmp_path: Path):
    package = write_package(tmp_path)
    (package / "sglang/srt/x.py").write_bytes(b"\xef\xbb\xbfprint('hello out there')\n")
    read = read_release(package)
    assert read.unknown == ()
    assert "hello out there" in read.extraction.messages


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04broken", b"no archive at all"])
def test_what_is_no_release_is_a_clear_error(tmp_path: Path, content: bytes):
    file = tmp_path / "sglang-1.0-py3-none-any.whl"
    file.write_bytes(content)
    with pytest.raises(CatalogError, match="pip download"):
        Sources.from_path(file)
    with pytest.raises(CatalogError, match="neither a wheel"):
        Sources.from_path(tmp_path / "missing.whl")


def test_a_folder_without_the_server_is_a_clear_error(tmp_path: Path):
    (tmp_path / "sglang").mkdir()
    with pytest.raises(CatalogError, match=r"srt/server_args\.py"):
        Sources.from_path(tmp_path)


def test_wheel_sdist_and_folder_give_the_same(tmp_path: Path):
    package = write_package(tmp_path / "tree", srt__shown="print('hello out there')\n")
    files = sorted(package.rglob("*.py"))
    wheel, sdist = tmp_path / "sglang-9.9.1.whl", tmp_path / "sglang-9.9.1.tar.gz"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in files:
            archive.write(file, file.relative_to(package))
        archive.writestr("sglang-9.9.1.dist-info/METADATA", "Name: sglang\nVersion: 9.9.1\n")
    with tarfile.open(sdist, "w:gz") as archive:
        for file in files:
            archive.add(file, Path("sglang-9.9.1") / file.relative_to(package))
    results = [read_release(path).extraction for path in (package, wheel, sdist)]
    assert len({result.version for result in results}) == 1
    assert results[0].flags == results[1].flags == results[2].flags
    assert results[0].messages == results[1].messages == results[2].messages
    assert results[1].date is not None
