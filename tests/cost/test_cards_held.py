"""Prices of parts of cards: ``gpuxlate cost`` where pods run on nodes, and ``plan --price``."""

import json
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuxlate.planning.prices import cards_held
from gpuxlate.planning.requests import ContainerRequest
from gpuxlate.yamltext import parse
from gpuxlate.yamltext.source import Chunk, Source
from tests.cluster.asking import share
from tests.running import Ran, run
from tests.schemas import validator
from tests.tables import read_table

CASES = read_table(__file__, "cards_held.yaml")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def deployment(name: str, containers: list[Any], init: list[Any] = [], replicas: int = 1) -> str:  # noqa: B006
    """Pods whose containers have these limits."""

    def of(kind: str, limits: list[Any]) -> list[Any]:
        return [
            {"name": f"{kind}{number}", "image": "a:1", "resources": {"limits": one}}
            for number, one in enumerate(limits)
        ]

    pod = {"initContainers": of("i", init), "containers": of("c", containers)}
    template = {"metadata": {"labels": {"app": name}}, "spec": pod}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template}
    return json.dumps(
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}
    )


def written(row: Mapping[str, Any]) -> str:
    if "spec" in row:
        return share(row["spec"], "a")
    limits = row.get("containers") or [row["limits"]]
    return deployment("a", limits, row.get("init", []), row.get("replicas", 1))


def printed(ran: Ran, kind: str) -> dict[str, Any]:
    assert (ran.code, ran.err) == (0, b"")
    data: dict[str, Any] = json.loads(ran.out)
    assert list(validator(kind).iter_errors(data)) == []
    return data


@pytest.mark.parametrize("row", CASES["cost"], ids=lambda row: row["name"])
def test_what_a_share_holds_and_costs(row: dict[str, Any]) -> None:
    Path("a.yaml").write_text(written(row), encoding="utf-8")
    if "prices" in row:
        Path(".gpuxlate.yaml").write_text(f"prices: {row['prices']}\n", encoding="utf-8")
    flags = f"{row.get('flags', '')} {row.get('flags2', '')}"
    if "price" in row and "prices" not in row and "--price" not in flags:
        flags += " --price A10-24GB=10.5"
    card = row.get("card", "A10-24GB")
    data = printed(
        run("cost", "a.yaml", "--to", row["to"], "--card", card, *flags.split(), "-o", "json"), "cards-held"
    )
    [found] = data["cards"]
    assert found["cards"]["exact"] == row["held"]
    if "price" in row:
        assert Fraction(found["price"]["exact"]) == Fraction(row["price"])
    else:
        assert "price" not in found


def test_documents_and_manifests_on_several_cards() -> None:
    """Each card with a price; stdin is read once."""
    Path("a.yaml").write_text(share("{cores: 30, memoryMiB: 4096}", "a"), encoding="utf-8")
    manifest = deployment("web", [{"gpuxlate.io/cores": 10, "gpuxlate.io/memory-mib": 7540}], replicas=3)
    flags = "--to vke --round up --price A10-24GB=10 --price V100-16GB=1"
    data = printed(
        run("cost", "a.yaml", "-", *flags.split(), "-o", "json", stdin=manifest.encode()), "cards-held"
    )
    assert [(one["card"], one["perCard"]["exact"]) for one in data["cards"]] == [
        ("A10-24GB", "10"),
        ("V100-16GB", "1"),
    ]
    [a10, v100] = ([(one["workload"], one["pods"]) for one in card["items"]] for card in data["cards"])
    assert a10 == v100 == [("Deployment/web", 3), ("GPUShare/a", 1)]
    sums = [sum(Fraction(one["price"]["exact"]) for one in card["items"]) for card in data["cards"]]
    assert sums == [Fraction(card["price"]["exact"]) for card in data["cards"]]


def test_what_the_target_refuses_has_no_price() -> None:
    """Nothing on stdout, and each finding once, whatever the number of cards."""
    Path("a.yaml").write_text(share("{cores: 3, memoryMiB: 100}", "a"), encoding="utf-8")
    ran = run("cost", "a.yaml", "--to", "tke", "--price", "A10-24GB=1", "--price", "V100-16GB=1")
    assert (ran.code, ran.out) == (1, b"")
    assert ran.err.decode().count("error[TKE") == 2


def test_each_text_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPUShare document, and a manifest with keys of the neutral dialect, which are in the same domain."""
    Path("a.yaml").write_text(share("{cores: 30, memoryMiB: 4096}", "a"), encoding="utf-8")
    limits = {"gpuxlate.io/cores": 30, "gpuxlate.io/memory-mib": 4096}
    Path("b.yaml").write_text(deployment("b", [limits]), encoding="utf-8")
    parsed: Counter[str] = Counter()

    class Counted(parse._Composer):
        def __init__(self, source: Source, chunk: Chunk) -> None:
            parsed[source.name] += 1
            super().__init__(source, chunk)

    monkeypatch.setattr(parse, "_Composer", Counted)
    data = printed(run("cost", ".", "--to", "tke", "--card", "A10-24GB", "-o", "json"), "cards-held")
    assert [item["workload"] for card in data["cards"] for item in card["items"]]
    assert parsed == {"a.yaml": 1, "b.yaml": 1}


def test_a_job_of_emr_has_both_its_units_and_a_price() -> None:
    """3 of 10 GPU-hours are 3/10 of the price."""
    Path("a.yaml").write_text(share("{cores: 30, memoryMiB: 4096}", "a"), encoding="utf-8")
    flags = ["--to", "emr-ray", "--card", "A10", "--pods", "2", "--price", "A10=12.5"]
    data = printed(run("cost", "a.yaml", *flags, "-o", "json"), "cost")
    assert (data["gpuHours"]["exact"], data["price"]["exact"], data["items"][0]["price"]["exact"]) == (
        "6",
        "15/2",
        "15/2",
    )
    assert "6          6        7.5\n" in run("cost", "a.yaml", *flags).out.decode()


@pytest.mark.parametrize("row", CASES["plan"], ids=lambda row: row["name"])
def test_whose_the_price_of_nodes_is(row: dict[str, Any]) -> None:
    limits = [{"gpuxlate.io/cores": cores, "gpuxlate.io/memory-mib": mib} for cores, mib in row["pods"]]
    text = "\n---\n".join(deployment(f"w{number}", [one]) for number, one in enumerate(limits))
    Path("a.yaml").write_text(text, encoding="utf-8")
    flags = ["--to", "tke", "--node", "A10-24GB:4", "--price", "A10-24GB=10.5"]
    data = printed(run("plan", "a.yaml", *flags, "-o", "json", "--html", "page.html"), "plan")
    price = data["targets"][0]["price"]
    found = [price[name]["exact"] for name in ("nodes", "idle", "twice")]
    assert [Fraction(one) for one in found] == [
        Fraction(row.get(name, 0)) for name in ("nodes", "idle", "twice")
    ]
    parts = [Fraction(one["price"]["exact"]) for one in price["workloads"]]
    assert parts == [Fraction(one) for one in row["workloads"]]
    page, shown = Path("page.html").read_text(encoding="utf-8"), run("plan", "a.yaml", *flags).out.decode()
    last = shown.splitlines()[-1].split()
    assert last == ["nodes", f"{float(Fraction(row['nodes'])):g}"]
    assert f">{last[1]}</td>" in page


def test_without_a_price_nothing_is_said_of_it() -> None:
    Path("a.yaml").write_text(deployment("a", [{"gpuxlate.io/cards": 1}]), encoding="utf-8")
    flags = ["--to", "vke,tke", "--node", "A10-24GB:4"]
    data = printed(run("plan", "a.yaml", *flags, "--price", "tke:A10-24GB=1", "-o", "json"), "plan")
    assert ["price" in one for one in data["targets"]] == [False, True]
    Path(".gpuxlate.yaml").write_text("prices: {L20-48GB: 3}\n", encoding="utf-8")
    ran = run("plan", "a.yaml", *flags)
    assert (ran.code, "PRICE" in ran.out.decode()) == (0, False)


KINDS = st.tuples(
    st.sampled_from([0, 5, 10, 30, 50, 90, 100]),
    st.sampled_from([256, 1024, 4096, 12288, 22528]),
    st.integers(1, 3),
)


@given(st.lists(KINDS, min_size=1, max_size=4), st.decimals(0, 1000, places=3))
def test_every_price_is_somebodys(kinds: list[tuple[int, int, int]], amount: Any) -> None:
    """The nodes cost what the workloads do, and what is idle, less what is held twice."""
    text = "\n---\n".join(
        deployment(
            f"w{number}",
            [{"gpuxlate.io/cores": max(1, cores), "gpuxlate.io/memory-mib": mib}],
            replicas=count,
        )
        for number, (cores, mib, count) in enumerate(kinds)
    )
    ran = run(
        "plan",
        "-",
        "--to",
        "hami",
        "--node",
        "A10-24GB:2",
        "--price",
        f"A10-24GB={amount}",
        "-o",
        "json",
        stdin=text.encode(),
    )
    price = printed(ran, "plan")["targets"][0]["price"]
    nodes, idle, twice = (Fraction(price[name]["exact"]) for name in ("nodes", "idle", "twice"))
    parts = [Fraction(one["price"]["exact"]) for one in price["workloads"]]
    assert nodes == sum(parts) + idle - twice
    assert min(*parts, idle, twice) >= 0
    # a pod holds as much of a card wherever it is: cost says the same of it
    cost = printed(
        run("cost", "-", "--to", "hami", "--price", f"A10-24GB={amount}", "-o", "json", stdin=text.encode()),
        "cards-held",
    )
    assert [one["price"]["exact"] for one in cost["cards"][0]["items"]] == [
        one["price"]["exact"] for one in price["workloads"]
    ]


@given(st.integers(0, 100), st.integers(1, 40_000), st.integers(1, 8))
def test_the_formula_is_exact(cores: int, memory: int, cards: int) -> None:
    """In integers: over the common denominator of both parts."""
    held = cards_held((ContainerRequest("c", False, 0, cards, cores, memory),), 40_000)
    assert held * 100 * 40_000 == cards * max(cores * 40_000, memory * 100)
