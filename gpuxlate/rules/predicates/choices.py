"""Conditions on choices of nodes."""

from __future__ import annotations

from gpuxlate.model.pod import ContainerKeys, PodKeys
from gpuxlate.rules.predicates.conditions import Named, is_word


class ChoosesAmong(Named):
    """Whatever value nodeSelector or the required node affinity gives the label, it is one of the words."""

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        return all(is_word(text, self.words) for one in pod.choices(self.name) for text in one.values)
