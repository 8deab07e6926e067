"""MetaX sGPU: shared cards of MetaX under HAMi."""

from gpuxlate.backends.metax.backend import BACKEND

__all__ = ["BACKEND"]
