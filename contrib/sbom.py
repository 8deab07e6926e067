"""The software bill of materials: ``of(FOLDER)`` lists the packages that are installed in a folder.

CycloneDX 1.6 as JSON, from what each package says of itself: name, version, licence, what it needs. The
same packages give the same text: its time is that of ``SOURCE_DATE_EPOCH``, its serial number follows from
what it lists. Needs ``cyclonedx-python-lib`` (the extra ``dist``).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import Distribution, distributions
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

VERSION = SchemaVersion.V1_6
ROOT_PACKAGE = "gpuxlate"


def of(folder: Path) -> str:
    """The bill of ``gpuxlate`` and all that is installed beside it."""
    found = {canonicalize_name(one.name): one for one in distributions(path=[str(folder)])}
    needed = reached(found, extras=())
    components = {name: component(one, needed=name in needed) for name, one in found.items()}
    root = components.pop(ROOT_PACKAGE)
    root.type, root.scope = ComponentType.APPLICATION, None
    listed = ",".join(sorted(f"{one.name}=={one.version}" for one in (root, *components.values())))
    bom = Bom(components=components.values(), serial_number=uuid5(NAMESPACE_URL, listed))
    bom.metadata.component = root
    bom.metadata.timestamp = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC)
    for name, one in (*components.items(), (ROOT_PACKAGE, root)):
        extras = ("cluster",) if name == ROOT_PACKAGE else ()
        beside = (components[other] for other in needs(found[name], extras) if other in components)
        bom.register_dependency(one, beside)
    return str(make_outputter(bom, OutputFormat.JSON, VERSION).output_as_string(indent=2)) + "\n"


def component(package: Distribution, *, needed: bool) -> Component:
    """One package. What only the extra ``cluster`` brings is optional."""
    name = canonicalize_name(package.name)
    return Component(
        name=name,
        version=package.version,
        description=package.metadata.get("Summary"),
        scope=ComponentScope.REQUIRED if needed else ComponentScope.OPTIONAL,
        licenses=[LicenseFactory().make_from_string(one) for one in licences(package)],
        purl=PackageURL("pypi", name=name, version=package.version),
        bom_ref=f"{name}@{package.version}",
    )


def licences(package: Distribution) -> list[str]:
    """What a package says of its licence, in one of the three places that there have been for it."""
    said = package.metadata.get("License-Expression") or package.metadata.get("License")
    if said and "\n" not in said:  # a whole text has its name among the classifiers
        return [said]
    classifiers = package.metadata.get_all("Classifier", [])
    return [one.rpartition(" :: ")[2] for one in classifiers if one.startswith("License :: OSI Approved :: ")]


def reached(found: Mapping[str, Distribution], extras: Iterable[str]) -> set[str]:
    """The packages that ``gpuxlate`` with these extras needs, directly or not."""
    seen: set[str] = set()
    waiting = [other for other in needs(found[ROOT_PACKAGE], extras) if other in found]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += [other for other in needs(found[name], ()) if other in found]
    return seen


def needs(package: Distribution, extras: Iterable[str]) -> list[str]:
    """The names of what a package asks for here, with some of its extras."""
    wanted = [Requirement(one) for one in package.requires or ()]
    cases = [{"extra": extra} for extra in ("", *extras)]
    return sorted(
        {
            canonicalize_name(one.name)
            for one in wanted
            if one.marker is None or any(one.marker.evaluate(case) for case in cases)
        }
    )
