"""HAMi's driver: shares of NVIDIA cards as capacity of claims.

HD = Project-HAMi/k8s-dra-driver, cmd/kubelet-plugin (2026-08): capacity ``cores`` 0 to 100 with a default of
100, ``memory`` in steps of 1Mi with all of the card as default. 0 is not capped, and takes no compute.
"""

from __future__ import annotations

from functools import partial

from gpuxlate.backends.base import Backend
from gpuxlate.backends.dra.driver import CLAIMED, Driver
from gpuxlate.backends.dra.keys import keys
from gpuxlate.backends.dra.profile import DraProfile
from gpuxlate.backends.dra.reading import read
from gpuxlate.backends.dra.writing import write
from gpuxlate.model.share import Isolation

DRIVER = Driver(
    "dra-hami",
    "hami-core-gpu.project-hami.io",
    Isolation.SOFT,  # by a library in the container (HD)
    True,
    "nvidia",
    {},
    "HD",
    "hami-gpu",
)
BACKEND = Backend(
    name=DRIVER.name,
    title="HAMi's DRA driver",
    keys=keys(DRIVER),
    gpu_prefixes=(f"{DRIVER.device_class}/",),
    read=partial(read, DRIVER),
    write=partial(write, DRIVER),
    says={
        "cards": "count, with distinctAttribute for shares",
        "cores": 'capacity cores, percent of each card; not capped: "0"',
        "memoryMiB": "capacity memory of each card: 4096Mi",
        "isolation": "soft",
        "device": "vendor nvidia; models: selectors on productName",
    },
    device_classes=DRIVER.classes,
    also_speaks=DRIVER.speaks,
    vendor=DRIVER.vendor,
    limits=CLAIMED,
    extension=DraProfile,
    nodes_module="gpuxlate.backends.dra.nodes:HAMI",
    rules_module="gpuxlate.backends.dra.rules",
    needs_module="gpuxlate.backends.dra.prerequisites",
)
