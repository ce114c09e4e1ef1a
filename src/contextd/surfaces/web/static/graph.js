// Looking closer without loading the page: the links beside the graph do the same without script.
const frame = document.querySelector("[data-graph]");
const links = document.querySelectorAll("[data-zooms] a");
const LEAST = 0.25;
const MOST = 4;
const STEP = 1.3;

function zooming() {
  const svg = frame.querySelector("svg");
  const wide = Number(svg.dataset.width);
  const high = Number(svg.dataset.height);
  const scale = () => svg.getBoundingClientRect().width / wide;
  const set = (wanted, x = frame.clientWidth / 2, y = frame.clientHeight / 2) => {
    const before = scale();
    const after = Math.min(MOST, Math.max(LEAST, wanted));
    const left = (frame.scrollLeft + x) / before;
    const top = (frame.scrollTop + y) / before;
    frame.classList.remove("fit");
    svg.setAttribute("width", wide * after);
    svg.setAttribute("height", high * after);
    // What was under the pointer, or in the middle, stays there.
    frame.scrollTo(left * after - x, top * after - y);
  };
  const fit = () => {
    svg.setAttribute("width", wide);
    svg.setAttribute("height", high);
    frame.classList.add("fit");
  };
  const acts = [() => set(scale() / STEP), () => set(scale() * STEP), fit];
  links.forEach((link, place) => {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      acts[place]();
    });
  });
  frame.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      const box = frame.getBoundingClientRect();
      set(scale() * (event.deltaY < 0 ? STEP : 1 / STEP), event.clientX - box.left, event.clientY - box.top);
    },
    { passive: false },
  );
  frame.addEventListener("keydown", (event) => {
    const act = { "-": acts[0], "+": acts[1], "=": acts[1], 0: acts[2] }[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
}

// The lines of the node that is looked at stand out among many.
function following() {
  const lines = frame.querySelectorAll("[data-ends]");
  const show = (node) => {
    for (const line of lines) {
      const its = Boolean(node) && line.dataset.ends.split(" ").includes(node.dataset.node);
      line.classList.toggle("followed", its);
    }
  };
  for (const node of frame.querySelectorAll("[data-node]")) {
    node.addEventListener("pointerenter", () => show(node));
    node.addEventListener("pointerleave", () => show(null));
    node.addEventListener("focus", () => show(node));
    node.addEventListener("blur", () => show(null));
  }
}

if (frame) {
  zooming();
  following();
  if (!frame.classList.contains("fit")) frame.scrollLeft = (frame.scrollWidth - frame.clientWidth) / 2;
}
