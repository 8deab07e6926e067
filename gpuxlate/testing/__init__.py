"""The conformance suite for backends, to subclass in a test module. It needs hypothesis.

from gpuxlate.testing import BackendContract, ReadingContract

class TestMine(BackendContract):
    backend = Kestrel()
"""

from gpuxlate.testing.contract import BackendContract, ReadingContract

__all__ = ["BackendContract", "ReadingContract"]
