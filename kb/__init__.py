"""Troubleshooting knowledge base for SGLang servers: paste a log, get the section that fits."""

from __future__ import annotations

__version__ = "0.1.0"
