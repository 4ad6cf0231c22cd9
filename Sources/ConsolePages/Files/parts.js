// Pieces of pages. Whatever comes from the server goes in as text: nothing here reads HTML.
import { listen, reconcile } from "/console/update.js";

/** An element. Properties that begin with "on" are listeners, others attributes; children are elements and texts. */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) listen(made, key.slice(2), value);
    else if (key === "class") made.className = value;
    else if (key === "value") made.value = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  add(made, children);
  return made;
}

export function add(parent, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

export function put(parent, ...children) {
  parent.replaceChildren();
  add(parent, children);
}

/** Shows what is new and leaves what is not: focus, selection and scroll positions stay (rule CO-70). */
export function update(parent, ...children) {
  const wanted = document.createDocumentFragment();
  add(wanted, children);
  reconcile(parent, wanted);
}

export function title(text, explanation, ...more) {
  return element("div", { class: "head" }, element("h1", {}, text), more, explanation && element("p", {}, explanation));
}

export function empty(what, hint) {
  return element("div", { class: "empty" }, element("strong", {}, what), hint);
}

export function badge(text, kind = "") {
  return element("span", { class: `badge ${kind}` }, text);
}

export function note(kind, heading, text) {
  return element("div", { class: `note ${kind}` }, element("strong", {}, heading), text && element("p", {}, text));
}

/** Names with values, one under the other: [name, value]. */
export function facts(label, rows) {
  return element("dl", { class: "facts", "aria-label": label }, rows.map(([name, value]) =>
    element("div", { "data-key": name }, element("dt", {}, name), element("dd", {}, value))));
}

/** By which column the rows of a table are sorted, by the table's caption. */
const orders = new Map();

/**
 * A table whose header stays, and whose rows are cards on small screens. Columns: {name, cell(row), sort(row), num, wrap, wide, mono}; those with
 * `sort` are sorted by a press on their name. `key` names a row, so that it is found again when the table is brought up to date.
 */
export function table(caption, columns, rows, key = (row, index) => index) {
  const press = (column) => (event) => {
    const isDown = orders.get(caption)?.name === column.name && !orders.get(caption).isDown;
    orders.set(caption, { name: column.name, isDown });
    const region = event.target.closest(".scroll");
    reconcile(region, content());
  };
  const heading = (column) => element("th", { scope: "col", class: column.num && "num",
    "aria-sort": orders.get(caption)?.name === column.name ? (orders.get(caption).isDown ? "descending" : "ascending") : null },
    column.sort ? element("button", { type: "button", class: "sort", title: "Sort the rows that are shown", onclick: press(column) }, column.name) : column.name);
  const line = (row, index) => element("tr", { "data-key": key(row, index) }, columns.map((column) => element(
    "td", { "data-name": column.name, class: [column.num && "num", column.wrap && "wrap", column.wide && "wide", column.mono && "mono"].filter(Boolean).join(" ") || null },
    element("span", {}, column.cell(row)))));
  const content = () => {
    const made = document.createDocumentFragment();
    add(made, element("table", { class: "cards" }, element("caption", { class: "skip" }, caption),
      element("thead", {}, element("tr", {}, columns.map(heading))), element("tbody", {}, sorted(rows, columns, orders.get(caption)).map(line))));
    return made;
  };
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, content());
}

function sorted(rows, columns, order) {
  const value = columns.find((column) => column.name === order?.name)?.sort;
  if (!value) return rows;
  const sign = order.isDown ? -1 : 1;
  const compare = (one, other) => typeof one === "string" || typeof other === "string"
    ? String(one ?? "").localeCompare(String(other ?? ""), "en") : (one ?? -Infinity) - (other ?? -Infinity) || 0;
  return [...rows].sort((one, other) => sign * compare(value(one), value(other)));
}

export const number = (value) => value === null || value === undefined ? "–" : new Intl.NumberFormat("en").format(value);

export function rate(value) {
  if (value === null || value === undefined) return "–";
  return value >= 100 ? number(Math.round(value)) : (Math.round(value * 10) / 10).toString();
}

export function bytes(value) {
  if (value === null || value === undefined) return "–";
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let index = 0;
  while (value >= 1024 && index < units.length - 1) { value /= 1024; index += 1; }
  return `${index && value < 100 ? value.toFixed(1) : Math.round(value)} ${units[index]}`;
}

export function time(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds / 60) % 60} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor(seconds / 3600) % 24} h`;
}

export const clock = (seconds) => new Date(seconds * 1000).toLocaleTimeString("en-GB");

/** How many there are of which these are shown. */
export function total(count, shown, what) {
  const named = (value) => `${number(value)} ${value === 1 ? what.replace(/s$/, "") : what}`;
  const isKnown = count !== null && count !== undefined;
  return element("p", { class: "soft" }, isKnown ? `${named(count)} in all${shown < count ? `, ${number(shown)} are shown` : ""}` : `${named(shown)} on this page`);
}

/** Asks before something that cannot be taken back; the answer is a promise of true or false. */
export function confirm(heading, text, action) {
  return new Promise((resolve) => {
    const dialog = element("dialog", { "aria-labelledby": "ask" },
      element("h2", { id: "ask" }, heading), element("p", {}, text),
      element("div", { class: "actions" },
        element("button", { type: "button", onclick: () => dialog.close("no") }, "Cancel"),
        element("button", { type: "button", class: "danger", onclick: () => dialog.close("yes") }, action)));
    dialog.addEventListener("close", () => { resolve(dialog.returnValue === "yes"); dialog.remove(); });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Says something for a few seconds. */
export function say(kind, heading, text) {
  const shown = note(kind, heading, text);
  document.getElementById("notes").append(shown);
  setTimeout(() => shown.remove(), kind === "good" ? 5000 : 12000);
}

export const services = { pusher: "Pusher", pubnub: "PubNub", chat: "Chat" };

export function choice(label, name, options, value) {
  return element("label", {}, label, element("select", { name }, options.map(([key, text]) =>
    element("option", { value: key, selected: key === value }, text))));
}

export function field(label, name, properties = {}) {
  return element("label", {}, label, element("input", { name, autocomplete: "off", spellcheck: "false", ...properties }));
}
