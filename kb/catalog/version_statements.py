"""A paste → where it says which SGLang is installed: check_env, pip, image tags, prose.

Another package's version is never taken for SGLang's: a number counts where `sglang` stands right
before it, or where a line of prose names no other package.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kb.catalog.catalog import Catalog
from kb.errors import CatalogError

__all__ = ["Statement", "release_of", "statements"]

MAX_MENTIONS = 4_000  # of the name; a log that names it in every path is read up to here

REPORT, PACKAGE, PROSE = 3, 2, 1

_VERSION = (
    r"v?(?P<version>\d+\.\d+\.\d+(?:\.?(?:post|rc|dev|a|b)\d+)*(?:\+[A-Za-z0-9.]+)?)(?!\d)(?!\.\d)"
)
_AT = re.compile(_VERSION, re.IGNORECASE)
# What may stand between the name and its version; taken piece by piece, a few at most.
_BETWEEN = re.compile(
    r"""[\s"'`*_()|=@:]+|-(?=v?\d)|\[[\w, -]{0,60}\]|,(?=\s)
    |(?:version|ver\.?|release|is|at|on|of|the|running|using|runtime|server|engine|docker|image|main
    |installed|current(?:ly)?|upgraded|updated|to|be|sglang|v(?=\d))\b
    |버전(?:은|이|을|으로)?|서버|이미지|현재|는|은|을|를|이|의|版本(?:是|为|号)?""",
    re.VERBOSE | re.IGNORECASE,
)
MAX_BETWEEN = 7
WINDOW = 90  # characters after the name in which its version has to stand
# The name goes on: sglang-router, sglang_kernel, sglang.srt, sglang/srt are not the package alone.
_OTHER_NAME = re.compile(r"[-_](?!version)[A-Za-z]|[A-Za-z]|\.[A-Za-z_]|[/><~!]", re.IGNORECASE)
# The version is one that is not running: wanted, compared with, or a bound.
_NOT_RUNNING_BEFORE = re.compile(
    r"""(?:(?<!after\s)(?<!since\s)\b(?:(?:up|down)grad(?:e|ing)|updat(?:e|ing)|move|migrate|switch|go)\s+(?:\w+\s+)?to
    |since|before|until|prior\ to|(?:older|newer|earlier|later|higher|lower)\ than|instead\ of
    |(?:works?|worked|fine|ok|good|fixed|not)\ (?:in|on|with)|requires?|needs?|at\ least|from)
    \s+(?:\w+\s+)?\Z""",
    re.VERBOSE | re.IGNORECASE,
)
_NOT_RUNNING_AFTER = re.compile(
    r"""\s*(?:\+|or\ (?:later|newer|above|higher|older|earlier)|and\ (?:later|newer|above)
    |works\b|worked\b|was\ (?:fine|ok)|이상|이하|이전|이후|부터|까지
    |에서(?:는|도)?\s*(?:잘|됐|정상|괜찮|문제없)
    |(?:으로|로)\s*(?:올리|업그레이드|업데이트|내리|다운그레이드|바꾸)\s*(?:면|려|할|하면|하려|해야|는))""",
    re.VERBOSE | re.IGNORECASE,
)
_MOVED_TO = re.compile(
    r"\s*(?:to|→|->|=>|에서)\s*(?:sglang\s*)?(?:version\s*)?" + _VERSION, re.IGNORECASE
)
_FROM = re.compile(r"\bfrom\s+(?:\w+\s+)?\Z", re.IGNORECASE)

_PIP_SHOW = re.compile(r"Name: sglang[ \t]*\r?\n[ \t]*Version:[ \t]*" + _VERSION)
_JSON_VERSION = re.compile(r"[\"']version[\"']:\s{0,4}[\"']" + _VERSION + r"[\"']")
_JSON_COMPANY = re.compile(r"model_path|internal_states|served_model_name|server_info|/v1/loads")

_BARE = re.compile(
    r"(?<![\w.=/\\:-])(?P<v>v)?(?P<version>\d+\.\d+\.\d+(?:\.post\d+)?)(?![\d/-])(?!\.\d)"
)
_BARE_LABEL = re.compile(
    r"(?:\b(?:version|ver\.?|release|on|in|using|with|running|run|to|v)(?:\s+is)?|버전[은이을]?)"
    r"[\s:=]*\Z",
    re.IGNORECASE,
)
_BARE_PARTICLE = re.compile(
    r"\s?(?:버전|에서|인데|이고|이에요|입니다|씁니다|써요|쓰고|사용"
    r"|(?:으로|로)\s*(?:올렸|올린|올리고|띄웠|띄우|설치|바꿨|바꾼|내렸|내린"
    r"|(?:업그레이드|업데이트|다운그레이드)\s*(?:했|한|하고|하니)))"
)
# A number after one of these words, or a few words further, is its version, not SGLang's.
_OTHER_PACKAGE = re.compile(
    r"""vllm|flashinfer|flash[-_ ]?attn|sgl[-_ ]?kernel|sglang[-_]|sgl[-_]|mooncake|nixl|xgrammar
    |torch|triton|transformers|tokenizers|nccl|cuda|cudnn|driver|deep[-_ ]?ep|deep[-_ ]?gemm|lmcache
    |\bray\b|numpy|python|openai|docker\ version|compose|kubernetes|k8s|ollama|llama|tensorrt|trt
    |gateway|router|nvidia|rocm|aiter|cann|huggingface|hub|peft|accelerate|pydantic|fastapi|uvicorn
    |uvloop|outlines|pip|\buv\b""",
    re.VERBOSE | re.IGNORECASE,
)
_LAST_WORDS = re.compile(r"(?:[A-Za-z][\w.+-]*[\s:=,('\"`]*){0,3}\Z")
_OF_OTHER = re.compile(r"\s*(?:of|의)\s+\S+")
_LOG_LINE = re.compile(
    r"""\s*(?:\[?\d{4}-\d\d-\d\d|\[\d\d:|File\ "|INFO|WARNING|ERROR|Traceback)"""
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A place that names the version in use."""

    start: int  # offsets in the text of the part that says it
    end: int
    release: str  # in the catalogue
    rank: int  # REPORT: a tool's own output; PACKAGE: pip, an image tag, a path; PROSE
    # As it stands there, where that is no release the catalogue knows: `release` stands for it.
    said: str | None = None


def release_of(version: str, catalog: Catalog) -> str | None:
    """Return the release for `version`, that of its base for builds in between; None if unknown."""
    try:
        judged = catalog.judge(version)
    except CatalogError:
        return None
    if judged.remark == "exact":
        return judged.release
    base = re.match(r"v?(\d+\.\d+\.\d+)", version.strip())
    built = re.search(r"rc|dev|a\d|b\d|\+|post0", version)
    if base and built and judged.remark == "nearest":
        return catalog.release(base.group(1)) or judged.release
    return None


def statements(text: str, catalog: Catalog) -> Iterator[Statement]:
    """Yield what `text` states, in no order.

    A version the catalogue lacks is trusted where the name stands before it, and only if it is
    newer than all known or a build of a known one.
    """
    known: dict[str, str | None] = {}
    for start, end, version, rank in _found(text, catalog):
        if version not in known:
            known[version] = release_of(version, catalog) or _newest_for(version, catalog)
        release = known[version]
        if release is None:
            continue
        said = None if catalog.release(version) else version
        if said is None or rank > PROSE or text[start : start + 3].lower() == "sgl":
            yield Statement(start, end, release, rank, said)


def _newest_for(version: str, catalog: Catalog) -> str | None:
    """Return the newest release for a version after it of the same series of years: "0."."""
    if version.lstrip("v").partition(".")[0] != catalog.newest.partition(".")[0]:
        return None
    try:
        judged = catalog.judge(version)
    except CatalogError:
        return None
    return judged.release if judged.remark == "newer" else None


def _found(text: str, catalog: Catalog) -> Iterator[tuple[int, int, str, int]]:
    for at in _places(text, "Name: sglang"):
        shown = _PIP_SHOW.match(text, at)
        if shown:
            yield at, shown.end(), shown.group("version"), REPORT
    for quote in "'\"":
        for at in _places(text, f"{quote}version{quote}"):
            version = _JSON_VERSION.match(text, at)
            if version and _JSON_COMPANY.search(text, max(0, at - 20_000), at + 20_000):
                yield at, version.end(), version.group("version"), REPORT
    # The search is for literals: a pattern that ignores case is slow over a whole log.
    for name in ("sglang", "SGLang", "SGLANG", "Sglang", "SGlang", "sgl-dev:"):
        for at in _places(text, name):
            if at == 0 or not (text[at - 1].isalnum() or text[at - 1] == "_"):
                yield from _after_name(text, at, at + len(name.rstrip(":")))
    for series in sorted({".".join(release.split(".")[:2]) + "." for release in catalog.releases}):
        yield from _bare(text, series)


def _places(text: str, literal: str) -> Iterator[int]:
    at = text.find(literal)
    for _ in range(MAX_MENTIONS):
        if at < 0:
            return
        yield at
        at = text.find(literal, at + len(literal))


def _after_name(text: str, start: int, end: int) -> Iterator[tuple[int, int, str, int]]:
    if _OTHER_NAME.match(text, end):
        return
    line_low, line_high = _line_of(text, start)
    stop = min(line_high, end + WINDOW)
    at = end
    for _ in range(MAX_BETWEEN):
        version = _AT.match(text, at, stop)
        if version:
            yield from _running(text, start, version, _rank(text, line_low, start, end, at))
            return
        between = _BETWEEN.match(text, at, stop)
        if between is None or between.end() == at:
            break
        at = between.end()
    # "upgraded sglang from 0.5.3 to 0.5.9"
    origin = re.compile(r"\s+from\s+" + _VERSION, re.IGNORECASE).match(text, end, stop)
    moved = _MOVED_TO.match(text, origin.end(), stop) if origin else None
    if moved:
        yield start, moved.end(), moved.group("version"), PROSE


def _rank(text: str, line: int, start: int, end: int, version: int) -> int:
    between = text[end:version]
    before = text[line:start][-80:]
    if between.startswith((":", " version:")) and not before.endswith("/"):
        alone = not before.strip() or before.endswith("  ") or before.rstrip().endswith("|")
        if alone or between.startswith(" version:"):
            return REPORT
    if not before.strip() and len(between) > 1 and not between.strip():
        return REPORT  # a row of `pip list`
    if between in ("", "-", "-v", "@", ":", ":v") or between.strip().startswith("=="):
        return PACKAGE
    if re.fullmatch(r"\[[^\]]*\]\s*=+\s*", between):
        return PACKAGE
    return PROSE


def _running(
    text: str, start: int, version: re.Match[str], rank: int
) -> Iterator[tuple[int, int, str, int]]:
    if rank == PROSE:
        before = text[max(0, start - 40) : version.start()]
        moved = _MOVED_TO.match(text, version.end(), version.end() + 40)
        if moved:
            yield start, moved.end(), moved.group("version"), PROSE
            return
        named = text[max(0, start - 40) : start]  # "since sglang 0.5.9": the name is in between
        if _NOT_RUNNING_BEFORE.search(before) or _NOT_RUNNING_BEFORE.search(named):
            return
        if _NOT_RUNNING_AFTER.match(text, version.end(), version.end() + 40):
            return
    yield start, version.end(), version.group("version"), rank


def _bare(text: str, series: str) -> Iterator[tuple[int, int, str, int]]:
    """Yield versions of `series` ("0.5.") that stand in prose without a name: "on v0.5.3"."""
    for at in _places(text, series):
        start = at - 1 if at and text[at - 1] == "v" else at
        match = _BARE.match(text, start)
        if match is None:
            continue
        low, _ = _line_of(text, match.start())
        low = max(low, match.start() - 200)
        before, end = text[low : match.start()], match.end()
        labelled = match.group("v") or _BARE_LABEL.search(before[-24:])
        if not labelled and not _BARE_PARTICLE.match(text, end, end + 16):
            continue
        if _LOG_LINE.match(before) or _of_another_package(text, before, end):
            continue
        moved = _MOVED_TO.match(text, end, end + 40)
        if moved:
            yield match.start(), moved.end(), moved.group("version"), PROSE
            continue
        if _NOT_RUNNING_BEFORE.search(before[-40:]) or _NOT_RUNNING_AFTER.match(
            text, end, end + 40
        ):
            continue
        if _FROM.search(before):
            continue
        yield match.start(), end, match.group("version"), PROSE


def _of_another_package(text: str, before: str, end: int) -> bool:
    words = _LAST_WORDS.search(before[-60:])
    after = _OF_OTHER.match(text, end, end + 40)
    return any(found and _OTHER_PACKAGE.search(found.group()) for found in (words, after))


def _line_of(text: str, at: int) -> tuple[int, int]:
    end = text.find("\n", at)
    return text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end
