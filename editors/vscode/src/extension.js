// Starts `fencepost lsp` and lets it answer. Everything that is known about programs is known there.
"use strict";

const { commands, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const LANGUAGES = ["fencepost", "tpl", "litmus"];

let client;

/** The command line of the server, from the settings. */
function command() {
  const settings = workspace.getConfiguration("fencepost");
  const models = settings.get("models", []).flatMap((model) => ["--model", model]);
  const args = ["lsp", "--check", settings.get("check"), "--timeout", settings.get("timeout"), ...models];
  return { command: settings.get("path"), args };
}

async function start() {
  const documentSelector = LANGUAGES.map((language) => ({ language }));
  client = new LanguageClient("fencepost", "fencepost", command(), { documentSelector });
  await client.start();
}

async function restart() {
  if (client) {
    await client.stop();
  }
  await start();
}

async function activate(context) {
  context.subscriptions.push(
    commands.registerCommand("fencepost.restart", restart),
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("fencepost")) {
        return restart();
      }
    }),
  );
  await start();
}

function deactivate() {
  return client ? client.stop() : undefined;
}

module.exports = { activate, deactivate };
