"""The limits of inputs; docs/security.md shows the table.

Time and memory must be in proportion to the size of an input, and bounded. Every limit is far above
what people write; an input above one is refused with an error that names the limit.
"""

from __future__ import annotations

FULL_CARD_CORES = 100
"""Compute of one whole card, in percent."""

# The limits of inputs; docs/security.md shows the table.
# Time and memory must be in proportion to the size of an input, and bounded. Every limit is far above what
# people write; an input above one is refused with an error that names the limit.
MAX_TEXT = 64 * 2**20
"""Bytes of one input: a file, or stdin. Kubernetes accepts objects of 3 MiB."""
MAX_CONFIG_BYTES = 4 * 2**20
"""Of a configuration or a profile."""
MAX_FILES = 200_000
"""In one run."""
MAX_GITIGNORE_BYTES = 64 * 2**10
"""Of a .gitignore: each of its patterns is tried on each path."""
MAX_GITIGNORES = 2_000
"""Patterns of all .gitignore files that count for one folder."""
MAX_DOCUMENTS = 100_000
"""In one text."""
MAX_NODES = 2_000_000
"""Keys, values, lists and mappings of one document, and their ends: about 0.3 KiB of memory each."""
MAX_DEPTH = 256
"""Levels of nesting; keeps every recursive walk bounded."""
MAX_KEY = 10_000
"""Characters of a key. YAML itself allows 1024, unless a question mark comes before it."""
MAX_ALIASES = 10_000
"""In one document."""
MAX_ALIASED_NODES = 1_000_000
"""Nodes that the aliases of one document expand to (against "billion laughs")."""
MAX_FINDINGS = 100_000
"""In one file; the rest is not checked, and that is an error (GX025)."""
MAX_RUN_FINDINGS = 1_000_000
"""In one run."""
MAX_ENTRIES = 10_000
"""Keys and items of one GPUShare document, configuration or profile."""
MAX_LAYERS = 32
"""Kustomizations below one another."""
MAX_BASE_BYTES = 16 * 2**20
"""Of all files that the bases of patches are read from, in one repository; about 1 GiB of memory."""
MAX_BASE_FILES = 10_000
"""Of those files, and of the folders that are searched for kustomizations that include a component."""
MAX_PATCHED = 2_000_000
"""Keys, values, lists and mappings of all objects that the patches of one repository change: an object and
its patch count once for each patch of the object, and for each operation the mappings that it changes."""
MAX_COPIED = 10_000
"""Keys, values, lists and mappings that the operations of one patch copy or move in an object."""
MAX_PROBLEMS = 100
"""Reported for one such document."""
MAX_IGNORES = 10_000
"""Comments in one file that ignore findings."""
MAX_MESSAGE = 2000
"""Characters of a message or a hint; longer ones are cut in the middle."""
MAX_STEP = 1000
"""Characters of a key in the path of a finding."""
MAX_NAME = 253
"""Characters of a name that are shown; Kubernetes allows no longer ones."""
MAX_TRIES = 500
"""How often the fixes of one document are tried, and read again, in one round."""
MAX_CHECKS = 64
"""How often a text is checked again for which of its fixes make it better."""
_READ_AGAIN = 2**23
"""Characters that are read again for all of that."""


def tries(size: int, maximum: int = MAX_TRIES) -> int:
    """How often a text of ``size`` characters may be read again: less often if it is large."""
    return max(12, min(maximum, _READ_AGAIN // (size + 1)))


class Allowance:
    """The characters that may be read again, in all documents of a text of ``size`` together."""

    def __init__(self, size: int) -> None:
        self._remaining = tries(size) * (size + 1)

    def spend(self, size: int) -> bool:
        """Whether ``size`` more characters may be read; if so, they count as read."""
        self._remaining -= size + 1
        return self._remaining >= 0


def cut(text: str, maximum: int) -> str:
    """The text, without its middle where it is longer than ``maximum`` characters."""
    if len(text) <= maximum:
        return text
    tail = maximum // 4
    return f"{text[: maximum - tail - 1]}…{text[-tail:]}"


def shorten(name: str, maximum: int) -> str:
    """A name of an object, with a hash of the whole in place of what is beyond ``maximum`` characters."""
    if len(name) <= maximum:
        return name
    from hashlib import sha256  # a long name is rare

    digest = sha256(name.encode()).hexdigest()[:8]
    return f"{name[: maximum - 9].rstrip('-.')}-{digest}"
