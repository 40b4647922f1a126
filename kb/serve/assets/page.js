// What all parts of the page's script share: its elements, its words, its voice.

export const find = (selector) => document.querySelector(selector);
export const header = () => find(".kb-header");

// The sentences of the page in its language; they come with the header.
export const strings = () => JSON.parse(header().dataset.strings);

export const fill = (sentence, slots) =>
  sentence.replace(/\{(\w+)\}/g, (whole, name) => (name in slots ? slots[name] : whole));

export const megabytes = (size) => (size / 1e6).toFixed(1).replace(/\.0$/, "");

let status;

// Tell screen readers what the others see.
export const say = (sentence) => {
  if (!status) {
    status = document.createElement("div");
    status.className = "kb-unseen";
    status.setAttribute("role", "status");
    document.body.append(status);
  }
  status.textContent = sentence;
};

// Write into a field so that Gradio takes notice.
export const fillField = (field, content) => {
  field.value = content;
  field.dispatchEvent(new Event("input", { bubbles: true }));
};

// Beside the form the answer is near; under it, on a phone, it has to be scrolled to.
export const showAnswers = () => {
  const answers = find("#kb-answers");
  const top = answers.getBoundingClientRect().top;
  if (top < 0 || top > innerHeight / 2) answers.scrollIntoView({ block: "start" });
};
