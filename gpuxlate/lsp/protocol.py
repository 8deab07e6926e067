"""The protocol of the server: each request has an answer, also one that cannot be carried out."""

from __future__ import annotations

from typing import Any

from cattrs import Converter, transform_error
from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol, default_converter


def converter() -> Converter:
    """As pygls', but texts and whole numbers are those of JSON: ``str`` would take ``null`` for a name."""
    new_converter: Converter = default_converter()  # type: ignore[no-untyped-call]
    # not those of other types that are texts or numbers, as enumerations and booleans are
    new_converter.register_structure_hook_func(lambda type_: type_ is str, _text)
    new_converter.register_structure_hook_func(lambda type_: type_ is int, _whole)
    return new_converter


def _text(value: object, _type: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a string")
    return value


def _whole(value: object, _type: object) -> int:
    """A whole number; JSON does not tell 1 from 1.0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        raise TypeError("not an integer")
    return int(value)


class Protocol(LanguageServerProtocol):
    """Answers what does not fit with an error: see "Response Message" of LSP 3.17, and JSON-RPC 2.0."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return the data unchanged, since this is called for every object inside a message too."""
        return data

    def handle_message(self, message: Any) -> None:
        """Handle a message as read from JSON. Raises JsonRpcException for one that is not one."""
        error = self._refusal(message)
        if error is None:
            try:
                super().handle_message(super().structure_message(message))
                return
            except JsonRpcException as problem:  # only of the second call: the first one answers
                error = _invalid_params(problem)
                if "method" not in message:  # an answer of the editor: a request of it may wait for that
                    self._handle_response(message["id"], error=error.to_response_error())
        fields = message if isinstance(message, dict) else {}
        if ("id" in fields) == ("method" in fields):
            number = fields.get("id")
            self.refuse(number if _is_id(number) else None, error)
        raise error

    def refuse(self, number: int | str | None, error: JsonRpcException) -> None:
        """Answer a request, by its id where that is known, with an error."""
        # as data: the id null would be left out of a response of pygls
        problem = {"code": error.code, "message": error.message}
        self._send_data({"jsonrpc": self.VERSION, "id": number, "error": problem})

    def _refusal(self, message: Any) -> JsonRpcException | None:
        """The error for a message that is refused whatever its parameters are; None where there is none."""
        if not isinstance(message, dict) or message.get("jsonrpc") != self.VERSION:
            return JsonRpcInvalidRequest("Invalid Request: not an object with jsonrpc 2.0")
        if "id" in message and not _is_id(message["id"]):
            return JsonRpcInvalidRequest("Invalid Request: an id is a number or a string")
        if "method" not in message:
            return None if "id" in message else JsonRpcInvalidRequest("Invalid Request: it names no method")
        method = message["method"]
        if not isinstance(method, str):
            return JsonRpcInvalidRequest("Invalid Request: a method is a string")
        return self._refusal_of(method) if "id" in message else None

    def _refusal_of(self, method: str) -> JsonRpcException | None:
        """The error for a method that cannot be called now, or that does not exist; None for others."""
        if self._shutdown:
            return JsonRpcInvalidRequest("Invalid Request: the server is shut down")
        if self._workspace is None and method != types.INITIALIZE:
            return JsonRpcServerNotInitialized("the server is not initialized")
        try:
            self._get_handler(method)
        except JsonRpcMethodNotFound as error:
            return error
        if not hasattr(self.get_message_type(method), "id"):
            return JsonRpcInvalidRequest(f"Invalid Request: {method} is a notification, which has no id")
        return None


def _is_id(value: object) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _invalid_params(problem: JsonRpcException) -> JsonRpcInvalidParams:
    cause = problem.__cause__
    places = "; ".join(transform_error(cause)) if cause else problem.message
    return JsonRpcInvalidParams(f"{JsonRpcInvalidParams.MESSAGE}: {places}")
