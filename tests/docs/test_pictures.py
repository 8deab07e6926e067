"""Pictures say what the code does. That the files are current is held with the generated pages."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import gpuxlate
from docs.tools.inserts import chinese
from docs.tools.inserts.pictures import house, share, tree, way
from tests.test_architecture import PACKAGE, ours

ROOT = Path(__file__).resolve().parents[2]
PICTURES = sorted((ROOT / "docs" / "pictures").iterdir())
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]


@pytest.mark.parametrize("picture", PICTURES, ids=lambda path: path.name)
def test_a_picture_stands_alone_and_is_shown_with_words(picture: Path) -> None:
    """A page shows it, and says in words what is on it for those who do not see it."""
    text = picture.read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "viewBox" in root.attrib
    assert not re.search("@import|@font-face", text)
    assert re.findall(r"https?://[^\"]+", text) == ["http://www.w3.org/2000/svg"]
    pages = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    shown = picture.name.replace(
        ".narrow", ""
    )  # the site shows it in place of the wide one: docs/tools/site.py
    told = re.findall(rf"!\[([^]]*)\]\([^)]*{shown}\)", pages)
    assert told, "no page shows it"
    assert min(map(len, told)) > 20


def test_the_share_on_each_cloud() -> None:
    """Two cards at 60 % and 8 GiB each. ACK cannot divide the compute of several cards ("multi-card
    sharing", 2025-04-19); TKE counts totals in GiB (457/127667); HAMi counts each card (device.go)."""
    found = {one.title: one for one in share.landings()}
    assert found["Volcengine mGPU"].keys[:2] == ("mgpu-core: 120", "mgpu-memory: 16384")
    assert found["Alibaba Cloud gpushare"].keys[:2] == ("gpu-mem: 16", 'label gpu-count: "2"')
    assert found["Alibaba Cloud gpushare"].lost == ("cores",)
    assert found["Alibaba Cloud gpushare"].back.cores is None
    assert found["Tencent Cloud qGPU"].keys == ('qgpu-core: "120"', 'qgpu-memory: "16"')
    hami = ("nvidia.com/gpumem: 8192", "nvidia.com/gpucores: 60")
    assert found["HAMi: numbers per card"].keys[1:] == hami
    assert {one.back.memory_mib_per_card for one in found.values()} == {8192}
    assert {one.back.cards for one in found.values()} == {2}
    # the bars are to scale
    widths = [float(width) for width in re.findall(r'class="first" [^>]*width="([\d.]+)"', share.draw())]
    whole = float(re.search(r'class="empty" [^>]*width="([\d.]+)"', share.draw())[1])  # type: ignore[index]
    assert widths
    assert {round(width / whole, 2) for width in widths} == {0.6}


def test_what_a_phone_shows_is_as_wide_as_a_phone() -> None:
    """390 pixels, 16 of them on each side."""
    widths = {
        float(re.search(r'viewBox="0 0 ([\d.]+) ', picture.read_text(encoding="utf-8"))[1])  # type: ignore[index]
        for picture in PICTURES
        if ".narrow" in picture.name
    }
    assert widths == {390 - 2 * 16}


def test_chinese_pictures_have_no_english_words() -> None:
    """Beside names of keys, fields, vendors' products and modules, which stay."""
    names = re.compile(
        r"[\w-]+(?:[./][\w-]+)+|[\w-]+: \S+|[a-z]+[A-Z]\w+|[a-z]GPU|HAMi|Pod|QoS|limits|cores|[GM]iB|cgpu"
        r"|gpuxlate sync(?: --diff)?|base/|Deployment|Ray|chart|overlay"
    )
    for draw in (share.draw, tree.draw, way.draw, way.draw_narrow):
        texts = [
            one.text or ""
            for one in ElementTree.fromstring(draw(chinese.PICTURES)).iter()
            if one.tag.endswith(("text", "title", "desc"))
        ]
        assert [one for one in texts if re.search(r"[a-z]{2}", names.sub("", one))] == []


def test_every_room_is_drawn_above_those_it_imports() -> None:
    there = {path.stem for path in PACKAGE.iterdir() if not path.name.startswith(("_", ".", "py."))}
    assert sorted(house.rooms()) == sorted(there)
    level = {room: number for number, room in enumerate(("__main__", *house.ORDER))}
    arrows = [(one.importer, one.imported, one) for one in ours() if one.importer and not one.typing]
    rooms = [(level[a.partition(".")[0]], level[b.partition(".")[0]], one) for a, b, one in arrows if b]
    assert [str(one) for above, below, one in rooms if below < above] == []


def test_the_way_names_real_modules() -> None:
    for name in {maker for _, _, maker in (*way.DOWN, *way.UP) if maker}:
        module, _, part = name.partition(".")
        if module == "backend":
            assert callable(getattr(gpuxlate.backends.base.Backend, part))
        else:
            assert (PACKAGE / f"{name.replace('.', '/')}.py").is_file(), name
