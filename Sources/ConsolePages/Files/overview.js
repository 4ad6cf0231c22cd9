// How the server is, and its applications.
import { charts } from "/console/charts.js";
import { badge, bytes, choice, confirm, element, empty, facts, field, note, number, put, rate, say, services, table, time, title, update } from "/console/parts.js";

const reasons = {
  draining: ["The server is stopping", "Clients are asked to come back. If you did not stop it, look at what runs it."],
  full: ["The server is full", "As many connections are open as maxConnections allows. Raise it, or add a server."],
  redis: ["Redis cannot be used", "Check that Redis runs, and the network between; lifeline doctor --redis says more."],
  store: ["The database cannot be used", "What is published is not stored and is refused. Check that PostgreSQL runs, and the network between."],
  leader: ["No server of the cluster leads", "This passes within seconds. If it stays, look at the logs of all servers."],
};

export function readiness(list) {
  return list.map((reason) => note("bad", ...(reasons[reason] ?? [reason, ""])));
}

function tile(name, value, more) {
  return element("div", { class: "tile" }, element("dt", {}, name), element("dd", {}, value, more && element("small", {}, more)));
}

export async function overview(main, context) {
  const [head, rest] = [element("div", {}), element("div", {})];
  const figures = charts(context);
  put(main, head, figures.element, rest);
  await context.repeat(2, async () => {
    const told = await context.ask("overview");
    if (context.isOver) return;
    context.state(told);
    const warnings = readiness(told.reasons);
    if (!told.configurationValid) warnings.push(note("", "The last configuration was refused", "The server goes on with the one before. The log says what is wrong; lifeline serve --check says it, too."));
    if (told.certificate && !told.certificate.valid) warnings.push(note("bad", "The new certificate cannot be used", "The old one stays until the files are right."));
    if (told.certificate && told.certificate.days < 14) warnings.push(note(told.certificate.days < 0 ? "bad" : "", told.certificate.days < 0 ? "The certificate has expired" : `The certificate expires in ${told.certificate.days} days`, "Replace the files; the server takes them over by itself."));
    update(head, title("Overview", null, element("span", { class: "soft" }, `Lifeline ${told.version}, up ${time(told.uptime)}${told.node ? `, node ${told.node}` : ""}`)),
      warnings, tiles(told));
    const isWide = Boolean(told.cluster?.partitions);
    update(rest, element("div", { class: "pair" }, loops(told), element("div", {}, !isWide && cluster(told), hooks(told))), isWide && cluster(told));
    await figures.refresh();
  });
}

function tiles(told) {
  return element("dl", { class: "tiles" },
    tile("Connections", number(told.connections), `of ${number(told.connectionsLimit)}; ${number(told.sockets)} sockets`),
    tile("Messages sent", `${rate(told.rates.deliveries)}/s`, `${number(told.totals.sent + told.totals.polled)} since the start`),
    tile("Messages received", `${rate(told.rates.messages)}/s`, `${number(told.totals.requests)} requests`),
    tile("Channels", number(told.channels), `${number(told.polls)} held polls`),
    tile("Memory", bytes(told.memory), told.openFilesLimit ? `${number(told.openFiles)} of ${number(told.openFilesLimit)} files` : null),
    tile("Sent", bytes(told.totals.sentBytes), `${bytes(told.totals.receivedBytes)} received`));
}

function loops(told) {
  const columns = [
    { name: "Loop", cell: (row) => row.index },
    { name: "Backlog", num: true, cell: (row) => bytes(row.queued) },
    { name: "Of its limit", cell: (row) => element("progress", { max: told.queuedLimit, value: String(Math.min(row.queued, told.queuedLimit)), "aria-label": `Backlog of loop ${row.index}` }) },
    { name: "Delay", num: true, cell: (row) => row.delay < 1000 ? `${row.delay} µs` : `${(row.delay / 1000).toFixed(1)} ms` },
    { name: "Sent", num: true, cell: (row) => number(row.sent) },
  ];
  return element("section", { class: "panel" }, element("h2", {}, "Event loops"),
    table("Event loops", columns, told.loops.map((loop, index) => ({ ...loop, index })), (row) => row.index),
    element("p", { class: "legend" }, told.totals.held ? `${number(told.totals.held)} publishers had to wait for room since the start.` : "No publisher had to wait for room."));
}

function cluster(told) {
  const status = told.cluster;
  if (!status) return element("section", { class: "panel" }, element("h2", {}, "Cluster"), element("p", { class: "soft" }, "This server works alone. With --redis several servers work as one."));
  if (status.partitions) return partitions(status);
  const rows = [
    ["Link to Redis", status.connected ? badge("connected", "good") : badge("lost", "bad")],
    ["Writes", status.refusing ? badge("refused by Redis", "bad") : badge("taken", "good")],
    ["This server", badge(status.role === "leader" ? "leads" : "follows", status.current ? "good" : "warn")],
    ["Leader", status.leader ?? badge("nobody", "bad")],
    ["Last batch", number(status.sequence)],
    ["Requests waiting for the leader", number(status.waiting)],
    ["Decisions waiting for Redis", bytes(status.queued)],
    ["Elections won, repairs, losses", `${number(status.elections)}, ${number(status.repairs)}, ${number(status.losses)}`],
  ];
  return element("section", { class: "panel" }, element("h2", {}, "Cluster"), status.trouble.map((text) => note("bad", "Redis", text)),
    status.problem && note("bad", "Leading", status.problem),
    facts("Cluster", rows), element("h2", {}, "Servers"), servers([status]));
}

/** The servers of a cluster: those whom this server hears because it leads, and those who lead. */
function servers(statuses) {
  const known = new Map();
  for (const status of statuses) {
    for (const member of status.members) {
      const other = known.get(member.name);
      if (!other || (other.expected && !member.expected) || member.silent < other.silent) known.set(member.name, { ...member });
    }
  }
  for (const status of statuses) if (status.leader && !known.has(status.leader)) known.set(status.leader, { name: status.leader });
  const led = (name) => statuses.filter((status) => status.leader === name).map((status) => status.partition);
  const leads = (row) => {
    const partitions = led(row.name);
    return partitions.length ? badge(statuses.length === 1 ? "leads" : `${partitions.length === 1 ? "partition" : "partitions"} ${partitions.join(", ")}`, "good") : "–";
  };
  const columns = [
    { name: "Server", sort: (row) => row.name, mono: true, cell: (row) => row.name },
    { name: "Leads", cell: leads },
    { name: "Heard", sort: (row) => row.silent, cell: heard },
    { name: "Version", sort: (row) => row.version, cell: (row) => row.version ?? "–" },
  ];
  const rows = [...known.values()].sort((one, other) => one.name.localeCompare(other.name, "en"));
  return [rows.length ? table("Servers", columns, rows, (row) => row.name) : empty("No server leads", "The servers are known to the one that leads."),
    statuses.every((status) => status.role !== "leader") && element("p", { class: "legend" }, "All servers are listed in the console of the one that leads.")];
}

/** A cluster that has several partitions: each has a leader and a log of its own. */
function partitions(status) {
  const columns = [
    { name: "Partition", num: true, sort: (row) => row.partition, cell: (row) => number(row.partition) },
    { name: "Leader", cell: (row) => [row.leader ?? badge("nobody", "bad"), row.role === "leader" && [" ", badge("this server", "good")]] },
    { name: "Redis", cell: (row) => !row.connected ? badge("lost", "bad") : row.refusing ? badge("takes no writes", "bad") : badge("connected", "good") },
    { name: "This server", cell: (row) => row.current ? badge("follows", "good") : badge("reads", "warn") },
    { name: "Last batch", num: true, cell: (row) => number(row.sequence) },
    { name: "Waiting", num: true, cell: (row) => number(row.waiting) },
    { name: "Queued", num: true, cell: (row) => bytes(row.queued) },
    { name: "Elections, repairs, losses", num: true, cell: (row) => `${number(row.elections)}, ${number(row.repairs)}, ${number(row.losses)}` },
  ];
  return element("section", { class: "panel" }, element("h2", {}, "Cluster"), status.trouble.map((text) => note("bad", "Redis", text)),
    status.problem && note("bad", "Leading", status.problem),
    table("Partitions", columns, status.partitions, (row) => row.partition), element("h2", {}, "Servers"), servers(status.partitions));
}

/** Nodes say every two seconds that they are there; after ten the leader gives them up. */
function heard(member) {
  if (member.silent === undefined) return "–";
  if (member.expected) return badge("expected: the last leader knew it", "warn");
  const text = `${(member.silent / 1000).toFixed(1)} s ago`;
  return member.silent > 4000 ? badge(text, "warn") : text;
}

function hooks(told) {
  const { queued, failed, dropped } = told.webhooks;
  return element("section", { class: "panel" }, element("h2", {}, "Webhooks"),
    element("p", {}, `${number(queued)} events wait, ${number(failed)} requests failed, ${number(dropped)} events were given up. `,
      element("a", { href: "#webhooks" }, "Which ones and why")));
}

/** What the admin does with an application that was made at run time (rules AR-25 and AR-26). */
function changes(context, row, change) {
  if (row.source !== "runtime" || !context.mayChange) return "–";
  const button = (name, what, kind = "") => element("button", { type: "button", class: kind || null, "aria-label": `${name} ${row.id}`, onclick: () => change(row, what) }, name);
  return element("span", { class: "buttons" }, row.traits.includes("two secrets") ? button("End rotation", "finish") : button("Rotate", "rotate"),
    button("Set", "settings"), row.enabled ? button("Disable", "disable") : button("Enable", "enable"), button("Remove", "remove", "danger"));
}

const questions = {
  finish: ["End the rotation of", "The former secret is refused from then on.", "End rotation"],
  disable: ["Disable", "Its connections are closed, and its clients and requests are refused until it is enabled.", "Disable"],
  remove: ["Remove", "Its connections are closed and its secret is forgotten. What its clients stored stays.", "Remove"],
};

/** The only place of the console that shows a secret: after it was made, until the page is left. */
function secret(told) {
  const { service, id, key } = told.application;
  return note("good", "This secret is shown once", [
    `${services[service]} · ${id}${key === id ? "" : `, key ${key}`}: `, element("code", {}, told.secret)]);
}

/** Asks for a setting of an application that was made at run time, by its name in a file of settings; a value that is no JSON is a text (rule AR-31). */
function setting(row, set) {
  const submit = (event) => {
    event.preventDefault();
    const told = new FormData(event.currentTarget);
    const [name, member] = told.get("name").trim().split(/\.(.*)/s);
    let value = told.get("value");
    try { value = JSON.parse(value); } catch { /* A text. */ }
    set({ [name]: member === undefined ? value : { [member]: value } });
  };
  return element("form", { class: "bar-form", onsubmit: submit }, field(`Setting of ${row.id}`, "name", { required: true, placeholder: "limits.connections" }),
    field("Value, null for the default", "value", { required: true, placeholder: "5000" }), element("button", {}, "Set"));
}

export async function applications(main, context) {
  const [place, told] = [element("div", {}), element("div", { "aria-live": "polite" })];
  const show = async () => {
    const { applications: list } = await context.ask("applications");
    if (context.isOver) return;
    const shown = columns.filter((column) => column.name !== "Changes" || (context.mayChange && list.some((row) => row.source === "runtime")));
    update(place, list.length ? table("Applications", shown, list, (row) => `${row.service} ${row.id}`) : empty("No applications", "Add one to the file of settings, and send SIGHUP."));
  };
  const change = async (row, what) => {
    const question = questions[what];
    if (question && !await confirm(`${question[0]} ${row.id}?`, question[1], question[2])) return;
    const path = `apps/${row.service}/${encodeURIComponent(row.id)}`;
    if (what === "settings") {
      const set = async (settings) => {
        try {
          await context.act(`${path}/settings`, { settings });
          put(told, note("good", "The setting was changed", `${services[row.service]} · ${row.id}`));
          await show();
        } catch (error) {
          say("bad", "Nothing was changed", error.message);
        }
      };
      return put(told, setting(row, set));
    }
    try {
      const answer = what === "remove" ? await context.act(path, {}, "DELETE") : await context.act(`${path}/${what}`, {});
      put(told, answer.secret && secret(answer));
      await show();
    } catch (error) {
      say("bad", "Nothing was changed", error.message);
    }
  };
  const create = async (event) => {
    event.preventDefault();
    const form = event.currentTarget;
    try {
      put(told, secret(await context.act("apps", { service: new FormData(form).get("service") })));
      await show();
    } catch (error) {
      say("bad", "Nothing was made", error.message);
    }
  };
  put(main, title("Applications", "Applications of Pusher, keysets of PubNub and chat applications that the server serves. A secret is shown when it is made, and never again."),
    context.mayChange && element("form", { class: "bar-form", onsubmit: create }, choice("New application", "service", Object.entries(services), "pusher"), element("button", {}, "Make")),
    told, place);
  const columns = [
    { name: "Service", sort: (row) => row.service, cell: (row) => services[row.service] ?? row.service },
    { name: "Id and key", sort: (row) => row.id, mono: true, wrap: true, cell: (row) => [element("a", { href: `#channels?service=${row.service}&app=${encodeURIComponent(row.id)}` }, row.id),
      row.key !== row.id && element("span", { class: "soft block" }, row.key)] },
    { name: "Source", sort: (row) => row.source, cell: (row) => row.source === "runtime" ? "run time" : "settings" },
    { name: "State", cell: (row) => row.enabled ? badge("on", "good") : badge("disabled", "warn") },
    { name: "Connections", sort: (row) => row.connections, num: true, cell: (row) => number(row.connections) + (row.connectionsLimit ? ` of ${number(row.connectionsLimit)}` : "") },
    { name: "Channels", sort: (row) => row.channels, num: true, cell: (row) => number(row.channels) },
    { name: "Users", sort: (row) => row.members, num: true, cell: (row) => number(row.members) },
    { name: "Webhooks", num: true, cell: (row) => number(row.webhooks) },
    { name: "Settings", wrap: true, cell: (row) => row.traits.join(", ") || "–" },
    { name: "Changes", wrap: true, cell: (row) => changes(context, row, change) },
  ];
  await context.repeat(5, show);
}
