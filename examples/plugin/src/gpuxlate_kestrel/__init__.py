"""Kestrel Cloud (made up): a share is some of the ten slices of one card."""

from gpuxlate_kestrel.backend import BACKEND

__all__ = ["BACKEND"]
