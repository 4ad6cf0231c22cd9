import NIOConcurrencyHelpers
import NIOCore
import ServerCluster
import SocketTestSupport

/// A service that numbers texts in one order. Each request is a text, each fact `NUMBER TEXT`; the answer is the number. The text `many`
/// is kept with 20,000 fields of a map, `none` without them. A query is a number of bytes, and its answer
/// has so many.
final class TextMember: ClusterMember {
    enum Event: Hashable, Sendable {
        case text(String)
        case announced
        case interrupted
    }

    let events = Inbox<Event>()
    private let facts = NIOLockedValueBox<[String]>([])

    /// All facts so far, in order.
    var told: [String] { facts.withLockedValue { $0 } }

    func apply(_ fact: ByteBuffer) {
        let text = String(buffer: fact)
        facts.withLockedValue { $0.append(text) }
        events.put(.text(text))
    }

    func announcement() -> [ByteBuffer] {
        events.put(.announced)
        return []
    }

    func interrupted() { events.put(.interrupted) }

    /// Waits until a text was told.
    func hears(_ text: String) async throws {
        _ = try await events.next {
            if case .text(let fact) = $0 { fact.split(separator: " ").last.map(String.init) == text } else { false }
        }
    }
}

final class TextLeader: ClusterLeader {
    private let context: ClusterLeaderContext
    private let count: NIOLockedValueBox<Int>
    private let gone: Inbox<ClusterNode>

    init(_ context: ClusterLeaderContext, count: Int, gone: Inbox<ClusterNode>) {
        self.context = context
        self.count = NIOLockedValueBox(count)
        self.gone = gone
    }

    func handle(_ request: ByteBuffer, from node: ClusterNode, reply: @escaping @Sendable (ByteBuffer) -> Void) {
        if let bytes = Int(String(buffer: request)) { return reply(ByteBuffer(repeating: 120, count: bytes)) }
        let number = count.withLockedValue { count in
            count += 1
            return count
        }
        context.output.emit(
            ByteBuffer(string: "\(number) \(String(buffer: request))"), of: .pusher, to: .all,
            writes: [.set(context.store.key("pusher:count"), .integer(Int64(number)))]
                + fields(String(buffer: request)), completion: nil)
        reply(ByteBuffer(string: "\(number)"))
    }

    private func fields(_ text: String) -> [StoreWrite] {
        let (key, fields) = (context.store.key("pusher:fields"), (0..<20_000).map { StoreWord.integer($0) })
        return switch text {
        case "many": [.put(key, fields.map { StoreField($0, "x") })]
        case "none": [.removeFields(key, fields)]
        default: []
        }
    }

    func announced(_ requests: [ByteBuffer], by node: ClusterNode) {}
    func left(_ node: ClusterNode) { gone.put(node) }
    func close() async {}
}

final class TextFactory: ClusterLeaderFactory {
    let gone = Inbox<ClusterNode>()
    private let facts = NIOLockedValueBox<[String]>([])

    /// The facts that the log had when this node began to lead last.
    var logged: [String] { facts.withLockedValue { $0 } }

    func makeLeader(_ context: ClusterLeaderContext) async throws -> any ClusterLeader {
        var found: [String] = []
        try await context.log.facts(of: .pusher) { found.append(String(buffer: $0)) }
        let logged = found
        facts.withLockedValue { $0 = logged }
        let value = try await context.store.text(of: context.store.key("pusher:count"))
        return TextLeader(context, count: value.flatMap { Int($0) } ?? 0, gone: gone)
    }
}
