"""HAMi (formerly 4paradigm vGPU): shared cards in clusters of one's own."""

from gpuxlate.backends.hami.backend import BACKEND

__all__ = ["BACKEND"]
