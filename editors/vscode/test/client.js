// Tries the client where there is no VS Code: its interface is played, with the settings of
// package.json, and so is the library that the client talks with. What it starts is started, and
// has to answer.
//
//     node test/client.js COMMAND        COMMAND: where `fencepost` is
"use strict";

const assert = require("node:assert");
const { spawn } = require("node:child_process");
const { once } = require("node:events");
const Module = require("node:module");

const manifest = require("../package.json");
const properties = manifest.contributes.configuration.properties;
const settings = { "fencepost.path": "/no/such/command" };
const errors = [];
const commands = new Map();
const listeners = [];
const clients = [];

const vscode = {
  commands: {
    registerCommand(name, run) {
      commands.set(name, run);
      return { dispose() {} };
    },
  },
  window: {
    async showErrorMessage(message) {
      errors.push(message);
    },
  },
  workspace: {
    getConfiguration: (section) => ({
      get(name) {
        const key = `${section}.${name}`;
        assert.ok(key in properties, `${key} is no setting`);
        return key in settings ? settings[key] : properties[key].default;
      },
    }),
    onDidChangeConfiguration(listener) {
      listeners.push(listener);
      return { dispose() {} };
    },
  },
};

/// As much of the library's client as ours uses: a server, and messages to it and from it.
class LanguageClient {
  constructor(id, name, server, options) {
    Object.assign(this, { id, name, server, options, answers: new Map(), waiting: [], last: 0, rest: Buffer.alloc(0) });
    clients.push(this);
  }

  async start() {
    this.process = spawn(this.server.command, this.server.args, { stdio: ["pipe", "pipe", "inherit"] });
    await once(this.process, "spawn");
    this.ended = new Promise((resolve) => this.process.on("close", resolve));
    this.process.stdout.on("data", (bytes) => this.read(bytes));
    await this.request("initialize", { processId: null, rootUri: null, capabilities: {} });
    this.notify("initialized", {});
    this.running = true;
  }

  isRunning() {
    return this.running === true;
  }

  async stop() {
    assert.ok(this.running);
    this.running = false;
    await this.request("shutdown");
    this.notify("exit");
    assert.strictEqual(await this.ended, 0);
  }

  read(bytes) {
    this.rest = Buffer.concat([this.rest, bytes]);
    for (;;) {
      const head = this.rest.indexOf("\r\n\r\n");
      const length = /Content-Length: (\d+)/.exec(this.rest.subarray(0, Math.max(head, 0)));
      const end = head + 4 + Number(length && length[1]);
      if (!length || this.rest.length < end) return;
      const message = JSON.parse(this.rest.subarray(head + 4, end));
      this.rest = this.rest.subarray(end);
      if (this.answers.has(message.id) && !message.method) {
        this.answers.get(message.id)(message);
      } else {
        this.waiting.filter((one) => one.method === message.method).forEach((one) => one.resolve(message.params));
      }
    }
  }

  send(message) {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.process.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  notify(method, params) {
    this.send({ method, params });
  }

  request(method, params) {
    const id = ++this.last;
    this.send({ id, method, params });
    return new Promise((resolve) => this.answers.set(id, resolve));
  }

  told(method) {
    return new Promise((resolve) => this.waiting.push({ method, resolve }));
  }
}

const load = Module._load;
Module._load = (request, ...rest) => {
  if (request === "vscode") return vscode;
  if (request === "vscode-languageclient/node") return { LanguageClient };
  return load(request, ...rest);
};

async function main() {
  const extension = require(`../${manifest.main}`);
  const context = { subscriptions: [] };
  const changed = (section) => Promise.all(listeners.map((listener) => listener({ affectsConfiguration: (it) => it === section })));
  const running = () => clients.filter((client) => client.isRunning()).length;

  // What cannot be started is told, and can be mended in the settings.
  await extension.activate(context);
  while (errors.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.match(errors[0], /`\/no\/such\/command` cannot be started.*settings/s);
  settings["fencepost.path"] = process.argv[2];
  await changed("fencepost");
  assert.strictEqual(running(), 1);
  clients.shift();
  assert.ok(context.subscriptions.length > 0);
  const languages = manifest.contributes.languages.map((language) => language.id).sort();
  assert.deepStrictEqual(clients[0].options.documentSelector.map((filter) => filter.language).sort(), languages);
  assert.deepStrictEqual(manifest.activationEvents.map((event) => event.replace("onLanguage:", "")).sort(), languages);

  // A mistake is told.
  const diagnostics = clients[0].told("textDocument/publishDiagnostics");
  const textDocument = { uri: "file:///bad.fp", languageId: "fencepost", version: 1, text: "thread t { x.store(1); }\n" };
  clients[0].notify("textDocument/didOpen", { textDocument });
  assert.match((await diagnostics).diagnostics[0].message, /there is no location `x`/);

  // Each command of the list is there, and the server can be started again.
  assert.deepStrictEqual([...commands.keys()], manifest.contributes.commands.map((command) => command.command));
  await commands.get("fencepost.restart")();
  assert.strictEqual(clients.length, 2);
  assert.strictEqual(await clients[0].ended, 0);

  // It is started with the settings, and anew when they change.
  Object.assign(settings, { "fencepost.models": ["ra", "tso"], "fencepost.check": "save", "fencepost.timeout": "5s" });
  await changed("editor");
  assert.strictEqual(clients.length, 2);
  await changed("fencepost");
  assert.strictEqual(clients.length, 3);
  const args = ["lsp", "--check", "save", "--timeout", "5s", "--model", "ra", "--model", "tso"];
  assert.deepStrictEqual(clients[2].server.args, args);
  // Every value that the settings offer is one for the server.
  for (const check of properties["fencepost.check"].enum) {
    Object.assign(settings, { "fencepost.models": properties["fencepost.models"].items.enum, "fencepost.check": check });
    await changed("fencepost");
  }
  assert.strictEqual(running(), 1);
  assert.strictEqual(errors.length, 1);
  await extension.deactivate();
  assert.strictEqual(running(), 0);
  assert.strictEqual(await clients[clients.length - 1].ended, 0);
  console.log(`${clients.length} clients: all is well`);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
