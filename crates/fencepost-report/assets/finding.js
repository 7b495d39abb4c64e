// One finding, to be looked at: the source with its accesses, the run step by step, the execution
// as a graph, the repair.
//
//   const view = fencepostFinding.render(element, finding, source, options);
//
// fills `element` and needs nothing else but finding.css. A plain script: it defines one global.
//
// `finding` is what `fencepost_report::html::view` makes of a finding. Fields that are also in
// `--format json` have the same names and mean the same. All but those marked `!` may be missing.
//
//   title! message!   what is wrong: in a few words, in a sentence
//   category!         "race", "failure", "condition", "not-robust", "passed-on", "harmless", "met"
//   kind! model! evidence!, also [model]: the same is found under these, too
//   file, notes [text], shape, location, consequences [text], expected (line)
//   accesses [{ mark, thread, file, line, column, end_line, end_column, text!, what, remark, stack [text] }]
//                     mark 1: the access that goes wrong; 2: the one that it should come after;
//                     none: what else leads there
//   runs [{ tab!, title!, is_sc!, is_partial, threads! [name], initially { location: value },
//           steps! [step] }]; is_partial: only what leads there is known, not all that happened
//   step { thread! (number in threads), file, line, place, text!, effect, remark, stands_out,
//          action { op!, location, read, written }: op is "read", "write", "update", "fence" …,
//          reads_from (step, from 1; 0: as initially), overtaken_by (step),
//          buffer "delayed" | "memory", mark (as above), node (in the graph) }
//   graph { title!, box! [x, y, width, height], threads! [{x, y, name}],
//           nodes! [{kind, x, y, width, height, text, remark, step}],
//           edges! [{relation, bold, both, path, label, x, y}], legend! [[relation, text]], notes! [text] }
//   cycle [{ effect!, place!, relation! }]
//   fix { description!, first!, end!, text! }: lines first to end - 1 of the file become text
//   advice { edits [{ place, file, line, change }], reevaluated }
//   reproduce { command!, exact! }
//   threads [text]    where threads were created
//
// `source` is the text of the program; or, of several files, an object with the text of each by its
// name. Where only parts of a file are known, that text is an array of [first line, text]. It may be
// null.
//
// `options.heading` (default true): show title, category and model on top.
//
// What comes back: `view.step(n)` goes to a step of the run that is shown, `view.run(i)` shows
// another run. Whenever the step changes, `element` gets an event "fencepost-step" with
// `detail: { run, step, file, line }`.
//
// `fencepostFinding.prose(text)`: what to append for a text in which names in backquotes are code.
//
// Text never becomes markup here: there are only text nodes.
const fencepostFinding = (() => {
  "use strict";

  const CATEGORIES = {
    "race": "Data race",
    "failure": "Failure",
    "condition": "Condition",
    "not-robust": "Not robust",
    "passed-on": "Passed on",
    "harmless": "Harmless",
    "met": "Met",
  };
  /// With more threads, a column for each would leave no room.
  const MANY_THREADS = 6;
  /// Lines around a line of interest.
  const CONTEXT = 2;
  const SVG = "http://www.w3.org/2000/svg";
  let instances = 0;

  function build(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (typeof value === "function") element.addEventListener(name, value);
      else if (value === true) element.setAttribute(name, "");
      else if (value !== false && value != null) element.setAttribute(name, value);
    }
    element.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
    return element;
  }
  const el = (tag, attributes, ...children) => build(document.createElement(tag), attributes, children);
  const svg = (tag, attributes, ...children) => build(document.createElementNS(SVG, tag), attributes, children);

  const section = (name, title, ...children) =>
    el("section", { class: `fp-part fp-${name}`, "aria-label": title }, el("h4", {}, title), ...children);

  /// Names in backquotes are code.
  const prose = (text) => text.split("`").map((part, index, parts) =>
    (index % 2 === 1 && index < parts.length - 1 ? el("code", {}, part) : index % 2 === 1 ? `\`${part}` : part));

  /// A symbol that no font needs to have: a bar, triangles.
  const icon = (path) => svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true", class: "fp-icon" }, svg("path", { d: path }));

  /// `sb.fp:4`
  const place = (at) => at.place || [at.file, at.line].filter((part) => part != null).join(":");

  function head(finding) {
    const models = [finding.model, ...(finding.also || [])].join(", ");
    return el("header", { class: "fp-head" },
      el("span", { class: `fp-badge fp-${finding.category}` }, CATEGORIES[finding.category] || finding.category),
      el("h3", {}, finding.title),
      el("p", { class: "fp-meta" }, [finding.file, `under ${models}`].filter(Boolean).join(" · ")));
  }

  /// Sentences that end as sentences do.
  function said(finding) {
    const sentence = (text) => {
      const begun = text.charAt(0).toUpperCase() + text.slice(1);
      return /[.!?:]$/.test(begun) ? begun : `${begun}.`;
    };
    const texts = [finding.message, ...(finding.notes || [])];
    return el("div", { class: "fp-message" },
      texts.filter(Boolean).map((text) => el("p", {}, prose(sentence(text)))),
      finding.expected ? el("p", { class: "fp-muted" }, `The file expects it, in line ${finding.expected}.`) : null);
  }

  // ---- Source ----

  /// What is known of a file: [number, text] of each line.
  function linesOf(source, file) {
    const text = typeof source === "string" ? source : source ? source[file] : null;
    if (text == null) return [];
    const parts = typeof text === "string" ? [[1, text]] : text;
    return parts.flatMap(([first, part]) => {
      // Characters that reorder others would show a program that is not there.
      const lines = part.replace(/[\u202a-\u202e\u2066-\u2069]/g, "\ufffd").split("\n");
      if (lines.length > 1 && lines[lines.length - 1] === "") lines.pop();
      return lines.map((line, index) => [first + index, line.replace(/\r$/, "")]);
    });
  }

  /// A line with what accesses do in it marked. Columns count characters, not code units.
  function marked(text, number, accesses) {
    const characters = Array.from(text);
    const spans = accesses
      .filter((access) => access.column)
      .map((access) => ({
        start: access.column - 1,
        end: access.end_line === number && access.end_column > access.column ? access.end_column - 1 : characters.length,
        mark: access.mark,
      }))
      .sort((a, b) => a.start - b.start);
    const pieces = [];
    let at = 0;
    for (const { start, end, mark } of spans) {
      if (start < at || start >= characters.length) continue;
      pieces.push(characters.slice(at, start).join(""));
      pieces.push(el("mark", { class: `fp-mark-${mark || 0}` }, characters.slice(start, end).join("")));
      at = Math.min(end, characters.length);
    }
    pieces.push(characters.slice(at).join(""));
    return pieces;
  }

  /// One remark for all that say the same of a line.
  function remarks(accesses) {
    const texts = new Map();
    for (const access of accesses) {
      const text = access.remark || [access.thread, access.what].filter(Boolean).join(": ");
      const key = `${access.mark || 0} ${text}`;
      if (text && !texts.has(key)) texts.set(key, [access, text]);
    }
    return [...texts.values()].map(([access, text]) =>
      el("span", { class: `fp-remark fp-remark-${access.mark || 0}` },
        access.mark ? el("b", {}, access.mark === 1 ? "① " : "② ") : null, prose(text)));
  }

  function code(lines, accesses, label) {
    const rows = [];
    let last = null;
    for (const [number, text] of lines) {
      if (last != null && number > last + 1) rows.push(el("tr", { class: "fp-gap" }, el("td"), el("td", {}, "⋯")));
      last = number;
      const here = accesses.filter((access) => access.line === number);
      const mark = here.length ? Math.min(...here.map((access) => access.mark || 3)) : 0;
      rows.push(el("tr", { "data-line": number, class: mark ? `fp-line-${mark}` : null },
        el("th", { scope: "row" }, String(number)),
        el("td", {}, el("code", {}, marked(text, number, here)),
          here.length ? el("div", { class: "fp-remarks" }, remarks(here)) : null)));
    }
    return el("div", { class: "fp-code", tabindex: "0", role: "region", "aria-label": label },
      el("table", { role: "presentation" }, el("tbody", {}, rows)));
  }

  function sources(finding, source) {
    const accesses = (finding.accesses || []).map((access) => ({ ...access, file: access.file || finding.file || "" }));
    const files = [...new Set(accesses.filter((access) => access.line).map((access) => access.file))];
    const shown = files.map((file) => {
      const here = accesses.filter((access) => access.file === file && access.line);
      const lines = linesOf(source, file);
      const near = lines.filter(([number]) => here.some((access) => Math.abs(access.line - number) <= CONTEXT));
      const whole = el("details", { class: "fp-whole", toggle: () => {
        if (!whole.open || whole.childElementCount > 1) return;
        const all = code(lines, here, `${file}, all of it`);
        all.classList.add("fp-scroll");
        whole.append(all);
        const first = all.querySelector("tr.fp-line-1, tr.fp-line-2, tr.fp-line-3");
        if (first) all.scrollTop = first.offsetTop - all.clientHeight / 3;
      } }, el("summary", {}, "The whole file"));
      const unseen = here.filter((access) => !lines.some(([number]) => number === access.line));
      return [
        el("p", { class: "fp-file" }, file),
        near.length ? code(near, here, `${file}, the lines in question`) : null,
        unseen.map((access) => el("p", { class: "fp-muted" }, `Line ${access.line}: `, el("code", {}, access.text))),
        lines.length > near.length && typeof (source || {})[file] !== "object" ? whole : null,
      ];
    });
    const nowhere = accesses.filter((access) => !access.line).map((access) =>
      el("li", {}, access.mark ? (access.mark === 1 ? "① " : "② ") : "", access.text, access.place ? ` at ${access.place}` : ""));
    const stacks = accesses.filter((access) => (access.stack || []).length > 1);
    const calls = stacks.length === 0 ? null : el("details", {}, el("summary", {}, "Calls that lead there"),
      stacks.map((access) => [
        el("p", {}, access.mark ? (access.mark === 1 ? "① " : "② ") : "", access.text),
        el("ol", { class: "fp-stack" }, access.stack.map((frame) => el("li", {}, el("code", {}, frame)))),
      ]));
    return shown.length + nowhere.length === 0 ? null
      : section("source", "Where", shown, nowhere.length ? el("ul", {}, nowhere) : null, calls);
  }

  // ---- Timeline ----

  /// What memory holds after `count` steps, what is still in store buffers, and where the value of
  /// each read comes from.
  function simulate(run, count) {
    const memory = new Map(Object.entries(run.initially || {}).map(([name, value]) => [name, { value, by: 0, old: [] }]));
    const buffers = run.threads.map(() => []);
    const origins = [];
    run.steps.slice(0, count).forEach((step, index) => {
      const number = index + 1;
      const { op, location, written } = step.action || {};
      const own = buffers[step.thread].filter((store) => store.location === location).pop();
      const cell = memory.get(location);
      const source = own ? own.number : cell ? cell.by : undefined;
      const isKnown = !run.is_partial && (op === "read" || op === "update");
      origins.push(step.reads_from != null ? step.reads_from : isKnown ? source : undefined);
      if (written === undefined || location === undefined) return;
      const store = { location, written, number };
      if (step.buffer === "delayed") {
        buffers[step.thread].push(store);
        return;
      }
      let by = number;
      if (step.buffer === "memory") {
        const waiting = buffers[step.thread].findIndex((other) => other.location === location);
        if (waiting >= 0) by = buffers[step.thread].splice(waiting, 1)[0].number;
      }
      // What is ordered before an earlier step never is the newest value.
      if (step.overtaken_by && op !== "read") return;
      const old = cell ? [...cell.old, cell.value].slice(-3) : [];
      memory.set(location, { value: written, by, old });
    });
    return { memory, buffers, origins };
  }

  /// Is it a read of what is overwritten?
  const isStale = (step) => step.overtaken_by > 0 && step.action != null && step.action.read !== undefined;

  /// What a step does, in words.
  function story(run, number, origin) {
    const step = run.steps[number - 1];
    const { op, location, read, written } = step.action || {};
    const name = el("b", {}, run.threads[step.thread]);
    const by = (other) => (other === 0 ? "the initial value" : `written by step ${other} (${run.threads[run.steps[other - 1].thread]})`);
    const words = [];
    if (step.buffer === "delayed") words.push(name, ` stores ${written} to ${location}. The store waits in its buffer: nobody else sees it yet.`);
    else if (step.buffer === "memory") words.push("The store of ", name, ` reaches memory: ${location} is ${written}.`);
    else if (op === "read") words.push(name, ` reads ${read === undefined ? "" : `${read} from `}${location}${origin === undefined ? "" : `, ${by(origin)}`}.`);
    else if (op === "write") words.push(name, ` writes ${written === undefined ? "" : `${written} to `}${location}.`);
    else if (op === "update") {
      const change = read !== undefined ? ` from ${read} to ${written}` : written !== undefined ? ` to ${written}` : "";
      words.push(name, ` changes ${location}${change}, at once${origin === undefined ? "" : `; it reads what is ${by(origin)}`}.`);
    } else if (op === "fence") words.push(name, " executes a fence.");
    else if (op === "choice") words.push(name, ` chooses ${written}.`);
    else words.push(name, " executes ", el("code", {}, step.text), ".");
    const late = step.overtaken_by;
    const parts = [el("p", {}, words)];
    if (late && isStale(step)) {
      const other = run.steps[late - 1].action || {};
      const what = other.written === undefined ? "has overwritten it" : `has overwritten it with ${other.written}`;
      parts.push(el("p", { class: "fp-wrong" }, `${run.is_partial ? "Can be stale" : "Stale"}: step ${late} (${run.threads[run.steps[late - 1].thread]}) ${what}. Under SC, the newest value would be read here.`));
    } else if (late) {
      parts.push(el("p", { class: "fp-wrong" }, `It ${run.is_partial ? "can be" : "is"} ordered before step ${late} (${run.threads[run.steps[late - 1].thread]}), which came earlier, and so overwritten at once.`));
    } else if (step.remark) {
      parts.push(el("p", { class: step.stands_out ? "fp-wrong" : "fp-muted" }, step.remark.trim().replace(/^[,;] */, "")));
    }
    return parts;
  }

  class Timeline {
    constructor(finding, onStep) {
      this.finding = finding;
      this.onStep = onStep;
      this.tables = new Map();
      const button = (label, path, go) =>
        el("button", { type: "button", "aria-label": label, title: label, click: go }, icon(path));
      this.first = button("To the start", "M3 3h2v10H3z M13 3v10L6 8z", () => this.go(0));
      this.back = button("One step back", "M12 3v10L4 8z", () => this.go(this.at - 1));
      this.next = button("One step forward", "M4 3v10l8-5z", () => this.go(this.at + 1));
      this.last = button("To the end", "M11 3h2v10h-2z M3 3v10l7-5z", () => this.go(this.run.steps.length));
      this.slider = el("input", { type: "range", min: "0", step: "1", "aria-label": "Step", input: () => this.go(Number(this.slider.value)) });
      this.count = el("output", { class: "fp-count" });
      this.scroll = el("div", { class: "fp-steps fp-scroll", tabindex: "0", role: "group",
        "aria-label": "Steps of the run. Arrow keys go from step to step." });
      this.state = el("div", { class: "fp-state", "aria-live": "polite" });
      this.tabs = finding.runs.length < 2 ? null : el("div", { class: "fp-tabs", role: "group", "aria-label": "Which run" },
        finding.runs.map((run, index) =>
          el("button", { type: "button", "aria-pressed": "false", click: () => this.show(index) }, run.tab || `Run ${index + 1}`)));
      this.title = el("p", { class: "fp-run" });
      this.element = section("timeline", "How it happens, step by step", this.tabs, this.title,
        el("div", { class: "fp-controls" }, this.first, this.back, this.next, this.last, this.slider, this.count),
        el("div", { class: "fp-run-grid" }, this.scroll, this.state));
      this.element.addEventListener("keydown", (event) => this.key(event));
      this.show(0);
    }

    show(index) {
      this.run = this.finding.runs[index];
      this.index = index;
      this.title.textContent = this.run.title;
      for (const [number, tab] of this.tabs ? [...this.tabs.children].entries() : []) {
        tab.setAttribute("aria-pressed", String(number === index));
      }
      if (!this.tables.has(index)) this.tables.set(index, this.table());
      this.scroll.replaceChildren(this.tables.get(index).table);
      this.slider.max = String(this.run.steps.length);
      // What matters most is where it goes wrong.
      const wrong = this.run.steps.reduce((last, step, number) => (step.stands_out || isStale(step) ? number + 1 : last), 0);
      this.go(wrong || this.run.steps.length);
    }

    table() {
      const { threads, steps } = this.run;
      const apart = threads.length <= MANY_THREADS;
      const { origins } = simulate(this.run, steps.length);
      const rows = steps.map((step, index) => {
        const tags = [];
        if (step.mark) tags.push(el("span", { class: `fp-tag fp-remark-${step.mark}` }, step.mark === 1 ? "①" : "②"));
        if (isStale(step)) tags.push(el("span", { class: "fp-tag fp-wrong" }, "⚠ stale"));
        else if (step.overtaken_by) tags.push(el("span", { class: "fp-tag fp-wrong" }, "⚠ in the past"));
        if (origins[index] > 0) tags.push(el("span", { class: "fp-tag fp-from" }, `from step ${origins[index]}`));
        const what = el("td", { class: "fp-cell", "data-thread": threads[step.thread] },
          el("code", {}, step.text),
          step.effect ? el("span", { class: "fp-effect" }, step.effect) : null, tags,
          step.line || step.place ? el("span", { class: "fp-at" }, step.place || `line ${step.line}`) : null);
        const cells = apart
          ? threads.map((_, thread) => (thread === step.thread ? what : el("td", { class: "fp-empty" })))
          : [el("td", {}, threads[step.thread]), what];
        return el("tr", { class: step.stands_out ? "fp-stands-out" : null, click: () => this.go(index + 1) },
          el("th", { scope: "row" }, String(index + 1)), cells);
      });
      const heads = apart ? threads : ["thread", "step"];
      // At first, no step is in the future.
      return { rows, at: steps.length, marks: [], table: el("table", {},
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "#"), heads.map((name) => el("th", { scope: "col" }, name)))),
        el("tbody", {}, rows)) };
    }

    key(event) {
      const moves = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, PageUp: -10, PageDown: 10 };
      const { length } = this.run.steps;
      const to = event.key === "Home" ? 0 : event.key === "End" ? length : event.key in moves ? this.at + moves[event.key] : null;
      // The slider has keys of its own, which do the same.
      if (to === null || event.altKey || event.ctrlKey || event.metaKey || event.target === this.slider) return;
      event.preventDefault();
      this.go(to);
    }

    go(step) {
      const { steps } = this.run;
      const at = Math.max(0, Math.min(steps.length, step));
      this.at = at;
      this.slider.value = String(at);
      this.count.textContent = at === 0 ? `start of ${steps.length}` : `step ${at} of ${steps.length}`;
      this.slider.setAttribute("aria-valuetext", this.count.textContent);
      // A button that is disabled loses the focus, and the keys with it.
      const disable = (isDisabled) => (button) => button.setAttribute("aria-disabled", String(isDisabled));
      [this.first, this.back].forEach(disable(at === 0));
      [this.next, this.last].forEach(disable(at === steps.length));
      const state = simulate(this.run, at);
      const shown = this.tables.get(this.index);
      const { rows } = shown;
      // Of a long run, only the rows that change are touched.
      for (const [row, unmark] of shown.marks) unmark(row);
      const mark = (number, name) => {
        const marked = rows[number - 1];
        if (!marked) return;
        marked.classList.add(name);
        shown.marks.push([marked, (other) => other.classList.remove(name)]);
      };
      shown.marks = [];
      mark(state.origins[at - 1], "fp-origin");
      mark((steps[at - 1] || {}).overtaken_by, "fp-overtaking");
      const [from, to] = [Math.min(at, shown.at), Math.max(at, shown.at)];
      rows.slice(from, to).forEach((row) => row.classList.toggle("fp-future", at < shown.at));
      shown.at = at;
      const row = rows[at - 1];
      if (row) {
        row.setAttribute("aria-current", "step");
        shown.marks.push([row, (other) => other.removeAttribute("aria-current")]);
      }
      if (row) this.reveal(row);
      else this.scroll.scrollTop = 0;
      this.tell(state);
      const current = steps[at - 1];
      this.onStep({ run: this.index, step: at, node: current && current.node, file: current && current.file, line: current && current.line });
    }

    /// Scrolls the list, and not the page.
    reveal(row) {
      const margin = 2 * row.offsetHeight;
      const { scroll } = this;
      if (row.offsetTop < scroll.scrollTop + margin) scroll.scrollTop = row.offsetTop - margin;
      else if (row.offsetTop + row.offsetHeight + margin > scroll.scrollTop + scroll.clientHeight) {
        scroll.scrollTop = row.offsetTop + row.offsetHeight + margin - scroll.clientHeight;
      }
    }

    tell({ memory, buffers, origins }) {
      const { run, at } = this;
      const step = run.steps[at - 1];
      const touched = step && step.action && step.action.location;
      const cells = [...memory].map(([name, { value, by, old }]) =>
        el("tr", { class: name === touched ? "fp-touched" : null },
          el("th", { scope: "row" }, name),
          el("td", {}, old.length ? el("s", { title: "overwritten" }, old.join(" ")) : null, el("b", {}, ` ${value}`)),
          el("td", { class: "fp-muted" }, by === 0 ? "initially" : `step ${by}`)));
      const waiting = buffers.flatMap((stores, thread) => stores.map(({ location, written, number }) =>
        el("li", {}, `${run.threads[thread]}: ${location} := ${written} (step ${number})`)));
      this.state.replaceChildren(
        el("h5", {}, at === 0 ? "At the start" : `Step ${at}`),
        ...(at === 0 ? [el("p", {}, "Nothing has happened yet.")] : story(run, at, origins[at - 1])),
        cells.length ? el("table", { class: "fp-memory" },
          el("caption", {}, run.is_partial ? "Written on this path" : "Memory now"),
          el("thead", {}, el("tr", {}, ["location", "value", "written by"].map((name) => el("th", { scope: "col" }, name)))),
          el("tbody", {}, cells)) : "",
        waiting.length ? el("div", {}, el("p", {}, "In store buffers:"), el("ul", {}, waiting)) : "");
    }
  }

  // ---- Graph ----

  function graph(data, onNode) {
    const prefix = `fp-graph-${(instances += 1)}`;
    const [x, y, width, height] = data.box;
    const relations = [...new Set(data.edges.map((edge) => edge.relation))];
    const heads = relations.map((relation) =>
      svg("marker", { id: `${prefix}-${relation}`, viewBox: "0 0 10 10", refX: "9.5", refY: "5", markerUnits: "userSpaceOnUse",
        markerWidth: "10", markerHeight: "9", orient: "auto-start-reverse" },
        svg("path", { class: `fp-head-${relation}`, d: "M0 0.6 L10 5 L0 9.4 L2.6 5 z" })));
    const nodes = data.nodes.map((node) => {
      const middle = [node.x + node.width / 2, node.y + node.height / 2];
      const text = (kind, dy, content) => svg("text", { class: kind, x: middle[0], y: middle[1] + dy }, content);
      const group = svg("g", { class: `fp-node fp-node-${node.kind}`, "data-step": node.step },
        node.kind === "gap" ? null : svg("rect", { x: node.x, y: node.y, width: node.width, height: node.height, rx: 6 }),
        text("fp-does", node.remark ? -1 : 4.5, node.text),
        node.remark ? text("fp-small", 13, node.remark) : null);
      if (node.step) group.addEventListener("click", () => onNode(node.step));
      return group;
    });
    const line = (edge) => svg("path", { class: `fp-edge fp-edge-${edge.relation}${edge.bold ? " fp-bold" : ""}`, d: edge.path,
      "marker-end": `url(#${prefix}-${edge.relation})`, "marker-start": edge.both ? `url(#${prefix}-${edge.relation})` : null });
    const picture = svg("svg", { viewBox: `${x} ${y} ${width} ${height}`, role: "img", "aria-label": `${data.title}. ${data.notes.join(". ")}` },
      svg("defs", {}, heads),
      data.threads.map((thread) => svg("text", { class: "fp-name", x: thread.x, y: thread.y }, thread.name)),
      [false, true].map((bold) => data.edges.filter((edge) => edge.bold === bold).map(line)),
      nodes,
      data.edges.map((edge) => svg("text", { class: `fp-label fp-label-${edge.relation}${edge.bold ? " fp-bold" : ""}`, x: edge.x, y: edge.y + 4 }, edge.label)));
    // Through the style object: a policy against styles in markup permits that.
    picture.style.width = `${width}px`;
    picture.style.minWidth = `${width * 0.7}px`;
    const legend = el("ul", { class: "fp-legend" }, data.legend.map(([relation, text]) =>
      el("li", {}, svg("svg", { viewBox: "0 0 24 10", "aria-hidden": "true" }, svg("path", { class: `fp-edge fp-edge-${relation}`, d: "M0 5 L24 5" })), text)));
    return {
      element: section("graph", "The execution as a graph", el("div", { class: "fp-picture", tabindex: "0", role: "region", "aria-label": "Graph" }, picture),
        legend, data.notes.map((note) => el("p", { class: "fp-muted" }, note))),
      mark: (step) => nodes.forEach((node, index) => node.classList.toggle("fp-current", step > 0 && data.nodes[index].step === step)),
    };
  }

  function cycle(events) {
    return section("cycle", "The cycle that SC forbids", el("ol", {}, events.map((event) =>
      el("li", {}, el("code", {}, event.effect), el("span", { class: "fp-muted" }, ` ${event.place} `), event.relation))));
  }

  // ---- What to do ----

  /// What stays, goes and comes between two lists of lines, by a longest common subsequence.
  function difference(before, after) {
    const longest = Array.from({ length: before.length + 1 }, () => new Array(after.length + 1).fill(0));
    for (let i = before.length - 1; i >= 0; i -= 1) {
      for (let j = after.length - 1; j >= 0; j -= 1) {
        longest[i][j] = before[i][1] === after[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
      }
    }
    const lines = [];
    let [i, j] = [0, 0];
    while (i < before.length || j < after.length) {
      if (i < before.length && j < after.length && before[i][1] === after[j]) {
        lines.push([" ", ...before[i]]);
        i += 1;
        j += 1;
      } else if (i < before.length && (j === after.length || longest[i + 1][j] >= longest[i][j + 1])) {
        lines.push(["−", ...before[i]]);
        i += 1;
      } else {
        lines.push(["+", null, after[j]]);
        j += 1;
      }
    }
    return lines;
  }

  function repair(fix, source, file) {
    const lines = linesOf(source, file);
    const between = (from, to) => lines.filter(([number]) => number >= from && number < to);
    const added = fix.text.split("\n");
    if (added[added.length - 1] === "") added.pop();
    const around = (from, to) => between(from, to).map((line) => [" ", ...line]);
    const all = [
      ...around(fix.first - CONTEXT, fix.first),
      ...difference(between(fix.first, fix.end), added),
      ...around(fix.end, fix.end + CONTEXT),
    ];
    // Of what stays, only what is near a change.
    const isNear = (index) => all.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(([sign]) => sign !== " ");
    const rows = all.flatMap(([sign, number, text], index) => {
      if (!isNear(index)) return isNear(index + 1) && index > 0 ? [el("tr", { class: "fp-gap" }, el("td"), el("td", {}, "⋯"))] : [];
      return [el("tr", { class: sign === "+" ? "fp-added" : sign === "−" ? "fp-removed" : null },
        el("th", { scope: "row" }, number == null ? "" : String(number)), el("td", {}, el("code", {}, `${sign} ${text}`)))];
    });
    return section("repair", "Repair", el("p", {}, prose(fix.description)),
      el("div", { class: "fp-code fp-diff", tabindex: "0", role: "region", "aria-label": "Difference" },
        el("table", { role: "presentation" }, el("tbody", {}, rows))));
  }

  function advised(advice, source) {
    const edits = advice.edits.map((edit) => {
      const line = linesOf(source, edit.file).find(([number]) => number === edit.line);
      return el("li", {}, el("span", { class: "fp-file" }, place(edit)), ": ", prose(edit.change),
        line ? el("div", { class: "fp-code" }, el("code", {}, line[1].trim())) : null);
    });
    return section("repair", "Repair", el("ul", {}, edits), advice.reevaluated
      ? el("p", { class: "fp-muted" }, "The recorded run was evaluated again with these changes: the finding was gone.") : null);
  }

  function render(element, finding, source, options) {
    const { heading = true } = options || {};
    let drawn = null;
    let timeline = null;
    if (finding.graph) drawn = graph(finding.graph, (step) => timeline && timeline.go(step));
    const onStep = (detail) => {
      // Steps in the graph are those of the first run.
      if (drawn) drawn.mark(detail.run === 0 ? detail.step : 0);
      element.dispatchEvent(new CustomEvent("fencepost-step", { detail, bubbles: true }));
    };
    const parts = [
      heading ? head(finding) : null,
      said(finding),
      (finding.consequences || []).length ? section("consequences", "What goes wrong", finding.consequences.map((text) => el("p", {}, prose(text)))) : null,
      sources(finding, source),
    ];
    element.classList.add("fp-finding");
    element.replaceChildren(...parts.filter(Boolean));
    // It scrolls to where it goes wrong: the table must have its place by then.
    if ((finding.runs || []).length) {
      timeline = new Timeline({ ...finding }, onStep);
      element.append(timeline.element);
      timeline.go(timeline.at);
    }
    const rest = [
      drawn && drawn.element,
      (finding.cycle || []).length ? cycle(finding.cycle) : null,
      finding.fix ? repair(finding.fix, source, finding.file) : null,
      finding.advice ? advised(finding.advice, source) : null,
      finding.reproduce ? section("reproduce", finding.reproduce.exact ? "See it again" : "Try to see it again",
        el("pre", {}, el("code", {}, finding.reproduce.command))) : null,
      (finding.threads || []).length ? section("threads", "Threads", el("ul", {}, finding.threads.map((text) => el("li", {}, text)))) : null,
    ];
    element.append(...rest.filter(Boolean));
    return {
      step: (number) => timeline && timeline.go(number),
      run: (index) => timeline && timeline.show(index),
    };
  }

  return { render, categories: CATEGORIES, prose };
})();
