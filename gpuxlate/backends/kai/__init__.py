"""KAI Scheduler, and Run:ai: shared cards by annotations of the pod."""

from gpuxlate.backends.kai.backend import BACKEND

__all__ = ["BACKEND"]
