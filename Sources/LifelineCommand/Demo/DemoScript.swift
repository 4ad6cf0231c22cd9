import ConnectionEngine
import LifelineServer
import PusherProtocol

/// The whole demonstration.
struct DemoScript: Sendable {
    private let app = DemoApp()
    private let stage: DemoStage
    private let colours: Colours
    private let pace: DemoPace

    /// How long the script waits for an event before it reports a problem.
    private static let patience = Duration.seconds(15)
    /// The activity timeout and pong timeout of the fast profile, and half a second.
    static let detection = ConnectionTiming.fast.activity + ConnectionTiming.fast.probe + .milliseconds(500)

    init(colours: Colours, pace: DemoPace, print: @escaping @Sendable (DemoLine) -> Void) {
        self.colours = colours
        self.pace = pace
        stage = DemoStage(
            journal: DemoJournal(subject: "ann", channels: app.channels, detection: Self.detection),
            timeline: DemoTimeline(start: .now), print: print)
    }

    /// Runs all parts; returns whether they are complete.
    func play() async throws -> Bool {
        let server = try await LifelineServer.start(.init(port: 0, drainTimeout: .seconds(1)))
        let relay = try await FaultRelay.start(to: server.port)
        introduce(server, relay)
        let ann = DemoClient(name: "ann", port: relay.port, app: app, callbacks: stage.callbacks(of: "ann"))
        let ben = DemoClient(name: "ben", port: server.port, app: app, callbacks: stage.callbacks(of: "ben"))
        ann.connect()
        ben.connect()
        let total = app.channels.count
        await expect("Both clients are confirmed on all channels") { state in
            ["ann", "ben"].allSatisfy { state.confirmed[$0]?.count == total }
        }
        await showMembers(ben)

        let traffic = DemoTraffic(app: app, stage: stage, server: server, ann: ann, ben: ben)
        stage.show(stage.timeline.line(.now, "all", "events", .plain, "flow on all channels, five a second on each"))
        let sending = Task { await traffic.run() }
        try await quiet(for: .milliseconds(1500))
        try await breakLine(relay)
        sending.cancel()
        await sending.value
        _ = await stage.wait(atMost: .seconds(2)) { $0.journal.isDrained }

        ann.disconnect()
        ben.disconnect()
        await relay.stop()
        try await server.stop()
        let journal = stage.now.journal
        let summary = DemoSummary(journal: journal, colours: colours)
        for line in summary.lines { stage.show(line) }
        stage.show(.result(summary.result))
        return journal.addsUp
    }

    private func introduce(_ server: LifelineServer, _ relay: FaultRelay) {
        stage.show(colours.paint("A server, two PusherSwift clients and a relay that breaks the line, in one process", .bold))
        stage.show("server   \(server.url)")
        stage.show("ann      connects through the relay, 127.0.0.1:\(relay.port)")
        stage.show("ben      connects to the server")
        stage.show("channels \(app.channels.joined(separator: ", "))")
        stage.show("timing   fast: a silent link is noticed within \(Seconds.text(Self.detection)) s")
        stage.show("")
    }

    private func showMembers(_ ben: DemoClient) async {
        ben.leaveLobby()
        await expect("ann sees ben leave the lobby") { !$0.lobby.contains("ben") && $0.journal.problems.isEmpty }
        ben.enterLobby()
        await expect("ann sees ben in the lobby again") { $0.lobby.contains("ben") }
    }

    /// Interrupts the line in three ways, cut, half-open and refused, with quiet periods in between.
    private func breakLine(_ relay: FaultRelay) async throws {
        begin("cut", "The line is cut (RST)")
        relay.cut()
        repair()
        await recovered()
        try await quiet(for: .milliseconds(1500))

        begin("half-open", "The line goes half-open: nothing arrives any more, nothing is closed")
        relay.mute()
        try await Task.sleep(for: .seconds(4))
        repair("The line works again; the connections that were on it stay dead")
        relay.unmute()
        await recovered()
        try await quiet(for: .milliseconds(1500))

        begin("refused", "The server's address refuses connections")
        try await relay.refuse()
        try await Task.sleep(for: .seconds(3))
        repair("The address accepts connections again")
        try await relay.listen()
        await recovered()
        try await quiet(for: .milliseconds(1000))
    }

    private func begin(_ fault: String, _ text: String) {
        let now = Moment.now
        stage.change { $0.journal.breakLine(fault, at: now) }
        stage.show(stage.timeline.heading(now, text))
    }

    private func repair(_ text: String? = nil) {
        let now = Moment.now
        stage.change { $0.journal.repairLine(at: now) }
        if let text { stage.show(stage.timeline.heading(now, text)) }
    }

    private func recovered() async {
        await expect("ann is confirmed on all channels again") { $0.journal.outages.last?.recoveredAt != nil }
    }

    /// Lets traffic flow for some time, so that the link counts as stable and losses would be visible.
    private func quiet(for duration: Duration) async throws {
        try await Task.sleep(for: duration * pace.factor)
    }

    private func expect(_ what: String, _ test: @escaping @Sendable (DemoStage.State) -> Bool) async {
        if await stage.wait(atMost: Self.patience, test) { return }
        let problem = "This did not happen within \(Seconds.text(Self.patience, digits: 0)) s: \(what)."
        stage.change { $0.journal.problem(problem) }
        stage.show(stage.timeline.line(.now, "script", "problem", .red, problem))
    }
}
