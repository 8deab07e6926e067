// The extension of contrib/vscode, with VS Code's modules in stand-ins that record what they are given.
const Module = require("module"), load = Module._load, seen = [], failing = process.env.FAILING;
class LanguageClient {
  constructor(...given) { seen.push(given); }
  async start() { seen.push("start"); if (failing) throw new Error("ENOENT"); }
  stop() { seen.push("stop"); }
}
const {default: command} = require("./package.json").contributes.configuration.properties["gpuxlate.command"];
const stands = {
  vscode: {
    workspace: {getConfiguration: () => ({get: () => command})},
    window: {
      showQuickPick: async (names) => (await names)[1],
      showErrorMessage: (message) => seen.push(message),
    },
  },
  "vscode-languageclient/node": {LanguageClient},
};
Module._load = (name, ...rest) => stands[name] ?? load(name, ...rest);
const extension = require("./extension.js");
extension.activate().then(async () => {
  const {executeCommand} = seen[0][3].middleware;
  const next = async (name, args) => name === "gpuxlate.targets" ? ["vke", "tke"] : [name, ...args];
  seen.push(await executeCommand("gpuxlate.translate", ["file:///a.yaml"], next));
  seen.push(await executeCommand("gpuxlate.translate", ["file:///a.yaml", "hami"], next));
  extension.deactivate();
  console.log(JSON.stringify(seen));
});
