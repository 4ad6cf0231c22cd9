// Users, connections and their ends, held polls.
import { badge, bytes, choice, clock, confirm, element, empty, field, note, number, put, say, services, table, time, title, total, update } from "/console/parts.js";

const anyService = [["", "all"], ["pusher", "Pusher"], ["chat", "Chat"]];
/** Users of PubNub are known by presence, keyset by keyset. */
const present = "pubnub ";

/** Whose a connection is; before it has said so, and when its key is unknown, it is nobody's. */
const application = (row) => `${services[row.service] ?? row.service} · ${row.app && row.app !== "other" ? row.app : "none"}`;

/** A list with a filter and pages. */
function list(context, name, key, columns, nothing, forms, keyOf, revise = (values) => values) {
  const place = element("div", {});
  let pages = [null];
  let values = {};
  /** Answers to what was asked before are not shown. */
  let turn = 0;
  const load = async () => {
    const mine = ++turn;
    const told = await context.ask(name, { ...revise(values), after: pages.at(-1), limit: 100 });
    if (context.isOver || mine !== turn) return;
    update(place, told.total !== undefined && total(told.total, told[key].length, key === "users" && !values.service?.startsWith(present) ? "sessions" : key), told[key].length ? table(nothing[2], typeof columns === "function" ? columns(values) : columns, told[key], keyOf) : empty(nothing[0], nothing[1]),
      (told.next || pages.length > 1) && element("p", { class: "legend" },
        element("button", { type: "button", disabled: pages.length < 2, onclick: () => { pages.pop(); load(); } }, "Back"),
        element("button", { type: "button", disabled: !told.next, onclick: () => { pages.push(told.next); load(); } }, "More"), ` page ${pages.length}`));
  };
  const fresh = (event) => {
    event.preventDefault();
    pages = [null];
    values = Object.fromEntries(new FormData(event.currentTarget));
    load().catch((error) => put(place, note("bad", "The list could not be loaded", error.message)));
  };
  const form = element("form", { class: "bar-form", onsubmit: fresh, onchange: fresh }, forms, element("button", {}, "List"));
  return { form, place, load, repeat: () => context.repeat(5, load) };
}

export async function users(main, context) {
  const end = async (row) => {
    const sure = await confirm(`End the connections of ${row.user}?`, "The user's apps are disconnected, on all servers. To keep the user out, revoke the user's tokens as well.", "End connections");
    if (!sure) return;
    try {
      const told = await context.act("terminate", { service: row.service, app: row.app, user: row.user });
      say("good", "Done", told.told);
      await page.load();
    } catch (error) {
      say("bad", "Nothing was ended", error.message);
    }
  };
  const columns = [
    { name: "User", sort: (row) => row.user, mono: true, wrap: true, cell: (row) => row.user },
    { name: "Service", cell: (row) => services[row.service] ?? row.service },
    { name: "Application", mono: true, wrap: true, cell: (row) => row.app },
    { name: "Session", mono: true, cell: (row) => row.name },
    { name: "Connected for", sort: (row) => row.age, num: true, cell: (row) => time(row.age) },
    { name: "Address", mono: true, cell: (row) => row.address ?? "–" },
    { name: "", cell: (row) => element("button", { type: "button", class: "danger", disabled: !context.mayChange, title: context.mayChange ? null : "Log in as admin to end connections.", "aria-label": `End the connections of ${row.user}`, onclick: () => end(row) }, "End") },
  ];
  const presence = [
    { name: "User", sort: (row) => row.user, mono: true, wrap: true, cell: (row) => row.user },
    { name: "Service", cell: (row) => services[row.service] ?? row.service },
    { name: "Keyset", mono: true, wrap: true, cell: (row) => row.app },
    { name: "Channels", sort: (row) => row.channelCount, num: true, cell: (row) => number(row.channelCount) },
    { name: "Is on", mono: true, wrap: true, cell: (row) => row.channels.join(", ") + (row.channelCount > row.channels.length ? ` and ${number(row.channelCount - row.channels.length)} more` : "") },
  ];
  const { applications } = await context.ask("applications");
  const keysets = applications.filter((each) => each.service === "pubnub").map((each) => [present + each.id, `PubNub · ${each.id}`]);
  const revise = ({ service = "", contains }) => service.startsWith(present) ? { service: "pubnub", app: service.slice(present.length), contains } : { service, contains };
  const page = list(context, "users", "users", (values) => values.service?.startsWith(present) ? presence : columns,
    ["Nobody is here", "Users of Pusher appear when they sign in (pusher:signin), users of chat when they connect, users of PubNub while they are on a channel.", "Users"],
    [choice("Service", "service", [["", "Pusher and chat"], ["pusher", "Pusher"], ["chat", "Chat"], ...keysets], ""), field("User contains", "contains", { type: "search" })],
    (row) => `${row.service} ${row.app} ${row.user} ${row.name}`, revise);
  put(main, title("Users", "Signed-in users of Pusher and chat with their sessions on this server, and users of PubNub by presence on all servers."), page.form, page.place);
  await page.repeat();
}

export async function connections(main, context) {
  const columns = [
    { name: "Connection", mono: true, cell: (row) => row.id },
    { name: "Application", wrap: true, cell: (row) => application(row) },
    { name: "Name and user", mono: true, wrap: true, cell: (row) => [row.name || "–", row.user && element("span", { class: "soft block" }, row.user)] },
    { name: "State", cell: (row) => badge(row.state, row.state === "open" ? "good" : "warn") },
    { name: "Open for", sort: (row) => row.age, num: true, cell: (row) => time(row.age) },
    { name: "Received", sort: (row) => row.received, num: true, cell: (row) => bytes(row.received) },
    { name: "Sent", sort: (row) => row.sent, num: true, cell: (row) => bytes(row.sent) },
    { name: "Unsent", sort: (row) => row.pending, num: true, cell: (row) => row.pending ? badge(bytes(row.pending), "warn") : "0 B" },
    { name: "Channels", sort: (row) => row.channels, num: true, cell: (row) => number(row.channels) },
    { name: "Address", mono: true, cell: (row) => row.address ?? "–" },
  ];
  const page = list(context, "connections", "connections", columns, ["No connections", "WebSockets of Pusher and chat appear here. Polls of PubNub are in Held polls.", "Connections"],
    [choice("Service", "service", anyService, ""), field("Any name contains", "contains", { type: "search" })], (row) => `${row.service} ${row.id}`);
  const gone = element("div", {});
  put(main, title("Connections", "WebSockets of this server, by the names that its log has for them. Bytes count from the first one after the handshake; unsent ones wait for a client that reads slowly."),
    page.form, page.place, element("h2", {}, "Ended lately"), gone);
  context.repeat(5, async () => {
    const { ended } = await context.ask("ended", { limit: 200 });
    if (context.isOver) return;
    update(gone, ended.length ? table("Connections that ended lately", endedColumns, ended, (row) => `${row.service} ${row.id} ${row.time}`) : empty("No connection has ended yet", "The last hundred of each event loop are remembered."));
  });
  await page.repeat();
}

const sides = { server: "the server", client: "the client", nobody: "nobody: the network or the client's end" };

/** What close codes mean; those of chat are its own. */
const codes = {
  0: "no goodbye", 1000: "normal", 1001: "going away", 1002: "protocol error", 1003: "unsupported data", 1005: "no code", 1006: "lost", 1007: "invalid text",
  1008: "policy", 1009: "too large", 1011: "error of the peer", 4000: "TLS only", 4001: "unknown key", 4003: "disabled", 4004: "quota of connections", 4005: "unknown path",
  4006: "malformed version", 4007: "unsupported version", 4009: "not authorized", 4100: "over capacity, too slow, or drain", 4200: "come back at once", 4201: "no pong", 4202: "inactive",
  31002: "unknown key", 31004: "token refused", 31008: "disabled", 31009: "banned", 31010: "ended by the server API", 31011: "banned while online", 31020: "token expired",
  31023: "other device", 31024: "quota of connections", 31025: "unreadable hello", 31029: "user deleted", 32061: "come back at once",
};

const endedColumns = [
  { name: "Time", cell: (row) => clock(row.time) },
  { name: "Connection", mono: true, cell: (row) => row.id },
  { name: "Application", wrap: true, cell: (row) => application(row) },
  { name: "Ended by", cell: (row) => sides[row.by] ?? row.by },
  { name: "Close code", sort: (row) => row.code, cell: (row) => row.code ? `${row.code} ${codes[row.code] ?? ""}` : "–" },
  { name: "Reason", wrap: true, cell: (row) => row.reason ?? "–" },
  { name: "Address", mono: true, cell: (row) => row.address ?? "–" },
  { name: "Was open for", sort: (row) => row.age, num: true, cell: (row) => time(row.age) },
  { name: "Received", sort: (row) => row.received, num: true, cell: (row) => bytes(row.received) },
  { name: "Sent", sort: (row) => row.sent, num: true, cell: (row) => bytes(row.sent) },
];

export async function polls(main, context) {
  const place = element("div", {});
  const columns = [
    { name: "Connection", mono: true, cell: (row) => row.id },
    { name: "Keyset", mono: true, wrap: true, cell: (row) => row.app },
    { name: "User", mono: true, wrap: true, cell: (row) => row.user ?? "–" },
    { name: "Channels", mono: true, wrap: true, cell: (row) => row.channels.join(", ") + (row.channelCount > row.channels.length ? ` and ${row.channelCount - row.channels.length} more` : "") },
    { name: "Held for", sort: (row) => row.held, num: true, cell: (row) => `${time(row.held)} of ${time(row.hold)}` },
    { name: "Address", mono: true, cell: (row) => row.address ?? "–" },
  ];
  put(main, title("Held polls", "Requests of PubNub clients that wait for a message. Each is answered when one comes, or with nothing when its time is over; the client then asks again."), place);
  await context.repeat(3, async () => {
    const told = await context.ask("polls", { limit: 200 });
    if (context.isOver) return;
    update(place, told.polls.length ? [element("p", { class: "soft" }, `${number(told.held)} in all${told.polls.length < told.held ? `, ${told.polls.length} are shown` : ""}`), table("Held polls", columns, told.polls, (row) => row.id)]
      : empty("No polls are held", "They appear when clients of PubNub subscribe."));
  });
}
