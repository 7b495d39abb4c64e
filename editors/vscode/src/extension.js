// Starts `fencepost lsp` and lets it answer. Everything that is known about programs is known there.
"use strict";

const { commands, window, workspace } = require("vscode");
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
  const server = command();
  client = new LanguageClient("fencepost", "fencepost", server, { documentSelector });
  try {
    await client.start();
  } catch (error) {
    // An editor that was not started in a terminal often has a shorter path.
    const message = `\`${server.command}\` cannot be started: ${error.message} Is fencepost installed? Say in the settings where it is.`;
    const choice = await window.showErrorMessage(message, "Settings");
    if (choice) {
      await commands.executeCommand("workbench.action.openSettings", "fencepost.path");
    }
  }
}

async function stop() {
  if (client && client.isRunning()) {
    await client.stop();
  }
}

async function restart() {
  await stop();
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
  // Nobody waits for the answer to what it may have to ask.
  start();
}

module.exports = { activate, deactivate: stop };
