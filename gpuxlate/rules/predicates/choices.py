"""Conditions on choices of nodes."""

from __future__ import annotations

from gpuxlate.model.pod import ContainerKeys, PodKeys
from gpuxlate.rules.predicates.conditions import Named, Needs, is_word


class ChoosesAmong(Named):
    """Whatever value nodeSelector or the required node affinity gives the label, it is one of the words."""

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        return all(is_word(text, self.words) for one in pod.choices(self.name) for text in one.values)

    def needs(self, *, truth: bool = True) -> Needs:
        return super().needs(truth=not truth)


class Allows(Named):
    """The nodes of the pod may have the label with one of the words.

    nodeSelector decides. Without it every term of the required node affinity is about the label, and one of
    them has a word In its values.
    """

    def holds(self, pod: PodKeys, container: ContainerKeys | None = None) -> bool:
        return any(is_word(text, self.words) for text, _ in pod.allowed(self.name))
