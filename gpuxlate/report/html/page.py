"""The frame of a page, and escaped parts of it: any text that is not ``Html`` is escaped where it is put."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from gpuxlate.report.characters import visible

STYLE = """
:root{color-scheme:light dark;--ink:#1a1c1f;--dim:#5b626b;--paper:#fff;--line:#d3d8de;--room:#eef1f4;
--bad:#a4141e}
@media(prefers-color-scheme:dark){:root{--ink:#e7eaee;--dim:#a3abb5;--paper:#16181b;--line:#3a4048;
--room:#262b31;--bad:#ff8f8f}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:84rem;padding:1rem;background:var(--paper);color:var(--ink);
font:16px/1.45 system-ui,sans-serif}
h1{font-size:1.5rem;margin:.2rem 0}h2{font-size:1.2rem;margin:2rem 0 .4rem}
h3{font-size:.9rem;margin:0 0 .4rem}
p,ul{margin:.4rem 0}.dim{color:var(--dim)}.bad{color:var(--bad)}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem}
th,td{text-align:left;vertical-align:top;padding:.25rem .8rem .25rem 0;border-bottom:1px solid var(--line);
overflow-wrap:break-word}
th{white-space:nowrap}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}td.w{white-space:nowrap}
.legend{columns:21rem;column-gap:1.6rem;list-style:none;padding:0;font-size:.85rem}
.legend li{break-inside:avoid;padding:.1rem 0 .1rem 2.2rem;text-indent:-2.2rem;overflow-wrap:anywhere}
.legend .key{text-indent:0;margin-right:.4rem}
.nodes{display:grid;gap:.8rem;grid-template-columns:repeat(auto-fill,minmax(min(100%,24rem),1fr));
margin:.8rem 0}
.node{border:1px solid var(--line);border-radius:.4rem;padding:.6rem;break-inside:avoid}
.cards{display:grid;gap:.5rem .8rem;grid-template-columns:1fr 1fr}
.card{font-size:.72rem;min-width:0}
.bar{font-size:.72rem;line-height:1.05rem}
.bar{display:flex;height:1.15rem;margin:.15rem 0;background:var(--room);border:1px solid var(--line);
border-radius:.15rem;overflow:hidden}
.bar i{font-style:normal;color:#111;text-align:center;white-space:nowrap;overflow:hidden;
border-right:1px solid rgba(0,0,0,.45);min-width:1px}
.key{display:inline-block;min-width:1.7rem;padding:0 .25rem;text-align:center;color:#111;
border-radius:.15rem}
summary{cursor:pointer;margin:.4rem 0}
@media(max-width:40rem){body{padding:.7rem}table{font-size:.8rem}th,td{padding-right:.5rem}th{white-space:normal}}
@media print{:root{--ink:#000;--dim:#444;--paper:#fff;--line:#bbb;--room:#f3f3f3;--bad:#900}
html{font-size:11px}body{max-width:none;padding:0;font-size:1rem}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
details>*{display:block}details::details-content{content-visibility:visible}
.nodes{grid-template-columns:repeat(3,1fr)}.card{font-size:.62rem}.legend{font-size:.72rem}}
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def text(one: object) -> Html:
    """Any text, escaped, with control characters made visible; HTML as it is."""
    return one if isinstance(one, Html) else Html(escape(visible(str(one)), quote=True))


def tag(name: str, *parts: object, **attributes: object) -> Html:
    """An element. ``class_`` is the attribute class; attributes that are None are left out."""
    given = "".join(
        f' {key.rstrip("_")}="{text(value)}"' for key, value in attributes.items() if value is not None
    )
    return Html(f"<{name}{given}>{join(parts)}</{name}>")


def join(parts: Iterable[object]) -> Html:
    return Html("".join(map(text, parts)))


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Html:
    """A table that scrolls where it is too wide; whole numbers to the right."""
    body = join(tag("tr", *map(_cell, row)) for row in rows)
    return tag("div", tag("table", tag("tr", *(tag("th", one) for one in head)), body), class_="scroll")


SHORT = 20
"""Characters of a name that is not broken at its hyphens."""


def _cell(one: object) -> Html:
    if isinstance(one, int):
        return tag("td", one, class_="n")
    is_name = isinstance(one, str) and not isinstance(one, Html) and len(one) <= SHORT and " " not in one
    return tag("td", one, class_="w" if is_name else None)


def items(lines: Iterable[object]) -> Html:
    found = [tag("li", one) for one in lines]
    return tag("ul", *found) if found else Html("")


def page(title: str, *parts: object) -> str:
    """A whole page."""
    head = join(
        (
            Html('<meta charset="utf-8">'),
            Html('<meta name="viewport" content="width=device-width,initial-scale=1">'),
            Html(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
            tag("title", title),
            tag("style", Html(STYLE)),
        )
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>{join(parts)}</body></html>\n'
