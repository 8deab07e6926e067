"""The configuration of the KRM function: kind Translate, or a ConfigMap with the same keys as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.config.configuration import ConfigError, load_profile
from gpuxlate.config.document import API_VERSION
from gpuxlate.model.limits import MAX_NAME
from gpuxlate.model.messages import message_of, say
from gpuxlate.model.pod import Path
from gpuxlate.model.profile import Profile
from gpuxlate.translation.acceptance import AcceptError, acceptance
from gpuxlate.translation.settings import Settings
from gpuxlate.yamltext.plain import plain_document
from gpuxlate.yamltext.source import Source

KIND = "Translate"
FIELDS = ("to", "from", "round", "drop", "fill", "profile", "allowLeftovers")
EXAMPLE = f"write apiVersion: {API_VERSION}, kind: {KIND}, spec: {{to: TARGET}}"


class BadConfigError(ValueError):
    """The configuration cannot be used; ``path`` is where."""

    def __init__(self, message: str, hint: str | None, path: Path) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.path = path


def settings_of(config: object, base: Path = ()) -> Settings:
    """The settings of a configuration at path ``base`` of its document. Raises BadConfigError."""
    if not isinstance(config, Mapping):
        raise BadConfigError("the ResourceList has no functionConfig", EXAMPLE, base[:-1])
    kind = config.get("kind")
    if kind == KIND and config.get("apiVersion") == API_VERSION:
        field, given = "spec", config.get("spec")
    elif kind == "ConfigMap":
        field, given = "data", config.get("data")
        given = _from_text(given, (*base, field)) if isinstance(given, Mapping) else given
    else:
        message = say("unknown kind {kind} of functionConfig", kind=kind)
        raise BadConfigError(message, EXAMPLE, (*base, "kind"))
    path = (*base, field)
    if not isinstance(given, Mapping):
        raise BadConfigError(say("functionConfig has no {field}", field=field), EXAMPLE, base)
    _known(given, path)
    if given.get("to") is None:
        raise BadConfigError(
            "functionConfig names no target",
            say("write {field}.to: TARGET; gpuxlate targets lists them all", field=field),
            path,
        )
    try:
        accept = acceptance(given.get("round"), given.get("fill"), given.get("drop") or ())
    except AcceptError as error:
        raise BadConfigError(error.message, error.hint, (*path, error.field)) from None
    source = _backend(given["from"], (*path, "from")) if given.get("from") else None
    profile = _profile(given.get("profile"), (*path, "profile"))
    allowed = given.get("allowLeftovers", False)
    if not isinstance(allowed, bool):
        message = say("invalid value {value!r} for allowLeftovers", value=allowed)
        raise BadConfigError(message, "write true or false", (*path, "allowLeftovers"))
    target = _backend(given["to"], (*path, "to"), registry.writable)
    return Settings(target, source, accept, profile, allow_leftovers=allowed)


def _from_text(data: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """The values of a ConfigMap, which are strings, as those of a Translate."""
    given = dict(data)
    if "fill" in data:
        pairs = [one.partition("=") for one in str(data["fill"]).split(",") if one.strip()]
        if not all(number.strip().isascii() and number.strip().isdigit() for _, _, number in pairs):
            message = say("invalid value {value!r} for fill", value=data["fill"])
            raise BadConfigError(message, "write fill: cores=30,memoryMiB=8192", (*path, "fill"))
        given["fill"] = {name.strip(): int(number) for name, _, number in pairs}
    if "profile" in data:
        try:
            given["profile"] = plain_document(Source("profile", str(data["profile"])))
        except ValueError as error:
            hint = "write the fields of a profile, the first: target: TARGET"
            message = say("invalid YAML in profile: {error}", error=error)
            raise BadConfigError(message, hint, (*path, "profile")) from None
    if data.get("allowLeftovers") in ("true", "false"):
        given["allowLeftovers"] = data["allowLeftovers"] == "true"
    # an empty text is an unset field
    return {name: value for name, value in given.items() if value != ""}


def _known(given: Iterable[str], path: Path) -> None:
    for name in given:
        if name not in FIELDS:
            near = get_close_matches(str(name)[:MAX_NAME], FIELDS, 1, 0.6)
            hint = say("fields: {fields}", fields=", ".join(FIELDS))
            if near:
                hint = say("did you mean {nearest}?", nearest=near[0])
            raise BadConfigError(say("functionConfig has no field {name!r}", name=name), hint, (*path, name))


def _backend(name: object, path: Path, find: Callable[[str], Backend] = registry.get) -> Backend:
    try:
        found = find(str(name))
    except (registry.UnknownTargetError, registry.ReadOnlyTargetError) as error:
        raise BadConfigError(message_of(error), error.hint, path) from None
    if not found.writes_pods:
        message = say("{target} is not for manifests", target=found.name)
        raise BadConfigError(message, "gpuxlate targets lists those that write manifests", path)
    return found


def _profile(given: object, path: Path) -> Profile | None:
    if given is None:
        return None
    try:
        return load_profile(given, base=path)
    except ConfigError as error:
        first = error.diagnostics[0]
        raise BadConfigError(first.message, first.hint, first.path) from None
