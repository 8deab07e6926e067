"""GPU sharing of GKE."""

from gpuxlate.backends.gke.backend import BACKEND

__all__ = ["BACKEND"]
