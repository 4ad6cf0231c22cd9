import ConnectionEngine
import Foundation
import Lifeline
import LifelineServer
import NexconnChatSDK

/// The chat part of the demonstration: two users, an outage, a second device, a token that expires, and a ban.
///
/// Ann uses the chat SDK, of which a process has only one instance; all others use the neutral API.
struct NexconnScript: Sendable {
    private let board = DemoBoard(NexconnDemoRecord())
    private let timeline: DemoTimeline
    private let colours: Colours
    private let pace: DemoPace
    private let show: @Sendable (DemoLine) -> Void

    /// How long the script waits for an event before it reports a problem.
    private static let patience = Duration.seconds(12)

    init(colours: Colours, pace: DemoPace, print: @escaping @Sendable (DemoLine) -> Void) {
        self.colours = colours
        self.pace = pace
        timeline = DemoTimeline(start: .now)
        show = print
    }

    /// Runs all parts; returns whether they are complete.
    func play() async throws -> Bool {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-demo-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let server = try await LifelineServer.start(.init(port: 0, drainTimeout: .seconds(1)))
        let relay = try await FaultRelay.start(to: server.port)
        let backend = NexconnDemoBackend(port: server.port)
        say("")
        say(
            colours.paint(
                "The same server speaks chat: a client of the Nexconn Chat SDK's API, written for Apple platforms", .bold))
        say("ann      uses NCEngine through the relay; ben uses the neutral API")
        say("")

        let ann = NexconnDemoAnn(board: board, timeline: timeline, show: show)
        ann.prepare(port: relay.port, directory: directory.path)
        let (ben, room) = try await signInBen(backend, server.port)
        let listening = Task { [board] in
            // Ben receives his own messages as well (rule LL-27).
            for await message in room.messages where message.user == "ann" {
                if let number = Self.number(in: message) { board.change { $0.benReceived(number) } }
            }
        }
        try await talk(ann, room, backend)
        try await loseLine(room, relay)
        try await beKicked(ann, backend, server.port)
        try await tokenExpires(ann, backend)
        try await beBanned(backend)

        ann.finish()
        listening.cancel()
        await ben.disconnect()
        await relay.stop()
        try await server.stop()
        let record = board.now
        let summary = NexconnDemoSummary(record: record, colours: colours)
        for line in summary.lines { say(line) }
        show(.result(summary.result))
        return record.addsUp
    }

    private static func number(in message: Lifeline.Message) -> Int? {
        struct Text: Decodable { var content: String }
        return (try? message.decode(Text.self)).flatMap { Int($0.content) }
    }

    private func client(_ token: String, _ port: Int) -> LifelineClient {
        LifelineClient(
            .nexconn(appKey: "app-key", host: .init("127.0.0.1", port: port, tls: false), access: .token(token)),
            options: .init(timing: .fast))
    }

    private func signInBen(_ backend: NexconnDemoBackend, _ port: Int) async throws -> (LifelineClient, Room) {
        let ben = client(try await backend.token(for: "ben"), port)
        try await ben.connect()
        return (ben, try await ben.channel("direct:ann").subscribe())
    }

    // MARK: Acts

    private func talk(_ ann: NexconnDemoAnn, _ room: Room, _ backend: NexconnDemoBackend) async throws {
        await heading("ann connects with a token")
        ann.connect(token: try await backend.token(for: "ann"))
        await expect("ann is connected, by way of connecting") { $0.statuses == [.connecting, .connected] }
        await heading("ben sends 20 messages, ann answers with ten")
        await send(1...20, to: room)
        await expect("20 messages arrive, once and in order") { $0.toAnn.received == Array(1...20) }
        for number in 1...10 {
            board.change { $0.sentToBen(number) }
            if await !ann.send(number) { board.change { $0.check("ann's message \(number) is taken", false) } }
        }
        await expect("ben has ann's ten answers") { $0.toBen.received == Array(1...10) }
    }

    private func loseLine(_ room: Room, _ relay: FaultRelay) async throws {
        let (told, syncs) = (board.now.statuses.count, board.now.syncs)
        await heading("The service's address refuses connections; ben sends 300 messages meanwhile")
        try await relay.refuse()
        await expect("ann is told that the connection is suspended") { $0.statuses.dropFirst(told).first == .suspend }
        await send(21...320, to: room)
        await heading("The address accepts connections again")
        try await relay.listen()
        await expect("ann is connected again") { $0.statuses.count > told && $0.statuses.last == .connected }
        await expect("all 300 have come, once and in order, marked as missed") {
            $0.toAnn.received == Array(1...320) && $0.offline == 300
        }
        await expect("ann is told that nothing more was missed") { $0.syncs == syncs + 1 }
    }

    private func beKicked(_ ann: NexconnDemoAnn, _ backend: NexconnDemoBackend, _ port: Int) async throws {
        let told = board.now.statuses.count
        await heading("ann signs in on a second phone")
        let other = client(try await backend.token(for: "ann"), port)
        try await other.connect()
        await expect("the first one is kicked, and does not fight back") {
            Array($0.statuses.dropFirst(told)) == [.kickedOfflineByOtherClient]
        }
        await other.disconnect()
        await heading("ann signs in on the first one again")
        ann.connect(token: try await backend.token(for: "ann"))
        await expect("ann is connected") { $0.statuses.suffix(2) == [.connecting, .connected] }
    }

    private func tokenExpires(_ ann: NexconnDemoAnn, _ backend: NexconnDemoBackend) async throws {
        let told = board.now.statuses.count
        await heading("The application's server makes ann's tokens expire")
        try await backend.expireTokens(of: "ann")
        await expect("ann is told, once, that the token is of no use") {
            Array($0.statuses.dropFirst(told)) == [.tokenIncorrect]
        }
        await heading("ann asks for a new token and connects")
        ann.connect(token: try await backend.token(for: "ann"))
        await expect("ann is connected with the new token") { $0.statuses.suffix(2) == [.connecting, .connected] }
    }

    private func beBanned(_ backend: NexconnDemoBackend) async throws {
        let told = board.now.statuses.count
        await heading("ann is banned")
        try await backend.ban("ann")
        await expect("ann is told, and nothing more is tried") { Array($0.statuses.dropFirst(told)) == [.disconnException] }
        board.change { $0.check("each connect completed once, and with success", $0.completions == [0, 0, 0]) }
    }

    // MARK: Doing and waiting

    private func send(_ numbers: ClosedRange<Int>, to room: Room) async {
        struct Text: Encodable, Sendable { var content: String }
        for number in numbers {
            board.change { $0.sentToAnn(number) }
            let outcome = try? await room.publish(Text(content: "\(number)"))
            if case .accepted? = outcome { continue }
            board.change { $0.check("message \(number) is taken", false) }
        }
    }

    private func say(_ text: String) { show(.text(text)) }

    /// Prints the next step, with pauses for reading earlier lines, and the cause before its effects.
    private func heading(_ text: String) async {
        try? await Task.sleep(for: pace.pause)
        show(timeline.heading(.now, text))
        try? await Task.sleep(for: pace.pause)
    }

    private func expect(_ what: String, _ test: @escaping @Sendable (NexconnDemoRecord) -> Bool) async {
        let happened = await board.wait(atMost: Self.patience, test)
        board.change { $0.check(what, happened) }
        if !happened { show(timeline.line(.now, "script", "problem", .red, "This did not happen: \(what).")) }
    }
}
