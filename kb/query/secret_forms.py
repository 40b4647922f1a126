"""What secrets look like by themselves: the forms of providers' keys, tokens and signed texts.

Facts about each form are its provider's; all patterns are over bytes, so that offsets stay valid
whatever the script, and each is linear: it starts at a boundary and never looks back over a run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

__all__ = [
    "FORMS",
    "MIN_RUN",
    "PREFIXED",
    "PREFIXES",
    "PRIVATE_KEY_BEGIN",
    "PRIVATE_KEY_END",
    "SecretForm",
    "SecretKind",
    "looks_issued",
    "looks_random",
]

SecretKind = Literal[
    "api-key",
    "token",
    "secret",
    "password",
    "private-key",
    "ssh-key",
    "cookie",
    "signature",
    "email",
    "ip-address",  # only where addresses are asked to be hidden
    "host",  # likewise
]

# The shortest unbroken run of [A-Za-z0-9_-] in any form of `PREFIXED`.
MIN_RUN = 16

_W = r"[\w-]"
# Kind → what a run of [A-Za-z0-9_-] looks like from its start. Upper and lower case count.
PREFIXES: tuple[tuple[SecretKind, tuple[str, ...]], ...] = (
    (
        "api-key",
        (
            # OpenAI, Anthropic, DeepSeek, DashScope, Moonshot, OpenRouter, LiteLLM, Langfuse, …
            rf"sk-{_W}{{16,}}",
            r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}",  # Stripe
            r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",  # AWS access key ids
            r"ABSK[A-Za-z0-9]{60,}[A-Za-z0-9+/=]*",  # AWS Bedrock
            rf"bedrock-api-key-{_W}{{40,}}[\w+/=.-]*",
            rf"AIza{_W}{{35}}",  # Google Cloud
            rf"nvapi-{_W}{{40,}}",  # NVIDIA NGC and NIM
            r"wandb_v1_\w{40,}",  # Weights & Biases, since 2025
            r"gsk_[A-Za-z0-9]{40,}",  # Groq
            r"xai-[A-Za-z0-9]{60,}",
            r"pplx-[A-Za-z0-9]{40,}",  # Perplexity
            r"csk-[a-z0-9]{40,}",  # Cerebras
            r"fw_[A-Za-z0-9]{20,}",  # Fireworks
            rf"tgp_v1_{_W}{{40,}}",  # Together
            r"up_[A-Za-z0-9]{25,}",  # Upstage
            r"nv-[0-9a-f]{32}[A-Za-z0-9]{0,8}",  # Naver Clova Studio
            r"jina_[A-Za-z0-9]{50,}",
            rf"tvly-{_W}{{20,}}",  # Tavily
            rf"pa-{_W}{{40,}}",  # Voyage
            r"pcsk_\w{40,}",  # Pinecone
            r"lsv2_(?:pt|sk)_\w{30,}",  # LangSmith
            r"rpa_[A-Z0-9]{40,}\w*",  # RunPod
            r"LTAI[A-Za-z0-9]{12,26}(?![A-Za-z0-9])",  # Alibaba Cloud
            r"AKID[A-Za-z0-9]{28,36}(?![A-Za-z0-9])",  # Tencent Cloud
            rf"AKLT{_W}{{20,}}",  # Volcengine
            r"NRAK-[A-Z0-9]{27}",  # New Relic
        ),
    ),
    (
        "token",
        (
            r"(?:hf|api_org)_[A-Za-z0-9]{30,}",  # Hugging Face
            r"gh[pousr]_[A-Za-z0-9]{30,}",  # GitHub
            r"github_pat_\w{22,}",
            rf"gl(?:pat|dt|rt|rtr|cbt|ptt|ft|soat|imt|agent|oas|wt|ffct)-{_W}{{16,}}",  # GitLab
            rf"xox[abceoprs]-{_W}{{10,}}",  # Slack
            rf"xapp-\d-{_W}{{20,}}",
            r"ms-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}",  # ModelScope
            r"r8_[A-Za-z0-9]{30,}",  # Replicate
            r"dapi[0-9a-f]{32}(?:-\d)?",  # Databricks
            rf"pypi-AgE{_W}{{50,}}",
            r"npm_[A-Za-z0-9]{36}",
            rf"dckr_(?:pat|oat)_{_W}{{20,}}",  # Docker Hub
            r"do[opr]_v1_[0-9a-f]{64}",  # DigitalOcean
            r"glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}",  # Grafana
            r"glc_eyJ[A-Za-z0-9+/=]{40,}",
            r"sntry[su]_[A-Za-z0-9_+/=-]{40,}",  # Sentry
            rf"tskey-[a-z]{{2,12}}-{_W}{{20,}}",  # Tailscale
        ),
    ),
    ("secret", (rf"GOCSPX-{_W}{{20,}}", r"whsec_[A-Za-z0-9+/=]{20,}")),  # Google OAuth, webhooks
    ("private-key", (r"AGE-SECRET-KEY-1[0-9A-Z]{50,}",)),
)

# Group name → kind; one alternation, tried once at the start of each run.
_GROUPS = {kind.replace("-", "_"): kind for kind, _ in PREFIXES}
PREFIXED: tuple[re.Pattern[bytes], dict[str, SecretKind]] = (
    re.compile(
        "|".join(
            f"(?P<{kind.replace('-', '_')}>{'|'.join(patterns)})" for kind, patterns in PREFIXES
        ).encode()
    ),
    _GROUPS,
)


@dataclass(frozen=True, slots=True)
class SecretForm:
    """A secret that its surroundings betray; group `v` of the pattern is what is hidden."""

    kind: SecretKind
    literal: bytes  # in every match; without it in the text, the pattern is not tried
    pattern: re.Pattern[bytes]
    any_case: bool = False  # looked for in the lower-cased text


def _form(kind: SecretKind, literal: str, pattern: str, *, any_case: bool = False) -> SecretForm:
    return SecretForm(kind, literal.encode(), re.compile(pattern.encode()), any_case)


_WORD = r"[A-Za-z0-9_-]"
FORMS: tuple[SecretForm, ...] = (
    # JSON Web Tokens, signed or encrypted
    _form(
        "token",
        "eyJ",
        rf"(?P<v>eyJ(?<!{_WORD}eyJ){_W}{{8,}}\.{_W}{{8,}}(?:\.{_W}+){{0,3}}\.?)",
    ),
    _form("token", "ya29.", rf"(?P<v>ya29\.(?<![A-Za-z0-9]ya29\.){_W}{{20,}})"),  # Google OAuth
    _form("token", "1//0", rf"(?P<v>1//0(?<![\w/]1//0){_W}{{30,}})"),  # its refresh tokens
    _form("token", "hvs.", rf"(?P<v>hvs\.(?<!\whvs\.){_W}{{20,}})"),  # HashiCorp Vault
    _form("token", "hvb.", rf"(?P<v>hvb\.(?<!\whvb\.){_W}{{20,}})"),
    _form("api-key", "SG.", rf"(?P<v>SG\.(?<!\wSG\.){_W}{{16,}}\.{_W}{{16,}})"),  # SendGrid
    _form("api-key", "bce-v3/", r"(?P<v>bce-v3/ALTAK-\w+/[0-9a-f]{40})"),  # Baidu
    _form("secret", "Q~", r"(?P<v>(?<![\w.~-])[\w.~-]{3}\dQ~[\w.~-]{31,34})"),  # Azure AD
    _form("token", ":AA", rf"(?P<v>:AA(?<=\d{{8}}:AA){_W}{{33}})"),  # Telegram bots
    _form("secret", "hooks.slack.com/", r"hooks\.slack\.com/[a-z]+/(?P<v>[\w/]{20,})"),
    _form("secret", "/api/webhooks/", rf"/api/webhooks/\d+/(?P<v>{_W}{{20,}})"),  # Discord
    # a key in PEM, once more in Base64 (kubeconfig, Kubernetes secrets); certificates are public
    _form(
        "private-key",
        "LS0tLS1CRUdJTi",
        r"(?P<v>LS0tLS1CRUdJTi(?!BDRVJU|BQVUJMSUMg)[A-Za-z0-9+/=]{40,})",
    ),
    # the body of a public SSH key names its owner
    _form("ssh-key", "AAAA", r"(?P<v>AAAA(?:[A-Z]3NzaC1|E2VjZHNh)[A-Za-z0-9+/=]{30,})"),
    # login commands and files that name no key
    _form(
        "api-key", "wandb login", r"wandb login(?:[ \t]+--\S+){0,4}[ \t]+(?P<v>[A-Za-z0-9_-]{20,})"
    ),
    _form(
        "password",
        "machine ",
        r"machine\s{1,9}\S{1,253}\s{1,9}login\s{1,9}\S{1,200}\s{1,9}password\s{1,9}(?P<v>\S+)",
    ),
    _form("password", "sshpass ", r"sshpass +-p *(?P<q>['\"]?)(?P<v>[^\s'\"]+)"),
    _form(
        "password",
        "docker login",
        r"docker login(?:[ \t]+[^\s-]\S{0,200}|[ \t]+-[^\sp]\S{0,200}){0,6}"
        r"[ \t]+-p[ \t]*['\"]?(?P<v>[^\s'\"]+)",
    ),
    # the registry passwords in a Docker configuration
    _form("password", '"auth"', r'"auth"\s{0,9}:\s{0,9}"(?P<v>[A-Za-z0-9+/=]{12,})"'),
    _form(
        "token",
        "bearer",
        r"bearer(?<![a-z0-9_-]bearer)[ \t]+(?P<v>(?=[a-z._~+/=-]{0,64}[0-9])[\w.~+/=-]{8,})",
        any_case=True,
    ),
    # requests signed by AWS, Google, Alibaba, Tencent, Azure, CloudFront and the Hub's file store
    _form(
        "signature",
        "signature=",
        r"signature=(?<![a-z0-9_]signature=)(?P<v>(?=[^\s&\"']{0,64}[0-9])[\w%~+/=.-]{16,})",
        any_case=True,
    ),
    _form("signature", "sig=", r"(?:[?&;]|u0026)sig=(?P<v>[\w%~+/=.-]{16,})", any_case=True),
)

PRIVATE_KEY_BEGIN = re.compile(rb"-{4,5} ?BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
PRIVATE_KEY_END = re.compile(rb"-{4,5} ?END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}")


def looks_random(value: str, least: int = MIN_RUN) -> bool:
    """Whether `value` has the letters and digits of a made-up key rather than of a word or name."""
    if len(value) < least or len(set(value)) < 6:
        return False
    digits = sum(char.isdigit() for char in value)
    letters = sum(char.isalpha() for char in value)
    return digits >= 2 and letters >= 2


def looks_issued(value: str) -> bool:
    """Whether a value of a provider's form is a key, rather than words or `xxxx` in its place."""
    return len(set(value)) >= 8 and not (value.islower() and not any(map(str.isdigit, value)))
