"""Generated data as YAML in many hands: block and flow, quotes, blocks of text, tags, anchors, comments.

Most of what comes out is YAML, not all: a hostile text without quotes is anything. The choices are a
list of small numbers, where nought is the plainest, so that a counterexample shrinks to plain YAML.
"""

import json
import re
from typing import Any

from hypothesis import strategies as st

from tests.fuzz.trees import Plain, documents

COMMENTS = (
    "# c", "# \u202e", "# gpuxlate: ignore[GX003] why", "#", "# gpuxlate: ignore", "# \ufeff \U0001f600",
    "# {{ .x }}",
)  # fmt: skip
REFUSED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
"""Characters that stand in escapes alone; now and then they stand as themselves all the same."""
SAFE = re.compile(r"[A-Za-z0-9_./-][A-Za-z0-9_./ -]*")


class Hand:
    """Somebody who writes YAML; each ``pick`` is the next of the choices."""

    def __init__(self, choices: list[int]) -> None:
        self._choices = choices or [0]
        self._at = 0
        self._anchors: list[str] = []

    def pick(self, below: int) -> int:
        found = self._choices[self._at % len(self._choices)] % below
        self._at += 1
        return found

    def rarely(self) -> bool:
        return self.pick(12) == 11

    # -- scalars -------------------------------------------------------------------------------

    def scalar(self, value: Any, column: int, *, inline: bool) -> str:
        """``inline``: no line may begin in it: it is a key, or stands in braces."""
        if value is None:
            return ("", "null", "~")[self.pick(3)]
        if isinstance(value, (bool, int)):
            text = str(value).lower()
            ways = (text, f'"{text}"', f"!!str {text}", f"!!int '{text}'")
            return ways[self.pick(4) if self.rarely() else 0]
        if isinstance(value, Plain):
            return (str(value), f"'{value}'")[self.pick(5) == 4]
        text = str(value)
        ways = [self.double, self.single, self.double, self.tagged, self.unquoted]
        if not inline:
            ways += [lambda one: self.lines(one, column, "|"), lambda one: self.lines(one, column, ">")]
        if SAFE.fullmatch(text) and not self.rarely():
            return text
        if REFUSED.search(text):
            return self.double(text)
        return ways[self.pick(len(ways))](text)

    def double(self, text: str) -> str:
        made = json.dumps(text, ensure_ascii=self.pick(2) == 1)
        if self.rarely() and self.rarely():
            return made
        return REFUSED.sub(lambda m: f"\\u{ord(m.group()):04x}", made)

    def unquoted(self, text: str) -> str:
        return text if self.rarely() else self.single(text)

    def single(self, text: str) -> str:
        return "'" + text.replace("'", "''") + "'"

    def tagged(self, text: str) -> str:
        return ("!!str ", "!x ", "!<tag:x> ", "! ", "!!binary ")[self.pick(5)] + self.double(text)

    def lines(self, text: str, column: int, sign: str) -> str:
        pad = " " * (column + 1 + self.pick(3))
        head = sign + ("", "-", "+", "1", "9-")[self.pick(5)] + ("", " # c")[self.pick(2)]
        return head + "".join(f"\n{pad}{line}" for line in text.split("\n"))

    # -- collections ---------------------------------------------------------------------------

    def flow(self, value: Any) -> str:
        if isinstance(value, dict):
            colon = (": ", " : ", ":")[self.pick(12) // 5]
            body = [
                f"{self.scalar(key, 0, inline=True)}{colon}{self.flow(one)}" for key, one in value.items()
            ]
            return "{" + self.comma().join(body) + ("}", ",}", " }")[self.pick(3)]
        if isinstance(value, list):
            return "[" + self.comma().join(map(self.flow, value)) + "]"
        return self.scalar(value, 0, inline=True)

    def comma(self) -> str:
        return (", ", ",", ",\n    ", " ,\n\t# c\n ")[self.pick(8) // 2]

    def body(self, value: Any, column: int) -> list[str]:
        """The lines of a mapping or list whose entries begin in a column."""
        pad, made = " " * column, []
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            if self.rarely():
                made.append(pad + COMMENTS[self.pick(len(COMMENTS))])
            head = f"{pad}{self.scalar(key, column, inline=True)}:" if isinstance(value, dict) else f"{pad}-"
            if isinstance(value, dict) and self.rarely():
                head = f"{pad}? {self.scalar(key, column, inline=True)}\n{pad}:"
            made += self.entry(head, one, column, in_list=isinstance(value, list))
        if isinstance(value, dict) and self._anchors and self.rarely():
            made.append(f"{pad}<<: *{self._anchors[-1]}")
        return made

    def entry(self, head: str, value: Any, column: int, *, in_list: bool) -> list[str]:
        if self._anchors and self.rarely():
            return [f"{head} *{self._anchors[self.pick(len(self._anchors))]}"]
        mark = self.anchor()
        tail = "  " + COMMENTS[self.pick(len(COMMENTS))] if self.rarely() else ""
        if not isinstance(value, (dict, list)) or not value or self.pick(5) == 4:
            text = (
                self.flow(value)
                if isinstance(value, (dict, list))
                else self.scalar(value, column, inline=False)
            )
            return [f"{head}{mark} {text}{'' if text[:1] in '|>' else tail}"]
        inner = (
            column + (2, 4, 2, 1)[self.pick(4)]
            if in_list or isinstance(value, dict)
            else column + 2 * self.pick(2)
        )
        below = self.body(value, inner)
        compact = in_list and not mark and inner == column + 2 and self.pick(2) == 0
        return [head + " " + below[0].lstrip(" "), *below[1:]] if compact else [head + mark + tail, *below]

    def anchor(self) -> str:
        if not self.rarely():
            return ""
        self._anchors.append(f"a{self.pick(3)}")
        return f" &{self._anchors[-1]}"


def written(data: Any, choices: list[int]) -> str:
    """One document."""
    hand = Hand(choices)
    if hand.pick(8) == 7:
        return json.dumps(data, ensure_ascii=hand.pick(2) == 0, indent=(None, 2, "\t")[hand.pick(3)])
    if not isinstance(data, (dict, list)) or not data or hand.pick(8) == 7:
        return hand.flow(data)
    return "\n".join(hand.body(data, 0))


choices = st.lists(st.integers(0, 255), max_size=40)
SEPARATORS = ("\n---\n", "\n--- # c\n", "\n...\n---\n", "\n...\n%YAML 1.1\n---\n", "\n---\r\n")
BROKEN = (
    "\x00", "\x1b", "\t", "\ufeff", "\x85", "{", "[", '"', "'", "&x ", "*x", "\n---\n", "\n%X\n", ": ", "- ",
    "\ud800", '"\\ud800"', "{{", "\r",
)  # fmt: skip


@st.composite
def yaml_texts(draw: st.DrawFn) -> str:
    """A text of up to three documents; one in four with something broken put into it."""
    made = [written(one, draw(choices)) for one in draw(st.lists(documents, min_size=1, max_size=3))]
    text = made[0]
    for one in made[1:]:
        text += draw(st.sampled_from(SEPARATORS)) + one
    text = draw(st.sampled_from(("", "", "", "---\n", "%YAML 1.1\n---\n", "# c\n", "\ufeff", "\n"))) + text
    text += draw(st.sampled_from(("\n", "\n", "", "\n\n  \n", "\n...\n", " # end")))
    if draw(st.integers(0, 3)) == 3:
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.sampled_from(BROKEN)) + text[at + draw(st.integers(0, 3)) :]
    if draw(st.integers(0, 3)) == 3:
        text = text.replace("\n", draw(st.sampled_from(("\r\n", "\r", "\u2028"))))
    return text


def encoded(text: str) -> bytes:
    """The bytes; half a surrogate becomes what is not UTF-8."""
    return text.encode("utf-8", "surrogatepass")


files = yaml_texts().map(encoded)
