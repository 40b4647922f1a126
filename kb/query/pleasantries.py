"""A person's words in, whether they are nothing but thanks, a greeting or "understood" out.

These words are few in every language, and what matters is what else is said: "thanks, that fixed
it" is one, "thanks, and on 8 GPUs?" is not. So every word has to be known as a courtesy or as one
that goes along with it; a question, a denial and every word of the trade is none.
"""

from __future__ import annotations

import re

__all__ = ["is_pleasantry"]

_MAX_CHARS = 200  # more than that says something
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_ASKS = re.compile(r"[?？]")  # "ok?" is a question
# What no courtesy holds: numbers, flags, paths, quotations.
_NAMES = re.compile(r"[\d`\"“_/\\=<>{}\[\]#@]|--")

_ENGLISH = frozenset(
    """
    thanks thank thx ty cheers ok okay kk great good nice perfect awesome cool excellent wonderful
    amazing brilliant fantastic lovely understood works worked working fixed solved resolved helped
    helpful helps yes yep yeah yup alright right appreciate appreciated bye goodbye hi hello hey
    lol haha wow lgtm gotcha noted sorted done
    """.split()  # noqa: SIM905 a list of fifty quoted words is harder to read
)
_ENGLISH_BESIDE = frozenset(
    """
    that this it its it's that's is was has have been you u ya so much very really a an lot lots now
    all my our the for your and got see i i'm i'll we will just again up running problem issue error
    answer help morning afternoon evening day night there everyone everybody guys team sure makes
    made sense indeed many most try let me
    """.split()  # noqa: SIM905
)
_SURE_ENGLISH = re.compile(r"\b(?:got it|i see|makes sense|many th?nks)\b", re.IGNORECASE)
# A word and how it ends: `감사합니다`, `고마워요`, `해결됐어요`.
_KOREAN = re.compile(
    r"(?:정말|진짜|너무|대단히|매우|아주)?"
    r"(?:감사(?:합니다|해요|해|드려요|드립니다|드리겠습니다|했습니다|했어요|히|요|함다)?"
    r"|고마(?:워요?|웠어요|웠습니다)|고맙(?:습니다|네요|다)|땡큐|땡스|ㄱㅅ|ㄳ"
    r"|네+|넵+|넹|예|응|ㅇㅋ|ㅇㅇ|오케이|오키|굿"
    r"|좋(?:아요?|네요|습니다|군요)|완벽(?:해요?|하네요|합니다)?|최고(?:예요|네요|입니다)?"
    r"|알겠(?:습니다|어요|네요)|알았(?:어요?|습니다)"
    r"|이해(?:했어요|했습니다|됐어요|됐습니다|되네요|돼요|됩니다)"
    r"|해결(?:했|됐|되었)(?:어요?|습니다|네요)|해결(?:되네요|완료|됨)?"
    r"|고쳐졌(?:어요|습니다|네요)|고쳤(?:어요|습니다)"
    r"|(?:잘)?(?:됐|되었)(?:어요?|습니다|네요)|(?:잘)?(?:되네요|돼요|됩니다|되는군요)"
    r"|수고(?:하세요|하셨어요|하셨습니다|많으셨습니다|많으셨어요)?"
    r"|안녕(?:하세요|하십니까|히계세요)?|반갑습니다|반가워요|ㅋ+|ㅎ+|하하|와우?)"
)
_KOREAN_BESIDE = re.compile(
    r"이제|이젠|이걸로|그걸로|잘|다|덕분(?:에|입니다|이에요)|정말|진짜|너무|아주|매우|많이|큰|바로|모두"
    r"|도움(?:이|은)?|답변|문제(?:가|는)?|서버(?:가|는)?|말씀대로|하니까?|했더니|해보니까?|아+|오+"
    r"|여러분|정도로|많으셨습니다|되(?:었|겠)(?:습니다|네요|어요)|드립니다"
)
_HAN_OR_KANA = re.compile(
    r"(?:非常|十分|多)?(?:谢谢|感谢|多谢|謝謝|感謝)(?:你们?|您|了|啦|您的帮助|帮助)?|好的?|好吧|行|嗯+"
    r"|明白了?|知道了|收到|懂了|了解了?|(?:问题)?(?:已经?)?(?:解决|搞定|修好)了|可以了|能用了|没事了"
    r"|你好|您好|再见|太好了|很好|太棒了|不客气|辛苦了"
    r"|ありがとう(?:ございま(?:す|した))?|了解(?:です|しました)?|わかりました|分かりました"
    r"|はい|こんにちは|助かりました|解決しました"
)
_HANGUL = re.compile(r"[\uac00-\ud7a3\u3131-\u318e]")


def is_pleasantry(words: str) -> bool:
    """Whether `words` thank, greet or agree, and say and ask nothing else."""
    if len(words) > _MAX_CHARS or _ASKS.search(words) or _NAMES.search(words):
        return False
    said = _WORD.findall(words.lower().replace("’", "'"))
    if not said:
        return bool(words.strip())  # an emoji, dots
    has_courtesy = bool(_SURE_ENGLISH.search(words))
    for word in said:
        if word.isascii():
            is_courtesy, is_beside = word in _ENGLISH, word in _ENGLISH_BESIDE
        elif _HANGUL.match(word):
            is_courtesy = _KOREAN.fullmatch(word) is not None
            is_beside = _KOREAN_BESIDE.fullmatch(word) is not None
        else:
            is_courtesy, is_beside = _is_all_courtesy(word), False
        if not (is_courtesy or is_beside):
            return False
        has_courtesy = has_courtesy or is_courtesy
    return has_courtesy


def _is_all_courtesy(run: str) -> bool:
    """Whether a run without blanks is courtesies one after another: `好的谢谢`."""
    position = 0
    while position < len(run):
        found = _HAN_OR_KANA.match(run, position)
        if found is None:
            return False
        position = found.end()
    return True
