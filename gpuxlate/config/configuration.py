"""The configuration: found upwards from the work, read from YAML or TOML, checked, plain inside.

This module knows no YAML: whoever loads passes the reader in, which raises ValueError for a text
that is none. Everything wrong with a configuration is a usage error: ConfigError, exit 2.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpuxlate.config.find import find_config, read_toml
from gpuxlate.files.find import ExcludePatterns, Patterns, compile_pattern, system_message
from gpuxlate.files.read import StrPath, is_inside, read_content, repository_of
from gpuxlate.model.declarations import record
from gpuxlate.model.diagnostics import Diagnostic, Severity
from gpuxlate.model.diagnostics import Path as DocumentPath
from gpuxlate.model.errors import UserError
from gpuxlate.model.limits import MAX_CONFIG_BYTES
from gpuxlate.model.messages import Lines, did_you_mean, message_of, msg, suggest
from gpuxlate.model.pod import dotted
from gpuxlate.model.profile import Card, CardProfile, ChangeKind, Profile, card_named, nearest_cards

if TYPE_CHECKING:
    from gpuxlate.config.prices import CardPrice

ReadYaml = Callable[[str], object]

CONFIG_CODE = "config"
"""The code of these diagnostics, which belong to no rule."""

SECTION = ("tool", "gpuxlate")


class ConfigError(UserError, ValueError):
    """The configuration, or a profile, cannot be used; ``diagnostics`` holds every reason.

    ``read``: it was read, and what it says is wrong.
    """

    def __init__(
        self, diagnostics: Iterable[Diagnostic], hint: str | None = None, *, read: bool = True
    ) -> None:
        self.diagnostics = tuple(diagnostics)
        self.read = read
        super().__init__(Lines([*_lines(self.diagnostics)]), hint)


def _lines(diagnostics: Iterable[Diagnostic]) -> Iterator[str]:
    """A line for each; the file is named with the line in it, without one on the first line about it."""
    file: str | None = None
    for diagnostic in diagnostics:
        where = f"{diagnostic.file}:{diagnostic.span.line}: " if diagnostic.span else ""
        where = where or (f"{diagnostic.file}: " if diagnostic.file and diagnostic.file != file else "")
        file = diagnostic.file
        sentence = (
            msg("{message} ({hint})", message=diagnostic.message, hint=diagnostic.hint)
            if diagnostic.hint
            else diagnostic.message
        )
        yield msg("{where}{message}", where=where, message=sentence)


def _error(message: str, hint: str | None = None, file: Path | None = None) -> ConfigError:
    where = str(file) if file else None
    return ConfigError([Diagnostic(CONFIG_CODE, Severity.ERROR, message, hint, file=where)], read=False)


@record
class PerFileIgnore:
    """Rules (codes, beginnings of codes, or ALL) that the files of a gitignore pattern may break."""

    path: str
    rules: tuple[str, ...]
    reason: str


@record
class SyncTarget:
    """One target of a tree; ``options`` are those of its mapping in the configuration but for its folder."""

    name: str
    dir: str
    options: Mapping[str, Any]


@record
class SyncEntry:
    """A source tree and its targets; folders as the configuration has them."""

    source: str
    from_: str | None
    targets: tuple[SyncTarget, ...]


@record
class Config:
    """A configuration. None, or empty: not set.

    ``profiles`` holds a Profile, or the path of its file. ``path`` is the file all this came from,
    ``base`` the folder from which its patterns count where it is not that of the file.
    """

    path: Path | None = None
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[PerFileIgnore, ...] = ()
    fail_on: str | None = None
    profiles: Mapping[str, Profile | Path] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    base: Path | None = None
    decisions: Path | None = None
    sync: tuple[SyncEntry, ...] = ()
    docs_url: str | None = None
    prices: tuple[CardPrice, ...] = ()

    @property
    def folder(self) -> Path | None:
        """The folder from which patterns count."""
        return self.base or (Path(os.path.abspath(self.path)).parent if self.path else None)

    def excludes(self) -> ExcludePatterns | None:
        """What ``exclude`` leaves out; None where it is not set."""
        if not self.exclude:
            return None
        folder = os.path.realpath(self.folder or os.curdir)
        return ExcludePatterns(folder, Patterns(self.exclude), f"exclude of {self.path}")

    def ignores_for(self, file: StrPath) -> tuple[PerFileIgnore, ...]:
        """The entries of ``per-file-ignores`` that match a file, in their order.

        A file outside the folder from which patterns count matches none.
        """
        if not self.per_file_ignores or self.folder is None:
            return ()
        inside = _relative(file, self.folder)
        if inside is None:
            return ()
        return tuple(ignores for ignores in self.per_file_ignores if compile_pattern(ignores.path)(inside))


def _relative(file: StrPath, folder: Path) -> str | None:
    """The file as seen from the folder of the configuration; symbolic links are not followed."""
    target = Path(os.path.abspath(file))
    return target.relative_to(folder).as_posix() if target.is_relative_to(folder) else None


# --- loading ----------------------------------------------------------------------------------------


def load_found(path: Path, read_yaml: ReadYaml) -> Config:
    """A configuration that ``find_config`` found, which somebody else may have written. Raises ConfigError.

    A link is followed within its repository: an error shows what is written elsewhere on the machine.
    """
    if not is_inside(path, repository_of(path.parent)):
        hint = "put the file itself there, or name its values in options"
        raise _error("a link that leads out of its repository", hint, path)
    return load_config(path, read_yaml)


def config_for(start: StrPath, named: str | None, read_yaml: ReadYaml) -> Config | None:
    """The configuration in a file that the user named, else the one that is found from ``start`` upwards.

    Raises ConfigError and TwoFilesError.
    """
    if named is None:
        path = find_config(start)
        return load_found(path, read_yaml) if path else None
    # its patterns are of the files at hand: it may be kept elsewhere
    return replace(load_config(Path(named), read_yaml, named=True), base=Path.cwd())


def load_config(path: Path, read_yaml: ReadYaml, *, named: bool = False) -> Config:
    """The configuration in a YAML file, or in [tool.gpuxlate] of a TOML file. Raises ConfigError.

    ``named``: the user named the file, as for ``files.read.read_content``.
    """
    toml = path.suffix == ".toml"
    text = _text(path, named=named)
    data = _toml_section(path, text) if toml else _yaml_data(path, text, read_yaml)
    base: DocumentPath = SECTION if toml else ()
    if data is None:
        return Config(path)
    from gpuxlate.config.config_model import config_model
    from gpuxlate.config.validation_errors import check_model

    settings, problems = check_model(
        config_model(), _targets_as_folders(_profiles_as_files(data)), CONFIG_CODE, base=base
    )
    problems += _bad_targets(data, base)
    profiles: dict[str, Profile | Path] = {}
    for name, profile in _mapping(data, "profiles").items():
        if _names_file(profile):
            profiles[name] = path.parent / profile
            continue
        try:
            profiles[name] = load_profile(profile, base=(*base, "profiles", name))
        except ConfigError as error:
            problems += error.diagnostics
    problems += _bad_patterns(settings or {}, base)
    problems += _unknown_targets((settings or {}).get("targets", ()), (*base, "targets"))
    prices, bad_prices = _prices((settings or {}).get("prices", {}), base)
    problems += bad_prices
    if settings is None or problems:
        raise ConfigError(problem.located(file=str(path)) for problem in problems)
    return Config(
        path,
        tuple(settings["select"]) if "select" in settings else None,
        tuple(settings.get("ignore", ())),
        tuple(
            PerFileIgnore(ignores["path"], tuple(ignores["rules"]), ignores["reason"])
            for ignores in settings.get("per_file_ignores", ())
        ),
        settings.get("fail_on"),
        profiles,
        tuple(settings.get("exclude", ())),
        decisions=path.parent / settings["decisions"] if "decisions" in settings else None,
        sync=tuple(_sync_entries(data)) if "sync" in settings else (),
        docs_url=settings.get("docs_url"),
        targets=tuple(settings.get("targets", ())),
        prices=prices,
    )


def _trees(data: object) -> list[dict[str, Any]]:
    section = data.get("sync") if isinstance(data, dict) else None
    trees = section if isinstance(section, list) else []
    return [tree if isinstance(tree, dict) else {} for tree in trees]


def _targets_as_folders(data: object) -> object:
    """The configuration with a folder for every target of a tree; what it says of each is checked apart."""
    if not isinstance(data, dict) or not isinstance(data.get("sync"), list):
        return data
    trees: list[object] = []
    for tree in data["sync"]:
        targets = _mapping(tree, "targets")
        trees.append({**tree, "targets": dict.fromkeys(targets, "inline")} if targets else tree)
    return {**data, "sync": trees}


def _bad_targets(data: object, base: DocumentPath) -> Iterator[Diagnostic]:
    from gpuxlate.config.config_model import SyncTargetModel
    from gpuxlate.config.validation_errors import check_model

    for number, tree in enumerate(_trees(data)):
        for name, target in _mapping(tree, "targets").items():
            settings = target if isinstance(target, dict) else {"dir": target}
            yield from check_model(
                SyncTargetModel, settings, CONFIG_CODE, base=(*base, "sync", number, "targets", name)
            )[1]


def _sync_entries(data: object) -> Iterator[SyncEntry]:
    """The trees of a configuration that was checked."""
    for tree in _trees(data):
        targets = []
        for name, target in tree["targets"].items():
            options = dict(target) if isinstance(target, dict) else {"dir": target}
            targets.append(SyncTarget(name, options.pop("dir"), options))
        yield SyncEntry(tree["source"], tree.get("from"), tuple(targets))


def _profiles_as_files(data: object) -> object:
    """The configuration with a file's name for every profile that is a mapping; it is checked apart."""
    profiles = _mapping(data, "profiles")
    if not profiles or not isinstance(data, dict):
        return data
    named = {name: profile if _names_file(profile) else "inline" for name, profile in profiles.items()}
    return {**data, "profiles": named}


def _names_file(profile: object) -> bool:
    return isinstance(profile, str) and profile != "" and profile.isprintable()


def _mapping(data: object, key: str) -> dict[str, Any]:
    section = data.get(key) if isinstance(data, dict) else None
    return section if isinstance(section, dict) else {}


def _unknown_targets(names: Iterable[str], base: DocumentPath) -> Iterator[Diagnostic]:
    """A problem for each name that is not that of a target for manifests."""
    from gpuxlate.backends import registry

    for index, name in enumerate(names):
        try:
            registry.writable_backend(name)
        except (registry.UnknownTargetError, registry.ReadOnlyTargetError) as error:
            path = (*base, index)
            message = msg("{where}: {message}", where=f"targets[{index}]", message=message_of(error))
            yield Diagnostic(CONFIG_CODE, Severity.ERROR, message, error.hint, path)


def _prices(
    numbers: Mapping[str, int | float], base: DocumentPath
) -> tuple[tuple[CardPrice, ...], list[Diagnostic]]:
    """The prices, and a problem for each that is none. A number is the one that is written: fifteen digits of
    it are kept by every reader."""
    if not numbers:
        return (), []
    from gpuxlate.config.prices import PriceError, card_price

    prices: list[CardPrice] = []
    problems: list[Diagnostic] = []
    for name, number in numbers.items():
        try:
            prices.append(card_price(name, str(number)))
        except PriceError as error:
            path = ("prices", name)
            message = msg("{path}: {message}", path=dotted(path), message=message_of(error))
            problems.append(Diagnostic(CONFIG_CODE, Severity.ERROR, message, error.hint, (*base, *path)))
    return tuple(prices), problems


def _bad_patterns(settings: Mapping[str, Any], base: DocumentPath) -> Iterator[Diagnostic]:
    """A problem for each text that is not a pattern; those of ``exclude`` may begin with ``!``."""
    entries: list[tuple[DocumentPath, Callable[[], object]]] = [
        (("per-file-ignores", index, "path"), partial(compile_pattern, ignores["path"]))
        for index, ignores in enumerate(settings.get("per_file_ignores", ()))
    ]
    for index, text in enumerate(settings.get("exclude", ())):
        entries.append((("exclude", index), partial(Patterns, (text,))))
    for path, compiled in entries:
        try:
            compiled()
        except ValueError as error:
            why = message_of(error)
            message = msg("{path} is not a gitignore pattern: {why}", path=dotted(path), why=why)
            hint = "write a pattern as in .gitignore"
            yield Diagnostic(CONFIG_CODE, Severity.ERROR, message, hint, (*base, *path))


def _text(path: Path, *, named: bool) -> str:
    try:
        return read_content(path, MAX_CONFIG_BYTES, named=named).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _error("not UTF-8 text", "save the file as UTF-8", path) from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name of a file
        why = system_message(error) if isinstance(error, OSError) else str(error)
        raise _error(msg("it cannot be read: {reason}", reason=why), file=path) from error


def _yaml_data(path: Path, text: str, read_yaml: ReadYaml) -> object:
    try:
        return read_yaml(text)
    except ValueError as error:
        raise _error(msg("invalid YAML: {error}", error=message_of(error)), file=path) from error


def _toml_section(path: Path, text: str) -> object:
    try:
        data: Any = read_toml(text)
    except RecursionError as error:
        raise _error("invalid TOML: nested too deeply", "use fewer levels", path) from error
    except ValueError as error:  # TOMLDecodeError, or a number of more digits than Python reads
        raise _error(msg("invalid TOML: {error}", error=message_of(error)), file=path) from error
    return _mapping(data, SECTION[0]).get(SECTION[1])


# --- profiles ---------------------------------------------------------------------------------------


def load_profile(data: object, *, base: DocumentPath = ()) -> Profile:
    """A profile from plain data at ``base`` of its document. Raises ConfigError."""
    from gpuxlate.backends import registry
    from gpuxlate.config.profile_model import profile_model
    from gpuxlate.config.validation_errors import check_model
    from gpuxlate.rules import releases

    settings, problems = check_model(profile_model(), data, CONFIG_CODE, base=base)
    catalogue = tuple(map(Card.from_document, (settings or {}).get("catalogue", ())))
    problems += _check_catalogue(catalogue, (*base, "catalogue"))
    release_entries = (settings or {}).get("releases", ())
    problems += _check_releases(release_entries, (*base, "releases")) if release_entries else ()
    if settings is None or problems:
        raise ConfigError(problems)
    cards = settings.get("cards", {})
    return Profile(
        registry.canonical_name(settings["target"]),
        settings.get("kubernetesVersion"),
        settings.get("nodeImage"),
        settings.get("policy"),
        CardProfile(cards.get("model"), cards.get("perNode"), cards.get("memoryMiB")),
        settings.get("components", {}),
        tuple(
            extension.from_document(settings[extension.key])
            for extension in registry.extensions()
            if extension.key in settings
        ),
        settings.get("memoryUnitMiB", 1),
        catalogue,
        tuple(
            change
            for release in release_entries
            for change in releases.read_release(release, registry.components()[release["component"]])
        ),
    )


WHETHER_READ = (ChangeKind.NEW, ChangeKind.REMOVED, ChangeKind.RENAMED)
"""The changes of which a release has one for a key."""


def _check_releases(release_entries: Sequence[Any], base: DocumentPath) -> Iterator[Diagnostic]:
    """What is wrong with the releases of a profile: unknown names, and fields that are missing."""
    from gpuxlate.backends import registry

    components = registry.components()
    rows = (row for backend in registry.all_backends() for row in backend.keys)
    names = {name for row in rows for name in (row.name, row.template, *row.aliases)}
    reading: dict[tuple[str, str, str], str] = {}
    for number, release in enumerate(release_entries):
        if release["component"] not in components:
            yield _unknown_in((*base, number, "component"), release["component"], components)
        for index, change in enumerate(release["changes"]):
            path = (*base, number, "changes", index)
            if change["key"] not in names:
                yield _unknown_in((*path, "key"), change["key"], names)
            of_key = (release["component"], release["version"], change["key"])
            if change["change"] in WHETHER_READ and reading.setdefault(of_key, dotted(path)) != dotted(path):
                message = msg(
                    "{path} says anew what {before} says: whether the release reads {key}",
                    path=dotted(path),
                    before=reading[of_key],
                    key=change["key"],
                )
                yield Diagnostic(CONFIG_CODE, Severity.ERROR, message, "remove one of the two", path)
            if change["change"] == ChangeKind.RENAMED and "replacement" not in change:
                message = msg("{path} has no replacement", path=dotted(path))
                yield Diagnostic(
                    CONFIG_CODE, Severity.ERROR, message, "write the key that is read in its place", path
                )
            if change["change"] == ChangeKind.VALUES and not change.get("values"):
                message = msg("{path} has no values", path=dotted(path))
                yield Diagnostic(
                    CONFIG_CODE, Severity.ERROR, message, "write the values that it takes from then on", path
                )


def _unknown_in(path: DocumentPath, name: str, names: Iterable[str]) -> Diagnostic:
    """The problem of an unknown name, with the nearest of ``names``."""
    hint = did_you_mean(name, names, "gpuxlate schema profile prints every field")
    message = msg("{path} is {name!r}, which nothing has", path=dotted(path), name=name)
    return Diagnostic(CONFIG_CODE, Severity.ERROR, message, hint, path)


def _check_catalogue(catalogue: Iterable[Card], base: DocumentPath) -> Iterator[Diagnostic]:
    names: set[str] = set()
    for index, card in enumerate(catalogue):
        if card.name.casefold() in names:
            path = (*base, index, "name")
            message = msg("{path} is {name!r} a second time", path=dotted(path), name=card.name)
            yield Diagnostic(CONFIG_CODE, Severity.ERROR, message, "write all of a card in one entry", path)
        if card.templates_of and card_named(card.templates_of) is None:
            path = (*base, index, "templatesOf")
            wrong = "{path} is {name!r}, which is no card of the catalogue"
            message = msg(wrong, path=dotted(path), name=card.templates_of)
            near = nearest_cards(card.templates_of)
            hint = suggest(near[0]) if near else "gpuxlate targets --cards lists them"
            yield Diagnostic(CONFIG_CODE, Severity.ERROR, message, hint, path)
        names.add(card.name.casefold())


def load_profile_file(path: Path, read_yaml: ReadYaml, *, named: bool) -> Profile:
    """The profile in a YAML file. Raises ConfigError. ``named``: by the user, as for ``load_config``."""
    data = _yaml_data(path, _text(path, named=named), read_yaml)
    try:
        return load_profile(data)
    except ConfigError as error:
        raise ConfigError(diagnostic.located(file=str(path)) for diagnostic in error.diagnostics) from error


def find_profile(name: str, config: Config | None, read_yaml: ReadYaml) -> Profile:
    """The profile that ``--profile`` names: one of the configuration, else a file. Raises ConfigError."""
    profiles = config.profiles if config else {}
    profile = profiles.get(name)
    if isinstance(profile, Profile):
        return profile
    file = profile or Path(name)
    if profile and config and config.path and not is_inside(profile, config.path.parent):
        outside = "profiles.{name} names {found}, which is outside of the folder of the configuration"
        raise _error(
            msg(outside, name=name, found=profile),
            msg("put it into that folder, or pass --profile {found}", found=profile),
            config.path,
        )
    if profile or (os.path.exists(name) and not os.path.isdir(name)):
        return load_profile_file(file, read_yaml, named=profile is None)
    listed = "--profile names a file, or a profile of the configuration"
    if profiles:
        listed = msg("profiles: {names}; or give a file", names=", ".join(profiles))
    raise _error(msg("there is no profile {name!r}", name=name), did_you_mean(name, profiles, listed))
