"""New YAML documents from plain data, written by ruamel.yaml. Load it late: that takes 40 ms."""

from __future__ import annotations

import io
from collections.abc import Mapping

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.emitter import RoundTripEmitter
from ruamel.yaml.nodes import ScalarNode
from ruamel.yaml.representer import RoundTripRepresenter
from ruamel.yaml.resolver import VersionedResolver
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from gpuxlate.model.pod import ScalarKind
from gpuxlate.yamltext.nodes import resolve_plain

_TAG = "tag:yaml.org,2002:"
_YAML_1_1 = VersionedResolver((1, 1))


class _Emitter(RoundTripEmitter):
    """Writes what nobody sees as escapes."""

    MAX_SIMPLE_KEY_LENGTH = 100
    """Readers look for the colon of a key in 1,024 characters; an escape may take ten."""

    def write_double_quoted(self, text: str, split: bool = True) -> None:
        self.allow_unicode = text.isprintable()
        super().write_double_quoted(text, split)
        self.allow_unicode = True


class _Representer(RoundTripRepresenter):
    """Plain data as nodes: no aliases, and strings that every reader takes for strings."""

    def ignore_aliases(self, _data: object) -> bool:
        return True

    def represent_key(self, data: object) -> ScalarNode:
        node: ScalarNode = super().represent_key(str(data))
        if node.style == "|":
            node.style = '"'
        return node

    def null(self, _: None) -> ScalarNode:
        return self.represent_scalar(f"{_TAG}null", "null")

    def string(self, text: str) -> ScalarNode:
        style = "|" if _fits_block(text) else '"' if _needs_quotes(text) else None
        return self.represent_scalar(f"{_TAG}str", text, style)


_Representer.add_representer(type(None), _Representer.null)
_Representer.add_representer(str, _Representer.string)


def dump(data: object, comments: Mapping[str, str]) -> str:
    """Plain data as a document in block style; ``comments`` come behind the top keys that they name."""
    yaml = YAML()
    yaml.Emitter, yaml.Representer = _Emitter, _Representer
    yaml.width = 2**31  # no line is folded
    out = io.StringIO()
    if comments and isinstance(data, dict):
        column = max(map(len, dump(data, {}).splitlines())) + 2
        data = CommentedMap(data)
        for key, comment in comments.items():
            data.yaml_add_eol_comment(comment, key, column)
    elif isinstance(data, str) and "\n" in data:
        data = DoubleQuotedScalarString(data)  # ruamel.yaml does not indent a block that is the document
    yaml.dump(data, out)
    return out.getvalue().removesuffix("...\n")  # behind a document that is one plain scalar


def _fits_block(text: str) -> bool:
    """Several lines that a literal block can hold: printable, the first neither empty nor indented."""
    if "\n" not in text or text[0] in " \t\n":
        return False
    return text.replace("\n", "").replace("\t", "").isprintable()


def _needs_quotes(text: str) -> bool:
    """Some reader takes the bare text for something else than a string: that of YAML 1.1, or Go's."""
    return (
        not text.isprintable()
        or resolve_plain(text) is not ScalarKind.STR
        or _YAML_1_1.resolve(ScalarNode, text, (True, False)) != _YAML_1_1.DEFAULT_SCALAR_TAG
    )
