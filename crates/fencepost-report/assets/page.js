// The page around the findings: shows a finding when it is opened, filters, colours, printing.
// What it works on was written by src/html/page.rs.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const findings = [...document.querySelectorAll("details.finding")];
  const shown = new Set();

  function show(details) {
    if (shown.has(details)) return;
    shown.add(details);
    fencepostFinding.render(details.querySelector(".body"), data.findings[Number(details.dataset.index)], data.sources, { heading: false });
  }
  for (const details of findings) {
    details.addEventListener("toggle", () => details.open && show(details));
    if (details.open) show(details);
  }

  // A link to a finding opens it.
  function follow() {
    const target = findings.find((details) => `#${details.id}` === location.hash);
    if (!target) return;
    target.open = true;
    show(target);
    target.scrollIntoView();
  }
  addEventListener("hashchange", follow);
  follow();

  // On paper everything is open, but for what a finding keeps closed.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("main > section > details:not([open])")];
    opened.forEach((details) => (details.open = true));
    findings.forEach(show);
  });
  addEventListener("afterprint", () => opened.forEach((details) => (details.open = false)));

  // Colours: as the system has them, light, dark. A page on disk may have no storage.
  const themes = ["automatic", "light", "dark"];
  const button = document.getElementById("theme");
  const storage = {
    get: () => {
      try {
        return localStorage.getItem("fencepost-theme");
      } catch {
        return null;
      }
    },
    set: (theme) => {
      try {
        localStorage.setItem("fencepost-theme", theme);
      } catch {
        // It lasts as long as the page.
      }
    },
  };
  function paint(theme) {
    if (theme === "automatic") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = `Colours: ${theme}`;
    button.dataset.theme = theme;
  }
  button.hidden = false;
  button.addEventListener("click", () => {
    const next = themes[(themes.indexOf(button.dataset.theme) + 1) % themes.length];
    storage.set(next);
    paint(next);
  });
  const stored = storage.get();
  paint(themes.includes(stored) ? stored : "automatic");

  // Counts become filters; of many findings, some can be looked for.
  const tools = document.getElementById("tools");
  if (!tools || findings.length < 2) return;
  const hidden = new Set();
  const search = document.createElement("input");
  const found = document.createElement("output");
  function filter() {
    const wanted = search.value.trim().toLowerCase();
    let count = 0;
    for (const details of findings) {
      const isWanted = details.querySelector("summary").textContent.toLowerCase().includes(wanted);
      details.hidden = hidden.has(details.dataset.category) || !isWanted;
      count += details.hidden ? 0 : 1;
    }
    found.textContent = count === findings.length ? "" : `${count} of ${findings.length} shown`;
  }
  for (const item of document.querySelectorAll(".counts li")) {
    const badge = item.querySelector(".fp-badge");
    const toggle = document.createElement("button");
    toggle.type = "button";
    toggle.className = badge.className;
    toggle.textContent = badge.textContent;
    toggle.title = "show or hide these";
    toggle.setAttribute("aria-pressed", "true");
    toggle.addEventListener("click", () => {
      const { category } = item.dataset;
      if (!hidden.delete(category)) hidden.add(category);
      toggle.setAttribute("aria-pressed", String(!hidden.has(category)));
      filter();
    });
    badge.replaceWith(toggle);
  }
  const all = (text, open) => {
    const each = document.createElement("button");
    each.type = "button";
    each.textContent = text;
    each.addEventListener("click", () => findings.filter((details) => !details.hidden).forEach((details) => (details.open = open)));
    return each;
  };
  search.type = "search";
  search.placeholder = "Filter by name, place or model";
  search.setAttribute("aria-label", "Filter findings");
  search.addEventListener("input", filter);
  tools.append(all("Open all", true), all("Close all", false));
  if ("many" in tools.dataset) tools.append(search);
  tools.append(found);
  tools.hidden = false;
})();
