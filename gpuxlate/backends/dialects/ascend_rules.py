"""The rules of Ascend vNPU that no row says."""
