"""Words that people misspell."""

from __future__ import annotations

from gpuxlate.backends.base import Key
from gpuxlate.backends.sheet.kinds_of_keys import Words
from gpuxlate.model.diagnostics import Diagnostic, Fix
from gpuxlate.model.edits import Put
from gpuxlate.model.limits import MAX_NAME
from gpuxlate.model.messages import Message, say
from gpuxlate.model.pod import Value
from gpuxlate.rules.base import Rule, letters


class Spelled(Words):
    """Words with the nearest of them in the hint, and a fix for letter case and separators."""

    fix = "safe"
    fixing = "Safe: writes the value as the vendor does, where only letter case or separators are wrong."

    def _unknown(self, this: Rule, row: Key, name: str, value: Value) -> Diagnostic:
        usual = super()._unknown(this, row, name, value)
        if value.text in row.values:  # of other software
            return usual
        same = next((word for word in row.words if letters(word) == letters(value.text)), None)
        own = {str(field): word for word, field in row.words.items()}.get(value.text)
        if same or own:
            hint: Message = say("write {value}", value=same or own)
            return this.at(
                value, usual.message, hint, fix=Fix(hint, (Put(value.path, same),)) if same else None
            )
        from difflib import get_close_matches

        near = get_close_matches(value.text[:MAX_NAME], [*row.words], 1, 0.6)
        return this.at(value, usual.message, say("did you mean {value}?", value=near[0])) if near else usual
