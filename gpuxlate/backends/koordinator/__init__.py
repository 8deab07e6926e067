"""Koordinator: shared cards in clusters with its scheduler."""

from gpuxlate.backends.koordinator.backend import BACKEND

__all__ = ["BACKEND"]
