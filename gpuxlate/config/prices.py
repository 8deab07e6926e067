"""Prices of cards for an hour, as options and the configuration give them: exact decimals in any currency."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

from gpuxlate.model.declarations import regex
from gpuxlate.model.errors import UserError
from gpuxlate.model.limits import MAX_NAME, cut
from gpuxlate.model.messages import message_of, msg
from gpuxlate.model.profile import card_name

PRICE = regex(r"[0-9]{1,9}(?:\.[0-9]{1,6})?")
"""Fifteen digits: a number of YAML or TOML keeps as many."""
PRICE_HINT = "write A10-24GB=10.5, or vke:A10-24GB=10.5 for one target; 0 or more, with at most six decimals"


class PriceError(UserError, ValueError):
    """The price of a card is not valid. ``hint``: what to write."""


class CardPrice(NamedTuple):
    """The price of one card for an hour. ``target``: at this target alone; None: at each. ``card``: its name
    in the catalogue. ``name``: card and target as the user wrote them."""

    name: str
    target: str | None
    card: str
    amount: Decimal

    def is_of(self, target: str, card: str) -> bool:
        """Whether this is the price of a card at a target. ``card``: its name in the catalogue, in any
        case."""
        return self.target in (None, target) and self.card.casefold() == card_name(card).casefold()


def card_price(name: str, number: str) -> CardPrice:
    """The price of ``CARD`` or ``TARGET:CARD``. Raises PriceError."""
    from gpuxlate.backends import registry

    target, colon, card = name.rpartition(":")
    if not card or (colon and not target):
        raise PriceError(msg("{name!r} names no card", name=cut(name, MAX_NAME)), PRICE_HINT)
    if PRICE.fullmatch(number) is None:
        raise PriceError(msg("{text!r} is not a price", text=cut(number, MAX_NAME)), PRICE_HINT)
    try:
        spelt = registry.get(target).name if target else None
    except registry.UnknownTargetError as error:
        raise PriceError(message_of(error), error.hint) from None
    return CardPrice(name, spelt, card_name(card), Decimal(number))


def price_of(prices: Iterable[CardPrice], target: str, card: str) -> CardPrice | None:
    """The price of a card at a target: the last that names the target, else the last for every target."""
    fitting = [price for price in prices if price.is_of(target, card)]
    return max(reversed(fitting), key=lambda price: price.target is not None, default=None)
