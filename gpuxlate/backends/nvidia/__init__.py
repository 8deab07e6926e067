"""NVIDIA's own sharing: MIG partitions, and replicas of cards by time-slicing and MPS."""

from gpuxlate.backends.nvidia.mig import MIG
from gpuxlate.backends.nvidia.shared import SHARED

__all__ = ["MIG", "SHARED"]
