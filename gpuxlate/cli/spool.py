"""Texts that wait until all is known to be well: in memory while they are small, then on disk."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO

IN_MEMORY = 16 * 1024 * 1024
"""Bytes. Beyond them a temporary file holds everything; it has no name, so nothing is left behind."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Where a text stands in the spool, in bytes."""

    start: int
    size: int


class Spool:
    """Texts one after the other; each is read again by its stretch."""

    def __init__(self) -> None:
        self._stream: BinaryIO = BytesIO()
        self._size = 0

    def add(self, data: bytes) -> Stretch:
        """Raises OSError where there is no room."""
        if self._size <= IN_MEMORY < self._size + len(data):
            self._to_disk()
        self._stream.write(data)
        self._size += len(data)
        return Stretch(self._size - len(data), len(data))

    def read(self, stretch: Stretch) -> bytes:
        self._stream.seek(stretch.start)
        data = self._stream.read(stretch.size)
        self._stream.seek(self._size)
        return data

    def _to_disk(self) -> None:
        from tempfile import TemporaryFile
        from typing import cast

        held = self._stream
        self._stream = cast(BinaryIO, TemporaryFile())  # noqa: SIM115 - as long as the spool
        held.seek(0)
        while block := held.read(1024 * 1024):
            self._stream.write(block)
        held.close()
