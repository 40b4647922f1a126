"""Forms of log lines that bound the release they come from: literal, pattern, first and last.

Bounds were read in the sources of every final release from 0.3.0 to 0.5.23. `None` is "no bound":
a form that the newest release still has stays open, so the table does not go stale with the next.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FORMS", "VersionForm"]


@dataclass(frozen=True, slots=True)
class VersionForm:
    """One form: lines that hold `literal`, and match `pattern` around it, are from low to high."""

    name: str
    literal: str  # looked for as it stands; everything else is tried only where it occurs
    low: str | None  # first release with the form
    high: str | None  # last release with it
    pattern: str | None = None  # searched in the 200 characters around; None: the literal decides


# A line's own prefix: `[2026-02-12 11:38:29 TP0 EP0] `; without a date before 0.3.4.
_DATED = r"\[?\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{3})?"

FORMS: tuple[VersionForm, ...] = (
    # --- the prefix ---
    VersionForm(
        "no-date", " TP", None, "0.3.3.post1", r"(?:^|\s)\[\d\d:\d\d:\d\d(?: DP\d+)? TP\d+\] "
    ),
    VersionForm("dated-rank", " TP", "0.3.4", None, _DATED + r"(?: [A-Z_]+\d+)* TP\d+"),
    VersionForm("label-ep", " EP", "0.4.10", None, _DATED + r"(?: [A-Z_]+\d+)* EP\d+"),
    VersionForm(
        "label-pp-after-tp",
        " PP",
        "0.4.6.post2",
        "0.5.5",
        _DATED + r"(?: DP\d+)? TP\d+(?: EP\d+)? PP\d+\]",
    ),
    VersionForm(
        "label-pp-before-tp",
        " PP",
        "0.5.5.post1",
        None,
        _DATED + r"(?: DP\d+)? PP\d+ (?:\w+ )*TP\d+",
    ),
    VersionForm(
        "label-attn-cp", " ATTN_CP", "0.5.9", None, _DATED + r"(?: [A-Z_]+\d+)* ATTN_CP\d+"
    ),
    VersionForm("label-moe-dp", " MOE_DP", "0.5.9", None, _DATED + r"(?: [A-Z_]+\d+)* MOE_DP\d+"),
    # Scheduler lines always carried a rank until a single GPU lost its label.
    VersionForm("no-rank", "] Decode batch", "0.4.6.post2", None, _DATED + r"\] Decode batch"),
    VersionForm(
        "no-rank-prefill", "] Prefill batch", "0.4.6.post2", None, _DATED + r"\] Prefill batch"
    ),
    VersionForm(
        "no-rank-load", "] Load weight begin", "0.4.6.post2", None, _DATED + r"\] Load weight begin"
    ),
    # --- the configuration line ---
    VersionForm("server-args-call", "server_args=ServerArgs(", None, "0.5.18"),
    VersionForm("server-args-dict", "server_args={", "0.5.19", None),
    # --- batches ---
    VersionForm("prefill-dot", "Prefill batch. ", None, "0.5.3.post3", r"Prefill batch\. #new-seq"),
    VersionForm(
        "prefill-comma", "Prefill batch", "0.5.4", None, r"Prefill batch(?: \[\d+\])?, #new-seq"
    ),
    VersionForm(
        "decode-dot", "Decode batch. ", None, "0.5.3.post3", r"Decode batch\. #running-req"
    ),
    VersionForm(
        "decode-comma", "Decode batch", "0.5.4", None, r"Decode batch(?: \[\d+\])?, #running-req"
    ),
    VersionForm("pending-token", "#pending-token", "0.5.11", None),
    VersionForm(
        "cache-hit-rate", "cache hit rate: ", None, "0.4.3.post2", r"batch\b.*cache hit rate: "
    ),
    VersionForm("largest-len", "largest-len: ", "0.4.3.post3", "0.4.4.post1"),
    VersionForm("full-token", "#full token", "0.4.9.post3", None),
    VersionForm("accept-len", "accept len: ", "0.4.1.post7", None),
    VersionForm("accept-rate", "accept rate: ", "0.5.3.post2", None),
    VersionForm("mamba-usage", "mamba usage: ", "0.5.3.post2", None),
    VersionForm("preallocated", "pre-allocated usage: ", "0.4.6", None),
    VersionForm("prealloc-req", "#prealloc-req: ", "0.5.3", None),
    VersionForm("unbootstrapped", "#unbootstrapped-req: ", "0.4.6", "0.5.2"),
    # --- retraction and memory ---
    VersionForm("decode-oom-happened", "Decode out of memory happened", None, "0.4.6.post5"),
    VersionForm("kv-pool-full", "KV cache pool is full. Retract requests", "0.4.7", None),
    VersionForm("new-tokens-gained", "#new_tokens_gained", "0.5.7", None),
    VersionForm("aborted-retracted", "#aborted_retracted_reqs", "0.5.3", "0.5.4.post1"),
    VersionForm("retract-abort", "Out of memory even after retracting all other", "0.5.7", None),
    VersionForm(
        "not-enough-current",
        "Please try to increase --mem-fraction-static. Current value: ",
        "0.5.3",
        None,
    ),
    VersionForm("weights-leave-none", "Loaded weights leave no GPU memory", "0.5.14", None),
    # --- start-up ---
    VersionForm("init-torch", "Init torch distributed begin", "0.3.3.post1", "0.5.20"),
    VersionForm(
        "init-torch-mem", "Init torch distributed ends. mem usage=", "0.4.3.post3", "0.5.8.post1"
    ),
    VersionForm("init-torch-elapsed", "Init torch distributed ends. elapsed=", "0.5.9", "0.5.20"),
    VersionForm("load-type", "Load weight end. type=", None, "0.5.8.post1"),
    VersionForm("load-elapsed", "Load weight end. elapsed=", "0.5.9", None),
    VersionForm("kv-k-size", "KV Cache is allocated. K size", "0.4.1.post6", "0.4.3.post2"),
    VersionForm("kv-tokens", "KV Cache is allocated. #tokens", "0.4.3.post3", "0.5.12.post1"),
    VersionForm("kv-dtype", "KV Cache is allocated. dtype", "0.5.13", "0.5.16"),
    VersionForm("post-capture", "Post-capture KV sizing", "0.5.16", None),
    VersionForm(
        "capture-minutes",
        "This can take up to several minutes",
        None,
        "0.5.13.post1",
        r"apture .{0,40}begin\. This can",
    ),
    VersionForm("capture-backend", "CUDA graph begin. backend=", "0.5.14", None),
    VersionForm("capture-failed", "Capture CUDA graph failed", "0.4.6.post4", "0.4.6.post5"),
    VersionForm("prefill-capture-failed", "Capture prefill CUDA graph failed", "0.5.14", None),
    VersionForm(
        "piecewise-default", "Piecewise CUDA Graph is enabled by default", "0.5.10", "0.5.13.post1"
    ),
    VersionForm("piecewise-tokens", "Capture cuda graph num tokens", "0.5.3.post2", "0.5.13.post1"),
    VersionForm(
        "total-tokens-chunked",
        "max_total_num_tokens=",
        "0.4.2",
        None,
        r"max_total_num_tokens=\d+, chunked_prefill_size=",
    ),
    VersionForm(
        "total-tokens-prefill",
        "max_total_num_tokens=",
        None,
        "0.4.1.post7",
        r"max_total_num_tokens=\d+, max_prefill_tokens=",
    ),
    VersionForm(
        "available-gpu-mem",
        "available_gpu_mem=",
        "0.4.7",
        None,
        r"context_len=.{0,40}available_gpu_mem=",
    ),
    VersionForm("backend-not-set", "Attention backend not set. Use ", "0.4.4.post4", "0.4.9.post2"),
    VersionForm(
        "backend-not-specified",
        "Attention backend not ",
        "0.4.9.post3",
        None,
        r"Attention backend not (?:explicitly )?specified\. Use ",
    ),
    VersionForm("mla-on", "MLA optimization is turned on", "0.3.3.post1", "0.5.4"),
    VersionForm(
        "serve-hint", "'python -m sglang.launch_server' is still supported", "0.5.10", None
    ),
    VersionForm("spec-reset", "Max running requests is reset to", "0.5.4", None),
    # --- endings ---
    VersionForm("controller-single", "Exception in ControllerSingle", None, "0.3.2"),
    VersionForm("hit-exception", "Scheduler hit an exception", "0.3.6.post3", None),
    VersionForm("sigquit-typo", "from a child proces.", "0.4.1.post6", "0.4.3.post2"),
    VersionForm("sigquit-child", "Received sigquit from a child process", "0.4.3.post3", None),
    VersionForm("sigquit-serving", "SIGQUIT received. signum=", "0.5.3", None),
    VersionForm("rank-died", "died during initialization (exit code", "0.5.10", None),
    VersionForm("subprocess-crashed", "Triggering SIGQUIT for cleanup", "0.5.10", None),
    VersionForm("crash-diagnostics", "before crash diagnostics", "0.5.13", None),
    VersionForm("coredump-wait", "for CUDA coredumps before exiting", "0.5.13", None),
    VersionForm("crash-dump", "Dumping requests before crash", "0.4.9", None),
    # --- watchdog ---
    VersionForm("watchdog", "Watchdog timeout (self.watchdog_timeout=", "0.3.5", "0.5.6.post2"),
    VersionForm(
        "watchdog-soft", "watchdog timeout (self.watchdog_timeout=", "0.5.7", None, r"self\.soft="
    ),
    VersionForm("pyspy-dump", "Pyspy dump for PID", "0.4.3.post3", None),
    VersionForm("pyspy-failed-to-dump", "Pyspy failed to dump PID", "0.4.3.post3", "0.5.10.post1"),
    VersionForm("pyspy-failed", "Pyspy failed (", "0.5.11", None),
    VersionForm("cur-batch", "self.cur_batch.batch_size()=", "0.4.3.post3", "0.5.6.post2"),
    # --- the parser ---
    VersionForm("prog-launch-server", "launch_server.py: error: ", None, "0.5.9"),
    VersionForm("prog-serve", "sglang serve: error: ", "0.5.10", None),
    VersionForm("deprecated-endpoint", "Endpoint '/get_", "0.5.6", None),
)
