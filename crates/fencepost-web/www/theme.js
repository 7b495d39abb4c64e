// Light or dark: as the system says, until somebody chooses. Runs before anything is drawn.
(() => {
  "use strict";
  const KEY = "fencepost-theme";
  const stored = () => {
    // Pages from disk may be denied a memory.
    try { return localStorage.getItem(KEY); } catch { return null; }
  };
  const set = (theme) => {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
  };
  set(stored());
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    if (!button) return;
    const dark = () => {
      const chosen = document.documentElement.dataset.theme;
      return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    };
    const label = () => { button.textContent = dark() ? "Light" : "Dark"; };
    label();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", label);
    button.addEventListener("click", () => {
      const theme = dark() ? "light" : "dark";
      set(theme);
      try { localStorage.setItem(KEY, theme); } catch { /* For this page only. */ }
      label();
    });
  });
})();
