// What a visitor of the playground does, and sees: steps of test_playground.py, run in its page.
function shown(before) {
  const form = document.getElementById("pg-form");
  if (!(Number(form.dataset.shown ?? 0) > before)) return null;
  const text = (id) => document.getElementById(id).textContent;
  return {
    number: Number(form.dataset.shown), status: text("pg-status"), diff: text("pg-diff"),
    result: text("pg-result"), found: text("pg-found"),
  };
}

function finding(code) {
  const found = document.getElementById("pg-found").textContent;
  return found.includes(code) ? found : null;
}

function enter(text, round) {
  document.getElementById("pg-text").value = text;
  document.getElementById("pg-round").checked = round;
  document.querySelector("#pg-form [type=submit]").click();
}

// The link of the form, or one of somebody else.
function opened(given) {
  const area = document.getElementById("pg-text");
  const hash = given ? `#share=${btoa(given).replaceAll("+", "-").replaceAll("/", "_")}` : location.hash;
  area.value = "";
  return new Promise((done) => {
    location.hash = "";
    setTimeout(() => { location.hash = hash; }, 200);
    setTimeout(() => done([area.value, document.getElementById("pg-to").value]), 600);
  });
}

// Whether a worker of the page may fetch an address.
function elsewhere(address) {
  const code = `fetch("${address}", {mode: "no-cors"})
    .then(() => postMessage("went"), () => postMessage("refused"))`;
  const blob = new Blob([code], {type: "text/javascript"});
  const worker = new Worker(URL.createObjectURL(blob), {type: "module"});
  return new Promise((done) => {
    worker.onmessage = ({data}) => done(data);
    worker.onerror = () => done("did not start");
  });
}
