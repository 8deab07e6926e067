"""The configuration of the KRM function: kind Translate, or a ConfigMap with the same keys as text."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from gpuxlate.backends import registry
from gpuxlate.backends.base import Backend
from gpuxlate.config.configuration import ConfigError, load_profile
from gpuxlate.config.document import API_VERSION
from gpuxlate.model.diagnostics import Path, Severity
from gpuxlate.model.errors import UserError
from gpuxlate.model.messages import Message, did_you_mean, message_of, msg
from gpuxlate.model.profile import Profile
from gpuxlate.translation.acceptance import AcceptError, build_accept
from gpuxlate.translation.options import Settings
from gpuxlate.yamltext.plain import plain_document
from gpuxlate.yamltext.source import Source

if TYPE_CHECKING:
    from gpuxlate.translation.decisions import Decisions


KIND = "Translate"
FUNCTION_CONFIG = "functionConfig"

SPEC_FIELDS = ("to", "from", "round", "drop", "fill", "profile", "allowLeftovers", "decisions")

EXAMPLE = msg("write {fields}", fields=f"apiVersion: {API_VERSION}, kind: {KIND}, spec: {{to: TARGET}}")


class BadConfigError(UserError, ValueError):
    """The configuration cannot be used; ``path`` is where."""

    def __init__(self, message: str, hint: str | None, path: Path) -> None:
        super().__init__(message, hint)
        self.path = path


def wrong_field(holder: str, field: str, value: object = None) -> Message:
    """The message that ``holder`` has no such field, or that the value of the field is invalid."""
    if value is None:
        return msg("{holder} has no {field}", holder=holder, field=field)
    return msg("unknown {field} {value} of {holder}", field=field, value=value, holder=holder)


def settings_of(config: object, base: Path = ()) -> Settings:
    """The settings of a configuration at path ``base`` of its document. Raises BadConfigError."""
    if not isinstance(config, Mapping):
        raise BadConfigError("the ResourceList has no functionConfig", EXAMPLE, base[:-1])
    kind = config.get("kind")
    if kind == KIND and config.get("apiVersion") == API_VERSION:
        field, content = "spec", config.get("spec")
    elif kind == "ConfigMap":
        field, content = "data", config.get("data")
        content = _from_text(content, (*base, field)) if isinstance(content, Mapping) else content
    else:
        field = "apiVersion" if kind == KIND else "kind"
        raise BadConfigError(wrong_field(FUNCTION_CONFIG, field, config.get(field)), EXAMPLE, (*base, field))
    path = (*base, field)
    if not isinstance(content, Mapping):
        raise BadConfigError(wrong_field(FUNCTION_CONFIG, field), EXAMPLE, base)
    _known(content, path)
    if content.get("to") is None:
        raise BadConfigError(
            "functionConfig names no target",
            msg("write {field}.to: TARGET; gpuxlate targets lists them all", field=field),
            path,
        )
    try:
        accept = build_accept(content.get("round"), content.get("fill"), content.get("drop") or ())
    except AcceptError as error:
        raise BadConfigError(error.message, error.hint, (*path, error.field)) from None
    source = _backend(content["from"], (*path, "from")) if content.get("from") else None
    profile = _profile(content.get("profile"), (*path, "profile"))
    allowed = content.get("allowLeftovers", False)
    if not isinstance(allowed, bool):
        message = msg("invalid value {value!r} for allowLeftovers", value=allowed)
        raise BadConfigError(message, "write true or false", (*path, "allowLeftovers"))
    target = _backend(content["to"], (*path, "to"), registry.writable_backend)
    decisions = _decisions(content["decisions"], path) if content.get("decisions") is not None else None
    return Settings(target, source, accept, profile, allow_leftovers=allowed, decisions=decisions)


def _decisions(data: object, path: Path) -> Decisions:
    """The entries of ``decisions``: a list, as in a file of decisions."""
    from gpuxlate.translation.decisions import DecisionsError, load_decisions

    try:
        return load_decisions(data, os.curdir)[0]
    except DecisionsError as error:
        first = next(finding for finding in error.findings if finding.severity is Severity.ERROR)
        raise BadConfigError(first.message, first.hint, (*path, *first.path)) from None


def _from_text(data: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """The values of a ConfigMap, which are strings, as those of a Translate."""
    fields = dict(data)
    if "fill" in data:
        pairs = [part.partition("=") for part in str(data["fill"]).split(",") if part.strip()]
        if not all(number.strip().isascii() and number.strip().isdigit() for _, _, number in pairs):
            message = msg("invalid value {value!r} for fill", value=data["fill"])
            raise BadConfigError(message, "write fill: cores=30,memoryMiB=8192", (*path, "fill"))
        fields["fill"] = {name.strip(): int(number) for name, _, number in pairs}
    if "profile" in data:
        try:
            fields["profile"] = plain_document(Source("profile", str(data["profile"])))
        except ValueError as error:
            hint = "write the fields of a profile, the first: target: TARGET"
            message = msg("invalid YAML in profile: {error}", error=error)
            raise BadConfigError(message, hint, (*path, "profile")) from None
    if "decisions" in data:
        try:
            fields["decisions"] = plain_document(Source("decisions", str(data["decisions"])))
        except ValueError as error:
            message = msg("invalid YAML in decisions: {error}", error=error)
            hint = "write a list of entries, as in a file of decisions"
            raise BadConfigError(message, hint, (*path, "decisions")) from None
    if data.get("allowLeftovers") in ("true", "false"):
        fields["allowLeftovers"] = data["allowLeftovers"] == "true"
    # an empty text is an unset field
    return {name: value for name, value in fields.items() if value != ""}


def _known(names: Iterable[str], path: Path) -> None:
    for name in names:
        if name not in SPEC_FIELDS:
            hint = did_you_mean(
                str(name), SPEC_FIELDS, msg("fields: {fields}", fields=", ".join(SPEC_FIELDS))
            )
            raise BadConfigError(msg("functionConfig has no field {name!r}", name=name), hint, (*path, name))


def _backend(name: object, path: Path, find: Callable[[str], Backend] = registry.get) -> Backend:
    try:
        backend = find(str(name))
    except (registry.UnknownTargetError, registry.ReadOnlyTargetError) as error:
        raise BadConfigError(message_of(error), error.hint, path) from None
    if not backend.writes_pods:
        message = msg("{target} is not for manifests", target=backend.name)
        raise BadConfigError(message, "gpuxlate targets lists those that write manifests", path)
    return backend


def _profile(data: object, path: Path) -> Profile | None:
    if data is None:
        return None
    try:
        return load_profile(data, base=path)
    except ConfigError as error:
        first = error.diagnostics[0]
        raise BadConfigError(first.message, first.hint, first.path) from None
