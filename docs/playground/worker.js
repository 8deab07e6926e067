// Runs gpuxlate in Pyodide. It is started from a blob by playground.js, so that it keeps to the page's
// Content-Security-Policy: a worker with an address of its own would not.
export async function serve(base) {
  const { loadPyodide } = await import(`${base}pyodide.mjs`);
  const [pyodide, archive] = await Promise.all([
    loadPyodide({ indexURL: base }),
    fetch(`${base}gpuxlate.zip`).then((got) => {
      if (!got.ok) throw new Error(`gpuxlate.zip: ${got.status}`);
      return got.arrayBuffer();
    }),
  ]);
  pyodide.unpackArchive(archive, "zip", { extractDir: "/home/pyodide/gpuxlate" });
  pyodide.runPython("import sys; sys.path.insert(0, '/home/pyodide/gpuxlate')");
  const python = pyodide.pyimport("in_browser");
  self.onmessage = ({ data }) => {
    try {
      self.postMessage({ number: data.number, answer: python.answer(data.request) });
    } catch (error) {
      self.postMessage({ number: data.number, failed: String(error.message ?? error) });
    }
  };
  self.postMessage({ ready: true });
}
