// The checker in workers: one at a time is asked, and can be stopped.
//
//   const engine = new Engine();
//   const answer = await engine.ask({ ask: "check", … }, (states, bytes) => …);
//   engine.stop();   // what was asked ends with Engine.STOPPED
//
// The module is compiled once and handed to each worker. To stop a search is to end its worker;
// the next question starts another.
"use strict";

/// What a worker does; its text is its program, so a page from disk can start one.
function fencepostWorker() {
  let instance = null;
  let last = 0;
  let asked = 0;
  const host = {
    now: () => performance.now(),
    progress: (states, bytes) => {
      const now = performance.now();
      if (now - last < 100) return;
      last = now;
      postMessage({ id: asked, states, bytes });
    },
  };
  const read = () => {
    const { memory, answer, length } = instance.exports;
    return new TextDecoder().decode(new Uint8Array(memory.buffer, answer(), length()));
  };
  onmessage = ({ data: { id, module, request } }) => {
    asked = id;
    if (module) instance = new WebAssembly.Instance(module, { host });
    const bytes = new TextEncoder().encode(request);
    const start = performance.now();
    try {
      const room = instance.exports.room(bytes.length);
      new Uint8Array(instance.exports.memory.buffer, room, bytes.length).set(bytes);
      instance.exports.ask();
      postMessage({ id, answer: read(), took: performance.now() - start });
    } catch (error) {
      // A panic leaves its message. Where memory has run out, nothing is left.
      let left = "";
      try { left = read(); } catch { /* Not even that. */ }
      postMessage({ id, died: left || `the checker ran out of memory, or of stack (${error})` });
    }
  };
}

class Engine {
  static STOPPED = Symbol("stopped");
  static #module = null;
  static #program = null;
  #worker = null;
  #pending = null;
  #count = 0;
  /// Questions wait for their turn.
  #turn = Promise.resolve();
  /// How often it was stopped: what was asked before is not begun any more.
  #stops = 0;

  /// The checker, compiled once.
  static module() {
    Engine.#module ||= WebAssembly.compile(Engine.#bytes());
    return Engine.#module;
  }

  static #bytes() {
    const text = atob(globalThis.fencepostChecker);
    globalThis.fencepostChecker = null;
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
    return bytes;
  }

  static #spawn() {
    Engine.#program ||= URL.createObjectURL(new Blob([`"use strict";(${fencepostWorker})();`], { type: "text/javascript" }));
    return new Worker(Engine.#program);
  }

  /// The answer; what the checker could not survive throws an Error.
  ask(request, onProgress) {
    const stops = this.#stops;
    const result = this.#turn.then(() => this.#ask(request, onProgress, stops));
    this.#turn = result.catch(() => {});
    return result;
  }

  async #ask(request, onProgress, stops) {
    const module = await Engine.module();
    if (stops !== this.#stops) throw Engine.STOPPED;
    const isFresh = !this.#worker;
    this.#worker ||= Engine.#spawn();
    const worker = this.#worker;
    const id = (this.#count += 1);
    return new Promise((resolve, reject) => {
      this.#pending = reject;
      worker.onmessage = ({ data }) => {
        if (data.id !== id) return;
        if (data.answer === undefined && data.died === undefined) {
          if (onProgress) onProgress(data.states, data.bytes);
          return;
        }
        this.#pending = null;
        if (data.died === undefined) resolve({ ...JSON.parse(data.answer), took: data.took });
        else {
          this.#end();
          reject(new Error(data.died));
        }
      };
      worker.onerror = (event) => {
        event.preventDefault();
        this.#pending = null;
        this.#end();
        reject(new Error(event.message));
      };
      worker.postMessage({ id, module: isFresh ? module : null, request: JSON.stringify(request) });
    });
  }

  #end() {
    this.#worker.terminate();
    this.#worker = null;
  }

  /// Ends what is being asked, and what waits.
  stop() {
    this.#stops += 1;
    const reject = this.#pending;
    if (!reject) return;
    this.#pending = null;
    this.#end();
    reject(Engine.STOPPED);
  }
}
