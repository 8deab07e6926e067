"""The examples of rules: "Example" breaks the rule, "Use instead" keeps all."""

import re
import textwrap
from collections.abc import Iterator

import yaml

from gpuxlate.backends import registry
from gpuxlate.config.configuration import load_profile
from gpuxlate.manifest.pods import pods_in
from gpuxlate.model.diagnostics import Diagnostic
from gpuxlate.model.profile import Profile
from gpuxlate.overlays.run_claims import Claims
from gpuxlate.rules.base import Context, Rule, Scope
from gpuxlate.rules.catalog import Rules, all_rules, check_pod
from gpuxlate.yamltext.parse import documents
from gpuxlate.yamltext.source import Source

BACKENDS = tuple(registry.all_backends())
RULES = all_rules(BACKENDS)
OF_VENDORS = {rule.code for backend in BACKENDS for rule in backend.rules}
NEUTRAL = Rules(rule for code, rule in RULES.items() if code not in OF_VENDORS)
OF_PODS = [one for one in RULES.values() if one.scope is Scope.POD]
EXAMPLE, INSTEAD = "Example", "Use instead"


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """What stands after the word yaml on the line that opens a block, and the block."""
    for match in re.finditer(r"^```yaml *(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        yield match[1], match[2]


def manifest_of(block: str) -> str:
    """A whole manifest from a short form: the inside of a Pod, or the resources of a container."""
    if re.search("^kind:", block, re.MULTILINE):
        return block
    if block.startswith("resources:"):
        block = "spec:\n  containers:\n  - name: web\n" + textwrap.indent(block, "    ")
    if not re.search("^metadata:", block, re.MULTILINE):
        block = f"metadata: {{name: web}}\n{block}"
    return f"apiVersion: v1\nkind: Pod\n{block}"


def manifest(rule: Rule, heading: str) -> str:
    """The one manifest of a section."""
    [text] = [text for kind, text in blocks(rule.sections[heading]) if kind == ""]
    return manifest_of(text)


def profile_of(rule: Rule, heading: str) -> Profile | None:
    """The profile that a section gives, else that of the Example."""
    found = [
        text for name in (heading, EXAMPLE) for kind, text in blocks(rule.sections[name]) if kind == "profile"
    ]
    return load_profile(yaml.safe_load(found[0])) if found else None


def findings(rule: Rule, heading: str) -> list[Diagnostic]:
    """What all pod rules say of the one manifest of a section."""
    context = Context(profile_of(rule, heading), BACKENDS)
    source = Source("pod.yaml", manifest(rule, heading))
    claims = Claims().beside(source)
    pods = [claims.resolve(pod) for document in documents(source) for pod in pods_in(document)]
    assert pods, "the example holds a pod"
    speaking = [b for b in BACKENDS if any(b.is_used_by(pod.keys) for pod in pods)]
    # several dialects have the annotations of one scheduler: they are judged by the dialect of the resources
    speaking = speaking or [b for b in BACKENDS if any([*b.owned(pod.keys)] for pod in pods)]
    return [
        found
        for pod in pods
        for found in (
            *check_pod(NEUTRAL, pod.keys, context),
            *(found for one in speaking for found in one.check(pod.keys, context)),
        )
    ]
