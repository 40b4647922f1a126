// Light or dark, before the first pixel: the system's choice until the reader makes one.
"use strict";

(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const KEY = "kb-theme";
  const remembered = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // a browser may forbid to remember
    }
  };
  const apply = () => {
    const asked = new URLSearchParams(location.search).get("__theme");
    const theme = remembered() || asked || (dark.matches ? "dark" : "light");
    root.dataset.theme = theme === "dark" ? "dark" : "light";
  };
  const toggle = () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem(KEY, root.dataset.theme);
    } catch {
      // then it is chosen anew next time
    }
  };

  apply();
  dark.addEventListener("change", apply);
  document.addEventListener("click", (event) => {
    if (event.target.closest?.(".kb-theme")) toggle();
  });
})();
