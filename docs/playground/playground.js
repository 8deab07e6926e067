// The playground: a form over docs/tools/in_browser.py, which runs in a worker. No data leaves the page.
const base = new URL(".", import.meta.url).href;
const form = document.getElementById("pg-form");
const at = (name) => document.getElementById(`pg-${name}`);
const language = document.documentElement.lang === "zh" ? "zh" : "en";
const CHINESE = {
  "Example": "示例", "Translate to": "转换到", "Manifest": "清单", "Accepted changes": "接受的变化", "Round up": "向上取整",
  "Fill cores": "补全 cores", "Fill memory": "补全显存", "Drop cores": "舍弃 cores", "Drop policy": "舍弃 policy",
  "Drop qos": "舍弃 qos", "Drop memoryLimitMiB": "舍弃 memoryLimitMiB", "Drop device": "舍弃 device",
  "Drop isolation": "舍弃 isolation", "Drop selector": "舍弃 selector", "Translate and check": "转换并检查",
  "Copy a link to this": "复制此内容的链接", "The first time loads 7 MB from this site.": "首次会从本站加载 7 MB。",
  "Diff": "差异", "Result": "结果", "Findings": "问题", "Loading Python …": "正在加载 Python……",
  "Loading failed": "加载失败", "Translating …": "正在转换……", "Refused: see the findings.": "已拒绝：见下列问题。",
  "Translated.": "已转换。", "Nothing changes.": "没有变化。", "Refused: nothing is written.": "已拒绝：不写入任何内容。",
  "Verdict of each share": "各 GPU 共享规格的结论", "Findings of the translation": "转换发现的问题",
  "Findings of lint": "清单中的问题", "none": "无", "error": "错误", "warning": "警告", "info": "提示",
  "line": "行", "container": "容器", "Hint:": "建议：",
  "GPUShare documents are read on the command line and in Python, not on this page.":
    "本页不读取 GPUShare 文档，请使用命令行或 Python。",
  "The link is copied. It holds this text; nothing was sent.": "链接已复制，其中含有此文本；没有发送任何内容。",
  "The address of this page is now the link.": "本页地址即为该链接。",
};
const say = (text) => (language === "zh" && CHINESE[text]) || text;
const WAIT = 400; // ms without typing before it is translated again

const POD = `apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - name: web
    image: nginx:1.25
    resources:
      limits:`;
const EXAMPLES = {
  "volcengine-mgpu": `${POD}
        vke.volcengine.com/mgpu-core: 30
        vke.volcengine.com/mgpu-memory: 4096  # tuned by hand
`,
  "rounded": `${POD}
        vke.volcengine.com/mgpu-core: 30
        vke.volcengine.com/mgpu-memory: 4000
`,
  "alibaba-gpushare": `${POD}
        aliyun.com/gpu-core.percentage: 30
        aliyun.com/gpu-mem: 4
`,
  "tencent-qgpu": `${POD}
        tke.cloud.tencent.com/qgpu-core: "30"
        tke.cloud.tencent.com/qgpu-memory: "4"
`,
};

let started = null;
let worker = null;
let ready = false;
let asked = 0;
let timer = 0;
let wasRefused = false;
let byLink = false;

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// A service worker keeps what the page and its worker load, for a reload offline. Where there is none, as in a
// private window, nothing is kept.
async function keep() {
  const workers = navigator.serviceWorker;
  if (!workers) return;
  const controlled = workers.controller ? null : new Promise((done) => workers.addEventListener("controllerchange", done));
  await workers.register(new URL("../offline.js", base), { scope: location.pathname });
  await Promise.race([controlled, new Promise((done) => setTimeout(done, 3000))]);
  const loaded = performance.getEntriesByType("resource").map((one) => one.name);
  const ours = loaded.filter((one) => new URL(one).origin === location.origin);
  const cache = await caches.open("playground");
  // one by one: the theme asks for files that may not be there, and addAll then ends the other requests
  await Promise.allSettled([...new Set([location.pathname, ...ours])].map((one) => cache.add(one)));
}

async function start() {
  at("status").textContent = say("Loading Python …");
  started ??= keep().catch(() => {});
  await started;
  const code = `import(${JSON.stringify(`${base}worker.js`)}).then((one) => one.serve(${JSON.stringify(base)}))
    .catch((error) => self.postMessage({ broken: String(error) }));`;
  worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })), { type: "module" });
  worker.onmessage = ({ data }) => {
    if (data.broken) stopped(data.broken);
    else if (data.ready) { ready = true; ask(); }
    else if (data.number === asked) shown(data);
  };
  worker.onerror = (event) => stopped(event.message || "the worker did not start");
}

function stopped(why) {
  worker?.terminate();
  worker = null;
  ready = false;
  at("status").textContent = `${say("Loading failed")}: ${why}`;
}

// What the form holds.
function asks() {
  const fill = {};
  for (const field of ["cores", "memoryMiB"]) {
    const box = at(`fill-${field}`);
    if (box.value) fill[field] = box.valueAsNumber;
  }
  const drop = [...form.querySelectorAll("[name=drop]:checked")].map((box) => box.value);
  return { text: at("text").value, to: at("to").value, round: at("round").checked, fill, drop };
}

// A link holds the form in its fragment, which browsers do not send. Whatever it says is only text here.
function link() {
  const bytes = new TextEncoder().encode(JSON.stringify(asks()));
  const coded = btoa(Array.from(bytes, (one) => String.fromCharCode(one)).join(""));
  history.replaceState(null, "", `#share=${coded.replaceAll("+", "-").replaceAll("/", "_")}`);
  const told = (text) => { at("status").textContent = say(text); };
  navigator.clipboard?.writeText(location.href).then(
    () => told("The link is copied. It holds this text; nothing was sent."),
    () => told("The address of this page is now the link."),
  ) ?? told("The address of this page is now the link.");
}

function opened() {
  const coded = /^#share=([\w=-]+)$/.exec(location.hash)?.[1];
  if (!coded) return false;
  try {
    const bytes = Uint8Array.from(atob(coded.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
    const given = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof given?.text !== "string") return false;
    at("text").value = given.text;
    if ([...at("to").options].some((one) => one.value === given.to)) at("to").value = given.to;
    at("round").checked = given.round === true;
    for (const field of ["cores", "memoryMiB"]) {
      const amount = given.fill?.[field];
      at(`fill-${field}`).value = Number.isSafeInteger(amount) && amount > 0 ? amount : "";
    }
    const drop = Array.isArray(given.drop) ? given.drop : [];
    for (const box of form.querySelectorAll("[name=drop]")) box.checked = drop.includes(box.value);
    byLink = true;
    return true;
  } catch { return false; }
}

function ask() {
  clearTimeout(timer);
  if (!worker) return void start();
  if (!ready) return;
  const request = { ...asks(), lang: language };
  asked += 1;
  at("status").textContent = say("Translating …");
  worker.postMessage({ number: asked, request: JSON.stringify(request) });
}

function shown({ answer, failed }) {
  const said = failed ? { problem: failed, diff: [], verdicts: [], translation: [], lint: [] } : JSON.parse(answer);
  const refused = said.text === null || said.text === undefined;
  const errors = [...said.translation, ...said.lint].filter((one) => one.severity === "error").length;
  let summary = said.problem;
  if (!summary && refused) summary = "Refused: see the findings.";
  else if (!summary) summary = said.diff.length ? "Translated." : "Nothing changes.";
  at("status").textContent = say(summary);
  const nothing = say(refused ? "Refused: nothing is written." : "Nothing changes.");
  at("diff").querySelector("pre").replaceChildren(...(said.diff.length ? said.diff : [nothing]).map((line) => {
    const kind = /^(---|\+\+\+|@@)/.test(line) ? "at" : { "+": "new", "-": "old" }[line[0]] ?? "same";
    return element("span", `${line}\n`, { class: `pg-${kind}` });
  }));
  at("result").querySelector("pre").textContent = refused ? nothing : said.text;
  at("found").replaceChildren(
    ...listed(say("Verdict of each share"), said.verdicts.map(verdict)),
    ...listed(say("Findings of the translation"), said.translation.map(finding)),
    ...listed(say("Findings of lint"), said.lint.map(finding)),
  );
  const count = said.translation.length + said.lint.length;
  at("tab-found").textContent = `${say("Findings")} (${count})`;
  // what explains a refusal is what to read first; of a translation it is the changed lines
  if (refused !== wasRefused) select(at(refused ? "tab-found" : "tab-diff"));
  wasRefused = refused;
  at("tab-found").classList.toggle("pg-error", errors > 0);
  if (byLink) form.querySelector("[role=tablist]").scrollIntoView();
  byLink = false;
  form.dataset.shown = asked;
}

function listed(title, items) {
  if (!items.length) items = [element("li", say("none"))];
  const list = element("ul");
  list.append(...items);
  return [element("h4", title), list];
}

function verdict(one) {
  return element("li", `${one.object}, ${say("container")} ${one.container}: ${one.verdict}`);
}

function finding(one) {
  const item = element("li", "", { class: `pg-${one.severity}` });
  if (one.line) {
    const place = element("button", `${say("line")} ${one.line}:${one.column}`, { type: "button", class: "pg-place" });
    place.addEventListener("click", () => goTo(one.line, one.column));
    item.append(place, " ");
  }
  item.append(element("strong", say(one.severity)), " ");
  item.append(element("a", one.code, { href: new URL(`../rules/${one.code}/`, base).href, target: "_blank" }));
  item.append(` ${one.message}`);
  if (one.hint) item.append(element("em", ` ${say("Hint:")} ${one.hint}`));
  return item;
}

function goTo(line, column) {
  const area = at("text");
  const lines = area.value.split("\n");
  const place = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
  area.focus();
  area.setSelectionRange(place, place + lines[line - 1].length - column + 1);
  area.scrollTop = (area.scrollHeight / lines.length) * Math.max(0, line - 4);
}

function select(tab) {
  for (const one of form.querySelectorAll("[role=tab]")) {
    const chosen = one === tab;
    one.setAttribute("aria-selected", chosen);
    one.tabIndex = chosen ? 0 : -1;
    document.getElementById(one.getAttribute("aria-controls")).hidden = !chosen;
  }
}

const tabs = [...form.querySelectorAll("[role=tab]")];
tabs.forEach((tab, place) => {
  tab.addEventListener("click", () => select(tab));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(place + step + tabs.length) % tabs.length];
    select(next);
    next.focus();
  });
});
const example = () => { at("text").value = EXAMPLES[at("example").value]; };
at("example").addEventListener("change", () => { example(); if (ready) ask(); });
form.addEventListener("submit", (event) => { event.preventDefault(); ask(); });
form.addEventListener("input", (event) => {
  if (!ready || event.target === at("example")) return;
  clearTimeout(timer);
  timer = setTimeout(ask, WAIT);
});
form.addEventListener("keydown", (event) => event.stopPropagation()); // the theme's keys are not for typing
example();
at("to").value = "tencent-qgpu";
at("link").addEventListener("click", link);
addEventListener("hashchange", () => { if (opened()) ask(); });
for (const walk = document.createTreeWalker(form, NodeFilter.SHOW_TEXT); walk.nextNode();) {
  const text = walk.currentNode.data.trim();
  if (CHINESE[text]) walk.currentNode.data = walk.currentNode.data.replace(text, say(text));
}
form.hidden = false;
if (opened()) ask(); // whoever follows a link wants to see what was found
