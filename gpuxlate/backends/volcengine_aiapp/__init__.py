"""Volcengine continuous delivery: AI apps on mGPU, as the values of the console's form."""

from gpuxlate.backends.volcengine_aiapp.backend import BACKEND

__all__ = ["BACKEND"]
