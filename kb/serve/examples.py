"""The examples of the page: pastes as people make them, with a question in each language."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["EXAMPLES", "Example"]


@dataclass(frozen=True, slots=True)
class Example:
    """A paste and the keys of its label and its question in the table of strings."""

    name: str  # `chat.example_NAME` and `chat.example_NAME_question`
    paste: str


EXAMPLES = (
    Example(
        "oom",
        """\
[2025-11-03 09:12:40 TP0] Prefill batch, #new-seq: 1, #new-token: 8192, #cached-token: 0, \
token usage: 0.41, #running-req: 3, #queue-req: 12
[2025-11-03 09:12:41 TP0] Scheduler hit an exception: Traceback (most recent call last):
  File "/sgl-workspace/sglang/python/sglang/srt/managers/scheduler.py", line 2748, \
in run_scheduler_process
    scheduler.event_loop_overlap()
  File "/sgl-workspace/sglang/python/sglang/srt/model_executor/model_runner.py", line 1873, \
in forward_extend
    return self.model.forward(
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.50 GiB. GPU 0 has a total \
capacity of 79.10 GiB of which 2.11 GiB is free.
[2025-11-03 09:12:41] Received sigquit from a child process. It usually means the child failed.
""",
    ),
    Example(
        "start",
        """\
python -m sglang.launch_server --model-path meta-llama/Llama-3.1-70B-Instruct --tp 4 \
--mem-fraction-static 0.6
[2025-11-03 10:02:11 TP2] Load weight end. type=LlamaForCausalLM, dtype=torch.bfloat16, \
avail mem=43.71 GB, mem usage=35.05 GB.
RuntimeError: Not enough memory. Please try to increase --mem-fraction-static. \
Current value: self.server_args.mem_fraction_static=0.6
""",
    ),
    Example(
        "hang",
        """\
[2025-11-03 11:40:02 TP1] Decode batch, #running-req: 64, #token: 181233, token usage: 0.73, \
cuda graph: True, gen throughput (token/s): 2210.45, #queue-req: 8
[2025-11-03 11:45:09 TP1] Pyspy failed to dump PID 2214. Error: /bin/bash: py-spy: command not \
found
[2025-11-03 11:45:09 TP1] Watchdog timeout (self.watchdog_timeout=300)
[2025-11-03 11:45:14] Received sigquit from a child process. It usually means the child failed.
""",
    ),
    Example("words", ""),
)
