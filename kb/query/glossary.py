"""Words of a question in Korean or Chinese in, their English counterparts out.

The documents hold both languages in one BM25 document, but what a program prints is English, and
so are flags and file names: a Korean question about 그래프 캡처 means the lines that say `Capture
cuda graph`. Chinese has no documents of its own and depends on this table.
"""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["counterparts", "has_counterpart"]

# Stems as they are typed, so that endings and particles do not matter; one entry may have several.
_TABLE = """
메모리 부족|메모리가 부족|메모리 모자|메모리 터|메모리가 터: cuda out of memory
显存不足|内存不足|爆显存: cuda out of memory
메모리 누수|메모리 릭|内存泄漏|显存泄漏: memory leak
메모리|显存|内存: memory
그래프: graph
캡처|캡쳐|捕获: capture
멈추|멈춰|멈춤|먹통|행 걸|안 넘어가|卡住|卡死|挂起: hang stuck
죽어|죽었|죽는|죽습|크래시|뻗|崩溃|挂了|退出: crash dies
느려|느리|느립|慢: slow
처리량|吞吐: throughput
지연|延迟: latency
타임아웃|시간 초과|超时: timeout timed out
가중치|权重: weights
로딩|로드|불러오|올라가|올리|加载: load loading
노드|节点|多机: node multi-node
멀티노드|멀티 노드|두 대|다중 노드: multi-node two nodes
랭크: rank
포트|端口: port
컨테이너|도커|容器: container docker
드라이버|驱动: driver
설치|安装: install
버전|版本: version
업그레이드|업데이트|升级: upgrade update
양자화|量化: quantization quantized
어댑터: adapter
임베딩|嵌入: embedding
토크나이저|分词: tokenizer
토큰|令牌: token
채팅 템플릿|챗 템플릿|대화 템플릿: chat template
도구 호출|툴 콜|툴콜|工具调用: tool call
추론 내용|생각 과정|사고 과정|思考: reasoning thinking
구조화|스키마|结构化: structured schema json
문법: grammar
이미지|사진|그림|图片|图像: image
비디오|동영상|영상|视频: video
요청|请求: request
대기열|큐에|큐가|줄 서|排队: queue
동시|并发: concurrent
취소|중단|끊|取消|断开: abort disconnect
인증|권한|认证: unauthorized authentication
키|密钥: key
캐시|缓存: cache
비우|清空: flush
컨텍스트|上下文: context length
길이|长度: length
너무 길|초과|超过|过长: exceeds longer
잘려|잘리|끊겨|截断: truncated stops early
깨진|깨져|깨짐|이상한 글자|乱码: garbled
반복|重复: repeated
결정적|매번 다|달라|다른 답|다르게|不一致|确定性: deterministic different
정확도|精度|准确: accuracy
스케줄러|调度: scheduler
자식 프로세스|하위 프로세스|子进程: child process
프로세스|进程: process
통신|네트워크|网络|通信: network
공유 메모리|共享内存: shared memory
호스트 메모리|램|CPU 메모리|主机内存: host memory RAM
워커|工作进程: worker
라우터|路由: router
프리필|预填充: prefill
디코드|디코딩|解码: decode decoding
병렬|并行: parallel
나누어떨어|나눠떨어|나눠지|整除: divisible
전문가|专家: expert
추측|드래프트|投机: speculative draft
로그 확률|로그확률|로그프롭: logprob
샘플링|采样: sampling
컴파일|编译: compile
커널|内核|算子: kernel
지원하지|지원 안|지원되지|미지원|不支持: not supported
찾을 수 없|못 찾|없다고|找不到: not found
모델 구조|아키텍처|架构: architecture
경로|路径: path
다운로드|내려받|下载: download
오프라인|인터넷 없|폐쇄망|외부망|离线|内网: offline without internet
프록시|代理: proxy
헬스체크|헬스 체크|상태 확인|健康检查: health check
워밍업|웜업|预热: warmup
시작|기동|뜨지|안 떠|안 뜨|띄우|띄웠|启动: start starts
환경변수|환경 변수|环境变量: environment variable
플래그|옵션|인자|参数|选项: argument option flag
모호: ambiguous
경고|警告: warning
무시해도|괜찮|忽略: harmless ignore
어텐션|注意力: attention
백엔드|后端: backend
프로파일|性能分析: profiler
지표|메트릭|指标: metrics
윈도우|윈도: windows
회수|물러|撤回: retract
오프로드|卸载: offload
접근|访问: access
서명되지|체크포인트|检查点: checkpoint
전송|传输: transfer
연결|连接: connection
거부|拒绝: refused
분리|分离: disaggregation separated
부트스트랩: bootstrap
왓치독|워치독|看门狗: watchdog
服务器|服务: server
没有响应|无响应|没响应|没反应: no response hang
起不来|启动失败|启动不了: start fails
报错|错误: error
"""

# What else a Chinese complaint is made of: how much, how often, since when.
_HAN_RUN = re.compile("[\u4e00-\u9fff]+")
_HAN_FUNCTION = re.compile(
    "越来越|怎么办|为什么|怎么|什么|经常|一直|总是|突然|有时候?|老是|的时候|运行|现在|我们?|你们?"
    "|[很太好更最了的地得是会就都也还又在有点变过一不没吗呢啊吧时后]"
)


@lru_cache(maxsize=1)
def _stems() -> tuple[tuple[str, str], ...]:
    pairs: list[tuple[str, str]] = []
    for line in _TABLE.strip().splitlines():
        stems, _, english = line.rpartition(": ")
        pairs.extend((stem, english) for stem in stems.split("|") if stem)
    return tuple(pairs)


# Documents and questions lose the commonest endings, and `crashes` is cut to `crashe`.
_SIBILANT_PLURAL = re.compile(r"\b([a-z]{2,}(?:sh|ch|ss|x|zz))es\b", re.IGNORECASE)
# What everybody shortens, in any language; as words of their own.
_SHORT = ((re.compile(r"(?<![a-z_-])oom(?![a-z_-])", re.IGNORECASE), "cuda out of memory"),)


def counterparts(text: str) -> str:
    """Return the English counterparts of the words in `text`, "" where it holds none.

    A stem that another one contains (`메모리` in `메모리 부족`) counts beside it.
    """
    found = [english for stem, english in _stems() if stem in text] if not text.isascii() else []
    found += [english for short, english in _SHORT if short.search(text)]
    found += _SIBILANT_PLURAL.findall(text)
    return " ".join(dict.fromkeys(found))


def has_counterpart(word: str) -> bool:
    """Whether a Korean word, with its endings, or all of a run of Chinese is in the table."""
    if not _HAN_RUN.fullmatch(word):
        return any(stem in word for stem, _ in _stems())
    said = False
    for stem in sorted((stem for stem, _ in _stems()), key=len, reverse=True):
        if stem in word:
            said, word = True, word.replace(stem, " ")
    return said and not _HAN_FUNCTION.sub(" ", word).strip()
