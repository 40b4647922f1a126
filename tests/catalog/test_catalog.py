from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.version import Version

from kb.catalog import Catalog
from kb.errors import CatalogError


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog.load()


def test_every_final_release_from_0_3_0_is_in_it_in_order(catalog: Catalog):
    assert (catalog.releases[0], len(catalog.releases)) >= ("0.3.0", 110)
    assert list(catalog.releases) == sorted(catalog.releases, key=Version)
    dates = [catalog.dates[release] for release in catalog.releases]
    assert all(date is not None and date >= "2024-09-03" for date in dates)


def test_it_holds_what_it_says(catalog: Catalog):
    assert len({history.name for history in catalog.flags.values()}) >= 630
    assert len(catalog.variables) >= 1100
    assert len(catalog.messages) >= 20_000


@pytest.mark.parametrize(
    ("version", "release"),
    [
        ("0.5.9", "0.5.9"),
        ("v0.5.9", "0.5.9"),
        (" 0.5.9 ", "0.5.9"),
        ("0.5.10.post1", "0.5.10.post1"),
        ("0.5.9+cu129", "0.5.9"),
        ("0.5.99", None),
        ("0.5.10rc0", None),
        ("0.5.12.post9", None),
    ],
)
def test_a_version_names_a_release_or_none(catalog: Catalog, version, release):
    assert catalog.release(version) == release


@pytest.mark.parametrize(
    ("version", "release", "remark"),
    [
        (None, "0.5.23", "unstated"),
        ("0.5.9", "0.5.9", "exact"),
        ("99.0", "0.5.23", "newer"),
        ("0.5.10rc0", "0.5.10", "nearest"),
        ("0.5.10.dev123+gabc1234", "0.5.10", "nearest"),
        ("0.5.12.post9", "0.5.12.post1", "nearest"),
    ],
)
def test_the_release_that_judges_a_version_is_named(catalog, version, release, remark):
    judged = catalog.judge(version)
    if remark in ("unstated", "newer"):
        release = catalog.newest
    assert (judged.release, judged.remark) == (release, remark)


@pytest.mark.parametrize("version", ["latest", "", "0.5.x", "0.5.9; rm -rf /", "main"])
def test_no_version_is_an_error_that_names_the_newest(catalog: Catalog, version: str):
    with pytest.raises(CatalogError, match=catalog.newest.replace(".", r"\.")):
        catalog.judge(version)


def test_a_version_before_the_catalogue_is_an_error_that_says_where_it_begins(catalog: Catalog):
    with pytest.raises(CatalogError, match=r"0\.3\.0"):
        catalog.judge("0.2.15")


def test_a_missing_folder_is_an_error_with_the_command_that_makes_one(tmp_path: Path):
    with pytest.raises(CatalogError, match="kb catalog extract"):
        Catalog(tmp_path / "nothing")


def test_an_empty_catalogue_file_holds_nothing_and_a_broken_line_is_named(tmp_path: Path):
    (tmp_path / "releases.json").write_text('[["1.0",null]]', encoding="utf-8")
    (tmp_path / "flags.jsonl").write_text('["--a",[["1.0",null,{"field":"a"}]]]\n["--b"', "utf-8")
    (tmp_path / "variables.jsonl").write_text("", "utf-8")
    (tmp_path / "messages.jsonl").write_text("", "utf-8")
    broken = Catalog(tmp_path)
    assert (len(broken.variables), len(broken.messages)) == (0, 0)
    with pytest.raises(CatalogError, match=r"flags\.jsonl:2"):
        _ = broken.flags


def test_an_alias_leads_to_its_option(catalog: Catalog):
    assert catalog.flags["--model"] is catalog.flags["--model-path"]
    assert catalog.flags["--tensor-parallel-size"].name == "--tp-size"
    assert catalog.flags["--tp-size"].spans == (("0.3.0", catalog.newest),)


def test_a_spelling_has_spans_of_its_own(catalog: Catalog):
    assert catalog.flags["--model-path"].first == "0.3.0"
    assert catalog.spans_of("--model")[0][0] > "0.4"
    assert catalog.spans_of("--cuda-graph-max-bs") == (("0.3.5", "0.5.19"),)


def test_help_is_accepted_everywhere(catalog: Catalog):
    for release in catalog.releases:
        assert {"-h", "--help"} <= catalog.accepted_spellings(release)


def test_defaults_and_choices_are_those_of_the_release(catalog: Catalog):
    policy = catalog.flags["--schedule-policy"]
    assert policy.runs[0].form.default == "lpm"
    assert policy.runs[-1].form.default == "fcfs"
    _, form = catalog.options("0.5.23")["--kv-cache-dtype"]
    assert form.choices is not None
    assert {"nvfp4", "mxfp8"} <= set(form.choices)
    assert "fp4_e2m1" not in form.choices


def test_a_flag_and_its_field_may_differ(catalog: Catalog):
    assert catalog.flags["--fp8-gemm-backend"].field == "fp8_gemm_runner_backend"
    assert catalog.fields["fp8_gemm_runner_backend"] == "--fp8-gemm-backend"
    assert catalog.fields["tp_size"] == "--tp-size"


def test_a_messages_line_is_read_alike_as_bytes_and_as_json(catalog: Catalog):
    from kb.catalog.messages import template_of

    for line in catalog.message_lines:
        assert template_of(line).decode() == json.loads(line)[0]


def test_the_catalogue_imports_nothing_heavy_of_its_own():
    code = (
        "import sys, kb.types, kb.strings, kb.settings; before = set(sys.modules);"
        "import kb.catalog; c = kb.catalog.Catalog.load(); c.flags; c.variables;"
        "kb.catalog.check_flag(c, '--tp', '0.5.9');"
        "new = {name.split('.')[0] for name in set(sys.modules) - before};"
        "print(sorted(new & {'numpy', 'faiss', 'torch', 'yaml', 'packaging', 'ahocorasick'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
