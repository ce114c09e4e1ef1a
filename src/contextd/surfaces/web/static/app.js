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

function shortcuts() {
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const box = document.querySelector("[data-search]");
    if (!box) return;
    event.preventDefault();
    box.focus();
    box.select();
  });
}

function forms() {
  for (const select of document.querySelectorAll("select[data-submit]")) {
    select.addEventListener("change", () => select.form.requestSubmit());
  }
  for (const form of document.querySelectorAll("form")) {
    form.addEventListener("submit", (event) => {
      const question = form.dataset.confirm;
      if (question && !window.confirm(question)) {
        event.preventDefault();
        return;
      }
      if (form.method === "get") {
        // Addresses of lists are worth passing on: only what says something goes into them.
        for (const field of form.elements) if (field.name && !field.value) field.disabled = true;
      }
      // The width stays: only the pointer and the label's strength change while it works.
      form.setAttribute("aria-busy", "true");
    });
  }
  window.addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[aria-busy]")) {
      form.removeAttribute("aria-busy");
      for (const field of form.elements) if (field.name) field.disabled = false;
    }
  });
}

function copying() {
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.hidden = !navigator.clipboard;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      const before = button.textContent;
      button.textContent = "Copied";
      setTimeout(() => {
        button.textContent = before;
      }, 1500);
    });
  }
}

themes();
menu();
shortcuts();
forms();
copying();
