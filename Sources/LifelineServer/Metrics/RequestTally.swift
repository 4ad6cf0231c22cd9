/// What a request is for, as far as metrics tell requests apart.
enum RequestKind: UInt8, Hashable, Sendable, CaseIterable {
    case other, health, ready, metrics, webSocket, publish, publishBatch, channels, channel, users, connections, terminate
    case poll, pubnub, chat

    var label: String {
        switch self {
        case .webSocket: "websocket"
        case .publishBatch: "publish_batch"
        case .terminate: "terminate_connections"
        default: "\(self)"
        }
    }

    init(_ route: Route) {
        self =
            switch route {
            case .health: .health
            case .ready: .ready
            case .metrics: .metrics
            case .webSocket: .webSocket
            case .publish, .publishTo: .publish
            case .publishBatch: .publishBatch
            case .channels: .channels
            case .channel: .channel
            case .users: .users
            case .connections: .connections
            case .terminateConnections: .terminate
            }
    }
}

/// Answers that one event loop has given, by what was asked for and the first digit of the status.
struct RequestTally: Hashable, Sendable {
    private var counts = ContiguousArray(repeating: 0, count: RequestKind.allCases.count * 5)

    mutating func count(_ kind: RequestKind, status: Int) {
        counts[Int(kind.rawValue) * 5 + Self.place(status)] += 1
    }

    func count(_ kind: RequestKind, digit: Int) -> Int {
        counts[Int(kind.rawValue) * 5 + Self.place(digit * 100)]
    }

    mutating func add(_ other: RequestTally) {
        for index in counts.indices { counts[index] += other.counts[index] }
    }

    private static func place(_ status: Int) -> Int { min(max(status / 100, 1), 5) - 1 }
}
