"""The language server over stdio: what an editor shows of a manifest while it is typed."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from gpuxlate.files.extras import install_command
from tests.editor.client import EVERYTHING, PLAIN, Editor, at, editor, utf16
from tests.running import Ran, run

START = types.Range(types.Position(0, 0), types.Position(0, 0))
EVERYWHERE = types.Range(types.Position(0, 0), types.Position(10**6, 10**6))
Work = Callable[[Editor], Awaitable[None]]
POD = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n"
POD += "  - name: web\n    image: web\n    resources:\n      limits: {LIMITS}\n"


def limits(text: str) -> str:
    """A pod with these."""
    return POD.replace("LIMITS", text)


QGPU = limits('tke.cloud.tencent.com/qgpu-core: "30", tke.cloud.tencent.com/qgpu-memory: "4"')
MISTAKES = Path(__file__).with_name("mistakes.yaml").read_text(encoding="utf-8")


def with_editor(
    *options: str, files: Mapping[str, str] | None = None, plain: bool = False, settings: object = None
) -> Callable[[Work], Callable[[Path], None]]:
    """A test of an editor with a server, in a folder with these files; a name that ends in / is a folder."""

    def decorated(work: Work) -> Callable[[Path], None]:
        async def work_in(folder: Path) -> None:
            capabilities = PLAIN if plain else EVERYTHING
            async with editor(folder, *options, capabilities=capabilities, settings=settings) as one:
                await work(one)

        def test(tmp_path: Path) -> None:
            for name, text in (files or {}).items():
                if name.endswith("/"):
                    (tmp_path / name).mkdir(parents=True)
                else:
                    (tmp_path / name).write_text(text)
            asyncio.run(work_in(tmp_path))

        test.__doc__ = work.__doc__
        return test

    return decorated


def run_in(folder: Path, command: str, text: str = "") -> Ran:
    with chdir(folder):
        return run(*command.split(), stdin=text.encode())


def linted(folder: Path, name: str) -> list[tuple[str, int, int]]:
    """Codes and places as ``gpuxlate lint`` has them, in characters."""
    found = json.loads(run_in(folder, f"lint {name} -o json --fail-on never").out)["diagnostics"]
    return [(one["code"], one["line"], one["column"]) for one in found]


def placed(text: str, found: list[types.Diagnostic]) -> list[tuple[Any, int, int]]:
    """Codes and places of what an editor shows, in characters from 1."""
    starts = [(one.code, one.range.start.line + 1, at(text, one.range.start)) for one in found]
    return [(code, line, index - text.rfind("\n", 0, index)) for code, line, index in starts]


@with_editor(files={"web.yaml": MISTAKES})
async def test_mistakes_are_shown_as_lint_finds_them_and_fixed_one_by_one(one: Editor) -> None:
    uri = one.uri("web.yaml")
    found = await one.open(uri, MISTAKES)
    assert placed(MISTAKES, found) == linted(one.folder, "web.yaml")
    assert len({each.code for each in found}) >= 5
    for _ in range(20):
        lamps = [action for each in found for action in await one.actions(uri, each.range, "quickfix")]
        if not lamps:
            break
        assert all(action.title.endswith("requested)") != action.is_preferred for action in lamps)
        chosen = next((action for action in lamps if action.is_preferred), lamps[0])
        assert chosen.edit
        one.make(chosen.edit)
        found = await one.found(uri)
    assert not found, one.texts[uri]
    assert one.texts[uri].count("😀") == MISTAKES.count("😀")


@with_editor(files={"web.yaml": MISTAKES})
async def test_all_safe_fixes_at_once_are_those_of_lint(one: Editor) -> None:
    uri = one.uri("web.yaml")
    await one.open(uri, MISTAKES)
    found = await one.actions(uri, START, "source.fixAll")
    assert [action.kind for action in found] == ["source.fixAll.gpuxlate"]
    assert found[0].edit
    one.make(found[0].edit)
    run_in(one.folder, "lint --fix web.yaml")
    assert one.texts[uri] == (one.folder / "web.yaml").read_text() != MISTAKES


@with_editor(files={"deep/": "", ".git/": ""})
async def test_the_configuration_and_ignores_count(one: Editor) -> None:
    text = limits("tke.cloud.tencent.com/qgpu-core: 33, tke.cloud.tencent.com/qgpu-memory: 4")
    folder = one.folder / "deep"
    uri = (folder / "web.yaml").as_uri()
    assert [each.code for each in await one.open(uri, text)] == ["TKE002"]
    commented = text.replace("      limits", "      # gpuxlate: ignore[TKE002] soon\n      limits")
    assert not await one.type(uri, commented)
    assert [each.code for each in await one.type(uri, text)] == ["TKE002"]
    config = folder / ".gpuxlate.yaml"
    for content, expected in (
        ("ignore: [TKE]\n", []),
        ("ignore: [XYZ]\n", [(None, f"{config}: ignore: no rule 'XYZ'; gpuxlate rules lists them")]),
        ("select: [TKE002]\n", ["TKE002"]),
    ):
        config.write_text(content)
        one.shown.clear()
        one.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))
        found = await one.found(uri)
        assert [each.code or (None, each.message) for each in found] == expected


@with_editor(files={"build/deep/": "", ".gpuxlate.yaml": "exclude: [build/]\n"})
async def test_a_file_that_the_configuration_excludes_has_no_findings(one: Editor) -> None:
    left_out = one.uri("build/deep/web.yaml")
    assert await one.open(left_out, MISTAKES) == []
    assert await one.actions(left_out, EVERYWHERE) == []
    assert await one.lenses(left_out) == []
    assert "Unit: GiB" in (await one.hover(left_out, "qgpu-memory: 5") or "")
    assert len(await one.open(one.uri("web.yaml"), MISTAKES)) > 4
    (one.folder / ".gpuxlate.yaml").write_text("{}\n")
    one.shown.clear()
    changed = types.FileEvent(one.uri(".gpuxlate.yaml"), types.FileChangeType.Changed)
    one.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([changed]))
    assert len(await one.found(left_out)) > 4


@with_editor(settings={"lang": "zh", "to": ["vke"]}, files={"c.yaml": "ignore: [TKE002]\n"})
async def test_the_settings_of_the_editor_count_as_soon_as_they_change(one: Editor) -> None:
    uri = one.uri("web.yaml")
    text = QGPU.replace('"30"', "33")
    [found] = await one.open(uri, text)
    assert found.message == 'tke.cloud.tencent.com/qgpu-core 33 不是 5 的整数倍\n建议：请写 "30" 或 "35"'
    assert "单位：GiB。" in (await one.hover(uri, "qgpu-memory") or "")
    assert "单卡的 `tke.cloud.tencent.com/qgpu-core` 取 5 到 100" in (await one.hover(uri, "33") or "")
    titles = [each.title for each in await one.actions(uri, found.range)]
    assert titles == [
        "TKE002: 把 33 向上取整为 35（不一定安全：申请的内容可能改变）",
        "转换为 vke……",
        "转换为其他目标……",
    ]
    await one.command("gpuxlate.translate", uri, "vke")
    assert one.messages[-1].startswith("已拒绝，没有任何改动。\n第 10 行：TKE002")
    await one.configure({"gpuxlate": {"lang": "en", "to": "hami", "config": str(one.folder / "c.yaml")}})
    assert await one.found(uri) == []
    await one.type(uri, QGPU)
    assert await one.lenses(uri) == ["7: 30 % and 4 GiB of one card", "7: on hami exact"]
    await one.configure({"gpuxlate": None})  # of all that it was started with, nothing is taken back
    await one.type(uri, QGPU)
    assert await one.lenses(uri) == ["7: 一张卡的 30 % 和 4 GiB", "7: 在 vke 上无损"]
    for wrong, says in (
        ({"lang": "fr"}, "lang 的值 'fr' 无效；请写 en, zh"),
        ({"profil": "x"}, "没有设置项 'profil'；可用的设置项：lang, profile, to, config"),
        ({"to": ["nobody"]}, "没有目标 'nobody'"),
        ({"to": "emr-spark"}, "--to 的目标 'emr-spark' 无效"),
        ({"to": [3]}, "to 的值 [3] 无效"),
        ([], "设置应是由"),
    ):
        await one.configure(wrong)
        await one.hover(uri, "qgpu")  # answered after the message
        assert one.messages[-1].startswith(says), one.messages
    assert await one.lenses(uri) == ["7: 一张卡的 30 % 和 4 GiB", "7: 在 vke 上无损"]


@with_editor()
async def test_half_typed_text_is_a_finding_and_leaves_nothing_behind(one: Editor) -> None:
    uri = one.uri("web.yaml")
    await one.open(uri, MISTAKES)
    broken = QGPU + "  foo: [\n"
    found = await one.type(uri, broken)
    assert {each.code for each in found} == {"GX001"}
    assert await one.actions(uri, EVERYWHERE, "quickfix") == []
    assert await one.lenses(uri) == []
    assert not await one.type(uri, limits("nvidia.com/mig-1g.10gb: 1"))
    assert await one.lenses(uri) == ["7: 1g.10gb"]
    assert not await one.type(uri, QGPU)
    assert await one.lenses(uri) == ["7: 30 % and 4 GiB of one card"]
    one.close(uri)
    one.versions[uri] = None  # type: ignore[assignment]
    one.shown.clear()
    assert await one.found(uri) == []
    assert await one.hover(uri, "qgpu-core") is None


@with_editor()
async def test_a_text_without_a_gpu_is_checked_as_lint_checks_what_it_is_given(one: Editor) -> None:
    codes = []
    for number, text in enumerate(("kind: Pod\na: x\ndata\nb: c\n", "a: {{ x }} y\n", "a: 1\n", "")):
        (one.folder / f"{number}.yaml").write_text(text)
        shown = await one.open(one.uri(f"{number}.yaml"), text)
        assert placed(text, shown) == (linted(one.folder, f"{number}.yaml") if text else [])
        codes += [each.code for each in shown]
    assert codes == ["GX001", "GX012"]


HOSTILE = {
    "file:///nul%00name.yaml": QGPU,
    "file:///no/such/folder/%F0%9F%98%80.yaml": QGPU,
    "untitled:Untitled-1": QGPU,
    "file:///" + "a" * 5000 + ".yaml": QGPU,
    "git:/web.yaml?x#y": QGPU,
    "file://host/share/web.yaml": QGPU,
    "": QGPU,
    "file:///empty.yaml": "",
    "file:///bom.yaml": "\ufeff" + QGPU,
    "file:///surrogate.yaml": QGPU.replace("web", "\ud800"),
    "file:///binary.yaml": "\x00\x01" * 100,
    "file:///prose.yaml": "tke.cloud.tencent.com/qgpu-core said: it's\n  no YAML\n\tat all",
    "file:///deep.yaml": "[" * 5000 + "tke.cloud.tencent.com/qgpu-core",
    "file:///laughs.yaml": "a: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*a, *a]\n" for n in range(50)) + QGPU,
    "file:///breaks.yaml": "\r\u2028\x85\x0c\r\n" + QGPU.replace("\n", "\r"),
    "file:///large.yaml": QGPU + "#" * 2**21,
    "file:///chart/templates/x.yaml": "{{ if }}\n" + QGPU,
}
"""Texts by their names, of which nothing must stop the server."""


@with_editor()
async def test_no_text_and_no_name_ends_the_server(one: Editor) -> None:
    for uri, text in HOSTILE.items():
        await one.open(uri, text)
        await one.actions(uri, EVERYWHERE)
        await one.lenses(uri)
        for place in (types.Position(9, 20), types.Position(10**6, 10**6), types.Position(0, 0)):
            await one.completions(uri, place)
            params = types.HoverParams(types.TextDocumentIdentifier(uri), place)
            await one.client.text_document_hover_async(params)
        await one.command("gpuxlate.translate", uri, "hami")
        one.close(uri)
    assert [each for each in one.messages if "internal error" in each] == []
    for arguments in (("file:///none.yaml", "vke"), ("x", None)):
        assert await one.command("gpuxlate.translate", *arguments) is None
    uri = "file:///good.yaml"
    assert await one.open(uri, QGPU) == []
    for target, says in (("nobody", "unknown target 'nobody'"), ("emr-spark", "is not for manifests")):
        assert await one.command("gpuxlate.translate", uri, target) is None
        assert says in one.messages[-1]
    [large] = await one.open("file:///large.yaml", HOSTILE["file:///large.yaml"])
    assert large.message == "larger than 2 MiB: gpuxlate lint checks it, not the editor"


@with_editor()
async def test_hover_tells_of_keys_values_and_findings(one: Editor) -> None:
    uri = "file:///web.yaml"
    await one.open(uri, MISTAKES)
    rule = ("**TKE002**", "**Why**", "**Use instead**", "Unit: percent")
    for word, parts in {
        "qgpu-memory: 5": ("tke.cloud.tencent.com/qgpu-memory", "Unit: GiB", "Values: "),
        "33, tke": rule,
        "volcano.sh/vgpu-number": ("**Why**\nThe API server refuses",),  # its text is a docstring
    }.items():
        text = await one.hover(uri, word) or ""
        assert [part for part in parts if part not in text] == [], word
    assert await one.hover(uri, "metadata") is None


HERE = "|"
ANNOTATED = QGPU.replace("  name: web\nspec", "  name: web\n  annotations:\n    |\nspec")
SELECTING = limits("").replace("spec:\n", "spec:\n  nodeSelector:\n    |\n")
HALF = POD.replace("{LIMITS}", "\n        vke.volc|\n      foo: [")
MORE = limits("tke.cloud.tencent.com/qgpu-memory: 3, |")
PLACES: dict[str, tuple[str, str | None, str | None]] = {
    "limits, flow": (limits(HERE), "aliyun.com/gpu-mem", ": "),
    "limits, half-typed": (HALF, "vke.volcengine.com/mgpu-core", ": "),
    "limits, a brace open": (POD.replace("LIMITS}", HERE), "volcano.sh/vgpu-memory", ": "),
    "limits, a colon there": (limits("ali|: 3"), "aliyun.com/gpu-mem", ""),
    "limits, quoted": (limits('"ali|": 3'), "aliyun.com/gpu-mem", ""),
    "limits of a pod that speaks": (MORE, "tke.cloud.tencent.com/qgpu-core", ": "),
    "annotations": (ANNOTATED, "tke.cloud.tencent.com/app-class", ": "),
    "a word": (ANNOTATED.replace(HERE, "tke.cloud.tencent.com/app-class: |"), "offline", ""),
    "nodeSelector": (SELECTING, "vke.volcengine.com/mgpu", None),
    "labels of the object": (MISTAKES.replace("  name: web  #", "  labels: {|}\n  name: web  #"), None, None),
    "a name": (POD.replace("image: web", "image: |"), None, None),
    "metadata": (POD.replace("  name: web\nspec", "  |\nspec"), None, None),
    "a comment": (limits("") + "# |", None, None),
    "nothing": ("|", None, None),
}
"""A text with the cursor, a label that is offered there, and what is written behind it. Where that is None,
some label begins so; without a label nothing is offered."""


@with_editor(plain=True)
async def test_completion_offers_keys_and_values_where_they_have_effect(one: Editor) -> None:
    for name, (marked, label, written) in PLACES.items():
        uri = f"file:///{name.replace(' ', '-')}.yaml"
        index = marked.index(HERE)
        text = marked.replace(HERE, "")
        await one.open(uri, text)
        items = {each.label: each for each in await one.completions(uri, utf16(text, index))}
        if label is None:
            assert not items, name
        elif written is None:
            assert any(each.startswith(label) for each in items), (name, sorted(items))
        else:
            edit = items[label].text_edit
            assert edit
            assert edit.new_text == f"{label}{written}", name
        assert not any("NVIDIA_" in each or "CUDA_" in each for each in items if "env" not in name), name
        if name == "limits of a pod that speaks":
            assert all(each.startswith("tke.") for each in items), items
            assert "tke.cloud.tencent.com/qgpu-memory" not in items


@with_editor()
async def test_a_key_is_a_snippet_where_the_editor_expands_such(one: Editor) -> None:
    """As plain text Neovim 0.11 takes a completion up to its first space, and the YAML would be invalid."""
    for given, expected in (("ali|", ("aliyun.com/gpu-mem: $0", 2)), ("ali|: 3", ("aliyun.com/gpu-mem", 1))):
        uri = f"file:///{expected[1]}.yaml"
        marked = limits(given)
        await one.open(uri, marked.replace(HERE, ""))
        found = await one.completions(uri, utf16(marked, marked.index(HERE)))
        [item] = [each for each in found if each.label == "aliyun.com/gpu-mem"]
        assert item.text_edit
        assert (item.text_edit.new_text, item.insert_text_format) == expected


PROFILES = "profiles:\n  a: {target: volcengine-mgpu}\n  b: {target: alibaba-gpushare}\n"


@with_editor(files={".gpuxlate.yaml": PROFILES})
async def test_the_share_and_its_verdicts_stand_above_the_container(one: Editor) -> None:
    uri = one.uri("web.yaml")
    await one.open(uri, QGPU.replace('core: "30"', 'core: "35"'))
    assert await one.lenses(uri) == [
        "7: 35 % and 4 GiB of one card",
        "7: on volcengine-mgpu exact",
        "7: on alibaba-gpushare exact",
    ]
    await one.type(uri, limits("vke.volcengine.com/mgpu-core: 33, vke.volcengine.com/mgpu-memory: 4000"))
    assert await one.lenses(uri) == ["7: 33 % and 4000 MiB of one card", "7: on alibaba-gpushare rounded"]


@with_editor("--to", "vke")
async def test_a_translation_is_confirmed_in_the_preview_of_the_editor(one: Editor) -> None:
    uri = one.uri("web.yaml")
    await one.open(uri, QGPU)
    offered = await one.actions(uri, types.Range(types.Position(7, 0), types.Position(7, 0)), "refactor")
    assert [each.title for each in offered] == ["Translate to vke...", "Translate to another target..."]
    command = offered[0].command
    assert command
    result = await one.command(command.command, *(command.arguments or ()))
    assert (result["refused"], result["summary"]) == (False, "1 share: 1 exact")
    assert "+      limits: {vke.volcengine.com/mgpu-core" in result["diff"]
    [edit] = one.applied
    assert edit.change_annotations
    assert all(each.needs_confirmation for each in edit.change_annotations.values())
    assert one.texts[uri].encode() == run_in(one.folder, "translate - --to vke", QGPU).out
    one.answers = ["hami"]
    await one.command("gpuxlate.translate", uri)
    assert await one.command("gpuxlate.targets") == [each.title for each in one.questions[0].actions or ()]
    assert {each.title for each in one.questions[0].actions or ()} >= {"hami", "tencent-qgpu"}
    assert "nvidia.com/gpumem" in one.texts[uri]
    await one.type(uri, limits("vke.volcengine.com/mgpu-core: 33, vke.volcengine.com/mgpu-memory: 1"))
    before = one.texts[uri]
    result = await one.command("gpuxlate.translate", uri, "tke")
    assert result["refused"]
    assert one.messages[-1].startswith("Not translated, nothing was changed.\nline 10: TKE002")
    assert one.texts[uri] == before


@with_editor(plain=True)
async def test_an_editor_without_a_preview_shows_the_diff_and_asks(one: Editor) -> None:
    uri = one.uri("web.yaml")
    await one.open(uri, QGPU)
    one.answers = ["Cancel", "Apply"]
    await one.command("gpuxlate.translate", uri, "vke")
    assert one.texts[uri] == QGPU
    await one.command("gpuxlate.translate", uri, "vke")
    assert one.texts[uri].encode() == run_in(one.folder, "translate - --to vke", QGPU).out
    assert "-      limits: {tke" in one.questions[0].message


def test_without_the_extra_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("gpuxlate.lsp", "pygls"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pygls", None)
    from gpuxlate.cli.server import command
    from gpuxlate.model.errors import UserError

    with pytest.raises(UserError) as raised:
        command()
    assert raised.value.exit_code == 2
    assert raised.value.hint == f"install gpuxlate with the extra editor: {install_command('editor')}"


def test_the_server_ends_with_its_editor(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "gpuxlate", "server"]
    header = b"Content-Length: "
    for sent in (b"", header + b"5\r\n\r\n{not}", b"garbage\r\n\r\n" * 3, header + b"99\r\n\r\n{"):
        done = subprocess.run(command, cwd=tmp_path, input=sent, capture_output=True, timeout=30, check=False)
        assert done.stderr == b""


TREE = """\
decisions: all.yaml
sync:
- source: base
  targets:
    vke: clusters/vke
    ack: {dir: clusters/ack, round: up}
    tke: {dir: clusters/tke, decisions: decisions/tke.yaml}
"""
NEUTRAL = limits("gpuxlate.io/cores: 30, gpuxlate.io/memory-mib: 4000")
SHARE = """\
apiVersion: gpuxlate.io/v1alpha1
kind: GPUShare
metadata: {name: bert}
spec:
  cores: 30
  memoryMiB: 4000
  workload: {file: plain.yaml}
"""
"""Files of a source with a loss at Tencent Cloud: 4000 is not a multiple of 1024."""


def offered(found: list[types.CodeAction]) -> list[types.Command]:
    commands = [one.command for one in found if one.command]
    return [one for one in commands if one.command == "gpuxlate.accept"]


@with_editor(
    files={
        ".git/": "",
        ".gpuxlate.yaml": TREE,
        "base/": "",
        "decisions/": "",
        "base/web.yaml": NEUTRAL,
        "base/plain.yaml": POD.replace("limits: {LIMITS}", "limits: {cpu: 1}"),
        "base/share.yaml": SHARE,
        "web.yaml": NEUTRAL,
    }
)
async def test_a_loss_is_accepted_with_a_reason_where_sync_refuses_it(one: Editor) -> None:
    assert await one.open(one.uri("web.yaml"), NEUTRAL) == []  # no source of a tree
    assert await one.open(one.uri("base/large.yaml"), NEUTRAL + "#" * 2**18) == []
    uri, file = one.uri("base/web.yaml"), one.uri("decisions/tke.yaml")
    [found] = await one.open(uri, NEUTRAL)
    assert found.message.startswith("tke: memoryMiB 4000 is not a multiple of 1024 MiB")
    assert (found.code, found.range.start.line) == ("TKE001", 9)
    [command] = offered(await one.actions(uri, found.range, "quickfix"))
    assert command.title == "TKE001: accept for tke, with a reason: memoryMiB 4000 becomes 4096"
    assert offered(await one.actions(uri, START, "quickfix")) == []
    await one.open(file, "")
    assert await one.command(command.command, *(command.arguments or ()))
    written = one.texts[file]
    (one.folder / "decisions/tke.yaml").write_text(written)
    [left] = await one.found(file)
    assert (left.code, left.message.splitlines()[0]) == ("GX035", "the decision has no reason")
    assert one.pointed[-1].selection == left.range
    assert one.pointed[-1].uri == file
    one.shown.clear()
    one.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(file)))
    assert await one.found(uri) == []
    done = run_in(one.folder, "sync --to tke --check")
    assert b"memoryMiB" not in done.err.replace(b"base/share.yaml", b""), done.err


@with_editor(files={".git/": "", ".gpuxlate.yaml": TREE, "base/": "", "base/plain.yaml": ""})
async def test_what_an_editor_may_ask_of_a_decision(one: Editor) -> None:
    """A reason of its own, an entry that waits in the file, a share on its workload."""
    (one.folder / "base/plain.yaml").write_text(POD.replace("limits: {LIMITS}", "limits: {cpu: 1}"))
    (one.folder / "base/share.yaml").write_text(SHARE)
    uri, file = one.uri("base/share.yaml"), one.folder / "decisions/tke.yaml"
    file.parent.mkdir()
    file.write_text("# ours\n")
    [found] = await one.open(uri, SHARE)
    [command] = offered(await one.actions(uri, found.range))
    source, where, entry = command.arguments or ()
    assert (source, where) == (uri, str(file))
    assert (entry["object"], entry["container"]) == ("Pod/web", "web")
    run_in(one.folder, "sync --write-decisions decisions/tke.yaml")
    assert file.read_text().count("accept: false") == 1
    await one.open(file.as_uri(), file.read_text())
    assert await one.command(command.command, source, where, {**entry, "reason": "whole GiB"})
    text = one.texts[file.as_uri()]
    assert text.startswith("# ours\n")
    assert (text.count("- object:"), text.count("accept: true"), text.count('reason: "whole GiB"')) == (
        1,
        1,
        1,
    )
    assert one.pointed == []  # nothing is left to write
    assert not await one.command(command.command, source, where, {**entry, "reason": "whole GiB"})
    assert "accepts it already" in one.messages[-1]
    for wrong in ({}, {**entry, "asked": 1}, {**entry, "to": "hami"}):
        assert not await one.command(command.command, source, where, wrong)
    assert not await one.command(command.command, source, "/etc/passwd", entry)
    assert "not there any more" in one.messages[-1]
    file.write_text("kind: Decisions\n")
    one.shown.clear()
    one.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))
    [broken] = await one.found(uri)
    assert broken.message == "decisions/tke.yaml, all.yaml cannot be used"


@with_editor(files={".git/": "", ".gpuxlate.yaml": "decisions: all.yaml\nprofiles: {v: {target: vke}}\n"})
async def test_a_number_is_filled_in_by_a_person(one: Editor) -> None:
    """The decisions of the configuration count for the targets at hand; their file is made."""
    uri, file = one.uri("web.yaml"), one.uri("all.yaml")
    text = limits("gpuxlate.io/memory-mib: 4096")
    [found] = await one.open(uri, text)
    assert found.code == "VKE011"
    [command] = offered(await one.actions(uri, found.range))
    assert command.title.endswith(": cores gets a number that you write")
    source, where, entry = command.arguments or ()
    assert await one.command(command.command, source, where, entry)
    assert one.pointed[-1].uri == file
    assert "given: null" in one.texts[file]
    line = one.pointed[-1].selection.start.line  # type: ignore[union-attr]
    assert one.texts[file].splitlines()[line].strip() == "given: null"
    assert await one.command(command.command, source, where, {**entry, "given": 30, "reason": "a third"})
