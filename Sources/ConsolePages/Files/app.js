// The frame of the console: who is logged in, which page is shown, and the way to the server.
import { add, badge, element, note, put, say, update } from "/console/parts.js";
import * as overview from "/console/overview.js";
import * as channels from "/console/channels.js";
import * as live from "/console/live.js";
import * as people from "/console/people.js";
import * as trouble from "/console/trouble.js";

const pages = {
  overview: ["Overview", overview.overview], applications: ["Applications", overview.applications],
  channels: ["Channels", channels.channels], live: ["Live feed", live.live], publish: ["Publish", channels.publish],
  users: ["Users", people.users], connections: ["Connections", people.connections], webhooks: ["Webhooks", trouble.webhooks],
  polls: ["Held polls", people.polls], errors: ["Errors", trouble.errors],
};

const main = document.getElementById("main");
const nav = document.querySelector("nav");
let session = null;
/** The page that is shown: it is stopped before the next one. */
let shown = null;

/** How the server is, in the head of every page. */
function showState(told) {
  update(document.getElementById("state"), !told ? badge("server is gone", "bad")
    : told.reasons.length ? badge(told.reasons.join(", "), "bad") : badge("ready", "good"));
}

/** Asks how the server is, also on pages that do not. */
async function look() {
  if (!session || document.hidden) return;
  try { showState(await request("overview?")); } catch { /* What is wrong has been shown, or the session is over and the page says so. */ }
}

class Refusal extends Error {
  constructor(status, message, retryAfter) { super(message); this.status = status; this.retryAfter = retryAfter; }
}

async function request(path, options = {}) {
  let answer;
  try {
    answer = await fetch(`/console/api/${path}`, { credentials: "same-origin", cache: "no-store", ...options });
  } catch {
    showState(null);
    throw new Refusal(0, "The server does not answer. Is it running, and is the way to it open? The page tries again.");
  }
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refusal(answer.status, body.error ?? `The server answered with status ${answer.status}.`, answer.headers.get("retry-after"));
  return body;
}

/** What pages get: the server, the session, and their own end. */
class Context {
  constructor(parameters) { this.parameters = parameters; this.isOver = false; this.ends = []; }

  state(told) { showState(told); }

  get mayChange() { return session?.role === "admin"; }

  async ask(name, parameters = {}) {
    const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== "" && value !== null && value !== undefined));
    return this.guarded(() => request(`${name}?${query}`));
  }

  async act(name, body, method = "POST") {
    return this.guarded(() => request(name, {
      method, body: JSON.stringify(body), headers: { "content-type": "application/json", "x-lifeline-token": session?.token ?? "" },
    }));
  }

  async guarded(body) {
    try {
      return await body();
    } catch (error) {
      if (error.status === 401 && session) { session = null; showLogin("The session has ended. Log in again."); }
      throw error;
    }
  }

  /** Does something now and every few seconds, while the page can be seen. Trouble is shown once and goes when it is over. */
  repeat(seconds, body) {
    let trouble = null;
    let isBusy = false;
    const once = async () => {
      if (this.isOver || document.hidden || isBusy) return;
      isBusy = true;
      try {
        await body();
        trouble?.remove();
        trouble = null;
      } catch (error) {
        if (!this.isOver && !trouble) { trouble = note("bad", "The page cannot be brought up to date", error.message); main.prepend(trouble); }
      }
      isBusy = false;
    };
    const timer = setInterval(once, seconds * 1000);
    document.addEventListener("visibilitychange", once);
    this.ends.push(() => { clearInterval(timer); document.removeEventListener("visibilitychange", once); });
    return once();
  }

  end() { this.isOver = true; for (const end of this.ends) end(); }
}

function show() {
  shown?.end();
  const [name, query = ""] = location.hash.slice(1).split("?");
  const key = Object.hasOwn(pages, name) ? name : "overview";
  for (const link of nav.children) {
    if (link.hash === `#${key}`) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
  }
  nav.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  document.title = `${pages[key][0]} · Lifeline console`;
  put(main);
  shown = new Context(new URLSearchParams(query));
  const context = shown;
  Promise.resolve(pages[key][1](main, context)).catch((error) => {
    if (!context.isOver) add(main, note("bad", "The page could not be loaded", error.message));
  });
}

function showLogin(message) {
  shown?.end();
  shown = null;
  document.querySelector("header").hidden = true;
  nav.hidden = true;
  document.querySelector(".frame").classList.add("alone");
  document.title = "Log in · Lifeline console";
  const password = element("input", { type: "password", name: "password", autocomplete: "current-password", required: true });
  const button = element("button", { class: "main" }, "Log in");
  const told = element("div", { "aria-live": "assertive" }, message && note("", message));
  const form = element("form", { class: "panel", method: "post", onsubmit: async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      session = await request("login", {
        method: "POST", body: JSON.stringify({ password: password.value }), headers: { "content-type": "application/json" },
      });
      password.value = "";
      start();
    } catch (error) {
      put(told, note("bad", error.status === 401 ? "This is not the password." : error.message));
      password.select();
    }
    button.disabled = false;
  } },
    element("h1", {}, element("img", { src: "/console/icon.svg", alt: "", width: 28, height: 28 }), "Lifeline console"),
    told, element("label", {}, "Password", password), button);
  put(main, element("div", { class: "login" }, form,
    element("p", { class: "soft" }, "The server showed the password at its first start, or has it from LIFELINE_ADMIN_PASSWORD.")));
  password.focus();
}

function start() {
  document.querySelector("header").hidden = false;
  nav.hidden = false;
  document.querySelector(".frame").classList.remove("alone");
  put(nav, Object.entries(pages).map(([key, [text]]) => element("a", { href: `#${key}` }, text)));
  document.getElementById("role").textContent = session.role === "admin" ? "admin" : "read-only";
  show();
  look();
}

setInterval(look, 5000);

document.getElementById("logout").addEventListener("click", async () => {
  try {
    await new Context().act("logout", {});
  } catch (error) {
    if (error.status !== 401) return say("bad", "Not logged out", error.message);
  }
  session = null;
  showLogin("You are logged out.");
});

window.addEventListener("hashchange", () => { if (session) { show(); main.focus({ preventScroll: true }); } });

try {
  session = await request("session");
  start();
} catch (error) {
  if (error.status === 401) showLogin();
  else put(main, note("bad", "The console cannot be used", error.message));
}
