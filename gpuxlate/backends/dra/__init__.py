"""Dynamic Resource Allocation: claims on devices of HAMi's and NVIDIA's drivers."""

from gpuxlate.backends.dra.hami import BACKEND as HAMI
from gpuxlate.backends.dra.nvidia import BACKEND as NVIDIA

__all__ = ["HAMI", "NVIDIA"]
