"""Volcano vGPU: shared cards in clusters with Volcano's scheduler."""

from gpuxlate.backends.volcano_vgpu.backend import BACKEND

__all__ = ["BACKEND"]
