import NIOConcurrencyHelpers
import NIOCore
import ServerCluster
import ServerRuntime

/// The state on a node of a cluster: requests go to the leader, and its facts come back to every node in one order.
final class ClusterEcho: EchoBackend, ClusterMember {
    private let bus: any ClusterBus
    private let nodes = NodeList<any EchoNode>()
    private let state: NIOLockedValueBox<(settings: EchoSettings, total: Int)>

    init(_ settings: EchoSettings, _ bus: any ClusterBus) {
        self.bus = bus
        state = NIOLockedValueBox((settings, 0))
        bus.attach(self, of: .echo)
    }

    var settings: EchoSettings { state.withLockedValue(\.settings) }
    var total: Int { state.withLockedValue(\.total) }

    func take(_ settings: EchoSettings) { state.withLockedValue { $0.settings = settings } }
    func join(_ node: any EchoNode) { nodes.join(node, as: node) }
    func leave(_ node: any EchoNode) { nodes.leave(node) }

    func tell(_ text: String, completion: @escaping @Sendable (Bool) -> Void) {
        bus.request(ByteBuffer(string: text), of: .echo, within: .seconds(3), isRepeatable: true) { result in
            completion((try? result.get()) != nil)
        }
    }

    func apply(_ fact: ByteBuffer) {
        guard let fact = EchoFact(fact) else { return }
        state.withLockedValue { $0.total = fact.total }
        for node in nodes.all { node.apply(fact.text) }
    }

    /// Connections have nothing that a leader would have to know.
    func announcement() -> [ByteBuffer] { [] }
    func interrupted() {}
}

/// A text for everybody, with its number.
struct EchoFact: Hashable, Sendable {
    var total: Int
    var text: String

    init(total: Int, text: String) {
        self.total = total
        self.text = text
    }

    init?(_ buffer: ByteBuffer) {
        var buffer = buffer
        guard let total = buffer.readInteger(as: Int64.self) else { return nil }
        self.total = Int(clamping: total)
        text = String(buffer: buffer)
    }

    var encoded: ByteBuffer {
        var buffer = ByteBuffer()
        buffer.writeInteger(Int64(clamping: total))
        buffer.writeString(text)
        return buffer
    }
}

/// The part of the server that leads: it numbers the texts, and stores the number.
final class EchoLeader: ClusterLeader {
    private let output: any ClusterOutput
    private let key: StoreKey
    private let total: NIOLockedValueBox<Int>

    init(_ context: ClusterLeaderContext, total: Int) {
        output = context.output
        key = EchoLeaderFactory.key(context.store)
        self.total = NIOLockedValueBox(total)
    }

    func handle(_ request: ByteBuffer, from node: ClusterNode, reply: @escaping @Sendable (ByteBuffer) -> Void) {
        let number = total.withLockedValue { total in
            total += 1
            return total
        }
        let fact = EchoFact(total: number, text: String(buffer: request))
        output.emit(
            fact.encoded, of: .echo, to: .all, writes: [.set(key, .integer(Int64(clamping: number)))],
            completion: nil)
        reply(ByteBuffer())
    }

    func announced(_ requests: [ByteBuffer], by node: ClusterNode) {}
    func left(_ node: ClusterNode) {}
    func close() async {}
}

package final class EchoLeaderFactory: ClusterLeaderFactory {
    package init() {}

    static func key(_ store: any ClusterReader) -> StoreKey { store.key("echo:total") }

    package func makeLeader(_ context: ClusterLeaderContext) async throws -> any ClusterLeader {
        let stored = try await context.store.text(of: Self.key(context.store))
        return EchoLeader(context, total: stored.flatMap { Int($0) } ?? 0)
    }
}
