"""HAMi on a live cluster: the cards that its device plugin lists, and those that pods got (DEV)."""

from gpuxlate.backends.hami import keys as k
from gpuxlate.backends.sheet.nodes import Shown

LIVE = Shown(
    k.NAMES[0],
    {"hami.io/node-nvidia-register": "hami.io/vgpu-devices-allocated"},
    common=k.COUNT,
).live
