"""Moved to ``gpuxlate.backends.legacy`` and ``gpuxlate.backends.rows``."""

from gpuxlate.backends.legacy import Sheet
from gpuxlate.backends.rows import SeveralCards as Several
from gpuxlate.backends.rows import Size
from gpuxlate.backends.rows import SummedNodes as Counted

__all__ = ["Counted", "Several", "Sheet", "Size"]
