"""Volcano vGPU: shared cards under the Volcano scheduler."""

from gpuxlate.backends.volcano_vgpu.backend import BACKEND

__all__ = ["BACKEND"]
