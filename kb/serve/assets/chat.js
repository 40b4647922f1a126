// What the page does by itself: theme, keys, files, copying, opening sections, saying what goes on.
// Gradio sends the questions and shows the answers; it calls `kbChat` before and after.
"use strict";

window.kbChat = (() => {
  const root = document.documentElement;
  const find = (selector) => document.querySelector(selector);
  const header = () => find(".kb-header");
  const strings = () => JSON.parse(header().dataset.strings);
  const fill = (sentence, slots) =>
    sentence.replace(/\{(\w+)\}/g, (whole, name) => (name in slots ? slots[name] : whole));

  // --- remembered choices; a browser may forbid to remember ---

  const remember = (key, value) => {
    try {
      localStorage.setItem(key, value);
    } catch {
      // then it is chosen anew next time
    }
  };
  const remembered = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };

  // --- light and dark ---

  const dark = matchMedia("(prefers-color-scheme: dark)");
  const applyTheme = () => {
    const asked = new URLSearchParams(location.search).get("__theme");
    const theme = remembered("kb-theme") || asked || (dark.matches ? "dark" : "light");
    root.dataset.theme = theme === "dark" ? "dark" : "light";
  };
  const toggleTheme = () => {
    remember("kb-theme", root.dataset.theme === "dark" ? "light" : "dark");
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
  };
  applyTheme();
  dark.addEventListener("change", applyTheme);

  // --- language ---

  const storedLanguage = () => {
    const language = remembered("kb-language");
    return ["auto", "ko", "en"].includes(language) ? language : null;
  };

  // The words of the page have come or changed.
  const worded = () => {
    const language = header().lang;
    root.lang = language;
    document.title = strings().title;
    const choices = find("#kb-language");
    choices.setAttribute("aria-label", strings().language);
    // One name for all three, else the arrow keys do not lead from one to the next.
    for (const choice of choices.querySelectorAll("input")) choice.name = "kb-language";
    const chosen = choices.querySelector("input:checked");
    if (chosen) remember("kb-language", chosen.value);
    for (const field of document.querySelectorAll("#kb-form textarea, #kb-form input")) {
      field.spellcheck = false;
      field.autocomplete = "off";
    }
    find("#kb-form").dataset.drop = strings().file_drop;
    readerLanguage = language;
    if (!document.body.classList.contains("kb-ready")) {
      document.body.classList.add("kb-ready");
      restoreDraft();
      // On a phone the focus would open the keyboard over half of the page.
      if (matchMedia("(hover: hover)").matches && !location.hash) find("#kb-paste textarea").focus();
    }
    openFromAddress();
  };

  // --- asking ---

  let status;
  const say = (sentence) => {
    if (!status) {
      status = document.createElement("div");
      status.className = "kb-unseen";
      status.setAttribute("role", "status");
      document.body.append(status);
    }
    status.textContent = sentence;
  };

  const isBusy = () => document.body.classList.contains("kb-busy");
  const setBusy = (busy) => {
    document.body.classList.toggle("kb-busy", busy);
    find("#kb-answers").setAttribute("aria-busy", String(busy));
    if (busy) {
      say(strings().asking);
      find(".kb-failed")?.remove();
      // Gradio waits for a server that is gone, and says nothing about it to the page.
      fetch("./gradio_api/app_id").catch(failed);
    }
  };

  // Gradio loads the page anew once a lost server is back; what was written shall not be lost.
  const DRAFT = "kb-draft";
  const FIELDS = ["#kb-paste textarea", "#kb-question :is(textarea, input)"];
  const keepDraft = () => {
    if (!find(".kb-failed, .toast-body")) return;
    try {
      sessionStorage.setItem(DRAFT, JSON.stringify(FIELDS.map((field) => find(field).value)));
    } catch {
      // forbidden, or too large to be kept
    }
  };
  const restoreDraft = () => {
    try {
      const values = JSON.parse(sessionStorage.getItem(DRAFT) ?? "[]");
      sessionStorage.removeItem(DRAFT);
      values.forEach((value, position) => fillField(find(FIELDS[position]), value));
    } catch {
      // then there is none
    }
  };

  const showAnswers = () => {
    const answers = find("#kb-answers");
    const top = answers.getBoundingClientRect().top;
    // Beside the form the top of the page is near; under it the answer has to be scrolled to.
    if (top < 0 || top > innerHeight / 2) answers.scrollIntoView({ block: "start" });
  };

  const answered = () => {
    setBusy(false);
    if (location.hash) history.pushState(null, "", location.pathname + location.search);
    closeReader();
    const title = find("#kb-answer h2, #kb-answer .kb-error strong");
    say(`${strings().answer}: ${title ? title.textContent : ""}`);
    showAnswers();
  };

  const failed = () => {
    setBusy(false);
    if (find(".kb-failed")) return;
    const box = document.createElement("div");
    box.className = "kb-error kb-failed";
    box.setAttribute("role", "alert");
    const title = document.createElement("strong");
    title.textContent = strings().error;
    const message = document.createElement("p");
    message.textContent = strings().error_unreachable;
    box.append(title, message);
    find("#kb-answers").prepend(box);
    showAnswers();
  };

  const onKey = (event) => {
    // While Hangul is being composed Enter ends the syllable; 229 is what Safari says of that.
    if (event.key !== "Enter" || event.isComposing || event.keyCode === 229) return;
    const field = event.target.closest?.("#kb-paste, #kb-question, #kb-version");
    if (!field) return;
    const asks = event.ctrlKey || event.metaKey || (field.id !== "kb-paste" && !event.shiftKey);
    if (!asks) return;
    event.preventDefault();
    event.stopPropagation();
    if (!isBusy() && !event.repeat) find("#kb-ask").click();
  };

  // --- files: read here, never uploaded ---

  const fillField = (field, content) => {
    field.value = content;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };

  const setPaste = (content) => {
    const field = find("#kb-paste textarea");
    fillField(field, content);
    field.scrollTop = 0;
    field.setSelectionRange(0, 0);
    field.focus();
  };

  const tell = (sentence, isProblem = false) => {
    const output = find(".kb-file-status");
    output.textContent = sentence;
    output.classList.toggle("kb-problem", isProblem);
  };

  // PowerShell redirects logs as UTF-16; everything else is read as UTF-8, what is not replaced.
  const decode = (bytes) => {
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
    if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
    return new TextDecoder("utf-8").decode(bytes);
  };

  const readFile = async (file) => {
    const limit = Number(header().dataset.maxBytes);
    const megabytes = (size) => (size / 1e6).toFixed(1).replace(/\.0$/, "");
    if (file.size > limit) {
      const slots = { name: file.name, size: megabytes(file.size), limit: megabytes(limit) };
      tell(fill(strings().file_too_large, slots), true);
      return;
    }
    const content = decode(new Uint8Array(await file.arrayBuffer()));
    if (content.includes("\0")) {
      tell(fill(strings().file_not_text, { name: file.name }), true);
      return;
    }
    setPaste(content);
    const lines = content.replace(/\n$/, "").split("\n").length;
    tell(fill(strings().file_read, { name: file.name, lines: lines.toLocaleString("en") }));
  };

  const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  let leaving;
  const onDrag = (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault(); // else the browser would leave the page for the file
    event.stopPropagation();
    find("#kb-form")?.classList.add("kb-dropping");
    clearTimeout(leaving);
    leaving = setTimeout(() => find("#kb-form")?.classList.remove("kb-dropping"), 200);
  };
  const onDrop = (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    event.stopPropagation();
    find("#kb-form").classList.remove("kb-dropping");
    const [file] = event.dataTransfer.files;
    if (file) readFile(file);
  };

  // --- copying: exactly the text of the block ---

  const copy = async (button) => {
    const source = button.closest(".kb-code").querySelector("[data-copy-source]");
    const content = source.textContent;
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(content);
    } else {
      // A page over plain http from another machine has no clipboard; a selection still copies.
      const field = document.createElement("textarea");
      field.value = content;
      field.className = "kb-unseen";
      document.body.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
      button.focus();
    }
    const label = button.dataset.label ?? button.textContent;
    button.dataset.label = label;
    button.textContent = button.dataset.done;
    button.classList.add("kb-done");
    say(button.dataset.done);
    setTimeout(() => {
      button.textContent = label;
      button.classList.remove("kb-done");
    }, 1600);
  };

  // --- sections: the address says which one is open, so the browser's Back closes it ---

  let readerLanguage = "en";
  let opener = null;
  const reader = () => {
    let place = find("#kb-reader");
    if (!place) {
      place = document.createElement("div");
      place.id = "kb-reader";
      place.hidden = true;
      find("#kb-answers").append(place);
    }
    return place;
  };

  const closeReader = () => {
    const wasOpen = !reader().hidden;
    reader().hidden = true;
    find("#kb-answer").hidden = false;
    if (wasOpen && opener?.isConnected) opener.focus({ preventScroll: false });
    opener = null;
  };

  const openFromAddress = async () => {
    if (!header()) return;
    const identifier = decodeURIComponent(location.hash.slice(1));
    if (!identifier) {
      closeReader();
      return;
    }
    const query = new URLSearchParams({ id: identifier, language: readerLanguage });
    const response = await fetch(`./chat-section?${query}`).catch(() => null);
    if (!response || (!response.ok && response.status !== 404)) {
      failed();
      return;
    }
    const place = reader();
    const back = document.createElement("button");
    back.type = "button";
    back.className = "kb-back";
    back.textContent = `← ${strings().back}`;
    place.replaceChildren(back);
    if (response.ok) {
      // Written by the server out of Markdown that can hold no markup of its own.
      place.insertAdjacentHTML("beforeend", await response.text());
    } else {
      const missing = document.createElement("p");
      missing.className = "kb-error";
      missing.textContent = fill(strings().section_missing, { id: identifier });
      place.append(missing);
    }
    place.hidden = false;
    find("#kb-answer").hidden = true;
    showAnswers();
    place.querySelector("article")?.focus({ preventScroll: true });
  };

  const openLink = (event, link) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    readerLanguage = link.closest("[lang]").lang;
    if (reader().hidden) opener = link;
    const hash = new URL(link.href).hash;
    if (location.hash === hash) openFromAddress();
    else location.hash = hash;
  };

  const goBack = () => {
    if (opener) {
      history.back();
    } else {
      history.pushState(null, "", location.pathname + location.search);
      closeReader();
    }
  };

  // --- one listener for each kind of event; what they are about comes and goes ---

  document.addEventListener("keydown", onKey, true);
  document.addEventListener("dragenter", onDrag, true);
  document.addEventListener("dragover", onDrag, true);
  document.addEventListener("drop", onDrop, true);
  window.addEventListener("hashchange", openFromAddress);
  window.addEventListener("pagehide", keepDraft);
  document.addEventListener("change", (event) => {
    if (!event.target.matches(".kb-file input")) return;
    const [file] = event.target.files;
    if (file) readFile(file);
    event.target.value = ""; // so that the same file can be chosen again
  });
  document.addEventListener(
    "click",
    (event) => {
      const on = (selector) => event.target.closest?.(selector);
      if (on("#kb-ask, #kb-examples button")) setBusy(true);
      else if (on(".kb-copy")) copy(on(".kb-copy"));
      else if (on(".kb-section-link")) openLink(event, on(".kb-section-link"));
      else if (on(".kb-theme")) toggleTheme();
      else if (on(".kb-back")) goBack();
      else if (on(".kb-clear")) {
        setPaste("");
        tell("");
      }
    },
    true,
  );
  // Should the server never answer the page's first event, what there is shall be seen.
  setTimeout(() => document.body?.classList.add("kb-ready"), 8000);

  return { answered, failed, storedLanguage, worded };
})();
