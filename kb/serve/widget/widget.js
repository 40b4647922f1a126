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

// --- secrets: what they look like is in the server's patterns, which `P` holds as expressions ---
const P = {};
let plain; // what escapes stand for

/** Return the secret that a key keeps, if it is one; `found` is key and value. */
const keyed = (view, found) => {
  const { c, sign = "", pair, comma, verb, gap, v, w, scheme } = found.groups;
  const before = view.slice(Math.max(0, found.index - 64), found.index);
  const end = P.key.lastIndex;
  const after = view.slice(end, end + 9);
  const first = P.name.exec(before)[0];
  const name = first + P.word.exec(found[0])[0];
  const squashed = name.toLowerCase().replace(/[-_. –—]/g, "");
  const ends = (word) => squashed.endsWith(word);
  const isFlag = /^(?:--|[–—])/.test(name);
  const isUpper = name === name.toUpperCase();
  const isHeader = ends("authorization");
  const isToken = ends("token");
  let isWeak = false; // often no secret: only what looks made up is one
  if (isToken) isWeak = P.text.test(name) || !(isUpper || isFlag || P.issued.test(name));
  else if (!P.strong.test(squashed)) {
    if (!isUpper || !/_(?:KEY|PASS|PWD)$/.test(name)) return;
    isWeak = ends("key");
  }
  if (isFlag ? verb || pair || (sign && sign !== "=") : gap || (comma && !c)) return;
  let value = (v ?? w).trim();
  let isProse = verb; // a word is none, something with a digit is
  if (v !== undefined) {
    if (isHeader) value = value.replace(/^[a-z][\w-]{2,20}[ \t]+(?=\S)/i, "");
    else isProse = isProse || (comma && !isFlag);
    if (isFlag && value.startsWith("--")) return;
  } else {
    value = value.split(P.end, 1)[0].replace(P.closing, "");
    const isWord = /^[a-z]+$/i.test(value);
    if (isWord && (isFlag || sign.includes(":")) && P.following.test(after)) return;
    if (isFlag) {
      if ((c && !gap?.includes("\n")) || P.sentence.test(value)) return;
    } else if (isHeader && !scheme) isProse = true;
    else if (scheme) {
      if (isWord && !isHeader) return;
    } else if (!verb && !pair && !/[?&;]/.test(before.slice(0, -first.length).slice(-1))) {
      const isVariable = isUpper && !c && !(isWord && sign === ":");
      if (P[isVariable ? "attribute" : "code"].test(value)) return;
    }
  }
  const bare = value.toLowerCase().replace(/[[\]()., _-]/g, "");
  if (P.nothing.test(value) || (bare.length > 2 && ends(bare)) // `--api-key API_KEY`
    || (ends("cookie") && !value.includes("=")) || (isToken && !P.made.test(value))
    || (isWeak && !P.random.test(value)) || (isProse && !/^(?=.*\d).{6}/.test(value))) return;
  if (v !== undefined) return value;
  const whole = P[ends("cookie") ? "line" : "whole"]; // so far it was judged by its beginning
  whole.lastIndex = end - w.length;
  return whole.exec(view)[0].replace(P.closing, "");
};

/** Return the places of secrets, as [start, end, value]. */
const secrets = (view) => {
  const spans = [];
  const add = (start, value) => spans.push([start, start + value.length, value]);
  for (const form in P) {
    if (!form.startsWith("form")) continue;
    for (const { 0: whole, groups: { v, w = v }, index } of view.matchAll(P[form])) {
      if (!P.nothing.test(w.trim())) add(index + whole.lastIndexOf(w), w);
    }
  }
  const named = new Set();
  for (let found; (found = P.key.exec(view)); ) {
    const value = keyed(view, found);
    const { q = "", v, w = v } = found.groups;
    // What is no secret may hold one.
    const start = P.key.lastIndex - w.length - q.length;
    P.key.lastIndex = Math.max(start, found.index + 1);
    if (!value) continue;
    named.add(value);
    const at = view.indexOf(value, start);
    add(at, value);
    P.more.lastIndex = P.key.lastIndex = at + value.length + q.length;
    if (!found[0].includes("[")) continue;
    for (let more; (more = P.more.exec(view)); P.key.lastIndex = P.more.lastIndex) {
      add(P.more.lastIndex - more.groups.v.length - 1, more.groups.v);
    }
  }
  let left = 5e8;
  for (const value of named) { // where they stand without their key
    if ((left -= view.length) < 0) break;
    if (value.length < 8 || !/\d/.test(value) || !/\D/.test(value)) continue;
    for (let at = -1; (at = view.indexOf(value, at + 1)) >= 0; ) {
      const end = at + value.length;
      const beside = view.slice(Math.max(0, at - 1), at) + view.slice(end, end + 1);
      if (value.length > 15 || !/[a-z\d]/i.test(beside)) add(at, value);
    }
  }
  return spans.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
};
const mask = (text) => {
  // Escapes become plain, and every character keeps its place.
  const view = text.replace(P.escape, (written) => (plain[written] || "").padEnd(written.length));
  const seen = new Map();
  let masked = "";
  let done = 0;
  for (const [start, end, value] of secrets(view)) {
    if (end <= done) continue;
    if (start >= done) {
      if (!seen.has(value)) seen.set(value, `<secret-${seen.size + 1}>`);
      masked += text.slice(done, start) + seen.get(value) + value.replace(/[^\n]+/g, "");
    }
    done = end;
  }
  return { text: masked + text.slice(done), count: seen.size };
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
    const given = input.value;
    reply.replaceChildren();
    state.textContent = given.trim() ? words.busy : words.empty;
    if (!given.trim()) return input.focus();
    if (!P.key) {
      const patterns = await call("masking");
      if (!patterns) return; // nothing is sent that could not be masked
      ({ plain } = patterns);
      for (const name in patterns.forms) P[name] = new RegExp(...patterns.forms[name]);
    }
    const { text, count } = mask(given);
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
