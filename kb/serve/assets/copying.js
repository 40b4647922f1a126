// Copy exactly the text of a block.

import { say } from "./page.js";

// A page over plain http from another machine has no clipboard; a selection still copies.
const copySelected = (content) => {
  const field = document.createElement("textarea");
  field.value = content;
  field.className = "kb-unseen";
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
};

export const copy = async (button) => {
  const content = button.closest(".kb-code").querySelector("[data-copy-source]").textContent;
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(content);
  } else {
    copySelected(content);
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
