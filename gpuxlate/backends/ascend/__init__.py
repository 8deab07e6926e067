"""Ascend vNPU: shared cards of Huawei under HAMi."""

from gpuxlate.backends.ascend.backend import BACKEND

__all__ = ["BACKEND"]
