"""What a claim says of a share, for the tables of the docs: capacity and count of its requests."""

from __future__ import annotations

from gpuxlate.backends.base import BYTE, Absent, Key, Per, Place, Range, key
from gpuxlate.backends.dra.driver import CORES, MEMORY, Driver


def keys(driver: Driver) -> tuple[Key, ...]:
    """The rows of a driver. Amounts of memory are quantities of bytes."""
    cores = key(
        driver.attribute(CORES),
        Place.CLAIM,
        meaning="compute",
        says="cores",
        unit=1,
        per=Per.CARD,
        values=(Range(0, 100),),
        absent=Absent.ALL,
        source=driver.source,
    )
    memory = key(
        driver.attribute(MEMORY),
        Place.CLAIM,
        meaning="memory",
        says="memory_mib",
        unit=BYTE,
        quantity=True,
        per=Per.CARD,
        values=(Range(1),),
        absent=Absent.ALL,
        source=driver.source,
    )
    return (*((cores,) if driver.cores else ()), memory)
