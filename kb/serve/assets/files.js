// Files, chosen or dropped, are read here into the box; none is uploaded.

import { fill, fillField, find, header, megabytes, strings } from "./page.js";

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

// PowerShell redirects logs as UTF-16; all else is read as UTF-8, with what is none replaced.
const decode = (bytes) => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return new TextDecoder("utf-8").decode(bytes);
};

const readFile = async (file) => {
  const limit = Number(header().dataset.maxChars);
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

const onChoose = (event) => {
  if (!event.target.matches(".kb-file input")) return;
  const [file] = event.target.files;
  if (file) readFile(file);
  event.target.value = ""; // so that the same file can be chosen again
};

export const clearPaste = () => {
  setPaste("");
  tell("");
};

document.addEventListener("dragenter", onDrag, true);
document.addEventListener("dragover", onDrag, true);
document.addEventListener("drop", onDrop, true);
document.addEventListener("change", onChoose);
