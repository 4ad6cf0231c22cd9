// Webhooks and errors, with what to do.
import { badge, element, empty, note, number, put, services, table, time, title, update } from "/console/parts.js";
import { readiness } from "/console/overview.js";

export async function webhooks(main, context) {
  const place = element("div", {});
  put(main, title("Webhooks", "What applications' servers are told. What fails is tried again for five minutes, with growing pauses; then it is given up."), place);
  const columns = [
    { name: "Application", wrap: true, cell: (row) => `${services[row.service] ?? row.service} · ${row.app}` },
    { name: "Receiver", num: true, cell: (row) => number(row.receiver) },
    { name: "Address", mono: true, wrap: true, cell: (row) => row.url ?? "removed; what waits still goes there" },
    { name: "State and last error", sort: (row) => row.failure ? -row.failure.seconds : -Infinity, wrap: true, wide: true,
      cell: (row) => [state(row), row.failure && element("span", { class: "soft block" }, `Last error: ${lastError(row)}.`)] },
    { name: "Waiting", sort: (row) => row.queued, num: true, cell: (row) => row.queued ? badge(number(row.queued), "warn") : "0" },
    { name: "Delivered", num: true, cell: (row) => number(row.delivered) },
    { name: "Failed", num: true, cell: (row) => number(row.failed) },
    { name: "Given up", sort: (row) => row.dropped, num: true, cell: (row) => row.dropped ? badge(number(row.dropped), "bad") : "0" },
  ];
  await context.repeat(3, async () => {
    const told = await context.ask("webhooks");
    if (context.isOver) return;
    update(place, told.webhooks.length ? table("Webhooks", columns, told.webhooks, (row) => `${row.service} ${row.app} ${row.receiver}`) : empty("No webhooks", "An application gets one with webhooks in the file of settings. In a cluster the leader tells them."));
  });
}

function state(row) {
  if (!row.problem) return badge(row.delivered ? "works" : "nothing told yet", row.delivered ? "good" : "");
  return [badge("fails", "bad"), ` ${row.problem.replace(/\.$/, "")}. ${advice(row.problem)}`];
}

/** Why it failed stands in the state while it does. */
function lastError(row) {
  const when = `${time(row.failure.seconds)} ago`;
  return row.problem === row.failure.reason ? when : `${row.failure.reason.replace(/\.$/, "")}, ${when}`;
}

function advice(problem) {
  if (/status 40[13]/.test(problem)) return "The receiver refuses the request: check that it has the application's present secret.";
  if (/status 404/.test(problem)) return "There is nothing at this address: check the URL in the settings.";
  if (/status 4/.test(problem)) return "The receiver does not take the request: look at its log.";
  if (/status 5/.test(problem)) return "The receiver has an error of its own: look at its log.";
  if (/status 3/.test(problem)) return "Redirections are not followed: name the final address.";
  if (/refus/i.test(problem)) return "Nothing listens there: start the receiver, or correct the port.";
  if (/tim/i.test(problem)) return "The receiver has to answer within 10 s: have it answer first and work later.";
  if (/tls|certificate/i.test(problem)) return "Check the receiver's certificate and its name.";
  return "Check that this server can reach the receiver.";
}

/** What the numbers mean and what to do about them, by service and code. */
const meanings = {
  pusher: {
    4000: ["An application takes connections with TLS only.", "Have clients use wss://, or set requireTLS to false."],
    4001: ["Clients use a key that no application has.", "Compare the clients' key with Applications. Old apps may still have a former one."],
    4003: ["The application is disabled.", "Set enabled to true if it should be used."],
    4004: ["The application has reached its limit of connections.", "Raise limits.connections, or find out who holds so many in Connections."],
    4005: ["Clients connect to another path.", "Clients connect to /app/KEY; check pathPrefix and the proxy."],
    4006: ["Clients name no valid version of the protocol.", "Such requests rarely come from Pusher libraries."],
    4007: ["Clients want a version of the protocol that is not spoken.", "Versions 4 to 7 are; update the library."],
    4009: ["Signatures, sign-ins or origins were refused.", "Check the secret of the authorization endpoint, and allowedOrigins."],
    4100: ["The server was full or stopping, or a client read too slowly.", "Look at maxConnections, and at unsent bytes in Connections."],
    4301: ["Clients send client events that they may not send, or too many.", "Check clientEvents and limits.clientEventsPerSecond."],
    4200: ["The server has lost events, or is stopping.", "Clients come back by themselves. The log says which it was."],
    4201: ["Clients sent nothing in time, not even an answer to a ping.", "Usual with phones. Many at once mean that a network or a proxy was cut."],
    4202: ["Clients were inactive.", "Clients come back by themselves when they have something to do."],
    4302: ["A watchlist names too many users.", "Shorten it, or raise limits.watchlistUsers."],
  },
  chat: {
    31002: ["Clients use a key that no application has.", "Compare the clients' key with Applications."],
    31004: ["Tokens were refused.", "Issue new tokens; check that clients use the application that issued them."],
    31008: ["The application is disabled.", "Set enabled to true if it should be used."],
    31009: ["The users are banned.", "Lift the ban in the server API if it should be over."],
    31020: ["Tokens have expired.", "Have clients fetch a new token before they connect, and when they are told so."],
    31024: ["The application has reached its limit of connections.", "Raise its limit, or find out who holds so many in Connections."],
  },
};

function meaning(row) {
  return meanings[row.service]?.[row.code] ?? (row.code === 0
    ? ["Messages could not be read, or asked for something that does not exist.", "Log at the level debug says which connections; the client's library gets the sentence."]
    : [row.sentence ?? "A code that this server does not use itself.", "The client gets a sentence with it; in Connections, Ended lately, and in the log there is the reason of each."]);
}

export async function errors(main, context) {
  const place = element("div", {});
  put(main, title("Errors", "What went wrong since the server was started, how often, and what to do about it."), place);
  const codes = [
    { name: "Count", sort: (row) => row.count, num: true, cell: (row) => number(row.count) },
    { name: "Service", cell: (row) => services[row.service] ?? row.service },
    { name: "Code", cell: (row) => row.code || "none" },
    { name: "Connection", cell: (row) => row.kind === "refused" ? badge("refused", "bad") : badge("went on", "warn") },
    { name: "What it means", wrap: true, cell: (row) => meaning(row)[0] },
    { name: "What to do", wrap: true, cell: (row) => meaning(row)[1] },
  ];
  const routes = [
    { name: "Request", mono: true, cell: (row) => row.route }, { name: "Refused (4xx)", num: true, cell: (row) => number(row.refused) },
    { name: "Failed (5xx)", num: true, cell: (row) => row.failed ? badge(number(row.failed), "bad") : "0" },
  ];
  await context.repeat(3, async () => {
    const told = await context.ask("errors");
    if (context.isOver) return;
    const notes = [...readiness(told.reasons), ...troubles(told)];
    const isQuiet = !notes.length && !told.codes.length && !told.requests.length;
    update(place, isQuiet && empty("Nothing went wrong", "Refusals, errors and cut connections appear here with what to do."), notes,
      told.codes.length > 0 && element("section", {}, element("h2", {}, "Clients"), table("Errors of clients", codes, told.codes, (row) => `${row.service} ${row.code} ${row.kind}`), element("p", {})),
      told.requests.length > 0 && element("section", {}, element("h2", {}, "Requests of the HTTP APIs"), table("Refused requests", routes, told.requests, (row) => row.route),
        element("p", { class: "legend" }, "The answer to each says what was wrong. 401 is a wrong key or signature, 413 a body that is too large, 429 a limit, 503 too much that waits.")));
  });
}

function troubles(told) {
  const found = [];
  const say = (count, kind, heading, text) => { if (count) found.push(note(kind, heading, text)); };
  say(!told.configurationValid, "", "The last configuration was refused", "The server goes on with the one before. lifeline serve --check says what is wrong.");
  say(told.certificate && !told.certificate.valid, "bad", "The new certificate cannot be used", "The old one stays until both files are right.");
  say(told.slow, "", `${number(told.slow)} connections were cut since they read too slowly`, "Slow networks do that. If there are many, send less, or raise maxPendingBytes and the memory it takes.");
  say(told.dead, "", `${number(told.dead)} connections were cut since nothing came from them`, "Usual with phones. Many at once mean that a network or a proxy in front of the server was cut.");
  say(told.held, "", `${number(told.held)} publishers had to wait for event loops`, "More is published than sockets take: look at the backlog in Overview, add threads or servers.");
  say(told.acceptFailures, "bad", `${number(told.acceptFailures)} times no connection could be accepted`, "The limit of open files was reached: raise it (ulimit -n, LimitNOFILE).");
  say(told.addresses, "", `${number(told.addresses)} connections were refused since their address has too many`, "Look at maxConnectionsPerAddress. Behind a proxy set trustProxyHeaders, or all clients count as one.");
  say(told.webhooksDropped, "bad", `${number(told.webhooksDropped)} events of webhooks were given up`, "Webhooks shows which receivers fail and why.");
  say(told.cluster && !told.cluster.connected, "bad", "Redis cannot be reached", "lifeline doctor --redis with the same address says more.");
  return found;
}
