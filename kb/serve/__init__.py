"""The knowledge base over HTTP: the web chat.

Importing this package forbids Gradio's and Hugging Face's telemetry, which both libraries decide
about when they are imported; so it has to happen before, and nothing here may be asked for first.
"""

from __future__ import annotations

import os

__all__: list[str] = []

os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
