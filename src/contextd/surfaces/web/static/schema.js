// The form and the YAML show the same types. Whichever was edited last is sent to be checked; the
// answer fills the other one.
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

const own = new WeakMap(); // a row's settings the form does not show, such as a default's type

function addField(rows, name = "", field = {}) {
  const row = fieldRow.cloneNode(true).querySelector("li");
  const type = row.querySelector("[data-type]");
  const values = row.querySelector("[data-values]");
  row.querySelector("[data-name]").value = name;
  type.value = field.type ?? "string";
  row.querySelector("[data-required]").checked = Boolean(field.required);
  row.querySelector("[data-about]").value = field.description ?? "";
  values.value = (field.values ?? []).join(", ");
  const shown = field.default ?? null;
  row.querySelector("[data-default]").value = shown === null ? "" : Array.isArray(shown) ? shown.join(", ") : String(shown);
  own.set(row, { initial: row.querySelector("[data-default]").value, default: shown });
  const fit = () => {
    values.hidden = type.value !== "enum";
  };
  type.addEventListener("change", fit);
  fit();
  row.querySelector("[data-remove-field]").addEventListener("click", () => {
    const next = row.nextElementSibling ?? row.previousElementSibling;
    row.remove();
    (next?.querySelector("input") ?? rows.parentElement.querySelector("[data-add-field]")).focus();
    changed();
  });
  rows.append(row);
  return row;
}

function addType(type = { name: "", description: "", fields: {} }) {
  const card = typeCard.cloneNode(true).querySelector("fieldset");
  const rows = card.querySelector("[data-fields]");
  card.querySelector(".type-head [data-name]").value = type.name;
  card.querySelector(".type-head [data-about]").value = type.description ?? "";
  for (const [name, field] of Object.entries(type.fields ?? {})) addField(rows, name, field);
  card.querySelector("[data-add-field]").addEventListener("click", () => {
    addField(rows).querySelector("[data-name]").focus();
  });
  card.querySelector("[data-remove-type]").addEventListener("click", () => {
    card.remove();
    nothing.hidden = list.querySelector("fieldset") !== null;
    editor.querySelector("[data-add-type]").focus();
    changed();
  });
  list.append(card);
  nothing.hidden = true;
  return card;
}

function show(types) {
  for (const card of list.querySelectorAll("fieldset")) card.remove();
  nothing.hidden = types.length > 0;
  nothing.textContent = "No type yet. Take a template, or add the first one.";
  for (const type of types) addType(type);
}

const words = (value) => value.split(",").map((part) => part.trim()).filter(Boolean);

function defaultOf(row, type) {
  const given = row.querySelector("[data-default]").value.trim();
  const kept = own.get(row);
  if (given === kept.initial) return kept.default;
  if (given === "") return null;
  if (type === "number" && !Number.isNaN(Number(given))) return Number(given);
  if (type === "boolean" && ["true", "false"].includes(given)) return given === "true";
  return type === "string[]" ? words(given) : given;
}

function read() {
  const types = {};
  const found = [];
  for (const card of list.querySelectorAll("fieldset")) {
    const name = card.querySelector(".type-head [data-name]").value.trim();
    if (!name) {
      found.push("A type has no name.");
      continue;
    }
    if (Object.hasOwn(types, name)) found.push(`Two types are called ${name}.`);
    const fields = {};
    for (const row of card.querySelectorAll(".field-row")) {
      const field = row.querySelector("[data-name]").value.trim();
      if (!field) {
        found.push(`A field of ${name} has no name.`);
        continue;
      }
      if (Object.hasOwn(fields, field)) found.push(`${name} has two fields called ${field}.`);
      const type = row.querySelector("[data-type]").value;
      const spec = { type };
      if (row.querySelector("[data-required]").checked) spec.required = true;
      const about = row.querySelector("[data-about]").value.trim();
      if (about) spec.description = about;
      if (type === "enum") spec.values = words(row.querySelector("[data-values]").value);
      const standard = defaultOf(row, type);
      if (standard !== null) spec.default = standard;
      fields[field] = spec;
    }
    const about = card.querySelector(".type-head [data-about]").value.trim();
    types[name] = { ...(about && { description: about }), fields };
  }
  return { types, found };
}

function tell(found) {
  state.className = `badge ${found.length ? "bad" : "good"}`;
  state.textContent = found.length ? `${found.length} problem${found.length > 1 ? "s" : ""}` : "valid";
  text.setAttribute("aria-invalid", String(found.length > 0));
  problems.replaceChildren(
    ...found.map((line) => {
      const item = document.createElement("li");
      item.className = "wrong";
      item.textContent = line;
      return item;
    }),
  );
}

let asked = 0;
async function check(body) {
  const mine = ++asked;
  state.className = "badge";
  state.textContent = "checking";
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
  if (answer.error) answer = { problems: [{ line: 0, message: answer.error.message, hint: answer.error.hint }] };
  tell(answer.problems.map((p) => (p.line ? `Line ${p.line}: ` : "") + p.message + (p.hint ? ` (${p.hint})` : "")));
  return answer.problems.length ? null : answer;
}

let timer;
function soon(run) {
  clearTimeout(timer);
  timer = setTimeout(run, PAUSE);
}

function changed() {
  soon(async () => {
    const { types, found } = read();
    if (found.length) {
      asked += 1;
      tell(found);
      return;
    }
    const answer = await check({ types });
    if (answer) text.value = answer.text;
  });
}

list.addEventListener("input", changed);
list.addEventListener("change", changed);
text.addEventListener("input", () => {
  soon(async () => {
    const answer = await check({ text: text.value });
    if (answer) show(answer.types);
  });
});
editor.querySelector("[data-add-type]").addEventListener("click", () => {
  const card = addType();
  addField(card.querySelector("[data-fields]"));
  card.querySelector("[data-name]").focus();
});
// Enter in a field must not send a half-finished schema.
list.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target.tagName === "INPUT") event.preventDefault();
});

show(JSON.parse(editor.dataset.types));
