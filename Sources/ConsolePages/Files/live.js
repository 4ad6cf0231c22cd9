// What happens now.
import { badge, bytes, choice, clock, element, field, note, number, put, services, title } from "/console/parts.js";

const kinds = { published: ["published", "good"], client: ["client event", ""], connected: ["connected", ""], ended: ["ended", "warn"] };
const limit = 300;

export async function live(main, context) {
  const body = element("tbody", {});
  const state = element("span", { role: "status" }, badge("connecting", ""));
  const count = element("span", { class: "soft" });
  const waiting = element("p", { class: "empty" }, element("strong", {}, "Nothing has happened yet"), "Events appear here as they come.");
  const feed = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Events, the latest first", hidden: true },
    element("table", { class: "feed" }, element("thead", {}, element("tr", {}, ["Time", "What", "Application", "Channel", "Name and user", "Size"].map((name) => element("th", { scope: "col" }, name)))), body));
  let [source, isPaused, held, dropped, seen] = [null, false, [], 0, 0];

  const tell = () => {
    put(count, `${number(seen)} events`, dropped ? `, ${number(dropped)} more came too fast to be shown` : "", isPaused && held.length ? `, ${number(held.length)} wait` : "");
  };
  const show = ({ event, time }) => {
    waiting.hidden = true;
    feed.hidden = false;
    const [text, color] = kinds[event.kind] ?? [event.kind, ""];
    body.prepend(element("tr", {},
      element("td", {}, clock(time)), element("td", {}, badge(text, color)),
      element("td", {}, `${services[event.service] ?? event.service} · ${event.app || "none"}`), element("td", { class: "wrap" }, event.channel ?? ""),
      element("td", { class: "wrap" }, [event.kind === "ended" ? `close code ${event.name ?? "none"}` : event.name ?? "", event.user && ` by ${event.user}`],
        event.payload !== undefined && element("span", { class: "payload" }, event.payload)),
      element("td", { class: "num" }, event.bytes === undefined ? "" : bytes(event.bytes))));
    while (body.children.length > limit) body.lastChild.remove();
  };
  let retry = null;
  const connect = (form) => {
    source?.close();
    clearTimeout(retry);
    // Until the server has taken this filter nothing is shown: what happens meanwhile is missed (rule CO-80).
    put(state, badge("connecting", ""));
    const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
    source = new EventSource(`/console/api/feed?${query}`);
    source.onopen = () => put(state, badge("listening", "good"));
    source.onmessage = (message) => {
      const told = JSON.parse(message.data);
      dropped += told.dropped ?? 0;
      seen += told.events.length;
      for (const event of told.events) {
        if (!isPaused) { show({ event, time: told.time }); continue; }
        held.push({ event, time: told.time });
        if (held.length > limit) held.shift();
      }
      tell();
    };
    source.onerror = () => {
      put(state, badge("trying again", "bad"));
      // Shows the login when the session has ended.
      context.ask("session").catch(() => {});
      // A browser does not repeat what was refused, for instance while as many pages look on as may.
      if (source.readyState === EventSource.CLOSED && !context.isOver) retry = setTimeout(() => connect(form), 3000);
    };
  };
  const pause = element("button", { type: "button", "aria-pressed": "false", onclick: () => {
    isPaused = !isPaused;
    pause.setAttribute("aria-pressed", String(isPaused));
    pause.textContent = isPaused ? "Go on" : "Pause";
    if (!isPaused) { held.forEach(show); held = []; }
    tell();
  } }, "Pause");
  const clear = element("button", { type: "button", onclick: () => { put(body); [held, seen, dropped] = [[], 0, 0]; tell(); } }, "Clear");
  const form = element("form", { class: "bar-form", onsubmit: (event) => { event.preventDefault(); connect(form); }, onchange: () => connect(form) },
    choice("Service", "service", [["", "all"], ...Object.entries(services)], context.parameters.get("service") ?? ""),
    choice("What", "kind", [["", "all"], ...Object.entries(kinds).map(([kind, [text]]) => [kind, text])], context.parameters.get("kind") ?? ""),
    field("Application", "app"), field("Channel begins with", "prefix", { type: "search" }),
    element("label", { class: "check" }, element("input", { type: "checkbox", name: "payloads", value: "1" }), "Show what is said"),
    pause, clear);
  put(main, title("Live feed", "What this server takes now: published messages, client events, and connections. What is said in them belongs to your users, so it is shown only on request, and at most 2 KiB of it.", state, count),
    form, waiting, feed);
  connect(form);
  // An open page is a used session.
  context.repeat(60, () => context.ask("session"));
  context.ends.push(() => { source?.close(); clearTimeout(retry); });
}
