// Starts gpuxlate server for YAML and JSON. See docs/editors.md.
const vscode = require("vscode");
const {LanguageClient} = require("vscode-languageclient/node");

let client;

// The reason of a decision, and the number of one that fills a field, are the user's; Escape leaves all as it is.
const decided = async (entry) => {
  const asked = `${entry.object} ${entry.field} for ${entry.to}`;
  if (entry.verdict === "filled") {
    const unit = entry.field === "cores" ? "percent" : "MiB";
    const validateInput = (text) => (/^[1-9][0-9]*$/.test(text) ? null : "a whole number above zero");
    const number = await vscode.window.showInputBox({prompt: `${asked}: ${unit} on each card`, validateInput});
    if (number === undefined) return;
    entry = {...entry, given: Number(number)};
  }
  const reason = await vscode.window.showInputBox({prompt: `${asked}: why is it accepted?`});
  return reason === undefined ? undefined : {...entry, reason};
};

// A message with a button for each target would not fit: the target is picked from a list.
const executeCommand = async (command, args, next) => {
  if (command === "gpuxlate.accept") {
    const entry = await decided(args[2]);
    return entry && next(command, [args[0], args[1], entry]);
  }
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
