// Brings what is shown up to date without replacing it: focus, scroll positions and a selection survive.

/** What elements do, by the type of the event. An element that stays gets the listeners of its newer version. */
const listeners = new WeakMap();

export function listen(node, type, action) {
  const known = listeners.get(node) ?? {};
  if (!known[type]) node.addEventListener(type, (event) => listeners.get(node)[type]?.(event));
  known[type] = action;
  listeners.set(node, known);
}

/** Makes the content of `parent` that of `wanted`. Elements with a data-key are found again by it, others by their place and kind. */
export function reconcile(parent, wanted) {
  const focused = document.activeElement;
  settle(parent, wanted);
  // An element that changed its place among its neighbours has lost the focus.
  if (focused && focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
}

const keyOf = (node) => node.dataset?.key;

function isSame(node, other) {
  return node.nodeType === other.nodeType && node.nodeName === other.nodeName && keyOf(node) === keyOf(other)
    && (node.getAttribute?.("class") ?? "").split(" ")[0] === (other.getAttribute?.("class") ?? "").split(" ")[0];
}

function settle(parent, wanted) {
  const next = [...wanted.childNodes];
  const staying = new Set(next.map(keyOf).filter((key) => key !== undefined));
  const known = new Map([...parent.childNodes].filter((node) => keyOf(node) !== undefined).map((node) => [keyOf(node), node]));
  let place = parent.firstChild;
  const drop = () => { const after = place.nextSibling; place.remove(); place = after; };
  for (const node of next) {
    const key = keyOf(node);
    // What is gone goes first, so that what stays need not move.
    while (place && keyOf(place) !== undefined && !staying.has(keyOf(place))) drop();
    const found = key === undefined ? place : known.get(key);
    if (!found || !isSame(found, node)) { parent.insertBefore(node, place); continue; }
    known.delete(key);
    if (found === place) place = place.nextSibling; else parent.insertBefore(found, place);
    take(found, node);
  }
  while (place) drop();
}

/** Gives an element that stays the attributes, listeners and children of its newer version. What somebody types is theirs. */
function take(node, newer) {
  if (node.nodeType === Node.TEXT_NODE) {
    if (node.data !== newer.data) node.data = newer.data;
    return;
  }
  for (const { name } of [...node.attributes]) if (!newer.hasAttribute(name)) node.removeAttribute(name);
  for (const { name, value } of newer.attributes) if (node.getAttribute(name) !== value) node.setAttribute(name, value);
  if (node.localName === "progress") node.value = newer.value;
  for (const [type, action] of Object.entries(listeners.get(newer) ?? {})) listen(node, type, action);
  if (!["input", "select", "textarea"].includes(node.localName)) settle(node, newer);
}
