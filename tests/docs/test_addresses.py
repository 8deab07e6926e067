"""The project has no site and no public repository: nothing names an address of it but as an identifier."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuxlate.model import site
from tests.running import run
from tests.steps import write

ROOT = Path(__file__).resolve().parents[2]
OF_US = re.compile(
    r"""https?://[\w.-]*gpuxlate[\w.-]*\.(?!invalid\b)\w+  # a host that is called so
      | \b(?:github|gitlab)\.com/[\w-]*gpuxlate  # a repository
      | uses:\ *[\w-]+/gpuxlate  # of an action
      | pip\ install\ (?:-\S+\ )*gpuxlate(?![\w./:-])  # a package of an index
    """,
    re.VERBOSE,
)


FOLDERS = (
    ".ci",
    ".github",
    "bench",
    "contrib",
    "docs",
    "examples",
    "fixtures",
    "gpuxlate",
    "schemas",
    "tests",
)
"""Those of the repository: a checkout has others beside them, of environments and builds."""


def files() -> Iterator[Path]:
    yield from (path for path in ROOT.iterdir() if path.is_file())
    for folder in FOLDERS:
        yield from (path for path in (ROOT / folder).rglob("*") if path.is_file())


def test_no_file_names_an_address_of_ours() -> None:
    found = [
        (path.relative_to(ROOT).as_posix(), match[0])
        for path in files()
        if path.suffix not in (".pyc", ".mo") and path != Path(__file__)
        for match in OF_US.finditer(path.read_bytes().decode("utf-8", "replace"))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("line", "is_ours"),
    [
        ("see https://gpuxlate.io/rules/GX001", True),
        ("see http://docs.gpuxlate.dev", True),
        ("- uses: gpuxlate/gpuxlate/contrib/github-action@v0.1.0", True),
        ("pip install gpuxlate", True),
        ("pip install --quiet 'gpuxlate[cluster]'", False),  # a hint: it has the way of this installation
        ("pip install ./gpuxlate-0.1.0-py3-none-any.whl", False),
        ("apiVersion: gpuxlate.io/v1alpha1", False),
        ("gpuxlate.io/cores: 30", False),
    ],
)
def test_what_is_an_address(line: str, is_ours: bool) -> None:
    assert bool(OF_US.search(line)) is is_ours


MISTAKE = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: web
    resources: {limits: {tke.cloud.tencent.com/qgpu-core: 33, tke.cloud.tencent.com/qgpu-memory: 4}}
"""
SHARE = MISTAKE.replace("33", "35")
PAGE = "https://docs.example.com/gpu/rules/TKE002"
PLACES = {
    "lint web.yaml -o json": f'"url": "{PAGE}"',
    "lint web.yaml --format sarif": f'"helpUri": "{PAGE}"',
    "policy --to tke": f"({PAGE})",
    "parse share.yaml": "$schema=https://docs.example.com/gpu/schemas/spec.v1alpha1.json",
}


@pytest.mark.parametrize(("command", "says"), PLACES.items())
@pytest.mark.parametrize("address", ["", "https://docs.example.com/gpu", "https://docs.example.com/gpu/"])
def test_what_is_printed_has_the_address_that_a_team_gave(
    command: str, says: str, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    configuration = f"docs-url: {address}\n" if address else "{}\n"
    write({"web.yaml": MISTAKE, "share.yaml": SHARE, ".gpuxlate.yaml": configuration})
    try:
        printed = run(*command.split()).out.decode()
    finally:
        site.use_site(None)
    # long texts of a policy stand on several lines
    assert (says in re.sub(r"'\n\s*\+ '", "", printed)) == bool(address)
    assert ("docs.example.com" in printed) == bool(address)
