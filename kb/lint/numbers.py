"""Text of one language in; the numbers it states out, comparable with the other language's."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.types import Language

__all__ = ["numbers_of", "spelled_out"]

# Digits behind a letter, `_`, or a letter and `-` are part of a name, so are those before letters
# and digits: H100, FP8, RTX-4090, 4bit2x. A unit may follow: 80GB, 20초, 32k, 3만 2000.
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.])(?<![A-Za-z_][-/])(?<!\d[,.])"
    r"(?P<digits>\d+(?:,\d{3})*(?:\.\d+)*)"
    r"(?P<release>\.?(?:post|rc|dev)\d*)?"
    r"(?P<name>[A-Za-z_]+\d\w*)?"
    r"(?: ?(?:(?P<unit>thousand|million|billion|[kKmM](?![A-Za-z]))"
    r"|(?P<myriad>[만천])(?: (?P<rest>\d+))?))?"
)
_ADDRESS = re.compile(r"\S*(?:://|www\.)\S*|\{[#.:][^{}]*\}")
_FACTORS = {"천": 1000, "만": 10_000, "k": 1000, "thousand": 1000}
_FACTORS |= {"m": 1_000_000, "million": 1_000_000, "billion": 1_000_000_000}
_WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "0": "zero|no|none",
        "1": "one|once|single|first|an?|only|each|every|alone",
        "2": "two|twice|both|second|double|pair|half|either|other",
        "3": "three|third|triple",
        "4": "four|fourth|quarter",
        "5": "five|fifth",
        "6": "six|sixth",
        "7": "seven|seventh",
        "8": "eight|eighth",
        "9": "nine|ninth",
        "10": "ten|tenth",
        "100": "hundred|percent",
        "1000": "thousand",
    },
    "ko": {
        "0": "영|없",
        "1": "하나|한|첫|단일|일",
        "2": "둘|두|양쪽|절반|반|이중|둘째",
        "3": "셋|세|석|삼",
        "4": "넷|네|사",
        "5": "다섯|오",
        "6": "여섯|육",
        "7": "일곱|칠",
        "8": "여덟|팔",
        "9": "아홉|구",
        "10": "열|십",
        "100": "백",
        "1000": "천",
        "10000": "만 ",
    },
}


def numbers_of(text: str) -> Iterator[str]:
    """Yield each number as plain digits: "32,000", "32k" and "3만 2000" are alike in this."""
    for found in _NUMBER.finditer(_ADDRESS.sub(" ", text)):
        digits = found["digits"].replace(",", "")
        unit = found["unit"] or found["myriad"]
        if found["name"]:
            continue
        if unit and re.fullmatch(r"\d+(?:\.\d+)?", digits):
            yield f"{float(digits) * _FACTORS[unit.lower()] + int(found['rest'] or 0):.0f}"
        else:
            yield digits + (found["release"] or "")


def spelled_out(text: str, language: Language) -> frozenset[str]:
    """Return the numbers that `text` may be stating in words, as digits."""
    start, end = (r"(?i)\b", r"\b") if language == "en" else (r"(?<![가-힣\d])", "")
    return frozenset(
        number
        for number, forms in _WORDS[language].items()
        if re.search(f"{start}(?:{forms}){end}", text)
    )
