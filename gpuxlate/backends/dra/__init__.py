"""Dynamic Resource Allocation: claims on devices of HAMi's and NVIDIA's drivers."""

from gpuxlate.backends.dra.backend import HAMI, NVIDIA

__all__ = ["HAMI", "NVIDIA"]
