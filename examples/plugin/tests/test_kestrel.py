"""The contract of gpuxlate's targets, on this one."""

from gpuxlate_kestrel import BACKEND

from gpuxlate.testing import BackendContract


class TestKestrel(BackendContract):
    backend = BACKEND
