"""The kustomizations of a run, as one of their files finds them: its pods as they are built of it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from gpuxlate.files.find import Input
from gpuxlate.manifest.pods import Pod, pods_in
from gpuxlate.model.diagnostics import Path
from gpuxlate.overlays.kustomization import KUSTOMIZATIONS, folders_naming, kustomization_folders
from gpuxlate.overlays.parts import Home

if TYPE_CHECKING:
    from gpuxlate.overlays.run_builds import Builds


@dataclass(eq=False)
class RunBuilds:
    """The builds of the kustomizations of a run, for the pods of one of its files. Nothing is read before the
    first question."""

    files: tuple[Input, ...] = ()

    def pods(self, home: Home | None) -> list[Pod]:
        """A pod of a file as each root kustomization builds it; empty where one of these builds is not
        known."""
        built_pods = self._pods.get(home._replace(file=os.path.realpath(home.file))) if home else None
        return [pod for pod in built_pods or () if pod] if built_pods and all(built_pods) else []

    def folder(self, file: str) -> str:
        """The folder to build for a file that is a part of a kustomization, absolute or relative as
        ``file``."""
        path = os.path.realpath(file)
        root_of_build = next((root for root, used in self._used.items() if path in used), None)
        if root_of_build is None:
            folder = os.path.dirname(os.path.abspath(file))
            root_of_build = (
                folder if os.path.basename(file) in KUSTOMIZATIONS else next(folders_naming(file), folder)
            )
        return root_of_build if os.path.isabs(file) else os.path.relpath(root_of_build)

    @cached_property
    def _builds(self) -> Builds | None:
        folders = kustomization_folders(self.files)
        if not folders:
            return None
        from gpuxlate.overlays.run_builds import builds_of

        return builds_of(folders, self.files)

    @cached_property
    def _used(self) -> dict[str, frozenset[str]]:
        """By root kustomization (which no other one uses) the files that it is built of."""
        if self._builds is None:
            return {}
        from gpuxlate.overlays.run_builds import builds_of

        return {root: builds_of([root], ()).used for root in self._builds.roots}

    @cached_property
    def _pods(self) -> dict[Home, list[Pod | None]]:
        """The built pods by the place where they are written; None for a pod that is not known."""
        if self._builds is None:
            return {}
        from gpuxlate.overlays.run_builds import build

        by_home: dict[Home, list[Pod | None]] = {}
        for root in self._builds.roots:
            for obj in build(root).objects:
                file = os.path.realpath(obj.document.source.name)
                for pod in pods_in(obj.document.with_root(obj.root)):
                    path: Path = (*obj.path, *pod.keys.path)
                    home = Home(file, obj.document.index, path)
                    by_home.setdefault(home, []).append(None if obj.unknown else pod)
        return by_home
