"""The prices of a run: those of ``--price``, and those of the configuration."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpuxlate.cli import lookup
from gpuxlate.config.prices import PRICE_HINT, CardPrice, PriceError, card_price, price_of
from gpuxlate.model.errors import UserError
from gpuxlate.model.messages import message_of, msg


def read_prices(texts: Iterable[str]) -> list[CardPrice]:
    """The values of ``--price``; of two for the same card the last counts. Raises UserError."""
    prices: list[CardPrice] = []
    for text in texts:
        name, equals, number = text.rpartition("=")
        try:
            if not equals:
                raise PriceError(msg("it has no price"), PRICE_HINT)
            prices.append(card_price(name, number))
        except PriceError as error:
            raise UserError(
                msg("--price {value}: {error}", value=text, error=message_of(error)), error.hint
            ) from None
    return prices


def of_run(chosen: Sequence[CardPrice], cards: Iterable[tuple[str, str]]) -> dict[tuple[str, str], CardPrice]:
    """The price of each (target, card) of a run that has one: an option counts before the configuration.
    Raises UserError where an option has a price for no card of the run."""
    cards = [*cards]
    for price in chosen:
        if not any(price.is_of(*each) for each in cards):
            names = ", ".join(dict.fromkeys(card for _, card in cards))
            raise UserError(
                msg("--price {name}: no card of the run is one", name=price.name),
                msg("cards of the run: {names}", names=names)
                if names
                else "name the card of the nodes: --node A10-24GB:4, or cards.model of the profile",
            )
    config = lookup.config()
    configured = config.prices if config else ()
    price_of_card = {each: price_of(chosen, *each) or price_of(configured, *each) for each in cards}
    return {each: price for each, price in price_of_card.items() if price}
