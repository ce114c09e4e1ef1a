const root = document.documentElement;

function themes() {
  const buttons = document.querySelectorAll("[data-set-theme]");
  const show = () => {
    for (const button of buttons) {
      const current = root.dataset.theme ?? "system";
      button.setAttribute("aria-pressed", String(button.dataset.setTheme === current));
    }
  };
  for (const button of buttons) {
    button.addEventListener("click", () => {
      const chosen = button.dataset.setTheme;
      if (chosen === "system") delete root.dataset.theme;
      else root.dataset.theme = chosen;
      try {
        localStorage.setItem("contextd-theme", chosen);
      } catch {
        // Storage is off: it holds for this page.
      }
      show();
    });
  }
  show();
}

function menu() {
  const button = document.querySelector("[data-menu]");
  const side = document.querySelector(".side");
  if (!button || !side) return;
  const set = (open) => {
    side.toggleAttribute("data-open", open);
    button.setAttribute("aria-expanded", String(open));
  };
  button.addEventListener("click", () => set(!side.hasAttribute("data-open")));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && side.hasAttribute("data-open")) {
      set(false);
      button.focus();
    }
  });
}

const AFTER_G = 1500; // milliseconds in which the second key must come

function step(forward) {
  const rows = [...document.querySelectorAll(".row a.title, [data-row] a.title")];
  if (!rows.length) return;
  const at = rows.indexOf(document.activeElement);
  const next = at < 0 ? (forward ? 0 : rows.length - 1) : at + (forward ? 1 : -1);
  rows[Math.min(rows.length - 1, Math.max(0, next))].focus();
}

function press(selector) {
  const found = document.querySelector(selector);
  if (found) found.click();
  return Boolean(found);
}

// Keys of a list whose rows can be acted on: `data-key` in a row names what a key presses there,
// `data-bulk-key` what it presses instead while rows are selected.
function act(key) {
  const name = key === " " ? "space" : key;
  if (!/^[a-z]+$/.test(name)) return false;
  const many = document.querySelector(`[data-bulk-key="${name}"]`);
  if (many && document.querySelector("[data-row] :checked")) return press(`[data-bulk-key="${name}"]`);
  const row = document.activeElement.closest("[data-row]");
  const found = row?.querySelector(`[data-key="${name}"]`);
  if (found) found.click();
  return Boolean(found);
}

function search() {
  const box = document.querySelector("[data-search]");
  if (!box) return press('a[href="/records"]');
  box.focus();
  box.select();
  return true;
}

function shortcuts() {
  const keys = document.querySelector("#keys");
  let waiting = 0;
  const acts = {
    "/": search,
    "?": () => (keys ? (keys.showModal(), true) : false),
    j: () => (step(true), true),
    k: () => (step(false), true),
    e: () => press("[data-edit]"),
    n: () => (location.assign("/records/new"), true),
    g: () => ((waiting = Date.now()), true),
  };
  for (const button of document.querySelectorAll("[data-keys]")) button.addEventListener("click", acts["?"]);
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest('input:not([type="checkbox"]), textarea, select, [contenteditable], dialog');
    if (typing || event.ctrlKey || event.metaKey || event.altKey || !keys) return;
    // A space presses what has the focus, unless that is a link.
    if (event.key === " " && !event.target.closest("a")) return;
    const second = Date.now() - waiting < AFTER_G;
    waiting = 0;
    if (second && /^[a-z]$/.test(event.key) && press(`[data-go="${event.key}"]`)) return event.preventDefault();
    if (!act(event.key) && (!Object.hasOwn(acts, event.key) || !acts[event.key]())) return;
    event.preventDefault();
  });
}

const woken = new WeakSet();

function forms(part) {
  for (const form of part.querySelectorAll('form:not([method="dialog"])')) {
    if (woken.has(form)) continue;
    woken.add(form);
    form.addEventListener("submit", (event) => {
      if (event.defaultPrevented) return;
      if (form.hasAttribute("aria-busy") && !form.hasAttribute("data-editor")) {
        event.preventDefault(); // It is on its way.
        return;
      }
      if (form.method === "get") {
        // Addresses of lists are worth passing on: only what says something goes into them.
        for (const field of form.elements) if (field.name && !field.value) field.disabled = true;
      }
      form.setAttribute("aria-busy", "true");
      const button = event.submitter;
      if (!button) return;
      button.setAttribute("aria-busy", "true");
      // Not before the form is sent: a disabled button sends no value.
      setTimeout(() => {
        button.disabled = true;
      });
    });
  }
}

function choices() {
  for (const select of document.querySelectorAll("select[data-submit]")) {
    select.addEventListener("change", () => select.form.requestSubmit());
  }
  window.addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[aria-busy]")) {
      form.removeAttribute("aria-busy");
      for (const field of form.elements) {
        field.disabled = false;
        field.removeAttribute("aria-busy");
      }
    }
  });
}

function copying() {
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.disabled = !navigator.clipboard;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = "Done";
      setTimeout(() => {
        button.textContent = "Copy";
      }, 1500);
    });
  }
}

const LOOK_AGAIN = 3000; // milliseconds

// A part that changes by itself is fetched again until nothing in it is under way. It waits while
// somebody reads with the keyboard in it, or does not look at the page at all.
function live() {
  const look = async () => {
    const part = document.querySelector("[data-live]");
    if (!part) return;
    if (!document.hidden && !part.contains(document.activeElement)) {
      try {
        const response = await fetch(location.href, { headers: { accept: "text/html" } });
        const page = new DOMParser().parseFromString(await response.text(), "text/html");
        const fresh = page.querySelector(`#${part.id}`);
        if (!response.ok || !fresh) return;
        if (fresh.innerHTML !== part.innerHTML) part.replaceWith(fresh);
        forms(document.querySelector(`#${part.id}`));
      } catch {
        return; // The daemon stopped; what is shown stays.
      }
    }
    setTimeout(look, LOOK_AGAIN);
  };
  setTimeout(look, LOOK_AGAIN);
}

themes();
menu();
shortcuts();
forms(document);
choices();
copying();
live();
