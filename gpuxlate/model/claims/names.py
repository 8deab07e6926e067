"""Names of Kubernetes objects that follow from others."""

from __future__ import annotations


def shortened(name: str, most: int) -> str:
    """A name of at most ``most`` characters, with a hash of the whole in place of what is cut."""
    if len(name) <= most:
        return name
    from hashlib import sha256  # a long name is rare

    digest = sha256(name.encode()).hexdigest()[:8]
    return f"{name[: most - 9].rstrip('-.')}-{digest}"
