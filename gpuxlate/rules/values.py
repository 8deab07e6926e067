"""The rules of numbers that Kubernetes takes and nobody means so (GX007, GX008)."""

from __future__ import annotations

from collections.abc import Iterator

from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Put
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.sheet import Place
from gpuxlate.rules import numerals
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.numerals import Form
from gpuxlate.rules.vocabulary import vocabulary_of


@rule("GX007", Severity.WARNING)
def magnitude_is_plausible(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """GPU memory is of a size that its unit makes plausible.

    ## What it does
    Reports more than 1024 where a key counts GiB, and less than 64 where it counts MiB. Silent on
    GiB where a profile says that the cluster counts in another unit.

    ## Why
    The vendors count in different units: `aliyun.com/gpu-mem: 4096` is 4 TiB, and
    `vke.volcengine.com/mgpu-memory: 4` is 4 MiB.

    ## Example
    ```yaml
    resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4}}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Source
    Units: Volcengine 6461/1581673 (2025-06-04), Alibaba Cloud "multi-card sharing" (2025-04),
    Tencent Cloud qGPU (2024-11). The bounds are this tool's.
    """
    words = vocabulary_of(context)
    for container in pod.all_containers():
        for name, value in container.resources.items():
            row = next((one for one in words.rows(name) if Place.RESOURCE in one.places), None)
            reading = numerals.written(value)
            if row is None or reading.form is not Form.PLAIN:
                continue
            unit, amount = numerals.unit_of(row, context.profile), int(reading.number)
            if unit == "GiB" and amount > numerals.MOST_PLAUSIBLE_GIB:
                hint = (
                    f"write {-(-amount // 1024)} for {amount} MiB; if this cluster counts in another unit, "
                    "only a profile can say so"
                )
                yield this.at(value, f"{name} is {amount}: the key counts GiB, this looks like MiB", hint)
            elif unit == "MiB" and 0 < amount < numerals.LEAST_PLAUSIBLE_MIB:
                hint = f"write {amount * 1024} for {amount} GiB"
                yield this.at(value, f"{name} is {amount}: the key counts MiB, this looks like GiB", hint)


@rule("GX008", Severity.WARNING, fix="safe")
def number_is_plain(this: Rule, pod: PodKeys, context: Context) -> Iterator[Diagnostic]:
    """Numbers are written in plain decimal digits.

    ## What it does
    Reports `0030`, `1e3`, `0x10`, `1_000` and `+5` as values of GPU resources.

    ## Why
    Versions of YAML read such numbers differently: `0030` is 24 to one reader and 30 to the next.

    ## Example
    ```yaml
    resources: {limits: {vke.volcengine.com/mgpu-core: 0030, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Use instead
    ```yaml
    resources: {limits: {vke.volcengine.com/mgpu-core: 30, vke.volcengine.com/mgpu-memory: 4096}}
    ```

    ## Fix
    Safe, and only where all readers agree: `1e3` becomes 1000, `+5` becomes 5.

    ## Source
    YAML 1.1, "int" type (2005); YAML 1.2.2, core schema (2021).
    """
    words = vocabulary_of(context)
    for container in pod.all_containers():
        for values in (container.limits, container.requests):
            for name, value in values.items():
                found = numerals.readings(value) if words.owners(name) else ()
                if not found:
                    continue
                if len(found) == 1 and found[0] is not None:
                    fix = Fix(f"write {found[0]}", (Put(value.path, found[0]),))
                    yield this.at(value, f"{name} is written {value.text}", f"write {found[0]}", fix=fix)
                    continue
                said = " or ".join("no number" if one is None else str(one) for one in found)
                yield this.at(
                    value,
                    f"{name} is written {value.text}, which readers take for {said}",
                    "write the number that is meant in plain digits",
                )
