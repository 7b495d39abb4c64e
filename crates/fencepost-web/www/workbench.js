// The workbench: the page around the editor, the checker and what it finds.
"use strict";

(() => {
  const LANGUAGES = { fp: ".fp", tpl: "Rocker .tpl", txt: "Trencher .txt", litmus: "C litmus test" };
  const QUESTIONS = { check: "robust", verify: "safe" };
  const TYPING = 350;
  /// What is shown until somebody chooses: the model that commands mean without `--model`.
  const DEFAULT = "check cpp20";
  const { prose } = fencepostFinding;
  const $ = (id) => document.getElementById(id);
  const el = (tag, attributes, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (typeof value === "function") element.addEventListener(name, value);
      else if (value != null && value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
    return element;
  };

  const reader = new Engine();
  const searcher = new Engine();
  let models = [];
  /// Answers to questions about the text as it is, by `check ra`.
  const answers = new Map();
  /// The cell whose answer is shown, when there is one.
  let chosen = DEFAULT;
  /// Every change of the text begins another edition: what older ones are answered is dropped.
  let edition = 0;
  /// Every search takes the place of the one before.
  let searches = 0;
  let timer = 0;

  const editor = new Editor($("editor"), () => changed());

  const program = () => ({ name: `program.${$("language").value}`, language: $("language").value, text: editor.text });

  function limits() {
    const number = (id) => Math.max(1, Math.round(Number($(id).value)) || 1);
    return { states: number("states"), bytes: number("memory") * 1024 * 1024, milliseconds: number("time") * 1000 };
  }

  function say(text) { $("status").textContent = text; }

  /// For those who hear the page: is there more to come?
  function busy(is) {
    document.querySelector("main").setAttribute("aria-busy", String(is));
    $("stop").disabled = !is;
  }

  // ---- The text ----

  function changed() {
    edition += 1;
    searches += 1;
    searcher.stop();
    busy(true);
    answers.clear();
    drawTable();
    clearTimeout(timer);
    timer = setTimeout(read, TYPING / 2);
  }

  /// Whether the text is a program, then what the models say of it.
  async function read() {
    const mine = edition;
    let answer;
    try {
      answer = await reader.ask({ ask: "read", ...program() });
    } catch (error) {
      if (mine !== edition) return;
      busy(false);
      problems([{ severity: "error", message: error.message, at: { from: 0, to: 0, line: 1, column: 1 }, also: [], help: [] }]);
      return;
    }
    if (mine !== edition) return;
    problems(answer.diagnostics);
    remember();
    if (answer.program === undefined) {
      $("answer").replaceChildren();
      say("This is not a program yet.");
      busy(false);
      return;
    }
    if ($("live").checked) {
      await search("check");
      return;
    }
    say("Changed. Press Check.");
    busy(false);
  }

  function problems(list) {
    editor.problems = list;
    const line = (problem) => {
      const { at, severity, message, help, also } = problem;
      return el("li", { class: `is-${severity}` },
        el("button", { type: "button", click: () => editor.select(at.from, at.to) },
          el("b", {}, severity), ` in line ${at.line}: `, prose(message), at.text ? [" (", prose(at.text), ")"] : ""),
        also.map((other) => el("p", {}, `line ${other.line}: `, prose(other.text))),
        help.map((text) => el("p", {}, "help: ", prose(text))));
    };
    $("problems").replaceChildren(list.length ? el("ul", {}, list.map(line)) : "");
  }

  // ---- Questions ----

  const key = (ask, model) => `${ask} ${model}`;

  const can = (ask, model) => ask === "verify" || model.robustness;

  /// Asks one question of all models.
  async function search(ask) {
    searcher.stop();
    const mine = (searches += 1);
    const left = models.filter((model) => can(ask, model)).map(({ name }) => name);
    // What is looked at comes first.
    left.sort((a, b) => (key(ask, b) === chosen) - (key(ask, a) === chosen));
    for (const model of left) answers.delete(key(ask, model));
    busy(true);
    for (const model of left) {
      const cell = key(ask, model);
      answers.set(cell, { waiting: "…" });
      drawTable();
      const progress = (states) => {
        if (mine !== searches) return;
        answers.set(cell, { waiting: `… ${short(states)} states` });
        drawTable();
      };
      performance.mark("fencepost-asked", { detail: cell });
      let answer;
      try {
        answer = await searcher.ask({ ask, ...program(), model, limits: limits() }, progress);
        if (!answer.conclusion) answer = unknown(answer.error || "this is not a program");
      } catch (error) {
        if (mine !== searches) return;
        if (error === Engine.STOPPED) {
          for (const other of left.slice(left.indexOf(model))) answers.set(key(ask, other), unknown("stopped"));
          break;
        }
        // Whatever happened: it is not known.
        answer = unknown(error.message);
      }
      if (mine !== searches) return;
      answers.set(cell, answer);
      performance.mark("fencepost-verdict", { detail: cell });
      drawTable();
      if (chosen === cell) show(cell);
    }
    conclude(ask);
    drawNow();
    busy(false);
  }

  function unknown(detail) {
    return { conclusion: { verdict: "unknown", tone: "unsure", detail }, findings: [], text: "" };
  }

  /// Says it to those who hear the page, and shows something.
  function conclude(ask) {
    const by = new Map();
    for (const { name } of models) {
      const { conclusion } = answers.get(key(ask, name)) || {};
      if (conclusion) by.set(conclusion.verdict, [...(by.get(conclusion.verdict) || []), name]);
    }
    say([...by].map(([verdict, names]) => `${verdict}: ${names.join(", ")}`).join(" · "));
    if (shown !== edition) show(answers.has(chosen) ? chosen : [...answers.keys()][0]);
  }

  function short(number) {
    return number < 10000 ? String(number) : number < 1e6 ? `${Math.round(number / 1e3)}k` : `${(number / 1e6).toFixed(1)}M`;
  }

  // ---- The table ----

  const SIGNS = { good: "✓", bad: "✗", unsure: "?" };

  function drawHeads() {
    const row = document.querySelector(".verdicts thead tr");
    row.append(...models.map((model) => el("th", { scope: "col" },
      el("button", { type: "button", title: model.title, click: () => explainModel(model) }, model.name))));
    for (const body of document.querySelectorAll(".verdicts tbody tr")) {
      const { ask } = body.dataset;
      body.append(...models.map((model) => {
        const cell = key(ask, model.name);
        if (!can(ask, model)) return el("td", { class: "muted", title: "There is no such thing." }, "–");
        return el("td", {}, el("button", { type: "button", "data-cell": cell, disabled: true, click: () => { chosen = cell; show(cell); } }, " "));
      }));
    }
  }

  let frame = 0;
  function drawTable() {
    if (frame) return;
    frame = requestAnimationFrame(() => {
      frame = 0;
      drawNow();
    });
  }

  function drawNow() {
    for (const button of document.querySelectorAll(".verdicts [data-cell]")) {
      const [ask, model] = button.dataset.cell.split(" ");
      const answer = answers.get(button.dataset.cell);
      const { conclusion } = answer || {};
      button.disabled = !conclusion;
      button.className = conclusion ? `is-${conclusion.tone}` : "";
      button.textContent = conclusion ? `${SIGNS[conclusion.tone]} ${conclusion.verdict}` : answer ? answer.waiting : "not asked";
      button.setAttribute("aria-label", `${model}, ${QUESTIONS[ask]}? ${button.textContent}`);
      button.setAttribute("aria-pressed", String(shown === edition && button.dataset.cell === current));
    }
  }

  // ---- One answer ----

  /// The cell that is shown, and the edition that it is about.
  let current = null;
  let shown = -1;

  function show(cell) {
    const answer = answers.get(cell);
    if (!answer || !answer.conclusion) return;
    [current, shown] = [cell, edition];
    drawTable();
    const [ask, model] = cell.split(" ");
    const { conclusion, findings, text, report, took } = answer;
    const text_then = editor.text;
    const file = program().name;
    const detail = conclusion.detail ? conclusion.detail.charAt(0).toUpperCase() + conclusion.detail.slice(1) : "";
    const figures = report ? `${report.stats.states} states, ${took.toFixed(took < 10 ? 1 : 0)} ms` : "";
    const canRepair = ask === "check" && report?.verdict === "violation";
    const actions = canRepair && el("div", { class: "tools" },
      el("button", { type: "button", "data-repair": model, click: () => repair([model]) }, `Repair for ${model}`),
      el("button", { type: "button", "data-repair": "all", click: () => repair(failing()) }, "Repair for all models"));
    const found = findings.map((finding, index) => {
      const place = el("div", { class: "body" });
      place.addEventListener("fencepost-step", ({ detail: { line } }) => {
        // Rendering tells of a step as well, which nobody has asked to see.
        if (place.isConnected) editor.line = line || 0;
      });
      const details = el("details", { class: "finding", open: index === 0 },
        el("summary", {},
          el("span", { class: `fp-badge fp-${finding.category}` }, fencepostFinding.categories[finding.category] || finding.category),
          el("h3", {}, prose(finding.title))),
        place);
      const fill = () => {
        if (details.open && !place.childElementCount) fencepostFinding.render(place, finding, { [file]: text_then }, { heading: false });
      };
      details.addEventListener("toggle", fill);
      return [details, fill, finding.shape];
    });
    const shapes = [...new Set(found.map(([, , shape]) => shape).filter(Boolean))];
    $("answer").replaceChildren(
      el("h2", { class: `conclusion is-${conclusion.tone}` }, `${model}: ${conclusion.verdict}`),
      detail ? el("p", {}, prose(/[.!?]$/.test(detail) ? detail : `${detail}.`)) : "",
      el("p", { class: "muted" }, figures),
      actions || "",
      ...found.map(([details]) => details),
      ...shapes.map(explainShape),
      text ? el("details", {}, el("summary", {}, "As text"), el("pre", { class: "plain", tabindex: "0" }, text)) : "");
    // The timeline measures itself, so it must be in its place first.
    for (const [, fill] of found) fill();
  }

  /// The models that the program is not robust against, as far as is known.
  function failing() {
    const fails = ({ name }) => answers.get(key("check", name))?.conclusion?.tone === "bad";
    return models.filter(fails).map(({ name }) => name);
  }

  function explainShape(shape) {
    const body = el("div");
    return el("details", { toggle: async ({ target }) => {
      if (!target.open || body.childElementCount) return;
      const told = await reader.ask({ ask: "explain", shape });
      body.append(el("p", {}, told.error || `${shape} (${told.title}): ${told.story}.`), told.picture ? el("pre", { class: "plain" }, told.picture) : "");
    } }, el("summary", {}, `The shape ${shape}`), body);
  }

  function explainModel(model) {
    current = null;
    drawTable();
    // Essays are paragraphs, some of them indented by blanks to stand apart.
    const parts = model.essay.trim().split(/\n\s*\n/);
    $("answer").replaceChildren(el("h2", { class: "conclusion" }, `${model.name}: ${model.title}`),
      ...parts.map((part) => (/^( {2}|[-*|])/m.test(part) ? el("pre", { class: "plain", tabindex: "0" }, part) : el("p", {}, part))));
  }

  // ---- Repair ----

  async function repair(names) {
    const mine = edition;
    const before = editor.text;
    const place = $("repair");
    place.replaceChildren(el("p", { role: "status" }, `Looking for the cheapest repair for ${names.join(", ")} …`));
    searcher.stop();
    searches += 1;
    for (const [cell, { waiting }] of answers) if (waiting) answers.set(cell, unknown("stopped"));
    drawTable();
    busy(true);
    let answer;
    try {
      answer = await searcher.ask({ ask: "repair", ...program(), models: names, limits: limits() });
    } catch (error) {
      answer = { error: error === Engine.STOPPED ? "stopped" : error.message };
    }
    if (mine !== edition) {
      place.replaceChildren();
      return;
    }
    busy(false);
    const { report, repaired } = answer;
    if (!report || report.verdict !== "repaired") {
      const why = answer.error || report.detail || { impossible: "no edit removes all violations", unchanged: "it is robust as it is" }[report.verdict] || "";
      const verdict = report ? report.verdict : "unknown";
      place.replaceChildren(el("section", { class: "repair" }, el("h2", {}, `Repair: ${verdict}`), el("p", {}, why)));
      return;
    }
    editor.replace(repaired);
    const sign = (line) => (/^\+(?!\+\+)/.test(line) ? "fp-added" : /^-(?!--)/.test(line) ? "fp-removed" : null);
    const diff = report.diff.split("\n").filter((line) => !/^(---|\+\+\+)/.test(line));
    const why = report.edits.filter((edit) => edit.because).map((edit) =>
      el("li", {}, "Without ", el("code", {}, edit.text.trim() || "this"), ` at line ${edit.line}, `, prose(edit.because.message), "."));
    place.replaceChildren(el("section", { class: "repair", "aria-label": "Repair" },
      el("h2", {}, `Repaired for ${names.join(", ")}`),
      el("p", {}, `The cheapest repair, at a cost of ${report.cost}. No smaller part of it is enough.`),
      el("pre", { class: "plain diff", tabindex: "0" }, diff.map((line) => el("span", { class: sign(line) }, `${line}\n`))),
      why.length ? el("p", {}, "Why each edit is needed, with lines as they were before:") : "",
      why.length ? el("ul", {}, why) : "",
      el("div", { class: "tools" },
        el("button", { type: "button", click: () => { editor.replace(before); place.replaceChildren(); } }, "Undo"),
        el("button", { type: "button", click: () => place.replaceChildren() }, "Close"))));
  }

  // ---- The link ----

  const through = async (stream, bytes) =>
    new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

  async function pack(text) {
    const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text));
    let binary = "";
    for (const byte of bytes) binary += String.fromCharCode(byte);
    return btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  }

  function decoded(packed) {
    const binary = atob(packed.replace(/-/g, "+").replace(/_/g, "/"));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  }

  /// The address always carries the program.
  async function remember() {
    const mine = edition;
    const fragment = `#${$("language").value}=${await pack(editor.text)}`;
    if (mine === edition) history.replaceState(null, "", fragment);
  }

  async function share() {
    await remember();
    try {
      await navigator.clipboard.writeText(location.href);
      $("shared").textContent = "Copied.";
    } catch {
      $("shared").textContent = "It is in the address bar.";
    }
  }

  /// The program of the address, if there is one.
  async function recall() {
    // `#fp=…` is compressed; `#fp:…`, as pages of the book have it, is not.
    const [, language, sign, packed] = location.hash.match(/^#(\w+)([=:])([\w-]+)$/) || [];
    if (!language || !(language in LANGUAGES)) return false;
    try {
      const bytes = decoded(packed);
      const text = new TextDecoder().decode(sign === "=" ? await through(new DecompressionStream("deflate-raw"), bytes) : bytes);
      open(language, text);
      return true;
    } catch {
      say("The link is damaged: there is no program in it.");
      return false;
    }
  }

  // ---- What there is to begin with ----

  const EXAMPLES = globalThis.fencepostExamples;

  function open(language, text) {
    $("language").value = language;
    chosen = DEFAULT;
    $("repair").replaceChildren();
    editor.words = EXAMPLES.words[language];
    editor.replace(text);
    // Nobody is typing.
    clearTimeout(timer);
    read();
  }

  function fill() {
    $("language").append(...Object.entries(LANGUAGES).map(([value, label]) => el("option", { value }, label)));
    $("example").append(el("option", { value: "" }, "choose …"), ...EXAMPLES.groups.map(({ title, files }) =>
      el("optgroup", { label: title }, files.map(({ path, label }) => el("option", { value: path }, label)))));
    $("example").addEventListener("change", ({ target }) => {
      const file = EXAMPLES.texts[target.value];
      if (file !== undefined) open(target.value.split(".").pop(), file);
    });
    $("language").addEventListener("change", () => {
      editor.words = EXAMPLES.words[$("language").value];
      changed();
    });
  }

  function listen() {
    $("check").addEventListener("click", () => search("check"));
    $("verify").addEventListener("click", () => search("verify"));
    $("stop").addEventListener("click", () => searcher.stop());
    $("share").addEventListener("click", share);
    $("format").addEventListener("click", async () => {
      const mine = edition;
      const answer = await reader.ask({ ask: "format", ...program() });
      if (mine === edition && answer.formatted !== undefined && answer.formatted !== editor.text) editor.replace(answer.formatted);
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        search("check");
      }
    });
    addEventListener("hashchange", recall);
  }

  async function start() {
    fill();
    listen();
    // Both workers are there before the first question.
    const [told] = await Promise.all([reader, searcher].map((engine) => engine.ask({ ask: "models" })));
    models = told.models;
    drawHeads();
    if (!(await recall())) open("fp", EXAMPLES.texts[EXAMPLES.first]);
  }

  start().catch((error) => say(`The checker does not start: ${error.message || error}`));
})();
