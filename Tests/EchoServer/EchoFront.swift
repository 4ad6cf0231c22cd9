import NIOConcurrencyHelpers
import NIOCore
import ServerRuntime

/// The front of the echo: its paths, its connections, its metrics, and what the console shows.
final class EchoFront: WebSocketFront {
    static let application = ApplicationName(.echo, "demo")

    let service = ServiceName.echo
    let context: ServerContext
    let backend: any EchoBackend
    let mailboxes: [EventLoopMailbox<EchoLoop>]
    private let kind: RequestKind
    private let slot: MetricSlot
    private let webSockets: WebSocketService
    private let state = NIOLockedValueBox((connections: 0, told: 0))

    init(_ context: ServerContext, _ backend: any EchoBackend) {
        self.context = context
        self.backend = backend
        mailboxes = context.loops.map { EventLoopMailbox($0.queue, EchoLoop($0)) }
        kind = context.requestKinds.add("echo")
        slot = context.names.slot(service, "demo")
        webSockets = WebSocketService(
            context, of: service, messageBytes: 1 << 24, silence: .seconds(120), pongTimeout: .seconds(30))
        backend.join(self)
    }

    /// The number of texts for everybody that this server has accepted.
    var told: Int { state.withLockedValue(\.told) }
    var connectionCount: Int { state.withLockedValue(\.connections) }

    func count(connections change: Int) { state.withLockedValue { $0.connections += change } }

    /// Passes a text to every connection of all servers.
    func tell(_ text: String, completion: @escaping @Sendable (Bool) -> Void) {
        backend.tell(text) { [state] isDone in
            if isDone { state.withLockedValue { $0.told += 1 } }
            completion(isDone)
        }
    }

    func owns(_ segments: [String]) -> Bool { segments.first == "echo" }

    func answer(_ request: HTTPRequest, for connection: HTTPConnection) {
        connection.kind = kind
        guard request.method == "POST" else {
            let problem = HTTPProblem.methodNotAllowed("POST")
            return connection.refuse(problem, of: request.target, with: refusal(problem))
        }
        guard request.target.segments == ["echo", "all"] else {
            return connection.answer(HTTPAnswer(.text, Array(backend.settings.prefix.utf8) + request.body))
        }
        let reply = connection.expectAnswer()
        tell(String(decoding: request.body, as: UTF8.self)) { isDone in
            reply(isDone ? .empty : HTTPAnswer(HTTPProblem(503, "No server decides now. Try again.", retryAfter: 1)))
        }
    }

    func bodyLimit(_ segments: [String], _ limit: Int) -> Int { backend.settings.maximumBytes }

    func subprotocol(of segments: [String]) -> String? { owns(segments) ? "echo" : nil }

    func connection(_ target: RequestTarget, _ visitor: RequestOrigin, on loop: EventLoopContext) -> WebSocketConnection {
        _ = context.admission.withLockedValue { $0.open(Self.application, limit: nil) }
        return EchoConnection(self, webSockets, slot, mailboxes[loop.number].part)
    }

    func resident(on loop: EventLoopContext) -> any LoopResident { mailboxes[loop.number].part }

    func collect(on loop: EventLoopContext) -> any Sendable { mailboxes[loop.number].part.echoed }

    func write(_ collected: [any Sendable], _ names: [ApplicationName], to out: inout PrometheusText) {
        let echoed = collected.compactMap { $0 as? Int }.reduce(0, +)
        out.family("echoed_total", .counter, help: "Messages that went back.", of: service, names) { $0 == slot ? echoed : 0 }
    }

    func close() async { backend.leave(self) }
}

extension EchoFront: EchoNode {
    func apply(_ text: String) {
        for mailbox in mailboxes { mailbox.enqueue(EchoLoop.Broadcast(text: text)) }
    }
}

extension EchoFront: ConsoleService {
    func applicationRows() -> [ApplicationRow] {
        var row = ApplicationRow(id: "demo", key: "demo")
        row.counts = [.connections: connectionCount]
        row.traits = ["answers begin with “\(backend.settings.prefix)”"]
        return [row]
    }

    func channelRows(_ listing: ConsoleListing) async throws -> ChannelRows {
        let rows = [ChannelRows.Row("everybody", users: connectionCount)].filter { listing.isWanted($0.name) }
        return ChannelRows(first: listing.limit, of: rows, total: rows.count)
    }

    func members(of channel: String, _ listing: ConsoleListing) async throws -> ChannelMembers {
        ChannelMembers(isOccupied: connectionCount > 0, hasMembers: false, users: [], count: connectionCount)
    }

    func reports(on loop: Int, from start: Int, count: Int) -> (reports: [ConnectionReport], next: Int?) {
        // Everything at once: there are few of them.
        (mailboxes[loop].part.list.all.dropFirst(start).map { $0.report(name: nil, user: nil, channels: nil) }, nil)
    }

    func publish(_ message: ConsoleMessage) async throws(HTTPProblem) -> String {
        let isDone = await withCheckedContinuation { continuation in
            tell(message.data) { continuation.resume(returning: $0) }
        }
        guard isDone else { throw HTTPProblem(503, "No server decides now. Try again.", retryAfter: 1) }
        return "Everybody was told."
    }

    var endingObstacle: String? { "the echo knows no users" }

    func endConnections(of user: String, in application: String?) async throws(HTTPProblem) -> String {
        throw HTTPProblem(400, "The echo knows no users.")
    }
}
