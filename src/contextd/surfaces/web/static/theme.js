// Runs before the first paint, so that a chosen theme never flashes.
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  try {
    const chosen = localStorage.getItem("contextd-theme");
    if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  } catch {
    // Storage is off: the system's theme it is.
  }
})();
