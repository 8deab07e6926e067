"""Each request has one answer, whatever its parameters are: see "Response Message" of LSP 3.17."""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from gpuxlate.lsp.server import HANDLERS

PARSE, INVALID, NO_METHOD, PARAMS, NOT_READY = -32700, -32600, -32601, -32602, -32002
START: dict[str, Any] = {"processId": None, "rootUri": None, "capabilities": {}}
DOCUMENT = {"textDocument": {"uri": "file:///a.yaml"}}
PLACE = {"line": 0, "character": 0}
RIGHT: dict[str, Any] = {
    types.TEXT_DOCUMENT_HOVER: DOCUMENT | {"position": PLACE},
    types.TEXT_DOCUMENT_COMPLETION: DOCUMENT | {"position": PLACE},
    types.TEXT_DOCUMENT_CODE_LENS: DOCUMENT,
    types.TEXT_DOCUMENT_CODE_ACTION: DOCUMENT
    | {"range": {"start": PLACE, "end": PLACE}, "context": {"diagnostics": []}},
    types.WORKSPACE_EXECUTE_COMMAND: {"command": "gpuxlate.targets"},
}
"""The requests that are answered, with parameters that fit."""


def asked(number: object, method: object, params: Any = None, **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params, **more}


def told(method: str, params: Any = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


READY = (asked("start", types.INITIALIZE, START), told(types.INITIALIZED, {}))
END = (asked("end", types.SHUTDOWN), told(types.EXIT))


def answers(folder: Path, messages: Iterable[Any]) -> dict[Any, Any]:
    """The answers to messages, or to bytes, by their ids: the code of an error, or else the result.
    Of those without an id all, in order.

    The server ends well, without a word."""
    bodies = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in messages]
    sent = b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in bodies)
    command = [sys.executable, "-m", "gpuxlate", "server"]
    done = subprocess.run(command, cwd=folder, input=sent, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    found: dict[Any, Any] = {}
    rest = done.stdout
    while rest:
        head, _, rest = rest.partition(b"\r\n\r\n")
        length = int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0])
        message, rest = json.loads(rest[:length]), rest[length:]
        if "method" in message:
            continue
        answer = message["error"]["code"] if "error" in message else message["result"]
        if message["id"] is None:
            found.setdefault(None, []).append(answer)
        else:
            assert message["id"] not in found, "two answers to one request"
            found[message["id"]] = answer
    return found


def wrong(params: dict[str, Any]) -> dict[str, Any]:
    """Parameters that do not fit: none, those of other types, and without or with another of each field."""
    made: dict[str, Any] = {"null": None, "a list": [], "a number": 5, "a text": "x", "empty": {}}
    for name in params:
        made[f"without {name}"] = {key: value for key, value in params.items() if key != name}
        for value in (None, 5, "x" if name != "command" else {}, []):
            made[f"{name}: {value!r}"] = params | {name: value}
    return made


def test_every_request_is_in_the_table() -> None:
    requests = {name for name in HANDLERS if hasattr(types.METHOD_TO_TYPES[name][0], "id")}
    assert {types.INITIALIZE, *RIGHT} == requests | {types.WORKSPACE_EXECUTE_COMMAND}


@pytest.mark.parametrize("method", RIGHT)
def test_parameters_that_do_not_fit(method: str, tmp_path: Path) -> None:
    cases = wrong(RIGHT[method])
    sent = [asked(name, method, params) for name, params in cases.items()]
    sent += [{"jsonrpc": "2.0", "id": "no params", "method": method}, asked("right", method, RIGHT[method])]
    found = answers(tmp_path, (*READY, *sent, *END))
    assert found.pop("right") is None or method == types.WORKSPACE_EXECUTE_COMMAND
    assert {name: found[name] for name in ("start", "end") if isinstance(found.pop(name), int)} == {}
    assert found == dict.fromkeys((*cases, "no params"), PARAMS)


URI = "file:///a.yaml"
ARGUMENTS: dict[str, list[Any]] = {
    "gpuxlate.translate": [[], [1], [URI, 1], [URI, "vke", "x"], [None], [{}]],
    "gpuxlate.accept": [[], [URI, "f"], [URI, 1, {}], [URI, "f", []], [1, "f", {}], [URI, "f", {}, 1]],
    "nobody": [[], [URI]],
}


def test_arguments_of_commands_that_do_not_fit(tmp_path: Path) -> None:
    cases = {
        f"{name} {given}": {"command": name, "arguments": given}
        for name in ARGUMENTS
        for given in ARGUMENTS[name]
    }
    sent = [asked(name, types.WORKSPACE_EXECUTE_COMMAND, params) for name, params in cases.items()]
    found = answers(tmp_path, (*READY, *sent, *END))
    assert {name: found[name] for name in cases} == dict.fromkeys(cases, PARAMS)


def test_after_the_shutdown_nothing_is_done(tmp_path: Path) -> None:
    sent = [
        asked(method, method, params)
        for method, params in {**RIGHT, types.INITIALIZE: START, "x/y": {}}.items()
    ]
    found = answers(tmp_path, (*READY, END[0], *sent, asked("again", types.SHUTDOWN), END[1]))
    assert {name: code for name, code in found.items() if name not in ("start", "end")} == dict.fromkeys(
        (*(one["id"] for one in sent), "again"), INVALID
    )


def test_before_the_start_nothing_is_done(tmp_path: Path) -> None:
    sent = [asked(method, method, params) for method, params in RIGHT.items()]
    found = answers(
        tmp_path,
        (*sent, *READY, asked("later", types.TEXT_DOCUMENT_HOVER, RIGHT[types.TEXT_DOCUMENT_HOVER]), *END),
    )
    assert {one["id"]: found[one["id"]] for one in sent} == dict.fromkeys(RIGHT, NOT_READY)
    assert found["later"] is None


ODD: dict[str, tuple[Any, Any, int]] = {
    "no JSON": (b"{not}", None, PARSE),
    "no text": (b"\xff\xff", None, PARSE),
    "too deep": (b"[" * 100_000, None, PARSE),
    "a list of requests": ([asked(1, types.SHUTDOWN)], None, INVALID),
    "a number": (5, None, INVALID),
    "an empty object": ({}, None, INVALID),
    "another version": (asked("v", types.SHUTDOWN, jsonrpc="1.0"), "v", INVALID),
    "no version": ({"id": "w", "method": "shutdown"}, "w", INVALID),
    "an id that is none": (asked({}, types.SHUTDOWN), None, INVALID),
    "null as id": (asked(None, types.SHUTDOWN), None, INVALID),
    "a method that is none": (asked("m", 5), "m", INVALID),
    "a method that nobody knows": (asked("n", "x/y", {"type_name": 5}), "n", NO_METHOD),
    "a method that is not offered": (asked("r", types.TEXT_DOCUMENT_RENAME), "r", NO_METHOD),
    "a notification that asks": (asked("o", types.TEXT_DOCUMENT_DID_CLOSE, DOCUMENT), "o", INVALID),
}


def test_messages_that_are_none(tmp_path: Path) -> None:
    """Each has its answer, and the server goes on."""
    found = answers(tmp_path, (*READY, *(message for message, _, _ in ODD.values()), *END))
    assert isinstance(found.pop("start"), dict)
    assert found.pop("end") is None
    assert found.pop(None) == [code for _, number, code in ODD.values() if number is None]
    assert found == {number: code for _, number, code in ODD.values() if number is not None}


def test_what_looks_like_a_message_in_parameters_is_none(tmp_path: Path) -> None:
    inner = asked("inner", types.TEXT_DOCUMENT_HOVER, 5)
    settings = told(types.WORKSPACE_DID_CHANGE_CONFIGURATION, {"settings": {"other": inner}})
    start = asked("start", types.INITIALIZE, START | {"initializationOptions": {"command": inner}})
    found = answers(tmp_path, (start, READY[1], settings, *END))
    assert set(found) == {"start", "end"}
    assert found["start"]["serverInfo"]["name"] == "gpuxlate"


def test_a_request_does_not_wait_for_an_answer_that_does_not_fit(tmp_path: Path) -> None:
    """The editor's choice of a target is no action: the command that waits for it is answered."""
    text = "apiVersion: v1\nkind: Pod\n"
    item = {"uri": URI, "languageId": "yaml", "version": 1, "text": text}
    opened = told(types.TEXT_DOCUMENT_DID_OPEN, {"textDocument": item})
    translate = asked(
        "t", types.WORKSPACE_EXECUTE_COMMAND, {"command": "gpuxlate.translate", "arguments": [URI]}
    )
    command = [sys.executable, "-m", "gpuxlate", "server"]
    with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None

        def send(*messages: Any) -> None:
            for body in (json.dumps(one).encode() for one in messages):
                server.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))  # type: ignore[union-attr]
            server.stdin.flush()  # type: ignore[union-attr]

        def read(method: str | None, number: str | None = None) -> Any:
            while True:
                length = int(server.stdout.readline().split(b":")[1])  # type: ignore[union-attr]
                while server.stdout.readline().strip():  # type: ignore[union-attr]
                    pass
                message = json.loads(server.stdout.read(length))  # type: ignore[union-attr]
                if message.get("method") == method and number in (None, message.get("id")):
                    return message

        send(*READY, opened, translate)
        question = read(types.WINDOW_SHOW_MESSAGE_REQUEST)
        send({"jsonrpc": "2.0", "id": question["id"], "result": {"title": None}})
        assert read(None, "t")["result"] is None
        send(*END)
        assert server.wait(60) == 0
