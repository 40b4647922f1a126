// Whether a section helped: the buttons under it, and what becomes of a press.

const send = async (box, helpful, reason) => {
  const { section, language, paste } = box.dataset;
  const vote = { section, language, helpful };
  if (!helpful) {
    vote.reason = reason;
    if (paste) vote.paste = paste; // masked lines, as the server wrote them into the page
  }
  const response = await fetch("./chat-feedback", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(vote),
  }).catch(() => null);
  return response?.ok ?? false;
};

const vote = async (box, button) => {
  const buttons = [...box.querySelectorAll("button")];
  const status = box.querySelector(".kb-feedback-status");
  for (const other of buttons) other.disabled = true;
  const kept = await send(box, button.dataset.helpful === "true", button.dataset.reason);
  if (kept) {
    box.querySelector(".kb-feedback-ask").hidden = true;
    box.querySelector(".kb-feedback-why").hidden = true;
  } else {
    for (const other of buttons) other.disabled = false;
  }
  status.textContent = kept ? box.dataset.thanks : box.dataset.failed;
  status.tabIndex = -1;
  status.focus({ preventScroll: true }); // the button that had the focus is gone
};

const askWhy = (box, button) => {
  const why = box.querySelector(".kb-feedback-why");
  why.hidden = !why.hidden;
  button.setAttribute("aria-expanded", String(!why.hidden));
  if (!why.hidden) why.querySelector("button").focus();
};

export const giveFeedback = (button) => {
  const box = button.closest(".kb-feedback");
  if (button.classList.contains("kb-feedback-no")) askWhy(box, button);
  else vote(box, button);
};
