"""Moved to ``gpuxlate.backends.base`` and ``gpuxlate.backends.rows``."""

from gpuxlate.backends.base import Backend
from gpuxlate.backends.rows import SeveralCards as Several
from gpuxlate.backends.rows import Size
from gpuxlate.backends.rows import SummedNodes as Counted

__all__ = ["Counted", "Several", "Sheet", "Size"]


class Sheet(Backend):
    """A target by rows alone, as it was written once; ``backend`` is itself."""

    @property
    def backend(self) -> Backend:
        return self
