// Starts gpuxlate server for YAML and JSON. See docs/editors.md.
const vscode = require("vscode");
const {LanguageClient} = require("vscode-languageclient/node");

let client;

// A message with a button for each target would not fit: the target is picked from a list.
const executeCommand = async (command, args, next) => {
  if (command !== "gpuxlate.translate" || args.length > 1) return next(command, args);
  const target = await vscode.window.showQuickPick(next("gpuxlate.targets", []), {placeHolder: "Translate to"});
  return target && next(command, [...args, target]);
};

exports.activate = async () => {
  const [command, ...args] = vscode.workspace.getConfiguration("gpuxlate").get("command");
  client = new LanguageClient("gpuxlate", "gpuxlate", {command, args}, {
    documentSelector: [{language: "yaml"}, {language: "json"}],
    synchronize: {configurationSection: "gpuxlate"},
    middleware: {executeCommand},
  });
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(
      `${command} does not start (${error.message}). Install gpuxlate with the extra editor, ` +
        "or set gpuxlate.command to where it is."
    );
  }
};

exports.deactivate = () => client?.stop();
