// Sections open in the place of the answer. The address says which one is open, so that it can be
// shared and the browser's Back leads to the answer again.

import { fill, find, header, showAnswers, strings } from "./page.js";

let language = "en";
let opener = null; // the link that led away from the answer
let onFailure = () => {};

export const setSectionLanguage = (chosen) => {
  language = chosen;
};

export const whenSectionFails = (tell) => {
  onFailure = tell;
};

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

const leaveAddress = () => history.pushState(null, "", location.pathname + location.search);

const closeReader = () => {
  const wasOpen = !reader().hidden;
  reader().hidden = true;
  find("#kb-answer").hidden = false;
  if (wasOpen && opener?.isConnected) opener.focus();
  opener = null;
};

// A new answer takes the place of whatever section is open.
export const showAnswer = () => {
  if (location.hash) leaveAddress();
  opener = null;
  closeReader();
};

const backButton = () => {
  const back = document.createElement("button");
  back.type = "button";
  back.className = "kb-back";
  back.textContent = `← ${strings().back}`;
  return back;
};

const missing = (identifier) => {
  const message = document.createElement("p");
  message.className = "kb-error";
  message.textContent = fill(strings().section_missing, { id: identifier });
  return message;
};

export const openFromAddress = async () => {
  if (!header()) return;
  const identifier = decodeURIComponent(location.hash.slice(1));
  if (!identifier) {
    closeReader();
    return;
  }
  const query = new URLSearchParams({ id: identifier, language });
  const response = await fetch(`./chat-section?${query}`).catch(() => null);
  if (!response || (!response.ok && response.status !== 404)) {
    onFailure();
    return;
  }
  const place = reader();
  place.replaceChildren(backButton());
  if (response.ok) {
    // Written by the server out of Markdown that can hold no markup of its own.
    place.insertAdjacentHTML("beforeend", await response.text());
  } else {
    place.append(missing(identifier));
  }
  place.hidden = false;
  find("#kb-answer").hidden = true;
  showAnswers();
  place.querySelector("article")?.focus({ preventScroll: true });
};

export const openLink = (event, link) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  language = link.closest("[lang]").lang;
  if (reader().hidden) opener = link;
  const { hash } = new URL(link.href);
  if (location.hash === hash) openFromAddress();
  else location.hash = hash;
};

export const goBack = () => {
  if (opener) {
    history.back();
  } else {
    leaveAddress();
    closeReader();
  }
};

window.addEventListener("hashchange", openFromAddress);
