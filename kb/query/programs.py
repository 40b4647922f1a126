"""A paste in, the programs it speaks of out: SGLang's own marks, and those of other programs.

Near misses are the rule, not the exception: vLLM, TGI, llama.cpp and training jobs fail with the
words of SGLang's own failures. What tells them apart is who speaks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from kb.query.folded import compile_folded, fold

__all__ = ["ProgramEvidence", "find_programs"]

_SGLANG = (
    r"sglang|\bsgl[-_.](?:kernel|project|router|jax)|\bsgl_|\bsgl\.|\bSGL_[A-Z]|launch_server\b"
    r"|[/\\]srt[/\\]|server_args\s?=|#running-req|#queue-req|#new-seq|mem[-_]fraction[-_]static"
    r"|chunked[-_]prefill[-_]size|radix[-_ ]?(?:cache|attention)|token_to_kv_pool|TpModelWorker"
    r"|(?:\[|\s)(?:TP|DP|PP)\d{1,3}(?: (?:TP|EP|PP)\d{1,3})*\]|run_scheduler_process"
    r"|disaggregation[-_](?:mode|ib|bootstrap|transfer)|bootstrap_room|KVTransferError"
    r"|watchdog_timeout|ModelRunner\b.{0,40}(?:tp|gpu)|scheduler_TP\d|avail mem=|SglangEngine"
    r"|에스지랭|에스글랭"
)

# Program → what only it prints or is called. Names count in a question; marks count in a log.
_OTHERS: tuple[tuple[str, str], ...] = (
    (
        # Frames in its layers are no mark: SGLang was built on them up to 0.4.
        "vLLM",
        r"(?<![\w/.-])vllm\b(?!/|\.py)|\bvllm[/.](?:engine|entrypoints|worker|v1|executor|core)\b"
        r"|\bvllm==|vllm-openai|VllmWorker|\bWorkerProc\b|Engine core\b|max_model_len"
        r"|--max-model-len|gpu_memory_utilization"
        r"|--gpu-memory-utilization|max_num_seqs|EngineCore|AsyncLLMEngine"
        r"|LLMEngine\b|VLLM_[A-Z]|max_num_batched_tokens",
    ),
    (
        "Text Generation Inference",
        r"text[-_]generation[-_](?:inference|launcher|server|router|webui)|\bTGI\b"
        r"|ShardCannotStart|max[-_]batch[-_]prefill[-_]tokens|--max-input-(?:length|tokens)",
    ),
    (
        "llama.cpp",
        r"llama[._-]?cpp|\bggml|\bllama_(?:model|context|init|load|new|kv|decode|server)"
        r"|llama-(?:server|cli|bench)|--n-gpu-layers|\bngl\b|gguf_init|\bkoboldcpp|LM ?Studio"
        r"|gpt4all|llamafile",
    ),
    ("Ollama", r"\bollama\b|올라마"),
    (
        "TensorRT-LLM",
        r"tensorrt[-_]?llm|\btrtllm-(?:build|serve|bench)"
        r"|\btrt[-_]?llm\b(?!['\"`]|[ _-]{0,2}(?:mla|mha|moe|gen|attention|backend|kernel))"
        r"|tritonserver"
        r"|Triton Inference Server|\bTensorRT\b|nvinfer",
    ),
    ("LMDeploy", r"lmdeploy|turbomind"),
    ("MLC", r"\bmlc[-_ ]?(?:llm|chat)\b"),
    ("DeepSpeed", r"deepspeed|\bzero[-_ ]?(?:stage|3)\b.{0,40}optim"),
    (
        "a training job",
        r"\btrl\b|PPOTrainer|SFTTrainer|DPOTrainer|GRPOTrainer|\bTrainer\.train|trainer\.py"
        r"|pytorch[-_ ]lightning|lightning\.pytorch|\baccelerate launch|\btorchrun\b|\bfsdp\b"
        r"|backward\(\)|\bloss\.backward|optimizer\.step|training_step"
        r"|\bepoch\b|axolotl|unsloth|megatron|torchtitan|get_peft_model|PeftModel\."
        r"|gradient[_ ]checkpoint|train\.py"
        r"|\bDDP\b|DistributedDataParallel|QLoRA|\bColab\b|(?:HF|Hugging ?Face) Trainer"
        r"|학습 (?:중|코드|스크립트|환경)|이어서 학습|训练|\bnemo\b"
        r"|\btraining (?:on|a|an|my|our|the|with|runs?|jobs?|script|environment|env|loop|code)\b",
    ),
    (
        "Stable Diffusion",
        r"stable[-_ ]?diffusion|automatic1111|comfyui|\bwebui\.(?:sh|bat|py)|invokeai",
    ),
    ("Blender", r"\bblender\b|\bcycles\b.{0,30}(?:render|cuda|optix)"),
    ("a miner", r"\bminer\b|mining|xmrig|nicehash|t-rex|ethminer|hashrate|phoenixminer"),
    ("TensorFlow", r"tensorflow(?! version)|\bkeras\b|tf\.(?:data|keras|function)"),
    ("JAX", r"(?<!sglang-)\bjax\b(?! version)|jaxlib|\bxla_bridge"),
    ("pandas", r"\bpandas\b|\bpd\.(?:read|DataFrame|concat|merge)|판다스"),
    ("Dask", r"\bdask\b|distributed\.(?:worker|nanny|scheduler)|dask_cuda|\bcudf\b|rapids"),
    ("Spark", r"\bpyspark\b|org\.apache\.spark|SparkContext"),
    (
        "a database",
        r"\bpostgres(?:ql)?\b|psycopg|\bmysql\b|\bmariadb\b|\bmongo(?:db|d)\b|\bsqlite\b"
        r"|\bredis\b|elasticsearch|\bORA-\d{5}|clickhouse|SQLSTATE|sqlalchemy",
    ),
    (
        "Kubernetes",
        r"cert-manager|ingress-nginx|\bkubelet\b|\betcd\b|coredns|\bhelm (?:install|upgrade)"
        r"|CrashLoopBackOff|ImagePullBackOff|kube-(?:proxy|apiserver|system)|\bEKS\b|\bAKS\b"
        r"|\bGKE\b|FailedScheduling|PersistentVolumeClaim|calico|flannel",
    ),
    ("nginx", r"\bnginx\b|엔진엑스"),
    (
        "Node.js",
        r"\bnode(?:\.js|js)?:|\bnpm (?:ERR|install|run)|webpack"
        r"|\byarn (?:install|add|build|run|dev|start)\b|next\.js|\bvite\b",
    ),
    (
        "Java",
        r"java\.(?:lang|util|io|net|sql)\.|\bat (?:org|com|io)\.[\w.]+\(|NullPointerException"
        r"|spring(?:boot|framework)|\bgradle\b|\bmaven\b",
    ),
    ("Go", r"\bgoroutine \d+ \[|panic: runtime error"),
    ("Rust", r"thread '.{1,60}' panicked at|error\[E\d{4}\]|\bcargo (?:build|run|test)"),
    ("whisper", r"\bwhisper(?:x|\.cpp)?\b|faster[-_]whisper"),
    ("LangChain", r"langchain|llama[-_]?index\b"),
    ("OpenCV", r"\bopencv\b|cv2\.|\bcv::"),
    ("Unity or Unreal", r"\bunity(?:engine| editor)\b|unreal engine|\bUE[45]\b"),
    ("YOLO", r"\bultralytics\b|\byolo(?:v\d+)?\b|mmdetection|detectron2"),
    ("Jupyter", r"<ipython-input-|jupyter"),
    (
        "nccl-tests",
        r"\bnccl[-_]tests?\b|Test NCCL failure|\b(?:all_reduce|all_gather|alltoall)_perf\b",
    ),
    ("ONNX Runtime", r"onnxruntime|\bonnx\b"),
    ("MLX", r"\bmlx\b|\bmlx[-_]lm\b"),
    ("ExLlama", r"exllama|tabbyapi"),
    (
        "a hosted API",
        r"\b(?:cloud|hosted|official) api\b|클라우드 API|api\.(?:openai|deepseek|anthropic)\.com",
    ),
    ("Paddle", r"paddle(?:paddle|ocr|nlp)\b"),
    ("RWKV", r"\brwkv"),
)
# The vocabulary of serving language models: shared by all its programs, and by nothing else.
_SERVING = (
    r"prefill|decode\b|decoding|\bkv[ _-]?cache|KV ?캐시|cuda ?graph|\btokenizer|detokenizer"
    r"|토크나이저|speculative|\beagle\b|\bMTP\b|\bMoE\b|expert parallel|tensor parallel|\bTP\d"
    r"|\btp\b|\bdp\b|\bpp\b|pipeline parallel|텐서 병렬|\bLoRA\b|로라|\bAWQ\b|GPTQ|\bFP8\b"
    r"|\bFP4\b|NVFP4|GGUF"
    r"|logprob|chat ?template|챗 ?템플릿|tool[ _-]?call|reasoning|<think>|max_(?:new_)?tokens"
    r"|context[ _-]?(?:length|window)|컨텍스트|프리필|디코드|디코딩|\bLLM\b|\bVLM\b|safetensors"
    r"|deepseek|qwen|\bllama|mixtral|mistral|gemma|\bkimi|\bglm-?\d|gpt-?oss|minimax|hunyuan|step-?3"
    r"|flashinfer|flash[-_ ]?attn|deep_?gemm|deep_?ep|mooncake|\bnixl\b|nvshmem|hicache|xgrammar"
    r"|/v1/(?:chat|completions|embeddings)|/generate\b|/flush_cache|embedding model|reranker"
    r"|처리량|동시 요청|concurrent requests|프리픽스|prefix cach|캐시 적중|\bshm\b|/dev/shm|\bOOM\b"
    r"|\bVRAM\b|GPU 메모리|GPU memory|first request|garbage|출력이 깨|모델 로딩"
    r"|max[-_]model[-_]len|gpu[-_]memory[-_]utilization|max[-_]num[-_]seqs|model output"
    r"|throughput|tok(?:en)?s?/s|토큰|배치 크기|batch size|temperature|top_p|추론 서버|서빙"
)
# Frames of a stack that are some script's own, not a server's: `File "/home/…/train.py"`.
_FRAME_FILE = re.compile(r'File "([^"\n]{1,300})", line \d+')
_OWN_FRAMES = re.compile(r"sglang|sgl_kernel|/srt/|site-packages|dist-packages|/lib/python|<frozen")
# The error of another program's command line: argparse names its program in front.
_FOREIGN_USAGE = re.compile(
    r"^(?!.*(?:sglang|launch_server|launch_router|bench_|engine\.py|api_server))"
    r"(?:usage: \S+|.{0,40}?[\w.-]+: error: (?:unrecognized arguments|ambiguous option|argument ))",
    re.MULTILINE,
)
_MAX_CHARS = 400_000  # marks are everywhere in a log: its first part is enough
_MAX_MARKS, _MAX_TERMS = 50, 10  # more of them tell nothing more


@dataclass(frozen=True, slots=True)
class ProgramEvidence:
    """Who speaks in a paste: counts of marks, in the log and in the words around it."""

    sglang_in_log: int
    sglang_in_words: int
    others_in_log: tuple[tuple[str, int], ...]  # (program, marks), most marks first
    others_in_words: tuple[tuple[str, int], ...]
    serving_in_log: int = 0  # distinct terms of serving language models
    serving_in_words: int = 0
    foreign_frames: bool = False  # a stack of which no frame is SGLang's and some are a script's

    @property
    def is_sglang(self) -> bool:
        """Whether anything says SGLang."""
        return self.sglang_in_log + self.sglang_in_words > 0

    @property
    def other(self) -> str | None:
        """The program named, where one is and SGLang is not."""
        if self.is_sglang:
            return None
        for found in (self.others_in_words, self.others_in_log):
            if found:
                return found[0][0]
        return None


def _is_name_of_flag(mark: str) -> bool:
    """Whether a mark is a flag's or a setting's name: one may ask for SGLang's counterpart."""
    return mark.startswith("-") or "_" in mark


# "slower than TGI", "vLLM보다", "vLLM에서는 되는데": SGLang is compared with it.
_BEFORE_COMPARED = re.compile(
    r"(?:\bthan|\bunlike|\bvs\.?|\bversus|\bcompared (?:to|with)) $", re.IGNORECASE
)
_AFTER_COMPARED = re.compile(
    r"(?:은|는|이|가)? ?(?:보다|대비|에서는 (?:되|잘|괜찮|문제)|에선 (?:되|잘|괜찮|문제))"
)


def _is_compared_with(text: str, start: int, end: int) -> bool:
    before = _BEFORE_COMPARED.search(text[max(0, start - 20) : start])
    return bool(before or _AFTER_COMPARED.match(text, end))


@lru_cache(maxsize=128)
def _pattern(source: str, is_folded: bool) -> re.Pattern[str]:
    # A word ends where a Korean particle begins: `vLLM에서`.
    if is_folded:
        return compile_folded(source, re.ASCII)
    return re.compile(source, re.IGNORECASE | re.ASCII)


def _count(text: str, *, words: bool = False) -> tuple[int, tuple[tuple[str, int], ...], int]:
    """Return the marks of SGLang, of each other program, and the distinct terms of serving."""
    text = text[:_MAX_CHARS]
    folded = fold(text)
    searched, is_folded = (text, False) if folded is None else (folded, True)

    def marks_of(source: str, leave_compared: bool = False) -> Iterator[str]:
        return (
            found[0]
            for found in _pattern(source, is_folded).finditer(searched)
            if not (leave_compared and _is_compared_with(searched, found.start(), found.end()))
        )

    sglang = sum(1 for _ in islice(marks_of(_SGLANG), _MAX_MARKS))
    others = []
    for name, source in _OTHERS:
        marks = (
            mark
            for mark in marks_of(source, leave_compared=True)
            if not (words and _is_name_of_flag(mark))
        )
        others.append((name, sum(1 for _ in islice(marks, _MAX_MARKS))))
    if _FOREIGN_USAGE.search(text):
        others.append(("another program", 1))
    found = sorted((item for item in others if item[1]), key=lambda item: -item[1])
    terms: set[str] = set()
    for term in marks_of(_SERVING):
        terms.add(term.lower())
        if len(terms) == _MAX_TERMS:
            break
    return sglang, tuple(found), len(terms)


def _has_foreign_frames(text: str) -> bool:
    files = _FRAME_FILE.findall(text[:_MAX_CHARS])
    return any(not _OWN_FRAMES.search(file) for file in files) and not any(
        "sglang" in file or "/srt/" in file for file in files
    )


def find_programs(log_lines: Iterable[str], words: str) -> ProgramEvidence:
    """Count the marks of SGLang and of other programs in a log and in the words around it."""
    log = "\n".join(log_lines)
    sglang_log, others_log, serving_log = _count(log)
    sglang_words, others_words, serving_words = _count(words, words=True)
    return ProgramEvidence(
        sglang_log,
        sglang_words,
        others_log,
        others_words,
        serving_log,
        serving_words,
        _has_foreign_frames(log),
    )
