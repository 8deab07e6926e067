"""Moved to ``gpuxlate.backends.rows``."""

from gpuxlate.backends.rows import (
    cards,
    choice,
    choices,
    cores,
    for_models,
    memory,
    percent,
    unread,
    whole,
    written,
)

__all__ = [
    "cards", "choice", "choices", "cores", "for_models", "memory", "percent", "unread", "whole", "written",
]  # fmt: skip
