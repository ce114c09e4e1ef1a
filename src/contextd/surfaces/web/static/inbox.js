// Selecting rows, and going on where one was: all of it works without, one by one.
const form = document.querySelector("[data-inbox]");
const PLACE = "contextd-inbox-place";

function selecting() {
  const boxes = [...form.querySelectorAll('input[name="id"]')];
  const all = form.querySelector("[data-all]");
  const told = form.querySelector("[data-selected]");
  const bulk = form.querySelectorAll("[data-bulk-key]");
  const show = () => {
    const count = boxes.filter((box) => box.checked).length;
    told.textContent = count ? `${count} selected` : "";
    all.checked = count === boxes.length;
    all.indeterminate = count > 0 && count < boxes.length;
    for (const button of bulk) button.disabled = !count;
  };
  for (const box of boxes) box.addEventListener("change", show);
  all.addEventListener("change", () => {
    for (const box of boxes) box.checked = all.checked;
    show();
  });
  window.addEventListener("pageshow", show);
  show();
}

function place() {
  const titles = [...form.querySelectorAll("[data-row] a.title")];
  let at = null;
  try {
    at = sessionStorage.getItem(PLACE);
    sessionStorage.removeItem(PLACE);
  } catch {
    // Storage is off: the next key begins at the top.
  }
  if (at !== null) titles[Math.min(titles.length - 1, Number(at))]?.focus();
  form.addEventListener("submit", () => {
    const row = document.activeElement.closest("[data-row]");
    const here = titles.indexOf(row?.querySelector("a.title"));
    try {
      sessionStorage.setItem(PLACE, String(Math.max(0, here)));
    } catch {
      // As above.
    }
  });
}

if (form) {
  selecting();
  place();
}
