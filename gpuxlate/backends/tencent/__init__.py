"""Tencent Cloud TKE, shared GPUs by qGPU."""

from gpuxlate.backends.tencent.backend import BACKEND

__all__ = ["BACKEND"]
