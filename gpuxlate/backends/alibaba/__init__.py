"""Alibaba Cloud ACK, shared GPUs by gpushare and cGPU."""

from gpuxlate.backends.alibaba.backend import BACKEND

__all__ = ["BACKEND"]
