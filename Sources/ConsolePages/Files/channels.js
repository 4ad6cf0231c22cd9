// Channels with their members, and publishing.
import { add, badge, choice, element, empty, field, note, number, put, services, table, title, total, update } from "/console/parts.js";

/** A choice of an application; keeps what was chosen in the address. */
export async function applicationChoice(context, isOffered = () => true) {
  const { applications } = await context.ask("applications");
  const offered = applications.filter(isOffered);
  const wanted = `${context.parameters.get("service")} ${context.parameters.get("app")}`;
  const keys = offered.map((each) => [`${each.service} ${each.id}`, `${services[each.service] ?? each.service} · ${each.id}`]);
  const label = choice("Application", "application", keys, wanted);
  return { label, get chosen() {
    const key = label.querySelector("select").value;
    return offered.find((each) => `${each.service} ${each.id}` === key);
  } };
}

export async function channels(main, context) {
  const chooser = await applicationChoice(context);
  const place = element("div", {});
  const detail = element("div", {});
  const search = field("Name contains", "contains", { type: "search", value: context.parameters.get("contains") ?? "" });
  const kinds = choice("List", "kind", [["open", "open channels"], ["group", "groups"]], context.parameters.get("kind") ?? "open");
  const accesses = choice("Kind", "access", [["", "all"], ...["public", "private", "presence", "encrypted", "cache"].map((each) => [each, each])], context.parameters.get("access") ?? "");
  let pages = [null];
  /** Answers to what was asked before are not shown. */
  let turn = 0;
  const load = async () => {
    const app = chooser.chosen;
    if (!app) return put(place, empty("No applications", "There is nothing to list."));
    const isChat = app.service === "chat";
    kinds.hidden = !isChat;
    accesses.hidden = app.service !== "pusher";
    const chosen = isChat ? kinds.querySelector("select").value : app.service === "pusher" ? accesses.querySelector("select").value : null;
    const mine = ++turn;
    const contains = search.querySelector("input").value;
    const told = await context.ask("channels", { service: app.service, app: app.id, kind: chosen, contains, after: pages.at(-1), limit: 100 });
    if (context.isOver || mine !== turn) return;
    const what = chosen === "group" ? "groups" : "channels";
    const columns = [
      { name: "Channel", sort: (row) => row.name, mono: true, wrap: true, cell: (row) => [row.name, row.title && element("span", { class: "soft block" }, row.title)] },
      { name: "Kind", cell: (row) => chosen === "group" ? badge("group") : kind(app.service, row.name) },
      { name: "Subscriptions", sort: (row) => row.subscriptions, num: true, cell: (row) => number(row.subscriptions) },
      { name: "Users", sort: (row) => row.users, num: true, cell: (row) => number(row.users) },
      { name: "", cell: (row) => (app.service !== "pusher" || row.name.startsWith("presence-")) && element("button", { type: "button", "aria-label": `Members of ${row.name}`, onclick: () => members(context, detail, app, row.name, chosen) }, "Members") },
    ];
    const hint = app.service === "pusher" && chosen && !contains ? `No ${chosen} channel has a subscriber now.` : contains ? `None of them has “${contains}” in its name${told.next ? " so far; More looks further" : ""}.`
      : chosen === "group" ? "Groups appear when the application's server or a user makes one."
      : isChat ? "Open channels appear when somebody enters one." : "Channels appear while somebody is subscribed to them.";
    update(place, total(told.total, told.channels.length, what),
      told.channels.length ? table("Channels", columns, told.channels, (row) => row.name) : empty(`No ${what}`, hint),
      (told.next || pages.length > 1) && element("p", { class: "legend" },
        element("button", { type: "button", disabled: pages.length < 2, onclick: () => { pages.pop(); load(); } }, "Back"),
        element("button", { type: "button", disabled: !told.next, onclick: () => { pages.push(told.next); load(); } }, "More"), ` page ${pages.length}`));
  };
  const fresh = (event) => { event.preventDefault(); pages = [null]; put(detail); load().catch((error) => put(place, note("bad", "The channels could not be listed", error.message))); };
  put(main, title("Channels", "Channels with somebody in them, and chat's groups, in the order of their names. Lists come from where it is decided, so they are those of the whole cluster."),
    element("form", { class: "bar-form", onsubmit: fresh, onchange: fresh }, chooser.label, kinds, accesses, search, element("button", {}, "List")), element("div", { class: "split" }, place, detail));
  await context.repeat(5, load);
}

function kind(service, name) {
  if (service === "pubnub") return badge("channel");
  if (service === "chat") return badge("open channel");
  if (name.startsWith("presence-")) return badge("presence", "good");
  if (name.startsWith("private-encrypted-")) return badge("encrypted", "good");
  if (name.startsWith("private-")) return badge("private", "good");
  return badge(name.startsWith("#") ? "user" : name.startsWith("cache-") ? "cache" : "public");
}

async function members(context, place, app, channel, kind) {
  put(place, element("p", { class: "soft" }, "Loading …"));
  let content;
  try {
    const told = await context.ask("channel", { service: app.service, app: app.id, kind, channel });
    if (!told.hasMembers) content = empty("This channel has no member list", "Pusher knows members of presence channels only.");
    else if (!told.members.length) content = empty("Nobody is here", "Members appear while they are in the channel.");
    else content = [element("p", { class: "soft" }, `${number(told.count)} in all${told.members.length < told.count ? `, the first ${told.members.length} are shown` : ""}`),
      table("Members", [{ name: "User", mono: true, wrap: true, cell: (row) => row }], told.members, (row) => row)];
  } catch (error) {
    content = note("bad", "The members could not be listed", error.message);
  }
  put(place, element("section", { class: "panel", tabindex: "-1" }, element("div", { class: "head" }, element("h2", {}, "Members of ", element("span", { class: "mono" }, channel)),
    element("button", { type: "button", class: "quiet", onclick: () => put(place) }, "Close")), content));
  place.firstChild.focus({ preventScroll: true });
  place.scrollIntoView({ block: "nearest" });
}

export async function publish(main, context) {
  const chooser = await applicationChoice(context);
  const told = element("div", { "aria-live": "polite" });
  const fields = element("div", { class: "fields" });
  const button = element("button", { class: "main", disabled: !context.mayChange }, "Publish");
  const draw = () => {
    const service = chooser.chosen?.service;
    put(fields,
      service === "chat" && choice("To", "kind", [["open", "an open channel"], ["group", "a group"], ["direct", "a user"]], "open"),
      field(service === "chat" ? "Channel, group or user" : "Channel", "channel", { required: true }),
      service === "pusher" && field("Event", "event", { required: true }),
      service === "chat" && field("From the user", "user", { required: true }),
      service === "chat" && field("Type of the message", "event", { placeholder: "RC:TxtMsg" }),
      element("label", { class: "whole" }, service === "pubnub" ? "Message: JSON, anything else is sent as a text" : service === "chat" ? "Content: a text, or a JSON object" : "Data, sent as it is",
        element("textarea", { name: "data", spellcheck: "false" })));
  };
  chooser.label.addEventListener("change", draw);
  put(main, title("Publish", "Sends one message through the API that applications use, with its limits. Subscribers cannot tell it from any other."),
    !context.mayChange && note("", "You are logged in with the read-only password", "Log in as admin to publish."),
    element("form", { class: "panel", onsubmit: async (event) => {
      event.preventDefault();
      const app = chooser.chosen;
      if (!app) return;
      button.disabled = true;
      try {
        const answer = await context.act("publish", { ...Object.fromEntries(new FormData(event.target)), service: app.service, app: app.id });
        put(told, note("good", "Done", answer.told));
      } catch (error) {
        put(told, note("bad", "Nothing was published", error.message));
      }
      button.disabled = !context.mayChange;
    } }, element("div", { class: "fields" }, chooser.label), element("p", {}), fields, element("p", {}), button), told);
  draw();
  add(fields, []);
}
