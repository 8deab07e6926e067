// Starts gpuxlate server for YAML and JSON. See docs/editors.md.
const vscode = require("vscode");
const {LanguageClient} = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const [command, ...args] = vscode.workspace.getConfiguration("gpuxlate").get("command");
  const documentSelector = [{language: "yaml"}, {language: "json"}];
  client = new LanguageClient("gpuxlate", "gpuxlate", {command, args}, {documentSelector});
  return client.start();
};

exports.deactivate = () => client?.stop();
