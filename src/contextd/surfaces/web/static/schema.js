// The form and the YAML show the same types. Whichever was edited last is sent to be checked; the
// answer fills the other one. The cards are drawn by the server: here they only come alive.
const editor = document.querySelector("[data-editor]");
const list = editor.querySelector("[data-list]");
const nothing = editor.querySelector("[data-nothing]");
const text = editor.querySelector("textarea[name=text]");
const state = editor.querySelector("[data-state]");
const problems = editor.querySelector("[data-problems]");
const csrf = editor.querySelector("input[name=csrf]").value;
const projectName = editor.querySelector("input[name=project]").value;
const typeCard = document.querySelector("#type-card").content;
const fieldRow = document.querySelector("#field-row").content;
const PAUSE = 200;

const own = new WeakMap(); // a row's default as it was: the form shows it as text only

function wakeRow(row) {
  const box = row.querySelector("[data-default]");
  own.set(row, { shown: box.value, value: JSON.parse(row.dataset.given ?? "null") });
}

function addField(rows, name = "", field = {}) {
  const row = fieldRow.cloneNode(true).querySelector("li");
  const type = row.querySelector("[data-type]");
  row.querySelector("[data-name]").value = name;
  type.value = field.type ?? "string";
  row.querySelector("[data-required]").checked = Boolean(field.required);
  row.toggleAttribute("data-identifies", Boolean(field.identifies));
  row.querySelector("[data-about]").value = field.description ?? "";
  row.querySelector("[data-values]").value = (field.values ?? []).join(", ");
  row.querySelector("[data-values]").hidden = type.value !== "enum";
  const given = field.default ?? null;
  const shown = given === null ? "" : Array.isArray(given) ? given.join(", ") : String(given);
  row.querySelector("[data-default]").value = shown;
  row.dataset.given = JSON.stringify(given);
  wakeRow(row);
  rows.append(row);
  return row;
}

function addType(type = { name: "", description: "", fields: {} }) {
  const item = typeCard.cloneNode(true).querySelector("li");
  item.querySelector("[data-type-name]").value = type.name;
  item.querySelector("[data-type-about]").value = type.description ?? "";
  const rows = item.querySelector("[data-fields]");
  for (const [name, field] of Object.entries(type.fields ?? {})) addField(rows, name, field);
  list.append(item);
  nothing.hidden = true;
  return item;
}

function show(types) {
  list.replaceChildren();
  for (const type of types) addType(type);
  nothing.hidden = types.length > 0;
}

const words = (value) => value.split(",").map((part) => part.trim()).filter(Boolean);

function defaultOf(row, type) {
  const given = row.querySelector("[data-default]").value.trim();
  const kept = own.get(row);
  if (given === kept.shown) return kept.value;
  if (given === "") return null;
  if (type === "number" && !Number.isNaN(Number(given))) return Number(given);
  if (type === "boolean" && ["true", "false"].includes(given)) return given === "true";
  return type === "string[]" ? words(given) : given;
}

function readField(row) {
  const type = row.querySelector("[data-type]").value;
  const spec = { type };
  if (row.querySelector("[data-required]").checked) spec.required = true;
  if (row.hasAttribute("data-identifies")) spec.identifies = true;
  const about = row.querySelector("[data-about]").value.trim();
  if (about) spec.description = about;
  if (type === "enum") spec.values = words(row.querySelector("[data-values]").value);
  const standard = defaultOf(row, type);
  if (standard !== null) spec.default = standard;
  return spec;
}

function read() {
  const types = {};
  const found = [];
  for (const card of list.querySelectorAll("[data-card]")) {
    const typeBox = card.querySelector("[data-type-name]");
    const name = typeBox.value.trim();
    if (!name) {
      found.push({ at: typeBox, message: "This type has no name." });
      continue;
    }
    if (Object.hasOwn(types, name)) found.push({ at: typeBox, message: `Two types are called ${name}.` });
    const fields = {};
    for (const row of card.querySelectorAll("[data-field]")) {
      const box = row.querySelector("[data-name]");
      const field = box.value.trim();
      if (!field) {
        found.push({ at: box, message: `This field of ${name} has no name.` });
        continue;
      }
      if (Object.hasOwn(fields, field)) found.push({ at: box, message: `${name} has two fields called ${field}.` });
      fields[field] = readField(row);
    }
    const about = card.querySelector("[data-type-about]").value.trim();
    types[name] = { ...(about && { description: about }), fields };
  }
  return { types, found };
}

// The box of a type or a field that the server names, or nothing where the form has none.
function boxOf(where) {
  for (const card of list.querySelectorAll("[data-card]")) {
    const typeBox = card.querySelector("[data-type-name]");
    const name = typeBox.value.trim();
    if (where === name) return typeBox;
    for (const box of card.querySelectorAll("[data-name]")) {
      if (where === `${name}.${box.value.trim()}`) return box;
    }
  }
  return null;
}

function mark({ at, message }) {
  const note = document.createElement("p");
  note.className = "wrong small";
  note.dataset.error = "";
  note.id = `error-${editor.querySelectorAll("[data-error]").length}`;
  note.textContent = message;
  at.setAttribute("aria-invalid", "true");
  at.setAttribute("aria-describedby", note.id);
  (at.closest("[data-field]") ?? at.closest(".type-head")).append(note);
}

function tell(found) {
  state.className = `badge ${found.length ? "bad" : "good"}`;
  state.textContent = found.length ? `${found.length} problem${found.length > 1 ? "s" : ""}` : "valid";
  text.setAttribute("aria-invalid", String(found.some((problem) => !problem.at)));
  for (const note of editor.querySelectorAll("[data-error]")) note.remove();
  for (const box of list.querySelectorAll("[aria-invalid]")) {
    box.removeAttribute("aria-invalid");
    box.removeAttribute("aria-describedby");
  }
  for (const problem of found) if (problem.at) mark(problem);
  problems.replaceChildren(
    ...found.map(({ message }) => {
      const item = document.createElement("li");
      item.className = "wrong";
      item.textContent = message;
      return item;
    }),
  );
}

let asked = 0;
async function check(body) {
  const mine = ++asked;
  editor.setAttribute("aria-busy", "true");
  let answer;
  try {
    const response = await fetch("/schema/check", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", "x-csrf-token": csrf },
      body: JSON.stringify({ ...body, project: projectName, scope: editor.dataset.scope }),
    });
    answer = await response.json();
  } catch {
    answer = { error: { message: "contextd does not answer; it may have stopped" } };
  }
  if (mine !== asked) return null;
  editor.removeAttribute("aria-busy");
  if (answer.error) answer = { problems: [{ line: 0, message: answer.error.message, hint: answer.error.hint }] };
  const lines = body.types === undefined; // of the file as it is typed; the form has no lines
  tell(
    answer.problems.map((p) => ({
      at: p.where ? boxOf(p.where) : null,
      message: (lines && p.line ? `Line ${p.line}: ` : "") + p.message + (p.hint ? ` (${p.hint})` : ""),
    })),
  );
  return answer.problems.length ? null : answer;
}

let timer;
function soon(run) {
  // An answer still under way is about what stood there before: it must not be written over this.
  asked += 1;
  clearTimeout(timer);
  timer = setTimeout(run, PAUSE);
}

// What was edited last, until it was found to be valid: only then the other one shows the same.
let edited = null;

// The file as it is in the editor goes along: its comments stay where they are.
async function settle() {
  if (edited === text) {
    const answer = await check({ text: text.value });
    if (!answer) return false;
    show(answer.types);
  } else if (edited === list) {
    const { types, found } = read();
    if (found.length) {
      asked += 1;
      editor.removeAttribute("aria-busy");
      tell(found);
      return false;
    }
    const answer = await check({ types, base: text.value });
    if (!answer) return false;
    text.value = answer.text;
  }
  edited = null;
  return true;
}

function changed() {
  edited = list;
  soon(settle);
}

function move(item, up) {
  const other = up ? item.previousElementSibling : item.nextElementSibling;
  if (!other) return;
  const focused = document.activeElement;
  if (up) other.before(item);
  else other.after(item);
  focused.focus();
  changed();
}

function remove(item) {
  const row = item.matches("[data-field]");
  const next = item.nextElementSibling ?? item.previousElementSibling;
  const home = row ? item.closest("[data-card]").querySelector("[data-add-field]") : editor.querySelector("[data-add-type]");
  item.remove();
  nothing.hidden = list.children.length > 0;
  (next?.querySelector("input") ?? home).focus();
  changed();
}

const itemOf = (element) => element.closest("[data-field]") ?? element.closest("[data-list] > li");

list.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.matches("[data-add-field]")) {
    addField(button.closest("[data-card]").querySelector("[data-fields]")).querySelector("[data-name]").focus();
  } else if (button.matches("[data-remove]")) remove(itemOf(button));
  else if (button.matches("[data-up], [data-down]")) move(itemOf(button), button.matches("[data-up]"));
});
list.addEventListener("input", changed);
list.addEventListener("change", (event) => {
  if (event.target.matches("[data-type]")) {
    event.target.closest("[data-field]").querySelector("[data-values]").hidden = event.target.value !== "enum";
  }
  changed();
});
list.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target.tagName === "INPUT") {
    // Never sends a half-finished schema: the next field is what one wants while typing.
    event.preventDefault();
    const row = event.target.closest("[data-field]");
    const card = event.target.closest("[data-card]");
    const next = row ? row.nextElementSibling : card.querySelector("[data-field]");
    (next ?? addField(card.querySelector("[data-fields]"))).querySelector("[data-name]").focus();
  }
  if (event.altKey && ["ArrowUp", "ArrowDown"].includes(event.key)) {
    event.preventDefault();
    move(itemOf(event.target), event.key === "ArrowUp");
  }
});
text.addEventListener("input", () => {
  edited = text;
  soon(settle);
});
// Sent before it is valid, the file would go without what the form holds, and the form be drawn anew.
editor.addEventListener(
  "submit",
  async (event) => {
    if (!edited) return;
    event.preventDefault();
    clearTimeout(timer);
    asked += 1;
    if (await settle()) editor.requestSubmit(event.submitter);
    else (editor.querySelector('[aria-invalid="true"]') ?? text).focus();
  },
  { capture: true }, // before the page disables the button of a form that is sent
);
editor.querySelector("[data-add-type]").addEventListener("click", () => {
  const item = addType();
  addField(item.querySelector("[data-fields]"));
  item.querySelector("[data-type-name]").focus();
});
for (const row of list.querySelectorAll("[data-field]")) wakeRow(row);
