"""nos (Nebuly): slices of a card by MPS, their size in the name of the key. Read only: ended in 2024."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from gpuxlate.backends import target as t

SLICE = "nvidia.com/gpu-*gb"
BEFORE, BEHIND = SLICE.split("*")


def size_of(name: str) -> int | None:
    """The GB in the name of a slice; None where it is no slice."""
    size = name.removeprefix(BEFORE).removesuffix(BEHIND)
    return int(size) if name == f"{BEFORE}{size}{BEHIND}" and size.isascii() and size.isdigit() else None


@t.rule("NOS020", t.Severity.INFO, no_policy="it is about a translation: nos is read only")
def size_is_in_gib(this: t.Rule, pod: t.PodKeys, context: t.Context) -> Iterator[t.Diagnostic]:
    """The size in the name of `nvidia.com/gpu-<size>gb` is known in MiB.

    ## What it does
    Reports each slice of nos: its size is read as GiB.

    ## Why
    nos counts the memory of a card in thousands of MiB, rounded up, and divides that: `10gb` is about
    10000 MiB. In GiB it is the larger: never below the request.

    ## Source
    nebuly-ai/nos, pkg/gpu/util.go and demos/gpu-sharing-comparison (2024-04).
    """
    for container in pod.all_containers():
        for name, value in container.resources.items():
            size = size_of(name)
            if size is not None:
                message = t.msg("{key} is read as {size} GiB; nos counts in 1000 MiB", key=name, size=size)
                yield this.diagnostic(
                    value, message, "check the memory that the container needs", on_key=True
                )


class Nos(t.Backend):
    """Slices of one card by MPS, with the GiB of a slice in the name of the key; read only (DEMOS)."""

    title = "nos (Nebuly)"
    vendor = "nvidia"
    read_only = True
    documents = {"DEMOS": "nebuly-ai/nos, demos/gpu-sharing-comparison (2024-04)"}
    gpu_prefixes = ("nos.nebuly.com/gpu",)
    keys = (
        t.memory(SLICE, unit=t.GIB, values=()),
        t.choice(
            "nos.nebuly.com/gpu-partitioning",
            t.Place.NODE_SELECTOR,
            t.Place.NODE,
            meaning="how nodes are divided",
        ),
    )

    def after_admission(
        self, _pod: t.PodReader, container: t.ContainerKeys, _profile: t.Profile | None
    ) -> t.ContainerKeys:
        """The slices as one amount of memory, under the name of the row."""

        def together(values: Mapping[str, t.Value]) -> dict[str, t.Value]:
            kept = {name: value for name, value in values.items() if size_of(name) is None}
            for name, value in values.items():
                size, count = size_of(name), t.number(value)
                if size is not None:  # a count that is none stays: requests do not stand in for it
                    kept[SLICE] = value if count is None else replace(value, text=str(size * count))
            return kept

        return replace(container, limits=together(container.limits), requests=together(container.requests))
