import ConnectionEngine
import LifelineServer
import PubNub
import RealtimeHub

/// The PubNub part of the demonstration: presence, history, outages with catch-up, a denial that is resolved, and precise errors.
struct PubNubScript: Sendable {
    private let board = DemoBoard(PubNubDemoRecord())
    private let timeline: DemoTimeline
    private let colours: Colours
    private let pace: DemoPace
    private let show: @Sendable (DemoLine) -> Void

    /// How long the script waits for an event before it reports a problem.
    private static let patience = Duration.seconds(12)
    private static let room = "room"
    /// A keyset with an access manager.
    private static let guarded = Keyset(
        publishKey: "demo", subscribeKey: "guarded", secretKey: "guarded-secret", requiresGrants: true)

    init(colours: Colours, pace: DemoPace, print: @escaping @Sendable (DemoLine) -> Void) {
        self.colours = colours
        self.pace = pace
        timeline = DemoTimeline(start: .now)
        show = print
    }

    /// Runs all parts; returns whether they are complete.
    func play() async throws -> Bool {
        let server = try await LifelineServer.start(
            .init(port: 0, keysets: [.development, Self.guarded], pollHold: .seconds(5), drainTimeout: .seconds(1)))
        let relay = try await FaultRelay.start(to: server.port)
        say("")
        say(colours.paint("The same server speaks PubNub: clients of PubNub's Cocoa API, written for Apple platforms", .bold))
        say("ann      subscribes to \(Self.room) through the relay; ben publishes")
        say("")

        let ann = client("ann", relay.port) { $0.requestMessageCountThreshold = 100 }
        let ben = client("ben", server.port)
        try await talk(ann, ben)
        try await loseLineBriefly(ben, relay)
        try await loseLineLong(ben, relay)
        try await beDenied(server)
        await beMistaken(server.port)

        ann.pubnub.unsubscribeFromAll()
        _ = await board.wait(atMost: .seconds(2)) { $0.categories(of: "ann").last == .PNDisconnectedCategory }
        await relay.stop()
        try await server.stop()
        let record = board.now
        let summary = PubNubDemoSummary(record: record, colours: colours)
        for line in summary.lines { say(line) }
        show(.result(summary.result))
        return record.addsUp
    }

    private func client(_ name: String, _ port: Int, _ settings: (PNConfiguration) -> Void = { _ in }) -> PubNubDemoClient {
        PubNubDemoClient(
            name: name, port: port,
            told: { news in
                board.change { $0.hear(news, of: name) }
                if let line = timeline.news(news, of: name) { show(line) }
            }, settings: settings)
    }

    // MARK: Acts

    /// Presence, messages and history on a line that works.
    private func talk(_ ann: PubNubDemoClient, _ ben: PubNubDemoClient) async throws {
        await heading("ann subscribes, then ben")
        ann.pubnub.subscribeToChannels([Self.room], withPresence: true)
        await expect("ann is connected") { $0.categories(of: "ann").contains(.PNConnectedCategory) }
        ben.pubnub.subscribeToChannels([Self.room], withPresence: false)
        await expect("ann sees ben join") { $0.presence["ann"]?.contains("ben join") ?? false }
        await heading("ben publishes 20 messages, and asks for the history")
        await publish(1...20, ben)
        await expect("20 messages arrive, once and in order") { $0.ways["ann"]?.received.count == 20 }
        let stored = await ben.history(of: Self.room)
        board.change { $0.check("history has the same 20 messages", stored == Array(1...20)) }
        await heading("ben unsubscribes")
        ben.pubnub.unsubscribeFromAll()
        await expect("ann sees ben leave") { $0.presence["ann"]?.contains("ben leave") ?? false }
    }

    /// An outage after which catch-up fetches all missed messages.
    private func loseLineBriefly(_ ben: PubNubDemoClient, _ relay: FaultRelay) async throws {
        let told = board.now.count(of: "ann")
        await heading("The service's address refuses connections; 30 messages are published meanwhile")
        try await relay.refuse()
        await publish(21...50, ben)
        await expect("ann is told of the outage") {
            $0.categories(of: "ann", from: told).first == .PNUnexpectedDisconnectCategory
        }
        await heading("The address accepts connections again")
        try await relay.listen()
        await expect("ann is reconnected and has caught up all 30") {
            $0.categories(of: "ann", from: told).contains(.PNReconnectedCategory) && $0.ways["ann"]?.received.count == 50
        }
    }

    /// An outage that is too long for catch-up.
    private func loseLineLong(_ ben: PubNubDemoClient, _ relay: FaultRelay) async throws {
        let told = board.now.count(of: "ann")
        await heading("Refused again; this time 150 messages are published, and the service keeps the last 100")
        try await relay.refuse()
        await publish(51...200, ben)
        await expect("ann is told of the second outage") {
            $0.categories(of: "ann", from: told).first == .PNUnexpectedDisconnectCategory
        }
        await heading("The address accepts connections again")
        try await relay.listen()
        await expect("ann gets the last 100") { $0.ways["ann"]?.received.last == 200 }
        await expect("ann is told that messages may be missing") {
            $0.categories(of: "ann", from: told).contains(.PNRequestMessageCountExceededCategory)
        }
        // The status means that messages before the next received one have to be loaded from the history.
        board.change { record in
            let received = Set(record.ways["ann"]?.received ?? [])
            record.declare((51...200).filter { !received.contains($0) }.prefix { $0 < 101 }, of: "ann")
        }
    }

    /// A denial that names its channels, and is resolved automatically once the right is granted.
    private func beDenied(_ server: LifelineServer) async throws {
        await heading("cid subscribes where rights are checked, and has none yet")
        let cid = client("cid", server.port) {
            $0.subscribeKey = Self.guarded.subscribeKey
            $0.authKey = "cid-key"
        }
        cid.pubnub.subscribeToChannels([Self.room], withPresence: false)
        await expect("cid is denied, with the channel's name, and will retry") { record in
            record.statuses["cid"]?.contains {
                $0.category == .PNAccessDeniedCategory && $0.channels == [Self.room] && $0.willRetry
            } ?? false
        }
        await heading("The right is granted")
        try await PubNubDemoGrant.allow(
            authKey: "cid-key", channel: Self.room, subscribeKey: Self.guarded.subscribeKey,
            secretKey: Self.guarded.secretKey.revealed, port: server.port)
        await expect("cid is connected without doing anything") { $0.categories(of: "cid").contains(.PNConnectedCategory) }
        cid.pubnub.unsubscribeFromAll()
    }

    /// The errors of an invalid filter and a wrong key.
    private func beMistaken(_ port: Int) async {
        await heading("dan sets a filter that nobody can read")
        let dan = client("dan", port)
        dan.pubnub.filterExpression = "language = = 'en"
        dan.pubnub.subscribeToChannels([Self.room], withPresence: false)
        await expect("dan is told that the filter is malformed, and nothing is retried") { record in
            record.statuses["dan"]?.contains { $0.category == .PNMalformedFilterExpressionCategory && !$0.willRetry } ?? false
        }
        await heading("dan sets one that can be read")
        dan.pubnub.filterExpression = "language == 'en'"
        await expect("dan is connected with a better one") { $0.categories(of: "dan").contains(.PNConnectedCategory) }
        dan.pubnub.unsubscribeFromAll()

        await heading("eve and flo encrypt, with different keys")
        let eve = client("eve", port) { $0.cipherKey = "one key" }
        let flo = client("flo", port) { $0.cipherKey = "another key" }
        eve.pubnub.subscribeToChannels(["secrets"], withPresence: false)
        await expect("eve is connected") { $0.categories(of: "eve").contains(.PNConnectedCategory) }
        _ = await flo.publish(1, to: "secrets")
        await expect("eve is told that a message of secrets could not be opened") { record in
            record.statuses["eve"]?.contains { $0.category == .PNDecryptionErrorCategory && $0.unopened == "secrets" } ?? false
        }
        eve.pubnub.unsubscribeFromAll()
    }

    // MARK: Doing and waiting

    private func publish(_ numbers: ClosedRange<Int>, _ ben: PubNubDemoClient) async {
        for number in numbers {
            board.change { $0.sent(number, to: "ann") }
            if await !ben.publish(number, to: Self.room) {
                board.change { $0.check("message \(number) is published", false) }
            }
        }
    }

    private func say(_ text: String) { show(.text(text)) }

    /// Prints the next step, with pauses for reading earlier lines, and the cause before its effects.
    private func heading(_ text: String) async {
        try? await Task.sleep(for: pace.pause)
        show(timeline.heading(.now, text))
        try? await Task.sleep(for: pace.pause)
    }

    private func expect(_ what: String, _ test: @escaping @Sendable (PubNubDemoRecord) -> Bool) async {
        let happened = await board.wait(atMost: Self.patience, test)
        board.change { $0.check(what, happened) }
        if !happened { show(timeline.line(.now, "script", "problem", .red, "This did not happen: \(what).")) }
    }
}
