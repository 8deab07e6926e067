"""What a claim says of a share, for the tables of the docs: capacity and count of its requests."""

from __future__ import annotations

from gpuxlate.backends.base import BYTE, Absent, Key, Per, Place, Range, key
from gpuxlate.backends.dra.driver import CORES, MEMORY, SHARES, Driver


def keys(driver: Driver) -> tuple[Key, ...]:
    """The rows of a driver. Amounts of memory are quantities of bytes.

    Volcano's queues add up the capacity that claims request, times their devices (docs/design/
    capacity-dra-support.md in volcano-sh/volcano); a ResourceQuota counts devices.
    """
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
    clients = key(
        driver.attribute(SHARES),
        Place.CLAIM,
        meaning="clients of a card, of those that the driver is set to",
        says="replica",
        values=(Range(1),),
        source=driver.source,
    )
    capacity = (*((cores,) if driver.cores else ()), memory)
    devices = (
        f"deviceclass/{driver.device_class}",
        f"{driver.device_class}.deviceclass.resource.k8s.io/devices",
    )
    return (
        *capacity,
        *((clients,) if driver.clients else ()),
        *(key(name, Place.QUOTA, meaning="devices of claims", says="cards", unit=1) for name in devices),
        *(
            one._replace(
                name=f"{one.name.rpartition('/')[2]}.{devices[0]}",
                places=frozenset({Place.QUOTA}),
                meaning=f"{one.meaning} of claims",
                per=Per.TOTAL,
                values=(),
                absent=None,
            )
            for one in capacity
        ),
    )
