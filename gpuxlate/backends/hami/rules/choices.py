"""Rules on how cards are shared and chosen: HAMI006, HAMI010 to HAMI012."""

from __future__ import annotations

import re

from gpuxlate.backends.hami import keys as k
from gpuxlate.backends.hami.rules.numbers import is_set
from gpuxlate.backends.numbers import written_name
from gpuxlate.model.diagnostics import Diagnostic, Fix, Severity
from gpuxlate.model.edits import Remove
from gpuxlate.model.messages import say
from gpuxlate.model.pod import PodKeys
from gpuxlate.model.sheet import Range
from gpuxlate.rules.base import Context, Rule, rule
from gpuxlate.rules.predicates.conditions import Amount, Annotated, Asks, EnvIs
from gpuxlate.rules.predicates.predicate import Breach, Predicate


@rule(
    "HAMI006",
    Severity.INFO,
    missing=True,
    predicate=Predicate(Asks(*k.SHARE_KEYS), when=is_set(k.COUNT), at=(k.COUNT,)),
)
def cards_are_shared(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """A container of a HAMi pod requests a part of its cards.

    ## What it does
    Reports `nvidia.com/gpu` without `gpumem`, `gpumem-percentage` and `gpucores`, in pods with other
    keys of HAMi.

    ## Why
    The webhook adds `gpucores: 100`, which makes the cards exclusive to the container.

    ## Example
    ```yaml
    metadata: {annotations: {hami.io/gpu-scheduler-policy: binpack}}
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu: 1}}
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {hami.io/gpu-scheduler-policy: binpack}}
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 3000}}
    ```

    ## Source
    Project-HAMi/HAMi, pkg/device/nvidia/device.go (2026-08-21); issues 888 and 1173.
    """
    name = written_name(breach.there, k.COUNT)
    return this.at(
        breach.there,
        say("{key} alone makes the cards exclusive to the container", key=name),
        say(
            "add {memory} or {cores} for a part of each card, or {cores}: {full} for exclusive cards",
            memory=k.MEMORY,
            cores=k.CORES,
            full=k.FULL,
        ),
        on_key=True,
    )


@rule(
    "HAMI010",
    Severity.WARNING,
    fix="unsafe",
    predicate=Predicate(~EnvIs(k.DISABLE_CONTROL, "true", any_case=True), at=k.SHARE_KEYS),
)
def isolation_is_on(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """A container with a share does not turn isolation off.

    ## What it does
    Reports `CUDA_DISABLE_CONTROL: "true"` in a container with `gpumem`, `gpumem-percentage` or
    `gpucores`.

    ## Why
    The variable turns off all isolation of HAMi: the container can use the whole card.

    ## Example
    ```yaml
    spec:
      containers:
        - name: web
          image: web
          env: [{name: CUDA_DISABLE_CONTROL, value: "true"}]
          resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 3000}}
    ```

    ## Use instead
    ```yaml
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 3000}}
    ```

    ## Fix
    Removes the variable. Unsafe: it may be intended.

    ## Source
    Project-HAMi/HAMi, issue 1678.
    """
    off = breach.inside.env[k.DISABLE_CONTROL]
    return this.at(
        off,
        say("{key} turns off the limits of this container", key=k.DISABLE_CONTROL),
        "remove the variable",
        fix=Fix(f"remove {k.DISABLE_CONTROL}", (Remove(off.path),), safe=False),
    )


_CHAIN = re.compile(r" *({0}) *(, *({0}) *)*".format("|".join(k.VALUES[k.CARD_POLICY])))


@rule(
    "HAMI011",
    Severity.WARNING,
    predicate=(
        *(
            Predicate(Annotated(name, *known), when=Annotated(name), at=(name,), each=False)
            for name, known in (
                (k.MODE, k.VALUES[k.MODE]),
                (k.NODE_POLICY, k.VALUES[k.NODE_POLICY]),
                (k.CARD_POLICY, (_CHAIN,)),
            )
        ),
        Predicate(EnvIs(k.CORE_POLICY, *k.VALUES[k.CORE_POLICY]), when=EnvIs(k.CORE_POLICY)),
        Predicate(Amount(k.PRIORITY, Range(0, 1)), at=(k.PRIORITY,)),
    ),
)
def choice_is_known(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """Modes, policies and priorities have values that HAMi knows.

    ## What it does
    Reports other values of `nvidia.com/vgpu-mode`, the two `hami.io` scheduler policies,
    `nvidia.com/priority` and `GPU_CORE_UTILIZATION_POLICY`.

    ## Why
    HAMi silently replaces an unknown value by its default. `nvidia.com/priority` is 0 for high.

    ## Example
    ```yaml
    metadata: {annotations: {hami.io/node-scheduler-policy: pack}}
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 3000}}
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {hami.io/node-scheduler-policy: binpack}}
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 3000}}
    ```

    ## Source
    Project-HAMi/HAMi, pkg/util/types.go; website docs/userguide/configure.md (2026-08-21).
    """
    name = breach.name or k.CORE_POLICY
    known, value = k.VALUES[name], breach.value or breach.inside.env[name]
    words = value.text.split(",") if name == k.CARD_POLICY else [value.text]
    unknown = next((word for word in words if word.strip(" ") not in known), value.text)
    message = say("{key} is {value!r}, which HAMi does not know", key=name, value=unknown)
    return this.at(value, message, say("write one of {known}", known=", ".join(known)))


@rule(
    "HAMI012",
    Severity.WARNING,
    predicate=tuple(Predicate(~Annotated(k.MODE, "mig"), at=(name,)) for name in (k.PERCENT, k.CORES)),
)
def mig_counts_memory(this: Rule, breach: Breach, pod: PodKeys, context: Context) -> Diagnostic:
    """In MIG mode a container requests memory in MiB.

    ## What it does
    Reports `gpumem-percentage` and `gpucores` where `nvidia.com/vgpu-mode` is `mig`.

    ## Why
    HAMi selects the smallest MIG profile with enough MiB; compute comes with the profile.

    ## Example
    ```yaml
    metadata: {annotations: {nvidia.com/vgpu-mode: mig}}
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu: 2, nvidia.com/gpumem-percentage: 25}}
    ```

    ## Use instead
    ```yaml
    metadata: {annotations: {nvidia.com/vgpu-mode: mig}}
    spec:
      containers:
        - name: web
          image: web
          resources: {limits: {nvidia.com/gpu: 2, nvidia.com/gpumem: 8000}}
    ```

    ## Source
    Project-HAMi/HAMi, examples/nvidia/dynamic_mig_example.yaml (2026-08-21).
    """
    message = say("{key} has no effect in MIG mode, where memory selects the profile", key=breach.name)
    return this.at(breach.there, message, say("request {key}", key=k.MEMORY), on_key=True)
