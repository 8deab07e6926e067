"""The light half of the Kubernetes client: connections and kubeconfig files, without the typed models.

``import kubernetes.client`` loads every model and every API, some 400 ms. Bare packages with the real
search paths in their place let its few modules that we use be loaded by themselves. Where that fails,
with a version that is built otherwise, the ordinary import takes over.
"""

from __future__ import annotations

import os
import sys
import typing
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from gpuxlate.cluster.errors import ChoiceError

_PACKAGES = ("", ".client", ".config", ".utils")
_LOGINS = ("google", "google.auth", "google.auth.transport", "google.auth.transport.requests", "adal")
_UNUSED = ("oauthlib", "oauthlib.oauth2", "requests_oauthlib", "yaml")
_SAME = {"multiprocessing": os, "typing_extensions": typing}
"""Modules of which cpu_count, and NotRequired and Self are used; and others that have these too."""


@dataclass(frozen=True, slots=True)
class Library:
    """The modules of the client that are used here."""

    configuration: Any
    rest: Any
    kube_config: Any
    incluster_config: Any


def load(*, logins: bool = False) -> Library:
    """The client library. ``logins``: with what the old auth-provider entries of a kubeconfig need.

    Raises ChoiceError where it is not installed.
    """
    if find_spec("kubernetes") is None:
        raise ChoiceError("live clusters need the extra: pip install 'gpuxlate[cluster]'")
    if not logins and "kubernetes" not in sys.modules:
        try:
            return _light()
        except (ImportError, AttributeError, TypeError):
            pass  # built otherwise than we know
    try:
        return _ordinary()
    except ImportError as error:
        raise ChoiceError(
            f"the kubernetes library cannot be loaded: {error}", "pip install 'gpuxlate[cluster]'"
        ) from None


def _ordinary() -> Library:
    return Library(
        import_module("kubernetes.client").Configuration,
        import_module("kubernetes.client.rest"),
        import_module("kubernetes.config.kube_config"),
        import_module("kubernetes.config.incluster_config"),
    )


def _light() -> Library:
    with _bare_packages() as client:
        client.ApiClient = None  # named by what renews tokens of OpenID Connect, which is not loaded here
        with _named_as(_SAME):
            client.Configuration = import_module("kubernetes.client.configuration").Configuration
            rest = import_module("kubernetes.client.rest")
        with _stand_ins():
            kube_config = import_module("kubernetes.config.kube_config")
        in_cluster = import_module("kubernetes.config.incluster_config")
        return Library(client.Configuration, rest, kube_config, in_cluster)


@contextmanager
def _bare_packages() -> Iterator[Any]:
    """Packages that hold nothing but their search path. None stays: whoever imports them later gets all."""
    spec = find_spec("kubernetes")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("kubernetes is no package")
    base = Path(spec.submodule_search_locations[0])
    for name in _PACKAGES:
        module: Any = ModuleType(f"kubernetes{name}")
        module.__path__ = [str(base / name.lstrip("."))]
        sys.modules[f"kubernetes{name}"] = module
    try:
        yield sys.modules["kubernetes.client"]
    finally:
        for name in [one for one in sys.modules if one.partition(".")[0] == "kubernetes"]:
            del sys.modules[name]


@contextmanager
def _named_as(modules: Mapping[str, ModuleType]) -> Iterator[None]:
    """Other modules under these names, for a while; those that are loaded already stay."""
    missing = {name: module for name, module in modules.items() if name not in sys.modules}
    sys.modules.update(missing)
    try:
        yield
    finally:
        for name in missing:
            del sys.modules[name]


@contextmanager
def _stand_ins() -> Iterator[None]:
    """Empty modules for what takes longer to load than all the rest and is not used here.

    That is all for auth-provider entries, and a reader of YAML: kubeconfig files are read already.
    """
    names = [name for name in (*_LOGINS, *_UNUSED) if name not in sys.modules]
    for name in names:
        module: Any = ModuleType(name)
        module.__path__ = []
        module.OAuth2Session = None
        sys.modules[name] = module
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)
    try:
        yield
    finally:
        for name in names:
            del sys.modules[name]
            parent, _, child = name.rpartition(".")
            if parent in sys.modules and parent not in names:
                delattr(sys.modules[parent], child)
