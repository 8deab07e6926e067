// The playground: a form over docs/tools/in_browser.py, which runs in a worker. No data leaves the page.
const base = new URL(".", import.meta.url).href;
const form = document.getElementById("pg-form");
const at = (name) => document.getElementById(`pg-${name}`);
const WAIT = 400; // ms without typing before it is translated again

const HEAD = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web}`;
const POD = `
    spec:
      containers:
      - name: web
        image: nginx:1.25
        resources:
          limits:`;
const EXAMPLES = {
  "volcengine-mgpu": `${HEAD}
      annotations:
        vke.volcengine.com/mgpu-compute-policy: fixed-share${POD}
            vke.volcengine.com/mgpu-core: 30
            vke.volcengine.com/mgpu-memory: 4000  # tuned by hand
`,
  "alibaba-gpushare": `${HEAD}${POD}
            aliyun.com/gpu-mem: 4
`,
  "tencent-qgpu": `${HEAD}${POD}
            tke.cloud.tencent.com/qgpu-core: "30"
            tke.cloud.tencent.com/qgpu-memory: "4"
`,
};

let worker = null;
let ready = false;
let asked = 0;
let timer = 0;

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function start() {
  at("status").textContent = "Loading Python …";
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
  at("status").textContent = `Loading failed: ${why}`;
}

function ask() {
  clearTimeout(timer);
  if (!worker) return start();
  if (!ready) return;
  const fill = {};
  for (const field of ["cores", "memoryMiB"]) {
    const box = at(`fill-${field}`);
    if (box.value) fill[field] = box.valueAsNumber;
  }
  const drop = [...form.querySelectorAll("[name=drop]:checked")].map((box) => box.value);
  const request = { text: at("text").value, to: at("to").value, round: at("round").checked, fill, drop };
  asked += 1;
  at("status").textContent = "Translating …";
  worker.postMessage({ number: asked, request: JSON.stringify(request) });
}

function shown({ answer, failed }) {
  const said = failed ? { problem: failed, diff: [], verdicts: [], translation: [], lint: [] } : JSON.parse(answer);
  const refused = said.text === null || said.text === undefined;
  const errors = [...said.translation, ...said.lint].filter((one) => one.severity === "error").length;
  let summary = said.problem;
  if (!summary && refused) summary = "Refused: see the findings.";
  else if (!summary) summary = said.diff.length ? "Translated." : "Nothing changes.";
  at("status").textContent = summary;
  const nothing = refused ? "Refused: nothing is written." : "Nothing changes.";
  at("diff").querySelector("pre").replaceChildren(...(said.diff.length ? said.diff : [nothing]).map((line) => {
    const kind = /^(---|\+\+\+|@@)/.test(line) ? "at" : { "+": "new", "-": "old" }[line[0]] ?? "same";
    return element("span", `${line}\n`, { class: `pg-${kind}` });
  }));
  at("result").querySelector("pre").textContent = refused ? nothing : said.text;
  at("found").replaceChildren(
    ...listed("Verdict of each share", said.verdicts.map((one) => element("li", one))),
    ...listed("Findings of the translation", said.translation.map(finding)),
    ...listed("Findings of lint", said.lint.map(finding)),
  );
  const count = said.translation.length + said.lint.length;
  at("tab-found").textContent = `Findings (${count})`;
  at("tab-found").classList.toggle("pg-error", errors > 0);
  form.dataset.shown = asked;
}

function listed(title, items) {
  if (!items.length) items = [element("li", "none")];
  const list = element("ul");
  list.append(...items);
  return [element("h4", title), list];
}

function finding(one) {
  const item = element("li", "", { class: `pg-${one.severity}` });
  if (one.line) {
    const place = element("button", `line ${one.line}:${one.column}`, { type: "button", class: "pg-place" });
    place.addEventListener("click", () => goTo(one.line, one.column));
    item.append(place, " ");
  }
  item.append(element("strong", one.severity), " ");
  item.append(element("a", one.code, { href: new URL(`../rules/${one.code}/`, base).href, target: "_blank" }));
  item.append(` ${one.message}`);
  if (one.hint) item.append(element("em", ` Hint: ${one.hint}`));
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
form.hidden = false;
