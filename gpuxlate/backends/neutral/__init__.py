"""The neutral keys of gpuxlate itself."""

from gpuxlate.backends.neutral.backend import BACKEND

__all__ = ["BACKEND"]
