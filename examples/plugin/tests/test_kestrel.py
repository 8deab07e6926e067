"""The contract of gpuxlate's targets, on this one."""

from gpuxlate.testing import BackendContract
from gpuxlate_kestrel import BACKEND


class TestKestrel(BackendContract):
    backend = BACKEND
