"""A question in, whether it only asks what the log beside it is: "이거 왜 이래요?", "please help".

Such words name nothing, and each of them stands in many sections: matched like others they would
outweigh the log that they are asked about.
"""

from __future__ import annotations

import re

__all__ = ["asks_only_what_it_is"]

_WORD = re.compile(
    r"[\uac00-\ud7a3]+|[\u4e00-\u9fff]+|[A-Za-z][A-Za-z']*|\d+|[^\s\w?!.,;:~…？！。，]"
)
_ENGLISH = frozenset(
    """
    a about am an and any anybody anyone are be can cause caused causes could do does doing error
    errors explain fix for get give go goes going happen happened happening happens have help here
    how i i'm idea ideas in is issue issues it it's its know log logs look looks matter me mean
    meaning means my need not now of on or out please possible problem problems reason resolve see
    should solution solve someone something tell thank thanks that that's the there these they
    thing think this those to understand up us want was way we went what what's whats when where
    which why will with work working wrong you
    """.split()  # noqa: SIM905 a list of a hundred quoted words is harder to read
)
_KOREAN = re.compile(
    r"(?:이거|이게|이건|이것|저거|저게|그거|그게|이런|저런|그런|이|그|저|제|좀|혹시|대체|도대체|지금|근데"
    r"|그런데|그럼|왜|뭐|뭔|뭘|무엇|무슨|어떤|어떻게|어디|어느|누가|원인|이유|문제|의미|뜻|에러|오류|로그|상황"
    r"|현상|증상|메시지|방법|해결|수정|조치|확인|설명|도움|부탁|분석|감|거|것|건|걸|게|수|때|안|못|잘|다|더|하"
    r"|되|돼|있|없|나|떠|뜨|떴|났|죽|알|모르|고치|고쳐|봐|보|살려|도와|이러|그러|이래|그래|어쩌|어떡|싶"
    r"|생기|발생|주|줘|드려|드리)"
    r"(?:이|가|가요|은|는|을|를|도|만|의|에|로|와|과|인|일|인데|인데요|인가요|인가|인지|일까요|입니까|입니다|예요"
    r"|이에요|에요|죠|지|지요|요|나요|까요|을까요|건가요|건데|건데요|건지|거죠|거예요|걸까요|는|는데|는데요"
    r"|는지|는거죠|는건가요|나|해|해요|했어요|하죠|하나요|하면|하는|할|할까요|합니까|해야|해서|해줘|해주세요"
    r"|되나요|되죠|돼요|된|되는|라|라고|래요|러죠|러나요|러는|런|런가요|져|줘|줘요|주세요|주실|와요|와|왔어요"
    r"|여|어|어요|어서|음|겠어요|겠는데|겠네요|습니다|습니까|네요|세요|려|려주세요|려줘|드립니다|드려요)?"
)
_CHINESE = frozenset(
    "这是什么问题怎么办为何原因解决请帮忙报错如何处理呢啊吗的了一下看误个回事哪里出我有人知道谁能想和会"
)


def asks_only_what_it_is(question: str) -> bool:
    """Whether every word of `question` asks, points at what is beside it, or begs for help."""
    words = _WORD.findall(question)
    return bool(words) and all(map(_is_empty, words))


def _is_empty(word: str) -> bool:
    if word.isascii():
        return word.lower() in _ENGLISH
    if "\u4e00" <= word[0] <= "\u9fff":
        return set(word) <= _CHINESE
    return _KOREAN.fullmatch(word) is not None
