// The editor: a text area over a picture of its text, in colours, with line numbers and problems.
"use strict";

class Editor {
  #text; #picture; #gutter; #box;
  #words = new Set();
  #problems = [];
  #line = 0;
  #leaving = false;

  constructor(box, onChange) {
    this.#box = box;
    this.#text = box.querySelector("textarea");
    this.#picture = box.querySelector("pre");
    this.#gutter = box.querySelector(".gutter");
    this.#text.addEventListener("input", () => {
      // What is known of the text was about another one.
      this.#problems = [];
      this.#line = 0;
      this.draw();
      onChange();
    });
    this.#text.addEventListener("keydown", (event) => this.#key(event));
    this.#text.addEventListener("blur", () => { this.#leaving = false; });
  }

  get text() { return this.#text.value; }

  /// Words of the language, for colours.
  set words(words) {
    this.#words = new Set(words);
    this.draw();
  }

  /// Problems to underline: `{ severity, at: { from, to } }`.
  set problems(problems) {
    this.#problems = problems;
    this.draw();
  }

  /// The line of the step that is being looked at, from 1; 0 for none.
  set line(line) {
    this.#line = line;
    this.draw();
  }

  focus() { this.#text.focus({ preventScroll: true }); }

  /// Another text. Undo knows the old one.
  replace(text) {
    this.focus();
    this.#text.select();
    // The only way that keeps the history of a text area; it tells us by an event.
    const isDone = document.execCommand("insertText", false, text);
    if (!isDone || this.#text.value !== text) {
      this.#text.value = text;
      this.#text.dispatchEvent(new Event("input"));
    }
    this.#text.setSelectionRange(0, 0);
    this.#box.scrollTop = 0;
  }

  /// Selects a place.
  select(from, to) {
    this.focus();
    this.#text.setSelectionRange(from, to);
    const line = this.text.slice(0, from).split("\n").length;
    const row = this.#gutter.children[line - 1];
    if (row) this.#box.scrollTop = Math.max(0, row.offsetTop - this.#box.clientHeight / 2);
  }

  #insert(text) {
    document.execCommand("insertText", false, text);
  }

  #key(event) {
    const { selectionStart: from, selectionEnd: to, value } = this.#text;
    const start = value.lastIndexOf("\n", from - 1) + 1;
    if (event.key === "Escape") {
      this.#leaving = true;
      return;
    }
    if (event.key === "Tab" && !this.#leaving && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      if (from === to && !event.shiftKey) {
        this.#insert("  ");
        return;
      }
      const lines = value.slice(start, to);
      const moved = event.shiftKey ? lines.replace(/^ {1,2}/gm, "") : lines.replace(/^(?=.)/gm, "  ");
      if (moved === lines) return;
      this.#text.setSelectionRange(start, to);
      this.#insert(moved);
      if (from === to) {
        const at = Math.max(start, from - (lines.length - moved.length));
        this.#text.setSelectionRange(at, at);
      } else this.#text.setSelectionRange(start, start + moved.length);
      return;
    }
    if (event.key === "Enter" && !event.ctrlKey && !event.metaKey && !event.isComposing) {
      event.preventDefault();
      const before = value.slice(start, from);
      const indent = before.match(/^[ \t]*/)[0];
      this.#insert(`\n${indent}${/\{\s*$/.test(before) ? "  " : ""}`);
    }
    if (!["Shift", "Tab", "Alt", "Control", "Meta"].includes(event.key)) this.#leaving = false;
  }

  /// Pieces of the text: [class, text].
  #pieces(text) {
    const token = /(\/\/[^\n]*|\/\*[^]*?(?:\*\/|(?![^]))|\(\*[^]*?(?:\*\)|(?![^]))|^#[^\n]*)|("(?:[^"\\\n]|\\.)*")|(\b\d\w*)|(\.?\b[A-Za-z_]\w*)/gm;
    const pieces = [];
    let at = 0;
    for (const match of text.matchAll(token)) {
      const [whole, comment, string, number, word] = match;
      const kind = comment ? (/^..?:/.test(comment) ? "expectation" : "comment") : string ? "string" : number ? "number"
        : ORDERS.test(word) ? "order" : this.#words.has(word) ? "word" : word.startsWith(".") ? "access" : null;
      if (!kind) continue;
      if (match.index > at) pieces.push([null, text.slice(at, match.index)]);
      pieces.push([kind, whole]);
      at = match.index + whole.length;
    }
    pieces.push([null, text.slice(at)]);
    return pieces;
  }

  draw() {
    const { text } = this;
    const edges = this.#problems.map(({ severity, at: { from, to } }) => ({ severity, from, to: Math.max(to, from + 1) }));
    const parts = [];
    let at = 0;
    for (const [kind, piece] of this.#pieces(text)) {
      const end = at + piece.length;
      const cuts = new Set([at, end]);
      for (const { from, to } of edges) for (const cut of [from, to]) if (cut > at && cut < end) cuts.add(cut);
      const points = [...cuts].sort((a, b) => a - b);
      points.slice(1).forEach((point, index) => {
        const from = points[index];
        const problem = edges.find((edge) => edge.from < point && edge.to > from);
        const classes = [kind && `is-${kind}`, problem && `has-${problem.severity}`].filter(Boolean).join(" ");
        const part = text.slice(from, point);
        if (!classes) parts.push(part);
        else {
          const span = document.createElement("span");
          span.className = classes;
          span.textContent = part;
          parts.push(span);
        }
      });
      at = end;
    }
    // A problem at the very end needs something to be under.
    if (edges.some(({ from }) => from >= text.length)) {
      const end = document.createElement("span");
      end.className = "has-error";
      end.textContent = " ";
      parts.push(end);
    }
    this.#picture.replaceChildren(...parts, "\n");
    const count = text.split("\n").length;
    const bad = new Set(this.#problems.map(({ at: { line } }) => line));
    this.#gutter.replaceChildren(...Array.from({ length: count }, (_, index) => {
      const row = document.createElement("div");
      row.textContent = String(index + 1);
      if (bad.has(index + 1)) row.className = "has-problem";
      if (index + 1 === this.#line) row.classList.add("is-step");
      return row;
    }));
  }
}

/// Memory orders of every language.
const ORDERS = /^(rlx|rel|acq|acqrel|sc|na|memory_order_\w+)$/;
