"""Huawei CCE: shared cards of xGPU."""

from gpuxlate.backends.huawei_cce.backend import BACKEND

__all__ = ["BACKEND"]
