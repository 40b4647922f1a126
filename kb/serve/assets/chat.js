// Asking: keys, what goes on meanwhile, what became of it. Gradio sends the questions and shows
// the answers; it calls `kbChat` before and after.

import { copy } from "./copying.js";
import { giveFeedback } from "./feedback.js";
import { clearPaste } from "./files.js";
import { fill, fillField, find, header, megabytes, say, showAnswers, strings } from "./page.js";
import {
  goBack,
  openFromAddress,
  openLink,
  setSectionLanguage,
  showAnswer,
  whenSectionFails,
} from "./sections.js";

// --- asking ---

const isBusy = () => document.body.classList.contains("kb-busy");

const setBusy = (busy) => {
  document.body.classList.toggle("kb-busy", busy);
  find("#kb-answers").setAttribute("aria-busy", String(busy));
};

// Who clears the box of the log does not ask about that log any more. The server is told with the
// next question: by itself it would see an empty box, and ask about the log before.
let isCleared = false;

const withCleared = (values) => {
  const told = [...values.slice(0, 4), isCleared, ...values.slice(5)];
  isCleared = false;
  return told;
};

// What Gradio sends beside the boxes: names, the version, the language.
const AROUND_BYTES = 4096;

// Why what stands in the boxes is too large, "" where it is not: a server that is sent more cuts
// the connection off, and nobody would be told why.
const tooLarge = () => {
  const written = FIELDS.map((field) => find(field).value);
  const { maxChars, maxBytes } = header().dataset;
  const chars = written.join("").length;
  if (chars > maxChars) {
    const [size, limit] = [chars, Number(maxChars)].map((count) => count.toLocaleString("en"));
    return fill(strings().error_too_large, { size, limit });
  }
  if (chars * 6 + AROUND_BYTES <= maxBytes) return ""; // six bytes are the longest escape
  const bytes = new Blob([JSON.stringify(written)]).size + AROUND_BYTES;
  if (bytes <= maxBytes) return "";
  return fill(strings().error_too_large_to_send, {
    size: megabytes(bytes),
    limit: megabytes(Number(maxBytes)),
  });
};

// Before Gradio hears of it.
const onAsk = (event) => {
  if (!event.target.closest?.("#kb-ask")) return;
  const why = tooLarge();
  if (!why) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  find(".kb-failed")?.remove();
  refuse(why);
};

const startAfresh = () => find("#kb-afresh").click();

const emptied = () => {
  isCleared = false;
  showAnswer();
  clearPaste();
};

const asking = () => {
  setBusy(true);
  say(strings().asking);
  find(".kb-failed")?.remove();
  // Gradio waits for a server that is gone, and says nothing about it to the page.
  fetch("./gradio_api/app_id").catch(failed);
};

const answered = () => {
  setBusy(false);
  showAnswer();
  const title = find("#kb-answer h2, #kb-answer .kb-error strong");
  say(`${strings().answer}: ${title ? title.textContent : ""}`);
  showAnswers();
};

const failed = () => refuse(strings().error_unreachable);

const refuse = (sentence) => {
  setBusy(false);
  if (find(".kb-failed")) return;
  const box = document.createElement("div");
  box.className = "kb-error kb-failed";
  box.setAttribute("role", "alert");
  const title = document.createElement("strong");
  title.textContent = strings().error;
  const message = document.createElement("p");
  message.textContent = sentence;
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

// --- what was written outlives a server that was gone: Gradio opens the page anew after that ---

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

// --- the words of the page have come or changed ---

const LANGUAGE = "kb-language";

const storedLanguage = () => {
  try {
    const language = localStorage.getItem(LANGUAGE);
    return ["auto", "ko", "en"].includes(language) ? language : null;
  } catch {
    return null; // a browser may forbid to remember
  }
};

const rememberLanguage = (language) => {
  try {
    localStorage.setItem(LANGUAGE, language);
  } catch {
    // then it is chosen anew next time
  }
};

const worded = () => {
  const { lang } = header();
  document.documentElement.lang = lang;
  document.title = strings().title;
  find("#kb-form").style.setProperty("--drop", JSON.stringify(strings().file_drop));
  const choices = find("#kb-language");
  choices.setAttribute("aria-label", strings().language);
  // One name for all three, else the arrow keys do not lead from one to the next.
  for (const choice of choices.querySelectorAll("input")) choice.name = "kb-language";
  const chosen = choices.querySelector("input:checked");
  if (chosen) rememberLanguage(chosen.value);
  for (const field of document.querySelectorAll("#kb-form textarea, #kb-form input")) {
    field.spellcheck = false;
    field.autocomplete = "off";
  }
  setSectionLanguage(lang);
  openFromAddress();
  if (!document.body.classList.contains("kb-ready")) begin();
};

const begin = () => {
  document.body.classList.add("kb-ready");
  find("#kb-waiting").setAttribute("role", "status");
  restoreDraft();
  // On a phone the focus would open the keyboard over half of the page.
  const hasKeyboard = matchMedia("(hover: hover)").matches;
  if (hasKeyboard && !location.hash) find("#kb-paste textarea").focus();
};

// --- one listener for each kind of event: what they are about comes and goes ---

const onClick = (event) => {
  const on = (selector) => event.target.closest?.(selector);
  if (on("#kb-ask, #kb-examples button")) asking();
  else if (on(".kb-copy")) copy(on(".kb-copy"));
  else if (on(".kb-section-link")) openLink(event, on(".kb-section-link"));
  else if (on(".kb-back")) goBack();
  else if (on(".kb-start-afresh")) startAfresh();
  else if (on(".kb-clear")) {
    isCleared = true;
    clearPaste();
  }
  else if (on(".kb-feedback button")) giveFeedback(on(".kb-feedback button"));
};

whenSectionFails(failed);
document.addEventListener("keydown", onKey, true);
document.addEventListener("click", onAsk, true);
document.addEventListener("click", onClick, true);
window.addEventListener("pagehide", keepDraft);
// Should the server never answer the page's first event, what there is shall be seen.
setTimeout(() => document.body.classList.add("kb-ready"), 8000);

window.kbChat = { answered, emptied, failed, storedLanguage, withCleared, worded };
