"""The contract of gpuxlate's targets, on these two."""

from gpuxlate_kestrel import BACKEND, edge

from gpuxlate.testing import BackendContract


class TestKestrel(BackendContract):
    backend = BACKEND


class TestEdge(BackendContract):
    backend = edge.BACKEND
