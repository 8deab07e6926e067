"""The contract of gpuxlate's targets, on these two."""

from gpuxlate_kestrel import Kestrel
from gpuxlate_kestrel.edge import KestrelEdge

from gpuxlate.testing import BackendContract


class TestKestrel(BackendContract):
    backend = Kestrel()


class TestEdge(BackendContract):
    backend = KestrelEdge()
