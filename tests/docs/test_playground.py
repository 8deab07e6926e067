"""The playground: what it answers, what it is built of, and all of it in a real browser."""

import base64
import json
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from http.client import HTTPConnection
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import gpuxlate
from docs.tools import staging
from docs.tools.playground import browser as browser_tool
from docs.tools.playground import in_browser
from gpuxlate.translation.acceptance import DROPPABLE, FILLABLE

ROOT = Path(__file__).resolve().parents[2]
FORM = (ROOT / "docs/playground/form.html").read_text(encoding="utf-8")
MOST = 8_000_000
"""Bytes, compressed, that the first visit may load."""

POD = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n  - name: web\n"
POD += "    image: nginx:1.25\n    resources:\n      limits:\n        vke.volcengine.com/mgpu-core: 30\n"
POD += "        vke.volcengine.com/mgpu-memory: 4000  # tuned by hand\n"
ASKED = {"text": POD, "to": "tencent-qgpu", "round": True, "fill": {}, "drop": []}


def answered(**changed: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(in_browser.answer(json.dumps(ASKED | changed)))
    return found


# --- what it answers ----------------------------------------------------------------------------


def test_a_translation() -> None:
    found = answered()
    assert found["text"] == gpuxlate.translate(POD, "tencent-qgpu", round="up").text
    assert "-        vke.volcengine.com/mgpu-core: 30" in found["diff"]
    assert '+        tke.cloud.tencent.com/qgpu-core: "30"' in found["diff"]
    assert found["verdicts"] == [{"object": "Pod web", "container": "web", "verdict": "rounded"}]
    [one] = found["translation"]
    assert (one["code"], one["severity"], one["line"]) == ("TKE001", "info", 12)


def test_a_refusal() -> None:
    found, chinese = answered(round=False), answered(round=False, lang="zh")
    assert (found["text"], found["diff"]) == (None, [])
    [one] = found["translation"]
    assert (one["code"], one["severity"], one["line"], one["column"]) == ("TKE001", "error", 12, 41)
    assert one["hint"] == "write vke.volcengine.com/mgpu-memory: 4096, or pass --round up"
    assert [one["verdict"] for one in chinese["verdicts"]] == ["取整"]
    [one] = chinese["translation"]
    assert one["message"] == "memoryMiB 4000 不是 1024 MiB 的整数倍；下一个有效值：4096"
    assert one["hint"] == "请写 vke.volcengine.com/mgpu-memory: 4096，或使用 --round up"


def test_other_answers() -> None:
    assert [one["code"] for one in answered(text=POD.replace("4000", "4Gi"))["lint"]] == ["K8S002"]
    too_much = answered(fill={"cores": 101})["problem"]
    assert "invalid value 101 for fill cores: more than one card" in too_much
    assert "is not for manifests" in answered(to="volcengine-aiapp")["problem"]


def test_a_share_document_is_left_to_the_command_line() -> None:
    document = "apiVersion: gpuxlate.io/v1alpha1\nkind: GPUShare\nmetadata: {name: a}\nspec: {cores: 30}\n"
    program = f"import sys; sys.path.insert(0, {str(Path(in_browser.__file__).parent)!r}); "
    program += "sys.modules['pydantic'] = None; import in_browser; "
    program += f"print(in_browser.answer({json.dumps(ASKED | {'text': document})!r}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "not on this page" in json.loads(done.stdout)["problem"]


# --- what it is built of ------------------------------------------------------------------------


def test_the_form_offers_what_can_be_accepted() -> None:
    assert tuple(re.findall(r'name="drop" value="(\w+)"', FORM)) == DROPPABLE
    assert tuple(re.findall(r'id="pg-fill-(\w+)"', FORM)) == FILLABLE


def test_nothing_but_the_package_meant_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser_tool, "CACHE", tmp_path)
    (tmp_path / f"pyodide-{browser_tool.VERSION}.tgz").write_bytes(b"something else")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(browser_tool.NotThereError, match="there is no npm"):
        browser_tool.package()
    # an npm that gives something else
    npm = tmp_path / "npm"
    npm.write_text('#!/bin/sh\necho other > "$6/$NAME"\n')
    npm.chmod(0o755)
    monkeypatch.setenv("NAME", f"pyodide-{browser_tool.VERSION}.tgz")
    with pytest.raises(browser_tool.NotThereError, match="not the package whose hash"):
        browser_tool.package()


def test_every_word_of_the_form_is_there_in_chinese() -> None:
    """Also those that the script says; names of products and targets stay."""
    script = (ROOT / "docs/playground/playground.js").read_text(encoding="utf-8")
    there = set(re.findall(r'"([^"]+)":\s+"[^"]*[\u4e00-\u9fff]', script))
    said = re.findall(r">\s*([A-Za-z][^<>]*?)\s*<", re.sub(r"<(option|noscript).*?</\1>", "", FORM))
    said += re.findall(r'(?:say|told)\("([^"]+)"\)', script) + re.findall(r'summary = .*?"(\w[^"]+)"', script)
    assert len(said) > 30
    assert sorted(set(said) - there) == []


@pytest.mark.parametrize("there", [False, True])
def test_without_it_the_page_says_so(there: bool) -> None:
    pages = staging.kept_pages(playground=there)
    for name in ("playground.md", "playground.zh.md"):
        page = pages[Path(name)].decode()
        assert (staging.NO_PLAYGROUND in page) is not there
        assert ("<option>tencent-qgpu</option>" in page) is there
        assert staging.PLAYGROUND not in page


# --- in a browser: Chromium, asked over WebDriver (https://www.w3.org/TR/webdriver2/) ---------------

FLAGS = (
    "--no-sandbox",  # tests may run as root
    *("--headless", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--no-first-run"),
)
PATIENCE = 60.0
"""Seconds until what is waited for must be there: two cores may be busy with other tests."""


class Browser:
    """One session: scripts in the page at hand."""

    def __init__(self, port: int, flags: tuple[str, ...]) -> None:
        self._port = port
        wanted = {"browserName": "chrome", "goog:chromeOptions": {"args": [*FLAGS, *flags]}}
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
    command = ["chromedriver", "--port=0"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as driver,
        ExitStack() as ends,
    ):
        ends.callback(driver.terminate)
        said = (re.search(r"successfully on port (\d+)", line) for line in driver.stdout or ())
        one = Browser(next(int(found[1]) for found in said if found), flags)
        ends.callback(one.close)
        yield one


def requests_of(log: Path, origin: str) -> list[str]:
    """The addresses that a page of this origin, or its workers, asked for, by Chromium's own network log."""
    told = json.loads(log.read_text(encoding="utf-8"))
    started = told["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"]
    found = [one["params"] for one in told["events"] if one["type"] == started and "params" in one]
    return [one["url"] for one in found if one.get("initiator") == origin]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def built(request: pytest.FixtureRequest) -> Path:
    """The site with the playground."""
    for name in ("chromedriver", "chromium"):
        if shutil.which(name) is None:
            pytest.skip(f"there is no {name} here")
    try:
        browser_tool.package()
    except browser_tool.NotThereError as error:
        pytest.skip(str(error))
    site: Path = request.getfixturevalue("site")
    return site


@pytest.mark.full
@pytest.mark.slow
def test_the_first_visit_is_light(built: Path, tmp_path: Path) -> None:
    archive = shutil.make_archive(str(tmp_path / "packed"), "gztar", built / "playground")
    assert 5_000_000 < Path(archive).stat().st_size < MOST


def step(name: str) -> str:
    """A function of playground.js, with the arguments that the browser is given."""
    steps = Path(__file__).with_name("playground.js").read_text(encoding="utf-8")
    return f"{steps}\nreturn {name}(...arguments);"


SHOWN, FOUND, ENTER, OPENED, ELSEWHERE = map(step, ("shown", "finding", "enter", "opened", "elsewhere"))


@pytest.mark.full
@pytest.mark.slow
def test_in_chromium(built: Path, tmp_path: Path) -> None:
    """Pasted, translated and checked; nothing goes elsewhere, and no server is needed once it is there."""
    log = tmp_path / "net.json"
    expected = gpuxlate.translate(POD, "tencent-qgpu", round="up").text
    with browser(f"--log-net-log={log}") as page:
        with served(built) as server, served(tmp_path) as other:
            origin = f"http://127.0.0.1:{server.server_port}"
            # a link, in Chinese: what was found is there without a click
            given = base64.urlsafe_b64encode(json.dumps(ASKED | {"round": False}).encode()).decode()
            page.open(f"{origin}/zh/playground/#share={given}")
            chinese = page.wait(SHOWN, 0)
            assert chinese["status"] == "已拒绝：见下列问题。"
            assert "Pod web, 容器 web: 取整" in chinese["found"]
            assert "行 12:41 错误 TKE001 memoryMiB 4000 不是 1024 MiB 的整数倍" in chinese["found"]
            rule = page.run("return document.querySelector('#pg-found a').href")
            assert rule == f"{origin}/rules/TKE001/"
            page.open(f"{origin}/playground/")
            page.wait("return document.getElementById('pg-form')?.hidden === false")
            page.run(ENTER, POD, True)
            first = page.wait(SHOWN, 0)
            assert first["status"] == "Translated."
            assert '+        tke.cloud.tencent.com/qgpu-core: "30"' in first["diff"].splitlines()
            assert first["result"] == expected
            assert page.run(ELSEWHERE, f"http://127.0.0.1:{other.server_port}/") == "refused"
            # the same with an address of the site, so that it is not the worker that fails
            assert page.run(ELSEWHERE, f"{origin}/index.html") == "went"
            # kept by the service worker, not only by what a browser keeps for a while
            page.wait("return caches.match(location.pathname).then(Boolean)")
            scripts = "[...document.querySelectorAll('script[src]')].map((one) => caches.match(one.src))"
            assert all(page.run(f"return Promise.all({scripts})"))
        # the server is gone, and the page is loaded again
        page.open(f"{origin}/zh/playground/")
        page.open(f"{origin}/playground/")
        page.wait("return document.getElementById('pg-form')?.hidden === false")
        page.run("document.querySelector('#pg-form [type=submit]').click()")
        example = page.wait(SHOWN, 0)
        assert (example["status"], "qgpu-core" in example["diff"]) == ("Translated.", True)
        first = example
        page.run(ENTER, POD, False)
        refused = page.wait(SHOWN, first["number"])
        assert refused["status"] == "Refused: see the findings."
        assert "line 12:41 error TKE001 memoryMiB 4000 is not a multiple of 1024 MiB" in refused["found"]
        assert page.run("return document.getElementById('pg-found').hidden") is False
        page.run("document.getElementById('pg-link').click()")
        assert page.run(OPENED) == [POD, "tencent-qgpu"]
        hostile = {"text": "<img src=x onerror=alert(1)>", "to": "<b>", "drop": {}, "fill": []}
        assert page.run(OPENED, json.dumps(hostile)) == [hostile["text"], "tencent-qgpu"]
        assert page.run("return document.querySelectorAll('#pg-form img, #pg-form b').length") == 0
        page.run(ENTER, POD.replace("4000", "4Gi"), False)
        linted = {"found": page.wait(FOUND, "K8S002")}  # the link was translated before
        assert "line 12:41 error K8S002" in linted["found"]
    asked = requests_of(log, origin)
    assert any(one.endswith("/playground/pyodide.asm.wasm") for one in asked)
    assert [one for one in asked if not one.startswith(f"{origin}/")] == []
