"""A real Chromium, asked over WebDriver (https://www.w3.org/TR/webdriver2/), as far as the tests need it."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless",
    "--no-sandbox",  # tests may run as root
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
PATIENCE = 60.0
"""Seconds until what is waited for must be there: two cores may be busy with other tests."""


class Browser:
    """One session: scripts in the page at hand."""

    def __init__(self, port: int, flags: tuple[str, ...]) -> None:
        self._port = port
        options = {"args": [*FLAGS, *flags]}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options}
        made = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self._session = f"/session/{made['sessionId']}"
        self._ask("POST", f"{self._session}/timeouts", {"script": int(PATIENCE * 1000)})

    def open(self, address: str) -> None:
        self._ask("POST", f"{self._session}/url", {"url": address})

    def run(self, script: str, *arguments: Any) -> Any:
        """What the body of a function returns; a promise is waited for."""
        asked = {"script": script, "args": list(arguments)}
        return self._ask("POST", f"{self._session}/execute/sync", asked)

    def wait(self, script: str, *arguments: Any) -> Any:
        """What it returns as soon as that is true."""
        end = time.monotonic() + PATIENCE
        while not (found := self.run(script, *arguments)):
            assert time.monotonic() < end, script
            time.sleep(0.1)
        return found

    def close(self) -> None:
        self._ask("DELETE", self._session)

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        connection = HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE)
        try:
            connection.request(method, path, None if body is None else json.dumps(body))
            answer = connection.getresponse()
            value = json.loads(answer.read())["value"]
            assert answer.status == 200, value
            return value
        finally:
            connection.close()


@contextmanager
def browser(*flags: str) -> Iterator[Browser]:
    """A browser of its own, closed at the end."""
    driver = subprocess.Popen(
        ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    with driver:
        assert driver.stdout is not None
        try:
            port = next(
                m[1] for line in driver.stdout if (m := re.search(r"successfully on port (\d+)", line))
            )
            one = Browser(int(port), flags)
            try:
                yield one
            finally:
                one.close()
        finally:
            driver.terminate()


def requests_of(log: Path, origin: str) -> list[str]:
    """The addresses that a page of this origin, or its workers, asked for, by Chromium's own network log."""
    told = json.loads(log.read_text(encoding="utf-8"))
    started = told["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"]
    found = [one["params"] for one in told["events"] if one["type"] == started and "params" in one]
    return [one["url"] for one in found if one.get("initiator") == origin]
