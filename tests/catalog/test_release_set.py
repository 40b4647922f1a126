from __future__ import annotations

import itertools
import json
from pathlib import Path

from kb.catalog.catalog import Catalog
from kb.catalog.forms import FlagForm, VariableForm
from kb.catalog.release_set import Extraction, ReleaseSet


def _release(version: str, *flags: str, default: int = 1, **messages: str) -> Extraction:
    return Extraction(
        version,
        "2026-01-01",
        {flag: FlagForm(flag[2:], type="int", default=default) for flag in flags},
        {"SGLANG_X": VariableForm("bool", False)},
        {text.replace("_", " "): (kind, "srt/a.py") for text, kind in messages.items()},
    )


RELEASES = (
    _release("0.9.9", "--a", "--b", out_of_memory="raise"),
    _release("0.9.10", "--a", out_of_memory="info", no_gpu_found="raise"),
    _release("0.9.10.post1", "--a", "--b", default=2, no_gpu_found="raise"),
    _release("0.9.11", "--a", "--b", default=2, out_of_memory="raise", no_gpu_found="raise"),
)


def _files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def _written(folder: Path, *extractions: Extraction) -> dict[str, bytes]:
    """Add each release in a run of its own, as separate commands do."""
    for extraction in extractions:
        releases = ReleaseSet.read(folder)
        releases.add(extraction)
        releases.write(folder)
    return _files(folder)


def test_the_order_in_which_releases_are_added_makes_no_difference(tmp_path: Path):
    results = [
        _written(tmp_path / str(number), *order)
        for number, order in enumerate(itertools.permutations(RELEASES))
    ]
    assert all(result == results[0] for result in results)


def test_adding_a_release_again_changes_no_byte(tmp_path: Path):
    before = _written(tmp_path, *RELEASES)
    assert _written(tmp_path, RELEASES[1]) == before
    assert _written(tmp_path, RELEASES[3]) == before


def test_runs_follow_the_order_of_versions_and_show_gaps(tmp_path: Path):
    _written(tmp_path, *RELEASES)
    catalog = Catalog(tmp_path)
    assert catalog.releases == ("0.9.9", "0.9.10", "0.9.10.post1", "0.9.11")
    a, b = catalog.flags["--a"], catalog.flags["--b"]
    assert a.spans == (("0.9.9", "0.9.11"),)
    assert [(run.first, run.last, run.form.default) for run in a.runs] == [
        ("0.9.9", "0.9.10", 1),
        ("0.9.10.post1", "0.9.11", 2),
    ]
    assert b.spans == (("0.9.9", "0.9.9"), ("0.9.10.post1", "0.9.11"))


def test_a_message_keeps_the_place_of_its_newest_release_and_all_spans(tmp_path: Path):
    _written(tmp_path, *RELEASES)
    messages = {message.template: message for message in Catalog(tmp_path).messages}
    memory = messages["out of memory"]
    assert (memory.kind, memory.file) == ("raise", "srt/a.py")
    assert memory.spans == (("0.9.9", "0.9.10"), ("0.9.11", "0.9.11"))
    assert (memory.first, memory.last) == ("0.9.9", "0.9.11")


def test_a_new_release_that_changes_nothing_changes_only_the_list_of_releases(tmp_path: Path):
    before = _written(tmp_path, *RELEASES)
    last = RELEASES[3]
    newer = Extraction("0.9.12", None, last.flags, last.variables, last.messages)
    after = _written(tmp_path, newer)
    assert {name for name in before if before[name] != after[name]} == {"releases.json"}


def test_a_release_that_is_read_better_takes_the_place_of_what_was_known(tmp_path: Path):
    _written(tmp_path, *RELEASES)
    _written(tmp_path, _release("0.9.10", "--a", "--c", default=1))
    catalog = Catalog(tmp_path)
    assert catalog.flags["--c"].spans == (("0.9.10", "0.9.10"),)
    assert catalog.accepted_spellings("0.9.10") == {"--a", "--c"}


def test_every_entry_is_one_line_of_json_in_order(tmp_path: Path):
    for name, content in _written(tmp_path, *RELEASES).items():
        text = content.decode("utf-8")
        assert text.endswith("\n")
        if name.endswith(".jsonl"):
            names = [json.loads(line)[0] for line in text.splitlines()]
            assert names == sorted(names)


def test_false_zero_and_none_are_kept_apart(tmp_path: Path):
    values = [False, 0, None, "", 0.0, [], "None"]
    flags = {f"--x{n}": FlagForm("x", default=value) for n, value in enumerate(values)}
    _written(tmp_path, Extraction("1.0", None, flags, {}, {}))
    catalog = Catalog(tmp_path)
    read = [catalog.flags[f"--x{n}"].runs[0].form.default for n in range(len(values))]
    assert [(type(value), value) for value in read] == [(type(v), v) for v in values]
