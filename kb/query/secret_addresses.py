"""A paste in, its IP addresses and host names out: nothing secret, but not everybody's business.

A host name has no form of its own (`torch.cuda.memory` looks like one), so it is found where one
must stand: in an address, after `--host` and its kin, in NCCL's prefix, under an internal domain.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

from kb.query.secret_spans import PasteBytes, Span, as_text

__all__ = ["find_hosts", "find_ip_addresses"]

_IPV4 = re.compile(rb"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")
_IPV6 = re.compile(rb"[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:]{2,40}(?:[0-9.]{7,15})?")
# `nvidia-cublas-cu12==12.4.5.8` and its like in a list of packages are versions.
_VERSION = re.compile(rb"(?:[=<>~]=?=|[=<>~]=|[vV_-]|nvidia-[\w-]+[ \t]+|[vV]ersion:? *)\Z")


def find_ip_addresses(paste: PasteBytes) -> Iterator[Span]:
    """Yield IPv4 and IPv6 addresses but those that every machine has: loopback, unspecified."""
    view = paste.view
    for found in _IPV4.finditer(view):
        start, end = found.span()
        line = view[max(0, start - 60) : start].rpartition(b"\n")[2]
        after = view[end : end + 2]
        if line[-1:].isalnum() or line.endswith(b".") or _VERSION.search(line):
            continue
        if after[:1].isalnum() or (after[:1] == b"." and after[1:].isdigit()):
            continue
        if _is_somebodys(found.group()):
            yield Span(start, end, "ip-address", found.group(), by_key=True)
    for found in _IPV6.finditer(view):
        value = found.group().rstrip(b":.") if not found.group().endswith(b"::") else found.group()
        start, end = found.start(), found.start() + len(value)
        beside = view[max(0, start - 1) : start] + view[end : end + 1]
        if value.count(b":") < 2 or any(chr(byte).isalnum() for byte in beside):
            continue
        if _is_somebodys(value):
            yield Span(start, end, "ip-address", value, by_key=True)


def _is_somebodys(value: bytes) -> bool:
    try:
        address = ipaddress.ip_address(as_text(value))
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


_HOST = rb"(?P<v>[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?)"
# After a colon may stand a sentence: a name has a digit, a dot or a hyphen there.
_TELLING_HOST = rb"(?=[a-z]{0,63}[0-9.-])" + _HOST
_HOST_PLACES = (
    (b"://", re.compile(rb"://(?:[^\s/@]{0,300}@)?" + _HOST)),
    (b"@", re.compile(rb"@" + _HOST + rb"(?=:[~/\d])")),
    (
        b"host",
        re.compile(rb"host(?:[_-]?name|ip)?[\"']?[ \t]{0,8}[=:][ \t]{0,8}[\"']?" + _TELLING_HOST),
    ),
    (b"--host", re.compile(rb"--host[= ]+[\"']?" + _HOST)),
    (b"-addr", re.compile(rb"-addr[= ]+[\"']?" + _HOST)),
    (b"addr", re.compile(rb"addr(?:ess)?[\"']?[ \t]{0,8}[=:][ \t]{0,8}[\"']?" + _TELLING_HOST)),
    (b"endpoint", re.compile(rb"endpoint[\"']?[ \t]{0,8}[=:][ \t]{0,8}[\"']?" + _TELLING_HOST)),
    (b"node", re.compile(rb"node(?:name)?[\"']?[=:][ \t]{0,8}[\"']?" + _TELLING_HOST)),
    (
        b".",
        re.compile(
            rb"(?<![\w.-])(?P<v>[a-z0-9][a-z0-9-]{0,62}(?:\.[a-z0-9-]{1,63}){0,8}"
            rb"\.(?:local|internal|lan|corp|intranet|intra|svc))(?![\w-]|\.\w)"
        ),
    ),
)
_NCCL = re.compile(rb":\d{1,9}:\d{1,9} \[\d{1,3}\] nccl ")
_HOST_BYTES = b"abcdefghijklmnopqrstuvwxyz0123456789.-"
# Hosts everybody has in their logs: they say nothing about who runs the server.
_PUBLIC = re.compile(
    rb"(?:.*\.)?(?:localhost|github\.com|github\.io|githubusercontent\.com|docker\.io|docker\.com"
    rb"|huggingface\.co|hf\.co|hf-mirror\.com|modelscope\.cn|modelscope\.ai|nvidia\.com|nvcr\.io"
    rb"|sglang\.ai|sglang\.io|lmsys\.org|flashinfer\.ai|pytorch\.org|python\.org|pypi\.org"
    rb"|readthedocs\.io|pydantic\.dev|kernel\.org|example\.com|example\.org)"
)
_NO_HOST = re.compile(rb"[0-9.]*|none|null|true|false|(?:torch|sglang|threading|self)\..*")


def find_hosts(paste: PasteBytes) -> Iterator[Span]:
    """Yield host names where one must stand, but those of public sites."""
    for start, end in _host_places(paste.folded):
        value = paste.folded[start:end]
        if len(value) < 2 or paste.raw[start:end].isupper() or paste.raw[end : end + 1] == b"_":
            continue  # `http://PREFILL_IP:8998`
        if paste.raw.startswith(b"://", end):
            continue
        if not _NO_HOST.fullmatch(value) and not _PUBLIC.fullmatch(value):
            yield Span(start, end, "host", value, by_key=True)


def _host_places(folded: bytes) -> Iterator[tuple[int, int]]:
    for literal, pattern in _HOST_PLACES:
        if literal in folded:
            yield from (found.span("v") for found in pattern.finditer(folded))
    for found in _NCCL.finditer(folded):  # `host:pid:thread [gpu] NCCL INFO …`
        before = folded[max(0, found.start() - 253) : found.start()]
        name = before[len(before.rstrip(_HOST_BYTES)) :]
        yield found.start() - len(name), found.start()
