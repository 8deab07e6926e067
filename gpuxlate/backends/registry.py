"""Targets by name: built-in ones from the table below, loaded when first asked for, and plug-ins."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from gpuxlate.backends import dialects, plugins
from gpuxlate.backends.base import Backend
from gpuxlate.backends.plugins import BrokenPluginError
from gpuxlate.model.errors import UserError
from gpuxlate.model.limits import MAX_NAME
from gpuxlate.model.messages import msg, spelt_like, suggest
from gpuxlate.model.pod import ContainerKeys, PodClaim, PodKeys
from gpuxlate.rules.key_index import Owners

if TYPE_CHECKING:
    from gpuxlate.model.profile import Component, Extension


class BackendRow(NamedTuple):
    """One built-in target: its module, and its other names.

    A file in the folder of dialects is a target of its name, whose class has the other names. ``class_name``:
    given where the module has several targets. ``mark``: for a target that writes no pods, a text that is in
    every manifest with its parameters.
    """

    name: str
    module: str
    aliases: tuple[str, ...] | None = None  # None: its class says
    class_name: str = ""
    mark: str | None = None


BUILT_IN: tuple[BackendRow, ...] = (
    BackendRow("volcengine-mgpu", "gpuxlate.backends.volcengine", ("volcengine", "vke", "mgpu", "volc")),
    BackendRow(
        "alibaba-gpushare",
        "gpuxlate.backends.alibaba",
        ("alibaba", "ack", "aliyun", "alicloud", "aliyun-ack", "cgpu"),
    ),
    BackendRow("tencent-qgpu", "gpuxlate.backends.tencent", ("tencent", "tke", "qgpu", "tencentcloud")),
    *(
        BackendRow(
            f"volcengine-emr-{engine}",
            "gpuxlate.backends.volcengine_emr",
            (f"emr-{engine}",),
            f"Emr{engine.capitalize()}",
            mark="emr.serverless.mgpu",
        )
        for engine in ("spark", "ray", "customjob")
    ),
    BackendRow("volcengine-aiapp", "gpuxlate.backends.volcengine_aiapp", ("aiapp",), mark="gpuResourceType"),
    BackendRow("hami", "gpuxlate.backends.hami", ("4paradigm",)),
    BackendRow("volcano-vgpu", "gpuxlate.backends.volcano_vgpu", ("volcano",)),
    BackendRow("metax-sgpu", "gpuxlate.backends.metax", ("metax",)),
    BackendRow("hami-ascend", "gpuxlate.backends.ascend", ("ascend",)),
    BackendRow("koordinator", "gpuxlate.backends.koordinator", ()),
    BackendRow("kai", "gpuxlate.backends.kai", ("runai",)),
    *(
        BackendRow(f"dra-{driver}", "gpuxlate.backends.dra", (), f"Dra{driver.capitalize()}")
        for driver in ("hami", "nvidia", "amd", "intel")
    ),
    BackendRow("nvidia-mig", "gpuxlate.backends.nvidia.mig", ("mig",)),
    BackendRow("nvidia-shared", "gpuxlate.backends.nvidia.shared", ()),
    BackendRow("gke", "gpuxlate.backends.gke", ()),
    BackendRow("huawei-cce", "gpuxlate.backends.huawei_cce", ("cce",)),
    BackendRow("tensor-fusion", "gpuxlate.backends.tensor_fusion", ("tensorfusion",)),
    *(
        BackendRow(module.name.replace("_", "-"), f"{dialects.__name__}.{module.name}")
        for module in pkgutil.iter_modules(dialects.__path__)
    ),
    BackendRow("neutral", "gpuxlate.backends.neutral", ()),
)


_ALIKE = 0.65
"""The least ratio at which a target is suggested for a name: ``dra`` is as near to one target as to
another."""
CLOUDS = tuple(row.name for row in BUILT_IN[:3])
"""The targets that are shown where neither a user nor the input names any: the clouds of the first rows."""


def names_of_target(row: BackendRow) -> tuple[str, ...]:
    """The name of a built-in target, and its other names."""
    if row.aliases is not None:
        return row.name, *row.aliases
    return load(row).names


@cache
def _taken() -> frozenset[str]:
    """The names of all built-in targets, which no plug-in has."""
    return frozenset(name for row in BUILT_IN for name in names_of_target(row))


class UnknownTargetError(UserError, LookupError, ValueError):
    """No target of that name; ``hint`` names the nearest."""

    def __init__(self, name: str) -> None:
        near = _nearest(name[:MAX_NAME].lower())
        hint = suggest(near) if near else "gpuxlate targets lists them all"
        super().__init__(msg("unknown target {name!r}", name=name), hint)


def _nearest(text: str) -> str | None:
    """The name that was probably meant: one that is spelt much like the text, else the target of which the
    title alone has each of its words; None where that is a guess."""
    names = [name for row in BUILT_IN for name in names_of_target(row)]
    spelt = spelt_like(text, [*names, *plugins.plugin_names()], ratio=_ALIKE)
    if spelt:
        return spelt[0]
    words = re.findall(r"[a-z0-9]{3,}", text)
    titled = [
        backend.name
        for backend in all_backends()
        if words and all(word in backend.title.lower() for word in words)
    ]
    return titled[0] if len(titled) == 1 else None


class ReadOnlyTargetError(UserError, ValueError):
    """The target is read-only; ``hint`` says what it can be used for."""

    def __init__(self, name: str) -> None:
        super().__init__(
            msg("invalid target {name!r}: it is read and not written", name=name),
            msg("--from {name} reads its keys; gpuxlate targets lists what is written", name=name),
        )


def target_names() -> tuple[str, ...]:
    """The names of all targets, in the order of the data sheet; plug-ins with their aliases, last."""
    return (*(row.name for row in BUILT_IN), *_of_plugins())


def _of_plugins() -> tuple[str, ...]:
    taken = _taken()
    return tuple(name for name in plugins.plugin_names() if name not in taken)


def plugin_backends() -> Iterator[Backend]:
    """Every plug-in, loaded. Raises BrokenPluginError, also for one with the name of a built-in target."""
    taken = _taken()
    for backend in plugins.backends():
        if backend.name in taken:
            raise BrokenPluginError(
                backend.name, plugins.distribution_of(backend), "a built-in target has that name"
            )
        yield backend


@cache
def load(row: BackendRow) -> Backend:
    """The backend of a row: the same object for every call."""
    module = import_module(row.module)
    backends = (
        value
        for name, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, Backend)
        and value.__module__ == row.module
        and name == (row.class_name or name)
    )
    return next(backends)()


def canonical_name(name: str) -> str:
    """The name or alias of a built-in target in its usual letter case; other names unchanged."""
    lower = name.lower()
    return lower if name != lower and lower in _taken() else name


@lru_cache(maxsize=256)
def _built_in(name: str) -> BackendRow | None:
    """The row of a name. Targets that must be loaded to know their aliases are tried last."""
    row = next((row for row in BUILT_IN if name == row.name or name in (row.aliases or ())), None)
    return row or next((row for row in BUILT_IN if name in names_of_target(row)), None)


def get(name: str) -> Backend:
    """The backend of a name or alias, in any case; a plug-in where no built-in one has it. Raises
    UnknownTargetError and BrokenPluginError."""
    lower = name.lower()  # the names of built-in targets are
    row = _built_in(lower)
    if row is not None:
        return load(row)
    backend = plugins.load_plugin(name) or plugins.load_plugin(lower)
    if backend is None:
        raise UnknownTargetError(name)
    return backend


def writable_backend(name: str) -> Backend:
    """The backend of a name that shares are to be written for. Raises what ``get`` raises, and
    ReadOnlyTargetError."""
    backend = get(name)
    if backend.read_only:
        raise ReadOnlyTargetError(backend.name)
    return backend


def aliases(name: str) -> tuple[str, ...]:
    """The other names of a target."""
    of_row = next((names_of_target(row)[1:] for row in BUILT_IN if row.name == name), None)
    return plugins.aliases_of_plugin(get(name)) if of_row is None else of_row


def all_backends() -> Iterator[Backend]:
    """Every backend, loaded; those that write manifests of pods come first, plug-ins after built-in ones."""
    yield from pod_backends()
    yield from job_backends()


def all_writable() -> Iterator[Backend]:
    """Every backend that shares can be written for, in the order of ``all_backends``."""
    return (backend for backend in all_backends() if not backend.read_only)


def written_manifests() -> Iterator[Backend]:
    """Every target that writes manifests of pods."""
    return (backend for backend in pod_backends() if not backend.read_only)


def writable_names() -> Iterator[str]:
    """``target_names`` without those that are only read; plug-ins stay unloaded."""
    read_only = {row.name for row in BUILT_IN if load(row).read_only}
    return (name for name in target_names() if name not in read_only)


@cache
def pod_backends() -> tuple[Backend, ...]:
    """The backends whose shares are in manifests of pods, loaded. Other built-in ones stay unloaded."""
    built_in = (load(row) for row in BUILT_IN if not row.mark)
    return (*built_in, *(backend for backend in plugin_backends() if backend.writes_pods))


@cache
def job_backends() -> tuple[Backend, ...]:
    """The backends whose shares are parameters of jobs, loaded (``job_targets`` has what else they need)."""
    built_in = (load(row) for row in BUILT_IN if row.mark)
    return (*built_in, *(backend for backend in plugin_backends() if not backend.writes_pods))


def job_marks() -> tuple[str, ...]:
    """Words, one of which is in every manifest with parameters of jobs; empty where a plug-in may read
    any."""
    if any(not backend.writes_pods for backend in plugin_backends()):
        return ()
    return tuple({row.mark for row in BUILT_IN if row.mark})


def neutral_word(name: str, text: str) -> str | None:
    """The value of a field (by JSON name) for which some vendor uses the word ``text``; None where none
    does."""
    return next(
        (backend.words[name][text] for backend in pod_backends() if text in backend.words.get(name, {})), None
    )


def extensions() -> tuple[type[Extension], ...]:
    """The vendors' parts of a profile."""
    return tuple(dict.fromkeys(backend.extension for backend in all_backends() if backend.extension))


def components() -> dict[str, Component]:
    """The software whose versions a profile may give, by name."""
    return {component.name: component for backend in all_backends() for component in backend.components}


@cache
def _owners() -> Owners[Backend]:
    return Owners(pod_backends())


def backends_of(pod: PodKeys) -> tuple[Backend, ...]:
    """The dialects in which containers of a pod request GPUs."""
    return _owners().backends_of(pod)


@lru_cache(maxsize=4096)
def is_gpu_key(name: str) -> bool:
    """Whether the key requests GPUs at some target."""
    return any(backend.is_gpu_key(name) for backend in _owners().of_domain(name))


@cache
def whole_card_keys() -> frozenset[str]:
    """The keys of whole cards of all dialects."""
    return frozenset(backend.whole_card_key for backend in pod_backends() if backend.whole_card_key)


@cache
def device_classes() -> frozenset[str]:
    """The classes of devices that some dialect reads in claims."""
    return frozenset(name for backend in pod_backends() for name in backend.device_classes)


def has_devices_of(claim: PodClaim, backends: Iterable[Backend]) -> bool:
    """Whether the claim is for devices of one of some dialects."""
    classes = claim.devices.classes() if claim.devices else frozenset()
    return any(name in classes for backend in backends for name in backend.device_classes)


def asks(pod: PodKeys, container: ContainerKeys) -> bool:
    """Whether a container has a key of some dialect in its resources, or devices of one by a claim."""
    if any(map(is_owned, container.resources)):
        return True
    if not container.claims:
        return False
    ways = (way for _, _, request in pod.requests_of(container) for way in request.ways())
    return any(way.device_class and way.device_class.text in device_classes() for way in ways)


def with_own_devices(pod: PodKeys, containers: Iterable[ContainerKeys]) -> list[ContainerKeys]:
    """The containers, without those that share the devices of a claim with an earlier one."""
    seen: set[tuple[str, str]] = set()
    parsed = []
    for container in containers:
        devices = {(use.name, request.name) for use, _, request in pod.requests_of(container)}
        if seen.isdisjoint(devices):
            parsed.append(container)
        seen |= devices
    return parsed


def is_owned(name: str) -> bool:
    """Whether the key is that of some dialect whose shares are in manifests of pods."""
    return bool(_owners().owners(name))
