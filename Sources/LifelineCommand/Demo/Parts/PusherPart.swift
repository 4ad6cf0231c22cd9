import ConnectionEngine
import Lifeline
import LifelineServer

extension DemoPart {
    /// The time within which an outage has to be noticed: the activity and pong timeouts of the fast profile, and half a second.
    static let detection = ConnectionTiming.fast.activity + ConnectionTiming.fast.probe + .milliseconds(500)

    /// The Pusher part: events on four kinds of channels, while one client's line is cut, goes half-open, and is refused.
    static func pusher() -> DemoPart {
        let app = DemoApp()
        let total = app.channels.count
        return DemoPart(
            title: "A server, two clients of Pusher Channels and a relay that breaks the line, in one process",
            server: { try await LifelineServer.start(.init(port: 0, drainTimeout: .seconds(1))) },
            introduction: { server, relay in
                [
                    "server   \(server.url)",
                    "ann      connects through the relay, 127.0.0.1:\(relay.port)",
                    "ben      connects to the server",
                    "channels \(app.channels.joined(separator: ", "))",
                    "timing   fast: a silent link is noticed within \(Seconds.text(detection)) s",
                ]
            },
            journal: DemoJournal(subject: "ann", channels: app.channels, detection: detection),
            steps: [
                .enter("ann", app.channels, throughRelay: true) { _, host in app.service("ann", host) },
                .enter("ben", app.channels) { _, host in app.service("ben", host) },
                .expect("both clients are confirmed on all channels") { state in
                    ["ann", "ben"].allSatisfy { state[$0].confirmed.count == total }
                },
                .with("ben") { $0.unsubscribe(app.lobby) },
                .expect("ann sees ben leave the lobby") { $0["ann"].presence.contains("ben leave") },
                .with("ben") { $0.subscribe(app.lobby) },
                .expect("ann sees ben in the lobby again") { $0["ann"].presence.last == "ben join" },
                .act { run in
                    let text = "flow on all channels, five a second on each"
                    run.stage.show(run.stage.timeline.line(at: .now, "all", "events", colour: .plain, text))
                    run.keep(Task { await DemoTraffic(app: app, run: run).flow() })
                },
                .wait(.milliseconds(500)),

                .cause("The line is cut (RST)"),
                .fault("cut") { $0.cut() },
                .repair(),
                recovered(from: "the cut"),

                .cause("The line goes half-open: nothing arrives any more, nothing is closed"),
                .fault("half-open") { $0.mute() },
                .wait(.seconds(3)),
                .cause("The line works again; the connections that were on it stay dead"),
                .repair { $0.unmute() },
                recovered(from: "the half-open line"),

                .cause("The server's address refuses connections"),
                .fault("refused") { try await $0.refuse() },
                .wait(.milliseconds(1500)),
                .cause("The address accepts connections again"),
                .repair { try await $0.listen() },
                recovered(from: "the refusals"),
                .wait(.seconds(1)),
                .act { $0.stopTasks() },
            ])
    }

    private static func recovered(from fault: String) -> DemoStep {
        .expect("after \(fault) ann is confirmed on all channels again") { $0.journal.outages.last?.recoveredAt != nil }
    }
}
