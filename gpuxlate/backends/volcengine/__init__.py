"""Volcengine VKE, shared GPUs by mGPU."""

from gpuxlate.backends.volcengine.backend import BACKEND

__all__ = ["BACKEND"]
