// The knowledge base in a page of a portal: a button with a panel, and <sglang-kb-ask> in the text.
// Answers are put in as text, never as HTML. Nothing is stored; of the page's address only the last
// part is sent.
(() => {
"use strict";
const TAG = "sglang-kb-ask";
const script = document.currentScript;
if (!script || customElements.get(TAG)) return;
const home = new URL(".", script.src);
const TIMEOUT_MS = 90000;

const WORDS = {
  open: ["Ask about an error", "오류 물어보기"],
  title: ["SGLang troubleshooting", "SGLang 문제 해결"],
  paste: ["Log from the first traceback on, or a question", "첫 traceback부터의 로그나 질문"],
  ask: ["Ask", "물어보기"],
  selected: ["Ask about the selected text", "선택한 글로 물어보기"],
  close: ["Close", "닫기"],
  busy: ["Looking…", "찾고 있어요…"],
  masked: ["Values hidden before sending: ", "보내기 전에 가린 값: "],
  notFound: ["The knowledge base has nothing that fits.", "지식 베이스에 맞는 내용이 없어요."],
  nearest: ["Nearest sections", "가장 가까운 섹션"],
  here: ["this page", "이 페이지"],
  line: ["Line", "줄"],
  command: ["Your command, changed", "고친 명령"],
  more: ["See also", "함께 보기"],
  copy: ["Copy", "복사"],
  copied: ["Copied", "복사했어요"],
  empty: ["Paste a log or write a question first.", "먼저 로그를 붙여 넣거나 질문을 쓰세요."],
  late: ["No answer in time. Try again.", "제때 답이 오지 않았어요. 다시 해 보세요."],
  wait: ["Too many questions. Try again in a moment. Seconds: ", "질문이 너무 많아요. 잠시 뒤 다시 해 보세요. 초: "],
  failed: ["The knowledge base cannot be reached from this page.", "이 페이지에서는 지식 베이스에 연결할 수 없어요."],
};
// Names the page's section, which wins among near ones; what could hold a token is not sent.
const here = () => /^#?[^=&?]{0,300}$/.exec(location.hash || /[^/]*\/?$/.exec(location.pathname))?.[0];
const wordsOf = (language) => Object.fromEntries(
  Object.entries(WORDS).map(([key, pair]) => [key, pair[+(language === "ko")]]));

const sheet = new CSSStyleSheet(); // no policy on inline styles is in its way
sheet.replaceSync(`
:host { all: initial; color-scheme: inherit; display: block; font: 16px/1.5 system-ui; color: CanvasText }
:host([hidden]) { display: none }
* { box-sizing: border-box; overflow-wrap: anywhere }
button, textarea, pre, dialog { font: inherit; color: inherit; background: Canvas;
  border: 1px solid #888; border-radius: 6px }
button { padding: .5em .8em; cursor: pointer }
.main { background: #1a56b0; color: #fff }
:focus-visible { outline: 3px solid #4a90e2; outline-offset: 2px }
textarea { width: 100%; min-height: 7em; padding: .5em; resize: vertical }
.head, form div { display: flex; flex-wrap: wrap; gap: .5em; justify-content: space-between }
h2, h3, h4 { margin: .5em 0; font-size: 1.1em }
p, ul, ol { margin: .5em 0; padding: 0 }
li { margin-inline-start: 1.5em }
a, .link { color: LinkText }
.link { border: 0; padding: 0; background: none; text-align: start; text-decoration: underline }
code { font: .9em monospace }
pre { margin: 0; padding: .6em; overflow-x: auto; overflow-wrap: normal }
.fence button { display: block; margin: 0 0 .2em auto; padding: .1em .5em; font-size: .8em }
.float { position: fixed; right: 1rem; bottom: 1rem; z-index: 99999; border-radius: 2em }
dialog { inset: auto 1rem 1rem auto; margin: 0; width: min(34rem, 100vw - 2rem); max-height: 90vh }
@media print { .float, dialog { display: none } }`);

const make = (tag, props, ...children) => {
  const node = document.createElement(tag);
  for (const key in props) {
    if (key in node) node[key] = props[key];
    else node.setAttribute(key, props[key]);
  }
  node.append(...children);
  return node;
};

// --- secrets: the server masks more kinds; these do not even leave the page ---
const SECRETS = [
  /()(-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$))/g,
  /()(\b(?:(?:sk|glpat|xox[abp])-[\w-]{16,}|(?:hf|gh[oprsu])_[A-Za-z0-9]{20,}|github_pat_\w{20,}))/g,
  /()(\bA[KS]IA[0-9A-Z]{16}\b)/g,
  /(\bBearer\s+)([\w.~+/=-]{8,})/gi,
  /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,200}:)((?!<)[^\s/@]{1,200})(?=@)/gi,
  /(--(?:admin-)?api-key |api[_-]key["']?\s*[=:]\s*["']?)((?!None\b|null\b)[^\s"',)<$]{6,})/gi,
];
const mask = (text) => {
  const seen = new Map();
  for (const form of SECRETS) {
    text = text.replace(form, (_, before, value) => {
      if (!seen.has(value)) seen.set(value, `<secret-${seen.size + 1}>`);
      return before + seen.get(value) + "\n".repeat(value.split("\n").length - 1);
    });
  }
  return { text, count: seen.size };
};

// --- Markdown: paragraphs, headings, lists, fences, code, bold, links; the rest is text ---
const sectionLink = (onclick, ...label) => make("button", { className: "link", onclick }, ...label);
const INLINE = /(`+)(.+?)\1(?!`)|\*\*(.+?)\*\*|\[((?:`[^`]*`|[^\]`[])+)\]\(([^()\s]+)\)/;
const inline = (text, box, open) => {
  for (let found; (found = INLINE.exec(text)); text = text.slice(found.index + found[0].length)) {
    box.append(text.slice(0, found.index));
    const [whole, , code, bold, label, address] = found;
    if (code) box.append(make("code", {}, code));
    else if (bold) box.append(inline(bold, make("strong"), open));
    else if (/^https?:\/\//i.test(address)) {
      const props = { href: address, target: "_blank", rel: "noopener noreferrer" };
      box.append(inline(label, make("a", props), open));
    } else if (/^[\w./-]*#./.test(address)) {
      const id = address.slice(address.indexOf("#") + 1);
      box.append(inline(label, sectionLink(() => open(id)), open));
    } else box.append(whole);
  }
  box.append(text);
  return box;
};

const fence = (text, words) => {
  const code = make("code", {}, text);
  const copy = make("button", { textContent: words.copy });
  copy.onclick = async () => {
    try {
      await navigator.clipboard.writeText(text);
      copy.textContent = words.copied;
    } catch { // not allowed here: selected, for the keyboard
      getSelection().selectAllChildren(code);
    }
  };
  const pre = make("pre", { tabIndex: 0 }, code);
  return make("div", { className: "fence" }, copy, pre);
};

const ITEM = /^( *)([-*+]|\d{1,9}[.)]) +/;
const markdown = (text, box, words, open) => {
  const lines = text.split("\n");
  for (let i = 0; i < lines.length; ) {
    const line = lines[i];
    const opened = /^ {0,3}(`{3,}|~{3,})/.exec(line);
    const item = ITEM.exec(line);
    const heading = /^#{1,6} +(.*?)(?: *\{[^{}]*\})?$/.exec(line);
    if (!line.trim()) i++;
    else if (opened) {
      const body = [];
      while (++i < lines.length && !lines[i].trim().startsWith(opened[1])) body.push(lines[i]);
      i++;
      box.append(fence(body.join("\n"), words));
    } else if (heading) {
      box.append(inline(heading[1], make("h4"), open));
      i++;
    } else if (item) {
      const list = make(/\d/.test(item[2]) ? "ol" : "ul");
      if (list.start) list.start = parseInt(item[2], 10);
      for (let next = item; next && next[1] === item[1]; next = ITEM.exec(lines[i] ?? "")) {
        const depth = next[0].length;
        const body = [lines[i].slice(depth)];
        const inside = (n) => n < lines.length && lines[n].search(/\S/) >= depth;
        while (inside(++i) || (lines[i] === "" && inside(i + 1))) body.push(lines[i].slice(depth));
        list.append(markdown(body.join("\n"), make("li"), words, open));
      }
      box.append(list);
    } else {
      const body = [line.trim()];
      while (++i < lines.length && lines[i].trim() && !/^( {0,3}(`{3}|~{3})|#{1,6} )/.test(lines[i])
        && !ITEM.test(lines[i])) body.push(lines[i].trim());
      box.append(inline(body.join(" "), make("p"), open));
    }
  }
  return box;
};

// --- what is selected in the page, as long as it is ---
let selected = "";
const boxes = new Set();
document.addEventListener("selectionchange", () => {
  if (document.activeElement?.matches(TAG + ",#sglang-kb")) return; // the cursor is in our box
  selected = String(getSelection()).trim();
  for (const box of boxes) box();
});

/** Return the form with its answer, in a language. */
const askBox = (language) => {
  const words = wordsOf(language);
  const input = make("textarea", { id: "paste", spellcheck: false });
  const label = make("label", { htmlFor: "paste" }, words.paste);
  const submit = make("button", { className: "main", textContent: words.ask });
  const take = make("button", { type: "button", textContent: words.selected });
  const state = make("p", { role: "status" });
  const reply = make("div", { className: "reply", lang: language });
  const form = make("form", {}, label, input, make("div", {}, submit, take), state);
  let turn = 0;

  const call = async (path, body) => {
    const mine = ++turn;
    let got, said;
    try {
      const response = await fetch(new URL("api/v1/" + path, home), {
        ...(body && { method: "POST", body: JSON.stringify(body) }),
        headers: body ? { "content-type": "application/json" } : {},
        credentials: "omit",
        referrerPolicy: "no-referrer",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const wait = response.headers.get("retry-after");
      const content = await response.json();
      if (response.ok) got = content;
      else said = wait ? words.wait + wait : content.message;
    } catch (error) {
      said = error.name === "TimeoutError" ? words.late : words.failed;
    }
    if (mine !== turn) return; // something else has been asked meanwhile
    if (said) state.textContent = said;
    return got;
  };

  const open = async (id) => {
    const got = await call(`sections/${encodeURIComponent(id)}?language=${language}`);
    if (!got) return;
    reply.replaceChildren(section(got));
    const title = reply.querySelector("h3");
    title.tabIndex = -1;
    title.focus();
  };

  const section = (found, folded) => {
    const body = found.markdown.replace(/^#{1,6} .*\n?/, "");
    const lines = (found.matched_lines || []).slice(0, 3).map((hit) =>
      make("p", {}, `${words.line} ${hit.line}: `, make("code", {}, hit.text)));
    const [tag, heading] = folded ? ["details", "summary"] : ["section", "h3"];
    const box = make(tag, {}, make(heading, {}, found.title), ...lines);
    box.dataset.id = found.id;
    return markdown(body, box, words, open);
  };

  const show = (answer) => {
    const parts = [...answer.notes, ...answer.flags.map((flag) => flag.note)].map((note) =>
      make("p", {}, note));
    if (answer.found) {
      parts.unshift(section(answer.sections[0]));
      if (answer.command) {
        parts.push(make("h3", {}, words.command));
        parts.push(fence(answer.command.suggested, words));
      }
      const others = answer.sections.slice(1);
      if (others.length) parts.push(make("h3", {}, words.more));
      parts.push(...others.map((other) => section(other, true)));
    } else {
      const items = answer.nearest.map(({ id, title }) => make("li", {}, sectionLink(() =>
        open(id), title), location.hash === "#" + encodeURI(id) ? ` (${words.here})` : ""));
      if (items.length) {
        parts.push(make("h3", {}, words.nearest), make("ul", {}, ...items));
      }
    }
    reply.replaceChildren(...parts);
  };

  form.onsubmit = async (event) => {
    event.preventDefault();
    const { text, count } = mask(input.value);
    reply.replaceChildren();
    state.textContent = text.trim() ? words.busy : words.empty;
    if (!text.trim()) return input.focus();
    const answer = await call("ask", { paste: text, language, page: here() });
    if (!answer) return;
    const said = [answer.found ? answer.sections[0].title : words.notFound];
    if (count) said.push(words.masked + count);
    state.textContent = said.join(" · ");
    show(answer);
  };
  input.onkeydown = (event) => { // Enter ends a syllable or a line; only with Ctrl it sends
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing) {
      form.requestSubmit();
    }
  };
  take.onclick = () => {
    input.value = selected;
    form.requestSubmit();
    input.focus();
  };
  const refresh = () => (take.hidden = !selected);
  refresh();
  return { nodes: [form, reply], input, refresh };
};

const languageOf = (wanted) =>
  /^ko\b/i.test(wanted || document.documentElement.lang) ? "ko" : "en";

customElements.define(TAG, class extends HTMLElement {
  connectedCallback() {
    if (!this.box) {
      const lang = languageOf(this.getAttribute("language"));
      this.box = askBox(lang);
      const root = this.attachShadow({ mode: "open" });
      root.adoptedStyleSheets = [sheet];
      const label = wordsOf(lang).title;
      root.append(make("div", { lang, role: "group", "aria-label": label }, ...this.box.nodes));
    }
    boxes.add(this.box.refresh);
  }
  disconnectedCallback() {
    boxes.delete(this.box.refresh);
  }
});

// --- the floating button; the dialog is the browser's own, so that the page behind is inert ---
const float = () => {
  const host = make("div", { id: "sglang-kb" });
  const root = host.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = [sheet];
  const button = make("button", { className: "main float", "aria-haspopup": "dialog" });
  let dialog, box, language;
  const build = () => {
    const now = languageOf(script.dataset.language);
    if (now === language) return;
    language = now;
    const words = wordsOf(language);
    button.textContent = words.open;
    dialog?.remove();
    box = askBox(language);
    const close = make("button", { textContent: words.close, onclick: () => dialog.close() });
    const head = make("div", { className: "head" }, make("h2", {}, words.title), close);
    const props = { role: "dialog", "aria-modal": "true", "aria-label": words.title };
    dialog = make("dialog", { lang: language, ...props }, head, ...box.nodes);
    dialog.onclose = () => button.focus();
    dialog.onkeydown = (event) => {
      event.stopPropagation(); // the page's shortcuts, like "s" for search, are not meant
      if (event.key !== "Tab") return;
      const all = [...dialog.querySelectorAll("button, textarea, a[href], summary, pre")]
        .filter((node) => node.checkVisibility());
      const [end, start] = event.shiftKey ? [all[0], all.at(-1)] : [all.at(-1), all[0]];
      if (root.activeElement !== end) return;
      event.preventDefault();
      start.focus();
    };
    root.append(dialog);
  };
  button.onmousedown = (event) => event.preventDefault(); // the selection stays
  button.onclick = () => {
    build();
    box.refresh();
    dialog.showModal();
    box.input.focus();
  };
  build();
  root.prepend(button);
  document.body.append(host);
};
if (document.body) float();
else document.addEventListener("DOMContentLoaded", float);
})();
