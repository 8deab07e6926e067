"""The data sheet of GPU sharing in GKE: labels that choose nodes, and the common key.

SHARING: Google Cloud, GPU sharing in GKE. MODELS: its accelerators.
"""

from __future__ import annotations

import re

from gpuxlate.backends.base import Key, Place, Range, key
from gpuxlate.model.catalogue import names_of
from gpuxlate.model.parts import Strategy

NAME = "gke"
WHOLE = "nvidia.com/gpu"
STRATEGY = "cloud.google.com/gke-gpu-sharing-strategy"
CLIENTS = "cloud.google.com/gke-max-shared-clients-per-gpu"
SIZE = "cloud.google.com/gke-gpu-partition-size"
MODEL = "cloud.google.com/gke-accelerator"
STRATEGIES = {"time-sharing": Strategy.TIME_SLICING, "mps": Strategy.MPS}
SIZES = re.compile(r"[1-9]g\.[0-9]+gb([+]me|[+]me\.all|[+]gfx|-me)?")
LEAST, MOST = 2, 48
"""Clients of a card."""

KEYS: tuple[Key, ...] = (
    key(
        WHOLE,
        Place.RESOURCE,
        says="cards",
        meaning="whole cards; instances or clients of one, by the labels",
        unit=1,
        whole=True,
        values=(Range(),),
        source="SHARING",
    ),
    key(
        STRATEGY,
        Place.NODE_SELECTOR,
        Place.NODE,
        says="replica",
        meaning="how the clients of a card share it",
        values=tuple(STRATEGIES),
        source="SHARING",
    ),
    key(
        CLIENTS,
        Place.NODE_SELECTOR,
        Place.NODE,
        says="replica",
        meaning="how many clients a card has",
        values=(Range(LEAST, MOST),),
        source="SHARING",
    ),
    key(
        SIZE,
        Place.NODE_SELECTOR,
        Place.NODE,
        says="partition",
        meaning="MIG profile of the partitions",
        values=(SIZES,),
        source="SHARING",
    ),
    key(
        MODEL,
        Place.NODE_SELECTOR,
        Place.NODE,
        says="device",
        meaning="card model",
        values=tuple(names_of(NAME)),
        general=True,
        source="MODELS",
    ),
)
