"""The notes and the last lines on stderr (contract, section 10): counts, and what accepts a refused run."""

import shlex
from pathlib import Path

import pytest

from tests.lint.conftest import pod, write
from tests.running import run

VKE = "vke.volcengine.com/mgpu-core: {cores}\nvke.volcengine.com/mgpu-memory: {memory}"
ACK = "aliyun.com/gpu-mem: 4"
SHARE = """\
apiVersion: gpuxlate.io/v1alpha1
kind: GPUShare
metadata: {name: a}
spec: {cores: 30, memoryMiB: 4096}
"""
NOTE = "left out: gpuxlate render FILE --to TARGET writes the manifests"
FILES = {
    "right/a.yaml": pod(VKE.format(cores=30, memory=4096)),
    "right/b.yaml": pod(VKE.format(cores=40, memory=4096), name="b"),
    "odd/a.yaml": pod(VKE.format(cores=30, memory=4096)),
    "odd/b.yaml": pod(VKE.format(cores=33, memory=4000), name="b"),
    "open/a.yaml": pod(ACK),
    "left/a.yaml": pod(VKE.format(cores=30, memory=4096)) + "---\napiVersion: v1\nkind: ConfigMap\n"
    "metadata: {name: c}\ndata: {vke.volcengine.com/mgpu-core: '3'}\n",
    "wrong/a.yaml": pod(VKE.format(cores="3O", memory=4096)),
    "shares/a.gpushare.yaml": SHARE,
    "shares/b.gpushare.yaml": SHARE,
    "both/a.gpushare.yaml": SHARE,
    "both/b.yaml": pod(ACK),
    "one.gpushare.yaml": SHARE.replace("cores: 30", "cores: 30, policy: burst-share"),
}

# what is run, its exit code, and the last lines of stderr
SAYS: dict[str, tuple[int, tuple[str, ...]]] = {
    "translate right --to tke": (0, ("2 shares: 2 exact",)),
    "translate right --to tke --output-dir out": (0, ("2 shares: 2 exact; 2 files written",)),
    "translate right --to tke --check": (1, ("2 shares: 2 exact; 2 files would change",)),
    "translate odd --to tke": (
        1,
        (
            "2 shares: 1 exact, 1 rounded; no file written",
            "to accept: gpuxlate translate odd --to tke --round up",
        ),
    ),
    "translate odd --to tke --round up -i": (0, ("2 shares: 1 exact, 1 rounded; 2 files written",)),
    "translate open --to tke": (
        1,
        ("1 share: 1 filled; no file written", "to accept: gpuxlate translate open --to tke --fill cores=N"),
    ),
    "translate left --to tke": (
        1,
        (
            "1 share: 1 exact; 1 leftover; no file written",
            "to accept: gpuxlate translate left --to tke --allow-leftovers",
        ),
    ),
    "translate right --to tke,ack --output-dir out": (
        0,
        (
            "tencent-qgpu: 2 shares: 2 exact; 2 files written",
            "alibaba-gpushare: 2 shares: 2 exact; 2 files written",
        ),
    ),
    "translate odd --to vke --to tke --output-dir out": (
        1,
        (
            "tencent-qgpu: 2 shares: 1 exact, 1 rounded; no file written",
            "to accept: gpuxlate translate odd --to vke --to tke --output-dir out --round up",
        ),
    ),
    "translate right --to tke,ack": (
        2,
        (
            "error: several targets need --output-dir",
            "help: add --output-dir DIR: files go to DIR/<target>/<path>",
        ),
    ),
    # no flag accepts a number that is none
    "translate wrong --to tke": (1, ("1 share: 1 refused; no file written",)),
    "assess odd --to tke": (0, ("2 shares: 1 exact, 1 rounded",)),
    "render one.gpushare.yaml --to vke --to ack --output-dir out": (
        1,
        (
            "volcengine-mgpu: 1 share: 1 exact; no file written",
            "alibaba-gpushare: 1 share: 1 dropped; no file written",
            "to accept: gpuxlate render one.gpushare.yaml --to vke --to ack --output-dir out --drop policy",
        ),
    ),
    "translate shares --to tke": (0, (f"note: 2 GPUShare documents {NOTE}", "0 shares")),
    "plan shares --to vke --node A10-24GB:4": (0, (f"note: 2 GPUShare documents {NOTE}",)),
    "inspect shares": (0, (f"note: 2 GPUShare documents {NOTE}",)),
    "assess both --to vke": (0, (f"note: 1 GPUShare document {NOTE}", "1 share: 1 filled")),
    "parse both": (0, (f"note: 1 GPUShare document {NOTE}",)),
    "translate both --from ack --to ack": (
        0,
        (
            "note: the input is of alibaba-gpushare already: there is nothing to translate",
            "0 shares; 1 pod already has keys of the target",
        ),
    ),
    "parse both --from vke": (
        3,
        (
            "note: nothing in the input is of volcengine-mgpu; found: alibaba-gpushare",
            "error: both: no container requests a GPU in a known dialect",
            "help: gpuxlate targets shows the keys of each dialect",
        ),
    ),
}


@pytest.mark.parametrize("command", SAYS)
def test_the_last_lines(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(FILES)
    code, lines = SAYS[command]
    ran = run(*shlex.split(command))
    said = ran.err.decode().splitlines()
    assert (ran.code, tuple(said[-len(lines) :])) == (code, lines)


def test_one_that_is_named_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(FILES)
    for command in ("translate {} --to tke", "parse {}", "inspect {}", "assess {} --to tke"):
        ran = run(*shlex.split(command.format("shares/a.gpushare.yaml")))
        assert (ran.code, b"error[GX010]" in ran.err, b"left out" in ran.err) == (1, True, False)


def test_a_folder_keeps_what_another_target_wrote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is known by its keys: its target writes it again; for another, both ways are named."""
    monkeypatch.chdir(tmp_path)
    write(FILES)
    to = ("translate", "right", "--output-dir", "out", "--to")
    assert [run(*to, "tke").code for _ in range(2)] == [0, 0]
    before = Path("out/right/a.yaml").read_text()
    refused = run(*to, "ack")
    assert (refused.code, Path("out/right/a.yaml").read_text()) == (2, before)
    said = refused.err.decode()
    assert "out/right/a.yaml has keys of tencent-qgpu: another target wrote it" in said
    assert "--to tencent-qgpu,alibaba-gpushare" in said
    assert "gpuxlate sync" in said
    assert run(*to, "tke,ack").code == 0
    assert before == Path("out/tencent-qgpu/right/a.yaml").read_text()
    assert "aliyun.com/gpu-mem" in Path("out/alibaba-gpushare/right/a.yaml").read_text()


def test_what_is_left_out_is_not_in_the_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPUShare document of a folder, a file of its own or beside a pod; in place, files stay."""
    monkeypatch.chdir(tmp_path)
    write(
        {"app/a.gpushare.yaml": SHARE, "app/b.yaml": SHARE + "---\n" + pod(VKE.format(cores=30, memory=4096))}
    )
    out = run("translate", "app", "--to", "tke").out
    assert (b"qgpu-core" in out, b"GPUShare" in out) == (True, False)
    ran = run("translate", "app", "--to", "tke", "--output-dir", "out")
    assert ran.err.endswith(b"1 share: 1 exact; 1 file written\n")
    assert [path.name for path in Path("out").rglob("*.yaml")] == ["b.yaml"]
    assert "GPUShare" not in Path("out/app/b.yaml").read_text()
    assert run("translate", "app", "--to", "tke", "-i").code == 0
    assert Path("app/a.gpushare.yaml").read_text() == SHARE
    assert Path("app/b.yaml").read_text().startswith(SHARE)
